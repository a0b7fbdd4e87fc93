"""Access logs of web servers: the column that may hold their response times, and the others beside it."""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from poolkeeper.present.text import listed
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.delimited import WHOLE_LINE, Delimited
from poolkeeper.results.formats.server_logs import SWITCHED
from poolkeeper.results.part import BEYOND
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolkeeper.arrays import Floats
    from poolkeeper.results.source import Source

FORMAT = "access log"
_DATE = r"(?:\S+ )?\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "
LINE = rf"\A{_DATE}\""
"""Beginning of a line in the common formats, with or without the virtual host before it."""
_STAMP = "[%d/%b/%Y:%H:%M:%S %z]"
_CLEARLY = 10.0
"""Seconds by which times that are taken for those of ends must go back less, or more, before it is clear."""
_GOOD = (200, 399)
"""Least and largest status of a success."""
_CONNECTIONS = "connections left out that changed their protocol, as WebSockets do (status 101): {count}"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TIME = r"-?\d+(?:\.\d+)?"
_TEXT = r'"(?:[^"\\]|\\.|"")*"|[^" ][^ ]*|'
"""A cell: a text in quotation marks, which are escaped or doubled within it, or one without blanks."""
_STATUS = r"\d+|-"
_CELL = re.compile(rf"(?:^| )({_TEXT})(?= |$)")
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
    # Whole numbers before seconds with decimals are lengths of requests, as ingress-nginx writes them.
    place, decimals = max(found.items(), key=lambda entry: entry[1])
    unit = (
        "--unit s" if decimals else "and its unit: --unit us for Apache's %D (Tomcat's before 10: ms), --unit s for %T"
    )
    if written := _written_unit(rows, place):
        unit = f"--unit {written}"
    columns = f"column {place} has" if len(found) == 1 else f"columns {listed(list(map(str, found)))} have"
    return f"is an access log; {columns} numbers that may be response times ({_COUNTING}): --column {place} {unit}"


def _written_unit(rows: list[list[str]], place: int) -> str:
    """The unit in the column behind a number, as in "12.5 ms"; empty where there is none in every row."""
    units = {row[place + 1] if place + 1 < len(row) else "" for row in rows}
    return next(iter(units)) if len(units) == 1 and units <= NANOSECONDS.keys() else ""


def is_log(source: Source) -> bool:
    """Whether the first line is one of an access log in a common format."""
    return bool(source.head) and re.match(LINE, source.head[0]) is not None


def columns(source: Source) -> int:
    """Number of columns of the first line."""
    return len(_cells(source.head[:1])[0])


def texts(source: Source, place: int) -> list[str]:
    """Texts of a column in the first lines."""
    return [row[place] for row in _rows(source) if place < len(row)]


def _rows(source: Source) -> list[list[str]]:
    """Cells of the first lines."""
    return _cells(source.head[:_ROWS])


def _cells(lines: Iterable[str]) -> list[list[str]]:
    """Cells of lines that are not empty, those in quotation marks without these."""
    return [[match[1].strip('"') for match in _CELL.finditer(line)] for line in lines if line]


def _date_end(rows: Sequence[Sequence[str]]) -> int:
    """Place of the cell that ends the date of the first row; beyond the row where there is none."""
    return next((place for place, cell in enumerate(rows[0]) if cell.endswith("]")), len(rows[0])) if rows else 0


def _numbers(rows: list[list[str]]) -> dict[int, bool]:
    """Places of the columns behind the number of bytes that have a number in each row, and whether with decimals."""
    if not rows:
        return {}
    columns = {place: [row[place] for row in rows] for place in range(_date_end(rows) + _BEYOND, len(rows[0]))}
    return {
        place: any("." in cell for cell in cells)
        for place, cells in columns.items()
        if all(map(_NUMBER.fullmatch, cells))
    }


def read(source: Source, place: int, scale_ns: int, resolution_ns: int, *, unit_guessed: bool) -> Delimited | None:
    """Lay the requests out, whose response time is at a place; None where that place is before the end of the date.

    Servers escape quotation marks within a text by a backslash, which tables do not.
    """
    width, end = columns(source), _date_end(_rows(source))
    if not end + _BEYOND <= place < width:
        return None
    named = dict(zip(range(end - 1, end + _BEYOND), ("date", "zone", "request", "status", "size"), strict=False))
    named |= {place: "time"}
    groups = {at: f"(?P<{name}>{_STATUS if name == 'status' else _TEXT})" for at, name in named.items()}
    cells = [groups.get(at, f"(?:{_TEXT})") for at in range(width)]
    pattern = f"^{' '.join(cells)}$"
    found = pl.col("line").str.extract_groups(pattern).struct
    date, zone, request, status, size, time = (
        found.field(name).str.strip_chars('"') for name in ("date", "zone", "request", "status", "size", "time")
    )
    stamp = pl.format("{} {}", date, zone).str.to_datetime(_STAMP, time_unit="ns", strict=False).cast(pl.Int64)
    exact = (time.cast(pl.Float64, strict=False) * scale_ns).round()
    response = pl.when(exact >= BEYOND).then(BEYOND).otherwise(exact.cast(pl.Int64, strict=False))
    code = status.cast(pl.Int64, strict=False)
    return Delimited(
        source,
        FORMAT,
        {"line": pl.String},
        {
            "start_ns": stamp if _stamped_at_begin(source, stamp, response) else stamp - response,
            "response_ns": response,
            "label": request.fill_null("").str.extract(r"^(\S+ [^ ?]*)").fill_null(""),
            "ok": code.is_between(*_GOOD).fill_null(value=False),
            "code": status.fill_null(""),
            "bytes": size.cast(pl.Int64, strict=False),
        },
        ("line",),
        resolution_ns=resolution_ns,
        separator=WHOLE_LINE,
        quote=None,
        unit_guessed=unit_guessed,
        keep=code.ne_missing(SWITCHED),
        others=f"{source.path.name}: {_CONNECTIONS}",
        ends=True,
        check=partial(_reason, width, place),
        broken=stamp.is_null() | response.is_null(),
    )


def _stamped_at_begin(source: Source, stamp: pl.Expr, response: pl.Expr) -> bool:
    """Whether the requests have the time of their beginning, as Apache writes it, or that of their end, as nginx does.

    They are written as they end: the times of their ends ascend, those of their beginnings less so. Stamps are whole
    seconds, within which nothing is known of the order: only requests that take longer tell, which may come late.
    """
    back = [0.0, 0.0]
    for block in source.blocks(Findings(), quotes=False):
        lines = pl.DataFrame({"line": block.decode(errors="replace").splitlines()}, schema={"line": pl.String})
        rows = lines.select(stamp=stamp, end=stamp + response).drop_nulls()
        for place, column in enumerate(rows.get_columns() if rows.height else ()):
            back[place] += _goes_back(column.to_numpy() / NS)
        if abs(back[0] - back[1]) > max(_CLEARLY, max(back) / 2):
            break
    return back[0] > back[1]


def _reason(width: int, place: int, row: list[str]) -> str | None:
    """Fault of a line."""
    (cells,) = _cells(row[:1])
    end = _date_end([cells])
    if _seconds(cells[max(0, end - 1) : end + 1]) is None:
        return f"has no date as in [01/Jan/2026:10:00:00 +0000]: {row[0][:60]!r}"
    if len(cells) != width:
        return f"has {len(cells)} cells, but there are {width} columns"
    if re.fullmatch(_STATUS, cells[end + 2]) is None:
        return f"has no status behind its request: {cells[end + 2]!r}"
    if re.fullmatch(_TIME, cells[place]) is None:
        return f"column {place} is not a number: {cells[place]!r}"
    return None


def _seconds(cells: Sequence[str]) -> float | None:
    """Seconds since 1970 of the two cells of a date; None where they are none."""
    try:
        return datetime.strptime(" ".join(cells), "[%d/%b/%Y:%H:%M:%S %z]").timestamp()
    except ValueError:
        return None


def _goes_back(times: Floats) -> float:
    """By how much more than a second times lie before the latest one so far, in all."""
    back: Floats = np.maximum.accumulate(times) - times
    return float(np.maximum(0.0, back - 1).sum())
