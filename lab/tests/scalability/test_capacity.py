from __future__ import annotations

import math
import re

import numpy as np
import pytest

from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.scalability import Load, capacity

P99 = math.log(100)
"""p99 of exponential response times with mean 1."""


def exponential(rng: np.random.Generator, mean: float, size: int) -> Estimate:
    """p99 of independent exponential response times, with its exact interval by order statistics."""
    values = np.sort(rng.exponential(mean, size))
    low, high = int(0.99 * size - 1.96 * math.sqrt(0.0099 * size)), int(0.99 * size + 1.96 * math.sqrt(0.0099 * size))
    return Estimate(float(values[round(0.99 * size) - 1]), float(values[low - 1]), float(values[high]), 0.95)


@pytest.mark.parametrize("kind", list(Load))
def test_interval_holds_the_truth_as_often_as_it_says(kind: Load) -> None:
    rng = np.random.default_rng(7)
    loads = [50.0, 60.0, 70.0, 80.0, 90.0]
    means = [0.1 * n for n in loads] if kind is Load.USERS else [1 / (100 - n) for n in loads]
    truth = 73.0
    bound = P99 * (0.1 * truth if kind is Load.USERS else 1 / (100 - truth))

    found = [
        capacity(loads, [exponential(rng, mean, 3000) for mean in means], bound=bound, kind=kind) for _ in range(1000)
    ]

    held = float(np.mean([answer.load.low <= truth <= answer.load.high for answer in found]))
    assert 0.93 <= held <= 0.97, held
    values = np.array([answer.load.value for answer in found])
    assert values.mean() == pytest.approx(truth, abs=0.3)
    assert all(answer.neighbours == (70, 80) for answer in found if abs(answer.load.value - truth) < 2)


def test_a_rate_that_a_closed_test_reaches_twice_is_answered_up_to_its_peak() -> None:
    rng = np.random.default_rng(3)
    users, rates = (4, 16, 32, 64, 128), (350.0, 855.0, 1050.0, 1038.0, 827.0)
    times = [rng.gamma(4, 250 * n / x, 20_000) for n, x in zip(users, rates, strict=True)]

    rising = capacity(rates, times, bound=60.0, kind=Load.RATE, users=users)
    at_peak = capacity(rates, times, bound=200.0, kind=Load.RATE, users=users)

    assert rising.load.value == pytest.approx(950, abs=40)
    assert [level.load for level in rising.levels] == [350, 855, 1050]
    assert rising.notes[0].startswith("levels of more than 32 users are left out")
    assert "throughput" not in rising.table().columns
    assert at_peak.verdict.startswith("p99 within 200 ms holds up to the highest rate that was reached, 1,050")
    with pytest.raises(InputError, match="users: are the load already"):
        capacity(users, times, bound=60.0, users=users)
    with pytest.raises(DataError, match="users: 2 for 5 levels"):
        capacity(rates, times, bound=60.0, kind=Load.RATE, users=(1, 2))


def test_response_times_of_levels_are_enough() -> None:
    rng = np.random.default_rng(1)
    samples = [rng.exponential(mean, 5000) for mean in (10, 20, 40)]

    found = capacity([10, 20, 40], samples, bound=30 * P99, throughput=[1000, 1000, 980])

    assert found.has_interval
    assert found.load.value == pytest.approx(30, abs=2)
    assert found.load.low < 30 < found.load.high
    assert 980 < found.throughput < 1000
    assert "interpolated" in found.verdict
    assert [row[-1] for row in found.table().rows] == ["met", "met", "missed"]
    assert found.plot().marks[0].x == found.load.value
    assert found.to_dict()["met_at"] == 20


def test_the_mean_may_be_bounded() -> None:
    rng = np.random.default_rng(1)
    samples = [rng.exponential(mean, 5000) for mean in (10, 20, 40)]

    found = capacity([10, 20, 40], samples, bound=30, p=None)

    assert found.load.value == pytest.approx(30, abs=1)
    assert found.verdict.startswith("mean within 30 ms holds up to")
    assert found.levels[0].percentile.value == pytest.approx(samples[0].mean())
    assert found.table().columns[1] == "mean [ms]"
    assert found.to_dict()["p"] is None


def test_nothing_is_extrapolated() -> None:
    rng = np.random.default_rng(2)
    samples = [rng.exponential(mean, 5000) for mean in (10, 20, 40)]

    above = capacity([10, 20, 40], samples, bound=1000)
    below = capacity([10, 20, 40], samples, bound=5)

    assert math.isnan(above.load.value)
    assert (above.load.low, above.load.high) == (40, math.inf)
    assert "at least 40 users" in above.verdict
    assert math.isnan(below.load.value)
    assert (below.load.low, below.load.high) == (0, 10)
    assert "below 10 users" in below.verdict
    assert above.to_dict()["load"]["high"] is None


def test_the_highest_level_may_be_met_without_being_sure() -> None:
    levels = [Estimate(100, 90, 110, 0.95), Estimate(190, 150, 240, 0.95)]

    found = capacity([10, 20], levels, bound=200)

    assert math.isnan(found.load.value)
    assert found.load.low == 10
    assert math.isinf(found.load.high)
    assert "measure longer" in found.verdict


def test_a_level_of_too_few_response_times_that_seems_to_miss_the_bound_is_named() -> None:
    few = Estimate.bare(1940, 0.95, "5,828 values are too few")
    levels = [Estimate(100, 90, 110, 0.95), Estimate(120, 115, 125, 0.95)]

    over = capacity([16, 64, 256], [*levels, few], bound=500)
    within = capacity([16, 64, 256], [*levels, Estimate.bare(300, 0.95, "few")], bound=500)
    unsure = capacity([16, 64, 256], [levels[0], Estimate(480, 450, 510, 0.95), few], bound=500)
    below = capacity([16, 64, 256], [few, Estimate(600, 590, 610, 0.95), Estimate(700, 690, 710, 0.95)], bound=500)

    assert "at every level with enough response times: the capacity is at least 64 users" in over.verdict
    assert "at 256 users p99 seems to be 1,940 ms, of too few response times to be sure" in over.verdict
    assert over.to_dict()["missed_at"] == 256
    assert over.notes == ("at 256 users: p99 seems to be 1,940 ms, over the bound, but 5,828 values are too few",)
    assert "at 256 users there are too few response times to tell" in within.verdict
    assert within.to_dict()["missed_at"] is None
    assert "at 256 users p99 seems to be 1,940 ms" in unsure.verdict
    assert "not reached at any level with enough response times" in below.verdict
    for answer in (over, within, unsure):
        assert "every measured level" not in answer.verdict
        assert "higher" not in answer.verdict


def test_between_far_levels_nothing_but_the_levels_is_sure() -> None:
    """A closed service that takes 113 users: its p99 is flat up to its knee, and rises beyond it."""

    def p99(users: float) -> Estimate:
        value = max(50.0, 6.0 * users - 178)
        return Estimate(value, 0.98 * value, 1.02 * value, 0.95)

    far = capacity([1, 32, 256], [p99(n) for n in (1, 32, 256)], bound=500)
    fewest = capacity([32, 256], [p99(n) for n in (32, 256)], bound=500)
    # levels close together below do not tell what happens in the wide gap
    close = capacity([29, 30, 31, 32, 256], [p99(n) for n in (29, 30, 31, 32, 256)], bound=500)
    dense = capacity([64, 96, 128, 160], [p99(n) for n in (64, 96, 128, 160)], bound=500)

    for answer in (far, fewest, close):
        assert (answer.load.low, answer.load.high) == (32, 256)
        assert not answer.straight
        assert "holds up to a load between 32 and 256 users (95 % sure)" in answer.verdict
        assert "do not lie on a straight line, which would guess" in answer.verdict
    assert dense.straight
    assert 108 < dense.load.low < 113 < dense.load.high < 117


def test_levels_on_a_bend_give_no_more_than_their_neighbours() -> None:
    def p99(users: float) -> Estimate:
        value = users**2 / 25
        return Estimate(value, 0.99 * value, 1.01 * value, 0.95)

    bent = capacity([64, 96, 128, 160], [p99(n) for n in (64, 96, 128, 160)], bound=500)

    assert (bent.load.low, bent.load.high) == (96, 128)
    assert bent.plot().marks[0].label == "guess of a straight line"


def test_too_few_response_times_give_no_answer() -> None:
    rng = np.random.default_rng(3)
    few = [rng.exponential(mean, 60) for mean in (10, 20)]

    none = capacity([1, 2], few, bound=50)
    answer = capacity([1, 2, 3], [*few, rng.exponential(40, 4000)], bound=50)

    assert not none.has_interval
    assert "cannot be told" in none.verdict
    assert (none.load.low, none.load.high) == (0, math.inf)
    assert math.isnan(answer.load.value)
    assert any(note.startswith("at 1 user and at 2 users: ") for note in answer.notes)


def test_levels_that_fall_are_made_monotone_and_named_if_more_than_chance() -> None:
    slightly = [Estimate(100, 80, 120, 0.95), Estimate(95, 75, 115, 0.95), Estimate(300, 250, 350, 0.95)]
    clearly = [Estimate(200, 190, 210, 0.95), Estimate(95, 90, 100, 0.95), Estimate(300, 250, 350, 0.95)]

    assert not capacity([1, 2, 3], slightly, bound=200).notes
    assert "not measured under the same conditions" in capacity([1, 2, 3], clearly, bound=200).notes[0]


def test_order_of_levels_and_unit_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    samples = [rng.exponential(mean, 4000) for mean in (10, 20, 40)]
    found = capacity([10, 20, 40], samples, bound=130)

    turned = capacity([40, 10, 20], [samples[2], samples[0], samples[1]], bound=130)
    scaled = capacity([10, 20, 40], [1000 * sample for sample in samples], bound=130_000, unit="us")

    assert turned.to_dict() == found.to_dict()
    assert scaled.load.value == pytest.approx(found.load.value)
    assert scaled.load.high == pytest.approx(found.load.high)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match=r"bound: -1 is not above 0"):
        capacity([1], [[1.0]], bound=-1)
    with pytest.raises(DataError, match="2 loads, 1 response times"):
        capacity([1, 2], [[1.0]], bound=1)
    with pytest.raises(DataError, match="more than once"):
        capacity([1, 1], [[1.0], [2.0]], bound=1)
    with pytest.raises(DataError, match="load: 1 of 1 values are not positive"):
        capacity([0], [[1.0]], bound=1)
    with pytest.raises(InputError, match="write 99"):
        capacity([1], [[1.0]], bound=1, p=0.99)


def test_a_bound_within_the_interval_of_the_lowest_level_is_not_surely_missed() -> None:
    # p95 of an exponential of mean 100 is 299.6; 400 values leave it open whether it is above 290.
    responses = [np.random.default_rng(seed).exponential(mean, 400) for seed, mean in ((3, 100), (4, 300))]
    found = capacity([10, 20], responses, bound=float(np.quantile(responses[0], 0.95)) - 3, p=95, unit="ms")

    assert math.isnan(found.load.value)
    assert found.levels[0].percentile.low < found.question.bound < found.levels[0].percentile.value
    assert "the capacity seems to be below 10 users" in found.verdict
    assert "is not reached" not in found.verdict


@pytest.mark.parametrize("kind", list(Load))
def test_the_verdict_says_of_each_level_what_the_table_says(kind: Load) -> None:
    """It called open levels met or missed, and a level below the highest one the highest."""
    rng = np.random.default_rng(17)
    for _ in range(300):
        loads = np.cumsum(rng.integers(5, 40, rng.integers(2, 6)))
        values = np.cumsum(rng.uniform(-5, 30, loads.size)) + 40
        levels = [Estimate(v, v - rng.uniform(0, 12), v + rng.uniform(0, 12), 0.95) for v in values]
        found = capacity(loads, levels, bound=float(rng.uniform(30, 120)), p=95, kind=kind)
        words = {level.load: found.question.meets(level.percentile) for level in found.levels}
        if found.has_interval:
            for load in found.neighbours:
                assert re.search(f"{words[load]} at (the measured level )?{load:.0f}", found.verdict)
        if "highest level" in found.verdict:
            assert f"highest level, {loads[-1]}" in found.verdict
        if "holds at every" in found.verdict:
            assert set(words.values()) == {"met"}
        if "is not reached at any" in found.verdict:
            assert set(words.values()) == {"missed"}


def test_an_open_level_is_neither_met_nor_missed() -> None:
    sure = Estimate(31, 30, 32, 0.95)
    least = capacity([15, 30], [sure, Estimate(62, 57, 73, 0.95)], bound=60, p=95)
    most = capacity([6, 24], [Estimate(2150, 2004, 2272, 0.95), Estimate(4900, 3000, 5400, 0.95)], bound=2200)
    any_ = capacity([6, 24], [Estimate(59, 50, 65, 0.95), Estimate(61, 55, 70, 0.95)], bound=60)

    assert "holds up to 15 users at least (95 % sure), and may hold beyond the highest level, 30" in least.verdict
    assert "met at the measured level 15 and open at 30, where p95 seems to be 62.0 ms" in least.verdict
    assert "holds up to a load below 24 users (95 % sure), and may not even hold at the lowest level, 6" in most.verdict
    assert "open at the measured level 6, where p99 seems to be 2,150 ms, and missed at 24" in most.verdict
    assert "may hold beyond the highest level, 24, or not even at the lowest level, 6: open" in any_.verdict
    assert [level["bound"] for level in least.to_dict()["levels"]] == ["met", "open"]


@pytest.mark.parametrize("kind", list(Load))
def test_a_level_that_surely_keeps_a_bound_vouches_for_those_below(kind: Load) -> None:
    """With 10 users open and 20 and 40 met, it was sure of "not even the lowest level"."""
    figures = [Estimate(80, 60, 110, 0.95), Estimate(82, 78, 87, 0.95), Estimate(84, 80, 89, 0.95)]
    found = capacity([10, 20, 40], figures, bound=100, kind=kind)

    assert found.load.low == 40
    assert f"at least 40 {kind} (95 % sure)" in found.verdict
