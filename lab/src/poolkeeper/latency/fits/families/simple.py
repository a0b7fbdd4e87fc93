"""Families whose likelihood is maximised in closed form: exponential, normal, lognormal, inverse Gaussian."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from poolkeeper.latency.fits.families.family import Family, HazardFamily, Parameter
from poolkeeper.latency.fits.families.numeric import hazard, invert

if TYPE_CHECKING:
    from numpy.random import Generator

    from poolkeeper.arrays import Floats

_LOG_ROOT_TAU = float(np.log(2 * np.pi) / 2)


def average(x: Floats, weights: Floats) -> Floats:
    """Weighted mean along the last axis."""
    mean: Floats = (weights @ x) / weights.sum(axis=-1)
    return mean


class ExponentialFamily(HazardFamily):
    """P(X > x) = exp(-x / scale)."""

    name = "exponential"
    parameters = (Parameter("scale", scaled=True),)
    takes_zero = True
    closed = True

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        (scale,) = parameters
        return np.where(x >= 0, -x / scale - np.log(scale), -np.inf)

    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        return np.maximum(x, 0) / parameters[0]

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        return hazard(p, q) * parameters[0]

    def mean(self, *parameters: float) -> float:
        return parameters[0]

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        return (average(x, weights),)


class NormalFamily(Family):
    """Location is the mean, scale the standard deviation; the only family here that has negative values."""

    name = "normal"
    parameters = (
        Parameter("location", scaled=True, positive=False, low=-1e9, high=1e9),
        Parameter("scale", scaled=True),
    )
    takes_zero = True
    closed = True

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        location, scale = parameters
        z = (x - location) / scale
        return -z * z / 2 - np.log(scale) - _LOG_ROOT_TAU

    def cdf(self, x: Floats, *parameters: Floats) -> Floats:
        return special.ndtr((x - parameters[0]) / parameters[1])

    def sf(self, x: Floats, *parameters: Floats) -> Floats:
        return special.ndtr((parameters[0] - x) / parameters[1])

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        return parameters[0] + parameters[1] * _normal_quantile(p, q)

    def mean(self, *parameters: float) -> float:
        return parameters[0]

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        mean = average(x, weights)
        off = x - mean[..., None]
        return mean, np.sqrt((off * off * weights).sum(axis=-1) / weights.sum(axis=-1))


class LognormalFamily(Family):
    """ln X is normal: scale is the median, shape the standard deviation of ln X."""

    name = "lognormal"
    parameters = (Parameter("shape"), Parameter("scale", scaled=True))
    closed = True

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        log = np.log(x)
        z = (log - np.log(scale)) / shape
        return -z * z / 2 - log - np.log(shape) - _LOG_ROOT_TAU

    def cdf(self, x: Floats, *parameters: Floats) -> Floats:
        return special.ndtr(_standard(x, *parameters))

    def sf(self, x: Floats, *parameters: Floats) -> Floats:
        return special.ndtr(-_standard(x, *parameters))

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        return scale * np.exp(shape * _normal_quantile(p, q))

    def mean(self, *parameters: float) -> float:
        shape, scale = parameters
        return float(scale * np.exp(shape * shape / 2))

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        log = np.log(x)
        mean = average(log, weights)
        off = log - mean[..., None]
        return np.sqrt((off * off * weights).sum(axis=-1) / weights.sum(axis=-1)), np.exp(mean)


def _standard(x: Floats, shape: Floats, scale: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        z: Floats = (np.log(np.maximum(x, 0)) - np.log(scale)) / shape
    return z


def _normal_quantile(p: Floats, q: Floats) -> Floats:
    half = 0.5
    return np.where(p < half, special.ndtri(p), -special.ndtri(q))


class InverseGaussianFamily(Family):
    """Times at which a drifting Brownian motion first reaches a level: scale is the mean, variance scale^2 / shape."""

    name = "inverse-gaussian"
    parameters = (Parameter("shape"), Parameter("scale", scaled=True))
    closed = True

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        y = x / scale
        off = y - 1
        exponent: Floats = (np.log(shape) - 3 * np.log(y) - shape * off * off / y) / 2
        return exponent - _LOG_ROOT_TAU - np.log(scale)

    def cdf(self, x: Floats, *parameters: Floats) -> Floats:
        first, second = _parts(x, *parameters)
        return np.minimum(special.ndtr(first) + second, 1)

    def sf(self, x: Floats, *parameters: Floats) -> Floats:
        first, second = _parts(x, *parameters)
        return np.maximum(special.ndtr(-first) - second, 0)

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        shape, scale = parameters
        p, q = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
        values = np.asarray(1.0)
        return scale * invert(lambda x: self.cdf(x, shape, values), lambda x: self.sf(x, shape, values), p, q)

    def mean(self, *parameters: float) -> float:
        return parameters[1]

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        mean = average(x, weights)
        off = x - mean[..., None]
        # sum of 1/x - 1/mean, as squares: nothing cancels when the values are nearly equal
        excess = (off * off / x * weights).sum(axis=-1) / weights.sum(axis=-1)
        return mean / excess, mean

    def draw(self, size: int, random: Generator, *parameters: float) -> Floats:
        shape, scale = parameters
        return random.wald(scale, shape * scale, size)


def _parts(x: Floats, shape: Floats, scale: Floats) -> tuple[Floats, Floats]:
    y = np.maximum(x / scale, 1e-300)
    root = np.sqrt(shape / y)
    return root * (y - 1), np.exp(2 * shape + special.log_ndtr(-root * (y + 1)))
