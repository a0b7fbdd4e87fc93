"""Distance of a fitted distribution from the data: Kolmogorov-Smirnov, Anderson-Darling, quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.fits.data import Cells, Values
from poolkeeper.latency.fits.families.family import scalars

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.latency.fits.data import Data
    from poolkeeper.latency.fits.families.family import Family

_BLOCKS = 2048
LEVELS = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)
"""Quantiles in which a fit is compared with the data, as far as ten values lie beyond them."""
_BEYOND = 10


def kolmogorov_smirnov(family: Family, parameters: tuple[float, ...], data: Data) -> float:
    """Largest distance of the distribution function from the empirical one: exact, or at the edges of the cells."""
    with np.errstate(all="ignore"):
        if isinstance(data, Values):
            return _exact(family, scalars(parameters), data.ordered)
        assert isinstance(data, Cells)  # noqa: S101 - there are two kinds of data
        edges = np.unique(np.concatenate([data.low, data.high]))
        return float(np.abs(data.below(edges) / data.size - family.cdf(edges, *scalars(parameters))).max())


def _exact(family: Family, parameters: tuple[Floats, ...], x: Floats) -> float:
    """Branch and bound over blocks of neighbours: both functions ascend, so the ends of a block bound what is in it."""
    n = x.size
    starts = np.unique(np.linspace(0, n - 1, min(n, _BLOCKS)).astype(np.int64))
    below = np.asarray(family.cdf(x[starts], *parameters))
    best = float(np.maximum((starts + 1) / n - below, below - starts / n).max())
    bounds = np.maximum(starts[1:] / n - below[:-1], below[1:] - starts[:-1] / n)
    for block in np.argsort(-bounds):
        if bounds[block] <= best:
            break
        ranks = np.arange(starts[block] + 1, starts[block + 1])
        if ranks.size:
            inside = family.cdf(x[ranks], *parameters)
            best = max(best, float(np.maximum((ranks + 1) / n - inside, inside - ranks / n).max()))
    return best


def anderson_darling(family: Family, parameters: tuple[float, ...], data: Data) -> float:
    """Squared distance of the distribution functions, weighted by 1 / (F (1 - F)), times n.

    The sum over sorted values, (2 i - 1) ln F(x_i) + (2 (n - i) + 1) ln (1 - F(x_i)), over points that stand for many;
    infinite where the distribution excludes a value. Values in cells are taken as spread over the cell by the fit.
    """
    x, weights = data.points()
    arguments = scalars(parameters)
    with np.errstate(all="ignore"):
        upto = np.cumsum(weights)
        before = upto - weights
        n = upto[-1]
        low, high = np.log(family.cdf(x, *arguments)), np.log(family.sf(x, *arguments))
        terms = (upto**2 - before**2) * low + ((n - before) ** 2 - (n - upto) ** 2) * high
        found = float(-n - terms.sum() / n)
    return found if np.isfinite(found) else float("inf")


def quantile_errors(family: Family, parameters: tuple[float, ...], data: Data) -> dict[float, float]:
    """Quantile level to the fit's quantile relative to the data's, less 1; levels with ten values beyond them.

    Levels at which the data are 0, or rounded to it, are left out unless the fit's quantile is rounded to more.
    """
    levels = np.array([level for level in LEVELS if data.size * (1 - level) >= _BEYOND * (1 - 1e-9)])
    seen = np.maximum(data.quantiles(levels), data.least)
    with np.errstate(all="ignore"):
        fitted = np.asarray(family.quantile(levels, 1 - levels, *scalars(parameters)))
        errors = fitted / seen - 1
    differ = (seen > data.least) | ((data.least > 0) & (fitted > data.least))
    return {float(level): float(error) for level, error in zip(levels[differ], errors[differ], strict=True)}
