"""A real Chromium, and programs with a console to look at."""

from __future__ import annotations

import json
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import Browser, chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]


def java(module: str, main: str, *arguments: str | Path) -> list[str]:
    """The command of a Java program of the testbed; skips the test where it is not built."""
    target = ROOT / "testbed" / module / "target"
    if not (target / "lib").is_dir():
        pytest.skip("the Java testbed is not built: mvn -q -DskipTests package")
    command = ["java", "-Xmx128m", "-cp", f"{target / 'classes'}:{target / 'lib'}/*"]
    return [*command, f"io.poolkeeper.testbed.{module}.{main}", *map(str, arguments)]


@contextmanager
def first_line(command: list[str], log: Path) -> Iterator[str]:
    """Start a program and wait for its first line; it ends with its input, or is stopped."""
    with (
        log.open("w") as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as program,
    ):
        assert program.stdout is not None
        assert program.stdin is not None
        line = program.stdout.readline().strip()
        assert line, log.read_text()
        try:
            yield line
        finally:
            program.stdin.close()
            program.terminate()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if chromium() is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    with Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the console of a server with an adaptive pool."""
    command = java("servers", "ServerMain", "--application", "prime1m")
    with first_line(command, tmp_path_factory.mktemp("server") / "log") as line:
        yield json.loads(line)["console"]


@pytest.fixture(scope="session")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the console of a service with a hundred pools."""
    command = java("benchmarks", "ConsoleCost", "--serve")
    with first_line(command, tmp_path_factory.mktemp("hundred") / "log") as line:
        yield line
