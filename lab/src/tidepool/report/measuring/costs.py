"""What the answers of a run cost: processors, switches, faults, and pauses of the garbage collector."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tidepool.report.measuring.watched import during, of_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidepool.record import Run
    from tidepool.record.table import Table as Rows
    from tidepool.report.measuring.measured import Measured

_MACHINE = "machine"
_TWO = 2
"""Readings that a difference needs."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of one run, or the means over several; NaN for what was not measured.

    Processors are numbers of them in use; what is per request is divided by all requests that ended. Where several
    servers share the work, what was counted of the server is that of all of them; only collectors are not told then.
    """

    ready_s: float
    """From the start of the server's process until it was ready."""
    server_cpu: float
    load_cpu: float
    database_cpu: float
    idle: float
    """Of the processors that the run may use."""
    iowait: float
    """Idle ones while something waited for storage."""
    load_average: float
    voluntary: float
    """Context switches of the server because a thread waited, per request."""
    involuntary: float
    """Context switches of the server because another thread was to run, per request."""
    migrations: float
    """Of the server's threads to another processor, per request."""
    minor_faults: float
    """Page faults of the server without storage, per request."""
    major_faults: float
    """Page faults of the server that read from storage, per request."""
    instructions: float
    """Of the server, per request."""
    cache_misses: float
    """Of the server, per request."""
    gc_pauses: float
    """Pauses of the server's collector per second."""
    gc_full: float
    """Full collections per second, which are among the pauses."""
    gc_share: float
    """Part of the time in which the collector held the server up, 0 to 1."""
    gc_longest_s: float
    """The longest pause in seconds; 0 without one."""
    allocated_bytes: float
    """What the server allocated per request, to a megabyte a pause; NaN with fewer than two pauses."""

    @staticmethod
    def of(measured: Measured) -> Costs:
        """The costs of one run over its load."""
        run = measured.run
        begin_s, end_s = measured.begin_s, measured.begin_s + measured.seconds
        servers = _rows(run, "server", begin_s, end_s)
        machine = _rows(run, _MACHINE, begin_s, end_s)
        requests = measured.requests / measured.seconds if measured.requests else math.nan
        """A second, since samples of the monitor do not begin and end with the load."""

        def per_request(column: str) -> float:
            return _rate(servers, column) / requests

        def counter(name: str) -> float:
            return (run.counters or {}).get(name, math.nan) / max(1, measured.requests)

        pauses = run.gc.during(begin_s, end_s) if run.gc is not None else None
        none = math.nan if pauses is None else 0.0
        return Costs(
            ready_s=math.nan if run.ready_s is None else run.ready_s,
            server_cpu=measured.server_cpu(),
            load_cpu=measured.load_cpu(),
            database_cpu=measured.watched_cpu("database"),
            idle=_rate(machine, "idle_s"),
            iowait=_rate(machine, "iowait_s"),
            load_average=float(machine[0]["load_average"][-1]) if machine else math.nan,
            voluntary=per_request("voluntary_switches"),
            involuntary=per_request("involuntary_switches"),
            migrations=per_request("migrations"),
            minor_faults=per_request("minor_faults"),
            major_faults=per_request("major_faults"),
            instructions=counter("instructions"),
            cache_misses=counter("cache_misses"),
            gc_pauses=len(pauses) / measured.seconds if pauses is not None else none,
            gc_full=float(pauses.full.sum()) / measured.seconds if pauses is not None else none,
            gc_share=float(pauses.pause_s.sum()) / measured.seconds if pauses is not None else none,
            gc_longest_s=float(pauses.pause_s.max()) if pauses else none,
            allocated_bytes=pauses.allocated_bytes / (np.ptp(pauses.at_s) * requests)
            if pauses is not None and len(pauses) >= _TWO
            else math.nan,
        )


def _rows(run: Run, process: str, begin_s: float, end_s: float) -> list[Rows]:
    """What was read while the load ran of a process, or of each of several such, if it was read twice at least."""
    monitor = run.monitor
    if monitor is None:
        return []
    inside = during(monitor["at_s"], begin_s, end_s)
    labels = monitor.labels["process"]
    names = dict.fromkeys(name for name in labels if of_kind(name, process))
    found = (monitor.where(inside & np.array([label == name for label in labels], dtype=np.bool_)) for name in names)
    return [rows for rows in found if len(rows) >= _TWO]


def _rate(processes: Sequence[Rows], column: str) -> float:
    """By how much a column rose in a second, summed over the processes; one that ended early rose no more from then on.

    NaN where there is none.
    """
    if not processes:
        return math.nan
    times = np.concatenate([rows["at_s"] for rows in processes])
    return sum(float(rows[column][-1] - rows[column][0]) for rows in processes) / float(np.ptp(times))
