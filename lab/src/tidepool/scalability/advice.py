"""What a fitted scalability law means, what to do about it, and what keeps it from being believed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tidepool.present.numbers import amount, number, rate

if TYPE_CHECKING:
    from tidepool.latency.figures.estimate import Estimate
    from tidepool.scalability._estimate import Fits
    from tidepool.scalability.law import Law

_COMFORTABLE = 3
"""Levels beyond the number of parameters from which their scatter is known fairly well."""
_NARROW = 2.0
"""Highest over lowest level below which a curve can hardly be told from a line."""
_POOR = 0.05
"""The p value below which the law does not describe the levels."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was learned, for judging it."""

    law: Law
    estimates: dict[str, Estimate]
    fits: Fits
    lack_of_fit: float
    normalised: bool


def doubts(found: Found) -> tuple[str, ...]:
    """What keeps the fit from being believed as it is, each in a sentence."""
    return (*_few(found), *_reach(found), *_bounds(found), *_quality(found))


def _few(found: Found) -> list[str]:
    form, freedom = found.fits.form, found.fits.freedom
    distinct = np.unique(found.fits.levels)
    said = []
    if freedom < 1:
        said.append(
            f"{distinct.size} measurements for {form.parameters} parameters: the curve passes through all of them, so"
            " nothing tells how wrong it is; measure more levels"
        )
    elif distinct.size < form.parameters + _COMFORTABLE:
        from scipy.special import stdtrit

        confidence = found.estimates["lambda"].confidence
        quantile = float(stdtrit(freedom, (1 + confidence) / 2))
        said.append(
            f"barely identified: {distinct.size} levels for {form.parameters} parameters leave {freedom}"
            f" degree{'' if freedom == 1 else 's'} of freedom, so that a {100 * confidence:g} % interval is"
            f" ±{number(quantile)} standard errors; six to ten levels are usual"
        )
    if distinct.max() / distinct.min() < _NARROW:
        said.append(
            f"the levels lie close together ({amount(distinct.min())} to {amount(distinct.max())}): they hardly tell a"
            " curve from a line; measure from one user to beyond the knee"
        )
    if found.normalised:
        said.append(
            "lambda is taken from the measurement at concurrency 1 as if it were exact: its error is in no interval"
        )
    return said


def _reach(found: Found) -> list[str]:
    law, levels = found.law, found.fits.levels
    most = float(levels.max())
    said = []
    if found.fits.form.alpha and law.alpha > 0 and most < law.knee:
        said.append(
            f"no level is beyond the knee at {number(law.knee)}: what limits the throughput has not been seen yet;"
            f" measure above {number(law.knee)}"
        )
    peak = found.estimates.get("peak_concurrency")
    if peak is not None and math.isfinite(peak.value) and most < peak.value:
        said.append(
            f"the peak at {number(peak.value)} is beyond the highest level {amount(most)}: it is extrapolated; measure"
            " there before believing it"
        )
    if peak is not None and math.isinf(peak.high) and not math.isinf(peak.value):
        said.append(
            f"the data do not rule out that there is no peak: its interval reaches from {number(peak.low)} to infinity"
        )
    return said


def _bounds(found: Found) -> list[str]:
    form, law = found.fits.form, found.law
    said = []
    if form.beta and law.beta == 0:
        peak = found.estimates["peak_concurrency"]
        from_ = f"; with the confidence given it lies above {number(peak.low)}" if peak.known and peak.low > 1 else ""
        said.append(f"beta is at its bound 0: no loss by coherency is seen, so there is no peak{from_}")
    if form.alpha and law.alpha == 0:
        said.append("alpha is at its bound 0: no contention is seen, so there is neither knee nor limit")
    if form.alpha and law.alpha >= 1:
        said.append("alpha is at its bound 1: concurrency brings nothing at all")
    if not found.fits.converged[0]:
        said.append("the search for the best parameters has not converged")
    return said


def _quality(found: Found) -> list[str]:
    said = []
    if found.lack_of_fit < _POOR:
        said.append(
            f"the law does not describe these levels: they differ from it by more than their repetitions differ among"
            f" themselves (lack of fit, p = {number(found.lack_of_fit, 2)}); its intervals do not hold"
        )
    means = found.fits.data[0]
    falling = found.fits.levels.argmax()
    if found.fits.form.beta and found.law.beta == 0 and means[falling] < means.max() * 0.95:
        said.append(
            f"the throughput at the highest level is {number(100 * (1 - means[falling] / means.max()), 2)} % below the"
            " best one, yet the fit has no peak: look at the chart before believing either"
        )
    return said


def verdict(found: Found, unit: str) -> str:
    """The answer in two sentences: where the highest throughput is, and whether to believe it."""
    law, most = found.law, float(found.fits.levels.max())
    if not found.fits.form.alpha:
        first = f"Each concurrent request adds {rate(law.lambda_, unit)}."
    elif math.isfinite(law.peak_concurrency):
        between = _between(found.estimates["peak_concurrency"]) if "peak_concurrency" in found.estimates else ""
        first = (
            f"The throughput is highest with {number(law.peak_concurrency)} requests at once{between}:"
            f" {rate(law.peak_throughput, unit, 4)}."
        )
    elif math.isfinite(law.limit):
        first = f"The throughput rises towards {rate(law.limit, unit, 4)} and is not seen to fall."
    else:
        first = (
            f"The throughput grows in proportion, {rate(law.lambda_, unit)} with each request, up to {amount(most)}."
        )
    said = doubts(found)
    if not said:
        return f"{first} The measurements reach far enough to say so."
    return f"{first} But {said[0]}{' (and more below)' if len(said) > 1 else ''}."


def _between(estimate: Estimate) -> str:
    if not estimate.known:
        return ""
    return f" ({number(estimate.low)} to {number(estimate.high)})"


def advice(found: Found) -> tuple[str, ...]:
    """What contention and coherency mean here, and what to do about each."""
    form, law = found.fits.form, found.law
    said = []
    if form.alpha and law.alpha > 0:
        said.append(
            f"contention: {number(100 * law.alpha, 2)} % of the work is done one after the other (locks, one"
            f" connection, a pool that is too small, a saturated core or disk), so that no concurrency brings more than"
            f" {number(law.limit / law.lambda_)} times the throughput of one; shorten or split what is shared"
        )
    if form.beta and law.beta > 0:
        peak = law.peak_concurrency
        share = law.beta * peak * (peak - 1) / (1 + law.alpha * (peak - 1) + law.beta * peak * (peak - 1))
        said.append(
            f"coherency: every pair of concurrent requests costs {number(law.beta, 2)} of a request's work"
            f" (crosstalk: cache lines, data kept consistent, context switches, garbage collection),"
            f" {number(100 * share, 2)} % of all work at the peak; share less data, write less of it, or admit no"
            f" more than {number(peak)} at once"
        )
    if form.alpha and law.alpha == 0 and law.beta == 0:
        said.append("the throughput grows in proportion to the concurrency as far as was measured")
    return tuple(said)
