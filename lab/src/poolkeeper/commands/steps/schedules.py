"""Requests that are sent evenly, as a schedule has it, and when one schedule followed another.

A generator that was held up sends at once what it owes. So many requests within so short a time look like those of a
higher rate; the schedule, which each request follows or lags behind, shows that they are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

_FEW = 30
"""Requests that show a schedule at least."""
_EVEN, _EVEN_OF_ROOT = 1.0, 0.1
"""Requests that the middle one is off its schedule at most, and of few that part of the root of their number.

Independent requests are off by about a quarter of it.
"""
_EARLY = 10.0
"""Times that being early weighs as much as lagging."""


class Schedule(NamedTuple):
    """When the request of each number is due."""

    first_s: float
    every_s: float

    @classmethod
    def of(cls, sent_s: Floats, first: int) -> Self | None:
        """The schedule of requests, the first of which has a number; None if they do not follow one."""
        if sent_s.size < _FEW:
            return None
        numbers, half = first + np.arange(sent_s.size), sent_s.size // 2
        every_s = float(np.median(sent_s[half:] - sent_s[: sent_s.size - half])) / half
        first_s = float(np.median(sent_s - every_s * numbers))
        off_s = float(np.median(np.abs(sent_s - first_s - every_s * numbers)))
        most = min(_EVEN, _EVEN_OF_ROOT * float(np.sqrt(sent_s.size)))
        return cls(first_s, every_s) if every_s > 0 and off_s <= most * every_s else None

    def off_s(self, sent_s: Floats, first: int) -> Floats:
        """Seconds by which requests lag; by which they are early count many times, as no schedule allows it."""
        late_s = sent_s - self.first_s - self.every_s * (first + np.arange(sent_s.size))
        found: Floats = np.where(late_s < 0, -_EARLY * late_s, late_s)
        return found


def followed(sent_s: Floats, held: tuple[slice, slice], near: slice) -> float | None:
    """When the requests `near` left the schedule of some that are `held` before them for that of those after them.

    None where these are not evenly sent.
    """
    before, after = (Schedule.of(sent_s[part], part.start) for part in held)
    if before is None or after is None:
        return None
    gains = after.off_s(sent_s[near], near.start) - before.off_s(sent_s[near], near.start)
    place = near.start + int(np.concatenate([[0.0], np.cumsum(gains)]).argmax())
    return float(sent_s[place]) if near.start < place < near.stop else None
