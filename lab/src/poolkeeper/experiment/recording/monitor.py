"""Cost of the processes of a run: one row a second and process in monitor.csv (contract/monitor.columns.json)."""

from __future__ import annotations

import csv
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import psutil

from poolkeeper.record.columns import MONITOR

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from psutil._ntuples import scputimes

COLUMNS = tuple(column.name for column in MONITOR)
MACHINE = "machine"
"""The row of the whole machine."""
LAB = "lab"
_NS = 1_000_000_000


_MINOR_FAULTS, _MAJOR_FAULTS = 7, 9
"""Their places in /proc/PID/stat behind the name."""
_OF_THE_MACHINE = ("idle_ns", "iowait_ns", "load_average")
"""Columns that only the row of the machine has."""


@dataclass(slots=True)
class _OfThreads:
    """Counts of the kernel for single threads, over all that a process has had, as far as they were seen.

    Voluntary and involuntary context switches, and migrations from one processor to another.
    """

    total: tuple[int, ...] = (0, 0, 0)
    seen: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Counters by thread when it was last looked at."""

    def add(self, now: dict[str, tuple[int, ...]]) -> None:
        """Add the counts since the last call; the last moments of a thread that has ended are lost."""
        for thread, counts in now.items():
            before = self.seen.get(thread, (0, 0, 0))
            self.total = tuple(
                total + max(0, count - old) for total, count, old in zip(self.total, counts, before, strict=True)
            )
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
        self._of_threads: dict[str, _OfThreads] = {}
        self._cpu_ns: dict[str, list[int]] = {}
        """First and last reading by process."""
        self._at_ns: list[int] = []
        self._busy_ns: list[int] = []
        """Of the processors that the run may use."""

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
        self._busy_ns[1:] = [_busy_ns(_processors())]
        self._file.flush()

    def others_cpus(self) -> float:
        """Mean number of processors, of those that the run may use, that others used while it was watched."""
        if len(self._at_ns) < 2:  # noqa: PLR2004 - a difference needs two
            return 0.0
        ours = sum(readings[-1] - readings[0] for name, readings in self._cpu_ns.items() if name != MACHINE)
        return max(0, self._busy_ns[1] - self._busy_ns[0] - ours) / (self._at_ns[1] - self._at_ns[0])

    def _write(self, at_ns: int, name: str, cpu_ns: int, *rest: int) -> None:
        self._cpu_ns.setdefault(name, [cpu_ns])[1:] = [cpu_ns]
        row: list[object] = [at_ns, name, cpu_ns, *rest]
        row += [""] * (len(COLUMNS) - len(_OF_THE_MACHINE) - len(row))
        self._writer.writerow([*row, *(_idle() if name == MACHINE else [""] * len(_OF_THE_MACHINE))])

    def _tree(self, name: str, root: psutil.Process) -> list[int]:
        """Counts of a process and its descendants, or of the lab alone, in the order of the columns."""
        total = [0] * 7
        of_threads: dict[str, tuple[int, ...]] = {}
        for process in [root, *([] if name == LAB else root.children(recursive=True))]:
            try:
                counted = _counted(process)
            except psutil.Error:
                if process is root:
                    raise
                continue  # a descendant that has just ended
            total = [number + other for number, other in zip(total, counted, strict=True)]
            of_threads |= _of_threads(process.pid)
        found = self._of_threads.setdefault(name, _OfThreads())
        found.add(of_threads)
        cpu_ns, rss, threads, read, written, *faults = total
        voluntary, involuntary, migrations = found.total
        return [cpu_ns, rss, threads, voluntary, involuntary, read, written, migrations, *faults]


def _counted(process: psutil.Process) -> list[int]:
    with process.oneshot():
        times, disk = process.cpu_times(), process.io_counters()
        cpu_ns = round((times.user + times.system) * _NS)
        faults = _faults(process.pid)
        return [cpu_ns, process.memory_info().rss, process.num_threads(), disk.read_bytes, disk.write_bytes, *faults]


def _faults(pid: int) -> tuple[int, int]:
    """Minor and major page faults of a process, those of threads that have ended among them [1].

    [1] proc(5), /proc/PID/stat: the name, in brackets, may hold anything, so fields are counted from its end.
    """
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return int(fields[_MINOR_FAULTS]), int(fields[_MAJOR_FAULTS])
    return 0, 0


def _of_threads(pid: int) -> dict[str, tuple[int, ...]]:
    """Counters by thread, of which /proc has none for the whole process."""
    found: dict[str, tuple[int, ...]] = {}
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, ValueError):  # it has just ended
                lines = (thread / "status").read_text(encoding="ascii", errors="replace").splitlines()
                voluntary, involuntary = (int(line.split()[1]) for line in lines[-2:])
                found[thread.name] = (voluntary, involuntary, _migrations(thread))
    return found


def _migrations(thread: Path) -> int:
    """Moves of a thread to another processor; 0 if the kernel does not count them."""
    with suppress(OSError):
        schedule = (thread / "sched").read_text(encoding="ascii", errors="replace")
        _, found, rest = schedule.partition("se.nr_migrations")
        if found:
            return int(rest.partition(":")[2].split(maxsplit=1)[0])
    return 0


def _busy_ns(processors: Sequence[scputimes] | None = None) -> int:
    """CPU time that processors, or all together, have spent on anything since the machine was started."""
    busy = 0.0
    for times in processors or [psutil.cpu_times()]:
        idle = times.idle + times.iowait + times.guest + times.guest_nice  # guests are in user and nice already
        busy += sum(times) - idle
    return round(busy * _NS)


def _processors() -> list[scputimes]:
    """The times of the processors that this process and its children may use."""
    times = psutil.cpu_times(percpu=True)
    return [times[place] for place in sorted(os.sched_getaffinity(0)) if place < len(times)]


def _idle() -> tuple[int, int, str]:
    """Time that our processors were idle, and idle while something waited for storage; and the load average."""
    ours = _processors()
    idle, waiting = sum(pair.idle for pair in ours), sum(pair.iowait for pair in ours)
    return round(idle * _NS), round(waiting * _NS), f"{os.getloadavg()[0]:.2f}"
