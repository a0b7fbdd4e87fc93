"""Levels of concurrency found in a load test: stretches in which the number of users held still.

Ramps are left out, and of each level the warm-up: as much of its beginning as makes the standard error of the mean
throughput of the rest smallest, at most half (the marginal standard error rule, MSER [1]).

[1] White: An effective truncation heuristic for bias reduction in simulation output, Simulation 69(6), 1997.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError, InputError, TooFewError
from poolkeeper.latency.figures.means import mean
from poolkeeper.latency.ordered.courses import wave
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import amount, number, or_none, time
from poolkeeper.present.text import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.figures.estimate import Estimate
    from poolkeeper.record.run import Run
    from poolkeeper.results import Results
    from poolkeeper.results import Series as Intervals

_LEAST = 10
"""Intervals that a level must last."""
_SHORTEST = 3
"""Intervals below which a stretch is a piece of a ramp."""
_OF_LONGEST = 0.25
"""A stretch shorter than this part of the longest one is a step of a ramp."""
_STILL = 0.02
"""Users may differ by so much within a level, or by half a user."""
_SILENT = 14.0
"""Answers that should have come meanwhile: with so many expected, none comes once in a million times (Poisson)."""
_LISTED = 20
"""Stretches that are left out, each in a line."""
_CREEPING = 10
"""Levels from which a staircase of short and equal steps is a ramp."""
_FAILING = 0.01
_THINKING = 0.8


@dataclass(frozen=True, slots=True)
class LoadLevel:
    """A stretch of a test with a constant number of users, after its warm-up; times in seconds since the start."""

    users: float
    start_s: float
    end_s: float
    warm_up_s: float
    throughput: Estimate
    """Successful answers per second."""
    response_s: float
    """Mean response time; NaN if it was not given."""

    @property
    def in_system(self) -> float:
        """Requests in the system on average, X R by Little's law; NaN without response times."""
        return self.throughput.value * self.response_s


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A stretch that is not among the levels; times in seconds since the start."""

    users: float
    """The most."""
    start_s: float
    end_s: float
    why: str
    brief: bool = False
    """Whether its users held still, but not for long enough."""
    ramp: bool = False
    """Whether users came or went all the time."""
    level: LoadLevel | None = None
    """Figures of one that was held too short, its warm-up among them; None for others, and without an answer."""

    def __str__(self) -> str:
        """As a note has it: "40 users from 120 s to 126 s: held for 6.00 s, ..."."""
        users = "" if self.ramp else f"{amount(self.users)} users "
        return f"{users}from {self.start_s:,.0f} s to {self.end_s:,.0f} s: {self.why}"


@dataclass(frozen=True)
class LoadLevels:
    """The levels of a test in the order of time, and what must be known of them. A load may come more than once."""

    levels: tuple[LoadLevel, ...]
    notes: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()
    """Stretches that are no levels, in the order of time."""
    lists_left_out: bool = True
    """Whether notes of the table list them."""

    @classmethod
    def of_results(cls, results: Results, *, every_s: float = 1.0) -> Self:
        """The levels of a result file that says how many users there were (JTL: allThreads).

        Raises DataError if it does not, or if no level was held.
        """
        return cls.of_series(results.series(every_s), results.format)

    @classmethod
    def of_series(cls, series: Intervals, format_: str = "these") -> Self:
        """The same from what happened in each interval of results, in a format that messages name."""
        if np.isnan(series.users).all():
            raise DataError(
                f"users: {format_} results do not say how many there were (as allThreads of a JTL does, or vus of k6);"
                " give a file for each level, and the users of each: --users 10,20,40. Where the load is a rate of"
                " requests, capacity --by rate finds the levels of the rate"
            )
        return cls.of(
            series.users,
            series.count - series.errors,
            every_s=series.every_s,
            response_s=series.mean_ns / 1e9,
            all_=series.count,
        )

    @classmethod
    def of_run(cls, run: Run) -> Self:
        """The levels of a run record of the load generator; DataError if there is no load, or no level was held."""
        if run.load is None:
            raise DataError(f"{run.folder}: the record says nothing about its load")
        load = run.load
        lengths = load["end_s"] - load["start_s"]
        whole = lengths > 0.5 * np.median(lengths)  # the last interval may be cut off
        return cls.of(
            load["users"][whole],
            (load["requests"] - load["errors"])[whole],
            every_s=float(np.median(lengths)),
            response_s=load["mean_s"][whole],
            all_=load["requests"][whole],
        )

    @classmethod
    def of(
        cls,
        users: ArrayLike,
        completions: ArrayLike,
        *,
        every_s: float = 1.0,
        response_s: ArrayLike | None = None,
        all_: ArrayLike | None = None,
    ) -> Self:
        """The levels of a test seen in n intervals of `every_s` seconds.

        Args:
            users: in each interval, (n,); NaN where nobody could tell, which counts as the number before.
            completions: successful ones in each interval, (n,).
            every_s: length of an interval in seconds, above 0.
            response_s: mean response time of each interval in seconds, (n,), NaN without a completion.
            all_: all completions in each interval, (n,), to tell how many failed.

        Raises:
            DataError: for lengths that differ, negative counts, and users that never held still for ten intervals.
        """
        if not (math.isfinite(every_s) and every_s > 0):
            raise InputError(f"every_s: {every_s:g} is not above 0")
        n = filled(users)
        x = vector(completions, "completions")
        if n.size != x.size:
            raise DataError(f"users and completions: {n.size} and {x.size} intervals")
        if x.min() < 0:
            raise DataError(f"completions: {x.min():g} is negative")
        r = np.full(x.size, np.nan) if response_s is None else np.asarray(response_s, dtype=np.float64)
        _refuse_wave(n, every_s)
        stretches = _stretches(n)
        kept, left_out = _sorted_out(n, stretches, every_s)
        busy = [_busy(x, part) for part in kept]
        found = []
        for whole, part in zip(kept, busy, strict=True):
            level = _level(n, x, r, part, every_s) if part.stop - part.start >= _LEAST else None
            if level is not None and level.users >= 1 and level.throughput.value > 0:
                found.append(level)
                continue
            why = "no request succeeded" if level is not None else "requests succeeded in a small part of it only"
            left_out.append(LeftOut(n[whole].max(), whole.start * every_s, whole.stop * every_s, why))
        if not found:
            ramps = "; ".join(str(other) for other in left_out[:_SHORTEST] if other.ramp)
            why = f" ({ramps})" if ramps else ""
            raise TooFewError(f"levels of users held for at least {_LEAST} intervals of {every_s:g} s{why}", 0, 1)
        failed = 0.0 if all_ is None else 1 - float(x.sum()) / max(1.0, float(np.sum(all_)))
        idle = sum(part.stop - part.start for part in kept) - sum(part.stop - part.start for part in busy)
        notes = (*_gaps(idle * every_s), *_notes(found, failed))
        others = sorted(left_out, key=lambda entry: entry.start_s)
        return cls(tuple(found), notes, tuple(_with_figures(other, n, x, r, every_s) for other in others))

    @property
    def users(self) -> Floats:
        """Users of each level, (m,)."""
        return np.array([level.users for level in self.levels])

    @property
    def throughput(self) -> Floats:
        """Successful answers per second at each level, (m,)."""
        return np.array([level.throughput.value for level in self.levels])

    @property
    def in_system(self) -> Floats:
        """Requests in the system at each level, X R, (m,): the concurrency of a law where users think."""
        return np.array([level.in_system for level in self.levels])

    def table(self) -> Table:
        """A row a level."""
        rows = tuple(
            (
                amount(level.users),
                level.start_s,
                level.end_s - level.start_s,
                level.warm_up_s,
                level.throughput.value,
                level.throughput.low if level.throughput.has_interval else None,
                level.throughput.high if level.throughput.has_interval else None,
                None if math.isnan(level.response_s) else 1000 * level.response_s,
            )
            for level in self.levels
        )
        columns = (
            "users",
            "from [s]",
            "lasts [s]",
            "warm-up [s]",
            "answers/s",
            "95 % from",
            "to",
            "mean response [ms]",
        )
        listed = self.left_out if self.lists_left_out else ()
        left_out = tuple(f"left out: {other}" for other in listed[:_LISTED])
        more = len(listed) - len(left_out)
        left_out += (f"left out: {more:,} more",) if more > 0 else ()
        return Table(f"{counted(len(self.levels), 'level')} of users", columns, rows, (*self.notes, *left_out))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "levels": [
                {
                    "users": level.users,
                    "start_s": level.start_s,
                    "end_s": level.end_s,
                    "warm_up_s": level.warm_up_s,
                    "throughput": level.throughput.to_dict(),
                    "response_s": or_none(level.response_s),
                }
                for level in self.levels
            ],
            "left_out": [
                {"users": other.users, "start_s": other.start_s, "end_s": other.end_s, "why": other.why}
                for other in self.left_out
            ],
            "notes": list(self.notes),
        }

    def plot(self) -> Chart:
        """Throughput over users."""
        order = np.argsort(self.users, kind="stable")
        x, y = (tuple(map(float, values[order])) for values in (self.users, self.throughput))
        points = Series("levels", x, y, Kind.POINTS)
        return Chart("Throughput by level", Axis("users"), Axis("answers/s"), (points,), notes=self.notes)


def filled(users: ArrayLike) -> Floats:
    """Users with the number before where nobody could tell; raises DataError where nobody ever could."""
    n = np.array(users, dtype=np.float64)
    usable = np.flatnonzero(~np.isnan(n))
    if not usable.size:
        raise DataError("users: no interval says how many there were")
    before = usable[np.maximum(0, np.searchsorted(usable, np.arange(n.size), side="right") - 1)]
    return vector(n[before], "users")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Intervals of a test in which the users held still, or came or went all the time."""

    begin: int
    end: int
    ramp: bool


def stretches(users: ArrayLike) -> list[Stretch]:
    """Levels and ramps of users (n,) that last ten intervals or more, in order; NaN counts as the number before.

    Raises DataError where no interval says how many there were.
    """
    numbers = filled(users)
    kept, others = _sorted_out(numbers, _stretches(numbers), 1.0)
    found = [Stretch(part.start, part.stop, ramp=False) for part in kept]
    found += [Stretch(round(other.start_s), round(other.end_s), other.ramp) for other in others]
    return sorted((each for each in found if each.end - each.begin >= _LEAST), key=lambda each: each.begin)


def _stretches(users: Floats) -> list[slice]:
    """All stretches in which users hold still, one after another."""
    found: list[slice] = []
    start = 0
    low = high = users[0]
    for k in range(1, users.size + 1):
        if k < users.size:
            lower, higher = min(low, users[k]), max(high, users[k])
            if higher - lower <= max(0.5, _STILL * higher):
                low, high = lower, higher
                continue
            low = high = users[k]
        found.append(slice(start, k))
        start = k
    return found


def _sorted_out(users: Floats, stretches: list[slice], every_s: float) -> tuple[list[slice], list[LeftOut]]:
    """The stretches that are levels, and the others with the reason; those of a ramp as a single entry."""
    stretches = _joined(users, stretches)
    still = [part for part in stretches if part.stop - part.start >= _LEAST and not _drifts(users[part])]
    longest = max((part.stop - part.start for part in still), default=0)
    kept: list[slice] = []
    left_out: list[LeftOut] = []
    ramp: slice | None = None

    def end(ramp: slice | None) -> None:
        if ramp is not None and ramp.stop - ramp.start >= _SHORTEST:
            ends = f"a ramp, from {amount(users[ramp.start])} to {amount(users[ramp.stop - 1])} users"
            left_out.append(LeftOut(users[ramp].max(), ramp.start * every_s, ramp.stop * every_s, ends, ramp=True))

    for part in stretches:
        size = part.stop - part.start
        if size < _SHORTEST or (_drifts(users[part]) if size >= _LEAST else _creeps(users, part)):
            ramp = slice(part.start if ramp is None else ramp.start, part.stop)
            continue
        end(ramp)
        ramp = None
        if size >= _LEAST and size >= _OF_LONGEST * longest:
            kept.append(part)
            continue
        lasted = f"held for {time(size * every_s)}"
        least = (
            f"less than {time(_LEAST * every_s)}"
            if size < _LEAST
            else f"less than a quarter of the longest level, {time(longest * every_s)}"
        )
        level = float(np.median(users[part]))
        left_out.append(LeftOut(level, part.start * every_s, part.stop * every_s, f"{lasted}, {least}", brief=True))
    end(ramp)
    return kept, left_out


def _joined(users: Floats, stretches: list[slice]) -> list[slice]:
    """Stretches, of which those that creep are one: ten and more short levels in a row, all up or all down, alike.

    So load generators start or stop their users, one after another: it is a ramp, however still each of them held.
    """
    levels = [float(np.median(users[part])) for part in stretches]
    changes = np.diff(levels)
    found: list[slice] = []
    first = 0
    while first < len(stretches):
        last = first
        while last + 1 < len(stretches) and _short(stretches[last + 1]) and changes[last] * changes[first] > 0:
            last += 1
        steps = np.abs(changes[first:last])
        creeps = last - first + 1 >= _CREEPING and _short(stretches[first]) and steps.max() <= 2 * steps.mean()
        last = last if creeps else first
        found.append(slice(stretches[first].start, stretches[last].stop))
        first = last + 1
    return found


def _short(part: slice) -> bool:
    return bool(part.stop - part.start < 2 * _LEAST)


def _with_figures(other: LeftOut, users: Floats, completions: Floats, response: Floats, every_s: float) -> LeftOut:
    """The same with its figures if it was held too short, which is too short to find its warm-up in it, too."""
    part = slice(round(other.start_s / every_s), round(other.end_s / every_s))
    counts = completions[part]
    if not (other.brief and counts.sum() > 0 and users[part].max() >= 1):
        return other
    answered = ~np.isnan(response[part]) & (counts > 0)
    mean_s = float(np.average(response[part][answered], weights=counts[answered])) if answered.any() else math.nan
    rate = mean(counts / every_s)
    return replace(other, level=LoadLevel(other.users, other.start_s, other.end_s, 0.0, rate, mean_s))


def _busy(completions: Floats, part: slice) -> slice:
    """A stretch without the silence at its ends, in which its users had not come yet, or had left.

    Silence is so long without an answer that the rate of the rest, were answers independent, would hardly allow it.
    """
    counts = completions[part]
    answered = np.flatnonzero(counts)
    if not answered.size:
        return part
    first, last = int(answered[0]), int(answered[-1]) + 1
    expected = counts[first:last].mean()
    start = part.start + (first if first * expected > _SILENT else 0)
    stop = part.start + last if (counts.size - last) * expected > _SILENT else part.stop
    return slice(start, stop)


def _refuse_wave(users: Floats, every_s: float) -> None:
    """Raise DataError for users that rise and fall in waves, whose crests and troughs are no levels."""
    found = wave(users)
    if found is not None and found.high - found.low > max(1.0, 2 * _STILL * found.high):
        ends = f"between {amount(round(max(0.0, found.low)))} and {amount(round(found.high))}"
        words = f"their number rises and falls in waves of {time(found.period * every_s)}, {ends}"
        raise DataError(f"users: {words}: no level was held; hold each for a minute, say")


def _drifts(users: Floats) -> bool:
    """Whether a stretch is a piece of a ramp: its ends lie as far apart as a level may spread."""
    third = users.size // 3
    return bool(abs(users[-third:].mean() - users[:third].mean()) > max(0.25, _STILL / 2 * users.max()))


def _creeps(users: Floats, part: slice) -> bool:
    """Whether a short stretch is a piece of a ramp: the users before it and after it are hardly others."""
    least = max(1.0, 2 * _STILL * users[part].max())
    entered = part.start == 0 or abs(users[part.start] - users[part.start - 1]) <= least
    left = part.stop == users.size or abs(users[part.stop] - users[part.stop - 1]) <= least
    return bool(entered and left)


def _level(users: Floats, completions: Floats, response: Floats, part: slice, every_s: float) -> LoadLevel:
    """A level without its first and last interval, in which users came or went, and without its warm-up."""
    inner = slice(part.start + 1, part.stop - 1)
    cut = _warm_up(completions[inner])
    kept = slice(inner.start + cut, inner.stop)
    counts = completions[kept]
    answered = ~np.isnan(response[kept]) & (counts > 0)
    weight = counts[answered]
    mean_s = float(weight @ response[kept][answered] / weight.sum()) if answered.any() else math.nan
    rate = mean(counts / every_s)
    start = part.start * every_s
    return LoadLevel(
        float(np.median(users[part])), start, part.stop * every_s, (kept.start - part.start) * every_s, rate, mean_s
    )


def _warm_up(counts: Floats) -> int:
    """Number of intervals to leave out: those without which the standard error of the rest's mean is smallest [1]."""
    best, least = 0, math.inf
    for cut in range(counts.size // 2 + 1):
        rest = counts[cut:]
        error = float(((rest - rest.mean()) ** 2).sum()) / rest.size**2
        if error < least:
            best, least = cut, error
    return best


def _gaps(idle_s: float) -> tuple[str, ...]:
    return (f"{time(idle_s)} at the ends of levels had no request, and were left out",) if idle_s else ()


def _notes(levels: list[LoadLevel], failed: float) -> tuple[str, ...]:
    messages = []
    if failed > _FAILING:
        messages.append(f"{number(100 * failed, 2)} % of the requests failed; they are not in the throughput")
    thinking = [level.in_system / level.users for level in levels if not math.isnan(level.response_s)]
    if thinking and min(thinking) < _THINKING:
        messages.append(
            f"at one level only {number(100 * min(thinking), 2)} % of the users have a request in the system: they"
            " think between requests, or the load generator does not keep up; a scalability law is about requests in"
            " the system, so fit it over X R (`in_system`, or usl --over requests) rather than over users"
        )
    unsettled = [amount(level.users) for level in levels if level.warm_up_s >= 0.45 * (level.end_s - level.start_s)]
    if unsettled:
        messages.append(f"the throughput had hardly settled at {', '.join(unsettled)} users: hold levels longer")
    return tuple(messages)
