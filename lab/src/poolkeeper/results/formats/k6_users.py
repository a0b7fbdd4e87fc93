"""Number of k6's virtual users over time, out of the metric `vus` that it writes every second."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from poolkeeper.results.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from poolkeeper.arrays import Integers
    from poolkeeper.results.source import Source

_CSV, _JSON = b"vus,", b'"vus"'
_SEARCHED = 8
"""Blocks in which the first number of users is looked for."""


@dataclass(frozen=True)
class K6Users:
    """The users in one file of k6, which is looked through for them when they are first asked for."""

    source: Source
    times_ns: Callable[[pl.Series], pl.Series]
    """Nanoseconds since 1970 of times as the file writes them."""
    is_json: bool

    @property
    def exist(self) -> bool:
        """Whether the beginning of the file has a number of users."""
        blocks = islice(self.source.blocks(Findings(), quotes=False), _SEARCHED)
        return any(True for block in blocks for _ in self._points(block))

    def at(self, ends: pl.Expr) -> pl.Expr:
        """The users at given times: the number that was written last."""
        return ends.map_batches(self._lookup, return_dtype=pl.Int64, is_elementwise=True)

    def _lookup(self, ends: pl.Series) -> pl.Series:
        times, users = self._written
        places = np.searchsorted(times, ends.fill_null(0).to_numpy(), side="right") - 1
        return pl.Series(ends.name, users[np.maximum(places, 0)])

    @cached_property
    def _written(self) -> tuple[Integers, Integers]:
        """Times in ascending order, and the users from each on."""
        points = [point for block in self.source.blocks(Findings(), quotes=False) for point in self._points(block)]
        times = self.times_ns(pl.Series([time for time, _ in points], dtype=pl.String)).fill_null(0).to_numpy()
        order = np.argsort(times, kind="stable")
        users = np.array([round(value) for _, value in points], np.int64)
        return times[order], users[order]

    def _points(self, block: bytes) -> Iterator[tuple[str, float]]:
        """Time, as it is written, and value of each number of users in a block of lines."""
        mark = _JSON if self.is_json else _CSV
        place = block.find(mark)
        while place >= 0:
            begin, end = block.rfind(b"\n", 0, place) + 1, block.find(b"\n", place)
            line = block[begin : end if end >= 0 else None].decode(errors="replace")
            point = self._point(line) if self.is_json or begin == place else None
            if point is not None:
                yield point
            place = block.find(mark, end) if end >= 0 else -1

    def _point(self, line: str) -> tuple[str, float] | None:
        try:
            if self.is_json:
                point = json.loads(line)
                if point.get("metric") != "vus" or point.get("type") != "Point":
                    return None
                return str(point["data"]["time"]), float(point["data"]["value"])
            row = next(csv.reader([line]))
            return row[1], float(row[2])
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, StopIteration):
            return None  # the reader of the requests names lines that are broken
