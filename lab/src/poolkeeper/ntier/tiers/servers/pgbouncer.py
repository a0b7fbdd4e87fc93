"""PgBouncer in front of one database: connections of a transaction each, resized while it runs."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.ntier.tiers.programs import find
from poolkeeper.ntier.tiers.servers.postgres import DATABASE, USER
from poolkeeper.ntier.tiers.servers.psql import LAB_USER, Psql, QueryError
from poolkeeper.ntier.tiers.servers.server import HOST, Counters, TierServer

if TYPE_CHECKING:
    from poolkeeper.ntier.system import PoolKind

_CLIENTS = 2000


class PgBouncer(TierServer):
    """PgBouncer, which has one thread. `default_pool_size` is the size of its pool of connections to the database.

    It closes surplus connections only when they come back.
    """

    stop_signal = signal.SIGTERM  # immediate

    _session: Psql | None = None

    @property
    def session(self) -> Psql:
        """The lab's session with its admin console."""
        if self._session is None:
            self._session = Psql(self.port, "pgbouncer", LAB_USER)
        return self._session

    def command(self) -> list[str]:
        """See TierServer."""
        folder = self.workplace.folder / self.name
        if not folder.exists():
            self.workplace.own_folder(self.name)
        users = folder / "users.txt"
        users.write_text(f'"{USER}" ""\n"{LAB_USER}" ""\n', encoding="utf-8")
        settings = {
            "listen_addr": HOST,
            "listen_port": self.port,
            "unix_socket_dir": "",
            "auth_type": "trust",
            "auth_file": users,
            "admin_users": LAB_USER,
            "pool_mode": "transaction",
            "max_client_conn": _CLIENTS,
            "default_pool_size": self.sizes["connections"],
            "server_idle_timeout": 0,
            "server_lifetime": 86400,
            "query_wait_timeout": 0,
            "server_login_retry": 1,  # after a database was away; 15 s by default, in which all clients wait
            "ignore_startup_parameters": "extra_float_digits",
            "log_connections": 0,
            "log_disconnections": 0,
            "stats_period": 60,
        }
        lines = ["[databases]", f"{DATABASE} = host={HOST} port={self.next_ports[0]}", "[pgbouncer]"]
        lines += [f"{name} = {value}" for name, value in settings.items()]
        text = "\n".join(lines) + "\n"
        (self.workplace.logs / f"{self.name}.ini").write_text(text, encoding="utf-8")
        own = folder / "pgbouncer.ini"
        own.write_text(text, encoding="utf-8")
        return self.command_as_user(find("pgbouncer"), str(own))

    async def answers(self) -> bool:
        """See TierServer."""
        try:
            await self.session.rows("SHOW VERSION", 2)
        except QueryError:
            return False
        return True

    async def check(self) -> str:
        """See TierServer."""
        probe = Psql(self.port, DATABASE, USER)
        try:
            await probe.rows("SELECT 1")
        finally:
            await probe.close()
        return "a statement went through to the database"

    async def change(self, sizes: dict[PoolKind, int]) -> None:
        """See TierServer."""
        await self.session.rows(f"SET default_pool_size = {sizes['connections']}")
        if await self.pool_size() != sizes["connections"]:
            raise RunError(f"{self.name}: default_pool_size = {sizes['connections']} was not taken")

    async def pool_size(self) -> int:
        """Size of its pool, as it reports it."""
        rows = await self.session.records("SHOW CONFIG")
        return next(int(row["value"]) for row in rows if row["key"] == "default_pool_size")

    async def count(self) -> Counters:
        """See TierServer: visits are statements; a connection is held for a transaction."""
        rows = await self.session.records("SHOW STATS_TOTALS")
        found = next((row for row in rows if row["database"] == DATABASE), {})

        def total(name: str) -> float:
            return float(found.get(name, 0))

        return Counters(
            time.monotonic(),
            self.cpu_s(),
            visits=total("query_count"),
            response_s=total("query_time") / 1e6,
            uses=total("xact_count"),
            held_s=total("xact_time") / 1e6,
            wait_s=total("wait_time") / 1e6,
        )

    async def stop(self) -> None:
        """See TierServer."""
        if self._session is not None:
            await self._session.close()
            self._session = None
        await super().stop()
