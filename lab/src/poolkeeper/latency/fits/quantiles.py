"""Quantiles of the data against quantiles of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.latency.fits.data import Values
from poolkeeper.present import Axis, Chart, Kind, Series, Table

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.fits.data import Data
    from poolkeeper.latency.fits.distribution import Distribution

_DRAWN = 1000


@dataclass(frozen=True, eq=False)
class QuantilePlot:
    """Sorted data beside the quantiles of fits at (i - 1/2) / n, i from 1 to n, in the unit of the data.

    Of values there are as many points as values, the first and the last among them; of counts one for each cell.
    """

    seen: Floats
    """Shape (n,)."""
    fitted: dict[str, Floats]
    """Name of the distribution to its quantiles, shape (n,)."""
    unit: str = ""

    def table(self) -> Table:
        """Some of the points: the smallest, quartiles, the largest."""
        places = np.unique(np.linspace(0, self.seen.size - 1, 5).astype(np.int64))
        columns = ("data", *self.fitted)
        rows = tuple(tuple(float(values[k]) for values in (self.seen, *self.fitted.values())) for k in places)
        return Table("Quantiles of the data and of the fits", columns, rows)

    def to_dict(self) -> dict[str, Any]:
        """All points."""
        return {"data": self.seen.tolist(), "fits": {name: values.tolist() for name, values in self.fitted.items()}}

    def plot(self) -> Chart:
        """The points on logarithmic axes: all, or of more than ten thousand those that a screen can tell apart.

        The smallest, the largest and the thousand nearest to each end are always drawn.
        """
        places = _drawn(self.seen)
        notes: tuple[str, ...] = ()
        if places.size < self.seen.size:
            notes = (
                f"{places.size:,} of {self.seen.size:,} points are drawn: all at the ends, between them those apart",
            )
        log = bool(self.seen[0] > 0 and all(values[0] > 0 for values in self.fitted.values()))
        series = []
        for name, values in self.fitted.items():
            x = values[places]
            finite = np.isfinite(x)
            series.append(
                Series(name, tuple(x[finite].tolist()), tuple(self.seen[places][finite].tolist()), Kind.POINTS)
            )
        ends = (float(self.seen[0]), float(self.seen[-1]))
        series.append(Series("equal", ends, ends, Kind.LINE))
        return Chart(
            "Quantiles of the data against the fits",
            Axis("fit", self.unit, log),
            Axis("data", self.unit, log),
            tuple(series),
            (),
            notes,
        )


def quantile_plot(data: Data, distributions: list[Distribution], unit: str = "") -> QuantilePlot:
    """Q-Q points of all values (or cells) for some fitted distributions."""
    if isinstance(data, Values):
        seen = data.ordered * data.unit
        p = (np.arange(data.size) + 0.5) / data.size
    else:
        x, weights = data.points()
        seen = x * data.unit
        p = (np.cumsum(weights) - weights / 2) / data.size
    places = np.arange(p.size) if p.size <= _EXACT else _drawn(seen)
    return QuantilePlot(
        seen, {distribution.name: _between(distribution, p, places) for distribution in distributions}, unit
    )


_EXACT = 10 * _DRAWN


def _between(distribution: Distribution, p: Floats, places: Integers) -> Floats:
    found = distribution.ppf(p[places])
    return found if places.size == p.size else np.interp(p, p[places], found)


def _drawn(seen: Floats) -> Integers:
    if seen.size <= _EXACT:
        return np.arange(seen.size)
    inner = np.linspace(0, seen.size - 1, _DRAWN)
    marks = np.searchsorted(seen, np.linspace(seen[0], seen[-1], _DRAWN))
    ends = np.arange(_DRAWN)
    return np.unique(
        np.concatenate([ends, inner, np.minimum(marks, seen.size - 1), seen.size - 1 - ends]).astype(np.int64)
    )
