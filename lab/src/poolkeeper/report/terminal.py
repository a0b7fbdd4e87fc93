"""The variants of an experiment as a table on the terminal."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from poolkeeper.present.numbers import change, milliseconds, number
from poolkeeper.present.terminal import draw
from poolkeeper.report.paired import drawn, paired_table
from poolkeeper.report.summary import VariantSummary, variants
from poolkeeper.report.words import load_mark, threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.report.experiment import Experiment
    from poolkeeper.report.summary import Spread


def show(experiment: Experiment, console: Console | None = None) -> None:
    """Print the variants of an experiment on the console, by default standard output."""
    console = console or Console()
    for cell, members in groupby(variants(experiment.runs), key=lambda one: one.cell):
        if cell:
            console.print(f"\n{cell}", style="bold", markup=False, highlight=False)
        summaries = list(members)
        draw(table(summaries), console)
        if (paired := paired_table(summaries)) is not None:
            console.print()
            draw(drawn(paired), console)


def table(summaries: list[VariantSummary]) -> Table:
    """The variants of one cell, one a row; means over repetitions with their range."""
    versus = {one.versus for one in summaries if one.versus}
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    drawn.add_column("variant", min_width=max(len(one.name) for one in summaries))
    bounded = any(not math.isnan(one.goodput.mean) for one in summaries)
    for heading in ("requests/s", *(["goodput/s"] if bounded else []), "mean ms", "p99 ms", "threads", "errors"):
        drawn.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    drawn.add_column(f"against {versus.pop()}" if len(versus) == 1 else "verdict")
    for one in summaries:
        figures = [
            _spread(one.throughput, number),
            *([_spread(one.goodput, number)] if bounded else []),
            _spread(one.mean, milliseconds),
            _spread(one.p99, milliseconds),
            _spread(one.mean_pool_size, threads),
            Text(f"{one.errors:,}", style="bold red" if one.errors else ""),
        ]
        marks = [*sorted(set(one.others)), *(["not steady"] if one.not_steady else [])]
        status = "".join(f" ({mark})" for mark in [*marks, load_mark(one)] if mark)
        drawn.add_row(Text(one.name + status), *figures, Text(_verdict(one)), style="bold cyan" if one.adaptive else "")
    return drawn


def _verdict(one: VariantSummary) -> str:
    """The verdict, one short line for each figure that differs and for each that is open beside it."""
    if any(found.basis == "slices" for found in one.comparisons.values()):
        return one.verdict
    seen = [f"{figure} {change(found.change)}" for figure, found in one.comparisons.items() if found.seen]
    left = [f"{figure} open: {found.doubt}" for figure, found in one.comparisons.items() if found.open]
    return "\n".join([*seen, *left]) if seen else one.verdict


def _spread(spread: Spread, say: Callable[[float], str]) -> Text:
    mean, low, high = say(spread.mean), say(spread.low), say(spread.high)
    text = Text(mean)
    if low != high:
        text.append(f"\n{low}–{high}", style="dim")
    return text
