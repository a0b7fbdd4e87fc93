"""Folders, control groups and the watchdog of a topology's servers."""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.quota import QuotaRefused, control_groups
from poolkeeper.ntier.tiers import watchdog
from poolkeeper.ntier.tiers.programs import ordinary_user

if TYPE_CHECKING:
    import pwd
    from types import TracebackType

    from poolkeeper.experiment.processes.quota import Group, Groups

_CLEARED_S = 120.0
"""A few seconds as a rule; on a machine with twenty busy processes a processor more than thirty were seen."""


class Workplace:
    """Place of all servers of a topology. Whatever was registered is gone when it is left, or when the lab dies.

    Attributes:
        logs: folder for logs and configurations, which stays.
        folder: folder for everything else, which is deleted.
        user: user of servers that refuse to run as root; None where the lab is not root.
        no_quotas: why there are no CPU quotas; None if there are.
    """

    def __init__(self, logs: Path, *, quotas: bool = True) -> None:
        """`quotas`: whether to limit the servers where that is allowed."""
        self.logs = logs
        self.user: pwd.struct_passwd | None = ordinary_user()
        self.no_quotas: str | None = None if quotas else "nobody asked for them"
        self._groups: Groups | None = None
        self._ports: list[socket.socket] = []
        if quotas:
            try:
                self._groups = control_groups()
            except QuotaRefused as error:
                self.no_quotas = str(error)
        self.logs.mkdir(parents=True, exist_ok=True)
        self._watchdog = subprocess.Popen(
            [sys.executable, "-I", "-S", watchdog.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
        self._group_folders: list[Path] = []
        self.folder = Path(tempfile.gettempdir(), f"poolkeeper-tiers-{secrets.token_hex(6)}")
        self._tell({"folder": str(self.folder)})  # before it is there, as the lab may be killed in between
        self.folder.mkdir(mode=0o700)
        self.folder.chmod(0o711)  # servers that gave up privileges have folders in it

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def own_folder(self, name: str) -> Path:
        """A new folder for the files of one server, which belongs to the ordinary user."""
        folder = self.folder / name
        folder.mkdir(mode=0o700)
        self.give(folder)
        return folder

    def give(self, path: Path) -> None:
        """Make a file or folder one of the ordinary user."""
        if self.user is not None:
            import os

            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def port(self) -> int:
        """A port of the loopback interface that the system gives to nobody else until the end.

        Servers bind it beside a socket that does not listen and so gets no connection: all set SO_REUSEADDR.
        """
        reserved = socket.socket()
        self._ports.append(reserved)
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port: int = reserved.getsockname()[1]
        return port

    def group(self, name: str) -> Group | None:
        """A control group for a server, without a limit yet; None where there are no quotas."""
        if self._groups is None:
            return None
        group = self._groups.make(name)
        self._group_folders += group.folders
        for folder in group.folders:
            self._tell({"group": str(folder)})
        return group

    def watch(self, process: int, stop_signal: int) -> None:
        """Have a process ended by a signal if it is still there at the end."""
        self._tell({"process": process, "signal": stop_signal})

    def close(self) -> None:
        """Clear up. Raises RunError if that takes unusually long."""
        assert self._watchdog.stdin  # noqa: S101 - it was asked for
        with suppress(OSError):
            self._watchdog.stdin.close()
        try:
            if self._watchdog.wait(_CLEARED_S) != 0:  # somebody has killed it
                watchdog.clear_up(self._group_folders, [self.folder])
        except subprocess.TimeoutExpired:
            raise RunError(f"servers are still there after {_CLEARED_S:g} s, below {self.folder}") from None
        finally:
            for reserved in self._ports:
                reserved.close()

    def _tell(self, entry: dict[str, Any]) -> None:
        assert self._watchdog.stdin  # noqa: S101 - it was asked for
        try:
            self._watchdog.stdin.write(json.dumps(entry).encode() + b"\n")
            self._watchdog.stdin.flush()
        except OSError as error:
            raise RunError(f"the watchdog of the servers has ended: {error.strerror}") from None
