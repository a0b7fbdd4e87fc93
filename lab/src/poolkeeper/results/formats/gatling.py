"""Gatling's simulation.log as text, which it was before version 3.13."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.delimited import Delimited
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkeeper.results.source import Source

FORMAT = "Gatling simulation.log"
_MS = NANOSECONDS["ms"]
_KINDS = ("RUN", "USER", "REQUEST", "GROUP", "ERROR", "ASSERTION")
_STATUS = ("OK", "KO")


def recognise(source: Source) -> bool:
    """Whether a file begins with a record of a simulation, as text or as newer versions write it."""
    return bool(source.head) and (_is_binary(source) or source.head[0].split("\t")[0] in {"RUN", "ASSERTION"})


def read(source: Source) -> Delimited:
    """Lay the requests out; those of a group have it as their `group`, and the group's own times are left out.

    Raises FileError for the binary log of newer versions.
    """
    if _is_binary(source):
        reason = "is the binary simulation.log of Gatling 3.13 or later, which only Gatling itself reads"
        raise FileError(source.path, f"{reason}; what can be read is the text that versions up to 3.12 write")
    # Versions differ in how many cells come before the name; all end with start, end, status and message.
    example = next(_requests(source), None)
    status = max(place for place, cell in enumerate(example) if cell in _STATUS) if example else 5
    names = [f"cell {place}" for place in range(max(status + 2, 7))]
    cells: dict[str, Any] = dict.fromkeys(names, pl.String)
    start, end = (pl.col(names[status - back]).cast(pl.Int64, strict=False) for back in (2, 1))

    request = pl.col(names[0]) == "REQUEST"

    def text(place: int) -> pl.Expr:
        return pl.col(names[place]).fill_null("").str.strip_chars()

    return Delimited(
        source,
        FORMAT,
        cells,
        {
            "start_ns": start * _MS,
            "response_ns": (end - start) * _MS,
            "label": text(status - 3),
            "ok": text(status) == "OK",
            "message": text(status + 1),
            "group": text(status - 4),
        },
        (names[0],),
        resolution_ns=_MS,
        separator="\t",
        quote=None,
        keep=request,
        begins=rb"(RUN|USER|REQUEST|GROUP|ERROR|ASSERTION)\t",
        check=lambda row: _reason(row, status),
        broken=~pl.col(names[0]).is_in(_KINDS)
        | (request & (start.is_null() | end.is_null() | ~pl.col(names[status]).is_in(_STATUS).fill_null(value=False))),
    )


def _requests(source: Source) -> Iterator[list[str]]:
    """The cells of requests from the beginning on; before the first one there may be megabytes of users."""
    for block in source.blocks(Findings(), quotes=False):
        for line in re.finditer(rb"^REQUEST\t.*", block, re.MULTILINE):
            row = line[0].decode(errors="replace").rstrip("\r").split("\t")
            if set(row) & set(_STATUS):
                yield row


def _is_binary(source: Source) -> bool:
    """A zero for the record of the run, then the length of the version and the version itself."""
    length = int.from_bytes(source.start[1:5], "big")
    return source.start[:1] == b"\0" and 0 < length < 30 and source.start[5:6].isdigit()  # noqa: PLR2004 - 3.13.5


def _reason(row: list[str], status: int) -> str | None:
    if row[0] not in _KINDS:
        return f"{row[0][:40]!r} is not a record of a simulation ({', '.join(_KINDS)})"
    if row[0] == "REQUEST":
        if len(row) <= status or row[status] not in _STATUS:
            return "a request without OK or KO"
        if not (row[status - 1].isdigit() and row[status - 2].isdigit()):
            return "a request whose start and end are not whole numbers"
    return None
