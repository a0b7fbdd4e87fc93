from __future__ import annotations

import json
import math
import re
from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from poolkeeper.errors import DataError, InputError, TooFewError
from poolkeeper.latency import percentile, summarize

if TYPE_CHECKING:
    from random import Random

    from poolkeeper.arrays import Floats

ANY = arrays(np.float64, st.integers(2, 400), elements=st.floats(0.001, 1e6))


def test_figures_are_those_of_numpy() -> None:
    values = np.random.default_rng(1).lognormal(size=10_001)

    summary = summarize(values, percentiles=(50, 99))

    assert summary.count == 10_001
    assert summary.mean.value == pytest.approx(values.mean())
    assert summary.std == pytest.approx(values.std(ddof=1))
    assert (summary.minimum, summary.maximum) == (values.min(), values.max())
    for p in (50, 99):
        assert summary[p].value == np.percentile(values, p, method="inverted_cdf")


def test_intervals_hold_the_estimates_and_the_truth_of_a_known_distribution() -> None:
    values = np.random.default_rng(2).exponential(size=100_000)

    summary = summarize(values)

    for p, estimate in summary.percentiles.items():
        if estimate.has_interval:
            assert estimate.low <= estimate.value <= estimate.high
            assert estimate.low < -math.log1p(-p / 100) < estimate.high
    assert summary.mean.low < 1 < summary.mean.high
    assert summary[99.9].has_interval


@pytest.mark.parametrize(
    ("p", "named"), [(0, "0 is not"), (101, "101 is not"), (100, "the maximum"), (0.99, "write 99")]
)
def test_what_is_no_percentile_is_named(p: float, named: str) -> None:
    with pytest.raises(InputError, match=named):
        percentile([1.0, 2.0], p)


def test_too_few_values_are_refused_with_how_many_are_needed() -> None:
    values = np.random.default_rng(3).exponential(size=500)

    rare = percentile(values, 99.9)
    none = percentile(values[:50], 99)
    scarce = percentile(np.resize(values, 2000), 99.9, independent=True)

    assert math.isnan(rare.value)
    assert "at least 1,000 are needed" in rare.why
    assert "at least 100 are needed" in none.why
    assert not scarce.has_interval
    assert "at least 10,000 are needed" in scarce.why


def test_dependence_is_seen_and_asks_for_more_values() -> None:
    noise = np.random.default_rng(4).normal(size=2000)
    values = np.exp(_autoregressive(noise, 0.9))

    p99 = percentile(values, 99)

    assert not p99.has_interval
    assert "depend on each other" in p99.why
    assert percentile(values, 99, independent=True).has_interval


def _autoregressive(noise: Floats, phi: float) -> Floats:
    found = np.empty_like(noise)
    found[0] = noise[0]
    for k in range(1, noise.size):
        found[k] = phi * found[k - 1] + math.sqrt(1 - phi * phi) * noise[k]
    return found


def test_odd_data_is_named() -> None:
    assert "one value" in summarize([3.0]).mean.why
    assert math.isnan(summarize([3.0]).std)
    assert "equal" in summarize([3.0] * 100).mean.why
    assert "sorted" in percentile(np.arange(1000.0), 50).why
    assert "1 of the values is 0" in summarize([1.0, 2.0, 0.0]).notes[0]
    with pytest.raises(DataError, match=r"2 of 3 are negative \(the least is -2\)"):
        summarize([-1.0, -2.0, 0.0])
    with pytest.raises(DataError, match=r"1e\+308 is too large to compute with"):
        summarize([1e308] * 2000)
    assert summarize([1e75, 2e74] * 1000).std < 1e75
    with pytest.raises(DataError, match="no finite numbers"):
        summarize([1.0, math.nan])
    with pytest.raises(TooFewError):
        summarize([])


def test_a_result_shows_itself() -> None:
    summary = summarize(np.random.default_rng(5).exponential(size=500), unit="ms")

    assert "p99.9" in str(summary.table())
    assert re.fullmatch(r"p50 \S+ ms \(.*\), p95 \S+ ms \(.*\), mean \S+ ms \(.*\), of 500 values\.", summary.verdict)
    assert "value [ms]" in summary.table().columns
    assert json.loads(json.dumps(summary.to_dict(), allow_nan=False))["percentiles"]["p99.9"]["value"] is None
    assert summary.plot().x.log


@given(ANY, st.floats(0.01, 100))
@settings(max_examples=50)
def test_scaling_the_data_scales_the_summary(values: Floats, factor: float) -> None:
    before, after = summarize(values), summarize(values * factor)

    assert after.mean.value == pytest.approx(before.mean.value * factor)
    for p, estimate in before.percentiles.items():
        assert after[p].value == pytest.approx(estimate.value * factor, nan_ok=True)


@given(ANY, st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_order_matters_to_no_figure_and_for_independent_values_to_no_interval(values: Floats, random: Random) -> None:
    mixed = values[np.random.default_rng(random.getrandbits(32)).permutation(values.size)]

    before, after = summarize(values, independent=True), summarize(mixed, independent=True)

    assert after.std == pytest.approx(before.std)
    for p, estimate in before.percentiles.items():
        assert (after[p].value, after[p].low, after[p].high) == pytest.approx(
            (estimate.value, estimate.low, estimate.high), nan_ok=True
        )


def test_percentiles_that_do_not_exist_are_named_in_one_line() -> None:
    table = summarize(np.random.default_rng(1).exponential(size=135)).table()
    assert table.title == "135 values"
    (line,) = [note for note in table.notes if "have no" in note]
    assert line == "135 values have no p99.9 and p99.99: at least 1,000 and 10,000 are needed"
    assert summarize([1.0]).table().title == "1 value"


def test_notes_on_dependence_say_which_figure_they_are_about() -> None:
    random, level = np.random.default_rng(30), 0.0
    levels = [level := 0.6 * level + random.normal() for _ in range(300)]
    summary = summarize(100 * np.exp(0.3 * np.array(levels)))

    assert "for their mean, 300 values carry as much information as 97 independent ones" in summary.notes[0]
    assert re.search(r"\(for percentiles, about \d\.\d say as much as one", summary[90].why)


@pytest.mark.parametrize("name", ["count", "verdict", "median"])
def test_what_is_set_on_a_result_is_refused_by_its_name(name: str) -> None:
    found = summarize([1.0, 2.0, 3.0])
    with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(found, name, 1)
