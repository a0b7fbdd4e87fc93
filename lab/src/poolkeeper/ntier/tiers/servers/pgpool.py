"""pgpool-II in front of replicated databases: reads are balanced, writes go to all."""

from __future__ import annotations

import asyncio
import signal
import time

from poolkeeper.ntier.tiers.programs import find
from poolkeeper.ntier.tiers.servers.postgres import DATABASE, USER
from poolkeeper.ntier.tiers.servers.psql import LAB_USER, Psql, QueryError
from poolkeeper.ntier.tiers.servers.server import HOST, Counters, TierServer

INSERT_LOCK = (
    "CREATE SCHEMA pgpool_catalog",
    "CREATE TABLE pgpool_catalog.insert_lock (reloid oid PRIMARY KEY)",
    "INSERT INTO pgpool_catalog.insert_lock VALUES (0)",
    "GRANT USAGE ON SCHEMA pgpool_catalog TO PUBLIC",
    "GRANT SELECT, UPDATE, INSERT ON pgpool_catalog.insert_lock TO PUBLIC",
)
"""Makes rows that pgpool locks so that replicas give the same numbers to new rows.

Without them it locks whole tables, and transactions that wrote to one before wait for each other in a circle [1].

[1] pgpool-II's documentation: insert_lock, and creating the insert_lock table.
"""


class Pgpool(TierServer):
    """pgpool with one process a connection: `num_init_children` is the size of its pool, and needs a restart.

    A client holds a process for as long as it is connected; further clients wait until one leaves. So once there are
    clients the lab asks nothing that needs a process: it might wait for ever.
    """

    stop_signal = signal.SIGINT  # "fast": disconnects clients
    resized_by_restart = True

    def command(self) -> list[str]:
        """See TierServer."""
        folder = self.workplace.folder / self.name
        if not folder.exists():
            self.workplace.own_folder(self.name)
        settings = {
            "listen_addresses": f"'{HOST}'",
            "port": self.port,
            "socket_dir": f"'{folder}'",
            "pcp_listen_addresses": "''",
            "pcp_socket_dir": f"'{folder}'",
            "pid_file_name": f"'{folder / 'pgpool.pid'}'",
            "logdir": f"'{folder}'",
            "work_dir": f"'{folder}'",
            "backend_clustering_mode": "'native_replication'",
            "load_balance_mode": "on",
            "statement_level_load_balance": "on",
            "allow_sql_comments": "on",  # a comment in front of a statement, the trace id, keeps it balanced
            "num_init_children": self.sizes["connections"],
            "max_pool": 1,
            "child_life_time": 0,
            "client_idle_limit": 0,
            "connection_life_time": 0,
            "listen_backlog_multiplier": 8,
            "serialize_accept": "off",
            "enable_pool_hba": "off",
            "sr_check_period": 0,
            "health_check_period": 0,
            "failover_on_backend_error": "off",
            "failover_on_backend_shutdown": "off",
            "auto_failback": "off",
            "use_watchdog": "off",
            "memory_cache_enabled": "off",
            "log_min_messages": "warning",
            "log_destination": "'stderr'",
            "replicate_select": "off",
            "insert_lock": "on",
        }
        for number, port in enumerate(self.next_ports):
            settings |= {
                f"backend_hostname{number}": f"'{HOST}'",
                f"backend_port{number}": port,
                f"backend_weight{number}": 1,
                f"backend_flag{number}": "'DISALLOW_TO_FAILOVER'",
            }
        file = self.workplace.logs / f"{self.name}.conf"
        file.write_text("".join(f"{name} = {value}\n" for name, value in settings.items()), encoding="utf-8")
        own = folder / "pgpool.conf"
        own.write_bytes(file.read_bytes())
        hba, pcp = folder / "pool_hba.conf", folder / "pcp.conf"
        hba.touch()
        pcp.touch()
        return self.command_as_user(find("pgpool"), "-n", "-f", str(own), "-a", str(hba), "-F", str(pcp))

    async def answers(self) -> bool:
        """See TierServer: it listens, which takes no process."""
        _, writer = await asyncio.open_connection(HOST, self.port)
        writer.close()
        return True

    async def check(self) -> str:
        """See TierServer: every database behind it has answered a statement. It needs a free process."""
        probe = Psql(self.port, DATABASE, LAB_USER)
        try:
            rows = await probe.records("SHOW POOL_NODES")
        finally:
            await probe.close()
        bad = [row for row in rows if row.get("status") not in {"up", "waiting"}]
        if bad or len(rows) != len(self.next_ports):
            raise QueryError(f"{self.name}: of {len(self.next_ports)} databases it has {rows}")
        return f"{len(rows)} databases, {USER}'s reads balanced"

    async def count(self) -> Counters:
        """See TierServer: its visits are those that the tier before it counts."""
        return Counters(time.monotonic(), self.cpu_s())
