"""Access logs of web servers: the column that may hold their response times."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from poolkeeper.present.text import listed

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ROWS = 1000
"""Rows that are looked at."""
_BEYOND = 4
"""Cells from the end of the date to the first one behind request, status and number of bytes."""
_COUNTING = "columns lie between blanks and are counted from 0; a text in quotation marks is one, a date is two"
_WRITE = "write the response times alone, one a line, and say their unit: --unit s"


def advice(source: Source) -> str:
    """Names an access log, and the options or the command that read its response times."""
    rows = _rows(source)
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        words = f"is an access log, whose lines have {min(widths)} to {max(widths)} columns; {_WRITE}"
        if all(_NUMBER.fullmatch(row[-1]) for row in rows):
            return f"{words}, where they come last: awk '{{print $NF}}' LOG > times.txt"
        return words
    found = _numbers(rows)
    if not found:
        return (
            f"is an access log; behind the number of bytes no column has a number in every line. If it has response"
            f" times, {_WRITE}, or say in which column: {_COUNTING}"
        )
    place, decimals = next(iter(found.items()))
    unit = "--unit s" if decimals else "and its unit: --unit us for Apache's %D, --unit s for %T"
    columns = f"column {place} has" if len(found) == 1 else f"columns {listed(list(map(str, found)))} have"
    return f"is an access log; {columns} numbers that may be response times ({_COUNTING}): --column {place} {unit}"


def _rows(source: Source) -> list[list[str]]:
    """Cells of the first lines."""
    try:
        return [row for row in csv.reader(source.head[:_ROWS], delimiter=" ") if row]
    except csv.Error:
        return []


def _numbers(rows: list[list[str]]) -> dict[int, bool]:
    """Places of the columns behind the number of bytes that have a number in each row, and whether with decimals."""
    if not rows:
        return {}
    date = next((place for place, cell in enumerate(rows[0]) if cell.endswith("]")), len(rows[0]))
    columns = {place: [row[place] for row in rows] for place in range(date + _BEYOND, len(rows[0]))}
    return {
        place: any("." in cell for cell in cells)
        for place, cells in columns.items()
        if all(map(_NUMBER.fullmatch, cells))
    }
