"""Dates in JMeter's CSV."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.results.source import Source

DATE = re.compile(
    r"(?:\d{4}[/-]\d\d[/-]\d\d|\d\d\.\d\d\.\d{4})[ T]\d\d:\d\d:\d\d(?P<fraction>[.,]\d+)?(?P<zone>Z|[+-]\d\d:?\d\d)?"
)
"""Dates that are read."""
_DOTTED = re.compile(r"\d\d\.")
"""Beginning of a date that has its day first."""
_YEAR_FIRST = ("year, month, day", "%Y/%m/%d"), ("year, day, month", "%Y/%d/%m")
_DAY_FIRST = ("day.month.year", "%d.%m.%Y"), ("month.day.year", "%m.%d.%Y")
"""The order of a date, and the one that it is taken for by mistake."""
_TIME_OF_DAY = re.compile(r"\d:\d\d")
_DATES = (
    "let JMeter write milliseconds (jmeter.save.saveservice.timestamp_format=ms), or change them to dates such as"
    " 2026/12/31 23:59:59.999, 2026-12-31T23:59:59.999Z or 31.12.2026 23:59:59.999"
)
_MONTHS = 12
_MONTH_BEYOND = rb'"?\d{4}[/-](?:1[3-9]|[2-9]\d)[/-]\d\d[ T]'


@dataclass(frozen=True)
class Dates:
    """Way to read the dates of a file."""

    start: pl.Expr
    """Nanoseconds since 1970."""
    broken: pl.Expr
    """Whether a cell is no such date."""
    check: Callable[[list[str]], str | None]
    """Fault of the date in a row."""
    noticed: tuple[Finding, ...]


def dated(source: Source, place: int, separator: str, stamp: str, *, skip: int) -> Dates | None:
    """Read dates in the format of the first one in the column at `place`; None if that is no date.

    Raises FileError for dates in an order that is not read, such as those that begin with the month.
    """
    found = DATE.fullmatch(stamp)
    if found is None:
        if _TIME_OF_DAY.search(stamp):
            words = f"timeStamp is a date in an order that is not read: {stamp!r}; {_DATES}"
            raise FileError(source.path, words, 1 + source.lead + skip)
        return None
    dotted = _DOTTED.match(stamp) is not None
    swapped = not dotted and _months_beyond(source, separator, place)
    orders = _DAY_FIRST if dotted else _YEAR_FIRST[::-1] if swapped else _YEAR_FIRST
    text, zoned = pl.col("timeStamp"), found["zone"] is not None
    start = _parsed_date(text, stamp, orders[0][1], found)
    noticed = []
    if swapped:
        words = f"{source.path.name}: its dates have months beyond 12, so that they are taken as year, day, month"
        noticed.append(Finding("dates swapped", words))
    if not zoned:
        words = f"{source.path.name}: its times are dates without a time zone, taken as UTC"
        noticed.append(Finding("time zone", words))
    broken = start.is_null() & text.is_not_null()
    return Dates(start, broken, partial(_no_date, place, orders, zoned), tuple(noticed))


def _no_date(place: int, orders: tuple[tuple[str, str], ...], zoned: bool, row: list[str]) -> str | None:  # noqa: FBT001 - bound by partial
    """Fault of a date that is not in the order of the others."""
    (order, form), (other, other_form) = orders
    date = re.split("[ T]", row[place].replace("-", "/"), maxsplit=1)[0]
    if _is_date(date, form):
        found = DATE.fullmatch(row[place])
        if found is None:
            return f"timeStamp is not a date with a time: {row[place]!r}"
        if zoned != (found["zone"] is not None):
            return f"timeStamp has {'no' if zoned else 'a'} time zone, unlike those before: {row[place]!r}"
        return None
    fits = f"but it is one as {other}" if _is_date(date, other_form) else f"nor as {other}"
    return f"timeStamp is not a date as {order}, the order in which this file is read, {fits}: {row[place]!r}"


def _is_date(text: str, form: str) -> bool:
    try:
        datetime.strptime(text, form)  # noqa: DTZ007 - a day needs no zone
    except ValueError:
        return False
    return True


def _months_beyond(source: Source, separator: str, place: int) -> bool:
    """Whether a date has a month beyond 12, which is then a day.

    The beginning of the file decides; where no date in it has a number beyond 12, all rows do, if the date comes first.
    """
    rows = (row for row in csv.reader(source.head, delimiter=separator) if len(row) > place)
    dates = [row[place] for row in rows if DATE.fullmatch(row[place])]
    if any(int(date[8:10]) > _MONTHS for date in dates):
        return False
    return any(int(date[5:7]) > _MONTHS for date in dates) or (place == 0 and source.matches(_MONTH_BEYOND) > 0)


def _parsed_date(text: pl.Expr, example: str, order: str, found: re.Match[str]) -> pl.Expr:
    """Nanoseconds since 1970 of dates in the order and with the separators of the example."""
    date = order if "." in order else order.replace("/", example[4], 1).replace("/", example[7], 1)
    form = f"{date}{example[10]}%H:%M:%S{'%.f' if found['fraction'] else ''}{'%z' if found['zone'] else ''}"
    plain = text.str.replace(",", ".", literal=True)
    if found["zone"]:
        plain = plain.str.replace("Z$", "+0000").str.replace(r"([+-]\d\d):(\d\d)$", "$1$2")
    return plain.str.to_datetime(form, time_unit="ns", strict=False).cast(pl.Int64)
