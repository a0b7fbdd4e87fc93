"""Stretches of a test in which the number of users held still, and those that are no levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError
from poolkeeper.latency.ordered.courses import wave
from poolkeeper.present.numbers import amount, time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.scalability.levels import LoadLevel

LEAST = 10
"""Intervals that a level must last."""
SHORTEST = 3
"""Intervals below which a stretch is a piece of a ramp."""
_OF_LONGEST = 0.25
"""A stretch shorter than this part of the longest one is a step of a ramp."""
_STILL = 0.02
"""Users may differ by so much within a level, or by half a user."""
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
    dead: bool = False
    """Whether there were requests, and none succeeded, or only some at its beginning."""
    level: LoadLevel | None = None
    """Figures of one that was held too short, its warm-up among them; None for others, and without an answer."""

    def __str__(self) -> str:
        """As a note has it: "40 users from 120 s to 126 s: held for 6.00 s, ..."."""
        users = "" if self.ramp else f"{amount(self.users)} users "
        return f"{users}from {self.start_s:,.0f} s to {self.end_s:,.0f} s: {self.why}"


def filled(users: ArrayLike) -> Floats:
    """Users with gaps filled by the previous number. Raises DataError if all are unknown."""
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
    kept, others = sorted_out(numbers, held_still(numbers), 1.0)
    found = [Stretch(part.start, part.stop, ramp=False) for part in kept]
    found += [Stretch(round(other.start_s), round(other.end_s), other.ramp) for other in others]
    return sorted((each for each in found if each.end - each.begin >= LEAST), key=lambda each: each.begin)


def held_still(users: Floats) -> list[slice]:
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


def parted(stretches: list[slice], gaps: Iterable[tuple[int, int]]) -> list[slice]:
    """Stretches without the gaps between two tests, in which nobody knows of any users."""
    for begin, end in gaps:
        sides = (
            (slice(part.start, min(part.stop, begin)), slice(max(part.start, end), part.stop)) for part in stretches
        )
        stretches = [side for both in sides for side in both if side.stop > side.start]
    return stretches


def sorted_out(users: Floats, stretches: list[slice], every_s: float) -> tuple[list[slice], list[LeftOut]]:
    """The stretches that are levels, and the others with the reason; those of a ramp as a single entry."""
    stretches = _joined(users, stretches)
    still = [part for part in stretches if part.stop - part.start >= LEAST and not _drifts(users[part])]
    longest = max((part.stop - part.start for part in still), default=0)
    kept: list[slice] = []
    left_out: list[LeftOut] = []
    ramp: slice | None = None

    def end(ramp: slice | None) -> None:
        if ramp is not None and ramp.stop - ramp.start >= SHORTEST:
            ends = f"a ramp, from {amount(users[ramp.start])} to {amount(users[ramp.stop - 1])} users"
            left_out.append(LeftOut(users[ramp].max(), ramp.start * every_s, ramp.stop * every_s, ends, ramp=True))

    for part in stretches:
        size = part.stop - part.start
        if size < SHORTEST or (_drifts(users[part]) if size >= LEAST else _creeps(users, part)):
            ramp = slice(part.start if ramp is None else ramp.start, part.stop)
            continue
        end(ramp)
        ramp = None
        if size >= LEAST and size >= _OF_LONGEST * longest:
            kept.append(part)
            continue
        lasted = f"held for {time(size * every_s)}"
        least = (
            f"less than {time(LEAST * every_s)}"
            if size < LEAST
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
    return bool(part.stop - part.start < 2 * LEAST)


def refuse_wave(users: Floats, every_s: float) -> None:
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
