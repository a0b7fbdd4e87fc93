"""All fits of a set of response times in one call."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import generator
from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.fits.bootstrap import Draws, p_values
from poolkeeper.latency.fits.data import Cells, Values, observe
from poolkeeper.latency.fits.distributions import DISTRIBUTIONS
from poolkeeper.latency.fits.goodness import anderson_darling, kolmogorov_smirnov, quantile_errors
from poolkeeper.latency.fits.quantiles import quantile_plot
from poolkeeper.latency.fits.ranking import Candidate, Ranking, RejectedCandidate
from poolkeeper.latency.replicates import check
from poolkeeper.present.numbers import number, percent
from poolkeeper.present.text import counted
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.random import Generator
    from numpy.typing import ArrayLike

    from poolkeeper.latency.binned import Binned
    from poolkeeper.latency.fits.bootstrap import PValues
    from poolkeeper.latency.fits.data import Data
    from poolkeeper.latency.fits.distribution import Distribution

REPLICATES = 200
_COARSE_DIGITS = 2
_SHOWN = 3
_EQUAL = 5
_FEW = 1 + max(len(made.family.parameters) for made in DISTRIBUTIONS.values())
"""Cells that leave nothing to test the distributions with most parameters."""


def fit(
    values: ArrayLike | Binned,
    distributions: Iterable[str] | None = None,
    *,
    replicates: int = REPLICATES,
    unit: str = "",
    seed: int | Generator = 0,
) -> Ranking:
    """Fit distributions to response times in any unit, or to counts in bins, and rank them.

    `distributions` are names of `DISTRIBUTIONS`, all by default. `replicates` is the number of bootstrap samples behind
    the p values; 0 leaves them out. `unit` is what charts call the unit. Values that were rounded (to milliseconds, or
    to two significant digits) are taken for the intervals that they stand for; to fewer than three digits,
    distributions with heavy tails are left out.

    Raises TooFewError below 30 values; DataError for values that are negative, not finite or all equal; InputError for
    unknown names and replicates below 0 or above 10,000.
    """
    names = _names(distributions)
    check(replicates)
    data = observe(values)
    random = generator(seed)
    draws = Draws.make(data.size, replicates, random) if replicates else None
    fitted, refused = _fit_all(names, data)
    if not fitted:
        raise DataError("; ".join(refusal.reason for refusal in refused))
    with ThreadPoolExecutor(_workers()) as pool:
        tests = list(pool.map(partial(_test, data, draws), fitted, random.spawn(len(fitted))))
    ranked = sorted(zip(fitted, tests, strict=True), key=lambda pair: _aic(pair[0]))
    best = ranked[0][0]
    chances = np.exp(-np.array([_aic(distribution) - _aic(best) for distribution, _ in ranked]) / 2)
    candidates = tuple(
        _candidate(distribution, best, data, tested, float(chance))
        for (distribution, tested), chance in zip(ranked, chances / chances.sum(), strict=True)
    )
    plot = quantile_plot(data, [distribution for distribution, _ in ranked[:_SHOWN]], unit)
    return Ranking(candidates, tuple(refused), data.size, _notes(data), plot)


def _names(distributions: Iterable[str] | None) -> list[str]:
    names = list(DISTRIBUTIONS) if distributions is None else list(dict.fromkeys(distributions))
    if not names:
        raise InputError(f"distributions: none given; there are {', '.join(DISTRIBUTIONS)}")
    for name in names:
        if name not in DISTRIBUTIONS:
            raise InputError(unknown("distribution", name, DISTRIBUTIONS))
    return names


def _workers() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _fit_all(names: list[str], data: Data) -> tuple[list[Distribution], list[RejectedCandidate]]:
    def fitted_or_rejected(name: str) -> Distribution | RejectedCandidate:
        made = DISTRIBUTIONS[name]()
        coarse = data.resolution
        if made.family.heavy and coarse and 0 < coarse.digits <= _COARSE_DIGITS:
            return RejectedCandidate(name, f"values {coarse} do not tell how a tail falls")
        try:
            return made.learn(data)
        except DataError as error:
            return RejectedCandidate(name, str(error).removeprefix(f"{name}: "))
        except ArithmeticError as error:
            return RejectedCandidate(name, f"cannot be computed for these values: {error}")

    with ThreadPoolExecutor(_workers()) as pool:
        results = list(pool.map(fitted_or_rejected, names))
    return [r for r in results if not isinstance(r, RejectedCandidate)], [
        r for r in results if isinstance(r, RejectedCandidate)
    ]


def _test(data: Data, draws: Draws | None, distribution: Distribution, random: Generator) -> PValues | None:
    if isinstance(data, Cells) and data.counts.size <= len(distribution.family.parameters) + 1:
        return None  # it passes through all counts, of which the last follows from the others
    return p_values(distribution.family, distribution.maximum, data, draws, random) if draws else None


def _aic(distribution: Distribution) -> float:
    return 2 * len(distribution.family.parameters) - 2 * distribution.log_likelihood_


def _candidate(
    distribution: Distribution, best: Distribution, data: Data, tested: PValues | None, weight: float
) -> Candidate:
    parameters = distribution.maximum.parameters
    count = len(distribution.family.parameters)
    return Candidate(
        distribution,
        _aic(distribution),
        float(count * np.log(data.size) - 2 * distribution.log_likelihood_),
        weight,
        kolmogorov_smirnov(distribution.family, parameters, data),
        anderson_darling(distribution.family, parameters, data),
        tested,
        _behind(best, distribution, data),
        quantile_errors(distribution.family, parameters, data),
    )


def _behind(best: Distribution, other: Distribution, data: Data) -> float:
    """P value of the likelihood ratio of nested families (Wilks 1938), or of Vuong's test (1989) of others.

    Vuong's is one-sided, with Akaike's correction for the number of parameters. Wilks' is a little too large where the
    special case lies at the border of the family.
    """
    from scipy.special import chdtrc, ndtr

    if best is other:
        return 1.0
    more = len(best.family.parameters) - len(other.family.parameters)
    if other.name in best.family.contains:
        return float(chdtrc(max(more, 1), max(2 * (best.log_likelihood_ - other.log_likelihood_), 0.0)))
    with np.errstate(all="ignore"):
        (mine, weights), (theirs, _) = (
            data.terms(distribution.family, distribution.maximum.parameters) for distribution in (best, other)
        )
        gain = mine - theirs
        mean = float(gain @ weights) / data.size
        spread = float(np.sqrt(((gain - mean) ** 2) @ weights))
    return float(ndtr(-(mean * data.size - more) / spread)) if spread > 0 else 0.5


def _notes(data: Data) -> tuple[str, ...]:
    if isinstance(data, Values):
        return _spike(data)
    assert isinstance(data, Cells)  # noqa: S101 - there are two kinds of data
    fullest = float(data.counts.max() / data.size)
    note = f"KS distances are taken at edges, and may be larger within a cell, by less than {percent(fullest, 2)} %"
    if (cells := data.counts.size) <= _FEW:
        note = (
            f"{note}. The values lie in {cells} {'steps' if data.resolution else 'bins'}: distributions with"
            f" {counted(cells - 1, 'parameter')} or more pass through all counts, so that nothing tests them"
        )
    if data.resolution:
        return (f"values are {data.resolution}; each was fitted as the interval that it stands for. {note}",)
    middle = data.counts.cumsum().searchsorted(data.size / 2)
    width = float((data.high[middle] - data.low[middle]) / data.low[middle]) if data.low[middle] else float("inf")
    return (f"counts in bins ({width * 100:.2g} % wide at the median) were fitted as intervals. {note}",)


def _spike(data: Values) -> tuple[str, ...]:
    """A note if so many values are equal that no density describes them."""
    starts = np.flatnonzero(np.diff(data.ordered, prepend=-1.0) > 0)
    counts = np.diff(np.append(starts, data.size))
    most = int(np.argmax(counts))
    if counts[most] < max(_EQUAL, np.sqrt(data.size)):
        return ()
    value = data.ordered[starts[most]] * data.unit
    share = counts[most] / data.size * 100
    words = f"{number(share, 2)} % of the values are {value:.6g}, which no continuous distribution gives"
    return (f"{words}: is it a time-out?",)
