"""A table of results: the same on a terminal, in a notebook and on a page."""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass

from poolkeeper.present.numbers import count, number

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Characters that would break a row, or move a terminal's cursor, in a label that somebody else chose."""
DIRECTIONS = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of writing, so that a label could show what follows it in another order."""

_FIGURE = re.compile(r"[<>≈±]? ?[+\-−×]?[\d,]*\.?\d+(e-?\d+)?( ?%)?|[–∞]|[+\-−]∞")
"""Form of a number that was written by its author, with the digits or the sign that it needs."""

Cell = str | int | float | None
"""Text as it is, whole numbers with thousands apart, others with three significant digits, and a dash for None."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings with units, and notes on the reliability of the numbers.

    Raises ValueError if a row has not as many cells as there are columns.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title}: {len(row)} cells under {len(self.columns)} headings: {row}")

    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The rows as they are shown."""
        return tuple(tuple(_cell_text(cell) for cell in row) for row in self.rows)

    def finite(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows for JSON; NaN and infinities are None."""
        return tuple(tuple(None if isinstance(c, float) and not math.isfinite(c) else c for c in r) for r in self.rows)

    def numeric(self, column: int) -> bool:
        """Whether a column holds numbers, written out or not, so that it is set flush right."""
        cells = [row[column] for row in self.rows]
        return bool(cells) and all(not isinstance(cell, str) or _FIGURE.fullmatch(cell) for cell in cells)

    def __str__(self) -> str:
        """The table as plain text."""
        cells = (self.columns, *self.cells())
        widths = [max(len(row[k]) for row in cells) for k in range(len(self.columns))]
        right = [self.numeric(k) for k in range(len(self.columns))]
        lines = [
            "  ".join(
                text.rjust(width) if flush else text.ljust(width)
                for text, width, flush in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in cells
        ]
        return "\n".join([*([self.title] if self.title else []), *lines, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        """The table in a notebook."""

        def line(row: tuple[str, ...], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in row) + "</tr>"

        body = "".join(line(row, "td") for row in self.cells())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead>{line(self.columns, 'th')}</thead><tbody>{body}</tbody></table>{notes}"


def one_line(text: str) -> str:
    """A text without characters that break its line, move a terminal's cursor or turn the direction of writing."""
    return _BREAKS.sub(" ", DIRECTIONS.sub("", text))


def _cell_text(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return one_line(cell)
    return count(cell) if isinstance(cell, int) else number(cell)
