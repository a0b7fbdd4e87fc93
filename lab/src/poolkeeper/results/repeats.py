"""Results that come twice: a file that holds itself again, and copies of a file."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Integers
    from poolkeeper.results.checks import Seen
    from poolkeeper.results.findings import Findings
    from poolkeeper.results.part import Part

_ROWS = 12
"""Rows from the first one on by which results are known again."""
_DIFFERENT = 6
"""Pairs of start and response time among these rows that differ at least: fewer may come again by chance."""
_CANDIDATES = 1000
"""Rows like the first one that are looked at in a batch."""


class Beginning:
    """The first rows of a file, and the number of times that they come again in it."""

    def __init__(self) -> None:
        self.again = 0
        self._rows: Integers | None = None

    def look(self, starts: Integers, times: Integers) -> None:
        """Keep the first rows of the file, or look for them in later ones."""
        if starts.size < _ROWS:
            return
        rows, own = np.stack((starts, times)), self._rows is None
        if self._rows is None:
            self._rows = rows[:, :_ROWS].copy()
        if np.unique(self._rows, axis=1).shape[1] < _DIFFERENT:
            return
        alike = np.flatnonzero((rows[:, : starts.size - _ROWS + 1] == self._rows[:, :1]).all(axis=0))
        self.again += sum(
            np.array_equal(rows[:, place : place + _ROWS], self._rows) for place in alike[int(own) :][:_CANDIDATES]
        )

    @property
    def key(self) -> bytes:
        """The rows as bytes, equal for two files with equal beginnings; empty if there are too few."""
        rows = self._rows
        return b"" if rows is None or np.unique(rows, axis=1).shape[1] < _DIFFERENT else rows.tobytes()


def twice(findings: Findings, files: Sequence[Seen]) -> None:
    """Add a finding for each file that holds its own beginning again, and for each pair that begins alike."""
    end = "they count several times, so that intervals are too narrow, and rates are not given"
    for file in files:
        if file.again:
            times = "again" if file.again == 1 else f"{file.again:,} times again"
            findings.add("twice", f"{file.name}: holds the same requests {times}, with the same times: {end}")
    for former, other in combinations(files, 2):
        if former.beginning and former.beginning == other.beginning:
            alike = (former.count, former.span) == (other.count, other.span)
            verb = "hold" if alike else "begin with"
            words = f"{former.name} and {other.name} {verb} the same requests, with the same times"
            findings.add("twice", f"{words}: {end}")


def twice_stated(findings: Findings, parts: Sequence[Part]) -> None:
    """Add a finding for each pair of files in which a tool states the same figures of as many requests."""
    for former, other in combinations(parts, 2):
        first, second = former.summaries, other.summaries
        has_figures = any(summary.count and not math.isnan(summary.mean_ns) for summary in first)
        if has_figures and repr(first) == repr(second):
            words = f"{former.source.path.name} and {other.source.path.name} state the same figures"
            findings.add("twice", f"{words}: they are copies of one, which counts several times")
