"""The variants that took turns in one run, each as a run of its own: its slices put together, the rest left out.

Of each slice those seconds of the load count that begin half a second or more after it (`LEFT_OUT_S`) and end within
it. A slice begins with a whole second of the load, a few milliseconds late, so that its first second is left out: it
holds the answers to requests that the variant before had started, and the way of the pool to its size. A switch that
comes later than half a second costs a second more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.record import ALTERNATING, LEFT_OUT_S, LatencyLog, Run, Table, merge
from poolkeeper.report.judging.paired import Course

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from poolkeeper.record import Decision, Distribution, Interval, Slice

    Integers = NDArray[np.int64]

_LATE_S = 0.05
"""By which the last second of a slice may end after it: the clocks of the load and of the switch are read apart."""


@dataclass(frozen=True, slots=True)
class Share(Run):
    """A variant's part of a run in which several took turns, in times of its own: its seconds lie side by side."""

    courses: Mapping[str, Course] = field(default_factory=dict)
    """Its slices, by figure, at their times in the whole run."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows of the load that count for a slice, its beginning and end, and their shift."""

    slice: Slice
    rows: Integers
    start_s: float
    end_s: float
    moved_s: float


def alternates(run: Run) -> bool:
    """Whether variants take turns in a run."""
    pool = run.configuration.get("pool")
    return isinstance(pool, dict) and pool.get("controller") == ALTERNATING and not isinstance(run, Share)


def split(run: Run) -> list[Run]:
    """The shares of the variants that took turns in a run; the run itself where it is of one variant.

    Where no slice was finished the run is left, without what it measured, which is of no variant.
    """
    if not alternates(run):
        return [run]
    members = _members(run)
    found = [_share(run, name, members[name], parts) for name in members if (parts := _parts(run, name))]
    return [*found] or [replace(run, load=None, latency=None, windows=None, decisions=())]


def _members(run: Run) -> Mapping[str, Any]:
    slices = run.configuration.get("slices")
    members = slices.get("variants") if isinstance(slices, dict) else None
    return members if isinstance(members, dict) else {}


def _parts(run: Run, variant: str) -> list[_Part]:
    if run.load is None:
        return []
    starts, ends = run.load["start_s"], run.load["end_s"]
    gone_s = float(starts[0]) if starts.size else 0.0
    found = []
    for turn in run.slices:
        if turn.variant != variant:
            continue
        rows = np.flatnonzero((starts >= turn.start_s + LEFT_OUT_S) & (ends <= turn.end_s + _LATE_S))
        if rows.size:
            start_s, end_s = float(starts[rows[0]]), float(ends[rows[-1]])
            found.append(_Part(turn, rows, start_s, end_s, gone_s - start_s))
            gone_s += end_s - start_s
    return found


def _share(run: Run, variant: str, member: Mapping[str, Any], parts: Sequence[_Part]) -> Share:
    assert run.load is not None  # noqa: S101 - its rows are in the parts
    latencies = _latencies(run, parts)
    own: dict[str, Any] = {
        "variant": variant,
        "configuration": {**run.configuration, **member},
        "load": _moved(run.load, [(part.rows, part.moved_s) for part in parts]),
        "latency": LatencyLog(
            tuple(
                replace(each, start_s=each.start_s + part.moved_s, end_s=each.end_s + part.moved_s)
                for part, intervals in zip(parts, latencies, strict=True)
                for each in intervals
            )
        ),
        "windows": _windows(run, parts),
        "decisions": tuple(_decisions(run, parts)),
        "slices": tuple(part.slice for part in parts),
        "monitor": None,
        "gc": None,
        "counters": None,
        "drift": None,
        "quotas": {},
        "courses": MappingProxyType(_courses(run.load, parts, latencies)),
    }
    rest = {entry.name: getattr(run, entry.name) for entry in fields(Run) if entry.name not in own}
    return Share(**rest, **own)


def _courses(load: Table, parts: Sequence[_Part], latencies: Sequence[Sequence[Interval]]) -> dict[str, Course]:
    answered = np.nan_to_num(load["requests"]) - np.nan_to_num(load["errors"])
    seconds = load["end_s"] - load["start_s"]
    at_s = np.array([(part.start_s + part.end_s) / 2 for part in parts])
    times = [merge(each.latencies for each in intervals) for intervals in latencies]

    def course(values: Sequence[float]) -> Course:
        return Course(at_s, np.array([math.log(value) if value > 0 else math.nan for value in values]))

    def of_times(statistic: Callable[[Distribution], float]) -> Course:
        return course([statistic(time) for time in times])

    return {
        "throughput": course([float(answered[part.rows].sum() / seconds[part.rows].sum()) for part in parts]),
        "mean": of_times(lambda distribution: distribution.mean_s),
        "p99": of_times(lambda distribution: distribution.percentile_s(99.0)),
    }


def _latencies(run: Run, parts: Sequence[_Part]) -> list[list[Interval]]:
    every = run.latency.intervals if run.latency else ()
    middles = [(each.start_s + each.end_s) / 2 for each in every]
    return [
        [each for each, middle in zip(every, middles, strict=True) if part.start_s <= middle < part.end_s]
        for part in parts
    ]


def _windows(run: Run, parts: Sequence[_Part]) -> Table | None:
    """The windows that lie wholly in the counted time; none of a slice that is too short."""
    windows = run.windows
    if windows is None:
        return None
    starts, ends = windows["start_s"], windows["end_s"]
    inside = [np.flatnonzero((starts >= part.start_s) & (ends <= part.end_s)) for part in parts]
    return _moved(windows, [(rows, part.moved_s) for rows, part in zip(inside, parts, strict=True)])


def _decisions(run: Run, parts: Sequence[_Part]) -> list[Decision]:
    return [
        replace(each, at_s=each.at_s + part.moved_s)
        for part in parts
        for each in run.decisions
        if part.start_s <= each.at_s < part.end_s
    ]


def _moved(table: Table, pieces: Sequence[tuple[Any, float]]) -> Table:
    """Some rows of a table, their instants moved."""
    rows = np.concatenate([rows for rows, _ in pieces]).astype(np.int64) if pieces else np.empty(0, np.int64)
    moved = np.concatenate([np.full(len(rows), by_s) for rows, by_s in pieces]) if pieces else np.empty(0)
    numbers = {
        name: cells[rows] + (moved if name in {"start_s", "end_s"} else 0.0) for name, cells in table.numbers.items()
    }
    labels = {name: tuple(cells[row] for row in rows.tolist()) for name, cells in table.labels.items()}
    return Table(MappingProxyType(labels), MappingProxyType(numbers), int(rows.size))
