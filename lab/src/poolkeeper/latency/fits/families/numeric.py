"""Small numerics that the distributions share: quantiles by bisection, hazards from probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Floats

_HALF = 0.5
_BISECTIONS = 64


def hazard(p: Floats, q: Floats) -> Floats:
    """Cumulative hazard -ln(1 - p), from whichever of p and q = 1 - p keeps more digits; infinite at q = 0."""
    with np.errstate(divide="ignore"):
        return np.where(p < _HALF, -np.log1p(-np.minimum(p, _HALF)), -np.log(q))


def invert(cdf: Callable[[Floats], Floats], sf: Callable[[Floats], Floats], p: Floats, q: Floats) -> Floats:
    """Quantiles of a distribution on the positive numbers whose median is of the order of 1, by bisection of ln x.

    `cdf` and `sf` take an array of the shape of `p`. Between e^-80 and e^80; 0 at p = 0, infinite at q = 0.
    """
    low, high = np.full(p.shape, -80.0), np.full(p.shape, 80.0)
    left = p < _HALF
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        x = np.exp(middle)
        below = np.where(left, cdf(x) < p, sf(x) > q)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found = np.exp((low + high) / 2)
    return np.where(p <= 0, 0.0, np.where(q <= 0, np.inf, found))
