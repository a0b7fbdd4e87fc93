"""Prediction of a fitted scalability law, with the band of the law and the wider one of a measurement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.numbers import amount
from poolkeeper.scalability import _views
from poolkeeper.scalability.law import Law
from poolkeeper.student import quantile

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.scalability._estimate import Fits


@dataclass(frozen=True, eq=False)
class Prediction:
    """Throughput (m,) at concurrencies (m,), with bands; NaN where there were too few measurements for them.

    Between `low` and `high` lies the law, between `measured_low` and `measured_high` one new measurement, each with the
    confidence. `range` is from the lowest to the highest concurrency that was measured.
    """

    concurrency: Floats
    throughput: Floats
    low: Floats
    high: Floats
    measured_low: Floats
    measured_high: Floats
    confidence: float
    unit: str
    range: tuple[float, float]

    @classmethod
    def of(
        cls, fits: Fits, concurrency: Floats, *, measured: tuple[float, float], confidence: float, unit: str
    ) -> Prediction:
        """Predict by profiles of the throughput at each concurrency."""
        law = Law(*map(float, fits.law[0]))
        middle = law.throughput(concurrency)
        if fits.freedom < 1:
            unknown = np.full_like(middle, np.nan)
            return cls(concurrency, middle, unknown, unknown, unknown, unknown, confidence, unit, measured)
        low, high = _bands(fits, concurrency, confidence)
        low, high = np.minimum(low, middle), np.maximum(high, middle)
        measured_low, measured_high = of_measurement(fits, middle, low, high, confidence)
        return cls(
            concurrency,
            middle,
            low,
            high,
            measured_low,
            measured_high,
            confidence,
            unit,
            measured,
        )

    @property
    def response_time(self) -> Floats:
        """R = N / X, in the inverse of the throughput's unit."""
        found: Floats = self.concurrency / self.throughput
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """That it reaches beyond the measurements, if it does."""
        least, most = self.range
        beyond = self.concurrency[(self.concurrency < least) | (self.concurrency > most)]
        if not beyond.size:
            return ()
        where = f"{amount(beyond.min())} to {amount(beyond.max())}" if beyond.size > 1 else amount(beyond[0])
        message = f"extrapolated at {where}: measured was {amount(least)} to {amount(most)}"
        return (f"{message}, and the band holds only if the law does beyond it",)

    def table(self) -> Table:
        """A row a concurrency."""
        confidence = f"{100 * self.confidence:g} %"
        columns = (self.concurrency, self.throughput, self.low, self.high, self.measured_low, self.measured_high)
        return Table(
            "Predicted throughput",
            (
                "concurrency",
                f"throughput [{self.unit}]" if self.unit else "throughput",
                f"{confidence} from",
                "to",
                "a measurement from",
                "to",
                "response time",
            ),
            tuple(tuple(map(float, row)) for row in zip(*columns, self.response_time, strict=True)),
            self.notes,
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON; unknown bands are None."""
        columns = ("concurrency", "throughput", "low", "high", "measured_low", "measured_high", "response_time")
        return {
            name: [float(entry) if np.isfinite(entry) else None for entry in getattr(self, name)] for name in columns
        } | {
            "confidence": self.confidence,
            "unit": self.unit,
            "notes": list(self.notes),
        }

    def plot(self) -> Chart:
        """The law with its band over concurrency."""
        return Chart(
            "Predicted throughput",
            Axis("concurrency"),
            Axis("throughput", self.unit),
            (self.series("law"),),
            notes=self.notes,
        )

    def series(self, name: str) -> Series:
        """The law with its band, ascending."""
        order = np.argsort(self.concurrency)
        x, y, low, high = (
            tuple(map(float, values[order])) for values in (self.concurrency, self.throughput, self.low, self.high)
        )
        return Series(name, x, y, low=low, high=high)


def of_measurement(fits: Fits, middle: Floats, low: Floats, high: Floats, confidence: float) -> tuple[Floats, Floats]:
    """The band of a new measurement, from the band of the law and the errors of the measurements; shapes (m,)."""
    noise = quantile(fits.freedom, confidence) * fits.noise(middle)
    return np.maximum(0.0, middle - np.hypot(middle - low, noise)), middle + np.hypot(high - middle, noise)


def _bands(fits: Fits, concurrency: Floats, confidence: float) -> tuple[Floats, Floats]:
    lambda_ = fits.form.lambda_
    low, high = np.full((2, concurrency.size), lambda_ or np.nan)
    asked = np.ones(concurrency.size, dtype=np.bool_) if lambda_ is None else concurrency > 1
    at = concurrency[asked]
    if at.size:
        view = _views.throughput_at(at) if lambda_ is None else _views.normalised_throughput_at(at, lambda_)
        low[asked], high[asked] = fits.repeated(at.size).interval(view, confidence)
    return low, high
