"""Which samples of the monitor belong to a span of a run, and which processes do the work of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENOUGH = 0.5
"""Part of a span that samples inside it must cover to tell of it."""


def during(at: NDArray[np.float64], begin_s: float, end_s: float) -> NDArray[np.bool_]:
    """Which of these samples tell of the span: those inside it.

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


def of_kind(name: str, process: str) -> bool:
    """Whether a process of the monitor is this one or one of several such: `server`, or `server-1` and so on."""
    kind, dash, number = name.rpartition("-")
    return name == process or (dash == "-" and kind == process and number.isdecimal())
