"""The mean and its confidence interval.

Student's interval, corrected for the skewness of the data [1] and for the dependence of neighbours: its variance is
that of independent values times the autocorrelation time, whose degrees of freedom it takes, and the skewness is that
of means over batches long enough to depend little on each other (as in [2]).

[1] Willink: A confidence interval and test for the mean of an asymmetric distribution, Communications in Statistics:
    Theory and Methods 34(4), 2005.
[2] Tafazzoli, Wilson: Skart: a skewness- and autoregression-adjusted batch-means procedure for simulation analysis,
    IIE Transactions 43(2), 2011.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tidepool.arrays import fraction
from tidepool.latency.estimate import Estimate
from tidepool.latency.sample import Sample

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tidepool.arrays import Floats

_LEAST = 50
"""Independent values from which an interval is offered."""
_LEAST_DEPENDENT = 200
"""The same for values that depend on each other, in effective values."""
_SKEWNESS = 4
"""So many times the square of the skewness must be values (or batches), or the largest few decide about the mean."""


def mean(values: ArrayLike | Sample, confidence: float = 0.95, *, independent: bool = False) -> Estimate:
    """The mean of values in the order of time, with its interval, in their unit.

    The interval respects that neighbours depend on each other; `independent` says that the order means nothing. Where
    there are too few values, or so few large ones decide that the mean may not even exist, there is none, and the
    estimate says why. Raises DataError for values that are not finite numbers.
    """
    sample = Sample.of(values, independent=independent)
    fraction(confidence, "confidence")
    value = float(sample.values.mean())
    why = _missing(sample)
    if why:
        return Estimate.bare(value, confidence, why)
    found = sample.mean_dependence
    centred = sample.values - value
    size = 1 if found.independent else math.ceil(2 * found.time)
    batches = centred[: sample.count - sample.count % size].reshape(-1, size).mean(axis=1)
    skewness = _skewness(batches)
    if batches.size < _SKEWNESS * skewness**2:
        return Estimate.bare(value, confidence, f"a few large ones of {sample.count:,} values decide about their mean")
    from scipy.special import stdtrit

    error = math.sqrt(float(centred @ centred) / (sample.count - 1) * found.time / sample.count)
    t = float(stdtrit(found.freedom, (1 + confidence) / 2))
    tilt = skewness / (6 * math.sqrt(batches.size))
    return Estimate(value, value - _tilted(t, tilt) * error, value - _tilted(-t, tilt) * error, confidence)


def _missing(sample: Sample) -> str:
    """Why there can be no interval; empty if there can be."""
    count, ranks = sample.count, sample.rank_dependence if sample.count > 1 else None
    if ranks is None:
        return "one value has no interval"
    if sample.ordered[0] == sample.ordered[-1]:
        return f"all {count:,} values are equal"
    if sample.sorted_by_hand and not sample.independent:
        return "the values are sorted, so how far they depend on each other is lost"
    if ranks.independent and sample.mean_dependence.independent:
        few = f"{count:,} values are too few for an interval of the mean: at least {_LEAST} are needed"
        return few if count < _LEAST else ""
    time = max(ranks.time, sample.mean_dependence.time)
    if count < _LEAST_DEPENDENT * time:
        return (
            f"{count:,} values that depend on each other (about {time:.0f} say as much as one independent value)"
            f" are too few for an interval of the mean: about {math.ceil(_LEAST_DEPENDENT * time):,} are needed"
        )
    return ""


def _skewness(values: Floats) -> float:
    centred = values - values.mean()
    squares = float((centred**2).mean())
    return float((centred**3).mean()) / squares**1.5 if squares > 0 else 0.0


def _tilted(t: float, tilt: float) -> float:
    """Student's t as the skewness bends it: equation 9 of [1]; itself without skewness."""
    if abs(tilt) < 1e-6:  # noqa: PLR2004 - where the difference of cube roots loses its digits
        return t
    return float(np.cbrt(1 + 6 * tilt * (t - tilt)) - 1) / (2 * tilt)
