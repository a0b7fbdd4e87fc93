"""A service centre of a network: a queue with servers, a delay, or one whose rate depends on its load."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import InputError
from poolkeeper.queueing._check import not_negative, positive, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.scalability.law import Law


@dataclass(frozen=True)
class Centre:
    """A centre of a product-form network: exponential service in order of arrival, or any service under sharing.

    `demand` is the service time that a request needs here in all its visits, `servers` how many work at once (infinity:
    a delay). `speeds`, where given, replaces servers: `speeds[j]` is how much faster than one alone j + 1 requests are
    served together, and the last one holds for all more. Raises InputError for values that are none.
    """

    name: str
    demand: float
    servers: float = 1
    speeds: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        not_negative(self.demand, f"demand of {self.name}")
        if not math.isinf(self.servers):
            whole(self.servers, f"servers of {self.name}")
        if self.speeds:
            vector(self.speeds, f"speeds of {self.name}", positive=True)
            if self.servers != 1:
                raise InputError(f"{self.name}: either servers or speeds, not {self.servers:g} servers with speeds")

    @classmethod
    def delay(cls, name: str, demand: float) -> Self:
        """A centre without a queue: think time, a network, a service that is never busy."""
        return cls(name, demand, math.inf)

    @classmethod
    def of_law(cls, law: Law, most: int, name: str = "service") -> Self:
        """A service with a scalability law as its rate with 1 to `most` requests in it [Gunther 2007, 6.7].

        `most` is how many it is asked for at all: the users of a closed system, the bound of an open one.
        """
        return cls._of_rates(name, law.throughput(np.arange(1, whole(most, "most") + 1)))

    @classmethod
    def over_allocated(
        cls, service_time: float, cores: int, threads: int, *, overhead: float, name: str = "service"
    ) -> Self:
        """A pool of threads on fewer cores: each thread beyond the cores that is busy slows all by `overhead`.

        The rate with k busy threads is min(k, cores) / service_time / (1 + overhead max(0, k - cores)).
        """
        positive(service_time, "service time")
        whole(cores, "cores")
        not_negative(overhead, "overhead")
        busy = np.arange(1, whole(threads, "threads") + 1)
        slowed = 1 + overhead * np.maximum(0, busy - cores)
        return cls._of_rates(name, np.minimum(busy, cores) / service_time / slowed)

    @classmethod
    def _of_rates(cls, name: str, rates: ArrayLike) -> Self:
        found = vector(rates, f"rates of {name}", positive=True)
        return cls(name, 1 / float(found[0]), speeds=tuple((found / found[0]).tolist()))

    @property
    def is_delay(self) -> bool:
        """Whether it has no queue."""
        return math.isinf(self.servers)

    @property
    def most(self) -> float:
        """The highest throughput: infinite for delays."""
        if self.is_delay or self.demand == 0:
            return math.inf
        return (max(self.speeds) if self.speeds else self.servers) / self.demand

    def speed(self, requests: int) -> Floats:
        """Speed of service of 1 to `requests` together, relative to one alone, shape (requests,)."""
        j = np.arange(1, requests + 1, dtype=np.float64)
        if not self.speeds:
            return np.minimum(j, self.servers)
        given = np.array(self.speeds[:requests])
        return np.concatenate([given, np.full(requests - given.size, given[-1])])


def distinct_names(names: Iterable[str], plural: str = "centres") -> None:
    """Raise InputError unless there is a name, and none stands for two centres (or what else `plural` says)."""
    found = list(names)
    if not found:
        raise InputError(f"{plural}: there is none; a network needs at least one")
    if twice := sorted({name for name in found if found.count(name) > 1}):
        raise InputError(f"{plural}: the name {twice[0]} is used more than once")


COLUMNS = ("centre", "servers", "demand", "residence", "requests there", "utilisation")
"""Those of `CentreFigures.rows`."""


@dataclass(frozen=True, eq=False)
class CentreFigures:
    """Centres of a solved network; `residence`, `queue` and `utilisation` hold a number a centre.

    They are the time of a request there in all its visits, requests there on average, and busy servers over servers
    (NaN for delays).
    """

    centres: tuple[Centre, ...]
    response_time: float
    residence: dict[str, float]
    queue: dict[str, float]
    utilisation: dict[str, float]

    @property
    def bottleneck(self) -> str:
        """The centre that limits the throughput."""
        return min(self.centres, key=lambda centre: centre.most).name

    @property
    def limit(self) -> float:
        """Throughput that cannot be exceeded: of the bottleneck."""
        return min(centre.most for centre in self.centres)

    def rows(self) -> tuple[tuple[str | float | None, ...], ...]:
        """A row a centre, for a table with `COLUMNS`."""
        return tuple(
            (
                centre.name,
                "delay" if centre.is_delay else "by load" if centre.speeds else f"{centre.servers:g}",
                centre.demand,
                self.residence[centre.name],
                self.queue[centre.name],
                None if centre.is_delay else self.utilisation[centre.name],
            )
            for centre in self.centres
        )

    def entries(self) -> list[dict[str, Any]]:
        """An entry a centre, for JSON."""
        return [
            {
                "name": centre.name,
                "demand": centre.demand,
                "residence": self.residence[centre.name],
                "queue": self.queue[centre.name],
                "utilisation": None if centre.is_delay else self.utilisation[centre.name],
            }
            for centre in self.centres
        ]
