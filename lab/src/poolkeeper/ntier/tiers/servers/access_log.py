"""The log of a front server: a line a request, read while it grows.

A line holds the end of the request and its time in whole microseconds, the status, the trace id, and for how long it
waited for a place at the next tier, in microseconds: `1763920384123456 2301 200 Zj1yH2 0`. Or the times are in the
unit that a server has; the reader is told.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FIELDS = 5
_FAILED = 400
NO_STATUS = -1
"""A request whose client left before an answer."""


@dataclass(slots=True)
class Sums:
    """Sums over requests."""

    requests: int = 0
    response_s: float = 0.0
    wait_s: float = 0.0


@dataclass
class AccessLog:
    """Sums over the lines so far.

    Attributes:
        file: the log, which need not exist yet.
        end_unit_s: unit of the first number, in seconds.
        unit_s: unit of the times.
        total: sums over all lines.
        failed: number of requests by status, from 400 on; `NO_STATUS` where there was no answer.
        traces: end and time of the requests by their trace ids, in seconds, while `tracing`.
    """

    file: Path
    end_unit_s: float = 1e-6
    unit_s: float = 1e-6
    total: Sums = field(default_factory=Sums)
    failed: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    traces: dict[str, tuple[float, float]] = field(default_factory=dict)
    tracing: bool = False
    malformed: int = 0
    _place: int = 0
    _rest: bytes = b""

    def __post_init__(self) -> None:
        """Skip the lines of an earlier server."""
        with suppress(FileNotFoundError):
            self._place = self.file.stat().st_size

    def read(self) -> None:
        """Read the lines since the last call."""
        with suppress(FileNotFoundError), self.file.open("rb") as file:
            file.seek(self._place)
            data = file.read()
            self._place += len(data)
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._take(line.decode(errors="replace").split())

    def _take(self, fields: list[str]) -> None:
        try:
            end, response, status, trace, wait = fields[:_FIELDS]
            end_s, response_s = float(end) * self.end_unit_s, float(response) * self.unit_s
            wait_s = max(0.0, float(wait) * self.unit_s)
            code = int(status) if status.isdecimal() else NO_STATUS
        except ValueError:
            self.malformed += 1
            return
        self.total.requests += 1
        self.total.response_s += response_s
        self.total.wait_s += wait_s
        if code >= _FAILED or code == NO_STATUS:
            self.failed[code] += 1
        if self.tracing:
            self.traces[trace] = end_s, response_s
