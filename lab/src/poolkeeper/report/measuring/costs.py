"""Cost of the answers of a run: processors, switches, faults, and pauses of the garbage collector."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.report.measuring.monitor_samples import during
from poolkeeper.report.measuring.spans import Span

if TYPE_CHECKING:
    from poolkeeper.record import Run
    from poolkeeper.record.gc import GcLog
    from poolkeeper.record.table import Table as Rows
    from poolkeeper.report.measuring.measurement import Measurement

_MACHINE = "machine"
_TWO = 2
"""Readings that a difference needs."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of one run, or the means over several; NaN if not measured.

    What is per request is divided by all requests that ended in the same time. Where several servers share the work,
    what was counted of the server is that of all of them; only collectors are not told then.
    """

    ready_s: float
    """From the start of the server's process until it was ready."""
    server_cpu_s: float
    """CPU time of the server in seconds per request."""
    load_cpu_s: float
    """CPU time of the load generator in seconds per request; NaN for a simulation, which has none."""
    database_cpu_s: float
    """CPU time of the database in seconds per request."""
    idle: float
    """Processors that were idle, of those that the run may use."""
    iowait: float
    """Those of them idle while something waited for storage."""
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
    """Bytes that the server allocated per request, to a megabyte a pause; NaN with fewer than two pauses."""

    @staticmethod
    def of(measured: Measurement) -> Costs:
        """The costs of one run over its load."""
        run = measured.run
        begin_s, end_s = measured.begin_s, measured.begin_s + measured.seconds
        machine = _machine(run, begin_s, end_s)
        span = Span.of(measured)

        def per_request(column: str, process: str = "server") -> float:
            return span.per_request(span.gained(process, column))

        def counter(name: str) -> float:
            return (run.counters or {}).get(name, math.nan) / max(1, measured.requests)

        pauses = run.gc.during(begin_s, end_s) if run.gc is not None else None
        none = math.nan if pauses is None else 0.0
        return Costs(
            ready_s=math.nan if run.ready_s is None else run.ready_s,
            server_cpu_s=_first_known(per_request("cpu_s"), _windows_cpu(measured, span)),
            load_cpu_s=math.nan if run.simulated else _first_known(per_request("cpu_s", "load"), _load_cpu(span)),
            database_cpu_s=per_request("cpu_s", "database"),
            idle=_rate(machine, "idle_s"),
            iowait=_rate(machine, "iowait_s"),
            load_average=float(machine["load_average"][-1]) if machine else math.nan,
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
            allocated_bytes=_allocated(run, pauses) if pauses else math.nan,
        )


def _first_known(*values: float) -> float:
    return next((value for value in values if not math.isnan(value)), math.nan)


def _windows_cpu(measured: Measurement, span: Span) -> float:
    """CPU time per request that the server reported of itself in these windows."""
    rows = measured.windows_with_cpu
    if rows is None:
        return math.nan
    reported = replace(span, start_s=float(rows["start_s"][0]), end_s=float(rows["end_s"][-1]))
    return reported.per_request(float(rows["process_cpu_s"].sum()))


def _load_cpu(span: Span) -> float:
    """CPU time of the load generator per request, over the rows that hold it."""
    requests = span.of_load("requests")
    return span.of_load("cpu_s") / requests if requests else math.nan


def _allocated(run: Run, pauses: GcLog) -> float:
    """Bytes that were allocated between the first pause and the last, per request that ended between them."""
    return Span(run, float(pauses.at_s[0]), float(pauses.at_s[-1])).per_request(pauses.allocated_bytes)


def _machine(run: Run, begin_s: float, end_s: float) -> Rows | None:
    """Readings of the machine while the load ran, if there were two at least."""
    monitor = run.monitor
    if monitor is None:
        return None
    ours = np.array([name == _MACHINE for name in monitor.labels["process"]], dtype=np.bool_)
    rows = monitor.where(ours & during(monitor["at_s"], begin_s, end_s))
    return rows if len(rows) >= _TWO else None


def _rate(rows: Rows | None, column: str) -> float:
    """By how much a column rose in a second; NaN without rows."""
    return math.nan if rows is None else float(rows[column][-1] - rows[column][0]) / float(np.ptp(rows["at_s"]))
