"""A server of the bulletin board: embedded Tomcat with HikariCP."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.home import home
from poolkeeper.ntier.tiers.java import JavaPrograms
from poolkeeper.ntier.tiers.servers.front import HOME, TRACE
from poolkeeper.ntier.tiers.servers.http import get
from poolkeeper.ntier.tiers.servers.postgres import DATABASE, USER
from poolkeeper.ntier.tiers.servers.server import HOST, Counters, TierServer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkeeper.ntier.system import PoolKind

_OK = 200
_ADMIN_S = 10.0
_CHECK_S = 20.0
_NO_ROOM = re.compile(r"heap (size|space)|[Tt]oo small|NewSize|OutOfMemoryError|GC overhead")
"""Messages of a JVM that has too little memory."""
_NO_MEMORY = re.compile(r"insufficient memory|Could not reserve enough space")
"""Messages of a JVM whose heap does not fit into the machine."""


def jdbc_url(port: int, *, pooled: bool) -> str:
    """Address of a database for Java; `pooled` where a middleware hands connections around.

    Statements prepared on one connection to the database are not known on another [1].

    [1] PgBouncer's FAQ: prepared statements in transaction pooling, before version 1.21.
    """
    return f"jdbc:postgresql://{HOST}:{port}/{DATABASE}{'?prepareThreshold=0' if pooled else ''}"


class Board(TierServer):
    """A bulletin board. Both its pools are resized while it runs."""

    pooled = False
    """Whether a middleware is behind it."""
    tuning: str | None = None
    """Controllers of its pools, which rest until `tune`."""
    admission: str | None = None
    """Overload control in front of its pages; none unless named."""
    _admin: int | None = None

    @property
    def admin(self) -> int:
        """Port of its admin endpoint."""
        if self._admin is None:
            self._admin = self.workplace.port()
        return self._admin

    def command(self) -> list[str]:
        """See TierServer."""
        arguments = [
            *("--port", str(self.port), "--admin-port", str(self.admin)),
            *("--threads", str(self.sizes["threads"]), "--connections", str(self.sizes["connections"])),
            *("--jdbc-url", jdbc_url(self.next_ports[0], pooled=self.pooled), "--jdbc-user", USER),
        ]
        if self.tuning is not None:
            arguments += ["--tuning", self.tuning]
        if self.admission is not None:
            arguments += ["--admission", self.admission]
        gc_log = self.workplace.logs / f"{self.name}-gc.log"
        temporary = self.workplace.folder / self.name
        temporary.mkdir(exist_ok=True)  # a board that is killed leaves files there
        heap = self.tier.heap or "128m"
        return JavaPrograms(home()).board(heap, self.tier.cores, gc_log, temporary, arguments)

    async def raise_if_ended(self) -> None:
        """See TierServer; a heap that is too small is named."""
        try:
            await super().raise_if_ended()
        except RunError as error:
            if _NO_MEMORY.search(str(error)):
                raise RunError(
                    f"heap: {self.tier.heap} is more than this machine has for {self.name}: {error}"
                ) from None
            if _NO_ROOM.search(str(error)):
                raise RunError(f"heap: {self.tier.heap} is too small for {self.name}: {error}") from None
            raise

    async def answers(self) -> bool:
        """See TierServer."""
        return (await get(self.admin, "/tier", _ADMIN_S)).status == _OK

    async def check(self) -> str:
        """See TierServer."""
        try:
            answer = await get(self.port, HOME, _CHECK_S, {TRACE: "check"})
        except OSError as error:
            raise RunError(f"{self.name}: no answer to {HOME}: {error or 'timeout'}{self._quota_in_force()}") from None
        if answer.status != _OK:
            raise RunError(f"{self.name}: {HOME} was answered with {answer.status}: {answer.beginning()}")
        return f"{HOME} was answered with {len(answer.body)} bytes"

    async def change(self, sizes: dict[PoolKind, int]) -> None:
        """See TierServer."""
        query = "&".join(f"{kind}={size}" for kind, size in sizes.items())
        answer = await self._ask(f"/size?{query}", "POST")
        if {kind: answer.get(kind) for kind in sizes} != sizes:
            raise RunError(f"{self.name}: asked for {sizes}, but it answered {answer}")

    async def tune(self) -> None:
        """Have its controllers decide from now on. Raises RunError."""
        await self._ask("/mode?mode=active", "POST")

    async def current_sizes(self) -> dict[PoolKind, int]:
        """Sizes of its pools now. Raises RunError."""
        found = await self._ask("/tier")
        return {"threads": int(found["threads"]), "connections": int(found["connections"])}

    async def count(self) -> Counters:
        """See TierServer: visits are requests; a response time begins when a thread takes the request."""
        found = await self._ask("/tier")

        def seconds(name: str) -> float:
            return float(found[name]) / 1e9

        return Counters(
            time.monotonic(),
            self.cpu_s(),
            visits=float(found["requests"]),
            response_s=seconds("busy_nanos"),
            threads_s=seconds("busy_nanos"),
            threads_wait_s=max(0.0, seconds("response_nanos") - seconds("busy_nanos")),
            uses=float(found["connection_uses"]),
            held_s=seconds("connection_held_nanos"),
            wait_s=seconds("connection_wait_nanos"),
            gc_s=seconds("gc_nanos"),
            statements=float(found["statements"]),
            statements_s=seconds("statement_nanos") if "statement_nanos" in found else None,
            failed=float(found["errors"]),
        )

    async def _ask(self, path: str, method: str = "GET") -> Mapping[str, Any]:
        try:
            answer = await get(self.admin, path, _ADMIN_S, method=method)
            document = json.loads(answer.body)
        except (OSError, ValueError) as error:
            await self.raise_if_ended()
            raise RunError(
                f"{self.name}: its admin port {self.admin} does not answer to {path}: {error or 'timeout'}"
                f"{self._quota_in_force()}"
            ) from None
        if answer.status != _OK or not isinstance(document, dict):
            raise RunError(f"{self.name}: {path} was answered with {answer.status}: {answer.beginning()}")
        return document
