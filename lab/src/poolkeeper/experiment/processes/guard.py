"""Waits for one thing while others may go wrong."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self, TypeVar

from poolkeeper.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from types import TracebackType

T = TypeVar("T")


class Interrupted(Exception):  # noqa: N818 - nothing went wrong
    """A person asked to stop."""


class DiskFull(RunError):  # noqa: N818 - says what it is
    """There is no room for results."""


class Guard:
    """Lets a run wait for its next step, but no longer than until a person stops it or something that it needs fails.

    What is watched are coroutines that raise when what they look after fails, and otherwise never return.
    """

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._watched: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await _cancel(self._watched)

    def watch(self, looking_after: Coroutine[Any, Any, Any]) -> None:
        """Look after something until the guard is left."""
        self._watched.add(asyncio.create_task(looking_after))

    async def until(self, awaited: Coroutine[Any, Any, T], within_s: float, what: str) -> T:
        """Wait for `awaited` and return what it yields.

        Raises Interrupted when a person stops, what a watched coroutine raised, or RunError, naming `what` has not
        happened, after `within_s` seconds.
        """
        task = asyncio.create_task(awaited)
        stop = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({task, stop, *self._watched}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
            if self._stop.is_set():
                raise Interrupted
            for watched in self._watched:
                if watched.done():
                    await watched
            if not task.done():
                raise RunError(f"{what} has not happened within {within_s:g} s")
            return task.result()
        finally:
            await _cancel({task, stop})


async def _cancel(tasks: set[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
