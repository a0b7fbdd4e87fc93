"""Summaries as CSV: Locust's statistics and Hyperfoil's."""

from __future__ import annotations

import csv
import math
import re
from typing import TYPE_CHECKING

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_LOCUST = "Locust rounds response times to two significant digits, and writes percentiles only"
_HYPERFOIL = "Hyperfoil writes percentiles only: the largest response times themselves are gone"


class Locust:
    """Locust's `--csv`: the statistics, or their history."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the header is that of the statistics or of their history."""
        return bool(source.head) and source.head[0].startswith(
            ("Type,Name,Request Count,", '"Type","Name","Request Count"', "Timestamp,User Count,Type,Name,")
        )

    @staticmethod
    def read(source: Source) -> Held:
        """Take the statistics of each name, and those of all ("Aggregated") under an empty label.

        Of the history, the aggregated lines are kept, each with its time and its users: requests per second and
        percentiles are those of the last seconds before.
        """
        noticed = Findings()
        rows = list(_rows(source, noticed))
        history = "Timestamp" in (rows[0][1] if rows else {})
        summaries = [
            _locust(source, line, row, history=history)
            for line, row in rows
            if not history or row["Name"] == "Aggregated"
        ]
        if not summaries:
            raise FileError(source.path, "holds no requests, only a header")
        noticed.add("rounded", f"{source.path.name}: {_LOCUST}")
        return summary(source, "Locust (CSV)", summaries, _LOCUST, noticed=noticed.all())


class Hyperfoil:
    """Hyperfoil's report as CSV: total.csv and the *.series.csv beside it."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the header has the columns of a Hyperfoil summary."""
        return bool(source.head) and "Requests,Responses,Mean,StdDev,Min,p" in source.head[0]

    @staticmethod
    def read(source: Source) -> Held:
        """Take the statistics of each phase and metric, as the label "phase/metric"; times there are nanoseconds."""
        noticed = Findings()
        summaries = [_hyperfoil(source, line, row) for line, row in _rows(source, noticed)]
        if not summaries:
            raise FileError(source.path, "holds no requests, only a header")
        return summary(source, "Hyperfoil (CSV)", summaries, _HYPERFOIL, noticed=noticed.all())


def _rows(source: Source, noticed: Findings) -> Iterator[tuple[int, dict[str, str]]]:
    """The line and the cells by name of each row; a last one that was cut off is left out."""
    text = source.text(noticed)
    reader = csv.reader(text.splitlines(keepends=True))
    names: list[str] = []
    for row in reader:
        if not names:
            names = row
        elif len(row) == len(names):
            yield reader.line_num, dict(zip(names, row, strict=True))
        elif row and reader.line_num >= text.count("\n") and not text.endswith("\n"):
            noticed.add("cut off", f"{source.path.name}: the last line is cut off and was left out")
        elif row:
            raise FileError(source.path, f"has {len(row)} cells, the header has {len(names)}", reader.line_num)


def _locust(source: Source, line: int, row: dict[str, str], *, history: bool) -> ToolSummary:
    def number(name: str) -> float:
        return _number(source, line, name, row.get(name, ""))

    total = "Total " if history else ""
    percentiles = tuple(
        (float(name[:-1]) / 100, number(name) * _MS)
        for name in row
        if re.fullmatch(r"[\d.]+%", name) and row[name] != "N/A"
    )
    return ToolSummary(
        "" if row["Name"] == "Aggregated" else row["Name"],
        int(number(f"{total}Request Count")),
        int(number(f"{total}Failure Count")),
        percentiles,
        mean_ns=number(f"{total}Average Response Time") * _MS,
        minimum_ns=number(f"{total}Min Response Time") * _MS,
        maximum_ns=number(f"{total}Max Response Time") * _MS,
        throughput=number("Requests/s"),
        users=number("User Count") if history else math.nan,
        at_ns=int(number("Timestamp")) * NS if history else None,
    )


def _hyperfoil(source: Source, line: int, row: dict[str, str]) -> ToolSummary:
    def number(name: str) -> float:
        return _number(source, line, name, row[name])

    errors = ("ConnectionErrors", "RequestTimeouts", "InternalErrors", "Invalid")
    percentiles = tuple((float(name[1:]) / 100, number(name)) for name in row if re.fullmatch(r"p[\d.]+", name))
    length = (number("End") - number("Start")) / 1000 if "Start" in row and "End" in row else 0.0
    return ToolSummary(
        "/".join(row[name] for name in ("Phase", "Metric", "Name") if name in row),
        int(number("Responses")),
        sum(int(number(name)) for name in errors if name in row),
        percentiles,
        mean_ns=number("Mean"),
        std_ns=number("StdDev"),
        minimum_ns=number("Min"),
        maximum_ns=number("Max"),
        throughput=number("Responses") / length if length > 0 else math.nan,
        at_ns=int(number("Start")) * _MS if "Start" in row and "Phase" not in row else None,
    )


def _number(source: Source, line: int, name: str, text: str) -> float:
    if text in {"N/A", ""}:
        return math.nan
    try:
        return float(text)
    except ValueError:
        raise FileError(source.path, f"{name} is not a number: {text!r}", line) from None
