"""The upper end of a sample, sorted once, from which all statements about a tail are computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.digest import Digest

_WIDEST = 1e100  # from the smallest to the largest value: above, a distribution that fits cannot be computed with


@dataclass(frozen=True, eq=False)
class UpperTail:
    """The largest values of a sample exactly, and how many values the whole sample has.

    `values`: shape (m,), positive, descending; `total` >= m: the other values are known to be no larger than the last.
    Ranks count from the top: rank 0 is the largest value.
    """

    values: Floats
    total: int

    @classmethod
    def of(cls, values: ArrayLike, name: str = "values", *, least: int = 2) -> UpperTail:
        """The positive values of a sample, shape (n,), in any order and unit; zeros count in the total.

        Raises DataError for negatives, for what is not a finite number, and where all values are equal; TooFewError for
        fewer than `least`.
        """
        array = vector(values, name, least=least)
        negative = np.count_nonzero(array < 0)
        if negative:
            raise DataError(f"{name}: {negative} of {array.size} values are negative (smallest: {array.min():g})")
        ascending = np.sort(array)
        if ascending[0] == ascending[-1]:
            raise DataError(f"{name}: all {array.size} values are {ascending[0]:g}: they have no tail")
        zeros = int(np.searchsorted(ascending, 0, side="right"))
        descending = ascending[zeros:][::-1].copy()
        if descending[-1] < descending[0] / _WIDEST:
            raise DataError(
                f"{name}: {descending[-1]:g} and {descending[0]:g} are further apart than times can be; is one broken?"
            )
        return cls(descending, array.size)

    @classmethod
    def of_digest(cls, digest: Digest, name: str = "values") -> UpperTail:
        """The values that a digest kept exactly; in the digest's unit.

        Raises DataError where it kept none, as those of histograms that a tool wrote, and where all values are equal.
        """
        kept = digest.tail[digest.tail > 0]
        if not kept.size:
            raise DataError(
                f"{name}: of {digest.count} values none is known exactly, so nothing is known of their tail"
            )
        if kept[0] == digest.minimum:
            raise DataError(f"{name}: all {digest.count} values are {kept[0]:g}: they have no tail")
        if digest.tail.size < digest.count:
            kept = kept[kept > kept[-1]]  # of the values equal to the least one kept, some may not be
        return cls(kept, digest.count)

    @property
    def size(self) -> int:
        """Values that are known exactly."""
        return self.values.size

    @property
    def complete(self) -> bool:
        """Whether all values of the sample are here."""
        return self.size == self.total

    @cached_property
    def logs(self) -> Floats:
        """Natural logarithms of the values relative to the largest, shape (m,): 0 first, then negative."""
        logs: Floats = np.log(self.values) - np.log(self.values[0])
        return logs

    @cached_property
    def log_sums(self) -> Floats:
        """Sum of the first 1, 2, ... m logarithms, shape (m,)."""
        sums: Floats = np.cumsum(self.logs)
        return sums

    @cached_property
    def at_least(self) -> Integers:
        """Number of values as large as that of each rank or larger, shape (m,): rank + 1 where nothing is tied."""
        ends = np.flatnonzero(np.append(self.values[1:] != self.values[:-1], True)) + 1
        counts: Integers = np.repeat(ends, np.diff(ends, prepend=0))
        return counts

    @cached_property
    def thresholds(self) -> Integers:
        """Numbers k of values from each distinct value up, ascending, without the largest value: `values[k - 1]`."""
        distinct: Integers = np.flatnonzero(np.append(self.values[1:] != self.values[:-1], True)) + 1
        return distinct[1:]

    def indices(self, counts: Integers) -> Floats:
        """Maximum-likelihood tail index of the `counts` largest values over the smallest of them, shape of `counts`.

        a = k / sum ln(x_i / x_k), the smallest value among the k: Clauset, Shalizi and Newman (2009), equation 3.1,
        whose exponent of the density is a + 1. Infinite where the k values are equal.
        """
        spread = self.log_sums[counts - 1] - counts * self.logs[counts - 1]
        with np.errstate(divide="ignore"):
            index: Floats = np.where(spread > 0, counts / np.maximum(spread, np.finfo(float).tiny), np.inf)
        return index
