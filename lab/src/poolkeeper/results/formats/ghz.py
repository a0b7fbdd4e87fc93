"""Calls in a report of ghz as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.held import Held

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

FORMAT = "ghz (JSON)"
_KEYS = ("endReason", "statusCodeDistribution")


def recognise(source: Source) -> bool:
    """Whether the file begins as a report of ghz does."""
    text = source.start.decode(source.encoding, errors="replace").lstrip("\ufeff \t\r\n")
    return text.startswith("{") and all(f'"{key}"' in text for key in _KEYS)


def read(source: Source) -> Held:
    """Take each call out of `details`. ghz stamps them when they end; `start_ns` is worked out from that."""
    findings = Findings()
    try:
        document: dict[str, Any] = json.loads(source.text(findings))
        calls = pl.DataFrame(
            [(hit["timestamp"], hit["latency"], hit["status"], hit.get("error", "")) for hit in document["details"]],
            schema={"end": pl.String, "response_ns": pl.Int64, "code": pl.String, "message": pl.String},
            orient="row",
        )
        count = int(document["count"])
    except json.JSONDecodeError as error:
        raise FileError(source.path, f"is not JSON: {error.msg}", error.lineno) from None
    except (KeyError, TypeError, ValueError, AttributeError, pl.exceptions.PolarsError) as error:
        raise FileError(source.path, f"is no report of ghz: {type(error).__name__} {error}") from None
    if not calls.height:
        raise FileError(source.path, "holds no calls: its details are empty")
    if count != calls.height:
        findings.add("count", f"{source.path.name}: states {count:,} calls, but lists {calls.height:,}")
    end = pl.col("end").str.to_datetime(time_unit="ns", time_zone="UTC", strict=False).cast(pl.Int64)
    frame = calls.select(
        start_ns=end - pl.col("response_ns"),
        response_ns="response_ns",
        ok=pl.col("code") == "OK",
        code="code",
        message="message",
    )
    return Held(source, FORMAT, frame.sort("start_ns", maintain_order=True), noticed=findings.all())
