"""Inequality of the parts of a total: the count distribution against the mass distribution.

Fc(x) is the share of the values up to x, Fm(x) the share of their sum that those values make up. The Lorenz curve draws
Fm over Fc: L(u) is the share of the sum in the smallest share u of the values. Between the points of a sample it runs
straight, so that all measures below have closed forms on it; they are those of Crovella (2001) and Feitelson (2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats


@dataclass(frozen=True, slots=True)
class Disparity:
    """Measures of a Lorenz curve. Percentages between 0 and 100; equal values give 50, 50, 50 and a Gini of 0."""

    gini: float
    """2 times the area between the diagonal and the curve: 0 where all are equal, towards 1 where one has all."""
    joint: float
    """p, so that the smallest 100 - p % of the values hold p % of the sum, and the largest p % hold the rest."""
    n_half: float
    """N1/2: percentage of the values, from the largest down, that make half of the sum."""
    w_half: float
    """W1/2: percentage of the sum in the smaller half of the values."""

    @property
    def joint_ratio(self) -> float:
        """P / (100 - p) of the joint percentage p: 1 where all are equal, towards 0 for heavy tails."""
        return self.joint / (100 - self.joint)


@dataclass(frozen=True, eq=False)
class Lorenz:
    """A Lorenz curve: `shares` of the values from the smallest up, and their `masses`; both ascend from 0 to 1."""

    shares: Floats
    masses: Floats

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> Lorenz:
        """The curve of values, ascending, not negative, not all zero, each of which occurs so often; exact."""
        number, mass = np.cumsum(counts), np.cumsum(values * counts)
        return cls(np.append(0.0, number / number[-1]), np.append(0.0, mass / mass[-1]))

    def shifted(self, by: float) -> Lorenz:
        """The curve moved up or down, within 0 and 1, for masses that are known up to an error."""
        return Lorenz(self.shares, np.clip(self.masses + by, 0.0, 1.0))

    def disparity(self) -> Disparity:
        """All measures of the curve."""
        area = float(np.sum(np.diff(self.shares) * (self.masses[1:] + self.masses[:-1]))) / 2
        crossing = float(np.interp(1.0, self.shares + self.masses, self.masses))
        return Disparity(
            gini=1 - 2 * area,
            joint=100 * crossing,
            n_half=100 * (1 - self.share(0.5)),
            w_half=100 * float(np.interp(0.5, self.shares, self.masses)),
        )

    def share(self, mass: float) -> float:
        """The share of the values, from the smallest up, that makes this share of the sum."""
        return float(np.interp(mass, self.masses, self.shares))
