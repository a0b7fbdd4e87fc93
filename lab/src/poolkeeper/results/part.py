"""Output of a reader of one file: its format, its columns, and its rows in batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal

from poolkeeper.latency.buckets import EXACT, Accuracy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from poolkeeper.results.findings import Finding, Findings
    from poolkeeper.results.source import Source
    from poolkeeper.results.tool_summary import ToolSummary

BEYOND = 2**63 - 1
"""A response time that is longer than nanoseconds can count, 292 years: infinite, or in another unit."""

Kind = Literal["samples", "histogram", "percentiles"]
"""Whether a file has one row a request, counts of response times, or nothing but what the tool computed from them."""

Clock = Literal["wall", "run", "none"]
"""Origin of times: the epoch, the run's start, or none where the file has no times."""


@dataclass(frozen=True)
class Part(ABC):
    """One file of results, in columns whose names and units are those of `Results.frame`."""

    source: Source
    format: str
    """The name of its format."""
    _: KW_ONLY
    kind: Kind = "samples"
    """Kind of its rows."""
    clock: Clock = "wall"
    """Origin of its times."""
    resolution_ns: int = 1
    """The step in which it writes response times, in nanoseconds."""
    accuracy: Accuracy = EXACT
    """Error of its response times in nanoseconds: half the width of a bucket; none for single requests."""
    courses: int = 1
    """Times that its rows may go through the time of the test: more than one where its writer sorts them."""
    unit_guessed: bool = False
    """Whether nothing says the unit of its response times."""
    summaries: tuple[ToolSummary, ...] = ()
    """Figures that the tool itself computed, where the file states them."""
    tails_refused: str | None = None
    """Why its largest values are no ground for a statement about the tail; None if they are."""
    noticed: tuple[Finding, ...] = ()
    """Findings at the beginning of the file."""

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns that it has, and their types."""

    @abstractmethod
    def batches(self, columns: Sequence[str], findings: Findings) -> Iterator[pl.DataFrame]:
        """The rows in the order of the file; skipped rows become a finding."""
