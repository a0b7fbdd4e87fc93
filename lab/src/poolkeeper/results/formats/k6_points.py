"""Points of k6's metrics beside response times: virtual users, iterations that it dropped, and checks."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from poolkeeper.present.text import counted
from poolkeeper.results.findings import Finding, Findings
from poolkeeper.results.formats.header import first_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkeeper.results.source import Source

COLUMNS = ("metric_name", "timestamp", "metric_value")
"""The columns that k6's CSV is known by, in its own order."""
NOW, MOST = "vus", "vus_max"
"""Metrics of the users that are active, and of those that k6 holds ready."""
DROPPED, CHECKS = "dropped_iterations", "checks"
_METRICS = {NOW, MOST, DROPPED, CHECKS}
_MARKS = (NOW, DROPPED, CHECKS)
"""Texts in the lines that hold these metrics."""
_BEYOND = 1e12
"""Number that these metrics never reach."""


@dataclass(frozen=True)
class K6Points:
    """The points of these metrics in one file of k6, which is looked through for them once."""

    source: Source
    is_json: bool

    @property
    def users(self) -> list[tuple[str, float]]:
        """Time, as the file writes it, and number of active users."""
        return self._found[0]

    @property
    def most(self) -> int:
        """The most users that were held ready; 0 if unknown."""
        return self._found[1]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings about dropped iterations and failed checks."""
        _, _, dropped, checks, failed = self._found
        words = {"dropped": dropped_words(dropped), "checks": checks_words(failed, checks)}
        name = self.source.path.name
        return tuple(Finding(kind, f"{name}: {text}") for kind, text in words.items() if text)

    @cached_property
    def _found(self) -> tuple[list[tuple[str, float]], int, int, int, int]:
        """Users over time, the most of them, dropped iterations, checks, and failed ones."""
        users: list[tuple[str, float]] = []
        most = dropped = checks = failed = 0
        for block in self.source.blocks(Findings(), quotes=False):
            for metric, time, value in self._points(block):
                if metric == NOW:
                    users.append((time, value))
                elif metric == MOST:
                    most = max(most, round(value))
                elif metric == DROPPED:
                    dropped += round(value)
                else:
                    checks += 1
                    failed += value == 0
        return users, most, dropped, checks, failed

    def _points(self, block: bytes) -> Iterator[tuple[str, str, float]]:
        """Metric, time as it is written, and value of each point in a block of lines."""
        for mark in _MARKS:
            sought = (f'"{mark}' if self.is_json else mark).encode()
            place = block.find(sought)
            while place >= 0:
                begin, end = block.rfind(b"\n", 0, place) + 1, block.find(b"\n", place)
                point = self._point(block[begin : end if end >= 0 else None].decode(errors="replace"))
                if point is not None and point[0].startswith(mark):
                    yield point
                place = block.find(sought, end) if end >= 0 else -1

    @cached_property
    def _layout(self) -> tuple[str, list[int]]:
        """The separator of a CSV, and the places of metric, time and value."""
        separator, names = first_row(self.source)
        return separator, [names.index(name) for name in COLUMNS]

    def _point(self, line: str) -> tuple[str, str, float] | None:
        try:
            if self.is_json:
                point = json.loads(line)
                if point.get("metric") not in _METRICS or point.get("type") != "Point":
                    return None
                return str(point["metric"]), str(point["data"]["time"]), _number(point["data"]["value"])
            separator, places = self._layout
            row = next(csv.reader([line], delimiter=separator))
            metric, time, value = (row[place] for place in places)
            return (metric, time, _number(value)) if metric in _METRICS else None
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, StopIteration):
            return None  # the reader of the requests names lines that are broken


def dropped_words(dropped: int) -> str:
    """Words about iterations that k6 could not begin in time, as no user was free; empty without any."""
    if not dropped:
        return ""
    them = "it" if dropped == 1 else "them"
    words = f"k6 left out {counted(dropped, 'iteration')}, as no user was free to begin {them}"
    return f"{words}: the load was less than the one asked for, and no response times show that wait"


def checks_words(failed: int, checks: int) -> str:
    """Words about checks that failed, which are no requests; empty without any."""
    if not failed:
        return ""
    words = f"{failed:,} of {counted(checks, 'check')} of k6 failed"
    return f"{words}: checks look at contents, and a request whose check failed counts as it was answered"


def _number(value: str | float) -> float:
    """A number as these metrics have it. Raises ValueError for other texts."""
    number = float(value)
    if not 0 <= number < _BEYOND:
        raise ValueError(f"{value} is no number of these metrics")
    return number
