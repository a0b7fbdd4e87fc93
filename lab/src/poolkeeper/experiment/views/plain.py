"""Plain lines, for logs and pipes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from poolkeeper.experiment.views.words import level_of, milliseconds, phase_of, rate

if TYPE_CHECKING:
    from rich.console import Console

    from poolkeeper.experiment.situation import Going, Situation

EVERY_S = 5.0


class PlainView:
    """Prints a line whenever something begins or ends, and one every few seconds in between."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown = ""
        self._next = 0.0

    def refresh(self, situation: Situation) -> None:
        """See View."""
        going = situation.current
        if going is None:
            self._once(situation.activity)
            return
        head = f"[{going.number}/{situation.total}] {going.run.title}"
        if going.step != "measures" or not going.seconds:
            self._once(f"{head}: {going.step}")
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY_S
            self._line(f"{head}: {_figures(going)}, {situation.left}")

    def ended(self, going: Going, situation: Situation) -> None:
        """See View."""
        self._next = 0.0
        error = f": {going.error}" if going.error else ""
        self._line(f"[{going.number}/{situation.total}] {going.run.title}: {going.status}{error}")

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
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _figures(going: Going) -> str:
    last = going.seconds[-1]
    parts = [
        phase_of(going),
        level_of(going),
        rate(last.throughput),
        f"mean {milliseconds(last.mean_ms)}",
        f"p99 {milliseconds(last.p99_ms)}",
        f"pool {going.size}" if going.size else "",
        f"{going.errors} errors" if going.errors else "",
    ]
    return ", ".join(part for part in parts if part)
