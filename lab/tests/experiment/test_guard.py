from __future__ import annotations

import asyncio
from typing import Any

import pytest

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.guard import Guard, Interrupted

FOREVER = 1000.0


async def never() -> None:
    await asyncio.Event().wait()


async def fails(after: asyncio.Event | None = None) -> None:
    if after:
        await after.wait()
    raise RunError("the server died")


async def yields(value: Any) -> Any:
    return value


def test_it_yields_what_was_waited_for() -> None:
    async def run() -> Any:
        async with Guard(asyncio.Event()) as guard:
            guard.watch(never())
            return await guard.until(yields(7), FOREVER, "seven")

    assert asyncio.run(run()) == 7


def test_what_is_watched_ends_every_wait_that_follows() -> None:
    async def run() -> None:
        async with Guard(asyncio.Event()) as guard:
            guard.watch(fails())
            for _ in range(2):
                with pytest.raises(RunError, match="the server died"):
                    await guard.until(never(), FOREVER, "something")

    asyncio.run(run())


def test_a_cause_is_told_rather_than_its_consequence() -> None:
    async def load_ends_too(died: asyncio.Event) -> None:
        died.set()
        await asyncio.sleep(0)
        raise RunError("connection refused")

    async def run() -> None:
        died = asyncio.Event()
        async with Guard(asyncio.Event()) as guard:
            guard.watch(fails(died))
            with pytest.raises(RunError, match="the server died"):
                await guard.until(load_ends_too(died), FOREVER, "the end of the load")

    asyncio.run(run())


def test_a_wish_to_stop_ends_the_wait_even_if_it_came_before() -> None:
    async def run() -> None:
        stop = asyncio.Event()
        stop.set()
        async with Guard(stop) as guard:
            with pytest.raises(Interrupted):
                await guard.until(never(), FOREVER, "something")

    asyncio.run(run())


def test_patience_has_an_end() -> None:
    async def run() -> None:
        async with Guard(asyncio.Event()) as guard:
            with pytest.raises(RunError, match=r"^the start of the server has not happened within 0\.01 s$"):
                await guard.until(never(), 0.01, "the start of the server")

    asyncio.run(run())
