from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from poolkeeper.latency.binned import Binned
from poolkeeper.latency.fits import Exponential, Lognormal, Weibull, fit
from poolkeeper.latency.fits.bootstrap import Draws, PValues, p_values
from poolkeeper.latency.fits.data import observe
from poolkeeper.latency.fits.goodness import anderson_darling, kolmogorov_smirnov, quantile_errors

if TYPE_CHECKING:
    from poolkeeper.latency.fits.distribution import Distribution


@pytest.mark.parametrize("size", [40, 5000, 60_000])
def test_the_kolmogorov_smirnov_distance_is_exact(size: int) -> None:
    values = np.random.default_rng(size).lognormal(3, 0.6, size)
    fitted = Weibull().fit(values)
    found = kolmogorov_smirnov(fitted.family, fitted.maximum.parameters, observe(values))
    assert found == pytest.approx(stats.kstest(fitted.cdf(values), "uniform").statistic, rel=1e-9)


@pytest.mark.parametrize("size", [40, 60_000])
def test_the_anderson_darling_distance_is_that_of_all_values(size: int) -> None:
    values = np.sort(np.random.default_rng(size).lognormal(3, 0.6, size))
    fitted = Weibull().fit(values)
    i = np.arange(1, size + 1)
    sums = (2 * i - 1) * (np.log(fitted.cdf(values)) + np.log(fitted.sf(values[::-1])))
    found = anderson_darling(fitted.family, fitted.maximum.parameters, observe(values))
    assert found == pytest.approx(-size - sums.mean(), rel=1e-4)


def test_quantile_errors_end_where_ten_values_are_beyond() -> None:
    values = np.random.default_rng(1).exponential(20, 1000)
    fitted = Exponential().fit(values)
    errors = quantile_errors(fitted.family, fitted.maximum.parameters, observe(values))
    assert list(errors) == [0.5, 0.9, 0.95, 0.99]
    assert errors[0.9] == pytest.approx(fitted.ppf(0.9) / np.sort(values)[899] - 1, rel=1e-9)


def under_the_null(made: Distribution, size: int, samples: int, step: float = 0) -> list[PValues]:
    random = np.random.default_rng(3)
    found = []
    for _ in range(samples):
        values = made.rvs(size, random)
        data = observe(np.round(values / step) * step if step else values)
        fitted = type(made)().learn(data)
        found.append(p_values(fitted.family, fitted.maximum, data, Draws.make(size, 39, random), random))
    return found


@pytest.mark.parametrize(
    ("made", "step"),
    [(Exponential.of(scale=20), 0.0), (Lognormal.of(shape=0.6, scale=20), 0.0), (Weibull.of(shape=1.5, scale=20), 2.0)],
    ids=["exponential", "lognormal", "weibull, rounded"],
)
def test_p_values_are_uniform_under_the_null(made: Distribution, step: float) -> None:
    samples = 80
    tested = under_the_null(made, 300, samples, step)
    squares = [pvalues.chi_square.p for pvalues in tested if pvalues.chi_square]
    assert len(squares) == samples
    for p in (
        [pvalues.kolmogorov_smirnov for pvalues in tested],
        [pvalues.anderson_darling for pvalues in tested],
        squares,
    ):
        for level in (0.1, 0.5):
            low, high = stats.binom.interval(0.999, samples, level)
            assert low <= np.count_nonzero(np.array(p) <= level) <= high


def test_tables_for_known_parameters_accept_too_much() -> None:
    # What other tools print as p: under the null it is hardly ever below 0.1, so it rejects nothing.
    random = np.random.default_rng(3)
    samples = [random.exponential(20, 100) for _ in range(200)]
    wrong = [stats.kstest(sample, stats.expon(scale=sample.mean()).cdf).pvalue for sample in samples]
    assert np.mean(np.array(wrong) <= 0.1) < 0.03


def test_wrong_distributions_are_rejected() -> None:
    values = np.random.default_rng(1).lognormal(3, 0.6, 2000)
    tested = fit(values, ["weibull"], replicates=99).best.tested
    assert tested is not None
    assert tested.chi_square is not None
    assert max(tested.kolmogorov_smirnov, tested.anderson_darling, tested.chi_square.p) == pytest.approx(0.01)


@pytest.mark.parametrize("size", [60, 500, 100_000])
def test_no_bin_of_the_chi_square_test_is_empty(size: int) -> None:
    values = np.random.default_rng(size).pareto(1.1, size)  # bins of equal width would nearly all be empty
    for candidate in fit(values, ["lomax", "exponential", "weibull"], replicates=19).candidates:
        assert candidate.tested is not None
        square = candidate.tested.chi_square
        assert square is not None
        assert square.least_expected >= 5
        assert square.degrees == square.bins - 1 - len(candidate.distribution.parameters_)


def test_counts_in_coarse_bins_have_few_bins_of_the_test_or_none() -> None:
    edges = np.array([0.0, 10.0, 20.0, 40.0, 1000.0])
    values = np.random.default_rng(1).exponential(20, 1000)
    coarse = fit(Binned(edges, np.histogram(values, edges)[0]), ["exponential", "burr"], replicates=19)
    exponential = coarse["exponential"].tested
    assert exponential is not None
    assert exponential.chi_square is not None
    assert exponential.chi_square.bins <= 4
    assert coarse["burr"].tested is None, "with three parameters it passes through the counts of four bins"


def test_the_same_seed_gives_the_same_p_values() -> None:
    values = np.random.default_rng(1).lognormal(3, 0.6, 300)
    first, again, other = (fit(values, ["gamma", "burr"], replicates=99, seed=seed).to_dict() for seed in (1, 1, 2))
    assert first == again
    assert first["candidates"][0]["ad_p"] != other["candidates"][0]["ad_p"]
