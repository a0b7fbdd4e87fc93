"""Figures of variants under each level of a load that changes, users or arrivals: a table for the terminal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import milliseconds, number
from poolkeeper.present.terminal import bare_table
from poolkeeper.report.experiment import by_cell, by_variant
from poolkeeper.report.measuring.measurement import Blocks
from poolkeeper.report.summary import Spread, counted
from poolkeeper.study.load import phases_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.table import Table

    from poolkeeper.record import Run
    from poolkeeper.report.measuring.measurement import Floats, Measurement

_FIGURES: tuple[tuple[str, Callable[[Blocks, Floats], float], Callable[[float], str]], ...] = (
    ("requests/s", Blocks.throughput, number),
    ("mean ms", Blocks.mean_s, milliseconds),
    ("p99 ms", lambda blocks, weights: blocks.percentile_s(99.0, weights), milliseconds),
    ("threads", Blocks.mean_pool_size, number),
)


def levels(runs: Sequence[Run]) -> Table | None:
    """Figures by variant and level; None if no load had more than one level."""
    found = sorted(
        {level for run in runs for level in _levels(run) if max(level)}, key=lambda entry: entry[::-1], reverse=True
    )
    varying = [run for run in runs if len(set(_levels(run))) > 1]
    if not varying:
        return None
    table = bare_table()
    table.add_column("variant", no_wrap=True)
    by_rate = any("rate_per_s" in phase for run in varying for phase in phases_of(run.configuration))
    table.add_column("offered/s" if by_rate else "users", justify="right")
    for heading, _, _ in _FIGURES:
        table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    cells = by_cell(varying)
    for cell, members in cells.items():
        for name, variant in by_variant(members).items():
            measured = counted(variant)
            for place, level in enumerate(found):
                title = " · ".join(part for part in (cell, name) if part) if place == 0 else ""
                figures = [say(_mean(measured, level, figure)) for _, figure, say in _FIGURES]
                table.add_row(
                    title, " to ".join(f"{end:g}" for end in level), *figures, end_section=place == len(found) - 1
                )
    return table


def _mean(
    measured: Sequence[Measurement], level: tuple[float, ...], figure: Callable[[Blocks, Floats], float]
) -> float:
    """Mean over runs of a figure while the load had this level."""
    return Spread.of(map(partial(_during, level=level, figure=figure), measured)).mean


def _during(measured: Measurement, level: tuple[float, ...], figure: Callable[[Blocks, Floats], float]) -> float:
    phases = [index for index, found in enumerate(_levels(measured.run)) if found == level]
    return figure(measured.blocks, measured.blocks.during(*phases))


def _levels(run: Run) -> list[tuple[float, ...]]:
    """Users, or arrivals a second, of each phase of a run's load: one number, of a ramp its two ends."""
    return [
        (float(phase.get("rate_per_s", phase.get("users", 0))), *([float(phase["to"])] if "to" in phase else []))
        for phase in phases_of(run.configuration)
    ]
