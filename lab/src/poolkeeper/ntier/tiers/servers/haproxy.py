"""HAProxy as a front tier whose limits change while it runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.ntier.tiers.programs import find
from poolkeeper.ntier.tiers.servers.front import READY_PATH, TIMEOUT_S, TRACE, Front, shares
from poolkeeper.ntier.tiers.servers.server import HOST

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.system import PoolKind

_CONNECTIONS = 8000
_ANSWER_S = 10.0
_TO_LOG = 'log=$0 && exec "$@" >> "$log"'


class HAProxy(Front):
    """HAProxy with one thread. `connections` are those to the application, one a request; other requests wait in it.

    They are divided among the servers behind it, so that with two servers 15 are 8 and 7. A request that waits longer
    than the patience of the tier is answered with 503. It logs times in milliseconds.
    """

    units = (1e-6, 1e-3)

    @property
    def socket(self) -> Path:
        """The socket of its command interface."""
        return self.workplace.folder / self.name / "admin.sock"

    def command(self) -> list[str]:
        """See TierServer."""
        if not self.socket.parent.exists():
            self.workplace.own_folder(self.name)
        user = self.workplace.user
        limits = shares(self.sizes["connections"], len(self.next_ports))
        lines = [
            "global",
            "    log stdout format raw local0 info",
            "    nbthread 1",
            f"    maxconn {_CONNECTIONS}",
            f"    stats socket {self.socket} mode 600 level admin",
            *([f"    uid {user.pw_uid}", f"    gid {user.pw_gid}"] if user is not None else []),
            "defaults",
            "    mode http",
            f"    maxconn {_CONNECTIONS}",
            "    option http-keep-alive",
            "    retries 0",
            "    timeout connect 5s",
            *(f"    timeout {kind} {TIMEOUT_S}s" for kind in ("client", "server", "http-keep-alive")),
            f"    timeout queue {round(1e3 * (self.tier.patience_s or TIMEOUT_S))}ms",
            "frontend users",
            f"    bind {HOST}:{self.port} backlog 4096",
            "    log global",
            f"    monitor-uri {READY_PATH}",
            "    unique-id-format %[uuid()]",
            f"    http-request set-header {TRACE} %[unique-id] unless {{ req.hdr({TRACE}) -m found }}",
            f"    http-request set-var(txn.trace) req.hdr({TRACE})",
            '    log-format "%[date(0,us)] %Ta %ST %[var(txn.trace)] %Tw %HP %s %ts"',
            "    default_backend application",
            "backend application",
            "    balance roundrobin",
            *(
                f"    server s{number} {address} maxconn {limit}"
                for number, (address, limit) in enumerate(zip(self.backends(), limits, strict=True), start=1)
            ),
        ]
        file = self.workplace.logs / f"{self.name}.cfg"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [find("haproxy"), "-db", "-f", str(file.resolve())]
        return ["sh", "-c", _TO_LOG, str(self.access.file.resolve()), *command]

    async def change(self, sizes: dict[PoolKind, int]) -> None:
        """See TierServer."""
        for number, limit in enumerate(shares(sizes["connections"], len(self.next_ports)), start=1):
            answer = await self.tell(f"set maxconn server application/s{number} {limit}")
            if answer:
                raise RunError(f"{self.name}: a limit of {limit} was not taken: {answer}")

    async def use(self, servers: int) -> None:
        """Send requests to the first so many servers alone; those that others work on come to their end.

        Raises RunError.
        """
        for number in range(1, len(self.next_ports) + 1):
            state = "ready" if number <= servers else "maint"
            if answer := await self.tell(f"set server application/s{number} state {state}"):
                raise RunError(f"{self.name}: the state {state} of server {number} was not taken: {answer}")

    async def limits(self) -> list[int]:
        """Limit of each server behind it, as HAProxy reports it."""
        head, *rows = (await self.tell("show stat")).splitlines()
        names = head.removeprefix("# ").split(",")
        records = [dict(zip(names, row.split(","), strict=False)) for row in rows]
        return [int(row["slim"]) for row in records if row["pxname"] == "application" and row["svname"].startswith("s")]

    async def tell(self, line: str) -> str:
        """Answer of its command interface. Raises RunError."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                reader, writer = await asyncio.open_unix_connection(str(self.socket))
                try:
                    writer.write(line.encode() + b"\n")
                    return (await reader.read(-1)).decode().strip()
                finally:
                    writer.close()
        except OSError as error:
            raise RunError(f"{self.name}: its command interface does not answer: {error or 'timeout'}") from None
