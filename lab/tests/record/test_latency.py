"""Distributions agree with the HdrHistograms that they were read from, merged or not."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkeeper.record import BadLine, Distribution, merge
from poolkeeper.record.latency import read_latency

if TYPE_CHECKING:
    from pathlib import Path

HIGHEST = 60_000_000_000
values = st.lists(st.integers(1, HIGHEST) | st.integers(1, 5000), max_size=60)


def write(path: Path, intervals: list[list[int]], digits: int = 3) -> HdrHistogram:
    """Write one interval a second, and return all of them in one histogram of the package."""
    total = HdrHistogram(1, HIGHEST, digits)
    text = io.StringIO()
    log = HistogramLogWriter(text)
    log.output_log_format_version()
    log.output_legend()
    for second, found in enumerate(intervals):
        histogram = HdrHistogram(1, HIGHEST, digits)
        for value in found:
            histogram.record_value(value)
        total.add(histogram)
        log.output_interval_histogram(histogram, 1_000_000.0 + second, 1_000_001.0 + second)
    path.write_text(text.getvalue(), encoding="utf-8")
    return total


@settings(max_examples=25)
@given(intervals=st.lists(values, min_size=1, max_size=5), digits=st.sampled_from([2, 3]))
def test_merging_equals_the_packages_own(
    tmp_path_factory: pytest.TempPathFactory, intervals: list[list[int]], digits: int
) -> None:
    path = tmp_path_factory.mktemp("latency") / "latency.hlog"
    total = write(path, intervals, digits)
    merged = read_latency(path, 0.0)[0].total()
    assert merged.count == total.total_count
    recorded = [(item.value_iterated_to, item.count_added_in_this_iter_step) for item in total.get_recorded_iterator()]
    assert list(zip((merged.lowest + merged.width - 1).tolist(), merged.counts.tolist(), strict=True)) == recorded
    if merged.count:
        assert merged.mean_s * 1e9 == pytest.approx(total.get_mean_value(), rel=1e-9)
        for percentile in (50.0, 90.0, 99.0, 100.0):
            ordered = sorted(value for interval in intervals for value in interval)
            rank = max(1, int(np.ceil(np.nextafter(percentile, 0) * len(ordered) / 100)))
            wanted = total.get_highest_equivalent_value(ordered[rank - 1])
            assert round(merged.percentile_s(percentile) * 1e9) == wanted


def test_no_value_has_no_percentile() -> None:
    nothing = merge([])
    assert nothing.count == 0
    assert np.isnan([nothing.mean_s, nothing.percentile_s(99.0), nothing.max_s]).all()


def test_the_999th_of_1000_is_the_999th_permille() -> None:
    values = np.ones(1000, dtype=np.int64)
    thousand = Distribution(np.arange(1, 1001), values, values)
    assert round(thousand.percentile_s(99.9) * 1e9) == 999
    assert round(thousand.percentile_s(50.0) * 1e9) == 500


def test_intervals_fall_into_bins_by_their_middle(tmp_path: Path) -> None:
    write(tmp_path / "latency.hlog", [[1], [2, 2], [3, 3, 3], [4] * 4])
    log = read_latency(tmp_path / "latency.hlog", 10.0)[0]
    assert [interval.start_s for interval in log.intervals] == [10, 11, 12, 13]
    assert [part.count for part in log.binned(np.array([10.0, 12.0, 13.2]))] == [3, 3]


def test_another_precision_in_one_log_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "two.hlog", [[1]], digits=2)
    write(tmp_path / "latency.hlog", [[1]])
    second = (tmp_path / "two.hlog").read_text(encoding="utf-8").splitlines(keepends=True)[-1]
    with (tmp_path / "latency.hlog").open("a", encoding="utf-8") as file:
        file.write(second)
    with pytest.raises(BadLine, match="line 4: has another precision than the lines before"):
        read_latency(tmp_path / "latency.hlog", 0.0)
