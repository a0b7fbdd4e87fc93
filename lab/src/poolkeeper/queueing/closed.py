"""One service and users that come back to it: the machine repairman and its kin, with whole distributions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.queueing._check import not_negative, percent, population, positive, whole
from poolkeeper.queueing._response import Mixture, response_percentile, wait_percentile
from poolkeeper.queueing.centre import Centre

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats


@dataclass(frozen=True, eq=False)
class ClosedQueue:
    """A centre with `users` that think between requests. `probabilities` (users + 1,) are those of requests there."""

    users: int
    think_time: float
    centre: Centre
    throughput: float
    response_time: float
    probabilities: Floats
    seen: Floats
    """Probabilities (users,) of how many others a request finds there: those with one user less [Lazowska 1984, 6]."""

    @property
    def utilisation(self) -> float:
        """Busy servers over servers; the share of time that anything is served where speeds depend on the load."""
        if self.centre.speeds:
            return 1 - float(self.probabilities[0])
        return self.throughput * self.centre.demand / self.centre.servers

    @property
    def wait(self) -> float:
        """Mean time before service begins; NaN where speeds depend on the load."""
        return math.nan if self.centre.speeds else max(0.0, self.response_time - self.centre.demand)

    @property
    def requests(self) -> float:
        """Mean number of requests at the centre."""
        return float(self.probabilities @ np.arange(self.users + 1))

    def response_percentile(self, p: float) -> float:
        """The response time that p percent of requests do not exceed, 1 <= p < 100; exact.

        For requests served in order of arrival. Raises InputError where speeds depend on the load: there it depends on
        how the service shares itself.
        """
        return response_percentile(self._mixture("response"), percent(p))

    def response_beyond(self, time: float) -> float:
        """Probability that a request takes longer than this, 0 or above, as `response_percentile`."""
        return self._mixture("response").response_beyond(not_negative(time, "time"))

    def wait_beyond(self, time: float) -> float:
        """Probability that a request waits longer than this, as `response_percentile`."""
        return self._mixture("wait").wait_beyond(not_negative(time, "time"))

    def wait_percentile(self, p: float) -> float:
        """The wait that p percent of requests do not exceed, as `response_percentile`."""
        return wait_percentile(self._mixture("wait"), percent(p))

    def _mixture(self, what: str) -> Mixture:
        if self.centre.speeds:
            raise InputError(f"percentiles of the {what}: known exactly only for servers of constant speed")
        return Mixture(self.seen, int(self.centre.servers), 1 / self.centre.demand)

    def table(self) -> Table:
        """Throughput, utilisation, times."""
        rows: list[tuple[str, float | None]] = [
            ("throughput", self.throughput),
            ("utilisation", self.utilisation),
            ("mean response time", self.response_time),
            ("mean requests there", self.requests),
        ]
        if not self.centre.speeds:
            rows += [("mean wait", self.wait)]
            rows += [(f"p{p:g} response time", self.response_percentile(p)) for p in (50, 90, 99)]
        return Table(
            f"{self.users:,} users with think time {self.think_time:g} at {self.centre.name}",
            ("figure", "value"),
            tuple(rows),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found: dict[str, Any] = {
            "users": self.users,
            "think_time": self.think_time,
            "throughput": self.throughput,
            "utilisation": self.utilisation,
            "response_time": self.response_time,
            "requests": self.requests,
        }
        if not self.centre.speeds:
            found |= {"wait": self.wait}
            found |= {f"response_p{p:g}": self.response_percentile(p) for p in (50, 90, 99)}
        return found

    def plot(self) -> Chart:
        """Probability of each number of requests at the centre."""
        shown = np.flatnonzero(self.probabilities > 1e-6 * self.probabilities.max())
        at = np.arange(shown[0], shown[-1] + 1)
        return Chart(
            "Requests at the service",
            Axis("requests"),
            Axis("probability"),
            (Series("probability", tuple(map(float, at)), tuple(map(float, self.probabilities[at]))),),
        )


def repairman(users: int, service_time: float, servers: int = 1, think_time: float = 0.0) -> ClosedQueue:
    """The machine repairman M/M/c//N: exponential service of mean `service_time`, think time of any distribution.

    Exact for means, and for percentiles of requests served in order of arrival. Raises InputError for bad values.
    """
    centre = Centre("service", positive(service_time, "service time"), whole(servers, "servers"))
    return closed_queue(centre, users, think_time)


def closed_queue(centre: Centre, users: int, think_time: float = 0.0) -> ClosedQueue:
    """Any centre with users that think between requests: a birth-death process, exact [Bolch 2006, 3.1].

    Raises InputError for values that are none.
    """
    population(users)
    not_negative(think_time, "think time")
    if centre.is_delay or centre.demand == 0:
        raise InputError(f"{centre.name}: nobody waits there, so there is no queue to solve")
    probabilities = _probabilities(centre, users, think_time)
    seen = _probabilities(centre, users - 1, think_time)
    rates = centre.speed(users) / centre.demand
    throughput = float(probabilities[1:] @ rates)
    return ClosedQueue(users, think_time, centre, throughput, users / throughput - think_time, probabilities, seen)


def _probabilities(centre: Centre, users: int, think_time: float) -> Floats:
    if users == 0:
        return np.ones(1)
    if think_time == 0:
        found = np.zeros(users + 1)
        found[-1] = 1.0
        return found
    j = np.arange(users)
    steps = np.log(users - j) + (math.log(centre.demand) - math.log(think_time)) - np.log(centre.speed(users))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    probabilities: Floats = weights / weights.sum()
    return probabilities
