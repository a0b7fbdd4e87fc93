"""Rounds of a validation: turns under one load, and allocations that are decided before the last round."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from topologies import MeanValueSystem, topology

from poolkeeper.errors import RunError
from poolkeeper.ntier.allocator.evidence import Level, Rules
from poolkeeper.ntier.allocator.laboratory import JOURNAL, SLICE_S, Laboratory
from poolkeeper.ntier.allocator.plan import allocate
from poolkeeper.ntier.allocator.validation import Outcome, looks, outcome_of, validate
from poolkeeper.ntier.system import PoolKey

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from poolkeeper.ntier.allocator.plan import Plan
    from poolkeeper.ntier.system import Allocation, Trial
    from poolkeeper.ntier.topology import TopologyFile

RULES = Rules()
CONNECTIONS = PoolKey("application", "connections")
ROUNDS = 8


@dataclass
class AlternatingTiers(MeanValueSystem):
    """Takes turns under one load; half of the connections lose a third, and other sizes vary from turn to turn.

    Attributes:
        noise: standard deviation of the goodput of other sizes than the recommended ones, relative.
    """

    noise: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.loads: list[tuple[list[Allocation], int, float]] = []
        self.random = np.random.default_rng(4)

    def run_in_turns(self, allocations: Sequence[Allocation], users: int, seconds: float) -> list[Trial]:
        self.loads.append((list(allocations), users, seconds))
        return [self._turn(each, users, seconds) for each in allocations]

    def _turn(self, allocation: Allocation, users: int, seconds: float) -> Trial:
        trial = self.run(allocation, users, seconds)
        factor = 1.0
        if allocation[CONNECTIONS] == 5:
            factor = 2 / 3 + self.random.normal(0, 0.01)
        elif allocation[CONNECTIONS] == 20:
            factor = 1 + self.random.normal(0, self.noise)
        series = {bound: tuple(v * factor for v in values) for bound, values in trial.goodput_series.items()}
        return replace(trial, goodput_series=series)


def planned(file: TopologyFile) -> Plan:
    """A plan that recommends ten connections."""
    plan = allocate(Laboratory(MeanValueSystem(file), 30.0), RULES, file.trial.users)
    allocation = plan.recommended.replace({CONNECTIONS: 10})
    return replace(plan, check=replace(plan.check, chosen=replace(plan.check.chosen, allocation=allocation)))


def test_what_is_decided_takes_part_in_no_further_round(tmp_path: Path) -> None:
    file = topology(tmp_path)
    system, plan = AlternatingTiers(file), planned(file)
    found = validate(Laboratory(system, 30.0), plan, file.trial.users, ROUNDS)
    connections = {each.factor: each for each in found.variations if each.pool == CONNECTIONS}
    assert (connections[0.5].outcome, len(connections[0.5].trials)) == (Outcome.WORSE, 4)
    assert connections[0.5].ratio.value == pytest.approx(2 / 3, abs=0.02)
    assert (connections[2.0].outcome, len(connections[2.0].trials)) == (Outcome.OPEN, ROUNDS)
    assert (connections[5.0].outcome, len(connections[5.0].trials)) == (Outcome.ALIKE, 4)
    assert len(found.base.trials) == found.rounds == ROUNDS
    assert found.runs == 2 * ROUNDS + 4 * (len(found.variations) - 1)
    rounds = [allocations for allocations, _, _ in system.loads]
    assert [len(each) for each in rounds] == [len(found.variations) + 1] * 4 + [2] * 4
    assert rounds[5] == rounds[4][::-1]
    assert all(seconds == SLICE_S for _, _, seconds in system.loads)


def test_a_validation_ends_with_the_last_decision(tmp_path: Path) -> None:
    file = topology(tmp_path)
    system = AlternatingTiers(file, noise=0.001)
    found = validate(Laboratory(system, 30.0), planned(file), file.trial.users, ROUNDS)
    assert (found.rounds, len(system.loads)) == (4, 4)
    assert Outcome.OPEN not in {each.outcome for each in found.variations}


def test_one_round_has_trials_of_full_length(tmp_path: Path) -> None:
    # Its intervals come from the seconds of the trials, of which few are too few.
    file = topology(tmp_path)
    system = AlternatingTiers(file)
    validate(Laboratory(system, 30.0), planned(file), file.trial.users, 1)
    assert [seconds for _, _, seconds in system.loads] == [30.0]


def test_rounds_that_ended_are_taken_from_the_journal(tmp_path: Path) -> None:
    file = topology(tmp_path)
    plan, system = planned(file), AlternatingTiers(file, noise=0.001)

    class Interrupted(AlternatingTiers):
        def run_in_turns(self, allocations: Sequence[Allocation], users: int, seconds: float) -> list[Trial]:
            if len(self.loads) == 2:
                raise KeyboardInterrupt
            return super().run_in_turns(allocations, users, seconds)

    first = Laboratory(Interrupted(file, noise=0.001), 30.0, tmp_path / JOURNAL)
    first.open(resume=False)
    with pytest.raises(KeyboardInterrupt):
        validate(first, plan, file.trial.users, ROUNDS)
    resumed = Laboratory(system, 30.0, tmp_path / JOURNAL)
    resumed.open(resume=True)
    found = validate(resumed, plan, file.trial.users, ROUNDS)
    assert len(system.loads) == 2
    whole = AlternatingTiers(file, noise=0.001)
    validate(Laboratory(whole, 30.0), plan, file.trial.users, ROUNDS)
    assert [each for each, _, _ in system.loads] == [each for each, _, _ in whole.loads][2:]
    assert all(len(each.trials) == 4 for each in found.variations)


def test_many_turns_are_divided_among_loads(tmp_path: Path) -> None:
    system = AlternatingTiers(topology(tmp_path))
    allocations = [system.topology.initial.replace({CONNECTIONS: size}) for size in range(30, 66)]
    found = Laboratory(system, 30.0).run_round("sweep", allocations, 50, 1)
    assert [trial.allocation for trial in found] == allocations
    assert [len(each) for each, _, _ in system.loads] == [16, 16, 4]


def test_a_turn_that_the_load_generator_limited_counts_for_nothing(tmp_path: Path) -> None:
    class Limited(AlternatingTiers):
        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            return replace(super().run(allocation, users, seconds), generator_limited=True)

    laboratory = Laboratory(Limited(topology(tmp_path)), 30.0)
    with pytest.raises(RunError, match="with 7 users the load generator was the bottleneck"):
        laboratory.run_round("one", [laboratory.topology.initial], 7, 1)
    assert laboratory.trials == []


@pytest.mark.parametrize(
    ("value", "half", "outcome"),
    [
        (0.90, 0.06, Outcome.WORSE),
        (0.90, 0.08, Outcome.OPEN),
        (1.00, 0.02, Outcome.ALIKE),
        (1.00, 0.04, Outcome.OPEN),
        (1.08, 0.04, Outcome.BETTER),
        (1.08, 0.06, Outcome.OPEN),
        (math.nan, 0.01, Outcome.OPEN),
    ],
)
def test_a_ratio_is_decided_where_its_interval_lies_in_one_part(value: float, half: float, outcome: Outcome) -> None:
    # One-sided 95 % of Student's t with 3 degrees of freedom.
    assert outcome_of(Level(value, half / 2.3534, 3), 0.03, 0.95) is outcome


@pytest.mark.parametrize(("rounds", "found"), [(1, (1,)), (3, (3,)), (4, (4,)), (6, (4, 6)), (9, (4, 6, 8, 9))])
def test_looks_come_after_rounds_that_have_their_mirror_image(rounds: int, found: tuple[int, ...]) -> None:
    assert looks(rounds) == found


def mean_of(ratios: np.ndarray) -> Level:
    return Level(float(ratios.mean()), float(ratios.std(ddof=1)) / math.sqrt(len(ratios)), len(ratios) - 1)


def test_all_looks_together_err_as_seldom_as_one_test() -> None:
    # A true ratio at the border: each decision that it is below is an error. Looks with the whole risk each err in 10%.
    random = np.random.default_rng(1)
    at = looks(ROUNDS)
    confidence = 1 - 0.05 / len(at)
    errors = 0
    for ratios in random.normal(0.97, 0.05, (4000, ROUNDS)):
        outcomes = (outcome_of(mean_of(ratios[:n]), 0.03, confidence) for n in at)
        errors += next((each for each in outcomes if each is not Outcome.OPEN), Outcome.OPEN) is Outcome.WORSE
    assert errors / 4000 < 0.05
