"""HdrHistogram logs, and the run records that have one."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from poolkeeper.latency.buckets import EXACT, Accuracy
from poolkeeper.record import BadLine, read_run
from poolkeeper.record.latency import merge, read_intervals
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding, Findings
from poolkeeper.results.formats.held import Held
from poolkeeper.results.source import Source
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NS, nanoseconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from poolkeeper.record.latency import Distribution, Interval
    from poolkeeper.record.run import Run

FORMAT = "HdrHistogram log"
_REFUSED = "an HdrHistogram log counts response times in buckets: the largest ones themselves are gone"
_LEGEND = ("#[Histogram log format version", '"StartTimestamp"', "#[StartTime", "#[BaseTime", "Tag=")
_PLAIN = re.compile(r"(?:Tag=[^,]+,)?[\d.]+,[\d.]+,[\d.]+,HIST")
"""Beginning of an interval in a log without a header."""
_NOTHING = "#"
"""A comment, in place of an empty line."""
_START = re.compile(r"#\[StartTime: *(\d+(?:\.\d*)?) ")
_NAME = re.compile(r"#\[Logging for: (.+?)\]")
"""Comment in which YCSB names the operation of a log."""
_AS_IT_IS, _THOUSANDTH = (0.9, 1.1), (900.0, 1100.0)
_WIDEST = 1 << 62
"""Width that no bucket reaches."""
_FAST = 100_000
"""Nanoseconds that few servers answer within."""
_SLOW_MS = 10_000
"""Milliseconds that half of the response times hardly exceed."""
_MICRO = "if they are microseconds (YCSB, memtier_benchmark), use --unit us"
_SHAPE = {"start_ns": pl.Int64, "length_ns": pl.Int64, "label": pl.String, "response_ns": pl.Int64, "count": pl.Int64}


def recognise(source: Source) -> bool:
    """Whether some first line is a comment or a legend of a histogram log, or an interval."""
    return any(line.startswith(_LEGEND) or _PLAIN.match(line) for line in source.head[:10])


def read(source: Source, *, unit: str | None = None) -> Held:
    """Read all intervals: a row for each bucket, its middle for the values in it, the tag as label.

    Values are nanoseconds unless `unit` says otherwise. Raises FileError for a line that is no interval.
    """
    findings = Findings()
    *lines, rest = source.text(findings).split("\n")
    if rest:
        findings.add("cut off", f"{source.path.name}: the last line is cut off and was left out")
    stamp = next((found for line in source.head if (found := _START.match(line))), None)
    name = next((found[1] for line in source.head if (found := _NAME.match(line))), "")
    start_s = float(stamp[1]) if stamp else 0.0
    try:
        log = read_intervals(source.path, [line.strip() or _NOTHING for line in lines], start_s)
    except BadLine as error:
        raise FileError(source.path, error.problem.partition(": ")[2], error.line) from None
    if again := _again(log.intervals):
        words = f"{again:,} of {len(log.intervals):,} intervals come again, with the same times and counts: they count"
        findings.add("twice", f"{source.path.name}: {words} several times, and rates are not given")
    scale = nanoseconds(unit or "ns")
    frames = [
        pl.DataFrame(
            {
                "start_ns": np.full(interval.latencies.counts.size, round(interval.start_s * NS)),
                "length_ns": np.full(interval.latencies.counts.size, round((interval.end_s - interval.start_s) * NS)),
                "label": pl.Series([interval.tag or name]).new_from_index(0, interval.latencies.counts.size),
                "response_ns": (interval.latencies.lowest + interval.latencies.width // 2) * scale,
                "count": interval.latencies.counts,
            },
            schema=_SHAPE,
        )
        for interval in log.intervals
    ]
    frame = pl.concat(frames) if frames else pl.DataFrame(schema=_SHAPE)
    if unit is None and (words := _other_unit(log.intervals)):
        findings.add("unit", f"{source.path.name}: {words}")
    accuracy = _accuracy([interval.latencies for interval in log.intervals])
    return Held(
        source,
        FORMAT,
        frame,
        kind="histogram",
        clock="wall" if stamp else "run",
        resolution_ns=scale,
        tails_refused=_REFUSED,
        noticed=findings.all(),
        accuracy=Accuracy(accuracy.relative, accuracy.least * scale),
    )


def _again(intervals: Sequence[Interval]) -> int:
    """Number of intervals that are copies of others."""
    held = [interval for interval in intervals if interval.latencies.counts.size > 1]
    keys = {
        (each.start_s, each.end_s, each.tag, each.latencies.lowest.tobytes(), each.latencies.counts.tobytes())
        for each in held
    }
    return len(held) - len(keys)


def _accuracy(counted: Sequence[Distribution]) -> Accuracy:
    """Largest distance of values from the middles of their buckets, which are exact where they hold one value."""
    if not counted:
        return EXACT
    lowest, width = (np.concatenate([getattr(each, name) for each in counted]) for name in ("lowest", "width"))
    least = width.min(initial=_WIDEST)
    wider = width > least
    half = width[wider] / 2
    shares = half / (lowest[wider] + half)
    return Accuracy(float(shares.max(initial=0.0)), float(least) / 2 if 1 < least < _WIDEST else 0.0)


def _other_unit(intervals: Sequence[Interval]) -> str:
    """Sign that values are no nanoseconds: a log's unit is known to its writer alone.

    Writers state the largest value of an interval in milliseconds, which is a millionth of nanoseconds and a thousandth
    of microseconds; the library for C states the value as it is.
    """
    ratios = [
        float(interval.latencies.lowest[-1]) / interval.stated_maximum
        for interval in intervals
        if interval.latencies.counts.size and interval.stated_maximum > 0
    ]
    middle = float(np.median(ratios)) if ratios else math.inf
    if _AS_IT_IS[0] < middle < _AS_IT_IS[1] or _THOUSANDTH[0] < middle < _THOUSANDTH[1]:
        shown = "as they are" if middle < _AS_IT_IS[1] else "in thousandths"
        return f"values were taken for nanoseconds, but the log states the largest ones {shown}: {_MICRO}"
    held = merge([interval.latencies for interval in intervals])
    half = round(NS * held.percentile_s(50)) if held.count else _FAST
    if half < _FAST:
        milli = "; if they are milliseconds, --unit ms" if half < _SLOW_MS else ""
        return f"values were taken for nanoseconds, and half are at most {half:,}: {_MICRO}{milli}"
    return ""


def read_run_record(folder: Path) -> Held:
    """Read a run record: response times of the requests that succeeded, how many failed, and how many users there were.

    Raises FileError for a folder that is none, and InputError (RecordError) for one that breaks the contract.
    """
    run = read_run(folder)
    if run.latency is None:
        raise FileError(folder, "is a run record without latency.hlog: nobody measured response times")
    held = _with_users(read(Source(folder / "latency.hlog"), unit="ns"), run)
    notes = tuple(Finding("record", f"{folder.name}: {note}") for note in (*run.notes, *run.warnings))
    summaries: tuple[ToolSummary, ...] = ()
    if run.summary is not None:
        summaries = (ToolSummary("", run.summary.requests, run.summary.errors),)
    return replace(held, format="Poolkeeper run record", summaries=summaries, noticed=(*notes, *held.noticed))


def _with_users(held: Held, run: Run) -> Held:
    """The same with the users of each interval, which the load generator writes for the same seconds."""
    if run.load is None or run.latency is None or not run.load.rows:
        return held
    intervals = run.latency.intervals
    middles = np.array([(interval.start_s + interval.end_s) / 2 for interval in intervals])
    ends = run.load["end_s"]
    users = run.load["users"][np.minimum(np.searchsorted(ends, middles), ends.size - 1)]
    sizes = [interval.latencies.counts.size for interval in intervals]
    return replace(held, frame=held.frame.with_columns(users=pl.Series(np.repeat(users, sizes), dtype=pl.Int64)))
