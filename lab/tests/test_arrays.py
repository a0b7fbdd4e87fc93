from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper.arrays import fraction, generator, vector
from poolkeeper.errors import DataError, TooFewError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([1, float("nan"), 3], "times: 1 of 3 values are no finite numbers .first at 1: nan"),
        ([1, 2, float("inf")], "first at 2: inf"),
        ([[1.0], [2.0]], "shape .2, 1."),
        (["a"], "times: not numbers"),
        ([3, 0, -1], "times: 2 of 3 values are not positive .first at 1: 0"),
    ],
)
def test_what_cannot_be_computed_with_is_named_with_its_place(values: ArrayLike, named: str) -> None:
    with pytest.raises(DataError, match=named):
        vector(values, "times", positive=True)


def test_too_few_values_are_counted() -> None:
    with pytest.raises(TooFewError, match="times: 1 value, but at least 2 are needed"):
        vector([1.0], "times", least=2)


def test_a_good_array_is_not_copied() -> None:
    given = np.array([2.0, 1.0])

    assert vector(given, "times") is given


@pytest.mark.parametrize("value", [0, 1, -0.5, 95, float("nan")])
def test_a_fraction_is_between_zero_and_one(value: float) -> None:
    with pytest.raises(DataError, match="confidence"):
        fraction(value, "confidence")


def test_a_seed_gives_the_same_numbers_again() -> None:
    assert generator(7).random() == generator(7).random()
