from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper.errors import DataError, TooFewError
from poolkeeper.latency.digest import Digest
from poolkeeper.latency.tails import Goodness, Tail, UpperTail, analyze, compare, goodness, judge, power_law

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Floats


def test_nothing_is_claimed_of_few_values() -> None:
    report = analyze(1 + np.random.default_rng(0).pareto(1.2, 200), replicates=50)

    assert report.verdict.tail is Tail.UNKNOWN
    assert "200 values are too few" in report.verdict.text


def test_a_power_law_is_called_heavy() -> None:
    report = analyze(1 + np.random.default_rng(1).pareto(1.5, 5000), replicates=50, unit="ms")

    assert report.verdict.tail is Tail.HEAVY
    assert "the mean is finite and the variance infinite" in report.verdict.text
    assert "nothing is known" in report.verdict.limits[0]


def test_whole_milliseconds_are_spread_and_the_notes_say_so() -> None:
    values = np.round(np.random.default_rng(2).lognormal(5, 1, 5000))
    report = analyze(values, replicates=20)

    assert "multiples of 1" in report.notes[0]
    assert analyze(values, replicates=20).law.xmin == report.law.xmin


def test_two_significant_digits_are_refused() -> None:
    values = [float(f"{value:.1e}") for value in np.random.default_rng(3).lognormal(5, 1.5, 3000)]

    with pytest.raises(DataError, match="two significant digits, as Locust does"):
        analyze(values)


def test_fifty_values_are_the_least() -> None:
    with pytest.raises(TooFewError, match="at least 50"):
        analyze(np.arange(1, 50))


def test_the_report_shows_itself() -> None:
    report = analyze(np.random.default_rng(4).lognormal(3, 1, 3000), replicates=20, unit="ms")

    assert json.loads(json.dumps(report.to_dict()))["power_law"]["xmin"] == report.law.xmin
    assert report.verdict.limits[0] in str(report.table())
    assert len(report.tables()) == 5
    assert [chart.title for chart in report.plots()] == [
        "Complementary distribution",
        "Hill plot",
        "Lorenz curve",
        "Stability under aggregation",
    ]


def mixture(random: np.random.Generator, n: int) -> Floats:
    """A lognormal body with a power law of index 1.5 above it in two percent of the values."""
    heavy = n // 50
    return np.concatenate([random.lognormal(3, 0.6, n - heavy), 60 * (1 + random.pareto(1.5, heavy))])


def test_a_digest_says_the_same_as_its_values() -> None:
    values = np.random.default_rng(6).lognormal(3, 1, 400_000)
    whole, digest = analyze(values, replicates=0), analyze(Digest.of(values, tail=20_000), replicates=0)

    assert (digest.law.xmin, digest.law.index) == pytest.approx((whole.law.xmin, whole.law.index))
    assert digest.mass_count.disparity.gini == pytest.approx(whole.mass_count.disparity.gini, rel=1e-3)
    assert digest.mass_count.binning is not None
    assert digest.regression is not None
    assert digest.aggregation is None


def test_merged_digests_say_the_same_as_the_digest_of_all() -> None:
    values = mixture(np.random.default_rng(7), 100_000)
    parts = Digest.merged(Digest.of(part, tail=5000) for part in np.array_split(values, 7))
    tail_report, other = (analyze(digest, replicates=20) for digest in (Digest.of(values, tail=5000), parts))

    assert tail_report.verdict == other.verdict
    assert tail_report.law.to_dict() == other.law.to_dict()


def test_a_power_law_that_reaches_the_end_of_what_is_known_may_begin_lower() -> None:
    values = 1 + np.random.default_rng(8).pareto(1.5, 50_000)
    tail = UpperTail.of_digest(Digest.of(values, tail=3000))
    law = power_law(tail, least=int(tail.thresholds[-1]))

    assert law.bounded
    assert "it may begin lower" in judge(law, compare(law), None).limits[1]


def test_a_histogram_that_a_tool_wrote_has_no_tail_to_tell() -> None:
    with pytest.raises(DataError, match="of 300 values none is known exactly"):
        analyze(Digest.of_counts([1.0, 2.0, 3.0], [100, 100, 100]))


def test_a_digest_of_equal_or_few_values_is_refused() -> None:
    with pytest.raises(DataError, match="all 100 values are 5"):
        analyze(Digest.of(np.full(100, 5.0)))
    with pytest.raises(TooFewError, match="at least 50"):
        analyze(Digest.of(np.arange(1.0, 30.0)))


def test_of_equal_values_at_the_end_of_a_digest_none_is_used() -> None:
    values = np.concatenate([np.full(100, 5.0), np.arange(10.0, 60.0)])

    assert UpperTail.of_digest(Digest.of(values, tail=80)).size == 50


LIGHTER: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "exponential": lambda random, n: random.exponential(size=n),
    "Weibull": lambda random, n: random.weibull(0.5, n),
    "lognormal": lambda random, n: random.lognormal(0, 1.5, n),
    "two lognormals": lambda random, n: np.concatenate(
        [random.lognormal(3, 0.6, n - n // 20), random.lognormal(5, 1, n // 20)]
    ),
}


def called_heavy(values: Floats, random: np.random.Generator) -> bool:
    """Whether a tail is called heavy, with a bootstrap only where it decides that."""
    power = power_law(UpperTail.of(values))
    comparisons = compare(power)
    if judge(power, comparisons, Goodness(1.0, 40)).tail is not Tail.HEAVY:
        return False
    return judge(power, comparisons, goodness(power, replicates=40, seed=random)).tail is Tail.HEAVY


@pytest.mark.parametrize("law", LIGHTER)
def test_lighter_tails_are_hardly_ever_called_heavy(law: str) -> None:
    random = np.random.default_rng(9)
    called = sum(called_heavy(LIGHTER[law](random, 2000), random) for _ in range(15))

    assert called <= 1


def test_power_laws_are_called_heavy() -> None:
    random = np.random.default_rng(10)

    assert sum(called_heavy(1 + random.pareto(1.5, 2000), random) for _ in range(20)) >= 14


def test_what_is_steady_further_up_is_hinted_at_where_the_power_law_is_in_doubt() -> None:
    report = analyze(mixture(np.random.default_rng(11), 20_000), replicates=200, unit="ms")

    assert report.verdict.text.startswith("Not shown: the 3,926 values above 34.9 ms")
    assert report.goodness is not None
    assert 0.01 < report.goodness.p < 0.1
    assert "alone have a steady index" in report.verdict.limits[-1]


def test_without_replicates_nothing_heavy_is_claimed() -> None:
    assert analyze(1 + np.random.default_rng(1).pareto(1.5, 5000), replicates=0).verdict.tail is Tail.UNKNOWN


def test_the_tail_of_an_exponential_distribution_is_light() -> None:
    verdict = analyze(np.random.default_rng(3).exponential(size=100_000), replicates=0).verdict

    assert verdict.tail is Tail.LIGHT
    assert "rather exponential than a power law" in verdict.text


def test_a_timeout_cuts_the_tail_off() -> None:
    values = np.round(np.random.default_rng(12).lognormal(3, 0.5, 5000))
    verdict = analyze(np.append(values, np.full(300, 30_000.0)), replicates=0, unit="ms").verdict

    assert verdict.tail is Tail.UNKNOWN
    assert "300 values are equal to the largest, 30,000 ms: a timeout" in verdict.text


def test_one_huge_value_makes_no_grid_of_the_others() -> None:
    values = np.random.default_rng(14).exponential(size=3000)

    report = analyze(np.append(values, 1e15), replicates=5)
    assert report.notes == ()
    assert report.verdict.tail is not Tail.HEAVY
    with pytest.raises(DataError, match="1e\\+308 are further apart than times can be"):
        analyze(np.append(values, 1e308))


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_a_very_small_and_a_very_large_unit_change_nothing(scale: float) -> None:
    values = np.random.default_rng(13).exponential(size=3000)
    tail_report, other = analyze(values, replicates=10), analyze(scale * values, replicates=10)

    assert other.law.index == pytest.approx(tail_report.law.index)
    assert other.verdict.tail == tail_report.verdict.tail
    assert other.mass_count.disparity.gini == pytest.approx(tail_report.mass_count.disparity.gini)


def test_pure_power_laws_are_hardly_ever_denied() -> None:
    found = []
    for seed in range(20):
        values = 200 * (1 - np.random.default_rng(1000 + seed).random(5000)) ** (-1 / 1.5)
        law = power_law(UpperTail.of(values))
        # The first 20 of 100 replicates are the same. Where one of them is as far off, all of them deny nothing either.
        tried = goodness(law, replicates=20)
        found.append(judge(law, compare(law), tried if tried.p > 1 / 20 else goodness(law, replicates=100)))

    assert sum(verdict.tail is Tail.NOT_A_POWER_LAW for verdict in found) <= 1
    assert any(verdict.tail is Tail.OPEN and verdict.text.startswith("Not shown: the ") for verdict in found)


@pytest.mark.parametrize(
    ("p", "tail", "begin"),
    [(0.005, Tail.NOT_A_POWER_LAW, "No power law"), (0.05, Tail.OPEN, "Not shown"), (0.5, Tail.HEAVY, "Heavy")],
)
def test_a_denial_needs_more_than_a_doubt(p: float, tail: Tail, begin: str) -> None:
    law = power_law(UpperTail.of(1 + np.random.default_rng(1).pareto(1.5, 5000)))
    verdict = judge(law, compare(law), Goodness(p, 200))

    assert verdict.tail is tail
    assert verdict.text.startswith(begin)


@pytest.mark.parametrize(("ratio", "p", "tail"), [(-1.41, 0.047, Tail.OPEN), (-8.0, 3e-5, Tail.NOT_A_POWER_LAW)])
def test_a_small_gain_of_a_tail_that_contains_the_power_law_is_no_denial(ratio: float, p: float, tail: Tail) -> None:
    law = power_law(UpperTail.of(1 + np.random.default_rng(1).pareto(1.5, 5000)))
    comparisons = tuple(
        replace(comparison, ratio=ratio, p=p) if comparison.alternative == "Weibull tail" else comparison
        for comparison in compare(law)
    )

    assert judge(law, comparisons, Goodness(0.5, 200)).tail is tail


def test_few_replicates_claim_no_heavy_tail() -> None:
    report = analyze(1 + np.random.default_rng(1).pareto(1.5, 5000), replicates=1)

    assert report.verdict.tail is Tail.UNKNOWN
    assert "20 replicates are the least" in report.verdict.text


def small_part(upper: Floats) -> Floats:
    """97 % from a narrow lognormal, and the values given."""
    return np.concatenate([np.random.default_rng(15).lognormal(np.log(50), 0.3, upper.size * 97 // 3), upper])


def test_a_lognormal_that_the_body_contradicts_does_not_stand_against_a_power_law() -> None:
    report = analyze(small_part(200 * (1 + np.random.default_rng(17).pareto(2, 900))), replicates=100)
    comparison = next(rival for rival in report.comparisons if rival.alternative == "one lognormal")

    assert comparison.contradicted
    assert comparison.better() is None
    assert report.verdict.tail is Tail.HEAVY
    assert report.law.index == pytest.approx(2, abs=3 * report.law.error)


def test_where_one_lognormal_is_contradicted_two_stand_against_a_power_law() -> None:
    for seed in range(6):
        values = small_part(np.random.default_rng(seed).lognormal(np.log(250), 0.8, 300))
        comparisons = compare(power_law(UpperTail.of(values)))

        assert next(rival for rival in comparisons if rival.alternative == "one lognormal").contradicted
        assert not called_heavy(values, np.random.default_rng(seed))


def test_values_that_hardly_differ_are_judged_too() -> None:
    values = 1000 + np.random.default_rng(18).random(3000) * 1e-4

    assert analyze(values, replicates=5).verdict.tail is not Tail.HEAVY
