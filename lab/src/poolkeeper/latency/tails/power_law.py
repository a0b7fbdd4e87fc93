"""The power law that describes the upper end of a sample best, and from which value on it does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import TooFewError
from poolkeeper.latency.tails.search import closest
from poolkeeper.latency.tails.search import distance as distance_of
from poolkeeper.present import Axis, Chart, Mark, Series, Table

if TYPE_CHECKING:
    from poolkeeper.latency.tails.upper import UpperTail

_POINTS = 400
LEAST = 10
"""Values that a power law is fitted to at least: with fewer the distance says nothing."""


@dataclass(frozen=True, eq=False)
class PowerLaw:
    """A Pareto distribution of the `count` largest values: P(X > x) = (count / total) (x / xmin)^-index from `xmin` up.

    `distance` is the Kolmogorov-Smirnov distance between the two; `error` the standard error of the index.
    """

    xmin: float
    index: float
    error: float
    distance: float
    count: int
    tail: UpperTail
    unit: str = ""

    @property
    def alpha(self) -> float:
        """Exponent of the density, index + 1, called alpha in the literature on power laws."""
        return self.index + 1

    @property
    def decades(self) -> float:
        """Powers of ten between xmin and the largest value: the range in which the power law was seen."""
        return math.log10(float(self.tail.values[0]) / self.xmin)

    @property
    def bounded(self) -> bool:
        """Whether the power law begins at the smallest value that is known exactly, so that it may begin lower."""
        return not self.tail.complete and self.count == int(self.tail.thresholds[-1])

    def table(self) -> Table:
        """Threshold, index with standard error, and distance from the data."""
        unit = f" ({self.unit})" if self.unit else ""
        rows = (
            (f"begins at{unit}", self.xmin),
            ("tail index", self.index),
            ("standard error of the index", self.error),
            ("exponent of the density (alpha)", self.alpha),
            ("values from there up", self.count),
            ("of all values (%)", 100 * self.count / self.tail.total),
            ("Kolmogorov-Smirnov distance", self.distance),
            ("decades seen", self.decades),
        )
        return Table("Power law", ("", "value"), rows)

    def to_dict(self) -> dict[str, Any]:
        """All that the table shows."""
        return {
            "xmin": self.xmin,
            "index": self.index,
            "error": self.error,
            "alpha": self.alpha,
            "distance": self.distance,
            "count": self.count,
            "total": self.tail.total,
            "decades": self.decades,
            "unit": self.unit,
        }

    def plot(self) -> Chart:
        """The complementary distribution on logarithmic axes, with the power law over it."""
        tail = self.tail
        at = np.unique(np.geomspace(1, tail.size, _POINTS).astype(np.int64))[::-1] - 1
        share = self.count / tail.total
        ends = (self.xmin, float(tail.values[0]))
        return Chart(
            "Complementary distribution",
            Axis("value", self.unit, log=True),
            Axis("share of larger values", log=True),
            (
                Series("measured", tuple(tail.values[at].tolist()), tuple((tail.at_least[at] / tail.total).tolist())),
                Series(
                    f"power law {self.index:.3g}", ends, tuple(share * (x / self.xmin) ** -self.index for x in ends)
                ),
            ),
            (Mark(self.xmin, "power law begins"),),
        )


def power_law(tail: UpperTail, *, least: int = LEAST, unit: str = "") -> PowerLaw:
    """The power law with the threshold of least distance, among those with at least `least` values from them up.

    Clauset, Shalizi and Newman (2009), section 3.3, for continuous values, by a search that leaves out no threshold
    that could win. A power law is always found; whether it fits is for `goodness` and `compare` to say. Raises
    TooFewError if fewer than `least` values lie above a distinct one.
    """
    found = closest(tail, least)
    if found is None:
        raise TooFewError("values", tail.size, least + 1)
    return power_law_of(tail, found.count, distance=found.distance, unit=unit)


def power_law_of(tail: UpperTail, count: int, *, distance: float | None = None, unit: str = "") -> PowerLaw:
    """The power law of the `count` largest values, whose `distance` is computed unless it is known."""
    index = float(tail.indices(np.array([count]))[0])
    return PowerLaw(
        xmin=float(tail.values[count - 1]),
        index=index,
        error=index / math.sqrt(count),
        distance=distance_of(tail, count) if distance is None else distance,
        count=count,
        tail=tail,
        unit=unit,
    )
