"""Distributions whose beginning is sought: what keeps them from the traps of their likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from poolkeeper.errors import DataError
from poolkeeper.latency.fits import (
    DISTRIBUTIONS,
    Distribution,
    ShiftedExponential,
    ShiftedGamma,
    ShiftedLognormal,
    ShiftedWeibull,
    fit,
)

SHIFTED = (ShiftedLognormal, ShiftedGamma, ShiftedWeibull)


@pytest.mark.parametrize("kind", SHIFTED)
def test_a_location_never_makes_a_fit_worse_and_stays_below_the_smallest_value(kind: type[Distribution]) -> None:
    random = np.random.default_rng(4)
    for values in (random.lognormal(3, 0.6, 400), 5 + random.lognormal(3, 1, 400), 30 + random.exponential(3, 10_000)):
        fitted = kind().fit(values)

        assert 0 <= fitted.parameters_["location"] < values.min()
        for special in fitted.family.contains:
            plain = DISTRIBUTIONS[special]().fit(values)
            if plain.parameters_.get("shape", 1) >= 1:
                assert fitted.log_likelihood_ >= plain.log_likelihood_ - 0.01


@pytest.mark.parametrize("kind", SHIFTED)
def test_a_likelihood_without_bound_does_not_pull_the_location_to_the_smallest_value(kind: type[Distribution]) -> None:
    # Weibull of shape 0.7 from 5 on: its density is infinite there, and so is the likelihood of a location at the
    # smallest value for gamma and Weibull; for the lognormal it is whatever the data.
    values = 5 + 20 * np.random.default_rng(7).weibull(0.7, 1000)
    fitted = kind().fit(values)

    assert np.isfinite(fitted.log_likelihood_)
    if kind is ShiftedLognormal:
        assert fitted.parameters_["shape"] < 3
        assert not fitted.at_bound_
    else:
        assert fitted.parameters_["shape"] == 1
        assert "shape" in fitted.at_bound_
        assert fitted.log_likelihood_ == pytest.approx(ShiftedExponential().fit(values).log_likelihood_, abs=1e-4)


@pytest.mark.parametrize("kind", SHIFTED)
def test_the_maximum_is_that_of_a_search_of_the_whole_profile(kind: type[Distribution]) -> None:
    values = kind.of(location=5, shape=2.5 if kind is not ShiftedLognormal else 0.6, scale=20).rvs(400, seed=3)
    oracle = {ShiftedLognormal: stats.lognorm, ShiftedGamma: stats.gamma, ShiftedWeibull: stats.weibull_min}[kind]
    places = np.linspace(0, values.min() * 0.98, 40)
    profile = [oracle.logpdf(values, *oracle.fit(values, floc=place)).sum() for place in places]
    fitted = kind().fit(values)

    assert fitted.log_likelihood_ >= max(profile) - 1e-6
    assert fitted.log_likelihood_ <= max(profile) + 0.5


def test_intervals_of_a_beginning_that_is_not_regular_are_refused() -> None:
    fitted = ShiftedWeibull().fit(ShiftedWeibull.of(location=5, shape=1.3, scale=20).rvs(2000, seed=1))

    assert all(np.isnan(end) for ends in fitted.intervals().values() for end in ends)
    assert fitted.location_ == pytest.approx(5, abs=0.3)


def test_values_that_do_not_tell_where_they_begin_are_refused() -> None:
    # Nothing but the spike: the more a value is next to the others' beginning, the higher its likelihood.
    values = 1 + np.exp(np.linspace(-30, 3, 60))
    with pytest.raises(DataError, match="shifted-lognormal: its likelihood grows without end"):
        ShiftedLognormal().fit(values)
    with pytest.raises(DataError, match="differ by less than a millionth"):
        ShiftedWeibull().fit(1e9 + np.random.default_rng(1).random(100))


def test_a_location_of_nothing_is_no_rival_of_the_family_without_one() -> None:
    ranking = fit(np.random.default_rng(3).lognormal(3, 0.7, 2000), ["lognormal", "shifted-lognormal"], replicates=0)

    assert ranking["shifted-lognormal"].distribution.at_bound_ == ("location",)
    assert ranking.verdict.startswith("lognormal fits best, and by more than chance.")
