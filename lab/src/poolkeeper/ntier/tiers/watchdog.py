"""A process that clears up after a lab, however the lab ends: servers, control groups, temporary folders.

It reads JSON lines on standard input: {"process": id, "signal": number} is a server and the signal that ends it in
order, {"group": path} the folder of a control group, {"folder": path} a folder to delete. At the end of its input,
which comes with the end of the lab, it ends the servers, kills what is left of them, and removes groups and folders.

It runs by its file and imports the standard library alone, so that it starts in some hundredths of a second.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_GRACE_S = 3.0
_LOOK_S = 0.02
_LONGEST_S = 10.0


def main() -> None:
    """Wait for the end of standard input and clear up."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    servers: dict[int, tuple[int, float]] = {}
    groups: list[Path] = []
    folders: list[Path] = []
    for line in sys.stdin:
        entry = json.loads(line)
        if "process" in entry:
            if (started := _started(entry["process"])) is not None:
                servers[entry["process"]] = entry["signal"], started
        elif "group" in entry:
            groups.append(Path(entry["group"]))
        else:
            folders.append(Path(entry["folder"]))
    _end(servers)
    clear_up(groups, folders)


def clear_up(groups: list[Path], folders: list[Path]) -> None:
    """Kill the remaining processes of control groups, and remove groups and folders."""
    _clear(groups)
    for folder in folders:
        _delete(folder)


def _started(process: int) -> float | None:
    """Start of a process, in ticks since the machine's; None if it has ended, as a zombie has."""
    try:
        state, *rest = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
    return None if state in "ZX" else float(rest[18])


def _end(servers: dict[int, tuple[int, float]]) -> None:
    """End servers in order, or kill them with their sessions, but not processes that have reused their ids."""

    def left() -> list[int]:
        return [process for process, (_, started) in servers.items() if _started(process) == started]

    for process in left():
        with suppress(OSError):
            os.kill(process, servers[process][0])
    until = time.monotonic() + _GRACE_S
    while left() and time.monotonic() < until:
        time.sleep(_LOOK_S)
    for process in left():
        with suppress(OSError):
            os.killpg(process, signal.SIGKILL)


def _clear(groups: list[Path]) -> None:
    """Kill the remaining processes of control groups, and remove the groups."""
    until = time.monotonic() + _LONGEST_S
    left = groups
    while left and time.monotonic() < until:
        for group in left:
            with suppress(OSError):
                for process in (group / "cgroup.procs").read_text(encoding="ascii").split():
                    os.kill(int(process), signal.SIGKILL)
            with suppress(OSError):
                group.rmdir()
        left = [group for group in left if group.exists()]
        if left:
            time.sleep(_LOOK_S)


def _delete(folder: Path) -> None:
    """Delete a folder, again while something still writes into it, as initdb does that has just been interrupted."""
    until = time.monotonic() + _LONGEST_S
    while folder.exists() and time.monotonic() < until:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(_LOOK_S)


if __name__ == "__main__":
    main()
