"""One run: a server under its load, watched and recorded."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.alternation import Alternation
from poolkeeper.experiment.balancer.farm import Farm, pool_name
from poolkeeper.experiment.balancer.told import tell
from poolkeeper.experiment.definition.pools import AdmissionPool, OwnPool
from poolkeeper.experiment.processes.admin import let_go, resize, state
from poolkeeper.experiment.processes.backends import Backends
from poolkeeper.experiment.processes.confined import Confined
from poolkeeper.experiment.processes.downstream import Downstream
from poolkeeper.experiment.processes.guard import DiskFull, Guard, Interrupted
from poolkeeper.experiment.processes.process import Child
from poolkeeper.experiment.processes.server import Server
from poolkeeper.experiment.recording.disk import check_room, is_full
from poolkeeper.experiment.recording.merge import merge_pools
from poolkeeper.experiment.recording.monitor import Monitor
from poolkeeper.experiment.situation import Going, Second
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

    start: float = 60.0
    """Until a server is ready."""
    silence: float = 30.0
    """Between two messages of a load generator, which speaks once a second."""
    stop: float = 15.0
    """Until a process has ended that was asked to; a server answers first what is under way."""


PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class Surroundings:
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


async def execute(going: Going, recorder: RunRecorder, around: Surroundings) -> None:
    """Do a run and record how it ended, in run.json and in `going`.

    Raises Interrupted when a person stops it, DiskFull when there is no room; both are recorded too. That it failed
    otherwise is recorded only.
    """
    try:
        await _Execution(going, recorder, around).run()
        recorder.finish("complete")
        read_run(recorder.folder)
        going.status = "complete"
    except Interrupted:
        _finish(going, recorder, "interrupted", "stopped by hand")
        raise
    except DiskFull as error:
        _finish(going, recorder, "failed", str(error))
        raise
    except (RunError, RecordError) as error:
        _finish(going, recorder, "failed", str(error))
    except OSError as error:
        problem = f"{error.filename or recorder.folder}: {error.strerror}"
        _finish(going, recorder, "failed", problem)
        if is_full(error):
            raise DiskFull(problem) from None


def _finish(going: Going, recorder: RunRecorder, status: Any, error: str) -> None:
    going.status, going.error = status, error
    with suppress(OSError):  # a full disk; the record says `running`, which a resume takes for unfinished as well
        recorder.finish(status, error)


class _Execution:
    def __init__(self, going: Going, recorder: RunRecorder, around: Surroundings) -> None:
        self.going = going
        self.planned = going.run
        self.recorder = recorder
        self.around = around
        self.patience = around.patience
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
            confined = Confined(self.planned.quotas, self.around.groups)
            stack.callback(confined.close)
            if self.planned.quotas is not None and self.around.groups is None:
                self.recorder.warn(f"runs without CPU quotas: {self.around.no_quotas}")
            guard = await stack.enter_async_context(Guard(self.around.stop))
            database = None
            if self.planned.needs_database:
                self.going.step = "starts the database"
                database = await self.around.database(guard)
                monitor.watch("database", database.child.pid)
                guard.watch(database.watch())
                if database.version is not None:
                    self.recorder.version("mariadb", database.version)
            downstream = await self._start_downstream(stack, guard, monitor) if self.planned.needs_downstream else None
            backends = Backends(
                database.jdbc_url if database is not None else None,
                downstream.address if downstream is not None else None,
            )
            server = await self._start_server(stack, guard, backends, confined)
            for name, process in server.processes.items():
                monitor.watch(name, process.pid)
            guard.watch(server.fails())
            self.going.warm = server.warm
            if self.planned.turns:
                file = self.folder / "slices.csv"
                self.alternation = Alternation(self.going, server.admins[0], file, self.patience.start)
            warm_up = self.planned.warmed_up(warm=server.warm)
            if warm_up.longest_s:
                load = self._start_load(stack, guard, monitor, server, WarmUp(warm_up))
                await self._warm_up(guard, server, confined, warm_up, load)
                await self._begin(stack, guard, monitor, server, confined)
                load.say("begin")
            else:
                self.recorder.load_begins()
                await self._begin(stack, guard, monitor, server, confined)
                load = self._start_load(stack, guard, monitor, server)
            await guard.until(_ends(load), self.planned.load_s + self._slack_s(), "the end of the load")
            if self.alternation is not None and self.load_began.done():
                last = self.alternation.finished.wait()
                await guard.until(last, self.patience.silence, "the end of the last slice")
            while (message := load.pending()) is not None:
                self._hear(message)
            await self._stop_counting()
            if used := confined.used():
                self.recorder.quotas(used)
            self._judge(monitor, server)
            self.going.step = "stops the server"

    async def _start_downstream(self, stack: AsyncExitStack, guard: Guard, monitor: Monitor) -> Downstream:
        """A downstream server of the run's own: what an earlier run has abandoned there is none of its business."""
        self.going.step = "starts the downstream server"
        downstream = await Downstream.start(self.around.testbed, self.planned, self.folder / "downstream.log", guard)
        stack.push_async_callback(downstream.stop)
        monitor.watch("downstream", downstream.child.pid)
        guard.watch(downstream.fails())
        return downstream

    async def _start_server(
        self, stack: AsyncExitStack, guard: Guard, backends: Backends, confined: Confined
    ) -> Server | Farm:
        server: Server | Farm
        if self.planned.balancer is None:
            self.going.step = "starts the server"
            stack.push_async_exit(self._end_server)
            began = asyncio.get_running_loop().time()
            server = await self.around.servers.start(self.planned, backends, guard, confined, self.patience.start)
            if not server.warm:
                self.recorder.ready(asyncio.get_running_loop().time() - began)
        else:
            self.going.step = "starts servers and balancer"
            server = Farm(self.around.testbed, self.planned, self.planned.balancer)
            stack.callback(merge_pools, self.folder, server.names, pool_name)
            stack.push_async_callback(server.end, self.patience.stop, self._warn)
            await server.start(backends, guard, confined, self.patience.start)
            self.recorder.version("nginx", server.nginx.version)
        if server.pools:
            self.recorder.pools(server.pools)
        return server

    async def _end_server(self, kind: type[BaseException] | None, *_: object) -> None:
        await self.around.servers.end(self.patience.stop, self._warn, keep=kind is None)

    def _warn(self, text: str) -> None:
        with suppress(OSError):
            self.recorder.warn(text)

    def _start_load(
        self,
        stack: AsyncExitStack,
        guard: Guard,
        monitor: Monitor,
        server: Server | Farm,
        warm_up: WarmUp | None = None,
    ) -> Child:
        self.going.step = "starts the load"
        self.warm_up = warm_up
        testbed, description = self.around.testbed, self.recorder.load_description
        command = testbed.load(
            server.port, description, self.folder, warm_up=warm_up is not None, threads=self.planned.load_threads
        )
        load = Child.start("load", command, self.folder / "load.log")
        stack.push_async_callback(load.stop, self.patience.stop)
        monitor.watch("load", load.pid)
        guard.watch(self._listen(load))
        return load

    async def _warm_up(
        self, guard: Guard, server: Server | Farm, confined: Confined, planned: PlannedWarmUp, load: Child
    ) -> None:
        """Load the server until that is enough, with its pool at the size that all warm up at, at last under quotas."""
        self.going.step = f"warms up {planned}"
        before: dict[int, int] = {}
        if planned.size is not None and not isinstance(self.planned.variant.pool, OwnPool | AdmissionPool):
            before = {admin: int(state(admin, _SECOND)["size"]) for admin in server.admins}
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
            warmed_up = replace(warmed_up, steady=self.around.servers.steady)
        else:
            self.around.servers.steady = warmed_up.steady
        self.warmed_up = warmed_up
        if not self._asked_at_the_end(server) and (doubt := not_steady(warmed_up, before=server.warm)) is not None:
            self.recorder.warn(doubt)
        for admin, size in before.items():
            await self._resize(guard, admin, size)
        if before:
            # The window in which the size changed ends while the controller is not asked yet.
            await guard.until(asyncio.sleep(self.planned.window), within_s, "the end of a window")
        if confined.settle_s:
            confined.begin()
            await guard.until(asyncio.sleep(confined.settle_s), confined.settle_s + within_s, "settling under quotas")
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

    async def _resize(self, guard: Guard, admin: int, size: int) -> None:
        within_s = self.patience.start
        await guard.until(asyncio.to_thread(resize, admin, size, within_s), within_s, "a resize for the warm-up")

    async def _begin(
        self, stack: AsyncExitStack, guard: Guard, monitor: Monitor, server: Server | Farm, confined: Confined
    ) -> None:
        """Let the controller go, limit what has a quota, and look at everything from now on."""
        for admin in server.admins:
            within_s = self.patience.start
            going = asyncio.to_thread(let_go, admin, within_s)
            await guard.until(going, within_s, "the start of the controller")
        if self.alternation is not None:
            await guard.until(self.alternation.begin(), self.patience.start, "the first slice")
            guard.watch(self.alternation.alternate(self.load_began))
        confined.begin()
        if self.around.counters is not None and isinstance(server, Server):
            self.counting = self.around.counters.start(server.child.pid, self.folder)
            if self.counting is not None:
                stack.push_async_callback(self.counting.kill)
        guard.watch(self._observe(monitor, server))
        if isinstance(server, Farm):
            guard.watch(server.kill_as_planned(self.load_began))

    async def _stop_counting(self) -> None:
        if self.around.counters is not None and self.counting is not None:
            self.recorder.counters(await self.around.counters.stop(self.counting, self.folder))

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
                raise RunError(f"load: has said nothing for {self.patience.silence:g} s") from None
            if message is None:
                await asyncio.Event().wait()  # its end is waited for elsewhere
            else:
                self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        if self.warm_up is not None and self.warm_up.hear(message):
            return
        if (second := Second.of(message)) is not None:
            self.going.step = "measures"
            self.going.add(second)
        elif message.get("event") == "begins" and not self.load_began.done():
            self.load_began.set_result(int(message["start_ns"]))

    async def _observe(self, monitor: Monitor, server: Server | Farm) -> None:
        """Once a second: what the processes cost, what the pool does, how much room the disk has."""
        loop = asyncio.get_running_loop()
        next_look = loop.time()
        while True:
            monitor.sample()
            check_room(self.folder, self.around.free_bytes)
            with suppress(OSError, ValueError, TypeError):  # whether a server lives is watched elsewhere
                now = [await asyncio.to_thread(state, admin, _SECOND) for admin in server.admins]
                if now:
                    self.going.size = sum(int(entry["size"]) for entry in now)
                    self.going.decision = str((now[0].get("decision") or {}).get("reason", ""))
            next_look = max(next_look + _SECOND, loop.time())
            await asyncio.sleep(next_look - loop.time())

    def _asked_at_the_end(self, server: Server | Farm) -> bool:
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

    def _judge(self, monitor: Monitor, server: Server | Farm) -> None:
        """Raise RunError for a load without a single answer, or if a server was missing that nobody meant to be.

        Warn of what may have spoilt the measurement.
        """
        summary = json.loads((self.folder / "load.json").read_text(encoding="utf-8"))
        if summary["requests"] == summary["errors"]:
            kinds = ", ".join(f"{kind}: {count}" for kind, count in summary["errors_by_kind"].items())
            raise RunError(f"not one request was answered ({kinds or 'none was sent'})")
        if self.warmed_up is not None and self._asked_at_the_end(server):
            found = since(self.warmed_up, [second.throughput for second in self.going.seconds])
            self.recorder.drift(found)
            if not found.steady:
                self.recorder.warn(drifted(found))
        if (others := monitor.others_cpus()) > OTHERS_CPUS:
            self.recorder.warn(f"other processes used {others:.1f} of the machine's processors during the run")
        if isinstance(server, Farm):
            self._judge_farm(server, summary)

    def _judge_farm(self, farm: Farm, summary: dict[str, Any]) -> None:
        by_server = farm.lost()
        if by_server:
            self.recorder.lost(by_server)
        for sentence in tell(
            farm.deaths, by_server, farm.nginx.lost(), int(summary["start_ns"]), summary["errors_by_kind"]
        ):
            self.recorder.warn(sentence)
        missing = [death.name for death in farm.deaths if not death.meant]
        if missing:
            raise RunError(f"{', '.join(missing)} died in mid-run: measured with the others alone from then on")


async def _ends(load: Child) -> None:
    if await load.ended() != 0:
        raise RunError(f"load {load.ending()}")
