"""What every result of the lab can show of itself: tables, charts, numbers in words. It knows nothing of latencies."""

from tidepool.present.chart import Axis, Chart, Kind, Mark, Series
from tidepool.present.result import Result
from tidepool.present.table import Cell, Table

__all__ = ["Axis", "Cell", "Chart", "Kind", "Mark", "Result", "Series", "Table"]
