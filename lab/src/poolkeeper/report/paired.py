"""Variants that took turns on one server, slice by slice: the table, and the answer that it gives."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from poolkeeper.present.numbers import change
from poolkeeper.present.text import counted, listed
from poolkeeper.report.measuring.shares import Share
from poolkeeper.report.messages import interval
from poolkeeper.report.tables import Csv, finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.judging.compare import Comparison
    from poolkeeper.report.summary import VariantSummary

NAMED = 4
"""Variants that the answer names; of more the others are counted."""


@dataclass(frozen=True, slots=True)
class PairedRow:
    """A variant against the baseline: ratios of throughput and mean response time with their intervals."""

    variant: str
    strong: bool
    ratio: str
    interval: str
    mean: str
    mean_interval: str
    slices: int
    verdict: str


@dataclass(frozen=True, slots=True)
class PairedTable:
    """The variants of a cell that took turns, set against those slices of the baseline that lay beside theirs."""

    versus: str
    rows: tuple[PairedRow, ...]
    csv: Csv


def is_paired(summary: VariantSummary) -> bool:
    """Whether a variant is compared slice by slice."""
    return any(found.basis == "slices" for found in summary.comparisons.values())


def paired_table(summaries: Sequence[VariantSummary]) -> PairedTable | None:
    """The table of one cell; None where nothing was compared slice by slice."""
    paired = [summary for summary in summaries if is_paired(summary)]
    if not paired:
        return None
    rows = tuple(
        PairedRow(
            summary.name,
            summary.adaptive,
            *_effect(summary.comparisons["throughput"]),
            *_effect(summary.comparisons["mean"]),
            summary.comparisons["throughput"].samples,
            summary.verdict,
        )
        for summary in paired
    )
    return PairedTable(str(paired[0].versus), rows, _csv(paired))


def _effect(comparison: Comparison) -> tuple[str, str]:
    if math.isnan(comparison.change):
        return "–", ""
    ends = (comparison.low + 1, comparison.high + 1)
    closed = comparison.low > -1 and not math.isinf(comparison.high)
    return f"{comparison.change + 1:.3f}", f"{ends[0]:.3f}–{ends[1]:.3f}" if closed else interval(comparison)


def _csv(paired: Sequence[VariantSummary]) -> Csv:
    header = ("cell", "variant", "versus", "figure", "ratio", "low", "high", "slices", "verdict")
    rows = [
        (
            *(summary.cell, summary.name, summary.versus, figure),
            *(finite(found.change + 1), finite(found.low + 1), finite(found.high + 1), found.samples, summary.verdict),
        )
        for summary in paired
        for figure, found in summary.comparisons.items()
    ]
    return Csv(header, tuple(rows))


def drawn(table: PairedTable) -> Table:
    """The table for a terminal."""
    found = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    found.add_column("paired", no_wrap=True, min_width=max(len(row.variant) for row in table.rows))
    for heading in ("throughput", "95 % interval", "mean response", "slices"):
        found.add_column(heading, justify="right", no_wrap=True)
    found.add_column(f"against {table.versus}")
    for row in table.rows:
        cells = [row.variant, row.ratio, row.interval, row.mean, str(row.slices), row.verdict]
        found.add_row(*map(Text, cells), style="bold cyan" if row.strong else "")
    return found


def slices_sentence(runs: Iterable[Run]) -> str:
    """Sentence about the length of slices and the part of them that counts; empty where nobody took turns."""
    shares = [run for run in runs if isinstance(run, Share)]
    if not shares:
        return ""
    stated = next((run.configuration.get("slices") for run in shares), None)
    length = stated.get("slice_s") if isinstance(stated, dict) else None
    of = f" of {length:g} s" if isinstance(length, int | float) else ""
    return (
        f"They took turns in shuffled slices{of} on the same process with the same users, of each of which the first "
        "second is left out; a controller keeps what it knows between its slices."
    )


def paired_answer(summaries: Sequence[VariantSummary]) -> str | None:
    """Verdict of the slices, in a sentence; None where nothing was compared slice by slice."""
    paired = sorted(filter(is_paired, summaries), key=lambda summary: not summary.adaptive)
    if not paired:
        return None
    baselines = {str(summary.versus) for summary in paired}
    against = baselines.pop() if len(baselines) == 1 else "the baseline"
    cells = {summary.cell for summary in paired}
    if len(cells) > 1:
        return f"Slice by slice against {against}, over {len(cells)} combinations, {_over_cells(paired)}."
    ends = dict.fromkeys(pick(summary.comparisons["throughput"].samples for summary in paired) for pick in (min, max))
    slices = f"{' to '.join(map(str, ends))} slices of each"
    named = [f"{summary.name} {_clause(summary.comparisons['throughput'])}" for summary in paired[:NAMED]]
    more = len(paired) - len(named)
    if more:
        named.append(f"{counted(more, 'other')} stand in the table")
    return f"Slice by slice against {against}, in {slices}, {'; '.join(named)}."


def _clause(comparison: Comparison) -> str:
    if comparison.open:
        return f"is left open ({comparison.doubt})"
    if comparison.seen:
        direction = "faster" if comparison.change > 0 else "slower"
        return f"was {abs(comparison.change) * 100:.1f} % {direction} (95 % interval {interval(comparison)})"
    largest = max(abs(comparison.low), abs(comparison.high))
    return f"showed no difference larger than {largest * 100:.1f} %"


def _over_cells(paired: Sequence[VariantSummary]) -> str:
    variants: dict[str, list[Comparison]] = {}
    for summary in paired:
        variants.setdefault(summary.name, []).append(summary.comparisons["throughput"])
    messages = []
    for name, found in [*variants.items()][:NAMED]:
        counts = Counter(_direction(comparison) for comparison in found)
        directions = [f"{words} in {counts[words]}" for words in _DIRECTIONS if counts[words]]
        changes = sorted(comparison.change for comparison in found)
        ends = dict.fromkeys(change(end) for end in (changes[0], changes[-1]))
        messages.append(f"{name} was {listed(directions)} ({' to '.join(ends)})")
    more = len(variants) - len(messages)
    if more:
        messages.append(f"{counted(more, 'other')} stand in the tables")
    return "; ".join(messages)


_DIRECTIONS = ("faster", "slower", "open", "no different")


def _direction(comparison: Comparison) -> str:
    if comparison.seen:
        return "faster" if comparison.change > 0 else "slower"
    return "open" if comparison.open else "no different"
