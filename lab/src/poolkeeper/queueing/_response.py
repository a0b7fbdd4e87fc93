"""Distribution of the response time at servers that take requests in order, from the state at an arrival.

A request that finds k others at c exponential servers of rate mu each waits for k - c + 1 departures, each after an
exponential time of rate c mu, and is then served [Bolch 2006, 6.5]. This holds for whatever makes up the probabilities
of k, so one mixture serves the open queue, the bounded one and the closed one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Floats

_NEGLIGIBLE = 1e-18
_UNDERFLOW = 1e-280


class Response(Protocol):
    """The distributions of the wait and of the response time."""

    @property
    def mu(self) -> float:
        """Rate of service of one server."""

    def wait_beyond(self, time: float) -> float:
        """Probability that a request waits longer than this."""

    def response_beyond(self, time: float) -> float:
        """Probability that a request's wait and service together take longer than this."""


def wait_percentile(response: Response, share: float) -> float:
    """The wait that this share of requests does not exceed; 0 if so many do not wait at all."""
    return percentile(response.wait_beyond, share, 1 / response.mu)


def response_percentile(response: Response, share: float) -> float:
    """The response time that this share of requests does not exceed."""
    return percentile(response.response_beyond, share, 1 / response.mu)


@dataclass(frozen=True, slots=True)
class Unbounded:
    """M/M/c: those that wait, wait exponentially with rate `slack` = c mu - lambda [Bolch 2006, 6.5]."""

    waits: float
    slack: float
    mu: float

    def wait_beyond(self, time: float) -> float:
        """Probability that a request waits longer than this."""
        return self.waits * math.exp(-self.slack * time)

    def response_beyond(self, time: float) -> float:
        """Probability that a request's wait and service together take longer than this."""
        apart = abs(self.slack - self.mu)
        # (exp(-mu t) - exp(-slack t)) / (slack - mu), also where both rates are the same
        between = -math.expm1(-apart * time) / apart if apart * time > 0 else time
        waited = self.mu * math.exp(-min(self.mu, self.slack) * time) * between
        return math.exp(-self.mu * time) + self.waits * waited


@dataclass(frozen=True, eq=False)
class Mixture:
    """`seen[k]` is the probability that an arriving request finds k others; service is exponential of rate `mu`."""

    seen: Floats
    servers: int
    mu: float

    def wait_beyond(self, time: float) -> float:
        """Probability that a request waits longer than this."""
        from scipy.special import gammaincc

        ahead, weights = self._ahead()
        return float(weights @ gammaincc(ahead, self.servers * self.mu * time))

    def response_beyond(self, time: float) -> float:
        """Probability that a request's wait and service together take longer than this."""
        from scipy.special import gammaincc

        ahead, weights = self._ahead()
        at_once = 1 - float(weights.sum())
        served = math.exp(-self.mu * time)
        if self.servers == 1:
            return at_once * served + float(weights @ gammaincc(ahead + 1, self.mu * time))
        waiting = gammaincc(ahead, self.servers * self.mu * time)
        return at_once * served + float(weights @ np.minimum(1.0, waiting + self._in_service(ahead, time)))

    def _in_service(self, ahead: Floats, time: float) -> Floats:
        """Probability that the wait has ended and the service has not: the Erlang density tilted by the service."""
        from scipy.special import gammainc, gammaln

        x = (self.servers - 1) * self.mu * time
        if x == 0:
            return np.zeros_like(ahead)
        tilt = ahead * math.log(self.servers / (self.servers - 1)) - self.mu * time
        share = gammainc(ahead, x)
        with np.errstate(divide="ignore"):
            logs = np.log(share)
        # far below its mean the incomplete gamma function underflows while the tilt makes up for it
        tiny = share < _UNDERFLOW
        if tiny.any():
            n = ahead[tiny]
            series, term, k = np.ones_like(n), np.ones_like(n), 0
            while (term > series * 1e-17).any():
                k += 1
                term = term * x / (n + k)
                series += term
            logs[tiny] = n * math.log(x) - x - gammaln(n + 1) + np.log(series)
        return np.exp(np.minimum(0.0, tilt + logs))

    def _ahead(self) -> tuple[Floats, Floats]:
        """Departures to wait for, and how probable: those that matter."""
        weights = self.seen[self.servers :]
        kept = np.flatnonzero(weights > _NEGLIGIBLE)
        return (kept + 1).astype(np.float64), weights[kept]


def percentile(beyond: Callable[[float], float], share: float, scale: float) -> float:
    """The time that this share does not exceed, of the probabilities to take longer; `scale` is where to begin."""
    from scipy.optimize import brentq

    rest = 1 - share
    if beyond(0.0) <= rest:
        return 0.0
    high = scale
    while beyond(high) > rest:
        high *= 2
    return float(brentq(lambda time: beyond(time) - rest, 0.0, high, xtol=1e-14 * high, rtol=1e-14))
