"""The load of a trial: closed users on the front tier, played by the project's load generator."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.home import home
from poolkeeper.experiment.processes.process import Child
from poolkeeper.ntier.tiers.java import JavaPrograms
from poolkeeper.record import RecordError
from poolkeeper.record.latency import merge, read_latency
from poolkeeper.units import format_duration

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from poolkeeper.ntier.system import Topology
    from poolkeeper.record.latency import Distribution

DESCRIPTION = "load.yaml"
SUMMARY = "load.json"
_LATENCIES = "latency.hlog"
_INTERVALS = "load.csv"
_BEYOND_S = 1.0
"""Time of a load beyond the counted seconds. Its last interval has the answers to the last requests as well, and is
longer than a second by that."""
_NS = 1_000_000_000
_STOP_S = 15.0
_NICENESS = -10
_BUSY = 0.9
"""Share of a processor from which on the load generator, which has one thread, may be too slow."""
_OTHER_KINDS = ("rate", "arrivals", "phases", "stay", "name", "tier")
"""Settings of clients that closed users with a think time do not have, or that a trial decides."""


def description(topology: Topology, users: int, seconds: float, think_time_s: float | None = None) -> dict[str, Any]:
    """Load description of a trial: the requests of the topology's load, with its number of users.

    It lasts a second longer than what counts. `think_time_s`: the topology's unless given. Raises InputError.
    """
    think_time_s = topology.think_time_s if think_time_s is None else think_time_s
    if topology.load is None:
        raise InputError(f"{topology.source}: the setting 'load' is missing: real servers need to know the requests")
    try:
        stated = yaml.safe_load(topology.load.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{topology.source}: load: {topology.load}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{topology.load}: {' '.join(str(error).split())}") from None
    if not isinstance(stated, dict) or not isinstance(stated.get("clients"), dict):
        raise InputError(f"{topology.load}: is not a load description: it has no clients")
    clients = {name: value for name, value in stated["clients"].items() if name not in _OTHER_KINDS}
    clients |= {"kind": "closed", "users": users, "think_time": "0ms"}
    if think_time_s:
        clients["think_time"] = f"exponential {format_duration(think_time_s)}"
    others = {name: value for name, value in stated.items() if name not in {"clients", "for", "connections"}}
    return {**others, "clients": clients, "for": format_duration(seconds + _BEYOND_S)}


def requests_of(topology: Topology) -> str:
    """Digest of the requests that the users of a topology send. Raises InputError."""
    return hashlib.sha256(json.dumps(description(topology, 1, 1.0), sort_keys=True).encode()).hexdigest()[:16]


class Load:
    """A running load generator, which first warms up."""

    def __init__(self, child: Child, folder: Path) -> None:
        """Use `start`."""
        self.child = child
        self.folder = folder

    @classmethod
    def start(cls, port: int, stated: Mapping[str, Any], folder: Path) -> Load:
        """Start to warm up. Raises RunError."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SUMMARY).unlink(missing_ok=True)  # an interrupted run may have left one
        file = folder / DESCRIPTION
        file.write_text(yaml.safe_dump(dict(stated), sort_keys=False), encoding="utf-8")
        command = JavaPrograms(home()).load(port, file, folder)
        if os.geteuid() == 0 and (nice := shutil.which("nice")) is not None:
            # It is no part of the system: what it waits for a processor would count as response time.
            command = [nice, "-n", str(_NICENESS), *command]
        return cls(Child.start("load", command, folder / "load.log"), folder)

    async def warming_up(self) -> None:
        """Wait until the first requests are sent. Raises RunError, InputError for a description that is wrong."""
        if await self.child.message() is None:
            code = await self.child.ended()
            problem = self.child.last_output() or f"ended with exit code {code}"
            raise (InputError if code == InputError.exit_code else RunError)(f"load: {problem}")

    def begin(self) -> None:
        """End the warm-up: from now on all counts."""
        self.child.say("begin")

    async def watch(self) -> None:
        """Raise RunError when it ends with an error."""
        if await self.child.ended() != 0:
            raise RunError(f"load {self.child.ending()}")

    async def stop(self) -> None:
        """End it, and keep its counts."""
        if self.child.exit_code is None:
            await self.child.stop(_STOP_S)
        await self.child.kill()


@dataclass(frozen=True)
class LoadResult:
    """Findings of the load generator over the counted seconds.

    Attributes:
        requests: requests that ended in the counted seconds; errors are among them.
        errors: those that failed.
        response_s: mean of the successful ones.
        by_second: response times of the successful ones in each second.
        lost: message about all requests that failed, those after the counted seconds included.
        cpu_s: processor time of the load generator.
        generator_busy: part of the counted seconds in which the load generator used nearly a whole processor, 0 to 1.
        warnings: its own.
    """

    requests: int
    errors: int
    response_s: float
    by_second: tuple[Distribution, ...]
    lost: str
    cpu_s: float
    generator_busy: float
    warnings: tuple[str, ...]

    @property
    def throughput_series(self) -> tuple[float, ...]:
        """Right answers in each second."""
        return tuple(float(second.count) for second in self.by_second)

    def goodput_series(self, bound_s: float) -> tuple[float, ...]:
        """Right answers within a bound in each second."""
        return tuple(float(within(second, bound_s)) for second in self.by_second)


def within(times: Distribution, bound_s: float) -> int:
    """Number of values up to a bound; of a bucket that the bound falls into, those below its middle are not split."""
    middles = times.lowest + times.width // 2
    return int(times.counts[middles <= bound_s * _NS].sum())


def read_result(folder: Path, seconds: int, begin: int = 0) -> LoadResult:
    """Read so many seconds of a load generator's record. Raises RunError if it is not complete."""
    try:
        document = _summary(folder)
        log, _ = read_latency(folder / _LATENCIES, 0.0)
        by_second = log.binned(begin + np.arange(seconds + 1, dtype=np.float64))
        with (folder / _INTERVALS).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))[begin : begin + seconds]
        busy = [int(row["cpu_ns"]) >= _BUSY * (int(row["end_ns"]) - int(row["start_ns"])) for row in rows]
        cpu_s = sum(int(row["cpu_ns"]) for row in rows) / _NS
        requests, errors = (sum(int(row[name]) for row in rows) for name in ("requests", "errors"))
    except (OSError, ValueError, KeyError, RecordError) as error:
        raise RunError(f"load: its record in {folder} cannot be read: {error}") from None
    return LoadResult(
        requests=requests,
        errors=errors,
        response_s=merge(by_second).mean_s,
        by_second=tuple(by_second),
        lost=lost_message(document),
        cpu_s=cpu_s,
        generator_busy=sum(busy) / max(1, len(busy)),
        warnings=tuple(document["warnings"]),
    )


def lost_so_far(folder: Path) -> str:
    """Message about the requests that failed until a load was stopped; empty if it has left no record."""
    try:
        return lost_message(_summary(folder))
    except (OSError, ValueError, KeyError):
        return ""


def lost_message(summary: Mapping[str, Any]) -> str:
    """Message about all failed requests of a load, by kind, such as "12 of 900 requests failed (status 503: 12)"."""
    kinds = ", ".join(f"{kind}: {count}" for kind, count in sorted(summary["errors_by_kind"].items()))
    return f"{summary['errors']} of {summary['requests']} requests failed{f' ({kinds})' if kinds else ''}"


def _summary(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    return document
