"""Levels of a test: stretches between the times at which its users, its rate or its response times changed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.commands.steps.base import count_from, skipped_s
from poolkeeper.commands.steps.cuts import WORTH, Cut, cuts_of
from poolkeeper.commands.steps.edges import Bounds, bounds_of
from poolkeeper.commands.steps.sent import gaps_of
from poolkeeper.errors import TooFewError
from poolkeeper.latency.figures.percentiles import nearest_rank
from poolkeeper.present import Axis, Chart, Mark, Series, Table
from poolkeeper.present.numbers import amount, number, or_none, percent, response, time
from poolkeeper.present.text import counted, listed
from poolkeeper.scalability.stretches import SHORTEST, Stretch, filled
from poolkeeper.units import NS

if TYPE_CHECKING:
    from poolkeeper.commands.load import Load
    from poolkeeper.latency.ordered.courses import Wave
    from poolkeeper.results import Series as Intervals
    from poolkeeper.results import Survey

_LEAST = 10
"""Half as many intervals as a wave has at least."""
_PAUSE = 0.01
"""Share of the highest rate below which a level is a pause."""
_SHOWN = (0.5, 0.95, 0.99)
_HARDLY = 1e-6
_PART = 0.05
"""Part of a second that a level may lack of a whole one."""
_LONG_AFTER = 3
"""Intervals after the end of a level from which an answer to one of its requests is late."""
_LATE = 0.005
"""Share of the requests of a level that are answered after it, from which it is said whose figures they are."""
_FEW = 3
"""Levels that a sentence lists."""
_TELLING = 100
"""Requests from which the median of a level is compared with that of another."""
_OTHERS_S = 1.0
"""Seconds beside a level that hold requests of another load."""
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
    """Begin and end in seconds of the series over time of what is of this level alone."""
    late: int = 0
    """Requests that were sent in it, and answered long after it; 0 where its requests are those that ended in it."""
    after_gap: bool = False
    before_gap: bool = False
    ramp: tuple[float, float] | None = None
    """Begin and end of what changed all the time: users, requests a second, or the median in ms; None for a level."""
    ramp_of_users: bool = False
    """Whether these are users, whatever parts the other levels."""

    def load(self, cause: str) -> str:
        """The quantity that changed, in words: "10 users", "120 requests/s", "a median of 40.0 ms"."""
        if self.ramp is not None:
            return f"a ramp from {_ends_in_words(self.ramp, 'users' if self.ramp_of_users else cause)}"
        if cause == "failures":
            return f"{percent(self.failing)} % failed"
        if cause == "users":
            return "1 user" if self.users == 1 else f"{amount(self.users)} users"
        if cause == "times":
            return f"a median of {response(self.quantiles_ms[0])}"
        return f"{number(self.rate)} {_unit_of_rate(cause)}"

    @property
    def failing(self) -> float:
        """Share of its requests that failed, 0 to 1; 0 if the files do not hold it."""
        return (self.failed or 0) / max(1, self.requests)


@dataclass(frozen=True)
class LoadSteps:
    """The levels of a test that changed.

    `cause` says by what: its users, its rate, or under the same load its response times ("times"), its failures or its
    answers per second. Ramps, spikes and pauses are among the levels; other users that were held for less than ten
    seconds are left out. A test that is one ramp, or a `wave`, has a single entry.
    """

    cause: str
    levels: tuple[TestLevel, ...]
    base_s: float
    """Seconds from the first request of the files to the first one that is looked at."""
    wave: Wave | None = None
    """The wave that the users or the rate make, its period in seconds."""
    gaps: tuple[tuple[float, float], ...] = ()
    """Begin and end of gaps between two tests, in seconds since the first request that is looked at."""
    slow: bool = False
    """Whether responses take so long that the levels are told by when requests were sent."""
    until_s: float = math.nan
    """When the load ended, in seconds since the first request that is looked at."""

    @property
    def steady(self) -> tuple[TestLevel, ...]:
        """The levels without ramps and without pauses, in which hardly a request was answered."""
        if self.wave is not None:
            return ()
        most = max((level.rate for level in self.levels if not math.isnan(level.rate)), default=0.0)
        return tuple(level for level in self.levels if level.ramp is None and not level.rate < _PAUSE * most)

    @property
    def held(self) -> tuple[TestLevel, ...]:
        """The steady levels that were held for ten seconds or more, which spikes were not."""
        return tuple(level for level in self.steady if level.end_s - level.start_s > _LEAST - 1)

    @property
    def change(self) -> str:
        """The change in words, and when it came."""
        if self.wave is not None:
            between = _ends_in_words((max(0.0, self.wave.low), self.wave.high), self.cause, "and")
            return f"{self.subject} rises and falls in waves of {time(self.wave.period)}, between {between}"
        if len(self.levels) == 1 and (ramp := self.levels[0].ramp) is not None:
            way = "rises" if ramp[1] > ramp[0] else "falls"
            lasts = time(self.levels[0].end_s - self.levels[0].start_s)
            return f"{self.subject} {way} all the time, from {_ends_in_words(ramp, self.cause)} in {lasts}"
        if self.cause == "gap":
            return self._gaps_in_words
        if len(self.levels) > _FEW and self.steady:
            loads = [level.users if self.cause == "users" else self._size(level) for level in self.steady]
            ends = (self.steady[int(np.argmin(loads))], self.steady[int(np.argmax(loads))])
            least, most = (level.load(self.cause) for level in ends)
            return f"{self.subject} changed {len(self.levels) - 1} times, {self._when}, between {least} and {most}"
        later = [f"{level.load(self.cause)} from {self._at(level):,.0f} s on" for level in self.levels[1:]]
        return f"{self.subject} changed: {self.levels[0].load(self.cause)} first, {', then '.join(later)}"

    @property
    def _gaps_in_words(self) -> str:
        gaps = [f"from {self.base_s + low:,.0f} s to {self.base_s + high:,.0f} s" for low, high in self.gaps]
        lasts = time(sum(high - low for low, high in self.gaps))
        if len(gaps) == 1:
            return f"a gap of {lasts} without an answer, {gaps[0]}, parts two tests"
        where = listed(gaps) if len(gaps) <= _TIMES else f"the first {gaps[0]}"
        return f"{len(gaps)} gaps without an answer, {lasts} in all, {where}, part {len(gaps) + 1} tests"

    @property
    def subject(self) -> str:
        """The quantity that changed, in words."""
        return _SUBJECTS[self.cause]

    @property
    def of_load(self) -> bool:
        """Whether the load changed, and not only what the system made of it."""
        return self.cause in {"users", "rate"}

    @property
    def times_differ(self) -> bool:
        """Whether the response times changed with the levels, in their middle or in their upper part."""
        enough = [level for level in self.levels if level.requests - (level.failed or 0) >= _TELLING]
        medians = [level.quantiles_ms[0] for level in enough if not math.isnan(level.quantiles_ms[0])]
        ramps = self.cause == "times" and any(level.ramp is not None for level in self.levels)
        return ramps or (len(medians) > 1 and max(medians) - min(medians) >= WORTH * max(medians))

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
        # Beyond an end that is a gap there is nothing to leave out.
        start, end = self._at(longest), self.base_s + longest.end_s
        start = math.floor(start) if longest.after_gap else math.ceil(start - _HARDLY)
        end = math.ceil(end) if longest.before_gap else math.floor(end + _HARDLY)
        before = longest is not self.levels[0] or longest.start_s >= _OTHERS_S
        after = longest is not self.levels[-1] or self.until_s - longest.end_s >= _OTHERS_S
        return " ".join([*([f"--from {start}s"] if before else []), *([f"--to {end}s"] if after else [])])

    @property
    def _left_out(self) -> list[str]:
        """Note about stretches of no level, in which users came or went too fast for one."""
        ends = [0.0, *(end for level in self.levels for end in (level.start_s, level.end_s)), self.until_s]
        holes = [
            f"{self.base_s + low:,.0f} to {self.base_s + high:,.0f} s"
            for low, high in zip(ends[::2], ends[1::2], strict=True)
            if high - low >= SHORTEST and not any(begin < high and low < end for begin, end in self.gaps)
        ]
        where = listed(holes) if len(holes) <= _TIMES else f"{len(holes)} stretches, the first {holes[0]}"
        return [f"of no level: {where}, where users come or go for less than {_LEAST} s"] if holes else []

    @property
    def why(self) -> str:
        """Reason for which a figure of the whole test has no interval."""
        if not self.option:
            held = "no level was held" if self.of_load else "nothing held still"
            return f"{self.change}, and {held} that could have an interval"
        changed = self.change if self.cause == "gap" else f"{self.subject} changed {self._when}"
        words = f"{changed}, and several levels together have no interval: see the levels"
        if self.of_load or self.cause == "gap":
            return f"{words}, or add {self.option}"
        return f"{words}; {self.option} {_LONGEST_ALONE}"

    @property
    def warning(self) -> str:
        """Sentence that belongs before all figures of the whole test."""
        if not self.option:
            return f"{self.change}. Figures of the whole test mix all of that; {self._to_learn}"
        return (
            f"{self.change}. Figures of the whole test mix these levels; the table of levels keeps them apart, and"
            f" {self.option} {self._selects}"
        )

    @property
    def _to_learn(self) -> str:
        """Words for a test of which nothing held still: its load, or under a load that was held the system."""
        if self.of_load:
            return "to learn about one load, hold it"
        return "where the load was held, it is the system that changes, and a longer test shows how far"

    @property
    def _selects(self) -> str:
        """Words for what the options do; under the same load the rest is a part of the answer."""
        return "selects the longest one" if self.of_load or self.cause == "gap" else _LONGEST_ALONE

    @property
    def mixed(self) -> str:
        """The same where no table of levels follows."""
        advice = f"{self.option} {self._selects}" if self.option else self._to_learn
        return f"{self.change}. This is about all of it together; {advice}"

    def _at(self, level: TestLevel) -> float:
        return self.base_s + level.start_s

    def _size(self, level: TestLevel) -> float:
        if self.cause == "failures":
            return level.failing
        return level.quantiles_ms[0] if self.cause == "times" else level.rate

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
        by_users = not all(math.isnan(level.users) for level in self.levels)
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
                *([_SENT] if self.slow or any(level.late > _LATE * level.requests for level in self.levels) else []),
                *(self._left_out if self.cause == "users" and self.wave is None else []),
                *([self._gaps_in_words] if self.gaps else []),
                *([self.change] if not self.steady else []),
                *([count_from(self.base_s)] if self.base_s else []),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON, None if unknown."""
        return {
            "cause": self.cause,
            "wave": None
            if self.wave is None
            else {"period_s": self.wave.period, "low": self.wave.low, "high": self.wave.high},
            "gaps": [{"start_s": low, "end_s": high} for low, high in self.gaps],
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
    "users": "a level lasts ten seconds or more, in which the number of users holds still, or rises or falls in a ramp;"
    " spikes and pauses of three seconds or more are levels as well",
    "rate": "a level ends where the answers per second, or the median response time, step by a tenth or more, or a ramp"
    " begins",
    "times": "a level ends where the median response time of the seconds steps by a tenth or more, or a ramp begins",
    "failures": "a level ends where the share of failed requests steps",
    "answers": "a level ends where the answers per second step by a tenth or more, or a ramp begins",
    "gap": "a level ends where a gap between two tests begins",
}
_LONGEST_ALONE = "selects the longest one, and says nothing of the others under the same load"
_SUBJECTS = {
    "users": "the load",
    "rate": "the load",
    "times": "the level of the response times",
    "failures": "the share of failures",
    "answers": "the rate of answers",
    "gap": "the test",
}


_SENT = "responses take long: the figures of a level are those of the requests that were sent in it"


def _ends_in_words(ends: tuple[float, float], cause: str, between: str = "to") -> str:
    """Two loads: "10 to 20 users", "20.0 and 80.0 requests/s", "a median of 20.0 ms to 80.0 ms"."""
    if cause == "times":
        return f"a median of {response(ends[0])} {between} {response(ends[1])}"
    shown, unit = (amount, "users") if cause == "users" else (number, _unit_of_rate(cause))
    return f"{shown(ends[0])} {between} {shown(ends[1])} {unit}"


def _unit_of_rate(cause: str) -> str:
    return "answers/s" if cause == "answers" else "requests/s"


def _users_of(level: TestLevel, cause: str) -> str:
    ends = level.ramp if (cause == "users" or level.ramp_of_users) and level.ramp is not None else (level.users,)
    return "–" if math.isnan(ends[0]) else " to ".join(map(amount, ends))


def load_steps(load: Load) -> LoadSteps | None:
    """The levels of a test; None where no step is seen, or nothing is known over time."""
    series, total = load.survey.series_of_load, load.total.series_of_load
    if series is None or total is None or load.total.survey.clock_doubted:
        return None
    base_s = skipped_s(load)
    if not total.gaps and (found := _wave(total)) is not None:
        return LoadSteps(found[0], whole(load), base_s, found[1])
    parting = gaps_of(load)
    survey = load.total.survey
    last_sent_ns = None if survey.waits else survey.last_start_ns
    cause, cuts = cuts_of(total, series, load.sent, tuple(parting.values()), last_sent_ns)
    if load.sent is not None and not survey.waits:
        # After the last request there is no load, but only its last answers.
        cuts = [cut for cut in cuts if cut.part.begin * total.every_s <= load.sent.since_s[-1]]
    if len(cuts) < 2 and not any(cut.part.ramp for cut in cuts):  # noqa: PLR2004 - a step parts two levels
        return None
    begin_s = (int(total.start_ns[0]) - (load.total.survey.first_start_ns or 0)) / 1e9
    gaps = tuple((begin_s + low * total.every_s, begin_s + high * total.every_s) for low, high in parting)
    slow = load.sent is not None and load.sent.course is not None
    bounds = bounds_of(load, cuts, total.every_s)
    levels = tuple(_level(load, cut, ends) for cut, ends in zip(cuts, bounds, strict=True))
    return LoadSteps(cause, levels, base_s, gaps=gaps, slow=slow, until_s=_until_s(survey))


def _until_s(survey: Survey) -> float:
    """When the load ended, in seconds since the first request; infinite where that is not known."""
    if survey.end_ns is None or survey.first_start_ns is None:
        return math.inf
    return (survey.end_ns - survey.first_start_ns) / NS


def _wave(total: Intervals) -> tuple[str, Wave] | None:
    """The wave of the users, or where the files do not tell them of the rate; and which of them."""
    from poolkeeper.latency.ordered.courses import wave

    by_users = not np.isnan(total.users).all()
    values = filled(total.users) if by_users else total.throughput[1:-1]
    if values.size < 2 * _LEAST:
        return None
    found = wave(values)
    if found is None or found.high - found.low < WORTH * found.high:
        return None
    return ("users" if by_users else "rate"), replace(found, period=found.period * total.every_s)


def _level(load: Load, cut: Cut, bounds: Bounds) -> TestLevel:
    """Figures of a stretch: where it is known when requests were sent, those of the requests that were sent in it.

    Its slow answers come after it. By answers, its rate leaves out the test's first and last interval, which are cut
    short, and those in which it meets another level.
    """
    series, first_ns = load.total.series_of_load, load.total.survey.first_start_ns
    assert series is not None and first_ns is not None  # noqa: S101, PT018 - the caller has looked
    sent, low, high = load.sent, cut.part.begin, cut.part.end
    begin, every = (int(series.start_ns[0]) - first_ns) / 1e9, series.every_s
    parting = gaps_of(load).values()
    before_gap, after_gap = any(high == stop for stop, _ in parting), any(low == start for _, start in parting)
    first, last = math.ceil(bounds.inner[0] / every - _PART), math.floor(bounds.inner[1] / every + _PART)
    # After the last request only answers come, fewer and fewer.
    waits = load.total.survey.waits
    whole_s = len(series) if sent is None or waits else int(sent.since_s[-1] // every)
    held = slice(
        max(first, low + (low == 0 or after_gap)), min(last, high - (high == len(series) or before_gap), whole_s)
    )
    held = held if held.stop > held.start else slice(low, high)
    loaded = series.loaded[held]
    ended = series.throughput[held][loaded | ~loaded.any()]  # of a pause, what is left is all of it
    inner = ended if sent is None or sent.course is None else sent.course.rates[held]
    # The first requests are sent before the first answer, with which the series begins.
    open_ = low == 0 and load.single
    on_chart = (-math.inf if open_ else bounds.begin_s, bounds.end_s)
    alone = (-math.inf if open_ else bounds.inner[0], bounds.inner[1])
    rate = float(inner.mean()) if inner.size else math.nan
    requests, errors, late = int(series.count[low:high].sum()), int(series.errors[low:high].sum()), 0
    if sent is not None:
        requests, errors = sent.counts(on_chart)
        late = sent.late(on_chart, bounds.end_s + _LONG_AFTER * every)
        if not inner.size or (rate == 0 and (after_gap or before_gap)):
            rate = sent.rate(on_chart)
        elif not any(low < gap and stop < high for gap, stop in parting):
            ends = low == 0 or after_gap, (high == len(series) and not waits) or before_gap
            found = sent.rate_of_level(on_chart, every, ends)
            rate = rate if math.isnan(found) else found
    start_s = max(0.0, begin + bounds.begin_s)
    if sent is not None and (low == 0 or after_gap):
        start_s = max(0.0, begin + sent.first_after(on_chart[0]))
    users = series.users if np.isnan(series.users).all() else filled(series.users, tuple(parting))
    survey = load.total.survey
    return TestLevel(
        start_s,
        min(begin + bounds.end_s, _until_s(survey)),
        float(np.median(users[low:high])),
        rate,
        requests,
        None if load.failed is None else errors,
        _quantiles(load, alone),
        alone,
        late,
        after_gap,
        before_gap,
        cut.ends,
        cut.of_users,
    )


def _quantiles(load: Load, between_s: tuple[float, float]) -> tuple[float, ...]:
    """Median, p95 and p99 in milliseconds of what `Load.during` has between two times; NaN without any."""
    try:
        data = load.during(between_s)
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
    end_s = len(series) * series.every_s
    return (_level(load, Cut(Stretch(0, len(series), ramp=False)), Bounds(0.0, end_s)),)
