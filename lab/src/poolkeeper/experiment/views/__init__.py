"""Shows a person how an experiment goes: live on a terminal, in plain lines elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console

    from poolkeeper.experiment.progress import RunProgress, Situation


class View(Protocol):
    """Receives events, and is called several times a second to show the state."""

    def refresh(self, situation: Situation) -> None:
        """Show how things stand now."""

    def ended(self, progress: RunProgress, situation: Situation) -> None:
        """A run has ended."""

    def say(self, text: str) -> None:
        """Tell the person something."""

    def close(self) -> None:
        """Leave the terminal as it was found."""


def view_for(console: Console) -> View:
    """The live view on a terminal that can show it, plain lines elsewhere and under CI."""
    if console.is_terminal and not console.is_dumb_terminal and not os.environ.get("CI"):
        from poolkeeper.experiment.views.live import LiveView

        return LiveView(console)
    from poolkeeper.experiment.views.plain import PlainView

    return PlainView(console)
