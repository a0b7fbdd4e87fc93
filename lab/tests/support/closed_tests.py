"""Results of users who come and go, send a request, wait for the answer, and think: as a load generator writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from result_files import START_MS, jtl, row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Stay = tuple[float, float]
    """When a user comes and goes, in seconds; a request that is under way when it goes still ends."""
    Served = Callable[[np.random.Generator, float], float]


def served(random: np.random.Generator, _at_s: float) -> float:
    """Response time in seconds: half of them 30 ms."""
    return float(random.lognormal(np.log(0.03), 0.4))


@dataclass(frozen=True)
class Closed:
    """A closed test."""

    stays: Sequence[Stay]
    think_s: float = 0.3
    """On average."""
    served: Served = served
    fails_from_s: float = np.inf
    """Response time from which a request has failed."""

    def write(self, file: Path, *, seed: int = 1, begins_s: float = 0.0) -> Path:
        """A JTL, in the order of the ends; each row tells the users that are there then."""
        random = np.random.default_rng(seed)
        requests, left = [], []
        for came, goes in self.stays:
            now = end = came
            while now < goes:
                took = self.served(random, now)
                end = now + took
                requests.append((end, now, took))
                now = end + random.exponential(self.think_s)
            left.append(max(end, goes))
        came_s, left_s = np.sort([came for came, _ in self.stays]), np.sort(left)
        rows = []
        for end, start, took in sorted(requests):
            users = int(np.searchsorted(came_s, end, "right") - np.searchsorted(left_s, end))
            ms = round(1000 * took)
            rows.append(row(START_MS + 1000 * (begins_s + start), ms, ok=took < self.fails_from_s, users=users))
        return jtl(file, rows)


def staying(users: int, begins_s: float, ends_s: float) -> list[Stay]:
    """Users who stay from one time to another."""
    return [(begins_s, ends_s)] * users
