"""Choice of the scalability law that the data support: perfect scaling, Amdahl's, or the USL.

By the F test of nested models [2], whose level holds for few measurements too: a law is chosen if it improves on the
simpler one by more than chance. A parameter that cannot be negative lies at its bound in half of all samples in which
it is 0, so that its p value is half of that of the F test [3]. Errors may grow with
the throughput, and then small improvements are more often chance: the p value is the largest one of all ways in which
they may grow that the levels do not rule out. Akaike's criterion, corrected for few measurements
[1], stands beside it; with few it is harder on parameters than the test, and where it prefers another law the verdict
says so.

[1] Burnham, Anderson: Model Selection and Multimodel Inference, 2nd ed., Springer 2002, 2.4 and 2.6.
[2] Bates, Watts: Nonlinear Regression Analysis and Its Applications, Wiley 1988, 3.10.
[3] Self, Liang: Asymptotic properties of maximum likelihood estimators and likelihood ratio tests under nonstandard
    conditions, JASA 82, 1987, case 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import fraction
from poolkeeper.errors import TooFewError
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import amount, finite, number, rate
from poolkeeper.scalability.advice import FAR_ENOUGH, NEAR, superlinear
from poolkeeper.scalability.fit import LOAD, Amdahl, Linear, Usl

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_NAMES = ("linear", "Amdahl", "USL")
_FALLEN = 0.95
"""Throughput at the highest level, of the highest throughput, below which it is said to fall."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The three laws, from the simplest on, and the one that the data support: `chosen`.

    `aicc` and `weights` are NaN where there are too few measurements; `p_values` say how probable it is that a law
    improves so much on the simpler one by chance (NaN for the first, or without degrees of freedom).
    """

    fits: tuple[Linear, Amdahl, Usl]
    aicc: tuple[float, ...]
    weights: tuple[float, ...]
    p_values: tuple[float, ...]
    chosen: Linear | Amdahl | Usl
    verdict: str

    @property
    def superlinear(self) -> bool:
        """Whether the throughput grows faster than in proportion, which no law here describes."""
        usl = self.fits[-1]
        return self.chosen is self.fits[0] and superlinear(usl.concurrency_, usl.throughput_, usl.confidence)

    @property
    def headline(self) -> str:
        """The verdict of the chosen law, and a second view on whether there is a peak."""
        usl = self.fits[-1]
        if self.superlinear:
            return usl.verdict_
        text, peak = self.chosen.verdict_, usl.law_.peak_concurrency
        if self.chosen.has_plateau_ or self.chosen.is_saturated_:
            return text
        if self.chosen is not usl:
            p = number(self.p_values[-1], 2)
            fall = self._fall
            text = text.removesuffix(FAR_ENOUGH) if fall else text
            return (
                f"{text}{fall} No peak is claimed: that of the USL, at {number(peak)} {usl.load}, may be chance"
                f" (p = {p}){'; measure more levels to settle it' if fall else ''}."
                if peak <= NEAR * usl.concurrency_.max()
                else f"{text}{fall}"
            )
        if all(map(math.isfinite, self.aicc)) and (best := self.aicc.index(min(self.aicc))) < len(self.fits) - 1:
            if peak > usl.concurrency_.max():
                words = f"that of the USL, at {number(peak)} {usl.load}, is extrapolated, and AICc prefers"
                return (
                    f"{self.fits[best].verdict_.removesuffix(FAR_ENOUGH)} No peak is claimed: {words} {_NAMES[best]}."
                )
            doubt = f"But AICc prefers {_NAMES[best]}, which has no peak: measure more levels to settle it."
            return f"{text.removesuffix(FAR_ENOUGH)} {doubt}" if text.endswith(FAR_ENOUGH) else f"{text} {doubt}"
        return text

    @property
    def _fall(self) -> str:
        """That the throughput measured falls to the highest level, which the chosen law does not follow."""
        usl = self.fits[-1]
        levels = np.unique(usl.concurrency_)
        rates = np.array([usl.throughput_[usl.concurrency_ == level].mean() for level in levels])
        best = int(rates.argmax())
        if rates[-1] >= _FALLEN * rates[best]:
            return ""
        highest, last = (rate(float(value), usl.unit) for value in (rates[best], rates[-1]))
        return (
            f" But the throughput measured falls from {highest} with {amount(float(levels[best]))} {usl.load} to {last}"
            f" with {amount(float(levels[-1]))}."
        )

    def table(self) -> Table:
        """A row a law."""
        rows = tuple(
            (
                f"{'→ ' if fit is self.chosen else ''}{fit.name}",
                fit.sum_of_squares_,
                fit.degrees_of_freedom_,
                finite(self.aicc[k] - min(self.aicc)) if math.isfinite(self.aicc[k]) else None,
                finite(self.weights[k]),
                finite(self.p_values[k]),
            )
            for k, fit in enumerate(self.fits)
        )
        columns = ("law", "sum of squares", "degrees of freedom", "ΔAICc", "weight", "p against the simpler")
        return Table("Which scalability law", columns, rows, (self.verdict,))

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON; None if not computed."""
        return {
            "chosen": self.chosen.name,
            "verdict": self.verdict,
            "laws": [
                {
                    "name": fit.name,
                    "sum_of_squares": fit.sum_of_squares_,
                    "degrees_of_freedom": fit.degrees_of_freedom_,
                    "aicc": finite(self.aicc[k]),
                    "weight": finite(self.weights[k]),
                    "p": finite(self.p_values[k]),
                }
                for k, fit in enumerate(self.fits)
            ],
        }

    def plot(self) -> Chart:
        """The measurements and the three laws."""
        usl = self.fits[-1]
        order = np.argsort(usl.concurrency_, kind="stable")
        x, y = (tuple(map(float, values[order])) for values in (usl.concurrency_, usl.throughput_))
        at = np.linspace(1, usl.concurrency_.max() * 1.25, 120)
        lines = (
            Series(fit.name, tuple(map(float, at)), tuple(map(float, fit.law_.throughput(at)))) for fit in self.fits
        )
        measured = Series("measured", x, y, Kind.POINTS)
        title, unit = "Which scalability law", usl.unit
        return Chart(title, Axis(usl.load), Axis("throughput", unit), (measured, *lines), notes=(self.verdict,))


def choose(
    concurrency: ArrayLike, throughput: ArrayLike, *, confidence: float = 0.95, unit: str = "1/s", load: str = LOAD
) -> Choice:
    """Fit the three laws, lambda free, and choose the richest that improves on the simpler one by more than chance.

    `unit` names the unit of the throughput for readers, `load` the concurrency.

    Raises TooFewError for fewer than four measurements: with three parameters nothing is left to compare; and as `Usl`.
    """
    fraction(confidence, "confidence")
    linear, amdahl, usl = (
        Linear(confidence=confidence, unit=unit, load=load).fit(concurrency, throughput),
        Amdahl(confidence=confidence, unit=unit, load=load).fit(concurrency, throughput),
        Usl(confidence=confidence, unit=unit, load=load).fit(concurrency, throughput),
    )
    count = usl.concurrency_.size
    if usl.degrees_of_freedom_ < 1:
        raise TooFewError("measurements to choose a law by", count, 4)
    fits = (linear, amdahl, usl)
    aicc = tuple(_aicc(fit.sum_of_squares_, count, parameters) for parameters, fit in enumerate(fits, start=1))
    p_values = (
        math.nan,
        amdahl.improvement_on(linear),
        usl.improvement_on(amdahl),
    )
    level = 1 - confidence
    place = 2 if p_values[2] < level else 1 if p_values[1] < level else 0
    weights: tuple[float, ...] = (math.nan,) * 3
    if all(map(math.isfinite, aicc)):
        shares = np.exp(-(np.array(aicc) - min(aicc)) / 2)
        weights = tuple(map(float, shares / shares.sum()))
    verdict = _verdict(place, aicc, p_values, usl)
    if place == 0 and superlinear(usl.concurrency_, usl.throughput_, confidence):
        verdict = f"The throughput grows faster than in proportion to the {load}: none of these laws describes that."
    if fits[place].is_saturated_ and not fits[place].has_plateau_:
        verdict = f"{verdict} But the throughput levels off more sharply than by any of these laws."
    return Choice(fits, aicc, weights, p_values, fits[place], verdict)


def _aicc(squares: float, count: int, parameters: int) -> float:
    """AICc of least squares, whose variance is a parameter too; NaN for too few measurements."""
    k = parameters + 1
    if count - k - 1 < 1:
        return math.nan
    if squares <= 0:
        return -math.inf
    return count * math.log(squares / count) + 2 * k + 2 * k * (k + 1) / (count - k - 1)


def _verdict(place: int, aicc: tuple[float, ...], p_values: tuple[float, ...], usl: Usl) -> str:
    limits = "Contention and coherency limit" if usl.alpha_ > 0 else "Coherency limits"
    shown = "it has a peak and falls beyond it" if usl.shows_peak_ else "it has a peak, which no level shows"
    what = (
        f"The throughput grows in proportion to the {usl.load}: these data show no contention",
        "Contention limits the throughput (Amdahl): these data do not show that it falls again",
        f"{limits} the throughput (USL): {shown}",
    )[place]
    better = p_values[place] if place else p_values[1]
    tested = f" (p = {number(better, 2)} against the simpler law)." if place else f" (p = {number(better, 2)} for it)."
    if not all(map(math.isfinite, aicc)):
        return f"{what}{tested}"
    best = aicc.index(min(aicc))
    other = "" if best == place else f" AICc prefers {_NAMES[best]}: measure more levels to settle it."
    return f"{what}{tested}{other}"
