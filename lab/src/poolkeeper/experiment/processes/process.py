"""Processes of the testbed.

They speak JSON lines on standard output, end when standard input closes, and never outlive the lab, not even when it is
killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import signal
import subprocess
from typing import IO, TYPE_CHECKING, Any

from poolkeeper.errors import RunError

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence
    from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LONGEST_LINE = 1 << 20
_LAST_WORDS_S = 1.0
_TAIL_LINES = 4
_TAIL_CHARACTERS = 400

_libc = ctypes.CDLL(None, use_errno=True)
"""Loaded before any fork: nothing may be loaded between fork and exec."""


class Child:
    """A running process of the testbed.

    Its messages are the JSON objects that it prints, one a line; everything else that it prints, on either stream, goes
    to its log. It leads a session of its own, so that Ctrl-C in the terminal reaches the lab alone.
    """

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path, log_file: IO[bytes]) -> None:
        """Use `start`."""
        self.name = name
        self.pid = process.pid
        self.log = log
        self._process = process
        self._log_file = log_file
        self._messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._exited = asyncio.Event()
        self._reader = asyncio.create_task(self._read(), name=f"output of {name}")
        self._pidfd = os.pidfd_open(self.pid)
        asyncio.get_running_loop().add_reader(self._pidfd, self._on_exit)

    @classmethod
    def start(
        cls, name: str, command: Sequence[str], log: Path, *, with_parent: signal.Signals = signal.SIGKILL
    ) -> Child:
        """Start a process; its log is appended to. Call it on the main thread, whose end ends the process too.

        `with_parent` is the signal that it gets then. Raises RunError if the command cannot be started.
        """
        log_file = log.open("ab")
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log_file,
                start_new_session=True,
                preexec_fn=dying_with(os.getpid(), with_parent),  # noqa: PLW1509 - it takes no lock that a thread may hold
            )
        except OSError as error:
            log_file.close()
            raise RunError(f"{name}: {command[0]} cannot be started: {error.strerror}") from None
        return cls(name, process, log, log_file)

    async def message(self) -> dict[str, Any] | None:
        """The next message, or None when the process has closed its standard output."""
        return await self._messages.get()

    def pending(self) -> dict[str, Any] | None:
        """The next message if it has been read already; None if there is none."""
        return None if self._messages.empty() else self._messages.get_nowait()

    def say(self, line: str) -> None:
        """Write a line to its standard input; it is lost if the process has ended."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, as anybody might; nothing happens if it has ended."""
        self._process.send_signal(number)

    async def ready(self) -> dict[str, Any]:
        """The message that the process is ready. Raises RunError if it ends before."""
        while (message := await self.message()) is not None:
            if message.get("event") == "ready":
                return message
        await self._exited.wait()
        raise RunError(f"{self.name} {self.ending()}")

    async def ended(self) -> int:
        """Wait for the end of the process and return its exit code, negative for a signal."""
        await self._exited.wait()
        # What it has started may hold its standard output open.
        await asyncio.wait({self._reader}, timeout=_LAST_WORDS_S)
        return self._process.wait()

    @property
    def exit_code(self) -> int | None:
        """The exit code, or None while it runs; it is right even before the event loop has seen the end."""
        return self._process.poll()

    def ending(self) -> str:
        """Describes the end of the process with its last output: "ended with exit code 1; last output: ..."."""
        code = self._process.returncode
        how = (
            f"was killed by {signal.Signals(-code).name}"
            if code is not None and code < 0
            else f"ended with exit code {code}"
        )
        message = self.last_output()
        return f"{how}; last output: {message}" if message else f"{how} without output"

    def last_output(self, only: re.Pattern[str] | None = None) -> str:
        """The end of its log in one line, made of all its lines or only of those in which a pattern is found."""
        if not self._log_file.closed:
            self._log_file.flush()
        try:
            text = self.log.read_bytes()[-16 * _TAIL_CHARACTERS :].decode(errors="replace")
        except OSError:
            return ""
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        if only is not None:
            lines = [line for line in lines if only.search(line)]
        # Our own programs end with one clear line, whatever a library has logged before it.
        if lines and lines[-1].startswith("poolkeeper: "):
            return _end_of(lines[-1].removeprefix("poolkeeper: "))
        return _end_of(" | ".join(lines[-_TAIL_LINES:]))

    async def stop(self, grace_s: float) -> bool:
        """Ask the process to end, by closing its standard input and by SIGTERM; kill it after `grace_s` seconds.

        Returns whether it ended by itself.
        """
        self._close_stdin()
        self._process.terminate()
        try:
            async with asyncio.timeout(grace_s):
                await self._exited.wait()
        except TimeoutError:
            gentle = False
        else:
            gentle = True
        await self.kill()
        return gentle

    async def kill(self) -> None:
        """Kill the process and whatever is left of its session; it has ended when this returns."""
        self._process.kill()
        await self._exited.wait()
        self._close_stdin()
        await self._clear_session()
        self._reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        self._log_file.close()

    async def _clear_session(self) -> None:
        """Wait a moment for the end of the processes that it started, since they may have files to delete."""
        for _ in range(50):
            try:
                os.killpg(self.pid, 0)
            except (ProcessLookupError, PermissionError):
                return
            await asyncio.sleep(0.02)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _on_exit(self) -> None:
        asyncio.get_running_loop().remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._process.wait()
        self._exited.set()

    def _close_stdin(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def _read(self) -> None:
        output = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(output)
        pipe, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, self._process.stdout)
        pending = b""
        try:
            while chunk := await output.read(1 << 16):
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    self._take(line)
                if len(pending) > _LONGEST_LINE:
                    self._take(pending)
                    pending = b""
            self._take(pending)
            self._messages.put_nowait(None)
        finally:
            pipe.close()

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if isinstance(message, dict):
            self._messages.put_nowait(message)
        elif line.strip() and not self._log_file.closed:
            with contextlib.suppress(OSError):  # a full disk is told by those who write results
                self._log_file.write(line + b"\n")
                self._log_file.flush()


def _end_of(text: str) -> str:
    """The end of a text in whole words, with a mark where it was longer."""
    if len(text) <= _TAIL_CHARACTERS:
        return text
    return f"… {text[-_TAIL_CHARACTERS:].partition(' ')[2] or text[-_TAIL_CHARACTERS:]}"


def dying_with(parent: int, signal_number: signal.Signals = signal.SIGKILL) -> Callable[[], None]:
    """Asks the kernel, before the child becomes the command, for a signal when its parent dies."""

    def prepare() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
        if os.getppid() != parent:  # it died in between
            os._exit(1)

    return prepare
