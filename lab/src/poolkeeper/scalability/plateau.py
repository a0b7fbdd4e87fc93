"""Levels of load at which the throughput stays the same, as where a pool is full: none of the scalability laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from poolkeeper.present.numbers import amount

if TYPE_CHECKING:
    from poolkeeper.scalability._estimate import Fits
    from poolkeeper.scalability.law import Law

_LEAST, _SCATTER = 3, 0.025
"""Levels at which a throughput is seen to stay, and its largest relative standard deviation there."""
_CHANGES = 1.1
"""Largest over least throughput of a law that clearly changes there."""
_WIDE = 1.5
"""Highest over lowest of these levels from which a law that hardly changes is doubted too."""
_BETTER = 4.0
"""F value above which a law describes the levels better than a constant, and does not only follow their scatter."""


@dataclass(frozen=True, slots=True)
class Plateau:
    """The highest levels, between which the throughput stays the same."""

    first: float
    last: float
    throughput: float
    contradicts: bool
    """Whether the law clearly changes there."""

    @classmethod
    def of(cls, law: Law, fits: Fits) -> Self | None:
        """Find it; None where the throughput changes, or where the law describes it better than a constant."""
        levels, place = np.unique(fits.levels, return_inverse=True)
        means = np.bincount(place, fits.data[0]) / np.bincount(place)
        for first in range(levels.size - _LEAST + 1):
            flat, fitted = means[first:], law.throughput(levels[first:])
            if flat.std(ddof=1) > _SCATTER * flat.mean():
                continue
            contradicts = bool(fitted.max() > _CHANGES * fitted.min())
            if not contradicts and levels[-1] < _WIDE * levels[first]:
                return None
            squares, scatter = (float(((flat - level) ** 2).sum()) for level in (fitted, flat.mean()))
            if (scatter - squares) * (flat.size - 1) > _BETTER * squares:
                return None
            return cls(float(levels[first]), float(levels[-1]), float(flat.mean()), contradicts)
        return None

    def ends(self, load: str) -> str:
        """The levels in words."""
        return f"from {amount(self.first)} to {amount(self.last)} {load}"

    @property
    def reason(self) -> str:
        """Doubt about the law that it raises."""
        if self.contradicts:
            return (
                "a bound that is reached all at once, as by a pool that is full, is none of these laws, so that neither"
                " knee nor peak nor limit of the law holds"
            )
        return "a constant describes that as well as the law, of which neither peak nor limit is seen"
