"""Whether one distribution can have made a whole sample, and what two can: what its upper end is compared with.

A lognormal fitted to the upper end and the number of values below it may match both and still be nothing like the
values below. Such a one explains nothing, and must not stand against a power law. What stands in its place is a body
and a tail of two lognormals, fitted to all values: the simplest lighter law that has a body of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

CONTRADICTED = 0.05
"""Kolmogorov-Smirnov distance of a fit to all values above which the data contradict it: with the 2000 values that a
verdict takes, chance makes 0.023 in one sample of a hundred (Lilliefors 1967), so that only what matters counts."""

_CELLS = 2000
_ROUNDS = 300
_GAIN = 1e-9  # of the mean log-likelihood in a round: the end of the climb
_NARROWEST = 0.01  # of a lognormal's sigma, so that it cannot settle on a single value


@dataclass(frozen=True, eq=False)
class Whole:
    """Logarithms of all values of a sample, ascending, at most 2000 cells of equal width, and how many are in each."""

    logs: Floats
    weights: Floats

    @classmethod
    def of(cls, logs: Floats) -> Whole:
        """Cells of logarithms in any order, shape (n,); a cell stands where the mean of its values is."""
        counts, edges = np.histogram(logs, bins=_CELLS)
        sums, _ = np.histogram(logs, bins=edges, weights=logs)
        filled = counts > 0
        return cls(sums[filled] / counts[filled], counts[filled].astype(float))

    def lognormal_distance(self) -> float:
        """Kolmogorov-Smirnov distance of the most likely lognormal, at the cells."""
        from scipy.special import ndtr

        mean = float(np.average(self.logs, weights=self.weights))
        sigma = float(np.sqrt(np.average((self.logs - mean) ** 2, weights=self.weights)))
        return self._distance(ndtr((self.logs - mean) / sigma))

    def weibull_distance(self) -> float:
        """Kolmogorov-Smirnov distance of the most likely Weibull distribution, at the cells."""
        from scipy.optimize import brentq

        shifted = self.logs - self.logs[-1]
        mean = float(np.average(shifted, weights=self.weights))

        def slope(shape: float) -> float:
            powers = self.weights * np.exp(shape * shifted)
            return float(powers @ shifted / powers.sum()) - 1 / shape - mean

        shape = brentq(slope, -1e-6 / mean, -1e6 / mean)
        powers = np.exp(shape * shifted)
        return self._distance(-np.expm1(-powers / np.average(powers, weights=self.weights)))

    def two_lognormals(self) -> tuple[Floats, Floats, Floats]:
        """Shares, means and standard deviations of the logarithms of the most likely two, each of shape (2,).

        By expectation and maximisation from three starts, the upper 3, 10 and 40 % as one of the two.
        """
        found = [self._climb(upper) for upper in (0.03, 0.1, 0.4)]
        return max(found, key=lambda entry: entry[0])[1]

    def _climb(self, upper: float) -> tuple[float, tuple[Floats, Floats, Floats]]:
        weights = self.weights / self.weights.sum()
        above = np.cumsum(weights) > 1 - upper
        tiny = np.finfo(float).tiny
        belongs = np.stack([~above, above]).astype(float) + 1e-6
        either = belongs.sum(axis=0)
        last = -np.inf
        for _ in range(_ROUNDS):
            mass = belongs * (weights / either)
            share = mass.sum(axis=1)
            mu = mass @ self.logs / share
            sigma = np.sqrt((mass * (self.logs - mu[:, None]) ** 2).sum(axis=1) / share)
            mixture = share / share.sum(), mu, np.maximum(sigma, _NARROWEST)
            belongs = densities(self.logs, mixture) + tiny
            either = belongs[0] + belongs[1]
            likelihood = float(np.log(either) @ weights)
            if likelihood - last < _GAIN:
                break
            last = likelihood
        return likelihood, mixture

    def _distance(self, model: Floats) -> float:
        share = np.cumsum(self.weights) / self.weights.sum()
        before = share - self.weights / self.weights.sum()
        return float(np.abs((share + before) / 2 - model).max())


def densities(logs: Floats, mixture: tuple[Floats, Floats, Floats]) -> Floats:
    """Density of each of the two at logarithms of shape (n,), times its share; shape (2, n)."""
    share, mu, sigma = (values[:, None] for values in mixture)
    z = (logs - mu) / sigma
    return np.asarray(share * np.exp(-z * z / 2) / (sigma * np.sqrt(2 * np.pi)))
