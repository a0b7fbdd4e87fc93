"""Estimators of the tail index a, where P(X > x) falls like x to the power of -a.

An index of 2 or less means that the variance is infinite as far as the power law holds; 1 or less, the mean too.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import fraction as _fraction
from poolkeeper.errors import TooFewError
from poolkeeper.present import Axis, Chart, Mark, Series, Table

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.tails.upper import UpperTail

_NORMAL = 1.959963984540054  # 97.5 % quantile of the normal distribution
_STEADY = 2.6  # standard errors an estimate may be off within a stable region: 1 in 100 is by chance
_GRID = 200
_LEAST = 10


@dataclass(frozen=True)
class TailIndex:
    """A tail index from the `count` largest values, down to `threshold`, with its standard error and 95 % interval."""

    method: str
    index: float
    error: float
    count: int
    threshold: float

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the index if the values are a power law; never below 0."""
        return max(0.0, self.index - _NORMAL * self.error), self.index + _NORMAL * self.error

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the interval."""
        return asdict(self) | {"interval": list(self.interval)}


def maximum_likelihood(tail: UpperTail, count: int) -> TailIndex:
    """Index of the `count` largest values x over the next one down, k: a = n / sum ln(x / k), with error a / sqrt n.

    This is the Hill estimator (1975). Raises TooFewError if there are not `count` + 1 values.
    """
    if not 1 <= count < tail.size:
        raise TooFewError("values", tail.size, count + 1)
    index = float(_hill(tail, np.array([count]))[0])
    return TailIndex("maximum likelihood", index, index / math.sqrt(count), count, float(tail.values[count]))


def moment(tail: UpperTail, count: int) -> float:
    """Extreme value index of the `count` largest values: 1 / a for a power law, 0 for an exponential tail, else below.

    The moment estimator of Dekkers, Einmahl and de Haan (1989). Its standard error near 0 is 1 / sqrt(count).
    """
    if not 2 <= count < tail.size:  # noqa: PLR2004 - one excess has no spread
        raise TooFewError("values", tail.size, count + 1)
    excess = tail.logs[:count] - tail.logs[count]
    first, second = float(excess.mean()), float((excess**2).mean())
    if second <= first**2:
        return -math.inf
    return first + 1 - 0.5 / (1 - first**2 / second)


def regression(tail: UpperTail, fraction: float = 0.01) -> TailIndex:
    """Index as the slope of the log-log complementary distribution over the largest `fraction` of all values.

    Least squares of ln P(X >= x) over ln x, as long practised (Crovella and Bestavros 1997). Points of a cumulative
    distribution depend on each other, so the error of the regression would be far too small; the one given is that of
    this estimator on a power law, index * sqrt(2 / n) (Kratz and Resnick 1996). Prefer maximum likelihood.
    """
    count = math.ceil(_fraction(fraction, "fraction") * tail.total)
    if not _LEAST <= count <= tail.size:
        raise TooFewError(f"largest {100 * fraction:g} %", min(count, tail.size), max(_LEAST, count))
    x = tail.logs[:count]
    y = np.log(tail.at_least[:count] / tail.total)
    spread = x - x.mean()
    index = -float(spread @ y) / float(spread @ spread) if spread.any() else math.inf
    return TailIndex("regression", index, index * math.sqrt(2 / count), count, float(tail.values[count - 1]))


@dataclass(frozen=True, eq=False)
class HillPlot:
    """Hill's estimate of the index for the k largest values, for all k at once, and where it stands still.

    The stable region is the widest range of k (by its ratio) in which each estimate agrees with the one at the upper
    end within 2.6 standard errors of their difference, index * sqrt(1/k - 1/upper). It says nothing where it is narrow:
    below a ratio of 4 there is none. On a power law it reaches from the first values to where that begins.
    """

    counts: Integers
    indices: Floats
    stable: tuple[int, int] | None
    estimate: TailIndex | None
    """The index at the upper end of the stable region."""

    def table(self) -> Table:
        """Estimates at some k, and the stable region."""
        at = np.unique(np.linspace(0, self.counts.size - 1, 9).astype(np.int64))
        rows = tuple((int(self.counts[i]), float(self.indices[i]), float(self.indices[i] / math.sqrt(self.counts[i])))
                     for i in at)  # fmt: skip
        if self.stable is None or self.estimate is None:
            note = (
                "no stable region: the estimate depends on how many values it is made of, as on tails of no power law"
            )
        else:
            low, high = self.estimate.interval
            region = f"{self.stable[0]:,} to {self.stable[1]:,} values"
            note = f"stable from {region}: {self.estimate.index:.3g} ({low:.3g} to {high:.3g})"
        return Table("Hill plot", ("largest values", "index", "standard error"), rows, (note,))

    def to_dict(self) -> dict[str, Any]:
        """The estimates on a logarithmic grid of counts, and the stable region."""
        return {
            "counts": self.counts.tolist(),
            "indices": self.indices.tolist(),
            "stable": None if self.stable is None else list(self.stable),
            "estimate": None if self.estimate is None else self.estimate.to_dict(),
        }

    def plot(self) -> Chart:
        """The estimates over k with their 95 % band."""
        band = _NORMAL / np.sqrt(self.counts)
        series = Series(
            "index",
            tuple(self.counts.astype(float).tolist()),
            tuple(self.indices.tolist()),
            low=tuple((self.indices * (1 - band)).tolist()),
            high=tuple((self.indices * (1 + band)).tolist()),
        )
        marks = () if self.stable is None else tuple(Mark(float(k), "stable") for k in self.stable)
        return Chart("Hill plot", Axis("largest values", log=True), Axis("tail index"), (series,), marks)


def hill(tail: UpperTail) -> HillPlot:
    """Hill's estimates for up to 200 numbers of largest values, from 10 to all, and their stable region.

    Raises TooFewError below 12 values.
    """
    if tail.size < _LEAST + 2:
        raise TooFewError("values", tail.size, _LEAST + 2)
    counts = np.unique(np.geomspace(_LEAST, tail.size - 1, _GRID).astype(np.int64))
    counts = counts[tail.values[0] > tail.values[counts]]
    if not counts.size:
        raise TooFewError("values below the largest", 0, 1)
    indices = _hill(tail, counts)
    stable = _stable(counts, indices)
    estimate = None if stable is None else maximum_likelihood(tail, stable[1])
    return HillPlot(counts, indices, stable, estimate)


def _hill(tail: UpperTail, counts: Integers) -> Floats:
    excess = tail.log_sums[counts - 1] - counts * tail.logs[counts]
    with np.errstate(divide="ignore"):
        index: Floats = np.where(excess > 0, counts / np.maximum(excess, np.finfo(float).tiny), np.inf)
    return index


def _stable(counts: Integers, indices: Floats) -> tuple[int, int] | None:
    lower, upper = counts[:, None], counts[None, :]
    allowed = _STEADY * indices[None, :] * np.sqrt(np.maximum(1 / lower - 1 / upper, 0))
    agrees = (np.abs(indices[:, None] - indices[None, :]) <= allowed + 1e-12) | (lower > upper)
    best: tuple[int, int] | None = None
    for column in range(counts.size):
        off = np.flatnonzero(~agrees[: column + 1, column])
        first = int(counts[off[-1] + 1] if off.size else counts[0])
        last = int(counts[column])
        if last >= 4 * first and (best is None or last * best[0] > best[1] * first):
            best = first, last
    return best
