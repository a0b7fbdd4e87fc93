from __future__ import annotations

import json

import numpy as np
import pytest

from poolkeeper.errors import DataError
from poolkeeper.latency.binned import Binned
from poolkeeper.latency.digest import Digest
from poolkeeper.latency.fits import DISTRIBUTIONS, fit

RANDOM = np.random.default_rng(0)
LOGNORMAL = RANDOM.lognormal(3, 0.6, 300)
EDGES = np.array([0.0, 1, 2, 5, 10, 20, 50, 100, 1000])
ODD = {
    "thirty": LOGNORMAL[:30],
    "integers": RANDOM.integers(1, 1_000_000, 200),
    "three steps": RANDOM.integers(0, 3, 300).astype(float),
    "two kinds": np.concatenate([RANDOM.normal(5, 0.1, 300), RANDOM.normal(500, 5, 50)]),
    "one huge": np.append(LOGNORMAL, 1e12),
    "one tiny": np.append(LOGNORMAL, 1e-12),
    "near the largest number": LOGNORMAL * 1e300,
    "near the smallest number": LOGNORMAL * 1e-300,
    "no mean": RANDOM.pareto(0.2, 300) + 1,
    "no spread": 1e9 + RANDOM.random(300),
    "some zeros": np.concatenate([np.zeros(3), RANDOM.exponential(5, 100)]),
    "nearly all zeros": np.concatenate([np.zeros(4000), np.full(3, 3.0), np.full(3, 4.0)]),
    "evenly spaced": np.arange(1.0, 101),
    "one differs": np.append(np.full(99, 5.0), 6.0),
    "bins": Binned(EDGES, np.histogram(RANDOM.exponential(20, 1000), EDGES)[0]),
    "a digest": Digest.of((LOGNORMAL * 1e6).astype(np.int64)).binned(),
}


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_odd_data_get_an_answer_that_can_be_shown(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    ranking = fit(values, replicates=19)
    assert json.dumps(ranking.to_dict(), allow_nan=False)
    assert json.dumps(ranking.plot().to_dict(), allow_nan=False)
    assert ranking.best.name in ranking.verdict
    assert ranking.best.name in str(ranking.table())
    assert len(ranking.candidates) + len(ranking.refused) == len(DISTRIBUTIONS)
    likelihoods = {entry.name: entry.distribution.log_likelihood_ for entry in ranking.candidates}
    # No family is worse than its special cases.
    for candidate in ranking.candidates:
        for special in candidate.distribution.family.contains & likelihoods.keys():
            if (
                candidate.name in ("shifted-gamma", "shifted-weibull")
                and getattr(ranking[special].distribution, "shape_", 1) < 1
            ):
                continue  # they have shapes of 1 and above only
            assert likelihoods[candidate.name] >= likelihoods[special] - 0.01, (candidate.name, special)


def test_many_zeros_among_exact_values_are_refused() -> None:
    with pytest.raises(DataError, match="400 of 500 values are 0 and the others are not rounded"):
        fit(np.append(np.zeros(400), RANDOM.exponential(5, 100)))


def test_equal_values_among_others_are_pointed_at() -> None:
    ranking = fit(np.append(LOGNORMAL, np.full(100, 30_000.0)), ["lognormal"], replicates=0)
    assert ranking.notes == ("25 % of the values are 30000, which no continuous distribution gives: is it a time-out?",)


def test_quantiles_that_are_rounded_to_0_are_not_compared() -> None:
    """Half of a step stood for them: the median of a fit was 98 % below it."""
    whole = np.floor(0.15 * np.exp(0.9 * np.random.default_rng(1).normal(size=20_000)))
    assert (whole == 0).mean() > 0.95

    ranking = fit(whole, ["lognormal", "weibull", "normal"], replicates=0)

    assert set(ranking["weibull"].quantile_errors) == {0.99, 0.999}
    assert abs(ranking["weibull"].worst_quantile[1]) < 0.5
    assert "p50" not in ranking.verdict


def test_a_quantile_far_above_values_that_are_0_is_told() -> None:
    ranking = fit(np.repeat([0.0, 1, 60], [600, 300, 100]), ["normal"], replicates=0)
    assert ranking["normal"].quantile_errors[0.5] > 10, "0 stands for up to a half, and the fit has more than five"


def test_a_fit_that_passes_through_all_counts_is_not_tested_by_them() -> None:
    ranking = fit(np.repeat([0.0, 1], [2000, 20]), replicates=100)
    assert [(candidate.name, candidate.tested) for candidate in ranking.candidates] == [("exponential", None)]
    assert "do not contradict" not in ranking.verdict
    assert "distributions with 1 parameter or more pass through all counts" in ranking.notes[0]


def test_too_few_cells_for_the_parameters_are_refused() -> None:
    ranking = fit(Binned(np.array([0.0, 10.0, 20.0]), np.array([70, 30])), replicates=0)
    assert [candidate.name for candidate in ranking.candidates] == ["exponential"]
    reasons = {refused.name: refused.reason for refused in ranking.refused}
    assert reasons["gamma"] == "values in 2 bins cannot fix 2 parameters"
    with pytest.raises(DataError, match="all 40 values lie in one bin"):
        fit(Binned(np.array([0.0, 10.0, 20.0]), np.array([0, 40])))
    with pytest.raises(DataError, match="10 values, but at least 30"):
        fit(Binned(np.array([0.0, 10.0, 20.0]), np.array([5, 5])))
