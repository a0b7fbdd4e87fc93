"""One run: a server under its load, watched and recorded."""

from __future__ import annotations

import asyncio
import json
import tempfile
import urllib.request
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidepool.errors import RunError
from tidepool.experiment.disk import check_room, is_full
from tidepool.experiment.guard import DiskFull, Guard, Interrupted
from tidepool.experiment.monitor import Monitor
from tidepool.experiment.process import Child
from tidepool.experiment.recorder import RunRecorder, write_json
from tidepool.experiment.situation import Going, Second
from tidepool.record import RecordError, read_run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tidepool.experiment.database import Database
    from tidepool.experiment.testbed import Testbed

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
    """What a run finds: the testbed, a way to its database, the wish to stop, and the room on a folder's disk."""

    testbed: Testbed
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
            server, port, admin = await self._start_server(stack, guard, database)
            monitor.watch("server", server.pid)
            guard.watch(_dies(server))
            if self.planned.warm_up:
                await self._warm_up(stack, guard, port)
            self.recorder.load_begins()
            if admin is not None:
                within_s = self.patience.start
                await guard.until(
                    asyncio.to_thread(_activate, admin, within_s), within_s, "the start of the controller"
                )
            guard.watch(self._observe(monitor, admin))
            await self._load(stack, guard, monitor, port)
            self._judge(monitor)
            self.going.step = "stops the server"

    async def _start_server(
        self, stack: AsyncExitStack, guard: Guard, database: Database | None
    ) -> tuple[Child, int, int | None]:
        self.going.step = "starts the server"
        # Frozen until the load begins, so that the controller learns nothing from the warm-up.
        command = self.around.testbed.server(self.planned, database.jdbc_url if database else None, "frozen")
        server = Child.start("server", command, self.folder / "server.log")
        stack.push_async_callback(self._stop_server, server)
        ready = await guard.until(server.ready(), self.patience.start, "the start of the server")
        port, admin = ready.get("port"), ready.get("adminPort")
        if not isinstance(port, int) or not isinstance(admin, int | None):
            raise RunError(f"server: its ready message lacks a port: {ready}")
        if isinstance(pools := ready.get("pools"), dict):
            self.recorder.pools(pools)
        return server, port, admin

    async def _stop_server(self, server: Child) -> None:
        if server.exit_code is None and not await server.stop(self.patience.stop):
            with suppress(OSError):
                self.recorder.warn(f"the server had to be killed: it did not end within {self.patience.stop:g} s")
        await server.kill()

    async def _warm_up(self, stack: AsyncExitStack, guard: Guard, port: int) -> None:
        seconds = self.planned.warm_up
        self.going.step = f"warms up for {seconds:g} s"
        first = next(phase for phase in self.planned.phases if phase["users"])
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tidepool-warm-up-")))
        description = folder / "load-description.json"
        write_json(description, {**self.planned.load, "phases": [{"users": first["users"], "seconds": seconds}]})
        command = self.around.testbed.load(port, description, folder / "record")
        load = Child.start("load", command, self.folder / "warm-up.log")
        stack.push_async_callback(load.kill)
        await guard.until(_ends(load), seconds + self._slack_s(), "the end of the warm-up")

    async def _load(self, stack: AsyncExitStack, guard: Guard, monitor: Monitor, port: int) -> None:
        self.going.step = "starts the load"
        command = self.around.testbed.load(port, self.recorder.load_description, self.folder)
        load = Child.start("load", command, self.folder / "load.log")
        stack.push_async_callback(load.stop, self.patience.stop)
        monitor.watch("load", load.pid)
        guard.watch(self._listen(load))
        await guard.until(_ends(load), self.planned.load_s + self._slack_s(), "the end of the load")
        while (message := load.pending()) is not None:
            self._hear(message)

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
                    state = await asyncio.to_thread(_state, admin)
                    self.going.size = int(state["size"])
                    self.going.decision = str((state.get("decision") or {}).get("reason", ""))
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


def _activate(admin: int, within_s: float) -> None:
    try:
        _ask(admin, "/mode?mode=active", within_s, method="POST")
    except OSError as error:
        raise RunError(f"server: its admin port {admin} does not answer: {error}") from None


def _state(admin: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_ask(admin, "/state", _SECOND))
    return found


def _ask(port: int, path: str, within_s: float, method: str = "GET") -> bytes:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    with urllib.request.urlopen(request, timeout=within_s) as answer:  # noqa: S310
        body: bytes = answer.read()
        return body
