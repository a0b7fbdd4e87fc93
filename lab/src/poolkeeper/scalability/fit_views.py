"""Fitted scalability laws as tables and charts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table
from poolkeeper.present.numbers import amount, number
from poolkeeper.scalability.advice import REACH

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.latency.figures.estimate import Estimate
    from poolkeeper.scalability.law import Law
    from poolkeeper.scalability.prediction import Prediction

_TITLES = {
    "lambda": "lambda: throughput alone{unit}",
    "alpha": "alpha: contention",
    "beta": "beta: coherency",
    "knee": "knee 1/alpha [{load}]",
    "limit": "limit lambda/alpha{unit}",
    "peak_concurrency": "peak N* [{load}]",
    "peak_throughput": "throughput at the peak{unit}",
}


@dataclass(frozen=True)
class FitTable:
    """Result of a fit, as a table."""

    model: str
    unit: str
    load: str
    law: Law
    estimates: dict[str, Estimate]
    errors: dict[str, float]
    most: float
    """The highest level."""
    notes: tuple[str, ...]

    def table(self) -> Table:
        """A row a quantity."""
        confidence = next(iter(self.estimates.values())).confidence
        rows = tuple(
            (
                title.format(unit=f" [{self.unit}]" if self.unit else "", load=self.load),
                *(
                    self._figure(name, value)
                    for value in (estimate.value, self.errors.get(name, math.nan), estimate.low, estimate.high)
                ),
            )
            for name, title in _TITLES.items()
            if (estimate := self.estimates.get(name))
        )
        return Table(
            f"{self.model}: throughput over {self.load}",
            ("quantity", "value", "standard error", f"{100 * confidence:g} % from", "to"),
            rows,
            self.notes,
        )

    def _figure(self, name: str, value: float) -> str:
        """A figure, or that it lies beyond what the levels reach; no throughput there is above that of the line.

        The limit has no interval, and is above all that was measured where no level is beyond the knee.
        """
        ends = {"knee": REACH, "peak_concurrency": REACH, "peak_throughput": REACH * self.law.lambda_}
        end = self.most * (ends | {"limit": self.law.lambda_}).get(name, math.inf)
        return f"> {amount(float(f'{end:.3g}'))}" if end < value < math.inf else number(value, 4)


@dataclass(frozen=True, slots=True, eq=False)
class FitChart:
    """Result of a fit, as a chart."""

    model: str
    load: str
    concurrency: Floats
    throughput: Floats
    prediction: Prediction
    law: Law
    notes: tuple[str, ...]

    def chart(self) -> Chart:
        """Measurements, the law with its band, the line of perfect scaling as far as it fits, knee and peak."""
        order = np.argsort(self.concurrency, kind="stable")
        measured = Series(
            "measured",
            tuple(map(float, self.concurrency[order])),
            tuple(map(float, self.throughput[order])),
            Kind.POINTS,
        )
        most = float(np.nanmax(self.prediction.throughput)) * 1.1
        ends = (0.0, min(most / self.law.lambda_, float(self.prediction.concurrency.max())))
        perfect = Series("perfect scaling", ends, tuple(self.law.lambda_ * end for end in ends))
        marks = [
            Mark(value, label)
            for value, label in ((self.law.knee, "knee"), (self.law.peak_concurrency, "peak"))
            if value <= self.prediction.concurrency.max()
        ]
        return Chart(
            f"{self.model}: throughput over {self.load}",
            Axis(self.load),
            Axis("throughput", self.prediction.unit),
            (measured, self.prediction.series(self.model), perfect),
            tuple(marks),
            (*self.notes, *self.prediction.notes),
        )
