"""Numbers and findings in words: how the report and the terminal say them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import change, number

if TYPE_CHECKING:
    from poolkeeper.report.judging.compare import Comparison
    from poolkeeper.report.summary import VariantSummary

NAMES = {
    "throughput": "throughput",
    "mean": "mean response time",
    "p99": "99th percentile",
    "goodput": "goodput",
}
"""The figures of blocks: those that a verdict is given on, and goodput."""
WHOLE = 1e-4
"""Relative distance from a whole number within which a mean pool size is called one."""


def threads(size: float) -> str:
    """A mean pool size: a whole number as one, others with three significant digits."""
    # Windows end a few nanoseconds apart, so the mean of a pool that never changed is whole but for that.
    return number(size) if math.isnan(size) or abs(size - round(size)) > size * WHOLE else f"{size:,.0f}"


def interval(comparison: Comparison) -> str:
    """The interval of a change: "+8 % to +16 %", or its known end: "at least +8 %"."""
    if math.isinf(comparison.high):
        return f"at least {change(comparison.low)}"
    if comparison.low <= -1:
        return f"at most {change(comparison.high)}"
    return f"{change(comparison.low)} to {change(comparison.high)}"


def verdict(comparison: Comparison) -> str:
    """One figure's verdict: the change with its interval, "no change seen", or the reason why neither is known."""
    if comparison.basis == "none":
        return "too little data to tell"
    if comparison.open:
        return f"open: {comparison.doubt}"
    effect = change(comparison.change) if comparison.seen else "no difference seen"
    return f"{effect} ({interval(comparison)})"


def slices_verdict(comparison: Comparison) -> str:
    """Throughput of a variant against that of the baseline with which it took turns, in words."""
    if comparison.open:
        return f"open: {comparison.doubt}"
    if comparison.seen:
        direction = "faster" if comparison.change > 0 else "slower"
        return f"{direction}: {change(comparison.change)} ({interval(comparison)})"
    largest = max(abs(comparison.low), abs(comparison.high))
    return f"no difference larger than {largest * 100:.1f} % seen"


def more_or_less(comparison: Comparison) -> str:
    """The change as a clause: "12 % higher (95 % interval +8 % to +16 %)"."""
    if comparison.basis == "none":
        return "known from too little data to compare"
    if comparison.open:
        return f"left open ({comparison.doubt})"
    if not comparison.seen:
        return "no different beyond noise"
    ratio = comparison.change
    if ratio >= 1:
        size = f"{number(ratio + 1, 2)} times as high"
    else:
        size = f"{abs(ratio) * 100:.{0 if abs(ratio) >= 0.1 else 1}f} % {'higher' if ratio > 0 else 'lower'}"  # noqa: PLR2004
    return f"{size} (95 % interval {interval(comparison)})"


def load_mark(summary: VariantSummary) -> str:
    """Mark of a variant whose runs the load generator limited; empty for any other."""
    return limit_mark(summary.limited, summary.held_up) if summary.limited else ""


def limit_mark(limited: int, held_up: int) -> str:
    """Name of the limit of so many runs, in so many of which the load generator's own threads were not busy."""
    return "load held up" if held_up == limited else "load at its limit"


def threads_on_average(size: float) -> str:
    """A mean size with its noun: "1 thread on average"."""
    return f"{threads(size)} {'thread' if threads(size) == '1' else 'threads'} on average"
