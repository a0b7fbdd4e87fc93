"""Numbers and findings in words: how the report and the terminal say them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import change, number
from poolkeeper.report.judging.compare import CONFIDENCE, MARGIN, Comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.report.summary import VariantSummary

NAMES = {
    "throughput": "throughput",
    "mean": "mean response time",
    "p99": "99th percentile",
    "goodput": "goodput",
}
"""The figures of blocks: those that a verdict is given on, and goodput."""
TOO_MANY = 20
"""So many intervals of 95 % that one of them is expected to miss the truth."""
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
    """One figure's verdict: the change with its interval, that none was seen, or why neither can be said."""
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


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule of the verdicts: the part for every reader, and the part for the curious."""

    short: tuple[str, ...]
    long: tuple[str, ...]
    within: bool
    """Whether some tell of these runs only."""


FEW_REPETITIONS = (
    "There are fewer than three repetitions, so this tells how steady the difference was within these runs; another "
    "pair of runs may differ by more."
)
"""Text that belongs beside a verdict by blocks of seconds."""


OPEN = (
    "A difference is open, and counts neither as higher nor as lower, where the load generator may have been the limit "
    "and could be why (a limited server could perhaps do more: its throughput bounds a ratio from one side), and where "
    f"two repetitions contradict each other by more than {MARGIN * 100:.0f} % either way."
)
"""Text that belongs beside verdicts of which one is open, or could have been."""


def rule(summaries: Sequence[VariantSummary]) -> Rule:
    """The rule of the comparisons that were made."""
    made = [comparison for summary in summaries for comparison in summary.comparisons.values()]
    bases = {comparison.basis for comparison in made}
    confidence, margin = f"{CONFIDENCE * 100:.0f} %", f"{MARGIN * 100:.0f} %"
    short = [f"A difference is seen when its {confidence} interval leaves out zero and it is at least {margin}."]
    long = []
    if "repetitions" in bases:
        long.append(
            "The interval is Student's t over the differences between repetitions of the same number, on a logarithmic "
            "scale."
        )
    if "blocks" in bases:
        short.append(FEW_REPETITIONS)
        long.append(
            "The interval comes from blocks of seconds within each phase of the load (at least 5 s each where the "
            "phase is long enough), each left out in turn in both runs at once: a stratified jackknife."
        )
    if "slices" in bases:
        long.append(
            "Each slice of a variant is set against the slices of the baseline before and after it, at its own time "
            "between the two, so that what drifts cancels. The interval is Student's t over the logarithms of these "
            "ratios, by generalised least squares, since neighbours share a slice of the baseline."
        )
    if any(comparison.doubt for comparison in made):
        short.append(OPEN)
    if len(made) >= TOO_MANY:
        missing = len(made) * (1 - CONFIDENCE)
        long.append(f"Of {len(made)} such intervals about {missing:.0f} miss the truth by chance.")
    return Rule(tuple(short), tuple(long), "blocks" in bases)


def load_mark(summary: VariantSummary) -> str:
    """Mark of a variant whose runs the load generator limited; empty for any other."""
    return limit_mark(summary.limited, summary.held_up) if summary.limited else ""


def limit_mark(limited: int, held_up: int) -> str:
    """Name of the limit of so many runs, in so many of which the load generator's own threads were not busy."""
    return "load held up" if held_up == limited else "load at its limit"


def threads_on_average(size: float) -> str:
    """A mean size with its noun: "1 thread on average"."""
    return f"{threads(size)} {'thread' if threads(size) == '1' else 'threads'} on average"
