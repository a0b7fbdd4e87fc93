"""Mass-count disparity of a sample: a typical request is short, a typical second is spent in a long one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import fraction, generator, vector
from poolkeeper.errors import DataError, TooFewError
from poolkeeper.latency.binned import Binned
from poolkeeper.latency.tails.lorenz import Disparity, Lorenz
from poolkeeper.latency.tails.resample import MEASURES, intervals
from poolkeeper.present import Axis, Cell, Chart, Mark, Series, Table

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.figures.estimate import Estimate

_POINTS = 400  # of the curve that a chart draws


@dataclass(frozen=True, eq=False)
class MassCount:
    """Inequality of the values of a sample in their sum."""

    count: int
    disparity: Disparity
    count_median: float
    """Half of the values are no larger; in the unit of the values."""
    mass_median: float
    """Values up to this one make up half of the sum; in the unit of the values."""
    lorenz: Lorenz
    intervals: dict[str, Estimate]
    """Of each measure by its name, or why there is none; empty without replicates."""
    binning: tuple[Disparity, Disparity] | None
    """Lowest and highest measures that values in these bins can have; None for values that are known exactly."""
    unit: str = ""

    @property
    def distance(self) -> float:
        """The m-m distance: from the median of the count to that of the mass, in the unit of the values."""
        return self.mass_median - self.count_median

    def table(self) -> Table:
        """The measures, their meanings, and their uncertainty for values counted in bins."""
        shown = [self.intervals.get(name) for name in MEASURES]
        columns: tuple[str, ...] = ("measure", "value", "meaning")
        if any(found is not None and found.has_interval for found in shown):
            columns = ("measure", "value", "from", "to", "meaning")
        cells = [self._row(row, bounded="from" in columns) for row in self._meanings()]
        notes = [f"{self.count:,} values; smaller joint ratio, N1/2 and W1/2 and a larger Gini mean a heavier tail"]
        if self.binning:
            low, high = self.binning
            notes.append(
                "values counted in bins: Gini between "
                f"{low.gini:.4g} and {high.gini:.4g}, joint ratio {low.joint:.4g} to {high.joint:.4g}, "
                f"N1/2 {low.n_half:.4g} to {high.n_half:.4g}, W1/2 {low.w_half:.4g} to {high.w_half:.4g}"
            )
        notes.extend(sorted({found.why for found in shown if found is not None and found.why}))
        return Table("Mass-count disparity", columns, tuple(cells), tuple(notes))

    def _meanings(self) -> list[tuple[str, str, float, str]]:
        disparity, unit = self.disparity, f" ({self.unit})" if self.unit else ""
        return [
            ("gini", "Gini coefficient", disparity.gini, "0: all equal; 1: one value is the whole sum"),
            (
                "joint",
                "joint ratio p",
                disparity.joint,
                f"the largest {disparity.joint:.3g} % hold {100 - disparity.joint:.3g} % of the sum",
            ),
            ("n_half", "N1/2 (%)", disparity.n_half, "of the values, the largest ones, make half of the sum"),
            ("w_half", "W1/2 (%)", disparity.w_half, "of the sum is in the smaller half of the values"),
            ("", f"m-m distance{unit}", self.distance, "from the count's median to the mass's"),
        ]

    def _row(self, row: tuple[str, str, float, str], *, bounded: bool) -> tuple[Cell, ...]:
        key, label, value, meaning = row
        found = self.intervals.get(key)
        ends = (found.low, found.high) if found is not None and found.has_interval else (None, None)
        return (label, value, *(ends if bounded else ()), meaning)

    def to_dict(self) -> dict[str, Any]:
        """The measures, percentages from 0 to 100, and the bounds that bins leave, or None."""
        return {
            "count": self.count,
            **asdict(self.disparity),
            "joint_ratio": self.disparity.joint_ratio,
            "count_median": self.count_median,
            "mass_median": self.mass_median,
            "mm_distance": self.distance,
            "intervals": {name: interval.to_dict() for name, interval in self.intervals.items()},
            "binning": None if self.binning is None else [asdict(disparity) for disparity in self.binning],
            "unit": self.unit,
        }

    def plot(self) -> Chart:
        """The Lorenz curve and the diagonal of equal values."""
        at = np.unique(np.linspace(0, self.lorenz.shares.size - 1, _POINTS).astype(np.int64))
        shares, masses = 100 * self.lorenz.shares[at], 100 * self.lorenz.masses[at]
        return Chart(
            "Lorenz curve",
            Axis("values, the smallest first", "%"),
            Axis("share of the sum", "%"),
            (
                Series("measured", tuple(shares.tolist()), tuple(masses.tolist())),
                Series("all equal", (0.0, 100.0), (0.0, 100.0)),
            ),
            (Mark(100 - self.disparity.n_half, "half of the sum"), Mark(50, "half of the values")),
        )


def mass_count(  # noqa: PLR0913 - all but the first have a default
    values: ArrayLike | Binned,
    *,
    unit: str = "",
    confidence: float = 0.95,
    replicates: int = 0,
    seed: int | Generator = 0,
    name: str = "values",
) -> MassCount:
    """Mass-count disparity of values, shape (n,), any order and unit, not negative; or of values counted in bins.

    Exact for values. For bins each value stands in the middle of its bin, and the bounds that this leaves are in
    `binning`. With `replicates` (200 are enough), intervals by resampling, where the data can carry them. Raises
    DataError for negatives, for no finite numbers and if all are zero; TooFewError below two values.
    """
    given, counts, bounds = _counted(values, name)
    curve = Lorenz.of(given, counts)
    estimates: dict[str, Estimate] = {}
    if replicates:
        share = fraction(confidence, "confidence")
        estimates = intervals(given, counts, confidence=share, replicates=replicates, random=generator(seed))
    return MassCount(
        int(counts.sum()),
        curve.disparity(),
        _reached(given, curve.shares),
        _reached(given, curve.masses),
        curve,
        estimates,
        bounds,
        unit,
    )


def _counted(values: ArrayLike | Binned, name: str) -> tuple[Floats, Floats, tuple[Disparity, Disparity] | None]:
    """Ascending values, how often each occurs, and what bins leave open of the measures."""
    if isinstance(values, Binned):
        return _from_bins(values, name)
    array = np.sort(vector(values, name, least=2))
    if array[0] < 0:
        raise DataError(f"{name}: {np.count_nonzero(array < 0)} of {array.size} values are negative")
    if array[-1] == 0:
        raise DataError(f"{name}: all {array.size} values are 0, so they have no sum to share")
    return array, np.ones(array.size), None


def _from_bins(binned: Binned, name: str) -> tuple[Floats, Floats, tuple[Disparity, Disparity]]:
    if binned.total < 2:  # noqa: PLR2004 - one value has nothing to be compared with
        raise TooFewError(name, binned.total, 2)
    held = binned.counts > 0
    values, counts = binned.middles[held], binned.counts[held].astype(np.float64)
    halves = (np.diff(binned.edges) / 2)[held]
    # The sum of the values up to any one, and of all, are each known up to the half widths of all bins together.
    spread = float(halves @ counts) / float(values @ counts)
    error = 2 * spread / (1 - spread) if spread < 1 else 1.0
    curve = Lorenz.of(values, counts)
    heavier, lighter = (curve.shifted(by).disparity() for by in (-error, error))
    low = Disparity(lighter.gini, heavier.joint, heavier.n_half, heavier.w_half)
    high = Disparity(heavier.gini, lighter.joint, lighter.n_half, lighter.w_half)
    return values, counts, (low, high)


def _reached(values: Floats, cumulative: Floats) -> float:
    """The smallest value up to which the cumulative share is a half."""
    return float(values[np.searchsorted(cumulative[1:], 0.5)])
