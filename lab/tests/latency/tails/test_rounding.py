from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.errors import DataError
from poolkeeper.latency.tails.rounding import refuse_significant_digits, spread, step

RAW = np.sort(np.random.default_rng(1).lognormal(5, 1.5, 5000))[::-1]


def locust(value: float) -> float:
    """As Locust rounds: whole milliseconds below 100, tens below 1000, hundreds below 10000, then thousands."""
    digits = 0 if value < 100 else -1 if value < 1000 else -2 if value < 10_000 else -3
    return float(round(value, digits))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (np.ceil(RAW), 1),
        (np.ceil(RAW) / 1000, 0.001),
        (np.ceil(RAW) * 1e6, 1e6),
        (10 * np.ceil(RAW), 10),
        (16 * np.ceil(RAW), 16),
        (0.004 * np.ceil(RAW), 0.004),
        (RAW, 0),
    ],
)
def test_the_step_of_a_grid_is_found(values: np.ndarray[tuple[int], np.dtype[np.float64]], found: float) -> None:
    assert step(values) == pytest.approx(found)


def test_few_values_have_no_step_but_a_power_of_ten() -> None:
    assert step(np.array([6000.0, 4000.0, 2000.0] * 20)) == 1000


def test_two_significant_digits_are_refused() -> None:
    with pytest.raises(DataError, match="two significant digits"):
        refuse_significant_digits(np.array([max(1.0, locust(value)) for value in RAW if value < 90_000]), "values")


def test_whole_milliseconds_are_not_taken_for_two_digits() -> None:
    refuse_significant_digits(np.ceil(RAW), "values")
    refuse_significant_digits(np.ceil(RAW[RAW < 90]), "values")
    refuse_significant_digits(np.ceil(RAW[RAW < 9]) * 1e7, "values")


def test_values_are_moved_by_half_a_step_at_most() -> None:
    whole = np.ceil(RAW)
    moved = spread(whole, 1.0, np.random.default_rng(2))

    assert np.unique(moved).size == moved.size
    assert np.all(np.diff(moved) < 0)
    assert np.sort(np.round(moved)).tolist() == pytest.approx(np.sort(whole).tolist(), abs=1)
