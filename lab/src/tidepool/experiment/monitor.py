"""One row a second and process: CPU, memory, context switches."""

from __future__ import annotations

import csv
import threading
import time
from typing import TYPE_CHECKING, Self

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

COLUMNS = ("at_ns", "process", "cpu_ns", "rss_bytes", "threads", "voluntary_switches", "involuntary_switches")
"""Columns of monitor.csv; CPU time and switches count from the start of the process, its children included."""

_INTERVAL_S = 1.0


class Monitor:
    """Watches processes as long as it is entered; one that ends is left out from then on."""

    def __init__(self, processes: Mapping[str, int], file: Path) -> None:
        """Watch `processes`, name to number, and write `file`."""
        self._processes = {name: psutil.Process(pid) for name, pid in processes.items() if psutil.pid_exists(pid)}
        self._file = file
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="monitor", daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what there is and end."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        with self._file.open("w", newline="", encoding="utf-8") as out:
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow(COLUMNS)
            while True:
                for name, process in list(self._processes.items()):
                    try:
                        rows.writerow(_row(name, process))
                    except psutil.Error:
                        del self._processes[name]
                out.flush()
                if self._stopped.wait(_INTERVAL_S):
                    return


def _row(name: str, process: psutil.Process) -> tuple[int | str, ...]:
    family = [process, *process.children(recursive=True)]
    cpu = rss = threads = voluntary = involuntary = 0.0
    for member in family:
        try:
            with member.oneshot():
                times = member.cpu_times()
                switches = member.num_ctx_switches()
                cpu += times.user + times.system
                rss += member.memory_info().rss
                threads += member.num_threads()
                voluntary += switches.voluntary
                involuntary += switches.involuntary
        except psutil.NoSuchProcess:
            if member is process:
                raise
    at = time.monotonic_ns()
    return at, name, round(cpu * 1e9), int(rss), int(threads), int(voluntary), int(involuntary)
