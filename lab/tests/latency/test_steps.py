"""Steps of a level: how often one is seen where there is none, and that those there are get found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.signal import lfilter

from poolkeeper.errors import DataError
from poolkeeper.latency import summarize
from poolkeeper.latency.ordered.steps import FALSE_ALARMS, _best, _smoothed, steps

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

SERIES = 200


def dependent(random: np.random.Generator, count: int, correlation: float) -> Floats:
    """Noise of variance 1 whose neighbours depend on each other."""
    start = 10 * int(1 / (1 - correlation)) + 10
    noise: Floats = lfilter([1.0], [1.0, -correlation], random.standard_normal(count + start))[start:]
    noise *= np.sqrt(1 - correlation**2)
    return noise


@pytest.mark.parametrize(
    ("count", "correlation"),
    [(40, 0.0), (120, 0.0), (600, 0.0), (120, 0.3), (600, 0.5), (600, 0.8), (3600, 0.8), (3600, 0.96)],
)
def test_false_alarms_are_as_rare_as_stated(count: int, correlation: float) -> None:
    random = np.random.default_rng(1)
    alarms = sum(bool(steps(dependent(random, count, correlation))) for _ in range(SERIES))
    # Of 200 series with a true share of 2 %, more than 9 alarm once in fifty times.
    assert alarms <= 9, alarms / SERIES
    assert FALSE_ALARMS == 0.02


@pytest.mark.parametrize("rate", [3.0, 100.0])
def test_counts_and_heavy_tails_raise_no_alarm(rate: float) -> None:
    random = np.random.default_rng(2)
    assert sum(bool(steps(np.sqrt(random.poisson(rate, 300)))) for _ in range(SERIES)) <= 9
    assert sum(bool(steps(random.standard_cauchy(300))) for _ in range(SERIES)) <= 9


def sessions(random: np.random.Generator, rate: float, seconds: int) -> Floats:
    """Times of requests that come in sessions of three on average, a second apart on average."""
    begins = random.uniform(-30, seconds, random.poisson(rate * (seconds + 30) / 3))
    sizes = random.geometric(1 / 3, begins.size)
    pauses = np.cumsum(random.exponential(1, sizes.sum()))
    firsts = np.cumsum(sizes) - sizes
    at = np.repeat(begins - pauses[firsts], sizes) + pauses
    found: Floats = at[(at >= 0) & (at < seconds)]
    return found


def roots(times: Floats) -> Floats:
    """Roots of the counts of whole seconds."""
    found: Floats = np.sqrt(np.bincount(times.astype(np.int64)))
    return found


def test_a_load_of_sessions_that_doubles_is_seen_and_a_steady_one_raises_no_alarm() -> None:
    random = np.random.default_rng(9)
    steady = [roots(sessions(random, 60, 42)) for _ in range(SERIES)]
    assert sum(bool(steps(series)) for series in steady) <= 9
    doubled = [roots(np.concatenate([sessions(random, 60, 15), 15 + sessions(random, 120, 15)])) for _ in range(SERIES)]
    assert sum(len(steps(series)) == 1 for series in doubled) >= 0.9 * SERIES


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_a_step_is_found_where_it_is(correlation: float) -> None:
    random = np.random.default_rng(3)
    for _ in range(30):
        series = dependent(random, 600, correlation)
        series[350:] += 4
        (place,) = steps(series)
        assert place == pytest.approx(350, abs=4)


def test_every_level_of_a_staircase_is_found() -> None:
    random = np.random.default_rng(4)
    rates = np.repeat([10, 20, 40, 80, 160, 320, 160, 40], 60)
    found = steps(np.sqrt(random.poisson(rates)))
    assert found == pytest.approx([60, 120, 180, 240, 300, 360, 420], abs=3)


def test_noise_of_one_level_is_no_step_of_another() -> None:
    random = np.random.default_rng(5)
    series = np.concatenate([0.01 * random.standard_normal(300), 5 + random.standard_normal(300)])
    (place,) = steps(series)
    assert place == pytest.approx(300, abs=3)


def test_the_best_place_of_each_stretch_parts_its_means_most() -> None:
    values, least = np.random.default_rng(8).standard_normal(40), 4
    total = np.concatenate(([0.0], np.cumsum(values)))
    found = list(_best(total, np.array([0, 7, 20]), 20, least))
    assert [(low, high) for _, _, low, high in found] == [(0, 20), (7, 27), (20, 40)]
    for size, place, low, high in found:
        sizes = {
            at: abs(values[low:at].mean() - values[at:high].mean()) * np.sqrt((at - low) * (high - at) / (high - low))
            for at in range(low + least, high - least + 1)
        }
        assert place == max(sizes, key=lambda at: sizes[at])
        assert size == pytest.approx(sizes[place])


def test_running_medians_at_the_ends_are_of_what_there_is() -> None:
    assert _smoothed(np.array([5.0, 1, 3, 2, 4, 9])).tolist() == [3, 2.5, 3, 3, 3.5, 4]
    assert _smoothed(np.array([5.0, 1, 3, 2])).tolist() == [3, 2.5, 2.5, 2]


def test_a_spike_is_no_level() -> None:
    series = np.random.default_rng(6).standard_normal(300)
    series[150:152] += 500
    assert steps(series) == ()


def test_constant_short_and_broken_series() -> None:
    assert steps(np.full(100, 3.0)) == ()
    assert steps(np.arange(19.0)) == ()
    assert steps(np.repeat([1.0, 2.0], 50)) == (50,)
    with pytest.raises(DataError):
        steps([1.0, float("nan")] * 50)


def test_a_summary_says_that_the_level_changed_and_asks_for_no_more_values() -> None:
    random = np.random.default_rng(7)
    values = np.concatenate([random.lognormal(3, 0.3, 3000), random.lognormal(5, 0.3, 3000)])
    notes = " ".join(summarize(values, unit="ms").table().notes)
    assert "that depend on each other (" not in notes
    assert "their level changes once, after 3,000 of 6,000 values" in notes
