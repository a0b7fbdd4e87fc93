"""Counters of the kernel for the processes of one server: CPU time and context switches."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil

_SWITCHES = ("voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:")


def family(process: int) -> list[int]:
    """Ids of a process and of all that it has started, directly or not."""
    try:
        return [process, *(child.pid for child in psutil.Process(process).children(recursive=True))]
    except psutil.NoSuchProcess:
        return []


def cpu_s(processes: list[int]) -> float:
    """CPU time that processes have used, those of their children that have ended included."""
    total = 0.0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            times = psutil.Process(process).cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def switches(processes: list[int]) -> dict[int, int]:
    """Context switches so far, by thread."""
    found: dict[int, int] = {}
    for process in processes:
        with suppress(OSError):
            for thread in Path(f"/proc/{process}/task").iterdir():
                with suppress(OSError):
                    found[int(thread.name)] = _switches(thread / "status")
    return found


def _switches(status: Path) -> int:
    total = 0
    for line in status.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(_SWITCHES):
            total += int(line.split()[1])
    return total


def switched(before: dict[int, int], after: dict[int, int]) -> int:
    """Context switches between two readings; those of a thread that has ended in between are not known."""
    return sum(count - before.get(thread, 0) for thread, count in after.items())


def waiting_connections(port: int) -> int:
    """Connections to a port of the loopback interface that no process has accepted yet.

    Of a listening socket the kernel shows them as the bytes that wait in it [1].

    [1] Linux, net/ipv4/tcp_ipv4.c, get_tcp4_sock: rx_queue = sk_ack_backlog.
    """
    with suppress(OSError):
        for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                return int(fields[4].partition(":")[2], 16)
    return 0
