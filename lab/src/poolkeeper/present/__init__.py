"""What every result of the lab can show of itself: tables, charts, numbers in words. It knows nothing of latencies."""

from poolkeeper.present.chart import Axis, Chart, Kind, Mark, Series
from poolkeeper.present.result import Result
from poolkeeper.present.table import Cell, Table

__all__ = ["Axis", "Cell", "Chart", "Kind", "Mark", "Result", "Series", "Table"]
