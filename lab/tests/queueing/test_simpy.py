"""SimPy plays what the formulas say: an independent witness, within 4 standard errors of ten seeded replications."""

from __future__ import annotations

import pytest
from witness import Figure, played

from poolkeeper.queueing import mmck, pool_queue, repairman


def agree(found: Figure, expected: float) -> None:
    assert abs(found.mean - expected) <= 4 * found.error, (found, expected)
    assert found.error < 0.03 * expected


@pytest.mark.parametrize(
    ("name", "throughput", "mean", "p90"),
    [
        pytest.param(
            "closed",
            repairman(10, 0.025, 2, 0.1).throughput,
            repairman(10, 0.025, 2, 0.1).response_time,
            repairman(10, 0.025, 2, 0.1).response_percentile(90),
            id="repairman",
        ),
        pytest.param(
            "bounded",
            mmck(200, 0.025, 4, 16).throughput,
            mmck(200, 0.025, 4, 16).response_time,
            mmck(200, 0.025, 4, 16).response_percentile(90),
            id="bounded",
        ),
        pytest.param(
            "chained",
            120.0,
            pool_queue(120, 8, 2, compute=0.01, io=0.04).response_time,
            None,
            id="pool",
        ),
    ],
)
def test_simpy_finds_the_same(name: str, throughput: float, mean: float, p90: float | None) -> None:
    found, _ = played(name)

    agree(found["throughput"], throughput)
    agree(found["mean"], mean)
    if p90 is not None:
        agree(found["p90"], p90)
