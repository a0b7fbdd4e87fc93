from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkeeper.experiment.definition.values import Bounds, ThinkTime, parse_bounds, parse_think_time
from poolkeeper.units import clock, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("1.5s", 1.5), ("10 s", 10.0), ("5m", 300.0), ("1h", 3600.0), ("0s", 0.0)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@given(st.integers(min_value=0, max_value=10**15))
def test_a_duration_survives_being_written_to_the_nanosecond(ns: int) -> None:
    seconds = round(ns / 1e9, 9)
    assert parse_duration(format_duration(seconds)) == seconds


@pytest.mark.parametrize("text", ["", "5", "s", "5 parsecs", "1:30", "5m 3s", 5, None, True])
def test_no_durations(text: object) -> None:
    with pytest.raises(ValueError, match="must be a number with its unit"):
        parse_duration(text)


@given(st.integers(1, 50_000), st.integers(0, 50_000))
def test_bounds_survive_being_written(minimum: int, more: int) -> None:
    bounds = Bounds(minimum, minimum + more)
    assert parse_bounds(str(bounds)) == bounds
    assert minimum in bounds
    assert minimum - 1 not in bounds


@pytest.mark.parametrize("time", [ThinkTime(0.0), ThinkTime(0.02), ThinkTime(0.1, exponential=True)])
def test_think_times_survive_being_written(time: ThinkTime) -> None:
    assert parse_think_time(str(time)) == time


@pytest.mark.parametrize(
    ("seconds", "output"), [(0, "0:00"), (65.4, "1:05"), (59.6, "1:00"), (7325, "2:02:05"), (200_000, "2 days 7:33:20")]
)
def test_clock(seconds: float, output: str) -> None:
    assert clock(seconds) == output
