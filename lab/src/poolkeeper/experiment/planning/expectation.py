"""Expected time of runs: by their settings, and by the time of those that have ended."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from poolkeeper.units import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolkeeper.experiment.planning.plan import PlannedRun

STARTING_S = 3.0
"""About what a run takes besides its load and warm-up, in seconds; 2.4 in a mean of 33 on two processors."""
STARTING_NEXT_S = 1.5
"""The same where the process of the server is there already."""
STARTING_DATABASE_S = 6.0
ENOUGH = 3
"""Runs that have ended, from which on they say more than what is stated."""
_DEVIATIONS = 2.0
_SAME = 0.05
"""Ends of a range that differ by less than this part of it are told as one."""


def expected_s(
    runs: Iterable[PlannedRun], *, database_per_run: bool = False, series: str | None = None
) -> tuple[float, float]:
    """About how long the runs take at least and at most, one after the other; `series` is that of the run before."""
    runs = list(runs)
    least = most = 0.0
    for run, warm in _by_process(runs, series):
        warm_up = run.warmed_up(warm=warm)
        fixed_s = (STARTING_NEXT_S if warm else STARTING_S) + run.load_s + run.settle_s
        least += fixed_s + warm_up.shortest_s
        most += fixed_s + warm_up.longest_s
    databases = sum(run.needs_database for run in runs)
    database_s = STARTING_DATABASE_S * (databases if database_per_run else min(databases, 1))
    return least + database_s, most + database_s


def about(expected: tuple[float, float]) -> str:
    """An expected time in words: "about 1:30", or "1:10 to 2:30" if it depends on the measurements."""
    least, most = expected
    if clock(least) == clock(most) or most - least < _SAME * most:
        return f"about {clock((least + most) / 2)}"
    return f"{clock(least)} to {clock(most)}"


@dataclass(slots=True)
class Pace:
    """Time that ended runs took besides their load: starts, warm-up, stop; in seconds."""

    _cold: list[float] = field(default_factory=list)
    _warm: list[float] = field(default_factory=list)
    """Of those whose server's process was there already."""

    def learn(self, besides_s: float, *, warm: bool) -> None:
        """Take a run in."""
        (self._warm if warm else self._cold).append(besides_s)

    def expected_s(self, runs: Iterable[PlannedRun], series: str | None) -> tuple[float, float]:
        """Least and most time of the runs: a prediction interval where enough have ended.

        The sum of n to come varies by their own spread, and by that of the mean of the m that were seen: its deviation
        is s sqrt(n + n^2 / m). Until enough have ended it is what the runs state.
        """
        least = most = 0.0
        groups: dict[bool, list[PlannedRun]] = {}
        for run, warm in _by_process(runs, series):
            groups.setdefault(warm, []).append(run)
        for warm, members in groups.items():
            seen = self._warm if warm else self._cold
            if len(seen) < ENOUGH:
                stated = [expected_s([run], series=run.series if warm else None) for run in members]
                least += sum(low for low, _ in stated)
                most += sum(high for _, high in stated)
                continue
            count = len(members)
            sure_s = sum(run.load_s for run in members)
            middle = count * fmean(seen)
            margin = _DEVIATIONS * stdev(seen) * math.sqrt(count + count**2 / len(seen))
            least += sure_s + max(0.0, middle - margin)
            most += sure_s + middle + margin
        return least, most


def _by_process(runs: Iterable[PlannedRun], series: str | None) -> Iterator[tuple[PlannedRun, bool]]:
    """Each run, and whether the process of its server is there already."""
    for run in runs:
        yield run, run.series is not None and run.series == series
        series = run.series
