"""Warm-up of a system: trials that are thrown away, until two in a row agree.

A system that was started a moment ago compiles, fills its caches and opens its connections. Each trial then finds it
faster than the one before, another tier may be critical, and what comes later looks better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.ntier.allocator.resources import require_answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.experiment.definition.values import Bounds
    from poolkeeper.ntier.allocator.evidence import Rules
    from poolkeeper.ntier.system import Allocation, System, Trial

STEP = "warm-up"
_MARGIN = 1.25
"""Users beyond the load that saturates by the asymptotic bounds, so that the trials do saturate."""


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Settings of a warm-up.

    Attributes:
        rules: with the tolerance and the most trials.
        users: fewest and most users.
        seconds: counted time of each trial.
    """

    rules: Rules
    users: Bounds
    seconds: float

    def run(self, system: System, allocation: Allocation, say: Callable[[str], None]) -> str | None:
        """Run trials until two in a row agree; returns a warning if none did.

        The load is one that saturates the system as far as it is warm, so it rises with it. Raises RunError if the
        system fails or answers no request.
        """
        users, before, difference = self.users.minimum, None, math.inf
        tolerance = f"{self.rules.agreement:.0%}"
        for number in range(1, self.rules.warm_ups + 1):
            trial = system.run(allocation, users, self.seconds)
            require_answers(system.topology.name, trial)
            found = f"trial {number}, thrown away: {users} users, {allocation}: {trial.throughput:.4g}/s"
            if before is not None and before.users == users:
                difference = change(before, trial)
                found += f", {difference:.1%} from the one before"
            say(found)
            if before is not None and before.users == users and difference <= self.rules.agreement:
                say(f"two trials in a row agree within {tolerance}: the system is warm")
                return None
            before = trial
            needed = saturating_users(trial, system)
            if users < needed and not trial.generator_limited:
                users = min(self.users.maximum, math.ceil(_MARGIN * needed))
        last = "" if math.isinf(difference) else f"; the last two that can be compared differ by {difference:.1%}"
        warning = (
            f"the system was not steady after {self.rules.warm_ups} trials of warm-up: no two in a row agreed within "
            f"{tolerance}{last}"
        )
        say(warning)
        return warning


def demands(trial: Trial) -> dict[str, float]:
    """Time for which a request of a user takes the whole CPU quota of one server of a tier, by tier, in seconds."""
    return {each.tier: each.utilisation / trial.throughput for each in trial.tiers}


def change(before: Trial, after: Trial) -> float:
    """Largest relative change between two trials with the same users: of throughput, or of the demand of a tier.

    That of a demand is relative to the largest one, so an idle tier does not decide.
    """
    old, new = demands(before), demands(after)
    largest = max(new.values())
    found = [abs(after.throughput / before.throughput - 1)]
    if largest > 0:
        found += [abs(new[tier] - old[tier]) / largest for tier in new]
    return max(found)


def saturating_users(trial: Trial, system: System) -> float:
    """Users at which the asymptotic bounds of the throughput meet: (Z + D) / Dmax."""
    found = demands(trial)
    largest = max(found.values())
    if largest <= 0:
        return 0.0
    whole = sum(found[tier.name] * tier.servers for tier in system.topology.tiers)
    return (system.topology.think_time_s + whole) / largest
