"""One run: a server under its load, watched and recorded."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.alternation import Alternation
from poolkeeper.experiment.balancer.backend_group import BackendGroup, pool_name
from poolkeeper.experiment.balancer.incident_messages import tell
from poolkeeper.experiment.definition.pools import AdmissionPool, OwnPool
from poolkeeper.experiment.processes.admin import current_size, let_go, resize, state
from poolkeeper.experiment.processes.backends import Backends
from poolkeeper.experiment.processes.cpu_quotas import CpuQuotas
from poolkeeper.experiment.processes.downstream import Downstream
from poolkeeper.experiment.processes.guard import DiskFull, Guard, Interrupted
from poolkeeper.experiment.processes.process import Child
from poolkeeper.experiment.processes.server import Server
from poolkeeper.experiment.progress import RunProgress, Second
from poolkeeper.experiment.recording.disk import check_room, is_full
from poolkeeper.experiment.recording.merge import merge_pools
from poolkeeper.experiment.recording.monitor import Monitor
from poolkeeper.experiment.warming.warm_up import WarmUp, drifted, not_steady, since
from poolkeeper.record import RecordError, read_run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from poolkeeper.experiment.planning.plan import PlannedWarmUp
    from poolkeeper.experiment.processes.database import Database
    from poolkeeper.experiment.processes.quota import Groups
    from poolkeeper.experiment.processes.server import Servers
    from poolkeeper.experiment.processes.testbed import Testbed
    from poolkeeper.experiment.recording.counters import Counters
    from poolkeeper.experiment.recording.recorder import RunRecorder, WarmedUp

OTHERS_CPUS = 0.25
"""Processors used by others from which on a run is marked."""
_SECOND = 1.0


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds after which something that has not happened is taken for a failure."""

    start: float = 180.0
    """Until a server is ready."""
    silence: float = 30.0
    """Between two messages of a load generator, which speaks once a second."""
    stop: float = 15.0
    """Until a process has ended that was asked to; a server answers first what is under way."""


PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class RunContext:
    """Context of a run: testbed, servers, a way to its database, the wish to stop, and the room on a folder's disk."""

    testbed: Testbed
    servers: Servers
    database: Callable[[Guard], Awaitable[Database]]
    stop: asyncio.Event
    free_bytes: Callable[[Path], int]
    patience: Patience
    groups: Groups | None = None
    """For CPU quotas; None where nobody may set any."""
    no_quotas: str = ""
    """Why."""
    counters: Counters | None = None
    """Counters of the server's events, if they are wanted."""


async def execute(progress: RunProgress, recorder: RunRecorder, context: RunContext) -> None:
    """Do a run and record how it ended, in run.json and in `going`.

    Raises Interrupted when a person stops it, DiskFull when there is no room; both are recorded too. That it failed
    otherwise is recorded only.
    """
    try:
        await _Execution(progress, recorder, context).run()
        recorder.finish("complete")
        read_run(recorder.folder)
        progress.status = "complete"
    except Interrupted:
        _finish(progress, recorder, "interrupted", "stopped by hand")
        raise
    except DiskFull as error:
        _finish(progress, recorder, "failed", str(error))
        raise
    except (RunError, RecordError) as error:
        _finish(progress, recorder, "failed", str(error))
    except OSError as error:
        problem = f"{error.filename or recorder.folder}: {error.strerror}"
        _finish(progress, recorder, "failed", problem)
        if is_full(error):
            raise DiskFull(problem) from None


def _finish(progress: RunProgress, recorder: RunRecorder, status: Any, error: str) -> None:
    progress.status, progress.error = status, error
    with suppress(OSError):  # a full disk; the record says `running`, which a resume takes for unfinished as well
        recorder.finish(status, error)


class _Execution:
    def __init__(self, progress: RunProgress, recorder: RunRecorder, context: RunContext) -> None:
        self.progress = progress
        self.planned = progress.run
        self.recorder = recorder
        self.context = context
        self.patience = context.patience
        self.folder = recorder.folder
        self.warm_up: WarmUp | None = None
        self.load_began: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """When the load that counts begins by its own word, in nanoseconds of the monotonic clock."""
        self.warmed_up: WarmedUp | None = None
        self.counting: Child | None = None
        self.alternation: Alternation | None = None

    async def run(self) -> None:
        async with AsyncExitStack() as stack:
            monitor = stack.enter_context(Monitor(self.folder / "monitor.csv"))
            quotas_in_use = CpuQuotas(self.planned.quotas, self.context.groups)
            stack.callback(quotas_in_use.close)
            if self.planned.quotas is not None and self.context.groups is None:
                self.recorder.warn(f"runs without CPU quotas: {self.context.no_quotas}")
            guard = await stack.enter_async_context(Guard(self.context.stop))
            database = None
            if self.planned.needs_database:
                self.progress.step = "starts the database"
                database = await self.context.database(guard)
                monitor.watch("database", database.child.pid)
                guard.watch(database.watch())
                if database.version is not None:
                    self.recorder.version("mariadb", database.version)
            downstream = await self._start_downstream(stack, guard, monitor) if self.planned.needs_downstream else None
            backends = Backends(
                database.jdbc_url if database is not None else None,
                downstream.address if downstream is not None else None,
            )
            server = await self._start_server(stack, guard, backends, quotas_in_use)
            for name, process in server.processes.items():
                monitor.watch(name, process.pid)
            guard.watch(server.fails())
            self.progress.warm = server.warm
            if self.planned.turns:
                file = self.folder / "slices.csv"
                self.alternation = Alternation(self.progress, server.admins[0], file, self.patience.start)
            warm_up = self.planned.warmed_up(warm=server.warm)
            if warm_up.longest_s:
                load = self._start_load(stack, guard, monitor, server, WarmUp(warm_up))
                await self._warm_up(guard, server, quotas_in_use, warm_up, load)
                await self._begin(stack, guard, monitor, server, quotas_in_use)
                load.say("begin")
            else:
                self.recorder.load_begins()
                await self._begin(stack, guard, monitor, server, quotas_in_use)
                load = self._start_load(stack, guard, monitor, server)
            await guard.until(_ends(load), self.planned.load_s + self._slack_s(), "the end of the load")
            if self.alternation is not None and self.load_began.done():
                last = self.alternation.finished.wait()
                await guard.until(last, self.patience.silence, "the end of the last slice")
            while (message := load.pending()) is not None:
                self._hear(message)
            await self._stop_counting()
            if used := quotas_in_use.used():
                self.recorder.note("quotas", used)
            self._judge(monitor, server)
            self.progress.step = "stops the server"

    async def _start_downstream(self, stack: AsyncExitStack, guard: Guard, monitor: Monitor) -> Downstream:
        """A downstream server for this run alone, without requests that an earlier run has abandoned."""
        self.progress.step = "starts the downstream server"
        downstream = await Downstream.start(self.context.testbed, self.planned, self.folder / "downstream.log", guard)
        stack.push_async_callback(downstream.stop)
        monitor.watch("downstream", downstream.child.pid)
        guard.watch(downstream.fails())
        return downstream

    async def _start_server(
        self, stack: AsyncExitStack, guard: Guard, backends: Backends, quotas_in_use: CpuQuotas
    ) -> Server | BackendGroup:
        server: Server | BackendGroup
        if self.planned.balancer is None:
            self.progress.step = "starts the server"
            stack.push_async_exit(self._end_server)
            began = asyncio.get_running_loop().time()
            server = await self.context.servers.start(self.planned, backends, guard, quotas_in_use, self.patience.start)
            self.progress.console = server.console
            if not server.warm:
                self.recorder.ready(asyncio.get_running_loop().time() - began)
        else:
            self.progress.step = "starts servers and balancer"
            server = BackendGroup(self.context.testbed, self.planned, self.planned.balancer)
            stack.callback(merge_pools, self.folder, server.names, pool_name)
            stack.push_async_callback(server.end, self.patience.stop, self._warn)
            await server.start(backends, guard, quotas_in_use, self.patience.start)
            self.recorder.version("nginx", server.nginx.version)
        if server.pools:
            self.recorder.note("pools", server.pools)
        return server

    async def _end_server(self, kind: type[BaseException] | None, *_: object) -> None:
        await self.context.servers.end(self.patience.stop, self._warn, keep=kind is None)

    def _warn(self, text: str) -> None:
        with suppress(OSError):
            self.recorder.warn(text)

    def _start_load(
        self,
        stack: AsyncExitStack,
        guard: Guard,
        monitor: Monitor,
        server: Server | BackendGroup,
        warm_up: WarmUp | None = None,
    ) -> Child:
        self.progress.step = "starts the load"
        self.warm_up = warm_up
        testbed, description = self.context.testbed, self.recorder.load_description
        command = testbed.load(
            server.port, description, self.folder, warm_up=warm_up is not None, threads=self.planned.load_threads
        )
        load = Child.start("load", command, self.folder / "load.log")
        stack.push_async_callback(load.stop, self.patience.stop)
        monitor.watch("load", load.pid)
        guard.watch(self._listen(load))
        return load

    async def _warm_up(
        self, guard: Guard, server: Server | BackendGroup, quotas_in_use: CpuQuotas, planned: PlannedWarmUp, load: Child
    ) -> None:
        """Load the server until that is enough, with its pool at the size that all warm up at, at last under quotas."""
        self.progress.step = f"warms up {planned}"
        before: dict[int, int] = {}
        if planned.size is not None and not isinstance(self.planned.variant.pool, OwnPool | AdmissionPool):
            before = {admin: await self._size(guard, admin) for admin in server.admins}
            for admin in before:
                await self._resize(guard, admin, planned.size)
        within_s = planned.longest_s + self._slack_s()
        for admin in server.admins if planned.decides else ():
            await guard.until(asyncio.to_thread(let_go, admin, within_s), within_s, "the start of the controller")
        learning = self._learn_in_turn() if planned.decides else None
        try:
            warmed_up = await guard.until(self._until_warm(load), within_s, "the end of the warm-up")
        finally:
            if learning is not None:
                learning.cancel()
                await asyncio.gather(learning, return_exceptions=True)
        if server.warm:
            warmed_up = replace(warmed_up, steady=self.context.servers.steady)
        else:
            self.context.servers.steady = warmed_up.steady
        self.warmed_up = warmed_up
        if not self._asked_at_the_end(server) and (doubt := not_steady(warmed_up, before=server.warm)) is not None:
            self.recorder.warn(doubt)
        for admin, size in before.items():
            await self._resize(guard, admin, size)
        if before:
            # The window in which the size changed ends while the controller is not asked yet.
            await guard.until(asyncio.sleep(self.planned.window), within_s, "the end of a window")
        if quotas_in_use.settle_s:
            quotas_in_use.begin()
            await guard.until(
                asyncio.sleep(quotas_in_use.settle_s), quotas_in_use.settle_s + within_s, "settling under quotas"
            )
        self.recorder.load_begins(warmed_up)

    def _learn_in_turn(self) -> asyncio.Task[None] | None:
        return None if self.alternation is None else asyncio.create_task(self.alternation.warm_up())

    async def _until_warm(self, load: Child) -> WarmedUp:
        assert self.warm_up is not None  # noqa: S101 - the load was started with it
        warm, ended = asyncio.create_task(self.warm_up.end()), asyncio.create_task(load.ended())
        try:
            await asyncio.wait({warm, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not warm.done():
                raise RunError(f"load {load.ending()}")
            return warm.result()
        finally:
            warm.cancel()
            ended.cancel()

    async def _size(self, guard: Guard, admin: int) -> int:
        within_s = self.patience.start
        return await guard.until(
            asyncio.to_thread(current_size, admin, within_s), within_s, "an answer about the size of the pool"
        )

    async def _resize(self, guard: Guard, admin: int, size: int) -> None:
        within_s = self.patience.start
        await guard.until(asyncio.to_thread(resize, admin, size, within_s), within_s, "a resize for the warm-up")

    async def _begin(
        self,
        stack: AsyncExitStack,
        guard: Guard,
        monitor: Monitor,
        server: Server | BackendGroup,
        quotas_in_use: CpuQuotas,
    ) -> None:
        """Activate the controller, apply the quotas, and start the monitoring."""
        for admin in server.admins:
            within_s = self.patience.start
            progress = asyncio.to_thread(let_go, admin, within_s)
            await guard.until(progress, within_s, "the start of the controller")
        if self.alternation is not None:
            await guard.until(self.alternation.begin(), self.patience.start, "the first slice")
            guard.watch(self.alternation.alternate(self.load_began))
        quotas_in_use.begin()
        if self.context.counters is not None and isinstance(server, Server):
            self.counting = self.context.counters.start(server.child.pid, self.folder)
            if self.counting is not None:
                stack.push_async_callback(self.counting.kill)
        guard.watch(self._observe(monitor, server))
        if isinstance(server, BackendGroup):
            guard.watch(server.kill_as_planned(self.load_began))

    async def _stop_counting(self) -> None:
        if self.context.counters is not None and self.counting is not None:
            self.recorder.note("counters", await self.context.counters.stop(self.counting, self.folder))

    def _slack_s(self) -> float:
        """Time that a load generator may take beyond its phases."""
        return self.patience.silence + float(self.planned.load["timeout_ms"]) / 1000

    async def _listen(self, load: Child) -> None:
        """Take the load generator's progress in; raise RunError when it falls silent."""
        while True:
            try:
                async with asyncio.timeout(self.patience.silence):
                    message = await load.message()
            except TimeoutError:
                raise RunError(f"load: has reported nothing for {self.patience.silence:g} s") from None
            if message is None:
                await asyncio.Event().wait()  # its end is waited for elsewhere
            else:
                self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        if self.warm_up is not None and self.warm_up.hear(message):
            return
        if (second := Second.of(message)) is not None:
            self.progress.step = "measures"
            self.progress.add(second)
        elif message.get("event") == "begins" and not self.load_began.done():
            self.load_began.set_result(int(message["start_ns"]))

    async def _observe(self, monitor: Monitor, server: Server | BackendGroup) -> None:
        """Sample once a second: cost of the processes, state of the pool, free disk space."""
        loop = asyncio.get_running_loop()
        next_look = loop.time()
        while True:
            monitor.sample()
            check_room(self.folder, self.context.free_bytes)
            with suppress(OSError, ValueError, TypeError):  # whether a server lives is watched elsewhere
                now = [await asyncio.to_thread(state, admin, _SECOND) for admin in server.admins]
                if now:
                    self.progress.size = sum(int(entry["size"]) for entry in now)
                    self.progress.decision = str((now[0].get("decision") or {}).get("reason", ""))
            next_look = max(next_look + _SECOND, loop.time())
            await asyncio.sleep(next_look - loop.time())

    def _asked_at_the_end(self, server: Server | BackendGroup) -> bool:
        """Whether the test of the warm-up is made again with the load that followed, which it then decides about.

        Not where that ran under quotas, which the warm-up does not.
        """
        return (
            self.planned.quotas is None
            and self.planned.warm_up.until_steady
            and not server.warm
            and not self.planned.changes
            and self.alternation is None  # slices cancel what drifts
        )

    def _judge(self, monitor: Monitor, server: Server | BackendGroup) -> None:
        """Raise RunError for a load without a single answer, or if a server was missing unexpectedly.

        Warn of what may have spoilt the measurement.
        """
        summary = json.loads((self.folder / "load.json").read_text(encoding="utf-8"))
        if summary["requests"] == summary["errors"]:
            kinds = ", ".join(f"{kind}: {count}" for kind, count in summary["errors_by_kind"].items())
            raise RunError(f"not one request was answered ({kinds or 'none was sent'})")
        if self.warmed_up is not None and self._asked_at_the_end(server):
            found = since(self.warmed_up, [second.throughput for second in self.progress.seconds])
            self.recorder.drift(found)
            if not found.steady:
                self.recorder.warn(drifted(found))
        if (others := monitor.others_cpus()) > OTHERS_CPUS:
            self.recorder.warn(f"other processes used {others:.1f} of the machine's processors during the run")
        if isinstance(server, BackendGroup):
            self._judge_group(server, summary)

    def _judge_group(self, group: BackendGroup, summary: dict[str, Any]) -> None:
        by_server = group.lost()
        if by_server:
            self.recorder.note("lost", by_server)
        for sentence in tell(
            group.deaths, by_server, group.nginx.lost(), int(summary["start_ns"]), summary["errors_by_kind"]
        ):
            self.recorder.warn(sentence)
        missing = [death.name for death in group.deaths if not death.meant]
        if missing:
            raise RunError(f"{', '.join(missing)} died in mid-run: measured with the others alone from then on")


async def _ends(load: Child) -> None:
    if await load.ended() != 0:
        raise RunError(f"load {load.ending()}")
