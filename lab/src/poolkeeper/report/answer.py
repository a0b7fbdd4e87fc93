"""The answer of an experiment in two sentences, computed from its summaries."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import number, time
from poolkeeper.present.text import counted, listed
from poolkeeper.report.judging.compare import UNKNOWN
from poolkeeper.report.messages import more_or_less, threads_on_average
from poolkeeper.report.paired import paired_answer
from poolkeeper.report.summary import standing_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.report.summary import VariantSummary


NEAR = 0.05
"""Ratio to the best throughput from which a throughput is called as good, over many combinations."""
NAMED = 4
"""Variants named in the answer over many combinations; the adaptive ones are, too, if they are few."""


def answer(summaries: Sequence[VariantSummary]) -> str:
    """Say which variant did best and how the others stand to their baseline."""
    measured = [summary for summary in summaries if not math.isnan(summary.throughput.mean)]
    # A run that broke off says little, so it is spoken of only where there is no other.
    complete = [summary for summary in measured if summary.complete] or measured
    if not complete:
        return "No run got as far as measuring a second of load. There is nothing to compare."
    paired = paired_answer(measured)
    if len({summary.cell for summary in complete}) > 1:
        return f"{paired} {_over_cells(complete, compared=False)}" if paired else _over_cells(complete)
    if paired:
        return f"{paired} {_best_of(complete)}"
    if len(complete) < len(measured) and len(complete) == 1:
        return f"{_reached(complete[0])} {_against_baseline(measured)}"
    if len(complete) == 1:
        return f"{_reached(complete[0])} It is the only variant, so there is nothing to compare it with."
    adaptive = [summary for summary in complete if summary.adaptive]
    fixed = [summary for summary in complete if not summary.adaptive]
    first = _adaptive_and_fixed(adaptive, fixed) if adaptive and fixed else _best_of(complete)
    return f"{first} {_against_baseline(measured)}"


def _reached(summary: VariantSummary) -> str:
    return (
        f"{summary.name} served {number(summary.throughput.mean)} requests per second with a mean response time of "
        f"{time(summary.mean.mean)} and a 99th percentile of {time(summary.p99.mean)}."
    )


def _adaptive_and_fixed(adaptive: Sequence[VariantSummary], fixed: Sequence[VariantSummary]) -> str:
    ours, theirs = _fastest(adaptive), _fastest(fixed)
    if (
        len({summary.architecture for summary in (*adaptive, *fixed)} - {""}) > 1
    ):  # the servers differ in more than their pools
        which = f"{ours.name}, {'the adaptive variant' if len(adaptive) == 1 else 'the best adaptive variant'},"
        other = f"{theirs.name}, {'the other' if len(fixed) == 1 else 'the best of the others'},"
    else:
        which = "The adaptive pool" if len(adaptive) == 1 else f"The best adaptive pool, {ours.name},"
        in_hindsight = f"the best fixed pool in hindsight, {theirs.name},"
        other = f"the fixed pool {theirs.name}" if len(fixed) == 1 else in_hindsight
    return (
        f"{which} served {number(ours.throughput.mean)} requests per second{_threads(ours)}; {other} served "
        f"{number(theirs.throughput.mean)}{_threads(theirs)}."
    )


def _threads(summary: VariantSummary) -> str:
    size = summary.mean_pool_size.mean
    return "" if math.isnan(size) else f" with {threads_on_average(size)}"


def _best_of(summaries: Sequence[VariantSummary]) -> str:
    fastest = _fastest(summaries)
    responsive = min(summaries, key=lambda entry: entry.p99.mean if not math.isnan(entry.p99.mean) else math.inf)
    message = f"{fastest.name} served the most requests, {number(fastest.throughput.mean)} per second"
    if responsive is fastest:
        return f"{message}, and also had the lowest 99th percentile of the response time, {time(fastest.p99.mean)}."
    return (
        f"{message}; {responsive.name} had the lowest 99th percentile of the response time, "
        f"{time(responsive.p99.mean)} against {time(fastest.p99.mean)}."
    )


def _against_baseline(summaries: Sequence[VariantSummary]) -> str:
    compared = [summary for summary in summaries if summary.comparisons]
    compared = [
        summary for summary in compared if any(found.basis != UNKNOWN.basis for found in summary.comparisons.values())
    ]
    if not compared:
        reasons = {summary.verdict for summary in summaries if summary.verdict != "baseline"}
        return f"No verdict is given ({'; '.join(sorted(reasons))})."
    adaptive = [summary for summary in compared if summary.adaptive]
    ours = _fastest(adaptive or compared)
    within = ", within these runs" if ours.comparisons["throughput"].basis == "blocks" else ""
    against = f"Against {ours.versus}{within}"
    if not any(comparison.seen or comparison.open for comparison in ours.comparisons.values()):
        return f"{against}, {ours.name} showed no difference beyond noise in throughput or response time."
    return (
        f"{against}, the throughput of {ours.name} was {more_or_less(ours.comparisons['throughput'])} and "
        f"its 99th percentile {more_or_less(ours.comparisons['p99'])}."
    )


def _over_cells(summaries: Sequence[VariantSummary], *, compared: bool = True) -> str:
    cells: dict[str, list[VariantSummary]] = {}
    for summary in summaries:
        cells.setdefault(summary.cell, []).append(summary)
    near = Counter({variant.name: 0 for variant in summaries})
    for members in cells.values():
        best = _fastest(members).throughput.mean
        near.update(member.name for member in members if member.throughput.mean >= best * (1 - NEAR) > 0)
    most, adaptive = [name for name, _ in near.most_common(NAMED)], standing_out(summaries)
    named = [name for name, _ in near.most_common() if name in most or name in adaptive]
    near_most = listed([f"{name} in {near[name]}" for name in named])
    near_enough = f"within {NEAR * 100:.0f} % of the highest throughput"
    first = f"Of the {len(cells)} combinations measured, {near_enough} came {near_most}."
    if not compared:
        return first
    directions = Counter(_direction(variant) for variant in summaries if variant.comparisons)
    if not directions:
        return f"{first} No variant could be compared with a baseline."
    baselines = {variant.versus for variant in summaries if variant.versus}
    baseline = baselines.pop() if len(baselines) == 1 else "the baseline"
    higher, lower, same, unknown = (directions[found] for found in ("higher", "lower", "same", "unknown"))
    blocks = any(variant.comparisons["throughput"].basis == "blocks" for variant in summaries if variant.comparisons)
    opening = "Within these runs, of" if blocks else "Of"
    second = f"{opening} {counted(directions.total(), 'comparison')} with {baseline}, throughput was higher in {higher}"
    untold = f"; of {unknown} nothing can be told" if unknown else ""
    return f"{first} {second}, lower in {lower}, and no different beyond noise in {same}{_open(summaries)}{untold}."


def _open(summaries: Sequence[VariantSummary]) -> str:
    """Clause about open comparisons of throughput and their reasons; empty where none is."""
    found = [summary.comparisons["throughput"] for summary in summaries if summary.comparisons]
    doubts = Counter(comparison.doubt for comparison in found if comparison.open)
    why = listed([f"{doubt} in {count}" for doubt, count in doubts.items()])
    return f"; {doubts.total()} {'is' if doubts.total() == 1 else 'are'} open ({why})" if doubts else ""


def _direction(summary: VariantSummary) -> str:
    comparison = summary.comparisons["throughput"]
    if comparison.basis == UNKNOWN.basis:
        return "unknown"
    if not comparison.seen:
        return "open" if comparison.open else "same"
    return "higher" if comparison.change > 0 else "lower"


def _fastest(summaries: Sequence[VariantSummary]) -> VariantSummary:
    return max(summaries, key=lambda summary: summary.throughput.mean)
