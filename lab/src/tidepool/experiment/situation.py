"""What goes on in an experiment right now: the runs write it, the views show it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tidepool.experiment.planning.plan import expected_s

if TYPE_CHECKING:
    from tidepool.experiment.planning.plan import PlannedRun
    from tidepool.experiment.recording.recorder import Status


@dataclass(slots=True)
class Second:
    """What the load generator saw in one second; response times in milliseconds, None without a response."""

    phase: int
    users: int
    throughput: float
    mean_ms: float | None
    p99_ms: float | None
    errors: int

    @classmethod
    def of(cls, message: dict[str, Any]) -> Second | None:
        """The second that a progress message tells of; None if it is no such message."""
        try:
            return cls(
                phase=int(message["phase"]),
                users=int(message["users"]),
                throughput=float(message["throughput"]),
                mean_ms=None if message["mean_ms"] is None else float(message["mean_ms"]),
                p99_ms=None if message["p99_ms"] is None else float(message["p99_ms"]),
                errors=int(message["errors"]),
            )
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(slots=True)
class Going:
    """A run, under way or ended."""

    run: PlannedRun
    number: int
    began: float = field(default_factory=time.monotonic)
    step: str = "begins"
    status: Status = "running"
    error: str | None = None
    seconds: list[Second] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    """The pool's size at each second of the load."""
    size: int | None = None
    decision: str = ""
    errors: int = 0
    warm: bool = False
    """Whether the process of its server is warm already."""
    saved_s: float = 0.0
    """By which its warm-up was shorter than the longest."""

    def add(self, second: Second) -> None:
        """Take a second of load in, with the size that the pool has now."""
        self.seconds.append(second)
        self.sizes.append(self.size or 0)
        self.errors += second.errors

    @property
    def mean_throughput(self) -> float:
        """Responses per second of the load so far; 0 before it."""
        return sum(second.throughput for second in self.seconds) / max(1, len(self.seconds))

    @property
    def mean_response_ms(self) -> float | None:
        """Mean response time of the load so far, None without a response."""
        known = [(second.throughput, second.mean_ms) for second in self.seconds if second.mean_ms is not None]
        weight = sum(throughput for throughput, _ in known)
        return sum(throughput * mean for throughput, mean in known) / weight if weight else None

    @property
    def mean_size(self) -> float:
        """Mean size of the pool over the load so far; 0 before it, and without a pool."""
        return sum(self.sizes) / max(1, len(self.sizes))

    @property
    def left_s(self) -> float:
        """About how long it will take yet, at most."""
        _, most = expected_s([self.run], series=self.run.series if self.warm else None)
        return max(0.0, most - self.saved_s - (time.monotonic() - self.began))


@dataclass(slots=True)
class Situation:
    """The experiment: the run under way, those before it, and how much is to come."""

    experiment: str
    question: str
    total: int
    """Runs that are to take place."""
    folder: str
    waiting: list[PlannedRun]
    current: Going | None = None
    ended: list[Going] = field(default_factory=list)
    activity: str = ""
    """What the experiment does between runs."""

    @property
    def left_s(self) -> float:
        """About how long the experiment will take yet, at most."""
        current = self.current
        _, most = expected_s(self.waiting, series=current.run.series if current else None)
        return most + (current.left_s if current else 0.0)
