"""What a person sees while runs are made: a panel on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol, Self

from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tidepool.experiment.durations import words

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console, RenderableType

    from tidepool.experiment.plan import Run

_BARS = "▁▂▃▄▅▆▇█"
_SHOWN = 60
_PLAIN_EVERY_S = 5.0


class View(Protocol):
    """Shows how runs come on."""

    def begin(self, run: Run, number: int, total: int, left_s: float) -> None:
        """A run begins, `left_s` before all are done, by estimate."""

    def news(self, news: dict[str, Any]) -> None:
        """Something was heard of the run."""

    def end(self, text: str) -> None:
        """The run has ended; `text` says how."""


class PlainView:
    """Lines without colours or cursor movement, for logs."""

    def __init__(self, console: Console) -> None:
        """Print to `console`."""
        self._console = console
        self._due = 0.0

    def begin(self, run: Run, number: int, total: int, left_s: float) -> None:
        """One line."""
        self._due = time.monotonic()
        self._print(f"[{number}/{total}] {_title(run)}, {words(run.seconds)}; about {words(left_s)} left in all")

    def news(self, news: dict[str, Any]) -> None:
        """One line every few seconds."""
        if news["step"] != "measuring" or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + _PLAIN_EVERY_S
        self._print(f"    {_figures(news)}")

    def end(self, text: str) -> None:
        """One line."""
        self._print(f"    {text}")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to undo."""


class LiveView:
    """A panel that is drawn again and again, with the last minute of throughput and size as bars."""

    def __init__(self, console: Console) -> None:
        """Draw on `console`."""
        self._live = Live(console=console, refresh_per_second=4, transient=True)
        self._console = console
        self._run: Run | None = None
        self._position = (0, 0)
        self._left_s = 0.0
        self._began = 0.0
        self._news: dict[str, Any] = {"step": "starting"}
        self._throughput: deque[float] = deque(maxlen=_SHOWN)
        self._sizes: deque[float] = deque(maxlen=_SHOWN)

    def begin(self, run: Run, number: int, total: int, left_s: float) -> None:
        """A new panel."""
        self._run, self._position, self._left_s = run, (number, total), left_s
        self._began = time.monotonic()
        self._news = {"step": "starting"}
        self._throughput.clear()
        self._sizes.clear()
        self._live.update(self._panel())

    def news(self, news: dict[str, Any]) -> None:
        """Draw again."""
        self._news = news
        if news["step"] == "measuring":
            self._throughput.append(float(news.get("throughput") or 0))
            self._sizes.append(float(news.get("size") or 0))
        self._live.update(self._panel())

    def end(self, text: str) -> None:
        """A line that stays above the panel."""
        if self._run is not None:
            number, total = self._position
            self._console.print(f"[{number}/{total}] {_title(self._run)}: {text}", markup=False, highlight=False)

    def _panel(self) -> RenderableType:
        run = self._run
        if run is None:
            return Text("")
        number, total = self._position
        elapsed = float(self._news.get("t") or 0)
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", justify="right")
        table.add_column()
        table.add_row("now", f"{self._news['step']}, {_figures(self._news)}")
        table.add_row("throughput", _bars(self._throughput))
        table.add_row("pool size", _bars(self._sizes))
        table.add_row("last decision", Text(str(self._news.get("decision") or "none yet"), style="italic"))
        left = max(0.0, self._left_s - (time.monotonic() - self._began))
        table.add_row("run", ProgressBar(total=run.seconds, completed=min(elapsed, run.seconds), width=_SHOWN))
        table.add_row("all", f"run {number} of {total}, about {words(left)} left; Ctrl-C keeps what there is")
        return Panel(Group(table), title=f"[bold]{_title(run)}[/bold]", title_align="left", expand=False)

    def __enter__(self) -> Self:
        """Take the terminal."""
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give it back."""
        self._live.stop()


def _title(run: Run) -> str:
    cell = "".join(f", {value} {axis}" if axis == "users" else f", {value}" for axis, value in run.cell)
    return f"{run.variant.name}{cell or ', ' + run.application}, repetition {run.repetition + 1}"


def _figures(news: dict[str, Any]) -> str:
    if "throughput" not in news:
        return "…"
    parts = [f"{news.get('users', '?')} users", f"{news['throughput']:,.0f} requests/s"]
    for key, name in (("mean_ms", "mean"), ("p99_ms", "p99")):
        if news.get(key) is not None:
            parts.append(f"{name} {news[key]:,.1f} ms")
    if news.get("size") is not None:
        parts.append(f"pool {news['size']}")
    if news.get("errors"):
        parts.append(f"{news['errors']} errors")
    return ", ".join(parts)


def _bars(values: deque[float]) -> str:
    if not values:
        return ""
    top = max(values) or 1.0
    drawn = "".join(_BARS[min(len(_BARS) - 1, int(value / top * (len(_BARS) - 1) + 0.5))] for value in values)
    return f"{drawn} {values[-1]:,.0f}"
