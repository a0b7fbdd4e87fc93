"""JMeter's results: JTL as XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from poolkeeper.results.formats.delimited import Delimited
from poolkeeper.results.formats.jtl import TRANSACTION, transactions
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

FORMAT = "JMeter JTL (XML)"
_MS = NANOSECONDS["ms"]
_LINE = pl.col("line")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#xa;": "\n", "&#xd;": "\r", "&#x9;": "\t"}
_SAMPLE = r"^<(?:httpSample|sample) "
_WRONG = re.compile(r'(?=.*\st="-?\d+")(?=.*\sts="\d+")(?=.*\ss="(true|false)").*')


def recognise(source: Source) -> bool:
    """Whether a file begins as XML with test results, or is XML at all, whose message then says what is missing."""
    return any("<testResults" in line for line in source.head[:3])


def read(source: Source) -> Delimited:
    """Lay the samples out, one a line, as JMeter writes them.

    Samples within samples (the requests of a transaction, embedded resources) are part of the one around them, which
    stands alone in the margin. The times are those of the CSV: `ts`, `t` for `elapsed`, `lt` for `Latency`.
    """
    sample = _LINE.str.contains(_SAMPLE).fill_null(value=False)
    outermost = [line for line in source.head if re.match(_SAMPLE, line) and line.endswith(">")]
    whole = [TRANSACTION in line for line in outermost]
    mixed = any(whole) and not all(whole)
    number = {name: _attribute(name, r"-?\d+").cast(pl.Int64, strict=False) for name in ("ts", "t", "lt", "it", "ct")}
    counts = {name: _attribute(name, r"\d+").cast(pl.Int64, strict=False) for name in ("by", "sby", "na", "ng")}
    expressions = {
        "start_ns": number["ts"] * _MS,
        "response_ns": number["t"] * _MS,
        "label": _text("lb"),
        "ok": _attribute("s", "true|false") == "true",
        "code": _text("rc"),
        "message": _text("rm"),
        "thread": _text("tn"),
        "group": _text("tn").str.replace(r" \d+-\d+$", ""),
        "bytes": counts["by"],
        "sent_bytes": counts["sby"],
        "users": counts["na"],
        "group_users": counts["ng"],
        "first_byte_ns": number["lt"] * _MS,
        "idle_ns": number["it"] * _MS,
        "connect_ns": number["ct"] * _MS,
    }
    return Delimited(
        source,
        FORMAT,
        {"line": pl.String},
        expressions,
        (),
        _MS,
        separator="\x01",
        quote=None,
        keep=sample,
        check=_reason,
        broken=sample & (number["t"].is_null() | number["ts"].is_null() | _attribute("s", "true|false").is_null()),
        last="</testResults>",
        noticed=(transactions(source),) if mixed else (),
    )


def _attribute(name: str, pattern: str) -> pl.Expr:
    return _LINE.str.extract(rf'\s{name}="({pattern})"')


def _text(name: str) -> pl.Expr:
    text = _attribute(name, '[^"]*').fill_null("")
    return text.str.replace_many(_ENTITIES).str.replace_all("&amp;", "&", literal=True)


def _reason(row: list[str]) -> str | None:
    line = row[0]
    if not re.match(_SAMPLE, line):
        return None
    return None if _WRONG.match(line) else "a sample without its time (t), start (ts) or success (s)"
