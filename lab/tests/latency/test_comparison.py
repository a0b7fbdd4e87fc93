from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from scipy import stats

from poolkeeper.latency import Estimate, compare, percentile
from poolkeeper.latency.comparison.difference import Difference, difference


def test_a_shift_is_seen_in_its_percentiles_and_its_size_is_within_the_interval() -> None:
    random = np.random.default_rng(14)
    first, second = random.exponential(size=50_000), random.exponential(size=40_000) * 1.1

    found = compare(first, second, percentiles=(50, 90, 99), unit="ms")

    assert found.seen == (50, 90, 99)
    for p, change in found.percentiles.items():
        assert change.low < -0.1 * math.log1p(-p / 100) < change.high
        assert change.ratio.low < 1.1 < change.ratio.high
    assert found.verdict.startswith("The second run is slower: p50 +")
    assert found.mean.seen
    assert found.superiority.low < 1.1 / 2.1 < found.superiority.high


def test_effect_sizes_are_those_of_scipy() -> None:
    random = np.random.default_rng(15)
    first, second = random.lognormal(size=151), random.lognormal(0.3, size=100)

    found = compare(first, second, independent=True)

    statistic = stats.mannwhitneyu(second, first).statistic
    assert found.superiority.value == pytest.approx(statistic / (151 * 100))
    assert found.cliffs_delta == pytest.approx(2 * statistic / (151 * 100) - 1)
    assert found.shift.value == pytest.approx(np.median(np.subtract.outer(second, first)), abs=1e-6)
    assert found.shift.low < found.shift.value < found.shift.high


def test_equal_runs_show_no_difference_and_what_could_have_been_seen() -> None:
    random = np.random.default_rng(16)

    found = compare(random.exponential(size=20_000), random.exponential(size=20_000), percentiles=(50, 99), unit="ms")

    assert found.seen == ()
    assert found.verdict.startswith("No difference seen in p50, p99 and mean. One of 0.0")
    assert found.superiority.low < 0.5 < found.superiority.high
    assert found.shift.low < 0 < found.shift.high


def test_what_could_have_been_seen_is_seen_in_four_of_five() -> None:
    random = np.random.default_rng(17)

    def median(centre: float) -> Estimate:
        return percentile(random.normal(centre, 1, 2000), 50, independent=True)

    detectable = float(np.mean([compare_medians(median(10), median(10)).detectable for _ in range(10)]))
    seen = sum(compare_medians(median(10), median(10 + detectable)).seen for _ in range(150))

    # 120 of 150 give or take three standard errors of what is seen and of what was said to be detectable.
    assert 102 <= seen <= 138


def compare_medians(first: Estimate, second: Estimate) -> Difference:
    return difference(first, second, first, second)


def test_too_little_data_is_no_verdict() -> None:
    found = compare([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])

    assert found.seen == ()
    assert found.verdict.startswith("It is undecided whether the runs differ: ")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["percentiles"]["p50"]["seen"] is None
    assert "undecided" in str(found.table())


def test_runs_that_do_not_overlap_are_apart() -> None:
    random = np.random.default_rng(18)

    found = compare(random.uniform(1, 2, 1000), random.uniform(5, 6, 1000), percentiles=(50, 90))

    assert found.cliffs_delta == 1
    assert found.seen == (50, 90)
    assert found.plot().series[0].y == pytest.approx((4, 4), abs=0.2)


def test_swapping_the_runs_turns_the_differences_round() -> None:
    random = np.random.default_rng(19)
    first, second = random.exponential(size=3000), random.exponential(size=4000)

    there, back = compare(first, second, percentiles=(50,)), compare(second, first, percentiles=(50,))

    assert there.percentiles[50].low == pytest.approx(-back.percentiles[50].high)
    assert there.superiority.low == pytest.approx(1 - back.superiority.high)
    assert there.shift.value == pytest.approx(-back.shift.value, abs=1e-9)


def test_runs_with_many_ties_hold_no_shift() -> None:
    random = np.random.default_rng(23)
    first, second = (np.rint(random.exponential(2.0, size=2000)) for _ in range(2))

    found = compare(first, second, percentiles=(50,))

    assert found.shift.value == pytest.approx(0, abs=1e-9)
    assert found.shift.low <= 0 <= found.shift.high
    assert found.seen == ()


def test_each_run_says_which_percentiles_it_is_too_small_for() -> None:
    rng = np.random.default_rng(1)
    found = compare(rng.exponential(size=135), rng.exponential(size=2000))
    notes = [note for note in found.table().notes if "have no" in note]
    assert notes == [
        "135 values have no p99.9 and p99.99: at least 1,000 and 10,000 are needed",
        "2,000 values have no p99.99: at least 10,000 are needed",
    ]


def test_no_shift_is_no_tiny_number() -> None:
    rng = np.random.default_rng(4)
    first, second = (np.rint(rng.lognormal(np.log(40), 0.5, 1000)) for _ in range(2))
    assert compare(first, second, independent=True).shift.value == 0


def test_failures_are_compared_by_newcombes_interval() -> None:
    random = np.random.default_rng(24)
    first, second = random.exponential(size=80), random.exponential(size=70)

    # Newcombe's example (a): 56 of 70 and 48 of 80 differ by 0.0524 to 0.3339.
    shares = compare(first, second, percentiles=(50,), failed=(48, 56)).failed

    assert shares is not None
    assert (shares.low, shares.high) == pytest.approx((5.24, 33.39), abs=0.006)


def test_a_run_that_only_fails_more_often_is_said_to_differ() -> None:
    values = np.random.default_rng(25).exponential(size=4000)

    found = compare(values, values, percentiles=(50,), failed=(0, 200))

    assert found.verdict == (
        "The second run fails more often: 5.00 % of requests against 0 %. No difference seen in p50 and mean."
    )
    assert found.table().rows[-1][0] == "failed [%]"
    assert "yes" in found.table().rows[-1]
    same = compare(values, values, percentiles=(50,), failed=(200, 200))
    assert same.verdict.startswith("No difference seen in p50, mean and failures.")


def test_the_verdict_names_what_the_table_calls_seen() -> None:
    random = np.random.default_rng(26)
    first = random.exponential(size=20_000)
    second = np.where(random.random(20_000) < 0.02, 8.0, first)

    found = compare(first, second, percentiles=(50,))

    assert (found.percentiles[50].seen, found.mean.seen) == (False, True)
    assert found.verdict.startswith("The second run is slower: mean +")


@pytest.mark.parametrize("seed", range(10))
def test_intervals_of_rounded_values_hold_what_rounding_hides(seed: int) -> None:
    """Medians of 5 and 5.3 ms are both 5 in whole milliseconds: no difference, but not one of 0 to 0."""
    random = np.random.default_rng(seed)
    first, second = (np.rint(random.lognormal(math.log(centre), 0.5, 4_000)) for centre in (5, 5.3))

    found = compare(first, second, percentiles=(50, 90), unit="ms")

    for p, normal in ((50, 0.0), (90, float(stats.norm.ppf(0.9)))):
        entry, true = found.percentiles[p], 0.3 * math.exp(0.5 * normal)
        assert entry.low <= true <= entry.high
        assert entry.low <= entry.value - 1 < entry.value + 1 <= entry.high
        assert entry.ratio.low < 1.06 < entry.ratio.high
        assert entry.detectable >= 1
    assert found.shift.low <= 0.3 <= found.shift.high
    assert found.mean.high - found.mean.low < 0.5, "rounding to either side leaves the mean"
    notes = found.table().notes
    assert "values are multiples of 1 ms: no difference of percentiles is known better than to a step" in notes
    fine = compare(first * 100 + random.random(4_000), second * 100 + random.random(4_000), percentiles=(50,))
    assert not any("multiples" in note for note in fine.table().notes)


def test_rounding_does_not_hide_a_difference_that_is_seen() -> None:
    random = np.random.default_rng(4)
    first, second = (np.rint(random.normal(centre, 0.2, 2_000)) for centre in (5, 6))

    (entry,) = compare(first, second, percentiles=(50,)).percentiles.values()

    assert (entry.value, entry.low, entry.high, entry.seen) == (1, 0, 2, True)


def test_a_step_that_values_do_not_show_may_be_given() -> None:
    random = np.random.default_rng(5)
    first, second = (random.normal(20, 0.01, 2_000) for _ in range(2))

    (entry,) = compare(first, second, percentiles=(50,), step=1.0).percentiles.values()

    assert (entry.low, entry.high, entry.detectable) == pytest.approx((entry.value - 1, entry.value + 1, 1))


def test_figures_that_are_undecided_are_in_the_verdict_beside_those_that_are_not() -> None:
    """It said that no difference was seen in the others, and left p99 to the table."""
    random = np.random.default_rng(8)
    first, second = (random.lognormal(3, 0.3, count) for count in (6000, 1000))
    second[::40] *= 3
    verdict = compare(first, second, percentiles=(50, 99, 99.9), unit="ms").verdict
    assert "No difference seen in p50" in verdict
    assert re.search(r" Undecided: p99 \(\+\d+ %\)\.$", verdict)
    assert "Undecided" not in compare(first, random.lognormal(3, 0.3, 6000), percentiles=(50, 99, 99.9)).verdict
