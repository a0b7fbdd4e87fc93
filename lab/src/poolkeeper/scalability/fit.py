"""Learns a scalability law from throughputs measured at levels of concurrency.

Least squares of the throughput, whose errors are taken to be independent; standard errors from the slopes of the curve
with n - p degrees of freedom, as if all errors were equally large [1, 2]; intervals by the profile of each quantity,
where the sum of squares is within Student's t of the best [1, 6.1], because peaks are lopsided and may lie at infinity.
Intervals hold for errors that grow with the throughput too, see `_estimate`.

[1] Bates, Watts: Nonlinear Regression Analysis and Its Applications, Wiley 1988.
[2] Gunther: Guerrilla Capacity Planning, Springer 2007, 5.6.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from poolkeeper.arrays import fraction, vector
from poolkeeper.errors import DataError, InputError, TooFewError
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.present.numbers import amount, or_none
from poolkeeper.scalability import _views
from poolkeeper.scalability._estimate import Fits, Form, fit
from poolkeeper.scalability.advice import Found, advice, doubts, shows_peak, verdict
from poolkeeper.scalability.fit_views import FitChart, FitTable
from poolkeeper.scalability.law import Law
from poolkeeper.scalability.prediction import Prediction
from poolkeeper.scalability.saturation import Saturation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.present import Chart, Table
    from poolkeeper.scalability._views import View


LOAD = "requests at once"
"""Name of the concurrency unless another is given."""


class Fit:
    """Base of the fits of all forms of the law."""

    name = ""
    _alpha = False
    _beta = False

    law_: Law
    """The fitted law, with its inversions."""
    errors_: dict[str, float]
    """Standard errors of lambda, alpha, beta; NaN for one that is held or at a bound."""
    estimates_: dict[str, Estimate]
    """lambda, alpha, beta, knee, limit, peak_concurrency, peak_throughput with their intervals."""
    sum_of_squares_: float
    degrees_of_freedom_: int
    """Measurements less parameters; the measurement at 1 that normalises is not among them."""
    lack_of_fit_: float
    """The p value of the law against the repetitions of levels; NaN where no level was measured twice."""
    warnings_: tuple[str, ...]
    """Doubts about the fit, in sentences."""
    verdict_: str
    """Findings in two sentences."""
    has_plateau_: bool
    """Whether the throughput stays the same at the highest levels, which the law does not describe better."""
    shows_peak_: bool
    """Whether the levels show the peak of the law."""
    is_saturated_: bool
    """Whether it levels off more sharply than the law can."""
    advice_: tuple[str, ...]
    """Meaning of contention and coherency here and advice on each, in sentences."""

    def __init__(
        self, *, normalised: bool = False, confidence: float = 0.95, unit: str = "1/s", load: str = LOAD
    ) -> None:
        """Choose how to fit: `unit` names the unit of the throughput for readers, `load` the concurrency ("users").

        `normalised` takes lambda from the throughput measured at concurrency 1, as if it were exact; otherwise it is
        learned as well, which is the better choice unless that measurement is far more precise than the others.
        """
        self.normalised = normalised
        self.confidence = fraction(confidence, "confidence")
        self.unit = unit
        self.load = load

    def fit(self, concurrency: ArrayLike, throughput: ArrayLike) -> Self:
        """Learn from throughputs (n,) at concurrencies (n,) of 1 or above, in any order; levels may be repeated.

        Raises TooFewError for fewer distinct levels than parameters, DataError for concurrencies below 1, throughputs
        that are not positive and lengths that differ, InputError if `normalised` and nothing was measured at 1.
        """
        n, x = checked(concurrency, throughput)
        alone = n == 1
        lambda_ = None
        if self.normalised:
            if not alone.any():
                raise InputError(
                    f"normalised: nothing was measured at concurrency 1, the lowest is {n.min():g};"
                    " without it lambda is learned too"
                )
            lambda_ = float(x[alone].mean())
        used = ~alone if self.normalised else np.full(n.shape, fill_value=True)
        form = Form(self.name, self._alpha, self._beta, lambda_)
        _enough(n[used], form)
        self.concurrency_, self.throughput_ = n, x
        self._fits = fit(form, n[used], x[None, used])
        self._learn(form)
        return self

    def improvement_on(self, simpler: Fit) -> float:
        """The p value of the parameter by which this law is richer than another one fitted to the same data."""
        return self._fits.improvement_on(simpler._fits)

    def _learn(self, form: Form) -> None:
        fits = self._fits
        lambda_, alpha, beta = (float(value) for value in fits.law[0])
        self.law_ = law = Law(lambda_, alpha, beta)
        self.lambda_, self.alpha_, self.beta_ = law.lambda_, law.alpha, law.beta
        self.errors_ = dict(zip(("lambda", "alpha", "beta"), map(float, fits.errors[0]), strict=True))
        self.sum_of_squares_ = float(fits.squares[0])
        self.degrees_of_freedom_ = fits.freedom
        self.converged_ = bool(fits.converged[0])
        self.residual_std_ = float(np.sqrt(fits.variance[0])) if fits.freedom > 0 else math.nan
        self.estimates_ = self._estimates(form)
        self.lack_of_fit_ = _lack_of_fit(fits)
        bent = Saturation.of(fits) if lambda_ > 0 else None
        found = Found(law, self.estimates_, fits, self.lack_of_fit_, self.normalised, self.load, bent)
        self.warnings_ = doubts(found)
        self.advice_ = advice(found)
        self.verdict_ = verdict(found, self.unit)
        self.has_plateau_ = found.plateau is not None
        self.shows_peak_ = shows_peak(found)
        self.is_saturated_ = bent is not None

    def _estimates(self, form: Form) -> dict[str, Estimate]:
        law = self.law_
        found = {"lambda": self._estimate(law.lambda_, _views.LAMBDA)}
        if self.normalised:
            found["lambda"] = Estimate.bare(law.lambda_, self.confidence, "lambda was measured, not learned")
        if form.alpha:
            alpha = found["alpha"] = self._estimate(law.alpha, _views.ALPHA)
            low, high = (1 / end if end > 0 else math.inf for end in (alpha.high, alpha.low))
            found["knee"] = (
                Estimate(law.knee, low, high, self.confidence, alpha.why)
                if alpha.has_interval
                else _like(law.knee, alpha)
            )
            found["limit"] = Estimate.bare(law.limit, self.confidence, "lambda / alpha: no interval is offered")
        if form.beta:
            found["beta"] = self._estimate(law.beta, _views.BETA)
            found |= self._peak(form)
        return found

    def _peak(self, form: Form) -> dict[str, Estimate]:
        law = self.law_
        if law.beta > 0 and law.peak_concurrency <= 1:
            why = "the throughput falls from concurrency 1 on"
            return {
                "peak_concurrency": Estimate.bare(1.0, self.confidence, why),
                "peak_throughput": Estimate.bare(law.lambda_, self.confidence, why),
            }
        nu = self._estimate(1 / law.peak_concurrency, _views.PEAK_CONCURRENCY)
        height = _views.PEAK_THROUGHPUT if form.lambda_ is None else _views.normalised_peak_throughput(form.lambda_)
        where = _like(law.peak_concurrency, nu)
        if nu.has_interval:
            low, high = (1 / end if end > 0 else math.inf for end in (nu.high, nu.low))
            where = Estimate(law.peak_concurrency, low, high, self.confidence)
        return {"peak_concurrency": where, "peak_throughput": self._estimate(law.peak_throughput, height)}

    def _estimate(self, value: float, view: View) -> Estimate:
        fits = self._fits
        if fits.freedom < 1:
            why = "there are as many measurements as parameters, so nothing is left to tell their errors"
            return Estimate.bare(value, self.confidence, why)
        low, high = fits.interval(view, self.confidence)
        return Estimate(value, min(value, float(low[0])), max(value, float(high[0])), self.confidence)

    def predict(self, concurrency: ArrayLike) -> Prediction:
        """The throughput at concurrencies (m,) of 1 or above: the band of the law, and that of one new measurement."""
        at = _levels(concurrency)
        measured = (float(self.concurrency_.min()), float(self.concurrency_.max()))
        return Prediction.of(self._fits, at, measured=measured, confidence=self.confidence, unit=self.unit)

    def table(self) -> Table:
        """Fitted values with standard errors and intervals, their meaning and their doubts."""
        most = float(self.concurrency_.max())
        return FitTable(
            self.name, self.unit, self.load, self.law_, self.estimates_, self.errors_, most, self._notes()
        ).table()

    def _notes(self) -> tuple[str, ...]:
        return (*self.warnings_, *self.advice_)

    def to_dict(self) -> dict[str, Any]:
        """Fitted values, for machines; infinite or unknown ones are None."""
        return {
            "model": self.name,
            "unit": self.unit,
            "normalised": self.normalised,
            "estimates": {name: _finite(estimate) for name, estimate in self.estimates_.items()},
            "standard_errors": {name: or_none(error) for name, error in self.errors_.items()},
            "sum_of_squares": self.sum_of_squares_,
            "degrees_of_freedom": self.degrees_of_freedom_,
            "lack_of_fit_p": or_none(self.lack_of_fit_),
            "measured": {"concurrency": self.concurrency_.tolist(), "throughput": self.throughput_.tolist()},
            "verdict": self.verdict_,
            "warnings": list(self.warnings_),
            "advice": list(self.advice_),
        }

    def plot(self) -> Chart:
        """The measurements, the law with its band, the knee and the peak."""
        most = self.concurrency_.max() * 1.25
        peak = self.law_.peak_concurrency
        most = max(most, min(peak * 1.25, 3 * self.concurrency_.max()))
        at = np.unique(np.concatenate([np.linspace(1, most, 40), self.concurrency_]))
        predicted = self.predict(at)
        shown = FitChart(
            self.name, self.load, self.concurrency_, self.throughput_, predicted, self.law_, self.warnings_
        )
        return shown.chart()


class Usl(Fit):
    """The Universal Scalability Law: contention and coherency.

    Needs three distinct levels (two beside 1 if normalised), one more for intervals, and six to ten from below the
    knee to beyond the peak for intervals that say much.
    """

    name = "USL"
    _alpha = True
    _beta = True


class Amdahl(Fit):
    """Amdahl's law: contention alone, a throughput that rises towards a limit and never falls."""

    name = "Amdahl"
    _alpha = True


class Linear(Fit):
    """Perfect scaling: the throughput is proportional to the concurrency."""

    name = "linear"


def _like(value: float, other: Estimate) -> Estimate:
    return Estimate.bare(value, other.confidence, other.why)


def _finite(estimate: Estimate) -> dict[str, Any]:
    found = estimate.to_dict()
    return {
        name: None if isinstance(entry, float) and math.isinf(entry) else entry for name, entry in found.items()
    } | {f"{name}_is_infinite": True for name in ("value", "low", "high") if math.isinf(getattr(estimate, name))}


_NEARLY_ONE = 0.95
"""A measured concurrency from here to 1 counts as 1."""
_BEYOND = 1e100
"""Number that is no throughput and no concurrency, nor its inverse: their squares must be numbers too."""


def checked(concurrency: ArrayLike, throughput: ArrayLike) -> tuple[Floats, Floats]:
    """Concurrencies of 1 or above and as many positive throughputs; raises DataError for others."""
    n = _levels(concurrency)
    x = vector(throughput, "throughput", positive=True)
    if n.size != x.size:
        raise DataError(f"concurrency and throughput: {n.size} and {x.size} values, not as many of one as of the other")
    for name, values in (("concurrency", n), ("throughput", x)):
        if values.max() > _BEYOND or values.min() < 1 / _BEYOND:
            raise DataError(f"{name}: values from {values.min():g} to {values.max():g} are none that can be measured")
    return n, x


def _levels(concurrency: ArrayLike) -> Floats:
    n = vector(concurrency, "concurrency", positive=True)
    # X R of one user comes out a little below 1: the answers under way at a level's ends, and rounded times
    n = np.where((n < 1) & (n >= _NEARLY_ONE), 1.0, n)
    if n.min() < 1:
        raise DataError(f"concurrency: {n.min():g} is below 1, the least at which the law means something")
    return n


def _enough(levels: Floats, form: Form) -> None:
    distinct = np.unique(levels)
    if distinct.size == 1 and form.parameters > 1:
        raise TooFewError(f"levels of concurrency (all measurements are at {amount(distinct[0])})", 1, form.parameters)
    if distinct.size < max(form.parameters, 1):
        raise TooFewError(
            f"levels of concurrency for the {form.parameters} parameters of {form.name}", distinct.size, form.parameters
        )


def _lack_of_fit(fits: Fits) -> float:
    """The p value of lack of fit against pure error [1, 1.3.2]."""
    levels, place = np.unique(fits.levels, return_inverse=True)
    repeated, missing = fits.levels.size - levels.size, levels.size - fits.form.parameters
    if repeated < 1 or missing < 1:
        return math.nan
    data = fits.data[0]
    means = np.bincount(place, data) / np.bincount(place)
    pure = float(((data - means[place]) ** 2).sum())
    lack = max(0.0, float(fits.squares[0]) - pure)
    if pure == 0:
        return 0.0 if lack > 0 else math.nan
    from scipy.special import fdtrc

    return float(fdtrc(missing, repeated, lack / missing / (pure / repeated)))
