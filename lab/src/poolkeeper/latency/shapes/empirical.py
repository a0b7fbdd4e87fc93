"""The empirical distribution: which share of the responses took no longer, and which took longer, than each value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import InputError
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.present import Axis, Chart, Kind, Series, Table

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.latency.ordered.conversion import Values

_LEAST = 10
_ROWS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)


@dataclass(frozen=True, eq=False)
class Distribution:
    """The empirical CDF at some of the values: `cdf[k]` of all are at most `x[k]`; shapes (n,), both ascending.

    The first is the least value and the last the largest, whose CDF is 1. Each pair is exact; between them lie values
    that were left out.
    """

    x: Floats
    cdf: Floats
    count: int
    relative_error: float
    """Largest relative distance of `x` from the values of the data; 0 unless it was made from digests."""
    unit: str

    @property
    def ccdf(self) -> Floats:
        """The share of values above each `x`, shape (n,), from below 1 down to 0."""
        return np.maximum(0.0, 1 - self.cdf)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a reader."""
        error = f"values within {100 * self.relative_error:.2g} % of those of the data"
        return (error,) if self.relative_error else ()

    def table(self) -> Table:
        """A row a share."""
        unit = f" [{self.unit}]" if self.unit else ""
        shown = [share for share in _ROWS if self.count * (1 - share) >= 1 - 1e-9]
        places = np.minimum(np.searchsorted(self.cdf, np.array(shown) - 1e-12), self.x.size - 1)
        rows = tuple(
            (float(self.x[k]), 100 * float(self.cdf[k]), 100 * float(self.ccdf[k]))
            for k in sorted(set(places.tolist()))
        )
        return Table("Empirical distribution", (f"value{unit}", "at most [%]", "above [%]"), rows, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "count": self.count,
            "unit": self.unit,
            "x": self.x.tolist(),
            "cdf": self.cdf.tolist(),
            "ccdf": self.ccdf.tolist(),
            "relative_error": self.relative_error,
        }

    def plot(self) -> Chart:
        """The CCDF on logarithmic axes, where tails can be told apart; the largest value is not on it."""
        return self._chart("Share of slower responses (CCDF)", self.ccdf, "share above", log=True)

    def plot_cdf(self) -> Chart:
        """The CDF over a logarithmic axis of values."""
        return self._chart("Share of responses (CDF)", self.cdf, "share at most", log=False)

    def _chart(self, title: str, shares: Floats, label: str, *, log: bool) -> Chart:
        shown = shares > 0 if log else np.ones(shares.size, dtype=np.bool_)
        if self.x[0] >= 0 and (positive := self.x > 0).any():
            shown &= positive
        points = tuple(self.x[shown].tolist()), tuple(shares[shown].tolist())
        values = Axis("response time", self.unit, log=bool(self.x[0] >= 0 and self.x[-1] > 0))
        return Chart(title, values, Axis(label, log=log), (Series("values", *points, Kind.STEP),), notes=self.notes)


def distribution(values: Values, *, points: int = 1000, unit: str = "") -> Distribution:
    """The empirical distribution of values of any unit, in any order, at about so many of them, at least 10.

    Half of the points are spread evenly over the ranks, half over the logarithm of the number of larger values, so that
    the tail keeps its largest values one by one. No more than there are values. Raises InputError for fewer points.
    """
    if points < _LEAST:
        raise InputError(f"points: {points} is below {_LEAST}")
    data = in_order(values, independent=True)
    count = data.count
    if count <= points:
        ranks = np.arange(1, count + 1)
    else:
        even = np.linspace(1, count, points - points // 2)
        tail = count - np.expm1(np.linspace(0, math.log(count), points // 2))
        ranks = np.unique(np.clip(np.rint(np.concatenate((even, tail))), 1, count).astype(np.int64))
    x = np.unique(data.ordered(ranks))
    return Distribution(x, data.below(x) / count, count, data.relative_error, unit)
