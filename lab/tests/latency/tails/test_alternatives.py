from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from poolkeeper.latency.tails import Comparison, PowerLaw, UpperTail, compare
from poolkeeper.latency.tails.alternatives import comparison_table, greenwood
from poolkeeper.latency.tails.power_law import power_law_of

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

ALL = ("exponential tail", "lognormal tail", "Weibull tail", "one lognormal", "one Weibull")


def law_of(values: Floats, count: int | None = None) -> PowerLaw:
    """The power law of the `count` largest values, without a search for xmin."""
    tail = UpperTail.of(values)
    return power_law_of(tail, tail.size if count is None else count)


def of(name: str, found: tuple[Comparison, ...]) -> Comparison:
    return next(comparison for comparison in found if comparison.alternative == name)


def test_likelihoods_are_those_of_the_distributions_cut_at_xmin() -> None:
    values = 10 * np.exp(np.abs(np.random.default_rng(1).normal(0.2, 0.7, 400)))
    law = law_of(values)
    found = compare(law)
    x = law.tail.values
    own = stats.pareto(law.index, scale=law.xmin).logpdf(x).sum()

    def cut(name: str, distribution: object) -> None:
        like = distribution.logpdf(x).sum() - x.size * distribution.logsf(law.xmin)  # type: ignore[attr-defined]
        assert of(name, found).ratio == pytest.approx(own - like, abs=1e-3), name

    lognormal = of("lognormal tail", found).parameters
    cut("lognormal tail", stats.lognorm(lognormal["sigma"], scale=law.xmin * math.exp(lognormal["mu"])))
    weibull = of("Weibull tail", found).parameters
    cut("Weibull tail", stats.weibull_min(weibull["shape"], scale=law.xmin * weibull["scale"]))
    cut("exponential tail", stats.expon(scale=law.xmin / of("exponential tail", found).parameters["rate"]))


def test_the_lognormal_tail_is_the_most_likely_one() -> None:
    values = 10 * np.exp(np.abs(np.random.default_rng(2).normal(0, 1, 300)))
    law = law_of(values)
    y = np.log(law.tail.values / law.xmin)

    def loss(at: Floats) -> float:
        normal = stats.norm(at[0], math.exp(at[1]))
        return float(-(normal.logpdf(y).sum() - y.size * normal.logsf(0)))

    found = of("lognormal tail", compare(law))
    best = optimize.minimize(loss, [0.0, 0.0], method="Nelder-Mead").fun
    own = loss(np.array([found.parameters["mu"], math.log(found.parameters["sigma"])]))
    assert own == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "law"),
    [("one lognormal", stats.lognorm(0.8, scale=50)), ("one Weibull", stats.weibull_min(0.6, scale=50))],
)
def test_one_distribution_of_all_values_is_found_from_its_upper_end(name: str, law: object) -> None:
    values = law.rvs(20_000, random_state=3)  # type: ignore[attr-defined]
    power = law_of(values, 2000)
    found = of(name, compare(power))

    assert found.better() == name
    if name == "one lognormal":
        assert found.parameters["sigma"] == pytest.approx(0.8, rel=0.1)
        assert power.xmin * math.exp(found.parameters["mu"]) == pytest.approx(50, rel=0.1)
    else:
        assert found.parameters["shape"] == pytest.approx(0.6, rel=0.1)
        assert power.xmin * found.parameters["scale"] == pytest.approx(50, rel=0.1)


def test_a_power_law_beats_what_is_lighter_and_is_not_beaten_by_what_contains_it() -> None:
    found = compare(law_of(1 + np.random.default_rng(4).pareto(1.5, 5000)))

    assert tuple(comparison.alternative for comparison in found) == ALL
    assert [comparison.better() for comparison in found if not comparison.nested] == ["power law"] * 3
    assert all(comparison.ratio <= 0 and comparison.better() is None for comparison in found if comparison.nested)
    assert "neither" in str(comparison_table(found))


def uniform(ps: list[float]) -> float:
    return float(stats.kstest(ps, "uniform").pvalue)


def test_p_against_a_lognormal_tail_is_uniform_under_a_power_law() -> None:
    random = np.random.default_rng(5)
    for number in (60, 400, 2000):
        drawn = random.exponential(size=(400, number))
        curvature = (drawn**2).mean(axis=1) / drawn.mean(axis=1) ** 2
        assert uniform([greenwood(entry, number) for entry in curvature]) > 0.001, number


def test_p_against_a_weibull_tail_is_uniform_under_a_power_law_where_it_is_not_one() -> None:
    random = np.random.default_rng(6)
    ps = [of("Weibull tail", compare(law_of(1 + random.pareto(2, 800)))).p for _ in range(100)]
    less = [2 * p for p in ps if p < 0.5]

    # On the border of what a Weibull tail can be, about half of all power laws have no better one.
    assert 0.34 < len(less) / len(ps) < 0.66
    assert uniform(less) > 0.001


def test_p_of_vuong_is_uniform_where_both_are_equally_wrong() -> None:
    # Between a power law (c = 0) and an exponential tail (c = 1) lies a Weibull tail as far from one as from the other.
    def apart(c: float) -> float:
        mean = integrate.quad(lambda s: math.log(1 + s) / c * math.exp(-s), 0, np.inf)[0]
        beyond = integrate.quad(lambda s: math.expm1(math.log(1 + s) / c) * math.exp(-s), 0, np.inf)[0]
        # Mean log-likelihoods of both at their best: ln a - 1 with a = 1 / mean; ln b - 1 + mean with b = 1 / beyond.
        return -math.log(mean) + math.log(beyond) - mean

    c = optimize.brentq(apart, 0.2, 0.95)
    random = np.random.default_rng(7)
    ps = []
    for _ in range(150):
        y = np.log1p(random.exponential(size=1000)) / c
        ps.append(of("exponential tail", compare(law_of(np.exp(y)))).p)

    assert uniform(ps) > 0.001
    assert np.mean(np.array(ps) < 0.05) < 0.12
