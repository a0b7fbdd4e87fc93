"""The servers of an experiment: each in a process of its own, or one after another in the same process."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import Child

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.experiment.planning.plan import PlannedRun
    from poolkeeper.experiment.processes.backends import Backends
    from poolkeeper.experiment.processes.cpu_quotas import CpuQuotas
    from poolkeeper.experiment.processes.guard import Guard
    from poolkeeper.experiment.processes.testbed import Testbed

_NO_ROOM = re.compile(r"heap (size|space)|[Tt]oo small|NewSize|OutOfMemoryError|GC overhead")
"""Messages of a JVM that has too little memory."""
MODE = "frozen"
"""Until the load begins, so that the controller learns nothing from the warm-up."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is ready. One without a pool has no admin port."""

    child: Child
    port: int
    admin: int | None
    pools: dict[str, Any]
    warm: bool
    """Whether its process has served a load before."""
    console: str | None = None
    """Address of the page on which one watches its pool."""

    @property
    def processes(self) -> dict[str, Child]:
        """Its process by the name that monitor.csv has for it."""
        return {"server": self.child}

    @property
    def admins(self) -> list[int]:
        """Its admin port, if it has one."""
        return [] if self.admin is None else [self.admin]

    async def fails(self) -> None:
        """Raise RunError when it ends."""
        await self.child.ended()
        raise RunError(f"server {self.child.ending()}")


class Servers:
    """Starts and ends servers, one at a time; keeps the process of a series for its next server."""

    def __init__(self, testbed: Testbed) -> None:
        """Nothing is started yet."""
        self.steady: bool | None = None
        """Whether throughput of the process that serves now was shown to be steady; None where nobody asked."""
        self._testbed = testbed
        self._series: str | None = None
        self._child: Child | None = None

    async def start(
        self, run: PlannedRun, backends: Backends, guard: Guard, quotas_in_use: CpuQuotas, within_s: float
    ) -> Server:
        """Start the server of a run: in the process of its series, if it belongs to one, or in one of its own.

        Raises RunError, with what it said, if it does not become ready.
        """
        log = run.folder / "server.log"
        what = "the start of the server"
        if run.series is None:
            self.steady = None
            command = quotas_in_use.server("server")(self._testbed.server(run, backends, MODE))
            child = Child.start("server", command, log)
            self._child = child
            try:
                ready = await guard.until(child.ready(), within_s, what)
            except RunError as error:
                raise _heap_named(error, run.machine.heap) from None
            return ready_server(child, ready, warm=False)
        if self._series != run.series:
            await self.close(within_s)
            self.steady = None
        warm = self._child is not None
        child = self._child = self._child or Child.start("server", self._testbed.series(run), log)
        self._series = run.series
        child.say(json.dumps(self._testbed.server_arguments(run, backends, MODE)))
        return ready_server(child, await guard.until(_answer(child), within_s, what), warm=warm)

    async def end(self, within_s: float, warn: Callable[[str], None], *, keep: bool) -> None:
        """End the server that runs, if one does; the process of a series stays if it is to be kept and is well."""
        child = self._child
        if child is None:
            return
        if keep and self._series is not None and child.exit_code is None:
            import asyncio

            child.say("[]")
            try:
                async with asyncio.timeout(within_s):
                    await _answer(child)
            except (TimeoutError, RunError):
                pass
            else:
                return
        if not await self._stop(within_s):
            warn(f"the server had to be killed: it did not end within {within_s:g} s")

    async def close(self, within_s: float) -> None:
        """End the process of a series, if there is one."""
        await self._stop(within_s)

    async def _stop(self, within_s: float) -> bool:
        child, self._child, self._series = self._child, None, None
        if child is None:
            return True
        gentle = child.exit_code is not None or await child.stop(within_s)
        await child.kill()
        return gentle


async def _answer(child: Child) -> dict[str, Any]:
    """Answer of a series about its next server, or about the end of one."""
    while (message := await child.message()) is not None:
        event = message.get("event")
        if event == "failed":
            raise RunError(f"server: {message.get('error')}")
        if event in {"ready", "ended"}:
            return message
    await child.ended()
    raise RunError(f"server {child.ending()}")


def ready_server(child: Child, ready: dict[str, Any], *, warm: bool) -> Server:
    """The server that a process reports as ready. Raises RunError if the report lacks its address."""
    port, admin, pools = ready.get("port"), ready.get("adminPort"), ready.get("pools")
    if not isinstance(port, int) or not isinstance(admin, int | None):
        raise RunError(f"{child.name}: its ready message lacks a port: {ready}")
    console = ready.get("console")
    return Server(
        child,
        port,
        admin,
        pools if isinstance(pools, dict) else {},
        warm,
        console if isinstance(console, str) else None,
    )


def _heap_named(error: RunError, heap: str) -> RunError:
    """The error with the setting that is behind it, where a JVM found its heap too small."""
    return RunError(f"heap: {heap} is too small for the JVM: {error}") if _NO_ROOM.search(str(error)) else error
