"""Levels that a law does not describe, by the uncertainty of what was measured at each of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.present.numbers import amount, number, rate
from poolkeeper.student import quantile

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.scalability.fit import Fit

_TOLERANCE = 0.05
"""Share of a throughput by which a law may miss it, whatever the errors: no law is exact."""
_FREEDOM = 20
"""Degrees of freedom of a standard error out of some tens of seconds that hardly depend on each other."""
_LEAST = 10
"""Seconds that tell how much they vary."""


def standard_error(rates: Floats) -> float:
    """That of the mean of rates of equal times (n,), which a closed test makes rather more regular than chance."""
    return float(rates.std(ddof=1)) / math.sqrt(rates.size) if rates.size >= _LEAST else math.nan


def highest(fit: Fit) -> str:
    """The highest throughput that was measured, in a sentence."""
    best = int(fit.throughput_.argmax())
    measured = rate(float(fit.throughput_[best]), fit.unit)
    return f"The highest throughput that was measured is {measured}, with {amount(fit.concurrency_[best])} {fit.load}."


def misfit(fit: Fit, errors: Floats) -> str:
    """Levels whose throughput, by its own standard errors (n,), excludes that of the law; empty without any."""
    levels, data = fit.concurrency_, fit.throughput_
    fitted = fit.law_.throughput(levels)
    margin = quantile(_FREEDOM, 1 - (1 - fit.confidence) / levels.size) * errors
    off = np.abs(fitted - data) > np.fmax(margin, _TOLERANCE * data)
    off &= np.isfinite(errors)
    if not off.any():
        return ""
    worst = int(np.argmax(np.where(off, np.abs(fitted / data - 1), 0.0)))
    says, measured = (rate(float(values[worst]), fit.unit) for values in (fitted, data))
    load = fit.load if levels[worst] != 1 else fit.load.replace("users", "user").replace("requests", "request")
    low, high = (number(float(data[worst] + side * margin[worst])) for side in (-1, 1))
    return (
        f"the law does not describe {np.count_nonzero(off)} of {levels.size} levels: with {amount(levels[worst])}"
        f" {load} it says {says}, and measured was {measured} (from {low} to {high}); neither its line nor knee"
        " nor peak holds"
    )
