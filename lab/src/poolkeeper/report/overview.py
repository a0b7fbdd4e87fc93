"""All cells at a glance: heat maps of the figures, and small pictures of the differences on one scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import number
from poolkeeper.report.summary import standing_out
from poolkeeper.report.tables import COLUMNS, Column, Csv, Effect, bound_of, effect, finite, ticks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.report.summary import VariantSummary


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A field of the heat map: its value, its ratio to `versus`, and its ratio to the best of its column.

    The ratio is that of the verdict, a geometric mean over the repetitions that both have in common.
    """

    text: str
    share: float | None
    best: bool
    ratio: str = ""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One figure for every variant and cell of the axes."""

    label: str
    unit: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, bool, tuple[HeatCell, ...]], ...]
    name: str
    csv: Csv


def heat_maps(cells: Sequence[tuple[str, str, Sequence[VariantSummary]]]) -> list[HeatMap]:
    """Overviews over (id, name, summaries) of several cells; none for a single cell."""
    if len(cells) < 2:  # noqa: PLR2004 - one cell needs no overview
        return []
    names = list(dict.fromkeys(summary.name for _, _, summaries in cells for summary in summaries))
    strong = standing_out(summary for _, _, summaries in cells for summary in summaries)
    return [
        HeatMap(
            column.label,
            column.unit,
            tuple((ident, name) for ident, name, _ in cells),
            tuple((name, name in strong, _heat_row(name, cells, column, figure)) for name in names),
            column.csv,
            _heat_csv(cells, column),
        )
        for column, figure in ((COLUMNS[0], "throughput"), (COLUMNS[1], "mean"), (COLUMNS[3], "p99"))
    ]


def _heat_csv(cells: Sequence[tuple[str, str, Sequence[VariantSummary]]], column: Column) -> Csv:
    rows = [
        (summary.cell, summary.name, finite(column.get(summary).mean))
        for _, _, summaries in cells
        for summary in summaries
    ]
    return Csv(("cell", "variant", column.csv), tuple(rows))


def _heat_row(
    name: str, cells: Sequence[tuple[str, str, Sequence[VariantSummary]]], column: Column, figure: str
) -> tuple[HeatCell, ...]:
    row = []
    more = figure == "throughput"
    for _, _, summaries in cells:
        values = {
            summary.name: column.get(summary).mean for summary in summaries if not math.isnan(column.get(summary).mean)
        }
        value = values.get(name)
        if value is None:
            row.append(HeatCell("–", None, best=False))
            continue
        best = max(values.values()) if more else min(values.values())
        share = (value / best if more else best / value) if value and best else 0.0
        change = next(
            (
                summary.comparisons[figure].change
                for summary in summaries
                if summary.name == name and summary.comparisons
            ),
            math.nan,
        )
        ratio = "" if math.isnan(change) else f"×{number(change + 1)}"
        row.append(HeatCell(column.say(value), share, value == best, ratio))
    return tuple(row)


@dataclass(frozen=True, slots=True)
class Multiple:
    """One cell's picture: every variant's difference in throughput from the baseline."""

    id: str
    name: str
    effects: tuple[tuple[str, Effect], ...]


@dataclass(frozen=True, slots=True)
class Multiples:
    """Pictures of several cells on one scale."""

    versus: str
    ticks: tuple[tuple[float, str], ...]
    cells: tuple[Multiple, ...]


def multiples(cells: Sequence[tuple[str, str, Sequence[VariantSummary]]]) -> Multiples | None:
    """The cells in small; None where fewer than two of them compare anything with a baseline."""
    compared = [
        (
            ident,
            name,
            [(summary.name, summary.comparisons["throughput"]) for summary in summaries if summary.comparisons],
        )
        for ident, name, summaries in cells
    ]
    compared = [cell for cell in compared if cell[2]]
    versus = next((summary.versus for _, _, summaries in cells for summary in summaries if summary.versus), None)
    if versus is None or len(compared) < 2:  # noqa: PLR2004 - one cell has its own section
        return None
    bound = bound_of([comparison for _, _, found in compared for _, comparison in found])
    return Multiples(
        versus,
        ticks_of(bound),
        tuple(
            Multiple(
                ident, name, tuple((variant, effect("throughput", found, bound)) for variant, found in comparisons)
            )
            for ident, name, comparisons in compared
        ),
    )
