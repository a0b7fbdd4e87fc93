"""Figures of a run in words, the same in every view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.present.text import counted
from poolkeeper.study.load import requested

if TYPE_CHECKING:
    from poolkeeper.experiment.progress import RunProgress


def rate(value: float) -> str:
    """A throughput with its unit."""
    return f"{value:,.0f}/s" if value >= 10 or value == 0 else f"{value:.1f}/s"  # noqa: PLR2004 - two digits


def milliseconds(value: float | None) -> str:
    """A response time with its unit, to about three digits."""
    if value is None:
        return "–"
    if value >= 10_000:  # noqa: PLR2004 - seconds are read more easily from here
        return f"{value / 1000:,.1f} s"
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.{1 if value >= 10 else 2}f} ms"  # noqa: PLR2004


def phase_of(progress: RunProgress) -> str:
    """The phase of the load, with its requests if it has its own: "phase 2 of 5, report"; nothing if there is one.

    Where variants take turns, their slice.
    """
    if progress.turn:
        return progress.turn
    phases = len(progress.run.phases)
    if phases == 1 or not progress.seconds:
        return ""
    place = progress.seconds[-1].phase
    sent = requested(progress.run.phases[place]) if place < phases else ""
    return f"phase {place + 1} of {phases}{f', {sent}' if sent else ''}"


def level_of(progress: RunProgress) -> str:
    """Current load: "100 users", or "500/s offered"."""
    last = progress.seconds[-1] if progress.seconds else None
    if last is not None and last.offered is not None:
        return f"{rate(last.offered)} offered"
    return counted(last.users if last else 0, "user")
