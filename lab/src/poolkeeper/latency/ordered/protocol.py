"""Protocol of response times for all figures, whether every value is kept or counts of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.ordered.dependence import Dependence


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of all values: their mean, variance and skewness, and the dependence of neighbours.

    `skewness` is that of means over `batches` stretches long enough to depend little on each other.
    """

    mean: float
    variance: float
    dependence: Dependence
    skewness: float
    batches: int


class Ordered(Protocol):
    """Values in the order of time, all of them (Sample) or digests of one stretch after another (Stretches)."""

    @property
    def count(self) -> int:
        """Number of values."""

    @property
    def minimum(self) -> float:
        """The least value."""

    @property
    def maximum(self) -> float:
        """The largest value."""

    @property
    def relative_error(self) -> float:
        """Largest relative error of percentiles; 0 if all values are kept."""

    def error_of(self, percentile: float) -> float:
        """Largest error of a percentile, in the unit of the values; 0 if all are kept."""

    @property
    def refusal(self) -> str:
        """Why no figure can have an interval: their order in time is lost, or levels are mixed; empty if one can."""

    @property
    def change(self) -> str:
        """The step in their level by which values depend on each other, in words; empty if none is seen."""

    @property
    def identity(self) -> Scores:
        """The values themselves as scores."""

    @property
    def ranks(self) -> Dependence:
        """Dependence of the ranks of the values: the same for any scale, and blind to outliers."""

    def scores(self, score: Callable[[Floats], Floats]) -> Scores:
        """Scores that a function gives to values, shape (n,) to (n,)."""

    def ordered(self, ranks: ArrayLike) -> Floats:
        """The values of some ranks from 1 to the count, in ascending order."""

    def below(self, bounds: ArrayLike, *, inclusive: bool = True) -> Floats:
        """Number of values that are at most (or, not inclusive, less than) each bound."""

    def cumulative(self, bounds: ArrayLike) -> Floats:
        """Number of values less than each bound, those of a bucket taken as spread evenly over it."""


def skewness(values: Floats) -> float:
    """The third moment over the 3/2 power of the second; 0 for values that are all equal."""
    centred = values - values.mean()
    squares = centred * centred
    second = float(squares.mean())
    return float((squares * centred).mean()) / second**1.5 if second > 0 else 0.0
