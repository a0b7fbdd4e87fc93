"""A percentile of the response time as a monotone curve over the load, and where it passes a bound.

Estimates are made monotone, for the true percentile is taken never to fall as the load rises [1]. Between neighbouring
levels it is interpolated as queues have it: over users the response time itself is a straight line (beyond the knee
R = N / X - Z with X constant), over an arrival rate its inverse is (1 / R = mu - lambda at M/M/1). The interval relies
on that line only where the levels around bear it; elsewhere it ends at measured levels.

[1] Robertson, Wright, Dykstra: Order Restricted Statistical Inference, Wiley 1988, 1.2.
[2] Zou, Donner: Construction of confidence limits about effect measures: a general approach, Statistics in Medicine
    27(10), 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.present.numbers import amount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Floats

_GRID = 200
"""Loads looked at between two levels."""
_LEAST = 1e-6
"""Share of the largest figure that is put in the place of a 0."""


class Load(StrEnum):
    """Quantity of the levels."""

    USERS = "users"
    """Closed users, or requests at once."""
    RATE = "requests/s"
    """An arrival rate."""

    def of(self, load: float) -> str:
        """So much load: "10 users"."""
        return "1 user" if self is Load.USERS and load == 1 else f"{amount(load)} {self}"


@dataclass(frozen=True, slots=True)
class Level:
    """One measured load and the percentile of the response time at it."""

    load: float
    percentile: Estimate
    throughput: float = math.nan

    @property
    def usable(self) -> bool:
        """Whether enough was measured for an interval."""
        return self.percentile.has_interval

    def succeeds(self, kind: Load) -> bool:
        """Whether the load is a rate, of which all succeeded as far as is known."""
        return kind is Load.RATE and math.isclose(self.throughput, self.load)


@dataclass(frozen=True, eq=False)
class PercentileCurve:
    """The percentile over load, monotone, with its intervals: on the scale where it is straight between levels."""

    loads: Floats
    values: Floats
    low: Floats
    high: Floats
    kind: Load
    notes: tuple[str, ...]

    @classmethod
    def of(cls, levels: Sequence[Level], kind: Load) -> PercentileCurve:
        """The curve through levels in ascending order, all of them with intervals."""
        loads = np.array([level.load for level in levels], dtype=np.float64)
        ends = np.array(
            [(level.percentile.low, level.percentile.value, level.percentile.high) for level in levels],
            dtype=np.float64,
        )
        if kind is Load.RATE:  # 0 has no inverse
            ends = np.maximum(ends, _LEAST * (ends[:, 1].max() or ends.max() or 1.0))
        low, values, high = np.array([_scale(ends[:, k], kind) for k in range(3)])
        monotone = _monotone(values, 1 / np.maximum(high - low, 1e-12 * np.abs(values)) ** 2)
        fell = np.flatnonzero((np.diff(values) < 0) & (high[1:] < low[:-1]))
        notes = tuple(
            f"the response time falls from {amount(loads[k])} to {kind.of(loads[k + 1])} by more than chance: the"
            " levels were not measured under the same conditions, or the first was not warm"
            for k in fell
        )
        # In proportion, as a shift by a difference could take an end beyond 0, where no response time is.
        moved = np.divide(monotone, values, out=np.ones_like(values), where=values != 0)
        shift = np.where(values == 0, monotone, 0.0)
        return cls(loads, monotone, low * moved + shift, high * moved + shift, kind, notes)

    def crossing(self, bound: float, confidence: float) -> tuple[Estimate, tuple[float, float], bool]:
        """The load at which the curve passes the bound, its interval, the levels around it, and whether these bear it.

        Where the levels do not bear the straight line between them, the interval is that of `_outer`.
        """
        at = _scale(np.array([bound]), self.kind)[0]
        met = np.flatnonzero(self.values <= at)
        last = int(met[-1]) if met.size else -1
        neighbours = (
            float(self.loads[last]) if last >= 0 else math.nan,
            float(self.loads[last + 1]) if last + 1 < self.loads.size else math.nan,
        )
        left, right = self._outer(at)
        low = float(self.loads[left]) if left >= 0 else 0.0
        high = float(self.loads[right]) if right < self.loads.size else math.inf
        straight = self._straight(left, right)
        if straight:
            first, end = self._interval(at)
            low, high = max(low, first), min(high, end)
        if last < 0:
            why = f"the bound is missed at the lowest level that was measured, {amount(self.loads[0])}"
            return Estimate(math.nan, low, high, confidence, why), neighbours, straight
        if last == self.loads.size - 1:
            why = f"the bound is met at the highest level that was measured, {amount(self.loads[-1])}"
            return Estimate(math.nan, low, high, confidence, why), neighbours, straight
        share = (at - self.values[last]) / (self.values[last + 1] - self.values[last])
        value = float(self.loads[last] + share * (self.loads[last + 1] - self.loads[last]))
        return Estimate(value, min(low, value), max(high, value), confidence), neighbours, straight

    def _outer(self, at: float) -> tuple[int, int]:
        """The last level that surely meets the bound, and the first that surely misses it.

        -1 and the number of levels where there is none. Those below the first meet it too, whatever their intervals
        hold, and those above the second miss it; unless one of them surely does the contrary.
        """
        met, missed = self.high <= at, self.low > at
        meeting = np.flatnonzero(met & (np.cumsum(missed) == 0))
        missing = np.flatnonzero(missed & (np.cumsum(met[::-1])[::-1] == 0))
        return int(meeting[-1]) if meeting.size else -1, int(missing[0]) if missing.size else self.loads.size

    def _straight(self, left: int, right: int) -> bool:
        """Whether the levels from left to right bear a straight line: each lies on that of its neighbours.

        Within its errors, that is. One of them at least must be able to tell: a parabola departs by a b from the line
        of levels that are a and b away, and by at most (w / 2)^2 from the line between levels that are w apart.
        """
        inner = np.arange(max(left, 1), min(right, self.loads.size - 2) + 1)
        before, after = self.loads[inner] - self.loads[inner - 1], self.loads[inner + 1] - self.loads[inner]
        widest = np.diff(self.loads[max(left, 0) : right + 1]).max(initial=0.0)
        if not (before * after >= (widest / 2) ** 2).any():
            return False
        share = before / (before + after)
        departs = self.values[inner] - (1 - share) * self.values[inner - 1] - share * self.values[inner + 1]
        below, above = self.values - self.low, self.high - self.values

        def error(of: Floats, neighbours: Floats) -> Floats:
            sides = np.hypot((1 - share) * neighbours[inner - 1], share * neighbours[inner + 1])
            found: Floats = np.hypot(of[inner], sides)
            return found

        return bool((np.abs(departs) <= np.where(departs > 0, error(below, above), error(above, below))).all())

    def _interval(self, at: float) -> tuple[float, float]:
        """From the first load that may miss the bound to the last one that may meet it."""
        x, low, high = self._band()
        may_miss, may_meet = np.flatnonzero(high > at), np.flatnonzero(low <= at)
        if not may_miss.size:
            return float(x[-1]), math.inf
        if not may_meet.size:
            return 0.0, float(x[0])
        first, last = int(may_miss[0]), int(may_meet[-1])
        left = 0.0 if first == 0 else _between(x, high, first - 1, at)
        right = math.inf if last == x.size - 1 else _between(x, low, last, at)
        return left, right

    def _band(self) -> tuple[Floats, Floats, Floats]:
        """Loads, and the lower and upper end of the interpolated percentile at each [2]."""
        places = np.linspace(0, self.loads.size - 1, (self.loads.size - 1) * _GRID + 1)
        left = np.minimum(places.astype(np.int64), max(0, self.loads.size - 2))
        share = places - left
        right = np.minimum(left + 1, self.loads.size - 1)

        def between(ends: Floats) -> Floats:
            found: Floats = (1 - share) * ends[left] + share * ends[right]
            return found

        middle = between(self.values)
        below = np.hypot((1 - share) * (self.values - self.low)[left], share * (self.values - self.low)[right])
        above = np.hypot((1 - share) * (self.high - self.values)[left], share * (self.high - self.values)[right])
        return between(self.loads), middle - below, middle + above


def _scale(values: Floats, kind: Load) -> Floats:
    """Ascending with the response time, and straight in the load between levels."""
    return values if kind is Load.USERS else -1 / values


def _between(x: Floats, y: Floats, k: int, at: float) -> float:
    share = (at - y[k]) / (y[k + 1] - y[k])
    return float(x[k] + min(1.0, max(0.0, share)) * (x[k + 1] - x[k]))


def _monotone(values: Floats, weights: Floats) -> Floats:
    """The nearest values that never fall, in weighted least squares, by pooling adjacent violators [1]."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] > block[0]:
            mean, total, size = blocks.pop()
            both = total + block[1]
            block = ((mean * total + block[0] * block[1]) / both, both, size + block[2])
        blocks.append(block)
    return np.repeat([mean for mean, _, _ in blocks], [size for _, _, size in blocks])
