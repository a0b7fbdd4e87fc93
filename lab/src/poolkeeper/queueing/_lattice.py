"""Normalising constants of closed networks of several classes, over all populations, as logarithms.

With x the sum of a centre's demands times the classes' variables, a centre of c servers has the generating function
(sum over j < c of (1 - j / c) x^j / j!) / (1 - x / c). Each power of x is one pass over the populations, and so is the
division; all terms are positive, so nothing cancels [1, 8.1.2].

[1] Bolch, Greiner, de Meer, Trivedi: Queueing Networks and Markov Chains, 2nd ed., Wiley 2006.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats


def delays(times: Floats, sizes: tuple[int, ...]) -> Floats:
    """Constants of delays alone, shape `sizes`: the product of t^n / n! over the classes, times of shape (classes,)."""
    from scipy.special import gammaln

    found = np.zeros(sizes)
    for axis, (time, size) in enumerate(zip(times, sizes, strict=True)):
        n = np.arange(size)
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.where(n == 0, 0.0, n * np.log(time)) - gammaln(n + 1.0)
        shape = [1] * len(sizes)
        shape[axis] = size
        found = found + own.reshape(shape)
    return found


def with_queue(logs: Floats, demands: Floats, servers: int) -> Floats:
    """The constants with a queue more; demands of shape (classes,)."""
    weights = [math.log1p(-j / servers) - math.lgamma(j + 1) for j in range(servers)]
    return _divided(_polynomial(logs, demands, weights), demands / servers)


def derivative(logs: Floats, demands: Floats, servers: int) -> Floats:
    """The constants times the derivative of the queue's generating function by x.

    For a single server the queue is in `logs` already, which leaves one division; for several it must not be.
    """
    if servers == 1:
        return _divided(logs, demands)
    weights = [math.log1p(-j / servers) - math.lgamma(j + 1) for j in range(servers)]
    slopes = [math.log1p(-j / servers) - math.lgamma(j) for j in range(1, servers)]
    shares = demands / servers
    own = _divided(_polynomial(logs, demands, slopes), shares)
    queue = _divided(_divided(_polynomial(logs, demands, weights), shares), shares) - math.log(servers)
    return np.asarray(np.logaddexp(own, queue))


def _polynomial(logs: Floats, demands: Floats, weights: list[float]) -> Floats:
    """The constants times the sum of exp(weights[j]) x^j."""
    power = logs
    total = logs + weights[0]
    for weight in weights[1:]:
        power = _times(power, demands)
        total = np.logaddexp(total, power + weight)
    return total


def _times(logs: Floats, demands: Floats) -> Floats:
    """The constants times x."""
    found = np.full(logs.shape, -np.inf)
    for axis, demand in enumerate(demands):
        if demand > 0:
            after, before = _shift(logs.ndim, axis)
            found[after] = np.logaddexp(found[after], logs[before] + math.log(demand))
    return found


def _shift(dimensions: int, axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    after, before = [slice(None)] * dimensions, [slice(None)] * dimensions
    after[axis], before[axis] = slice(1, None), slice(None, -1)
    return tuple(after), tuple(before)


def _divided(logs: Floats, shares: Floats) -> Floats:
    """The constants over 1 - x: a recursion along the longest axis, for all indices of the others in order."""
    along = int(np.argmax(logs.shape))
    found = np.moveaxis(logs, along, -1).copy()
    others = np.delete(shares, along)
    with np.errstate(divide="ignore"):
        own, rest = float(np.log(shares[along])), np.log(others)
    steps = own * np.arange(found.shape[-1]) if math.isfinite(own) else None
    for index in np.ndindex(found.shape[:-1]):
        row = found[index]
        for axis, share in enumerate(rest):
            if index[axis] and share > -math.inf:
                row = np.logaddexp(row, found[(*index[:axis], index[axis] - 1, *index[axis + 1 :])] + share)
        found[index] = row if steps is None else np.logaddexp.accumulate(row - steps) + steps
    return np.moveaxis(found, -1, along)
