"""Counters that a stream of rows runs through: per group and bucket, moments per group, the largest values per group.

Each holds what is occupied only, takes batches in any order, and costs a few array operations a batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers

BUCKET_BITS = 28
"""Bits that number a bucket in a packed key: what digests of 5 digits need: 11 for the exponent, 17 of the mantissa."""

_DENSE = 1 << 22
_PAIRS = 1 << 20
_COMPACT = 1 << 22
_MOST_KEPT = 1 << 21


def distinct(groups: Integers, times: Integers, step: int) -> tuple[Integers, Integers, Integers] | None:
    """Each pair of group and time once, and how often it occurs; None where that would not save anything.

    Tools write whole milliseconds, so that half a million rows hold some thousand pairs, and everything else is worked
    out of these. `times` must be multiples of `step`, or None is returned.
    """
    units = times // step
    first, lowest = int(groups.min()), int(units.min())
    width, height = int(units.max()) - lowest + 1, int(groups.max()) - first + 1
    if width * height > max(_PAIRS, groups.size) or not np.array_equal(units * step, times):
        return None
    counts = np.bincount((groups - first) * width + (units - lowest))
    held = np.flatnonzero(counts)
    return held // width + first, (held % width + lowest) * step, counts[held]


class Counts:
    """Counts of each pair of group and bucket."""

    def __init__(self) -> None:
        self._keys: list[Integers] = []
        self._counts: list[Integers] = []
        self._pending = 0
        self._limit = _COMPACT

    def add(self, groups: Integers, numbers: Integers, weights: Integers | None = None) -> None:
        """Count one value for each pair, or `weights` of them; all of shape (n,)."""
        if not groups.size:
            return
        first, lowest = groups.min(), numbers.min()
        width, height = int(numbers.max() - lowest) + 1, int(groups.max() - first) + 1
        if width * height <= _affordable(groups.size):
            flat = (groups - first) * width + (numbers - lowest)
            # Weights below 2^53 are exact as the floats that bincount makes of them.
            dense = np.bincount(flat, weights)
            held = np.flatnonzero(dense)
            keys = ((held // width + first) << BUCKET_BITS) | (held % width + lowest)
            self._append(keys, dense[held].astype(np.int64))
        else:
            keys, place = np.unique((groups << BUCKET_BITS) | numbers, return_inverse=True)
            self._append(keys, np.bincount(place, weights).astype(np.int64))

    def _append(self, keys: Integers, counts: Integers) -> None:
        self._keys.append(keys)
        self._counts.append(counts)
        self._pending += keys.size
        if self._pending > self._limit:
            self.packed()
            self._limit = max(_COMPACT, 2 * self._pending)

    def packed(self) -> tuple[Integers, Integers]:
        """All pairs as ascending keys (group above `BUCKET_BITS`, bucket below), and their counts."""
        if not self._keys:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        if len(self._keys) > 1:
            keys, place = np.unique(np.concatenate(self._keys), return_inverse=True)
            counts = np.zeros(keys.size, np.int64)
            np.add.at(counts, place, np.concatenate(self._counts))
            self._keys, self._counts, self._pending = [keys], [counts], keys.size
        return self._keys[0], self._counts[0]


class Moments:
    """Count, mean, squared distances from the mean, extremes and sums of companions for each group.

    Batches are merged by the formula of Chan, Golub and LeVeque (1979), so that nothing cancels.
    """

    def __init__(self, companions: int = 0) -> None:
        self._columns = 6 + companions
        self._parts: list[Floats] = []
        self._pending = 0

    def add(
        self, groups: Integers, values: Floats, weights: Floats | None, paired: Integers, *companions: Floats
    ) -> None:
        """Take in values of shape (n,), each with weight one or `weights`, and sums of their companions.

        `companions` have shape (m,) and belong to the groups `beside`, which are the same groups.
        """
        if not groups.size:
            return
        first = groups.min()
        if int(groups.max() - first) < _affordable(groups.size):
            place, others, height = groups - first, paired - first, int(groups.max() - first) + 1
            names = np.arange(first, first + height)
        else:
            names, place = np.unique(groups, return_inverse=True)
            others, height = np.searchsorted(names, paired), names.size
        n = np.bincount(place, weights, height).astype(np.float64)
        weighted = values if weights is None else values * weights
        with np.errstate(invalid="ignore"):
            mean = np.bincount(place, weighted, height) / n
        apart = values - mean[place]
        squares = np.bincount(place, apart * apart if weights is None else apart * apart * weights, height)
        low, high = np.full(height, np.inf), np.full(height, -np.inf)
        np.minimum.at(low, place, values)
        np.maximum.at(high, place, values)
        sums = [np.bincount(others, companion, height) for companion in companions]
        held = n > 0
        self._parts.append(np.column_stack([names, n, mean, squares, low, high, *sums])[held])
        self._pending += int(held.sum())
        if self._pending > _COMPACT:
            self.rows()

    def rows(self) -> Floats:
        """One row a group, ascending: group, count, mean, squares, minimum, maximum, sums of companions."""
        if not self._parts:
            return np.empty((0, self._columns))
        if len(self._parts) > 1:
            self._parts = [combined(np.concatenate(self._parts))]
            self._pending = self._parts[0].shape[0]
        return self._parts[0]


def _affordable(rows: int) -> int:
    """Most cells of an array that is filled again for so many rows."""
    return min(_DENSE, 64 * rows + 4096)


def combined(parts: Floats) -> Floats:
    """One row for each group out of several, each as `Moments.rows` has them."""
    names, place = np.unique(parts[:, 0], return_inverse=True)
    height = names.size
    n, mean, squares = parts[:, 1], parts[:, 2], parts[:, 3]
    count = np.bincount(place, n, height)
    means = np.bincount(place, n * mean, height) / count
    apart = mean - means[place]
    spread = np.bincount(place, squares + n * apart * apart, height)
    low, high = np.full(height, np.inf), np.full(height, -np.inf)
    np.minimum.at(low, place, parts[:, 4])
    np.maximum.at(high, place, parts[:, 5])
    sums = [np.bincount(place, parts[:, column], height) for column in range(6, parts.shape[1])]
    return np.column_stack([names, count, means, spread, low, high, *sums])


class Tails:
    """The largest values of each group, exactly: fewer of each where there are many groups.

    Groups are small numbers from 0 on.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bounds = np.full(1, -1.0)
        self._groups: list[Integers] = []
        self._values: list[Floats] = []
        self._pending = 0

    def add(self, groups: Integers, values: Floats, counts: Integers | None = None) -> None:
        """Take in values of shape (n,), each once or `counts` times."""
        if not groups.size or not self._limit:
            return
        missing = int(groups.max()) + 1 - self._bounds.size
        if missing > 0:
            self._bounds = np.concatenate([self._bounds, np.full(missing, -1.0)])
            self._limit = max(1, min(self._limit, _MOST_KEPT // self._bounds.size))
        large = np.flatnonzero(values > self._bounds[groups])
        often = 1 if counts is None else np.minimum(counts[large], self._limit)
        self._groups.append(np.repeat(groups[large], often))
        self._values.append(np.repeat(values[large], often))
        self._pending += self._groups[-1].size
        if self._pending > 4 * self._limit * self._bounds.size:
            self._compact()

    def _compact(self) -> None:
        groups, values = np.concatenate(self._groups), np.concatenate(self._values)
        order = np.lexsort((-values, groups))
        groups, values = groups[order], values[order]
        starts = np.searchsorted(groups, np.arange(self._bounds.size))
        rank = np.arange(groups.size) - starts[groups]
        full = rank == self._limit - 1
        self._bounds[groups[full]] = values[full]
        kept = rank < self._limit
        self._groups, self._values, self._pending = [groups[kept]], [values[kept]], int(kept.sum())

    def kept(self) -> tuple[int, list[Floats]]:
        """Numbers of kept values of each group, and the values of each in descending order, by its number."""
        if not self._groups:
            return self._limit, [np.empty(0)] * self._bounds.size
        self._compact()
        ends = np.searchsorted(self._groups[0], np.arange(1, self._bounds.size))
        return self._limit, np.split(self._values[0], ends)
