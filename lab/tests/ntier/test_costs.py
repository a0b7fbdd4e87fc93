"""Costs of busy threads and open connections, from trials that have exactly these costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from topologies import MeanValueSystem, topology

from poolkeeper.ntier.calibration import Measurement, calibrated
from poolkeeper.ntier.costs import Costs, Loads, busy_beyond, costs, open_connections
from poolkeeper.ntier.system import PoolKey
from poolkeeper.ntier.tiers.cpu_quota import kept_time, quota_period

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from poolkeeper.ntier.system import Trial
    from poolkeeper.ntier.topology import TopologyFile

DATABASE = 2
PROCESSORS = 2
CONNECTIONS = PoolKey("application", "connections")


def trial(file: TopologyFile, users: int, busy: float, connections: int, cpu: float) -> Trial:
    """An exact trial in which a visit of the database took so much processor time."""
    allocation = file.topology.initial.replace({CONNECTIONS: connections})
    found = MeanValueSystem(file).run(allocation, users, 30.0)
    web, application, database = found.tiers
    tiers = (web, replace(application, connections_busy=busy), replace(database, cpu_s=cpu, threads_busy=1.0))
    return replace(found, tiers=tiers)


def database(
    file: TopologyFile, true: Costs, loads: Sequence[tuple[float, int]], light: float = 0.005, **given: float
) -> Costs:
    """Costs found in trials with so many busy and open connections of both servers, that have the true ones."""
    model = file.model["database"].model_copy(update=given)
    heavy = [
        trial(
            file,
            200,
            busy,
            connections,
            true.cpu * (1 + true.overhead * max(0, busy - PROCESSORS) + true.connection_overhead * 2 * connections),
        )
        for busy, connections in loads
    ]
    first = trial(file, 5, 0.1, loads[0][1], light)
    return costs(file.topology, DATABASE, Loads([first], heavy), PROCESSORS, model)


def test_costs_of_busy_threads_are_found_in_trials_that_differ_in_them(tmp_path: Path) -> None:
    true = Costs(0.002, 0.01, 0.0)
    found = database(topology(tmp_path), true, [(1, 30), (12, 30), (60, 30)])
    assert (found.cpu, found.overhead, found.connection_overhead) == pytest.approx((0.002, 0.01, 0.0))


def test_costs_of_open_connections_are_found_where_trials_differ_in_them(tmp_path: Path) -> None:
    true = Costs(0.002, 0.01, 0.003)
    found = database(topology(tmp_path), true, [(2, 5), (5, 30), (60, 30), (10, 15)])
    assert (found.cpu, found.overhead, found.connection_overhead) == pytest.approx((0.002, 0.01, 0.003))


def test_costs_that_no_trial_tells_are_the_given_ones(tmp_path: Path) -> None:
    file = topology(tmp_path)
    given = {"overhead": 0.5, "connection_overhead": 0.01}
    # 8 more busy connections are too few; the processor time is that of the light load, less its 2 x 5 connections.
    found = database(file, Costs(0.002, 0.01, 0.0), [(4, 5), (12, 20)], **given)
    assert found.cpu == pytest.approx(0.005 / 1.1)
    assert (found.overhead, found.connection_overhead) == (0.5, 0.01)
    # Connections that are no twice as many tell nothing of their cost.
    found = database(file, Costs(0.002, 0.0, 0.0), [(2, 10), (60, 15)], **given)
    assert found.connection_overhead == 0.01
    assert found.overhead < 0.01


def test_a_database_is_as_busy_as_the_connections_in_use(tmp_path: Path) -> None:
    file = topology(tmp_path)
    found = trial(file, 5, 20.0, 30, 0.002)
    assert busy_beyond(file.topology, DATABASE, found, PROCESSORS) == 18
    assert open_connections(file.topology, DATABASE, found.allocation) == 60
    web = found.tier("web").threads_busy
    assert web is not None
    assert busy_beyond(file.topology, 0, found, 0) == web
    assert open_connections(file.topology, 0, found.allocation) == 0
    assert Costs(0.001, 0.1, 0.01).of(18, 60) == pytest.approx(0.001 * 2.8 * 1.6)


def test_a_thread_lingers_no_longer_than_it_had_time_for(tmp_path: Path) -> None:
    file = topology(tmp_path, ("web: {cpu: 1ms}", "web: {cpu: 1ms, linger: 9ms, linger_per_user: 100us}"))
    light = MeanValueSystem(file).run(file.topology.initial, 10, 30.0)
    assert calibrated(file, Measurement(file.topology, (light,))).model["web"].linger == pytest.approx(0.009)
    web = replace(light.tier("web"), threads=2, throughput=100.0, response_s=0.015)
    tight = replace(light, tiers=(web, *light.tiers[1:]))
    found = calibrated(file, Measurement(file.topology, (light, tight))).model["web"]
    # 2 threads and 100 visits a second leave 20 ms for each, of which 5 ms come after the answer.
    assert (found.linger, found.linger_per_user) == pytest.approx((0.0045, 0.00005))


def test_no_visit_waits_for_processor_time_that_a_server_does_not_count_as_response_time(tmp_path: Path) -> None:
    file = topology(tmp_path)
    light = MeanValueSystem(file).run(file.topology.initial, 5, 30.0)
    web, application, database = light.tiers
    application = replace(application, response_s=0.05)

    def wait(counted: float) -> float:
        counting = replace(light, tiers=(web, application, replace(database, response_s=counted)))
        return calibrated(file, Measurement(file.topology, (counting,))).model["application"].wait

    at_cores = 0.002 / (1 - database.throughput * 0.002)
    # In the model no visit of the database is shorter than its processor time: two of these are no wait.
    assert wait(0.0001) == pytest.approx(wait(at_cores), abs=1e-6)
    assert wait(at_cores + 0.001) == pytest.approx(wait(at_cores) - 0.002, abs=1e-6)


def test_users_wait_for_the_network_in_the_front_tier(tmp_path: Path) -> None:
    file = topology(tmp_path)
    light = MeanValueSystem(file).run(file.topology.initial, 5, 30.0)
    slower = replace(light, response_s=light.response_s + 0.003)
    before, after = (
        calibrated(file, Measurement(file.topology, (each,))).model["web"].wait for each in (light, slower)
    )
    assert after == pytest.approx(before + 0.003, abs=2e-4)


def test_real_tiers_have_the_quota_that_the_kernel_enforces(tmp_path: Path) -> None:
    file = topology(tmp_path, ("web: {cpu: 1ms}", "web: {cpu: 1ms, distribution: constant}"))
    light = MeanValueSystem(file).run(file.topology.initial, 5, 30.0)
    real = calibrated(file, Measurement(file.topology, (light,), processors=2)).model
    assert {(work.period, work.burst, work.processors) for work in real.values()} == {(0.01, 0.002, 2)}
    assert real["web"].distribution == "constant"
    slower = calibrated(file, Measurement(file.topology, (light,))).model
    assert {(work.period, work.burst, work.processors) for work in slower.values()} == {(None, 0.0, None)}
    assert [quota_period(cores) for cores in (2, 0.3, 0.2, 0.05, 0.01)] == pytest.approx([0.01, 0.01, 0.01, 0.04, 0.1])
    assert kept_time(4) == pytest.approx(0.004)
