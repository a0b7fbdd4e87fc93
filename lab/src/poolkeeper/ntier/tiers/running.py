"""All servers of a topology, started back to front, checked and stopped together."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.home import home
from poolkeeper.experiment.processes.process import Child
from poolkeeper.ntier.settings import SERVERS
from poolkeeper.ntier.system import PoolKey
from poolkeeper.ntier.tiers import programs
from poolkeeper.ntier.tiers.java import JavaPrograms
from poolkeeper.ntier.tiers.servers.board import Board, jdbc_url
from poolkeeper.ntier.tiers.servers.front import Front
from poolkeeper.ntier.tiers.servers.haproxy import HAProxy
from poolkeeper.ntier.tiers.servers.httpd import Httpd
from poolkeeper.ntier.tiers.servers.nginx import Nginx
from poolkeeper.ntier.tiers.servers.pgbouncer import PgBouncer
from poolkeeper.ntier.tiers.servers.pgpool import INSERT_LOCK, Pgpool
from poolkeeper.ntier.tiers.servers.postgres import USER, Postgres, copy
from poolkeeper.ntier.tiers.servers.server import LEAST_CORES

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.ntier.system import Allocation, PoolKind, Tier, Topology
    from poolkeeper.ntier.tiers.servers.server import Counters, TierServer
    from poolkeeper.ntier.tiers.workplace import Workplace

_KINDS: dict[str, type[TierServer]] = {
    "httpd": Httpd,
    "nginx": Nginx,
    "haproxy": HAProxy,
    "board": Board,
    "pgpool": Pgpool,
    "pgbouncer": PgBouncer,
    "postgres": Postgres,
}
_ROLES = (("httpd", "nginx", "haproxy"), ("board",), ("pgpool", "pgbouncer"), ("postgres",))
_DATA_S = 600.0
_UNDER_QUOTA_S = 30.0
_SETTLED_S = 30.0
_AGAIN_S = 0.2


def check_shape(topology: Topology) -> None:
    """Raise InputError if real servers cannot be put together like this."""
    places = [next(place for place, role in enumerate(_ROLES) if tier.server in role) for tier in topology.tiers]
    kinds = ", ".join(tier.server for tier in topology.tiers)
    if sorted(set(places)) != places or places[0] != 0 or 1 not in places or places[-1] != len(_ROLES) - 1:
        raise InputError(
            f"{topology.source}: tiers: real servers are a front ({', '.join(_ROLES[0])}), board, perhaps a middleware"
            f" ({', '.join(_ROLES[2])}) and postgres, in this order, but these are {kinds}"
        )
    for tier, behind in zip(topology.tiers, topology.tiers[1:], strict=False):
        if tier.server not in _ROLES[0] and tier.server != "pgpool" and behind.servers > 1:
            raise InputError(
                f"{topology.source}: tiers.{behind.name}.count: {tier.server} can use one {behind.server}, but there"
                f" are {behind.servers}; pgpool in front of them can use several"
            )
    for tier in topology.tiers:
        if tier.cores < LEAST_CORES:
            raise InputError(
                f"{topology.source}: tiers.{tier.name}.cores must be {LEAST_CORES} or more for a real server, but is"
                f" {tier.cores:g}: the kernel gives a control group a millisecond of processor time in 100 at least,"
                " and a server needs more than that to be measured"
            )
    if topology.tiers[0].servers > 1:
        raise InputError(
            f"{topology.source}: tiers.{topology.tiers[0].name}.count: users reach one front server, but there are"
            f" {topology.tiers[0].servers}"
        )


def check_sizes(topology: Topology, allocation: Allocation) -> None:
    """Raise InputError if the servers do not take pools of these sizes."""
    for tier, behind in zip(topology.tiers, (*topology.tiers[1:], None), strict=True):
        for key in tier.pools:
            most = SERVERS[tier.server].most(key.kind, tier.servers, None if behind is None else behind.server)
            if allocation[key] > most:
                raise InputError(
                    f"{key} must be {most} or less for each of {tier.servers} {tier.server}, but is {allocation[key]}"
                )


def resized_by_restart(tier: Tier) -> bool:
    """Whether a change of its pools restarts its servers."""
    return _KINDS[tier.server].resized_by_restart


def server_names(topology: Topology) -> list[str]:
    """Names of all servers, front to back."""
    return [name for tier in topology.tiers for name in tier.server_names]


class RunningTiers:
    """The servers of a topology.

    Attributes:
        servers: by tier, front to back.
        allocation: sizes of their pools.
    """

    def __init__(
        self, topology: Topology, size: str, allocation: Allocation, workplace: Workplace, port: int | None = None
    ) -> None:
        """`size`: of the board's data; `port`: that of the front, if it has to be a certain one.

        Raises RunError, naming all that is missing, if a program is not here.
        """
        check_shape(topology)
        check_sizes(topology, allocation)
        programs.check(tier.server for tier in topology.tiers)
        JavaPrograms(home()).check()
        self.topology = topology
        self.allocation = allocation
        self.workplace = workplace
        self._size = size
        made: dict[str, list[TierServer]] = {}
        ports: list[int] = []
        for tier in reversed(topology.tiers):
            tiers_port = port if tier is topology.tiers[0] else None
            made[tier.name] = [
                _KINDS[tier.server](name, tier, sizes_of(allocation, tier), workplace, ports, tiers_port)
                for name in tier.server_names
            ]
            ports = [server.port for server in made[tier.name]]
        self.servers = {tier.name: made[tier.name] for tier in topology.tiers}
        for server in self.all():
            if isinstance(server, Board):
                server.pooled = any(tier.server in _ROLES[2] for tier in topology.tiers)

    def all(self) -> list[TierServer]:
        """All servers, front to back."""
        return [server for servers in self.servers.values() for server in servers]

    @property
    def front(self) -> Front:
        """The server that users reach."""
        front = next(iter(self.servers.values()))[0]
        assert isinstance(front, Front)  # noqa: S101 - the shape was checked
        return front

    @property
    def databases(self) -> list[Postgres]:
        """The database servers."""
        return [server for server in self.all() if isinstance(server, Postgres)]

    @property
    def boards(self) -> list[Board]:
        """The servers of the application."""
        return [server for server in self.all() if isinstance(server, Board)]

    async def use(self, boards: int) -> None:
        """Send requests to the first so many servers of the application alone. Raises RunError."""
        if isinstance(self.front, HAProxy):
            await self.front.use(boards)

    def server(self, name: str) -> TierServer:
        """The server of this name. Raises InputError."""
        for server in self.all():
            if server.name == name:
                return server
        from poolkeeper.suggestion import unknown

        raise InputError(unknown("server", name, [server.name for server in self.all()]))

    async def start(self, say: Callable[[str], None]) -> None:
        """Start all, without quotas, and have each server answer a real request, back to front.

        Raises RunError with the last output of one that fails.
        """
        self.front.require_port()  # it may be a certain one, and comes last
        await self._start_databases(say)
        for servers in reversed(self.servers.values()):
            if not isinstance(servers[0], Postgres):
                say(f"starts {', '.join(server.name for server in servers)}")
                async with asyncio.TaskGroup() as group:
                    for server in servers:
                        group.create_task(server.start())
            # Before the next tier starts, which may take all that a server of this one can give.
            for server in reversed(servers):
                message = await server.check()
                say(f"{server.name} ({server.tier.server}, 127.0.0.1:{server.port}): {message}")

    async def _start_databases(self, say: Callable[[str], None]) -> None:
        """Make the data once and copy its files, so that replicas are equal."""
        first, *others = self.databases
        say(f"starts {first.name} and makes its data ({self._size})")
        await first.start()
        await first.prepare()
        if any(isinstance(server, Pgpool) for server in self.all()):
            for statement in INSERT_LOCK:
                await first.session.rows(statement)
        await self._make_data(first)
        if others:
            assert first.data  # noqa: S101 - it has run
            await first.stop()
            for other in others:
                other.data = first.data.with_name(f"{other.name}-data")
                await asyncio.to_thread(copy, first.data, other.data)
            say(f"starts {', '.join(server.name for server in self.databases)} with equal data")
            async with asyncio.TaskGroup() as group:
                for server in self.databases:
                    group.create_task(server.start())

    async def _make_data(self, database: Postgres) -> None:
        command = JavaPrograms(home()).data(jdbc_url(database.port, pooled=False), USER, self._size)
        child = Child.start("data", command, self.workplace.logs / "data.log")
        try:
            async with asyncio.timeout(_DATA_S):
                code = await child.ended()
        except TimeoutError:
            raise RunError(f"data: size {self._size} was not made within {_DATA_S:g} s") from None
        finally:
            await child.kill()
        if code != 0:
            raise RunError(f"data: size {self._size}: {child.last_output() or f'exit code {code}'}")
        await database.session.rows("VACUUM ANALYZE", _DATA_S)

    async def resize(self, allocation: Allocation) -> list[str]:
        """Change the sizes, back to front, and see that all answer again. Raises RunError.

        Returns the names of the servers that had to be restarted for it.
        """
        if allocation == self.allocation:
            return []
        restarted: list[str] = []
        for tier in reversed(self.topology.tiers):
            sizes = sizes_of(allocation, tier)
            restarted += [server.name for server in self.servers[tier.name] if await server.resize(dict(sizes))]
        self.allocation = allocation
        until = time.monotonic() + _SETTLED_S
        while True:
            try:
                await self.front.check()
            except RunError:
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(_AGAIN_S)
            else:
                return restarted

    async def limit(self) -> None:
        """Put all quotas in force, and see that every server still answers. Raises RunError."""
        for server in self.all():
            server.limit()
        if self.workplace.no_quotas is None:
            for server in reversed(self.all()):
                await server.until_ready(_UNDER_QUOTA_S)

    def unlimit(self) -> None:
        """Suspend all quotas."""
        for server in self.all():
            server.unlimit()

    async def count(self, earlier: dict[str, list[Counters]] | None = None) -> dict[str, list[Counters]]:
        """Counters of all servers by tier; those of `earlier` for a server that does not answer.

        Raises RunError for such a server if there are none.
        """

        async def ask(server: TierServer, before: Counters | None) -> Counters:
            try:
                return await server.count()
            except RunError:
                if before is None:
                    raise
                return replace(before, at_s=time.monotonic())

        jobs: dict[str, list[Counters]] = {}
        for name, servers in self.servers.items():
            before = earlier[name] if earlier is not None else [None] * len(servers)
            jobs[name] = list(await asyncio.gather(*map(ask, servers, before)))
        return jobs

    def switches(self) -> dict[str, dict[int, int]]:
        """Context switches so far, by tier and thread."""
        return {
            name: {thread: count for server in servers for thread, count in server.switches().items()}
            for name, servers in self.servers.items()
        }

    async def stop(self) -> None:
        """Stop all, front to back."""
        for servers in self.servers.values():
            await asyncio.gather(*(server.stop() for server in servers))


def sizes_of(allocation: Allocation, tier: Tier) -> dict[PoolKind, int]:
    """Sizes of one server of a tier by kind."""
    return {key.kind: allocation[PoolKey(tier.name, key.kind)] for key in tier.pools}
