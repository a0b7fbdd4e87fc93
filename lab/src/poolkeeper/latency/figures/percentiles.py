"""Percentiles and their confidence intervals.

A percentile is the smallest value that at least p percent of the values do not exceed (nearest rank, as HdrHistogram
has it). Its interval reaches from one order statistic to another, between which the true percentile lies with the given
confidence whatever the distribution: the ranks come from the binomial distribution [1], with fractions of ranks [2] so
that the confidence is met and not only exceeded. For values that depend on each other the number of values in it is
replaced by the effective one of the event "at most this percentile", and made smaller for the degrees of freedom it was
estimated with, as in surveys of clusters [3].

[1] David, Nagaraja: Order Statistics, 3rd ed., 7.1.
[2] Hutson: Calculating nonparametric confidence intervals for quantiles using fractional order statistics, J. Appl.
    Statist. 26(3), 1999.
[3] Korn, Graubard: Confidence intervals for proportions with small expected number of positive counts estimated from
    survey data, Survey Methodology 24(2), 1998.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import fraction
from poolkeeper.errors import InputError
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.latency.ordered.dependence import between, effective
from poolkeeper.present.numbers import number
from poolkeeper.present.text import counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.latency.ordered.conversion import Values
    from poolkeeper.latency.ordered.dependence import Dependence
    from poolkeeper.latency.ordered.protocol import Ordered

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)

_BEYOND = 10
"""Independent values on the rarer side of a percentile from which its interval is offered."""
COMPARED = 30
"""The same for a difference of percentiles, whose interval is too wide with fewer."""
_BEYOND_DEPENDENT = 80
"""The same for values that depend on each other, in effective values: their dependence is estimated from them too."""


def percentile(values: Values, p: float, confidence: float = 0.95, *, independent: bool = False) -> Estimate:
    """The p-th percentile of values in the order of time, with its interval, in their unit. 1 <= p < 100.

    The interval respects that neighbours depend on each other; `independent` says that the order means nothing. Where
    there are too few values the estimate says so and has no interval, or (fewer than one value beyond it) no value.
    From digests, value and interval include their relative error.
    Raises InputError for a p out of range, DataError for values that are not finite numbers.
    """
    return estimated(in_order(values, independent=independent), p, confidence)


def estimated(data: Ordered, p: float, confidence: float, beyond: int = _BEYOND) -> Estimate:
    """The p-th percentile of data with its interval, if so many independent values lie on its rarer side."""
    share = checked(p) / 100
    fraction(confidence, "confidence")
    rarer = min(share, 1 - share)
    if data.count * rarer < 1 - 1e-9:
        return Estimate.bare(math.nan, confidence, absent(data.count, [p]))
    value = float(data.ordered([nearest_rank(share, data.count)])[0])
    if data.minimum == data.maximum:
        return Estimate.bare(value, confidence, f"all {data.count:,} values are equal")
    if data.refusal:
        return Estimate.bare(value, confidence, data.refusal)
    event = data.scores(lambda values: (values <= value).astype(np.float64)).dependence
    # The ranks decide, not the event: its dependence is the less certain the fewer values lie beyond the percentile.
    time = data.ranks.cautious
    needed = math.ceil(between(beyond, _BEYOND_DEPENDENT, time) * time / rarer - 1e-6)
    if data.count < needed:
        return Estimate.bare(value, confidence, _too_few(data, p, needed))
    ranks = _ranks(share, effective(data.count, _limited(event, data.count * rarer), confidence), confidence)
    if ranks is None:
        return Estimate.bare(
            value, confidence, _too_few(data, p, 2 * needed) if event.independent else _gathered(data, p)
        )
    low, high = (_at(data, rank) for rank in ranks)
    low, high = low - data.error_of(low), high + data.error_of(high)
    found = Estimate(value, min(low, value), max(high, value), confidence)
    return found if data.minimum < 0 else found.at_least(0.0)


def checked(p: float) -> float:
    """A percentile in percent. Raises InputError for a share of one (0.99) and for what is not below 100."""
    if 0 < p < 1:
        raise InputError(f"percentile: {p:g} is below 1; percentiles are in percent, so write {100 * p:g}")
    if not 1 <= p < 100:  # noqa: PLR2004 - percent
        end = "the maximum" if p == 100 else "the nearest are 1 and 99.99"  # noqa: PLR2004 - percent
        raise InputError(f"percentile: {p:g} is not from 1 to below 100; {end}")
    return float(p)


def percentages(ps: Sequence[float]) -> tuple[float, ...]:
    """Percentiles in percent, ascending, each once; raises InputError for what is none."""
    return tuple(sorted({checked(p) for p in ps}))


def name(p: float) -> str:
    """A percentile as people write it: "p99.9"."""
    return f"p{p:.12g}"


def absent(count: int, ps: Sequence[float]) -> str:
    """That so few values have no such percentiles, one at least, and how many would have them."""
    least = [f"{math.ceil(1 / min(p / 100, 1 - p / 100) - 1e-6):,}" for p in ps]
    have = "has" if count == 1 else "have"
    return f"{counted(count, 'value')} {have} no {listed([name(p) for p in ps])}: at least {listed(least)} are needed"


def nearest_rank(share: float, count: int) -> int:
    """The rank, from 1 on, of the smallest of `count` values that at least this share of them does not exceed."""
    return min(count, max(1, math.ceil(share * count - 1e-9 * count)))


def _at(data: Ordered, share: float) -> float:
    """The value at a share of the (n + 1) gaps between ordered values, between them in proportion."""
    place = share * (data.count + 1)
    rank = math.floor(place)
    low, high = data.ordered(np.clip([rank, rank + 1], 1, data.count)).tolist()
    return float(low + (place - rank) * (high - low))


def _ranks(share: float, count: float, confidence: float) -> tuple[float, float] | None:
    """Shares of the gaps between which the percentile lies; None if one would lie beyond all values."""
    from scipy.special import betainc

    def rank(level: float) -> float:
        """The fractional rank r for which the order statistic, Beta(r, n - r + 1), is below the share so often."""
        spread = 10 * math.sqrt(count * share * (1 - share)) + 10
        low, high = max(0.0, count * share - spread), min(count + 1, count * share + spread)
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if betainc(middle, count - middle + 1, share) > level else (low, middle)
        return low

    low, high = rank((1 + confidence) / 2), rank((1 - confidence) / 2)
    return None if low < 1 or high > count else (low / (count + 1), high / (count + 1))


def _limited(event: Dependence, beyond: float) -> Dependence:
    """An autocorrelation time is known to no more degrees of freedom than there are independent values that show it."""
    if event.independent:
        return event
    return replace(event, freedom=max(1, min(event.freedom, int(beyond / event.time))))


def _gathered(data: Ordered, p: float) -> str:
    side = "above" if p >= 50 else "below"  # noqa: PLR2004 - the median
    return data.change or f"the values {side} {name(p)} come in a few clusters, so that it has no interval"


def _too_few(data: Ordered, p: float, needed: int) -> str:
    rest = f"too few for an interval of {name(p)}"
    if data.ranks.independent:
        return f"{data.count:,} values are {rest}: at least {needed:,} are needed"
    if data.change:
        return data.change
    size = 10 ** max(0, math.floor(math.log10(needed)) - 1)
    return (
        f"{data.count:,} values that depend on each other (for percentiles, about {number(data.ranks.cautious, 2)} say"
        f" as much as one independent value) are {rest}: about {math.ceil(needed / size) * size:,} are needed"
    )
