"""Tables of a trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.present.table import Table

if TYPE_CHECKING:
    from poolkeeper.ntier.system import TierFigures, Trial
    from poolkeeper.present.table import Cell

_COLUMNS = (
    "tier",
    "CPU of quota",
    "visits/s",
    "visits a request",
    "time, ms",
    "CPU a visit, ms",
    "threads",
    "busy",
    "waiting",
    "connections",
    "in use",
    "held, ms",
    "switches/s",
    "GC",
)


def trial_tables(trial: Trial) -> list[Table]:
    """The users' view and the tiers' figures, with all warnings as notes."""
    goodput = tuple(f"goodput/s at {bound:g} s" for bound in trial.goodput)
    pools = str(trial.allocation)
    seen: tuple[Cell, ...] = (trial.users, pools, trial.throughput, trial.response_s * 1000, *trial.goodput.values())
    notes = list(trial.warnings)
    if trial.generator_limited:
        notes.append("the load generator was the bottleneck: this trial counts for nothing")
    return [
        Table(
            "",
            ("users", "pools", "answers/s", "response time, ms", *goodput, "failed"),
            ((*seen, f"{trial.errors:.2%}"),),
        ),
        Table("", _COLUMNS, tuple(_row(figures) for figures in trial.tiers), tuple(notes)),
    ]


def _row(figures: TierFigures) -> tuple[Cell, ...]:
    return (
        figures.tier,
        f"{figures.utilisation:.0%}",
        figures.throughput,
        figures.visits,
        figures.response_s * 1000,
        _milliseconds(figures.cpu_s),
        figures.threads,
        figures.threads_busy,
        figures.threads_waiting,
        figures.connections,
        figures.connections_busy,
        _milliseconds(figures.connection_s),
        figures.context_switches,
        None if figures.gc_share is None else f"{figures.gc_share:.1%}",
    )


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000
