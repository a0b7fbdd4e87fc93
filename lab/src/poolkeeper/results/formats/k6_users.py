"""Number of k6's virtual users over time, out of the metric `vus` that it writes every second."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from poolkeeper.results.formats.users import is_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Integers
    from poolkeeper.results.formats.k6_points import K6Points

_REACHED = 0.9
"""Share of the users held ready that a closed test reaches."""


@dataclass(frozen=True)
class K6Users:
    """The users in one file of k6."""

    points: K6Points
    times_ns: Callable[[pl.Series], pl.Series]
    """Nanoseconds since 1970 of times as the file writes them."""

    @property
    def exist(self) -> bool:
        """Whether the file has numbers of users, and these are the load.

        Where k6 sends requests at a rate, `vus` counts those that are busy, which is a result, and k6 holds more of
        them ready.
        """
        _, users = self._written
        if not users.size or int(users.max()) < _REACHED * self.points.most:
            return False
        return not is_result(users)

    def at(self, ends: pl.Expr) -> pl.Expr:
        """The users at given times: the number that was written last."""
        return ends.map_batches(self._lookup, return_dtype=pl.Int64, is_elementwise=True)

    def _lookup(self, ends: pl.Series) -> pl.Series:
        times, users = self._written
        places = np.searchsorted(times, ends.fill_null(0).to_numpy(), side="right") - 1
        return pl.Series(ends.name, users[np.maximum(places, 0)])

    @cached_property
    def _written(self) -> tuple[Integers, Integers]:
        """Times in ascending order, and the users from each on."""
        points = self.points.users
        times = self.times_ns(pl.Series([time for time, _ in points], dtype=pl.String)).fill_null(0).to_numpy()
        order = np.argsort(times, kind="stable")
        users = np.array([round(value) for _, value in points], np.int64)
        return times[order], users[order]
