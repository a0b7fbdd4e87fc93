from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import TYPE_CHECKING, Any, TypeVar

import psutil
import pytest

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import Child

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

T = TypeVar("T")
PATIENCE_S = 300.0


def with_child(folder: Path, code: str, what: Callable[[Child], Awaitable[T]]) -> T:
    """Run Python code as a child, do something with it, and end it."""

    async def run() -> T:
        child = Child.start("child", [sys.executable, "-S", "-c", code], folder / "child.log")
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await what(child)
        finally:
            await child.kill()

    return asyncio.run(run())


def test_messages_are_the_json_objects_and_the_log_has_the_rest(tmp_path: Path) -> None:
    code = "print('hello'); print('[1]'); print('{\"event\": \"ready\"}'); print('{\"t\": 1}'); print('{cut', end='')"

    async def what(child: Child) -> list[Any]:
        return [await child.ready(), await child.message(), await child.message(), await child.ended()]

    assert with_child(tmp_path, code, what) == [{"event": "ready"}, {"t": 1}, None, 0]
    assert (tmp_path / "child.log").read_text(encoding="utf-8") == "hello\n[1]\n{cut\n"


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write('x' * (5 << 20)); print(); print('{\"event\": \"ready\"}')"
    assert with_child(tmp_path, code, Child.ready) == {"event": "ready"}


def test_a_child_that_ends_before_it_is_ready_says_why(tmp_path: Path) -> None:
    code = "import sys; print('one\\n\\n  two   three', file=sys.stderr); sys.exit(3)"
    with pytest.raises(RunError, match=r"^child ended with exit code 3; last output: one \| two three$"):
        with_child(tmp_path, code, Child.ready)


def test_the_last_output_can_be_read_after_the_end(tmp_path: Path) -> None:
    async def run() -> str:
        code = "import sys; print('poolkeeper: too large', file=sys.stderr); sys.exit(2)"
        child = Child.start("child", [sys.executable, "-S", "-c", code], tmp_path / "child.log")
        await child.ended()
        await child.kill()
        return child.last_output()

    assert asyncio.run(run()) == "too large"


def test_what_it_said_last_is_told_in_whole_words(tmp_path: Path) -> None:
    code = "import sys; print('word ' * 200, file=sys.stderr); sys.exit(3)"
    with pytest.raises(RunError, match=r"last output: … word( word){78,79}$"):
        with_child(tmp_path, code, Child.ready)


def test_a_child_that_is_killed_says_by_what(tmp_path: Path) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    with pytest.raises(RunError, match=r"^child was killed by SIGSEGV without output$"):
        with_child(tmp_path, code, Child.ready)


def test_its_exit_code_is_there_before_the_event_loop_has_seen_its_end(tmp_path: Path) -> None:
    async def what(child: Child) -> tuple[int | None, int | None]:
        running = child.exit_code
        child.say("end")
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222 - so that the loop does not see it
        return running, child.exit_code

    assert with_child(tmp_path, "import sys; sys.stdin.readline(); sys.exit(4)", what) == (None, 4)


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    async def start() -> None:
        Child.start("child", ["/no/such/java"], tmp_path / "child.log")

    with pytest.raises(RunError, match=r"^child: /no/such/java cannot be started: No such file or directory$"):
        asyncio.run(start())


LISTENS = 'import sys; print(\'{"event": "ready"}\', flush=True); sys.stdin.read()'
DOES_NOT = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('{"event": "ready"}', flush=True)
while True:
    signal.pause()
"""
STARTS_ANOTHER = """
import subprocess, sys
child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])
print('{"event": "ready", "pid": %d}' % child.pid, flush=True)
"""


@pytest.mark.parametrize(("code", "gentle"), [(LISTENS, True), (DOES_NOT, False)], ids=["listens", "does not"])
def test_a_child_is_asked_before_it_is_killed(tmp_path: Path, code: str, *, gentle: bool) -> None:
    async def what(child: Child) -> bool:
        await child.ready()
        return await child.stop(0.3 if not gentle else PATIENCE_S)

    assert with_child(tmp_path, code, what) is gentle


def test_what_a_child_has_started_ends_with_it(tmp_path: Path) -> None:
    async def what(child: Child) -> int:
        pid: int = (await child.ready())["pid"]
        await child.kill()
        return pid

    pid = with_child(tmp_path, STARTS_ANOTHER + "sys.stdin.read()", what)
    until = time.monotonic() + PATIENCE_S
    while runs(pid):  # it was killed, and ends when it is its turn
        assert time.monotonic() < until
        time.sleep(0.01)


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_its_end_is_seen_though_its_own_child_holds_its_output_open(tmp_path: Path) -> None:
    assert with_child(tmp_path, STARTS_ANOTHER + "sys.exit(4)", Child.ended) == 4
