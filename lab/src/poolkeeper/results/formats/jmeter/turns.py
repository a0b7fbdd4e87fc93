"""Samples of a thread, which takes one turn after the other: response times in another unit do not fit its turns."""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import number
from poolkeeper.results.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.results.source import Source

_NEEDED = ("threadName", "timeStamp", "elapsed")
_STAMP_MS, _LENGTH = re.compile(r"\d{12,14}"), re.compile(r"\d{1,14}")
_THREADS, _SAMPLES = 5, 5
"""Threads, and samples of each, from which they tell something: all threads of a group may have the name of one."""
_MANY = 50
"""Samples at a time that engines whose threads have the same names hardly reach; microseconds are a thousand times."""


def crowded(source: Source, rows: Sequence[list[str]], places: Mapping[str, int]) -> list[Finding]:
    """Finding about threads that would have waited for many answers at a time each."""
    if "allThreads" in places or not set(_NEEDED) <= set(places):
        return []  # where the number of threads is known, it tells more
    turns: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        if len(row) < len(places):
            continue
        thread, stamp, elapsed = (row[places[name]] for name in _NEEDED)
        if _STAMP_MS.fullmatch(stamp) and _LENGTH.fullmatch(elapsed):
            turns.setdefault(thread, []).append((int(stamp), int(elapsed)))
    waits = [_at_a_time(sorted(samples)) for samples in turns.values() if len(samples) >= _SAMPLES]
    if len(waits) < _THREADS or (found := median(waits)) < _MANY:
        return []
    words = f"{source.path.name}: its threads would have waited for {number(found)} answers at a time each: elapsed may"
    return [Finding("unit", f"{words} be in another unit than milliseconds, such as microseconds")]


def _at_a_time(samples: Sequence[tuple[int, int]]) -> float:
    """Time that samples took, in the time from the first to the last one."""
    span = samples[-1][0] - samples[0][0]
    return sum(elapsed for _, elapsed in samples[:-1]) / span if span > 0 else 0.0
