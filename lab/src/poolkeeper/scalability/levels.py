"""Levels of concurrency found in a load test: stretches in which the number of users held still.

Ramps are left out, and of each level the warm-up (`poolkeeper.scalability.warm_up`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.figures.means import mean
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import amount, number, or_none, percent, time
from poolkeeper.present.text import counted
from poolkeeper.scalability.stretches import (
    LEAST,
    SHORTEST,
    LeftOut,
    filled,
    refuse_wave,
    sorted_out,
)
from poolkeeper.scalability.warm_up import changes_of, warm_up
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.figures.estimate import Estimate
    from poolkeeper.record.run import Run
    from poolkeeper.results import Results
    from poolkeeper.results import Series as Intervals

_SILENT = 14.0
"""Answers that should have come meanwhile: with so many expected, none comes once in a million times (Poisson)."""
_LISTED = 20
"""Stretches that are left out, each in a line."""
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
    in_system: float
    """Requests in the system on average, failed ones among them, by Little's law; NaN without response times."""
    answered: float
    """Requests answered per second, failed ones among them."""
    failing: float
    """Share of the requests that failed, 0 to 1; 0 where that is not known."""
    until_s: float
    """When the last of its requests that count were sent: after `end_s`, where no answer came at the end.

    Before it where another level follows, whose users may have come within the last interval already.
    """
    parts: tuple[tuple[float, float], ...] = ()
    """Begin of each part between steps of the response times, and its median in seconds; empty where they hold."""


@dataclass(frozen=True)
class LoadLevels:
    """The levels of a test in the order of time, with warnings. A load may come more than once."""

    levels: tuple[LoadLevel, ...]
    notes: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()
    """Stretches that are no levels, in the order of time."""
    lists_left_out: bool = True
    """Whether notes of the table list them."""

    @classmethod
    def of_results(cls, results: Results, *, every_s: float = 1.0) -> Self:
        """The levels of a result file that holds the number of users (JTL: allThreads).

        Raises DataError if it does not, or if no level was held.
        """
        successes = results.cut(ok=True).survey(every=every_s).series if "ok" in results.columns else None
        return cls.of_series(results.series(every_s), results.format, of_interest=successes)

    @classmethod
    def of_series(
        cls,
        series: Intervals,
        format_: str = "these",
        *,
        of_interest: Intervals | None = None,
        gaps: Sequence[tuple[int, int]] | None = None,
    ) -> Self:
        """The same from the intervals of results, in a format that messages name.

        The mean response times of levels are those of the requests `of_interest`, or of all. `gaps` between two tests
        are those in which no answer came, unless it is known when requests were sent.
        """
        if np.isnan(series.users).all():
            raise DataError(
                f"users: {format_} results do not say how many there were (as allThreads of a JTL does, or vus of k6);"
                " give a file for each level, and the users of each: --users 10,20,40. Where the load is a rate of"
                " requests, capacity --by rate finds the levels of the rate"
            )
        shown = series if of_interest is None else of_interest
        return cls.of(
            series.users,
            series.count - series.errors,
            every_s=series.every_s,
            response_s=_placed(shown.mean_ns, shown, series),
            usual_s=_placed(shown.quantile(0.5), shown, series),
            all_=series.count,
            busy_s=np.nan_to_num(series.mean_ns * series.count) / NS,
            gaps=series.gaps if gaps is None else gaps,
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
    def of(  # noqa: PLR0913 - settings by name
        cls,
        users: ArrayLike,
        completions: ArrayLike,
        *,
        every_s: float = 1.0,
        response_s: ArrayLike | None = None,
        usual_s: ArrayLike | None = None,
        all_: ArrayLike | None = None,
        busy_s: ArrayLike | None = None,
        gaps: Sequence[tuple[int, int]] = (),
    ) -> Self:
        """The levels of a test seen in n intervals of `every_s` seconds.

        Args:
            users: in each interval, (n,); NaN where nobody could tell, which counts as the number before.
            completions: successful ones in each interval, (n,).
            every_s: length of an interval in seconds, above 0.
            response_s: mean response time of each interval in seconds, (n,), NaN without a completion.
            usual_s: median response time of each interval, by which a warm-up is told, (n,); by default the mean.
            all_: all completions in each interval, (n,), to tell how many failed.
            busy_s: sum of the response times of all of them, (n,); by default that of successes.
            gaps: begin and end of intervals between two tests, which are part of no level.

        Raises:
            DataError: for lengths that differ, negative counts, and users that never held still for ten intervals.
        """
        if not (math.isfinite(every_s) and every_s > 0):
            raise InputError(f"every_s: {every_s:g} is not above 0")
        n = filled(users, gaps)
        x = vector(completions, "completions")
        if n.size != x.size:
            raise DataError(f"users and completions: {n.size} and {x.size} intervals")
        if x.min() < 0:
            raise DataError(f"completions: {x.min():g} is negative")
        r = np.full(x.size, np.nan) if response_s is None else np.asarray(response_s, dtype=np.float64)
        usual = r if usual_s is None else np.asarray(usual_s, dtype=np.float64)
        spent = x * np.nan_to_num(r) if busy_s is None else np.asarray(busy_s, dtype=np.float64)
        whole_load = x if all_ is None else np.asarray(all_, dtype=np.float64)
        measured = _Measured(n, x, whole_load, r, usual, spent, every_s)
        refuse_wave(n, every_s)
        kept, left_out = sorted_out(n, gaps, every_s)
        kept = [part for part in kept if n[part].any()]  # a pause is no level
        busy = [_busy(x, part) for part in kept]
        found = []
        for whole, part in zip(kept, busy, strict=True):
            level = measured.level(part) if part.stop - part.start >= LEAST else None
            if level is not None and level.users >= 1 and level.throughput.value > 0:
                follows = part.stop == whole.stop < n.size and whole.stop not in {begin for begin, _ in gaps}
                found.append(replace(level, until_s=(whole.stop - follows) * every_s))
                lost = int((whole_load - x)[part.stop : whole.stop].sum())
                if lost:
                    why = f"no request succeeded any more, {lost:,} failed"
                    left_out.append(LeftOut(level.users, part.stop * every_s, whole.stop * every_s, why))
                continue
            why = "no request succeeded" if level is not None else "requests succeeded in a small part of it only"
            users_of = float(n[whole].max())
            dead = users_of >= 1 and measured.is_dead(whole)
            left_out.append(LeftOut(users_of, whole.start * every_s, whole.stop * every_s, why, dead=dead))
        if not found:
            ramps = "; ".join(str(other) for other in left_out[:SHORTEST] if other.ramp)
            why = f" ({ramps})" if ramps else ""
            words = f"users: no number of them was held for {LEAST * every_s:g} s or more{why}"
            raise DataError(f"{words}: hold each longer, or give a file for each of them with --users 10,20,40")
        failed = 1 - float(x.sum()) / max(1.0, float(whole_load.sum()))
        idle = sum(part.stop - part.start for part in kept) - sum(part.stop - part.start for part in busy)
        notes = (*_gaps(idle * every_s), *_notes(found, failed))
        others = sorted(left_out, key=lambda entry: entry.start_s)
        return cls(tuple(found), notes, tuple(map(measured.with_figures, others)))

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


@dataclass(frozen=True, eq=False)
class _Measured:
    """Measurements of each interval of `every_s` seconds; all arrays have shape (n,)."""

    users: Floats
    completions: Floats
    """Successful ones."""
    requests: Floats
    """All of them."""
    response_s: Floats
    """Mean response times, NaN where there is none."""
    usual_s: Floats
    """Usual ones, by which a warm-up is told."""
    busy_s: Floats
    """Sum of the response times of all requests, failed ones among them."""
    every_s: float

    def level(self, part: slice) -> LoadLevel:
        """A level without its first and last interval, in which users came or went, and without its warm-up."""
        inner = slice(part.start + 1, part.stop - 1)
        cut = warm_up(self.completions[inner], self.usual_s[inner])
        kept = slice(inner.start + cut, inner.stop)
        found = self._figures(part, kept, float(np.median(self.users[part])))
        return replace(found, parts=self._parts(kept))

    def _parts(self, kept: slice) -> tuple[tuple[float, float], ...]:
        """The parts of a level between steps of its response times; none without a step."""
        changes = changes_of(self.usual_s[kept])
        begins = [kept.start + place for place in (0, *changes)] if changes else []
        return tuple(
            (begin * self.every_s, float(np.nanmedian(self.usual_s[begin:end])))
            for begin, end in zip(begins, [*begins[1:], kept.stop], strict=bool(begins))
        )

    def with_figures(self, other: LeftOut) -> LeftOut:
        """The same with its figures if it was held too short, which is too short to find its warm-up in it, too."""
        part = slice(round(other.start_s / self.every_s), round(other.end_s / self.every_s))
        if not (other.brief and self.completions[part].sum() > 0 and self.users[part].max() >= 1):
            return other
        return replace(other, level=self._figures(part, part, other.users))

    def is_dead(self, part: slice) -> bool:
        """Whether requests came in the second half of a level, and none succeeded.

        The first ones to succeed may be those of the level before.
        """
        half = slice((part.start + part.stop) // 2, part.stop)
        return bool(self.requests[half].any()) and not self.completions[half].any()

    def _figures(self, part: slice, kept: slice, users: float) -> LoadLevel:
        """A level out of those of its intervals that are kept."""
        counts, response = self.completions[kept], self.response_s[kept]
        answered = ~np.isnan(response) & (counts > 0)
        return LoadLevel(
            users,
            part.start * self.every_s,
            part.stop * self.every_s,
            (kept.start - part.start) * self.every_s,
            mean(counts / self.every_s),
            float(np.average(response[answered], weights=counts[answered])) if answered.any() else math.nan,
            float(self.busy_s[kept].mean()) / self.every_s if answered.any() else math.nan,
            float(self.requests[kept].mean()) / self.every_s,
            1 - float(counts.sum()) / max(1.0, float(self.requests[kept].sum())),
            part.stop * self.every_s,
        )


def _placed(values_ns: Floats, series: Intervals, total: Intervals) -> Floats:
    """Response times of the intervals of a series in seconds, in those of another one; NaN where it has none."""
    found = np.full(len(total), np.nan)
    place = (series.start_ns - total.start_ns[0]) // round(total.every_s * NS)
    held = (place >= 0) & (place < found.size)
    found[place[held]] = values_ns[held] / NS
    return found


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


def _gaps(idle_s: float) -> tuple[str, ...]:
    return (f"{time(idle_s)} at the ends of levels had no answer, and were left out",) if idle_s else ()


def _notes(levels: list[LoadLevel], failed: float) -> tuple[str, ...]:
    messages = []
    if failed > _FAILING:
        messages.append(f"{percent(failed, 2)} % of the requests failed; they are not in the throughput")
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
