"""A whole experiment: its runs one after the other, whatever happens to one of them."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.database import Database
from poolkeeper.experiment.processes.guard import DiskFull, Interrupted
from poolkeeper.experiment.processes.server import Servers
from poolkeeper.experiment.progress import RunProgress, Situation
from poolkeeper.experiment.recording.disk import check_room, free_bytes
from poolkeeper.experiment.recording.recorder import RunRecorder
from poolkeeper.experiment.run import PATIENCE, Patience, RunContext, execute

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from poolkeeper.experiment.definition.model import Experiment
    from poolkeeper.experiment.planning.plan import PlannedRun
    from poolkeeper.experiment.processes.guard import Guard
    from poolkeeper.experiment.processes.quota import Groups
    from poolkeeper.experiment.processes.testbed import Testbed
    from poolkeeper.experiment.recording.counters import Counters
    from poolkeeper.experiment.views import View

_REFRESH_S = 0.25
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED_CODE = 130


@dataclass(slots=True)
class Outcome:
    """Result of an experiment."""

    ended: list[RunProgress]
    not_run: list[PlannedRun]
    interrupted: bool = False
    problem: str | None = None
    """Why it could not go on, if it could not."""

    @property
    def failed(self) -> list[RunProgress]:
        """The runs that failed."""
        return [progress for progress in self.ended if progress.status == "failed"]

    @property
    def exit_code(self) -> int:
        """0 if all runs are complete, 130 after an interruption, else 1."""
        if self.interrupted:
            return INTERRUPTED_CODE
        return 1 if self.failed or self.problem else 0


@dataclass(slots=True)
class Session:
    """Runs an experiment. `machine` and `versions` are those of run.json, `command` is what the person typed.

    `groups` are for CPU quotas.
    """

    experiment: Experiment
    folder: Path
    runs: Sequence[PlannedRun]
    testbed: Testbed
    view: View
    command: Sequence[str]
    machine: dict[str, Any]
    versions: dict[str, str]
    free_bytes: Callable[[Path], int] = free_bytes
    patience: Patience = PATIENCE
    groups: Groups | None = None
    no_quotas: str = ""
    """Why there are no groups."""
    counters: Counters | None = None
    _database: Database | None = field(default=None, init=False)
    _servers: Servers = field(init=False)

    def run(self) -> Outcome:
        """Make all runs. An interruption ends it early with the results so far."""
        return asyncio.run(self._run())

    async def _run(self) -> Outcome:
        self._servers = Servers(self.testbed)
        stop = asyncio.Event()
        situation = Situation(
            experiment=self.experiment.name,
            question=self.experiment.question,
            total=len(self.runs),
            folder=str(self.folder),
            waiting=list(self.runs),
        )
        outcome = Outcome(situation.ended, situation.waiting)
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._stop, stop)
        refreshing = asyncio.create_task(self._refresh(situation))
        try:
            while situation.waiting:
                await self._next(situation, stop)
        except Interrupted:
            outcome.interrupted = True
        except RunError as error:
            outcome.problem = str(error)
        finally:
            situation.activity = "stops server and database"
            await self._servers.close(self.patience.stop)
            await self._stop_database()
            refreshing.cancel()
            self.view.close()
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
        return outcome

    def _stop(self, stop: asyncio.Event) -> None:
        if stop.is_set():
            self.view.close()
            os._exit(INTERRUPTED_CODE)  # the kernel kills the processes of the testbed with this one
        stop.set()
        self.view.say("stops after Ctrl-C, keeping what was measured; once more to stop at once")

    async def _refresh(self, situation: Situation) -> None:
        with suppress(OSError):  # nobody looks any more
            while True:
                self.view.refresh(situation)
                await asyncio.sleep(_REFRESH_S)

    async def _next(self, situation: Situation, stop: asyncio.Event) -> None:
        run = situation.waiting[0]
        if stop.is_set():
            raise Interrupted
        check_room(self.folder, self.free_bytes)
        progress = RunProgress(situation.waiting.pop(0), number=len(situation.ended) + 1)
        situation.current = progress
        starts_database = progress.run.needs_database and self._database is None
        try:
            recorder = RunRecorder(
                run,
                experiment=self.experiment.name,
                command=self.command,
                versions=self.versions,
                machine=self.machine,
            )
            context = RunContext(
                self.testbed,
                self._servers,
                self._provide_database,
                stop,
                self.free_bytes,
                self.patience,
                self.groups,
                self.no_quotas,
                self.counters,
            )
            await execute(progress, recorder, context)
        except OSError as error:
            raise DiskFull(f"{error.filename or run.folder}: {error.strerror}") from None
        finally:
            situation.end(progress, started_database=starts_database)
            self.view.ended(progress, situation)
        if self.experiment.database == "per-run" or (self._database is not None and not self._database.alive):
            await self._stop_database()

    async def _provide_database(self, guard: Guard) -> Database:
        if self._database is None:
            self._database = await Database.start(self.testbed, self.folder / "database.log", guard)
        return self._database

    async def _stop_database(self) -> None:
        if self._database is not None:
            database, self._database = self._database, None
            await database.stop()
