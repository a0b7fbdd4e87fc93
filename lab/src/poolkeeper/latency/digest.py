"""Digest of any number of values: counts in buckets, exact moments and extremes, the largest ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper import arrays
from poolkeeper.errors import DataError, InputError
from poolkeeper.latency import buckets
from poolkeeper.latency.binned import Binned
from poolkeeper.latency.buckets import EXACT, Accuracy
from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table
from poolkeeper.present.numbers import or_none

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats, Integers

DIGITS = 3
"""Significant digits of the quantiles unless told otherwise."""

TAIL = 100_000
"""Number of the largest values that are kept exactly by default."""

_LARGEST = 1e150
"""Squares of larger values, which the moments need, are no finite numbers."""
_SHOWN = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)


@dataclass(frozen=True, eq=False)
class Digest:
    """A mergeable summary of non-negative values, in their own unit.

    Assumptions: values are finite and not negative. Guarantees: `count`, `minimum`, `maximum` are exact; `mean` and
    `std` are so up to rounding (merged by Chan, Golub and LeVeque 1979, which does not cancel); a quantile
    lies within `relative_error` of the sample's (nearest rank), and is exact where it falls into the `tail`. Merging is
    associative and commutative but for that rounding, and costs what the occupied buckets cost: a few thousand,
    whatever the number of values. A digest of a histogram that a tool wrote has no values to be exact about: `exact` is
    False, its moments and extremes are those of the buckets' middles, and its tail is empty.
    """

    digits: int
    """Significant digits of the buckets: 1 to 5."""
    buckets: Integers
    """Numbers of the occupied buckets, ascending; see `poolkeeper.latency.buckets`."""
    counts: Integers
    """Number of values in each of them."""
    mean: float
    """Arithmetic mean; NaN without values."""
    squares: float
    """Sum of the squared distances from the mean."""
    minimum: float
    """Least value; NaN without values."""
    maximum: float
    """Largest value; NaN without values."""
    tail: Floats
    """The largest values in descending order: all of them up to `tail_limit`."""
    tail_limit: int
    """Number of the largest values that are kept."""
    exact: bool = True
    """Whether moments and extremes come from the values themselves."""
    scale: float = 1.0
    """Factor of the buckets' edges; see `scaled`."""
    source: Accuracy = EXACT
    """Error that the values had before they came here, in their unit before it was `scaled`: half a bucket of the tool
    that counted them."""

    @classmethod
    def of(cls, values: ArrayLike, *, digits: int = DIGITS, tail: int = TAIL, name: str = "values") -> Digest:
        """Digest values that are in memory, shape (n,); n may be 0.

        Raises DataError, which names `name`, for values that are negative, no finite numbers or above 1e150;
        InputError for `digits` out of 1 to 5 or a negative `tail`.
        """
        _check_tail(tail)
        array = arrays.vector(values, name, least=0)
        if array.size and array.min() < 0:
            raise DataError(f"{name}: {int((array < 0).sum())} of {array.size} values are negative")
        if not array.size:
            return cls.empty(digits=digits, tail=tail)
        _check_largest(array, name)
        found, counts = np.unique(buckets.numbers(array, digits), return_counts=True)
        mean = float(array.mean())
        squares = float(((array - mean) ** 2).sum())
        return cls(
            digits, found, counts, mean, squares, float(array.min()), float(array.max()), largest(array, tail), tail
        )

    @classmethod
    def of_counts(cls, values: ArrayLike, counts: ArrayLike, *, digits: int = DIGITS) -> Digest:
        """Digest a histogram: `counts[i]` values near `values[i]`, both of shape (n,), in any order.

        `values` are the middles of the histogram's bins, whose own error adds to `relative_error`. Raises DataError for
        negative counts and for what `of` refuses.
        """
        array = arrays.vector(values, "values", least=0)
        weights = np.asarray(counts, dtype=np.int64)
        if array.shape != weights.shape or (weights.size and weights.min() < 0) or (array.size and array.min() < 0):
            raise DataError(f"counts: {weights.shape} counts for {array.shape} values, and none may be negative")
        array, weights = array[weights > 0], weights[weights > 0]
        if not array.size:
            return cls.empty(digits=digits, tail=0)
        _check_largest(array, "values")
        found, place = np.unique(buckets.numbers(array, digits), return_inverse=True)
        held = np.zeros(found.size, dtype=np.int64)
        np.add.at(held, place, weights)
        mean = float(np.average(array, weights=weights))
        squares = float((weights * (array - mean) ** 2).sum())
        return cls(
            digits, found, held, mean, squares, float(array.min()), float(array.max()), np.empty(0), 0, exact=False
        )

    @classmethod
    def empty(cls, *, digits: int = DIGITS, tail: int = TAIL) -> Digest:
        """The digest of no values."""
        _check_tail(tail)
        buckets.resolution(digits)
        none, nan = np.empty(0, dtype=np.int64), math.nan
        return cls(digits, none, none, nan, 0.0, nan, nan, np.empty(0), tail)

    @classmethod
    def merged(cls, digests: Iterable[Digest]) -> Digest:
        """All of several digests in one; raises DataError if there are none."""
        found = list(digests)
        if not found:
            raise DataError("digests: there are none to merge")
        return reduce(cls.merge, found)

    def merge(self, other: Digest) -> Digest:
        """The digest of both: with the fewer digits of the two, and the tail that is known of both."""
        if self.scale != other.scale:
            raise DataError(f"digests: scaled by {self.scale:g} and {other.scale:g}, they are in different units")
        digits = min(self.digits, other.digits)
        limit = min(self.tail_limit, other.tail_limit)
        found, place = np.unique(
            np.concatenate([buckets.coarser(digest.buckets, digest.digits, digits) for digest in (self, other)]),
            return_inverse=True,
        )
        counts = np.zeros(found.size, dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        tail = largest(np.concatenate([self.tail, other.tail]), limit)
        exact = all(digest.exact for digest in (self, other) if digest.count)
        if not self.count or not other.count:
            whole = self if self.count else other
            moments = whole.mean, whole.squares
        else:
            n, m, apart = self.count, other.count, other.mean - self.mean
            moments = (
                self.mean + apart * (m / (n + m)),
                self.squares + other.squares + apart * apart * (n * (m / (n + m))),
            )
        low = float(np.fmin(self.minimum, other.minimum))
        high = float(np.fmax(self.maximum, other.maximum))
        source = self.source.merged(other.source)
        return Digest(digits, found, counts, *moments, low, high, tail, limit, exact, self.scale, source)

    def scaled(self, factor: float) -> Digest:
        """The same in another unit: every value times `factor`, at no loss. Raises InputError unless it is positive."""
        if not 0 < factor < math.inf:
            raise InputError(f"factor: {factor:g} is not positive")
        return replace(
            self,
            mean=self.mean * factor,
            squares=self.squares * factor**2,
            minimum=self.minimum * factor,
            maximum=self.maximum * factor,
            tail=self.tail * factor,
            scale=self.scale * factor,
        )

    @property
    def _middles(self) -> Floats:
        return buckets.middles(self.buckets, self.digits) * self.scale

    @cached_property
    def count(self) -> int:
        """Number of values."""
        return int(self.counts.sum())

    @property
    def total(self) -> float:
        """Sum of the values."""
        return self.mean * self.count if self.count else 0.0

    @property
    def std(self) -> float:
        """Standard deviation of the sample (n - 1); NaN for fewer than two values."""
        return math.sqrt(self.squares / (self.count - 1)) if self.count > 1 else math.nan

    @property
    def relative_error(self) -> float:
        """Bound on the distance of any quantile from the sample's, relative to it: 0.0005 for 3 digits."""
        middles = buckets.middles(self.buckets[self.buckets > 0][:1], self.digits)
        small = self.source.least / float(middles[0]) if middles.size else 0.0
        return max(self.source.relative, small) + buckets.relative_error(self.digits)

    def error_of(self, quantile: float) -> float:
        """Bound on the distance of a quantile from the sample's, in the unit of the values."""
        own = buckets.relative_error(self.digits) * abs(quantile)
        return own + self.source.at(quantile / self.scale) * self.scale

    def quantile(self, q: float) -> float:
        """The least value that has at least the share `q` (0 to 1) of the values at or below it; NaN without values.

        Within `relative_error` of the value itself, and exact where it is among `tail`. Raises InputError for `q` out
        of 0 to 1.
        """
        return float(self.quantiles([q])[0])

    def quantiles(self, qs: ArrayLike) -> Floats:
        """Several quantiles at once, shape of `qs` (k,); see `quantile`."""
        wanted = np.asarray(qs, dtype=np.float64)
        if not np.all((wanted >= 0) & (wanted <= 1)):
            raise InputError(f"quantile: {wanted[~((wanted >= 0) & (wanted <= 1))][0]:g} is not between 0 and 1")
        if not self.count:
            return np.full(wanted.shape, math.nan)
        # One ulp down, as HdrHistogram does, lest rounding make 99.9 % of 1000 the 1000th value.
        ranks = np.maximum(1, np.ceil(np.nextafter(wanted, -1) * self.count)).astype(np.int64)
        place = np.searchsorted(np.cumsum(self.counts), ranks)
        found = np.clip(self._middles[place], self.minimum, self.maximum)
        from_top = self.count - ranks
        in_tail = from_top < self.tail.size
        found[in_tail] = self.tail[from_top[in_tail]]
        return np.where(ranks == 1, self.minimum, np.where(from_top == 0, self.maximum, found))

    def above(self, bound: float) -> float:
        """Share of the values above `bound`; its own bucket counts by the middle. NaN without values."""
        if not self.count:
            return math.nan
        if self.tail.size and bound >= self.tail[-1]:
            return int((self.tail > bound).sum()) / self.count
        over = self._middles > bound
        return int(self.counts[over].sum()) / self.count

    def at_most(self, bound: float, step: float) -> int | None:
        """Number of values at or below a bound, if all are multiples of a step; None where buckets do not tell."""
        number = int(buckets.numbers(np.array([bound / self.scale]), self.digits)[0])
        end = float(buckets.lower_edges(np.array([number + 1]), self.digits)[0]) * self.scale
        if (math.floor(bound / step) + 1) * step < end:
            return None
        return int(self.counts[self.buckets <= number].sum())

    def binned(self, step: float = 1) -> Binned:
        """The counts in bins that touch each other, empty ones between occupied buckets included.

        Values that are multiples of a `step`, in the unit in which they were counted, stand for all that are rounded to
        them: a bin reaches half a step beyond the first and the last value that its bucket may hold.
        """
        if not self.count:
            return Binned(np.array([0.0, 1.0]), np.zeros(1, dtype=np.int64))
        ends = np.unique(np.concatenate([self.buckets, self.buckets + 1]))
        counts = np.zeros(ends.size - 1, dtype=np.int64)
        counts[np.searchsorted(ends, self.buckets)] = self.counts
        edges = buckets.lower_edges(ends, self.digits)
        if step > 1:
            edges = np.maximum((np.ceil(edges / step) - 0.5) * step, 0)
            held = np.flatnonzero(np.diff(edges))
            # A bucket without a multiple is empty, and its bin has no width.
            edges, counts = np.append(edges[held], edges[-1]), counts[held]
        return Binned(edges * self.scale, counts)

    def table(self) -> Table:
        """Count, moments, extremes and quantiles, in the unit of the values."""
        rows = (("count", self.count), ("mean", self.mean), ("standard deviation", self.std), ("minimum", self.minimum))
        quantiles = tuple((f"p{100 * q:g}", self.quantile(q)) for q in _SHOWN)
        error = f"quantiles within {100 * self.relative_error:.2g} % of the sample's"
        note = f"the largest {self.tail.size:,} values are exact" if self.exact else "counted by the tool that wrote it"
        return Table("", ("", "value"), (*rows, *quantiles, ("maximum", self.maximum)), (f"{error}; {note}",))

    def to_dict(self) -> dict[str, Any]:
        """The same for machines; what is not defined is None."""
        names = ("mean", "std", "minimum", "maximum")
        numbers = {name: or_none(getattr(self, name)) for name in names}
        quantiles = {f"p{100 * q:g}": self.quantile(q) if self.count else None for q in _SHOWN}
        return {"count": self.count, **numbers, **quantiles, "relative_error": self.relative_error, "exact": self.exact}

    def plot(self) -> Chart:
        """Number of values in each bucket, over the value."""
        bins = self.binned()
        series = Series("values", tuple(bins.edges), (*(float(n) for n in bins.counts), math.nan), Kind.BARS)
        marks = tuple(Mark(self.quantile(q), f"p{100 * q:g}") for q in (0.5, 0.99)) if self.count else ()
        return Chart("Values by size", Axis("value", log=True), Axis("count"), (series,), marks)


def largest(values: Floats, limit: int) -> Floats:
    """The `limit` largest values in descending order; all of them if there are fewer. The argument stays as it is."""
    if limit == 0:
        return np.empty(0)
    kept = values if values.size <= limit else np.partition(values, values.size - limit)[values.size - limit :]
    descending: Floats = np.sort(kept)[::-1].copy()
    return descending


def _check_largest(array: Floats, name: str) -> None:
    if array.max() > _LARGEST:
        raise DataError(f"{name}: the largest is {array.max():g}, but none may be above {_LARGEST:g}")


def _check_tail(tail: int) -> None:
    if tail < 0:
        raise InputError(f"tail: {tail} is below 0")
