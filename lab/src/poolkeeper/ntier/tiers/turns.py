"""Trials of several allocations under one load: the sizes change while it goes on.

A trial of its own pays for the start of a load generator, for sessions that all begin at the same page, and for queues
that fill. Turns under one load pay for the queues alone, so they can be short, and come more often.
"""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.ntier.tiers.load import description
from poolkeeper.ntier.tiers.trial import SLACK_S, TRACE_MOST_S, TrialPlan, TrialRun, under_load, warm_without_quotas

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.system import Allocation, Trial
    from poolkeeper.ntier.tiers.running import RunningTiers

SETTLE_S = 5.0
"""Between a change of sizes and the first second that counts: queues fill or drain."""
RESTARTED_S = 3.0
"""Before that and without quotas, where a server was restarted: connections are opened, and new processes started."""
RESIZE_S = 60.0


@dataclass(frozen=True, slots=True)
class TurnsPlan:
    """Turns of a load.

    Attributes:
        allocations: in their order.
        users: closed users with think times, the same in all turns.
        seconds: counted time of a turn, a whole number.
        settle_s: warm-up of the load under quotas, once.
        cold_s: warm-up without quotas and think times before it.
    """

    allocations: tuple[Allocation, ...]
    users: int
    seconds: int
    settle_s: float
    cold_s: float = 0.0

    @property
    def longest_s(self) -> float:
        """Time that the turns take at most."""
        return len(self.allocations) * (self.seconds + SETTLE_S + RESTARTED_S + RESIZE_S + 1)


@dataclass
class TurnsRun:
    """Turns on running servers."""

    tiers: RunningTiers
    plan: TurnsPlan
    folder: Path
    stop: asyncio.Event

    async def run(self) -> list[Trial]:
        """Run them. Raises RunError, with the requests that were lost, if a server or the load generator ends."""
        plan = self.plan
        if plan.cold_s:
            await warm_without_quotas(self.tiers, plan.cold_s, self.folder / "cold", self.stop)
        stated = description(self.tiers.topology, plan.users, plan.longest_s)
        turns: list[TrialRun] = []
        async with under_load(self.tiers, stated, self.folder, self.stop) as (load, guard):
            within_s = plan.settle_s + TRACE_MOST_S + SLACK_S
            await guard.until(self._turn(0).warm_up(), within_s, "the warm-up")
            load.begin()
            began = time.monotonic()
            for allocation in plan.allocations:
                await guard.until(self._change(allocation), RESIZE_S, f"the change to {allocation}")
                begin = math.ceil(time.monotonic() - began + SETTLE_S)
                settle_s = began + begin - time.monotonic()
                await guard.until(asyncio.sleep(settle_s), settle_s + SLACK_S, "the settling of queues")
                turns.append(self._turn(begin))
                await guard.until(turns[-1].sample(), plan.seconds + SLACK_S, f"the turn of {allocation}")
            # The load generator began a moment later, so its last second has not ended yet.
            await guard.until(asyncio.sleep(1.0), SLACK_S, "the end of the last turn")
        return [turn.trial() for turn in turns]

    def _turn(self, begin: int) -> TrialRun:
        plan = TrialPlan(self.plan.users, self.plan.seconds, self.plan.settle_s)
        return TrialRun(self.tiers, plan, self.folder, self.stop, begin)

    async def _change(self, allocation: Allocation) -> None:
        """Change the sizes; servers that are restarted for it get some seconds without quotas."""
        if await self.tiers.resize(allocation):
            self.tiers.unlimit()
            await asyncio.sleep(RESTARTED_S)
            await self.tiers.limit()
