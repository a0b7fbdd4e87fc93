"""Throughput that rises in proportion and then levels off sharply, as where a server is full: none of the laws.

Users who think between requests are a closed network: its throughput stays near the line of its users until the
server is full, and then near its capacity [1]. The curve between is a non-rectangular hyperbola, the smaller root X of
theta X^2 - (lambda N + C) X + lambda N C = 0 [2]: with a theta of 0 it is Amdahl's law, with 1 both bounds themselves.

[1] Lazowska, Zahorjan, Graham, Sevcik: Quantitative System Performance, Prentice Hall 1984, chapter 5.
[2] Thornley: Mathematical Models in Plant Physiology, Academic Press 1976, chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from poolkeeper.present.numbers import number, percent, rate
from poolkeeper.scalability._least import Curve, Values, least_squares

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.scalability._estimate import Fits

_PARAMETERS = 3
_LEAST = 5
"""Levels from which there are two degrees of freedom."""
_MISSED = 0.03
"""Share of a measurement by which the law misses one at least: a better description of less is no matter."""
_SHARP = 0.5
"""Theta from which the bend is none of Amdahl's law."""
_SHARPEST = 0.999
"""At 1 the curve has a corner, where it has no slope."""
_CHANCE = 0.05
"""The p value below which the bend describes the levels better than the law does, and not by chance."""
_POWERS = (0.0, 1.0)
"""Powers of the throughput to which errors may be proportional: it must be better with both."""
_BENDS = (0.3, 0.6, 0.9, 1.1, 2.0)
_THETAS = (0.0, 0.5, 0.9, 0.99)
"""Places from which it is searched for: the bend relative to the highest level, and its sharpness."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """Lines that the throughput follows before the bend and beyond it."""

    slope: float
    """Throughput of each of the load, far below the bend."""
    limit: float
    missed: float
    law_missed: float
    """Largest share of a measurement by which this curve misses it, and the law."""

    @property
    def bend(self) -> float:
        """The load at which both lines meet."""
        return self.limit / self.slope

    @classmethod
    def of(cls, fits: Fits) -> Self | None:
        """Find it; None where the law describes the levels as well, or where the bend is not among them."""
        levels, data = fits.levels, fits.data[0]
        law_missed = float(np.abs(fits.fitted[0] / data - 1).max())
        freedom = levels.size - _PARAMETERS
        if law_missed < _MISSED or np.unique(levels).size < _LEAST:
            return None
        slope, bend, theta, fitted = 0.0, 0.0, 0.0, data
        for power, weighted, _ in fits.error_models:
            if power not in _POWERS:
                continue
            parameters, squares = _fit(levels, data, weighted.weights[0])
            if _p(float(weighted.squares[0]), squares, fits.form.parameters, freedom) >= _CHANCE:
                return None
            if not power:
                slope, bend, theta = parameters[0], 1 / max(parameters[1], 1e-12), parameters[2]
                fitted = _curve(levels, np.ones((1, levels.size)))(parameters[None], np.zeros(1, np.int64))[0]
        if theta < _SHARP or bend > levels.max():
            return None
        return cls(float(slope), float(slope * bend), float(np.abs(fitted / data - 1).max()), law_missed)

    def verdict(self, single: str, load: str, unit: str) -> str:
        """The course of the throughput in a sentence."""
        return (
            f"The throughput rises by {rate(self.slope, unit)} with each {single}, and levels off towards"
            f" {rate(self.limit, unit)} from about {number(self.bend, 2)} {load} on."
        )

    @property
    def reason(self) -> str:
        """Doubt about the law that it raises."""
        return (
            "the throughput bends more sharply than this law can, which misses the levels by up to"
            f" {percent(self.law_missed, 2)} % (a curve with a bound by {percent(self.missed, 2)} %): as where a server"
            " or a pool is full, so that neither knee nor peak nor limit of the law holds"
        )


def _fit(levels: Floats, data: Floats, weights: Floats) -> tuple[Floats, float]:
    """Slope, inverse of the bend and theta, and the weighted sum of squares."""
    size = float(data.max())
    scaled = data / size
    slope = float((scaled / levels).max())
    highest = float(levels.max())
    starts = np.array([(slope, 1 / (bend * highest), theta) for bend in _BENDS for theta in _THETAS])
    many = len(starts)
    high = np.tile([np.inf, 10 / float(levels.min()), _SHARPEST], (many, 1))
    all_weights = np.tile(weights, (many, 1))
    found = least_squares(
        _curve(levels, all_weights), np.tile(scaled * weights, (many, 1)), starts, np.zeros((many, 3)), high
    )
    best = int(found.squares.argmin())
    parameters: Floats = found.parameters[best] * (size, 1, 1)
    return parameters, float(found.squares[best]) * size**2


def _curve(levels: Floats, weights: Floats) -> Curve:
    def curve(parameters: Values, problem: Integers) -> Values:
        slope, inverse, theta = (column[:, None] for column in parameters.T)
        both = 1 + inverse * levels
        root = np.sqrt(both * both - 4 * theta * inverse * levels)
        fitted: Values = 2 * slope * levels / (both + root) * weights[problem]
        return fitted

    return curve


def _p(law: float, bend: float, parameters: int, freedom: int) -> float:
    """The p value of the bend against the law, by their sums of squares, as if it were the richer one by a parameter.

    A law with as many parameters is compared as if it had one less: to describe the levels better is then harder.
    """
    from scipy.special import fdtrc

    more = max(1, _PARAMETERS - parameters)
    least = max(bend, 1e-12 * law)
    return float(fdtrc(more, freedom, max(0.0, law - least) / more / (least / freedom)))
