"""Seeded run records that look like real ones: a closed queue in front of a pool, simulated request by request.

The server's service time grows with the number of busy workers by the Universal Scalability Law (Gunther 2007),
so that too small a pool queues, too large a pool contends, and there is a best size in between. The adaptive pool
climbs as the throughput controller does: up by a step, undone when the gain was too small.
"""

from __future__ import annotations

import csv
import heapq
import io
import json
import math
import random
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter

from poolkeeper.record.columns import LOAD, WINDOWS

if TYPE_CHECKING:
    from pathlib import Path

NS = 1_000_000_000
EPOCH = datetime(2026, 3, 2, 9, 30, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Phase:
    """A number of users for a number of seconds."""

    users: int
    seconds: float


@dataclass(frozen=True)
class Service:
    """Mean service time alone (s), contention, coherency, and the share of requests that fail."""

    mean_s: float = 0.02
    contention: float = 0.03
    coherency: float = 0.0006
    failing: float = 0.0

    def draw(self, busy: int, rng: random.Random) -> float:
        """Service time in seconds with `busy` workers at it, this one included."""
        slowdown = 1 + self.contention * (busy - 1) + self.coherency * busy * (busy - 1)
        return rng.gammavariate(4.0, self.mean_s * slowdown / 4.0)


@dataclass(frozen=True)
class Request:
    """One finished request; times in seconds since the load began."""

    arrived: float
    started: float
    ended: float
    failed: bool


@dataclass
class Climber:
    """The adaptive pool's controller in small: step up, check the gain, undo and hold when it was too small."""

    step: int = 10
    threshold: float = 0.1
    hold: int = 6
    previous: float | None = None
    checking: bool = False
    held: int = 0

    def decide(self, size: int, throughput: float) -> tuple[int, str, dict[str, float | None]]:
        """Size asked, reason and numbers for one closed window."""
        before = self.previous
        self.previous = throughput
        numbers: dict[str, float | None] = {"throughput": round(throughput, 3), "throughput_before": before}
        if throughput == 0.0:
            return 1, "idle: no completion since the last window", numbers
        if self.held > 0:
            self.held -= 1
            return size, f"hold: increases locked for {self.held + 1} more windows", numbers
        if not self.checking or before is None:
            self.checking = True
            return size + self.step, f"increase by {self.step}: try whether throughput grows", numbers
        self.checking = False
        gain = (throughput - before) / before if before else 1.0
        numbers["gain"] = round(gain, 4)
        against = f"throughput {throughput:.0f}/s against {before:.0f}/s before, needed at least 10 % more"
        if gain >= self.threshold:
            return size, f"increase kept: {against}", numbers
        self.held = self.hold
        return max(1, size - self.step), f"increase undone: {against}", numbers


@dataclass(frozen=True)
class Variant:
    """One pool: a fixed size, or `climber` starting at `size`."""

    name: str
    size: int
    climber: Climber | None = None


@dataclass
class _Window:
    start: float
    arrivals: int = 0
    done: list[Request] = field(default_factory=list)
    busy_area: float = 0.0
    queue_area: float = 0.0
    queue_max: int = 0


@dataclass(frozen=True, eq=False)
class Simulated:
    """Result of one run: finished requests, rows of windows.csv, lines of decisions.jsonl."""

    requests: tuple[Request, ...]
    windows: tuple[dict[str, Any], ...]
    decisions: tuple[dict[str, Any], ...]
    seconds: float


def simulate(variant: Variant, phases: list[Phase], *, service: Service, window_s: float, seed: int) -> Simulated:
    """Run one variant under closed users without think time; the same arguments give the same result."""
    return _Simulation(variant, phases, service=service, window_s=window_s, seed=seed).run()


class _Simulation:
    def __init__(self, variant: Variant, phases: list[Phase], *, service: Service, window_s: float, seed: int) -> None:
        self.rng = random.Random(f"{seed} {variant.name}")
        self.variant, self.service, self.window_s = variant, service, window_s
        self.size = variant.size
        self.queue: deque[tuple[float, int]] = deque()
        self.busy = 0
        self.clock = 0.0
        self.window = _Window(0.0)
        self.events: list[tuple[float, int, str, Any]] = []
        self.sequence = 0
        self.users = 0
        self.active: set[int] = set()
        self.outstanding: set[int] = set()
        self.requests: list[Request] = []
        self.rows: list[dict[str, Any]] = []
        self.decisions: list[dict[str, Any]] = []
        self.seconds = sum(phase.seconds for phase in phases)
        begin = 0.0
        for phase in phases:
            self._at(begin, "users", phase.users)
            begin += phase.seconds
        windows = math.floor(self.seconds / window_s + 1e-9)
        for index in range(1, windows + 1):
            self._at(index * window_s, "window", None)

    def _at(self, time: float, kind: str, what: object) -> None:
        self.sequence += 1
        heapq.heappush(self.events, (time, self.sequence, kind, what))

    def run(self) -> Simulated:
        while self.events and self.events[0][0] <= self.seconds:
            time, _, kind, what = heapq.heappop(self.events)
            self.window.busy_area += self.busy * (time - self.clock)
            self.window.queue_area += len(self.queue) * (time - self.clock)
            self.clock = time
            getattr(self, f"_{kind}")(what)
        return Simulated(tuple(self.requests), tuple(self.rows), tuple(self.decisions), self.seconds)

    def _users(self, number: int) -> None:
        self.active = set(range(number))
        for user in sorted(self.active - self.outstanding):
            self._arrive(user)

    def _arrive(self, user: int) -> None:
        self.outstanding.add(user)
        self.window.arrivals += 1
        self.queue.append((self.clock, user))
        self._start()
        self.window.queue_max = max(self.window.queue_max, len(self.queue))

    def _start(self) -> None:
        while self.queue and self.busy < self.size:
            arrived, user = self.queue.popleft()
            self.busy += 1
            end = self.clock + self.service.draw(self.busy, self.rng)
            self._at(end, "end", (arrived, self.clock, user))

    def _end(self, what: tuple[float, float, int]) -> None:
        arrived, started, user = what
        self.busy -= 1
        self.outstanding.discard(user)
        request = Request(arrived, started, self.clock, self.rng.random() < self.service.failing)
        self.requests.append(request)
        self.window.done.append(request)
        if user in self.active:
            self._arrive(user)
        self._start()

    def _window(self, _: None) -> None:
        window, length = self.window, self.clock - self.window.start
        good = [request for request in window.done if not request.failed]
        row: dict[str, Any] = {
            "pool": "workers",
            "start_ns": round(window.start * NS),
            "end_ns": round(self.clock * NS),
            "size": self.size,
            "busy": round(window.busy_area / length, 4),
            "queue_mean": round(window.queue_area / length, 4),
            "queue_max": window.queue_max,
            "arrivals": window.arrivals,
            "completions": len(good),
            "failures": len(window.done) - len(good),
            "rejections": 0,
            "within_bound": len(good),
            "worker_cpu_ns": round(window.busy_area * 0.03 * NS),
            "process_cpu_ns": round((window.busy_area * 0.03 + 0.05 * length) * NS),
            "gc_ns": 4_000_000 if len(self.rows) % 4 == 0 else 0,
        }
        row |= _statistics("wait", [request.started - request.arrived for request in window.done])
        row |= _statistics("service", [request.ended - request.started for request in window.done])
        row |= _statistics("response", [request.ended - request.arrived for request in window.done])
        self.rows.append(row)
        self.window = _Window(self.clock)
        if self.variant.climber is not None:
            self._decide(self.variant.climber, len(good) / length)

    def _decide(self, climber: Climber, throughput: float) -> None:
        asked, reason, numbers = climber.decide(self.size, throughput)
        decision = {
            "pool": "workers",
            "controller": "throughput",
            "at_ns": round(self.clock * NS),
            "mode": "active",
            "action": "kept" if asked == self.size else "resized",
            "size_before": self.size,
            "size_after": asked,
            "size_asked": asked,
            "reason": reason,
            "numbers": numbers,
        }
        self.decisions.append(decision)
        self.size = asked
        self._start()


def _statistics(prefix: str, seconds: list[float]) -> dict[str, Any]:
    if not seconds:
        return {}
    ordered = sorted(round(value * NS) for value in seconds)
    ranks = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999, "max": 1.0}
    found: dict[str, Any] = {f"{prefix}_mean_ns": round(sum(ordered) / len(ordered), 1)}
    for name, share in ranks.items():
        found[f"{prefix}_{name}_ns"] = ordered[max(0, math.ceil(share * len(ordered)) - 1)]
    return found


def write_run(  # noqa: PLR0913 - a record has this many parts
    folder: Path,
    simulated: Simulated,
    *,
    variant: str,
    phases: list[Phase],
    experiment: str = "demo",
    repetition: int = 0,
    configuration: dict[str, Any] | None = None,
    origin_ns: int = 5_000_000_000_000,
    lead_s: float = 2.5,
    about: dict[str, Any] | None = None,
) -> Path:
    """Write the record of a simulated run; the load begins `lead_s` after the run."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = origin_ns + round(lead_s * NS)
    run = {
        "version": 1,
        "id": folder.name,
        "experiment": experiment,
        "variant": variant,
        "repetition": repetition,
        "status": "complete",
        "start": EPOCH.isoformat(),
        "start_monotonic_ns": origin_ns,
        "end": (EPOCH + timedelta(seconds=lead_s + simulated.seconds + 1)).isoformat(),
        "end_monotonic_ns": begin + round((simulated.seconds + 1) * NS),
        "command": ["poolkeeper", "run", f"experiments/{experiment}/matrix.yaml"],
        "configuration": configuration or {"load": {"phases": [vars(phase) for phase in phases]}},
        "versions": {"poolkeeper": "0.1.0", "java": "17.0.12", "mariadb": "10.11.6"},
        "machine": {"os": "Linux 6.1", "cpu_model": "Example CPU @ 2.50GHz", "cpus": 4, "memory_bytes": 25769803776},
        "warnings": [],
        **(about or {}),
    }
    (folder / "run.json").write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")
    windows = _csv([column.name for column in WINDOWS], simulated.windows, begin)
    (folder / "windows.csv").write_text(windows, encoding="utf-8")
    lines = [json.dumps({**decision, "at_ns": decision["at_ns"] + begin}) for decision in simulated.decisions]
    (folder / "decisions.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    for name, text in _load_files(simulated, tuple(phases), begin, lead_s).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _csv(names: list[str], rows: tuple[dict[str, Any], ...], begin: int) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, "start_ns": row["start_ns"] + begin, "end_ns": row["end_ns"] + begin})
    return file.getvalue()


@cache
def _load_files(simulated: Simulated, phases: tuple[Phase, ...], begin: int, lead_s: float) -> dict[str, str]:
    """Texts of what the load generator writes; many tests write the same run."""
    seconds = math.ceil(simulated.seconds)
    buckets: list[list[Request]] = [[] for _ in range(seconds)]
    for request in simulated.requests:
        buckets[min(seconds - 1, int(request.ended))].append(request)
    bounds = [sum(phase.seconds for phase in phases[: index + 1]) for index in range(len(phases))]
    rows: list[dict[str, Any]] = []
    file = io.StringIO()
    log = HistogramLogWriter(file)
    log.output_log_format_version()
    log.output_legend()
    started = EPOCH.timestamp() + lead_s
    for second, bucket in enumerate(buckets):
        good = [request.ended - request.arrived for request in bucket if not request.failed]
        phase = next((index for index, bound in enumerate(bounds) if second + 1 <= bound), len(phases) - 1)
        statistics = _statistics("", good)
        rows.append(
            {
                "start_ns": second * NS,
                "end_ns": (second + 1) * NS,
                "phase": phase,
                "users": phases[phase].users,
                "requests": len(bucket),
                "errors": len(bucket) - len(good),
                "cpu_ns": 2_000_000 + 40_000 * len(bucket),
            }
            | {name[1:]: statistics[name] for name in statistics if name[1:] in {c.name for c in LOAD}}
        )
        histogram = HdrHistogram(1, 60 * NS, 3)
        for value in good:
            histogram.record_value(max(1, round(value * NS)))
        histogram.set_tag("dbwrite")
        file.write("Tag=dbwrite,")
        log.output_interval_histogram(histogram, started + second, started + second + 1)
    return {
        "latency.hlog": file.getvalue(),
        "load.csv": _csv([column.name for column in LOAD], tuple(rows), begin),
        "load.json": _summary(simulated, rows, begin),
    }


def _summary(simulated: Simulated, rows: list[dict[str, Any]], begin: int) -> str:
    requests = sum(row["requests"] for row in rows)
    errors = sum(row["errors"] for row in rows)
    good = [request.ended - request.arrived for request in simulated.requests if not request.failed]
    response = {name.lstrip("_"): value for name, value in _statistics("", good).items()}
    cpu = sum(row["cpu_ns"] for row in rows)
    summary = {
        "start_ns": begin,
        "end_ns": begin + round(simulated.seconds * NS),
        "requests": requests,
        "errors": errors,
        "errors_by_kind": {"status 500": errors} if errors else {},
        "throughput": (requests - errors) / simulated.seconds,
        "response": response,
        "cpu_ns": cpu,
        "cpu_share": cpu / (simulated.seconds * NS),
        "bottleneck": False,
        "warnings": [],
    }
    return json.dumps(summary, indent=2) + "\n"
