"""The first line of a table: its separator, and the names of the columns."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

SEPARATORS = ",\t;|"


def first_row(source: Source) -> tuple[str, list[str]]:
    """The separator, and the cells of the first line.

    Spreadsheets and scripts write a table anew with other separators, quotation marks or order of the columns.
    """
    line = source.head[0] if source.head else ""
    separator = max(SEPARATORS, key=line.count)
    try:
        return separator, [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return separator, []


def has_columns(source: Source, *names: str) -> bool:
    """Whether the first line names all of these columns."""
    return set(names) <= set(first_row(source)[1])
