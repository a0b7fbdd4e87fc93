"""Standing of every variant against the best fixed size of each cell, over all cells: one line a contestant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.present.terminal import bare_table
from poolkeeper.report.experiment import by_cell, by_variant, is_adaptive
from poolkeeper.report.measuring.shares import Share
from poolkeeper.report.messages import threads
from poolkeeper.report.summary import Spread, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table

    from poolkeeper.record import Run
    from poolkeeper.report.measuring.measurement import Measurement

NEAR = 0.95
"""Fraction of the best fixed size's throughput that counts as arrived."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A variant over the cells that also have a fixed size.

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
    """The variants, best first; empty if no cell holds both a fixed size and another variant."""
    # Slices tell of a share, and it has no start.
    cells = by_cell(run for run in runs if not isinstance(run, Share))
    found: dict[str, list[tuple[str, float, float, float]]] = {}
    adaptive: dict[str, bool] = {}
    for cell, members in cells.items():
        variants = {
            name: (any(map(is_adaptive, in_variant)), counted(in_variant))
            for name, in_variant in by_variant(members).items()
        }
        best = max(
            (_throughput(in_variant) for tuned, in_variant in variants.values() if in_variant and not tuned),
            default=0.0,
        )
        if not best > 0:
            continue
        for name, (tuned, variant_runs) in variants.items():
            if variant_runs:
                size = Spread.of(
                    measured.blocks.mean_pool_size(measured.blocks.everything()) for measured in variant_runs
                ).mean
                arrival = float(np.median([_arrives_s(measured, NEAR * best) for measured in variant_runs]))
                found.setdefault(name, []).append((cell, _throughput(variant_runs) / best, size, arrival))
                adaptive[name] = tuned
    if not any(adaptive.values()):
        return []
    return sorted(
        (_standing(name, adaptive[name], ratios) for name, ratios in found.items()), key=lambda entry: -entry.ratio
    )


def _standing(name: str, adaptive: bool, cells: Sequence[tuple[str, float, float, float]]) -> Standing:  # noqa: FBT001
    worst_cell, worst, _, _ = min(cells, key=lambda cell: cell[1])
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


def _throughput(runs: Sequence[Measurement]) -> float:
    return Spread.of(run.blocks.throughput(run.blocks.everything()) for run in runs).mean


def _arrives_s(measured: Measurement, wanted: float) -> float:
    """End of the first second of load with this throughput."""
    rates = measured.completions / (measured.load["end_s"] - measured.load["start_s"])
    there = np.flatnonzero(rates >= wanted)
    return float(measured.load["end_s"][there[0]] - measured.begin_s) if there.size else math.inf


def standing_table(runs: Sequence[Run]) -> Table | None:
    """The standings for a terminal, throughput as a ratio.

    None where there are none, and for a single cell, whose own table says it all.
    """
    lines = standings(runs)
    if not lines or max(standing.cells for standing in lines) == 1:
        return None
    table = bare_table()
    table.add_column("to the best fixed size", no_wrap=True, min_width=max(len(standing.name) for standing in lines))
    for heading in ("cells", "throughput", "worst", "threads", f"{NEAR:.0%} after"):
        table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    table.add_column("worst in")
    for line in lines:
        arrives = f"{line.arrives_s:.0f} s" if math.isfinite(line.arrives_s) else "never"
        figures = (str(line.cells), f"{line.ratio:.3f}", f"{line.worst:.3f}", threads(line.threads), arrives)
        table.add_row(line.name, *figures, line.worst_cell, style="bold cyan" if line.adaptive else "")
    return table
