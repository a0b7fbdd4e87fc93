"""Waiting time of requests for a thread of a pool, as a whole distribution.

A request that finds n >= K others waits for n - K + 1 answers. Let D0 be the changes of the full pool without an answer
and D1 those with one, and R the matrix of its geometric levels, pi[K + j] = pi[K] R^j. The row of probabilities that j
further answers are missing after the next one is pi[K] R^j Z(t) with Z' = Z D0 + R Z D1 and Z(0) = 1, which is the sum
over all numbers of answers at once; P(W > t) = pi[K] (1 - R)^-1 Z(t) 1. By uniformisation all terms are positive.

Waiting times of queues with Markovian service: Latouche, Ramaswami 1999, 4.3, for one departure at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

_MOST = 20_000
_GONE = 1e-15
_STEADY = 1e-12
_SURE = 10.0
"""Standard deviations of a Poisson number that are summed over to either side."""


@dataclass(frozen=True, eq=False)
class PoolWait:
    """P(W > t), from the matrices of the full pool."""

    full: Floats
    """Probabilities of the states with K requests, shape (m,)."""
    tail: Floats
    """R, shape (m, m)."""
    stays: Floats
    """D0, shape (m, m)."""
    answers: Floats
    """D1, shape (m, m)."""

    @property
    def rate(self) -> float:
        """Changes in a unit of time by which all states are uniform."""
        return float(np.max(-np.diag(self.stays)))

    @cached_property
    def after(self) -> tuple[Floats, float]:
        """Probabilities of still waiting after 0, 1, ... changes, and the ratio at which they fall from there on."""
        unit = np.eye(len(self.full))
        # without an answer a state stays or goes to the one below, with one it stays or goes to the one above
        stay, below = 1 + np.diag(self.stays) / self.rate, np.diag(self.stays, -1) / self.rate
        same, above = np.diag(self.answers) / self.rate, np.diag(self.answers, 1) / self.rate
        start = np.linalg.solve((unit - self.tail).T, self.full)
        state, found, ratio = unit, [float(start.sum())], 0.0
        while len(found) < _MOST and found[-1] > _GONE:
            answered = self.tail @ state
            changed = state * stay + answered * same
            changed[:, :-1] += state[:, 1:] * below
            changed[:, 1:] += answered[:, :-1] * above
            state = changed
            found.append(float(start @ state.sum(axis=1)))
            before, ratio = ratio, found[-1] / found[-2]
            if abs(ratio - before) < _STEADY * ratio:
                break
        return np.array(found), ratio

    def beyond(self, time: float) -> float:
        """Probability that a request waits longer than this."""
        from scipy.special import gammaln

        probabilities, ratio = self.after
        expected = self.rate * time
        if expected == 0:
            return float(probabilities[0])
        slack = _SURE * np.sqrt(expected) + _SURE * _SURE
        n = np.arange(max(0, int(expected - slack)), int(expected + slack) + 1)
        weights = np.exp(n * np.log(expected) - expected - gammaln(n + 1.0))
        left = probabilities[np.minimum(n, probabilities.size - 1)] * ratio ** np.maximum(n - probabilities.size + 1, 0)
        return float(weights @ left)
