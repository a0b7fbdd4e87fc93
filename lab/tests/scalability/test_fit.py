from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from poolkeeper.errors import DataError, InputError, PoolkeeperError, TooFewError
from poolkeeper.scalability import Amdahl, Law, Linear, Usl

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.present import Result

LEVELS = [1, 2, 4, 8, 16, 32, 64]
TRUTH = Law(100, 0.05, 0.001)
WOBBLE = np.array([1.01, 0.99, 1.01, 0.99, 1.0, 1.01, 0.99])
MEASURED = TRUTH.throughput(LEVELS) * WOBBLE


def output_of(fit: Usl) -> str:
    return " ".join(fit.warnings_)


def test_the_law_behind_exact_data_is_found() -> None:
    fit = Usl().fit(LEVELS, TRUTH.throughput(LEVELS))
    normalised = Usl(normalised=True).fit(LEVELS, TRUTH.throughput(LEVELS))

    for usl in (fit, normalised):
        assert (usl.lambda_, usl.alpha_, usl.beta_) == pytest.approx((100, 0.05, 0.001), rel=1e-8)
        peak = usl.estimates_["peak_concurrency"]
        assert peak.low == pytest.approx(peak.high, rel=1e-3)


def test_order_unit_and_repetition_do_not_matter() -> None:
    fit = Usl().fit(LEVELS, MEASURED)
    turned = Usl().fit(LEVELS[::-1], MEASURED[::-1])
    scaled = Usl(unit="1/h").fit(LEVELS, 3600 * MEASURED)

    assert (turned.alpha_, turned.beta_) == pytest.approx((fit.alpha_, fit.beta_))
    assert (scaled.alpha_, scaled.beta_, scaled.lambda_) == pytest.approx((fit.alpha_, fit.beta_, 3600 * fit.lambda_))
    assert scaled.estimates_["peak_throughput"].high == pytest.approx(3600 * fit.estimates_["peak_throughput"].high)
    assert scaled.estimates_["peak_concurrency"].low == pytest.approx(fit.estimates_["peak_concurrency"].low)


def test_nothing_that_was_given_is_changed() -> None:
    n, x = np.array(LEVELS, dtype=float), MEASURED.copy()
    Usl().fit(n, x)

    assert n.tolist() == LEVELS
    assert (x == MEASURED).all()


def test_a_fit_is_a_result() -> None:
    fit = Usl().fit(LEVELS, MEASURED)
    shown: Result = fit

    assert str(shown.table().rows[0][0]).startswith("lambda")
    assert {series.name for series in shown.plot().series} == {"measured", "USL", "perfect scaling"}
    assert [mark.label for mark in shown.plot().marks] == ["knee", "peak"]
    assert shown.to_dict()["degrees_of_freedom"] == 4
    assert f"highest with {fit.law_.peak_concurrency:.1f} requests at once" in fit.verdict_
    assert "contention" in fit.advice_[0]
    assert "coherency" in fit.advice_[1]


def test_normalised_takes_lambda_from_the_measurement_at_one() -> None:
    fit = Usl(normalised=True).fit([1, 1, *LEVELS[1:]], [99, 101, *MEASURED[1:]])

    assert fit.lambda_ == 100
    assert fit.degrees_of_freedom_ == 4  # six points above 1, two parameters
    assert "as if it were exact" in output_of(fit)
    with pytest.raises(InputError, match="the lowest is 2"):
        Usl(normalised=True).fit(LEVELS[1:], MEASURED[1:])


def test_standard_errors_take_the_right_degrees_of_freedom() -> None:
    from scipy.optimize import curve_fit

    def curve(n: Floats, lam: float, alpha: float, beta: float) -> Floats:
        return lam * n / (1 + alpha * (n - 1) + beta * n * (n - 1))

    fit = Usl().fit(LEVELS, MEASURED)
    best, covariance = curve_fit(curve, np.array(LEVELS, dtype=float), MEASURED, p0=(90, 0.04, 0.002))

    assert (fit.lambda_, fit.alpha_, fit.beta_) == pytest.approx(best, rel=1e-5)
    assert list(fit.errors_.values()) == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-4)


def test_data_that_stop_before_the_knee_say_so() -> None:
    law = Law(100, 0.01, 1e-5)
    n = np.array([1, 2, 3, 4, 6, 8, 10, 12])
    noise = 1 + 0.01 * np.array([1, -1, 1, -1, 1, -1, 1, -1])
    fit = Usl().fit(n, law.throughput(n) * noise)

    assert "no level is beyond the knee" in output_of(fit) or fit.alpha_ == 0
    assert math.isinf(fit.estimates_["peak_concurrency"].high)


def test_retrograde_data_without_a_peak_say_so() -> None:
    """Once a single outlier falls, the best beta may still be 0: no peak is claimed."""
    rising = Amdahl().fit(LEVELS, Law(100, 0.05).throughput(LEVELS)).law_.throughput(LEVELS)
    fit = Usl().fit(LEVELS, rising * [1, 1, 1, 1, 0.97, 0.99, 1.03])

    assert fit.beta_ == 0
    assert math.isinf(fit.law_.peak_concurrency)
    assert "beta is at its bound 0" in output_of(fit)
    assert math.isnan(fit.errors_["beta"])
    falling = Usl().fit([10, 20, 30, 40, 50], [100, 60, 42, 33, 26])
    assert falling.law_.peak_concurrency < 10
    assert falling.converged_


def test_straight_and_flat_data_are_at_a_bound() -> None:
    straight = Usl().fit(LEVELS, np.array(LEVELS) * 10.0 * WOBBLE)
    flat = Usl().fit(LEVELS, 100.0 * WOBBLE)

    assert straight.alpha_ == pytest.approx(0, abs=0.01)
    assert flat.alpha_ == pytest.approx(1, abs=0.05)


def test_levels_measured_twice_tell_whether_the_law_fits() -> None:
    rng = np.random.default_rng(1)
    n = np.repeat(LEVELS, 3)
    good = Usl().fit(n, TRUTH.throughput(n) * (1 + 0.01 * rng.standard_normal(n.size)))
    steps = np.where(n >= 16, 500.0, 100.0 * np.minimum(n, 4)) * (1 + 0.001 * rng.standard_normal(n.size))
    bad = Usl().fit(n, steps)

    assert good.lack_of_fit_ > 0.05
    assert "does not describe" not in output_of(good)
    assert bad.lack_of_fit_ < 0.001
    assert "does not describe" in output_of(bad)
    assert math.isnan(Usl().fit(LEVELS, MEASURED).lack_of_fit_)


def test_p_value_of_the_lack_of_fit_is_uniform() -> None:
    rng = np.random.default_rng(2)
    n = np.repeat([1, 4, 16, 64, 128], 2)
    p = [Linear().fit(n, 10.0 * n + rng.normal(0, 2, n.size)).lack_of_fit_ for _ in range(200)]
    assert np.mean(np.array(p) < 0.25) == pytest.approx(0.25, abs=0.09)
    assert np.mean(np.array(p) < 0.5) == pytest.approx(0.5, abs=0.1)


def test_four_levels_and_three_parameters_are_barely_identified() -> None:
    fit = Usl().fit([1, 2, 4, 8], [100, 190, 350, 600])

    assert "4 levels for 3 parameters leave 1 degree of freedom" in output_of(fit)
    assert "±12.7" in output_of(fit)
    assert "barely identified" in fit.verdict_


def test_a_curve_that_misses_as_many_levels_as_parameters_is_not_said_to_pass_through_them() -> None:
    fit = Usl().fit([4, 8, 16], [77.4, 121, 78.6])

    assert fit.estimates_["alpha"].value == 0
    assert "passes through" not in output_of(fit)
    assert "the curve misses them by up to 10.4 %" in output_of(fit)


def test_as_many_levels_as_parameters_give_no_interval() -> None:
    fit = Usl().fit([1, 2, 4], [100, 190, 350])

    assert all(not estimate.has_interval for estimate in fit.estimates_.values())
    assert "passes through all of them" in output_of(fit)
    assert np.isnan(fit.predict([3]).low).all()


@pytest.mark.parametrize(
    ("n", "x", "error", "named"),
    [
        ([1, 2], [10, 19], TooFewError, "3 parameters of USL: 2 values, but at least 3"),
        ([8] * 5, [10, 11, 10, 9, 10], TooFewError, "all measurements are at 8"),
        ([0, 1, 2, 3], [1, 2, 3, 4], DataError, r"concurrency: 1 of 4 values are not positive \(first at 0: 0\)"),
        ([-1, 1, 2, 3], [1, 2, 3, 4], DataError, "not positive"),
        ([1, 2, math.nan, 3], [1, 2, 3, 4], DataError, "no finite numbers"),
        ([1, 2, 3, 4], [1, 2, math.inf, 4], DataError, "throughput: 1 of 4"),
        ([1, 2, 3, 4], [1, 0, 2, 4], DataError, "throughput: 1 of 4 values are not positive"),
        ([1, 2, 3, 4], [1e300, 2e300, 3e300, 4e300], DataError, r"throughput: values from 1e\+300 to 4e\+300 are none"),
        ([1, 2, 3, 4], [1e-300, 2, 3, 4], DataError, "throughput: values from 1e-300 to 4 are none that can be"),
        ([1, 2, 3, 1e300], [1, 2, 3, 4], DataError, "concurrency: values from 1 to 1e"),
        ([0.5, 1, 2, 4], [1, 2, 3, 4], DataError, r"concurrency: 0\.5 is below 1"),
        ([1, 2, 3], [1, 2], DataError, "3 and 2 values"),
        ([], [], TooFewError, "concurrency: 0 values"),
        (["a"], [1], DataError, "not numbers"),
    ],
)
def test_bad_input_is_named(n: list[float], x: list[float], error: type[PoolkeeperError], named: str) -> None:
    with pytest.raises(error, match=named):
        Usl().fit(n, x)


def test_bad_confidence_is_named() -> None:
    with pytest.raises(DataError, match="confidence: 95 is not between 0 and 1"):
        Usl(confidence=95)


def test_one_user_seen_a_little_below_one_counts_as_one() -> None:
    users = np.array([1.0, 2, 4, 8, 16, 32])
    throughput = Law(100.0, 0.05, 0.001).throughput(users)
    seen = np.where(users == 1, 0.99973, users)

    assert Usl().fit(seen, throughput).law_ == Usl().fit(users, throughput).law_
