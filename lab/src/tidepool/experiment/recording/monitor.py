"""What the processes of a run cost: one row a second and process in monitor.csv (contract/monitor.columns.json)."""

from __future__ import annotations

import csv
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import psutil

if TYPE_CHECKING:
    from types import TracebackType

COLUMNS = (
    "at_ns",
    "process",
    "cpu_ns",
    "rss_bytes",
    "threads",
    "voluntary_switches",
    "involuntary_switches",
    "read_bytes",
    "write_bytes",
)
MACHINE = "machine"
"""The row of the whole machine."""
LAB = "lab"
_NS = 1_000_000_000


@dataclass(slots=True)
class _Switches:
    """Context switches of a process over all threads that it has had, as far as they were seen."""

    voluntary: int = 0
    involuntary: int = 0
    seen: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Counters by thread when it was last looked at."""

    def add(self, now: dict[str, tuple[int, int]]) -> None:
        """Add what has been counted since; the last moments of a thread that has ended are lost."""
        for thread, (voluntary, involuntary) in now.items():
            before = self.seen.get(thread, (0, 0))
            self.voluntary += max(0, voluntary - before[0])
            self.involuntary += max(0, involuntary - before[1])
        self.seen = now


class Monitor:
    """Writes monitor.csv, a row for each process that is watched and one for the machine with every sample.

    A process that has ended is left out. Raises OSError where the file cannot be written.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow(COLUMNS)
        self._processes: dict[str, psutil.Process] = {LAB: psutil.Process()}
        self._switches: dict[str, _Switches] = {}
        self._cpu_ns: dict[str, list[int]] = {}
        """First and last reading by process."""
        self._at_ns: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what a full disk did not take was told when it was written
            self._file.close()

    def watch(self, name: str, pid: int) -> None:
        """Take a process and its descendants up, from the next sample on."""
        with suppress(psutil.NoSuchProcess):
            self._processes[name] = psutil.Process(pid)

    def sample(self) -> None:
        """Write a row for everything that is watched."""
        at_ns = time.monotonic_ns()
        self._at_ns[1:] = [at_ns]
        for name, process in self._processes.items():
            with suppress(psutil.NoSuchProcess):
                self._write(at_ns, name, *self._tree(name, process))
        self._write(at_ns, MACHINE, _busy_ns(), psutil.virtual_memory().used)
        self._file.flush()

    def others_cpus(self) -> float:
        """Mean number of processors that processes outside the run used while it was watched."""
        if len(self._at_ns) < 2:  # noqa: PLR2004 - a difference needs two
            return 0.0
        used = {name: readings[-1] - readings[0] for name, readings in self._cpu_ns.items()}
        return max(0, 2 * used[MACHINE] - sum(used.values())) / (self._at_ns[1] - self._at_ns[0])

    def _write(self, at_ns: int, name: str, cpu_ns: int, *rest: int) -> None:
        self._cpu_ns.setdefault(name, [cpu_ns])[1:] = [cpu_ns]
        self._writer.writerow([at_ns, name, cpu_ns, *rest, *[""] * (len(COLUMNS) - 3 - len(rest))])

    def _tree(self, name: str, root: psutil.Process) -> list[int]:
        """CPU time, memory, threads, switches and disk traffic of a process and its descendants; of the lab alone."""
        total = [0] * 5
        switches: dict[str, tuple[int, int]] = {}
        for process in [root, *([] if name == LAB else root.children(recursive=True))]:
            try:
                counted = _counted(process)
            except psutil.Error:
                if process is root:
                    raise
                continue  # a descendant that has just ended
            total = [one + other for one, other in zip(total, counted, strict=True)]
            switches |= _thread_switches(process.pid)
        found = self._switches.setdefault(name, _Switches())
        found.add(switches)
        cpu_ns, rss, threads, read, written = total
        return [cpu_ns, rss, threads, found.voluntary, found.involuntary, read, written]


def _counted(process: psutil.Process) -> list[int]:
    with process.oneshot():
        times, disk = process.cpu_times(), process.io_counters()
        cpu_ns = round((times.user + times.system) * _NS)
        return [cpu_ns, process.memory_info().rss, process.num_threads(), disk.read_bytes, disk.write_bytes]


def _thread_switches(pid: int) -> dict[str, tuple[int, int]]:
    """Voluntary and involuntary context switches by thread: /proc counts them for single threads only."""
    found: dict[str, tuple[int, int]] = {}
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, ValueError):  # it has just ended
                lines = (thread / "status").read_text(encoding="ascii", errors="replace").splitlines()
                voluntary, involuntary = (int(line.split()[1]) for line in lines[-2:])
                found[thread.name] = (voluntary, involuntary)
    return found


def _busy_ns() -> int:
    """CPU time that all processors together have spent on anything since the machine was started."""
    times = psutil.cpu_times()
    idle = times.idle + times.iowait + times.guest + times.guest_nice  # guests are counted in user and nice already
    return round((sum(times) - idle) * _NS)
