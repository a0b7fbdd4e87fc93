"""Processes that an experiment starts, each of which ends with it.

A child's standard input is a pipe from here. It ends when the pipe closes, and the pipe closes when this process
ends, however it ends; so no child outlives an experiment, not even one that was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Self

from tidepool.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

_STOPPING_S = 15.0
_KILLED_S = 5.0


class Child:
    """A process that prints one JSON object a line; its standard error goes to a log file."""

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        """Start it.

        Raises:
            RunError: if there is no such program.
        """
        self.name = name
        self.log = log
        self.lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        with log.open("ab") as errors:
            try:
                # A session of its own, so that Ctrl-C reaches only us and we can end it in order.
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    start_new_session=True,
                )
            except OSError as error:
                raise RunError(f"{name} does not start: {error.strerror}: {command[0]}") from error
        self._reader = threading.Thread(target=self._read, name=f"read {name}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def _read(self) -> None:
        output = self._process.stdout
        if output is None:
            return
        with output, self.log.open("ab") as log:
            for line in output:
                try:
                    read = json.loads(line)
                except ValueError:
                    log.write(line)
                else:
                    self.lines.put(read if isinstance(read, dict) else None)
        self.lines.put(None)

    def exit_code(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._process.poll()

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code when it ends within that time, None if it does not."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def ready(self, timeout_s: float) -> dict[str, Any]:
        """Wait for its first line, which says where it can be reached.

        Raises:
            RunError: if it ends first, or says nothing in time; with the end of its log.
        """
        try:
            first = self.lines.get(timeout=timeout_s)
        except queue.Empty:
            raise RunError(f"{self.name} was not ready after {timeout_s:g} s{self.said()}") from None
        if first is None:
            self._process.wait(_KILLED_S)
            raise RunError(f"{self.name} ended at its start{self.said()}")
        return first

    def said(self) -> str:
        """The end of its log, to be put behind a message; empty if it said nothing."""
        try:
            text = self.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        lines = [line for line in text.splitlines() if line.strip()]
        ours = [line.removeprefix("tidepool: ") for line in lines if line.startswith("tidepool: ")]
        last = ours[-1] if ours else (lines[-1] if lines else "")
        return f": {last} (log: {self.log})" if last else f" (log: {self.log})"

    def stop(self) -> None:
        """End it in order, or by force if it does not; returns when it is gone, its children too."""
        if self._process.stdin and not self._process.stdin.closed:
            with contextlib.suppress(OSError):  # It may have gone already.
                self._process.stdin.close()
        for warning, patience in ((signal.SIGTERM, _STOPPING_S), (signal.SIGKILL, _KILLED_S)):
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                _signal_group(self.pid, warning)
        self._process.wait()
        _signal_group(self.pid, signal.SIGKILL)
        self._reader.join(_KILLED_S)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it."""
        self.stop()


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # Perhaps nobody is left.
        os.killpg(pid, number)
