"""Levels of a test: stretches between the times at which its users, its rate or its response times changed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.commands.steps.sent import Sent
from poolkeeper.errors import TooFewError
from poolkeeper.latency.figures.percentiles import nearest_rank
from poolkeeper.latency.ordered.steps import steps
from poolkeeper.present import Axis, Chart, Mark, Series, Table
from poolkeeper.present.numbers import amount, number, or_none, response, time
from poolkeeper.present.text import counted, listed
from poolkeeper.scalability.levels import Stretch
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.commands.load import Load
    from poolkeeper.latency.ordered.courses import Ramp, Wave
    from poolkeeper.results import Series as Intervals

    Cut = tuple[Stretch, tuple[float, float] | None]
    """Intervals of a level or a ramp, and the ends of a ramp."""

_WORTH = 0.1
"""Least relative change of a rate or a median that is called a step."""
_ALWAYS = 0.9
"""Share of the test in which the users hold still, from which on they are taken not to change."""
_APART = 10
"""Intervals by which a step of the rate and one of the response times differ at least."""
_SHORT = 0.1
"""Share of the test that is no level of its own beside a ramp."""
_PAUSE = 0.01
"""Share of the highest rate below which a level is a pause."""
_SHOWN = (0.5, 0.95, 0.99)
_HARDLY = 1e-6
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
    sent: bool = False
    """Whether the figures are of the requests that were sent in it, since responses take long, or of those that ended.
    """
    ramp: tuple[float, float] | None = None
    """Begin and end of what changed all the time: users, requests a second, or the median in ms; None for a level."""

    def load(self, cause: str) -> str:
        """The quantity that changed, in words: "10 users", "120 requests/s", "a median of 40.0 ms"."""
        if self.ramp is not None:
            return f"a ramp from {_ends_in_words(self.ramp, cause)}"
        if cause == "users":
            return "1 user" if self.users == 1 else f"{amount(self.users)} users"
        return f"{number(self.rate)} requests/s" if cause == "rate" else f"a median of {response(self.quantiles_ms[0])}"


@dataclass(frozen=True)
class LoadSteps:
    """The levels of a test whose load changed, and `cause`: its users, its rate, or its response times.

    Ramps are among them; what was held for less than ten seconds is left out. A test that is one ramp, or a `wave`, has
    a single entry.
    """

    cause: str
    levels: tuple[TestLevel, ...]
    base_s: float
    """Seconds from the first request of the files to the first one that is looked at."""
    wave: Wave | None = None
    """The wave that the users or the rate make, its period in seconds."""

    @property
    def steady(self) -> tuple[TestLevel, ...]:
        """The levels without ramps and without pauses, in which hardly a request was answered."""
        if self.wave is not None:
            return ()
        most = max((level.rate for level in self.levels if not math.isnan(level.rate)), default=0.0)
        return tuple(level for level in self.levels if level.ramp is None and not level.rate < _PAUSE * most)

    @property
    def change(self) -> str:
        """The change in words, and when it came."""
        if self.wave is not None:
            between = _ends_in_words((max(0.0, self.wave.low), self.wave.high), self.cause, "and")
            return f"{self._subject} rises and falls in waves of {time(self.wave.period)}, between {between}"
        if len(self.levels) == 1 and (ramp := self.levels[0].ramp) is not None:
            way = "rises" if ramp[1] > ramp[0] else "falls"
            lasts = time(self.levels[0].end_s - self.levels[0].start_s)
            return f"{self._subject} {way} all the time, from {_ends_in_words(ramp, self.cause)} in {lasts}"
        if len(self.levels) > _FEW and self.steady:
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
        """Options by which the longest level is looked at alone; empty where none was held."""
        if not self.steady:
            return ""
        longest = max(self.steady, key=lambda level: level.end_s - level.start_s)
        start, end = math.ceil(self._at(longest)), math.floor(self.base_s + longest.end_s)
        options = [f"--from {start}s"] if longest is not self.levels[0] else []
        return " ".join([*options, *([f"--to {end}s"] if longest is not self.levels[-1] else [])])

    @property
    def why(self) -> str:
        """Reason for which a figure of the whole test has no interval."""
        if not self.option:
            return f"{self.change}, and no level was held that could have an interval"
        changed = f"{self._subject} changed {self._when}"
        return f"{changed}, and several levels together have no interval: see the levels, or add {self.option}"

    @property
    def warning(self) -> str:
        """Sentence that belongs before all figures of the whole test."""
        if not self.option:
            return f"{self.change}. Figures of the whole test mix all of that; to learn about one load, hold it"
        return (
            f"{self.change}. Figures of the whole test mix these levels; the table of levels keeps them apart, and"
            f" {self.option} selects the longest one"
        )

    @property
    def mixed(self) -> str:
        """The same where no table of levels follows."""
        advice = f"{self.option} selects the longest one" if self.option else "to learn about one load, hold it"
        return f"{self.change}. This is about all of it together; {advice}"

    def _at(self, level: TestLevel) -> float:
        return self.base_s + level.start_s

    def _size(self, level: TestLevel) -> float:
        return level.rate if self.cause == "rate" else level.quantiles_ms[0]

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The begin of each level, for charts over time, whose intervals count from that of the first request."""
        if self.wave is not None:
            return ()
        return tuple(
            Mark(float(math.ceil(level.start_s - _HARDLY)), "ramp" if level.ramp else level.load(self.cause))
            for level in self.levels
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
                *((_users_of(level, self.cause),) if by_users else ()),
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
            (
                _NOTES[self.cause],
                *([_SENT] if self.levels[0].sent else []),
                *([self.change] if not self.steady else []),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON; what is not known is None."""
        return {
            "cause": self.cause,
            "wave": None
            if self.wave is None
            else {"period_s": self.wave.period, "low": self.wave.low, "high": self.wave.high},
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
    "rate": "a level ends where the answers per second, or the median response time, step by a tenth or more, or a ramp"
    " begins",
    "times": "a level ends where the median response time of the seconds steps by a tenth or more, or a ramp begins",
}


_SENT = "responses take long: the figures of a level are those of the requests that were sent in it"


def _ends_in_words(ends: tuple[float, float], cause: str, between: str = "to") -> str:
    """Two loads: "10 to 20 users", "20.0 and 80.0 requests/s", "a median of 20.0 ms to 80.0 ms"."""
    if cause == "times":
        return f"a median of {response(ends[0])} {between} {response(ends[1])}"
    shown, unit = (amount, "users") if cause == "users" else (number, "requests/s")
    return f"{shown(ends[0])} {between} {shown(ends[1])} {unit}"


def _users_of(level: TestLevel, cause: str) -> str:
    ends = level.ramp if cause == "users" and level.ramp is not None else (level.users,)
    return " to ".join(map(amount, ends))


def load_steps(load: Load) -> LoadSteps | None:
    """The levels of a test; None where no step is seen, or nothing is known over time."""
    series, total = load.survey.series_of_load, load.total.survey.series_of_load
    if series is None or total is None or load.total.survey.clock_doubted:
        return None
    given = load.wanted.seconds()
    base_s = max(given.get("warm_up", 0.0), given.get("start", 0.0))
    if (found := _wave(total)) is not None:
        return LoadSteps(found[0], whole(load), base_s, found[1])
    sent = Sent.of(load)
    cause, cuts = _cuts(total, series, sent)
    if len(cuts) < 2 and not any(cut.ramp for cut, _ in cuts):  # noqa: PLR2004 - a step parts two levels
        return None
    return LoadSteps(cause, tuple(_level(load, *cut, sent=sent) for cut in cuts), base_s)


def _wave(total: Intervals) -> tuple[str, Wave] | None:
    """The wave of the users, or where the files do not tell them of the rate; and which of them."""
    from poolkeeper.latency.ordered.courses import wave
    from poolkeeper.scalability.levels import filled

    by_users = not np.isnan(total.users).all()
    values = filled(total.users) if by_users else total.throughput[1:-1]
    if values.size < 2 * _APART:
        return None
    found = wave(values)
    if found is None or found.high - found.low < _WORTH * found.high:
        return None
    return ("users" if by_users else "rate"), replace(found, period=found.period * total.every_s)


def _cuts(total: Intervals, series: Intervals, sent: Sent | None) -> tuple[str, list[Cut]]:
    """The cause of the levels, and the intervals of each; of slow responses when they were `sent` tells."""
    from poolkeeper.scalability.levels import filled, stretches

    by_number = not np.isnan(total.users).all()
    by_users = stretches(total.users) if by_number else []
    longest = max((part.end - part.begin for part in by_users if not part.ramp), default=0)
    # With as many users all the time, the rate follows the response times.
    constant = longest >= _ALWAYS * len(total)
    if longest and len(by_users) > 1 and not constant:
        return "users", [(part, _ends(total.users[part.begin : part.end]) if part.ramp else None) for part in by_users]
    if by_number and not longest:
        users = filled(total.users)
        course = _Course.of(users, steps(users), np.arange(users.size))
        if course.ramps:
            parts = [part for part, _ in _pieces(course, [], len(total))]
            return "users", [(part, _ends(users[part.begin : part.end]) if part.ramp else None) for part in parts]
    by_rate = _Course((), ()) if constant else _by_rate(total if sent is None else sent.rates)
    offset = round((int(series.start_ns[0]) - int(total.start_ns[0])) / series.every_s / 1e9)
    by_times = _by_times(series, offset) if sent is None else _by_medians(sent.medians, sent.at)
    if not by_rate.places:
        return "times", _pieces(by_times, [], len(total))
    return "rate", _pieces(by_rate, by_times.places, len(total))


@dataclass(frozen=True)
class _Course:
    """Places at which a series steps, and ramps that some of these steps are pieces of."""

    places: tuple[int, ...]
    ramps: tuple[Ramp, ...]

    @classmethod
    def of(cls, values: Floats, places: Sequence[int], at: Integers) -> _Course:
        """Steps and ramps that change a series by a tenth or more; `at` are the intervals of its values."""
        from poolkeeper.latency.ordered.courses import Ramp, ramps

        kept = _worth(places, values)
        risen = [
            found
            for found in ramps(values, kept)
            if abs(found.last - found.first) >= _WORTH * max(found.first, found.last)
        ]
        return cls(
            tuple(int(at[place]) for place in kept),
            tuple(Ramp(int(at[found.begin]), int(at[found.end - 1]) + 1, found.first, found.last) for found in risen),
        )


def _pieces(course: _Course, others: Sequence[int], size: int) -> list[Cut]:
    """The levels and ramps of a course of `size` intervals; steps of others part them that are not too near."""
    spans = []
    for found in course.ramps:
        # What is left beside a ramp is no level if it is too short.
        short = max(_APART, _SHORT * size)
        begin, end = 0 if found.begin < short else found.begin, size if size - found.end < short else found.end
        spans.append((begin, end, (max(0.0, found.first), max(0.0, found.last))))
    steep = [place for place in course.places if not any(low <= place <= high for low, high, _ in spans)]
    near = [*course.places, *(end for low, high, _ in spans for end in (low, high))]
    further = [
        place
        for place in others
        if all(abs(place - other) >= _APART for other in near) and not any(low < place < high for low, high, _ in spans)
    ]
    ends = sorted({0, size, *steep, *further, *(end for low, high, _ in spans for end in (low, high))})
    found_ends = {(low, high): ramp for low, high, ramp in spans}
    return [
        (Stretch(low, high, ramp=(low, high) in found_ends), found_ends.get((low, high)))
        for low, high in pairwise(ends)
    ]


def _by_rate(found: Intervals | Floats) -> _Course:
    """Course of the answers per second, or of rates; the first and the last second are cut short."""
    rates = (found if isinstance(found, np.ndarray) else found.throughput)[1:-1]
    return _Course.of(rates, steps(np.sqrt(rates)), 1 + np.arange(rates.size)) if rates.size else _Course((), ())


def _by_times(series: Intervals, offset: int) -> _Course:
    """Course of the median response time of the seconds; those without an answer are passed over."""
    medians = series.quantile(0.5)
    answered = np.flatnonzero(medians > 0)
    return _by_medians(medians[answered] / NANOSECONDS["ms"], offset + answered)


def _by_medians(values: Floats, at: Integers) -> _Course:
    """Course of median response times in milliseconds, none of them 0, of the intervals `at`."""
    return _Course.of(values, steps(np.log(values)), at) if values.size else _Course((), ())


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


def _level(
    load: Load, stretch: Stretch, ends: tuple[float, float] | None = None, *, sent: Sent | None = None
) -> TestLevel:
    """Figures of a stretch; its rate leaves out the test's first and last interval, which are cut short.

    Where responses take long, all figures are of the requests that were `sent` in it: the slow ones of the level before
    end in it, and after the last one nothing is sent, so that ends tell the rate of neither.
    """
    series, first_ns = load.total.survey.series_of_load, load.total.survey.first_start_ns
    assert series is not None and first_ns is not None  # noqa: S101, PT018 - the caller has looked
    low, high = stretch.begin, stretch.end
    begin, every = (int(series.start_ns[0]) - first_ns) / 1e9, series.every_s
    held = slice(low + (low == 0), high - (high == len(series)))
    loaded = series.loaded[held]
    ended = series.throughput[held][loaded | ~loaded.any()]  # of a pause, what is left is all of it
    inner = ended if sent is None else sent.rates[held]
    on_chart = (low * every, high * every)
    requests, errors = int(series.count[low:high].sum()), int(series.errors[low:high].sum())
    if sent is not None:
        on_chart = (-math.inf if low == 0 else on_chart[0], on_chart[1])
        requests, errors = sent.counts(on_chart)
    users = series.users[low:high]
    return TestLevel(
        0.0 if sent is not None and low == 0 else max(0.0, begin + low * every),
        begin + high * every,
        math.nan if np.isnan(users).all() else float(np.nanmedian(users)),
        float(inner.mean()) if inner.size else math.nan,
        requests,
        None if load.failed is None else errors,
        _quantiles(load, on_chart, sent=sent is not None),
        on_chart,
        sent is not None,
        ends,
    )


def _ends(users: Floats) -> tuple[float, float]:
    """The first and the last number of users that is known."""
    found = users[~np.isnan(users)]
    return (float(found[0]), float(found[-1])) if found.size else (math.nan, math.nan)


def _quantiles(load: Load, between_s: tuple[float, float], *, sent: bool) -> tuple[float, ...]:
    """The median, p95 and p99 in milliseconds of what ended, or was sent, between two times; NaN if nothing did."""
    try:
        data = load.during(between_s, sent=sent)
    except TooFewError:
        return (math.nan,) * len(_SHOWN)
    if not data.count:
        return (math.nan,) * len(_SHOWN)
    return tuple(float(value) for value in data.ordered([nearest_rank(q, data.count) for q in _SHOWN]))


def whole(load: Load) -> tuple[TestLevel, ...]:
    """A test whose load did not change as a single level; nothing, where nothing is known over time."""
    series = load.total.survey.series_of_load
    if series is None or load.survey.series is None:
        return ()
    return (_level(load, Stretch(0, len(series), ramp=False), sent=Sent.of(load)),)
