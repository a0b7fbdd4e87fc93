"""Progress: shown on a terminal from two seconds on, and nowhere else."""

from __future__ import annotations

import io
import os
import pty
import select
import sys
import threading
from typing import TYPE_CHECKING, TextIO

import pytest
from command_line import CommandLine
from result_files import steady

from poolkeeper.commands.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("without_fits")


class VirtualTime(threading.Event):
    """An event whose waiting ends when somebody advances the time far enough."""

    def __init__(self) -> None:
        super().__init__()
        self.asleep = threading.Event()
        """Set once somebody waits."""
        self._changed = threading.Condition()
        self._time = 100.0

    def now(self) -> float:
        return self._time

    def advance(self, seconds: float) -> None:
        with self._changed:
            self._time += seconds
            self._changed.notify_all()

    def set(self) -> None:
        with self._changed:
            super().set()
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        with self._changed:
            end = self._time + timeout
            self.asleep.set()
            self._changed.wait_for(lambda: self.is_set() or self._time >= end)
        return self.is_set()


class Terminal:
    """A pseudo-terminal: what is written to `stream` appears on its other side."""

    def __init__(self) -> None:
        self._screen, side = pty.openpty()
        self.stream: TextIO = os.fdopen(side, "w", encoding="utf-8")

    def read(self) -> str:
        """Waits for the next output and returns it."""
        return os.read(self._screen, 10_000).decode()

    def appears(self) -> bool:
        """Waits until there is output; false if there is none."""
        return bool(select.select([self._screen], [], [], 300)[0])

    def close(self) -> None:
        self.stream.close()
        os.close(self._screen)

    def rest(self) -> str:
        """All that has appeared since, without waiting."""
        os.set_blocking(self._screen, False)
        try:
            return self.read()
        except BlockingIOError:
            return ""


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    made.close()


def test_what_takes_over_two_seconds_says_how_far_it_is(terminal: Terminal) -> None:
    time = VirtualTime()
    with Progress("reading", terminal.stream, now=time.now, done=time) as progress:
        progress.at("reading, 1,000 requests", 0.25)
        assert time.asleep.wait(300)
        time.advance(2.1)
        output = terminal.read()
        assert "reading, 1,000 requests … 2 s, 25%, about 6 s left" in output
    assert terminal.rest().endswith("\r\x1b[K")


def test_the_rest_is_guessed_for_each_step_by_itself_and_not_from_nothing() -> None:
    time = VirtualTime()
    progress = Progress("reading", io.StringIO(), now=time.now, done=time)
    time.advance(30)
    assert progress.line() == "reading … 30 s"
    progress.at("reading, 10 requests", 0.01)
    assert progress.line() == "reading, 10 requests … 30 s, 1%"
    progress.step("12 simulations")
    time.advance(10)
    progress.reached(3, 12)
    assert progress.line() == "12 simulations … 40 s, 25%, about 30 s left"


def test_what_is_quick_says_nothing(terminal: Terminal) -> None:
    time = VirtualTime()
    with Progress("reading", terminal.stream, now=time.now, done=time):
        assert time.asleep.wait(300)
        time.advance(1.9)
    assert terminal.rest() == ""


def test_nothing_is_shown_where_there_is_no_terminal() -> None:
    time, stream = VirtualTime(), io.StringIO()
    with Progress("reading", stream, now=time.now, done=time):
        time.advance(60)
    assert stream.getvalue() == ""


def test_analyze_shows_its_progress_on_a_terminal_alone(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    steady(tmp_path / "a.jtl")
    poolkeeper = CommandLine(monkeypatch, capsys)
    monkeypatch.setattr("poolkeeper.commands.progress.PATIENCE_S", 0.0)
    enter = Progress.__enter__

    def wait_for_output(self: Progress) -> Progress:
        """Enters it; a small file is read before the thread that shows progress may have had a processor."""
        enter(self)
        assert self._thread is None or terminal.appears()
        return self

    monkeypatch.setattr(Progress, "__enter__", wait_for_output)
    alone = poolkeeper(tmp_path, "analyze a.jtl")
    assert alone.err == ""
    monkeypatch.setattr(sys, "stderr", terminal.stream)
    shown = poolkeeper(tmp_path, "analyze a.jtl")
    assert shown.out == alone.out
    assert "reading" in terminal.rest()
