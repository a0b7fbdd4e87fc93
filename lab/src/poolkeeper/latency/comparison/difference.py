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


def difference(first: Estimate, second: Estimate, strict_first: Estimate, strict_second: Estimate) -> Difference:
    """Compare a figure of two runs; whether a difference was seen is judged by the stricter estimates of the same."""
    why = first.why or second.why
    apart = second.value - first.value
    confidence = first.confidence
    low, high = _recovered(first, second, _same)
    judged = strict_first.has_interval and strict_second.has_interval
    strict_low, strict_high = _recovered(strict_first, strict_second, _same)
    detectable = math.nan
    if judged:
        from scipy.special import ndtri

        level = float(ndtri((1 + strict_first.confidence) / 2))
        detectable = (strict_high - strict_low) / 2 * (level + float(ndtri(_POWER))) / level
    return Difference(
        first,
        second,
        apart,
        low,
        high,
        confidence,
        _ratio(first, second),
        judged,
        judged and (strict_low > 0 or strict_high < 0),
        detectable,
        why or strict_first.why or strict_second.why,
    )


def _ratio(first: Estimate, second: Estimate) -> Estimate:
    confidence = first.confidence
    if not (first.value > 0 and second.value > 0):
        return Estimate.bare(math.nan, confidence, first.why or second.why or "only positive figures have a ratio")
    value = second.value / first.value
    if not (first.low > 0 and second.low > 0):
        return Estimate.bare(value, confidence, first.why or second.why or "an interval reaches down to 0")
    low, high = _recovered(first, second, math.log)
    return Estimate(value, math.exp(low), math.exp(high), confidence)


def _recovered(first: Estimate, second: Estimate, scale: Callable[[float], float]) -> tuple[float, float]:
    """Ends of the interval of the difference on some scale: each by the distances that make it (Zou and Donner)."""
    if not (first.has_interval and second.has_interval):
        return math.nan, math.nan
    a, a_low, a_high = (scale(end) for end in (first.value, first.low, first.high))
    b, b_low, b_high = (scale(end) for end in (second.value, second.low, second.high))
    return b - a - math.hypot(b - b_low, a_high - a), b - a + math.hypot(b_high - b, a - a_low)


def _same(value: float) -> float:
    return value
