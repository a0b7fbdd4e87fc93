from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from poolkeeper.errors import DataError, InputError
from poolkeeper.latency import Throughput, throughput

SECOND = 1_000_000_000


def test_responses_count_when_they_came_and_goodput_is_what_was_right_and_in_time() -> None:
    found = throughput(
        [0, 0, 0, SECOND],
        [0.5 * SECOND, 1.5 * SECOND, 0.2 * SECOND, 1.2 * SECOND],
        ok=[True, True, False, True],
        bound_ns=SECOND,
    )

    assert found.completions.tolist() == [2, 1, 1]
    assert found.errors.tolist() == [1, 0, 0]
    assert found.good.tolist() == [1, 0, 0]
    assert found.throughput.value == 1.0
    assert found.badput.value == 1.0
    assert found.error_share.value == 0.25
    assert [series.name for series in found.plot().series] == ["in time", "late", "failed"]


def test_the_chart_leaves_out_the_interval_that_the_end_cuts_short_and_failures_are_named() -> None:
    found = Throughput.of([10, 12, 1], errors=[0, 2, 0])
    assert [(series.name, series.y) for series in found.plot().series] == [("succeeded", (10, 10)), ("failed", (0, 2))]
    assert found.table().rows[0][0] == "throughput of successes [1/s]"


def test_the_means_leave_out_the_interval_that_the_end_cuts_short() -> None:
    found = Throughput.of([10, 10, 3])

    assert found.throughput.value == 10
    assert "all 2 values are equal" in found.throughput.why
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_poisson_stream_has_its_rate_and_its_errors_within_the_intervals() -> None:
    random = np.random.default_rng(6)
    start = np.cumsum(random.exponential(SECOND / 200, 60_000))

    found = throughput(start, random.exponential(SECOND / 50, start.size), ok=random.random(start.size) > 0.02)

    assert found.throughput.low < 196 < found.throughput.high
    assert found.error_share.low < 0.02 < found.error_share.high
    assert "errors [%]" in str(found.table())


def test_no_errors_are_fewer_than_some() -> None:
    share = Throughput.of([100] * 40).error_share

    assert share.value == 0
    assert not share.has_interval
    assert "less than 0.075 %" in share.why


@pytest.mark.parametrize(
    ("start", "response", "interval", "named"),
    [
        ([0.0, 1.0], [1.0], 1.0, "2, 1 and 2"),
        ([0.0, 1.0], [1.0, -1.0], 1.0, "1 of 2 values are negative"),
        ([0.0, math.nan], [1.0, 1.0], 1.0, "start_ns: 1 of 2"),
        ([0.0], [1.0], 0.0, "interval_s: 0"),
        ([0.0, 1e18], [1.0, 1.0], 1.0, "more than 10,000,000"),
    ],
)
def test_what_cannot_be_counted_is_named(
    start: list[float], response: list[float], interval: float, named: str
) -> None:
    with pytest.raises((DataError, InputError), match=named):
        throughput(start, response, interval_s=interval)


def test_counts_that_contradict_each_other_are_named() -> None:
    with pytest.raises(DataError, match="more errors"):
        Throughput.of([1, 2], errors=[2, 0])
    with pytest.raises(DataError, match="a count of -1"):
        Throughput.of([-1])


def test_a_rate_that_wanders_asks_for_no_more_values() -> None:
    seconds = np.arange(600)
    counts = np.random.default_rng(1).poisson(100 + 60 * np.sin(2 * np.pi * seconds / 300))
    why = Throughput.of(counts).throughput.why
    assert why.startswith("the rate changes all the time, between 4")
    assert "are needed" not in why


@pytest.mark.parametrize("seed", range(5))
def test_a_rate_that_is_low_does_not_wander(seed: int) -> None:
    why = Throughput.of(np.random.default_rng(seed).poisson(5, 110)).throughput.why
    assert "the rate changes" not in why


def test_a_failure_after_the_load_had_ended_counts_in_the_share_and_in_no_rate() -> None:
    found = Throughput.of([10, 10, 10, 0, 0, 10], errors=[0, 0, 0, 0, 0, 10], length=3)
    assert (found.error_share.value, found.throughput.value, found.late) == (0.25, 10, 10)
    assert found.completions.tolist() == [10, 10, 10]
    assert found.table().title == "30 responses in 3 intervals of 1 s, 10 later"


def test_means_that_leave_out_much_say_so() -> None:
    """A short test: what came in the first and the last interval may be a good part of it."""
    (note,) = Throughput.of([40, 10, 10, 20], first_cut=True).table().notes[-1:]
    wanted = "the test fills the first and the last interval in part, with 75 % of the responses: rates are those of"
    assert note == f"{wanted} the 2 intervals between"
    (note,) = Throughput.of([10, 10, 20]).table().notes[-1:]
    wanted = "the test fills the last interval in part, with 50 % of the responses: rates are those of the 2 intervals"
    assert note == f"{wanted} before"
    assert not any("in part" in note for note in Throughput.of([10] * 40, first_cut=True).table().notes)


def test_a_rate_over_the_whole_time_that_differs_is_explained() -> None:
    """The verdict had 31,611/s, as the tool itself, and the table 32,461/s, without a word."""
    found = Throughput.of([20, *[100] * 30, 70], first_cut=True)
    (note,) = replace(found, overall=97.0).table().notes[-1:]
    assert note == (
        "the test fills the first and the last interval in part, with 2.9 % of the responses: rates are those of the"
        " 30 intervals between; over the whole time it is 97.0/s"
    )
    failing = Throughput.of([20, *[100] * 30, 70], errors=[0, *[1] * 30, 0], first_cut=True)
    assert replace(failing, overall=97.0).table().notes[-1].endswith("it is 97.0/s, failed ones included")
    for overall in (100.2, math.nan):
        assert not any("in part" in note for note in replace(found, overall=overall).table().notes)
