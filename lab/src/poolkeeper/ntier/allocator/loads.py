"""A load under which allocations can be told apart: one that all of them saturate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from poolkeeper.ntier.allocator.critical import think_time_bound
from poolkeeper.ntier.allocator.laboratory import GeneratorLimitedError
from poolkeeper.ntier.allocator.resources import hardware_use, pool_use, saturated, throughput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.experiment.definition.values import Bounds
    from poolkeeper.ntier.allocator.evidence import Rules
    from poolkeeper.ntier.allocator.laboratory import Laboratory
    from poolkeeper.ntier.system import Allocation, Trial

_MORE = 1.25
"""Factor on the users while an allocation is not saturated."""


def telling_load(  # noqa: PLR0913 - the parts of one search
    laboratory: Laboratory, rules: Rules, step: str, allocations: Sequence[Allocation], users: Bounds, turn: int = 0
) -> list[Trial]:
    """Trials of all allocations under the first load, from the fewest users upwards, that saturates each of them.

    An allocation is saturated if hardware or a pool is, or if more users did not raise its throughput. Users who get
    all that they ask for make small and large pools look alike. Where the load generator or the most users allow no
    more load, a warning names what is not saturated. Raises RunError if a trial fails.
    """
    load = users.minimum
    found: list[Trial] = []
    while True:
        try:
            trials = [laboratory.run(step, each, load, turn) for each in allocations]
        except GeneratorLimitedError:
            if not found:
                raise
            bottleneck = f"the load generator was the bottleneck with {load} users, so {found[0].users} have to do"
            laboratory.caution(step, f"{bottleneck}: {_alike(found[0])}")
            return found
        idle = [trial for at, trial in enumerate(trials) if not _full(trial, found[at] if found else None, rules)]
        if not idle:
            return trials
        message = f"nothing is saturated with {load} users and {idle[0].allocation}"
        if load >= users.maximum:
            bounded = think_time_bound(laboratory.topology, idle[0])
            laboratory.caution(step, f"{message}, the maximum of trial.users; {bounded}{_alike(idle[0])}")
            return trials
        found, load = trials, min(users.maximum, math.ceil(load * _MORE))
        laboratory.decide(step, f"{message}: {load} are tried")


def _full(trial: Trial, before: Trial | None, rules: Rules) -> bool:
    if saturated([*hardware_use(trial), *pool_use(trial)], rules):
        return True
    return before is not None and not rules.rises(throughput(before), throughput(trial))


def _alike(trial: Trial) -> str:
    return f"while {trial.allocation} is not saturated, larger and smaller pools may look alike"
