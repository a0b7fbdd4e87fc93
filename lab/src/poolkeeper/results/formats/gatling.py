"""Gatling's simulation.log: as text, which it was before version 3.13, or in binary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.findings import Findings
from poolkeeper.results.formats import gatling_binary
from poolkeeper.results.formats.delimited import Delimited
from poolkeeper.results.formats.gatling_binary import NEVER
from poolkeeper.results.formats.users import UserCourse
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkeeper.results.formats.gatling_binary import BinaryLog
    from poolkeeper.results.source import Source

FORMAT = "Gatling simulation.log"
_MS = NANOSECONDS["ms"]
_KIND_PLACES = (0, 2)
_KINDS = ("RUN", "USER", "REQUEST", "GROUP", "ERROR", "ASSERTION")
_STATUS = ("OK", "KO")
_STAMP = re.compile(r"\d{12,14}")
_TIME = re.compile(rf"\d{{1,13}}|{NEVER}")
_LATEST_MS = 10**13 - 1
"""Milliseconds of the latest date that 13 digits keep."""
_USER = "USER"
_BEGUN = b"START"
_USER_TIME = rb"\t(START|END)\t(?:\d{1,14}\t)?(\d{12,14})[ \t]*\r?$"
"""End of a line of a user: the last of its times is that at which it began or ended."""


def recognise(source: Source) -> bool:
    """Whether a file begins with a record of a simulation, as text or as newer versions write it."""
    return bool(source.head) and (gatling_binary.recognise(source) or _kind_of(source) is not None)


def read(source: Source) -> Delimited | BinaryLog:
    """Lay the requests out; those of a group have it as their `group`, and the group's own times are left out."""
    if gatling_binary.recognise(source):
        return gatling_binary.read(source)
    # Versions differ in how many cells come before the name; all end with start, end, status and message. Up to 2.1 the
    # kind comes third, and there are two times more: the end of sending and the beginning of the response.
    kind = _kind_of(source) or 0
    example = next(_requests(source, kind), None)
    status = max(place for place, cell in enumerate(example) if cell in _STATUS) if example else 5
    names = [f"cell {place}" for place in range(max(status + 2, 7))]
    cells: dict[str, Any] = dict.fromkeys(names, pl.String)
    times = 4 if example and all(map(_STAMP.fullmatch, example[max(status - 4, 0) : status])) else 2
    start, end = (pl.col(names[status - back]).cast(pl.Int64, strict=False) for back in (times, 1))

    is_dated = start.is_between(0, _LATEST_MS) & ((end == NEVER) | end.is_between(0, _LATEST_MS))
    is_dated = is_dated.fill_null(value=False)
    request, user = ((pl.col(names[kind]) == name).fill_null(value=False) for name in ("REQUEST", _USER))
    timed = pl.any_horizontal([pl.col(name).str.contains(rf"^{_STAMP.pattern}\s*$") for name in names])

    users = _users(source, kind)

    def text(place: int) -> pl.Expr:
        return pl.col(names[place]).fill_null("").str.strip_chars()

    return Delimited(
        source,
        FORMAT,
        cells,
        {
            "start_ns": start * _MS,
            "response_ns": pl.when(end != NEVER).then(end - start) * _MS,
            "label": text(status - times - 1),
            "ok": text(status) == "OK",
            "message": text(status + 1),
            "group": text(status - times - 2),
            **({} if users is None else {"users": users.at(pl.when(end != NEVER).then(end).otherwise(start) * _MS)}),
        },
        (names[0],),
        resolution_ns=_MS,
        separator="\t",
        quote=None,
        keep=request,
        begins=(rb"[^\t\n]*\t" * kind) + rb"(RUN|USER|REQUEST|GROUP|ERROR|ASSERTION)\t",
        check=lambda row: _reason(row, kind, status, times),
        broken=~pl.col(names[kind]).is_in(_KINDS).fill_null(value=False)
        | (user & timed.fill_null(value=False).not_())
        | (request & (is_dated.not_() | ~pl.col(names[status]).is_in(_STATUS).fill_null(value=False))),
    )


def _kind_of(source: Source) -> int | None:
    """Place of the kind of a record in the first line; None where that begins no simulation."""
    cells = source.head[0].split("\t")
    return next((place for place in _KIND_PLACES if cells[place : place + 1] in (["RUN"], ["ASSERTION"])), None)


def _requests(source: Source, kind: int) -> Iterator[list[str]]:
    """The cells of requests from the beginning on; before the first one there may be megabytes of users."""
    pattern = re.compile(rb"^" + rb"[^\t\n]*\t" * kind + rb"REQUEST\t.*", re.MULTILINE)
    for block in source.blocks(Findings(), quotes=False):
        for line in pattern.finditer(block):
            row = line[0].decode(errors="replace").rstrip("\r").split("\t")
            if set(row) & set(_STATUS):
                yield row


def _users(source: Source, kind: int) -> UserCourse | None:
    """The users over time; None where their number is a result."""
    pattern = re.compile(rb"^" + rb"[^\t\n]*\t" * kind + rb"USER\b[^\n]*" + _USER_TIME, re.MULTILINE)
    times: dict[bytes, list[int]] = {_BEGUN: [], b"END": []}
    for block in source.blocks(Findings(), quotes=False):
        for match in pattern.finditer(block):
            times[match[1]].append(int(match[2]))
    return UserCourse.of(*times.values())


def _reason(row: list[str], kind: int, status: int, times: int) -> str | None:
    if len(row) <= kind or row[kind] not in _KINDS:
        return f"{row[min(kind, len(row) - 1)][:40]!r} is not a record of a simulation ({', '.join(_KINDS)})"
    if row[kind] == "REQUEST":
        if len(row) <= status or row[status] not in _STATUS:
            return "a request without OK or KO"
        if not all(_TIME.fullmatch(row[status - back]) for back in (1, times)):
            return "a request whose start and end are not whole numbers of milliseconds"
    if row[kind] == _USER and not any(_STAMP.fullmatch(cell.strip()) for cell in row):
        return "a user without a time at which it started or ended"
    return None
