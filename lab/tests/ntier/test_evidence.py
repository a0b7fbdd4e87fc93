"""Tests on means of series: what they decide on series whose truth is known, and how often they err."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poolkeeper.errors import TooFewError
from poolkeeper.ntier.allocator.evidence import Level, Rules
from poolkeeper.ntier.allocator.validation import Outcome, outcome_of

RULES = Rules()


def noisy(mean: float, spread: float, seed: int, correlation: float = 0.0, count: int = 60) -> Level:
    random = np.random.default_rng(seed)
    noise = random.normal(size=count)
    for k in range(1, count):
        noise[k] = correlation * noise[k - 1] + math.sqrt(1 - correlation**2) * noise[k]
    return Level.of((mean + spread * noise).tolist(), "series")


def test_the_error_of_independent_values_is_that_of_the_textbook() -> None:
    values = np.random.default_rng(3).normal(size=50).tolist()
    found = Level.of(values, "series")
    assert found.value == pytest.approx(np.mean(values))
    assert found.error == pytest.approx(np.std(values, ddof=1) / math.sqrt(50))
    assert found.freedom == 49


def test_values_that_depend_on_each_other_say_less() -> None:
    errors = [noisy(0.0, 1.0, seed, correlation=0.8, count=300).error for seed in range(30)]
    # The integrated autocorrelation time of this process is (1 + 0.8) / (1 - 0.8) = 9.
    assert np.mean(errors) == pytest.approx(math.sqrt(9 / 300), rel=0.25)


def test_the_error_of_a_difference_is_that_of_welch() -> None:
    first, second = Level(10.0, 0.3, 9), Level(8.0, 0.4, 19)
    found = first.less(second)
    assert (found.value, found.error) == pytest.approx((2.0, 0.5))
    assert found.freedom == pytest.approx(0.25**2 / (0.09**2 / 9 + 0.16**2 / 19))


def test_a_constant_series_decides_without_chance() -> None:
    level = Level.of([0.96875] * 30, "series")
    assert (level.error, level.lower(0.95)) == (0.0, 0.96875)
    assert RULES.saturated(level)
    assert not RULES.saturated(Level.of([0.949] * 30, "series"))
    assert not RULES.rises(level, level)


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_saturation_at_the_threshold_is_found_as_rarely_as_the_confidence_says(correlation: float) -> None:
    runs = 400
    found = sum(RULES.saturated(noisy(0.95, 0.05, seed, correlation)) for seed in range(runs))
    # 5 % of 400 are 20; a binomial count exceeds 36 in less than 0.1 % of all cases. Found: 24 and 21.
    assert found <= 36
    assert sum(RULES.saturated(noisy(0.99, 0.05, seed, correlation)) for seed in range(runs)) > 0.75 * runs


def test_a_rise_must_be_large_and_no_chance() -> None:
    assert RULES.rises(Level(100, 0.5, 50), Level(103, 0.5, 50))
    assert not RULES.rises(Level(100, 3, 50), Level(103, 3, 50))
    assert not RULES.rises(Level(100, 0.01, 50), Level(100.5, 0.01, 50))


def test_as_good_worse_and_neither() -> None:
    best = Level(100, 0.5, 50)
    assert RULES.as_good(Level(99, 0.5, 50), best)
    assert not RULES.as_good(Level(97, 2, 50), best)
    outcomes = [
        outcome_of(Level(value, error, 50), RULES.loss, RULES.confidence)
        for value, error in ((0.94, 0.007), (0.96, 0.02), (0.99, 0.007))
    ]
    assert outcomes == [Outcome.WORSE, Outcome.OPEN, Outcome.ALIKE]


def test_the_knee_is_not_passed_by_chance() -> None:
    best = Level(100, 1, 50)
    assert RULES.below_knee(Level(90, 1, 50), best)
    assert not RULES.below_knee(Level(94, 1, 50), best)


def test_a_series_that_is_too_short_is_refused() -> None:
    with pytest.raises(TooFewError, match="throughput: 9 values, but at least 10 are needed"):
        Level.of([1.0] * 9, "throughput")
