"""Alternatives to a power law of whole numbers: each number is the step that it stands for.

Exponential, lognormal and Weibull tails as in `alternatives`, with the probability of the interval from half a step
below a number to half a step above it, above half a step below xmin [Clauset, Shalizi and Newman 2009, table 2.1].
Distributions with a body have the same intervals; what they place below xmin are the numbers there. Without any such
number, everything below one and a half times the least one is that number.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.tails.alternatives import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.tails.discrete import StepCounts, Zeta

_LEAST_MASS = 1e-300


def compare_steps(law: Zeta, data: StepCounts) -> tuple[Comparison, ...]:
    """The power law against three tails of the same numbers."""
    first = int(np.searchsorted(data.numbers, law.xmin))
    numbers, counts = data.numbers[first:], data.counts[first:]
    own = law.log_likelihoods(numbers)
    middle = numbers.astype(np.float64)
    edges = (law.xmin - 0.5, middle - 0.5, middle + 0.5)
    return (
        _exponential(law, middle, counts.astype(float), own),
        _lognormal(edges, counts.astype(float), own),
        _weibull(edges, counts.astype(float), own),
    )


def compare_whole_steps(law: Zeta, data: StepCounts, found: tuple[Comparison, ...]) -> tuple[Comparison, ...]:
    """The power law against distributions with a body, as `found` for the same values spread over their steps."""
    first = int(np.searchsorted(data.numbers, law.xmin))
    numbers, counts = data.numbers[first:].astype(np.float64), data.counts[first:].astype(float)
    share = law.count / data.total
    own = law.log_likelihoods(data.numbers[first:]) + math.log(share)
    begin = law.xmin - 0.5
    low, high = np.log((numbers - 0.5) / begin), np.log((numbers + 0.5) / begin)
    if below := data.total - law.count:
        own, counts = np.append(own, math.log1p(-share)), np.append(counts, float(below))
        low, high = np.append(low, -np.inf), np.append(high, 0.0)
    else:
        low[0] = -np.inf
    return tuple(_whole(comparison, (low, high), counts, own) for comparison in found)


def _whole(found: Comparison, edges: tuple[Floats, Floats], counts: Floats, own: Floats) -> Comparison:
    """One comparison again, where logarithms relative to the beginning of the law lie between edges."""
    from scipy.special import log_ndtr

    low, high = edges
    given = found.parameters

    def lognormal(at: Floats) -> Floats:
        mu, width = float(at[0]), math.exp(float(at[1]))
        return _between(log_ndtr((mu - low) / width), log_ndtr((mu - high) / width))

    def weibull(at: Floats) -> Floats:
        shape, log_b = math.exp(float(at[0])), float(at[1])
        return _between(-np.exp(log_b + shape * low), -np.exp(log_b + shape * high))

    if found.alternative == "one lognormal":
        start = given["mu"], math.log(given["sigma"])
        at, other = _fitted(lognormal, [start], counts)
        parameters = {"mu": float(at[0]), "sigma": math.exp(float(at[1]))}
    elif found.alternative == "one Weibull":
        shape = given["shape"]
        at, other = _fitted(weibull, [(math.log(shape), -shape * math.log(given["scale"]))], counts)
        shape = math.exp(float(at[0]))
        parameters = {"shape": shape, "scale": math.exp(-float(at[1]) / shape)}
    else:
        parts = [
            math.log(given[f"share{k}"]) + lognormal(np.array([given[f"mu{k}"], math.log(given[f"sigma{k}"])]))
            for k in (1, 2)
        ]
        other, parameters = np.logaddexp(*parts), given
    ratio, z = _vuong(own - other, counts)
    p = math.erfc(abs(z) / math.sqrt(2))
    return replace(found, ratio=ratio, z=z, p=p, parameters=parameters)


def _exponential(law: Zeta, numbers: Floats, counts: Floats, own: Floats) -> Comparison:
    """The geometric law of the numbers above xmin, which is an exponential one cut into steps."""
    mean = float(np.average(numbers, weights=counts)) - law.xmin
    rate = math.log1p(1 / mean)
    other = math.log(-math.expm1(-rate)) - rate * (numbers - law.xmin)
    ratio, z = _vuong(own - other, counts)
    p = math.erfc(abs(z) / math.sqrt(2))
    return Comparison("exponential tail", ratio, z, p, nested=False, parameters={"rate": rate})


def _lognormal(edges: tuple[float, Floats, Floats], counts: Floats, own: Floats) -> Comparison:
    from scipy.special import log_ndtr

    begin, low, high = edges

    def masses(at: Floats) -> Floats:
        mu, sigma = float(at[0]), math.exp(float(at[1]))

        def log_beyond(x: Floats) -> Floats:
            found: Floats = log_ndtr((mu - np.log(x)) / sigma)
            return found

        return _between(log_beyond(low), log_beyond(high)) - log_beyond(np.asarray(begin))

    logs = np.log((low + high) / 2)
    mean = float(np.average(logs, weights=counts))
    spread = math.sqrt(float(np.average((logs - mean) ** 2, weights=counts)))
    starts = [(mean, math.log(spread)), (mean - 3 * spread, math.log(2 * spread)), (-10.0, math.log(4 * spread + 1))]
    at, other = _fitted(masses, starts, counts)
    parameters = {"mu": float(at[0]), "sigma": math.exp(float(at[1]))}
    return _nested("lognormal tail", own, other, counts, parameters)


def _weibull(edges: tuple[float, Floats, Floats], counts: Floats, own: Floats) -> Comparison:
    begin, low, high = edges

    def masses(at: Floats) -> Floats:
        shape, scale = math.exp(float(at[0])), math.exp(float(at[1]))
        rise = [-scale * np.expm1(shape * np.log(x / begin)) / shape for x in (low, high)]
        return _between(*rise)

    excess = float(np.average(np.log((low + high) / 2 / begin), weights=counts))
    starts = [(math.log(shape), -math.log(excess)) for shape in (0.01, 0.3, 1.0)]
    at, other = _fitted(masses, starts, counts)
    return _nested("Weibull tail", own, other, counts, {"shape": math.exp(float(at[0]))})


def _between(low: Floats, high: Floats) -> Floats:
    """Logarithm of the difference of two probabilities to lie beyond, from their logarithms."""
    share = -np.expm1(np.minimum(high - low, 0.0))
    found: Floats = low + np.log(np.maximum(share, _LEAST_MASS))
    return found


def _fitted(
    masses: Callable[[Floats], Floats], starts: list[tuple[float, float]], counts: Floats
) -> tuple[Floats, Floats]:
    """Most likely parameters from the best start, and the logarithms of the numbers' probabilities with them."""
    from scipy.optimize import minimize

    total = counts.sum()

    def loss(at: Floats) -> float:
        with np.errstate(all="ignore"):
            value = -float(counts @ masses(at)) / total
        return value if math.isfinite(value) else 1e300

    found = [
        minimize(loss, np.array(start), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-11, "maxiter": 2000})
        for start in starts
    ]
    best = min(found, key=lambda entry: float(entry.fun))
    return best.x, masses(best.x)


def _nested(name: str, own: Floats, other: Floats, counts: Floats, parameters: dict[str, float]) -> Comparison:
    """A tail that comes as near to the power law as one likes, so that a gain alone counts."""
    ratio, z = _vuong(own - other, counts)
    p = 0.5 * math.erfc(math.sqrt(max(0.0, -ratio))) if ratio < 0 else 1.0
    return Comparison(name, min(ratio, 0.0), min(z, 0.0), p, nested=True, parameters=parameters)


def _vuong(difference: Floats, counts: Floats) -> tuple[float, float]:
    number = float(counts.sum())
    total = float(counts @ difference)
    variance = float(counts @ (difference - total / number) ** 2) / number
    return total, total / math.sqrt(number * variance) if variance > 0 else 0.0
