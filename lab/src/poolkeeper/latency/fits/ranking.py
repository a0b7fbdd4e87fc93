"""Several distributions fitted to the same data, and which of them describe it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.latency.fits.verdict import LEAST_REPLICATES, verdict
from poolkeeper.latency.replicates import standard_error
from poolkeeper.present import Table
from poolkeeper.present.numbers import change
from poolkeeper.present.text import counted

if TYPE_CHECKING:
    from poolkeeper.latency.fits.bootstrap import PValues
    from poolkeeper.latency.fits.distribution import Distribution
    from poolkeeper.latency.fits.quantiles import QuantilePlot
    from poolkeeper.present import Chart


@dataclass(frozen=True, eq=False)
class Candidate:
    """A fitted distribution with what speaks for and against it."""

    distribution: Distribution
    aic: float
    """Akaike's criterion: 2 p - 2 ln L, less is better."""
    bic: float
    """The Bayesian criterion: p ln n - 2 ln L."""
    weight: float
    """Akaike's weight: how probable it is that this one of the candidates predicts best."""
    ks: float
    """Kolmogorov-Smirnov distance: exact for values, at the edges of the cells for counts."""
    ad: float
    """Anderson-Darling distance; infinite if the distribution excludes a value."""
    tested: PValues | None
    """p values; None if no replicates were asked for."""
    behind: float
    """p value of the claim that the best is no closer to the truth, by likelihood ratio or Vuong; 1 for the best."""
    quantile_errors: dict[float, float]
    """Quantile level to the fit's quantile relative to the data's, less 1."""

    @property
    def name(self) -> str:
        """The distribution's name."""
        return self.distribution.name

    @property
    def worst_quantile(self) -> tuple[float, float]:
        """Level and relative error of the quantile that is farthest off; NaN if all are 0."""
        return max(self.quantile_errors.items(), key=lambda item: abs(item[1]), default=(float("nan"), float("nan")))

    @property
    def trusted(self) -> PValues | None:
        """The p values, if they are of as many replicates as a p value takes."""
        return self.tested if self.tested and self.tested.replicates >= LEAST_REPLICATES else None

    def to_dict(self) -> dict[str, Any]:
        """Everything that the table shows, and more, for machines."""
        tests: dict[str, Any] = {}
        if self.tested:
            chi = self.tested.chi_square
            tests = {
                "replicates": self.tested.replicates,
                "ks_p": self.tested.kolmogorov_smirnov,
                "ad_p": self.tested.anderson_darling,
                "chi_square": chi
                and {
                    "statistic": chi.statistic,
                    "bins": chi.bins,
                    "degrees": chi.degrees,
                    "least_expected": chi.least_expected,
                    "p": chi.p,
                },
            }
        return {
            **self.distribution.to_dict(),
            "aic": self.aic,
            "bic": self.bic,
            "weight": self.weight,
            "ks": self.ks,
            "ad": self.ad if np.isfinite(self.ad) else None,
            **tests,
            "behind_p": self.behind,
            "quantile_errors": {
                f"{level:g}": error if np.isfinite(error) else None for level, error in self.quantile_errors.items()
            },
        }


@dataclass(frozen=True, slots=True)
class RejectedCandidate:
    """A distribution that was not fitted, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class Ranking:
    """Distributions from the best to the worst by Akaike's criterion.

    The likelihood ranks because it uses every value and, unlike the squared error of a histogram, does not depend on
    bins; the criterion pays for parameters. The distances and p values beside it say whether the best is any good.
    """

    candidates: tuple[Candidate, ...]
    refused: tuple[RejectedCandidate, ...]
    size: int
    notes: tuple[str, ...]
    """Notes on the data: rounding, or the width of the bins, and its cost."""
    quantiles: QuantilePlot
    """Q-Q plot of the best candidates."""

    @property
    def best(self) -> Candidate:
        """The candidate with the least AIC."""
        return self.candidates[0]

    def __getitem__(self, name: str) -> Candidate:
        """The candidate of that name; raises KeyError if there is none."""
        for candidate in self.candidates:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    @property
    def verdict(self) -> str:
        """Meaning of the ranking, in a few sentences."""
        return verdict(self)

    def table(self) -> Table:
        """The candidates in their order; differences of AIC are to the best."""
        columns = (
            *("distribution", "AIC difference", "AIC weight", "KS distance", "p (KS)", "p (AD)", "p (χ²)"),
            *("worst quantile", "off by", "parameters"),
        )
        return Table(
            f"Fits to {counted(self.size, 'value')}",
            columns,
            tuple(self._row(candidate) for candidate in self.candidates),
            self._remarks(),
        )

    def _row(self, candidate: Candidate) -> tuple[str | float | None, ...]:
        tested = candidate.trusted
        level, error = candidate.worst_quantile
        bounds = candidate.distribution.at_bound_
        parameters = ", ".join(
            f"{name} {value:.4g}{' (at its bound)' if name in bounds else ''}"
            for name, value in candidate.distribution.parameters_.items()
        )
        return (
            candidate.name,
            candidate.aic - self.best.aic,
            round(candidate.weight, 3),
            candidate.ks,
            tested.kolmogorov_smirnov if tested else None,
            tested.anderson_darling if tested else None,
            tested.chi_square.p if tested and tested.chi_square else None,
            None if np.isnan(level) else f"p{level * 100:g}",
            None if np.isnan(error) else change(error),
            parameters,
        )

    def _remarks(self) -> tuple[str, ...]:
        remarks = [*self.notes]
        tested = self.best.trusted
        if tested:
            remarks.append(
                f"p values by parametric bootstrap, {tested.replicates} replicates: right for fitted parameters,"
                f" none below {1 / (tested.replicates + 1):.2g}, each with a standard error of up to"
                f" {standard_error(0.5, tested.replicates):.2g}"
            )
        remarks += [f"{refused.name} left out: {refused.reason}" for refused in self.refused]
        return tuple(remarks)

    def to_dict(self) -> dict[str, Any]:
        """The ranking for machines."""
        return {
            "size": self.size,
            "ranked_by": "aic",
            "verdict": self.verdict,
            "notes": list(self.notes),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "refused": {refused.name: refused.reason for refused in self.refused},
        }

    def plot(self) -> Chart:
        """Q-Q plot of the best candidates."""
        return self.quantiles.plot()
