"""The share of responses that something happened to, with its interval: errors, responses within a bound.

Jeffreys' interval [1], whose coverage comes nearest to what it says among those of a binomial share, with the effective
number of responses in place of their number as in `poolkeeper.latency.figures.percentiles`.

[1] Brown, Cai, DasGupta: Interval estimation for a binomial proportion, Statistical Science 16(2), 2001.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.ordered.dependence import effective

if TYPE_CHECKING:
    from poolkeeper.latency.ordered.dependence import Dependence

_LEAST = 10
"""Independent responses of the rarer kind from which an interval is offered."""
_LEAST_DEPENDENT = 30
"""The same for responses that depend on each other, in effective responses."""


def share(happened: int, count: int, dependence: Dependence, confidence: float = 0.95, change: str = "") -> Estimate:
    """The share of `count` responses, one at least, that it happened to; what is too rare for an interval has none.

    `change` says in words why it gathers, if that is known, such as a step of the load.
    """
    value = happened / count
    rarer = min(happened, count - happened)
    if rarer == 0:
        bound = 1 - (1 - confidence) ** (1 / count)
        which = "none" if happened == 0 else "all"
        why = f"{which} of {count:,}: if independent, with {100 * confidence:g} % confidence"
        return Estimate.bare(value, confidence, f"{why} the rest is less than {100 * bound:.2g} %")
    least = _LEAST if dependence.independent else _LEAST_DEPENDENT * dependence.time
    if rarer < least:
        gathered = change if rarer >= _LEAST_DEPENDENT else ""
        why = (
            gathered
            or f"{rarer:,} of {count:,} are too few for an interval of their share: about {least:,.0f} are needed"
        )
        return Estimate.bare(value, confidence, why)
    from scipy.special import betaincinv

    size = effective(count, dependence, confidence)
    below = (1 - confidence) / 2
    low, high = (float(betaincinv(value * size + 0.5, (1 - value) * size + 0.5, level)) for level in (below, 1 - below))
    return Estimate(value, low, high, confidence)
