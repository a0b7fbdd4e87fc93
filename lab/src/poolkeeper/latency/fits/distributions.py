"""The distributions of response times, by name."""

from __future__ import annotations

from poolkeeper.latency.fits.distribution import Distribution
from poolkeeper.latency.fits.families.heavy import (
    BurrFamily,
    GeneralisedParetoFamily,
    LogLogisticFamily,
    LomaxFamily,
    ParetoFamily,
    ShiftedExponentialFamily,
)
from poolkeeper.latency.fits.families.mixture import HyperexponentialFamily
from poolkeeper.latency.fits.families.shaped import GammaFamily, WeibullFamily
from poolkeeper.latency.fits.families.shifted import ShiftedGammaFamily, ShiftedLognormalFamily, ShiftedWeibullFamily
from poolkeeper.latency.fits.families.simple import (
    ExponentialFamily,
    InverseGaussianFamily,
    LognormalFamily,
    NormalFamily,
)


class Exponential(Distribution):
    """Exponential: no memory; what a queue with random arrivals and services gives. `scale_` is the mean."""

    family = ExponentialFamily()
    scale_: float


class ShiftedExponential(Distribution):
    """Exponential from a smallest value on: a constant part, then no memory. `location_` is the smallest value."""

    family = ShiftedExponentialFamily()
    location_: float
    scale_: float


class Normal(Distribution):
    """Normal: sums of many small parts. `location_` is the mean, `scale_` the standard deviation."""

    family = NormalFamily()
    location_: float
    scale_: float


class Lognormal(Distribution):
    """Lognormal: products of many small factors. `scale_` is the median, `shape_` the standard deviation of ln x."""

    family = LognormalFamily()
    shape_: float
    scale_: float


class InverseGaussian(Distribution):
    """Inverse Gaussian: a random walk's way to a level. `scale_` is the mean, the variance `scale_`^2 / `shape_`."""

    family = InverseGaussianFamily()
    shape_: float
    scale_: float


class Gamma(Distribution):
    """Gamma: sums of exponential parts. The mean is `shape_` times `scale_`."""

    family = GammaFamily()
    shape_: float
    scale_: float


class Weibull(Distribution):
    """Weibull: P(X > x) = exp(-(x / scale)^shape); shapes below 1 stretch the tail."""

    family = WeibullFamily()
    shape_: float
    scale_: float


class ShiftedLognormal(Distribution):
    """Lognormal from a location on: a constant part, then a product of factors. `scale_` is the median less it."""

    family = ShiftedLognormalFamily()
    location_: float
    shape_: float
    scale_: float


class ShiftedGamma(Distribution):
    """Gamma from a location on; shapes of 1 or above. The mean is `location_` + `shape_` `scale_`."""

    family = ShiftedGammaFamily()
    location_: float
    shape_: float
    scale_: float


class ShiftedWeibull(Distribution):
    """Weibull from a location on: P(X > x) = exp(-((x - location) / scale)^shape); shapes of 1 or above."""

    family = ShiftedWeibullFamily()
    location_: float
    shape_: float
    scale_: float


class LogLogistic(Distribution):
    """Log-logistic: `scale_` is the median, the tail falls as x^-shape."""

    family = LogLogisticFamily()
    shape_: float
    scale_: float


class Pareto(Distribution):
    """Pareto I: P(X > x) = (scale / x)^shape from the smallest value, `scale_`, on."""

    family = ParetoFamily()
    shape_: float
    scale_: float


class Lomax(Distribution):
    """Pareto II: P(X > x) = (1 + x / scale)^-shape, from 0 on."""

    family = LomaxFamily()
    shape_: float
    scale_: float


class GeneralisedPareto(Distribution):
    """Generalised Pareto: P(X > x) = (1 + shape x / scale)^(-1/shape), from 0 on; shapes above -1/2."""

    family = GeneralisedParetoFamily()
    shape_: float
    scale_: float


class Burr(Distribution):
    """Burr XII: P(X > x) = (1 + (x / scale)^shape)^-power; a body and a tail of their own."""

    family = BurrFamily()
    shape_: float
    power_: float
    scale_: float


class Hyperexponential(Distribution):
    """Hyperexponential of two phases: a `share_` with mean `fast_`, the others with mean `slow_`."""

    family = HyperexponentialFamily()
    share_: float
    fast_: float
    slow_: float


DISTRIBUTIONS: dict[str, type[Distribution]] = {kind.family.name: kind for kind in Distribution.__subclasses__()}
"""All distributions, by the names that tables and the command line use."""
