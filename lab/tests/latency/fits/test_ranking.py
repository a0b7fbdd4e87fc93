from __future__ import annotations

import re

import numpy as np
import pytest

from poolkeeper.latency.fits import Gamma, Lognormal, fit
from poolkeeper.present import Chart, Kind


def heavy(size: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """98 % lognormal(3, 0.6), 2 % Pareto(1.1): a few values are a thousand times the median."""
    random = np.random.default_rng(1)
    values = random.lognormal(3, 0.6, size)
    tail = random.random(size) < 0.02
    values[tail] = 20 * (random.pareto(1.1, int(tail.sum())) + 1)
    return values


def test_likelihood_ranks_where_a_histogram_would_name_the_uniform_distribution() -> None:
    values = heavy(20_000)
    ranking = fit(values, replicates=0)
    heights, edges = np.histogram(values, 100, density=True)
    middles = (edges[:-1] + edges[1:]) / 2
    uniform = np.full(100, 1 / np.ptp(values))
    errors = {
        candidate.name: np.sum((heights - candidate.distribution.pdf(middles)) ** 2) for candidate in ranking.candidates
    }
    assert np.sum((heights - uniform) ** 2) < errors["gamma"] * 1.01  # what fitter and distfit rank by
    assert ranking.best.name in {"burr", "log-logistic"}
    assert ranking.best.ks < 0.03
    assert abs(np.arange(1, 20_001) / 20_000 - (np.sort(values) - values.min()) / np.ptp(values)).max() > 0.9


def test_many_values_reject_every_simple_distribution_and_the_verdict_says_how_far_off_they_are() -> None:
    words = fit(heavy(100_000), ["lognormal", "gamma"], replicates=100).verdict
    assert "lognormal fits best, and by more than chance" in words
    assert "every simple one is rejected" in words
    assert "p99.99" in words


def test_few_values_cannot_tell_distributions_apart_and_the_verdict_says_so() -> None:
    ranking = fit(Gamma.of(shape=2, scale=10).rvs(40, seed=1), replicates=100)
    assert "40 values cannot distinguish it from" in ranking.verdict
    assert "no proof" in ranking.verdict
    assert sum(candidate.weight for candidate in ranking.candidates) == pytest.approx(1)


def test_a_special_case_is_judged_by_the_likelihood_ratio() -> None:
    values = Gamma.of(shape=1, scale=10).rvs(500, seed=1)
    ranking = fit(values, ["gamma", "exponential"], replicates=0)
    first, second = (candidate.distribution.log_likelihood_ for candidate in (ranking["gamma"], ranking["exponential"]))
    assert 0 <= first - second < 3
    assert ranking["exponential"].behind > 0.01
    far = fit(Gamma.of(shape=3, scale=10).rvs(500, seed=1), ["gamma", "exponential"], replicates=0)
    assert far["exponential"].behind < 1e-6


@pytest.mark.parametrize("size", [100, 30_000])
def test_the_quantile_plot_has_every_point_the_first_and_the_last_among_them(size: int) -> None:
    values = heavy(size)
    ranking = fit(values, ["lognormal", "gamma"], replicates=0)
    assert ranking.quantiles.seen.size == size
    np.testing.assert_allclose(ranking.quantiles.seen, np.sort(values), rtol=1e-12)
    lognormal = ranking["lognormal"].distribution
    fitted = ranking.quantiles.fitted["lognormal"]
    assert fitted[[0, -1]] == pytest.approx(lognormal.ppf([0.5 / size, 1 - 0.5 / size]), rel=1e-6)
    chart = ranking.plot()
    assert isinstance(chart, Chart)
    drawn = next(series for series in chart.series if series.name == "lognormal")
    assert drawn.kind is Kind.POINTS
    assert (drawn.y[0], drawn.y[-1]) == pytest.approx((values.min(), values.max()))
    assert len(drawn.y) == size if size <= 10_000 else (2000 < len(drawn.y) < 10_000 and "drawn" in chart.notes[0])
    assert len(ranking.quantiles.to_dict()["data"]) == size
    assert len(ranking.quantiles.table().rows) == 5


def test_names_find_candidates() -> None:
    ranking = fit(Lognormal.of(shape=1, scale=1).rvs(100), ["lognormal"], replicates=0)
    assert ranking["lognormal"] is ranking.best
    assert "only distribution" in ranking.verdict
    with pytest.raises(KeyError):
        _ = ranking["gamma"]


def test_few_replicates_give_no_verdict_by_p_and_enough_say_how_sure_p_is() -> None:
    values = Gamma.of(shape=2, scale=10).rvs(300, seed=1)
    rankings = [fit(values, ["gamma"], replicates=replicates) for replicates in (1, 100)]
    few, enough = (ranking.verdict for ranking in rankings)
    shown = [ranking.table().rows[0][4] for ranking in rankings]
    assert (shown[0], shown[1] is None) == (None, False)
    assert "contradict" not in few
    assert "1 replicate is too few for a p value, at least 100 are needed" in few
    assert re.search(r"do not contradict it \(p 0\.\d+ ± 0\.0\d\)", enough)


@pytest.mark.parametrize("replicates", [0, 100])
def test_a_best_fit_that_the_data_contradict_is_called_the_least_bad(replicates: int) -> None:
    random = np.random.default_rng(3)
    modes = np.concatenate([random.normal(20, 2, 1900), random.normal(400, 10, 100)])
    ranking = fit(modes, ["lognormal", "gamma", "weibull"], replicates=replicates)
    assert ranking.verdict.startswith(f"None of the 3 distributions tried fits; the least bad is {ranking.best.name}.")
    assert "only distribution fitted, and it does not fit" in fit(modes, ["gamma"], replicates=replicates).verdict
