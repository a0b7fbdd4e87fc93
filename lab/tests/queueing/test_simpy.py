"""SimPy plays what the formulas say: an independent witness, within 4 standard errors of ten seeded replications."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

import pytest
from witness import Seen, bounded, chained, closed, replicate

from poolkeeper.queueing import mmck, pool_queue, repairman

if TYPE_CHECKING:
    from collections.abc import Callable


def agree(found: list[float], expected: float) -> None:
    error = statistics.stdev(found) / math.sqrt(len(found))
    assert abs(statistics.fmean(found) - expected) <= 4 * error, (statistics.fmean(found), error, expected)
    assert error < 0.03 * expected


@pytest.mark.parametrize(
    ("model", "seen", "throughput", "mean", "p90"),
    [
        pytest.param(
            closed(10, 2, 0.1, 0.025),
            Seen(5, 65),
            repairman(10, 0.025, 2, 0.1).throughput,
            repairman(10, 0.025, 2, 0.1).response_time,
            repairman(10, 0.025, 2, 0.1).response_percentile(90),
            id="repairman",
        ),
        pytest.param(
            bounded(200, 4, 16, 0.025),
            Seen(5, 35),
            mmck(200, 0.025, 4, 16).throughput,
            mmck(200, 0.025, 4, 16).response_time,
            mmck(200, 0.025, 4, 16).response_percentile(90),
            id="bounded",
        ),
        pytest.param(
            chained(120, 8, 2, 0.01, 0.04),
            Seen(5, 65),
            120.0,
            pool_queue(120, 8, 2, compute=0.01, io=0.04).response_time,
            None,
            id="pool",
        ),
    ],
)
def test_simpy_finds_the_same(
    model: Callable[..., None], seen: Seen, throughput: float, mean: float, p90: float | None
) -> None:
    found = replicate(model, number=10, seen=seen)

    agree([traits.throughput for traits in found], throughput)
    agree([traits.mean for traits in found], mean)
    if p90 is not None:
        agree([traits.percentile(90) for traits in found], p90)
