"""Published figures next to those measured here.

Machines differ, so only ratios to one variant are compared: how a variant stands to the baseline there, and here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import number
from poolkeeper.report.tables import Csv

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.report.summary import VariantSummary
    from poolkeeper.study.published import PublishedRow


@dataclass(frozen=True, slots=True)
class PublishedRatio:
    """A variant in a cell: the ratio of a figure to the baseline's, as published and as measured here."""

    published: float
    here: float

    @property
    def text(self) -> str:
        """Both, for a field of a table."""
        return f"{number(self.published, 2)} · {number(self.here, 2)}"

    @property
    def share(self) -> float:
        """Distance of the two, from 0 where they agree to 1 where they differ four times and more."""
        apart = abs(math.log(self.here / self.published)) if self.here > 0 and self.published > 0 else 0.0
        return min(1.0, apart / math.log(4))


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """Ratios by variant and cell; None where either side has none."""

    label: str
    versus: str
    columns: tuple[tuple[str, str], ...]
    """Section and name of each cell."""
    rows: tuple[tuple[str, tuple[PublishedRatio | None, ...]], ...]
    name: str
    csv: Csv


@dataclass(frozen=True, slots=True)
class MeasuredCell:
    """A cell of the report: its section and name, the values of its axes, and its variants."""

    id: str
    name: str
    place: Mapping[str, str]
    summaries: Sequence[VariantSummary]


def published_tables(rows: Sequence[PublishedRow], cells: Sequence[MeasuredCell]) -> list[PublishedTable]:
    """A table for each figure of which published and measured ratios stand beside each other anywhere."""
    found = []
    for figure, label in (("throughput", "Throughput"), ("mean", "Mean response time"), ("p99", "99th percentile")):
        table = _table(rows, cells, figure, label)
        if table is not None:
            found.append(table)
    return found


def _table(
    rows: Sequence[PublishedRow], cells: Sequence[MeasuredCell], figure: str, label: str
) -> PublishedTable | None:
    versus = next((summary.versus for cell in cells for summary in cell.summaries if summary.versus), None)
    if versus is None:
        return None
    by_variant: dict[str, dict[str, PublishedRatio]] = {}
    for cell in cells:
        there = {row.variant: row.figures[figure] for row in rows if figure in row.figures and _in(row, cell)}
        here = {
            summary.name: summary.comparisons[figure].change + 1 for summary in cell.summaries if summary.comparisons
        }
        if versus not in there:
            continue
        for name in there.keys() & here.keys():
            if here[name] > 0:
                by_variant.setdefault(name, {})[cell.id] = PublishedRatio(there[name] / there[versus], here[name])
    columns = tuple(
        (cell.id, cell.name) for cell in cells if any(cell.id in by_cell for by_cell in by_variant.values())
    )
    names = [
        name
        for name in dict.fromkeys(summary.name for cell in cells for summary in cell.summaries)
        if name in by_variant
    ]
    if not columns:
        return None
    return PublishedTable(
        label,
        versus,
        columns,
        tuple((name, tuple(by_variant[name].get(ident) for ident, _ in columns)) for name in names),
        f"published-{figure}",
        Csv(
            ("cell", "variant", "versus", "published_ratio", "ratio_here"),
            tuple(
                (cell, name, versus, by_variant[name][ident].published, by_variant[name][ident].here)
                for ident, cell in columns
                for name in names
                if ident in by_variant[name]
            ),
        ),
    )


def _in(row: PublishedRow, cell: MeasuredCell) -> bool:
    """Whether a published row belongs to a cell: an axis that the cell does not know sets it apart."""
    return all(cell.place.get(axis) == value for axis, value in row.place.items())
