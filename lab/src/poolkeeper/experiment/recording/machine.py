"""Machine and software of an experiment: the parts `machine` and `versions` of run.json."""

from __future__ import annotations

import os
import platform
import re
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

import poolkeeper

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATIENCE_S = 10


def machine() -> dict[str, Any]:
    """The `machine` of run.json; `cpus` are those that this process may use."""
    return {
        "os": f"{platform.system()} {platform.release()}",
        "cpu_model": _cpu_model(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_bytes": psutil.virtual_memory().total,
    }


def versions(root: Path, java: Sequence[str]) -> dict[str, str]:
    """The `versions` of run.json: of the lab, Python, Java, and the commit of the project where that is known."""
    found = {"poolkeeper": poolkeeper.__version__, "python": platform.python_version()}
    message = _output([*java, "-version"])
    if (java_version := re.search(r'version "([^"]+)"', message)) is not None:
        found["java"] = java_version[1]
    commit = _output(["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]).strip()
    if re.fullmatch(r"[0-9a-f]{7,}(-dirty)?", commit):
        found["commit"] = commit
    return found


def database_version(port: int) -> str | None:
    """The version in the greeting of a MariaDB [1]; None without a greeting.

    [1] MariaDB: Connecting, initial handshake packet. The version follows the packet's four bytes of header and one of
        protocol, ends with a zero, and may begin with "5.5.5-" for the sake of old replicas.
    """
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
        version, zero, _ = connection.recv(256)[5:].partition(b"\0")
        if zero and version:
            return version.decode("ascii", "replace").removeprefix("5.5.5-")
    return None


def _cpu_model() -> str:
    with suppress(OSError):
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
        if found is not None:
            return found[1]
    return platform.machine()


def _output(command: Sequence[str]) -> str:
    """Output of a command on either stream; empty if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout + done.stderr
