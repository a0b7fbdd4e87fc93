"""Properties of queues, for any numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkeeper.errors import InputError
from poolkeeper.queueing import (
    Centre,
    closed_queue,
    erlang_b,
    erlang_c,
    half_open,
    mg1,
    mm1,
    mmc,
    mmck,
    mva,
    open_network,
    open_queue,
    pool_queue,
    repairman,
    visits,
)
from poolkeeper.scalability import Law

if TYPE_CHECKING:
    from collections.abc import Callable

busy = st.floats(0.01, 0.99)
servers = st.integers(1, 60)
times = st.floats(1e-4, 10)


@settings(max_examples=50)
@given(busy, servers, times)
def test_littles_law_holds_in_open_queues(rho: float, c: int, s: float) -> None:
    queue = mmc(rho * c / s, s, c)

    assert queue.requests == pytest.approx(queue.rate * (queue.wait + s))
    assert queue.queue == pytest.approx(queue.waits * rho / (1 - rho))
    assert queue.utilisation == pytest.approx(rho)


@settings(max_examples=50)
@given(busy, times)
def test_one_server_is_m_m_1(rho: float, s: float) -> None:
    queue = mm1(rho / s, s)

    assert queue.response_time == pytest.approx(s / (1 - rho))
    for p in (50, 99):
        assert queue.response_percentile(p) == pytest.approx(-math.log(1 - p / 100) * s / (1 - rho))
    assert mg1(rho / s, s, 1).to_dict() == queue.to_dict()


@settings(max_examples=50)
@given(st.integers(1, 40), st.floats(0.6, 0.9), times)
def test_response_times_rise_with_the_rate(c: int, rho: float, s: float) -> None:
    less, more = mmc(rho * c / s, s, c), mmc(1.1 * rho * c / s, s, c)

    assert less.response_time < more.response_time
    assert less.response_percentile(99) < more.response_percentile(99)
    assert less.waits < more.waits


@settings(max_examples=50)
@given(st.integers(1, 300), st.integers(1, 12), st.floats(0, 5))
def test_networks_of_one_centre_are_the_repairman(users: int, c: int, think: float) -> None:
    queue = repairman(users, 0.025, c, think)
    network = mva([Centre("cpu", 0.025, c)], users, think)

    assert network.throughput == pytest.approx(queue.throughput, rel=1e-10)
    assert network.response_time == pytest.approx(queue.response_time, rel=1e-8)
    assert network.queue["cpu"] == pytest.approx(queue.requests, rel=1e-9)
    # Little's law over users: in the service or thinking
    assert queue.requests + queue.throughput * think == pytest.approx(users)
    assert queue.throughput <= min(users / (0.025 + think), c / 0.025) * (1 + 1e-12)


@settings(max_examples=50)
@given(st.lists(st.floats(0.001, 0.1), min_size=1, max_size=5), st.integers(1, 200), st.floats(0, 2))
def test_convolution_gives_what_mean_value_analysis_gives(demands: list[float], users: int, think: float) -> None:
    queue = np.zeros(len(demands))
    for n in range(1, users + 1):  # Reiser and Lavenberg's recursion, exact for single servers
        residence = np.array(demands) * (1 + queue)
        throughput = n / (residence.sum() + think)
        queue = throughput * residence

    found = mva([Centre(str(k), demand) for k, demand in enumerate(demands)], users, think)

    assert found.throughput == pytest.approx(throughput, rel=1e-9)
    assert list(found.queue.values()) == pytest.approx(queue, rel=1e-6, abs=1e-9)
    assert sum(found.queue.values()) + throughput * think == pytest.approx(users)


def test_thousands_of_users_overflow_nothing() -> None:
    centres = [Centre("web", 0.004, 2), Centre("app", 0.04, 16), Centre("cache", 0.0002), Centre("db", 0.012, 8)]
    for users in (5_000, 100_000):
        found = mva(centres, users, 7)

        assert np.isfinite(found.by_users).all()
        assert (np.diff(found.by_users) > -1e-9).all()
        assert found.throughput == pytest.approx(min(found.limit, users / 7.0562), rel=1e-3)
        assert sum(found.queue.values()) + 7 * found.throughput == pytest.approx(users, rel=1e-6)
    queue = repairman(20_000, 0.025, 4, 7)
    assert queue.throughput == pytest.approx(160)
    assert math.isfinite(queue.response_percentile(99.9))
    assert queue.response_percentile(50) == pytest.approx(queue.response_time, rel=0.01)


def test_asymptotic_bounds_are_reached() -> None:
    centres = [Centre("a", 0.01, 3), Centre("b", 0.05), Centre.delay("net", 0.1)]

    assert mva(centres, 1, 1).response_time == pytest.approx(0.16)
    assert mva(centres, 2000, 1).throughput == pytest.approx(20)
    assert mva(centres, 2000, 1).response_time == pytest.approx(2000 / 20 - 1)
    assert mva(centres, 10, 1).bottleneck == "b"
    assert mva(centres, 10, 1).saturation_users == pytest.approx(20 * 1.16)


def test_closed_networks_with_endless_think_time_are_open() -> None:
    centres = [Centre("web", 0.01, 2), Centre("db", 0.02)]
    closed = mva(centres, 100_000, 100_000 / 40)

    assert closed.response_time == pytest.approx(open_network(centres, 40).response_time, rel=1e-3)
    many = repairman(100_000, 0.025, 4, 100_000 / 128)
    assert many.response_percentile(99) == pytest.approx(mmc(128, 0.025, 4).response_percentile(99), rel=2e-3)


def test_bounded_queues_lie_between_loss_and_no_loss() -> None:
    assert mmck(128, 0.025, 4, 4).loss == pytest.approx(erlang_b(4, 3.2))
    far = mmck(128, 0.025, 4, 2000)
    assert far.response_time == pytest.approx(mmc(128, 0.025, 4).response_time)
    assert far.response_percentile(99) == pytest.approx(mmc(128, 0.025, 4).response_percentile(99))
    assert far.wait_percentile(99) == pytest.approx(mmc(128, 0.025, 4).wait_percentile(99))
    assert mmck(1000, 0.025, 4, 16).throughput < 160
    assert mmck(128, 0.025, 4, 4).wait == pytest.approx(0)


@settings(max_examples=50)
@given(st.integers(1, 200), busy)
def test_erlang_formulas(c: int, rho: float) -> None:
    load = rho * c
    total = sum(math.exp(k * math.log(load) - math.lgamma(k + 1)) for k in range(c + 1))
    blocked = math.exp(c * math.log(load) - math.lgamma(c + 1)) / total

    assert erlang_b(c, load) == pytest.approx(blocked)
    assert erlang_b(c, load) < erlang_c(c, load) < 1 or rho < 0.02


def test_wide_pools_are_no_limit_and_narrow_ones_are() -> None:
    wide = pool_queue(120, 60, 2, compute=0.01, io=0.04)
    alone = open_network([Centre("cores", 0.01, 2), Centre.delay("io", 0.04)], 120)

    assert wide.response_time == pytest.approx(alone.response_time)
    assert wide.wait == pytest.approx(0, abs=1e-9)
    queue = pool_queue(10, 1, 2, compute=0.01, io=0.04)
    assert queue.limit == pytest.approx(20)
    # one thread is one server whose service is the sum of two exponential times
    assert queue.response_time == pytest.approx(mg1(10, 0.05, (0.01**2 + 0.04**2) / 0.05**2).response_time)


def test_a_law_as_a_service() -> None:
    law = Law(100, 0.05, 0.001)
    centre = Centre.of_law(law, 200)

    saturated = closed_queue(centre, 31)
    assert saturated.throughput == pytest.approx(float(law.throughput(31)))
    assert closed_queue(centre, 200).throughput < closed_queue(centre, 31).throughput
    assert mva([centre], 60, 0.3).throughput == pytest.approx(closed_queue(centre, 60, 0.3).throughput)
    with pytest.raises(InputError, match="percentiles"):
        saturated.response_percentile(99)


def test_visits_follow_from_routes() -> None:
    assert visits([1, 0], [[0.0, 1.0], [0.5, 0.0]]).tolist() == pytest.approx([2, 2])
    stay = visits([16], [[0.5]])[0]
    assert half_open(16, 0.025, stay=0.5).rate == pytest.approx(16 * stay)


def test_models_are_picked_by_their_parts() -> None:
    assert open_queue(32, 0.025, cs2=4).model.startswith("M/G/1")
    assert open_queue(128, 0.025, 4).model == "M/M/4"
    assert open_queue(128, 0.025, 4, cs2=2).note.startswith("an approximation")
    assert open_queue(200, 0.025, 4, places=16).model == "M/M/4/16"


def test_results_can_be_shown() -> None:
    centres = [Centre("web", 0.004, 2), Centre("db", 0.012), Centre.delay("net", 0.01)]
    for result in (
        mmc(128, 0.025, 4),
        mg1(32, 0.025, 4),
        mmck(200, 0.025, 4, 16),
        repairman(10, 0.025, 2, 0.1),
        closed_queue(Centre.over_allocated(0.025, 4, 64, overhead=0.005), 200, 0.5),
        mva(centres, 60, 1),
        open_network(centres, 40),
        pool_queue(120, 8, 2, compute=0.01, io=0.04),
    ):
        assert str(result.table())
        assert all(value is None or value == value for value in result.to_dict().values())  # noqa: PLR0124 - no NaN
        assert result.plot().series


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: mmc(160, 0.025, 4), "rate: 160.0 is not below the 160.0 that can be served"),
        (lambda: mm1(-1, 0.025), "rate: -1 is not above 0"),
        (lambda: mmc(1, 0.025, 0), "servers: 0 is not a whole number of 1 or above; the nearest is 1"),
        (lambda: repairman(2.5, 0.025), r"users: 2\.5 is not a whole number"),  # type: ignore[arg-type]
        (lambda: repairman(10, 0.025, 1, -1), "think time: -1 is negative"),
        (lambda: mmck(1, 0.025, 4, 3), "places: 3 are fewer than the 4 servers"),
        (lambda: mg1(1, 0.025, -1), "cs2: -1 is negative"),
        (lambda: mg1(32, 0.025, 4).response_percentile(99), "percentiles need its whole distribution|means alone"),
        (lambda: mm1(1, 0.1).response_percentile(0.99), r"percentile: 0\.99 is not from 1"),
        (lambda: half_open(1, 0.1, stay=1), "stay: 1 is not from 0 to below 1"),
        (lambda: mva([], 1), "centres: there is none"),
        (lambda: mva([Centre("a", 1), Centre("a", 1)], 1), "the name a is used more than once"),
        (lambda: Centre("a", -1), "demand of a: -1 is negative"),
        (lambda: open_network([Centre("a", 0.1)], 20), "rate at a: 20.00 is not below the 10.00"),
        (lambda: visits([1], [[1.0]]), "never leave"),
        (lambda: visits([1, 1], [[0.6, 0.6], [0.0, 0.0]]), "no more than 1"),
        (lambda: pool_queue(200, 8, 2, compute=0.01, io=0.04), r"not below the 146\.6"),
        (lambda: pool_queue(1, 500, 2, compute=0.01, io=0.04), "threads: 500 make too large a chain"),
        (lambda: open_queue(1, 0.1, places=3, cs2=2), "places: a bound is solved for exponential times alone"),
    ],
)
def test_bad_input_is_named(call: Callable[[], object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        call()


@pytest.mark.parametrize(("c", "load"), [(40_000, 39_900.0), (40_000, 39_000.0), (39_000, 40_000.0), (3_000, 100.0)])
def test_erlang_for_many_servers_is_what_the_whole_recursion_finds(c: int, load: float) -> None:
    blocked = 1.0
    for busy in range(1, c + 1):
        blocked = load * blocked / (busy + load * blocked)
    assert erlang_b(c, load) == pytest.approx(blocked, rel=1e-12)


def test_a_billion_servers_are_solved_at_once() -> None:
    busy = mmc(1e9 - 1e4, 1.0, 10**9)
    halfin_whitt = 10**4 / math.sqrt(1e9)  # waits as the root of the servers says, Halfin and Whitt 1981
    density, below = (
        math.exp(-(halfin_whitt**2) / 2) / math.sqrt(2 * math.pi),
        math.erfc(-halfin_whitt / math.sqrt(2)) / 2,
    )
    assert busy.waits == pytest.approx(1 / (1 + halfin_whitt * below / density), rel=1e-3)
    idle = mmc(1, 0.001, 10**9)
    assert (idle.wait, idle.response_time) == (0, 0.001)
