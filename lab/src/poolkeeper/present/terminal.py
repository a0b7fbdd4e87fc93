"""Tables and histograms on a terminal, however narrow."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from rich import box
from rich.cells import cell_len
from rich.measure import Measurement
from rich.table import Table as Drawn
from rich.text import Text

from poolkeeper.present.numbers import number

if TYPE_CHECKING:
    from rich.console import Console

    from poolkeeper.present.table import Table

WIDE = 10_000
"""Columns of a terminal that has room for every table."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_BARS = 40
"""Most columns that the longest bar of a histogram takes."""
_GAP = 2
"""Columns between those of a table."""
_WORD = 24
"""A word longer than this is broken where room is short."""
_LEAST_SHARE = 0.001
"""Least share that one decimal of a percentage says."""


def bare_table(title: str | None = None) -> Drawn:
    """A table without columns, and with no lines but that below its head."""
    return Drawn(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )


def say(console: Console, text: str) -> None:
    """Print a line as it is, without markup, colours of numbers and breaks."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


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
            heading = column.header if isinstance(column.header, Text) else Text.from_markup(str(column.header))
            listed.add_row(Text.assemble("  ", heading), cell)
        console.print(listed)


def show(table: Table, console: Console) -> None:
    """Print a table of results with its title above and its notes below.

    No number is ever cut: in a narrow console headings and words break first, and where even that is not enough each
    row becomes a list.
    """
    if table.title:
        console.print(Text(table.title, style="bold"))
    widths = _widths(table, console.width)
    drawn = bare_table()
    for place, heading in enumerate(table.columns):
        justify: Literal["left", "right"] = "right" if table.numeric(place) else "left"
        width = widths[place] if widths else None
        drawn.add_column(Text(heading), justify=justify, width=width, no_wrap=widths is None, overflow="fold")
    for row in table.cells():
        drawn.add_row(*(Text(cell) for cell in row))
    if widths:
        console.print(drawn)
    elif table.rows:
        _list(table, console)
    for note in table.notes:
        console.print(Text(f"note: {note}", style="dim"))


def _widths(table: Table, room: int) -> list[int] | None:
    """Columns of the console for each of the table's, as wide as its cells if there is room; None if there is none."""
    columns = list(zip(table.columns, *table.cells(), strict=True))
    wanted = [max(map(cell_len, column)) for column in columns]
    least = []
    for place, (heading, *cells) in enumerate(columns):
        words = [heading] if table.numeric(place) else [heading, *cells]
        longest = max(cell_len(word) for text in words for word in (text.split() or [""]))
        figures = [cell_len(cell) for cell in cells] if table.numeric(place) else []
        least.append(max(min(longest, _WORD), *figures, 1))
    spare = room - sum(least) - _GAP * (len(columns) - 1)
    if spare < 0:
        return None
    for place in sorted(range(len(columns)), key=lambda at: wanted[at] - least[at]):
        more = min(spare, wanted[place] - least[place])
        least[place] += more
        spare -= more
    return least


def _list(table: Table, console: Console) -> None:
    """Each row as a list of its cells under its first one."""
    for title, *cells in table.cells():
        if title:
            console.print(Text(title, style="bold"))
        listed = Drawn.grid(padding=(0, 0, 0, 2), pad_edge=True)
        listed.add_column(overflow="fold")
        listed.add_column(overflow="fold", no_wrap=not any(" " in cell for cell in cells))
        for heading, cell in zip(table.columns[1:], cells, strict=True):
            listed.add_row(Text(heading), Text(cell))
        console.print(listed)


def histogram(edges: tuple[float, ...], counts: tuple[float, ...], unit: str, width: int) -> list[str]:
    """A bar a bin in so many columns, a line each: where the bin begins and ends, its bar, and its share of all.

    Shapes: edges (n + 1,), counts (n,).
    """
    total = sum(counts)
    if not total:
        return []
    ends = [f"{number(low)} – {number(high)} {unit}" for low, high in pairwise(edges)]
    shares = [_share(count / total) for count in counts]
    wide, last = max(map(len, ends)), max(map(len, shares))
    room = max(4, min(_BARS, width - wide - last - 4))
    return [
        f"{end.rjust(wide)}  {_bar(count / max(counts) * room).ljust(room)}  {share.rjust(last)}".rstrip()
        for end, count, share in zip(ends, counts, shares, strict=True)
    ]


def _share(share: float) -> str:
    """A share of 0 to 1 in percent with one decimal, which leaves room between nothing, something and all."""
    if 0 < share < _LEAST_SHARE:
        return f"<{_LEAST_SHARE:.1%}"
    return f">{1 - _LEAST_SHARE:.1%}" if 1 - _LEAST_SHARE / 2 <= share < 1 else f"{share:.1%}"


def _bar(columns: float) -> str:
    whole, part = divmod(round(columns * 8), 8)
    bar = "█" * whole + _EIGHTHS[part].strip()
    return bar or ("▏" if columns > 0 else "")
