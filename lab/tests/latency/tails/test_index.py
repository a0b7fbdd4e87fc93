from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from poolkeeper.errors import DataError, TooFewError
from poolkeeper.latency.tails import UpperTail, hill, maximum_likelihood, moment, regression

QUANTILES = stats.pareto(1.5).ppf((np.arange(100_000) + 0.5) / 100_000)


def test_maximum_likelihood_is_the_formula() -> None:
    found = maximum_likelihood(UpperTail.of([8, 4, 2, 1]), 3)

    assert found.index == pytest.approx(3 / (math.log(8) + math.log(4) + math.log(2)))
    assert found.error == pytest.approx(found.index / math.sqrt(3))
    assert found.threshold == 1


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e9])
def test_all_estimators_find_the_index_of_a_power_law_in_any_unit(scale: float) -> None:
    tail = UpperTail.of(scale * QUANTILES)

    assert maximum_likelihood(tail, 50_000).index == pytest.approx(1.5, rel=1e-3)
    assert regression(tail).index == pytest.approx(1.5, rel=0.02)
    assert moment(tail, 5000) == pytest.approx(1 / 1.5, rel=0.02)
    estimate = hill(tail).estimate
    assert estimate is not None
    assert estimate.index == pytest.approx(1.5, rel=0.01)


def test_intervals_of_maximum_likelihood_hold_the_index_as_often_as_they_say() -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        low, high = maximum_likelihood(UpperTail.of(1 + random.pareto(2, 400)), 399).interval
        held += low <= 2 <= high

    assert 930 <= held <= 970


def test_the_error_of_the_regression_is_that_of_the_estimator_not_of_the_line() -> None:
    random = np.random.default_rng(2)
    found = [regression(UpperTail.of(1 + random.pareto(2, 4000)), 0.05) for _ in range(200)]

    assert np.std([index.index for index in found]) == pytest.approx(
        np.mean([index.error for index in found]), rel=0.25
    )


def test_the_moment_estimator_tells_light_tails() -> None:
    exponential = stats.expon().ppf((np.arange(100_000) + 0.5) / 100_000)
    even = (np.arange(100_000) + 0.5) / 100_000

    assert moment(UpperTail.of(exponential), 2000) == pytest.approx(0, abs=0.1)
    assert moment(UpperTail.of(even), 2000) == pytest.approx(-1, abs=0.05)


def test_the_stable_region_ends_where_the_power_law_begins() -> None:
    random = np.random.default_rng(3)
    values = np.concatenate([10 * random.random(8000), 10 * (1 + random.pareto(1.5, 2000))])
    found = hill(UpperTail.of(values))

    assert found.stable is not None
    assert found.stable[0] < 50
    assert found.stable[1] == pytest.approx(2000, rel=0.35)
    assert "stable from" in str(found.table())
    assert len(found.plot().marks) == 2


def test_hill_has_every_estimate_of_its_grid_in_one_pass() -> None:
    tail = UpperTail.of(1 + np.random.default_rng(4).pareto(1.5, 3000))
    found = hill(tail)

    for at in (0, 57, -1):
        assert found.indices[at] == pytest.approx(maximum_likelihood(tail, int(found.counts[at])).index)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda tail: maximum_likelihood(tail, 0), TooFewError),
        (lambda tail: maximum_likelihood(tail, 30), TooFewError),
        (lambda tail: moment(tail, 1), TooFewError),
        (regression, TooFewError),
        (lambda tail: regression(tail, 1.5), DataError),
        (lambda tail: hill(UpperTail(tail.values[:8], 8)), TooFewError),
    ],
)
def test_too_little_is_refused(call: object, error: type[DataError]) -> None:
    tail = UpperTail.of(np.arange(1.0, 31.0))

    with pytest.raises(error):
        call(tail)  # type: ignore[operator]
