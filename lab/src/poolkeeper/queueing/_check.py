"""Settings of queueing models, checked with one clear line each."""

from __future__ import annotations

import math

from poolkeeper.errors import InputError
from poolkeeper.present.numbers import number


def positive(value: float, name: str) -> float:
    """A finite number above 0; raises InputError, which names it, for any other."""
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{name}: {value:g} is not above 0")
    return float(value)


def not_negative(value: float, name: str) -> float:
    """A finite number of 0 or above; raises InputError, which names it, for any other."""
    if not (math.isfinite(value) and value >= 0):
        raise InputError(f"{name}: {value:g} is negative or not finite; the nearest valid one is 0")
    return float(value)


def whole(value: float, name: str, least: int = 1) -> int:
    """A whole number of at least so much; raises InputError, which names it, for any other."""
    if not (math.isfinite(value) and value == int(value) and value >= least):
        nearest = max(least, round(value)) if math.isfinite(value) else least
        raise InputError(f"{name}: {value:g} is not a whole number of {least} or above; the nearest is {nearest}")
    return int(value)


MOST_SERVERS = 1_000_000_000
"""Servers of a queue: beyond, the probability that all are busy takes seconds to compute."""

MOST_PLACES = 10_000_000
"""Places of a bounded queue: its solution holds a number for each."""

MOST_USERS = 1_000_000
"""Users of a closed model: its solution holds a number for each."""


def serving(servers: float, least: int = 1) -> int:
    """A number of servers that can be computed with; raises InputError, which names it, for any other."""
    instead = "of so many hardly ever all are busy: nobody waits, and response time is service time"
    return _computable(servers, "servers", MOST_SERVERS, instead, least)


def room(places: float) -> int:
    """A number of places that can be computed with; raises InputError, which names it, for any other."""
    instead = "a queue with so much room that is not overloaded is one without a bound"
    return _computable(places, "places", MOST_PLACES, instead)


def population(users: float) -> int:
    """A number of users that can be computed with; raises InputError, which names it, for any other."""
    instead = (
        "for so many the busiest centre decides: throughput is what it can do, and response time is"
        " users / throughput less the think time"
    )
    return _computable(users, "users", MOST_USERS, instead)


def _computable(value: float, name: str, most: int, instead: str, least: int = 1) -> int:
    if value > most:
        raise InputError(f"{name}: {value:,.0f} is above {most:,}, the most that can be computed; {instead}")
    return whole(value, name, least)


_ROUNDING = 1e-10
"""Share of the capacity by which the rounding of what a rate is made of may be wrong."""


def stable(rate: float, most: float, name: str = "rate") -> None:
    """Refuse an arrival rate that is not below the capacity, with InputError."""
    if rate >= most * (1 - _ROUNDING):
        raise InputError(
            f"{name}: {number(rate, 4)} is not below the {number(most, 4)} that can be served in that time,"
            " so the queue grows without end"
        )


def percent(p: float) -> float:
    """A percentile in percent as a share. Raises InputError for a share of one (0.99) and for 100 and more."""
    if not 1 <= p < 100:  # noqa: PLR2004 - percent
        raise InputError(f"percentile: {p:g} is not from 1 to below 100, in percent")
    return p / 100
