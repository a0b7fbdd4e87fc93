"""Views of every result of the lab: tables, charts, numbers in words. Independent of response times."""

from poolkeeper.present.chart import Axis, Chart, Kind, Mark, Series
from poolkeeper.present.result import Result
from poolkeeper.present.table import Cell, Table

__all__ = ["Axis", "Cell", "Chart", "Kind", "Mark", "Result", "Series", "Table"]
