"""PostgreSQL, pgpool and PgBouncer: replicas, sizes, restarts, faults."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from tier_servers import needs

from poolkeeper.errors import RunError
from poolkeeper.ntier.system import Tier
from poolkeeper.ntier.tiers.servers.pgbouncer import PgBouncer
from poolkeeper.ntier.tiers.servers.pgpool import Pgpool
from poolkeeper.ntier.tiers.servers.postgres import Postgres, copy, initialise
from poolkeeper.ntier.tiers.servers.psql import Psql, QueryError
from poolkeeper.ntier.tiers.tracing import statements
from poolkeeper.ntier.tiers.workplace import Workplace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

READS = 40
LONG_S = 300.0


@asynccontextmanager
async def databases(workplace: Workplace, number: int) -> AsyncIterator[list[Postgres]]:
    """Running databases with equal data."""
    tier = Tier("database", "postgres", number, 0.5)
    servers = [Postgres(f"database-{place}", tier, {}, workplace, []) for place in range(1, number + 1)]
    try:
        await servers[0].start()
        await servers[0].prepare()
        await servers[0].session.rows("CREATE TABLE board_row (id int); GRANT ALL ON board_row TO board")
        if number > 1:
            assert servers[0].data
            await servers[0].stop()
            for server in servers[1:]:
                server.data = servers[0].data.with_name(f"{server.name}-data")
                copy(servers[0].data, server.data)
            await asyncio.gather(*(server.start() for server in servers))
        yield servers
    finally:
        for server in servers:
            await server.stop()


def test_pgpool_writes_to_all_databases_and_balances_reads(tmp_path: Path) -> None:
    needs("postgres", "pgpool")

    async def run(workplace: Workplace) -> None:
        async with databases(workplace, 2) as servers:
            tier = Tier("middleware", "pgpool", 1, 0.5, connections=True)
            pgpool = Pgpool("middleware", tier, {"connections": 3}, workplace, [server.port for server in servers])
            client = Psql(pgpool.port, "board", "board")
            try:
                await pgpool.start()
                assert "2 databases" in await pgpool.check()
                before = [await server.count() for server in servers]
                await client.rows("/* trace-1 */ INSERT INTO board_row VALUES (7)")
                for server in servers:
                    assert await server.session.rows("SELECT id FROM board_row") == [["7"]]
                for read in range(READS):
                    assert await client.rows(f"/* read-{read} */ TABLE board_row") == [["7"]]
                after = [await server.count() for server in servers]
                visits = [(end.visits or 0) - (begin.visits or 0) for begin, end in zip(before, after, strict=True)]
                assert min(visits) >= READS / 5, f"reads are balanced, a comment in front or not: {visits}"
                assert sum(visits) >= READS + 2
                await client.close()
                assert await pgpool.resize({"connections": 1}), "it was restarted"
                assert await client.rows("SELECT count(*) FROM board_row") == [["1"]]
                second = Psql(pgpool.port, "board", "board")
                with pytest.raises(QueryError, match="no answer within"):
                    await second.rows("SELECT 1", 0.5)  # the only process is the first client's
                assert await pgpool.answers(), "the lab needs no process for its own questions"
                assert (await pgpool.count()).cpu_s >= 0
                await client.close()
                assert await second.rows("SELECT 1") == [["1"]]
                await second.close()
            finally:
                await client.close()
                await pgpool.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


def test_pgbouncer_is_resized_while_it_runs(tmp_path: Path) -> None:
    needs("postgres", "pgbouncer")

    async def run(workplace: Workplace) -> None:
        async with databases(workplace, 1) as (database,):
            tier = Tier("middleware", "pgbouncer", 1, 0.5, connections=True)
            bouncer = PgBouncer("middleware", tier, {"connections": 2}, workplace, [database.port])
            clients = [Psql(bouncer.port, "board", "board") for _ in range(6)]
            try:
                await bouncer.start()
                await bouncer.check()
                pid = bouncer.pid
                assert await most_at_once(database, clients, 2) == 2
                assert not await bouncer.resize({"connections": 4})
                assert (bouncer.pid, await bouncer.pool_size()) == (pid, 4)
                assert await most_at_once(database, clients, 4) == 4
                counted = await bouncer.count()
                assert counted.visits is not None
                assert counted.visits >= 12
                assert counted.wait_s is not None
                assert counted.wait_s > 0
            finally:
                for client in clients:
                    await client.close()
                await bouncer.stop()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


async def most_at_once(database: Postgres, clients: list[Psql], waiting: int) -> int:
    """Most sessions that the database saw in a statement while all clients asked for one at once.

    They wait for a lock until so many are there.
    """
    text = (
        "WITH passed AS MATERIALIZED (SELECT pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1)) "
        "SELECT count(*) FROM passed, pg_stat_activity WHERE usename = 'board' AND state = 'active'"
    )
    there = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'board' AND wait_event = 'advisory'"
    await database.session.rows("SELECT pg_advisory_lock(1)", LONG_S)
    asked = asyncio.gather(*(client.rows(text, LONG_S) for client in clients))
    async with asyncio.timeout(LONG_S):
        while int((await database.session.rows(there, LONG_S))[0][0]) < waiting:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)
    await database.session.rows("SELECT pg_advisory_unlock(1)", LONG_S)
    return max(int(rows[0][0]) for rows in await asked)


def test_a_database_that_was_killed_comes_back_with_what_was_committed(tmp_path: Path) -> None:
    needs("postgres")

    async def run(workplace: Workplace) -> None:
        async with databases(workplace, 1) as (database,):
            await database.session.rows("INSERT INTO board_row VALUES (1)")
            await database.kill()
            assert not database.running
            with pytest.raises(QueryError):
                await database.session.rows("SELECT 1")
            await database.start()
            assert await database.session.rows("SELECT id FROM board_row") == [["1"]]

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


def test_traced_statements_are_found_in_the_log_by_their_comments(tmp_path: Path) -> None:
    needs("postgres")

    async def run(workplace: Workplace) -> None:
        async with databases(workplace, 1) as (database,):
            client = Psql(database.port, "board", "board")
            await client.rows("/* before */ SELECT 1")
            await database.trace(on=True)
            found: dict[str, float] = {}
            async with asyncio.timeout(300):
                while "asked" not in found:  # the session sees the new setting a moment later
                    await client.rows("/* asked */ SELECT 1")
                    found = dict(statements(database.log.read_text(encoding="utf-8").splitlines()))
            assert "before" not in found
            assert 0 < found["asked"] < 1000
            await client.close()

    with Workplace(tmp_path) as workplace:
        asyncio.run(run(workplace))


def test_ctrl_c_does_not_reach_what_makes_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "initdb"
    program.write_text('#!/bin/sh\ncut -d " " -f 6 /proc/$$/stat > "$2/session"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr("poolkeeper.ntier.tiers.servers.postgres.find", lambda _: str(program))
    initialise(tmp_path / "data", cast("Workplace", SimpleNamespace(user=None, give=lambda _: None)))
    assert int((tmp_path / "data" / "session").read_text(encoding="ascii")) != os.getsid(0)


def test_a_database_whose_files_are_broken_is_told_with_its_last_output(tmp_path: Path) -> None:
    needs("postgres")

    async def run(workplace: Workplace) -> None:
        async with databases(workplace, 1) as (database,):
            await database.stop()
            assert database.data
            (database.data / "PG_VERSION").write_text("9.6\n", encoding="utf-8")
            await database.start()

    with (
        Workplace(tmp_path) as workplace,
        pytest.raises(RunError, match=r"database-1 \(postgres\) ended with exit code 1; last output: .*9\.6"),
    ):
        asyncio.run(run(workplace))


def test_both_kinds_of_statements_are_read_from_a_log() -> None:
    lines = [
        "2026-11-23 19:12:32.857 UTC [7] LOG:  duration: 0.125 ms  execute <unnamed>: /* abc-1 */ SELECT 1",
        "2026-11-23 19:12:32.858 UTC [7] LOG:  duration: 2.5 ms  statement: /* abc-2 */ SELECT 2",
        "2026-11-23 19:12:32.858 UTC [7] LOG:  duration: 0.5 ms  bind S_1: /* abc-3 */ SELECT 3",
        "2026-11-23 19:12:32.859 UTC [7] LOG:  duration: 0.5 ms  statement: SELECT 4",
    ]
    assert list(statements(lines)) == [("abc-1", 0.125), ("abc-2", 2.5)]
