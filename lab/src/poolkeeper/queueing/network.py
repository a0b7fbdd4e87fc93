"""Exact mean value analysis of closed networks of centres, with several servers and load-dependent ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.numbers import finite
from poolkeeper.queueing._check import not_negative, population
from poolkeeper.queueing._constants import constants, weights
from poolkeeper.queueing.centre import COLUMNS, Centre, CentreFigures, distinct_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Floats

THINK = "think"


@dataclass(frozen=True, eq=False)
class ClosedNetwork(CentreFigures):
    """A closed network with its number of users: throughput in 1/time, times in the unit of the demands.

    `by_users` (users,) is the throughput with 1, 2, ...
    """

    users: int
    think_time: float
    throughput: float
    by_users: Floats

    @property
    def saturation_users(self) -> float:
        """Users from which they must wait for each other: limit x (demands + think time) [Lazowska 1984, 5.2]."""
        return self.limit * (sum(centre.demand for centre in self.centres) + self.think_time)

    @property
    def verdict(self) -> str:
        """Bottleneck of the network, in a sentence."""
        message = f"{self.throughput:.4g} requests in a unit of time, each in {self.response_time:.4g}"
        if math.isinf(self.limit):
            return f"{message}; nobody waits for anybody"
        return (
            f"{message}; {self.bottleneck} limits the throughput to {self.limit:.4g}, and from about"
            f" {self.saturation_users:.4g} users on they wait for each other"
        )

    def table(self) -> Table:
        """The whole network, then a row a centre."""
        return Table(
            f"{self.users:,} users with think time {self.think_time:g}: throughput {self.throughput:.6g},"
            f" response time {self.response_time:.6g}",
            COLUMNS,
            self.rows(),
            (self.verdict,),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the utilisation of delays is None."""
        return {
            "users": self.users,
            "think_time": self.think_time,
            "throughput": self.throughput,
            "response_time": self.response_time,
            "bottleneck": self.bottleneck,
            "limit": finite(self.limit),
            "saturation_users": finite(self.saturation_users),
            "centres": self.entries(),
        }

    def plot(self) -> Chart:
        """Throughput over users with its asymptotic bounds [Lazowska 1984, 5.2]."""
        n = np.unique(np.geomspace(1, self.users, 120).round()).astype(np.int64)
        alone = sum(centre.demand for centre in self.centres) + self.think_time
        bound = np.minimum(n / alone, self.limit)
        x = tuple(map(float, n))
        return Chart(
            "Throughput over users",
            Axis("users"),
            Axis("throughput"),
            (
                Series("throughput", x, tuple(map(float, self.by_users[n - 1]))),
                Series("bound", x, tuple(map(float, bound))),
            ),
        )


def mva(centres: Sequence[Centre], users: int, think_time: float = 0.0) -> ClosedNetwork:
    """Solve a closed network of `users`, who think `think_time` between requests, exactly.

    The results are those of mean value analysis; the way is convolution, which stays exact for many users and several
    servers. Takes time in proportion to users times servers, and to users squared for centres with `speeds`.
    Raises InputError for no centre, names used twice, no demand at all, and values that are none.
    """
    population(users)
    not_negative(think_time, "think time")
    _checked(centres, think_time)
    everything = (*centres, Centre.delay(THINK, think_time))
    busiest = max((1 / centre.most for centre in everything if centre.most < math.inf), default=0.0)
    unit = busiest or sum(centre.demand for centre in everything)
    logs = constants(everything, users, unit)
    by_users = np.exp(logs[:-1] - logs[1:]) / unit
    throughput = float(by_users[-1])
    queue: dict[str, float] = {}
    utilisation: dict[str, float] = {}
    for centre in centres:
        if centre.is_delay:
            queue[centre.name], utilisation[centre.name] = throughput * centre.demand, math.nan
            continue
        there = _marginal(centre, everything, users, unit, float(logs[-1]))
        queue[centre.name] = float(there @ np.arange(users + 1))
        utilisation[centre.name] = 1 - float(there[0]) if centre.speeds else throughput * centre.demand / centre.servers
    return ClosedNetwork(
        tuple(centres),
        users / throughput - think_time,
        {name: requests / throughput for name, requests in queue.items()},
        queue,
        utilisation,
        users,
        think_time,
        throughput,
        by_users,
    )


def _marginal(centre: Centre, everything: Sequence[Centre], users: int, unit: float, whole_log: float) -> Floats:
    """Probabilities of 0 to `users` requests at a centre."""
    others = constants([station for station in everything if station is not centre], users, unit)
    with np.errstate(invalid="ignore"):
        found: Floats = np.exp(weights(centre, users, unit) + others[::-1] - whole_log)
    return found


def _checked(centres: Sequence[Centre], think_time: float) -> None:
    names = [centre.name for centre in centres]
    distinct_names(names)
    if THINK in names:
        raise InputError(f"centres: the name {THINK} stands for the users' think time")
    if sum(centre.demand for centre in centres) + think_time == 0:
        raise InputError("demands: all are 0, so that nothing takes any time")
