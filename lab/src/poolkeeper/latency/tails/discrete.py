"""Power laws of whole numbers: counts, and times of a clock so coarse that the tail begins within some steps of it.

Clauset, Shalizi and Newman: Power-law distributions in empirical data, SIAM Review 51(4), 2009, 3.1 and 3.3: the
exponent by maximum likelihood of x^-alpha / zeta(alpha, xmin), and xmin where the distance to the data is least. A
continuous law fitted to such values is wrong near xmin, where most of them are.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import generator
from poolkeeper.latency.replicates import check
from poolkeeper.latency.tails.goodness import Goodness
from poolkeeper.latency.tails.power_law import LEAST, PowerLaw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.tails.upper import UpperTail

COARSE = 50
"""Steps below which a power law that begins there is fitted as one of whole numbers: above, the two are the same."""

_EACH = 100
"""Smallest distinct numbers that are all tried as the threshold."""
_MORE = 50
"""Numbers above these that are tried, spread evenly over their logarithms."""
_ROUNDS = 60
_STEP = 1e-4
"""Step of the differences of log zeta."""
_STILL = 1e-9
"""Change of all exponents that ends the search."""
_FLATTEST, _STEEPEST = 1.01, 25.0
"""Exponents that a law may have: beyond, all values are the same number."""
_TABLE = 4096
"""Numbers above the threshold whose probabilities a drawn sample uses exactly."""
_LARGEST = 1e15


@dataclass(frozen=True, eq=False)
class StepCounts:
    """Distinct whole numbers, ascending, shape (m,), and how often each occurs; `total` counts smaller ones too."""

    numbers: Integers
    counts: Integers
    total: int

    @classmethod
    def of(cls, tail: UpperTail, step: float) -> StepCounts:
        """Values of a tail that are multiples of a step, as such multiples."""
        numbers, counts = np.unique(np.rint(tail.values / step).astype(np.int64), return_counts=True)
        return cls(numbers, counts, tail.total)


@dataclass(frozen=True, slots=True)
class Zeta:
    """The law x^-alpha / zeta(alpha, xmin) of the `count` largest numbers, and its distance from them."""

    xmin: int
    alpha: float
    distance: float
    count: int

    def log_likelihoods(self, numbers: Integers) -> Floats:
        """Logarithm of the probability of each number of `xmin` or above."""
        found: Floats = -self.alpha * np.log(numbers) - math.log(float(_zeta(self.alpha, self.xmin)))
        return found

    def draw(self, size: int, random: Generator) -> Integers:
        """So many numbers of this law."""
        beyond = _zeta(self.alpha, self.xmin + np.arange(_TABLE + 1.0)) / _zeta(self.alpha, self.xmin)
        share = random.random(size)
        # beyond[j] is the probability of xmin + j or more
        found = self.xmin + np.searchsorted(-beyond, -share, side="left") - 1
        far = share < beyond[-1]
        begin = self.xmin + _TABLE - 0.5
        above = begin * (share[far] / beyond[-1]) ** (-1 / (self.alpha - 1))
        found[far] = np.minimum(np.floor(above + 0.5), _LARGEST).astype(np.int64)
        return np.maximum(found, self.xmin)


def zeta_law(data: StepCounts, *, least: int = LEAST, below: float = -math.inf) -> Zeta | None:
    """The law with the threshold of least distance, with at least `least` numbers from it up; None without any.

    Tries the hundred smallest distinct numbers and fifty of those above. With `below`, ends at the first law that is
    closer.
    """
    best: Zeta | None = None
    for law in _candidates(data, least):
        if best is None or law.distance < best.distance:
            best = law
            if law.distance < below:
                break
    return best


def zeta_law_from(data: StepCounts, xmin: int) -> Zeta:
    """The law of the numbers from a threshold up."""
    first = int(np.searchsorted(data.numbers, xmin))
    return _law(data, first, float(_exponents(data, np.array([first]))[0]))


def power_law_of_steps(tail: UpperTail, data: StepCounts, step: float, *, unit: str = "") -> PowerLaw | None:
    """The closest law of whole steps as the power law of a tail whose values were spread over their steps."""
    law = zeta_law(data)
    if law is None:
        return None
    # curvature of the log-likelihood by alpha, Clauset, Shalizi and Newman 2009, equation 3.6
    curve = _log_zeta(np.array([law.alpha]), np.array([float(law.xmin)]))[2]
    error = 1 / math.sqrt(law.count * float(curve[0]))
    return PowerLaw(law.xmin * step, law.alpha - 1, error, law.distance, law.count, tail, unit)


def goodness_of_steps(
    law: Zeta, data: StepCounts, *, replicates: int, seed: int | Generator = 0, workers: int | None = None
) -> Goodness:
    """Semi-parametric bootstrap as `goodness`, with samples of whole numbers."""
    check(replicates)
    streams = generator(seed).spawn(replicates)
    with ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as pool:
        far = sum(pool.map(lambda stream: _as_far(law, data, stream), streams))
    return Goodness((1 + far) / (1 + replicates), replicates)


def _as_far(law: Zeta, data: StepCounts, random: Generator) -> bool:
    first = int(np.searchsorted(data.numbers, law.xmin))
    above = int(random.binomial(data.total, law.count / data.total))
    drawn, counts = np.unique(law.draw(above, random), return_counts=True)
    lower = data.counts[:first]
    kept = int(lower.sum())
    body = np.zeros(first, np.int64)
    if kept:
        # of the numbers below xmin only the larger ones may be known; that many of the sample are
        drawn_below = int(random.binomial(data.total - above, kept / (data.total - law.count)))
        body = random.multinomial(drawn_below, lower / kept)
    sample = StepCounts(
        np.concatenate([data.numbers[:first][body > 0], drawn]), np.concatenate([body[body > 0], counts]), data.total
    )
    found = zeta_law(sample, below=law.distance)
    return found is not None and found.distance >= law.distance


def _candidates(data: StepCounts, least: int) -> Iterator[Zeta]:
    upper = np.cumsum(data.counts[::-1])[::-1]
    possible = np.flatnonzero(upper >= least)
    possible = possible[possible < data.numbers.size - 1]
    if not possible.size:
        return
    chosen = possible[:_EACH]
    if possible.size > _EACH:
        ends = math.log(data.numbers[possible[_EACH]]), math.log(data.numbers[possible[-1]])
        places = np.searchsorted(data.numbers, np.exp(np.linspace(*ends, _MORE)))
        chosen = np.unique(np.concatenate([chosen, np.minimum(places, possible[-1])]))
    exponents = _exponents(data, chosen)
    for first, alpha in zip(chosen.tolist(), exponents.tolist(), strict=True):
        yield _law(data, first, alpha)


def _exponents(data: StepCounts, first: Integers) -> Floats:
    """Maximum-likelihood exponent of the numbers from each place up, by Newton's method: log zeta is convex."""
    numbers = data.numbers.astype(np.float64)
    counts = np.cumsum(data.counts[::-1])[::-1][first]
    means = np.cumsum((data.counts * np.log(numbers))[::-1])[::-1][first] / counts
    xmin = numbers[first]
    alpha = np.clip(1 + 1 / np.maximum(means - np.log(xmin - 0.5), 1e-3), _FLATTEST, _STEEPEST)
    for _ in range(_ROUNDS):
        _, slope, curve = _log_zeta(alpha, xmin)
        moved = np.clip(alpha - (slope + means) / curve, _FLATTEST, _STEEPEST)
        # half the way to 1 at most: far from the answer the curvature says too little
        moved = np.maximum(moved, (alpha + 1) / 2)
        done = np.abs(moved - alpha).max() < _STILL
        alpha = moved
        if done:
            break
    return alpha


def _law(data: StepCounts, first: int, alpha: float) -> Zeta:
    numbers, counts = data.numbers[first:], data.counts[first:]
    total = int(counts.sum())
    xmin = int(numbers[0])
    up_to = np.cumsum(counts) / total
    # the law's share up to each number, and up to the one before it, where the data have what they had before
    beyond = _zeta(alpha, np.concatenate([numbers + 1.0, numbers[1:].astype(np.float64)]))
    model = 1 - beyond / _zeta(alpha, xmin)
    here, before = model[: numbers.size], model[numbers.size :]
    distance = max(float(np.abs(here - up_to).max()), float(np.abs(before - up_to[:-1]).max(initial=0.0)))
    return Zeta(xmin, alpha, distance, total)


def _zeta(alpha: float, xmin: float | Floats) -> Floats:
    from scipy.special import zeta

    return np.asarray(zeta(alpha, xmin), dtype=np.float64)


def _log_zeta(alpha: Floats, xmin: Floats) -> tuple[Floats, Floats, Floats]:
    """Logarithm of zeta(alpha, xmin), and its first and second derivative by alpha."""
    from scipy.special import zeta

    low, middle, high = (np.log(zeta(alpha + by, xmin)) for by in (-_STEP, 0.0, _STEP))
    return middle, (high - low) / (2 * _STEP), (high - 2 * middle + low) / _STEP**2
