"""Histogram, density and empirical distribution."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from poolkeeper.errors import DataError, InputError, TooFewError
from poolkeeper.latency import density, distribution, histogram
from poolkeeper.latency.digest import Digest

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.latency.shapes.histograms import Scale

ANY = arrays(np.float64, st.integers(1, 200), elements=st.floats(0, 1e6))


@given(ANY, st.sampled_from(["log", "linear"]), st.integers(1, 50))
@settings(max_examples=50)
def test_every_value_is_in_one_bin(values: Floats, scale: str, bins: int) -> None:
    if scale == "log" and not values.any():
        return
    found = histogram(values, bins=bins, scale=scale)  # type: ignore[arg-type]

    assert found.total == values.size
    assert found.zeros == (np.count_nonzero(values == 0) if scale == "log" else 0)
    assert found.counts.min() >= 0


def test_bins_count_as_numpy_does() -> None:
    values = np.random.default_rng(8).lognormal(size=5000)

    found = histogram(values, bins=30)

    assert found.counts.tolist() == np.histogram(values, found.edges)[0].tolist()
    assert np.diff(np.log(found.edges)) == pytest.approx(np.log(values.max() / values.min()) / 30)
    assert [mark.label for mark in found.plot().marks] == ["p50", "p90", "p99", "p99.9"]
    assert found.density @ np.diff(found.edges) == pytest.approx(1)


def test_a_linear_histogram_takes_negatives_and_a_logarithmic_one_names_them() -> None:
    assert histogram([-1.0, 0.0, 2.0], bins=3, scale="linear").counts.tolist() == [1, 1, 1]
    with pytest.raises(DataError, match="1 of 3 are negative"):
        histogram([-1.0, 0.0, 2.0])
    with pytest.raises(DataError, match="all 2 are 0"):
        histogram([0.0, 0.0])
    with pytest.raises(InputError, match="bins: 0"):
        histogram([1.0], bins=0)
    with pytest.raises(InputError, match="'cubic'"):
        histogram([1.0], scale="cubic")  # type: ignore[arg-type]


def test_zeros_are_told_apart_from_the_bins_of_a_logarithmic_scale() -> None:
    found = histogram([0.0, 0.0, 1.0, 10.0], bins=1)

    assert (found.zeros, found.counts.tolist()) == (2, [2])
    assert "2 values of 0" in found.notes[0]


@given(ANY)
@settings(max_examples=50)
def test_the_distribution_is_exact_where_it_has_points(values: Floats) -> None:
    found = distribution(values, points=20)

    for x, share in zip(found.x, found.cdf, strict=True):
        assert share == pytest.approx(np.mean(values <= x))
    assert found.cdf[-1] == 1
    assert found.x[0] == values.min()


def test_the_tail_keeps_its_largest_values_one_by_one() -> None:
    values = np.random.default_rng(9).exponential(size=100_000)

    found = distribution(values, points=200, unit="ms")

    assert found.x[-5:].tolist() == np.sort(values)[-5:].tolist()
    assert found.x.size <= 200
    assert found.plot().series[0].y[-1] == pytest.approx(1e-5)
    assert found.plot_cdf().series[0].y[-1] == 1
    json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(InputError, match="points: 5"):
        distribution(values, points=5)


def test_the_density_of_a_lognormal_is_near_the_truth() -> None:
    values = np.random.default_rng(10).lognormal(3, 0.5, 20_000)

    found = density(values, unit="ms")

    assert np.trapezoid(found.y, found.x) == pytest.approx(1, abs=0.01)
    assert found.y == pytest.approx(stats.lognorm.pdf(found.x, 0.5, scale=np.exp(3)), abs=0.003)
    assert "improved Sheather-Jones" in found.notes[0]


def test_two_peaks_stay_two() -> None:
    random = np.random.default_rng(11)
    values = np.concatenate((random.normal(10, 0.5, 5000), random.normal(100, 5, 5000)))

    peaks = [row[0] for row in density(values).table().rows]

    assert len(peaks) == 2
    assert sorted(peaks) == pytest.approx([10, 100], rel=0.05)  # type: ignore[type-var]


def test_nothing_leaks_below_zero_on_a_linear_scale() -> None:
    values = np.random.default_rng(12).exponential(size=20_000)

    found = density(values, scale="linear")

    assert found.x[0] >= 0
    assert found.y[0] == pytest.approx(1, abs=0.1)
    assert np.trapezoid(found.y, found.x) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("factor", [0.001, 1000.0])
def test_scaling_the_data_scales_the_density(factor: float) -> None:
    values = np.random.default_rng(13).lognormal(size=1000)

    before, after = density(values), density(values * factor)

    assert after.bandwidth == pytest.approx(before.bandwidth, rel=1e-3)
    assert after.y * factor == pytest.approx(before.y, rel=0.01, abs=1e-6)


def test_data_without_a_shape_is_named() -> None:
    with pytest.raises(TooFewError, match="at least 50"):
        density([1.0, 2.0])
    with pytest.raises(DataError, match="all 60 are equal"):
        density([1.0] * 60)
    with pytest.raises(DataError, match="1 of 60 are not positive"):
        density([0.0, *range(1, 60)])
    with pytest.raises(InputError, match="bandwidth: -1"):
        density(range(1, 100), bandwidth=-1)
    assert density(range(100), scale="linear", bandwidth=3.0).notes[0].endswith("as given")


@pytest.mark.parametrize("scale", ["log", "linear"])
@pytest.mark.parametrize("steps", [2, 3, 7, 10])
def test_a_density_of_a_few_regular_steps_has_a_bandwidth(steps: int, scale: Scale) -> None:
    found = density([20.0 + k % steps for k in range(60)], scale=scale)
    assert 0 < found.bandwidth < steps
    assert np.trapezoid(found.y, found.x) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("count", [3_000, 300_000])
@pytest.mark.parametrize("kept", [True, False])
def test_the_density_of_rounded_values_is_no_comb(count: int, *, kept: bool) -> None:
    values = np.ceil(np.random.default_rng(3).lognormal(np.log(40), 0.5, count))
    found = density(values) if kept else density(Digest.of(values), step=1.0)

    shown = (found.x > stats.lognorm(0.5, scale=40).ppf(0.05)) & (found.x < 100)
    truth = stats.lognorm(0.5, scale=40).pdf(found.x - 0.5)
    assert found.y[shown] == pytest.approx(truth[shown], rel=0.2), "of spikes three times as high as the curve"
    assert np.sum(found.y * np.gradient(found.x)) == pytest.approx(1, abs=0.01)


def test_a_step_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="step: 0 is not above 0"):
        density(np.arange(1.0, 100.0), step=0.0)
