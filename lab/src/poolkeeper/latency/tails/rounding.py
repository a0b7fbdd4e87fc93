"""Steps to which values were rounded before the analysis, and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.errors import DataError

if TYPE_CHECKING:
    from numpy.random import Generator

    from poolkeeper.arrays import Floats

_LOOKED_AT = 10_000  # of the largest values
_ENOUGH = 20  # different values before a common step, or two significant digits, can be no chance
_EXACT = 1e-9  # relative: what decimal fractions in binary numbers are off


def step(values: Floats) -> float:
    """The step of which all values, shape (n,), positive, are multiples; 0 if they are no such grid.

    A grid finer than a hundred-thousandth of the largest value counts as none: it cannot be seen in any result. A step
    that is no power of ten, as of a clock that ticks every 4 or 16 ms, counts with 20 different values or more.
    """
    looked = values[:_LOOKED_AT]
    top = float(looked.max())
    for exponent in range(int(np.floor(np.log10(top))), int(np.floor(np.log10(top))) - 6, -1):
        unit = 10.0**exponent
        if _multiples(looked, unit):
            multiples = np.unique(np.rint(looked / unit).astype(np.int64))
            common = int(np.gcd.reduce(multiples)) if multiples.size >= _ENOUGH else 1
            return unit * common
    return 0.0


def refuse_significant_digits(values: Floats, name: str) -> None:
    """Raise DataError if values, shape (n,), positive, were rounded to two significant digits.

    Locust does so with every response time of 100 ms and more. Steps that grow with the value look like a power law to
    every method here, or hide one, and no spreading of the values brings back what they were.
    """
    looked = values[:_LOOKED_AT]
    unit = 10.0 ** (np.floor(np.log10(looked) + _EXACT) - 1)
    even = np.abs(looked / unit - np.round(looked / unit)) < _EXACT * 100
    grid = step(values) or unit.min()
    coarse = unit >= 10 * grid
    if even.all() and np.unique(looked[coarse]).size >= _ENOUGH:
        raise DataError(
            f"{name}: rounded to two significant digits, as Locust does ({looked[coarse][0]:g}, ...): the steps grow "
            "with the value, so neither an index nor a fit of the tail can be told from them; take unrounded results"
        )


def spread(values: Floats, unit: float, random: Generator) -> Floats:
    """Values on a grid, moved by up to half a step at random, descending: no tie, and so no distance, is left of it."""
    moved: Floats = np.sort(values + unit * (random.random(values.size) - 0.5))[::-1]
    return moved


def _multiples(values: Floats, unit: float) -> bool:
    ratio = values / unit
    return bool(ratio.min() >= 1 - _EXACT and np.all(np.abs(ratio - np.round(ratio)) <= _EXACT * ratio))
