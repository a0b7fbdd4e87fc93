"""A server of a tier: a process in its quota, which starts, answers, can be resized, counts, and stops."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import Child
from poolkeeper.ntier.tiers.cpu_quota import quota_period
from poolkeeper.ntier.tiers.programs import as_user
from poolkeeper.ntier.tiers.servers import usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.experiment.processes.quota import Group, Throttling
    from poolkeeper.ntier.system import PoolKind, Tier
    from poolkeeper.ntier.tiers.workplace import Workplace

HOST = "127.0.0.1"
START_S = 300.0
STOP_S = 10.0
_AGAIN_S = 0.05
LEAST_CORES = 0.02
"""Smallest quota: the kernel's smallest slice, twice, in the longest period that does not show in response times."""


@dataclass(frozen=True, slots=True)
class Counters:
    """Sums since the start of a server; None for figures that this kind of server does not report.

    Attributes:
        at_s: time of the monotonic clock.
        cpu_s: CPU time.
        visits: visits that have ended: requests, or statements.
        response_s: sum of the times of visits.
        threads_s: sum of the times for which threads were busy.
        threads_wait_s: sum of the times for which visits waited for a thread.
        uses: connections taken to the next tier.
        held_s: sum of the times from taking a connection to giving it back.
        wait_s: sum of the times for which a connection was waited for.
        gc_s: time in garbage collections.
        statements: statements sent to the next tier, and the sum of their times.
        failed: visits that failed.
    """

    at_s: float
    cpu_s: float
    visits: float | None = None
    response_s: float | None = None
    threads_s: float | None = None
    threads_wait_s: float | None = None
    uses: float | None = None
    held_s: float | None = None
    wait_s: float | None = None
    gc_s: float | None = None
    statements: float | None = None
    statements_s: float | None = None
    failed: float | None = None


class TierServer(ABC):
    """One server of a tier. Subclasses configure and query one kind of server.

    Attributes:
        name: name of the tier, with a number where it has several servers.
        port: where it serves, on the loopback interface.
        sizes: its pools by kind.
    """

    stop_signal = signal.SIGTERM
    """Ends the server at once and in order."""
    resized_by_restart = False
    """Whether a change of its pools ends it and starts it anew."""

    def __init__(  # noqa: PLR0913 - the same for all kinds
        self,
        name: str,
        tier: Tier,
        sizes: dict[PoolKind, int],
        workplace: Workplace,
        next_ports: Sequence[int],
        port: int | None = None,
    ) -> None:
        """`next_ports`: those of the servers behind it; `port`: its own, if it has to be a certain one."""
        self.name = name
        self.tier = tier
        self.sizes = sizes
        self.workplace = workplace
        self.next_ports = list(next_ports)
        self.port = port if port is not None else workplace.port()
        self.log = workplace.logs / f"{name}.log"
        self._child: Child | None = None
        self._group: Group | None = workplace.group(name)
        self._limited = False

    @abstractmethod
    def command(self) -> list[str]:
        """Write the configuration, and return the command of the server."""

    @abstractmethod
    async def answers(self) -> bool:
        """Whether it answers on its own, without the tiers behind it. May raise OSError for no."""

    @abstractmethod
    async def check(self) -> str:
        """Send a real request through it to the tiers behind it; returns a word about the answer.

        Raises RunError.
        """

    async def resize(self, sizes: dict[PoolKind, int]) -> bool:
        """Change the sizes of pools, while it runs if it can; returns whether it was restarted. Raises RunError."""
        if sizes == self.sizes:
            return False
        if self.resized_by_restart:
            self.sizes = sizes
            await self.restart()
            return True
        await self.change(sizes)
        self.sizes = sizes
        return False

    async def change(self, sizes: dict[PoolKind, int]) -> None:
        """Change the sizes of pools while it runs. Raises RunError."""
        raise RunError(f"{self.name}: {self.tier.server} has no pools to change to {sizes}")

    @abstractmethod
    async def count(self) -> Counters:
        """Counters now. Raises RunError."""

    @property
    def pid(self) -> int:
        """Id of its first process."""
        return self.child.pid

    @property
    def child(self) -> Child:
        """Its process. Raises RunError if it was not started."""
        if self._child is None:
            raise RunError(f"{self.name} was not started")
        return self._child

    async def start(self) -> None:
        """Start it and wait until it answers. Raises RunError, with its last output, if it does not."""
        self.require_port()
        command = self.command()
        if self._group is not None:
            command = self._group.command(command)
        self._child = Child.start(self.name, command, self.log, with_parent=self.stop_signal)
        self.workplace.watch(self._child.pid, self.stop_signal)
        await self.until_ready(START_S)

    def require_port(self) -> None:
        """Raise RunError if its port is in use."""
        if not port_is_free(self.port):
            raise RunError(f"{self.name}: port {self.port} is in use; end what listens there, or take another port")

    async def until_ready(self, within_s: float) -> None:
        """Wait until it answers. Raises RunError."""
        until = time.monotonic() + within_s
        while True:
            with suppress(OSError):
                if await self.answers():
                    return
            await self.raise_if_ended()
            if time.monotonic() > until:
                output = self.last_output()
                raise RunError(
                    f"{self.name} ({self.tier.server}) does not answer after {within_s:g} s{self._quota_in_force()}"
                    f"; last output: {output or 'nothing'}; all of it: {self.log}"
                )
            await asyncio.sleep(_AGAIN_S)

    async def raise_if_ended(self) -> None:
        """Raise RunError, with its last output, if its process has ended."""
        if self.child.exit_code is not None:
            await self.child.ended()  # what it said last may not have been read yet
            raise RunError(f"{self.name} ({self.tier.server}) {self._ending()}; all of it: {self.log}")

    async def watch(self) -> None:
        """Raise RunError when it ends without having been asked to."""
        while True:
            child = self._child
            if child is None:  # is being restarted, or was killed on purpose
                await asyncio.sleep(_AGAIN_S)
                continue
            await child.ended()
            if self._child is child:
                await self.raise_if_ended()

    def last_output(self) -> str:
        """End of its log, in one line."""
        return self.child.last_output()

    def _ending(self) -> str:
        head, _, _ = self.child.ending().partition(";")
        output = self.last_output()
        return f"{head.removesuffix(' without output')}; last output: {output}" if output else head

    async def stop(self) -> None:
        """End it; nothing happens if it has ended."""
        child, self._child = self._child, None
        if child is None:
            return
        with suppress(ProcessLookupError):
            child.signal(self.stop_signal)
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await child.ended()
        await child.kill()

    async def kill(self) -> None:
        """Kill it with all its processes, as a crash would; it counts as stopped then."""
        child, self._child = self._child, None
        if child is None:
            return
        for process in self._group.processes() if self._group is not None else usage.family(child.pid):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        await child.kill()

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._child is not None and self._child.exit_code is None

    async def restart(self) -> None:
        """End and start it, at the same port."""
        limited = self._limited
        self.unlimit()
        await self.stop()
        await self.start()
        if limited:
            self.limit()

    def limit(self, share: float = 1.0) -> None:
        """Put its quota, or a share of it, in force."""
        if self._group is not None:
            cores = max(LEAST_CORES, share * self.tier.cores)
            self._group.limit(cores, quota_period(cores))
            self._limited = True

    def unlimit(self) -> None:
        """Suspend its quota, as for a start or a warm-up."""
        if self._group is not None:
            self._group.unlimit()
            self._limited = False

    def _quota_in_force(self) -> str:
        return f" under its quota of {self.tier.cores:g} cores" if self._limited else ""

    def processes(self) -> list[int]:
        """Ids of its processes; none if it does not run."""
        if self._group is not None:
            return self._group.processes()
        return [] if self._child is None else usage.family(self._child.pid)

    def cpu_s(self) -> float:
        """CPU time that it has used."""
        return self._group.cpu_s() if self._group is not None else usage.cpu_s(self.processes())

    def switches(self) -> dict[int, int]:
        """Context switches so far, by thread."""
        return usage.switches(self.processes())

    def throttling(self) -> Throttling | None:
        """Counts of its control group; None without quotas."""
        return self._group.throttling() if self._group is not None else None

    def command_as_user(self, *command: str) -> list[str]:
        """The command under the ordinary user."""
        return as_user(self.workplace.user, command)


def port_is_free(port: int) -> bool:
    """Whether a server can listen at a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
