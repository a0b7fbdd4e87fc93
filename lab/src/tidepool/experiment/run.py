"""One run: a server under its load, watched and recorded."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tidepool.errors import RunError
from tidepool.experiment.processes.admin import let_go, resize, state
from tidepool.experiment.processes.guard import DiskFull, Guard, Interrupted
from tidepool.experiment.processes.process import Child
from tidepool.experiment.recording.disk import check_room, is_full
from tidepool.experiment.recording.monitor import Monitor
from tidepool.experiment.situation import Going, Second
from tidepool.experiment.warming.warm_up import WarmUp, not_steady
from tidepool.record import RecordError, read_run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from tidepool.experiment.planning.plan import PlannedWarmUp
    from tidepool.experiment.processes.database import Database
    from tidepool.experiment.processes.server import Server, Servers
    from tidepool.experiment.processes.testbed import Testbed
    from tidepool.experiment.recording.recorder import RunRecorder, WarmedUp

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
    """What a run finds: testbed, servers, a way to its database, the wish to stop, and the room on a folder's disk."""

    testbed: Testbed
    servers: Servers
    database: Callable[[Guard], Awaitable[Database]]
    stop: asyncio.Event
    free_bytes: Callable[[Path], int]
    patience: Patience


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

    async def run(self) -> None:
        async with AsyncExitStack() as stack:
            monitor = stack.enter_context(Monitor(self.folder / "monitor.csv"))
            guard = await stack.enter_async_context(Guard(self.around.stop))
            database = None
            if self.planned.needs_database:
                self.going.step = "starts the database"
                database = await self.around.database(guard)
                monitor.watch("database", database.child.pid)
                guard.watch(database.watch())
                if database.version is not None:
                    self.recorder.version("mariadb", database.version)
            server = await self._start_server(stack, guard, database)
            monitor.watch("server", server.child.pid)
            guard.watch(_dies(server.child))
            self.going.warm = server.warm
            warm_up = self.planned.warmed_up(warm=server.warm)
            if warm_up.longest_s:
                load = self._start_load(stack, guard, monitor, server, WarmUp(warm_up))
                await self._warm_up(guard, server, warm_up, load)
                await self._begin(guard, monitor, server)
                load.say("begin")
            else:
                self.recorder.load_begins()
                await self._begin(guard, monitor, server)
                load = self._start_load(stack, guard, monitor, server)
            await guard.until(_ends(load), self.planned.load_s + self._slack_s(), "the end of the load")
            while (message := load.pending()) is not None:
                self._hear(message)
            self._judge(monitor)
            self.going.step = "stops the server"

    async def _start_server(self, stack: AsyncExitStack, guard: Guard, database: Database | None) -> Server:
        self.going.step = "starts the server"
        servers, url = self.around.servers, database.jdbc_url if database else None
        stack.push_async_exit(self._end_server)
        server = await servers.start(self.planned, url, guard, self.patience.start)
        if server.pools:
            self.recorder.pools(server.pools)
        return server

    async def _end_server(self, kind: type[BaseException] | None, *_: object) -> None:
        def warn(text: str) -> None:
            with suppress(OSError):
                self.recorder.warn(text)

        await self.around.servers.end(self.patience.stop, warn, keep=kind is None)

    def _start_load(
        self, stack: AsyncExitStack, guard: Guard, monitor: Monitor, server: Server, warm_up: WarmUp | None = None
    ) -> Child:
        self.going.step = "starts the load"
        self.warm_up = warm_up
        testbed, description = self.around.testbed, self.recorder.load_description
        command = testbed.load(server.port, description, self.folder, warm_up=warm_up is not None)
        load = Child.start("load", command, self.folder / "load.log")
        stack.push_async_callback(load.stop, self.patience.stop)
        monitor.watch("load", load.pid)
        guard.watch(self._listen(load))
        return load

    async def _warm_up(self, guard: Guard, server: Server, planned: PlannedWarmUp, load: Child) -> None:
        """Load the server until that is enough, with its pool at the size that all warm up at."""
        self.going.step = f"warms up {planned}"
        before = None
        if server.admin is not None and planned.size is not None:
            before = int(state(server.admin, _SECOND)["size"])
            await self._resize(guard, server.admin, planned.size)
        within_s = planned.longest_s + self._slack_s()
        warmed_up = await guard.until(self._until_warm(load), within_s, "the end of the warm-up")
        self.going.saved_s = planned.longest_s - warmed_up.seconds
        if server.warm:
            warmed_up = replace(warmed_up, steady=self.around.servers.steady)
        else:
            self.around.servers.steady = warmed_up.steady
        if (doubt := not_steady(warmed_up, before=server.warm)) is not None:
            self.recorder.warn(doubt)
        if server.admin is not None and before is not None:
            await self._resize(guard, server.admin, before)
            # The window in which the size changed ends while the controller is not asked yet.
            await guard.until(asyncio.sleep(self.planned.window), within_s, "the end of a window")
        self.recorder.load_begins(warmed_up)

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

    async def _begin(self, guard: Guard, monitor: Monitor, server: Server) -> None:
        """Let the controller go, and look at everything from now on."""
        if server.admin is not None:
            within_s = self.patience.start
            going = asyncio.to_thread(let_go, server.admin, within_s)
            await guard.until(going, within_s, "the start of the controller")
        guard.watch(self._observe(monitor, server.admin))

    def _slack_s(self) -> float:
        """How much longer than its phases a load generator may take."""
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

    async def _observe(self, monitor: Monitor, admin: int | None) -> None:
        """Once a second: what the processes cost, what the pool does, how much room the disk has."""
        loop = asyncio.get_running_loop()
        next_look = loop.time()
        while True:
            monitor.sample()
            check_room(self.folder, self.around.free_bytes)
            if admin is not None:
                with suppress(OSError, ValueError, TypeError):  # whether the server lives is watched elsewhere
                    now = await asyncio.to_thread(state, admin, _SECOND)
                    self.going.size = int(now["size"])
                    self.going.decision = str((now.get("decision") or {}).get("reason", ""))
            next_look = max(next_look + _SECOND, loop.time())
            await asyncio.sleep(next_look - loop.time())

    def _judge(self, monitor: Monitor) -> None:
        """Raise RunError for a load without a single answer, and warn of what may have spoilt the measurement."""
        summary = json.loads((self.folder / "load.json").read_text(encoding="utf-8"))
        if summary["requests"] == summary["errors"]:
            kinds = ", ".join(f"{kind}: {count}" for kind, count in summary["errors_by_kind"].items())
            raise RunError(f"not one request was answered ({kinds or 'none was sent'})")
        if (others := monitor.others_cpus()) > OTHERS_CPUS:
            self.recorder.warn(f"other processes used {others:.1f} of the machine's processors during the run")


async def _ends(load: Child) -> None:
    if await load.ended() != 0:
        raise RunError(f"load {load.ending()}")


async def _dies(server: Child) -> None:
    await server.ended()
    raise RunError(f"server {server.ending()}")
