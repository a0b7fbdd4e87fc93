"""JMeter's results: JTL as CSV."""

from __future__ import annotations

import csv
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding
from poolkeeper.results.formats.delimited import Delimited
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_LATER = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
_ORDERS = {
    17: f"{_LATER}sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect",
    16: f"{_LATER}sentBytes,grpThreads,allThreads,Latency,IdleTime,Connect",
}
"""Columns of a file without a header, by their number: JMeter's default since 5.0, and before."""

_TYPES: dict[str, Any] = {
    "timeStamp": pl.Int64,
    "elapsed": pl.Int64,
    "success": pl.Boolean,
    "bytes": pl.Int64,
    "sentBytes": pl.Int64,
    "grpThreads": pl.Int64,
    "allThreads": pl.Int64,
    "Latency": pl.Int64,
    "IdleTime": pl.Int64,
    "Connect": pl.Int64,
}
_EXPRESSIONS: dict[str, tuple[str, pl.Expr]] = {
    "response_ns": ("elapsed", pl.col("elapsed") * _MS),
    "label": ("label", pl.col("label").fill_null("")),
    "ok": ("success", pl.col("success")),
    "code": ("responseCode", pl.col("responseCode").fill_null("")),
    "message": ("responseMessage", pl.col("responseMessage").fill_null("")),
    "thread": ("threadName", pl.col("threadName").fill_null("")),
    "group": ("threadName", pl.col("threadName").fill_null("").str.replace(r" \d+-\d+$", "")),
    "bytes": ("bytes", pl.col("bytes")),
    "sent_bytes": ("sentBytes", pl.col("sentBytes")),
    "users": ("allThreads", pl.col("allThreads")),
    "group_users": ("grpThreads", pl.col("grpThreads")),
    "first_byte_ns": ("Latency", pl.col("Latency") * _MS),
    "idle_ns": ("IdleTime", pl.col("IdleTime") * _MS),
    "connect_ns": ("Connect", pl.col("Connect") * _MS),
}
_DATE = re.compile(r"\d{4}[/-]\d\d[/-]\d\d[ T]\d\d:\d\d:\d\d([.,]\d+)?")
_MONTHS = 12
TRANSACTION = "Number of samples in transaction"
"""Beginning of the message of a transaction."""

_SEPARATORS = ",\t;|"
_MILLISECONDS, _DAY, _NUMBER = rb'"?\d{9,}"?[,\t;|]', rb'"?\d{4}[/-]\d\d[/-]\d\d[ T]', rb'"?\d+"?[,\t;|]'
"""Forms of the first cells of a row."""
FORMAT = "JMeter JTL (CSV)"
_SECONDS = "; are these seconds? Format columns, column elapsed, unit s reads them, but no other column"
MOST_MS = {"timeStamp": 8 * 10**12, "elapsed": 10**12}
"""Milliseconds that both together can be counted in nanoseconds: up to the year 2223, and 31 years."""


def recognise(source: Source) -> bool:
    """Whether a file begins with JMeter's header, or with a row in JMeter's default order."""
    if not source.head:
        return False
    separator, first = _first(source)
    if "timeStamp" in first or {"elapsed", "label"} <= set(first):
        return True
    return _headless(first) is not None and separator == ","


def read(source: Source) -> Delimited:
    """Lay a JTL out by the names in its header or, without one, by JMeter's default order.

    `timeStamp` is taken for the start of a sample, as JMeter's own properties have it (sampleresult.timestamp.start);
    the response time is `elapsed`, from the first byte sent to the last received, and `Latency` only that to the first.
    """
    separator, first = _first(source)
    names: Sequence[str] | None = _headless(first)
    header = None if names is not None else source.head[0]
    names = names or first
    missing = [name for name in ("timeStamp", "elapsed") if name not in names]
    if missing:
        raise FileError(
            source.path, f"has no column {missing[0]}, as JMeter results have; it has {', '.join(names)}", 1
        )
    if len(set(names)) < len(names):
        raise FileError(source.path, f"names a column twice: {', '.join(names)}", 1)
    cells = {name: _TYPES.get(name, pl.String) for name in names}
    start = pl.col("timeStamp") * _MS
    noticed = [transactions(source)] if any(TRANSACTION in line for line in source.head) else []
    stamp = _first_stamp(source, names, separator, header)
    if stamp is not None and (found := _DATE.fullmatch(stamp)):
        cells["timeStamp"] = pl.String
        place = list(names).index("timeStamp")
        swapped = _months_beyond(source, separator, place)
        start = _parsed_date(pl.col("timeStamp"), stamp, fractional=found[1] is not None, swapped=swapped)
        if swapped:
            words = f"{source.path.name}: its dates have months beyond 12, so that they are taken as year, day, month"
            noticed.append(Finding("dates swapped", words))
        words = f"{source.path.name}: its times are dates without a time zone, taken as UTC"
        noticed.append(Finding("time zone", words))
    present = {name: made for name, (cell, made) in _EXPRESSIONS.items() if cell in cells}
    return Delimited(
        source,
        FORMAT,
        cells,
        {"start_ns": start, **present},
        tuple(name for name in ("timeStamp", "elapsed", "success") if name in cells),
        resolution_ns=_MS,
        header=header,
        fractions=_SECONDS,
        separator=separator,
        noticed=tuple(noticed),
        begins=_beginning(list(names), dates=cells.get("timeStamp") == pl.String),
        check=partial(_too_large, [(name, list(names).index(name)) for name in MOST_MS if cells[name] == pl.Int64]),
        broken=pl.any_horizontal(
            pl.col(name).is_between(-most, most).not_() for name, most in MOST_MS.items() if cells[name] == pl.Int64
        ),
    )


def _too_large(places: Sequence[tuple[str, int]], row: list[str]) -> str | None:
    """Name of the time in a row that is none, if one is."""
    for name, place in places:
        if not -MOST_MS[name] <= int(row[place]) <= MOST_MS[name]:
            return f"{name} is beyond {MOST_MS[name]:,} ms, so that it is no time in milliseconds: {row[place]!r}"
    return None


def transactions(source: Source) -> Finding:
    """Finding about a file that holds transactions beside their requests."""
    words = f"{source.path.name}: holds transactions beside the requests that they are made of, so that both count"
    return Finding("transactions", f"{words}; cut by label to look at one kind")


def _first(source: Source) -> tuple[str, list[str]]:
    """The separator, and the cells of the first line."""
    line = source.head[0]
    separator = max(_SEPARATORS, key=line.count)
    try:
        return separator, next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return separator, []


def _headless(first: list[str]) -> list[str] | None:
    """The names of the columns of a first line that is a sample in the default order."""
    order = _ORDERS.get(len(first))
    if order is None or not first[0].isdigit() or not first[1].isdigit():
        return None
    names = order.split(",")
    return names if first[names.index("success")].lower() in {"true", "false"} else None


def _beginning(names: Sequence[str], *, dates: bool) -> bytes | None:
    """Form of the beginning of a row, as far as its first cells have one; None if any text may stand there."""
    if names[0] == "timeStamp":
        return _DAY if dates else _MILLISECONDS + (_NUMBER if names[1:2] == ["elapsed"] else b"")
    return _NUMBER if names[0] == "elapsed" else None


def _first_stamp(source: Source, names: Sequence[str], separator: str, header: str | None) -> str | None:
    lines = source.head[int(header is not None) :]
    row = next(csv.reader(lines[:1], delimiter=separator), [])
    place = list(names).index("timeStamp")
    return row[place] if place < len(row) else None


def _months_beyond(source: Source, separator: str, place: int) -> bool:
    """Whether a date at the beginning of the file has a month beyond 12, which is then a day."""
    rows = (row for row in csv.reader(source.head, delimiter=separator) if len(row) > place)
    return any(_DATE.fullmatch(row[place]) and int(row[place][5:7]) > _MONTHS for row in rows)


def _parsed_date(text: pl.Expr, example: str, *, fractional: bool, swapped: bool) -> pl.Expr:
    month, day = ("%d", "%m") if swapped else ("%m", "%d")
    date = f"%Y{example[4]}{month}{example[7]}{day}{example[10]}%H:%M:%S"
    stamp = text.str.replace(",", ".", literal=True).str.to_datetime(
        date + ("%.f" if fractional else ""), time_unit="ns", strict=False
    )
    return stamp.cast(pl.Int64)
