"""Output of a reader of one file: its format, its columns, and its rows in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from poolkeeper.results.findings import Findings
    from poolkeeper.results.source import Source
    from poolkeeper.results.tool_summary import ToolSummary

BEYOND = 2**63 - 1
"""A response time that is longer than nanoseconds can count, 292 years: infinite, or in another unit."""

Kind = Literal["samples", "histogram", "percentiles"]
"""Whether a file has one row a request, counts of response times, or nothing but what the tool computed from them."""

Clock = Literal["wall", "run", "none"]
"""Origin of times: the epoch, the run's start, or none where the file has no times."""


class Part(Protocol):
    """One file of results, in columns whose names and units are those of `Results.frame`."""

    @property
    def source(self) -> Source:
        """The file."""
        ...

    @property
    def format(self) -> str:
        """The name of its format."""
        ...

    @property
    def kind(self) -> Kind:
        """Kind of its rows."""
        ...

    @property
    def clock(self) -> Clock:
        """Origin of its times."""
        ...

    @property
    def resolution_ns(self) -> int:
        """The step in which it writes response times, in nanoseconds."""
        ...

    @property
    def unit_guessed(self) -> bool:
        """Whether nothing says the unit of its response times."""
        ...

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns that it has, and their types."""
        ...

    @property
    def summaries(self) -> tuple[ToolSummary, ...]:
        """Figures that the tool itself computed, where the file states them."""
        ...

    @property
    def tails_refused(self) -> str | None:
        """Why its largest values are no ground for a statement about the tail; None if they are."""
        ...

    def batches(self, columns: Sequence[str], findings: Findings) -> Iterator[pl.DataFrame]:
        """The rows in the order of the file; what was left out becomes a finding."""
        ...
