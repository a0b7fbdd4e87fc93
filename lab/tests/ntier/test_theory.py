"""The allocator on systems whose best allocation follows from queueing theory: every decision must be theory's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from topologies import MeanValueSystem, topology

from poolkeeper.ntier.allocator.critical import find_critical_resource
from poolkeeper.ntier.allocator.evidence import Rules
from poolkeeper.ntier.allocator.jobs import min_concurrent_jobs
from poolkeeper.ntier.allocator.laboratory import Laboratory
from poolkeeper.ntier.allocator.minimum import min_allocation
from poolkeeper.ntier.system import PoolKey

if TYPE_CHECKING:
    from pathlib import Path

FINE = Rules(steps=10_000)
"""Steps of one user."""


def laboratory(system: MeanValueSystem) -> Laboratory:
    return Laboratory(system, 30.0)


@pytest.mark.parametrize(
    ("change", "critical"),
    [
        (("cpu: 1ms", "cpu: 1ms"), "database"),
        (("cpu: 1ms", "cpu: 9ms"), "web"),
        (("cpu: 4ms", "cpu: 9ms"), "application"),
        (("server: postgres", "server: postgres, count: 4"), "application"),
        (("web: {server: httpd, cores: 1", "web: {server: httpd, cores: 0.2"), "web"),
    ],
)
def test_the_critical_tier_has_the_largest_demand_of_a_server(
    tmp_path: Path, change: tuple[str, str], critical: str
) -> None:
    system = MeanValueSystem(topology(tmp_path, change))
    assert max(system.demands(), key=lambda name: system.demands()[name]) == critical
    found = find_critical_resource(laboratory(system), Rules(), system.file.trial.users)
    assert found.tier == critical
    assert found.use.level.value >= 0.95
    below, _ = system.solve(found.below)
    assert below * system.demands()[critical] < 0.95


def test_the_knee_of_a_system_without_variation_is_where_the_asymptotic_bounds_meet(tmp_path: Path) -> None:
    # Z = 500 ms, D = 1 + 4 + 4 = 9 ms, Dmax = 4 ms: N* = 509 / 4 = 127.25
    system = MeanValueSystem(topology(tmp_path), constant=True)
    lab, exact = laboratory(system), Rules(steps=10_000, knee=1e-12, gain=0.0)
    critical = find_critical_resource(lab, exact, system.file.trial.users)
    knee = min_concurrent_jobs(lab, critical, exact, system.file.trial.users)
    assert knee.trial.users == math.ceil(509 / 4)
    # One job keeps one server busy; 0.75 users more than N* wait for it.
    assert knee.jobs == pytest.approx(1 + 0.75)


def test_with_a_whole_number_of_users_at_the_bounds_a_single_server_holds_one_job(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path, ("500ms\nbounds", "491ms\nbounds")), constant=True)
    lab, exact = laboratory(system), Rules(steps=10_000, knee=1e-12, gain=0.0)
    critical = find_critical_resource(lab, exact, system.file.trial.users)
    knee = min_concurrent_jobs(lab, critical, exact, system.file.trial.users)
    assert knee.trial.users == 125
    assert knee.jobs == pytest.approx(1.0)
    sizes = min_allocation(system.topology, critical.tier, knee.jobs, knee.trial.tiers, 1.0)
    # A thread is held for 9 ms at the front and 8 ms in the application, and 250 requests come a second.
    assert {str(size.key): size.total for size in sizes} == pytest.approx(
        {"web.threads": 2.25, "application.threads": 2.0, "application.connections": 1.0}
    )


def test_the_knee_of_one_station_is_that_of_the_machine_repairman(tmp_path: Path) -> None:
    system = MeanValueSystem(
        topology(tmp_path, ("cpu: 1ms", "cpu: 1us"), ("cpu: 4ms", "cpu: 1us"), ("cpu: 2ms", "cpu: 10ms"))
    )
    lab = laboratory(system)
    critical = find_critical_resource(lab, FINE, system.file.trial.users)
    knee = min_concurrent_jobs(lab, critical, FINE, system.file.trial.users)

    def busy(users: int) -> float:
        """Utilisation of one repairman with exponential times: 1 - p0 = 1 - B(users, Z / D) by Erlang's B."""
        offered, blocked = 500 / 20, 1.0
        for number in range(1, users + 1):
            blocked = offered * blocked / (number + offered * blocked)
        return 1 - blocked

    most = max(busy(users) for users in knee.loads)
    expected = next(users for users in range(1, 2000) if busy(users) >= 0.95 * most)
    assert knee.trial.users == expected
    # By Little's law, with the few microseconds of the other tiers left out.
    assert knee.jobs == pytest.approx(expected - busy(expected) * 25, rel=1e-2)


@pytest.mark.parametrize("visits", ["1", "1.5"])
def test_pools_by_the_equations_are_the_mean_numbers_in_the_tiers(tmp_path: Path, visits: str) -> None:
    system = MeanValueSystem(
        topology(tmp_path, ("application: {cpu: 4ms", f"application: {{cpu: 4ms, visits: {visits}"))
    )
    lab = laboratory(system)
    critical = find_critical_resource(lab, FINE, system.file.trial.users)
    knee = min_concurrent_jobs(lab, critical, FINE, system.file.trial.users)
    x, times = system.solve(knee.trial.users)
    expected = {
        PoolKey("web", "threads"): x * (times["web"] + times["application"] + times["database"]),
        PoolKey("application", "threads"): x * (times["application"] + times["database"]),
        PoolKey("application", "connections"): x * times["database"],
    }
    sizes = min_allocation(system.topology, critical.tier, knee.jobs, knee.trial.tiers, 3.0)
    assert {size.key: size.total for size in sizes} == pytest.approx(expected)
    assert knee.jobs == pytest.approx(x * times["database"])
    assert all(size.minimum >= size.total / system.topology.tier(size.key.tier).servers for size in sizes)


@pytest.mark.parametrize("steps", [2, 6, 30])
def test_coarser_steps_find_the_first_of_their_loads_beyond_the_knee(tmp_path: Path, steps: int) -> None:
    system = MeanValueSystem(topology(tmp_path))
    lab, rules = laboratory(system), Rules(steps=steps)
    critical = find_critical_resource(lab, rules, system.file.trial.users)
    knee = min_concurrent_jobs(lab, critical, rules, system.file.trial.users)
    most = max(system.solve(users)[0] for users in knee.loads)
    assert knee.trial.users == next(users for users in knee.loads if system.solve(users)[0] >= 0.95 * most)


def test_a_load_that_begins_beyond_the_knee_is_lowered(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path, ("users: 1..2000", "users: 600..2000")))
    lab = laboratory(system)
    critical = find_critical_resource(lab, Rules(), system.file.trial.users)
    assert (critical.below, critical.at) == (0, 600)
    knee = min_concurrent_jobs(lab, critical, Rules(), system.file.trial.users)
    most = max(system.solve(users)[0] for users in knee.loads)
    assert system.solve(knee.trial.users)[0] >= 0.95 * most
    assert knee.trial.users < 600
