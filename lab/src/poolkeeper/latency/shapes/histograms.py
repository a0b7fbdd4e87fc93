"""Response times counted in bins of equal width, or of equal width on a logarithmic scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.figures.percentiles import name, nearest_rank
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.ordered.conversion import Values
    from poolkeeper.latency.ordered.protocol import Ordered

Scale = Literal["log", "linear"]

_MARKED = (50.0, 90.0, 99.0, 99.9)
_DECADE = 20
"""Logarithmic bins to a factor of ten, as long as there are neither fewer than `_FEWEST` nor more than `_MOST`."""
_FEWEST, _MOST = 10, 200
_LIMIT = 100_000


@dataclass(frozen=True, eq=False)
class Histogram:
    """`counts[k]` values in [`edges[k]`, `edges[k + 1]`), the last bin with its upper edge; in the unit of the data.

    Shapes: edges (n + 1,), counts (n,). `zeros` values of 0 have no place on a logarithmic scale and are in no bin.
    """

    edges: Floats
    counts: Integers
    scale: Scale
    zeros: int
    relative_error: float
    """Largest relative distance of a value from its bin's edges; 0 unless it was made from digests."""
    percentiles: dict[float, float]
    """Percentiles worth a mark, in percent, to values."""
    unit: str

    @property
    def total(self) -> int:
        """All values, zeros included."""
        return int(self.counts.sum()) + self.zeros

    @property
    def density(self) -> Floats:
        """Share of all values per unit of the data, shape (n,): the heights over a linear axis."""
        found: Floats = self.counts / (self.total * np.diff(self.edges))
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a reader."""
        zeros = (f"{self.zeros:,} values of 0 are in no bin of a logarithmic scale",) if self.zeros else ()
        near = (f"values lie within {100 * self.relative_error:.2g} % of their bins",) if self.relative_error else ()
        return zeros + near

    def table(self) -> Table:
        """A row a bin."""
        unit = f" [{self.unit}]" if self.unit else ""
        total = self.total
        rows = tuple(
            (low, high, int(count), 100 * count / total)
            for low, high, count in zip(self.edges[:-1].tolist(), self.edges[1:].tolist(), self.counts, strict=True)
        )
        return Table("Histogram", (f"from{unit}", "to", "count", "share [%]"), rows, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "scale": self.scale,
            "unit": self.unit,
            "edges": self.edges.tolist(),
            "counts": self.counts.tolist(),
            "zeros": self.zeros,
            "relative_error": self.relative_error,
            "percentiles": {name(p): value for p, value in self.percentiles.items()},
        }

    def plot(self) -> Chart:
        """The counts as bars, with marks at percentiles."""
        bars = Series("values", tuple(self.edges.tolist()), (*self.counts.tolist(), math.nan), Kind.BARS)
        return Chart(
            "Histogram",
            Axis("response time", self.unit, log=self.scale == "log"),
            Axis("count"),
            (bars,),
            tuple(Mark(value, name(p)) for p, value in self.percentiles.items()),
            self.notes,
        )


def histogram(values: Values, *, bins: int | None = None, scale: Scale = "log", unit: str = "") -> Histogram:
    """Count values of any unit in bins from the least one (on a logarithmic scale: above 0) to the largest.

    Without a number of `bins` there are 20 to a factor of ten on a logarithmic scale, and on a linear one as many as
    Freedman and Diaconis (1981) find right, 2 IQR / n^(1/3) wide; from 10 to 200. Order does not matter.
    Raises DataError for negative values on a logarithmic scale, InputError for another scale or number of bins.
    """
    if scale not in {"log", "linear"}:
        raise InputError(f"scale: {scale!r} is neither 'log' nor 'linear'")
    if bins is not None and not 1 <= bins <= _LIMIT:
        raise InputError(f"bins: {bins} is not from 1 to {_LIMIT:,}")
    data = in_order(values, independent=True)
    zeros = 0
    if scale == "log":
        negative = int(data.below([0.0], inclusive=False)[0])
        if negative:
            raise DataError(f"values: {negative:,} of {data.count:,} are negative: choose the linear scale")
        zeros = int(data.below([0.0])[0])
        if zeros == data.count:
            raise DataError(f"values: all {zeros:,} are 0: choose the linear scale")
    low, high = float(data.ordered([zeros + 1])[0]), data.maximum
    if scale == "linear" or zeros == 0:
        low = data.minimum
    edges = _edges(data, low, high, bins, scale)
    below = data.cumulative(edges)
    below[-1] = data.count
    below[0] = zeros
    marked = {
        p: float(data.ordered([nearest_rank(p / 100, data.count)])[0])
        for p in _MARKED
        if data.count * (100 - p) >= 100  # noqa: PLR2004 - percent
    }
    return Histogram(edges, np.diff(np.rint(below)).astype(np.int64), scale, zeros, data.relative_error, marked, unit)


def _edges(data: Ordered, low: float, high: float, bins: int | None, scale: Scale) -> Floats:
    if low == high:
        aside = abs(low) * 1e-6 or 1.0
        return np.array([low, high + aside])
    if scale == "log":
        wanted = math.ceil(_DECADE * (math.log10(high) - math.log10(low)))
    else:
        quarter, three = data.ordered([nearest_rank(part, data.count) for part in (0.25, 0.75)]).tolist()
        width = 2 * (three - quarter) / data.count ** (1 / 3)
        wanted = math.ceil(min((high - low) / width, _MOST)) if width > 0 else _MOST
    number = bins or min(max(wanted, _FEWEST), _MOST)
    edges = np.geomspace(low, high, number + 1) if scale == "log" else np.linspace(low, high, number + 1)
    edges[0], edges[-1] = low, high
    if not np.all(np.diff(edges) > 0):
        raise InputError(f"bins: {number:,} between {low:g} and {high:g} are narrower than numbers can tell apart")
    return edges
