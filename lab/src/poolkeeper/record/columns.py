"""Columns of the CSV files of a run record, as contract/*.columns.json states them."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple


class Column(NamedTuple):
    """A column by name: the type of its cells, and whether the whole column may be missing."""

    name: str
    type: Literal["string", "int", "float"] = "int"
    optional: bool = False


def _counted(prefix: str, *percentiles: str) -> tuple[Column, ...]:
    """A count, and the statistics of that many times."""
    return (Column(f"{prefix}count", optional=True), *_statistics(prefix, *percentiles))


def _statistics(prefix: str, *percentiles: str) -> tuple[Column, ...]:
    """Mean, percentiles and maximum of a time in nanoseconds, empty in an interval without a value."""
    return (
        Column(f"{prefix}mean_ns", "float", optional=True),
        *(Column(f"{prefix}{name}_ns", optional=True) for name in (*percentiles, "max")),
    )


_ALL = ("p50", "p90", "p95", "p99", "p999")

WINDOWS: Final = (
    Column("pool", "string"),
    Column("start_ns"),
    Column("end_ns"),
    Column("size"),
    Column("busy", "float"),
    Column("queue_mean", "float"),
    Column("queue_max"),
    Column("arrivals"),
    Column("completions"),
    Column("failures"),
    Column("rejections"),
    Column("within_bound"),
    *_counted("wait_", *_ALL),
    *_counted("service_", *_ALL),
    *_counted("response_", *_ALL),
    Column("worker_cpu_ns", optional=True),
    Column("process_cpu_ns", optional=True),
    Column("gc_ns", optional=True),
    Column("disk_logical_bytes", optional=True),
    Column("disk_read_bytes", optional=True),
    Column("disk_written_bytes", optional=True),
    Column("disk_calls", optional=True),
    Column("disk_blocked", "float", optional=True),
    Column("disk_blocked_source", "string", optional=True),
    Column("disk_worker_changes", optional=True),
    Column("queued_by_workers", optional=True),
)

_COUNTED = ("cpu_ns", "rss_bytes", "threads", "voluntary_switches", "involuntary_switches", "read_bytes", "write_bytes")
_COUNTED_LATER = ("migrations", "minor_faults", "major_faults", "idle_ns", "iowait_ns")
MONITOR: Final = (
    Column("at_ns"),
    Column("process", "string"),
    *(Column(name, optional=True) for name in (*_COUNTED, *_COUNTED_LATER)),
    Column("load_average", "float", optional=True),
)

SLICES: Final = (Column("number"), Column("variant", "string"), Column("start_ns"), Column("end_ns"))

LOAD: Final = (
    Column("start_ns"),
    Column("end_ns"),
    Column("phase"),
    Column("users"),
    Column("requests"),
    Column("errors"),
    *_statistics("", "p50", "p90", "p99"),
    Column("cpu_ns"),
    Column("offered", optional=True),
    Column("sent", optional=True),
    Column("lag_p99_ns", optional=True),
)
