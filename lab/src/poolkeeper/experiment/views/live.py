"""The live view: a chart of the run under way above the runs that have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from poolkeeper.experiment.planning.load import level
from poolkeeper.experiment.views.chart import area, resample, spark
from poolkeeper.experiment.views.load_text import level_of, milliseconds, phase_of, rate
from poolkeeper.study.load import requested

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from poolkeeper.experiment.progress import RunProgress, Situation

_TALL = 30
"""Lines of a terminal that has room for large charts."""
_OTHER_ROWS = 12
"""Lines of the view besides the charts and the runs."""
_MARGIN = 11
"""Columns beside a chart for its scale."""
_WIDEST = 110
_SPARK = 20
_MOST_RUNS = 12
_RATE, _SIZE, _DIM, _BAD = "cyan", "magenta", "dim", "bold red"


class LiveView:
    """Redraws in place; what is said stays above."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def refresh(self, situation: Situation) -> None:
        """See View."""
        self._live.update(self.draw(situation), refresh=True)

    def ended(self, progress: RunProgress, situation: Situation) -> None:
        """See View."""
        if progress.error:
            self.say(f"{progress.run.title}: {progress.status}: {progress.error}")
        self.refresh(situation)

    def say(self, text: str) -> None:
        """See View."""
        self._console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """See View."""
        self._live.stop()

    def draw(self, situation: Situation) -> RenderableType:
        """The whole view."""
        columns = max(20, min(_WIDEST, self._console.width) - _MARGIN)
        rows = (6, 4) if self._console.height >= _TALL else (4, 2)
        parts: list[RenderableType] = [_heading(situation)]
        if (execution := situation.current) is not None:
            top = max(
                (second.throughput for progress in [*situation.ended, execution] for second in progress.seconds),
                default=0.0,
            )
            parts += [*_charts(execution, columns, rows, top), _figures(execution), _decision(execution)]
            if execution.console:
                parts.append(Text(f"console  {execution.console}", style=_DIM, no_wrap=True))
        elif situation.activity:
            parts.append(Text(situation.activity, style=_DIM))
        parts.append(_ended_runs(situation, max(1, self._console.height - sum(rows) - _OTHER_ROWS)))
        return Group(*parts)


def _heading(situation: Situation) -> Text:
    text = Text()
    text.append(f"{situation.experiment}  ", style="bold")
    text.append(f"{situation.question}\n", style=_DIM)
    if (progress := situation.current) is not None:
        text.append(f"run {progress.number} of {situation.total}  ")
        text.append(progress.run.title, style="bold")
        repetition = f", repetition {progress.run.repetition}" if progress.run.repetition > 1 else ""
        text.append(f"{repetition}  {'' if progress.step == 'measures' else progress.step}")
        text.append(f"  {situation.left}\n", style=_DIM)
    return text


def _charts(progress: RunProgress, columns: int, rows: tuple[int, int], top: float) -> list[Text]:
    total = max(1, round(progress.run.load_s))
    rates = resample([second.throughput for second in progress.seconds], columns, total)
    sizes = resample([float(size) for size in progress.sizes], columns, total)
    highest = max([*progress.sizes, 1])
    return [
        *_chart(rates, rows[0], top, "req/s", _RATE),
        *_chart(sizes, rows[1], float(highest), "pool size", _SIZE),
        _phases(progress, columns),
    ]


def _chart(values: list[float], rows: int, top: float, label: str, style: str) -> list[Text]:
    lines = area(values, rows, top) if values else [""] * rows
    labels = [f"{top:,.0f}" if values else "", label, *[""] * (rows - 2)]
    return [
        Text.assemble((f"{label:>{_MARGIN - 2}} ", _DIM), ("┤" if place == 0 else "│", _DIM), (line, style))
        for place, (label, line) in enumerate(zip(labels, lines, strict=True))
    ]


def _phases(progress: RunProgress, columns: int) -> Text:
    """The axis below the charts: where each phase begins, and its level, or its requests where they change."""
    text = Text(" " * (_MARGIN - 1), style=_DIM)
    elapsed, drawn = 0.0, 0
    for phase in progress.run.phases:
        elapsed += phase["seconds"]
        width = round(columns * elapsed / progress.run.load_s) - drawn
        drawn += width
        text.append(f"└{requested(phase) or level(phase)}"[:width].ljust(width))
    return text


def _figures(progress: RunProgress) -> Text:
    if not progress.seconds:
        return Text("\n")
    last = progress.seconds[-1]
    text = Text("\n")
    text.append(rate(last.throughput), style=f"bold {_RATE}")
    text.append(f"   mean {milliseconds(last.mean_ms)}   p99 {milliseconds(last.p99_ms)}   ")
    text.append(f"pool {progress.size or '–'}", style=f"bold {_SIZE}")
    text.append(f"   {', '.join(part for part in (phase_of(progress), level_of(progress)) if part)}", style=_DIM)
    if progress.errors:
        text.append(f"   {progress.errors} errors", style=_BAD)
    return text


def _decision(progress: RunProgress) -> Text:
    text = Text(overflow="ellipsis", no_wrap=True)
    if progress.decision:
        text.append("last decision: ", style=_DIM)
        text.append(progress.decision)
    return text


def _ended_runs(situation: Situation, shown: int) -> RenderableType:
    if not situation.ended:
        return Text()
    top = max((second.throughput for execution in situation.ended for second in execution.seconds), default=0.0)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("run", "throughput over time"):
        table.add_column(heading, no_wrap=True)
    for heading in ("requests/s", "mean", "threads"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for progress in situation.ended[-min(shown, _MOST_RUNS) :]:
        table.add_row(
            progress.run.title,
            Text(spark([second.throughput for second in progress.seconds], _SPARK, top), style=_RATE),
            rate(progress.mean_throughput) if progress.seconds else "–",
            milliseconds(progress.mean_response_ms),
            f"{progress.mean_size:.1f}" if progress.mean_size else "–",
            Text("" if progress.status == "complete" else progress.status, style=_BAD),
        )
    return Group(Text(), table)
