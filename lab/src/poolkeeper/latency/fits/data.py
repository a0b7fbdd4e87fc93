"""Data as the fits see them: few weighted points in place of many values, or counts in cells.

All values are divided by `unit`, their mean size, so that nanoseconds and seconds are fitted by the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError, TooFewError
from poolkeeper.latency.binned import Binned
from poolkeeper.latency.fits.families.family import scalars
from poolkeeper.latency.fits.resolution import Resolution, resolution

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.fits.families.family import Family

LEAST = 30
"""Values that a fit needs at least: ten for each parameter of the richest distributions."""

_GROUPS = 1024
_EXACT = 8192
"""Up to so many values each is a point of its own."""

_ALONE = 64
_TINY = 1e-300


class Data(Protocol):
    """Values to fit, in units of `unit`."""

    @property
    def size(self) -> int:
        """Values there are."""

    @property
    def unit(self) -> float:
        """Divisor of the values."""

    @property
    def resolution(self) -> Resolution | None:
        """Rounding of the values, if it was so coarse that it matters."""

    @property
    def zeros(self) -> int:
        """Values that are exactly 0 and not known to be small positive ones."""

    @property
    def least(self) -> float:
        """Value below which nothing is told apart from 0."""

    def log_likelihood(self, family: Family, parameters: tuple[Floats, ...]) -> Floats:
        """Mean log-likelihood of a value, of the broadcast shape of the parameters without their last axis of 1."""

    def terms(self, family: Family, parameters: tuple[float, ...]) -> tuple[Floats, Floats]:
        """Log-likelihoods of what is distinguished of the values, and how many values each stands for."""

    def points(self) -> tuple[Floats, Floats]:
        """Values that stand for all, and how many each stands for; where an estimate starts, or ends in closed form."""

    def snap(self, edges: Floats) -> Floats:
        """The nearest edges at which it is known how many values are below; ascending and distinct."""

    def below(self, edges: Floats) -> Integers:
        """Values less than each edge; the edges are of those that `snap` gives."""

    def quantiles(self, p: Floats) -> Floats:
        """Quantiles of the data."""


@dataclass(frozen=True, eq=False)
class Values:
    """Values that are known as well as they need to be, sorted.

    Sums over n values of a smooth function are sums over some thousand points: neighbours form a group, and a group
    stands as the two nodes of the Gauss quadrature that has its first four moments (0 to 3), which lie within it.
    The error is of fourth order in the width of a group (a thousandth of the range, and of the ranks, at most).
    """

    ordered: Floats
    unit: float
    resolution: Resolution | None = None
    zeros: int = 0
    _points: tuple[Floats, Floats] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_points", _represent(self.ordered))

    @property
    def size(self) -> int:
        return self.ordered.size

    @property
    def least(self) -> float:
        return 0.0

    def log_likelihood(self, family: Family, parameters: tuple[Floats, ...]) -> Floats:
        x, weights = self._points
        with np.errstate(all="ignore"):
            total: Floats = family.logpdf(x, *parameters) @ weights / self.size
        return np.where(np.isnan(total), -np.inf, total)

    def terms(self, family: Family, parameters: tuple[float, ...]) -> tuple[Floats, Floats]:
        x, weights = self._points
        return family.logpdf(x, *scalars(parameters)), weights

    def points(self) -> tuple[Floats, Floats]:
        return self._points

    def snap(self, edges: Floats) -> Floats:
        return np.unique(edges)

    def below(self, edges: Floats) -> Integers:
        return np.searchsorted(self.ordered, edges)

    def quantiles(self, p: Floats) -> Floats:
        # The value at rank ceil(p n), as percentiles of response times are commonly reported.
        ranks = np.clip(np.ceil(p * self.size).astype(np.int64) - 1, 0, self.size - 1)
        return self.ordered[ranks]


@dataclass(frozen=True, eq=False)
class Cells:
    """Values known to lie in cells: `counts[k]` of them in [`low[k]`, `high[k]`). They ascend; none is empty.

    `edges` are all the places where it is known how many values are below; or, for values on a lattice, `step` is the
    distance between these places, half a step from the lattice's own, 0 among them.
    """

    low: Floats
    high: Floats
    counts: Integers
    unit: float
    edges: Floats | None = None
    step: float = 0.0
    resolution: Resolution | None = None
    zeros: int = 0
    _cumulative: Integers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cumulative", np.concatenate([[0], np.cumsum(self.counts)]))

    @property
    def size(self) -> int:
        return int(self._cumulative[-1])

    @property
    def least(self) -> float:
        return float(self.high[0]) if self.low[0] == 0 else 0.0

    def log_likelihood(self, family: Family, parameters: tuple[Floats, ...]) -> Floats:
        with np.errstate(all="ignore"):
            total: Floats = self._logs(family, parameters) @ self.counts / self.size
        return np.where(np.isnan(total), -np.inf, total)

    def terms(self, family: Family, parameters: tuple[float, ...]) -> tuple[Floats, Floats]:
        return self._logs(family, scalars(parameters)), self.counts.astype(np.float64)

    def _logs(self, family: Family, parameters: tuple[Floats, ...]) -> Floats:
        return np.log(np.maximum(between(family, self.low, self.high, parameters), _TINY))

    def points(self) -> tuple[Floats, Floats]:
        return (self.low + self.high) / 2, self.counts.astype(np.float64)

    def snap(self, edges: Floats) -> Floats:
        finite = edges[np.isfinite(edges)]
        if self.edges is None:
            lattice = np.round(finite / self.step - 0.5) + 0.5
            return np.unique(np.maximum(lattice, 0.5)) * self.step
        bounds = self.edges
        after = np.clip(np.searchsorted(bounds, finite), 1, bounds.size - 1)
        nearer = np.where(finite - bounds[after - 1] < bounds[after] - finite, after - 1, after)
        snapped = np.unique(bounds[nearer])
        return snapped[snapped > 0]

    def below(self, edges: Floats) -> Integers:
        # Half a cell of tolerance: edges computed in two ways differ in the last digit.
        return self._cumulative[np.searchsorted((self.low + self.high) / 2, edges)]

    def quantiles(self, p: Floats) -> Floats:
        ranks = np.clip(np.ceil(p * self.size), 1, self.size)
        cell = np.searchsorted(self._cumulative, ranks) - 1
        within = (ranks - 0.5 - self._cumulative[cell]) / self.counts[cell]
        return self.low[cell] + within * (self.high[cell] - self.low[cell])


def between(family: Family, low: Floats, high: Floats, parameters: tuple[Floats, ...]) -> Floats:
    """Probability of [low, high), from distribution or survival function, whichever keeps more digits."""
    below, above = family.cdf(low, *parameters), family.sf(high, *parameters)
    upper = below > 0.5  # noqa: PLR2004 - the median
    if not upper.any():
        return np.maximum(family.cdf(high, *parameters) - below, 0)
    return np.maximum(
        np.where(upper, family.sf(low, *parameters) - above, family.cdf(high, *parameters) - below),
        0,
    )


def observe(values: ArrayLike | Binned, name: str = "response times", *, negative: bool = False) -> Data:
    """Data ready to be fitted, from values in any unit or from counts in bins.

    Values that were rounded so coarsely that many are equal become cells: each stands for all values that are rounded
    to it. Raises TooFewError below 30 values, and DataError for values that are all equal, not finite, or negative
    (unless `negative`).
    """
    if isinstance(values, Binned):
        return _binned(values, name)
    array = vector(values, name, least=LEAST)
    ordered = np.sort(array)
    if ordered[0] == ordered[-1]:
        raise DataError(f"{name}: all {ordered.size} values are {ordered[0]:g}; nothing varies that could be fitted")
    if ordered[0] < 0 and not negative:
        wrong = int(np.searchsorted(ordered, 0.0))
        raise DataError(
            f"{name}: {wrong} of {ordered.size} values are negative (least: {ordered[0]:g}); was a clock set?"
        )
    found = resolution(ordered) if ordered[0] >= 0 else None
    if found is not None:
        return _rounded(ordered, found)
    unit = float(np.mean(np.abs(ordered)))
    zeros = int(np.searchsorted(ordered, 0.0, side="right")) if ordered[0] == 0 else 0
    if zeros > np.sqrt(ordered.size):
        raise _too_many_zeros(name, zeros, ordered.size)
    return Values(ordered / unit, unit, zeros=zeros)


def _rounded(ordered: Floats, found: Resolution) -> Cells:
    distinct, counts = np.unique(ordered, return_counts=True)
    low, high = found.cells(distinct)
    unit = float(np.mean(ordered))
    edges = None if found.step else np.unique(np.concatenate([low, high])) / unit
    return Cells(low / unit, high / unit, counts, unit, edges, found.step / unit, found)


_APART = 1000.0
"""Ratio of the next value to the bin of the zeros from which these are no rounded small values."""


def _binned(bins: Binned, name: str) -> Cells:
    if bins.total < LEAST:
        raise TooFewError(name, bins.total, LEAST)
    held = bins.counts > 0
    if held.sum() < 2:  # noqa: PLR2004 - a spread needs two
        raise DataError(f"{name}: all {bins.total} values lie in one bin; nothing varies that could be fitted")
    unit = float(bins.middles @ bins.counts / bins.total)
    low, high, counts = bins.edges[:-1][held], bins.edges[1:][held], bins.counts[held]
    if low[0] <= 0 and counts[0] > np.sqrt(bins.total) and low[1] > _APART * high[0]:
        raise _too_many_zeros(name, int(counts[0]), int(bins.total))
    return Cells(low / unit, high / unit, counts, unit, bins.edges / unit)


def _too_many_zeros(name: str, zeros: int, count: int) -> DataError:
    return DataError(
        f"{name}: {zeros} of {count} values are 0 and the others are not rounded: no density has so many, so leave"
        " them out"
    )


def _represent(x: Floats) -> tuple[Floats, Floats]:
    """Points and weights with the moments 0 to 3 of every group of neighbours in sorted values."""
    if x.size <= _EXACT:
        return x, np.ones(x.size)
    starts = _groups(x)
    counts = np.diff(np.append(starts, x.size))
    mean = np.add.reduceat(x, starts) / counts
    off = x - np.repeat(mean, counts)
    square = off * off
    variance = np.add.reduceat(square, starts) / counts
    spread = np.sqrt(variance)
    wide = spread > 1e-12 * np.abs(mean)
    third = np.add.reduceat(square * off, starts) / counts
    skew = np.divide(third, variance * spread, out=np.zeros(mean.size), where=wide)
    root = np.sqrt(skew * skew + 4)
    up, down = (skew + root) / 2, (root - skew) / 2
    share = np.where(wide, down / root, 0.5)
    nodes = np.column_stack([mean - spread * down, mean + spread * up]).ravel()
    nodes = np.clip(nodes, x[0], x[-1])
    weights = np.column_stack([counts * (1 - share), counts * share]).ravel()
    return nodes, weights


def _groups(x: Floats) -> Integers:
    ranks = np.linspace(0, x.size, _GROUPS, endpoint=False).astype(np.int64)
    # The smallest stand alone: where a distribution begins is known from them.
    ranks = np.concatenate([np.arange(_ALONE), ranks])
    positive = int(np.searchsorted(x, 0.0, side="right"))
    if positive == x.size:
        return np.unique(ranks)
    marks = np.geomspace(x[positive], x[-1], _GROUPS)
    starts = np.unique(np.concatenate([ranks, [positive], np.searchsorted(x, marks)]))
    return starts[starts < x.size]
