"""What numbers give away about how they were measured: steps of the clock, gaps, units, results of two tests in one."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tidepool.latency import buckets
from tidepool.present.numbers import number
from tidepool.results.tallies import BUCKET_BITS, Counts
from tidepool.results.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidepool.arrays import Integers
    from tidepool.results.findings import Findings
    from tidepool.results.part import Part
    from tidepool.results.series import Series

_STEP_S = 5.0
"""How far a clock must go back to be told: more than writers of several machines are apart."""

_GAP_S = 60.0
_GAP_SHARE = 0.05
"""A gap is told if it is as long as this, and this share of the time from the first to the last response."""

_YEAR_S = 365.25 * 86400
_FIRST_YEAR, _LAST_YEAR = 2000 - 1970, 2100 - 1970
_DIGITS = 2
_TOO_MANY = 1.5
_FULL = (0.3, 1.1)
_THOUSANDFOLD = (300.0, 3000.0)


class Watch:
    """Sees the rows of all files as they pass, in their order, and says in the end what was odd about them."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._latest = [-math.inf] * len(parts)
        self._back = [0.0] * len(parts)
        self._steps = [0] * len(parts)
        self._spans: list[tuple[int, int] | None] = [None] * len(parts)
        self._counts = Counts()

    def add(self, part: int, starts: Integers | None, times: Integers) -> None:
        """Take in rows of one file: when requests were sent, and their response times."""
        if len(self._parts) > 1 or self._parts[part].unit_guessed:
            self._counts.add(np.full(times.size, part), buckets.numbers(times.astype(np.float64), _DIGITS))
        if starts is None or not starts.size:
            return
        # Lines are written in the order of sending or of ending. In both, nothing can have ended before something was
        # sent that is written further up, unless the clock was set back or files were put together.
        latest = np.maximum(np.maximum.accumulate(starts), self._latest[part])
        back = (latest - (starts + times)) / NS
        behind = back > _STEP_S
        if behind.any():
            self._steps[part] += int(np.count_nonzero(behind[1:] & ~behind[:-1])) + int(behind[0])
            self._back[part] = max(self._back[part], float(back.max()))
        self._latest[part] = float(latest[-1])
        first, last = int(starts.min()), int((starts + times).max())
        before = self._spans[part]
        self._spans[part] = (first, last) if before is None else (min(first, before[0]), max(last, before[1]))

    def report(self, findings: Findings, series: Series | None) -> None:
        """Add what was odd."""
        for part, steps in enumerate(self._steps):
            if steps:
                words = f"times go back by up to {number(self._back[part])} s, {steps} times: the clock was set back,"
                findings.add("clock", f"{self._name(part)}: {words} or results were put together out of order")
        self._dates(findings)
        medians = self._medians()
        self._units(findings, medians)
        if len(self._parts) > 1:
            self._files(findings, medians)
        if series is not None:
            _gaps(findings, series)
            _little(findings, series)

    def _name(self, part: int) -> str:
        return self._parts[part].source.path.name

    def _dates(self, findings: Findings) -> None:
        for part, span in enumerate(self._spans):
            if span is None or self._parts[part].clock != "wall":
                continue
            years = span[0] / NS / _YEAR_S
            if not _FIRST_YEAR <= years < _LAST_YEAR:
                words = (
                    f"its times lie in the year {1970 + int(years)}: they may be in another unit than the format has"
                )
                findings.add("dates", f"{self._name(part)}: {words}")

    def _medians(self) -> dict[int, float]:
        keys, counts = self._counts.packed()
        found = {}
        for part in range(len(self._parts)):
            held = slice(*np.searchsorted(keys, [part << BUCKET_BITS, (part + 1) << BUCKET_BITS]))
            if counts[held].size:
                total = np.cumsum(counts[held])
                key = keys[held][np.searchsorted(total, (total[-1] + 1) // 2)] & ((1 << BUCKET_BITS) - 1)
                found[part] = float(buckets.middles(np.array([key]), _DIGITS)[0])
        return found

    def _units(self, findings: Findings, medians: dict[int, float]) -> None:
        for part, median in medians.items():
            if not self._parts[part].unit_guessed or not median:
                continue
            shown = f"{self._name(part)}: half of the values are below {number(median / NANOSECONDS['ms'])} ms"
            if median < NANOSECONDS["ms"]:
                findings.add("unit", f"{shown}, taken as milliseconds: if they are seconds, say unit s")
            elif median > NANOSECONDS["min"]:
                words = f"half of the values are above {number(median / NS)} s, taken as milliseconds"
                findings.add("unit", f"{self._name(part)}: {words}: if they are micro- or nanoseconds, say the unit")

    def _files(self, findings: Findings, medians: dict[int, float]) -> None:
        low, high = min(medians, key=medians.__getitem__, default=0), max(medians, key=medians.__getitem__, default=0)
        if medians and medians[low] and _THOUSANDFOLD[0] < medians[high] / medians[low] < _THOUSANDFOLD[1]:
            times = number(medians[high] / medians[low])
            words = f"response times of {self._name(high)} are {times} times those of {self._name(low)}"
            findings.add("unit", f"{words}: the files may be in different units")
        spans = sorted((span, part) for part, span in enumerate(self._spans) if span is not None)
        for (before, first), (after, second) in pairwise(spans):
            if (apart := (after[0] - before[1]) / NS) > _GAP_S:
                words = f"{self._name(second)} begins {number(apart)} s after {self._name(first)} ends"
                findings.add("gap", f"{words}: these may be two tests")


def _gaps(findings: Findings, series: Series) -> None:
    held = np.flatnonzero(series.count)
    if held.size < 2:  # noqa: PLR2004 - a gap lies between two
        return
    gaps = (series.start_ns[held[1:]] - series.start_ns[held[:-1]]) / NS - series.every_s
    longest = int(np.argmax(gaps))
    whole = (series.start_ns[held[-1]] - series.start_ns[held[0]]) / NS
    if gaps[longest] >= max(_GAP_S, _GAP_SHARE * whole):
        at = (series.start_ns[held[longest]] - series.start_ns[held[0]]) / NS + series.every_s
        words = f"nothing ended for {number(float(gaps[longest]))} s, from {number(float(at))} s after the first on"
        findings.add("gap", f"{words}: these may be two tests, or the load stopped")


def _little(findings: Findings, series: Series) -> None:
    """Compare the users that the file names with those that Little's law (N = X R) makes of the response times."""
    users = series.users[np.isfinite(series.users)]
    if not users.size or users.max() <= 0:
        return
    least = 10
    if len(series) * series.every_s < least:
        return
    busy = float(np.nansum(series.mean_ns * series.count)) / NS / (len(series) * series.every_s)
    mean = float(np.average(users, weights=series.count[np.isfinite(series.users)]))
    said = f"response times add up to {number(busy)} requests at a time, and there were {number(mean)} users"
    if busy > _TOO_MANY * mean:
        findings.add("unit", f"{said}: response times may be in another unit, transactions counted with their requests")
    elif _FULL[0] * mean <= 1000 * busy <= _FULL[1] * mean:
        findings.add("unit", f"{said}: a thousand times the response times would fit: seconds taken for milliseconds?")
