"""The hyperexponential family: fast and slow requests, each exponential."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.fits.families.family import Family, Parameter, scalars
from poolkeeper.latency.fits.families.numeric import invert

if TYPE_CHECKING:
    from numpy.random import Generator

    from poolkeeper.arrays import Floats

_ROUNDS = 60
_NEARLY_ONE = 0.01


class HyperexponentialFamily(Family):
    """A share of exponential values with the mean `fast`, the rest with the mean `slow`.

    Its coefficient of variation is above 1; for data below that the two means run together (they are kept 1 % apart).
    A value of 0 would let the fast phase shrink to it without end, so it takes none.
    """

    name = "hyperexponential"
    parameters = (Parameter("share", share=True), Parameter("fast", scaled=True), Parameter("slow", scaled=True))
    contains = frozenset({"exponential"})

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        share, fast, slow = parameters
        both = np.logaddexp(np.log(share / fast) - x / fast, np.log1p(-share) - np.log(slow) - x / slow)
        return np.where(x >= 0, both, -np.inf)

    def cdf(self, x: Floats, *parameters: Floats) -> Floats:
        share, fast, slow = parameters
        y = np.maximum(x, 0)
        return -share * np.expm1(-y / fast) - (1 - share) * np.expm1(-y / slow)

    def sf(self, x: Floats, *parameters: Floats) -> Floats:
        share, fast, slow = parameters
        y = np.maximum(x, 0)
        return share * np.exp(-y / fast) + (1 - share) * np.exp(-y / slow)

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        share, fast, slow = parameters
        p, q = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
        of_one = (share, fast / slow, np.asarray(1.0))
        return slow * invert(lambda x: self.cdf(x, *of_one), lambda x: self.sf(x, *of_one), p, q)

    def mean(self, *parameters: float) -> float:
        share, fast, slow = parameters
        return share * fast + (1 - share) * slow

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        """Expectation-maximisation from where half of the values are five times as fast as the others."""
        mean = float(weights @ x / weights.sum())
        return scalars(self._improve(x, weights, 0.5, mean / 3, mean * 5 / 3))

    def starts(self, x: Floats, weights: Floats) -> list[tuple[float, ...]]:
        mean = float(weights @ x / weights.sum())
        guesses = [(0.5, 1 / 3, 5 / 3), (0.9, 0.5, 5.5), (0.99, 0.7, 30.7), (0.1, 0.1, 1.1)]
        return [self._improve(x, weights, share, fast * mean, slow * mean) for share, fast, slow in guesses]

    @staticmethod
    def _improve(x: Floats, weights: Floats, share: float, fast: float, slow: float) -> tuple[float, ...]:
        total = weights.sum()
        for _ in range(_ROUNDS):
            with np.errstate(over="ignore"):
                ratio = (1 - share) / share * fast / slow * np.exp(x / fast - x / slow)
            mine = weights / (1 + ratio)
            own = float(np.clip(mine.sum() / total, 1e-6, 1 - 1e-6))
            fast = max(float(mine @ x) / max(float(mine.sum()), 1e-300), 1e-12)
            slow = max(
                float((weights - mine) @ x) / max(float((weights - mine).sum()), 1e-300), fast * (1 + _NEARLY_ONE)
            )
            share = own
        return share, fast, slow

    def draw(self, size: int, random: Generator, *parameters: float) -> Floats:
        share, fast, slow = parameters
        return random.standard_exponential(size) * np.where(random.random(size) < share, fast, slow)

    def coordinates(self, *parameters: Floats) -> tuple[Floats, ...]:
        """Logit of the share, ln fast, ln (slow / fast)."""
        share, fast, slow = parameters
        return np.log(share) - np.log1p(-share), np.log(fast), np.log(slow / fast)

    def natural(self, *coordinates: Floats) -> tuple[Floats, ...]:
        logit, log_fast, log_ratio = coordinates
        fast = np.exp(log_fast)
        return 1 / (1 + np.exp(-logit)), fast, fast * np.exp(log_ratio)

    def bounds(self) -> tuple[Floats, Floats]:
        return np.array([-14.0, -30.0, np.log1p(_NEARLY_ONE)]), np.array([14.0, 30.0, 30.0])
