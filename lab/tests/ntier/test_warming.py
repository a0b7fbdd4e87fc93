"""Systems that become faster while they are measured: the plan and its validation must be those of the warm system."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from topologies import MeanValueSystem, topology

from poolkeeper.errors import RunError
from poolkeeper.ntier.allocator.critical import find_critical_resource
from poolkeeper.ntier.allocator.evidence import Level, Rules
from poolkeeper.ntier.allocator.laboratory import JOURNAL, Laboratory
from poolkeeper.ntier.allocator.plan import Plan, allocate
from poolkeeper.ntier.allocator.validation import (
    LOAD,
    STEP,
    Validation,
    ratio_of,
    run_round,
    validate,
)
from poolkeeper.ntier.allocator.warming import WarmUp, change, saturating_users
from poolkeeper.ntier.system import PoolKey, TierSeries

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from poolkeeper.ntier.system import Allocation, Trial
    from poolkeeper.ntier.topology import TopologyFile

RULES = Rules()
COLD = (16.0, 12.0, 9.0, 7.0, 5.0, 3.0, 1.5, 1.2)
"""Factors on the application's work in the first trials after a start; with them it is the critical tier."""
CONNECTIONS = PoolKey("application", "connections")
ROUNDS = 4


@dataclass
class ColdSystem(MeanValueSystem):
    """Compiles: the application needs several times its processor time in the first trials after a start."""

    cold: tuple[float, ...] = COLD

    def demands(self) -> dict[str, float]:
        made = len(self.runs) - 1
        factor = self.cold[made] if 0 <= made < len(self.cold) else 1.0
        found = super().demands()
        return {**found, "application": found["application"] * factor}


@dataclass
class DriftingSystem(MeanValueSystem):
    """Gets faster for ever, and loses a third of its goodput below ten connections.

    Attributes:
        drift: relative gain of goodput from one trial to the next.
    """

    drift: float = 0.02

    def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
        trial = super().run(allocation, users, seconds)
        factor = (1 + self.drift) ** len(self.runs) * (2 / 3 if allocation[CONNECTIONS] < 10 else 1.0)
        series = {bound: tuple(v * factor for v in values) for bound, values in trial.goodput_series.items()}
        return replace(trial, goodput_series=series)


def warmed(system: MeanValueSystem, folder: Path | None = None, *, resume: bool = False) -> Laboratory:
    warm_up = WarmUp(RULES, system.file.trial.users, 30.0)
    laboratory = Laboratory(system, 30.0, None if folder is None else folder / JOURNAL, warm_up=warm_up)
    laboratory.open(resume=resume)
    return laboratory


def messages(laboratory: Laboratory, step: str) -> list[str]:
    return [message for each, message in laboratory.decisions if each == step]


def test_a_system_that_warms_up_gets_the_plan_of_the_warm_one(tmp_path: Path) -> None:
    file = topology(tmp_path, ("users: 1..2000", "users: 16..2000"))
    right = allocate(Laboratory(MeanValueSystem(file), 30.0), RULES, file.trial.users)
    laboratory = warmed(ColdSystem(file))
    found = allocate(laboratory, RULES, file.trial.users)
    assert (found.critical.tier, found.recommended) == ("database", right.recommended)
    assert (found.knee, found.runs) == (right.knee, right.runs)
    assert messages(laboratory, "warm-up")[-1] == "two trials in a row agree within 5%: the system is warm"
    # The same system without a warm-up names another tier.
    assert allocate(Laboratory(ColdSystem(file), 30.0), RULES, file.trial.users).critical.tier == "application"


def test_the_load_of_a_warm_up_saturates_the_warm_system(tmp_path: Path) -> None:
    system = ColdSystem(topology(tmp_path))
    assert WarmUp(RULES, system.file.trial.users, 30.0).run(system, system.topology.initial, lambda _: None) is None
    users = [each for _, each in system.runs]
    assert users == sorted(users)
    assert len(system.runs) > len(COLD)
    x, _ = MeanValueSystem(system.file).solve(users[-1])
    assert x * MeanValueSystem(system.file).demands()["database"] > RULES.saturation


def test_a_warm_up_is_bounded_and_says_so(tmp_path: Path) -> None:
    class Restless(ColdSystem):
        def demands(self) -> dict[str, float]:
            found = MeanValueSystem.demands(self)
            return {name: value * (1 + len(self.runs) % 2) for name, value in found.items()}

    laboratory = warmed(Restless(topology(tmp_path)))
    laboratory.run("one", laboratory.topology.initial, 100)
    assert len(messages(laboratory, "warm-up")) == RULES.warm_ups + 1
    assert laboratory.warnings()[0].startswith("the system was not steady after 12 trials of warm-up")


def test_after_a_resumption_the_servers_warm_up_again_and_only_if_they_are_asked(tmp_path: Path) -> None:
    file = topology(tmp_path)
    first = ColdSystem(file)
    whole = allocate(warmed(first, tmp_path), RULES, file.trial.users)
    again = ColdSystem(file)
    laboratory = warmed(again, tmp_path, resume=True)
    assert allocate(laboratory, RULES, file.trial.users) == whole
    assert again.runs == []
    found = validate(laboratory, whole, file.trial.users)
    assert found.base.trials[0].throughput == whole.check.chosen.throughput
    assert messages(laboratory, "warm-up")[-1].endswith("the system is warm")


def test_the_change_of_an_idle_tier_does_not_decide(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path, ("web: {cpu: 1ms}", "web: {cpu: 1us}")))
    before = system.run(system.topology.initial, 50, 30.0)
    web = replace(before.tier("web"), utilisation=3 * before.tier("web").utilisation)
    assert change(before, replace(before, tiers=(web, *before.tiers[1:]))) < 0.001
    application = replace(before.tier("application"), utilisation=0.5 * before.tier("application").utilisation)
    tiers = (before.tiers[0], application, before.tiers[2])
    assert change(before, replace(before, tiers=tiers)) == pytest.approx(0.25)


def test_users_that_saturate_follow_from_the_asymptotic_bounds(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    # Z = 500 ms, D = 1 + 4 + 4 ms, Dmax = 4 ms.
    assert saturating_users(system.run(system.topology.initial, 7, 30.0), system) == pytest.approx(509 / 4)


def planned(file: TopologyFile) -> Plan:
    """A plan of the steady system that recommends ten connections."""
    plan = allocate(Laboratory(MeanValueSystem(file), 30.0), RULES, file.trial.users)
    allocation = plan.recommended.replace({CONNECTIONS: 10})
    return replace(plan, check=replace(plan.check, chosen=replace(plan.check.chosen, allocation=allocation)))


def validated(tmp_path: Path, system: Callable[[TopologyFile], MeanValueSystem]) -> Validation:
    file = topology(tmp_path)
    return validate(Laboratory(system(file), 30.0), planned(file), file.trial.users, ROUNDS)


def test_rounds_tell_a_worse_pool_from_a_system_that_gets_faster(tmp_path: Path) -> None:
    found = validated(tmp_path, DriftingSystem)
    half = next(each for each in found.variations if each.pool == CONNECTIONS and each.factor == 0.5)
    assert half.worse
    assert half.ratio.value == pytest.approx(2 / 3, abs=0.01)
    others = [each for each in found.variations if each is not half]
    assert len(others) >= 6
    assert not any(each.worse for each in others)
    for each in others:
        assert each.ratio.value == pytest.approx(1, abs=0.02)
    # Without rounds the last trial would be better by the drift of all before it.
    assert (1 + DriftingSystem(topology(tmp_path)).drift) ** (len(found.variations) * ROUNDS) > 2


def test_each_round_visits_every_allocation_once_in_an_order_of_its_own(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    allocations = [system.topology.initial.replace({CONNECTIONS: size}) for size in range(1, 8)]
    laboratory = Laboratory(system, 30.0)
    found: dict[Allocation, list[Trial]] = {allocation: [] for allocation in allocations}
    for turn in (1, 2, 3):
        run_round(laboratory, STEP, allocations, 50, turn, 3, found)
    orders = [[allocation for allocation, _ in system.runs[at : at + 7]] for at in (0, 7, 14)]
    assert all(sorted(each[CONNECTIONS] for each in order) == list(range(1, 8)) for order in orders)
    assert orders[1] == orders[0][::-1]
    assert len({tuple(map(str, order)) for order in orders}) == 3


@pytest.mark.parametrize("at", [0, 3, 12])
def test_an_interrupted_validation_goes_on_in_the_same_order(tmp_path: Path, at: int) -> None:
    class Interrupting(DriftingSystem):
        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            if len(self.runs) == at:
                raise KeyboardInterrupt
            return super().run(allocation, users, seconds)

    file = topology(tmp_path)
    plan = planned(file)
    system = Interrupting(file)
    laboratory = Laboratory(system, 30.0, tmp_path / JOURNAL)
    laboratory.open(resume=False)
    with pytest.raises(KeyboardInterrupt):
        validate(laboratory, plan, file.trial.users, 2)
    again = DriftingSystem(file, drift=0.02)
    laboratory = Laboratory(again, 30.0, tmp_path / JOURNAL)
    laboratory.open(resume=True)
    validate(laboratory, plan, file.trial.users, 2)
    whole = DriftingSystem(file)
    validate(Laboratory(whole, 30.0), plan, file.trial.users, 2)
    assert [*system.runs[:at], *again.runs] == whole.runs


@dataclass
class FasterSystem(MeanValueSystem):
    """Has got faster since it was planned."""

    def demands(self) -> dict[str, float]:
        return {name: value / 1.7 for name, value in super().demands().items()}


def test_a_validation_raises_the_users_until_the_critical_tier_is_saturated(tmp_path: Path) -> None:
    file = topology(tmp_path)
    plan, system = planned(file), FasterSystem(file)
    laboratory = Laboratory(system, 30.0)
    found = validate(laboratory, plan, file.trial.users)
    assert found.users > plan.check.ample.users
    assert found.base.trials[0].tier("database").utilisation >= RULES.saturation
    assert messages(laboratory, LOAD)[0].startswith("nothing is saturated with")
    assert laboratory.cautions == []


def test_users_who_think_too_long_are_named_where_they_bound_the_validation(tmp_path: Path) -> None:
    file = topology(tmp_path)
    plan = planned(file)
    most = replace(file.trial.users, maximum=plan.check.ample.users)
    laboratory = Laboratory(FasterSystem(file), 30.0)
    found = validate(laboratory, plan, most)
    assert found.users == most.maximum
    assert laboratory.warnings()[0].startswith(f"nothing is saturated with {most.maximum} users and ")
    assert "the maximum of trial.users; think time bounds the throughput" in laboratory.warnings()[0]


class WeakGenerator(MeanValueSystem):
    """Its load generator sends what 100 users send at most."""

    most = 100

    def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
        return replace(super().run(allocation, users, seconds), generator_limited=users > self.most)


def test_a_load_generator_that_bounds_a_plan_is_named_with_what_was_reached(tmp_path: Path) -> None:
    system = WeakGenerator(topology(tmp_path))
    message = r"load generator was the bottleneck.*with 9\d users the most used were CPU of database"
    with pytest.raises(RunError, match=message):
        find_critical_resource(Laboratory(system, 30.0), RULES, system.file.trial.users)


def test_loads_below_what_the_load_generator_can_send_are_tried(tmp_path: Path) -> None:
    system = WeakGenerator(topology(tmp_path))
    system.most = 220  # 256 is the first load that saturates
    found = find_critical_resource(Laboratory(system, 30.0), RULES, system.file.trial.users)
    assert (found.tier, found.below) == ("database", 128)
    assert 128 < found.at <= 220


def test_the_interval_of_a_ratio_comes_from_the_rounds() -> None:
    base = [Level(100.0, 1.0, 50), Level(200.0, 1.0, 50), Level(50.0, 1.0, 50)]
    found = ratio_of([Level(90.0, 1.0, 50), Level(200.0, 1.0, 50), Level(55.0, 1.0, 50)], base)
    assert found.freedom == 2
    assert found.value == pytest.approx(1.0)
    assert found.error == pytest.approx(0.1 / 3**0.5)
    alone = ratio_of([Level(90.0, 3.0, 50)], [Level(100.0, 4.0, 50)])
    assert alone.error == pytest.approx(0.9 * ((3 / 90) ** 2 + (4 / 100) ** 2) ** 0.5)
    assert ratio_of([Level(1.0, 0.0, 9)], [Level(0.0, 0.0, 9)]).value != 1


def test_think_time_is_not_blamed_where_answers_are_slow(tmp_path: Path) -> None:
    file = topology(tmp_path, ("think_time: 500ms", "think_time: 0ms"), ("users: 1..2000", "users: 1..2"))

    class Idle(MeanValueSystem):
        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            trial = super().run(allocation, users, seconds)
            return replace(trial, tiers=tuple(replace(t, series=TierSeries((0.5,) * 30)) for t in trial.tiers))

    with pytest.raises(RunError, match="nothing is saturated with 2 users") as raised:
        find_critical_resource(Laboratory(Idle(file), 30.0), RULES, file.trial.users)
    assert "think time bounds" not in str(raised.value)
