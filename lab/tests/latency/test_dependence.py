from __future__ import annotations

import numpy as np
import pytest
from streams import lognormal

from poolkeeper.latency.ordered.dependence import dependence, of_sums


def test_the_time_of_an_autoregressive_series_is_that_of_its_closed_form() -> None:
    values = np.log(lognormal(0.8).draw(np.random.default_rng(40), 200_000))

    found = dependence(values)

    assert found.time == pytest.approx((1 + 0.8) / (1 - 0.8), rel=0.15)
    assert found.near == pytest.approx(9, rel=0.05)
    assert not found.independent


def test_a_few_large_values_at_the_end_depend_on_each_other() -> None:
    values = np.full(3000, 40.0)
    values[-6:] = 90_000

    found = dependence(values)

    assert not found.independent
    assert found.time > 5


def test_independent_values_and_those_that_balance_each_other_count_one_each() -> None:
    noise = np.random.default_rng(41).normal(size=5000)

    assert dependence(noise).time == 1
    assert dependence(np.diff(noise)).time == 1
    assert dependence(np.ones(100)).independent


def test_a_long_series_is_summed_over_neighbours_at_no_loss() -> None:
    values = np.log(lognormal(0.9).draw(np.random.default_rng(42), 300_000))

    assert dependence(values).time == pytest.approx(dependence(values[:60_000]).time, rel=0.3)


def test_sums_over_stretches_hold_what_depends_within_them() -> None:
    random = np.random.default_rng(43)
    values = np.repeat(random.normal(size=2000), 10)
    sums = values.reshape(-1, 20).sum(axis=1)

    found = of_sums(sums - sums.mean(), values.size, float(values.var()))

    assert found is not None
    assert found.time == pytest.approx(10, rel=0.2)
    assert of_sums(sums[:29], 580, 1.0) is None


def test_slow_drift_under_noise_is_seen() -> None:
    random = np.random.default_rng(44)
    drift = np.log(lognormal(0.999).draw(random, 50_000))

    found = dependence(random.normal(size=50_000) + 0.3 * drift)

    assert found.time > 30
    assert found.cautious > 10 * found.near
