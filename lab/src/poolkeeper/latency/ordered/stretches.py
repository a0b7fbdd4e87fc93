"""Response times too many to keep: a digest of all, and counts of one stretch of time after another for their order."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.errors import TooFewError
from poolkeeper.latency import buckets
from poolkeeper.latency.digest import Digest
from poolkeeper.latency.ordered.dependence import STRETCHES, Dependence, of_sums
from poolkeeper.latency.ordered.protocol import Scores, skewness

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class Stretches:
    """Values counted in stretches of time of equal length (seconds, say), in the order of time.

    Percentiles come from the digest of all and are within its `relative_error` of those of the values. How far values
    depend on each other is seen from the sums over stretches, which hold the dependence within a stretch too; from
    fewer than 30 it cannot be. Raises TooFewError if there is no value.
    """

    whole: Digest
    """All values."""
    place: Integers
    """Stretch of each cell, from 0 on, shape (m,)."""
    values: Floats
    """Representative value of each cell."""
    counts: Integers
    """Number of values in each cell."""
    sizes: Floats
    """Number of values in each stretch, shape (b,)."""
    sums: Floats
    """Sum of the values of each stretch."""
    change: str = ""
    """The step in their level by which values depend on each other, in words; empty if none is known."""
    mixed: bool = False
    """Whether its levels have no interval together."""

    def __post_init__(self) -> None:
        if not self.whole.count:
            raise TooFewError("values", 0, 1)

    @classmethod
    def of(cls, digests: Sequence[Digest]) -> Stretches:
        """From a digest of each stretch, in the order of time."""
        middles = [buckets.middles(digest.buckets, digest.digits) * digest.scale for digest in digests]
        return cls(
            Digest.merged(digests),
            np.repeat(np.arange(len(digests)), [middle.size for middle in middles]),
            np.concatenate(middles),
            np.concatenate([digest.counts for digest in digests]),
            np.array([digest.count for digest in digests], dtype=np.float64),
            np.array([digest.total for digest in digests], dtype=np.float64),
        )

    def scaled(self, factor: float) -> Stretches:
        """The same in another unit: every value times `factor`. Raises InputError unless it is positive."""
        whole = self.whole.scaled(factor)
        return replace(self, whole=whole, values=self.values * factor, sums=self.sums * factor)

    @property
    def count(self) -> int:
        """Number of values."""
        return self.whole.count

    @property
    def minimum(self) -> float:
        """The least value."""
        return self.whole.minimum

    @property
    def maximum(self) -> float:
        """The largest value."""
        return self.whole.maximum

    @property
    def relative_error(self) -> float:
        """Largest relative error of percentiles."""
        return self.whole.relative_error

    def error_of(self, percentile: float) -> float:
        """Largest error of a percentile, in the unit of the values."""
        return self.whole.error_of(percentile)

    @property
    def refusal(self) -> str:
        """Words for mixed levels, and for too few stretches to tell how far values depend on each other."""
        if self.mixed:
            return self.change
        many = self.sizes.size
        if many >= STRETCHES:
            return ""
        kept = f"{many} stretches of time" if many > 1 else "one digest"
        return f"{kept} with {self.count:,} values cannot tell how far they depend on each other: {STRETCHES} can"

    @cached_property
    def identity(self) -> Scores:
        """The values themselves as scores; exact, where the digests are."""
        return self._scores(self.sums, self.whole.mean, self.whole.std**2)

    @cached_property
    def ranks(self) -> Dependence:
        """Dependence of the ranks of the values."""
        return self.scores(self.below).dependence

    def scores(self, score: Callable[[Floats], Floats]) -> Scores:
        """Scores that a function gives to what stands for the values: in the mean those of the digest of all."""
        given = score(self._middles)
        mean = float((self.whole.counts * given).sum()) / self.count
        squares = float((self.whole.counts * (given - mean) ** 2).sum())
        sums: Floats = np.bincount(self.place, self.counts * score(self.values), self.sizes.size).astype(np.float64)
        return self._scores(sums, mean, squares / (self.count - 1) if self.count > 1 else math.nan)

    def ordered(self, ranks: ArrayLike) -> Floats:
        """The values of some ranks from 1 to the count, in ascending order, within the relative error."""
        return self.whole.quantiles(np.asarray(ranks, dtype=np.float64) / self.count)

    def below(self, bounds: ArrayLike, *, inclusive: bool = True) -> Floats:
        """Number of values at most (or, not inclusive, less than) each bound; a bucket counts by its middle."""
        at = np.asarray(bounds, dtype=np.float64)
        places = np.searchsorted(self._middles, at, side="right" if inclusive else "left")
        found: Floats = np.concatenate(([0.0], np.cumsum(self.whole.counts)))[places]
        return found

    def cumulative(self, bounds: ArrayLike) -> Floats:
        """Number of values less than each bound, those of a bucket taken as spread evenly over it."""
        bins = self.whole.binned()
        at = np.clip(np.asarray(bounds, dtype=np.float64), self.minimum, self.maximum)
        found: Floats = np.interp(at, bins.edges, np.concatenate(([0.0], np.cumsum(bins.counts))))
        return found

    @cached_property
    def _middles(self) -> Floats:
        return buckets.middles(self.whole.buckets, self.whole.digits) * self.whole.scale

    def _scores(self, sums: Floats, mean: float, variance: float) -> Scores:
        """Of the sums over stretches: the ratio estimator, whose residuals are the sums less what they should be."""
        # The cells of stretches may be wider than those of the whole: their own mean makes the residuals sum to 0.
        residuals = sums - float(sums.sum() / self.sizes.sum()) * self.sizes
        found = of_sums(residuals, self.count, variance)
        many = self.sizes.size
        if found is None:
            return Scores(mean, variance, Dependence(1.0, max(1, many - 1), independent=False), 0.0, many)
        # Batches of stretches at least as long as those of a sample would be.
        joined = 1 if found.independent else min(many, math.ceil(2 * found.time * many / self.count))
        batches = residuals[: many - many % joined].reshape(-1, joined).sum(axis=1)
        return Scores(mean, variance, found, skewness(batches), batches.size)
