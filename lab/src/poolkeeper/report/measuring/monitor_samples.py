"""Samples of the monitor that belong to a span of a run, and the processes that do its work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENOUGH = 0.5
"""Part of a span that samples inside it must cover to tell of it."""
NEAR_S = 0.1
"""A sample so many seconds outside a span at most may stand for its begin or end: little happened in between."""


def during(at: NDArray[np.float64], begin_s: float, end_s: float) -> NDArray[np.bool_]:
    """Samples inside the span.

    Samples come once a second. Where those inside cover less than half of a short span, the last one before it and the
    first one after it belong to it as well: the rate between them is the best that is known.
    """
    times = np.unique(at)
    first = int(np.searchsorted(times, begin_s, side="left"))
    last = int(np.searchsorted(times, end_s, side="right")) - 1
    if last <= first or times[last] - times[first] < ENOUGH * (end_s - begin_s):
        first, last = max(0, first - 1), min(times.size - 1, last + 1)
    inside: NDArray[np.bool_] = np.isin(at, times[first : last + 1])
    return inside


def nearest(at: NDArray[np.float64], begin_s: float, end_s: float) -> tuple[float, float] | None:
    """The samples between which what was counted is nearest to a span; None where there are no two.

    Those are the first and the last one inside, or those next to them outside where these are nearer and next to
    nothing lies between. Where they cover less than half of a short span, it is those around it.
    """
    times = np.unique(at)
    if not times.size:
        return None
    inner = int(np.searchsorted(times, begin_s, side="left")), int(np.searchsorted(times, end_s, side="right")) - 1
    outer = max(0, inner[0] - 1), min(times.size - 1, inner[1] + 1)
    first, last = inner
    before_s, after_s = begin_s - times[outer[0]], times[outer[1]] - end_s
    if 0 <= before_s <= NEAR_S and (first == times.size or before_s < times[first] - begin_s):
        first = outer[0]
    if 0 <= after_s <= NEAR_S and (last < 0 or after_s < end_s - times[last]):
        last = outer[1]
    if last <= first or times[last] - times[first] < ENOUGH * (end_s - begin_s):
        first, last = outer
    return (float(times[first]), float(times[last])) if last > first else None


def of_kind(name: str, process: str) -> bool:
    """Whether a process of the monitor is this one or one of several such: `server`, or `server-1` and so on."""
    kind, dash, number = name.rpartition("-")
    return name == process or (dash == "-" and kind == process and number.isdecimal())
