"""Topology files: what they state, and what is wrong in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from topologies import TEXT, topology

from poolkeeper.errors import InputError
from poolkeeper.ntier.system import Allocation, PoolKey
from poolkeeper.ntier.topology import read_topology

EXPERIMENTS = Path(__file__).resolve().parents[3] / "experiments" / "ntier"


def test_tiers_pools_and_their_sizes(tmp_path: Path) -> None:
    found = topology(tmp_path)
    assert found.topology.hardware == "1/2/1"
    assert [tier.name for tier in found.topology.tiers] == ["web", "application", "database"]
    assert str(found.topology.initial) == "400-200-200"
    assert found.topology.initial[PoolKey("application", "connections")] == 200
    assert found.topology.bounds_s == (0.5, 1.0)
    assert found.model["database"].visits == 2


def test_tiers_stand_in_the_order_of_their_calls(tmp_path: Path) -> None:
    found = topology(
        tmp_path,
        ("{server: httpd, cores: 1", "{server: httpd, cores: 1, calls: application"),
        ("heap: 128m", "heap: 128m, calls: database"),
        ("  web: {cpu: 1ms}\n", ""),
        ("model:\n", "model:\n  web: {cpu: 1ms}\n"),
    )
    assert [tier.name for tier in found.topology.tiers] == ["web", "application", "database"]


@pytest.mark.parametrize("file", sorted((*EXPERIMENTS.glob("*.yaml"), *EXPERIMENTS.glob("models/*.yaml"))), ids=str)
def test_the_committed_topologies_can_be_read(file: Path) -> None:
    found = read_topology(file)
    assert found.topology.initial.sizes
    assert found.topology.think_time_s > 0


def test_an_allocation_is_written_and_read(tmp_path: Path) -> None:
    initial = topology(tmp_path).topology.initial
    assert Allocation.from_json(initial.as_json()) == initial
    with pytest.raises(ValueError, match=r"TIER\.threads or TIER\.connections, but is 'web\.workers'"):
        Allocation.from_json({"web.workers": 3})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("server: httpd", "server: htpd", "5: tiers.web.server: unknown server 'htpd'; did you mean 'httpd'?"),
        ("cores: 1, threads", "cores: 0, threads", "5: tiers.web.cores must be above 0, but is 0"),
        ("threads: 400", "thread: 400", "5: unknown setting 'thread'; did you mean 'threads'?"),
        (", threads: 400", "", "5: tiers.web: the setting 'threads' is missing: httpd has them"),
        ("threads: 400", "threads: 0", "5: tiers.web.threads must be at least 1, but is 0"),
        ("threads: 400", "threads: 5000", "5: tiers.web.threads 5000 is not within the bounds 1..4000"),
        (
            "threads: 400",
            "threads: 9, calls: aplication",
            "5: tiers.web.calls: unknown tier 'aplication'; did you mean",
        ),
        ("threads: 400", "threads: 9, calls: web", "5: tiers.web.calls: closes a cycle: web -> web"),
        (", heap: 128m", "", "6: tiers.application: the setting 'heap' is missing: board runs on Java"),
        ("server: postgres", "server: postgres, threads: 9", "7: tiers.database.threads: postgres has no pool of"),
        ("server: postgres", "server: postgres, heap: 9m", "7: tiers.database.heap: postgres does not run on Java"),
        (
            "server: postgres",
            "server: postgres, patience: 9s",
            "7: tiers.database.patience: postgres has none; haproxy has",
        ),
        ("question:", "qestion:", "1: unknown setting 'qestion'; did you mean 'question'?"),
        ("model:", "modell:", "9: unknown setting 'modell'; did you mean 'model'?"),
        ("  web: {cpu", "  wbe: {cpu", "10: model: unknown tier 'wbe'; did you mean 'web'?"),
        ("  web: {cpu: 1ms}\n", "", "9: model: the setting 'web' is missing: every tier needs its work"),
        ("cpu: 4ms", "cpu: 4", "11: model.application.cpu must be a number with its unit"),
        ("cpu: 4ms", "cpu: 4ms, held_cpu: 0.5", "11: model.application.held_cpu needs connection: visit"),
        ("cpu: 1ms", "cpu: 1ms, processors: 2", "10: model.web.processors needs the period of the CPU quota"),
        ("cpu: 1ms", "cpu: 1ms, burst: 2ms", "10: model.web.burst needs the period of the CPU quota"),
        ("cpu: 1ms", "cpu: 1ms, period: 100us", "10: model.web.period must be"),
        ("cpu: 1ms", "cpu: 1ms, visits: 2", "10: model.web.visits must be 1 in the front tier, but is 2"),
        ("users: 1..2000", "users: 5", "8: trial.users must be MIN..MAX, such as 1..256, but is 5"),
        ("threads: 200", "threads: 2001", "6: tiers.application.threads 2001 is not within the bounds 1..2000"),
        (
            "threads: 200",
            "threads: 20, threads_bounds: 1..2001",
            "6: tiers.application.threads_bounds: board has 2000 threads at most, not 1..2001",
        ),
        ("users: 1..2000", "users: 5..5", "8: trial.users must have fewest < most, but are 5..5"),
        ("seconds: 30s", "seconds: 3s", "8: trial.seconds must be at least 30s, but is '3s'"),
        ("[500ms, 1s]", "[1s, 500ms]", "3: bounds must be in ascending order"),
        (
            "connections: 200",
            "connections: 496",
            "6: tiers.application.connections 496 is not within the bounds 1..495",
        ),
        (
            "connections: 200",
            "connections: 20, connections_bounds: 1..496",
            "6: tiers.application.connections_bounds: each of 2 board before postgres has 495 connections at most",
        ),
        ("  web: {server", "  w b: {server", "4: tiers 'w b' must be 1 to 40 letters, digits and any of _.-"),
        (
            "  database: {server",
            "  application-2: {server: pgbouncer, cores: 1, connections: 9}\n  database: {server",
            "7: tiers: application and application-2 both have a server application-2",
        ),
        ("count: 2", "count: 101", "6: tiers.application.count must be at most 100, but is 101"),
        ("visits: 2", "visits: 1001", "12: model.database.visits must be at most 1000, but is 1001"),
        ("think_time", "size: smal\nthink_time", "2: size: unknown value 'smal'; did you mean 'small'?"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_the_nearest_name(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        topology(tmp_path, (old, new))
    assert str(caught.value).startswith(f"{tmp_path / 'tiers.yaml'}:{message}")
    assert "\n" not in str(caught.value)


def test_a_cycle_of_several_tiers_is_told_with_its_way(tmp_path: Path) -> None:
    changes = (
        ("threads: 400", "threads: 400, calls: application"),
        ("heap: 128m", "heap: 128m, calls: database"),
        ("server: postgres", "server: postgres, calls: web"),
    )
    with pytest.raises(InputError, match="closes a cycle: web -> application -> database -> web"):
        topology(tmp_path, *changes)


def test_tiers_that_are_no_chain_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tier calls it, nor application; the tiers must be one chain"):
        topology(tmp_path, ("heap: 128m", "heap: 128m, calls: web"))
    both = (("threads: 400", "threads: 400, calls: database"), ("heap: 128m", "heap: 128m, calls: database"))
    with pytest.raises(InputError, match="web calls database already; the tiers must be one chain"):
        topology(tmp_path, *both)


def test_a_topology_without_a_model_cannot_be_simulated(tmp_path: Path) -> None:
    found = topology(tmp_path, text=TEXT[: TEXT.index("model:")])
    with pytest.raises(InputError, match="the setting 'model' is missing"):
        found.require_model()


def test_a_topology_without_pools_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to allocate"):
        topology(tmp_path, text="question: What?\ntiers:\n  database: {server: postgres, cores: 1}\n")
