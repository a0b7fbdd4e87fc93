"""Plain columns of numbers: one response time a line, or a CSV whose column is named."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.errors import InputError
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding
from poolkeeper.results.formats.delimited import Delimited
from poolkeeper.results.part import BEYOND
from poolkeeper.units import RESULT_UNITS, nanoseconds

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

_SEPARATORS = ",\t;| "
_LIKELY = ("response_time", "responsetime", "response-time", "latency", "elapsed", "duration", "ttime")
_SUMMARY = re.compile(
    r"(^|[^a-z])(avg|average|mean|median|min|minimum|max|maximum|std|stddev|stdev|sum|total|p\d[\d.]*|perc\w*)([^a-z]|$)"
)
"""A name, in small letters, of what is computed of many requests."""
FORMAT = "plain columns"
_DECIMAL_COMMA = re.compile(r"\s*-?\d+,\d+\s*")
_OTHER_COMMA = re.compile(r"(?<!\d),|,(?!\d)")
_LONGEST_NS = 2.0**63
"""Bound of a whole number of nanoseconds."""


def recognise(source: Source) -> bool:
    """Whether the first two lines have as many cells, which prose has not, and one of them a number."""
    rows = [_cells(line)[1] for line in source.head[:2]]
    if len({len(row) for row in rows}) > 1:
        return False
    return any(_is_number(cell) for row in rows for cell in row)


def read(source: Source, *, unit: str | None = None, column: str | int | None = None) -> Delimited:
    """Lay out columns of numbers; `column` is the name or place (from 0) of the response time.

    Without `column` it is the only one, or the one whose name says so, but for names of means, percentiles and other
    figures that a tool computed. Without `unit` a suffix of that name (`_ms`) decides, and otherwise milliseconds.
    """
    if not source.head:
        raise FileError(source.path, "is empty")
    separator, first = _cells(source.head[0])
    named = not any(_is_number(cell) for cell in first)
    names = first if named else [f"column {place}" for place in range(len(first))]
    if len(set(names)) < len(names):
        raise FileError(source.path, f"names a column twice: {', '.join(names)}", 1)
    decimal_comma = not named and all(map(_DECIMAL_COMMA.fullmatch, filter(None, source.head)))
    if decimal_comma and column is None:
        raise InputError(
            f"column: {source.path} has two numbers a line, or one with a decimal comma ({','.join(first)}):"
            f" write decimal points, or say which column holds the response time: {', '.join(names)}"
        )
    chosen = _chosen(source, names, column)
    doubt = f"if its lines are numbers with decimal commas ({','.join(first)}), only a part of each was read"
    suffix = chosen.rpartition("_")[2].strip()
    scale = nanoseconds(unit or (suffix if suffix in RESULT_UNITS else "ms"))
    cells: dict[str, Any] = {name: pl.Float64 if name == chosen else pl.String for name in names}
    return Delimited(
        source,
        FORMAT,
        cells,
        {"response_ns": _whole_ns(pl.col(chosen) * scale)},
        (chosen,),
        resolution_ns=_resolution(source, names.index(chosen), scale, separator, skip=int(named)),
        header=source.head[0] if named else None,
        separator=separator,
        clock="none",
        begins=_NUMBER if names[0] == chosen else None,
        unit_guessed=unit is None and suffix not in RESULT_UNITS,
        noticed=(Finding("decimal comma", f"{source.path.name}: {doubt}"),) if decimal_comma else (),
    )


_NUMBER = rb'[ \t]*"?(?:[-+]?(?:[.,]?\d|inf)|nan|NaN)'
"""Beginning of a row whose first cell is a number."""


def _whole_ns(values: pl.Expr) -> pl.Expr:
    """Whole nanoseconds: null for NaN, `BEYOND` for more than they can count."""
    whole = values.round().clip(-_LONGEST_NS, None).cast(pl.Int64, strict=False)
    return pl.when(values.is_nan().not_() & (values >= _LONGEST_NS)).then(BEYOND).otherwise(whole)


def _cells(line: str) -> tuple[str, list[str]]:
    decimal_commas = ";" in line and not _OTHER_COMMA.search(line)
    separator = ";" if decimal_commas else max(_SEPARATORS, key=line.strip().count)
    return separator, [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _chosen(source: Source, names: list[str], column: str | int | None) -> str:
    if isinstance(column, int):
        if not 0 <= column < len(names):
            raise InputError(f"column: {column} is not between 0 and {len(names) - 1}, the columns of {source.path}")
        return names[column]
    if column is not None:
        if column not in names and column.isdecimal():
            return _chosen(source, names, int(column))
        if column not in names:
            raise InputError(f"column: {source.path} has no {column!r}; it has {', '.join(names)}")
        return column
    if len(names) == 1:
        return names[0]
    likely = [name for wanted in _LIKELY for name in names if wanted in name.lower()]
    values = [name for name in likely if not _SUMMARY.search(name.lower())]
    if values:
        return values[0]
    if likely:
        raise InputError(
            f"column: {source.path} looks like a table of figures that a tool computed ({', '.join(likely)}), not of"
            f" response times; where they are response times all the same, say which: {', '.join(names)}"
        )
    raise InputError(f"column: {source.path} has several, say which holds the response time: {', '.join(names)}")


def _resolution(source: Source, place: int, scale: int, separator: str, *, skip: int) -> int:
    """The step of the numbers, by the decimals of the first ones."""
    most = 0
    for row in csv.reader(source.head[skip : skip + 1000], delimiter=separator):
        text = row[place].strip() if place < len(row) else ""
        most = max(most, len(text.partition(".")[2]) if "e" not in text.lower() else 0)
    return int(max(1, scale // 10**most))
