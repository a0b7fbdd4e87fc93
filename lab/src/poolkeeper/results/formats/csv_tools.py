"""The CSV of small load generators: vegeta (also as JSON), oha, hey, ab."""

from __future__ import annotations

import csv
import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.findings import Finding
from poolkeeper.results.formats.delimited import WHOLE_LINE, Delimited, scaled
from poolkeeper.results.formats.header import first_row, has_columns
from poolkeeper.results.formats.request_logs import answered_only
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_VEGETA = ("timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body", "name", "seq")
_VEGETA_LATER = (*_VEGETA, "method", "url", "headers")
_AB = ("starttime", "seconds", "ctime", "dtime", "ttime", "wait")
_AB_DATE = r"^\w+ \w+ +\d+ \d\d:\d\d:\d\d \d{4}$"
_SORTED = (
    "ab sorts its requests by response time, writes when they began in whole seconds, and does not write which failed:"
    " rates, failures and figures over time are those that ab prints"
)
_NUMBER = rb'"?\d+(\.\d*)?(e-?\d+)?"?[,\t;|]'
_STATUS = (100, 999)
"""Least and most status of HTTP: one of fewer digits was cut."""
_GOOD = pl.col("code").is_between(200, 399)


class Vegeta:
    """`vegeta encode --to csv` and `--to json`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the first line has nanoseconds since 1970, status and response time in their places, or is JSON."""
        if not source.head:
            return False
        if _is_vegeta_json(source.head[0]):
            return True
        if re.match(r'"?\d{19}"?,', source.head[0]) is None:  # 1.7e18
            return False
        row = _first_row(source)
        return len(row) >= len(_VEGETA) and all(cell.isdigit() for cell in row[:5])

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay out the hits; `ok` is vegeta's success: a status from 200 to 399 and no error."""
        if _is_vegeta_json(source.head[0]):
            return _read_vegeta_json(source)
        width = len(_first_row(source))
        names = (*_VEGETA_LATER, *(f"cell {place}" for place in range(len(_VEGETA_LATER), width)))[:width]
        cells: dict[str, Any] = dict.fromkeys(names, pl.String)
        cells |= dict.fromkeys(("timestamp", "code", "latency", "bytes_out", "bytes_in"), pl.Int64)
        label = pl.col("name").fill_null("")
        if width >= len(_VEGETA_LATER):
            label = pl.format("{} {}", pl.col("method").fill_null(""), pl.col("url").fill_null(""))
        return Delimited(
            source,
            "vegeta (CSV)",
            cells,
            {
                "start_ns": pl.col("timestamp"),
                "response_ns": pl.col("latency"),
                "label": label,
                "ok": _GOOD & (pl.col("error").fill_null("") == ""),
                "code": pl.col("code").cast(pl.String),
                "message": pl.col("error").fill_null(""),
                "group": pl.col("name").fill_null(""),
                "bytes": pl.col("bytes_in"),
                "sent_bytes": pl.col("bytes_out"),
            },
            ("timestamp", "code", "latency"),
            begins=rb"\d{19},\d+,",
            even=True,
        )


class Oha:
    """`oha --output-format csv`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the header is oha's."""
        return has_columns(source, "request-start", "DNS", "request-duration", "status")

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out; times are seconds since the run's start; oha writes answered requests only."""
        separator, names = first_row(source)
        cells: dict[str, Any] = dict.fromkeys(names, pl.Float64) | {"bytes": pl.Int64, "status": pl.Int64}
        return Delimited(
            source,
            "oha (CSV)",
            cells,
            {
                "start_ns": _from_seconds("request-start"),
                "response_ns": _from_seconds("request-duration"),
                "ok": pl.col("status").is_between(200, 399),
                "code": pl.col("status").cast(pl.String),
                "bytes": pl.col("bytes"),
            },
            ("request-start", "request-duration", "status"),
            begins=_NUMBER,
            even=True,
            header=source.head[0],
            separator=separator,
            clock="run",
            check=partial(_oha_reason, names.index("status")),
            broken=pl.col("status").is_between(*_STATUS).not_(),
            noticed=(answered_only(source, "oha"),),
        )


def _oha_reason(place: int, row: list[str]) -> str | None:
    least, most = _STATUS
    return None if least <= int(row[place]) <= most else f"status is none of HTTP: {row[place]!r}"


class Hey:
    """`hey -o csv`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the header is hey's."""
        return has_columns(source, "response-time", "DNS+dialup")

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out; times are seconds since the run's start in steps of 0.1 ms."""
        separator, names = first_row(source)
        cells: dict[str, Any] = dict.fromkeys(names, pl.Float64)
        cells |= {"status-code": pl.Int64} if "status-code" in names else {}
        expressions = {
            "start_ns": _from_seconds("offset"),
            "response_ns": _from_seconds("response-time"),
        }
        needed: tuple[str, ...] = ("response-time",)
        if "status-code" in names:  # versions from 0.1.0 on
            expressions["ok"] = pl.col("status-code").is_between(200, 399)
            expressions["code"] = pl.col("status-code").cast(pl.String)
            needed += ("status-code",)
        if "offset" not in names:  # versions before 0.1.2
            del expressions["start_ns"]
        return Delimited(
            source,
            "hey (CSV)",
            cells,
            expressions,
            needed,
            resolution_ns=NS // 10_000,
            begins=_NUMBER,
            even=True,
            header=source.head[0],
            separator=separator,
            clock="run" if "offset" in names else "none",
            noticed=(answered_only(source, "hey"),),
        )


class ApacheBenchRequests:
    """`ab -g`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the header is that of ab's file for gnuplot."""
        return bool(source.head) and source.head[0].split("\t") == list(_AB)

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out, without their times: these are whole seconds, and rows ascend by response time."""
        cells: dict[str, Any] = dict.fromkeys(_AB, pl.Int64) | {"starttime": pl.String}
        return Delimited(
            source,
            "ab (requests)",
            cells,
            {
                "response_ns": scaled(pl.col("ttime"), _MS),
                "connect_ns": pl.col("ctime") * _MS,
                "first_byte_ns": pl.col("wait") * _MS,
            },
            ("seconds", "ttime"),
            resolution_ns=_MS,
            header=source.head[0],
            separator="\t",
            quote=None,
            clock="none",
            begins=rb"\w{3} \w{3} ",
            even=True,
            check=_ab_reason,
            broken=~pl.col("starttime").str.contains(_AB_DATE).fill_null(value=False),
            noticed=(Finding("order", f"{source.path.name}: {_SORTED}"),),
        )


def _ab_reason(row: list[str]) -> str | None:
    return None if re.match(_AB_DATE, row[0]) else f"starttime is no date: {row[0][:60]!r}"


def _first_row(source: Source) -> list[str]:
    """The cells of the first line; a body in it may be long."""
    # Cells beyond the limit of Python's own reader are cut from the text, of which only their number matters.
    shortened = re.sub(r"[^,\"]{1000,}", "long", source.first_line)
    return next(csv.reader([shortened]), [])


def _from_seconds(name: str) -> pl.Expr:
    return (pl.col(name) * NS).round().cast(pl.Int64, strict=False)


def _is_vegeta_json(line: str) -> bool:
    return line.startswith("{") and all(re.search(rf'"{name}"\s*:', line) for name in ("latency", "attack"))


def _read_vegeta_json(source: Source) -> Delimited:
    line = pl.col("line")

    def text(name: str) -> pl.Expr:
        return line.str.json_path_match(f"$.{name}").fill_null("")

    def number(name: str) -> pl.Expr:
        return line.str.json_path_match(f"$.{name}").cast(pl.Int64, strict=False)

    start = text("timestamp").str.to_datetime(time_unit="ns", time_zone="UTC", strict=False).cast(pl.Int64)
    return Delimited(
        source,
        "vegeta (JSON)",
        {"line": pl.String},
        {
            "start_ns": start,
            "response_ns": number("latency"),
            "label": pl.format("{} {}", text("method"), text("url")),
            "ok": number("code").is_between(200, 399) & (text("error") == ""),
            "code": text("code"),
            "message": text("error"),
            "group": text("attack"),
            "bytes": number("bytes_in"),
            "sent_bytes": number("bytes_out"),
        },
        ("line",),
        begins=rb"\s*\{",
        separator=WHOLE_LINE,
        quote=None,
        check=_vegeta_reason,
        broken=start.is_null() | number("latency").is_null() | number("code").is_null(),
    )


def _vegeta_reason(row: list[str]) -> str | None:
    try:
        hit = json.loads(row[0])
    except ValueError as error:
        return f"is not JSON: {error}"
    if not isinstance(hit, dict) or not isinstance(hit.get("latency"), int) or not isinstance(hit.get("code"), int):
        return "is not a hit of vegeta: it has no code or latency"
    return None
