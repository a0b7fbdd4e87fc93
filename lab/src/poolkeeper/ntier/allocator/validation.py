"""Validation of a recommendation: each pool at fractions and multiples of its size, one at a time, or all together.

Trials come in rounds. A round visits each allocation once, in an order of its own, and a goodput is compared with that
of the recommendation in the same round: so a system that becomes faster or slower meanwhile favours none.

An allocation whose ratio is decided takes part in no further round. The ratios are looked at after the fourth round and
every second one from there on, when each order has had its mirror image. All looks together err as seldom as one test:
each has its share of the risk (Bonferroni's inequality).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.experiment.definition.values import Bounds
from poolkeeper.ntier.allocator.evidence import Level
from poolkeeper.ntier.allocator.laboratory import AFRESH, SLICE_S
from poolkeeper.ntier.allocator.loads import telling_load
from poolkeeper.ntier.allocator.minimum import limited, with_room
from poolkeeper.ntier.allocator.plan import telling_bound
from poolkeeper.ntier.allocator.resources import goodput
from poolkeeper.ntier.rounds import in_order_of
from poolkeeper.ntier.system import Allocation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poolkeeper.ntier.allocator.laboratory import Laboratory
    from poolkeeper.ntier.allocator.plan import Plan
    from poolkeeper.ntier.system import PoolKey, Trial

STEP = "validation"
SWEEP = "sweep"
LOAD = "load of the validation"
FACTORS = (0.5, 1.0, 2.0, 5.0)
"""Of the recommended sizes."""
GOAL = 0.03
"""Part of the best goodput that the recommendation may lose."""
_FIRST_LOOK = 4
"""Rounds before the first look: the spread of fewer says too little."""


class Outcome(StrEnum):
    """Part of the scale in which a ratio lies, by more than chance."""

    WORSE = "clearly worse"
    ALIKE = "within the margin"
    BETTER = "clearly better"
    OPEN = "not decided"


@dataclass(frozen=True, slots=True)
class Variation:
    """Trials of an allocation, one a round.

    Attributes:
        pool: the pool that has another size; None for the recommendation itself, and where several have.
        factor: of its recommended size.
        trials: by round; fewer than there were rounds where the ratio was decided before.
        goodput: mean over the rounds.
        ratio: goodput to that of the recommendation in the same round; mean over the rounds, with its standard error.
        outcome: decision about the ratio.
    """

    pool: PoolKey | None
    factor: float
    trials: tuple[Trial, ...]
    goodput: float
    ratio: Level
    outcome: Outcome

    @property
    def worse(self) -> bool:
        """Whether the ratio is below 1 by the margin at least, and by more than chance."""
        return self.outcome is Outcome.WORSE

    @property
    def allocation(self) -> Allocation:
        """The sizes."""
        return self.trials[0].allocation


@dataclass(frozen=True, slots=True)
class Validation:
    """Trials around a recommendation, all with the same number of users.

    Attributes:
        users: users of all trials.
        bound_s: bound of the goodput.
        rounds: number of trials of each allocation that was not decided before.
        confidence: one-sided, of each look at the ratios; of all together it is that of the rules.
        base: the recommendation.
        variations: the others, in the order of their pools and factors.
    """

    users: int
    bound_s: float
    rounds: int
    confidence: float
    base: Variation
    variations: tuple[Variation, ...]

    @property
    def best(self) -> Variation:
        """The allocation with the highest ratio."""
        return max((self.base, *self.variations), key=lambda each: each.ratio.value)

    @property
    def runs(self) -> int:
        """Number of trials."""
        return sum(len(each.trials) for each in (self.base, *self.variations))

    @property
    def of_best(self) -> float:
        """Goodput of the recommendation to the best one."""
        return 1 / self.best.ratio.value


def validate(laboratory: Laboratory, plan: Plan, users: Bounds, rounds: int = 1) -> Validation:
    """Run each pool at `FACTORS` of its recommended size, the front-most one also at half of its minimum.

    Sizes stay within the bounds of the topology. More connections bring more processes of a pgpool behind them, which
    would keep them waiting. Raises RunError if a trial fails.
    """
    varied: dict[Allocation, tuple[PoolKey, float]] = {}
    for size in plan.sizes:
        recommended = plan.recommended[size.key]
        factors = [factor for factor in FACTORS if factor != 1]
        if size.recommended > size.minimum:
            factors.insert(0, 0.5 * size.minimum / size.recommended)
        for factor in factors:
            scaled = _scaled(recommended, factor)
            tried = limited(plan.topology, size.key, scaled)
            allocation = plan.recommended.replace({size.key: tried})
            if factor > 1:
                allocation = with_room(plan.topology, allocation)
            if allocation != plan.recommended:
                varied.setdefault(allocation, (size.key, factor if tried == scaled else tried / recommended))
    return _compare(laboratory, plan, STEP, varied, users, rounds)


def sweep(laboratory: Laboratory, plan: Plan, users: Bounds, rounds: int = 1) -> Validation:
    """Run every combination of `FACTORS` of the recommended sizes, within the bounds of the topology.

    Raises RunError if a trial fails.
    """
    allocations = [
        Allocation({key: limited(plan.topology, key, size) for key, size in each.sizes.items()})
        for each in combinations(plan.recommended)
    ]
    others = dict.fromkeys(allocations, (None, math.nan))
    others.pop(plan.recommended)
    return _compare(laboratory, plan, SWEEP, others, users, rounds)


def _compare(  # noqa: PLR0913 - the parts of one comparison
    laboratory: Laboratory,
    plan: Plan,
    step: str,
    others: Mapping[Allocation, tuple[PoolKey | None, float]],
    bounds: Bounds,
    rounds: int,
) -> Validation:
    pair = (plan.critical.allocation, plan.recommended)
    from_check = Bounds(plan.check.ample.users, bounds.maximum)
    users = telling_load(laboratory, plan.rules, LOAD, pair, from_check, AFRESH)[0].users
    allocations = [plan.recommended, *others]
    laboratory.decide(step, f"{rounds} x {len(allocations)} trials with {users} users, fewer of what is decided")
    found: dict[Allocation, list[Trial]] = {allocation: [] for allocation in allocations}
    confidence = 1 - (1 - plan.rules.confidence) / len(looks(rounds))

    def variation(allocation: Allocation, pool: PoolKey | None, factor: float) -> Variation:
        bound = telling_bound(found[plan.recommended][0])
        levels = [goodput(trial, bound) for trial in found[allocation]]
        mean = math.fsum(level.value for level in levels) / len(levels)
        if allocation == plan.recommended:
            return Variation(None, 1.0, tuple(found[allocation]), mean, Level(1.0, 0.0, math.inf), Outcome.ALIKE)
        base = [goodput(trial, bound) for trial in found[plan.recommended][: len(levels)]]
        ratio = ratio_of(levels, base)
        outcome = outcome_of(ratio, plan.rules.loss, confidence)
        return Variation(pool, factor, tuple(found[allocation]), mean, ratio, outcome)

    left = allocations
    for turn in range(1, rounds + 1):
        run_round(laboratory, step, left, users, turn, rounds, found)
        if turn in looks(rounds) and turn < rounds:
            undecided = [each for each in left[1:] if variation(each, *others[each]).outcome is Outcome.OPEN]
            laboratory.decide(step, f"after {turn} rounds {len(undecided)} of {len(others)} ratios are not decided")
            if not undecided:
                break
            left = [plan.recommended, *undecided]
    base = variation(plan.recommended, None, 1.0)
    return Validation(
        users,
        telling_bound(base.trials[0]),
        len(base.trials),
        confidence,
        base,
        tuple(variation(allocation, pool, factor) for allocation, (pool, factor) in others.items()),
    )


def looks(rounds: int) -> tuple[int, ...]:
    """Rounds after which the ratios are looked at."""
    return (*range(_FIRST_LOOK, rounds, 2), rounds)


def outcome_of(ratio: Level, margin: float, confidence: float) -> Outcome:
    """Decision about a ratio: below 1 - margin, above 1 / (1 - margin), in between, or none; one-sided confidence."""
    half = ratio.margin(2 * confidence - 1)
    lower, upper = ratio.value - half, ratio.value + half
    least, most = 1 - margin, 1 / (1 - margin)
    if upper < least:
        return Outcome.WORSE
    if lower > most:
        return Outcome.BETTER
    return Outcome.ALIKE if lower >= least and upper <= most else Outcome.OPEN


def run_round(  # noqa: PLR0913 - the parts of one round
    laboratory: Laboratory,
    step: str,
    allocations: Sequence[Allocation],
    users: int,
    turn: int,
    rounds: int,
    found: Mapping[Allocation, list[Trial]],
) -> None:
    """Add a trial of each allocation, in the order of this round.

    With several rounds an interval comes from their spread, so a trial can be short.
    """
    order = in_order_of(turn, allocations)
    seconds = min(SLICE_S, laboratory.seconds) if rounds > 1 else None
    for allocation, trial in zip(order, laboratory.run_round(step, order, users, turn, seconds), strict=True):
        found[allocation].append(trial)


def ratio_of(levels: Iterable[Level], base: Iterable[Level]) -> Level:
    """Mean of the ratios of each round. Its standard error comes from the spread of the rounds.

    For one round it is that of a quotient of two means, to first order. NaN where the recommendation had no goodput.
    """
    pairs = list(zip(levels, base, strict=True))
    if any(below.value == 0 for _, below in pairs):
        return Level(math.nan, math.nan, 1.0)
    ratios = np.array([level.value / below.value for level, below in pairs])
    if len(ratios) > 1:
        return Level(float(ratios.mean()), float(ratios.std(ddof=1)) / math.sqrt(len(ratios)), len(ratios) - 1)
    level, below = pairs[0]
    difference = level.less(below, float(ratios[0]))
    return Level(float(ratios[0]), difference.error / below.value, difference.freedom)


def combinations(recommended: Allocation, factors: Sequence[float] = FACTORS) -> list[Allocation]:
    """Every combination of the factors of the sizes, each once."""
    found: dict[Allocation, None] = {}
    for chosen in product(factors, repeat=len(recommended)):
        sizes = dict(zip(recommended, chosen, strict=True))
        found[recommended.replace({key: _scaled(recommended[key], factor) for key, factor in sizes.items()})] = None
    return list(found)


def _scaled(size: int, factor: float) -> int:
    return max(1, math.floor(size * factor + 0.5) if factor >= 1 else math.floor(size * factor))
