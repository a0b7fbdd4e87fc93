"""The variants of an experiment as a table on the terminal."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from poolkeeper.present.numbers import change, milliseconds, number
from poolkeeper.present.terminal import bare_table, draw
from poolkeeper.report.messages import load_mark, threads
from poolkeeper.report.paired import drawn, paired_table
from poolkeeper.report.summary import VariantSummary, variants

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table

    from poolkeeper.report.experiment import Experiment
    from poolkeeper.report.summary import Spread


def show(experiment: Experiment, console: Console | None = None) -> None:
    """Print the variants of an experiment on the console, by default standard output."""
    console = console or Console()
    for cell, members in groupby(variants(experiment.runs), key=lambda entry: entry.cell):
        if cell:
            console.print(f"\n{cell}", style="bold", markup=False, highlight=False)
        summaries = list(members)
        draw(table(summaries), console)
        if (paired := paired_table(summaries)) is not None:
            console.print()
            draw(drawn(paired), console)


def table(summaries: list[VariantSummary]) -> Table:
    """The variants of one cell, one a row; means over repetitions with their range."""
    versus = {variant.versus for variant in summaries if variant.versus}
    drawn = bare_table()
    drawn.add_column("variant", min_width=max(len(variant.name) for variant in summaries))
    bounded = any(not math.isnan(variant.goodput.mean) for variant in summaries)
    for heading in ("requests/s", *(["goodput/s"] if bounded else []), "mean ms", "p99 ms", "threads", "errors"):
        drawn.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    drawn.add_column(f"against {versus.pop()}" if len(versus) == 1 else "verdict")
    for summary in summaries:
        figures = [
            _spread(summary.throughput, number),
            *([_spread(summary.goodput, number)] if bounded else []),
            _spread(summary.mean, milliseconds),
            _spread(summary.p99, milliseconds),
            _spread(summary.mean_pool_size, threads),
            Text(f"{summary.errors:,}", style="bold red" if summary.errors else ""),
        ]
        marks = [*sorted(set(summary.others)), *(["not steady"] if summary.not_steady else [])]
        status = "".join(f" ({mark})" for mark in [*marks, load_mark(summary)] if mark)
        drawn.add_row(
            Text(summary.name + status),
            *figures,
            Text(_verdict(summary)),
            style="bold cyan" if summary.adaptive else "",
        )
    return drawn


def _verdict(summary: VariantSummary) -> str:
    """The verdict, with a short line for each figure that differs or is open."""
    if any(found.basis == "slices" for found in summary.comparisons.values()):
        return summary.verdict
    seen = [f"{figure} {change(found.change)}" for figure, found in summary.comparisons.items() if found.seen]
    left = [f"{figure} open: {found.doubt}" for figure, found in summary.comparisons.items() if found.open]
    return "\n".join([*seen, *left]) if seen else summary.verdict


def _spread(spread: Spread, say: Callable[[float], str]) -> Text:
    mean, low, high = say(spread.mean), say(spread.low), say(spread.high)
    text = Text(mean)
    if low != high:
        text.append(f"\n{low}–{high}", style="dim")
    return text
