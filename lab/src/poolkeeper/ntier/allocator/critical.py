"""First step: raises the load until a resource saturates, and doubles all pools if it is a pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.ntier.allocator.laboratory import GeneratorLimitedError
from poolkeeper.ntier.allocator.resources import ResourceUse, hardware_use, pool_use, saturated, throughput

if TYPE_CHECKING:
    from poolkeeper.experiment.definition.values import Bounds
    from poolkeeper.ntier.allocator.evidence import Rules
    from poolkeeper.ntier.allocator.laboratory import Laboratory
    from poolkeeper.ntier.system import Allocation, PoolKey, Topology, Trial

STEP = "critical resource"
_FLAT = 2
"""Loads in a row without more throughput after which more load is no use."""
_CLOSE = 1.1
"""Factor between two loads within which no further one is tried."""
_THINKING = 0.9
"""Part of a user's cycle that is think time, from which on more users, and nothing else, make more load."""


@dataclass(frozen=True, slots=True)
class CriticalResource:
    """The tier whose hardware saturates first, the pools under which it does, and the loads around it.

    Attributes:
        tier: its name.
        use: its utilisation at the load at which it saturated.
        allocation: pools large enough that none saturates before it.
        below: last load before it saturated; 0 if it was saturated at the first.
        at: load at which it saturated.
        doublings: number of times that all pools were doubled.
    """

    tier: str
    use: ResourceUse
    allocation: Allocation
    below: int
    at: int
    doublings: int


def find_critical_resource(laboratory: Laboratory, rules: Rules, users: Bounds) -> CriticalResource:
    """Raise the load by `rules.growth` from the fewest users on until hardware saturates.

    If a pool saturates first all are doubled, and the step goes on from the load before. Where the load generator is
    the bottleneck, loads between this one and the last are tried. Raises RunError if nothing saturates up to the most
    users or up to what the load generator can send, if throughput stops rising before, or if a pool saturates at its
    bound.
    """
    allocation, doublings = laboratory.topology.initial, 0
    load, below = users.minimum, 0
    flat: list[int] = []
    before: Trial | None = None
    ceiling = 0
    while True:
        try:
            trial = laboratory.run(STEP, allocation, load)
        except GeneratorLimitedError as error:
            ceiling = load
            load = _between(below, ceiling)
            if load == below:
                raise RunError(f"{error}{_reached(before, rules)}") from None
            laboratory.decide(STEP, f"the load generator was the bottleneck with {ceiling} users: {load} are tried")
            continue
        if full := saturated(hardware_use(trial), rules):
            critical = full[0]
            laboratory.decide(STEP, f"{critical.message(rules.confidence)} is saturated with {load} users")
            return CriticalResource(critical.tier, critical, allocation, below, load, doublings)
        if full := saturated(pool_use(trial), rules):
            doubled = _doubled(laboratory.topology, allocation, full, load)
            doublings += 1
            laboratory.decide(
                STEP,
                f"{full[0].message(rules.confidence)} is saturated with {load} users before any hardware: all pools "
                f"are doubled from {allocation} to {doubled}",
            )
            allocation, before, flat = doubled, None, []
            load = max(users.minimum, below)
            continue
        if before is not None:
            flat = [] if rules.rises(throughput(before), throughput(trial)) else [*flat, load]
        if len(flat) >= _FLAT:
            raise RunError(_unexplained(laboratory.topology, trial, rules))
        if load >= users.maximum:
            bounded = think_time_bound(laboratory.topology, trial)
            raise RunError(
                f"{laboratory.topology.name}: nothing is saturated with {load} users, the maximum of trial.users; the "
                f"most used are {_most_used(trial, rules)}; {bounded}allow more users or shorten think_time"
            )
        before, below = trial, load
        load = min(users.maximum, max(load + 1, round(load * rules.growth)))
        if ceiling and (load := _between(below, ceiling)) == below:
            raise RunError(
                f"{laboratory.topology.name}: with {ceiling} users the load generator was the bottleneck before any "
                f"hardware was saturated{_reached(before, rules)}; shorten think_time, so that fewer users make the "
                "same load"
            )


def _between(below: int, ceiling: int) -> int:
    """Load in the middle of two; the lower one if they are close."""
    middle = (below + ceiling) // 2
    return middle if below and middle > below * _CLOSE else below


def _reached(before: Trial | None, rules: Rules) -> str:
    return "" if before is None else f"; with {before.users} users the most used were {_most_used(before, rules)}"


def think_time_bound(topology: Topology, trial: Trial) -> str:
    """Message about think times that bound the throughput; empty if they do not."""
    think_s = topology.think_time_s
    if think_s < _THINKING * (think_s + trial.response_s):
        return ""
    return (
        f"think time bounds the throughput: {trial.users} users who think for {think_s * 1e3:g} ms send at most "
        f"{trial.users / think_s:.4g}/s; "
    )


def _doubled(topology: Topology, allocation: Allocation, full: list[ResourceUse], load: int) -> Allocation:
    changes: dict[PoolKey, int] = {}
    for key in allocation:
        most = topology.tier(key.tier).most.get(key.kind)
        size = 2 * allocation[key]
        changes[key] = size if most is None else min(size, most)
    if all(changes[use.pool] == allocation[use.pool] for use in full if use.pool is not None):
        raise RunError(
            f"{topology.name}: {full[0].name} is saturated with {load} users at the end of its bounds, before any "
            f"hardware: {allocation}; raise its bounds"
        )
    return allocation.replace(changes)


def _unexplained(topology: Topology, trial: Trial, rules: Rules) -> str:
    return (
        f"{topology.name}: throughput stopped rising at {trial.users} users although nothing is saturated; the most "
        f"used are {_most_used(trial, rules)}: something that is not measured limits it, such as a lock or a disk"
        f"{''.join(f'; {warning}' for warning in trial.warnings)}"
    )


def _most_used(trial: Trial, rules: Rules) -> str:
    return " and ".join(use.message(rules.confidence) for use in (hardware_use(trial)[0], *pool_use(trial)[:1]))
