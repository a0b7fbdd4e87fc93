"""Ends that nobody plans: Ctrl-C, a reader who has enough, a full disk, a closed output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

FULL = Path("/dev/full")
MODEL = ("queue", "mm1", "--rate", "1", "--service", "1ms")
LONGEST_S = 300
HEARS_CTRL_C = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # which whoever started the tests may have taken away
from poolkeeper.__main__ import main
"""
READS_FOR_EVER = """
import io, sys
from poolkeeper.results.source import Source

class Endless(io.RawIOBase):
    def readable(self):
        return True

    def readinto(self, _):
        print("reads", flush=True)
        sys.stdin.read()  # which ends with the test
        return 0

Source._open = lambda _: io.BufferedReader(Endless())
"""
"""A file of results whose first bytes do not come, so that an interruption meets the reading however late it is."""


def started(*words: str | Path, out: int | IO[bytes] = subprocess.PIPE, before: str = "") -> subprocess.Popen[bytes]:
    """The command in a process of its own; `before` is Python code that runs first."""
    code = f"{HEARS_CTRL_C}{before}\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE
    )


def test_an_interruption_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "times.txt"
    file.write_text("1.25\n", encoding="utf-8")
    with started("analyze", file, "--unit", "ms", before=READS_FOR_EVER) as command:
        assert command.stdout
        assert command.stdout.readline() == b"reads\n"
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=LONGEST_S)
    assert (command.returncode, out, err) == (130, b"", b"poolkeeper: interrupted\n")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_who_has_enough_is_no_error(form: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe, started(*MODEL, *form, out=pipe) as command:
        assert command.communicate(timeout=LONGEST_S)[1] == b""
    assert command.returncode == 141


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", [("help", "analyze"), MODEL])
def test_a_full_disk_is_named(words: tuple[str, ...]) -> None:
    with FULL.open("wb") as full, started(*words, out=full) as command:
        err = command.communicate(timeout=LONGEST_S)[1]
    assert (command.returncode, err) == (1, b"poolkeeper: standard output cannot be written: No space left on device\n")


def test_a_closed_output_is_named() -> None:
    shell = f"exec {sys.executable} -m poolkeeper help >&-"
    done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, check=False, timeout=LONGEST_S)
    assert (done.returncode, done.stderr) == (
        1,
        b"poolkeeper: standard output is closed: there is nowhere to write to\n",
    )
