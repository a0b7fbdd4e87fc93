"""Tables and histograms on a terminal, however narrow."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich import box
from rich.measure import Measurement
from rich.table import Table as Drawn
from rich.text import Text

from tidepool.present.numbers import number

if TYPE_CHECKING:
    from rich.console import Console

    from tidepool.present.table import Table

WIDE = 10_000
"""Columns of a terminal that has room for every table."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_BARS = 40
"""Most columns that the longest bar of a histogram takes."""


def draw(drawn: Drawn, console: Console) -> None:
    """Print a table; where the console is too narrow for its columns, each row as a list under its first cell."""
    unlimited = console.options.update(width=WIDE)  # else it would say the console's width
    if Measurement.get(console, unlimited, drawn).minimum <= console.width:
        console.print(drawn)
        return
    titles, *columns = drawn.columns
    for title, *cells in zip(titles.cells, *(column.cells for column in columns), strict=True):
        if str(title):
            console.print(title, style="bold")
        listed = Drawn.grid(padding=(0, 2))
        for column, cell in zip(columns, cells, strict=True):
            listed.add_row(f"  {column.header}", cell)
        console.print(listed)


def show(table: Table, console: Console) -> None:
    """Print a table of results with its title above and its notes below."""
    drawn = Drawn(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for place, heading in enumerate(table.columns):
        right = table.numeric(place)
        drawn.add_column(Text(heading), justify="right" if right else "left", no_wrap=right or place == 0)
    for row in table.cells():
        drawn.add_row(*(Text(cell) for cell in row))
    if table.title:
        console.print(Text(table.title, style="bold"))
    draw(drawn, console)
    for note in table.notes:
        console.print(Text(f"note: {note}", style="dim"))


def histogram(edges: tuple[float, ...], counts: tuple[float, ...], unit: str, width: int) -> list[str]:
    """A bar a bin in so many columns, a line each: where the bin begins and ends, its bar, and its share of all.

    Shapes: edges (n + 1,), counts (n,).
    """
    total = sum(counts)
    if not total:
        return []
    ends = [f"{number(low)} – {number(high)} {unit}" for low, high in pairwise(edges)]
    shares = [f"{count / total:.1%}" if count / total >= 0.001 or not count else "<0.1%" for count in counts]  # noqa: PLR2004 - what one decimal can say
    wide = max(map(len, ends))
    room = max(4, min(_BARS, width - wide - max(map(len, shares)) - 4))
    return [
        f"{end.rjust(wide)}  {_bar(count / max(counts) * room).ljust(room)}  {share.rjust(6)}".rstrip()
        for end, count, share in zip(ends, counts, shares, strict=True)
    ]


def _bar(columns: float) -> str:
    whole, part = divmod(round(columns * 8), 8)
    bar = "█" * whole + _EIGHTHS[part].strip()
    return bar or ("▏" if columns > 0 else "")
