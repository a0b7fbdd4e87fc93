"""The Java simulator's command, for tests that look at what it leaves; skips them where it is not built."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODULE = Path(__file__).resolve().parents[3] / "testbed/simulator/target"
PATIENCE_S = 900.0


def command(*words: str) -> list[str]:
    """The command line; skips the test if there is no Java or no build."""
    return _java("SimulateMain", *words)


def series() -> list[str]:
    """The command line of the process that plays one model after another."""
    return _java("SeriesMain")


def _java(main: str, *words: str) -> list[str]:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin/java") if home else shutil.which("java")
    if java is None or not (MODULE / "lib").is_dir():
        pytest.skip("the simulator is not built; ./poolkeeper test java builds it")
    path = f"{MODULE}/classes:{MODULE}/lib/*"
    # Runs end before optimised code pays: this halves their processor time. What they find is the same to the bit.
    quick = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    return [java, *quick, "-cp", path, f"io.poolkeeper.testbed.simulator.command.{main}", *words]


def simulate(*words: str, cwd: Path) -> str:
    """Output of the command, which must succeed."""
    done = subprocess.run(command(*words), cwd=cwd, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def started(*words: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """The command while it runs; it is killed if it is still there at the end."""
    with subprocess.Popen(
        command(*words), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until(holds: Callable[[], Any], process: subprocess.Popen[str]) -> None:
    """Wait until something holds while the process lives."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert process.poll() is None, "the simulation has ended"
        assert time.monotonic() < end, "it never held"
        time.sleep(0.02)
