from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.commands.scaling.capacity import capacity
from poolkeeper.commands.scaling.levels import Levels
from poolkeeper.commands.scaling.measured import MeasuredLevel
from poolkeeper.latency import Estimate
from poolkeeper.scalability import Load
from poolkeeper.scalability import capacity as found_capacity

USERS = (1, 4, 16, 32, 64, 128)
RATES = (100.0, 350.0, 855.0, 1050.0, 1038.0, 827.0)


def staircase() -> Levels:
    """A closed test past its peak: response times of mean N / X by Little's law, in milliseconds."""
    rng = np.random.default_rng(3)
    times = [rng.gamma(4, 250 * n / x, 20_000) for n, x in zip(USERS, RATES, strict=True)]
    measured = tuple(MeasuredLevel(n, x, n, None, t) for n, x, t in zip(USERS, RATES, times, strict=True))
    return Levels(measured, "6 levels", ())


def test_a_rate_reached_on_both_sides_of_the_peak_is_answered_on_the_rising_one() -> None:
    # p99 of gamma(4) is 2.51 times its mean: 47 ms at 16 users, 76 ms at 32
    answer = capacity(staircase(), "stairs", p=99.0, bound_ms=60.0, by="rate", given={})

    load = answer.parts[0].result.to_dict()["load"]
    assert 855 < load["value"] < 1050
    assert load["value"] == pytest.approx(950, abs=40)
    notes = answer.parts[0].result.table().notes
    assert "levels of more than 32 users are left out" in notes[0]


def test_a_bound_met_at_the_peak_holds_up_to_it() -> None:
    # 155 ms at 64 users and 390 ms at 128, beyond the peak
    answer = capacity(staircase(), "stairs", p=99.0, bound_ms=200.0, by="rate", given={})

    assert "holds up to the highest rate that was reached" in answer.verdict
    assert "1,050 requests/s at 32 users; with more users it falls" in answer.verdict


@pytest.mark.parametrize("rates", [(250.0, 400.8, 401.5), (250.0, 401.5, 400.8)])
def test_levels_of_a_saturated_test_are_the_same_load(rates: tuple[float, ...]) -> None:
    """Chance decides between their rates: the bound held "up to a load between 401 and 401 requests/s"."""
    rng = np.random.default_rng(3)
    times = [rng.gamma(4, mean / 4, 20_000) for mean in (20.0, 30.0, 80.0)]
    measured = tuple(MeasuredLevel(np.nan, x, np.nan, None, t) for x, t in zip(rates, times, strict=True))

    answer = capacity(Levels(measured, "3 levels", ()), "stairs", p=95.0, bound_ms=100.0, by="rate", given={})

    assert "between 250 and 40" in answer.verdict
    assert "met at the measured level 250" in answer.verdict
    assert any("held 2 times" in note for note in answer.parts[0].result.table().notes)


@pytest.mark.parametrize("rates", [(250.0, 400.8, 401.5), (250.0, 401.5, 400.8), (250.0, 396.0, 401.5)])
def test_a_saturated_rate_is_the_one_with_the_fewest_users(rates: tuple[float, ...]) -> None:
    """It was met at 401 and missed at 401, and response times fell "from 401 to 401 requests/s"."""
    rng = np.random.default_rng(3)
    times = [rng.gamma(4, mean / 4, 20_000) for mean in (20.0, 30.0, 80.0)]
    measured = tuple(MeasuredLevel(n, x, n, None, t) for n, x, t in zip((5, 16, 32), rates, times, strict=True))

    answer = capacity(Levels(measured, "3 levels", ()), "stairs", p=95.0, bound_ms=100.0, by="rate", given={})

    assert f"reached, {rates[1]:.0f} requests/s at 16 users; with more users it does not rise." in answer.verdict
    (note,) = answer.parts[0].result.table().notes
    assert note.startswith("levels of more than 16 users are left out: the rate does not rise beyond")


@pytest.mark.parametrize("rates", [(121.0, 182.0, 246.0, 247.0), (121.0, 182.0, 247.0, 244.0)])
def test_users_beyond_the_highest_rate_who_miss_the_bound_bound_the_rate_too(rates: tuple[float, ...]) -> None:
    """By users it was missed at 150; by rate it held "at every level with enough response times"."""
    few = Estimate.bare(176.0, 0.95, "too few")
    found = found_capacity(
        rates,
        [Estimate(76, 73, 79, 0.95), Estimate(78, 75, 82, 0.95), few, Estimate(384, 370, 440, 0.95)],
        bound=150,
        kind=Load.RATE,
        users=(40, 60, 100, 150),
    )

    assert (found.load.low, found.load.high) == (182, rates[-1])
    assert f"met at the measured level 182 and missed at {rates[-1]:.0f}" in found.verdict
    assert any("100 users: too few response times to tell" in note for note in found.notes)


def test_a_level_without_an_interval_beyond_the_peak_is_past_those_that_met() -> None:
    """Its rate is that of a lower level, which met the bound: more than half of its times are over it all the same."""
    rng = np.random.default_rng(3)
    times = [rng.gamma(4, 5, 20_000), rng.gamma(4, 8, 20_000), np.repeat(rng.gamma(4, 100, 5), 100)]
    measured = tuple(
        MeasuredLevel(n, x, n, None, t) for n, x, t in zip((4, 16, 64), (200, 400, 190), times, strict=True)
    )

    answer = capacity(Levels(measured, "3 levels", ()), "stairs", p=95.0, bound_ms=100.0, by="rate", given={})

    (note,) = (note for note in answer.parts[0].result.table().notes if "counted as missed" in note)
    assert note.startswith("at 190 requests/s with 64 users: ")


def test_successes_stand_beside_a_rate_of_which_some_failed_alone() -> None:
    """It was "265 requests/s, of which 265/s succeed" between levels of which all had."""
    met, missed = Estimate(70, 69, 71, 0.95), Estimate(300, 295, 305, 0.95)
    found = found_capacity((100, 200, 300), (met, met, missed), bound=150, kind=Load.RATE, throughput=(50, 200, 300))
    assert "of which" not in found.verdict
    assert "successes/s" in found.table().columns

    found = found_capacity((100, 200, 300), (met, met, missed), bound=150, kind=Load.RATE, throughput=(100, 200, 240))
    assert "requests/s, of which 2" in found.verdict

    # Where a server breaks down between two levels, a line says nothing of the successes: half of 250 were to fail.
    found = found_capacity((100, 200, 300), (met, met, missed), bound=150, kind=Load.RATE, throughput=(100, 200, 40))
    assert "of which" not in found.verdict
    assert np.isnan(found.throughput)

    found = found_capacity((100, 200), (met, missed), bound=150, kind=Load.RATE, throughput=(100, 200))
    assert "successes/s" not in found.table().columns


def test_figures_of_0_have_a_rate_too() -> None:
    """At every level it was met, and "95 % sure is not even the lowest level"."""
    none = Estimate(0, 0, 150, 0.95)
    found = found_capacity((100, 200), (none, none), bound=150, kind=Load.RATE)
    assert "holds at every measured level: the capacity is at least 200 requests/s" in found.verdict


def test_levels_that_contradict_each_other_are_in_the_verdict() -> None:
    """Rates past the peak of a closed test, whose users nobody told, were "not reached at any measured level"."""
    met, missed = Estimate(70, 69, 71, 0.95), Estimate(900, 800, 950, 0.95)
    found = found_capacity((30, 70, 125), (missed, met, met), bound=150, kind=Load.RATE)
    assert " But it is missed at 30 and met at 125 requests/s: the levels contradict each other" in found.verdict
    assert "contradict" not in found_capacity((30, 70), (met, missed), bound=150, kind=Load.RATE).verdict


def test_a_rate_at_which_nothing_succeeded_is_above_the_peak_of_a_closed_test() -> None:
    met = Estimate(70, 69, 71, 0.95)
    found = found_capacity((80, 160, 100), (met, met, met), bound=150, kind=Load.RATE, users=(4, 8, 16), dead=(400,))
    assert found.verdict.endswith("at 400 requests/s requests did not succeed; measure between to find it.")
