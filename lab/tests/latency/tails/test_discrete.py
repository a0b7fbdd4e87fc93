"""Power laws of whole numbers: exponents, thresholds, rivals and p values, drawn and published."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import zeta

from poolkeeper.latency import tails
from poolkeeper.latency.tails.alternatives import Comparison
from poolkeeper.latency.tails.discrete import StepCounts, Zeta, goodness_of_steps, zeta_law, zeta_law_from
from poolkeeper.latency.tails.discrete_rivals import compare_steps, compare_whole_steps
from poolkeeper.latency.tails.upper import UpperTail

DATA = Path(__file__).with_name("data")
"""Counts of each number, from the reference data of the package powerlaw 2.0."""
POINTS = [1, 2, 3, 7, 20]


def counted(values: np.ndarray[tuple[int], np.dtype[np.int64]]) -> StepCounts:
    return StepCounts.of(UpperTail.of(values.astype(float)), 1.0)


@pytest.mark.parametrize(("alpha", "xmin"), [(1.8, 1), (2.5, 1), (2.5, 5), (3.5, 30)])
def test_drawn_numbers_follow_the_law(alpha: float, xmin: int) -> None:
    drawn = Zeta(xmin, alpha, 0.0, 1).draw(200_000, np.random.default_rng(1))

    for further in POINTS:
        share = float(zeta(alpha, xmin + further) / zeta(alpha, xmin))
        assert np.mean(drawn >= xmin + further) == pytest.approx(share, abs=5 * (share / 200_000) ** 0.5)


@pytest.mark.parametrize(("alpha", "xmin"), [(1.8, 1), (2.5, 1), (2.5, 5), (3.5, 30)])
def test_the_exponent_is_found_within_its_error(alpha: float, xmin: int) -> None:
    data = counted(Zeta(xmin, alpha, 0.0, 1).draw(20_000, np.random.default_rng(2)))
    found = zeta_law_from(data, xmin)

    assert found.alpha == pytest.approx(alpha, abs=4 * (alpha - 1) / 20_000**0.5)
    assert found.distance < 1.6 / 20_000**0.5


def test_the_exponent_maximises_the_likelihood() -> None:
    data = counted(np.repeat([1, 2, 3, 4, 9, 30], [500, 120, 60, 30, 5, 1]))
    best = zeta_law_from(data, 1)

    def likelihood(alpha: float) -> float:
        return float(data.counts @ Zeta(1, alpha, 0.0, 1).log_likelihoods(data.numbers))

    assert likelihood(best.alpha) > max(likelihood(best.alpha - 1e-4), likelihood(best.alpha + 1e-4))


def test_a_power_law_from_seven_on_is_not_begun_at_one() -> None:
    random = np.random.default_rng(3)
    body = random.integers(1, 7, 8000)
    data = counted(np.concatenate([body, Zeta(7, 2.2, 0.0, 1).draw(4000, random)]))
    found = zeta_law(data)

    assert found is not None
    assert 6 <= found.xmin <= 12
    assert found.alpha == pytest.approx(2.2, abs=0.1)


def test_a_true_law_has_no_small_p_and_a_geometric_one_has() -> None:
    random = np.random.default_rng(4)
    true, other = counted(Zeta(1, 2.3, 0.0, 1).draw(5000, random)), counted(random.geometric(0.2, 5000))
    law = zeta_law_from(other, 1)

    fitting = zeta_law(true)
    assert fitting is not None
    assert goodness_of_steps(fitting, true, replicates=50, seed=1).p > 0.1
    exponential, lognormal, weibull = compare_steps(law, other)
    assert exponential.better() == "exponential tail"
    assert {lognormal.better(0.001), weibull.better(0.001)} == {"lognormal tail", "Weibull tail"}


def test_a_true_law_beats_its_rivals() -> None:
    data = counted(Zeta(2, 2.3, 0.0, 1).draw(5000, np.random.default_rng(5)))
    exponential, lognormal, weibull = compare_steps(zeta_law_from(data, 2), data)

    assert exponential.better() == "power law"
    assert lognormal.better(0.001) is None
    assert weibull.better(0.001) is None


def test_values_of_a_coarse_clock_are_judged_as_whole_steps() -> None:
    """Ticks of 16 ms, with the power law's begin within some ticks, where spreading them would bend it."""
    ticks = Zeta(1, 2.2, 0.0, 1).draw(5000, np.random.default_rng(6))
    report = tails.analyze(16.0 * ticks, unit="ms", replicates=20)

    assert any("values are multiples of 16:" in note for note in report.notes)
    assert any("laws of whole steps" in note for note in report.notes)
    assert report.law.alpha == pytest.approx(2.2, abs=4 * report.law.error)
    assert report.verdict.tail in {tails.Tail.HEAVY, tails.Tail.OPEN}


def test_a_body_is_compared_in_steps_too() -> None:
    """As densities at values that were spread over their steps, one lognormal denied three such laws of ten."""
    for seed in range(4, 9):
        counts = np.minimum(np.random.default_rng([seed, 3]).zipf(3.0, 2000), 10**12)
        report = tails.analyze(counts.astype(float), replicates=0)

        assert report.verdict.tail in {tails.Tail.OPEN, tails.Tail.UNKNOWN, tails.Tail.HEAVY}, report.verdict.text
        whole = report.comparisons[3]
        assert (whole.alternative, whole.nested) == ("one lognormal", False)
        assert whole.ratio > -5


def test_a_lognormal_in_steps_is_found_as_one() -> None:
    random = np.random.default_rng(8)
    data = counted(np.maximum(1, np.rint(random.lognormal(1.5, 0.8, 20_000))).astype(np.int64))
    law = zeta_law_from(data, 3)
    start = {"mu": 0.5, "sigma": 1.0}
    found, two = compare_whole_steps(
        law,
        data,
        (
            Comparison("one lognormal", 0.0, 0.0, 1.0, nested=False, parameters=start),
            Comparison(
                "two lognormals",
                0.0,
                0.0,
                1.0,
                nested=False,
                parameters={f"{name}{k}": value for k in (1, 2) for name, value in {**start, "share": 0.5}.items()},
            ),
        ),
    )

    assert found.better(0.001) == "one lognormal"
    assert found.parameters["mu"] + np.log(2.5) == pytest.approx(1.5, abs=0.03)
    assert found.parameters["sigma"] == pytest.approx(0.8, abs=0.03)
    assert two.ratio > found.ratio  # at its start, which is not fitted again


def test_a_tail_far_above_the_steps_is_judged_as_before() -> None:
    random = np.random.default_rng(7)
    report = tails.analyze(np.ceil(2000 * (1 + random.pareto(1.5, 5000))), replicates=0)

    assert not any("laws of whole steps" in note for note in report.notes)


@pytest.mark.parametrize(
    ("name", "alpha", "xmin", "count", "p"), [("words", "1.95", 7, 2958, 0.49), ("terrorism", "2.4", 12, 547, 0.68)]
)
def test_published_data_have_their_published_laws(name: str, alpha: str, xmin: int, count: int, p: float) -> None:
    """Clauset, Shalizi and Newman 2009, table 6.1: words of Moby Dick, and deaths of attacks."""
    numbers, times = np.loadtxt(DATA / f"{name}.csv", delimiter=",", skiprows=1, dtype=np.int64).T
    data = counted(np.repeat(numbers, times))
    found = zeta_law(data)

    assert found is not None
    assert (found.xmin, found.count) == (xmin, count)
    assert f"{found.alpha:.{len(alpha) - 2}f}" == alpha
    assert goodness_of_steps(found, data, replicates=50, seed=1).p == pytest.approx(p, abs=0.21)
    exponential, lognormal, weibull = compare_steps(found, data)
    assert exponential.better(0.02) == "power law"
    assert lognormal.better() is weibull.better() is None
