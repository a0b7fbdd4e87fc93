"""The nginx process of a run."""

from __future__ import annotations

import asyncio
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.experiment.balancer.configuration import READY_PATH, Balancing, configuration
from poolkeeper.experiment.balancer.lost_requests import LostRequests
from poolkeeper.experiment.processes.process import Child

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.experiment.balancer.configuration import Method
    from poolkeeper.experiment.processes.guard import Guard

MISSING = "no nginx: a balancer needs it; on Debian: apt-get install nginx-light"
ERROR_LOG = "nginx-error.log"
CONFIGURATION = "nginx.conf"
_SYSTEM_FOLDERS = "/usr/sbin:/usr/local/sbin"
"""Folders of packages that are not on everybody's path."""
_AGAIN_S = 0.02
_PATIENCE_S = 10


def find() -> str:
    """The nginx of this machine. Raises RunError, saying how to get it, if there is none."""
    found = shutil.which("nginx") or shutil.which("nginx", path=_SYSTEM_FOLDERS)
    if found is None:
        raise RunError(MISSING)
    return found


def version(program: str) -> str:
    """The version of an nginx, such as 1.22.1; "unknown" if it does not say."""
    try:
        done = subprocess.run([program, "-v"], capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    found = re.search(r"nginx/(\S+)", done.stderr)
    return found[1] if found else "unknown"


def workers(cpus: float | None) -> int:
    """Worker processes for so many processors; None for all that this process may use."""
    return max(1, math.ceil(cpus)) if cpus is not None else len(os.sched_getaffinity(0))


@dataclass(frozen=True, slots=True)
class Nginx:
    """A running nginx. Its errors and its configuration lie in the record, all its other files in a folder of its own.

    It needs no privileges; started with them, its workers give them up. It ends when the lab does.
    """

    child: Child
    port: int
    version: str
    _log: Path
    _temporary: tempfile.TemporaryDirectory[str]

    @classmethod
    async def start(  # noqa: PLR0913 - all of them are the run's
        cls,
        method: Method,
        servers: Sequence[int],
        record: Path,
        guard: Guard,
        *,
        users: int,
        timeout_s: float,
        cpus: float | None,
        within_s: float,
        quotas_in_use: Callable[[list[str]], list[str]] = lambda command: command,
    ) -> Nginx:
        """Start an nginx before servers at these ports, and wait until it answers.

        `quotas_in_use` makes the command one that runs under the balancer's quota. Raises RunError, with nginx's own
        message, if it does not become ready.
        """
        program = find()
        temporary = _own_folder()
        log, file = record / ERROR_LOG, record / CONFIGURATION
        log.touch()
        with _reserved_port() as reserved:
            balancing = Balancing(method, reserved.getsockname()[1], servers, users, workers(cpus), timeout_s)
            file.write_text(configuration(balancing, log.resolve(), Path(temporary.name)), encoding="utf-8")
            # A killed master would leave its workers behind; one that is told to end takes them along.
            command = quotas_in_use([program, "-p", temporary.name, "-c", str(file.resolve())])
            child = Child.start("balancer", command, record / "balancer.log", with_parent=signal.SIGTERM)
            nginx = cls(child, balancing.port, version(program), log, temporary)
            try:
                await guard.until(nginx._ready(), within_s, "the start of nginx")
            except BaseException:
                await nginx.stop(within_s)
                raise
        return nginx

    async def _ready(self) -> None:
        while not await _answers(self.port):
            if self.child.exit_code is not None:
                message = " | ".join(filter(None, [self.child.last_output(), *self.lost().others]))
                raise RunError(f"nginx ended with exit code {self.child.exit_code}; output: {message or 'nothing'}")
            await asyncio.sleep(_AGAIN_S)

    def lost(self) -> LostRequests:
        """Losses in the error log so far."""
        with self._log.open(encoding="utf-8", errors="replace") as lines:
            return LostRequests.read(lines)

    async def stop(self, grace_s: float) -> bool:
        """End it and remove its folder; returns whether it ended by itself."""
        gentle = self.child.exit_code is not None or await self.child.stop(grace_s)
        await self.child.kill()
        self._temporary.cleanup()
        return gentle


def _own_folder() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="poolkeeper-nginx-", ignore_cleanup_errors=True)
    Path(folder.name).chmod(0o711)  # workers that gave up the master's privileges have folders in it
    return folder


def _reserved_port() -> socket.socket:
    """A free port, which only processes of this user can take while the socket is open.

    nginx binds it beside this socket, which does not listen and so gets no connection.
    """
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    reserved.bind(("127.0.0.1", 0))
    return reserved


async def _answers(port: int) -> bool:
    with suppress(OSError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(f"GET {READY_PATH} HTTP/1.1\r\nHost: poolkeeper\r\nConnection: close\r\n\r\n".encode())
            return b" 204 " in await reader.readline()
        finally:
            writer.close()
    return False
