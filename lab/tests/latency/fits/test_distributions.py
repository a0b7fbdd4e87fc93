from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from calibration import narrowness
from scipy import stats

from poolkeeper.errors import DataError, InputError, TooFewError
from poolkeeper.latency.fits import (
    DISTRIBUTIONS,
    Burr,
    Distribution,
    Exponential,
    Gamma,
    GeneralisedPareto,
    Hyperexponential,
    InverseGaussian,
    LogLogistic,
    Lognormal,
    Lomax,
    Normal,
    Pareto,
    ShiftedExponential,
    ShiftedGamma,
    ShiftedLognormal,
    ShiftedWeibull,
    Weibull,
)

CASES: list[tuple[Distribution, Any]] = [
    (Exponential.of(scale=20), stats.expon(scale=20)),
    (ShiftedExponential.of(location=5, scale=20), stats.expon(5, 20)),
    (Normal.of(location=100, scale=20), stats.norm(100, 20)),
    (Lognormal.of(shape=0.6, scale=20), stats.lognorm(0.6, scale=20)),
    (InverseGaussian.of(shape=2, scale=20), stats.invgauss(1 / 2, scale=40)),
    (Gamma.of(shape=2, scale=10), stats.gamma(2, scale=10)),
    (Gamma.of(shape=0.5, scale=10), stats.gamma(0.5, scale=10)),
    (Weibull.of(shape=1.5, scale=20), stats.weibull_min(1.5, scale=20)),
    (Weibull.of(shape=0.6, scale=20), stats.weibull_min(0.6, scale=20)),
    (ShiftedLognormal.of(location=5, shape=0.8, scale=20), stats.lognorm(0.8, 5, 20)),
    (ShiftedGamma.of(location=5, shape=3, scale=10), stats.gamma(3, 5, 10)),
    (ShiftedWeibull.of(location=5, shape=2.5, scale=20), stats.weibull_min(2.5, 5, 20)),
    (LogLogistic.of(shape=3, scale=20), stats.fisk(3, scale=20)),
    (Pareto.of(shape=1.5, scale=5), stats.pareto(1.5, scale=5)),
    (Lomax.of(shape=2, scale=20), stats.lomax(2, scale=20)),
    (GeneralisedPareto.of(shape=0.3, scale=20), stats.genpareto(0.3, scale=20)),
    (GeneralisedPareto.of(shape=-0.2, scale=20), stats.genpareto(-0.2, scale=20)),
    (Burr.of(shape=2.5, power=1.2, scale=20), stats.burr12(2.5, 1.2, scale=20)),
]
NAMES = [f"{made.name}-{next(iter(made.parameters_.values())):g}" for made, _ in CASES]
SLOW = Hyperexponential.of(share=0.8, fast=5, slow=50)
ALL = [made for made, _ in CASES] + [SLOW]
FITTED = {"expon": Exponential, "lognorm": Lognormal, "invgauss": InverseGaussian, "gamma": Gamma}
FITTED |= {"weibull_min": Weibull, "fisk": LogLogistic, "lomax": Lomax, "genpareto": GeneralisedPareto, "burr12": Burr}


@pytest.mark.parametrize(("made", "oracle"), CASES, ids=NAMES)
def test_functions_agree_with_scipy(made: Distribution, oracle: Any) -> None:
    x = np.concatenate([[0.001, 4.0], np.geomspace(6, 90, 30)])
    np.testing.assert_allclose(made.pdf(x), oracle.pdf(x), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(made.cdf(x), oracle.cdf(x), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(made.sf(x), oracle.sf(x), rtol=1e-8, atol=1e-14)
    p = np.array([1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(made.ppf(p), oracle.ppf(p), rtol=1e-8)
    np.testing.assert_allclose(made.isf([1e-9, 1e-3]), oracle.isf([1e-9, 1e-3]), rtol=1e-6)
    assert made.mean() == pytest.approx(oracle.mean(), rel=1e-9)


def test_two_phases_are_the_weighted_sum_of_exponentials() -> None:
    x = np.geomspace(0.01, 500, 40)
    expected = 0.8 * stats.expon(scale=5).sf(x) + 0.2 * stats.expon(scale=50).sf(x)
    np.testing.assert_allclose(SLOW.sf(x), expected, rtol=1e-12)
    np.testing.assert_allclose(SLOW.cdf(x), 1 - expected, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(SLOW.ppf(SLOW.cdf(x)), x, rtol=1e-8)
    assert SLOW.mean() == pytest.approx(14)


@pytest.mark.parametrize("made", ALL, ids=lambda made: made.name)
def test_random_values_follow_the_distribution_and_the_seed(made: Distribution) -> None:
    values = made.rvs(3000, seed=5)
    assert stats.kstest(made.cdf(values), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(values, made.rvs(3000, seed=5))
    assert not np.array_equal(values, made.rvs(3000, seed=6))


@pytest.mark.parametrize("made", ALL, ids=lambda made: made.name)
def test_intervals_hold_the_truth_as_often_as_they_say(made: Distribution) -> None:
    random = np.random.default_rng(11)
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in made.parameters_}
    for _ in range(60):
        # where a location begins must be seen at all: with few values its interval may be refused
        fitted = type(made)().fit(made.rvs(1500 if made.family.shift else 400, random))
        for name, interval in fitted.intervals().items():
            found[name].append((fitted.parameters_[name], *interval))
    narrow = {name: narrowness(intervals, made.parameters_[name]) for name, intervals in found.items()}
    # Within three standard errors; those of locations may be wide. The benchmark fit-calibration has more samples.
    assert {name: 0.65 <= value <= 1.25 for name, value in narrow.items()} == dict.fromkeys(narrow, True), narrow


def test_closed_forms() -> None:
    values = np.random.default_rng(2).lognormal(3, 0.6, 1000)
    log = np.log(values)
    assert Exponential().fit(values).scale_ == pytest.approx(values.mean(), rel=1e-12)
    assert Exponential().fit(values).standard_errors_["scale"] == pytest.approx(values.mean() / 1000**0.5, rel=1e-5)
    lognormal = Lognormal().fit(values)
    assert lognormal.shape_ == pytest.approx(log.std(), rel=1e-12)
    assert lognormal.scale_ == pytest.approx(np.exp(log.mean()), rel=1e-12)
    assert lognormal.standard_errors_["shape"] == pytest.approx(log.std() / 2000**0.5, rel=1e-5)
    normal = Normal().fit(values)
    assert (normal.location_, normal.scale_) == pytest.approx((values.mean(), values.std()), rel=1e-12)
    pareto = Pareto().fit(values)
    assert pareto.scale_ == pytest.approx(values.min(), rel=1e-12)
    assert pareto.shape_ == pytest.approx(1 / np.mean(np.log(values / values.min())), rel=1e-12)
    gauss = InverseGaussian().fit(values)
    assert gauss.scale_ == pytest.approx(values.mean(), rel=1e-12)
    assert gauss.shape_ * gauss.scale_ == pytest.approx(1 / np.mean(1 / values - 1 / values.mean()), rel=1e-9)
    shifted = ShiftedExponential().fit(values)
    assert (shifted.location_, shifted.scale_) == pytest.approx((values.min(), values.mean() - values.min()), rel=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FITTED)
@pytest.mark.parametrize("made", [Lognormal.of(shape=0.6, scale=20), Burr.of(shape=2, power=1.5, scale=3)])
def test_the_likelihood_is_no_less_than_scipys(name: str, made: Distribution) -> None:
    values = made.rvs(500, seed=9)
    oracle = getattr(stats, name)
    theirs = oracle.logpdf(values, *oracle.fit(values, floc=0)).sum()
    fitted = FITTED[name]().fit(values)
    assert fitted.log_likelihood_ >= theirs - 1e-4
    assert fitted.log_likelihood_ == pytest.approx(fitted.logpdf(values).sum(), rel=1e-12)


@pytest.mark.parametrize("made", ALL, ids=lambda made: made.name)
@pytest.mark.parametrize("factor", [1e-6, 1e9])
def test_a_larger_unit_scales_the_scale_and_leaves_the_shape(made: Distribution, factor: float) -> None:
    values = made.rvs(300, seed=3)
    here, there = type(made)().fit(values), type(made)().fit(values * factor)
    for parameter in made.family.parameters:
        expected = here.parameters_[parameter.name] * (factor if parameter.scaled else 1)
        assert there.parameters_[parameter.name] == pytest.approx(expected, rel=1e-5)
        error = here.standard_errors_[parameter.name] * (factor if parameter.scaled else 1)
        assert there.standard_errors_[parameter.name] == pytest.approx(error, rel=1e-3)
    assert there.log_likelihood_ == pytest.approx(here.log_likelihood_ - 300 * np.log(factor), abs=1e-5)


def test_few_points_stand_for_a_million_values() -> None:
    made = Weibull.of(shape=0.7, scale=1e9)
    values = made.rvs(1_000_000, seed=1)
    fitted = Weibull().fit(values)
    assert fitted.log_likelihood_ == pytest.approx(fitted.logpdf(values).sum(), abs=0.01)
    better = stats.weibull_min.logpdf(values, fitted.shape_ * 1.0003, scale=fitted.scale_).sum()
    assert fitted.log_likelihood_ > better
    assert abs(fitted.shape_ - 0.7) < 4 * fitted.standard_errors_["shape"]


def test_values_that_are_nearly_equal_lose_no_digits() -> None:
    values = 1e9 + np.random.default_rng(4).normal(0, 1000, 2000)
    assert Gamma().fit(values).shape_ == pytest.approx((values.mean() / values.std()) ** 2, rel=0.01)
    assert Normal().fit(values).scale_ == pytest.approx(values.std(), rel=1e-9)
    assert Lognormal().fit(values).shape_ == pytest.approx(values.std() / values.mean(), rel=1e-3)


def test_a_parameter_at_its_bound_is_named_and_has_no_error() -> None:
    values = Weibull.of(shape=3, scale=10).rvs(500, seed=1)
    lomax = Lomax().fit(values)
    assert lomax.at_bound_ == ("shape",)
    assert np.isnan(lomax.standard_errors_["shape"])
    assert lomax.log_likelihood_ == pytest.approx(Exponential().fit(values).log_likelihood_, abs=1e-3)
    assert "bound" in lomax.table().notes[0]
    assert lomax.to_dict()["parameters"]["shape"]["low"] is None


def test_zeros_are_fitted_where_the_density_allows_and_refused_elsewhere() -> None:
    values = np.concatenate([np.zeros(3), Exponential.of(scale=20).rvs(500)])
    assert Exponential().fit(values).scale_ == pytest.approx(values.mean())
    for kind in (Lomax, GeneralisedPareto, Normal):
        assert np.isfinite(kind().fit(values).log_likelihood_)
    refusing = (
        Lognormal,
        Gamma,
        Weibull,
        InverseGaussian,
        LogLogistic,
        Burr,
        Pareto,
        ShiftedExponential,
        Hyperexponential,
    )
    for other in refusing:
        with pytest.raises(DataError, match="3 of 503 values are 0"):
            other().fit(values)


def test_negative_values_are_normal_or_refused() -> None:
    values = np.random.default_rng(1).normal(0, 1, 100)
    assert Normal().fit(values).scale_ == pytest.approx(values.std())
    with pytest.raises(DataError, match="values are negative"):
        Exponential().fit(values)


def test_too_few_values_are_refused() -> None:
    with pytest.raises(TooFewError, match="29 values, but at least 30 are needed"):
        Lognormal().fit(np.arange(1.0, 30.0))


def test_what_is_learned_is_missing_before_fit() -> None:
    with pytest.raises(AttributeError, match="no scale_ before fit"):
        _ = Lognormal().scale_


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"shape": 1.0}, "its parameters are shape, scale"), ({"shape": -1.0, "scale": 2.0}, "shape -1 is not positive")],
)
def test_wrong_parameters_are_named(parameters: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Gamma.of(**parameters)


def test_levels_of_quantiles_and_confidences_are_checked() -> None:
    fitted = Exponential().fit(Exponential.of(scale=1).rvs(50))
    with pytest.raises(InputError, match="between 0 and 1"):
        fitted.ppf(1.5)
    with pytest.raises(DataError, match="confidence"):
        fitted.intervals(95)
    assert set(DISTRIBUTIONS) == {made.name for made in ALL}
