"""Figures that a tool computed itself and wrote into its results: means and percentiles whose values are gone."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolSummary:
    """The tool's own summary of one label; missing figures are NaN. Times in nanoseconds."""

    label: str
    count: int
    errors: int
    """Failed ones among the counted."""
    percentiles: tuple[tuple[float, float], ...] = ()
    """Quantile (0 to 1) and response time, ascending."""
    mean_ns: float = math.nan
    std_ns: float = math.nan
    minimum_ns: float = math.nan
    maximum_ns: float = math.nan
    throughput: float = math.nan
    """Completions per second."""
    unanswered: tuple[tuple[str, int], ...] = ()
    """Socket errors and timeouts by kind, which `count` does not hold."""
    lost: int = 0
    """Requests without an answer: failures that `count` and `errors` do not hold, where requests are counted."""
    cut_off: int = 0
    """Requests that neither failed nor were answered, because the test ended."""
    late: int = 0
    """Answers later than the tool's timeout: among `count`, but not among the response times."""
    counted: bool = True
    """Whether the file says how many requests there were; otherwise `count` and `errors` are 0."""
    tells_failures: bool = True
    """Whether the file says how many failed; otherwise `errors` is 0."""
    users: float = math.nan
    """Number of users."""
    kinds: tuple[tuple[str, str, int], ...] = ()
    """Code, message and number of the kinds of failures, where the tool lists them."""
    at_ns: int | None = None
    """When this was so, by the wall clock; None for the whole run."""

    @property
    def requests(self) -> int:
        """Requests that were answered, or failed without an answer."""
        return self.count + self.lost

    @property
    def failed(self) -> int:
        """Failed requests, with those without an answer."""
        return self.errors + self.lost
