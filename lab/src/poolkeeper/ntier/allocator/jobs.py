"""Second step: raises the load in small steps up to the knee of throughput; counts the jobs in the critical tier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.ntier.allocator.laboratory import GeneratorLimitedError
from poolkeeper.ntier.allocator.resources import throughput

if TYPE_CHECKING:
    from poolkeeper.experiment.definition.values import Bounds
    from poolkeeper.ntier.allocator.critical import CriticalResource
    from poolkeeper.ntier.allocator.evidence import Level, Rules
    from poolkeeper.ntier.allocator.laboratory import Laboratory
    from poolkeeper.ntier.system import TierFigures, Trial

STEP = "minimum of jobs"
_FLAT = 2
"""Loads in a row without more throughput after which the highest one has been seen."""


@dataclass(frozen=True, slots=True)
class Knee:
    """The smallest load with the highest throughput, and the jobs in the critical tier there.

    Attributes:
        trial: the trial at the knee.
        beyond: the trial with the most users, past the knee.
        jobs: mean number of jobs in the critical tier: response time times throughput (Little's law).
        loads: all loads that were tried, ascending.
    """

    trial: Trial
    beyond: Trial
    jobs: float
    loads: tuple[int, ...]


def min_concurrent_jobs(laboratory: Laboratory, critical: CriticalResource, rules: Rules, users: Bounds) -> Knee:
    """Find the knee between the last two loads of the first step, or beyond."""
    width = max(1, math.ceil((critical.at - critical.below) / rules.steps))
    trials: dict[int, Trial] = {}

    def run(load: int) -> None:
        trials[load] = laboratory.run(STEP, critical.allocation, load)

    load = max(critical.below, 1)
    best: Level | None = None
    flat = 0
    while flat < _FLAT:
        try:
            run(load)
        except GeneratorLimitedError:
            if not any(each >= critical.at for each in trials):
                raise
            laboratory.decide(STEP, f"the load generator was the bottleneck with {load} users: continuing with fewer")
            break
        level = throughput(trials[load])
        flat = 0 if best is None or rules.rises(best, level) else flat + 1
        if best is None or level.value > best.value:
            best = level
        if load >= users.maximum:
            break
        load = min(load + width, users.maximum)
    while (knee := _knee(trials, rules)) == min(trials) and knee > 1:
        run(max(1, knee - width))
    trial = trials[knee]
    jobs = jobs_in(trial.tier(critical.tier))
    laboratory.decide(
        STEP,
        f"throughput {trial.throughput:.4g}/s with {knee} users is the first that does not lose "
        f"more than {rules.knee:.0%} of the highest; {critical.tier} holds {jobs:.3g} jobs there",
    )
    return Knee(trial, trials[max(trials)], jobs, tuple(sorted(trials)))


def jobs_in(figures: TierFigures) -> float:
    """Mean number of jobs in a tier, all its servers together, by Little's law.

    Raises RunError if the tier could not tell its response time.
    """
    if math.isnan(figures.response_s):
        raise RunError(f"{figures.tier}: its response time was not measured, which the number of its jobs needs")
    return figures.response_s * figures.throughput


def _knee(trials: dict[int, Trial], rules: Rules) -> int:
    levels = {load: throughput(trials[load]) for load in sorted(trials)}
    # The highest mean may be that of seconds that vary too much to tell any load from it.
    best = max(levels.values(), key=lambda level: level.lower(rules.confidence))
    return next(load for load, level in levels.items() if not rules.below_knee(level, best))
