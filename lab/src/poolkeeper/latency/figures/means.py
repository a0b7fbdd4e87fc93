"""The mean and its confidence interval.

Student's interval, corrected for the skewness of the data [1] and for the dependence of neighbours: its variance is
that of independent values times the autocorrelation time, whose degrees of freedom it takes, and the skewness is that
of means over batches long enough to depend little on each other (as in [2]).

Where an interval is only just offered, chance has made the dependence look small in many of the samples that get one:
their autocorrelation time is then at least the one that neighbours suggest, at its upper end.

Where no value is negative the interval ends at 0: an interval less what cannot be holds the truth as often.

[1] Willink: A confidence interval and test for the mean of an asymmetric distribution, Communications in Statistics:
    Theory and Methods 34(4), 2005.
[2] Tafazzoli, Wilson: Skart: a skewness- and autoregression-adjusted batch-means procedure for simulation analysis,
    IIE Transactions 43(2), 2011.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import fraction
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.latency.ordered.dependence import between
from poolkeeper.present.numbers import number
from poolkeeper.student import quantile

if TYPE_CHECKING:
    from poolkeeper.latency.ordered.conversion import Values
    from poolkeeper.latency.ordered.protocol import Ordered, Scores

_LEAST = 50
"""Independent values from which an interval is offered if they, or the means of batches of them, are not skewed."""
_LEAST_DEPENDENT = 100
"""The same for values that depend on each other, in effective values."""
_LEAST_SKEWED = 300
"""The same for both with a skewness of 1 and more."""
_SKEWNESS = 4
"""So many times the square of the skewness must be values (or batches), or the largest few decide about the mean."""
_AMPLE = 2
"""Times the needed number of values from which an interval is more than only just offered."""


def mean(values: Values, confidence: float = 0.95, *, independent: bool = False) -> Estimate:
    """The mean of values in the order of time, with its interval, in their unit.

    The interval respects that neighbours depend on each other; `independent` says that the order means nothing. Where
    there are too few values, or so few large ones decide that the mean may not even exist, there is none, and the
    estimate says why. Raises DataError for values that are not finite numbers.
    """
    return estimated(in_order(values, independent=independent), confidence)


def estimated(data: Ordered, confidence: float) -> Estimate:
    """The mean of data with its interval."""
    found = estimated_scores(data, data.identity, confidence, bounded=False)
    return found if data.minimum < 0 else found.at_least(0.0)


def estimated_scores(data: Ordered, scores: Scores, confidence: float, *, bounded: bool = True) -> Estimate:
    """The mean of scores given to data, with its interval; for `bounded` see `missing`."""
    fraction(confidence, "confidence")
    why = missing(data, scores, bounded=bounded)
    if why:
        return Estimate.bare(scores.mean, confidence, why)
    time = scores.dependence.time
    if not bounded and data.count < _AMPLE * _needed(data, scores):
        time = max(time, scores.dependence.near_high)
    return _interval(data.count, scores, time, confidence)


def _interval(count: int, scores: Scores, time: float, confidence: float) -> Estimate:
    error = math.sqrt(scores.variance * time / count)
    t = quantile(scores.dependence.freedom, confidence)
    tilt = scores.skewness / (6 * math.sqrt(scores.batches))
    low, high = (scores.mean - _tilted(sign * t, tilt) * error for sign in (1, -1))
    return Estimate(scores.mean, low, high, confidence)


def missing(data: Ordered, scores: Scores, *, bounded: bool = True) -> str:
    """Why the mean of scores given to data can have no interval; empty if it can.

    `bounded` scores, such as shares, need no more values for being skewed: no single one can move their mean by much.
    """
    if data.count == 1:
        return "one value has no interval"
    if not scores.variance > 0:
        return f"all {data.count:,} values are equal" if data.minimum == data.maximum else "all values count the same"
    few = data.refusal or (_gathered(data, scores) if bounded else _too_few(data, _needed(data, scores)))
    if not few and scores.batches < _SKEWNESS * scores.skewness**2:
        return f"a few of {data.count:,} values decide about their mean"
    return few


def _gathered(data: Ordered, scores: Scores) -> str:
    """Why scores that may depend on each other more than the data's ranks do have no interval; empty if they have."""
    needed = math.ceil(_LEAST_DEPENDENT * scores.dependence.time)
    if scores.dependence.independent or data.count >= needed:
        return _too_few(data, _at_least(data, 0.0))
    return data.change or (
        f"{data.count:,} scores that depend on each other (about {number(scores.dependence.time, 2)} say as much as one"
        f" independent score) are too few for an interval of the mean: about {needed:,} are needed"
    )


def _needed(data: Ordered, scores: Scores) -> int:
    """Number of values from which the mean of scores has an interval."""
    return _at_least(data, min(1.0, abs(scores.skewness)))


def _at_least(data: Ordered, skewed: float) -> int:
    """The same for a skewness of 0 to 1."""
    time = _time(data)
    least = _LEAST + (_LEAST_SKEWED - _LEAST) * skewed
    dependent = _LEAST_DEPENDENT + (_LEAST_SKEWED - _LEAST_DEPENDENT) * skewed
    return math.ceil(between(least, dependent, time) * time)


def _time(data: Ordered) -> float:
    """The autocorrelation time by which to judge whether there are enough values."""
    return max(data.ranks.near_high, data.ranks.cautious)


def _too_few(data: Ordered, needed: int) -> str:
    if data.count >= needed:
        return ""
    if data.ranks.independent:
        return f"{data.count:,} values are too few for an interval of the mean: at least {needed:,} are needed"
    if data.change:
        return data.change
    return (
        f"{data.count:,} values that depend on each other (by their ranks, about {number(_time(data), 2)} say as much"
        f" as one independent value) are too few for an interval of the mean: about {needed:,} are needed"
    )


def _tilted(t: float, tilt: float) -> float:
    """Student's t as the skewness bends it: equation 9 of [1]; itself without skewness."""
    if abs(tilt) < 1e-6:  # noqa: PLR2004 - where the difference of cube roots loses its digits
        return t
    return float(np.cbrt(1 + 6 * tilt * (t - tilt)) - 1) / (2 * tilt)
