"""Pauses of a load: nobody sends for some seconds, and hardly anybody waits for an answer.

The last answers before a pause come while users leave, and in it no answer tells that there are none: by answers alone
the users before a pause, or the last one of them, would stay until it ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.scalability.stretches import SHORTEST

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.commands.steps.sent import Gap, Sent
    from poolkeeper.results import Series

_CHANCE = 14.0
"""Requests that should have been sent meanwhile: with so many expected, none is once in a million times (Poisson)."""
_EACH = 3.0
"""Requests that each user should have sent meanwhile: users who came together may all think at once."""
_NEIGHBOURHOOD_S = 10.0
"""Time on both sides of a pause that tells how many are expected."""
_MOST = 5
"""More pauses are a habit of the load, such as of users who all think at once."""
_WAITING = 0.5
"""Share of the users who wait for an answer half-way, from which on a silence is one of the server."""


def pauses(sent: Sent, series: Series) -> list[Gap]:
    """Begin and end of the intervals of each pause that lies not between two tests; none where they are many."""
    since, every = sent.since_s, series.every_s
    places = np.flatnonzero(np.diff(since) >= SHORTEST * every)
    found = []
    for place in places.tolist():
        begin_s, end_s = float(since[place]), float(since[place + 1])
        begin, end = int(begin_s // every) + 1, int(end_s // every)
        expected = (end_s - begin_s) * min(_rate(since, place, -1), _rate(since, place + 1, 1))
        users = _users(series, begin)
        if (
            end - begin < SHORTEST
            or expected < max(_CHANCE, _EACH * users)
            or any(low < end and begin < high for low, high in series.gaps)
        ):
            continue
        waiting = int(np.count_nonzero(sent.ended_s[: place + 1] > (begin_s + end_s) / 2))
        if waiting and waiting >= _WAITING * users:
            continue
        found.append((begin, end))
    return found if len(found) <= _MOST else []


def _rate(since_s: Floats, place: int, way: int) -> float:
    """Requests a second around one of them, before it (`way` -1) or after it (1)."""
    at = float(since_s[place])
    low, high = sorted((at, at + way * _NEIGHBOURHOOD_S))
    low, high = max(low, float(since_s[0])), min(high, float(since_s[-1]))
    count = np.searchsorted(since_s, high, "right") - np.searchsorted(since_s, low)
    return float(count) / max(1.0, high - low)


def _users(series: Series, before: int) -> float:
    """Users in the last interval before a pause that tells them; 0 where none does."""
    users = series.users[: max(0, before - 1)]
    users = users[~np.isnan(users)]
    return float(users[-1]) if users.size else 0.0


def with_pauses(series: Series, sent: Sent | None) -> Series:
    """A series whose users are none in pauses, and do not leave before them."""
    if sent is None or np.isnan(series.users).all():
        return series
    users = series.users.copy()
    for begin, end in pauses(sent, series):
        users[begin - 1] = np.nan
        users[begin:end] = 0.0
    return replace(series, users=users)
