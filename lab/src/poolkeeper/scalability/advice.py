"""Meaning of a fitted scalability law, advice on it, and the doubts about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.present.numbers import amount, number, rate
from poolkeeper.scalability._estimate import POWERS, RULED_OUT
from poolkeeper.scalability.plateau import Plateau
from poolkeeper.student import margin, quantile

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.latency.figures.estimate import Estimate
    from poolkeeper.scalability._estimate import Fits
    from poolkeeper.scalability.law import Law
    from poolkeeper.scalability.saturation import Saturation

_COMFORTABLE = 3
"""Levels beyond the number of parameters from which their scatter is known fairly well."""
_NARROW = 2.0
"""Highest over lowest level below which a curve can hardly be told from a line."""
_EXACT = 0.01
"""Share of a measurement by which a curve that passes through it may miss it."""
_POOR = 0.05
"""The p value below which the law does not describe the levels."""
FAR_ENOUGH = " The measurements reach far enough to say so."
REACH = 100.0
"""Times the highest level, beyond which nothing that is extrapolated is given as a number."""
NEAR = 2.0
"""Times the highest level, up to which a verdict and advice rest on a peak that is extrapolated."""


@dataclass(frozen=True, slots=True)
class Found:
    """Fitted values, for judging them."""

    law: Law
    estimates: dict[str, Estimate]
    fits: Fits
    lack_of_fit: float
    normalised: bool
    load: str
    """The concurrency in words: "users", "requests in the system"."""
    saturation: Saturation | None
    """The bend that describes the levels better than the law."""

    @property
    def single(self) -> str:
        """A single one of the load: "user"."""
        return self.load.replace("users", "user").replace("requests", "request").removesuffix(" at once")

    @property
    def pair(self) -> str:
        """Two of the load: "users", "requests in the system"."""
        return self.load.replace("requests at once", "concurrent requests")

    @property
    def plateau(self) -> Plateau | None:
        """The levels at which the throughput stays the same, unless the law describes them better than that."""
        return Plateau.of(self.law, self.fits)


def doubts(found: Found) -> tuple[str, ...]:
    """Doubts about the fit, each in a sentence."""
    if found.plateau is None and found.saturation is not None:
        return (found.saturation.reason, *_few(found))
    return (*_superlinear(found), *_few(found), *_flat(found), *_reach(found), *_bounds(found), *_quality(found))


def superlinear(levels: Floats, data: Floats, confidence: float) -> bool:
    """Whether throughputs (n,) at levels (n,) rise faster than in proportion by more than chance.

    By Student's t of the term in N (N - 1) beside the straight line: that is what contention takes away, so that data
    which call for more of it would need a negative alpha. It must be so for all ways in which errors may grow with the
    throughput that the levels do not rule out.
    """
    freedom = levels.size - 2
    if freedom < 1 or np.unique(levels).size <= 2:  # noqa: PLR2004 - the parameters of the parabola
        return False
    relative = levels / np.exp(np.log(levels).mean())
    found = [_bend(levels, data, relative**-power) for power in POWERS]
    # What is left of exact data are rounding errors.
    squares = np.maximum([sum_ for sum_, _, _ in found], 1e-24 * float((data**2).sum()))
    possible = freedom * np.log(squares / squares.min()) <= RULED_OUT
    least = 1e-6 * float(np.abs(data).max())
    return all(
        bend > max(margin(error, freedom, confidence), least)
        for (_, bend, error), is_possible in zip(found, possible, strict=True)
        if is_possible
    )


def _bend(levels: Floats, data: Floats, weights: Floats) -> tuple[float, float, float]:
    """Weighted sum of squares beside a parabola through 0, and its bend with the standard error."""
    terms = np.stack([levels, levels * (levels - 1)], axis=1) * weights[:, None]
    scale = np.sqrt((terms**2).sum(axis=0))
    terms = terms / scale
    inverse = np.linalg.pinv(terms.T @ terms)
    best = inverse @ terms.T @ (data * weights)
    squares = float(((data * weights - terms @ best) ** 2).sum())
    return squares, float(best[1]), math.sqrt(squares / (levels.size - 2) * inverse[1, 1])


def _faster(found: Found) -> bool:
    """Whether the law has come to be a straight line since alpha cannot be negative."""
    held = found.fits.form.alpha and found.law.alpha == 0 and found.law.beta == 0
    confidence = found.estimates["lambda"].confidence
    return held and superlinear(found.fits.levels, found.fits.data[0], confidence)


def _superlinear(found: Found) -> list[str]:
    if not _faster(found):
        return []
    return [
        (
            "no law here explains that: alpha would have to be negative; look for what gets cheaper with load (caches,"
            " batches), or what slowed the low levels down (a cold start, idle clocks, a load generator that waits)"
        )
    ]


def _few(found: Found) -> list[str]:
    form, freedom = found.fits.form, found.fits.freedom
    distinct = np.unique(found.fits.levels)
    messages = []
    if freedom < 1:
        measured = found.fits.data[0]
        missed = float(np.abs(found.law.throughput(found.fits.levels) / measured - 1).max())
        # A parameter at its bound leaves measurements beside the curve.
        curve = f"misses them by up to {100 * missed:.1f} %" if missed > _EXACT else "passes through all of them"
        messages.append(
            f"{distinct.size} measurements for {form.parameters} parameters: the curve {curve}, and nothing tells how"
            " wrong it is elsewhere; measure more levels"
        )
    elif distinct.size < form.parameters + _COMFORTABLE:
        confidence = found.estimates["lambda"].confidence
        messages.append(
            f"barely identified: {distinct.size} levels for {form.parameters} parameters leave {freedom}"
            f" degree{'' if freedom == 1 else 's'} of freedom, so that a {100 * confidence:g} % interval is"
            f" ±{number(quantile(freedom, confidence))} standard errors; six to ten levels are usual"
        )
    if distinct.max() / distinct.min() < _NARROW:
        messages.append(
            f"the levels lie close together ({amount(distinct.min())} to {amount(distinct.max())}): they hardly tell a"
            " curve from a line; measure from one user to beyond the knee"
        )
    if found.normalised:
        messages.append(
            f"lambda is taken from the measurement with 1 {found.single} as if it were exact:"
            " its error is in no interval"
        )
    return messages


def _flat(found: Found) -> list[str]:
    flat = found.plateau
    return [] if flat is None else [f"the throughput measured hardly changes {flat.ends(found.load)}: {flat.reason}"]


def _reach(found: Found) -> list[str]:
    law, levels = found.law, found.fits.levels
    least, most = float(levels.min()), float(levels.max())
    messages = []
    if found.fits.form.alpha and REACH * most < law.knee < math.inf:
        messages.append(f"no knee is within reach: what limits the throughput has not been seen up to {amount(most)}")
    elif found.fits.form.alpha and law.alpha > 0 and most < min(law.knee, law.peak_concurrency) and not found.plateau:
        is_near = law.knee <= NEAR * most
        at, above = (f" at {number(law.knee)}", number(law.knee)) if is_near else ("", f"far above {amount(most)}")
        messages.append(
            f"no level is beyond the knee{at}: what limits the throughput has not been seen yet; measure"
            f" {'above ' if is_near else ''}{above}"
        )
    peak = found.estimates.get("peak_concurrency")
    if peak is not None and peak.value < least:
        messages.append(
            f"the peak at {number(peak.value)} is below the lowest level {amount(least)}: the levels show a throughput"
            " that falls, and no peak; it is extrapolated; measure there before believing it"
        )
    if peak is not None and REACH * most < peak.value < math.inf:
        messages.append(f"no peak is within reach: {_FAR_OFF.format(amount(most))}")
    elif peak is not None and math.isfinite(peak.value) and most < peak.value:
        messages.append(
            f"the peak at {number(peak.value)} is beyond the highest level {amount(most)}: it is extrapolated; measure"
            " there before believing it"
        )
    if peak is not None and least <= peak.value <= most and not _peaks(found):
        messages.append(
            f"no level shows the peak of the law at {number(peak.value)}: the highest throughput measured is that of"
            f" the highest level, {amount(most)}; measure above it"
        )
    if peak is not None and math.isinf(peak.high) and not math.isinf(peak.value):
        messages.append(
            f"the data do not rule out that there is no peak: its interval reaches from {number(peak.low)} to infinity"
        )
    return messages


_FAR_OFF = "it would lie at more than a hundred times the highest level, {}"


def _bounds(found: Found) -> list[str]:
    form, law = found.fits.form, found.law
    messages = []
    if form.beta and law.beta == 0:
        peak = found.estimates["peak_concurrency"]
        most = float(found.fits.levels.max())
        from_ = ""
        if peak.has_interval and peak.low > REACH * most:
            from_ = f"; {_FAR_OFF.format(amount(most))}"
        elif peak.has_interval and peak.low > 1:
            from_ = f"; with the confidence given it lies above {number(peak.low)}"
        messages.append(f"beta is at its bound 0: no loss by coherency is seen, so there is no peak{from_}")
    if form.alpha and law.alpha == 0:
        messages.append("alpha is at its bound 0: no contention is seen, so there is neither knee nor limit")
    if form.alpha and law.alpha >= 1:
        messages.append(f"alpha is at its bound 1: more {found.load} bring nothing at all")
    if not found.fits.converged[0]:
        messages.append("the search for the best parameters has not converged")
    return messages


def _quality(found: Found) -> list[str]:
    messages = []
    if found.lack_of_fit < _POOR:
        messages.append(
            f"the law does not describe these levels: they differ from it by more than their repetitions differ among"
            f" themselves (lack of fit, p = {number(found.lack_of_fit, 2)}); its intervals do not hold"
        )
    means = found.fits.data[0]
    falling = found.fits.levels.argmax()
    if found.fits.form.beta and found.law.beta == 0 and means[falling] < means.max() * 0.95:
        messages.append(
            f"the throughput at the highest level is {number(100 * (1 - means[falling] / means.max()), 2)} % below the"
            " best one, yet the fit has no peak: look at the chart before believing either"
        )
    return messages


def verdict(found: Found, unit: str) -> str:
    """The answer in two sentences: where the highest throughput is, and whether to believe it."""
    law, most = found.law, float(found.fits.levels.max())
    if (flat := found.plateau) is not None:
        return f"The throughput stays at {rate(flat.throughput, unit)} {flat.ends(found.load)}: {flat.reason}."
    if found.saturation is not None:
        first = found.saturation.verdict(found.single, found.load, unit)
        return f"{first} But {found.saturation.reason}."
    if not found.fits.form.alpha:
        first = f"Each {found.single} adds {rate(law.lambda_, unit)}."
    elif law.peak_concurrency < (least := float(found.fits.levels.min())):
        first = (
            f"The throughput falls from the lowest level on, {amount(least)} {found.load}: its peak was not measured."
        )
    elif _peaks(found):
        between = _between(found.estimates["peak_concurrency"], most) if "peak_concurrency" in found.estimates else ""
        first = (
            f"The throughput is highest with {number(law.peak_concurrency)} {found.load}{between}:"
            f" {rate(law.peak_throughput, unit, 4)}."
        )
    elif _faster(found):
        first = f"The throughput grows faster than in proportion, {_each(found, unit)}."
    elif law.knee <= most:
        first = f"The throughput rises towards {rate(law.limit, unit, 4)} and is not seen to fall."
    elif min(law.knee, law.peak_concurrency) <= REACH * most:
        first = f"The throughput grows less than in proportion, {_each(found, unit)}, and is not seen to fall."
    else:
        first = (
            f"The throughput grows in proportion, {rate(law.lambda_, unit)} with each {found.single}, up to"
            f" {amount(most)}."
        )
    messages = doubts(found)
    if not messages:
        return f"{first}{FAR_ENOUGH}"
    return f"{first} But {messages[0]}{' (and more below)' if len(messages) > 1 else ''}."


def shows_peak(found: Found) -> bool:
    """Whether the peak of the law lies among the levels or above them, and these show it."""
    if found.plateau is not None or found.saturation is not None:
        return False
    return found.law.peak_concurrency >= found.fits.levels.min() and _peaks(found)


def _peaks(found: Found) -> bool:
    """Whether the levels show the peak of the law: the throughput falls after it, or its interval has an end."""
    peak, levels, data = found.law.peak_concurrency, found.fits.levels, found.fits.data[0]
    if peak <= levels.max():
        _, place = np.unique(levels, return_inverse=True)
        means = np.bincount(place, data) / np.bincount(place)
        return bool(means[-1] < means.max())
    estimate = found.estimates.get("peak_concurrency")
    return peak <= NEAR * levels.max() and estimate is not None and math.isfinite(estimate.high)


def _each(found: Found, unit: str) -> str:
    """Throughput of each request at the lowest level and at the highest."""
    levels, data = found.fits.levels, found.fits.data[0]
    least, most = (float((data / levels)[levels == end].mean()) for end in (levels.min(), levels.max()))
    ends = amount(levels.min()), amount(levels.max())
    return f"{rate(least, unit)} with each {found.single} at {ends[0]} and {rate(most, unit)} at {ends[1]}"


def _between(estimate: Estimate, most: float) -> str:
    if not estimate.has_interval:
        return ""
    high = number(estimate.high) if estimate.high <= REACH * most or math.isinf(estimate.high) else "out of reach"
    return f" ({number(estimate.low)} to {high})"


def advice(found: Found) -> tuple[str, ...]:
    """Meaning of contention and coherency here, and advice on each."""
    form, law = found.fits.form, found.law
    messages = []
    most = float(found.fits.levels.max())
    if (flat := found.plateau) is not None:
        return (f"what limits the throughput is fully used from {amount(flat.first)} {found.load} on: make it larger",)
    if (bent := found.saturation) is not None:
        where = f"about {number(bent.bend, 2)} {found.load} on"
        return (f"what limits the throughput is nearly fully used from {where}: make it larger",)
    if form.alpha and law.knee <= most:
        messages.append(
            f"contention: {number(100 * law.alpha, 2)} % of the work is done one after the other (locks, one"
            f" connection, a pool that is too small, a saturated core or disk), so that no number of {found.load}"
            f" brings more than {number(law.limit / law.lambda_)} times the throughput of one; shorten or split"
            " what is shared"
        )
    if form.beta and _peaks(found):
        peak = law.peak_concurrency
        share = law.beta * peak * (peak - 1) / (1 + law.alpha * (peak - 1) + law.beta * peak * (peak - 1))
        messages.append(
            f"coherency: every pair of {found.pair} costs {number(law.beta, 2)} of a request's work"
            f" (crosstalk: cache lines, data kept consistent, context switches, garbage collection),"
            f" {number(100 * share, 2)} % of all work at the peak; share less data, write less of it, or admit no"
            f" more than {number(peak)} {found.load}"
        )
    if form.alpha and min(law.knee, law.peak_concurrency) > REACH * most and not _faster(found):
        messages.append(f"the throughput grows in proportion to the {found.load} as far as was measured")
    if form.alpha and found.fits.freedom > 0 and not found.fits.constant_errors[0]:
        messages.append(
            "the measurements scatter more where the throughput is high: the intervals allow for that, the standard"
            " errors do not"
        )
    return tuple(messages)
