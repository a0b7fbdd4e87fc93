"""Numbers that came from outside, checked once before anything is computed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poolkeeper.errors import DataError, TooFewError

if TYPE_CHECKING:
    from numpy.random import Generator

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


def vector(values: ArrayLike, name: str, *, least: int = 1, positive: bool = False) -> Floats:
    """A one-dimensional array of finite float64, shape (n,); the caller's array if it is one already, never changed.

    Raises DataError, which names `name` and what is wrong, for other shapes, for anything that is not a finite number,
    and for zeros and negatives where `positive` is asked for; TooFewError for fewer than `least` values.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: not numbers: {error}") from error
    if array.ndim != 1:
        raise DataError(f"{name}: expected one dimension, not an array of shape {array.shape}")
    if array.size < least:
        raise TooFewError(name, array.size, least)
    _refuse(array, ~np.isfinite(array), name, "no finite numbers")
    if positive:
        _refuse(array, array <= 0, name, "not positive")
    return array


def _refuse(array: Floats, wrong: NDArray[np.bool_], name: str, what: str) -> None:
    if wrong.any():
        places = np.flatnonzero(wrong)
        first = f"first at {places[0]}: {array[places[0]]:g}"
        raise DataError(f"{name}: {places.size} of {array.size} values are {what} ({first})")


def fraction(value: float, name: str) -> float:
    """A number strictly between 0 and 1, such as a confidence; raises DataError, which names it, for any other."""
    if not 0 < value < 1:
        raise DataError(f"{name}: {value:g} is not between 0 and 1")
    return float(value)


def generator(seed: int | Generator) -> Generator:
    """Random numbers from a seed (the same numbers each time), or the caller's generator as it is."""
    return np.random.default_rng(seed)
