"""Levels of a test: stretches between the times at which its users, its rate or its response times changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import TooFewError
from poolkeeper.latency.figures.percentiles import nearest_rank
from poolkeeper.latency.ordered.steps import steps
from poolkeeper.present import Axis, Chart, Mark, Series, Table
from poolkeeper.present.numbers import amount, number, or_none, response
from poolkeeper.present.text import counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Floats
    from poolkeeper.commands.load import Load
    from poolkeeper.results import Series as Intervals
    from poolkeeper.scalability.levels import Stretch

_WORTH = 0.1
"""Least relative change of a rate or a median that is called a step."""
_ALWAYS = 0.9
"""Share of the test in which the users hold still, from which on they are taken not to change."""
_APART = 10
"""Intervals by which a step of the rate and one of the response times differ at least."""
_PAUSE = 0.01
"""Share of the highest rate below which a level is a pause."""
_SHOWN = (0.5, 0.95, 0.99)
_FEW = 3
"""Levels that a sentence lists."""
_TIMES = 6
"""Times that a sentence lists."""


@dataclass(frozen=True, slots=True)
class TestLevel:
    """A stretch of a test in which nothing changed by a step."""

    __test__ = False

    start_s: float
    """Since the first request."""
    end_s: float
    users: float
    """The median of the seconds; NaN where the files do not tell."""
    rate: float
    """Answers per second, failed ones among them."""
    requests: int
    failed: int | None
    quantiles_ms: tuple[float, ...]
    """The median, p95 and p99 of the response times that are looked at."""
    on_chart_s: tuple[float, float]
    """Begin and end in seconds of the series over time."""
    ramp: tuple[float, float] | None = None
    """Users at the begin and at the end of a stretch in which they came or went; None where they held still."""

    def load(self, cause: str) -> str:
        """The quantity that changed, in words: "10 users", "120 requests/s", "a median of 40.0 ms"."""
        if self.ramp is not None:
            return f"a ramp from {amount(self.ramp[0])} to {amount(self.ramp[1])} users"
        if cause == "users":
            return "1 user" if self.users == 1 else f"{amount(self.users)} users"
        return f"{number(self.rate)} requests/s" if cause == "rate" else f"a median of {response(self.quantiles_ms[0])}"


@dataclass(frozen=True)
class LoadSteps:
    """The levels of a test whose load changed, two at least, and `cause`: its users, its rate, or its response times.

    Ramps of the users are among them; what was held for less than ten seconds is left out.
    """

    cause: str
    levels: tuple[TestLevel, ...]
    base_s: float
    """Seconds from the first request of the files to the first one that is looked at."""

    @property
    def steady(self) -> tuple[TestLevel, ...]:
        """The levels without ramps and without pauses, in which hardly a request was answered."""
        most = max((level.rate for level in self.levels if not math.isnan(level.rate)), default=0.0)
        return tuple(level for level in self.levels if level.ramp is None and not level.rate < _PAUSE * most)

    @property
    def change(self) -> str:
        """The change in words, and when it came."""
        if len(self.levels) > _FEW:
            loads = [level.users if self.cause == "users" else self._size(level) for level in self.steady]
            ends = (self.steady[int(np.argmin(loads))], self.steady[int(np.argmax(loads))])
            least, most = (level.load(self.cause) for level in ends)
            return f"{self._subject} changed {len(self.levels) - 1} times, {self._when}, between {least} and {most}"
        later = [f"{level.load(self.cause)} from {self._at(level):,.0f} s on" for level in self.levels[1:]]
        return f"{self._subject} changed: {self.levels[0].load(self.cause)} first, {', then '.join(later)}"

    @property
    def _subject(self) -> str:
        return "the level of the response times" if self.cause == "times" else "the load"

    @property
    def _when(self) -> str:
        times = [f"{self._at(level):,.0f}" for level in self.levels[1:]]
        return f"at {listed(times)} s" if len(times) <= _TIMES else f"first at {times[0]} s, last at {times[-1]} s"

    @property
    def option(self) -> str:
        """Options by which the longest level is looked at alone."""
        longest = max(self.steady, key=lambda level: level.end_s - level.start_s)
        start, end = math.ceil(self._at(longest)), math.floor(self.base_s + longest.end_s)
        options = [f"--from {start}s"] if longest is not self.levels[0] else []
        return " ".join([*options, *([f"--to {end}s"] if longest is not self.levels[-1] else [])])

    @property
    def why(self) -> str:
        """Reason for which a figure of the whole test has no interval."""
        changed = f"{self._subject} changed {self._when}"
        return f"{changed}, and several levels together have no interval: see the levels, or add {self.option}"

    @property
    def warning(self) -> str:
        """Sentence that belongs before all figures of the whole test."""
        return (
            f"{self.change}. Figures of the whole test mix these levels; the table of levels keeps them apart, and"
            f" {self.option} selects the longest one"
        )

    def _at(self, level: TestLevel) -> float:
        return self.base_s + level.start_s

    def _size(self, level: TestLevel) -> float:
        return level.rate if self.cause == "rate" else level.quantiles_ms[0]

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The begin of each level, for charts over time."""
        return tuple(
            Mark(level.on_chart_s[0], "ramp" if level.ramp else level.load(self.cause)) for level in self.levels
        )

    def table(self) -> Table:
        """A row a level."""
        by_users = not any(math.isnan(level.users) for level in self.levels)
        names = ("from [s]", "to [s]", *(("users",) if by_users else ()), "requests/s", "median ms", "p95 ms", "p99 ms")
        failures = all(level.failed is not None for level in self.levels)
        rows = tuple(
            (
                f"{level.start_s:,.0f}",
                f"{level.end_s:,.0f}",
                *((" to ".join(map(amount, level.ramp or (level.users,))),) if by_users else ()),
                level.rate,
                *(or_none(value) for value in level.quantiles_ms),
                *((level.failed,) if failures else ()),
            )
            for level in self.levels
        )
        return Table(
            f"{counted(len(self.levels), 'level')} of the test",
            (*names, *(("failed",) if failures else ())),
            rows,
            (_NOTES[self.cause],),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON; what is not known is None."""
        return {
            "cause": self.cause,
            "levels": [
                {
                    "start_s": level.start_s,
                    "end_s": level.end_s,
                    "users": or_none(level.users),
                    "ramp": None if level.ramp is None else list(level.ramp),
                    "requests_per_s": level.rate,
                    "requests": level.requests,
                    "failed": level.failed,
                    **dict(zip(("p50_ms", "p95_ms", "p99_ms"), level.quantiles_ms, strict=True)),
                }
                for level in self.levels
            ],
        }

    def plot(self) -> Chart:
        """Percentiles of each level over time."""
        x = tuple(end for level in self.levels for end in (level.start_s, level.end_s))
        lines = tuple(
            Series(f"p{100 * q:g}", x, tuple(level.quantiles_ms[place] for level in self.levels for _ in range(2)))
            for place, q in enumerate(_SHOWN)
        )
        return Chart("Response time by level", Axis("time", "s"), Axis("response time", "ms"), lines)


_NOTES = {
    "users": "a level lasts ten seconds or more, in which the number of users holds still, or rises or falls in a ramp",
    "rate": "a level ends where the answers per second, or the median response time, step by a tenth or more",
    "times": "a level ends where the median response time of the seconds steps by a tenth or more",
}


def load_steps(load: Load) -> LoadSteps | None:
    """The levels of a test; None where no step is seen, or nothing is known over time."""
    series, total = load.survey.series_of_load, load.total.survey.series_of_load
    if series is None or total is None or load.total.survey.clock_doubted:
        return None
    cause, cuts = _cuts(total, series)
    if len(cuts) < 2:  # noqa: PLR2004 - a step parts two levels
        return None
    levels = tuple(_level(load, cut) for cut in cuts)
    given = load.wanted.seconds()
    return LoadSteps(cause, levels, max(given.get("warm_up", 0.0), given.get("start", 0.0)))


def _cuts(total: Intervals, series: Intervals) -> tuple[str, list[Stretch]]:
    """The cause of the levels, and the intervals of each."""
    from poolkeeper.scalability.levels import Stretch, stretches

    by_users = [] if np.isnan(total.users).all() else stretches(total.users)
    longest = max((part.end - part.begin for part in by_users if not part.ramp), default=0)
    # With as many users all the time, the rate follows the response times.
    constant = longest >= _ALWAYS * len(total)
    if longest and len(by_users) > 1 and not constant:
        return "users", by_users
    by_rate = [] if constant else _by_rate(total)
    offset = round((int(series.start_ns[0]) - int(total.start_ns[0])) / series.every_s / 1e9)
    by_times = [offset + place for place in _by_times(series)]
    places = [*by_rate, *(place for place in by_times if all(abs(place - other) >= _APART for other in by_rate))]
    cuts = [Stretch(low, high, ramp=False) for low, high in pairwise([0, *sorted(places), len(total)])]
    return ("rate" if by_rate else "times"), cuts


def _by_rate(series: Intervals) -> list[int]:
    """Steps of the answers per second; the first and the last second are cut short."""
    rates = series.throughput[1:-1]
    found = steps(np.sqrt(rates)) if rates.size else ()
    return [1 + place for place in _worth(found, rates)]


def _by_times(series: Intervals) -> list[int]:
    """Steps of the median response time of the seconds; those without an answer are passed over."""
    medians = series.quantile(0.5)
    answered = np.flatnonzero(medians > 0)
    found = steps(np.log(medians[answered])) if answered.size else ()
    return [int(answered[place]) for place in _worth(found, medians[answered])]


def _worth(places: Sequence[int], values: Floats) -> list[int]:
    """The steps that change the median by a tenth or more; the least of the others goes first."""
    kept = list(places)
    while kept:
        levels = [float(np.median(values[low:high])) for low, high in pairwise([0, *kept, values.size])]
        changes = [abs(after - before) / max(before, after, 1e-300) for before, after in pairwise(levels)]
        least = int(np.argmin(changes))
        if changes[least] >= _WORTH:
            break
        del kept[least]
    return kept


def _level(load: Load, stretch: Stretch) -> TestLevel:
    """Figures of a stretch; its rate leaves out the test's first and last interval, which are cut short."""
    series, first_ns = load.total.survey.series_of_load, load.total.survey.first_start_ns
    assert series is not None and first_ns is not None  # noqa: S101, PT018 - the caller has looked
    low, high = stretch.begin, stretch.end
    begin, every = (int(series.start_ns[0]) - first_ns) / 1e9, series.every_s
    inner = series.throughput[low + (low == 0) : high - (high == len(series))]
    users = series.users[low:high]
    return TestLevel(
        max(0.0, begin + low * every),
        begin + high * every,
        math.nan if np.isnan(users).all() else float(np.nanmedian(users)),
        float(inner.mean()) if inner.size else math.nan,
        int(series.count[low:high].sum()),
        None if load.failed is None else int(series.errors[low:high].sum()),
        _quantiles(load, (low * every, high * every)),
        (low * every, high * every),
        _ends(users) if stretch.ramp else None,
    )


def _ends(users: Floats) -> tuple[float, float]:
    """The first and the last number of users that is known."""
    found = users[~np.isnan(users)]
    return (float(found[0]), float(found[-1])) if found.size else (math.nan, math.nan)


def _quantiles(load: Load, between_s: tuple[float, float]) -> tuple[float, ...]:
    """The median, p95 and p99 in milliseconds of what ended between two times of the series; NaN if nothing did."""
    try:
        data = load.during(between_s)
    except TooFewError:
        return (math.nan,) * len(_SHOWN)
    if not data.count:
        return (math.nan,) * len(_SHOWN)
    return tuple(float(value) for value in data.ordered([nearest_rank(q, data.count) for q in _SHOWN]))


def whole(load: Load) -> tuple[TestLevel, ...]:
    """A test whose load did not change as a single level; nothing, where nothing is known over time."""
    from poolkeeper.scalability.levels import Stretch

    series = load.total.survey.series_of_load
    if series is None or load.survey.series is None:
        return ()
    return (_level(load, Stretch(0, len(series), ramp=False)),)
