"""Numbers of virtual users over time, as load generators write them beside the requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Integers

_RESTLESS = 0.25
_RESTLESS_LEAST = 3
"""Share of the changes that go back on the one before, and how many at least, where the users follow the load."""
_HELD_S = 10
_HELD = 0.8
"""Seconds for which a level of users is held at least, and share of the time with users that such levels fill."""

_TURNS = 2
"""Users that began, of the most at a time, up to which they stay for the test; those that come at a rate are more."""
_STEPS = 0.1
"""Share of the seconds in which the number of users changes where others take the place of those that end."""


def is_result(users: Integers) -> bool:
    """Whether numbers of users, in the order of time, are a result of the load and not the load itself.

    Where requests or users are sent at a rate, those that are busy go up and down all the time. Levels with a rest
    after each go up and down as well, but hold still between.
    """
    changes = np.diff(users)
    ends = np.concatenate([[0], np.flatnonzero(changes) + 1, [users.size]])
    held_s = np.diff(ends)[(np.diff(ends) >= _HELD_S) & (users[ends[:-1]] > 0)] if users.size else ends[:0]
    if int(held_s.sum()) >= _HELD * max(1, int(np.count_nonzero(users))):
        return False
    signs = np.sign(changes[changes != 0])
    back = int(np.count_nonzero(signs[1:] != signs[:-1]))
    return back >= max(_RESTLESS_LEAST, int(_RESTLESS * signs.size))


@dataclass(frozen=True)
class UserCourse:
    """The most users of each second, out of the times at which each began and ended."""

    first_s: int
    most: Integers

    @classmethod
    def of(cls, begun_ms: Sequence[int], ended_ms: Sequence[int]) -> Self | None:
        """Build it; None without users, and where their number is a result of the load."""
        if not begun_ms:
            return None
        times = np.concatenate([ended_ms, begun_ms]).astype(np.int64)
        # One that begins as another one ends takes its place.
        order = np.argsort(times, kind="stable")
        steps = np.where(order < len(ended_ms), -1, 1)
        seconds, users = times[order] // 1000, np.cumsum(steps)
        first = int(seconds[0])
        most = np.zeros(int(seconds[-1]) - first + 1, np.int64)
        np.maximum.at(most, seconds - first, users)
        # Those of the end of a second are there when the next one begins.
        ends = np.searchsorted(seconds, np.arange(first, first + most.size - 1), side="right") - 1
        most[1:] = np.maximum(most[1:], users[ends])
        stay = len(begun_ms) <= _TURNS * int(most.max())
        steady = np.count_nonzero(np.diff(most)) <= _STEPS * most.size
        return cls(first, most) if (stay or steady) and not is_result(most) else None

    def at(self, times_ns: pl.Expr) -> pl.Expr:
        """The users at given times."""
        return times_ns.map_batches(self._lookup, return_dtype=pl.Int64, is_elementwise=True)

    def _lookup(self, times_ns: pl.Series) -> pl.Series:
        places = times_ns.fill_null(0).to_numpy() // NS - self.first_s
        return pl.Series(times_ns.name, self.most[np.clip(places, 0, self.most.size - 1)])
