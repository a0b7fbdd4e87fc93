"""Families with a location: a constant part that every response takes (a network, a parser), then one that varies.

The likelihood of a distribution with a free beginning is a trap. Where the density is infinite at the beginning (gamma
and Weibull with shapes below 1) it grows without end as the beginning nears the smallest value, and so it does for the
lognormal while its shape grows too, although the maximum that is meant lies elsewhere [1]. Three rules keep out of it:

- the location lies between 0 and the smallest value; a response time has no negative constant part;
- gamma and Weibull are sought with shapes of 1 or above, where the likelihood has a bound; data that ask for less end
  at shape 1, the shifted exponential distribution, which is said (they stand at a bound);
- of the lognormal's profile (the likelihood over the location, all else at its best) the highest inner maximum is
  taken, and the search ends at the trough behind it. Without one there is no estimate, and it is refused.

Standard errors are those of the information for the lognormal, and for gamma and Weibull with shapes above 2: below,
the smallest value says more than the curvature does [2].

[1] Hill: The three-parameter lognormal distribution and Bayesian analysis of a point-source epidemic, JASA 58, 1963;
    Cheng, Iles: Embedded models in three-parameter distributions and their estimation, JRSS B 52(1), 1990.
[2] Smith: Maximum likelihood estimation in a class of nonregular cases, Biometrika 72(1), 1985.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from poolkeeper.errors import DataError
from poolkeeper.latency.fits.families.family import Family, Parameter, scalars
from poolkeeper.latency.fits.families.shaped import GammaFamily, WeibullFamily
from poolkeeper.latency.fits.families.simple import LognormalFamily

if TYPE_CHECKING:
    from numpy.random import Generator

    from poolkeeper.arrays import Floats

_PLACES = 40
_CLOSEST = 1e-10
"""Nearest distance from the smallest value at which the profile is looked at, as a share of it."""
_STARTS = 2
_SMALL = 1e-6
_SMITH = 2.0
"""Shape above which the information gives standard errors."""


class ShiftedFamily(Family):
    """A family of two parameters, shape and scale, that begins at a location of 0 or above."""

    base: ClassVar[Family]
    least_shape: ClassVar[float] = 0.0
    """Shapes are sought from here on, so that the likelihood has a bound; 0 where no shape gives it one."""
    shift = True

    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        location, *others = parameters
        beyond = x - location
        inside = beyond > 0
        return np.where(inside, self.base.logpdf(np.where(inside, beyond, 1.0), *others), -np.inf)

    def cdf(self, x: Floats, *parameters: Floats) -> Floats:
        location, *others = parameters
        return np.where(x > location, self.base.cdf(np.maximum(x - location, 0), *others), 0.0)

    def sf(self, x: Floats, *parameters: Floats) -> Floats:
        location, *others = parameters
        return np.where(x > location, self.base.sf(np.maximum(x - location, 0), *others), 1.0)

    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        location, *others = parameters
        return location + self.base.quantile(p, q, *others)

    def mean(self, *parameters: float) -> float:
        return parameters[0] + self.base.mean(*parameters[1:])

    def draw(self, size: int, random: Generator, *parameters: float) -> Floats:
        return parameters[0] + self.base.draw(size, random, *parameters[1:])

    def regular(self, *parameters: float) -> bool:
        return not self.least_shape or parameters[1] > _SMITH

    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        """The best place of the profile."""
        return scalars(self.starts(x, weights)[0])

    def starts(self, x: Floats, weights: Floats) -> list[tuple[float, ...]]:
        """The highest maxima of the profile; where shapes are bounded, also its ends: location 0, and no shape."""
        found, _ = self._maxima(x, weights)
        if not self.least_shape:
            return found
        least, mean = float(x[0]), float(weights @ x / weights.sum())
        ends = [(0.0, max(shape, 1.0), scale) for shape, scale in self.base.starts(x, weights)]
        return [*found, *ends, (least * (1 - _CLOSEST), 1.0, mean - least)]

    def reach(self, x: Floats, weights: Floats) -> float:
        """The location up to which the maximum is sought; the smallest value if nothing is to be kept out of.

        0 where the smallest value is so small that no location below it matters. Raises DataError for values that are
        nearly equal, and where there is no maximum.
        """
        if x[-1] - x[0] < _SMALL * x[0]:
            raise DataError(f"{self.name}: the values differ by less than a millionth, too little to find a location")
        if x[0] * weights.sum() < _SMALL * float(weights @ x):
            return 0.0
        return float(x[0]) if self.least_shape else self._maxima(x, weights)[1]

    def _maxima(self, x: Floats, weights: Floats) -> tuple[list[tuple[float, ...]], float]:
        least = float(x[0])
        places = least * (1 - np.append(np.geomspace(1, _CLOSEST, _PLACES), 0.5 * _CLOSEST))
        places[0] = 0.0
        tried = [self._at(float(place), x, weights) for place in places]
        heights = np.array([height for height, _ in tried])
        inner = [
            k
            for k in range(_PLACES)
            if np.isfinite(heights[k]) and heights[k] >= heights[k + 1] and (k == 0 or heights[k] > heights[k - 1])
        ]
        if self.least_shape:
            best = sorted(range(_PLACES), key=lambda k: -heights[k])[:_STARTS]
            return [tried[k][1] for k in dict.fromkeys([*best, *inner])], least
        if not inner:
            raise DataError(
                f"{self.name}: its likelihood grows without end as its location nears the smallest value, and has no"
                " maximum below: the values do not tell where it begins"
            )
        highest = max(inner, key=lambda k: heights[k])
        trough = highest + int(np.argmin(heights[highest:]))
        return [tried[highest][1]], float(places[trough])

    def _at(self, location: float, x: Floats, weights: Floats) -> tuple[float, tuple[float, ...]]:
        """Likelihood and parameters at a location: exact where the base has a closed form, else somewhere near."""
        beyond = x - location
        with np.errstate(all="ignore"):
            shape, scale = (float(value) for value in self.base.estimate(beyond, weights))
            if shape < self.least_shape:
                shape, scale = self.least_shape, float(weights @ beyond / weights.sum())
            height = float(self.base.logpdf(beyond, *scalars((shape, scale))) @ weights)
        return (height if np.isfinite(height) else -np.inf), (location, shape, scale)


_LOCATION = Parameter("location", scaled=True, positive=False, low=0.0, high=1e9)
_SHAPE = Parameter("shape", low=0.0, high=25.0)


class ShiftedLognormalFamily(ShiftedFamily):
    """ln (X - location) is normal. Also called the lognormal distribution of three parameters."""

    name = "shifted-lognormal"
    parameters = (_LOCATION, Parameter("shape"), Parameter("scale", scaled=True))
    base = LognormalFamily()
    contains = frozenset({"lognormal"})


class ShiftedGammaFamily(ShiftedFamily):
    """X - location has a gamma distribution of shape 1 or above. Also called Pearson's type III."""

    name = "shifted-gamma"
    parameters = (_LOCATION, _SHAPE, Parameter("scale", scaled=True))
    base = GammaFamily()
    least_shape = 1.0
    contains = frozenset({"exponential", "gamma", "shifted-exponential"})


class ShiftedWeibullFamily(ShiftedFamily):
    """X - location has a Weibull distribution of shape 1 or above. Also called the Weibull of three parameters."""

    name = "shifted-weibull"
    parameters = (_LOCATION, _SHAPE, Parameter("scale", scaled=True))
    base = WeibullFamily()
    least_shape = 1.0
    contains = frozenset({"exponential", "shifted-exponential", "weibull"})
