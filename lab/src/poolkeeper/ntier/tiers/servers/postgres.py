"""A PostgreSQL server."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import dying_with
from poolkeeper.ntier.tiers.programs import as_user, find
from poolkeeper.ntier.tiers.servers.psql import LAB_USER, Psql, QueryError
from poolkeeper.ntier.tiers.servers.server import HOST, Counters, TierServer

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.tiers.workplace import Workplace

DATABASE = "board"
USER = "board"
"""Role of the application."""
MOST_CONNECTIONS = 1000
_INITDB_S = 120.0
_SETTINGS = {
    "max_connections": str(MOST_CONNECTIONS),
    "shared_buffers": "64MB",
    "dynamic_shared_memory_type": "mmap",
    "shared_preload_libraries": "'pg_stat_statements'",
    "pg_stat_statements.track": "top",
    "pg_stat_statements.track_utility": "off",
    "pg_stat_statements.track_planning": "on",
    "pg_stat_statements.save": "off",
    # The processor is what a topology divides; the disk is shared by all, and would be measured with it.
    # Without waiting for it a commit still survives the end of the server, though not that of the machine.
    "fsync": "off",
    "full_page_writes": "off",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "log_line_prefix": "'%m [%p] '",
    "log_min_duration_statement": "-1",
    "log_parameter_max_length": "0",
    "unix_socket_directories": "''",
    "listen_addresses": f"'{HOST}'",
}
_COUNTED = (
    "SELECT coalesce(sum(calls), 0), coalesce(sum(total_exec_time + total_plan_time), 0) "
    "FROM pg_stat_statements(false) WHERE userid = 'board'::regrole"
)
_FINGERPRINT = (
    "SELECT table_name, query_to_xml(format('SELECT count(*), sum(hashtext(t::text)) FROM %I t', table_name), "
    "false, true, '') FROM information_schema.tables "
    "WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1"
)
_FINGERPRINT_S = 60.0
_RELOAD_S = 30.0
_LOOK_S = 0.02


def initialise(folder: Path, workplace: Workplace) -> None:
    """Make the files of an empty database in a folder. Raises RunError."""
    workplace.give(_made(folder))
    options = ("-D", str(folder), "--username", LAB_USER, "--auth", "trust", "--encoding", "UTF8", "--no-locale")
    done = subprocess.run(
        as_user(workplace.user, [find("initdb"), *options, "--no-sync"]),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=_INITDB_S,
        check=False,
        start_new_session=True,  # Ctrl-C is the lab's: it would look like a failure
        preexec_fn=dying_with(os.getpid(), signal.SIGINT),
    )
    if done.returncode != 0:
        raise RunError(f"initdb: {' '.join((done.stderr or done.stdout).split())[-400:]}")
    with (folder / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.writelines(f"{name} = {value}\n" for name, value in _SETTINGS.items())


def copy(template: Path, folder: Path) -> None:
    """Copy the files of a server that does not run, with their owners. Raises RunError."""
    program = shutil.which("cp") or "cp"
    try:
        subprocess.run([program, "-a", str(template), str(folder)], check=True, timeout=_INITDB_S, capture_output=True)
    except subprocess.CalledProcessError as error:
        raise RunError(f"{folder}: {error.stderr.decode(errors='replace').strip()}") from None


def _made(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


class Postgres(TierServer):
    """A database with its files in the workplace. Its processes are as many as the tiers before it connect."""

    stop_signal = signal.SIGINT  # "fast": disconnects clients, writes everything

    data: Path | None = None
    """Its files, of which it makes an empty database where there are none."""
    _session: Psql | None = None

    @property
    def session(self) -> Psql:
        """The lab's own session with the application's database."""
        if self._session is None:
            self._session = Psql(self.port, DATABASE)
        return self._session

    def command(self) -> list[str]:
        """See TierServer."""
        if self.data is None:
            self.data = self.workplace.folder / f"{self.name}-data"
            initialise(self.data, self.workplace)
        return self.command_as_user(find("postgres"), "-D", str(self.data), "-p", str(self.port))

    async def answers(self) -> bool:
        """See TierServer."""
        probe = Psql(self.port, "postgres")
        try:
            return await probe.rows("SELECT 1", 2) == [["1"]]
        except QueryError:
            return False
        finally:
            await probe.close()

    async def prepare(self) -> None:
        """Make the application's role and database, once."""
        probe = Psql(self.port, "postgres")
        try:
            if [USER] not in await probe.rows("SELECT rolname FROM pg_roles"):
                await probe.rows(f"CREATE ROLE {USER} LOGIN")
                await probe.rows(f"CREATE DATABASE {DATABASE} OWNER {USER}", 60)
                await self.session.rows("CREATE EXTENSION pg_stat_statements")
        finally:
            await probe.close()

    async def check(self) -> str:
        """See TierServer."""
        probe = Psql(self.port, DATABASE, USER)
        try:
            rows = await probe.rows("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
        finally:
            await probe.close()
        return f"{rows[0][0]} tables and indexes"

    async def count(self) -> Counters:
        """See TierServer: visits are the application's statements, without those that begin or end transactions."""
        row = (await self.session.rows(_COUNTED))[0]
        spent_s = float(row[1]) / 1000
        return Counters(
            time.monotonic(),
            self.cpu_s(),
            visits=float(row[0]),
            response_s=spent_s,
            threads_s=spent_s,
        )

    async def fingerprint(self) -> list[list[str]]:
        """Number of rows and a checksum of each table, equal in equal databases. Raises QueryError."""
        return await self.session.rows(_FINGERPRINT, _FINGERPRINT_S)

    async def trace(self, *, on: bool) -> None:
        """Have every statement logged, with its time and its comment, or none.

        Returns once the lab's session works with it, and the others do at the same time. Raises QueryError.
        """
        value = "0" if on else "-1"
        await self.session.rows(f"ALTER SYSTEM SET log_min_duration_statement = {value}")
        await self.session.rows("SELECT pg_reload_conf()")
        until = time.monotonic() + _RELOAD_S
        while await self.session.rows("SHOW log_min_duration_statement") != [[value]]:
            if time.monotonic() > until:
                raise QueryError(f"{self.name}: log_min_duration_statement is not {value} after {_RELOAD_S:g} s")
            await asyncio.sleep(_LOOK_S)

    async def stop(self) -> None:
        """See TierServer."""
        if self._session is not None:
            await self._session.close()
            self._session = None
        await super().stop()
