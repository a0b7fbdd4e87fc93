"""Standing of every variant against the best fixed size of each cell, over all cells: one line a contestant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rich import box
from rich.table import Table

from poolkeeper.report.experiment import by_variant, cell_name, cell_of, is_adaptive
from poolkeeper.report.measuring.shares import Share
from poolkeeper.report.summary import Spread, counted
from poolkeeper.report.words import threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.measuring.measured import Measured

NEAR = 0.95
"""Fraction of the best fixed size's throughput that counts as arrived."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A variant over the cells in which it ran beside at least one fixed size.

    `ratio` is the geometric mean over cells of its throughput (mean over repetitions, start included) to that of the
    best fixed size, found in hindsight. The best of several equal sizes is the luckiest of them: the lines of the fixed
    sizes themselves show how much that is. `arrives_s` is the median over cells of the first second of load whose
    throughput is 95 % of the best fixed size's mean; infinite where most cells never saw one.
    """

    name: str
    adaptive: bool
    cells: int
    ratio: float
    worst: float
    worst_cell: str
    threads: float
    arrives_s: float


def standings(runs: Iterable[Run]) -> list[Standing]:
    """The variants, best first; empty where no cell holds a fixed size beside another variant."""
    cells: dict[str, list[Run]] = {}
    for run in runs:
        if isinstance(run, Share):
            continue  # its slices tell, and a start it has none
        cells.setdefault(cell_name(cell_of(run)), []).append(run)
    found: dict[str, list[tuple[str, float, float, float]]] = {}
    adaptive: dict[str, bool] = {}
    for cell, members in cells.items():
        variants = {name: (any(map(is_adaptive, its)), counted(its)) for name, its in by_variant(members).items()}
        best = max((_throughput(its) for tuned, its in variants.values() if its and not tuned), default=0.0)
        if not best > 0:
            continue
        for name, (tuned, its) in variants.items():
            if its:
                size = Spread.of(one.blocks.mean_pool_size(one.blocks.everything()) for one in its).mean
                arrival = float(np.median([_arrives_s(one, NEAR * best) for one in its]))
                found.setdefault(name, []).append((cell, _throughput(its) / best, size, arrival))
                adaptive[name] = tuned
    if not any(adaptive.values()):
        return []
    return sorted((_standing(name, adaptive[name], its) for name, its in found.items()), key=lambda one: -one.ratio)


def _standing(name: str, adaptive: bool, cells: Sequence[tuple[str, float, float, float]]) -> Standing:  # noqa: FBT001
    worst_cell, worst, _, _ = min(cells, key=lambda one: one[1])
    logarithms = [math.log(ratio) if ratio > 0 else -math.inf for _, ratio, _, _ in cells]
    return Standing(
        name=name,
        adaptive=adaptive,
        cells=len(cells),
        ratio=math.exp(sum(logarithms) / len(cells)),
        worst=worst,
        worst_cell=worst_cell,
        threads=Spread.of(size for _, _, size, _ in cells).mean,
        arrives_s=float(np.median([arrival for *_, arrival in cells])),
    )


def _throughput(runs: Sequence[Measured]) -> float:
    return Spread.of(one.blocks.throughput(one.blocks.everything()) for one in runs).mean


def _arrives_s(one: Measured, wanted: float) -> float:
    """End of the first second of load with this throughput."""
    rates = one.completions / (one.load["end_s"] - one.load["start_s"])
    there = np.flatnonzero(rates >= wanted)
    return float(one.load["end_s"][there[0]] - one.begin_s) if there.size else math.inf


def standing_table(runs: Sequence[Run]) -> Table | None:
    """The standings for a terminal, throughput as a ratio.

    None where there are none, and for a single cell, whose own table says it all.
    """
    lines = standings(runs)
    if not lines or max(one.cells for one in lines) == 1:
        return None
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("to the best fixed size", no_wrap=True, min_width=max(len(one.name) for one in lines))
    for heading in ("cells", "throughput", "worst", "threads", f"{NEAR:.0%} after"):
        table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    table.add_column("worst in")
    for one in lines:
        arrives = f"{one.arrives_s:.0f} s" if math.isfinite(one.arrives_s) else "never"
        figures = (str(one.cells), f"{one.ratio:.3f}", f"{one.worst:.3f}", threads(one.threads), arrives)
        table.add_row(one.name, *figures, one.worst_cell, style="bold cyan" if one.adaptive else "")
    return table
