"""Reads run records, the folders with the measurements of runs (contract/README.md)."""

from poolkeeper.record.errors import BadLine, RecordError
from poolkeeper.record.find import find_runs
from poolkeeper.record.gc import GC_LOG, GcLog
from poolkeeper.record.latency import Distribution, Interval, LatencyLog, merge
from poolkeeper.record.run import (
    ALTERNATING,
    LEFT_OUT_S,
    NO_POOL,
    VERSION,
    Decision,
    LoadSummary,
    Run,
    Slice,
    controller_of,
    read_run,
)
from poolkeeper.record.table import Table

__all__ = [
    "ALTERNATING",
    "GC_LOG",
    "LEFT_OUT_S",
    "NO_POOL",
    "VERSION",
    "BadLine",
    "Decision",
    "Distribution",
    "GcLog",
    "Interval",
    "LatencyLog",
    "LoadSummary",
    "RecordError",
    "Run",
    "Slice",
    "Table",
    "controller_of",
    "find_runs",
    "merge",
    "read_run",
]
