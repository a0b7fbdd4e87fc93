"""Topologies in the simulator: exact where theory is, and the three phenomena of wrong pools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from topologies import MeanValueSystem, topology

from poolkeeper.errors import RunError
from poolkeeper.ntier.allocator.evidence import Rules
from poolkeeper.ntier.allocator.laboratory import Laboratory
from poolkeeper.ntier.allocator.plan import allocate
from poolkeeper.ntier.allocator.resources import goodput, throughput
from poolkeeper.ntier.allocator.validation import ratio_of, validate
from poolkeeper.ntier.model import SimulatedSystem
from poolkeeper.ntier.system import Allocation, PoolKey
from poolkeeper.ntier.topology import read_topology

if TYPE_CHECKING:
    from poolkeeper.ntier.system import Trial
    from poolkeeper.ntier.topology import TopologyFile
    from poolkeeper.sweep.play import SeriesPlayer

EXPERIMENTS = Path(__file__).resolve().parents[3] / "experiments" / "ntier" / "models"
ONE_SERVER = ("count: 2, cores: 1", "cores: 1")
RULES = Rules()


@dataclass(frozen=True)
class Simulator:
    """Makes systems whose trials the simulator plays."""

    play: SeriesPlayer

    def __call__(self, file: TopologyFile) -> SimulatedSystem:
        return SimulatedSystem(file, self.play)

    def loaded(self, file: TopologyFile, users: int, **sizes: int) -> Trial:
        return self(file).run(sized(file, **sizes), users, 40)


@pytest.fixture
def simulated(play: SeriesPlayer) -> Simulator:
    return Simulator(play)


def sized(file: TopologyFile, **sizes: int) -> Allocation:
    """The initial allocation with other sizes: application_threads=4."""
    names = {str(key).replace(".", "_"): key for key in file.topology.initial}
    return file.topology.initial.replace({names[name]: size for name, size in sizes.items()})


@pytest.mark.parametrize("users", [20, 110])
def test_tiers_without_overhead_are_a_closed_network(tmp_path: Path, users: int, simulated: Simulator) -> None:
    file = topology(tmp_path, ONE_SERVER)
    found = simulated(file).run(file.topology.initial, users, 60)
    exact = MeanValueSystem(file).run(file.topology.initial, users, 60)
    level = throughput(found)
    assert level.value == pytest.approx(exact.throughput, abs=4 * level.error)
    assert found.response_s == pytest.approx(exact.response_s, rel=0.12)
    for mine, theirs in zip(found.tiers, exact.tiers, strict=True):
        assert mine.visits == pytest.approx(theirs.visits, rel=1e-2)
        assert mine.utilisation == pytest.approx(theirs.utilisation, rel=0.05)
        assert mine.response_s == pytest.approx(theirs.response_s, rel=0.12)
        assert mine.cpu_s == pytest.approx(file.model[mine.tier].cpu, rel=0.05)
        if theirs.threads_busy is not None:
            assert mine.threads_busy == pytest.approx(theirs.threads_busy, rel=0.15)
    application = found.tier("application")
    # Each of two visits of the database has a connection of its own.
    assert application.connection_uses == pytest.approx(2.0, rel=1e-2)
    assert application.connection_s == pytest.approx(found.tier("database").response_s, rel=1e-3)
    assert sum(found.throughput_series) / 60 == pytest.approx(found.throughput)


def test_the_same_trial_is_the_same_to_the_bit(tmp_path: Path, simulated: Simulator) -> None:
    file = topology(tmp_path)
    system = simulated(file)
    assert system.run(file.topology.initial, 30, 30) == system.run(file.topology.initial, 30, 30)


def test_a_quota_makes_a_core_slower_in_proportion(tmp_path: Path, simulated: Simulator) -> None:
    file = topology(tmp_path, ("{server: postgres, cores: 1}", "{server: postgres, cores: 0.25}"))
    found = simulated(file).run(file.topology.initial, 10, 30).tier("database")
    assert found.response_s > 4 * file.model["database"].cpu
    assert found.cpu_s == pytest.approx(file.model["database"].cpu, rel=0.05)


def test_a_quota_with_a_period_lets_tasks_run_at_full_speed(tmp_path: Path, simulated: Simulator) -> None:
    file = topology(
        tmp_path,
        ("{server: postgres, cores: 1}", "{server: postgres, cores: 0.25}"),
        ("visits: 2", "visits: 2, period: 10ms, burst: 2ms, processors: 2"),
    )
    system = simulated(file)
    database = system.document(file.topology.initial, 10, 30)["tiers"]["database"]
    assert database["cores"] == 2
    assert database["quota"] == {"cores": 0.25, "period": "10000us", "burst": "2000us"}
    found = system.run(file.topology.initial, 5, 40).tier("database")
    cpu = file.model["database"].cpu
    # Of a core that is four times slower it would be more than 4 x 2 ms.
    assert cpu < found.response_s < 3 * cpu
    assert found.cpu_s == pytest.approx(cpu, rel=0.1)
    assert found.utilisation == pytest.approx(found.throughput * cpu / 0.25, rel=0.1)


def test_a_quota_of_more_than_the_processors_is_used_in_part(tmp_path: Path, simulated: Simulator) -> None:
    file = topology(
        tmp_path,
        ("{server: postgres, cores: 1}", "{server: postgres, cores: 4}"),
        ("visits: 2", "visits: 2, period: 10ms, processors: 2"),
    )
    found = simulated(file).run(file.topology.initial, 20, 30).tier("database")
    cpu = file.model["database"].cpu
    assert found.cpu_s == pytest.approx(cpu, rel=0.05)
    assert found.utilisation == pytest.approx(found.throughput * cpu / 4, rel=0.05)


def test_a_connection_of_a_visit_is_held_over_its_calls_and_their_work(tmp_path: Path, simulated: Simulator) -> None:
    held = ("application: {cpu: 4ms}", "application: {cpu: 4ms, connection: visit, held_cpu: 0.5}")
    file = topology(tmp_path, ONE_SERVER, held)
    found = simulated(file).run(file.topology.initial, 1, 60)
    application = found.tier("application")
    assert application.connection_uses == pytest.approx(1.0, rel=1e-2)
    # Alone: half of 4 ms, and two visits of 2 ms.
    assert application.connection_s == pytest.approx(0.006, rel=0.3)
    assert application.response_s == pytest.approx(0.008, rel=0.3)


def test_a_thread_that_lingers_is_busy_but_the_answer_does_not_wait_for_it(
    tmp_path: Path, simulated: Simulator
) -> None:
    file = topology(tmp_path, ("web: {cpu: 1ms}", "web: {cpu: 1ms, linger: 40ms, linger_per_user: 1ms}"))
    plain = topology(tmp_path)
    found, without = (simulated(each).run(each.topology.initial, 10, 60) for each in (file, plain))
    assert found.response_s == pytest.approx(without.response_s, rel=0.1)
    busy = found.tier("web").threads_busy
    assert busy is not None
    assert busy == pytest.approx(found.throughput * (found.response_s + 0.05), rel=0.1)


def test_a_trial_in_which_nothing_is_answered_is_told(tmp_path: Path, simulated: Simulator) -> None:
    slow = (("think_time: 500ms", "think_time: 20h"), ("warm_up: 10s", "warm_up: 1s"))
    file = topology(tmp_path, *slow)
    with pytest.raises(RunError, match="no request was answered with 400-200-200 and 1 users"):
        simulated(file).run(file.topology.initial, 1, 30)


def test_too_few_application_threads_leave_its_cpu_idle(simulated: Simulator) -> None:
    file = read_topology(EXPERIMENTS / "1-2-1-2.yaml")
    enough, few = simulated.loaded(file, 180, application_threads=9), simulated.loaded(file, 180, application_threads=2)
    for bound in file.topology.bounds_s[:2]:
        assert few.goodput[bound] <= 0.7 * enough.goodput[bound]
    assert enough.tier("application").utilisation > 0.95
    assert few.tier("application").utilisation < 0.7


def test_too_many_connections_cost_the_critical_tier(simulated: Simulator) -> None:
    file = read_topology(EXPERIMENTS / "three-tiers.yaml")
    enough, many = (
        simulated.loaded(file, 180, application_connections=13),
        simulated.loaded(file, 180, application_connections=150),
    )
    assert many.tier("database").utilisation > 0.95
    assert enough.tier("database").utilisation > 0.95
    for ratio in (
        ratio_of([throughput(many)], [throughput(enough)]),
        ratio_of([goodput(many, 0.5)], [goodput(enough, 0.5)]),
    ):
        assert ratio.value + ratio.margin(RULES.confidence) < 1 - RULES.loss
    database = many.tier("database").cpu_s, enough.tier("database").cpu_s
    assert database[0] is not None
    assert database[1] is not None
    assert database[0] > 1.2 * database[1]


def test_too_small_a_front_tier_idles_the_critical_one_the_more_the_higher_the_load(
    tmp_path: Path, simulated: Simulator
) -> None:
    text = (EXPERIMENTS / "1-2-1-2.yaml").read_text(encoding="utf-8")
    file = topology(tmp_path, ("linger: 10ms", "linger: 10ms, linger_per_user: 0.5ms"), text=text)
    small = [simulated.loaded(file, users, web_threads=20) for users in (100, 200, 400)]
    used = [trial.tier("application").utilisation for trial in small]
    assert used[0] > 1.2 * used[1] > 1.44 * used[2]
    assert all(trial.tier("web").utilisation < 0.5 for trial in small)
    large = simulated.loaded(file, 200, web_threads=400)
    assert large.tier("application").utilisation > 0.95


def test_a_plan_is_within_3_percent_of_the_best_and_half_of_it_is_clearly_worse(simulated: Simulator) -> None:
    file = read_topology(EXPERIMENTS / "three-tiers.yaml")
    laboratory = Laboratory(simulated(file), 60.0)
    plan = allocate(laboratory, RULES, file.trial.users)
    assert plan.critical.tier == "database"
    assert plan.check.passed
    assert plan.runs <= 4 ** len(plan.sizes) / 4
    found = validate(laboratory, plan, file.trial.users)
    assert found.of_best >= 0.97
    halves = {each.pool: each for each in found.variations if each.factor <= 0.5}
    # The front-most pool has a buffer, so half of its minimum comes first and is the last one here no more.
    front = next(each for each in found.variations if each.pool == PoolKey("web", "threads"))
    assert front.worse
    assert halves[PoolKey("application", "threads")].worse
    assert halves[PoolKey("application", "connections")].worse
