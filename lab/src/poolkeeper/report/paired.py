"""Variants that took turns on one server, slice by slice: the table, and the answer that it gives."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from poolkeeper.present.numbers import change
from poolkeeper.present.terminal import bare_table
from poolkeeper.report.measuring.shares import Share
from poolkeeper.report.messages import interval
from poolkeeper.report.sentences import text
from poolkeeper.report.tables import Csv, finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table

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
    """Variants of a cell that took turns, compared with the neighbouring slices of the baseline."""

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
    found = bare_table()
    found.add_column("paired", no_wrap=True, min_width=max(len(row.variant) for row in table.rows))
    for heading in ("throughput", "95 % interval", "mean response", "slices"):
        found.add_column(heading, justify="right", no_wrap=True)
    found.add_column(f"against {table.versus}")
    for row in table.rows:
        cells = [row.variant, row.ratio, row.interval, row.mean, str(row.slices), row.verdict]
        found.add_row(*map(Text, cells), style="bold cyan" if row.strong else "")
    return found


def slices_sentence(runs: Iterable[Run]) -> str:
    """Sentence about the length of slices and their counted part; empty without slices."""
    shares = [run for run in runs if isinstance(run, Share)]
    if not shares:
        return ""
    stated = next((run.configuration.get("slices") for run in shares), None)
    return text("slices.turns", length=stated.get("slice_s") if isinstance(stated, dict) else None)


def paired_answer(summaries: Sequence[VariantSummary]) -> str | None:
    """Verdict of the slices, in a sentence; None where nothing was compared slice by slice."""
    paired = sorted(filter(is_paired, summaries), key=lambda summary: not summary.adaptive)
    if not paired:
        return None
    baselines = {str(summary.versus) for summary in paired}
    against = baselines.pop() if len(baselines) == 1 else "the baseline"
    cells = {summary.cell for summary in paired}
    if len(cells) > 1:
        variants = _over_cells(paired)
        more = max(0, len(variants) - NAMED)
        return text("slices.over_cells", against=against, cells=len(cells), variants=variants[:NAMED], more=more)
    ends = dict.fromkeys(pick(summary.comparisons["throughput"].samples for summary in paired) for pick in (min, max))
    more = max(0, len(paired) - NAMED)
    return text("slices.in_one_cell", against=against, slices=list(ends), variants=paired[:NAMED], more=more)


def _over_cells(paired: Sequence[VariantSummary]) -> list[tuple[str, list[str], list[str]]]:
    """The name of each variant, in how many cells it was faster and so on, and the ends of its changes."""
    variants: dict[str, list[Comparison]] = {}
    for summary in paired:
        variants.setdefault(summary.name, []).append(summary.comparisons["throughput"])
    rows = []
    for name, found in variants.items():
        counts = Counter(_direction(comparison) for comparison in found)
        changes = sorted(comparison.change for comparison in found)
        ends = dict.fromkeys(change(end) for end in (changes[0], changes[-1]))
        rows.append((name, [f"{words} in {counts[words]}" for words in _DIRECTIONS if counts[words]], list(ends)))
    return rows


_DIRECTIONS = ("faster", "slower", "open", "no different")


def _direction(comparison: Comparison) -> str:
    if comparison.seen:
        return "faster" if comparison.change > 0 else "slower"
    return "open" if comparison.open else "no different"
