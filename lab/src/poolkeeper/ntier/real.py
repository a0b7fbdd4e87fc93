"""The system under study on real servers, each in a CPU quota of its own."""

from __future__ import annotations

import asyncio
import errno
import math
import signal
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.guard import Guard, Interrupted
from poolkeeper.ntier.tiers.load import description
from poolkeeper.ntier.tiers.running import RunningTiers, check_shape
from poolkeeper.ntier.tiers.trial import TrialPlan, TrialRun
from poolkeeper.ntier.tiers.turns import TurnsPlan, TurnsRun
from poolkeeper.ntier.tiers.workplace import Workplace

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from pathlib import Path
    from types import TracebackType

    from poolkeeper.ntier.system import Allocation, Topology, Trial
    from poolkeeper.ntier.tiers.faults import Fault
    from poolkeeper.ntier.topology import TopologyFile

COLD_S = 30.0
"""Warm-up without quotas after a start: under a quota a virtual machine would compile for minutes."""
RESTARTED_S = 5.0
"""The same after a restart for new sizes: connections are opened anew, and new processes fill their caches."""
_FOLDER_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST)
"""Errors of a disk that is full, or of a place in which nobody may write."""
_START_S = 900.0
_RESIZE_S = 180.0
_FOREVER_S = 1e9

T = TypeVar("T")


def silent(text: str) -> None:
    """Takes a line of progress that nobody is to see."""
    del text


class RealSystem:
    """A `System` of real servers. They are started with the first trial and stay until it is closed.

    A change of sizes restarts httpd and pgpool alone, and a warm-up without quotas follows. The others are resized
    while they run, so virtual machines stay warm. After a failure the next trial starts all anew. Ctrl-C and SIGTERM
    end a trial, with KeyboardInterrupt; nothing stays behind, not even when this process is killed.
    """

    def __init__(  # noqa: PLR0913 - all but the first two have defaults
        self,
        file: TopologyFile,
        folder: Path,
        *,
        say: Callable[[str], None] = silent,
        quotas: bool = True,
        port: int | None = None,
        cold_s: float = COLD_S,
        tuning: str | None = None,
        admission: str | None = None,
    ) -> None:
        """Nothing is started yet.

        `folder`: for logs and trials. `say`: takes a line of progress. `quotas`: whether to limit the servers where
        that is allowed. `port`: of the front tier, if it has to be a certain one. `cold_s`: see `COLD_S`. `tuning`:
        controllers of the application's pools, which rest until they are asked for. `admission`: overload control of
        the application.

        Raises InputError if the topology cannot be put together of real servers, or has no load.
        """
        check_shape(file.topology)
        description(file.topology, 1, 1.0)
        self._file = file
        self._folder = folder
        self._say = say
        self._quotas = quotas
        self._port = port
        self._cold_s = cold_s
        self._tuning = tuning
        self._admission = admission
        self._runner = asyncio.Runner()
        self._stop = asyncio.Event()
        self._workplace: Workplace | None = None
        self._tiers: RunningTiers | None = None
        self._warm = False
        self._trials = len(list(folder.glob("trial-*")))

    @property
    def topology(self) -> Topology:
        """The tiers, their users and bounds."""
        return self._file.topology

    @property
    def tiers(self) -> RunningTiers:
        """The servers. Raises RunError if they do not run."""
        if self._tiers is None:
            raise RunError(f"{self.topology.name}: its servers do not run")
        return self._tiers

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self, allocation: Allocation) -> None:
        """Start all servers and check each; nothing happens if they run. Raises RunError, naming what failed."""
        if self._tiers is None:
            self._perform(self._start(allocation))

    def run(
        self,
        allocation: Allocation,
        users: int,
        seconds: float,
        *,
        settle_s: float | None = None,
        faults: Sequence[Fault] = (),
    ) -> Trial:
        """See System. `settle_s`: warm-up under quotas, that of the topology unless given. Counts whole seconds.

        Raises RunError if a server ended, with its last output and the requests that were lost; InputError for a fault
        that cannot happen here.
        """
        self.start(allocation)
        self._trials += 1
        plan = TrialPlan(
            users,
            math.ceil(seconds),
            self._file.trial.warm_up if settle_s is None else settle_s,
            0.0 if self._warm else self._cold_s,
            tuple(faults),
        )
        for fault in faults:
            fault.check(self.tiers.server(fault.server).tier, self.tiers.workplace.no_quotas)
        folder = self._folder / f"trial-{self._trials:03}"
        trial = self._perform(self._trial(allocation, plan, folder))
        self._warm = not faults
        return trial

    def run_in_turns(self, allocations: Sequence[Allocation], users: int, seconds: float) -> list[Trial]:
        """See AlternatingSystem. Raises RunError if a server ended."""
        self.start(allocations[0])
        self._trials += 1
        cold_s = 0.0 if self._warm else self._cold_s
        plan = TurnsPlan(tuple(allocations), users, math.ceil(seconds), self._file.trial.warm_up, cold_s)
        trials = self._perform(TurnsRun(self.tiers, plan, self._folder / f"trial-{self._trials:03}", self._stop).run())
        self._warm = True
        return trials

    def perform(
        self, allocation: Allocation, work: Callable[[RunningTiers, asyncio.Event], Coroutine[Any, Any, T]]
    ) -> T:
        """Do some work with the running servers; its event is set when a person stops it.

        They are started with these sizes if they do not run. Raises RunError, KeyboardInterrupt.
        """
        self.start(allocation)
        return self._perform(work(self.tiers, self._stop))

    def limit(self) -> None:
        """Put all quotas in force, and see that every server still answers. Raises RunError, KeyboardInterrupt."""
        self._perform(self._limit())

    def wait(self) -> None:
        """Wait until a person stops it or a server ends. Raises RunError, KeyboardInterrupt."""
        self._perform(self._wait())

    def close(self) -> None:
        """Stop all servers and clear up."""
        try:
            with suppress(RuntimeError):  # closed already
                self._runner.run(self._end())
        finally:
            self._runner.close()

    def _perform(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work on the loop; after a failure nothing runs any more."""
        try:
            return self._runner.run(self._interruptible(work))
        except BaseException as error:
            self._runner.run(self._end())
            cause = _first(error)
            if isinstance(cause, Interrupted):
                raise KeyboardInterrupt from None
            if isinstance(cause, OSError) and cause.errno in _FOLDER_ERRORS:
                raise RunError(f"{cause.filename or self._folder}: cannot be written: {cause.strerror}") from None
            if cause is not error:
                raise cause from None
            raise

    async def _interruptible(self, work: Coroutine[Any, Any, T]) -> T:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(RuntimeError, ValueError):  # not on the main thread
                loop.add_signal_handler(number, self._stop.set)
        try:
            return await work
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                with suppress(RuntimeError, ValueError):
                    loop.remove_signal_handler(number)

    async def _start(self, allocation: Allocation) -> None:
        self._warm = False
        self._workplace = Workplace(self._folder / "servers", quotas=self._quotas)
        if self._workplace.no_quotas is not None:
            self._say(f"without CPU quotas: {self._workplace.no_quotas}")
        self._tiers = RunningTiers(self.topology, self._file.size, allocation, self._workplace, self._port)
        for server in self._tiers.boards:
            server.tuning, server.admission = self._tuning, self._admission
        async with Guard(self._stop) as guard:
            await guard.until(self._tiers.start(self._say), _START_S, "the start of all servers")

    async def _trial(self, allocation: Allocation, plan: TrialPlan, folder: Path) -> Trial:
        restarted: list[str] = []
        async with Guard(self._stop) as guard:
            resize = self.tiers.resize(allocation)
            restarted = await guard.until(resize, _RESIZE_S, f"the change to {allocation}")
        if restarted and not plan.cold_s and self._cold_s:
            self._say(f"     {', '.join(restarted)} restarted for it: warm-up of {RESTARTED_S:g} s without quotas")
            plan = replace(plan, cold_s=RESTARTED_S)
        return await TrialRun(self.tiers, plan, folder, self._stop).run()

    async def _limit(self) -> None:
        async with Guard(self._stop) as guard:
            await guard.until(self.tiers.limit(), _START_S, "an answer of all servers under their quotas")

    async def _wait(self) -> None:
        async with Guard(self._stop) as guard:
            for server in self.tiers.all():
                guard.watch(server.watch())
            await guard.until(asyncio.Event().wait(), _FOREVER_S, "the end")

    async def _end(self) -> None:
        tiers, self._tiers = self._tiers, None
        workplace, self._workplace = self._workplace, None
        try:
            if tiers is not None:
                await tiers.stop()
        finally:
            if workplace is not None:
                await asyncio.to_thread(workplace.close)


def _first(group: BaseException) -> BaseException:
    """The first error of a group of them."""
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
