"""Tables of the shares of each phase's best fixed size: for the page, as CSV, and for a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import number
from poolkeeper.present.terminal import bare_table
from poolkeeper.report.experiment import by_cell, by_variant
from poolkeeper.report.judging.phase_shares import phase_shares
from poolkeeper.report.tables import Csv, PhaseTable, finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.table import Table

    from poolkeeper.record import Run
    from poolkeeper.report.judging.phase_shares import PhaseShare, PhaseShares, VariantShares

MEAN = "geometric mean"
_NUMBER = 4
"""Characters of a share, such as 0.94."""
_WIDE = 8
"""Phases from which on a terminal shows the mean and the worst phase alone."""

_FIGURES: tuple[
    tuple[str, str, Callable[[PhaseShare], float], Callable[[VariantShares], float], Callable[[float], str]], ...
] = (
    (
        "Share",
        "throughput to that of the phase's best fixed size, its beginning included",
        lambda phase: phase.whole,
        lambda shares: shares.mean,
        lambda value: f"{value:.2f}",
    ),
    (
        "Second half",
        "the same in the second half of each phase",
        lambda phase: phase.second_half,
        lambda shares: shares.second_half,
        lambda value: f"{value:.2f}",
    ),
    (
        "95 % after",
        "seconds from the beginning of the phase, the median over repetitions",
        lambda phase: phase.arrival_s,
        lambda _: math.nan,
        lambda value: "never" if math.isinf(value) else f"{value:g}",
    ),
)


def share_table(shares: PhaseShares, strong: set[str]) -> PhaseTable:
    """The table of the page, in the form of the table by phase."""
    headings = [
        f"{phase.requests} ({best}: {number(rate)}/s)"
        for phase, best, rate in zip(shares.phases, shares.best, shares.rates, strict=True)
    ]
    return PhaseTable(
        (*headings, MEAN),
        tuple((variant.name, variant.name in strong) for variant in shares.variants),
        tuple(
            (
                label,
                unit,
                tuple(
                    (*(say(get(phase)) for phase in variant.phases), _mean(mean(variant), say))
                    for variant in shares.variants
                ),
            )
            for label, unit, get, mean, say in _FIGURES
        ),
        _csv(shares),
    )


def _mean(value: float, say: Callable[[float], str]) -> str:
    return "" if math.isnan(value) else say(value)


def _csv(shares: PhaseShares) -> Csv:
    header = ("variant", "kind", "phase", "requests", "best", "best_per_s", "share", "share_second_half", "arrival_s")
    rows = []
    for variant in shares.variants:
        for place, phase in enumerate(variant.phases):
            figures = (finite(phase.whole), finite(phase.second_half), finite(phase.arrival_s))
            best = (shares.best[place], finite(shares.rates[place]))
            rows.append((variant.name, variant.kind, place + 1, shares.phases[place].requests, *best, *figures))
    return Csv(header, tuple(rows))


def share_tables(runs: Iterable[Run]) -> list[Table]:
    """The tables of a terminal, one a cell; none where phases send no requests of their own."""
    cells = by_cell(runs)
    found = [(cell, phase_shares(by_variant(members))) for cell, members in cells.items()]
    return [_table(cell, shares) for cell, shares in found if shares is not None]


def _table(cell: str, shares: PhaseShares) -> Table:
    """Shares by phase; their mean, that of the second halves, the worst, and the median of the seconds to 95 %."""
    table = bare_table(cell or None)
    table.add_column("share of the best", no_wrap=True, min_width=max(len(entry.name) for entry in shares.variants))
    narrow = len(shares.phases) > _WIDE
    headings = [] if narrow else [phase.requests.replace(" + ", "\n+ ") for phase in shares.phases]
    for heading in (*headings, "mean", "half", "worst", "95 %"):
        width = max(map(len, heading.splitlines()))
        table.add_column(heading, justify="right", no_wrap=True, min_width=max(width, _NUMBER))
    for variant in shares.variants:
        phases = [] if narrow else [f"{phase.whole:.2f}" for phase in variant.phases]
        worst = variant.phases[variant.worst].whole
        arrivals = sorted(phase.arrival_s for phase in variant.phases)
        middle = arrivals[len(arrivals) // 2]
        figures = (f"{variant.mean:.2f}", f"{variant.second_half:.2f}", f"{worst:.2f}")
        table.add_row(
            variant.name,
            *phases,
            *figures,
            "never" if math.isinf(middle) else f"{middle:.0f} s",
            style="bold cyan" if variant.kind == "adaptive" else "",
        )
    return table
