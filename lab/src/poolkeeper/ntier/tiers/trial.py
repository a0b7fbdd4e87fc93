"""A trial on real servers: a warm-up, and so many seconds that count."""

from __future__ import annotations

import asyncio
import json
import math
import os
import time
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.guard import Guard
from poolkeeper.ntier.system import Trial
from poolkeeper.ntier.tiers.figures import Samples, tier_figures
from poolkeeper.ntier.tiers.load import Load, description, lost_so_far, read_result
from poolkeeper.ntier.tiers.processors import ProcessorTimes, taken_by_others, used_s
from poolkeeper.ntier.tiers.servers.access_log import NO_STATUS
from poolkeeper.ntier.tiers.servers.server import START_S as RESTART_S
from poolkeeper.ntier.tiers.servers.usage import switched
from poolkeeper.ntier.tiers.tracing import Tracer, Traces
from poolkeeper.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine
    from pathlib import Path

    from poolkeeper.ntier.system import Allocation, TierFigures
    from poolkeeper.ntier.tiers.faults import Fault
    from poolkeeper.ntier.tiers.load import LoadResult
    from poolkeeper.ntier.tiers.running import RunningTiers

RESULT = "trial.json"
_START_S = 180.0
SLACK_S = 60.0
"""For the last answers, whose requests may wait as long as the front tier lets them."""
_TRACE_S = 2.0
TRACE_MOST_S = 60.0
"""For the first request that is traced, where requests take long."""
_COMPARE_S = 120.0
_COLD_USERS = 8
"""For each board, without think times: enough to keep it busy."""
_BUSY_PART = 0.1
_OUTSIDE_PART = 0.1
_MISSING_DEVIATIONS = 4
_STOPPED = "stopped after "
"""Beginning of the load generator's warning about its end."""


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """Users and times of a trial, in seconds.

    Attributes:
        users: closed users with think times.
        seconds: counted time, a whole number.
        settle_s: warm-up under quotas.
        cold_s: warm-up without quotas and think times before it, for virtual machines that compile.
        faults: what is to happen meanwhile.
    """

    users: int
    seconds: int
    settle_s: float
    cold_s: float = 0.0
    faults: tuple[Fault, ...] = ()


@dataclass
class TrialRun:
    """One trial on running servers.

    `begin`: second of its load at which it begins to count, where it shares the load with others.
    """

    tiers: RunningTiers
    plan: TrialPlan
    folder: Path
    stop: asyncio.Event
    begin: int | None = None
    samples: Samples = field(default_factory=Samples)
    traces: Traces | None = None
    replicas_equal: bool | None = None
    failed_before: dict[int, int] = field(default_factory=dict)
    """Failed requests in the log of the front tier before the trial counts, by status."""
    counting: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with the first counters: without them those of a server that a fault ends would be missing."""
    _allocation: Allocation = field(init=False)
    _faults_over: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    _processors: list[ProcessorTimes] = field(default_factory=list)

    async def run(self) -> Trial:
        """Run it, and write its result into its folder.

        Raises RunError if a server or the load generator ends, with the requests that were lost; Interrupted when a
        person stops it.
        """
        stated = description(self.tiers.topology, self.plan.users, self.plan.seconds)
        if self.plan.cold_s:
            await warm_without_quotas(self.tiers, self.plan.cold_s, self.folder / "cold", self.stop)
        async with under_load(self.tiers, stated, self.folder, self.stop) as (load, guard):
            within_s = self.plan.settle_s + TRACE_MOST_S + SLACK_S
            await guard.until(self.warm_up(), within_s, "the warm-up")
            for fault in self.plan.faults:
                guard.watch(forever(self._happen(fault)))
            load.begin()
            within_s = self.plan.seconds + SLACK_S
            await guard.until(self.sample(), within_s, "the end of the trial")
            await guard.until(load.child.ended(), SLACK_S, "the end of the load")
            await guard.until(self._settle(), RESTART_S, "the end of all faults")
            await guard.until(self._compare(), _COMPARE_S, "the comparison of the databases")
        trial = self.trial()
        write_whole(self.folder / RESULT, json.dumps(self.document(trial), indent=2) + "\n")
        return trial

    async def warm_up(self) -> None:
        """Put the quotas in force, wait until they show, and trace requests meanwhile."""
        await self.tiers.limit()
        tracer = Tracer(self.tiers)
        traced_s = min(_TRACE_S, self.plan.settle_s)
        # Sessions begin with the same page, so the first seconds have other requests than those that count.
        before_s = (self.plan.settle_s - traced_s) / 2
        await asyncio.sleep(before_s)
        if traced_s:
            await tracer.begin()
            await tracer.gather(traced_s, TRACE_MOST_S)
            await tracer.end()
        await asyncio.sleep(before_s)
        self.traces = await asyncio.to_thread(tracer.result) if traced_s else None

    async def _happen(self, fault: Fault) -> None:
        await self.counting.wait()
        await fault.happen(self.tiers)
        self._faults_over.release()

    async def _settle(self) -> None:
        """Wait until a server that was restarted late answers again."""
        for _ in self.plan.faults:
            await self._faults_over.acquire()

    async def sample(self) -> None:
        """Count second by second."""
        self._allocation = self.tiers.allocation
        self._processors = [ProcessorTimes.now()]
        self.tiers.front.access.read()
        self.failed_before = dict(self.tiers.front.access.failed)
        switches = self.tiers.switches()
        last = await self.tiers.count()
        self.samples.counted.append(last)
        self.counting.set()
        began = time.monotonic()
        for second in range(1, self.plan.seconds + 1):
            await asyncio.sleep(max(0.0, began + second - time.monotonic()))
            last = await self.tiers.count(last)
            self.samples.counted.append(last)
        self._processors.append(ProcessorTimes.now())
        after = self.tiers.switches()
        # Those of processes that were ended are lost, and 0 would be a wrong number.
        ended = {self.tiers.server(fault.server).tier.name for fault in self.plan.faults if fault.kind != "slow"}
        self.samples.switches = {
            name: switched(before, after[name]) for name, before in switches.items() if name not in ended
        }

    async def _compare(self) -> None:
        """See whether all databases hold the same, as replicas should."""
        databases = self.tiers.databases
        if len(databases) > 1 and all(database.running for database in databases):
            found = await asyncio.gather(*(database.fingerprint() for database in databases))
            self.replicas_equal = all(other == found[0] for other in found)

    def trial(self) -> Trial:
        """The trial, once its load has left its record. Raises RunError."""
        result = read_result(self.folder, self.plan.seconds, self.begin or 0)
        bounds = self.tiers.topology.bounds_s
        goodput = {bound: result.goodput_series(bound) for bound in bounds}
        tiers = tier_figures(self.tiers.topology, self._allocation, self.samples)
        limits = generator_limits(result, tiers[0], self.tiers.topology.think_time_s)
        own_s = used_s(self.tiers.topology, tiers, self.plan.seconds) + result.cpu_s
        others = taken_by_others(self._processors[0], self._processors[-1], own_s)
        return Trial(
            users=self.plan.users,
            allocation=self._allocation,
            seconds=float(self.plan.seconds),
            throughput=sum(result.throughput_series) / self.plan.seconds,
            response_s=result.response_s,
            goodput={bound: sum(series) / self.plan.seconds for bound, series in goodput.items()},
            errors=result.errors / result.requests if result.requests else 0.0,
            tiers=tiers,
            throughput_series=result.throughput_series,
            goodput_series=goodput,
            generator_limited=bool(limits),
            warnings=(*limits, *([others] if others else []), *self._warnings(result)),
        )

    def _warnings(self, result: LoadResult) -> list[str]:
        # A load that others share is stopped after the last of them.
        warnings = [each for each in result.warnings if self.begin is None or not each.startswith(_STOPPED)]
        if (why := self.tiers.workplace.no_quotas) is not None:
            warnings.append(f"without CPU quotas, so all servers share all cores: {why}")
        elif (cores := sum(tier.cores * tier.servers for tier in self.tiers.topology.tiers)) > (os.cpu_count() or 1):
            warnings.append(
                f"the quotas add up to {cores:g} cores of {os.cpu_count()}: not all can have theirs at once"
            )
        if self.replicas_equal is False:
            warnings.append("the databases differ: a write has reached some of them only")
        warnings += [str(fault) for fault in self.plan.faults]
        if result.errors and self.begin is None:
            warnings.append(f"{result.lost}, until the last answer{self._front_errors()}")
        if (message := unbalanced(result, self.plan, self.tiers.topology.think_time_s)) is not None:
            warnings.append(message)
        return warnings

    def _front_errors(self) -> str:
        access = self.tiers.front.access
        access.read()
        failed = {status: count - self.failed_before.get(status, 0) for status, count in sorted(access.failed.items())}
        kinds = ", ".join(
            f"{'no answer' if status == NO_STATUS else f'status {status}'}: {count}"
            for status, count in failed.items()
            if count
        )
        return f"; the front tier has logged {kinds}" if kinds else ""

    def document(self, trial: Trial) -> dict[str, Any]:
        """The trial as JSON, with the figures of its traces."""
        document = asdict(trial)
        document["allocation"] = trial.allocation.as_json()
        document["goodput"] = {f"{bound:g}": value for bound, value in trial.goodput.items()}
        document["goodput_series"] = {f"{bound:g}": series for bound, series in trial.goodput_series.items()}
        document["quotas"] = self.tiers.workplace.no_quotas or "in force"
        document["throttled"] = self._throttled()
        document["replicas_equal"] = self.replicas_equal
        document["traces"] = asdict(self.traces) if self.traces is not None else None
        return document

    def _throttled(self) -> dict[str, float]:
        found = {server.name: server.throttling() for server in self.tiers.all()}
        return {name: throttling.throttled_s for name, throttling in found.items() if throttling is not None}


def generator_limits(result: LoadResult, front: TierFigures, think_time_s: float) -> list[str]:
    """Messages about limits of the load generator that decided about the throughput; none if there were none.

    A user's cycle is a think time and a response time. The part of the response time that lies outside of the tiers is
    spent in the load generator and its connections: it makes users slower, as a longer think time would.

    Response times of users are those of right answers, those of the front tier of all. Failures may be much faster, so
    they count as if they had taken no time.
    """
    messages = []
    if result.generator_busy >= _BUSY_PART:
        messages.append(f"the load generator used up its processor in {result.generator_busy:.0%} of the seconds")
    if front.throughput > 0:
        waiting = (front.threads_waiting or 0.0) + (front.connections_waiting or 0.0)
        right = 1 - result.errors / result.requests if result.requests else 0.0
        outside_s = right * result.response_s - front.response_s - waiting / front.throughput
        part = outside_s / (think_time_s + result.response_s)
        if part > _OUTSIDE_PART:
            messages.append(
                f"{outside_s * 1000:.0f} ms of the mean response time, {part:.0%} of a user's cycle, lie outside of the"
                " tiers: the load generator did not get the processor when it needed it"
            )
    return messages


def unbalanced(result: LoadResult, plan: TrialPlan, think_time_s: float) -> str | None:
    """Message about users whose requests were not answered in the counted time; None if that are few.

    By Little's law the users are throughput x (think time + response time), errors included.
    """
    found = result.requests / plan.seconds * (think_time_s + result.response_s)
    missing = plan.users - found
    if missing <= _OUTSIDE_PART * plan.users or missing < _MISSING_DEVIATIONS * math.sqrt(plan.users):
        return None
    return (
        f"the answers account for {found:.0f} of {plan.users} users: the requests of the others took longer than the"
        " trial, so the mean response time is too short"
    )


async def warm_without_quotas(tiers: RunningTiers, seconds: float, folder: Path, stop: asyncio.Event) -> None:
    """Have virtual machines compile, under a load that is as heavy as they can take. Raises RunError, Interrupted."""
    tiers.unlimit()
    users = _COLD_USERS * sum(tier.servers for tier in tiers.topology.tiers if tier.heap is not None)
    load = Load.start(tiers.front.port, description(tiers.topology, users, seconds, 0.0), folder)
    try:
        async with Guard(stop) as guard:
            for server in tiers.all():
                guard.watch(server.watch())
            await guard.until(load.warming_up(), _START_S, "the start of the load")
            await guard.until(asyncio.sleep(seconds), seconds + SLACK_S, "the warm-up")
    finally:
        await load.stop()


@asynccontextmanager
async def under_load(
    tiers: RunningTiers, stated: dict[str, Any], folder: Path, stop: asyncio.Event
) -> AsyncIterator[tuple[Load, Guard]]:
    """Start a load that warms up; it is stopped at the end.

    Raises RunError, with the requests that were lost, if a server or the load generator ends meanwhile.
    """
    load = Load.start(tiers.front.port, stated, folder)
    try:
        async with Guard(stop) as guard:
            for server in tiers.all():
                guard.watch(server.watch())
            guard.watch(forever(load.watch()))
            await guard.until(load.warming_up(), _START_S, "the start of the load")
            yield load, guard
    except RunError as error:
        await load.stop()
        lost = lost_so_far(folder)
        raise RunError(f"{error}; {lost}" if lost else str(error)) from None
    finally:
        await load.stop()


async def forever(work: Coroutine[Any, Any, None]) -> None:
    """Do some work and never return, because a guard takes the end of a watched task for a failure."""
    await work
    await asyncio.Event().wait()
