"""A front tier: a server that answers HTTP and sends requests on to the application."""

from __future__ import annotations

import time
from typing import ClassVar

from poolkeeper.errors import RunError
from poolkeeper.ntier.tiers.servers import usage
from poolkeeper.ntier.tiers.servers.access_log import AccessLog
from poolkeeper.ntier.tiers.servers.http import get
from poolkeeper.ntier.tiers.servers.server import HOST, Counters, TierServer

READY_PATH = "/poolkeeper-ready"
"""Answered by the front tier itself, and not logged."""
HOME = "/StoriesOfTheDay"
"""A request of the application that goes through all tiers."""
TRACE = "X-Request-Id"
TIMEOUT_S = 60
_CHECK_S = 20.0
_OK = 200
_READY = (200, 204)


class Front(TierServer):
    """Server that users reach: its log of requests, and its way to the application."""

    units: ClassVar[tuple[float, float]] = (1e-6, 1e-6)
    """Units of the end and of the times in its log, in seconds."""

    _access: AccessLog | None = None
    _waiting_s = 0.0
    _ticked_s: float | None = None

    @property
    def access(self) -> AccessLog:
        """Its log of requests."""
        if self._access is None:
            end, times = self.units
            self._access = AccessLog(self.workplace.logs / f"{self.name}-access.log", end, times)
        return self._access

    async def answers(self) -> bool:
        """See TierServer."""
        return (await get(self.port, READY_PATH, 2.0)).status in _READY

    async def check(self) -> str:
        """See TierServer: the application answers through it, with the trace id that was sent."""
        trace = f"check-{time.monotonic_ns()}"
        for _ in self.next_ports:  # each of them has its turn
            try:
                answer = await get(self.port, HOME, _CHECK_S, {TRACE: trace})
            except OSError as error:
                raise RunError(f"{self.name}: no answer to {HOME}: {error or 'timeout'}") from None
            if answer.status != _OK:
                raise RunError(f"{self.name}: {HOME} was answered with {answer.status}: {answer.beginning()}")
            if answer.headers.get(TRACE.lower()) != trace:
                raise RunError(f"{self.name}: the trace id {trace} of {HOME} did not come back")
        return f"{HOME} was answered, its trace id came back"

    def tick(self) -> None:
        """Look how many wait for a thread, and read the log."""
        now = time.monotonic()
        if self._ticked_s is not None:
            self._waiting_s += usage.waiting_connections(self.port) * (now - self._ticked_s)
        self._ticked_s = now
        self.access.read()

    async def count(self) -> Counters:
        """See TierServer. A thread, or a connection where it has no threads, is busy for the time of its request."""
        self.tick()
        total = self.access.total
        served_s = total.response_s - total.wait_s
        threads, connections = "threads" in self.sizes, "connections" in self.sizes
        return Counters(
            time.monotonic(),
            self.cpu_s(),
            visits=total.requests,
            response_s=served_s,
            threads_s=served_s if threads else None,
            threads_wait_s=self._waiting_s if threads else None,
            uses=total.requests if connections else None,
            held_s=served_s if connections else None,
            wait_s=total.wait_s if connections and not threads else None,
            failed=sum(self.access.failed.values()),
        )

    def backends(self) -> list[str]:
        """Addresses of the servers behind it."""
        return [f"{HOST}:{port}" for port in self.next_ports]


def shares(size: int, servers: int) -> list[int]:
    """Division of a pool among servers as evenly as can be; each gets 1 at least, as 0 would be no limit."""
    return [max(1, size // servers + (number < size % servers)) for number in range(servers)]
