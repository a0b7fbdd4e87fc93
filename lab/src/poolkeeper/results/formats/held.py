"""Files small enough to be read at once: histograms, and summaries that tools wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poolkeeper.results.findings import Finding, Findings
    from poolkeeper.results.part import Clock, Kind
    from poolkeeper.results.source import Source
    from poolkeeper.results.tool_summary import ToolSummary


@dataclass(frozen=True)
class Held:
    """A file whose rows are in memory: a `Part`."""

    source: Source
    format: str
    kind: Kind
    clock: Clock
    frame: pl.DataFrame
    resolution_ns: int = 1
    tails_refused: str | None = None
    summaries: tuple[ToolSummary, ...] = ()
    noticed: tuple[Finding, ...] = ()
    unit_guessed: bool = False

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns that it has, and their types."""
        return dict(self.frame.schema)

    def batches(self, columns: Sequence[str], findings: Findings) -> Iterator[pl.DataFrame]:
        """All rows."""
        for finding in self.noticed:
            findings.add(finding.kind, finding.words)
        yield self.frame.select(columns)


def summary(
    source: Source, format_: str, summaries: Sequence[ToolSummary], refused: str, *, noticed: Sequence[Finding] = ()
) -> Held:
    """A file that holds nothing but what a tool computed."""
    none = pl.DataFrame(schema={"response_ns": pl.Int64})
    return Held(source, format_, "percentiles", "none", none, 1, refused, tuple(summaries), tuple(noticed))
