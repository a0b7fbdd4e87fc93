"""The beginning of a level that is left out: a warm-up, but nothing that happens in its middle."""

from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.scalability.warm_up import changes_of, warm_up

SIZE = 240


def measured(throughput: list[tuple[int, float]], response_s: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Poisson counts and noisy response times, each from some second on of another mean."""
    random = np.random.default_rng(4)
    since = np.arange(SIZE)
    rates, times = (
        np.array([level for _, level in course])[np.searchsorted([at for at, _ in course], since, side="right") - 1]
        for course in (throughput, response_s)
    )
    return random.poisson(rates).astype(float), times * random.lognormal(0, 0.15, SIZE)


def test_long_response_times_at_first_are_a_warm_up_though_the_throughput_hardly_shows_it() -> None:
    counts, times = measured([(0, 45), (20, 46)], [(0, 0.06), (20, 0.02)])
    assert 18 <= warm_up(counts, times) <= 25
    assert changes_of(times[25:]) == []


def test_a_warm_up_may_have_several_steps_and_be_short() -> None:
    assert 38 <= warm_up(*measured([(0, 40)], [(0, 0.2), (20, 0.08), (40, 0.03)])) <= 45
    assert 6 <= warm_up(*measured([(0, 40)], [(0, 0.2), (6, 0.03)])) <= 12


@pytest.mark.parametrize("begins", [30, 60, 90])
def test_a_slow_time_within_the_first_half_is_no_warm_up(begins: int) -> None:
    """All before its end was left out, and with it the slow time."""
    slow = [(0, 0.02), (begins, 0.3), (begins + 20, 0.02)]
    counts, times = measured([(0, 50), (begins, 20), (begins + 20, 50)], slow)
    assert warm_up(counts, times) <= begins / 2
    cut = warm_up(counts, times)
    assert [cut + place for place in changes_of(times[cut:])] == pytest.approx([begins, begins + 20], abs=2)


def test_an_outage_within_the_first_half_is_no_warm_up() -> None:
    counts, times = measured([(0, 50), (60, 0), (90, 50)], [(0, 0.02)])
    times[60:90] = np.nan
    assert warm_up(counts, times) <= 30
    assert changes_of(times) == []


def test_what_is_good_before_it_gets_worse_is_no_warm_up() -> None:
    assert warm_up(*measured([(0, 50), (80, 35)], [(0, 0.02), (80, 0.1)])) <= 40
    assert warm_up(*measured([(0, 50), (150, 35)], [(0, 0.02), (150, 0.1)])) <= 75


def test_most_of_a_level_is_no_warm_up() -> None:
    assert warm_up(*measured([(0, 40)], [(0, 0.2), (180, 0.03)])) <= SIZE / 2


def test_equal_values_have_no_warm_up() -> None:
    assert warm_up(np.full(60, 7.0), np.full(60, 0.02)) == 0
    assert warm_up(np.full(60, 7.0), np.full(60, np.nan)) == 0


def test_a_level_may_last_a_day() -> None:
    """Each beginning was tried by itself, which took as many passes over the level as it has seconds."""
    random = np.random.default_rng(9)
    counts = random.poisson(np.where(np.arange(86_400) < 900, 20, 40)).astype(float)
    assert 880 <= warm_up(counts, random.lognormal(-4, 0.1, counts.size)) <= 1100
