"""Waiting time of requests for a thread of a pool, as a whole distribution.

A request that finds n >= K others waits for n - K + 1 answers. Let D0 be the changes of the full pool without an answer
and D1 those with one, and R the matrix of its geometric levels, pi[K + j] = pi[K] R^j. The row of probabilities that j
further answers are missing after the next one is pi[K] R^j Z(t) with Z' = Z D0 + R Z D1 and Z(0) = 1, which is the sum
over all numbers of answers at once; P(W > t) = pi[K] (1 - R)^-1 Z(t) 1. By uniformisation all terms are positive.

Waiting times of queues with Markovian service: Latouche, Ramaswami 1999, 4.3, for one departure at a time.

Where the queue has room for Q, row j of a matrix (Q, m) stands for j further answers, and R for the step to the row
above.
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
    """Probabilities of the states with K requests, shape (m,); with a bound, those of K and more that an arriving
    request is let in to, shape (Q, m)."""
    tail: Floats | None
    """R, shape (m, m); None with a bound."""
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
        # without an answer a state stays or goes to the one below, with one it stays or goes to the one above
        stay, below = 1 + np.diag(self.stays) / self.rate, np.diag(self.stays, -1) / self.rate
        same, above = np.diag(self.answers) / self.rate, np.diag(self.answers, 1) / self.rate
        state, start = self._start()
        found, ratio = [float(start @ state.sum(axis=1))], 0.0
        while (self.tail is None or len(found) < _MOST) and found[-1] > _GONE:
            answered = self._answered(state)
            changed = state * stay + answered * same
            changed[:, :-1] += state[:, 1:] * below
            changed[:, 1:] += answered[:, :-1] * above
            state = changed
            found.append(float(start @ state.sum(axis=1)))
            before, ratio = ratio, found[-1] / found[-2]
            if self.tail is not None and abs(ratio - before) < _STEADY * ratio:
                break
        return np.array(found), ratio

    def _start(self) -> tuple[Floats, Floats]:
        """The matrix of further answers and states before the first change, and the weights of its rows."""
        if self.tail is None:
            return self.full, np.ones(len(self.full))
        unit: Floats = np.eye(len(self.full))
        start = np.linalg.solve((unit - self.tail).T, self.full).astype(np.float64)
        return unit, start

    def _answered(self, state: Floats) -> Floats:
        """Rows of the states that an answer leads to."""
        if self.tail is not None:
            return self.tail @ state
        return np.concatenate([state[1:], np.zeros_like(state[:1])])

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
