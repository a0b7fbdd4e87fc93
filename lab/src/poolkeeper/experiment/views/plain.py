"""Plain lines, for logs and pipes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from poolkeeper.experiment.views.load_text import level_of, milliseconds, phase_of, rate
from poolkeeper.present.terminal import say

if TYPE_CHECKING:
    from rich.console import Console

    from poolkeeper.experiment.progress import RunProgress, Situation

EVERY_S = 5.0


class PlainView:
    """Prints a line whenever something begins or ends, and one every few seconds in between."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown = ""
        self._next = 0.0

    def refresh(self, situation: Situation) -> None:
        """See View."""
        progress = situation.current
        if progress is None:
            self._once(situation.activity)
            return
        head = f"[{progress.number}/{situation.total}] {progress.run.title}"
        if progress.step != "measures" or not progress.seconds:
            self._once(f"{head}: {progress.step}")
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY_S
            self._line(f"{head}: {_figures(progress)}, {situation.left}")

    def ended(self, progress: RunProgress, situation: Situation) -> None:
        """See View."""
        self._next = 0.0
        error = f": {progress.error}" if progress.error else ""
        self._line(f"[{progress.number}/{situation.total}] {progress.run.title}: {progress.status}{error}")

    def say(self, text: str) -> None:
        """See View."""
        self._line(text)

    def close(self) -> None:
        """See View."""

    def _once(self, text: str) -> None:
        if text and text != self._shown:
            self._shown = text
            self._line(text)

    def _line(self, text: str) -> None:
        say(self._console, text)


def _figures(progress: RunProgress) -> str:
    last = progress.seconds[-1]
    parts = [
        phase_of(progress),
        level_of(progress),
        rate(last.throughput),
        f"mean {milliseconds(last.mean_ms)}",
        f"p99 {milliseconds(last.p99_ms)}",
        f"pool {progress.size}" if progress.size else "",
        f"{progress.errors} errors" if progress.errors else "",
    ]
    return ", ".join(part for part in parts if part)
