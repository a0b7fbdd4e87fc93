"""Open networks of centres with Poisson arrivals: each centre as if it were alone, at the rate that reaches it.

[1] Jackson: Jobshop-like queueing systems, Management Science 10(1), 1963.
[2] Bolch, Greiner, de Meer, Trivedi: Queueing Networks and Markov Chains, 2nd ed., Wiley 2006, 7.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError, InputError
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.numbers import finite
from poolkeeper.queueing._check import positive, stable
from poolkeeper.queueing.centre import COLUMNS, CentreFigures, distinct_names
from poolkeeper.queueing.single import erlang_c

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.queueing.centre import Centre


@dataclass(frozen=True)
class OpenNetwork(CentreFigures):
    """An open network at its arrival rate; `limit` is the rate that must not be reached."""

    rate: float

    @property
    def throughput(self) -> float:
        """Requests that are served in a unit of time: all that arrive."""
        return self.rate

    @property
    def verdict(self) -> str:
        """The response time and the limit of the rate, in a sentence."""
        longest = max(self.residence, key=lambda name: self.residence[name])
        limit = f"{self.bottleneck} limits the rate to {self.limit:.4g}" if math.isfinite(self.limit) else "no limit"
        return f"Mean response time {self.response_time:.4g}, most of it at {longest}; {limit}."

    def table(self) -> Table:
        """A row a centre."""
        return Table(f"{self.rate:g} arrivals at an open network", COLUMNS, self.rows(), (self.verdict,))

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the utilisation of delays is None."""
        return {
            "rate": self.rate,
            "response_time": self.response_time,
            "bottleneck": self.bottleneck,
            "limit": finite(self.limit),
            "centres": self.entries(),
            "verdict": self.verdict,
        }

    def plot(self) -> Chart:
        """Mean response time over the rate, up to close to the limit."""
        most = 0.98 * self.limit if math.isfinite(self.limit) else 2 * self.rate
        rates = np.linspace(most / 60, most, 60)
        times = tuple(open_network(self.centres, float(rate)).response_time for rate in rates)
        return Chart(
            "Response time over arrival rate",
            Axis("arrivals in a unit of time"),
            Axis("mean response time"),
            (Series("mean", tuple(map(float, rates)), times),),
        )


def open_network(centres: Sequence[Centre], rate: float) -> OpenNetwork:
    """Solve an open network whose requests arrive at `rate` and need the centres' demands, exactly [1, 2].

    Raises InputError for no centre, names used twice, centres whose speed depends on their load, and a rate that one of
    the centres cannot serve.
    """
    positive(rate, "rate")
    distinct_names(centre.name for centre in centres)
    residence, utilisation = {}, {}
    for centre in centres:
        if centre.speeds:
            raise InputError(
                f"{centre.name}: speeds by load have no end in an open network; use servers, or a closed one"
            )
        residence[centre.name], utilisation[centre.name] = _alone(centre, rate)
    queue = {name: rate * time for name, time in residence.items()}
    return OpenNetwork(tuple(centres), sum(residence.values()), residence, queue, utilisation, rate)


def _alone(centre: Centre, rate: float) -> tuple[float, float]:
    """Time there and utilisation of one centre."""
    if centre.is_delay or centre.demand == 0:
        return centre.demand, math.nan if centre.is_delay else 0.0
    stable(rate, centre.most, f"rate at {centre.name}")
    servers = int(centre.servers)
    busy = rate * centre.demand / servers
    return centre.demand * (1 + erlang_c(servers, rate * centre.demand) / (servers * (1 - busy))), busy


def visits(arrivals: ArrayLike, routing: ArrayLike) -> Floats:
    """Visits of a request to each of m centres, from the traffic equations [2, 7.1].

    `arrivals` (m,) are rates (or shares) from outside at each centre, `routing[i][j]` (m, m) the probability that a
    request goes from i on to j; what is left leaves. Raises DataError for shapes that differ, probabilities that are
    none, rows above 1, and routes from which nothing ever leaves.
    """
    outside = vector(arrivals, "arrivals")
    routes = np.asarray(routing, dtype=np.float64)
    if routes.shape != (outside.size, outside.size):
        raise DataError(f"routing: {routes.shape} does not fit {outside.size} centres")
    if outside.min() < 0 or outside.sum() <= 0:
        raise DataError("arrivals: they must not be negative, and not all be 0")
    if not (np.isfinite(routes).all() and routes.min() >= 0 and routes.sum(axis=1).max() <= 1 + 1e-12):
        raise DataError("routing: probabilities must not be negative, and those of a row add up to no more than 1")
    if max(abs(np.linalg.eigvals(routes))) > 1 - 1e-12:
        raise DataError("routing: some requests never leave")
    found: Floats = np.linalg.solve(np.eye(outside.size) - routes.T, outside) / outside.sum()
    return found
