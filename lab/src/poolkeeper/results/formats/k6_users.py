"""Number of k6's virtual users over time, out of the metric `vus` that it writes every second."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.header import first_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from poolkeeper.arrays import Integers
    from poolkeeper.results.source import Source

_CSV, _JSON = b"vus", b'"vus'
_COLUMNS = ("metric_name", "timestamp", "metric_value")
_NOW, _MOST = "vus", "vus_max"
"""Metrics of the users that are active, and of those that k6 holds ready."""
_BEYOND = 1e12
"""Number that users never reach."""
_REACHED = 0.9
"""Share of the users held ready that a closed test reaches."""
_RESTLESS = 0.25
_RESTLESS_LEAST = 3
"""Share of the changes that go back on the one before, and how many at least, where the users follow the load."""


@dataclass(frozen=True)
class K6Users:
    """The users in one file of k6, which is looked through for them once."""

    source: Source
    times_ns: Callable[[pl.Series], pl.Series]
    """Nanoseconds since 1970 of times as the file writes them."""
    is_json: bool

    @property
    def exist(self) -> bool:
        """Whether the file has numbers of users, and these are the load.

        Where k6 sends requests at a rate, `vus` counts those that are busy, which is a result: they go up and down all
        the time, and k6 holds more of them ready.
        """
        _, users, most = self._written
        if not users.size or int(users.max()) < _REACHED * most:
            return False
        changes = np.diff(users)
        signs = np.sign(changes[changes != 0])
        back = int(np.count_nonzero(signs[1:] != signs[:-1]))
        return back < max(_RESTLESS_LEAST, int(_RESTLESS * signs.size))

    def at(self, ends: pl.Expr) -> pl.Expr:
        """The users at given times: the number that was written last."""
        return ends.map_batches(self._lookup, return_dtype=pl.Int64, is_elementwise=True)

    def _lookup(self, ends: pl.Series) -> pl.Series:
        times, users, _ = self._written
        places = np.searchsorted(times, ends.fill_null(0).to_numpy(), side="right") - 1
        return pl.Series(ends.name, users[np.maximum(places, 0)])

    @cached_property
    def _written(self) -> tuple[Integers, Integers, int]:
        """Times in ascending order, the users from each on, and the most that were held ready (0 if unknown)."""
        found = [point for block in self.source.blocks(Findings(), quotes=False) for point in self._points(block)]
        points = [(time, value) for metric, time, value in found if metric == _NOW]
        times = self.times_ns(pl.Series([time for time, _ in points], dtype=pl.String)).fill_null(0).to_numpy()
        order = np.argsort(times, kind="stable")
        users = np.array([round(value) for _, value in points], np.int64)
        most = max((round(value) for metric, _, value in found if metric == _MOST), default=0)
        return times[order], users[order], most

    def _points(self, block: bytes) -> Iterator[tuple[str, str, float]]:
        """Metric, time as it is written, and value of each number of users in a block of lines."""
        mark = _JSON if self.is_json else _CSV
        place = block.find(mark)
        while place >= 0:
            begin, end = block.rfind(b"\n", 0, place) + 1, block.find(b"\n", place)
            line = block[begin : end if end >= 0 else None].decode(errors="replace")
            point = self._point(line)
            if point is not None:
                yield point
            place = block.find(mark, end) if end >= 0 else -1

    @cached_property
    def _layout(self) -> tuple[str, list[int]]:
        """The separator of a CSV, and the places of metric, time and value."""
        separator, names = first_row(self.source)
        return separator, [names.index(name) for name in _COLUMNS]

    def _point(self, line: str) -> tuple[str, str, float] | None:
        try:
            if self.is_json:
                point = json.loads(line)
                if point.get("metric") not in {_NOW, _MOST} or point.get("type") != "Point":
                    return None
                return str(point["metric"]), str(point["data"]["time"]), _number(point["data"]["value"])
            separator, places = self._layout
            row = next(csv.reader([line], delimiter=separator))
            metric, time, value = (row[place] for place in places)
            return (metric, time, _number(value)) if metric in {_NOW, _MOST} else None
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, StopIteration):
            return None  # the reader of the requests names lines that are broken


def _number(value: str | float) -> float:
    """A number of users. Raises ValueError for other texts."""
    number = float(value)
    if not 0 <= number < _BEYOND:
        raise ValueError(f"{value} is no number of users")
    return number
