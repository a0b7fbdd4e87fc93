"""Whether a level surely keeps a bound on its response times, or misses it, with an interval of the figure or without.

At a saturated server response times depend on each other for as long as the queue lasts. Thousands of them then have
no interval of a percentile, while how many of them lie beyond a bound may well tell.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.figures.means import mean
from poolkeeper.latency.figures.percentiles import percentile
from poolkeeper.latency.ordered.conversion import in_order

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.latency.ordered.conversion import Values

_CONFIDENCE = 0.95
_JUST = 1e-9
"""Share of a bound by which a figure is beyond it at least."""
_LEAST_BROKEN = 20
"""Values of a short level from which half of them tell that it missed a bound."""


def kept(responses: Values | Estimate, p: float | None, bound: float) -> bool:
    """Whether the percentile of a level, or its mean (`p` None), surely stays within a bound."""
    found = figure(responses, p)
    return found.has_interval and found.high <= bound


def broken(responses: Values, p: float | None, bound: float) -> Estimate | None:
    """The figure of a level that surely misses a bound, even if it was held too short for an interval; else None.

    Without an interval, a level surely misses it where half of the values that should stay within the bound are beyond
    (of a mean: half of all are twice as long). The interval then reaches from beyond the bound to the largest value.
    """
    found = figure(responses, p)
    if found.has_interval:
        return found if found.low > bound else None
    data = in_order(responses)
    limit, share = (2 * bound, 0.5) if p is None else (bound, 1 - p / 200)
    beyond = 1 - float(data.below([limit])[0]) / data.count
    if beyond < share or data.count < _LEAST_BROKEN:
        return None
    value = data.maximum if math.isnan(found.value) else found.value
    return Estimate(value, _just_beyond(bound), data.maximum, _CONFIDENCE)


def upheld(responses: Values, p: float | None, bound: float) -> Estimate | None:
    """The figure of a level that has no interval, and surely stays within a bound; else None.

    Were the percentile beyond the bound, so large a share of independent values would be as well. Of values that depend
    on each other as many count as say as much, by the largest autocorrelation time that the order, the figure and the
    bound show. The most of them that the values beyond the bound let expect must be half of that share, since such a
    time may be estimated too small. The interval then reaches from the median to the bound.
    """
    from scipy.special import gammaincinv

    if p is None or (beyond := _beyond_in_effect(responses, p, bound)) is None:
        return None
    found, data = figure(responses, p), in_order(responses)
    observed, allowed = beyond
    if found.value > bound or float(gammaincinv(observed + 1, (1 + _CONFIDENCE) / 2)) > allowed / 2:
        return None
    median = float(data.ordered([(data.count + 1) // 2])[0])
    return Estimate(found.value, min(median, found.value), bound, _CONFIDENCE)


def exceeded(responses: Values, p: float | None, bound: float) -> Estimate | None:
    """The figure of a level that has no interval, and surely misses a bound; else None.

    As `upheld` has it: the least of the values beyond the bound that those seen let expect must be twice as many as
    there may be. The interval then reaches from beyond the bound to the largest value.
    """
    from scipy.special import gammaincinv

    if p is None or (beyond := _beyond_in_effect(responses, p, bound)) is None:
        return None
    found, data = figure(responses, p), in_order(responses)
    observed, allowed = beyond
    if not found.value > bound or float(gammaincinv(observed, (1 - _CONFIDENCE) / 2)) < 2 * allowed:
        return None
    return Estimate(found.value, _just_beyond(bound), data.maximum, _CONFIDENCE)


def _beyond_in_effect(responses: Values | Estimate, p: float, bound: float) -> tuple[float, float] | None:
    """Independent values that say as much as those beyond a bound, and how many of them there may be.

    None for a level with an interval, and for one of which nothing tells how far values depend on each other.
    """
    if isinstance(responses, Estimate):
        return None
    found, data = figure(responses, p), in_order(responses)
    if found.has_interval or data.refusal or data.change or math.isnan(found.value):
        return None
    times = [data.scores(partial(_within, at)).dependence.time for at in (found.value, bound)]
    time = max(data.ranks.time, data.ranks.cautious, *times)
    return (data.count - float(data.below([bound])[0])) / time, (1 - p / 100) * data.count / time


def _just_beyond(bound: float) -> float:
    """The bound, and so little more that arithmetic with its inverse does not lose it."""
    return bound * (1 + _JUST)


def _within(bound: float, values: Floats) -> Floats:
    found: Floats = (values <= bound).astype(np.float64)
    return found


def figure(responses: Values | Estimate, p: float | None, confidence: float = _CONFIDENCE) -> Estimate:
    """The figure of a level that a bound is about: its percentile, or its mean (`p` None)."""
    if isinstance(responses, Estimate):
        return responses
    return mean(responses, confidence) if p is None else percentile(responses, p, confidence)
