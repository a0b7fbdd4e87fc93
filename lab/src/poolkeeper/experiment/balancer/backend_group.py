"""Several servers of one kind behind nginx, as a run has them."""

from __future__ import annotations

import asyncio
import signal
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.balancer.nginx import Nginx
from poolkeeper.experiment.processes.process import Child
from poolkeeper.experiment.processes.server import MODE, Server, ready_server
from poolkeeper.present.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.experiment.planning.plan import PlannedBalancer, PlannedRun
    from poolkeeper.experiment.processes.backends import Backends
    from poolkeeper.experiment.processes.cpu_quotas import CpuQuotas
    from poolkeeper.experiment.processes.guard import Guard
    from poolkeeper.experiment.processes.testbed import Testbed

BALANCER = "balancer"


@dataclass(frozen=True, slots=True)
class Death:
    """A server that ended while it was needed, at `at_ns` of the monotonic clock."""

    name: str
    how: str
    at_ns: int
    meant: bool


class BackendGroup:
    """Servers behind nginx: `server-1`, `server-2` and so on, each with a folder of its own in the record.

    It serves as long as nginx and one of the servers live.
    """

    warm = False

    def __init__(self, testbed: Testbed, run: PlannedRun, balancer: PlannedBalancer) -> None:
        """Nothing is started yet."""
        self.deaths: list[Death] = []
        self._testbed = testbed
        self._run = run
        self._balancer = balancer
        self._children: dict[str, Child] = {}
        self._servers: dict[str, Server] = {}
        self._nginx: Nginx | None = None

    @property
    def names(self) -> list[str]:
        """Of the servers, in order."""
        return [f"server-{number}" for number in range(1, self._balancer.back_ends + 1)]

    @property
    def nginx(self) -> Nginx:
        """The balancer, once it is started."""
        assert self._nginx is not None  # noqa: S101 - nobody asks before
        return self._nginx

    @property
    def port(self) -> int:
        """Port to which users send their requests."""
        return self.nginx.port

    @property
    def processes(self) -> dict[str, Child]:
        """All processes by the names that monitor.csv has for them."""
        return {**self._children, BALANCER: self.nginx.child}

    @property
    def admins(self) -> list[int]:
        """Admin ports of the servers that live."""
        return [
            server.admin
            for name, server in self._servers.items()
            if server.admin is not None and self._children[name].exit_code is None
        ]

    @property
    def pools(self) -> dict[str, Any]:
        """Controllers of the pools, under the name of the server and that of the pool."""
        return {
            pool_name(name, pool): setup
            for name, server in self._servers.items()
            for pool, setup in server.pools.items()
        }

    async def start(self, backends: Backends, guard: Guard, quotas_in_use: CpuQuotas, within_s: float) -> None:
        """Start all servers at once, then nginx. Raises RunError with the output of a process that does not start."""
        for name in self.names:
            folder = self._run.folder / name
            folder.mkdir()
            command = self._testbed.server(replace(self._run, folder=folder), backends, MODE)
            log = self._run.folder / f"{name}.log"
            self._children[name] = Child.start(name, quotas_in_use.server(name)(command), log)
        ready = asyncio.gather(*(child.ready() for child in self._children.values()))
        messages = await guard.until(_all(ready), within_s, "the start of the servers")
        for (name, child), message in zip(self._children.items(), messages, strict=True):
            self._servers[name] = ready_server(child, message, warm=False)
        self._nginx = await Nginx.start(
            self._balancer.method,
            [server.port for server in self._servers.values()],
            self._run.folder,
            guard,
            users=self._run.most_connections,
            timeout_s=float(self._run.load["timeout_ms"]) / 1000,
            cpus=self._run.quotas.balancer if self._run.quotas else None,
            within_s=within_s,
            quotas_in_use=quotas_in_use.balancer(BALANCER),
        )

    async def fails(self) -> None:
        """Note the deaths of servers. Raises RunError once no server is left."""
        living = {asyncio.create_task(child.ended()): name for name, child in self._children.items()}
        balancer = asyncio.create_task(self.nginx.child.ended())
        try:
            while living:
                done, _ = await asyncio.wait({*living, balancer}, return_when=asyncio.FIRST_COMPLETED)
                if balancer in done:
                    raise RunError(f"balancer {self.nginx.child.ending()}")
                for task in done:
                    name = living.pop(task)
                    meant = self._balancer.kill_after_s is not None and name == self.names[-1]
                    how = self._children[name].ending().partition(" without output")[0]
                    self.deaths.append(Death(name, how, time.monotonic_ns(), meant))
            raise RunError(
                f"none of {counted(self._balancer.back_ends, 'server')} behind the balancer is left: "
                + "; ".join(f"{death.name} {death.how}" for death in self.deaths)
            )
        finally:
            for task in (*living, balancer):
                task.cancel()

    async def kill_as_planned(self, load_began: asyncio.Future[int]) -> None:
        """Kill the last server when its time has come, and never return.

        `load_began` becomes when the load begins, in nanoseconds of the monotonic clock.
        """
        if self._balancer.kill_after_s is not None:
            began_s = await asyncio.shield(load_began) / 1e9
            await asyncio.sleep(began_s + self._balancer.kill_after_s - time.monotonic())
            self._children[self.names[-1]].signal(signal.SIGKILL)
        await asyncio.Event().wait()

    def lost(self) -> dict[str, dict[str, int]]:
        """By server, how many attempts to have a request answered failed, and how; see Lost."""
        names = {server.port: name for name, server in self._servers.items()}
        return {names[port]: dict(kinds) for port, kinds in self.nginx.lost().by_server.items() if port in names}

    async def end(self, within_s: float, warn: Callable[[str], None]) -> None:
        """End everything that was started, nginx first."""
        if self._nginx is not None and not await self._nginx.stop(within_s):
            warn(f"the balancer had to be killed: it did not end within {within_s:g} s")
        gentle = await asyncio.gather(*(_stop(child, within_s) for child in self._children.values()))
        for name, gently in zip(self._children, gentle, strict=True):
            if not gently:
                warn(f"{name} had to be killed: it did not end within {within_s:g} s")


def pool_name(server: str, pool: str) -> str:
    """Name of the pool of one of several servers in a record."""
    return f"{server}/{pool}"


async def _all(gathered: asyncio.Future[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return await gathered


async def _stop(child: Child, within_s: float) -> bool:
    gentle = child.exit_code is not None or await child.stop(within_s)
    await child.kill()
    return gentle
