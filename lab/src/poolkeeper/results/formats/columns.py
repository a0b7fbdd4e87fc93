"""Plain columns of numbers: one response time a line, or a CSV whose column is named."""

from __future__ import annotations

import csv
import re
from functools import partial
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.errors import InputError
from poolkeeper.results import access_logs
from poolkeeper.results.column_names import not_read, response_times, unit_column, unit_of
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding
from poolkeeper.results.formats.delimited import Delimited
from poolkeeper.results.formats.marks import comma_advice
from poolkeeper.results.part import BEYOND
from poolkeeper.units import nanoseconds

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

_SEPARATORS = ",\t;| "
_TOTAL = (
    r"(?i)^\s*(?:grand )?(?:totals?|total général|sum|average|avg|mean|median|overall|aggregated?|summary|summe"
    r"|gesamt(?:summe)?|insgesamt|mittelwert|durchschnitt|somme|moyenne|suma|promedio|totale|somma)\s*:?\s*$"
)
"""First cell of a row below a table that holds a figure of all the others."""
FORMAT = "plain columns"
_DECIMAL_COMMA = re.compile(r"\s*-?\d+,\d+\s*")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})?|0")
_SHOWN = 4
"""Units that a message shows."""
_MANY = 20
"""Rows by which a column that only rises is seen."""
_LONGEST_NS = 2.0**63
"""Bound of a whole number of nanoseconds."""


def recognise(source: Source) -> bool:
    """Whether the first two lines have as many cells, which prose has not, and one of them a number.

    Numbers within JSON may stand between blanks, and are not cells. Texts of access logs may escape quotation marks.
    """
    if access_logs.is_log(source):
        return True
    if source.head and source.head[0].lstrip().startswith("{"):
        return False
    _, rows = _split(source)
    if len({len(row) for row in rows}) > 1 or not any(map(str.strip, source.head[:1])):
        return False
    return any(map(_is_number, chain(*rows)))


def read(source: Source, *, unit: str | None = None, column: str | int | None = None) -> Delimited:
    """Lay out columns of numbers; `column` is the name or place (from 0) of the response time.

    Without `column` it is the only one, or the one whose name says so, but for names of means, percentiles and other
    figures that a tool computed. Without `unit` that name decides (`latency_us`, `Latency [s]`, `elapsedMillis`), and
    otherwise it is milliseconds.
    """
    if not source.head:
        raise FileError(source.path, "is empty")
    if access_logs.is_log(source) and (log := _access_log(source, unit, column)) is not None:
        return log
    separator, rows = _split(source)
    first = rows[0]
    named = not any(_is_number(cell) for cell in first)
    names = first if named else [f"column {place}" for place in range(len(first))]
    if len(set(names)) < len(names):
        raise FileError(source.path, f"names a column twice: {', '.join(names)}", 1)
    decimal_comma = not named and all(map(_DECIMAL_COMMA.fullmatch, filter(None, source.head)))
    if decimal_comma and column is None:
        raise InputError(
            f"column: {source.path} has two numbers a line, or one with a comma ({','.join(first)}):"
            f" {comma_advice(source.head)}; or say which column holds the response time: {', '.join(names)}"
        )
    chosen = _chosen(source, names, column, separator)
    doubt = f"if its lines are numbers with decimal commas ({','.join(first)}), only a part of each was read"
    by_name = unit_of(chosen) if named and unit is None else None
    if named and by_name is None:
        _refuse_units(source, names, chosen, separator, unit)
    scale = nanoseconds(unit or by_name or "ms")
    noticed = [Finding("decimal comma", f"{source.path.name}: {doubt}")] if decimal_comma else []
    if not decimal_comma and (words := not_read(chosen, names, named=named)):
        noticed.append(Finding("not read", f"{source.path.name}: {words}"))
    if len(names) > 1 and _only_rises(source, names.index(chosen), separator, skip=int(named)):
        words = f"{chosen} rises from row to row: if it is the time since the start of the test, it is no response time"
        noticed.append(Finding("rises", f"{source.path.name}: {words}"))
    if example := _thousands(source, names.index(chosen), separator, skip=int(named)):
        words = f"{chosen} was read with decimal points: if points part thousands ({example}), it is a thousand times"
        noticed.append(Finding("thousands", f"{source.path.name}: {words} too small"))
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
        even=True,
        unit_guessed=unit is None and by_name is None,
        noticed=tuple(noticed),
        check=partial(_total, full=(full := _is_filled(source, separator, skip=int(named)))),
        broken=_is_total(names[0], chosen, full=full),
    )


def _access_log(source: Source, unit: str | None, column: str | int | None) -> Delimited | None:
    """Requests of an access log; None where the column is none behind them, or is not said."""
    if column is None:
        return None
    names = [f"column {place}" for place in range(access_logs.columns(source))]
    place = names.index(_chosen(source, names, column))
    scale = nanoseconds(unit or "ms")
    most = max(len(text.partition(".")[2]) for text in access_logs.texts(source, place))
    return access_logs.read(source, place, scale, _step(scale, most), unit_guessed=unit is None)


_NUMBER = rb'[ \t]*"?(?:[-+]?(?:[.,]?\d|inf)|nan|NaN)'
"""Beginning of a row whose first cell is a number."""


def _whole_ns(values: pl.Expr) -> pl.Expr:
    """Whole nanoseconds: null for NaN, `BEYOND` for more than they can count."""
    whole = values.round().clip(-_LONGEST_NS, None).cast(pl.Int64, strict=False)
    return pl.when(values.is_nan().not_() & (values >= _LONGEST_NS)).then(BEYOND).otherwise(whole)


def _split(source: Source) -> tuple[str, list[list[str]]]:
    """The separator, and the cells of the first line and of the next one that is not empty.

    It is the one that parts both lines into the most cells and as many. A semicolon beside numbers with decimal commas
    parts cells, and the commas do not.
    """
    lines = [*source.head[:1], *islice(filter(str.strip, source.head[1:]), 1)]
    found = {
        separator: [_cells(line, separator) for line in lines]
        for separator in _SEPARATORS
        if any(separator in line.strip() for line in lines)
    }
    semicolons = found.get(";", [])
    if len({len(row) for row in semicolons}) == 1 and any(map(_DECIMAL_COMMA.fullmatch, chain(*semicolons))):
        return ";", semicolons
    equal = {separator: rows for separator, rows in found.items() if len({len(row) for row in rows}) == 1}
    separator = max(equal, key=lambda name: len(equal[name][0]), default=",")
    return separator, [_cells(line, separator) for line in lines]


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _chosen(source: Source, names: list[str], column: str | int | None, separator: str = "") -> str:
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
    indices = [name for place, name in enumerate(names) if _numbers_rows(_texts(source, place, separator, skip=1))]
    return response_times(source.path, names, indices)


def _texts(source: Source, place: int, separator: str, *, skip: int) -> list[str]:
    """Cells of a column in the first lines that are not empty, without those that have none there."""
    rows = csv.reader(source.head[skip : skip + 1000], delimiter=separator or ",")
    return [text for row in rows if place < len(row) and (text := row[place].strip())]


def _numbers_rows(texts: list[str]) -> bool:
    """Whether cells count from row to row."""
    if not texts or not all(map(str.isdecimal, texts)):
        return False
    return all(int(after) == int(before) + 1 for before, after in pairwise(texts))


def _refuse_units(source: Source, names: list[str], chosen: str, separator: str, unit: str | None) -> None:
    """Raise InputError for a column that says the unit of the chosen one, unless all is in the one that is given."""
    unit_name = unit_column([name for name in names if name != chosen])
    if unit_name is None:
        return
    units = list(dict.fromkeys(_texts(source, names.index(unit_name), separator, skip=1)))
    if len(units) > 1:
        raise InputError(
            f"unit: {source.path} has several units in its column {unit_name!r} ({', '.join(units[:_SHOWN])}): write"
            " all response times in one unit, and say it: --unit ms"
        )
    if unit is None:
        raise InputError(
            f"unit: {source.path} has its unit in the column {unit_name!r} ({', '.join(units)}): --unit ms"
        )


def _is_filled(source: Source, separator: str, *, skip: int) -> bool:
    """Whether no row of the first lines lacks its first cell, but perhaps the last of them, and there are others."""
    rows = [row for row in csv.reader(source.head[skip : skip + 1000], delimiter=separator) if any(row)]
    return any(len(row) > 1 for row in rows) and all(row[0].strip() for row in rows[:-1])


def _is_total(first: str, chosen: str, *, full: bool) -> pl.Expr | None:
    """Whether a row holds figures of all others: its first cell says so, or is empty as that of no row of the first."""
    if first == chosen:
        return None
    found = pl.col(first).str.contains(_TOTAL)
    return found.fill_null(value=full)


def _total(row: list[str], *, full: bool) -> str | None:
    if full and len(row) > 1 and not row[0].strip():
        return (
            "has no first cell, as a figure below a table has, which is no response time: remove the line, or fill it"
        )
    words = f"begins with {row[0].strip()!r}, as a figure of all rows does, which is no response time: remove the line"
    return words if re.match(_TOTAL, row[0]) else None


def _only_rises(source: Source, place: int, separator: str, *, skip: int) -> bool:
    """Whether the first numbers of a column never fall and are hardly ever the same, as a clock's."""
    texts = _texts(source, place, separator, skip=skip)
    if len(texts) < _MANY or not all(map(_is_number, texts)):
        return False
    steps = [after - before for before, after in pairwise(map(float, texts))]
    return min(steps) >= 0 and sum(step > 0 for step in steps) > len(steps) / 2


def _thousands(source: Source, place: int, separator: str, *, skip: int) -> str:
    """A number that may have points between thousands, where none shows that they are decimal points.

    Beside semicolons decimal points are rare. Elsewhere numbers without any are a sign, as few have no decimals.
    """
    texts = _texts(source, place, separator, skip=skip)
    if not all(map(_GROUPED.fullmatch, texts)) or (separator != ";" and all("." in text for text in texts)):
        return ""
    return next((text for text in texts if "." in text), "")


def _resolution(source: Source, place: int, scale: int, separator: str, *, skip: int) -> int:
    """The step of the numbers, by the decimals of the first ones."""
    most = 0
    for row in csv.reader(source.head[skip : skip + 1000], delimiter=separator):
        text = row[place].strip() if place < len(row) else ""
        most = max(most, len(text.partition(".")[2]) if "e" not in text.lower() else 0)
    return _step(scale, most)


def _step(scale: int, decimals: int) -> int:
    """Nanoseconds of the last of so many decimals."""
    return int(max(1, scale // 10**decimals))
