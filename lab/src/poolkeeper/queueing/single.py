"""Single open queues: Poisson arrivals at one or several servers, with or without a bound.

Formulas: Bolch 2006, chapter 6; Allen: Probability, Statistics and Queueing Theory, 2nd ed., Academic Press 1990, for
M/G/c. Service is in order of arrival wherever percentiles are given; means hold for any order that is blind to sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.numbers import or_none
from poolkeeper.queueing._check import not_negative, percent, positive, room, serving, stable
from poolkeeper.queueing._constant import Constant
from poolkeeper.queueing._response import Mixture, Response, Unbounded, response_percentile, wait_percentile

_FORGOTTEN = 12
"""Roots of the load below it from where Erlang's recursion begins: what it began with weighs e^-72 at the load."""


@dataclass(frozen=True, eq=False)
class OpenQueue:
    """An open queue. Throughput and mean times are those of served requests.

    `waits` is the probability that a request that is let in has to wait, `loss` that an arriving one is refused.
    `distribution` is that of the response time where it is known exactly, and None where only means are.
    """

    model: str
    rate: float
    service_time: float
    servers: int
    throughput: float
    utilisation: float
    response_time: float
    wait: float
    waits: float
    loss: float = 0.0
    distribution: Response | None = None
    note: str = ""
    places: int | None = None
    """Room for requests, those in service included; None without a bound."""
    cs2: float = 1.0
    ca2: float = 1.0
    """Squared coefficients of variation of service times and of times between arrivals."""

    @property
    def requests(self) -> float:
        """Mean number of requests in the system, by Little's law."""
        return self.throughput * self.response_time

    @property
    def queue(self) -> float:
        """Mean number of requests that wait, by Little's law."""
        return self.throughput * self.wait

    def response_beyond(self, time: float) -> float:
        """Probability that a request takes longer than this, 0 or above; exact.

        Raises InputError where the model does not determine it.
        """
        return self._whole_distribution("response").response_beyond(not_negative(time, "time"))

    def wait_beyond(self, time: float) -> float:
        """Probability that a request waits longer than this, as `response_beyond`."""
        return self._whole_distribution("wait").wait_beyond(not_negative(time, "time"))

    def response_percentile(self, p: float) -> float:
        """The response time that p percent of requests do not exceed, 1 <= p < 100; exact.

        Raises InputError where the model does not determine it.
        """
        return response_percentile(self._whole_distribution("response"), percent(p))

    def wait_percentile(self, p: float) -> float:
        """The wait that p percent of requests do not exceed, as `response_percentile`; 0 if so many do not wait."""
        return wait_percentile(self._whole_distribution("wait"), percent(p))

    def _whole_distribution(self, what: str) -> Response:
        if self.distribution is None:
            raise InputError(
                f"distribution of the {what}: {self.model} knows mean and variation of the service time, which give"
                " means alone; percentiles need its whole distribution"
            )
        return self.distribution

    def table(self) -> Table:
        """Throughput, utilisation, times, percentiles where they are known."""
        rows: list[tuple[str, float | None]] = [
            ("throughput", self.throughput),
            ("utilisation", self.utilisation),
            ("mean response time", self.response_time),
            ("mean wait", self.wait),
            ("mean requests in the system", self.requests),
            ("probability of waiting", or_none(self.waits)),
            ("probability of loss", self.loss),
        ]
        if self.distribution is not None:
            rows += [(f"p{p:g} response time", self.response_percentile(p)) for p in (50, 90, 99)]
            rows += [(f"p{p:g} wait", self.wait_percentile(p)) for p in (50, 90, 99)]
        return Table(
            f"{self.model}: {self.rate:g} arrivals, service {self.service_time:g}, servers {self.servers}",
            ("figure", "value"),
            tuple(rows),
            (self.note,) if self.note else (),
        )

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON, without those that the model does not determine."""
        found: dict[str, Any] = {
            "model": self.model,
            "rate": self.rate,
            "service_time": self.service_time,
            "servers": self.servers,
            "throughput": self.throughput,
            "utilisation": self.utilisation,
            "response_time": self.response_time,
            "wait": self.wait,
            "requests": self.requests,
            "waits": or_none(self.waits),
            "loss": self.loss,
            "note": self.note,
        }
        if self.distribution is not None:
            found |= {f"response_p{p:g}": self.response_percentile(p) for p in (50, 90, 99)}
            found |= {f"wait_p{p:g}": self.wait_percentile(p) for p in (50, 90, 99)}
        return found

    def plot(self) -> Chart:
        """The share of requests that take longer; empty where only means are known."""
        distribution = self.distribution
        times = np.linspace(0, response_percentile(distribution, 0.999), 100) if distribution else np.array([])
        x = tuple(map(float, times))
        y = tuple(distribution.response_beyond(time) for time in x) if distribution else ()
        notes = () if distribution else ("only means are known, not how many are slower",)
        return Chart(
            "Response time",
            Axis("response time"),
            Axis("share of slower requests"),
            (Series(self.model, x, y),),
            notes=notes,
        )


def erlang_b(servers: int, load: float) -> float:
    """Probability that all of `servers` are busy where nobody waits; `load` in Erlang: rate x service time, above 0.

    The recursion over the servers forgets where it began: its inverse loses all but busy / load of any error with each
    server up to the load, so that it need not begin further below than some standard deviations, the root of the load.
    Raises InputError for more than a billion servers.
    """
    serving(servers, 0)
    positive(load, "load")
    first = max(0, math.floor(min(servers, load) - _FORGOTTEN * math.sqrt(load)))
    blocked = 1 - first / load
    for busy in range(first + 1, servers + 1):
        blocked = load * blocked / (busy + load * blocked)
        if not blocked:
            break
    return blocked


def erlang_c(servers: int, load: float) -> float:
    """Probability of waiting for one of `servers` where everybody waits; `load` in Erlang, below `servers`.

    Raises InputError for a load of as many as there are servers or more.
    """
    serving(servers)
    stable(positive(load, "load"), servers, "load")
    blocked = erlang_b(servers, load)
    return blocked / (1 - load / servers * (1 - blocked))


def open_queue(  # noqa: PLR0913 - all that an open queue is, by name
    rate: float,
    service_time: float,
    servers: int = 1,
    *,
    places: int | None = None,
    cs2: float = 1.0,
    ca2: float = 1.0,
) -> OpenQueue:
    """The open queue with these parts: M/M/c, M/M/c/K, M/G/1 or G/G/c, whichever it is.

    Raises InputError for a rate that cannot be served, and for a bound together with service that is not exponential.
    """
    if places is not None:
        if not cs2 == ca2 == 1:
            raise InputError(f"places: a bound is solved for exponential times alone, not for cs2 {cs2:g}, ca2 {ca2:g}")
        return mmck(rate, service_time, servers, places)
    return mg1(rate, service_time, cs2) if servers == ca2 == 1 else mgc(rate, service_time, servers, cs2, ca2)


def mm1(rate: float, service_time: float) -> OpenQueue:
    """M/M/1: Poisson arrivals at `rate`, one server with exponential service. InputError for a rate it cannot serve."""
    return mmc(rate, service_time, 1)


def mmc(rate: float, service_time: float, servers: int) -> OpenQueue:
    """M/M/c: Poisson arrivals at `rate`, exponential service of mean `service_time` each. InputError if unstable."""
    load = _offered(rate, service_time, servers)
    stable(rate, servers / service_time)
    waits = erlang_c(servers, load)
    busy = load / servers
    wait = waits * service_time / (servers * (1 - busy))
    return OpenQueue(
        f"M/M/{servers}",
        rate,
        service_time,
        servers,
        rate,
        busy,
        wait + service_time,
        wait,
        waits,
        distribution=Unbounded(waits, servers / service_time - rate, 1 / service_time),
    )


def mmck(rate: float, service_time: float, servers: int, places: int) -> OpenQueue:
    """M/M/c/K: as M/M/c, but a request that finds `places` requests in the system, served ones included, is refused.

    Any rate is fine. Raises InputError for fewer places than servers.
    """
    load = _offered(rate, service_time, servers)
    if places < servers:
        raise InputError(
            f"places: {places} are fewer than the {servers} servers; the nearest valid number is {servers}"
        )
    room(places)
    k = np.arange(1, places + 1)
    logs = np.concatenate([[0.0], np.cumsum(math.log(load) - np.log(np.minimum(k, servers)))])
    weights = np.exp(logs - logs.max())
    there = weights / weights.sum()
    loss = float(there[-1])
    throughput = rate * float(there[:-1].sum())
    response_time = float(there @ np.arange(places + 1)) / throughput
    seen = there[:-1] / there[:-1].sum()
    return OpenQueue(
        f"M/M/{servers}/{places}",
        rate,
        service_time,
        servers,
        throughput,
        throughput * service_time / servers,
        response_time,
        max(0.0, response_time - service_time),
        float(seen[servers:].sum()),
        loss,
        Mixture(seen, servers, 1 / service_time),
        places=places,
    )


def mg1(rate: float, service_time: float, cs2: float) -> OpenQueue:
    """M/G/1 by Pollaczek and Khinchine: `cs2` is the squared coefficient of variation of the service time.

    0 is a constant service time (M/D/1), 1 an exponential one (M/M/1), both with percentiles. InputError if unstable.
    """
    not_negative(cs2, "cs2")
    exponential = mm1(rate, service_time)
    if cs2 == 1:
        return exponential
    constant = None if cs2 else Constant(rate, service_time)
    model = f"M/G/1 with cs2 = {cs2:g}" if cs2 else "M/D/1"
    return _scaled(exponential, model, cs2, note="", waits=exponential.waits, distribution=constant)


def mgc(rate: float, service_time: float, servers: int, cs2: float, ca2: float = 1.0) -> OpenQueue:
    """M/G/c and G/G/c approximately: the wait of M/M/c times (ca2 + cs2) / 2, by Allen and Cunneen [Allen 1990, 5.3].

    `ca2` and `cs2` are the squared coefficients of variation of the times between arrivals and of the service times.
    Exact for M/M/c and M/G/1; within some percent in heavy traffic, too high for few requests with varying service.
    """
    not_negative(cs2, "cs2")
    not_negative(ca2, "ca2")
    exponential = mmc(rate, service_time, servers)
    if cs2 == ca2 == 1:
        return exponential
    note = (
        "an approximation (Allen and Cunneen), exact only for exponential service or one server with Poisson arrivals"
    )
    return _scaled(exponential, f"G/G/{servers} with ca2 = {ca2:g}, cs2 = {cs2:g}", cs2, ca2, note=note)


def half_open(rate: float, service_time: float, servers: int = 1, *, stay: float) -> OpenQueue:
    """Users that arrive at `rate` and after each answer stay with probability `stay`, think, and send again.

    With exponential service each request sees M/M/c at rate / (1 - stay), whatever the think time: an open network with
    feedback through a delay [Bolch 2006, 7.3]. Raises InputError for a `stay` that is not from 0 to below 1.
    """
    if not 0 <= stay < 1:
        raise InputError(f"stay: {stay:g} is not from 0 to below 1")
    positive(rate, "rate")
    return mmc(rate / (1 - stay), service_time, servers)


def _offered(rate: float, service_time: float, servers: int) -> float:
    positive(rate, "rate")
    positive(service_time, "service time")
    serving(servers)
    return rate * service_time


def _scaled(  # noqa: PLR0913 - what the models with general times share
    queue: OpenQueue,
    model: str,
    cs2: float,
    ca2: float = 1.0,
    *,
    note: str,
    waits: float = math.nan,
    distribution: Response | None = None,
) -> OpenQueue:
    wait = queue.wait * (ca2 + cs2) / 2
    return OpenQueue(
        model,
        queue.rate,
        queue.service_time,
        queue.servers,
        queue.rate,
        queue.utilisation,
        wait + queue.service_time,
        wait,
        waits,
        distribution=distribution,
        note=note,
        cs2=cs2,
        ca2=ca2,
    )
