"""p values that are right for fitted parameters: the parametric bootstrap, on counts.

The distance of a sample from a distribution that was fitted to it is smaller than from the true one, so tables for
known parameters accept too much. The bootstrap draws samples from the fitted distribution, fits each anew, and counts
how many are as far from their fit as the data are from theirs (Stute, Gonzales Manteiga, Presedo Quindimil 1993).

A sample of a million need not be drawn value by value: between a thousand quantiles of the fitted distribution, dense
in its tails, the counts of a sample are multinomial. From these counts each replicate is fitted by Fisher scoring (all
replicates at once) and its distances at the same places are compared with those of the data at the same places, so
that the test is right whatever the number of places. What lies between them costs a little power.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.fits.data import Values
from poolkeeper.latency.fits.families.family import scalars
from poolkeeper.latency.fits.scoring import Scoring

if TYPE_CHECKING:
    from numpy.random import Generator

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.fits.data import Data
    from poolkeeper.latency.fits.families.family import Family
    from poolkeeper.latency.fits.likelihood import Maximum

_PLACES = 512
_LEAST = 1e-9
_EXPECTED = 5.0
_WANTED = 5.25
"""Expected count of a bin, chosen so that bins that end at the nearest places still have five."""
_MOST = 100
_LEAST_VARIANCE = 1e-12
_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """Pearson's statistic over bins of about equal probability, each with an expected count of at least five.

    There are as many bins as 2 n^(2/5) (Mann, Wald 1942), that rule, and 100 allow. The p value is the bootstrap's:
    with parameters fitted to values, and not to bins, the chi-square distribution with `degrees` is only a bound.
    """

    statistic: float
    bins: int
    degrees: int
    """Bins less one, less the parameters."""
    least_expected: float
    p: float


@dataclass(frozen=True, slots=True)
class PValues:
    """p values of a fit by the parametric bootstrap; the smallest that can be is 1 / (replicates + 1)."""

    replicates: int
    kolmogorov_smirnov: float
    anderson_darling: float
    chi_square: ChiSquare | None
    """None where there are too few values, or too few cells, for as many bins as it takes."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Levels between which the values of samples are counted, and the counts of the replicates: the same for all fits.

    Levels ascend, shape (k,); their complements are kept apart. Counts have the shape (replicates, k + 1).
    """

    p: Floats
    q: Floats
    counts: Integers

    @classmethod
    def make(cls, size: int, replicates: int, random: Generator) -> Draws:
        """Replicates of samples of that size."""
        least = max(1e-3 / size, _LEAST)
        far = np.log((1 - least) / least)
        logits = np.linspace(-far, far, _PLACES)
        even = np.arange(1, _PLACES) / _PLACES
        logits = np.unique(np.concatenate([logits, np.log(even / (1 - even))]))
        keep = np.concatenate([[True], np.diff(logits) > 1e-9])  # noqa: PLR2004 - the same place twice
        p, q = 1 / (1 + np.exp(-logits[keep])), 1 / (1 + np.exp(logits[keep]))
        cells = _cells(p, q)
        return cls(p, q, random.multinomial(size, cells / cells.sum(), replicates))

    @property
    def replicates(self) -> int:
        """Samples drawn."""
        return len(self.counts)


def _cells(p: Floats, q: Floats) -> Floats:
    """Probabilities between places, from the distribution function and its complement; last axis one longer."""
    upper = -np.diff(q, axis=-1)
    between = np.where(p[..., :-1] < 0.5, np.diff(p, axis=-1), upper)  # noqa: PLR2004 - the median
    cells: Floats = np.maximum(np.concatenate([p[..., :1], between, q[..., -1:]], axis=-1), 0)
    return cells


def p_values(family: Family, found: Maximum, data: Data, draws: Draws, random: Generator) -> PValues:
    """Compare the data's distances from their fit with those of samples of the fitted distribution from theirs."""
    parameters = scalars(found.parameters)
    with np.errstate(all="ignore"):
        edges, counts = np.asarray(family.quantile(draws.p, draws.q, *parameters)), draws.counts
        if not isinstance(data, Values):
            edges = data.snap(edges)
            cells = _cells(np.asarray(family.cdf(edges, *parameters)), np.asarray(family.sf(edges, *parameters)))
            counts = random.multinomial(data.size, cells / cells.sum(), draws.replicates)
        if family.anchor and isinstance(data, Values):
            again = tuple(
                value[:, None]
                for value in family.estimate(_middles(family, parameters, draws), counts.astype(np.float64))
            )
        else:
            again = Scoring(family, found, edges, counts).climb()
        seen = np.diff(np.concatenate([[0], data.below(edges), [data.size]]))
        model = np.asarray(family.cdf(edges, *parameters))
        bins = Bins.make(model, data)
        mine = _distances(seen[None], model[None], model, bins)
        theirs = _distances(counts, np.asarray(family.cdf(edges, *again)), model, bins)
    ks, ad, chi = (
        float((1 + np.count_nonzero(~(other < own[0] * (1 - _SAME)))) / (draws.replicates + 1))
        for own, other in zip(mine, theirs, strict=True)
    )
    degrees = bins.count - 1 - len(parameters)
    square = None
    if degrees >= 1:
        least = float(data.size * bins.masses(model[None]).min())
        square = ChiSquare(float(mine[2][0]), bins.count, degrees, least, chi)
    return PValues(draws.replicates, ks, ad, square)


def _middles(family: Family, parameters: tuple[Floats, ...], draws: Draws) -> Floats:
    """A value for each cell: the median of what the fit has in it."""
    lower, upper = np.concatenate([[0.0], draws.p, [1.0]]), np.concatenate([[1.0], draws.q, [0.0]])
    return np.asarray(family.quantile((lower[:-1] + lower[1:]) / 2, (upper[:-1] + upper[1:]) / 2, *parameters))


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of about equal probability under a fit, each with an expected count of five.

    Between values every fit has the bins of its own quantiles; between cells the edges stay where they are.
    """

    levels: Floats
    """Probabilities below which a bin is to end, shape (b - 1,)."""
    fixed: Integers | None
    """Places at which the bins end for all fits, shape (b - 1,)."""

    @classmethod
    def make(cls, model: Floats, data: Data) -> Bins:
        """Bins for a distribution function at the places, shape (k,)."""
        wanted = int(min(2 * data.size**0.4, data.size / _WANTED, _MOST))
        levels = np.arange(1, wanted) / wanted
        if isinstance(data, Values):
            return cls(levels, None)
        places: list[int] = []
        last = 0.0
        for place in _nearest(model, levels):
            if data.size * min(model[place] - last, 1 - model[place]) >= _EXPECTED:
                places.append(int(place))
                last = float(model[place])
        return cls(model[places], np.array(places, dtype=np.int64))

    @property
    def count(self) -> int:
        """Bins there are."""
        return self.levels.size + 1

    def places(self, model: Floats) -> Integers:
        """Ends of the bins for distribution functions of shape (r, k); shape (r, b - 1)."""
        if self.fixed is not None:
            return np.tile(self.fixed, (len(model), 1))
        return np.array([_nearest(row, self.levels) for row in model])

    def masses(self, model: Floats) -> Floats:
        """Probabilities of the bins, shape (r, b)."""
        ends = np.zeros((len(model), 1))
        below = np.take_along_axis(model, self.places(model), axis=1)
        return np.diff(np.concatenate([ends, below, ends + 1], axis=1), axis=1)


def _nearest(model: Floats, levels: Floats) -> Integers:
    after = np.clip(np.searchsorted(model, levels), 1, model.size - 1)
    return np.where(levels - model[after - 1] < model[after] - levels, after - 1, after)


def _distances(counts: Integers, model: Floats, weight: Floats, bins: Bins) -> tuple[Floats, Floats, Floats]:
    """Kolmogorov-Smirnov, Anderson-Darling and chi-square of each row, at the places."""
    size = counts[0].sum()
    share = np.cumsum(counts[:, :-1], axis=1) / size
    off = share - model
    ends = np.concatenate([[0.0], weight, [1.0]])
    mass = (ends[2:] - ends[:-2]) / 2
    ad = size * ((off * off / np.maximum(model * (1 - model), _LEAST_VARIANCE)) @ mass)
    expected = bins.masses(model)
    zero = np.zeros((len(counts), 1))
    observed = np.diff(
        np.concatenate([zero, np.take_along_axis(share, bins.places(model), axis=1), zero + 1], axis=1), axis=1
    )
    chi = size * ((observed - expected) ** 2 / np.maximum(expected, _LEAST_VARIANCE)).sum(axis=1)
    return np.abs(off).max(axis=1), ad, chi
