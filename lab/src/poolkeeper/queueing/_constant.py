"""The wait for one server whose service time is constant (M/D/1), from how many requests wait.

Crommelin's series alternates and loses its digits in the tail; that of Franx has positive terms only [1]. Far out the
tail is exponential: the next root of its characteristic equation is so much farther that after twenty services nothing
of it is left [2, 9.6].

[1] Franx: A simple solution for the M/D/c waiting time distribution, Operations Research Letters 29(5), 2001.
[2] Tijms: A First Course in Stochastic Models, Wiley 2003.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

_FAR = 20
"""Services after which the tail is exponential."""


@dataclass(frozen=True, eq=False)
class Constant:
    """A `Response`: Poisson arrivals at `rate`, one server that takes `service_time` for each, in order of arrival."""

    rate: float
    service_time: float
    _waiting: Floats = field(init=False, repr=False)
    """Probabilities of at most 0, 1, ... waiting requests, shape (21,)."""
    _decay: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        load = self.rate * self.service_time
        object.__setattr__(self, "_waiting", _waiting(load))
        object.__setattr__(self, "_decay", _decay(load) / self.service_time)

    @property
    def mu(self) -> float:
        """Rate of service."""
        return 1 / self.service_time

    def wait_beyond(self, time: float) -> float:
        """Probability that a request waits longer than this; right to fifteen decimals."""
        near = min(time, _FAR * self.service_time)
        services = math.floor(near / self.service_time) + 1
        rest = max(self.rate * (services * self.service_time - near), np.finfo(float).tiny)
        # at most services - 1 - j wait, and j arrive in what is left of the last service
        j = np.arange(services)
        logs = j * math.log(rest) - np.cumsum(np.log(np.maximum(j, 1))) - rest
        beyond = max(0.0, 1 - float(np.exp(logs) @ self._waiting[services - 1 - j]))
        return beyond * math.exp(-self._decay * (time - near))

    def response_beyond(self, time: float) -> float:
        """Probability that a request's wait and service together take longer than this."""
        return 1.0 if time < self.service_time else self.wait_beyond(time - self.service_time)


def _waiting(load: float) -> Floats:
    """Distribution function of the number that waits: of those that a departure leaves behind, but one."""
    from scipy.special import gammainc

    # P(more than k arrive in a service), from the left as exact as from the right
    beyond = gammainc(np.arange(1, _FAR + 3, dtype=np.float64), load)
    left = [1 - load]
    for n in range(1, _FAR + 2):
        # what crosses from below n upwards must come down from n, which takes a service without an arrival
        lags = np.arange(1, n)
        crossing = left[0] * beyond[n - 1] + np.array(left)[n - lags] @ beyond[lags]
        left.append(float(crossing) / math.exp(-load))
    found: Floats = np.minimum(np.cumsum(left)[1:], 1.0)
    return found


def _decay(load: float) -> float:
    """The rate at which the tail falls in a service: the y above 0 with load (e^y - 1) = y."""
    from scipy.optimize import brentq

    high = 1.0
    while load * math.expm1(high) < high:
        high *= 2
    # load (e^y - 1) falls below y at once and crosses it beyond its minimum, at y = -ln load
    return float(brentq(lambda y: load * math.expm1(y) - y, -math.log(load), high, xtol=1e-14, rtol=1e-14))
