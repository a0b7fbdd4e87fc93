"""Events of a process that the processor counts: instructions, cycles and cache misses, by perf [1].

Many virtual machines have no such counters, and not every user may read them; a run goes on without.

[1] perf-stat(1): `-p` follows all threads of a process, those to come among them; `-x` writes a line an event.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from poolkeeper.experiment.processes.process import Child

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = ("instructions", "cycles", "cache-references", "cache-misses")
FILE = "perf.csv"
_NOT_COUNTED = {"<not supported>": "this machine does not count them", "<not counted>": "they were not counted"}
_PATIENCE_S = 10
_STOP_S = 5.0


class Counters:
    """Counts events of processes; `problem` is the reason if that is not possible."""

    def __init__(self, command: str = "perf") -> None:
        """Try it on a process that ends at once."""
        self._command = shutil.which(command)
        self.problem = self._tried(command)

    def _tried(self, command: str) -> str | None:
        if self._command is None:
            return f"{command} is not installed (Debian: linux-perf)"
        words = [self._command, "stat", "-x,", "-e", ",".join(EVENTS), "true"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            return f"{command} cannot be run: {error}"
        found, problem = counted(done.stderr)
        if found:
            return None
        if problem is not None:
            return f"{command}: {problem}"
        message = next((line.strip() for line in done.stderr.splitlines() if line.strip()), "it says nothing")
        return f"{command}: {message}"

    def start(self, pid: int, folder: Path) -> Child | None:
        """Count events of a process from now on; None if that cannot be done."""
        if self._command is None or self.problem is not None:
            return None
        words = [self._command, "stat", "-x,", "-e", ",".join(EVENTS), "-o", str(folder / FILE), "-p", str(pid)]
        return Child.start("perf", words, folder / "perf.log")

    @staticmethod
    async def stop(counting: Child, folder: Path) -> dict[str, int]:
        """End the counting and return the counts."""
        await counting.stop(_STOP_S)
        try:
            return counted((folder / FILE).read_text(encoding="utf-8", errors="replace"))[0]
        except OSError:
            return {}


def counted(text: str) -> tuple[dict[str, int], str | None]:
    """Events and their counts in the output of `perf stat -x,`, and the reason for a missing one."""
    found: dict[str, int] = {}
    problem: str | None = None
    for line in text.splitlines():
        value, _, name = [*line.split(","), "", ""][:3]
        name = name.partition(":")[0]
        if name not in EVENTS:
            continue
        if value.isdecimal():
            found[name.replace("-", "_")] = int(value)
        else:
            problem = _NOT_COUNTED.get(value, value)
    return found, problem
