"""Points of k6's metrics beside response times: virtual users, iterations that it dropped, and checks."""

from __future__ import annotations

import csv
import json
import re
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
_ANY_METRIC = rf"(?:{'|'.join(sorted(_METRICS))})[^\n]*"
"""The rest of a line from the name of a metric on."""
_VALUE = r"([01])(?:\.0+)?"
_DATA = rf'"type":"Point","data":\{{"time":"[^"\n]*","value":{_VALUE},"tags":\{{[^{{}}\\\n]*\}}\}}'
_CSV_CHECK = re.compile(rf'\n{CHECKS},[^,"\n]*,{_VALUE},[^\n]*'.encode())
_JSON_CHECK = re.compile(rf'\n\{{"metric":"{CHECKS}",{_DATA}\}}\r?(?=\n|\Z)'.encode())
_OLD_JSON_CHECK = re.compile(rf'\n\{{{_DATA},"metric":"{CHECKS}"\}}\r?(?=\n|\Z)'.encode())
"""Checks as k6 writes them today or wrote them once, each with the line end before it.

A run may have as many of them as requests. The patterns begin with literal text, which is sought fast. They leave out
what needs a parser, as quoted cells and escaped names.
"""
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
            lines = b"\n" + block
            if self._usual_check:
                between = self._usual_check.split(lines)
                lines, values = b"".join(between[::2]), between[1::2]
                checks += len(values)
                failed += values.count(b"0")
            for metric, time, value in self._points(lines):
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

    def _points(self, lines: bytes) -> Iterator[tuple[str, str, float]]:
        """Metric, time as it is written, and value of each point in lines, each with the line end before it."""
        for match in self._any_point.finditer(lines):
            begin = lines.rfind(b"\n", 0, match.start() + 1) + 1
            point = self._point(lines[begin : match.end()].decode(errors="replace"))
            if point is not None:
                yield point

    @cached_property
    def _usual_check(self) -> re.Pattern[bytes] | None:
        """The pattern of checks in the layout that k6 writes; None if the file has another one."""
        if self.is_json:
            return _OLD_JSON_CHECK if self.source.head[0].startswith('{"type"') else _JSON_CHECK
        return _CSV_CHECK if self._layout == (",", [0, 1, 2]) else None

    @cached_property
    def _any_point(self) -> re.Pattern[bytes]:
        """The pattern of lines that may hold a point of these metrics."""
        if self.is_json:
            return re.compile(rf'"metric"[ \t]*:[ \t]*"{_ANY_METRIC}'.encode())
        before = r'\n"?' if self._layout[1][0] == 0 else ""
        return re.compile(f"{before}{_ANY_METRIC}".encode())

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
            row = next(csv.reader([line.removesuffix("\r").replace("\r", " ")], delimiter=separator))
            metric, time, value = (row[place] for place in places)
            return (metric, time, _number(value)) if metric in _METRICS else None
        except (csv.Error, ValueError, KeyError, IndexError, TypeError, AttributeError, StopIteration):
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
