"""Streams of response times whose percentiles, means and dependence are known in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.signal import lfilter
from scipy.special import ndtr, ndtri

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from poolkeeper.arrays import Floats


@dataclass(frozen=True)
class Stream:
    """Stationary response times: `quantile` and `below` (the CDF) are those of any one of them."""

    name: str
    draw: Callable[[Generator, int], Floats]
    quantile: Callable[[float], float]
    below: Callable[[float], float]
    mean: float


EXPONENTIAL = Stream(
    "exponential, independent",
    lambda random, count: random.exponential(size=count),
    lambda share: -math.log1p(-share),
    lambda value: -math.expm1(-value),
    1.0,
)


def lognormal(phi: float) -> Stream:
    """Lognormal(0, 1) values that a Gaussian AR(1) copula ties together; independent for a `phi` of 0."""

    def draw(random: Generator, count: int) -> Floats:
        noise = random.normal(size=count)
        noise[1:] *= math.sqrt(1 - phi**2)
        values: Floats = np.exp(lfilter([1.0], [1.0, -phi], noise))
        return values

    return Stream(
        f"lognormal, AR(1) copula {phi:g}" if phi else "lognormal, independent",
        draw,
        lambda share: math.exp(ndtri(share)),
        lambda value: float(ndtr(math.log(value))) if value > 0 else 0.0,
        math.exp(0.5),
    )


def slow_bursts(length: int, share: float, factor: float) -> Stream:
    """Lognormal(0, 0.5) values, some times slower in bursts of a mean length that hold a share of all values."""
    spread = 0.5

    def draw(random: Generator, count: int) -> Floats:
        slow, parts, drawn = bool(random.random() < share), [], 0
        while drawn < count:
            mean = length if slow else length * (1 - share) / share
            parts.append(np.full(random.geometric(1 / mean), slow))
            drawn += parts[-1].size
            slow = not slow
        level = np.where(np.concatenate(parts)[:count], factor, 1.0)
        values: Floats = level * np.exp(spread * random.normal(size=count))
        return values

    def below(value: float) -> float:
        usual, slow = (float(ndtr(math.log(value / level) / spread)) for level in (1.0, factor))
        return (1 - share) * usual + share * slow

    return Stream(
        f"bursts of {length}, {share:.0%} are {factor:g} times as slow",
        draw,
        lambda wanted: float(brentq(lambda value: below(value) - wanted, 1e-6, 1e6)),
        lambda value: below(value) if value > 0 else 0.0,
        (1 - share + share * factor) * math.exp(spread**2 / 2),
    )


def waiting(utilisation: float) -> Stream:
    """Waiting times of successive customers of an M/M/1 queue in equilibrium, services of mean 1 (Lindley)."""

    def draw(random: Generator, count: int) -> Floats:
        first = random.exponential(1 / (1 - utilisation)) if random.random() < utilisation else 0.0
        steps = random.exponential(size=count - 1) - random.exponential(1 / utilisation, count - 1)
        walk = first + np.concatenate(([0.0], np.cumsum(steps)))
        waits: Floats = walk - np.minimum(np.minimum.accumulate(walk), 0.0)
        return waits

    return Stream(
        f"M/M/1 waits at {utilisation:g}",
        draw,
        lambda share: max(0.0, math.log(utilisation / (1 - share)) / (1 - utilisation)),
        lambda value: 1 - utilisation * math.exp(-(1 - utilisation) * value) if value >= 0 else 0.0,
        utilisation / (1 - utilisation),
    )
