"""The answer of an experiment in two sentences, computed from its summaries."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from poolkeeper.report.judging.compare import UNKNOWN
from poolkeeper.report.messages import more_or_less
from poolkeeper.report.paired import paired_answer
from poolkeeper.report.sentences import text
from poolkeeper.report.summary import standing_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.report.judging.compare import Comparison
    from poolkeeper.report.summary import VariantSummary


NEAR = 0.05
"""Ratio to the best throughput from which a throughput is called as good, over many combinations."""
NAMED = 4
"""Variants named in the answer over many combinations; the adaptive ones are, too, if they are few."""


def answer(summaries: Sequence[VariantSummary]) -> str:
    """Name the best variant, and compare the others with their baseline."""
    measured = [summary for summary in summaries if not math.isnan(summary.throughput.mean)]
    # A run that broke off says little, so it is spoken of only where there is no other.
    complete = [summary for summary in measured if summary.complete] or measured
    if not complete:
        return text("answer.nothing")
    paired = paired_answer(measured)
    if len({summary.cell for summary in complete}) > 1:
        return f"{paired} {_near_the_best(complete)}" if paired else _over_cells(complete)
    if paired:
        return f"{paired} {_best_of(complete)}"
    if len(complete) == 1:
        second = _against_baseline(measured) if len(measured) > 1 else text("answer.alone")
        return f"{text('answer.reached', summary=complete[0])} {second}"
    adaptive = [summary for summary in complete if summary.adaptive]
    fixed = [summary for summary in complete if not summary.adaptive]
    first = _adaptive_and_fixed(adaptive, fixed) if adaptive and fixed else _best_of(complete)
    return f"{first} {_against_baseline(measured)}"


def _adaptive_and_fixed(adaptive: Sequence[VariantSummary], fixed: Sequence[VariantSummary]) -> str:
    return text(
        "answer.adaptive_and_fixed",
        ours=_fastest(adaptive),
        theirs=_fastest(fixed),
        adaptive=len(adaptive),
        fixed=len(fixed),
        # The servers may differ in more than their pools.
        different_servers=len({summary.architecture for summary in (*adaptive, *fixed)} - {""}) > 1,
    )


def _best_of(summaries: Sequence[VariantSummary]) -> str:
    responsive = min(summaries, key=lambda entry: entry.p99.mean if not math.isnan(entry.p99.mean) else math.inf)
    return text("answer.best_of", fastest=_fastest(summaries), responsive=responsive)


def _against_baseline(summaries: Sequence[VariantSummary]) -> str:
    compared = [
        summary for summary in summaries if any(found.basis != UNKNOWN.basis for found in summary.comparisons.values())
    ]
    if not compared:
        reasons = {summary.verdict for summary in summaries if summary.verdict != "baseline"}
        return text("answer.no_verdict", reasons=sorted(reasons))
    ours = _fastest([summary for summary in compared if summary.adaptive] or compared)
    return text(
        "answer.against_baseline",
        ours=ours,
        within=ours.comparisons["throughput"].basis == "blocks",
        difference=any(found.seen or found.open for found in ours.comparisons.values()),
        throughput=more_or_less(ours.comparisons["throughput"]),
        p99=more_or_less(ours.comparisons["p99"]),
    )


def _near_the_best(summaries: Sequence[VariantSummary]) -> str:
    """In how many cells each variant came near the highest throughput."""
    cells: dict[str, list[VariantSummary]] = {}
    for summary in summaries:
        cells.setdefault(summary.cell, []).append(summary)
    near = Counter({variant.name: 0 for variant in summaries})
    for members in cells.values():
        best = _fastest(members).throughput.mean
        near.update(member.name for member in members if member.throughput.mean >= best * (1 - NEAR) > 0)
    most, adaptive = [name for name, _ in near.most_common(NAMED)], standing_out(summaries)
    named = [f"{name} in {count}" for name, count in near.most_common() if name in most or name in adaptive]
    return text("answer.near_the_best", cells=len(cells), near=f"{NEAR * 100:.0f}", named=named)


def _over_cells(summaries: Sequence[VariantSummary]) -> str:
    first = _near_the_best(summaries)
    found = [summary.comparisons["throughput"] for summary in summaries if summary.comparisons]
    if not found:
        return f"{first} {text('answer.none_compared')}"
    baselines = {variant.versus for variant in summaries if variant.versus}
    second = text(
        "answer.over_cells",
        baseline=baselines.pop() if len(baselines) == 1 else "the baseline",
        within=any(comparison.basis == "blocks" for comparison in found),
        directions=Counter(map(_direction, found)),
        doubts=Counter(comparison.doubt for comparison in found if comparison.open),
    )
    return f"{first} {second}"


def _direction(comparison: Comparison) -> str:
    if comparison.basis == UNKNOWN.basis:
        return "unknown"
    if not comparison.seen:
        return "open" if comparison.open else "same"
    return "higher" if comparison.change > 0 else "lower"


def _fastest(summaries: Sequence[VariantSummary]) -> VariantSummary:
    return max(summaries, key=lambda summary: summary.throughput.mean)
