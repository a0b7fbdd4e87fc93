"""Variants that take turns on the pool of one server: who switches them, and the record of their slices."""

from __future__ import annotations

import asyncio
import time
from itertools import cycle
from typing import TYPE_CHECKING

from poolkeeper.experiment.definition.pools import FixedPool
from poolkeeper.experiment.processes.admin import begin_slice

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.experiment.progress import RunProgress

_NS = 1_000_000_000
HEADER = "number,variant,start_ns,end_ns"


class Alternation:
    """Begins the slices of a run at their time, and writes each to slices.csv as it ends.

    A slice ends a whole number of seconds after the load began, as the seconds do by which the load is recorded.
    """

    def __init__(self, progress: RunProgress, admin: int, file: Path, within_s: float) -> None:
        """Begin none yet; `within_s` is how long the server may take to answer."""
        self._progress = progress
        self._admin = admin
        self._file = file
        self._within_s = within_s
        self._turns = list(progress.run.turns)
        self._slice_s = progress.run.slice_s
        self._begun_ns = 0
        self.finished = asyncio.Event()
        """Set once the last slice has ended."""

    async def warm_up(self) -> None:
        """Have those variants take turns that decide, unrecorded and for ever: the others have nothing to learn."""
        learning = [turn.name for turn in self._progress.run.variant.turns if not isinstance(turn.pool, FixedPool)]
        for name in cycle(learning):
            await self._switch(name)
            await asyncio.sleep(self._slice_s)
        await asyncio.Event().wait()

    async def begin(self) -> None:
        """Begin the first slice, before the load."""
        self._begun_ns = await self._switch(self._turns[0])

    async def alternate(self, load_began: asyncio.Future[int]) -> None:
        """Begin the others in turn; never returns."""
        start_ns = await asyncio.shield(load_began)
        with self._file.open("w", encoding="utf-8") as file:
            file.write(f"{HEADER}\n")
            for number, (name, follower) in enumerate(zip(self._turns, [*self._turns[1:], None], strict=True), start=1):
                self._progress.turn = f"slice {number} of {len(self._turns)}, {name}"
                end_ns = start_ns + round(number * self._slice_s * _NS)
                await asyncio.sleep(max(0.0, (end_ns - time.monotonic_ns()) / _NS))
                next_ns = await self._switch(follower) if follower is not None else max(end_ns, self._begun_ns)
                file.write(f"{number},{name},{self._begun_ns},{next_ns}\n")
                file.flush()
                self._progress.slices = number
                self._begun_ns = next_ns
        self.finished.set()
        await asyncio.Event().wait()

    async def _switch(self, name: str) -> int:
        return await asyncio.to_thread(begin_slice, self._admin, name, self._within_s)
