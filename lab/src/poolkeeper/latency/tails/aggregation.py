"""Spread of sums of values: a check for infinite variance that needs no fit.

Sums of m independent values with a finite variance spread like the square root of m, and become normally distributed;
with a tail index a below 2 they spread like m to the power 1 / a, and keep their shape (Feller 1971, chapter IX; used
on measurements by Crovella and Taqqu 1999). The spread is that between quartiles, which exists whatever the variance.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import generator, vector
from poolkeeper.errors import DataError
from poolkeeper.present import Axis, Chart, Kind, Series, Table

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats

_SUMS = 200  # of each level at least
_FACTOR = 10
_NORMAL_SHAPE = (
    2.3263478740408408 / 0.6744897501960817
)  # of the 99th percentile over the upper quartile, from the median
_QUARTILE_ERROR = (
    1.17  # relative standard error of a normal sample's quartile distance, times the square root of its size
)


@dataclass(frozen=True, slots=True)
class Level:
    """Sums of `size` values each: how many, the distance between their quartiles, and their shape.

    `shape`: distance of the 99th percentile from the median over that of the upper quartile; 3.45 if they are normal.
    """

    size: int
    count: int
    spread: float
    shape: float


@dataclass(frozen=True, eq=False)
class Aggregation:
    """Spread of sums of more and more values."""

    levels: tuple[Level, ...]
    unit: str = ""

    @property
    def growth(self) -> float:
        """Exponent of the spread's growth at the last step: 0.5 for a finite variance, 1 / a for an index a < 2."""
        level, other = self.levels[-2:]
        return math.log(other.spread / level.spread) / math.log(other.size / level.size)

    @property
    def error(self) -> float:
        """Standard error of `growth`."""
        level, other = self.levels[-2:]
        return _QUARTILE_ERROR * math.sqrt(1 / level.count + 1 / other.count) / math.log(other.size / level.size)

    @property
    def text(self) -> str:
        """Meaning of the last step, and its limits."""
        size = self.levels[-1].size
        found = f"sums of up to {size:,} values spread like m^{self.growth:.2f} (± {self.error:.2f})"
        if self.levels[-2].size == 1:
            # The quartiles of single values follow their distribution: of exponential ones the first step is 0.58.
            least = f"{_SUMS * _FACTOR**2:,}"
            return f"{found}; from single values on that says nothing of the variance, for which {least} are needed"
        if self.growth > 0.5 + 3 * self.error:
            return f"{found}, faster than the m^0.5 of a finite variance: infinite, or larger than these values show"
        return f"{found}, as with a finite variance"

    def table(self) -> Table:
        """One row for each level."""
        unit = f" ({self.unit})" if self.unit else ""
        rows = tuple((level.size, level.count, level.spread, level.shape) for level in self.levels)
        columns = ("values summed", "sums", f"between quartiles{unit}", "99 % over 75 %, from the median")
        return Table(
            "Stability under aggregation", columns, rows, (self.text, "normal sums have 3.45 in the last column")
        )

    def to_dict(self) -> dict[str, Any]:
        """Levels, the growth and its error."""
        return {
            "levels": [asdict(level) for level in self.levels],
            "growth": self.growth,
            "error": self.error,
            "text": self.text,
        }

    def plot(self) -> Chart:
        """Spread over the number of values summed, beside that of a finite variance."""
        sizes = tuple(float(level.size) for level in self.levels)
        first = self.levels[0].spread
        return Chart(
            "Stability under aggregation",
            Axis("values summed", log=True),
            Axis("between quartiles of the sums", self.unit, log=True),
            (
                Series("measured", sizes, tuple(level.spread for level in self.levels), Kind.POINTS),
                Series("finite variance", sizes, tuple(first * math.sqrt(size) for size in sizes)),
            ),
        )


def aggregation(values: ArrayLike, *, unit: str = "", seed: int | Generator = 0, name: str = "values") -> Aggregation:
    """Spread of the sums of 1, 10, 100, ... values, as long as there are 200 sums; values of shape (n,), n >= 2000.

    Values are taken in random order, so that dependence in time does not look like a heavy tail. Raises TooFewError for
    fewer values, DataError if the quartiles of a level are equal.
    """
    checked = vector(values, name, least=_SUMS * _FACTOR)
    shuffled = generator(seed).permutation(checked)
    levels, size = [], 1
    while shuffled.size // size >= _SUMS:
        count = shuffled.size // size
        levels.append(_level(shuffled[: count * size].reshape(count, size).sum(axis=1), size, name))
        size *= _FACTOR
    return Aggregation(tuple(levels), unit)


def _level(sums: Floats, size: int, name: str) -> Level:
    low, middle, high, far = np.quantile(sums, (0.25, 0.5, 0.75, 0.99))
    if not low < middle < high:
        apart = f"{low:g}, {middle:g}, {high:g}"
        raise DataError(f"{name}: the quartiles {apart} are not apart, so there is no spread to follow")
    return Level(size, sums.size, float(high - low), float((far - middle) / (high - middle)))
