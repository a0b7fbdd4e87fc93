"""Response times in the order in which they were seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.ordered.dependence import Dependence, dependence
from poolkeeper.latency.ordered.protocol import Scores, skewness
from poolkeeper.latency.ordered.steps import steps
from poolkeeper.present.numbers import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats


@dataclass(frozen=True, eq=False)
class Sample:
    """Values, shape (n,), of any unit, in the order of time.

    `independent` says that their order means nothing, so that none is looked for in it.
    """

    values: Floats
    independent: bool = False
    cause: str = ""
    """A change that is known, in words, in place of one that is looked for."""
    mixed: bool = False
    """Whether that change is one of the values, whose levels have no interval together."""
    sent_s: Floats | None = None
    """When each value was measured, in seconds since the first request of the test; None where that is not told."""

    @cached_property
    def _ascending(self) -> Floats:
        return np.sort(self.values)

    @property
    def count(self) -> int:
        """Number of values."""
        return self.values.size

    @property
    def minimum(self) -> float:
        """The least value."""
        return float(self._ascending[0])

    @property
    def maximum(self) -> float:
        """The largest value."""
        return float(self._ascending[-1])

    @property
    def relative_error(self) -> float:
        """Nothing: all values are kept."""
        return 0.0

    def error_of(self, _percentile: float) -> float:
        """Nothing: all values are kept."""
        return 0.0

    @cached_property
    def refusal(self) -> str:
        """Words for mixed levels, and for values that ascend or descend all along: their order in time is lost."""
        if self.mixed:
            return self.cause
        if self.independent or self.count < _CHANCE:
            return ""
        steps = np.diff(self.values)
        one_way = bool(np.all(steps >= 0) or np.all(steps <= 0)) and bool(np.any(steps))
        return "the values are sorted, so how far they depend on each other is lost" if one_way else ""

    @cached_property
    def change(self) -> str:
        """Sentence on a step of the level, looked for in medians of neighbours; empty if none is seen."""
        if self.cause or self.independent or self.refusal:
            return self.cause
        size = -(-self.count // _GROUPS)
        medians = np.median(self.values[: self.count - self.count % size].reshape(-1, size), axis=1)
        found = steps(np.searchsorted(np.sort(medians), medians).astype(np.float64))
        if not found:
            return ""
        ends = [place * size for place in (0, *found)]
        levels = [float(np.median(part)) for part in np.split(self.values, ends[1:])]
        at = max(range(len(found)), key=lambda place: abs(levels[place + 1] - levels[place]))
        times = f"{len(found)} times, most" if len(found) > 1 else "once,"
        return (
            f"their level changes {times} after {ends[at + 1]:,} of {self.count:,} values{self._when(ends[at + 1])}"
            f" (median {number(levels[at])} before and {number(levels[at + 1])} after): look at each part by itself"
            f"{self._options(ends[at + 1])}"
        )

    def _when(self, place: int) -> str:
        """The time of a value in words."""
        return "" if self.sent_s is None else f", at {self.sent_s[place]:,.0f} s"

    def _options(self, place: int) -> str:
        """Options that select the values before that time, and those from it on."""
        return (
            "" if self.sent_s is None else f", with --to {self.sent_s[place]:.0f}s and --from {self.sent_s[place]:.0f}s"
        )

    @cached_property
    def identity(self) -> Scores:
        """The values themselves as scores."""
        return self._scores(self.values)

    @cached_property
    def ranks(self) -> Dependence:
        """Dependence of the ranks of the values."""
        steps = self._ascending[:: -(-self.count // _STEPS)]
        return self._dependence(np.searchsorted(steps, self.values).astype(np.float64))

    def scores(self, score: Callable[[Floats], Floats]) -> Scores:
        """Scores that a function gives to values, shape (n,) to (n,)."""
        return self._scores(score(self.values))

    def ordered(self, ranks: ArrayLike) -> Floats:
        """The values of some ranks from 1 to the count, in ascending order."""
        found: Floats = self._ascending[np.asarray(ranks, dtype=np.int64) - 1]
        return found

    def below(self, bounds: ArrayLike, *, inclusive: bool = True) -> Floats:
        """Number of values that are at most (or, not inclusive, less than) each bound."""
        at = np.asarray(bounds, dtype=np.float64)
        return np.searchsorted(self._ascending, at, side="right" if inclusive else "left").astype(np.float64)

    def cumulative(self, bounds: ArrayLike) -> Floats:
        """Number of values less than each bound."""
        return self.below(bounds, inclusive=False)

    def _scores(self, series: Floats) -> Scores:
        found = self._dependence(series)
        average = float(series.mean())
        size = 1 if found.independent else min(self.count, math.ceil(2 * found.time))
        batches = series[: self.count - self.count % size].reshape(-1, size).mean(axis=1) - average
        variance = float(series.var(ddof=1)) if self.count > 1 else math.nan
        return Scores(average, variance, found, skewness(batches), batches.size)

    def _dependence(self, series: Floats) -> Dependence:
        if self.independent or self.count == 1:
            return Dependence(1.0, self.count - 1, independent=True)
        return dependence(series)


_GROUPS = 1200
"""Neighbours whose medians are looked at for a step."""
_STEPS = 4096
"""Ranks are told apart so far: enough for how they depend on each other, and the table stays in the cache."""
_CHANCE = 10
"""So many values are in order by chance once in 1.8 million samples."""
