"""Intervals of quantities that cannot be negative: response times, rates."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poolkeeper.latency import compare, mean, summarize
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.scalability import Load, capacity
from poolkeeper.scalability.laws import forced_flow, littles_law, littles_law_of
from poolkeeper.scalability.percentile_curve import Level, PercentileCurve


def stalls(seed: int, stretches: int) -> np.ndarray:
    """Short response times, and now and then a hundred in a row that wait for minutes, as jHiccup sees them."""
    random = np.random.default_rng(seed)
    stalled = random.random(stretches) < 0.08
    lengths = random.integers(30, 90, stretches)
    return np.concatenate(
        [
            np.where(
                np.arange(100) < (length if stall else 0), random.exponential(2e5, 100), random.exponential(1, 100)
            )
            for stall, length in zip(stalled, lengths, strict=True)
        ]
    )


def test_a_mean_of_response_times_is_not_below_0() -> None:
    reached = 0
    for seed in range(120):
        values = stalls(seed, 33)
        for found in (summarize(values).mean, mean(values)):
            if found.has_interval:
                assert 0 <= found.low <= found.value <= found.high
                reached += found.low == 0
    assert reached, "no interval reached down to 0, so that the test tells nothing"
    centred = np.random.default_rng(1).normal(size=500)
    assert mean(centred).low < 0, "what may be negative keeps its interval"


def test_a_ratio_is_not_made_of_an_interval_that_reaches_0() -> None:
    values = next(times for seed in range(300) if mean(times := stalls(seed, 33)).low == 0)  # as in the test above
    found = compare(values, values + 1.0).mean
    assert found.first.low == 0
    assert not found.ratio.has_interval
    assert found.ratio.why == "an interval reaches down to 0"


def test_laws_of_positive_figures_have_positive_intervals() -> None:
    wide = Estimate(10.0, 1.0, 60.0, 0.95)
    assert littles_law_of(10, wide, Estimate(1.0, 0.2, 8.0, 0.95)).measured.low >= 0
    unsure = forced_flow(Estimate(10.0, 0.0, 60.0, 0.95), 1.0, wide)
    assert (unsure.measured.low, unsure.measured.high) == (0.0, math.inf)
    ended, times = np.arange(1.0, 401.0), np.full(400, 0.01)
    times[390:] = 500.0
    assert littles_law(20, ended, times).measured.low == 0


@pytest.mark.parametrize("kind", list(Load))
def test_a_curve_made_monotone_keeps_its_intervals_positive(kind: Load) -> None:
    levels = [
        Level(10, Estimate(100.0, 10.0, 900.0, 0.95)),
        Level(20, Estimate(20.0, 19.0, 21.0, 0.95)),
        Level(30, Estimate(40.0, 39.0, 41.0, 0.95)),
    ]
    curve = PercentileCurve.of(levels, kind)
    _, low, high = curve._band()
    if kind is Load.USERS:
        assert min(curve.low.min(), low.min()) > 0
    else:
        assert max(curve.high.max(), high.max()) < 0, "1 / R below 0 is no response time"
    assert (curve.low <= curve.values).all()
    assert (curve.values <= curve.high).all()


def test_capacity_by_rate_takes_intervals_that_reach_0() -> None:
    figures = [Estimate(value, 0.0, 3 * value, 0.95) for value in (10.0, 20.0, 40.0)]
    found = capacity([100.0, 150.0, 175.0], figures, bound=30.0, kind=Load.RATE, p=None)
    assert found.load.low == 100, "its interval ends at the bound, which it meets"
    assert math.isfinite(found.load.value)


def test_capacity_by_rate_takes_response_times_of_0() -> None:
    figures = [Estimate(value, value, 3 * value, 0.95) for value in (0.0, 20.0, 40.0)]
    assert capacity([100.0, 150.0, 175.0], figures, bound=30.0, kind=Load.RATE, p=None).load.value > 150
