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

from tidepool.latency.fits.data import Values
from tidepool.latency.fits.families.family import scalars

if TYPE_CHECKING:
    from numpy.random import Generator

    from tidepool.arrays import Floats, Integers
    from tidepool.latency.fits.data import Data
    from tidepool.latency.fits.families.family import Family
    from tidepool.latency.fits.likelihood import Maximum

_PLACES = 512
_LEAST = 1e-9
_ROUNDS = 25
_STEP = 1e-3
_ENOUGH = 1e-4
"""Log-likelihood that another step of a replicate's fit must promise."""
_FAR = 1.0
_EXPECTED = 5.0
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """Pearson's statistic over bins of about equal probability, each with an expected count of at least five.

    There are as many bins as 2 n^(2/5) (Mann, Wald 1942) and that rule allow. The p value is the bootstrap's: with
    parameters fitted to the values and not to the bins, the chi-square distribution with `degrees` is only a bound.
    """

    statistic: float
    bins: int
    degrees: int
    """Bins less one, less the parameters."""
    least_expected: float
    p: float


@dataclass(frozen=True, slots=True)
class Tested:
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


def test(family: Family, found: Maximum, data: Data, draws: Draws, random: Generator) -> Tested:
    """Compare the data's distances from their fit with those of samples of the fitted distribution from theirs."""
    with np.errstate(all="ignore"):
        edges = np.asarray(family.quantile(draws.p, draws.q, *scalars(found.parameters)))
        counts = draws.counts
        middles = _middles(family, found, draws.p, draws.q)
        if not isinstance(data, Values):
            edges = data.snap(edges)
            p, q = family.cdf(edges, *scalars(found.parameters)), family.sf(edges, *scalars(found.parameters))
            cells = _cells(np.asarray(p), np.asarray(q))
            counts = random.multinomial(data.size, cells / cells.sum(), draws.replicates)
            middles = _middles(family, found, np.asarray(p), np.asarray(q))
        seen = np.diff(np.concatenate([[0], data.below(edges), [data.size]]))
        again = _refit(family, found, edges, middles, counts)
        model = family.cdf(edges, *scalars(found.parameters))
        if family.anchored and not isinstance(data, Values):
            own = family.estimate(middles, seen[None].astype(np.float64))
            model = family.cdf(edges, *(value[..., None] for value in own))[0]
        others = np.asarray(family.cdf(edges, *again))
        groups = _groups(np.asarray(model), data.size)
        mine = _distances(seen[None], np.asarray(model)[None], np.asarray(model), groups)
        theirs = _distances(counts, others, np.asarray(model), groups)
    ks, ad, chi = (
        float((1 + np.count_nonzero(~(other < own[0] * (1 - 1e-12)))) / (draws.replicates + 1))
        for own, other in zip(mine, theirs, strict=True)
    )
    degrees = groups.size - len(family.parameters)
    square = None
    if degrees >= 1:
        expected = data.size * np.diff(np.concatenate([[0], np.asarray(model)[groups], [1]]))
        square = ChiSquare(float(mine[2][0]), groups.size + 1, degrees, float(expected.min()), chi)
    return Tested(draws.replicates, ks, ad, square)


def _middles(family: Family, found: Maximum, p: Floats, q: Floats) -> Floats:
    """A value for each cell: the median of what the fit has in it."""
    lower = np.concatenate([[0.0], p, [1.0]])
    upper = np.concatenate([[1.0], q, [0.0]])
    middle, beyond = (lower[:-1] + lower[1:]) / 2, (upper[:-1] + upper[1:]) / 2
    return np.asarray(family.quantile(middle, beyond, *scalars(found.parameters)))


def _refit(family: Family, found: Maximum, edges: Floats, middles: Floats, counts: Integers) -> tuple[Floats, ...]:
    """Parameters of all replicates, shape (replicates, 1) each."""
    if family.anchored:
        return tuple(value[:, None] for value in family.estimate(middles, counts.astype(np.float64)))
    return _Scoring(family, found, edges, counts).climb()


class _Scoring:
    """Fisher's scoring for all replicates at once, from the fit that they were drawn from."""

    def __init__(self, family: Family, found: Maximum, edges: Floats, counts: Integers) -> None:
        self.family, self.edges, self.counts = family, edges, counts
        self.bounds = family.bounds()
        self.scale = 1 / np.sqrt(np.clip(np.abs(np.diag(found.information)), 1.0, 1e24))
        self.best = np.tile(found.coordinates, (counts.shape[0], 1))
        self.likelihood = np.full(counts.shape[0], -np.inf)
        self.step = np.zeros_like(self.best)

    def climb(self) -> tuple[Floats, ...]:
        size = self.counts[0].sum()
        active = np.arange(self.counts.shape[0])
        for _ in range(_ROUNDS):
            theta = np.clip(self.best[active] + self.step[active], *self.bounds)
            cells, slopes = _slopes(self.family, self.edges, theta, _STEP * self.scale)
            likelihood = np.sum(self.counts[active] * np.log(cells), axis=1)
            better = likelihood >= self.likelihood[active] - 1e-9 * np.abs(likelihood)
            gain = np.full(active.size, np.inf)
            self.step[active[~better]] /= 4
            ahead = active[better]
            self.best[ahead], self.likelihood[ahead] = theta[better], likelihood[better]
            step, gain[better] = _score(
                cells[better], slopes[:, better], self.counts[ahead], theta[better], self.bounds
            )
            self.step[ahead] = np.clip(step, -_FAR * self.scale, _FAR * self.scale)
            # The steps are nearly Newton's: what is left after one is of the order of its gain squared over n.
            done = np.minimum(gain, 10 * gain * gain / size) <= _ENOUGH
            last = active[done]
            self.best[last] = np.clip(self.best[last] + self.step[last], *self.bounds)
            active = active[~done]
            if not active.size:
                break
        return self.family.natural(*(self.best[:, j, None] for j in range(self.best.shape[1])))


def _slopes(family: Family, edges: Floats, theta: Floats, h: Floats) -> tuple[Floats, Floats]:
    """Probabilities of the cells, shape (r, k), and their derivatives by each coordinate, (p, r, k)."""

    def probabilities(at: Floats) -> Floats:
        below = np.asarray(family.cdf(edges, *family.natural(*(at[:, j, None] for j in range(at.shape[1])))))
        ends = np.zeros((below.shape[0], 1))
        return np.diff(np.concatenate([ends, below, ends + 1], axis=1), axis=1)

    slopes = []
    for j, one in enumerate(h):
        move = np.zeros(h.size)
        move[j] = one
        slopes.append((probabilities(theta + move) - probabilities(theta - move)) / (2 * one))
    return np.maximum(probabilities(theta), _TINY), np.array(slopes)


def _score(
    cells: Floats, slopes: Floats, counts: Integers, theta: Floats, bounds: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Steps of Fisher's scoring, shape (r, p), and the gains that they promise, shape (r,)."""
    size, (low, high) = counts.sum(axis=1), bounds
    relative = np.where(cells > 1e-14, slopes / cells, 0.0)  # noqa: PLR2004 - below it differences are rounding
    gradient = np.einsum("prk,rk->rp", relative, counts.astype(np.float64))
    information = np.einsum("prk,qrk->rpq", relative, slopes) * size[:, None, None]
    blocked = ((theta <= low) & (gradient <= 0)) | ((theta >= high) & (gradient >= 0))
    gradient = np.where(blocked, 0.0, gradient)
    unit = np.eye(theta.shape[1])
    information = np.where(blocked[:, :, None] | blocked[:, None, :], unit, information)
    diagonal = np.einsum("rpp->rp", information)
    information = information + unit * (1e-9 * diagonal + 1e-12)[:, None, :]
    usable = np.all(np.isfinite(information), axis=(1, 2)) & np.all(np.isfinite(gradient), axis=1)
    step = np.zeros_like(theta)
    step[usable] = np.linalg.solve(information[usable], gradient[usable][..., None])[..., 0]
    return step, np.sum(step * gradient, axis=1) / 2


def _groups(model: Floats, size: int) -> Integers:
    """Places that part bins of about equal probability, each with an expected count of at least five."""
    wanted = int(min(2 * size**0.4, size / _EXPECTED))
    places: list[int] = []
    last = 0.0
    for level in np.arange(1, wanted) / wanted:
        place = int(np.argmin(np.abs(model - level)))
        enough = size * (model[place] - last) >= _EXPECTED * (1 - 1e-3) and size * (1 - model[place]) >= _EXPECTED * (
            1 - 1e-3
        )
        if enough:
            places.append(place)
            last = float(model[place])
    return np.array(places, dtype=np.int64)


def _distances(counts: Integers, model: Floats, weight: Floats, groups: Integers) -> tuple[Floats, Floats, Floats]:
    """Kolmogorov-Smirnov, Anderson-Darling and chi-square of each row, at the places."""
    size = counts[0].sum()
    upto = np.cumsum(counts[:, :-1], axis=1)
    off = upto / size - model
    ends = np.concatenate([[0.0], weight, [1.0]])
    mass = (ends[2:] - ends[:-2]) / 2
    ad = size * ((off * off / np.maximum(model * (1 - model), 1e-12)) @ mass)
    rows = counts.shape[0]
    zero, one = np.zeros((rows, 1)), np.ones((rows, 1))
    expected = size * np.diff(np.concatenate([zero, model[:, groups], one], axis=1), axis=1)
    observed = np.diff(np.concatenate([zero, upto[:, groups], one * size], axis=1), axis=1)
    chi = ((observed - expected) ** 2 / np.maximum(expected, 1e-9)).sum(axis=1)
    return np.abs(off).max(axis=1), ad, chi
