from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.errors import DataError, TooFewError
from poolkeeper.latency.tails import aggregation


def test_sums_of_a_finite_variance_spread_like_the_square_root() -> None:
    found = aggregation(np.random.default_rng(1).exponential(size=200_000), unit="ms")

    assert [level.size for level in found.levels] == [1, 10, 100, 1000]
    assert abs(found.growth - 0.5) < 3 * found.error
    assert found.levels[-1].shape == pytest.approx(3.45, rel=0.2)
    assert "as with a finite variance" in found.text
    assert "3.45" in str(found.table())


@pytest.mark.parametrize("index", [1.2, 1.5])
def test_sums_of_an_infinite_variance_spread_like_the_index_says(index: float) -> None:
    found = aggregation(1 + np.random.default_rng(2).pareto(index, 2_000_000))

    assert found.growth == pytest.approx(1 / index, abs=0.08)
    assert "faster" in found.text


def test_dependence_in_time_does_not_look_like_a_heavy_tail() -> None:
    levels = np.repeat(np.random.default_rng(3).exponential(size=2000), 100)
    found = aggregation(levels)

    assert abs(found.growth - 0.5) < 3 * found.error


def test_the_error_is_how_much_the_growth_varies() -> None:
    random = np.random.default_rng(4)
    found = [aggregation(random.normal(100, 5, 20_000), seed=random) for _ in range(100)]

    assert np.std([result.growth for result in found]) == pytest.approx(found[0].error, rel=0.3)


@pytest.mark.parametrize("seed", range(5))
def test_the_step_from_single_values_says_nothing_of_the_variance(seed: int) -> None:
    """The sum of ten exponential values spreads further than the root of ten says, since one of them is skewed."""
    random = np.random.default_rng(seed)
    assert aggregation(random.gamma(0.5, size=19_999)).growth > 0.6
    for values in (random.exponential(size=5000), random.gamma(0.5, size=19_999), 1 + random.pareto(1.5, 5000)):
        text = aggregation(values).text
        assert text.endswith("that says nothing of the variance, for which 20,000 are needed")
    assert "as with a finite variance" in aggregation(random.gamma(0.5, size=20_000)).text


def test_the_result_shows_itself() -> None:
    found = aggregation(np.random.default_rng(5).exponential(size=5000))

    assert found.to_dict()["levels"][1]["size"] == 10
    assert found.plot().series[1].y[1] == pytest.approx(found.levels[0].spread * np.sqrt(10))


def test_few_and_equal_values_are_refused() -> None:
    with pytest.raises(TooFewError, match="at least 2000"):
        aggregation(np.arange(1999))
    with pytest.raises(DataError, match="quartiles 3, 3, 3 are not apart"):
        aggregation(np.append(np.full(3000, 3.0), 9.0))
