"""Resolution of recorded values: milliseconds, two significant digits, or finely enough not to matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

_CLOSE = 1e-9
_MATTERS = 0.1
_COARSE = 3


@dataclass(frozen=True, slots=True)
class Resolution:
    """A value stands for all that are rounded to it: multiples of `step`, or numbers of so many significant `digits`.

    Exactly one of them is not 0. A difference of two readings of a clock that counts whole steps errs to either side
    alike, so a value is taken for the middle of what it stands for.
    """

    step: float = 0.0
    digits: int = 0

    def cells(self, values: Floats) -> tuple[Floats, Floats]:
        """Lower and upper ends of what each value stands for."""
        if self.step:
            half = np.full(values.size, self.step / 2)
            return np.maximum(values - half, 0), values + half
        with np.errstate(divide="ignore"):
            decade = np.floor(np.log10(values) + _CLOSE)
        half = 0.5 * 10.0 ** (np.where(values > 0, decade, 0) - self.digits + 1)
        # Below a power of ten the steps are ten times finer.
        power = np.abs(values - 10.0**decade) <= _CLOSE * values
        return np.maximum(values - np.where(power, half / 10, half), 0), values + half

    def __str__(self) -> str:
        """The resolution in words."""
        if self.step:
            return f"multiples of {self.step:g}"
        return f"rounded to {self.digits} significant digit{'' if self.digits == 1 else 's'}"


def resolution(ordered: Floats) -> Resolution | None:
    """Resolution of sorted, non-negative values; None if it is so fine that no estimate notices.

    It is noticed where steps are equal (or decimal digits few) and the most frequent value holds a share of the values
    that is not small against 1 / sqrt(n), the accuracy of an empirical distribution.
    """
    change = np.flatnonzero(np.diff(ordered) > 0)
    starts = np.concatenate([[0], change + 1])
    distinct = ordered[starts]
    counts = np.diff(np.append(starts, ordered.size))
    if distinct.size < 2 or counts.max() / np.sqrt(ordered.size) < _MATTERS or counts.max() < _COARSE:  # noqa: PLR2004
        return None
    if 2 * distinct.size > ordered.size:
        return None
    digits = _digits(distinct)
    gaps = np.diff(distinct)
    step = float(gaps.min())
    rounded = distinct / step
    if np.all(np.abs(rounded - np.round(rounded)) <= 1e-6 * np.maximum(1, rounded / 1e3)):
        # Of 1, 2, ..., 99 both would do; above that, numbers of two digits leave gaps that milliseconds do not.
        if digits and gaps.max() > step and _decades(distinct, digits):
            return Resolution(digits=digits)
        return Resolution(step=step)
    return Resolution(digits=digits) if digits else None


def _digits(distinct: Floats) -> int:
    positive = distinct[distinct > 0]
    decade = 10.0 ** np.floor(np.log10(positive) + _CLOSE)
    for digits in range(1, _COARSE + 1):
        scaled = positive / decade * 10 ** (digits - 1)
        if np.all(np.abs(scaled - np.round(scaled)) <= 1e-6):  # noqa: PLR2004
            return digits
    return 0


def _decades(distinct: Floats, digits: int) -> bool:
    """Whether steps differ between decades that hold enough values to tell."""
    positive = distinct[distinct > 0]
    decade = np.floor(np.log10(positive) + _CLOSE)
    finest = [
        float(np.diff(part).min()) for d in np.unique(decade) if (part := positive[decade == d]).size > digits * 5
    ]
    return len(finest) > 1 and max(finest) > 5 * min(finest)
