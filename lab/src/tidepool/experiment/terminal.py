"""The variants of an experiment as a table in a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from tidepool.report.experiment import load_experiments
from tidepool.report.summary import variants

if TYPE_CHECKING:
    from pathlib import Path

    from tidepool.report.summary import Spread, VariantSummary


def print_summary(folder: Path) -> None:
    """Print a table for each cell of each experiment in `folder`: figures as the mean over repetitions."""
    console = Console()
    for experiment in load_experiments([folder]):
        cells: dict[str, list[VariantSummary]] = {}
        for summary in variants(experiment.runs):
            cells.setdefault(summary.cell, []).append(summary)
        for cell, summaries in cells.items():
            console.print(_table(cell or experiment.name, summaries))


def _table(title: str, summaries: list[VariantSummary]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("variant")
    for heading in ("requests/s", "mean ms", "p99 ms", "pool size", "errors"):
        table.add_column(heading, justify="right")
    versus = next((summary.versus for summary in summaries if summary.versus), None)
    table.add_column(f"against {versus}" if versus else "verdict")
    for summary in summaries:
        table.add_row(
            summary.name + ("" if summary.complete or not summary.others else f" ({summary.others[0]})"),
            _figure(summary.throughput, ",.0f"),
            _figure(summary.mean, ",.1f", 1000),
            _figure(summary.p99, ",.1f", 1000),
            _figure(summary.mean_pool_size, ",.1f"),
            f"{summary.errors:,}",
            summary.verdict,
            style="bold" if summary.adaptive else None,
        )
    return table


def _figure(spread: Spread, form: str, factor: float = 1) -> str:
    return "" if math.isnan(spread.mean) else format(spread.mean * factor, form)
