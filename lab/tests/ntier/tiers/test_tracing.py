"""Requests that are traced, with a front tier and a database that are files."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pytest

from poolkeeper.ntier.tiers.servers.access_log import AccessLog
from poolkeeper.ntier.tiers.tracing import Tracer, Traces

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.tiers.running import RunningTiers

LONG_S = 600.0
RESPONSE_S = 0.2


@dataclass
class Database:
    """A database whose log somebody else writes."""

    log: Path

    async def trace(self, *, on: bool) -> None:
        del on


@dataclass
class LateLog(AccessLog):
    """Log of a front tier in which a request appears when it is read once more after `looks` times."""

    database: Database | None = None
    looks: int = 0

    def read(self) -> None:
        self.looks -= 1
        if self.looks == -1 and self.database is not None:
            with self.database.log.open("a", encoding="utf-8") as log:
                log.write("LOG:  duration: 1.5 ms  execute <unnamed>: /* late */ SELECT 1\n" * 2)
            with self.file.open("a", encoding="utf-8") as log:
                log.write(f"{time.time() * 1e6:.0f} {RESPONSE_S * 1e6:.0f} 200 late 0 /\n")
        super().read()


@dataclass
class Front:
    """A front tier that is a log."""

    access: AccessLog


@dataclass
class Tiers:
    """A front tier and a database."""

    front: Front
    databases: list[Database]


def traced(folder: Path, most_s: float, looks: int) -> Traces | None:
    database = Database(folder / "database.log")
    database.log.touch()
    access = LateLog(folder / "access.log", database=database, looks=looks)
    tracer = Tracer(cast("RunningTiers", cast("Any", Tiers(Front(access), [database]))))

    async def run() -> None:
        await tracer.begin()
        await tracer.gather(0.0, most_s)
        await tracer.end()

    asyncio.run(run())
    return tracer.result()


def test_a_first_answer_that_comes_late_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolkeeper.ntier.tiers.tracing._EDGE_S", -1.0)  # so that it may begin at once
    found = traced(tmp_path, LONG_S, 3)
    assert found is not None
    assert (found.requests, found.visits, found.matched) == (1, 2.0, 1.0)
    assert found.front_s == pytest.approx(RESPONSE_S)
    assert found.database_s == pytest.approx(0.0015)


def test_without_any_answer_it_ends(tmp_path: Path) -> None:
    assert traced(tmp_path, 0.3, 1000) is None
