"""Figures from digests of one second after another agree with those of the values."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.signal import lfilter

from poolkeeper.commands.load import RequestSelection, load
from poolkeeper.errors import TooFewError
from poolkeeper.latency import Stretches, apdex, compare, density, distribution, histogram, in_order, summarize
from poolkeeper.latency.digest import Digest

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.arrays import Floats


def dependent(seed: int, count: int) -> Floats:
    noise = np.random.default_rng(seed).normal(size=count)
    return np.exp(3 + 0.5 * math.sqrt(1 - 0.9**2) * lfilter([1], [1, -0.9], noise))


VALUES = dependent(20, 60_000)
SECONDS = [Digest.of(part, tail=100) for part in np.split(VALUES, 300)]


def test_figures_and_intervals_agree_with_those_of_the_values() -> None:
    exact, counted = summarize(VALUES), summarize(SECONDS)

    assert counted.mean.value == pytest.approx(exact.mean.value)
    assert counted.std == pytest.approx(exact.std)
    for p, percentile in exact.percentiles.items():
        assert counted[p].value == pytest.approx(percentile.value, rel=SECONDS[0].relative_error)
        assert counted[p].has_interval == percentile.has_interval
    for p in (50, 90, 95):
        assert counted[p].high - counted[p].low == pytest.approx(exact[p].high - exact[p].low, rel=0.3)
    assert counted.autocorrelation_time == pytest.approx(exact.autocorrelation_time, rel=0.3)
    assert re.match(
        r"values depend on each other: for their mean, [\d,]+ values carry as much information as [\d,]+ ",
        counted.notes[0],
    )
    assert "within 0.049 %" in counted.notes[1]


def test_independent_values_are_seen_to_be_so() -> None:
    values = np.random.default_rng(21).exponential(size=20_000)

    assert summarize([Digest.of(part) for part in np.split(values, 200)]).autocorrelation_time == 1


def test_one_digest_has_figures_and_says_why_it_has_no_intervals() -> None:
    whole = Digest.merged(SECONDS)

    found = summarize(whole)

    assert found.mean.value == pytest.approx(VALUES.mean())
    assert "one digest with 60,000 values cannot tell" in found.mean.why
    assert "one digest" in found[50].why
    with pytest.raises(TooFewError):
        summarize(Digest.empty())


def test_merging_parts_equals_the_whole() -> None:
    coarse = [Digest.merged(SECONDS[k : k + 5]) for k in range(0, 300, 5)]

    fine, merged = summarize(SECONDS), summarize(coarse)

    assert merged.mean.value == pytest.approx(fine.mean.value)
    assert {p: percentile.value for p, percentile in merged.percentiles.items()} == {
        p: percentile.value for p, percentile in fine.percentiles.items()
    }


def test_another_unit_changes_nothing_else() -> None:
    before, after = Stretches.of(SECONDS), Stretches.of(SECONDS).scaled(0.001)

    assert summarize(after)[90].low == pytest.approx(summarize(before)[90].low / 1000)
    assert summarize(after).mean.high == pytest.approx(summarize(before).mean.high / 1000)


def test_shapes_and_scores_agree_with_those_of_the_values() -> None:
    data = in_order(SECONDS)
    edges = histogram(VALUES, bins=40).edges

    assert np.diff(data.cumulative(edges)) == pytest.approx(np.histogram(VALUES, edges)[0], abs=60)
    assert apdex(SECONDS, 20).score.value == pytest.approx(apdex(VALUES, 20).score.value, abs=1e-3)
    assert distribution(SECONDS).x[-1] == VALUES.max()
    exact, counted = density(VALUES), density(SECONDS)
    assert counted.bandwidth == pytest.approx(exact.bandwidth, rel=0.2)
    assert np.interp(exact.x, counted.x, counted.y) == pytest.approx(exact.y, abs=0.02 * exact.y.max())


def test_runs_are_compared_from_digests_as_from_values() -> None:
    other = dependent(22, 60_000) * 1.1
    digests = [Digest.of(part, tail=100) for part in np.split(other, 300)]

    exact, counted = compare(VALUES, other, percentiles=(50, 90)), compare(SECONDS, digests, percentiles=(50, 90))

    assert counted.superiority.value == pytest.approx(exact.superiority.value, abs=1e-3)
    assert counted.shift.value == pytest.approx(exact.shift.value, rel=0.01)
    assert counted.seen == exact.seen == (50, 90)


def test_one_pass_over_results_gives_the_intervals_of_its_values(tmp_path: Path) -> None:
    file = tmp_path / "results.jtl"
    whole = np.rint(VALUES[:30_000]).astype(np.int64) + 1
    sent = np.arange(whole.size) * 20
    rows = (f"{at},{took},a,200,true" for at, took in zip(sent, whole, strict=True))
    file.write_text("timeStamp,elapsed,label,responseCode,success\n" + "\n".join(rows) + "\n")

    counted = summarize(load(RequestSelection.of([file])).seconds(), percentiles=(50, 90))

    exact = summarize(whole, percentiles=(50, 90))
    assert counted.mean.value == pytest.approx(exact.mean.value)
    assert counted[90].value == pytest.approx(exact[90].value, rel=1e-3)
    assert counted[50].high - counted[50].low == pytest.approx(exact[50].high - exact[50].low, rel=0.5)
