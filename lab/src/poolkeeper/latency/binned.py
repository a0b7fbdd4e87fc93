"""Counts of values in bins: what is left of data too large to keep, and of histograms that tools write."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.errors import DataError

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class Binned:
    """Non-negative values counted in bins: `counts[k]` of them in [`edges[k]`, `edges[k + 1]`).

    Shapes: edges (n + 1,), ascending, from 0 on; counts (n,). Bins may be of any width; HdrHistogram's are a valid
    choice, and so are logarithmic ones. Raises DataError for other shapes, edges that do not ascend, negative counts.
    """

    edges: Floats
    counts: Integers

    def __post_init__(self) -> None:
        if self.edges.ndim != 1 or self.counts.shape != (self.edges.size - 1,):
            raise DataError(f"bins: {self.edges.shape} edges do not fit {self.counts.shape} counts")
        if not (np.all(np.isfinite(self.edges)) and np.all(np.diff(self.edges) > 0) and self.edges[0] >= 0):
            raise DataError("bins: the edges must be finite, not negative, and ascend")
        if self.counts.size and self.counts.min() < 0:
            raise DataError(f"bins: a count of {self.counts.min()} is negative")

    @cached_property
    def total(self) -> int:
        """Values counted."""
        return int(self.counts.sum())

    @cached_property
    def middles(self) -> Floats:
        """Middle of each bin, shape (n,): what stands for its values, at most half a bin's width from them."""
        middles: Floats = (self.edges[:-1] + self.edges[1:]) / 2
        return middles

    @cached_property
    def relative_error(self) -> float:
        """Largest distance of a value from its bin's middle, relative to the value, over bins that hold any.

        Infinite where values lie in a bin that begins at 0; 0 without values.
        """
        held = self.counts > 0
        low, middle = self.edges[:-1][held], self.middles[held]
        if not low.size:
            return 0.0
        if low[0] == 0:
            return float("inf")
        return float(((middle - low) / low).max())

    def filled(self) -> Binned:
        """The same from the first bin that holds a value to the last one; itself if that leaves out nothing."""
        held = np.flatnonzero(self.counts)
        if not held.size or held.size == self.counts.size:
            return self
        first, last = held[0], held[-1]
        return Binned(self.edges[first : last + 2], self.counts[first : last + 1])
