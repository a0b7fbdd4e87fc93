"""Validation of a recommendation: each pool at fractions and multiples of its size, one at a time, or all together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from poolkeeper.ntier.allocator.plan import telling_bound
from poolkeeper.ntier.allocator.resources import goodput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.ntier.allocator.evidence import Level
    from poolkeeper.ntier.allocator.laboratory import Laboratory
    from poolkeeper.ntier.allocator.plan import Plan
    from poolkeeper.ntier.system import Allocation, PoolKey, Trial

STEP = "validation"
SWEEP = "sweep"
FACTORS = (0.5, 1.0, 2.0, 5.0)
"""Of the recommended sizes."""
GOAL = 0.03
"""Part of the best goodput that the recommendation may lose."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A trial with one pool of another size.

    Attributes:
        pool: the pool; None for the recommendation itself.
        factor: of its recommended size.
        trial: the trial.
        level: goodput with its standard error.
        ratio: goodput to the recommendation's.
        worse: whether it is below that by the margin at least, and by more than chance.
    """

    pool: PoolKey | None
    factor: float
    trial: Trial
    level: Level
    ratio: float
    worse: bool


@dataclass(frozen=True, slots=True)
class Validation:
    """Trials around a recommendation, all with the same number of users.

    Attributes:
        users: users of all trials.
        bound_s: bound of the goodput.
        base: the recommendation.
        variations: pool by pool, factor by factor.
    """

    users: int
    bound_s: float
    base: Variation
    variations: tuple[Variation, ...]

    @property
    def best(self) -> Variation:
        """The trial with the highest goodput."""
        return max((self.base, *self.variations), key=lambda each: each.level.value)

    @property
    def of_best(self) -> float:
        """Goodput of the recommendation to the best one."""
        return self.base.level.value / self.best.level.value


def validate(laboratory: Laboratory, plan: Plan) -> Validation:
    """Run each pool at `FACTORS` of its recommended size, the front-most one also at half of its minimum."""
    users = plan.check.ample.users
    base = laboratory.run(STEP, plan.recommended, users)
    bound = telling_bound(base)
    level = goodput(base, bound)
    found: list[Variation] = []
    for size in plan.sizes:
        recommended = plan.recommended[size.key]
        factors = [factor for factor in FACTORS if factor != 1]
        if size.recommended > size.minimum:
            factors.insert(0, 0.5 * size.minimum / size.recommended)
        for factor in factors:
            allocation = plan.recommended.replace({size.key: _scaled(recommended, factor)})
            if allocation == plan.recommended:
                continue
            trial = laboratory.run(STEP, allocation, users)
            other = goodput(trial, bound)
            ratio = other.value / level.value if level.value else math.nan
            found.append(Variation(size.key, factor, trial, other, ratio, plan.rules.worse(other, level)))
    return Validation(users, bound, Variation(None, 1.0, base, level, 1.0, worse=False), tuple(found))


@dataclass(frozen=True, slots=True)
class Sweep:
    """Trials of all combinations of the factors, all with the same number of users.

    Attributes:
        users: users of all trials.
        bound_s: bound of the goodput.
        base: the recommendation.
        trials: all, the recommendation among them.
    """

    users: int
    bound_s: float
    base: Trial
    trials: tuple[Trial, ...]

    @property
    def best(self) -> Trial:
        """The trial with the highest goodput."""
        return max(self.trials, key=lambda trial: trial.goodput[self.bound_s])

    @property
    def of_best(self) -> float:
        """Goodput of the recommendation to the best one."""
        return self.base.goodput[self.bound_s] / self.best.goodput[self.bound_s]


def sweep(laboratory: Laboratory, plan: Plan) -> Sweep:
    """Run every combination of `FACTORS` of the recommended sizes."""
    users = plan.check.ample.users
    allocations = combinations(plan.recommended)
    trials = tuple(laboratory.run(SWEEP, allocation, users) for allocation in allocations)
    base = next(trial for trial in trials if trial.allocation == plan.recommended)
    return Sweep(users, telling_bound(base), base, trials)


def combinations(recommended: Allocation, factors: Sequence[float] = FACTORS) -> list[Allocation]:
    """Every combination of the factors of the sizes, each once."""
    found: dict[Allocation, None] = {}
    for chosen in product(factors, repeat=len(recommended)):
        sizes = dict(zip(recommended, chosen, strict=True))
        found[recommended.replace({key: _scaled(recommended[key], factor) for key, factor in sizes.items()})] = None
    return list(found)


def _scaled(size: int, factor: float) -> int:
    return max(1, math.floor(size * factor + 0.5) if factor >= 1 else math.floor(size * factor))
