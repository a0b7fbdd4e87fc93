"""JMeter's results whose rows stand for several samples, as mode=Statistical sends them from remote engines.

Such a row holds the sum of the response times of its samples, their number and that of the failures among them: counts,
rates and means can be had of it, percentiles cannot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NS

if TYPE_CHECKING:
    from poolkeeper.results.part import Part

SAMPLES, ERRORS = "SampleCount", "ErrorCount"
COLUMNS = ("start_ns", "response_ns", "label", "samples", "failures")
"""Columns of a part that is summed up; `response_ns` is a sum of response times."""
_REFUSED = "rows stand for several samples and hold the sum of their response times, so that percentiles cannot be had"
_ENOUGH = 20
"""Rows from which the time between the first and the last one is nearly that of all samples."""


def fault(samples: str, errors: str) -> str | None:
    """Fault of the counts of a row, whose cells may be empty; None if there is none."""
    counts = int(samples or 1), int(errors or 0)
    if counts[0] >= 1 and 0 <= counts[1] <= counts[0]:
        return None
    return f"{SAMPLES} is {counts[0]} and {ERRORS} {counts[1]}, but a row has one sample at least and no more errors"


def has_sums(part: Part) -> bool:
    """Whether a row of a part with the column `samples` stands for several of them."""
    return any((batch["samples"].max() or 0) > 1 for batch in part.batches(["samples"], Findings()))  # type: ignore[operator]


@dataclass(slots=True)
class _Sums:
    """Sums over the rows of a label."""

    samples: int = 0
    failures: int = 0
    spent_ns: int = 0
    rows: int = 0
    first_ns: float = math.inf
    last_ns: float = -math.inf

    def add(self, row: dict[str, int]) -> None:
        self.samples += row["samples"]
        self.failures += row["failures"]
        self.spent_ns += row["spent"]
        self.rows += row["rows"]
        self.first_ns, self.last_ns = min(self.first_ns, row["first"]), max(self.last_ns, row["last"])

    def summary(self, label: str) -> ToolSummary:
        seconds = (self.last_ns - self.first_ns) / NS
        rate = self.samples / seconds if seconds > 0 and self.rows >= _ENOUGH else math.nan
        return ToolSummary(label, self.samples, self.failures, mean_ns=self.spent_ns / self.samples, throughput=rate)


def summed(part: Part) -> Held:
    """The counts, rates and mean response times of all, and of each label; raises FileError for a wrong row."""
    findings = Findings()
    labels: dict[str, _Sums] = {}
    whole = _Sums()
    columns = [name for name in COLUMNS if name in part.columns]
    for batch in part.batches(columns, findings):
        named = batch if "label" in columns else batch.with_columns(label=pl.lit(""))
        grouped = named.group_by("label").agg(
            pl.col("samples", "failures").sum(),
            spent=pl.col("response_ns").sum(),
            rows=pl.len(),
            first=pl.col("start_ns").min(),
            last=pl.col("start_ns").max(),
        )
        for row in grouped.iter_rows(named=True):
            labels.setdefault(row["label"], _Sums()).add(row)
            whole.add(row)
    findings.add("sums", f"{part.source.path.name}: {_REFUSED}; let JMeter write each sample (mode=Standard)")
    several = [sums.summary(label) for label, sums in sorted(labels.items())] if len(labels) > 1 else []
    name = f"{part.format}, sums of samples"
    return summary(part.source, name, [whole.summary(""), *several], _REFUSED, noticed=findings.all())
