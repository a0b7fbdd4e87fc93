"""All steps of the allocator, and the check of the recommendation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.experiment.definition.values import Bounds
from poolkeeper.ntier.allocator.critical import CriticalResource, find_critical_resource
from poolkeeper.ntier.allocator.jobs import Knee, min_concurrent_jobs
from poolkeeper.ntier.allocator.loads import telling_load
from poolkeeper.ntier.allocator.minimum import PoolSize, allocation_of, limited, min_allocation, with_room
from poolkeeper.ntier.allocator.resources import goodput, pool_use, saturated

if TYPE_CHECKING:
    from poolkeeper.ntier.allocator.evidence import Level, Rules
    from poolkeeper.ntier.allocator.laboratory import Laboratory
    from poolkeeper.ntier.system import Allocation, PoolKey, Topology, Trial

STEP = "check"
_USUAL = 0.5
"""Part of the throughput that comes within a bound at least, so that goodput within it can tell allocations apart."""


@dataclass(frozen=True, slots=True)
class Check:
    """Trials of recommendations beyond the knee, compared with that of the ample pools.

    Attributes:
        ample: that of the ample pools.
        trials: of the recommendations, in order.
        bound_s: bound of the goodput that was compared.
        chosen: the trial of the one that was chosen.
        passed: whether it does not lose more goodput than allowed.
    """

    ample: Trial
    trials: tuple[Trial, ...]
    bound_s: float
    chosen: Trial
    passed: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Recommendation for a topology and everything that it rests on.

    Attributes:
        topology: the tiers.
        rules: settings of the tests.
        critical: the critical resource.
        knee: the knee of throughput.
        jobs: jobs of the critical tier that the recommendation is made for: those of the knee, or fewer.
        sizes: size of each pool for these jobs and its reason, front to back.
        check: the check.
        runs: trials that were needed, those of the journal included.
    """

    topology: Topology
    rules: Rules
    critical: CriticalResource
    knee: Knee
    jobs: float
    sizes: tuple[PoolSize, ...]
    check: Check
    runs: int

    @property
    def recommended(self) -> Allocation:
        """Sizes per server."""
        return self.check.chosen.allocation

    @property
    def verdict(self) -> str:
        """Critical resource, jobs and pools in three sentences."""
        tier = self.topology.tier(self.critical.tier)
        pools = ", ".join(f"{key} {size}" for key, size in self.recommended.sizes.items())
        servers = f"{tier.servers} server{'' if tier.servers == 1 else 's'}"
        outcome = "" if self.check.passed else " Their goodput is below that of the ample pools: see the check."
        return (
            f"The CPU of {tier.name} ({servers}) is critical: {self.jobs:.3g} jobs keep it busy. "
            f"Throughput has its knee at {self.knee.trial.users} users, {self.knee.trial.throughput:.4g}/s. "
            f"Pools of each server: {pools}.{outcome}"
        )


def allocate(laboratory: Laboratory, rules: Rules, users: Bounds) -> Plan:
    """Run the algorithm on a system. Raises RunError where a step cannot decide."""
    critical = find_critical_resource(laboratory, rules, users)
    knee = min_concurrent_jobs(laboratory, critical, rules, users)
    jobs, sizes, check = _checked(laboratory, rules, critical, knee, users)
    laboratory.decide(STEP, f"recommended per server: {check.chosen.allocation}")
    return Plan(laboratory.topology, rules, critical, knee, jobs, tuple(sizes), check, len(laboratory.trials))


def telling_bound(trial: Trial) -> float:
    """The shortest bound within which `_USUAL` of the answers came, or the longest one."""
    for bound in sorted(trial.goodput):
        if trial.goodput[bound] >= _USUAL * trial.throughput:
            return bound
    return max(trial.goodput)


def _checked(
    laboratory: Laboratory, rules: Rules, critical: CriticalResource, knee: Knee, users: Bounds
) -> tuple[float, list[PoolSize], Check]:
    """Sizes for the fewest jobs that lose no goodput beyond the knee, and the trials that say so.

    The number of jobs at the knee varies, and its mean is more than a constant number that keeps the tier busy. So
    fewer jobs are tried until goodput falls.
    """
    first = allocation_of(min_allocation(laboratory.topology, critical.tier, knee.jobs, knee.trial.tiers, rules.buffer))
    pair = (critical.allocation, first)
    ample = telling_load(laboratory, rules, STEP, pair, Bounds(knee.beyond.users, users.maximum))[0]
    bound = telling_bound(ample)
    best = goodput(ample, bound)
    jobs = knee.jobs
    trials: list[Trial] = []
    chosen: tuple[float, list[PoolSize], Trial] | None = None
    while len(trials) < rules.checks:
        sizes = min_allocation(laboratory.topology, critical.tier, jobs, knee.trial.tiers, rules.buffer)
        allocation = allocation_of(sizes)
        if trials and allocation == trials[-1].allocation:
            break
        trial = laboratory.run(STEP, allocation, ample.users)
        trials.append(trial)
        level = goodput(trial, bound)
        passed = rules.as_good(level, best)
        laboratory.decide(STEP, _message(trial, ample, level, best, bound, rules, passed=passed))
        if not passed:
            break
        chosen = jobs, sizes, trial
        best = max(best, level, key=lambda each: each.value)
        jobs *= rules.trim
    if chosen is not None:
        jobs, sizes, trial = chosen
        return jobs, sizes, Check(ample, tuple(trials), bound, trial, passed=True)
    return knee.jobs, sizes, _enlarged(laboratory, rules, ample, trials, bound)


def _enlarged(laboratory: Laboratory, rules: Rules, ample: Trial, trials: list[Trial], bound: float) -> Check:
    """Trials with more and more of the pool that is in the way, until goodput is that of the ample pools."""
    reference = goodput(ample, bound)
    while len(trials) < rules.checks:
        allocation = trials[-1].allocation
        allocation = allocation.replace(
            {
                key: limited(laboratory.topology, key, max(allocation[key] + 1, round(allocation[key] * rules.enlarge)))
                for key in _in_the_way(trials[-1], rules)
            }
        )
        trial = laboratory.run(STEP, with_room(laboratory.topology, allocation), ample.users)
        trials.append(trial)
        level = goodput(trial, bound)
        passed = rules.as_good(level, reference)
        laboratory.decide(STEP, _message(trial, ample, level, reference, bound, rules, passed=passed))
        if passed:
            return Check(ample, tuple(trials), bound, trial, passed=True)
    return Check(ample, tuple(trials), bound, trials[-1], passed=False)


def _in_the_way(trial: Trial, rules: Rules) -> list[PoolKey]:
    """The saturated pool that is nearest to the back: those in front of it wait for it. All where none is saturated."""
    full = {use.pool for use in saturated(pool_use(trial), rules)}
    return [key for key in trial.allocation if key in full][-1:] or list(trial.allocation)


def _message(  # noqa: PLR0913 - the numbers of one sentence
    trial: Trial, ample: Trial, level: Level, reference: Level, bound: float, rules: Rules, *, passed: bool
) -> str:
    # A mean that is as good, of seconds that vary too much, shows nothing.
    varies = not passed and level.value >= (1 - rules.loss) * reference.value
    compared = "loses no more than" if passed else "is not shown to be within" if varies else "may lose more than"
    why = ": the seconds of the trials vary too much" if varies else ""
    return (
        f"{trial.allocation}: goodput within {bound:g} s is {level.value:.4g}/s with {trial.users} users and "
        f"{compared} {rules.loss:.0%} of the best so far, {reference.value:.4g}/s ({ample.allocation}: "
        f"{ample.goodput[bound]:.4g}/s){why}"
    )
