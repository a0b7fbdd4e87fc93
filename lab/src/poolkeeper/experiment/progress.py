"""Current state of an experiment: the runs write it, the views show it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from poolkeeper.experiment.planning.expectation import Pace, about

if TYPE_CHECKING:
    from poolkeeper.experiment.planning.plan import PlannedRun
    from poolkeeper.experiment.recording.recorder import Status


@dataclass(slots=True)
class Second:
    """Figures of the load generator in one second; response times in milliseconds, None without a response."""

    phase: int
    users: int
    throughput: float
    mean_ms: float | None
    p99_ms: float | None
    errors: int
    offered: float | None = None
    """Requests a second that should have been sent; None for closed users."""

    @classmethod
    def of(cls, message: dict[str, Any]) -> Second | None:
        """The second in a progress message; None for another message."""
        try:
            return cls(
                phase=int(message["phase"]),
                users=int(message["users"]),
                throughput=float(message["throughput"]),
                mean_ms=None if message["mean_ms"] is None else float(message["mean_ms"]),
                p99_ms=None if message["p99_ms"] is None else float(message["p99_ms"]),
                errors=int(message["errors"]),
                offered=None if message.get("offered") is None else float(message["offered"]),
            )
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(slots=True)
class RunProgress:
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
    turn: str = ""
    """Current slice and its variant, where variants take turns."""
    slices: int = 0
    """Number of finished slices."""
    errors: int = 0
    warm: bool = False
    """Whether the process of its server is warm already."""
    console: str | None = None
    """Address of the page of its server, on which one watches the pool."""

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
        answered = [(second.throughput, second.mean_ms) for second in self.seconds if second.mean_ms is not None]
        weight = sum(throughput for throughput, _ in answered)
        return sum(throughput * mean for throughput, mean in answered) / weight if weight else None

    @property
    def mean_size(self) -> float:
        """Mean size of the pool over the load so far; 0 before it, and without a pool."""
        return sum(self.sizes) / max(1, len(self.sizes))


@dataclass(slots=True)
class Situation:
    """The experiment: the run under way, those before it, and how much is to come."""

    experiment: str
    question: str
    total: int
    """Runs that are to take place."""
    folder: str
    waiting: list[PlannedRun]
    current: RunProgress | None = None
    ended: list[RunProgress] = field(default_factory=list)
    activity: str = ""
    """Activity between runs."""

    pace: Pace = field(default_factory=Pace)

    @property
    def left(self) -> str:
        """About how long the experiment will take yet, in words."""
        current = self.current
        least, most = self.pace.expected_s(self.waiting, current.run.series if current else None)
        if current is not None:
            low, high = self._left_of(current)
            least, most = least + low, most + high
        return f"{about((least, most))} left"

    def _left_of(self, progress: RunProgress) -> tuple[float, float]:
        """Least and most time that is left of the current run."""
        if progress.seconds:
            rest_s = max(0.0, progress.run.load_s - len(progress.seconds))
            return rest_s, rest_s
        gone_s = time.monotonic() - progress.began
        low, high = self.pace.expected_s([progress.run], progress.run.series if progress.warm else None)
        return max(0.0, low - gone_s), max(0.0, high - gone_s)

    def end(self, progress: RunProgress, *, started_database: bool) -> None:
        """Note that a run has ended, and how long it took if it is like those to come."""
        self.current = None
        self.ended.append(progress)
        if progress.status == "complete" and not started_database:
            self.pace.learn(time.monotonic() - progress.began - progress.run.load_s, warm=progress.warm)
