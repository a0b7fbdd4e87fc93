"""A percentile of the response time as a monotone curve over the load, and where it passes a bound.

Estimates are made monotone, for the true percentile is taken never to fall as the load rises [1]. Between neighbouring
levels it is interpolated as queues have it: over users the response time itself is a straight line (beyond the knee
R = N / X - Z with X constant), over an arrival rate its inverse is (1 / R = mu - lambda at M/M/1).

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

from tidepool.latency.figures.estimate import Estimate
from tidepool.present.numbers import amount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidepool.arrays import Floats

_GRID = 200
"""Loads looked at between two levels."""


class Load(StrEnum):
    """What the levels count."""

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
        return self.percentile.known


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
        loads = np.array([level.load for level in levels])
        ends = np.array([(one.percentile.low, one.percentile.value, one.percentile.high) for one in levels])
        low, values, high = np.array([_scale(ends[:, k], kind) for k in range(3)])
        monotone = _monotone(values, 1 / np.maximum(high - low, 1e-12 * np.abs(values)) ** 2)
        fell = np.flatnonzero((np.diff(values) < 0) & (high[1:] < low[:-1]))
        notes = tuple(
            f"the response time falls from {amount(loads[k])} to {kind.of(loads[k + 1])} by more than chance: the"
            " levels were not measured under the same conditions, or the first was not warm"
            for k in fell
        )
        shift = monotone - values
        return cls(loads, monotone, low + shift, high + shift, kind, notes)

    def crossing(self, bound: float, confidence: float) -> tuple[Estimate, tuple[float, float]]:
        """The load at which the curve passes the bound, its interval, and the levels around it."""
        at = _scale(np.array([bound]), self.kind)[0]
        met = np.flatnonzero(self.values <= at)
        last = int(met[-1]) if met.size else -1
        neighbours = (
            float(self.loads[last]) if last >= 0 else math.nan,
            float(self.loads[last + 1]) if last + 1 < self.loads.size else math.nan,
        )
        low, high = self._interval(at)
        if last < 0:
            why = f"the bound is missed at the lowest level that was measured, {amount(self.loads[0])}"
            return Estimate(math.nan, low, high, confidence, why), neighbours
        if last == self.loads.size - 1:
            why = f"the bound is met at the highest level that was measured, {amount(self.loads[-1])}"
            return Estimate(math.nan, low, high, confidence, why), neighbours
        share = (at - self.values[last]) / (self.values[last + 1] - self.values[last])
        value = float(self.loads[last] + share * (self.loads[last + 1] - self.loads[last]))
        return Estimate(value, min(low, value), max(high, value), confidence), neighbours

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
