"""Stretches of a test in which the number of users held still, and those that are no levels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError
from poolkeeper.latency.ordered.courses import wave
from poolkeeper.present.numbers import amount, time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Booleans, Floats
    from poolkeeper.scalability.levels import LoadLevel

    Gaps = Sequence[tuple[int, int]]
    """Begin and end of the intervals between two tests, in order."""

LEAST = 10
"""Intervals that a level must last."""
SHORTEST = 3
"""Intervals below which a stretch is a piece of a ramp."""
_OF_LONGEST = 0.25
"""A stretch shorter than this part of the longest one is a step of a ramp."""
_STILL = 0.02
"""Users may differ by so much within a level, or by half a user."""
_WAVERING = 2.0
"""Users by which a ramp may go back on its way, or ..."""
_WORTH = 0.1
"""... that part of those that come or go in it."""
_AT_ONCE = 1 << 16
"""Intervals whose running medians are made at once."""
_FAR, _VERY_FAR = 0.25, 2.0
"""Least relative change of the users in a spike, and the ratio from which it is no habit of a load."""
_BACK = 0.5
"""Part of a spike by which users may differ before and after it."""
_MOST = 5
"""More spikes are a habit of the load, such as of users each of whom another one follows."""
_LEVEL, _RAMP, _SPIKE = "level", "ramp", "spike"
_NOISES = 2.0
"""Standard deviations of their noise by which users may differ within a level."""
_NORMAL = 0.6745
"""Median of the absolute value of a standard normal variable."""
_CREEPING = 10
"""Levels from which a staircase of short and equal steps is a ramp."""


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
    spike: bool = False
    """Whether the users before and after it were far more, or far fewer."""
    dead: bool = False
    """Whether there were requests, and none succeeded, or only some at its beginning."""
    level: LoadLevel | None = None
    """Figures of one that was held too short, its warm-up among them; None for others, and without an answer."""

    def __str__(self) -> str:
        """As a note has it: "40 users from 120 s to 126 s: held for 6.00 s, ..."."""
        users = "" if self.ramp else f"{amount(self.users)} users "
        return f"{users}from {self.start_s:,.0f} s to {self.end_s:,.0f} s: {self.why}"


def tests(size: int, gaps: Gaps) -> list[slice]:
    """The intervals of each test, out of `size` intervals: those between the gaps."""
    ends = [0, *(edge for gap in gaps for edge in gap), size]
    return [slice(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if high > low]


def filled(users: ArrayLike, gaps: Gaps = ()) -> Floats:
    """Users, where unknown the previous number of the test, or its first. Raises DataError if all are unknown."""
    n = np.array(users, dtype=np.float64)
    for test in tests(n.size, gaps):
        if (given := np.flatnonzero(~np.isnan(n[test]))).size:
            n[test.start : test.start + given[0]] = n[test.start + given[0]]
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
    spike: bool = False
    """Whether the users before and after it are far more, or far fewer."""


def stretches(users: ArrayLike, gaps: Gaps = ()) -> list[Stretch]:
    """Levels and ramps of users (n,) that last ten intervals or more, and spikes, in order.

    NaN counts as the number before. Of several tests with gaps between them, one that has neither is a level. Raises
    DataError where no interval says how many there were.
    """
    numbers = filled(users, gaps)
    kept, others = sorted_out(numbers, gaps, 1.0)
    found = [Stretch(part.start, part.stop, ramp=False) for part in kept]
    for other in others:
        begin, end = round(other.start_s), round(other.end_s)
        found.append(Stretch(begin, end, other.ramp and bool(np.ptp(numbers[begin:end]) >= 1), other.spike))
    found = [each for each in found if each.spike or each.end - each.begin >= LEAST]
    for test in tests(numbers.size, gaps) if gaps else ():
        if not any(test.start <= each.begin < test.stop for each in found):
            found.append(Stretch(test.start, test.stop, ramp=False))
    return sorted(found, key=lambda each: each.begin)


def alike(users: float, others: float, noise: float = 0.0) -> bool:
    """Whether two numbers of users are of one level, which has some `noise`."""
    return abs(others - users) <= max(0.5, _STILL * max(users, others), _NOISES * noise)


def held_still(users: Floats, noise: float) -> list[slice]:
    """All stretches in which users hold still, but for their `noise`, one after another."""
    found: list[slice] = []
    start = 0
    low = high = users[0]
    for k in range(1, users.size + 1):
        if k < users.size:
            lower, higher = min(low, users[k]), max(high, users[k])
            if alike(lower, higher, noise):
                low, high = lower, higher
                continue
            low = high = users[k]
        found.append(slice(start, k))
        start = k
    return found


def _steadied(users: Floats) -> Floats:
    """Running medians, at the ends of as many values as there are on both sides.

    Steps and ramps stay as they are; stretches of less than ten intervals that users come back from are gone.
    """
    found = users.copy()
    if not np.ptp(users):
        return found
    for place in (*range(min(LEAST, users.size)), *range(max(LEAST, users.size - LEAST), users.size)):
        reach = min(place, users.size - 1 - place)
        found[place] = np.median(users[place - reach : place + reach + 1])
    width = 2 * LEAST + 1
    for begin in range(0, users.size - width + 1, _AT_ONCE):
        windows = np.lib.stride_tricks.sliding_window_view(users[begin : begin + _AT_ONCE + width - 1], width)
        found[begin + LEAST : begin + LEAST + len(windows)] = np.median(windows, axis=1)
    return found


def _spikes(users: Floats, level: Floats) -> list[slice]:
    """Short stretches in which users are far off their level; many that are not that far are a habit of the load."""
    found = []
    for part in (part for way in (1, -1) for part in _runs(way * (users - level) >= np.maximum(1, _FAR * level))):
        if part.stop - part.start >= SHORTEST and _comes_back(users, part):
            off, held = (float(np.median(values[part])) for values in (users, level))
            found.append((part, max(off, held) >= _VERY_FAR * min(off, held)))
    few = len(found) <= _MOST
    return sorted((part for part, far in found if few or far), key=lambda part: part.start)


def _comes_back(users: Floats, part: slice) -> bool:
    """Whether users are hardly others after a stretch than before it, by what they are in it; a pause is one anyhow."""
    sides = users[max(0, part.start - LEAST) : part.start], users[part.stop : part.stop + LEAST]
    if not min(side.size for side in sides):
        return False
    within, (before, after) = float(np.median(users[part])), (float(np.median(side)) for side in sides)
    return within == 0 or abs(after - before) < _BACK * abs(within - (before + after) / 2)


def _runs(held: Booleans) -> list[slice]:
    """Runs of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], held.astype(np.int8), [0]))))
    return [slice(int(low), int(high)) for low, high in zip(edges[::2], edges[1::2], strict=True)]


def sorted_out(users: Floats, gaps: Gaps, every_s: float) -> tuple[list[slice], list[LeftOut]]:
    """The stretches of each test that are levels, and the others with the reason; those of a ramp as a single entry."""
    parts = [part for test in tests(users.size, gaps) for part in _of_test(users, test)]
    longest = max((part.stop - part.start for part, kind in parts if kind != _RAMP), default=0)
    kept: list[slice] = []
    left_out: list[LeftOut] = []
    for part, kind in parts:
        size = part.stop - part.start
        if kind == _RAMP:
            ends = f"a ramp, from {amount(users[part.start])} to {amount(users[part.stop - 1])} users"
            if size >= SHORTEST:
                left_out.append(LeftOut(users[part].max(), part.start * every_s, part.stop * every_s, ends, ramp=True))
            continue
        if size >= LEAST and size >= _OF_LONGEST * longest:
            kept.append(part)
            continue
        lasted = f"held for {time(size * every_s)}"
        least = (
            f"less than {time(LEAST * every_s)}"
            if size < LEAST
            else f"less than a quarter of the longest level, {time(longest * every_s)}"
        )
        level, begin_s, end_s = float(np.median(users[part])), part.start * every_s, part.stop * every_s
        left_out.append(LeftOut(level, begin_s, end_s, f"{lasted}, {least}", brief=True, spike=kind == _SPIKE))
    return kept, left_out


def _of_test(users: Floats, test: slice) -> Iterator[tuple[slice, str]]:
    """The stretches of a test, each a level, a ramp or a spike; spikes part the levels and ramps that they lie in."""
    level = users.copy()
    level[test] = _steadied(users[test])
    spikes = [slice(test.start + part.start, test.start + part.stop) for part in _spikes(users[test], level[test])]
    for part, ramp in _levels(users, level, test):
        begin = part.start
        for spike in spikes:
            if begin < min(spike.stop, part.stop) and spike.start < part.stop:
                if spike.start > begin:
                    yield slice(begin, spike.start), _RAMP if ramp else _LEVEL
                if part.start <= spike.start:
                    yield spike, _SPIKE
                begin = max(begin, spike.stop)
        if begin < part.stop:
            yield slice(begin, part.stop), _RAMP if ramp else _LEVEL


def _levels(users: Floats, level: Floats, test: slice) -> Iterator[tuple[slice, bool]]:
    """The levels and ramps of a test, each with whether it is a ramp, the pieces of which are one."""
    numbers = level[test]
    # Users each of whom another one follows are fewer for a moment now and then.
    noise = float(np.median(np.abs(users[test] - numbers))) / _NORMAL
    parts = _joined(numbers, _as_one(numbers, held_still(numbers, noise), noise))
    for ramp, pieces in groupby(parts, key=lambda part: _moves(numbers, part, noise)):
        found = [slice(test.start + part.start, test.start + part.stop) for part in pieces]
        for part in _ramps(users, slice(found[0].start, found[-1].stop)) if ramp else found:
            yield part, ramp


def _ramps(users: Floats, part: slice) -> Iterator[slice]:
    """The ramps of a stretch in which users come and go: each ends where their number turns."""
    begin = part.start
    for turn in _turns(users[part]):
        yield slice(begin, part.start + turn)
        begin = part.start + turn
    yield slice(begin, part.stop)


def _turns(users: Floats) -> Iterator[int]:
    """Places behind which users go where they came, or come where they went, by more than they waver on their way."""
    least = max(_WAVERING, _WORTH * float(np.ptp(users)))
    # The place of the most users and of the fewest since the last turn, one of which is the next turn.
    most = fewest = 0
    rises: bool | None = None
    for place, number in enumerate(users):
        if number >= users[most]:
            most = place
        if number <= users[fewest]:
            fewest = place
        if rises is not False and users[most] - number >= least:
            if rises:
                yield most + 1
            rises, fewest = False, place
        elif rises is not True and number - users[fewest] >= least:
            if rises is False:
                yield fewest + 1
            rises, most = True, place


def _as_one(users: Floats, parts: list[slice], noise: float) -> list[slice]:
    """Stretches, of which neighbours whose users are alike are one."""
    found: list[slice] = []
    for part in parts:
        before = found[-1] if found else None
        if before is not None and alike(float(np.median(users[before])), float(np.median(users[part])), noise):
            found[-1] = slice(before.start, part.stop)
        else:
            found.append(part)
    return found


def _moves(users: Floats, part: slice, noise: float) -> bool:
    """Whether a stretch is a piece of a ramp."""
    size = part.stop - part.start
    return size < SHORTEST or (_drifts(users[part], noise) if size >= LEAST else _creeps(users, part))


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
    return bool(part.stop - part.start < 2 * LEAST)


def refuse_wave(users: Floats, every_s: float) -> None:
    """Raise DataError for users that rise and fall in waves, whose crests and troughs are no levels."""
    found = wave(users)
    if found is not None and found.high - found.low > max(1.0, 2 * _STILL * found.high):
        ends = f"between {amount(round(max(0.0, found.low)))} and {amount(round(found.high))}"
        words = f"their number rises and falls in waves of {time(found.period * every_s)}, {ends}"
        raise DataError(f"users: {words}: no level was held; hold each for a minute, say")


def _drifts(users: Floats, noise: float) -> bool:
    """Whether a stretch is a piece of a ramp: its ends lie as far apart as a level may spread."""
    third = users.size // 3
    least = max(0.25, _STILL / 2 * users.max(), _NOISES / 2 * noise)
    return bool(abs(users[-third:].mean() - users[:third].mean()) > least)


def _creeps(users: Floats, part: slice) -> bool:
    """Whether a short stretch is a piece of a ramp: the users before it and after it are hardly others."""
    least = max(1.0, 2 * _STILL * users[part].max())
    entered = part.start == 0 or abs(users[part.start] - users[part.start - 1]) <= least
    left = part.stop == users.size or abs(users[part.stop] - users[part.stop - 1]) <= least
    return bool(entered and left)
