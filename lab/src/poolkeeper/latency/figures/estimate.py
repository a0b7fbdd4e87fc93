"""A figure computed from a sample, with the interval that holds the truth as often as it says, or why it has none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from poolkeeper.present.numbers import or_none


@dataclass(frozen=True)
class Estimate:
    """A figure and its confidence interval, all in the unit of the data.

    `low` and `high` are NaN where the data cannot carry an interval of this confidence, and `value` is NaN where they
    cannot carry even the figure; `why` then says what is missing, in one sentence.
    """

    value: float
    low: float
    high: float
    confidence: float
    why: str = ""

    @classmethod
    def bare(cls, value: float, confidence: float, why: str) -> Estimate:
        """A figure without an interval, and why."""
        return cls(value, math.nan, math.nan, confidence, why)

    def at_least(self, bound: float) -> Estimate:
        """The same for a quantity that is never below a bound: what cannot be is cut off the interval."""
        # NaN stays, as no comparison with it holds.
        return replace(self, low=bound) if self.low < bound else self

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is not known is None."""
        figures = {"value": self.value, "low": self.low, "high": self.high}
        found: dict[str, Any] = {name: or_none(figure) for name, figure in figures.items()}
        return found | {"confidence": self.confidence} | ({"why": self.why} if self.why else {})
