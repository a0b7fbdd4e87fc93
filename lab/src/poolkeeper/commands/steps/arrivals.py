"""Times at which users came or went, by the users that each row of a file tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from poolkeeper.scalability.stretches import alike
from poolkeeper.units import NS

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.commands.load import Load
    from poolkeeper.commands.steps.cuts import Cut
    from poolkeeper.results import Series

_AS_THEY_ENDED = "JMeter JTL"
"""Formats whose rows tell the users there were when each ended; of others, a gauge tells them a second late."""
_COLUMNS = ("start_ns", "response_ns", "users")


@dataclass(frozen=True)
class Arrivals:
    """The users there were when each response came, in the order in which they came."""

    ended_s: Floats
    """In seconds since the series of the answers began."""
    users: Floats
    series: Series
    """The users that count: of several load generators the rows tell only their own."""

    @classmethod
    def of(cls, load: Load) -> Self | None:
        """None where rows do not tell users, or only roughly, and where requests are not looked at one by one."""
        total, series = load.total, load.total.survey.series_of_load
        if series is None or not total.single or not total.results.format.startswith(_AS_THEY_ENDED):
            return None
        if not set(_COLUMNS) <= set(total.results.columns):
            return None
        rows = pl.concat(total.asked(users_at_ends)).sort("ended_ns", maintain_order=True)
        return cls((rows["ended_ns"].to_numpy() - int(series.start_ns[0])) / NS, rows["users"].to_numpy(), series)

    def meeting(self, before: Cut, after: Cut, window_s: tuple[float, float], since_s: Floats) -> float | None:
        """When the users of one level became those of the other, in seconds; `since_s` requests were sent.

        None where the users of both levels do not differ, or the rows do not tell those of the series.
        """
        first, second = self._level(before), self._level(after)
        if first is None or second is None or alike(first, second):
            return None
        held = slice(*np.searchsorted(self.ended_s, window_s))
        still = [place for place in range(held.start, held.stop) if alike(first, float(self.users[place]))]
        last = still[-1] if still else held.start - 1
        if last < 0 or last + 1 >= held.stop:
            return None
        between_s = float(self.ended_s[last]), float(self.ended_s[last + 1])
        begin_s = before.part.begin * self.series.every_s
        sent = np.count_nonzero((since_s >= begin_s) & (since_s < between_s[0]))
        rate = float(sent) / max(self.series.every_s, between_s[0] - begin_s)
        return arrived(since_s, between_s, rate) if second > first else between_s[1]

    def _level(self, cut: Cut) -> float | None:
        """Users of a level by its rows; None where the series has others."""
        every, part = self.series.every_s, slice(cut.part.begin, cut.part.end)
        held = self.users[slice(*np.searchsorted(self.ended_s, (part.start * every, part.stop * every)))]
        counted = self.series.users[part][~np.isnan(self.series.users[part])]
        if not held.size or not counted.size:
            return None
        level = float(np.median(held))
        return level if alike(level, float(np.median(counted))) else None


def users_at_ends(frame: pl.LazyFrame) -> pl.DataFrame:
    """End of each request, and the users there were."""
    ended = pl.col("start_ns") + pl.col("response_ns")
    rows = frame.select(ended_ns=ended, users=pl.col("users").cast(pl.Float64))
    return rows.drop_nulls().collect()


def arrived(since_s: Floats, between_s: tuple[float, float], rate: float) -> float:
    """When users came between two times; `since_s` requests were sent.

    Those that come send at once: from then on requests are closer than at the `rate` of the level before.
    """
    low, high = between_s
    near = since_s[slice(*np.searchsorted(since_s, (low, high)))]
    if not near.size:
        return high
    # Of one request just before the end, a rate would be beyond all measure.
    least = (high - low) / near.size
    earlier, later = np.arange(near.size), near.size - np.arange(near.size)
    before = earlier * np.log(max(rate, 1e-9)) - rate * (near - low)
    after = later * (np.log(later / np.maximum(high - near, least)) - 1)
    return float(near[int((before + after).argmax())])
