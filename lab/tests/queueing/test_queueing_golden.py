"""Published and recomputed values of the queueing models, to the digits they were printed with."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from poolkeeper.queueing import Centre, closed_queue, half_open, mg1, mgc, mm1, mmc, mmck, mva, pool_queue, repairman

S = 0.025
QUEUES = Path(__file__).parents[3] / "contract" / "queues"


def golden(file: str) -> list[dict[str, str]]:
    """The rows of a file that Java's tests read as well."""
    with (QUEUES / file).open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def printed(value: float, like: str) -> str:
    """With as many decimals as another number."""
    return f"{value:.{len(like.partition('.')[2])}f}"


@pytest.mark.parametrize("row", golden("repairman.csv"))
def test_closed_queue(row: dict[str, str]) -> None:
    users, servers, think = int(row["users"]), int(row["servers"]), float(row["think_s"])
    queue = repairman(users, S, servers, think)
    network = mva([Centre("cpu", S, servers)], users, think)

    for found in (queue, network):
        assert printed(found.throughput, row["throughput"]) == row["throughput"]
        assert printed(found.response_time, row["response_s"]) == row["response_s"]


def test_saturated_closed_queue() -> None:
    queue = repairman(1000, S, 4)

    assert queue.response_time * 1000 == pytest.approx(6250)
    assert round(queue.response_percentile(50) * 1000, 4) == 6247.8201
    assert round(queue.response_percentile(99) * 1000, 4) == 6722.1745


@pytest.mark.parametrize(
    ("users", "throughput", "response_ms"), [(20, 19.073269, 48.587953), (50, 44.089444, 134.058311)]
)
def test_mva(users: int, throughput: float, response_ms: float) -> None:
    found = mva([Centre("web", 0.005), Centre("app", 0.02), Centre("db", 0.01)], users, 1)

    assert round(found.throughput, 6) == throughput
    assert round(found.response_time * 1000, 6) == response_ms


def test_mva_with_several_servers() -> None:
    centres = [Centre("web", 0.004, 2), Centre("app", 0.04, 2), Centre("cache", 0.002), Centre("db", 0.012)]
    found = mva(centres, 60, 1)

    assert round(found.throughput, 6) == 48.279198
    assert round(found.response_time * 1000, 6) == 242.771276


def test_erlang_c() -> None:
    found = mmc(128, S, 4)

    assert round(found.waits, 6) == 0.596432
    assert round(found.response_time * 1000, 5) == 43.63851
    assert round(found.wait_percentile(99) * 1000, 4) == 127.7619


def test_bounded_queue() -> None:
    found = mmck(200, S, 4, 16)

    assert round(found.loss, 6) == 0.207086
    assert round(found.throughput, 6) == 158.582837
    assert round(found.response_time * 1000, 5) == 79.02886


@pytest.mark.parametrize(("cs2", "response_ms"), [(0, 75), (0.25, 87.5), (1, 125), (4, 275), (16, 875)])
def test_pollaczek_khinchine(cs2: float, response_ms: float) -> None:
    assert mg1(32, S, cs2).response_time * 1000 == pytest.approx(response_ms)
    assert mgc(32, S, 1, cs2).response_time * 1000 == pytest.approx(response_ms)


def test_half_open() -> None:
    assert half_open(16, S, stay=0.5).response_time * 1000 == pytest.approx(125)
    assert round(half_open(12.8, S, 4, stay=0.9).response_time * 1000, 5) == 43.63851
    assert half_open(16, S, stay=0.5).response_percentile(99) == pytest.approx(mm1(32, S).response_percentile(99))


@pytest.mark.parametrize("row", golden("over-allocation.csv"))
def test_over_allocation(row: dict[str, str]) -> None:
    centre = Centre.over_allocated(S, 4, int(row["workers"]), overhead=0.005)

    for found in (closed_queue(centre, 200, 0.5), mva([centre], 200, 0.5)):
        assert printed(found.throughput, row["throughput"]) == row["throughput"]


def test_pool_held_during_io() -> None:
    tight = pool_queue(120, 8, 2, compute=0.01, io=0.04)
    wide = pool_queue(120, 12, 2, compute=0.01, io=0.04)

    assert round(tight.response_time * 1000, 6) == 67.226023
    assert round(tight.wait * 1000, 6) == 14.022828
    assert round(tight.limit, 6) == 146.595717
    assert round(wide.response_time * 1000, 6) == 55.847448
    assert round(wide.wait * 1000, 6) == 0.891932
