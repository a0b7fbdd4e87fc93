"""The share of requests that failed, with an interval that holds for small shares and for none at all.

Wilson: Probable inference, the law of succession, and statistical inference, J. Amer. Statist. Assoc. 22(158), 1927.
The difference of two shares recovered from these intervals is Newcombe's method 10, Statistics in Medicine 17(8), 1998.
Where failures come in bursts, the effective number of requests stands in place of their number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import DataError
from poolkeeper.latency.comparison.difference import Difference, difference
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.ordered.dependence import Dependence, effective
from poolkeeper.present.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEW_BURSTS = 8.0
"""Failures in effect from which those that come in bursts have an interval."""
_TELLING = 30
"""Failures that tell whether they come in bursts."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Failed requests of a run, of all of its requests."""

    failed: int
    requests: int
    dependence: Dependence | None = None
    """Dependence of failures on each other; None where nothing tells it."""

    @property
    def in_bursts(self) -> bool:
        """Whether it is seen that they do."""
        return self.dependence is not None and not self.dependence.independent

    @property
    def percent(self) -> str:
        """The share in percent."""
        return percent(self.failed / self.requests)


@dataclass(frozen=True, slots=True)
class FailedShares:
    """The shares of failed requests of two runs, in percent, and their difference."""

    runs: tuple[Failures, Failures]
    difference: Difference

    @property
    def in_bursts(self) -> bool:
        """Whether the failures of a run come in bursts."""
        return any(run.in_bursts for run in self.runs)

    @property
    def undecided(self) -> str:
        """Sentence where bursts are too few to judge by; empty otherwise."""
        if self.difference.judged or not self.in_bursts:
            return ""
        first, second = self.runs
        which = "More" if self.difference.value > 0 else "Fewer"
        shares = f"{second.percent} % against {first.percent} %"
        return f"{which} requests failed in the second run, {shares}, but in so few bursts that it may be chance."

    @property
    def note(self) -> str:
        """Note on the interval of the difference; empty where all failures are seen to be independent."""
        if self.in_bursts and not self.difference.has_interval:
            return ""
        if self.in_bursts:
            return "the interval of the failed has room for bursts, in which they came"
        if any(run.failed and run.dependence is None for run in self.runs):
            return "the interval of the failed takes each failure by itself: where they come in bursts it is wider"
        return ""


def failed_shares(runs: tuple[Failures, Failures], confidence: float, stricter: float) -> FailedShares:
    """Compare the shares of failed requests of two runs; what was seen is judged by the `stricter` confidence.

    Few failures do not show whether they come in bursts: they are taken to do so if those of the other run do.
    """
    given = [run.dependence for run in runs if run.dependence is not None]
    most = max(given, key=lambda found: found.time, default=None)
    ways = [run.dependence if run.failed >= _TELLING else most for run in runs]
    estimates: Sequence[Estimate] = [
        share(run.failed, run.requests, level, way)
        for level in (confidence, stricter)
        for run, way in zip(runs, ways, strict=True)
    ]
    return FailedShares(runs, difference(*estimates))


def share(hits: int, count: int, confidence: float, dependence: Dependence | None = None) -> Estimate:
    """Percent of `count` requests that were hits, with Wilson's interval; independent ones without a `dependence`.

    Raises DataError unless 0 <= hits <= count and count > 0.
    """
    if not 0 <= hits <= count or count == 0:
        raise DataError(f"failed: {hits:,} of {count:,} requests")
    from scipy.special import ndtri

    z2 = float(ndtri((1 + confidence) / 2)) ** 2
    part = hits / count
    size = float(count) if dependence is None else effective(count, dependence, confidence)
    if dependence is not None and not dependence.independent and 0 < hits < _FEW_BURSTS * dependence.time:
        return Estimate.bare(100 * part, confidence, "failures come in so few bursts that their share has no interval")
    centre = (part + z2 / (2 * size)) / (1 + z2 / size)
    half = math.sqrt(z2 * (part * (1 - part) + z2 / (4 * size)) / size) / (1 + z2 / size)
    # At the ends the bounds are 0 and 1 exactly, which rounding would miss.
    low = centre - half if hits else 0.0
    high = centre + half if hits < count else 1.0
    return Estimate(100 * part, 100 * low, 100 * high, confidence)
