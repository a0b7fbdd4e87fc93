"""The regression that the scalability law was first published with, for comparison with values that others published.

The deviation from linearity y = N / C(N) - 1, C(N) = X(N) / X(1), is a parabola of x = N - 1 through the origin,
y = a x^2 + b x, fitted by least squares; then beta = a and alpha = b - a [1, 5.5]. It weighs small throughputs at high
concurrency most and takes X(1) for exact, and its coefficients may be negative, which the law does not allow: `Usl` is
the better fit.

[1] Gunther: Guerrilla Capacity Planning, Springer 2007.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import InputError, TooFewError
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import amount, finite, number, rate
from poolkeeper.scalability.fit import checked

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats

_PARAMETERS = 2


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The parabola of the deviation from linearity, and the law's coefficients that follow from it.

    `alpha` is Gunther's sigma, `beta` his kappa; either may be negative here.
    """

    lambda_: float
    """The throughput at concurrency 1, as it was measured."""
    alpha: float
    beta: float
    r_squared: float
    """Share of the deviation's sum of squares, about 0, that the parabola explains."""
    concurrency: Floats
    throughput: Floats
    unit: str
    load: str = "concurrency"
    """Name of what concurrency counts, for people: "users"."""

    @property
    def peak_concurrency(self) -> float:
        """Concurrency of the highest throughput: infinite where beta is not above 0, 1 where it falls from there on."""
        if self.beta <= 0:
            return math.inf
        return math.sqrt(max(1.0, (1 - self.alpha) / self.beta))

    def predict(self, concurrency: ArrayLike) -> Floats:
        """The throughput at concurrencies of 1 or above; NaN where a negative coefficient leaves none."""
        n = np.asarray(concurrency, dtype=np.float64)
        stretch = 1 + self.alpha * (n - 1) + self.beta * n * (n - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = np.where(stretch > 0, self.lambda_ * n / stretch, np.nan)
        return found

    @property
    def verdict(self) -> str:
        """Peak of the regression, in a sentence."""
        negative = [name for name, value in (("alpha", self.alpha), ("beta", self.beta)) if value < 0]
        if negative:
            return (
                f"The quadratic regression makes {' and '.join(negative)} negative, which the law does not allow: its"
                " peak means nothing."
            )
        if math.isinf(self.peak_concurrency):
            return "By the quadratic regression the throughput has no peak."
        highest = rate(float(self.predict([self.peak_concurrency])[0]), self.unit, 4)
        return f"By the quadratic regression the peak lies at {amount(self.peak_concurrency)} {self.load}: {highest}."

    def table(self) -> Table:
        """Coefficients of the parabola and of the law."""
        rows = (
            ("a of y = a x² + b x", self.beta),
            ("b", self.alpha + self.beta),
            ("alpha = b − a (sigma)", self.alpha),
            ("beta = a (kappa)", self.beta),
            ("R² of the deviation", self.r_squared),
            (f"peak N* [{self.load}]", self.peak_concurrency),
        )
        why = (
            "for comparison with published values: it takes the throughput at 1 for exact and weighs levels of many"
            f" {self.load} most; the default fit weighs all throughputs alike"
        )
        return Table(
            "Quadratic regression",
            ("quantity", "value"),
            tuple((name, number(value, 4)) for name, value in rows),
            (self.verdict, why),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON; an infinite peak is None."""
        peak = self.peak_concurrency
        return {
            "lambda": self.lambda_,
            "alpha": self.alpha,
            "beta": self.beta,
            "a": self.beta,
            "b": self.alpha + self.beta,
            "r_squared": self.r_squared,
            "peak_concurrency": finite(peak),
            "verdict": self.verdict,
        }

    def plot(self) -> Chart:
        """The measurements, and the law with these coefficients."""
        order = np.argsort(self.concurrency, kind="stable")
        x, y = (tuple(map(float, values[order])) for values in (self.concurrency, self.throughput))
        at = np.linspace(1, 1.25 * float(self.concurrency.max()), 120)
        lines = (
            Series("measured", x, y, Kind.POINTS),
            Series("quadratic regression", tuple(map(float, at)), tuple(map(float, self.predict(at)))),
        )
        return Chart("Quadratic regression", Axis(self.load), Axis("throughput", self.unit), lines)


def quadratic(
    concurrency: ArrayLike, throughput: ArrayLike, *, load: str = "concurrency", unit: str = "1/s"
) -> Quadratic:
    """Fit throughputs (n,) at concurrencies (n,) of 1 or above, one of them 1, in any order.

    Throughputs may be ratios to that at 1; `load` says what concurrency counts. Raises InputError if nothing was
    measured at 1, TooFewError for fewer than two levels above, and DataError as `Usl`.
    """
    n, measured = checked(concurrency, throughput)
    alone = n == 1
    if not alone.any():
        raise InputError(
            f"quadratic: nothing was measured at concurrency 1, the lowest is {n.min():g}; the regression is about"
            " ratios to the throughput there"
        )
    levels = np.unique(n[~alone]).size
    if levels < _PARAMETERS:
        raise TooFewError("levels of concurrency above 1 for the quadratic regression", levels, _PARAMETERS)
    lambda_ = float(measured[alone].mean())
    x, y = n[~alone] - 1, n[~alone] / (measured[~alone] / lambda_) - 1
    (b, a), *_ = np.linalg.lstsq(np.column_stack([x, x * x]), y, rcond=None)
    left = y - b * x - a * x * x
    squares = float(y @ y)
    explained = 1 - float(left @ left) / squares if squares > 0 else 1.0
    return Quadratic(lambda_, float(b - a), float(a), explained, n, measured, unit, load)
