"""The mathematics of a family of distributions, apart from any data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.random import Generator

    from poolkeeper.arrays import Floats


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a family.

    `scaled` ones have the unit of the data and grow with it. Positive ones are sought and given intervals on the
    logarithmic scale. `low` and `high` bound the search (positive ones: their logarithm), in units of the mean.
    """

    name: str
    scaled: bool = False
    positive: bool = True
    low: float = -30.0
    high: float = 30.0
    share: bool = False
    """Between 0 and 1: given intervals on the scale of its logit."""


def scalars(values: Iterable[float]) -> tuple[Floats, ...]:
    """Numbers as arrays without an axis, as families take them."""
    return tuple(np.asarray(value, dtype=np.float64) for value in values)


class Family(ABC):
    """Functions of x and the parameters, in the order of `parameters`; all of them broadcast, none has a state.

    The likelihood is maximised in coordinates, which are the logarithms of the positive parameters and the others as
    they are, unless the family knows better ones, in which its limits lie at finite places.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    takes_zero: ClassVar[bool] = False
    """Whether 0 has a finite density other than 0, so that zeros in the data can be fitted."""
    closed: ClassVar[bool] = False
    """Whether `estimate` gives the maximum of the likelihood of values, and not only where to start."""
    anchor: ClassVar[str] = ""
    """Parameter that is the smallest value, which no derivative finds; none in most families."""
    shift: ClassVar[bool] = False
    """Whether its first parameter is a location that lies below the smallest value and is sought there."""
    heavy: ClassVar[bool] = False
    """Whether its tail falls as a power of x, so that a fit speaks of values beyond those that were seen."""

    contains: ClassVar[frozenset[str]] = frozenset()
    """Names of families that are special or limiting cases of this one."""

    @abstractmethod
    def logpdf(self, x: Floats, *parameters: Floats) -> Floats:
        """Logarithm of the density."""

    @abstractmethod
    def cdf(self, x: Floats, *parameters: Floats) -> Floats:
        """Probability of at most x."""

    @abstractmethod
    def sf(self, x: Floats, *parameters: Floats) -> Floats:
        """Probability of more than x, exact in the tail."""

    @abstractmethod
    def quantile(self, p: Floats, q: Floats, *parameters: Floats) -> Floats:
        """The x below which a share p lies; q = 1 - p is given apart, exact in the tail."""

    @abstractmethod
    def mean(self, *parameters: float) -> float:
        """Mean; infinite where there is none."""

    @abstractmethod
    def estimate(self, x: Floats, weights: Floats) -> tuple[Floats, ...]:
        """Parameters for ascending values x, shape (k,), that stand for `weights` values each, shape (..., k)."""

    def draw(self, size: int, random: Generator, *parameters: float) -> Floats:
        """Random values."""
        q = 1 - random.random(size)
        return self.quantile(1 - q, q, *scalars(parameters))

    def starts(self, x: Floats, weights: Floats) -> list[tuple[float, ...]]:
        """Parameters from which a search may start; the best of them is taken."""
        return [tuple(float(value) for value in self.estimate(x, weights))]

    def coordinates(self, *parameters: Floats) -> tuple[Floats, ...]:
        """The parameters as coordinates of the search."""
        return tuple(
            np.log(value) if kind.positive else value for kind, value in zip(self.parameters, parameters, strict=True)
        )

    def natural(self, *coordinates: Floats) -> tuple[Floats, ...]:
        """The parameters out of coordinates."""
        return tuple(
            np.exp(value) if kind.positive else value for kind, value in zip(self.parameters, coordinates, strict=True)
        )

    def regular(self, *_: float) -> bool:
        """Whether estimates scatter about these parameters as the curvature of the likelihood says."""
        return True

    def reach(self, x: Floats, weights: Floats) -> float:  # noqa: ARG002 - those that have a location look at them
        """The location up to which a maximum is sought, of families that have one; at most the smallest value."""
        return float(x[0])

    @property
    def place(self) -> int:
        """Index of the anchor among the parameters."""
        return [parameter.name for parameter in self.parameters].index(self.anchor)

    def bounds(self) -> tuple[Floats, Floats]:
        """Lowest and highest coordinates of the search, shape (p,) each."""
        return np.array([k.low for k in self.parameters]), np.array([k.high for k in self.parameters])


class HazardFamily(Family):
    """A family that is known by its cumulative hazard H(x) = -ln P(X > x)."""

    @abstractmethod
    def hazard(self, x: Floats, *parameters: Floats) -> Floats:
        """Cumulative hazard; 0 below the support."""

    def cdf(self, x: Floats, *parameters: Floats) -> Floats:
        return -np.expm1(-self.hazard(x, *parameters))

    def sf(self, x: Floats, *parameters: Floats) -> Floats:
        return np.exp(-self.hazard(x, *parameters))
