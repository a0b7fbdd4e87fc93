"""Families with a scale and a shape whose tail falls exponentially or nearly so: gamma and Weibull."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from poolkeeper.latency.fits.families.family import Family, HazardFamily, Parameter
from poolkeeper.latency.fits.families.numeric import hazard
from poolkeeper.latency.fits.families.simple import average

if TYPE_CHECKING:
    from numpy.random import Generator

    from poolkeeper.arrays import Floats

_NEWTON = 12
_HALF = 0.5


class GammaFamily(Family):
    """Density proportional to x^(shape - 1) exp(-x / scale)."""

    name = "gamma"
    parameters = (Parameter("shape"), Parameter("scale", scaled=True))
    closed = True
    contains = frozenset({"exponential"})

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return (shape - 1) * np.log(x) - x / scale - special.gammaln(shape) - shape * np.log(scale)

    def cdf(self, x: Floats, *parameters: Floats) -> Floats:
        return special.gammainc(parameters[0], np.maximum(x, 0) / parameters[1])

    def sf(self, x: Floats, *parameters: Floats) -> Floats:
        return special.gammaincc(parameters[0], np.maximum(x, 0) / parameters[1])

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return scale * np.where(p < _HALF, special.gammaincinv(shape, p), special.gammainccinv(shape, q))

    def mean(self, *parameters: float) -> float:
        return parameters[0] * parameters[1]

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        """Newton's method for 1/shape on ln mean - mean ln, the sufficient statistic (Minka 2002, eq. 10)."""
        mean = average(x, weights)
        # ln of values relative to the mean: nothing cancels when they are nearly equal
        relative = x / mean[..., None]
        gap = ((relative - 1 - np.log(relative)) * weights).sum(axis=-1) / weights.sum(axis=-1)
        gap = np.maximum(gap, 1e-13)
        shape = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
        for _ in range(_NEWTON):
            slope = 1 / shape - special.polygamma(1, shape)
            inverse = 1 / shape + (np.log(shape) - special.digamma(shape) - gap) / (shape * shape * slope)
            shape = 1 / np.maximum(inverse, 1 / (2 * shape))
        return shape, mean / shape

    def draw(self, size: int, random: Generator, *parameters: float) -> Floats:
        shape, scale = parameters
        return random.gamma(shape, scale, size)


class WeibullFamily(HazardFamily):
    """P(X > x) = exp(-(x / scale)^shape)."""

    name = "weibull"
    parameters = (Parameter("shape", low=-5, high=25), Parameter("scale", scaled=True))
    contains = frozenset({"exponential"})

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        log = np.log(x / scale)
        return np.log(shape / scale) + (shape - 1) * log - np.exp(shape * log)

    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return (np.maximum(x, 0) / scale) ** shape

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return scale * hazard(p, q) ** (1 / shape)

    def mean(self, *parameters: float) -> float:
        shape, scale = parameters
        return float(scale * special.gamma(1 + 1 / shape))

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        """From mean and variance of ln x: its standard deviation is pi / sqrt(6) / shape."""
        log = np.log(np.maximum(x, 1e-300))
        mean = average(log, weights)
        off = log - mean[..., None]
        shape = np.pi / np.sqrt(6 * (off * off * weights).sum(axis=-1) / weights.sum(axis=-1))
        return shape, np.exp(mean + np.euler_gamma / shape)

    def starts(self, x: Floats, weights: Floats) -> list[tuple[float, ...]]:
        """From ln x, and from the exponential distribution."""
        return [*super().starts(x, weights), (1.0, float(average(x, weights)))]
