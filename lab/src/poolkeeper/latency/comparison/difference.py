"""The difference and the ratio of one figure of two runs, with intervals recovered from those of the two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.present.numbers import or_none

if TYPE_CHECKING:
    from collections.abc import Callable

_POWER = 0.8
"""Probability of seeing a difference as large as `detectable`."""


@dataclass(frozen=True)
class Difference:
    """A figure of the second run less that of the first, in their unit; NaN where it is not known, and `why`."""

    first: Estimate
    second: Estimate
    value: float
    low: float
    high: float
    confidence: float
    ratio: Estimate
    """Second over first; NaN unless both are positive."""
    judged: bool
    """Whether there is enough data to say that the figures differ, or that no difference was seen."""
    seen: bool
    """Whether they differ by more than chance explains."""
    detectable: float
    """The least difference that would have been seen in 80 % of such comparisons; NaN if it was not judged."""
    why: str = ""
    rounded: bool = False
    """Whether an end of the interval is that of rounding."""

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is not known is None."""
        names = ("value", "low", "high", "detectable")
        figures = {name: or_none(getattr(self, name)) for name in names}
        found: dict[str, Any] = {"first": self.first.to_dict(), "second": self.second.to_dict()} | figures
        different = self.seen if self.judged else None
        return found | {
            "confidence": self.confidence,
            "ratio": self.ratio.to_dict(),
            "seen": different,
            "why": self.why,
        }


def difference(
    first: Estimate,
    second: Estimate,
    strict_first: Estimate,
    strict_second: Estimate,
    *,
    errors: tuple[float, float] = (0.0, 0.0),
) -> Difference:
    """Compare a figure of two runs; whether a difference was seen is judged by the stricter estimates of the same.

    `errors` says how far rounding may have moved the figure of each run: the interval holds all that it may be then,
    but figures that differ by more than chance explains do so, however they were rounded.
    """
    why = first.why or second.why
    apart = second.value - first.value
    confidence = first.confidence
    ends = _recovered(first, second, _same)
    low, high = widened(ends, apart, sum(errors))
    judged = strict_first.has_interval and strict_second.has_interval
    strict_low, strict_high = _recovered(strict_first, strict_second, _same)
    detectable = math.nan
    if judged:
        from scipy.special import ndtri

        level = float(ndtri((1 + strict_first.confidence) / 2))
        detectable = max((strict_high - strict_low) / 2 * (level + float(ndtri(_POWER))) / level, sum(errors))
    return Difference(
        first,
        second,
        apart,
        low,
        high,
        confidence,
        _ratio(first, second, errors),
        judged,
        judged and (strict_low > 0 or strict_high < 0),
        detectable,
        why or strict_first.why or strict_second.why,
        rounded=first.has_interval and second.has_interval and (low, high) != ends,
    )


def _ratio(first: Estimate, second: Estimate, errors: tuple[float, float]) -> Estimate:
    confidence = first.confidence
    if not (first.value > 0 and second.value > 0):
        return Estimate.bare(math.nan, confidence, first.why or second.why or "only positive figures have a ratio")
    value = second.value / first.value
    if not (first.low > 0 and second.low > 0):
        return Estimate.bare(value, confidence, first.why or second.why or "an interval reaches down to 0")
    low, high = (math.exp(end) for end in _recovered(first, second, math.log))
    if any(errors):
        least, most = first.value - errors[0], second.value + errors[1]
        low = min(low, (second.value - errors[1]) / (first.value + errors[0]))
        high = max(high, most / least if least > 0 else math.inf)
    return Estimate(value, low, high, confidence)


def widened(ends: tuple[float, float], value: float, error: float) -> tuple[float, float]:
    """Ends of an interval that holds all values from which rounding may have moved one by an error; NaN if it is so."""
    return (min(ends[0], value - error), max(ends[1], value + error)) if error > 0 else ends


def _recovered(first: Estimate, second: Estimate, scale: Callable[[float], float]) -> tuple[float, float]:
    """Ends of the interval of the difference on some scale: each by the distances that make it (Zou and Donner)."""
    if not (first.has_interval and second.has_interval):
        return math.nan, math.nan
    a, a_low, a_high = (scale(end) for end in (first.value, first.low, first.high))
    b, b_low, b_high = (scale(end) for end in (second.value, second.low, second.high))
    return b - a - math.hypot(b - b_low, a_high - a), b - a + math.hypot(b_high - b, a - a_low)


def _same(value: float) -> float:
    return value
