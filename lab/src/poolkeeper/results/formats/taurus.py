"""The final statistics that Taurus writes as CSV (dump-csv) or XML (dump-xml)."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.header import has_columns
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.formats.summaries import csv_count, csv_number, csv_rows, failing
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from poolkeeper.results.source import Source

FORMAT = "Taurus (final statistics)"
_REFUSED = "Taurus writes percentiles only; the requests are in kpi.jtl of its folder of artifacts"
_COLUMNS = ("label", "avg_rt", "fail", "succ", "throughput")
_PERCENTILE = re.compile(r"perc_(\d+(?:\.\d+)?)")
_CODE = "rc_"
_ENDS = (0.0, 100.0)


def recognise(source: Source) -> bool:
    """Whether the header has Taurus' columns, or the root element is that of its statistics."""
    return has_columns(source, *_COLUMNS) or _is_xml(source)


def read(source: Source) -> Held:
    """Take the statistics of each label, and those of all under an empty one; times there are seconds."""
    noticed = Findings()
    rows = _groups(source, noticed) if _is_xml(source) else csv_rows(source, noticed)
    summaries = [_summary(source, line, row) for line, row in rows]
    if not summaries:
        raise FileError(source.path, "holds no requests")
    return summary(source, FORMAT, summaries, _REFUSED, noticed=noticed.all())


def _is_xml(source: Source) -> bool:
    return any(line.lstrip().startswith("<FinalStatus") for line in source.head[:2])


def _groups(source: Source, noticed: Findings) -> Iterator[tuple[int, dict[str, str]]]:
    """The figures of each label under the names that they have in the CSV."""
    try:
        root = ET.fromstring(source.text(noticed))  # noqa: S314 - expat limits the growth of entities
    except ET.ParseError as error:
        raise FileError(source.path, f"is not XML: {error.msg}", error.position[0]) from None
    for group in root.iter("Group"):
        row = {"label": group.get("label", "")}
        for figure in group:
            level = figure.get("param")
            row[figure.tag if level is None else f"{figure.tag}_{level}"] = figure.get("value", "")
        yield 1, row


def _summary(source: Source, line: int, row: Mapping[str, str]) -> ToolSummary:
    def number(name: str) -> float:
        return csv_number(source, line, name, row.get(name, ""))

    succeeded, failed = (csv_count(source, line, name, row.get(name, "")) for name in ("succ", "fail"))
    times = {float(found[1]): number(name) * NS for name in row if (found := _PERCENTILE.fullmatch(name))}
    # The cell of a label that has none of a code may be empty.
    codes = [
        (name.removeprefix(_CODE), csv_count(source, line, name, text))
        for name, text in row.items()
        if name.startswith(_CODE) and text
    ]
    return ToolSummary(
        row["label"],
        succeeded + failed,
        failed,
        tuple((percent / 100, time) for percent, time in sorted(times.items()) if percent not in _ENDS),
        mean_ns=number("avg_rt") * NS,
        std_ns=number("stdev_rt") * NS,
        minimum_ns=times.get(0.0, math.nan),
        maximum_ns=times.get(100.0, math.nan),
        kinds=failing([pair for pair in codes if pair[0].isdigit()], [pair for pair in codes if not pair[0].isdigit()]),
    )
