"""Threshold of a power law: that with the least Kolmogorov-Smirnov distance, without a scan of them all.

A scan computes the distance at every distinct value from all values above: a cost of n squared. Here the distance at
a threshold is bounded from below by its largest deviation at few ranks; a threshold whose bound exceeds the least
distance known so far cannot win and is left out. What remains is looked at with ever more ranks, and at witnesses: the
distance of the most promising threshold is computed in full, and the value where it deviates most bounds its
neighbours, which deviate most at about the same value. The search ends when no threshold remains, so the one found is
the one that a full scan finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Integers
    from poolkeeper.latency.tails.upper import UpperTail

_FIRST_RANKS = 16
_FINER = 2
_SCOUTS = 16  # thresholds whose distance is computed before any is left out
_WITNESSES = 12  # a round
_BLOCK = 1 << 18  # deviations computed at a time: what fits into the caches


@dataclass(frozen=True, slots=True)
class Threshold:
    """The `count` largest values as a power law, and the distance of their distribution from it."""

    count: int
    distance: float


def distance(tail: UpperTail, count: int) -> float:
    """Kolmogorov-Smirnov distance between the `count` largest values and the Pareto distribution fitted to them.

    The empirical distribution is taken just below each value, as in the programs of Clauset, Shalizi and Newman, so
    that distances compare with theirs; it differs by at most 1 / count from the supremum over both sides.
    """
    return _farthest(tail, count)[1]


def closest(tail: UpperTail, least: int, below: float = np.inf) -> Threshold | None:
    """The threshold with the least distance, with at least `least` values from it up; None if all are `below` or more.

    With `below`, the search ends at the first distance found that is less: enough to know that there is one.
    """
    thresholds = tail.thresholds
    thresholds = thresholds[thresholds >= least]
    if not thresholds.size:
        return None
    best = Threshold(0, below)
    remaining = _Remaining(tail, thresholds)
    scouts = thresholds[np.unique(np.geomspace(1, thresholds.size, _SCOUTS).astype(np.int64)) - 1]
    for count in scouts:
        best = min(best, Threshold(int(count), distance(tail, int(count))), key=_by_distance)
        if best.count and np.isfinite(below):
            return best
    ranks = _FIRST_RANKS
    while not (best.count and np.isfinite(below)):
        remaining.look(ranks)
        remaining.keep(best.distance)
        for _ in range(_WITNESSES):
            if not remaining.counts.size:
                return best if best.count else None
            count = remaining.most_promising()
            rank, found = _farthest(tail, count)
            best = min(best, Threshold(count, found), key=_by_distance)
            remaining.witness(rank)
            remaining.keep(best.distance)
        ranks *= _FINER
    return best


class _Remaining:
    """Thresholds that could still win, each with a lower bound of its distance."""

    def __init__(self, tail: UpperTail, counts: Integers) -> None:
        self.tail = tail
        self.counts = counts
        self.index = tail.indices(counts)
        self.bounds = np.zeros(counts.size)

    def look(self, ranks: int) -> None:
        """Raise the bounds by the deviations at so many ranks spread over the values from each threshold up."""
        tail, steps = self.tail, np.arange(ranks)
        rows = max(1, _BLOCK // ranks)
        for start in range(0, self.counts.size, rows):
            block = slice(start, start + rows)
            k = self.counts[block, None]
            at = k * steps // ranks
            law = np.exp(-self.index[block, None] * (tail.logs[at] - tail.logs[k - 1]))
            seen = np.abs(tail.at_least[at] / k - law).max(axis=1)
            self.bounds[block] = np.maximum(self.bounds[block], seen)

    def witness(self, rank: int) -> None:
        """Raise the bounds by the deviation at one rank, of the thresholds that have it."""
        first = int(np.searchsorted(self.counts, rank, side="right"))
        k, tail = self.counts[first:], self.tail
        law = np.exp(-self.index[first:] * (tail.logs[rank] - tail.logs[k - 1]))
        self.bounds[first:] = np.maximum(self.bounds[first:], np.abs(tail.at_least[rank] / k - law))

    def keep(self, distance: float) -> None:
        """Leave out all thresholds that are as far or farther."""
        near = self.bounds < distance
        if not near.all():
            self.counts, self.index, self.bounds = self.counts[near], self.index[near], self.bounds[near]

    def most_promising(self) -> int:
        return int(self.counts[np.argmin(self.bounds)])


def _farthest(tail: UpperTail, count: int) -> tuple[int, float]:
    """The rank at which the `count` largest values deviate most from their power law, and by how much."""
    index = float(tail.indices(np.array([count]))[0])
    law = np.exp(index * (tail.logs[count - 1] - tail.logs[:count]))
    deviation = np.abs(tail.at_least[:count] / count - law)
    rank = int(np.argmax(deviation))
    return rank, float(deviation[rank])


def _by_distance(threshold: Threshold) -> float:
    return threshold.distance
