"""The density of response times, estimated with a Gaussian kernel.

Response times are not negative and spread over decades, so that the kernel runs over their logarithm: no mass leaks
below 0, and the tail is smoothed as much wider as it is sparser. On the linear scale the kernel is reflected at the
ends of the grid, 0 among them [1]. The bandwidth solves the fixed point of the improved Sheather-Jones plug-in [1],
which does not take the data for normal and so keeps the peaks of a mixture apart.

Values that were rounded, to milliseconds say, would be a comb of spikes. Each is spread evenly over what it stands for,
and the kernel is no narrower than half of that at the first decile of the values.

[1] Botev, Grotowski, Kroese: Kernel density estimation via diffusion, Annals of Statistics 38(5), 2010.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import DataError, InputError, TooFewError
from poolkeeper.latency.figures.percentiles import nearest_rank
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.present import Axis, Chart, Series, Table

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.latency.ordered.conversion import Values
    from poolkeeper.latency.ordered.protocol import Ordered
    from poolkeeper.latency.shapes.histograms import Scale

_GRID = 4096
_SHOWN = 512
_LEAST = 50
"""Fewer values have no shape to show."""
_STAGES = 7
"""Derivatives of the plug-in rule, as in [1]."""

_MOST_CELLS = 1_000_000
"""Of more steps than that none is wider than a bin."""

_WHOLE = 1.0
"""Squared bandwidth, relative to the grid, of a kernel that is as wide as all of it."""


@dataclass(frozen=True, eq=False)
class Density:
    """The density `y`, per unit of the data, at `x`, both of shape (n,); its integral over all values is 1.

    `bandwidth` is the kernel's standard deviation: in the unit of the data on the linear scale, on the logarithmic one
    in natural logarithms, so that a kernel reaches from x / e^b to x e^b.
    """

    x: Floats
    y: Floats
    bandwidth: float
    rule: str
    """Rule by which the bandwidth was found."""
    scale: Scale
    unit: str

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a reader."""
        if self.scale == "log":
            wide = f"a factor of {math.exp(self.bandwidth):.3g} ({self.bandwidth:.3g} in natural logarithms)"
        else:
            wide = f"{self.bandwidth:.3g} {self.unit}".rstrip()
        return (f"Gaussian kernel, bandwidth {wide}, {self.rule}",)

    def table(self) -> Table:
        """Peaks of the density, the highest first."""
        inner = np.flatnonzero((self.y[1:-1] > self.y[:-2]) & (self.y[1:-1] >= self.y[2:])) + 1
        peaks = inner[np.argsort(-self.y[inner])]
        unit = f" [{self.unit}]" if self.unit else ""
        rows = tuple((float(self.x[k]), float(self.y[k])) for k in peaks if self.y[k] > 0.01 * self.y.max())
        return Table("Density: its peaks", (f"value{unit}", "density"), rows, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "x": self.x.tolist(),
            "density": self.y.tolist(),
            "bandwidth": self.bandwidth,
            "rule": self.rule,
            "scale": self.scale,
            "unit": self.unit,
        }

    def plot(self) -> Chart:
        """The density per factor of e on the logarithmic scale, so that equal areas are equal shares; else per unit."""
        log = self.scale == "log"
        heights = self.y * self.x if log else self.y
        return Chart(
            "Density",
            Axis("response time", self.unit, log=log),
            Axis("density per factor of e" if log else "density", "" if log or not self.unit else f"1/{self.unit}"),
            (Series("density", tuple(self.x.tolist()), tuple(heights.tolist())),),
            notes=self.notes,
        )


def density(
    values: Values,
    *,
    bandwidth: float | None = None,
    scale: Scale = "log",
    step: float | None = None,
    unit: str = "",
) -> Density:
    """The density of at least 50 values of any unit, in any order.

    `step`, above 0, says that the values are multiples of it; where it is not given, rounding is seen in values that
    are all kept, and not in digests.

    A given `bandwidth` is in the unit of the data on the linear scale, in natural logarithms on the logarithmic one,
    above 0. Raises TooFewError for fewer values, DataError for values that are all equal and on the logarithmic scale
    for zeros and negatives, InputError for another scale, bandwidth or step.
    """
    if scale not in {"log", "linear"}:
        raise InputError(f"scale: {scale!r} is neither 'log' nor 'linear'")
    if bandwidth is not None and not (bandwidth > 0 and math.isfinite(bandwidth)):
        raise InputError(f"bandwidth: {bandwidth:g} is not above 0")
    if step is not None and not (step > 0 and math.isfinite(step)):
        raise InputError(f"step: {step:g} is not above 0")
    data = in_order(values, independent=True)
    if data.count < _LEAST:
        raise TooFewError("values", data.count, _LEAST)
    if scale == "log" and data.minimum <= 0:
        wrong = int(data.below([0.0])[0])
        raise DataError(f"values: {wrong:,} of {data.count:,} are not positive: choose the linear scale")
    if data.minimum == data.maximum:
        raise DataError(f"values: all {data.count:,} are equal: there is no density")
    edges = _grid(data, scale)
    cells = _cells(data, step)
    counts = _counts(data, np.exp(edges) if scale == "log" else edges, cells)
    bin_ = float(edges[1] - edges[0])
    wide, rule = (bandwidth, "as given") if bandwidth is not None else _bandwidth(data, counts, bin_, scale)
    if bandwidth is None and cells is not None and wide < (least := _half(data, cells, scale)):
        wide, rule = least, "half of the step in which values were rounded"
    middles = (edges[:-1] + edges[1:]) / 2
    heights = _smoothed(counts / (data.count * bin_), wide / (bin_ * _GRID))
    # Means over neighbours, so that no peak falls between the points that are shown.
    shown, y = (values.reshape(_SHOWN, -1).mean(axis=1) for values in (middles, np.maximum(heights, 0.0)))
    x = np.exp(shown) if scale == "log" else shown
    return Density(x, y / x if scale == "log" else y, wide, rule, scale, unit)


def _grid(data: Ordered, scale: Scale) -> Floats:
    """Edges of narrow bins over the data and a tenth of its range beyond, but not beyond 0."""
    low, high = data.minimum, data.maximum
    if scale == "log":
        low, high = math.log(low), math.log(high)
    beyond = (high - low) / 10
    start = 0.0 if scale == "linear" and 0 <= low <= beyond else low - beyond
    return np.linspace(start, high + beyond, _GRID + 1)


def _cells(data: Ordered, step: float | None) -> tuple[Floats, Floats] | None:
    """Lower and upper ends of what each rounded value stands for, ascending; None where values are fine enough."""
    from poolkeeper.latency.fits.resolution import Resolution, resolution

    if step is not None:
        first, last = math.floor(data.minimum / step), math.ceil(data.maximum / step)
        if last - first > _MOST_CELLS:
            return None
        return Resolution(step=step).cells(step * np.arange(first, last + 1, dtype=np.float64))
    if data.relative_error or data.minimum < 0:
        return None
    ascending = data.ordered(np.arange(1, data.count + 1))
    found = resolution(ascending)
    return None if found is None else found.cells(np.unique(ascending))


def _counts(data: Ordered, edges: Floats, cells: tuple[Floats, Floats] | None) -> Floats:
    """Values between edges, those of a cell spread evenly over it."""
    if cells is None:
        return np.diff(data.cumulative(edges))
    ends = np.stack(cells, axis=1).ravel()
    below = np.interp(edges, ends, data.cumulative(ends))
    below[0], below[-1] = 0, data.count
    return np.diff(below)


def _half(data: Ordered, cells: tuple[Floats, Floats], scale: Scale) -> float:
    """Half of the cell that holds the first decile, relative to it on the logarithmic scale."""
    decile = float(data.ordered([nearest_rank(0.1, data.count)])[0])
    place = min(int(np.searchsorted(cells[1], decile)), cells[1].size - 1)
    half = float(cells[1][place] - cells[0][place]) / 2
    return half / decile if scale == "log" else half


def _bandwidth(data: Ordered, counts: Floats, step: float, scale: Scale) -> tuple[float, str]:
    """The bandwidth of the plug-in rule, or of Silverman's rule of thumb where it has no solution."""
    from scipy.fft import dct
    from scipy.optimize import brentq

    squares = (dct(counts / data.count)[1:] / 2) ** 2
    waves: Floats = np.arange(1, _GRID, dtype=np.float64) ** 2

    def excess(time: float) -> float:
        return time - _stage(time, data.count, waves, squares)

    # Narrower than the grid, or than the digests' buckets, there is nothing to see.
    least = max(1 / _GRID, 2 * data.relative_error / (step * _GRID) if scale == "log" else 0.0)
    try:
        found = math.sqrt(float(brentq(excess, 1e-12, 0.1)))
        rule = "improved Sheather-Jones"
    except ValueError:
        quartiles = data.ordered([nearest_rank(part, data.count) for part in (0.25, 0.75)])
        apart = float(np.diff(np.log(quartiles) if scale == "log" else quartiles)[0])
        places = np.arange(_GRID)
        mean = counts @ places / data.count
        spread = math.sqrt(float(counts @ (places - mean) ** 2) / data.count) * step
        narrow = min(spread, apart / 1.34) if apart > 0 else spread
        found, rule = 0.9 * narrow * data.count**-0.2 / (step * _GRID), "Silverman's rule of thumb"
    return max(found, least) * step * _GRID, rule


def _stage(time: float, count: int, waves: Floats, squares: Floats) -> float:
    """The right side of the fixed point for the squared bandwidth, relative to the grid: equation 29 of [1]."""

    def roughness(order: int, at: float) -> float:
        return 2 * math.pi ** (2 * order) * float(waves**order @ (squares * np.exp(-waves * math.pi**2 * at)))

    norm = roughness(_STAGES, time)
    for order in range(_STAGES - 1, 1, -1):
        if norm == 0:  # so wide a kernel leaves nothing of a few regular steps
            return _WHOLE
        odd = math.prod(range(1, 2 * order, 2)) / math.sqrt(2 * math.pi)
        constant = (1 + 0.5 ** (order + 0.5)) / 3
        norm = roughness(order, (2 * constant * odd / (count * norm)) ** (2 / (3 + 2 * order)))
    return float((2 * count * math.sqrt(math.pi) * norm) ** -0.4) if norm else _WHOLE


def _smoothed(heights: Floats, bandwidth: float) -> Floats:
    """Heights under a Gaussian kernel of a width relative to the grid, reflected at both of its ends."""
    from scipy.fft import dct, idct

    waves = np.arange(heights.size) ** 2.0
    found: Floats = idct(dct(heights) * np.exp(-waves * (math.pi * bandwidth) ** 2 / 2))
    return found
