"""The database of an experiment."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psutil

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import Child
from poolkeeper.experiment.recording.machine import database_version

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.experiment.processes.guard import Guard
    from poolkeeper.experiment.processes.testbed import Testbed

START_S = 120.0
_STOP_S = 20.0
_DAEMONS = ("mariadbd", "mysqld")
_LOOK_S = 0.25
_MOMENT_S = 1.0
_COMPLAINT = re.compile(r"\[ERROR\]|got signal|Assertion failure")
"""In lines of a MariaDB that has something to complain about."""


@dataclass(frozen=True, slots=True)
class Database:
    """A database that serves, with the process that looks after it."""

    child: Child
    jdbc_url: str
    version: str | None
    daemons: tuple[psutil.Process, ...]

    @classmethod
    async def start(cls, testbed: Testbed, log: Path, guard: Guard) -> Database:
        """Start a database. Raises RunError with its output if that fails."""
        child = Child.start("database", testbed.database(), log)
        try:
            ready = await guard.until(child.ready(), START_S, "the start of the database")
            jdbc_url, port = _address(ready)
            version = await asyncio.to_thread(database_version, port)
            return cls(child, jdbc_url, version, _daemons(child.pid))
        except BaseException:
            await child.stop(_STOP_S)
            raise

    @property
    def alive(self) -> bool:
        """Whether all of its processes run."""
        return self.child.exit_code is None and all(map(_runs, self.daemons))

    async def watch(self) -> None:
        """Raise RunError when the database dies."""
        while self.alive:  # noqa: ASYNC110 - nothing tells of the end of a grandchild
            await asyncio.sleep(_LOOK_S)
        if self.child.exit_code is not None or await self._child_is_being_killed():
            raise RunError(f"database {self.child.ending()}")
        dead = next(daemon for daemon in self.daemons if not _runs(daemon))
        # What it says while all is well is no cause.
        message = self.child.last_output(_COMPLAINT)
        raise RunError(f"database: its process {dead.pid} has died{f'; last output: {message}' if message else ''}")

    async def _child_is_being_killed(self) -> bool:
        """Whether the child is about to end by a signal: its daemons end with it, and may be gone a moment before it.

        If it ends otherwise, it does so because they have died.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_MOMENT_S):
                await self.child.ended()
        return (self.child.exit_code or 0) < 0

    async def stop(self) -> None:
        """End it; it has ended when this returns."""
        await self.child.stop(_STOP_S)


def _address(ready: dict[str, Any]) -> tuple[str, int]:
    jdbc_url, port = ready.get("jdbcUrl"), ready.get("port")
    if not isinstance(jdbc_url, str) or not isinstance(port, int):
        raise RunError(f"database: its ready message lacks jdbcUrl or port: {ready}")
    return jdbc_url, port


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _daemons(pid: int) -> tuple[psutil.Process, ...]:
    """The database's own processes: the one that started them may outlive them."""
    try:
        children = psutil.Process(pid).children(recursive=True)
        return tuple(child for child in children if child.name().startswith(_DAEMONS))
    except psutil.NoSuchProcess:
        return ()
