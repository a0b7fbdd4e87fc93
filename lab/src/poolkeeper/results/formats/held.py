"""Files small enough to be read at once: histograms, and summaries that tools wrote."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.part import Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poolkeeper.results.findings import Finding, Findings
    from poolkeeper.results.source import Source
    from poolkeeper.results.tool_summary import ToolSummary


@dataclass(frozen=True)
class Held(Part):
    """A file whose rows are in memory."""

    frame: pl.DataFrame

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns that it has, and their types."""
        return dict(self.frame.schema)

    def batches(self, columns: Sequence[str], findings: Findings) -> Iterator[pl.DataFrame]:
        """All rows."""
        for finding in self.noticed:
            findings.add(finding.kind, finding.words)
        yield self.frame.select(columns)


def _clean(stated: ToolSummary) -> ToolSummary:
    """The figures with levels in ascending order, and without times where nothing was answered.

    Some tools write 0 then, others the time until a connection was refused.
    """
    # 99.9 / 100 is not 0.999.
    levels = tuple(sorted((round(share, 12), time) for share, time in stated.percentiles))
    stated = replace(stated, percentiles=levels)
    times = (stated.mean_ns, stated.maximum_ns, *(time for _, time in stated.percentiles))
    answered = stated.count - max(stated.errors, stated.late)
    lost = not stated.count and stated.lost > 0
    if answered > 0 or not stated.counted or (any(time > 0 for time in times) and not lost):
        return stated
    return replace(stated, percentiles=(), mean_ns=math.nan, std_ns=math.nan, minimum_ns=math.nan, maximum_ns=math.nan)


def summary(
    source: Source, format_: str, summaries: Sequence[ToolSummary], refused: str, *, noticed: Sequence[Finding] = ()
) -> Held:
    """A file that holds only figures of a tool. Raises FileError for impossible counts."""
    for stated in summaries:
        if min(stated.count, stated.errors, stated.lost, stated.cut_off) < 0 or stated.errors > stated.count:
            about = f" of {stated.label}" if stated.label else ""
            words = f"says{about} that of {stated.count:,} answers {stated.errors:,} failed, and {stated.lost:,} more"
            raise FileError(source.path, f"{words} requests got none, which cannot be")
    none = pl.DataFrame(schema={"response_ns": pl.Int64})
    return Held(
        source,
        format_,
        none,
        kind="percentiles",
        clock="none",
        tails_refused=refused,
        summaries=tuple(map(_clean, summaries)),
        noticed=tuple(noticed),
    )
