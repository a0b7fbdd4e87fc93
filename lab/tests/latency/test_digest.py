"""A digest is exact where it says so, within its error elsewhere, and the same whatever way it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkeeper.errors import DataError, InputError
from poolkeeper.latency import buckets
from poolkeeper.latency.digest import Digest
from poolkeeper.latency.fits import fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.arrays import Floats

QUANTILES = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0)
SAMPLES: dict[str, Callable[[np.random.Generator], Floats]] = {
    "lognormal": lambda rng: rng.lognormal(3, 0.6, 100_000),
    "Pareto of infinite mean": lambda rng: rng.pareto(0.8, 100_000) + 1,
    "mixture": lambda rng: np.concatenate([rng.lognormal(3, 0.6, 98_000), 20 * (rng.pareto(1.5, 2_000) + 1)]),
    "whole milliseconds": lambda rng: np.floor(rng.exponential(40, 100_000)) * 1e6,
    "tiny": lambda rng: rng.exponential(1e-9, 1000),
    "all equal": lambda _: np.full(1000, 7.3),
    "one": lambda _: np.array([5.0]),
}
numbers = st.lists(st.floats(0, 1e12, allow_subnormal=False), max_size=50)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("digits", "tail"), [(3, 0), (3, 100), (2, 0), (4, 10)])
def test_quantiles_are_within_the_stated_error(name: str, digits: int, tail: int) -> None:
    values = SAMPLES[name](np.random.default_rng(1))
    digest = Digest.of(values, digits=digits, tail=tail)
    for q in QUANTILES:
        wanted = float(np.quantile(values, q, method="inverted_cdf"))
        assert abs(digest.quantile(q) - wanted) <= digest.relative_error * wanted * (1 + 1e-12), q
    assert digest.relative_error <= 0.5 * 10.0**-digits
    if values.min() > 0:
        assert digest.binned().relative_error <= digest.relative_error * (1 + 1e-12)


@pytest.mark.parametrize("name", SAMPLES)
def test_moments_extremes_and_tail_are_exact(name: str) -> None:
    values = SAMPLES[name](np.random.default_rng(2))
    digest = Digest.of(values, tail=50)
    assert digest.count == values.size
    assert (digest.minimum, digest.maximum) == (values.min(), values.max())
    assert digest.mean == pytest.approx(values.mean(), rel=1e-13)
    if values.size > 1:
        assert digest.std == pytest.approx(values.std(ddof=1), rel=1e-9, abs=1e-12)
    assert digest.tail.tolist() == np.sort(values)[::-1][:50].tolist()


@settings(max_examples=60)
@given(parts=st.lists(numbers, min_size=1, max_size=5), tail=st.integers(0, 20))
def test_merging_parts_equals_the_whole_in_any_order(parts: list[list[float]], tail: int) -> None:
    whole = Digest.of(np.concatenate([np.asarray(part, float) for part in parts]), tail=tail)
    for order in (parts, parts[::-1]):
        merged = Digest.merged(Digest.of(part, tail=tail) for part in order)
        assert merged.buckets.tolist() == whole.buckets.tolist()
        assert merged.counts.tolist() == whole.counts.tolist()
        assert merged.tail.tolist() == whole.tail.tolist()
        np.testing.assert_allclose(
            [merged.mean, merged.minimum, merged.maximum], [whole.mean, whole.minimum, whole.maximum], rtol=1e-12
        )
        np.testing.assert_allclose(merged.squares, whole.squares, rtol=1e-9, atol=1e-12 * max(1, whole.total) ** 2)


def test_a_large_offset_does_not_cancel_the_spread() -> None:
    values = 1e12 + np.arange(1000.0)
    merged = Digest.merged(Digest.of(part) for part in np.split(values, 10))
    assert merged.std == pytest.approx(np.arange(1000.0).std(ddof=1), rel=1e-9)


@settings(max_examples=40)
@given(values=st.lists(st.integers(2048, 3_000_000_000), min_size=1, max_size=40))
def test_buckets_are_those_of_hdrhistogram(values: list[int]) -> None:
    histogram = HdrHistogram(1, 10_000_000_000, 3)
    edges = buckets.lower_edges(buckets.numbers(np.array(values, float), 3), 3)
    ends = buckets.lower_edges(buckets.numbers(np.array(values, float), 3) + 1, 3)
    for value, low, end in zip(values, edges, ends, strict=True):
        assert (low, end - 1) == (
            histogram.get_lowest_equivalent_value(value),
            histogram.get_highest_equivalent_value(value),
        )


def test_scaling_scales() -> None:
    values = np.random.default_rng(3).lognormal(3, 1, 10_000)
    digest, scaled = Digest.of(values, tail=10), Digest.of(values, tail=10).scaled(1e-6)
    assert scaled.quantiles(QUANTILES) == pytest.approx(digest.quantiles(QUANTILES) * 1e-6, rel=1e-15)
    assert (scaled.mean, scaled.std) == pytest.approx((digest.mean * 1e-6, digest.std * 1e-6), rel=1e-12)
    assert scaled.binned().edges == pytest.approx(digest.binned().edges * 1e-6, rel=1e-15)
    with pytest.raises(DataError, match="different units"):
        digest.merge(scaled)


def test_a_histogram_is_not_taken_for_values() -> None:
    digest = Digest.of_counts([10.0, 20.0, 15.0], [3, 1, 0])
    assert (digest.count, digest.mean, digest.exact, digest.tail.size) == (4, 12.5, False, 0)
    assert not digest.merge(Digest.of([1.0])).exact


def test_nothing_has_no_quantile_but_merges() -> None:
    nothing = Digest.empty()
    assert np.isnan([nothing.quantile(0.5), nothing.mean, nothing.std, nothing.above(1)]).all()
    assert nothing.binned().total == 0
    assert nothing.merge(Digest.of([3.0])).mean == 3.0
    assert "count" in str(nothing.table())
    assert nothing.to_dict()["mean"] is None


def test_the_share_above_a_bound_is_exact_in_the_tail() -> None:
    digest = Digest.of(np.arange(1.0, 1001.0), tail=100)
    assert digest.above(950) == 0.05
    assert digest.above(500) == pytest.approx(0.5, abs=0.0011)


@pytest.mark.parametrize(
    ("values", "words"),
    [([1.0, -2.0], "1 of 2 values are negative"), ([np.nan], "no finite"), ([[1.0]], "one dimension")],
)
def test_what_is_no_response_time_is_refused(values: list[float], words: str) -> None:
    with pytest.raises(DataError, match=words):
        Digest.of(values)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), 99.0])
def test_a_quantile_out_of_range_is_refused(bad: float) -> None:
    with pytest.raises(InputError, match="is not between 0 and 1"):
        Digest.of([1.0]).quantile(bad)


def test_digits_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match="digits: 6"):
        Digest.of([1.0], digits=6)


def test_values_whose_squares_overflow_are_refused() -> None:
    assert Digest.of([1e150, 2e149]).std == pytest.approx(0.8e150 / 2**0.5)
    for make in (Digest.of, lambda values: Digest.of_counts(values, [1, 1])):
        with pytest.raises(DataError, match=r"values: the largest is 1e\+300, but none may be above 1e\+150"):
            make([1.0, 1e300])


@pytest.mark.parametrize("step", [1e6, 1e5, 16e6])
def test_values_of_whole_steps_are_counted_exactly_or_not_at_all(step: float) -> None:
    values = step * np.random.default_rng(2).integers(0, 20_000, 50_000)
    digest = Digest.of(values)
    answers = 0
    for bound in (0, 1, 5e8, 2e9, 2.0005e9, 4.2e9, 7 * step, 1023.5 * step, 1e12):
        found = digest.at_most(bound, step)
        assert found is None or found == np.count_nonzero(values <= bound)
        answers += found is not None
    assert answers >= 4


def test_a_bucket_that_holds_values_on_both_sides_of_a_bound_tells_nothing() -> None:
    digest = Digest.of([3_000_000_000.0, 3_000_500_000.0])
    assert digest.at_most(3e9, 1e5) is None
    assert digest.scaled(1e-6).at_most(3000, 0.1) is None
    assert digest.scaled(1e-6).at_most(4000, 500) == 2


def test_bins_of_rounded_values_reach_half_a_step_beyond_them() -> None:
    values = np.rint(np.random.default_rng(4).lognormal(np.log(5), 0.5, 50_000)) * 1_000_000
    digest = Digest.of(values)

    bins = digest.binned(1_000_000).filled()
    fitted, exact = (fit(data, replicates=0).candidates[0] for data in (bins, values))

    assert bins.edges[:2] == pytest.approx([values.min() - 500_000, values.min() + 500_000])
    assert bins.total == values.size
    # Buckets alone are narrower than a millisecond: as if each value were known to a thousandth.
    assert fitted.distribution.name == exact.distribution.name
    assert fitted.ks == pytest.approx(exact.ks, rel=0.02)
    assert fitted.quantile_errors[0.5] == pytest.approx(exact.quantile_errors[0.5], abs=0.002)
