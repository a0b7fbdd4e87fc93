"""Families whose tail falls as a power: Pareto I and II, generalised Pareto, Burr XII, log-logistic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from poolkeeper.latency.fits.families.family import HazardFamily, Parameter
from poolkeeper.latency.fits.families.numeric import hazard
from poolkeeper.latency.fits.families.shaped import WeibullFamily
from poolkeeper.latency.fits.families.simple import average

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

_MOST_EXPONENT = 600.0
"""Exponent whose power is still a number after a multiplication."""
_LARGE = 50.0
_STEEP = 30.0
"""Shape of a Burr whose lower end is steep."""
_LOWER_SHARES = (1e-9, 0.05)
"""Shares of the values below such an end."""
_LEAST = 1e-300
_MOST = 1e9
"""Largest shape (power) that is sought: beyond it a Pareto II is an exponential, and a Burr a Weibull."""


class ParetoFamily(HazardFamily):
    """P(X > x) = (scale / x)^shape from the scale on, which is the smallest value. Also called Pareto I."""

    name = "pareto"
    parameters = (Parameter("shape"), Parameter("scale", scaled=True))
    closed = True
    anchor = "scale"
    heavy = True

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        log = np.log(shape) + shape * np.log(scale) - (shape + 1) * np.log(x)
        return np.where(x >= scale * (1 - 1e-12), log, -np.inf)

    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return shape * np.log(np.maximum(x, scale) / scale)

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return scale * np.exp(hazard(p, q) / shape)

    def mean(self, *parameters: float) -> float:
        shape, scale = parameters
        return shape * scale / (shape - 1) if shape > 1 else float("inf")

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        least = smallest(x, weights)
        log = np.maximum(np.log(x / least[..., None]), 0)
        return 1 / average_rows(log, weights), least


def smallest(x: Floats, weights: Floats) -> Floats:
    """The smallest of ascending values that stands for any, along the last axis of `weights`."""
    least: Floats = x[np.argmax(weights > 0, axis=-1)]
    return least


def average_rows(values: Floats, weights: Floats) -> Floats:
    """Weighted means along the last axis of values and weights of the same shape."""
    mean: Floats = (values * weights).sum(axis=-1) / weights.sum(axis=-1)
    return mean


def _softplus(y: Floats) -> Floats:
    """ln(1 + e^y), without overflow."""
    found: Floats = np.logaddexp(0.0, y)
    return found


class ShiftedExponentialFamily(HazardFamily):
    """An exponential distribution that begins at a location, which is the smallest value."""

    name = "shifted-exponential"
    parameters = (Parameter("location", scaled=True), Parameter("scale", scaled=True))
    closed = True
    anchor = "location"
    contains = frozenset({"exponential"})

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        location, scale = parameters
        return np.where(x >= location * (1 - 1e-12), -(x - location) / scale - np.log(scale), -np.inf)

    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        location, scale = parameters
        return np.maximum(x - location, 0) / scale

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        location, scale = parameters
        return location + scale * hazard(p, q)

    def mean(self, *parameters: float) -> float:
        return sum(parameters)

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        least = smallest(x, weights)
        return least, average(x, weights) - least


class LomaxFamily(HazardFamily):
    """P(X > x) = (1 + x / scale)^-shape. Also called Pareto II."""

    name = "lomax"
    parameters = (Parameter("shape", positive=True), Parameter("scale", scaled=True))
    takes_zero = True
    heavy = True
    contains = frozenset({"exponential"})

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return np.where(x >= 0, np.log(shape / scale) - (shape + 1) * np.log1p(np.maximum(x, 0) / scale), -np.inf)

    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return shape * np.log1p(np.maximum(x, 0) / scale)

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return scale * np.expm1(hazard(p, q) / shape)

    def mean(self, *parameters: float) -> float:
        shape, scale = parameters
        return scale / (shape - 1) if shape > 1 else float("inf")

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        """Tails of powers 3 with the mean of the data: somewhere to start."""
        mean = average(x, weights)
        return np.full(mean.shape, 3.0), 2 * mean

    def coordinates(self, *parameters: Floats) -> tuple[Floats, ...]:
        """1 / shape, which is 0 for the exponential, and the logarithm of the scale that is left there."""
        shape, scale = parameters
        return 1 / shape, np.log(scale / shape)

    def natural(self, *coordinates: Floats) -> tuple[Floats, ...]:
        tail, log_scale = coordinates
        return 1 / tail, np.exp(log_scale) / tail

    def bounds(self) -> tuple[Floats, Floats]:
        return np.array([1 / _MOST, -30.0]), np.array([20.0, 30.0])


class GeneralisedParetoFamily(HazardFamily):
    """P(X > x) = (1 + shape x / scale)^(-1/shape): ends at -scale/shape for negative shapes, exponential at 0.

    Shapes are sought above -1, below which the likelihood has no maximum; standard errors hold above -1/2 (Smith 1985).
    """

    name = "generalised-pareto"
    parameters = (Parameter("shape", positive=False, low=-0.99, high=20.0), Parameter("scale", scaled=True))
    takes_zero = True
    heavy = True
    contains = frozenset({"exponential", "lomax"})

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        with np.errstate(all="ignore"):
            log = -self.hazard(x, *parameters) - np.log(scale) - np.log1p(shape * x / scale)
        return np.where((x >= 0) & (1 + shape * x / scale > 0), log, -np.inf)

    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        safe = np.where(np.abs(shape) < 1e-8, 1e-8, shape)  # noqa: PLR2004 - exponential to eight digits
        with np.errstate(divide="ignore"):
            return np.log1p(np.maximum(safe * np.maximum(x, 0) / scale, -1)) / safe

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        safe = np.where(np.abs(shape) < 1e-8, 1e-8, shape)  # noqa: PLR2004 - exponential to eight digits
        return scale * np.expm1(safe * hazard(p, q)) / safe

    def mean(self, *parameters: float) -> float:
        shape, scale = parameters
        return scale / (1 - shape) if shape < 1 else float("inf")

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        mean = average(x, weights)
        return np.full(mean.shape, 0.05), mean

    def starts(self, x: Floats, weights: Floats) -> list[tuple[float, ...]]:
        mean, most = float(average(x, weights)), float(x[-1])
        return [(0.05, mean), (-0.9, 0.95 * most)]

    def regular(self, *parameters: float) -> bool:
        return parameters[0] > -0.5  # noqa: PLR2004 - Smith's bound


class BurrFamily(HazardFamily):
    """P(X > x) = (1 + (x / scale)^shape)^-power. Also called Burr XII and Singh-Maddala."""

    name = "burr"
    parameters = (Parameter("shape"), Parameter("power"), Parameter("scale", scaled=True))
    heavy = True
    contains = frozenset({"exponential", "log-logistic", "lomax", "weibull"})

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, power, scale = parameters
        log = np.log(x) - np.log(scale)
        density: Floats = np.log(shape * power / scale) + (shape - 1) * log - (power + 1) * _softplus(shape * log)
        return density

    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        shape, power, scale = parameters
        with np.errstate(divide="ignore"):
            log = np.log(np.maximum(x, 0)) - np.log(scale)
        return power * _softplus(shape * log)

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, power, scale = parameters
        return scale * np.expm1(hazard(p, q) / power) ** (1 / shape)

    def mean(self, *parameters: float) -> float:
        shape, power, scale = parameters
        if shape * power <= 1:
            return float("inf")
        return float(scale * power * special.beta(power - 1 / shape, 1 + 1 / shape))

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        """A log-logistic: power 1."""
        shape, scale = LogLogisticFamily().estimate(x, weights)
        return shape, np.ones_like(shape), scale

    def starts(self, x: Floats, weights: Floats) -> list[tuple[float, ...]]:
        """The special cases: a log-logistic, nearly a Weibull, a Lomax; and power laws with a steep lower end."""
        shape, scale = (float(value) for value in WeibullFamily().estimate(x, weights))
        mean = float(average(x, weights))
        # A small shape, as of many zeros, makes the scale larger than a number can be.
        weibull = (shape, _LARGE, scale * math.exp(min(math.log(_LARGE) / shape, _MOST_EXPONENT)))
        return [*super().starts(x, weights), weibull, (1.0, 3.0, 2 * mean), *_steep_starts(x, weights)]

    def coordinates(self, *parameters: Floats) -> tuple[Floats, ...]:
        """Logarithms of the shape, of 1 + 1 / power (0 for the Weibull), and of the scale that is left there.

        Small powers, those of a steep lower end, lie as far apart as their logarithms.
        """
        shape, power, scale = parameters
        return np.log(shape), np.log1p(1 / power), np.log(scale) - np.log1p(power) / shape

    def natural(self, *coordinates: Floats) -> tuple[Floats, ...]:
        shape, power = np.exp(coordinates[0]), 1 / np.expm1(coordinates[1])
        return shape, power, np.exp(coordinates[2] + np.log1p(power) / shape)

    def bounds(self) -> tuple[Floats, Floats]:
        return np.array([-5.0, 1 / _MOST, -30.0]), np.array([25.0, math.log1p(1e3), 30.0])


def _steep_starts(x: Floats, weights: Floats) -> list[tuple[float, ...]]:
    """Burrs that begin all at once at the smallest values, with the likeliest power: those of times with a floor.

    Of values in two groups, as of hits and misses of a cache, none of the special cases leads there.
    """
    below = np.cumsum(weights) / weights.sum()
    scales = [float(x[np.searchsorted(below, share)]) for share in _LOWER_SHARES]
    return [
        (_STEEP, 1 / float(average(_softplus(_STEEP * np.log(np.maximum(x, _LEAST) / scale)), weights)), scale)
        for scale in scales
        if scale > 0
    ]


class LogLogisticFamily(HazardFamily):
    """P(X > x) = 1 / (1 + (x / scale)^shape): scale is the median."""

    name = "log-logistic"
    parameters = (Parameter("shape", low=-5, high=25), Parameter("scale", scaled=True))
    heavy = True

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        log = np.log(x) - np.log(scale)
        density: Floats = np.log(shape / scale) + (shape - 1) * log - 2 * _softplus(shape * log)
        return density

    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        with np.errstate(divide="ignore"):
            log = np.log(np.maximum(x, 0)) - np.log(scale)
        return _softplus(shape * log)

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        with np.errstate(divide="ignore"):
            return scale * np.exp((np.log(p) - np.log(q)) / shape)

    def mean(self, *parameters: float) -> float:
        shape, scale = parameters
        return float(scale * np.pi / shape / np.sin(np.pi / shape)) if shape > 1 else float("inf")

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        """From mean and variance of ln x: its standard deviation is pi / sqrt(3) / shape."""
        log = np.log(np.maximum(x, 1e-300))
        mean = average(log, weights)
        off = log - mean[..., None]
        return np.pi / np.sqrt(3 * average_rows(off * off, np.broadcast_to(weights, off.shape))), np.exp(mean)
