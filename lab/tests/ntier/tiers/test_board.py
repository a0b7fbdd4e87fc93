"""Servers of the bulletin board that cannot start or answer: memory and quotas that do not suffice."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from typing import TYPE_CHECKING, TypeVar

import pytest

from poolkeeper.errors import RunError
from poolkeeper.experiment.home import home
from poolkeeper.ntier.system import Tier
from poolkeeper.ntier.tiers.java import JavaPrograms
from poolkeeper.ntier.tiers.servers.board import Board
from poolkeeper.ntier.tiers.workplace import Workplace

if TYPE_CHECKING:
    from pathlib import Path


AnyBoard = TypeVar("AnyBoard", bound=Board)


def board(kind: type[AnyBoard], workplace: Workplace, heap: str = "64m") -> AnyBoard:
    tier = Tier("application", "board", 1, 0.3, threads=True, connections=True, heap=heap)
    return kind("application", tier, {"threads": 4, "connections": 2}, workplace, [1])


@pytest.mark.parametrize(
    ("heap", "message"),
    [("1m", "heap: 1m is too small for application: "), ("60000g", "heap: 60000g is more than this machine has")],
)
def test_a_heap_that_a_virtual_machine_cannot_start_with_is_named(tmp_path: Path, heap: str, message: str) -> None:
    async def run(workplace: Workplace) -> None:
        server = board(Board, workplace, heap)
        try:
            await server.start()
        finally:
            await server.stop()

    try:
        JavaPrograms(home()).check()
    except RunError as error:
        pytest.skip(str(error))
    with Workplace(tmp_path) as workplace, pytest.raises(RunError, match=re.escape(message)) as caught:
        asyncio.run(run(workplace))
    assert "; last output: " in str(caught.value), "with what Java says"


def test_the_last_words_of_a_server_are_read_before_its_end_is_told(tmp_path: Path) -> None:
    class Ending(Board):
        def command(self) -> list[str]:
            return [sys.executable, "-S", "-c", "print('heap too small', flush=True); raise SystemExit(1)"]

        async def answers(self) -> bool:
            while self.child.exit_code is None:
                time.sleep(0.01)  # noqa: ASYNC251 - a busy machine, on which nothing has been read at the end
            raise ConnectionRefusedError

    async def run(workplace: Workplace) -> None:
        server = board(Ending, workplace)
        try:
            await server.start()
        finally:
            await server.stop()

    with Workplace(tmp_path) as workplace, pytest.raises(RunError, match="last output: heap too small"):
        asyncio.run(run(workplace))


def test_a_server_that_was_killed_without_quotas_has_no_context_switches(tmp_path: Path) -> None:
    class Idle(Board):
        def command(self) -> list[str]:
            return [sys.executable, "-S", "-c", "import time; time.sleep(600)"]

        async def answers(self) -> bool:
            return True

    async def run(workplace: Workplace) -> None:
        server = board(Idle, workplace)
        await server.start()
        assert server.switches()
        await server.kill()
        assert server.switches() == {}

    with Workplace(tmp_path, quotas=False) as workplace:
        asyncio.run(run(workplace))


def test_a_server_that_does_not_answer_under_its_quota_is_told_with_the_quota(tmp_path: Path) -> None:
    class Busy(Board):
        quick = True

        def command(self) -> list[str]:
            return [sys.executable, "-S", "-c", "import time; print('compiling', flush=True); time.sleep(600)"]

        async def answers(self) -> bool:
            return self.quick

    async def run(workplace: Workplace) -> None:
        server = board(Busy, workplace)
        try:
            await server.start()
            server.limit()
            server.quick = False
            await server.until_ready(0.0)
        finally:
            await server.stop()

    with Workplace(tmp_path) as workplace:
        if workplace.no_quotas is not None:
            pytest.skip(f"without CPU quotas: {workplace.no_quotas}")
        with pytest.raises(
            RunError,
            match=r"application \(board\) does not answer after 0 s under its quota of 0\.3 cores; last output",
        ):
            asyncio.run(run(workplace))
