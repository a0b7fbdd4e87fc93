"""Means of measured series and the tests that decide by them.

A series has one value a second, and a second depends on the one before. The standard error of its mean is therefore
sqrt(s2 tau / n) with the integrated autocorrelation time tau, and Student's t has the degrees of freedom that tau was
estimated with (poolkeeper.latency.ordered.dependence). Differences have those of Welch and Satterthwaite. All tests
are one-sided at `Rules.confidence`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from poolkeeper.errors import TooFewError
from poolkeeper.latency.ordered.dependence import dependence
from poolkeeper.student import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST = 10
"""Values of a series at least, so that its spread says something."""


@dataclass(frozen=True, slots=True)
class Level:
    """Mean of a series, its standard error and the degrees of freedom of that."""

    value: float
    error: float
    freedom: float

    @classmethod
    def of(cls, series: Sequence[float], name: str) -> Self:
        """The mean of a series in the order of time. Raises TooFewError, naming it, for fewer than `LEAST` values."""
        if len(series) < LEAST:
            raise TooFewError(name, len(series), LEAST)
        values = np.asarray(series, dtype=np.float64)
        found = dependence(values)
        error = math.sqrt(float(values.var(ddof=1)) * found.time / values.size)
        return cls(float(values.mean()), error, found.freedom)

    def lower(self, confidence: float) -> float:
        """Lower end of the one-sided interval."""
        return self.value - self.margin(2 * confidence - 1)

    def margin(self, confidence: float) -> float:
        """Half the width of the two-sided interval."""
        return quantile(self.freedom, confidence) * self.error

    def less(self, other: Level, factor: float = 1.0) -> Level:
        """This mean less `factor` times another one that is independent of it."""
        mine, others = self.error**2, (factor * other.error) ** 2
        whole = mine + others
        freedom = min(self.freedom, other.freedom)
        if whole > 0:
            freedom = whole**2 / (mine**2 / self.freedom + others**2 / other.freedom)
        return Level(self.value - factor * other.value, math.sqrt(whole), freedom)


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of the tests and steps.

    Attributes:
        confidence: of each test, one-sided.
        saturation: utilisation of hardware, and part of a pool in use, from which a resource is saturated.
        gain: relative gain of throughput from which it rises.
        knee: relative loss of throughput at the knee: the knee is the first load that does not lose more.
        loss: relative loss of goodput that a recommendation may have.
        growth: factor between the loads of the first step.
        steps: parts into which the second step cuts the load between the last two of the first.
        buffer: factor on the minimum of the front-most tier, for bursts; the literature has 3 to 4.
        trim: factor on the jobs of the critical tier while the check finds no loss of goodput.
        enlarge: factor on the saturated pool nearest to the back where it finds one.
        checks: checks at most.
        agreement: relative difference up to which two trials of a warm-up agree.
        warm_ups: trials of a warm-up at most.
    """

    confidence: float = 0.95
    saturation: float = 0.95
    gain: float = 0.01
    knee: float = 0.05
    loss: float = 0.03
    growth: float = 2.0
    steps: int = 6
    buffer: float = 3.5
    trim: float = 0.7
    enlarge: float = 1.25
    checks: int = 5
    agreement: float = 0.05
    warm_ups: int = 12

    def saturated(self, level: Level) -> bool:
        """Whether the mean is `saturation` or more with the confidence asked for."""
        return level.lower(self.confidence) >= self.saturation

    def rises(self, before: Level, after: Level) -> bool:
        """Whether a throughput is higher than another: by `gain` at least, and by more than chance."""
        difference = after.less(before)
        return difference.value > self.gain * before.value and difference.lower(self.confidence) > 0

    def as_good(self, level: Level, best: Level) -> bool:
        """Whether a mean loses less than `loss` against another, with the confidence asked for (non-inferiority)."""
        return level.less(best, 1 - self.loss).lower(self.confidence) > 0

    def below_knee(self, level: Level, best: Level) -> bool:
        """Whether a throughput loses more than `knee` against the highest, with the confidence asked for."""
        return best.less(level, 1 / (1 - self.knee)).lower(self.confidence) > 0
