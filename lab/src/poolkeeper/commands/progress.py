"""Shows on standard error, if that is a terminal, which step takes long and how far it is."""

from __future__ import annotations

import math
import sys
import threading
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TextIO

PATIENCE_S = 2.0
"""Seconds of silence before progress is shown."""
_EVERY_S = 0.25
_ENOUGH = 0.02
"""The share after which the rest is guessed from what it took."""
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows a line while the block runs, from two seconds on; nothing where standard error is no terminal.

    `now` tells the time in seconds since any moment, and `done` waits in it; both are real time unless told otherwise.
    """

    def __init__(
        self,
        what: str,
        stream: TextIO | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
        done: threading.Event | None = None,
    ) -> None:
        self._what = what
        self._share = math.nan
        self._stream = sys.stderr if stream is None else stream
        self._now = now
        self._start = self._since = now()
        self._done = threading.Event() if done is None else done
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._stream.isatty():
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def step(self, what: str) -> None:
        """Starts a step of the work."""
        self._what, self._share, self._since = what, math.nan, self._now()

    def at(self, what: str, share: float) -> None:
        """Reports a step and the share of it that is done, 0 to 1; NaN if it is unknown."""
        self._what, self._share = what, share

    def reached(self, done: float, total: float) -> None:
        """Reports the share that is done."""
        self._share = done / total if total else math.nan

    def line(self) -> str:
        """Line on the terminal: the step, its share, the time that it may still take, and the time that has passed."""
        now = self._now()
        message = f"{self._what} … {now - self._start:.0f} s"
        if math.isnan(self._share):
            return message
        took = now - self._since
        left = f", about {took / self._share - took:.0f} s left" if self._share >= _ENOUGH and took > 0 else ""
        return f"{message}, {self._share:.0%}{left}"

    def _show(self) -> None:
        shown = self._done.wait(PATIENCE_S)
        while not shown:
            self._stream.write(_CLEAR + self.line())
            self._stream.flush()
            if self._done.wait(_EVERY_S):
                self._stream.write(_CLEAR)
                self._stream.flush()
                return
