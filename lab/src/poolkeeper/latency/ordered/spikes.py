"""Spikes of a series: short stretches in which it lies far off a level that it comes back to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.latency.ordered.steps import LEAST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Booleans, Floats

_SHORTEST = 3
"""Values that a spike lasts at least: a single odd one, or two, are what a tail is for."""
_LONGEST = 2 * LEAST
"""A longer stretch is a level, which `steps` finds."""
_NEIGHBOURHOOD = 30
"""Values on both sides whose median is the level."""
_MOST = 5
"""Stretches off the level at most."""
_CLEARLY = 6.0
"""Standard deviations of the noise by which each value of a spike is off."""
_BACK = 0.5
"""Part of a spike by which the level may differ before and after it; else it is a step of a staircase."""
_NORMAL = 0.6745
"""Median of the absolute value of a standard normal variable."""


def spikes(
    series: ArrayLike, *, noise: float, far: float = 0.0, ratio: float = 0.0, most: int = _MOST
) -> tuple[tuple[tuple[int, int], ...], Floats]:
    """Begin and end of each spike of a series (n,) in order, none where they are many; and the series without them.

    Args:
        series: values that are comparable by differences, such as roots of counts.
        noise: least standard deviation of the noise; where the values themselves show more, that counts.
        far: least difference from the level.
        ratio: the same relative to the level.
        most: more stretches off the level, single values among them, are a habit of the series and no change of it.

    Raises DataError for values that are not finite numbers.
    """
    values = vector(series, "series")
    level = _running_median(values)
    off = values - level
    least = np.maximum(max(_CLEARLY * max(noise, float(np.median(np.abs(off))) / _NORMAL), far), ratio * level)
    runs = [run for way in (off > least, off < -least) for run in _runs(way)]
    found = tuple(sorted(run for run in runs if _comes_back(values, *run)))
    if not found or len(runs) > most:
        return (), values
    rest = values.copy()
    for begin, end in found:
        rest[begin:end] = level[begin:end]
    return found, rest


def _running_median(values: Floats) -> Floats:
    """Median of the values around each; at the ends, of what there is."""
    width = min(_NEIGHBOURHOOD, values.size // 2)
    edge = np.full(width, np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(np.concatenate((edge, values, edge)), 2 * width + 1)
    found: Floats = np.nanmedian(windows, axis=1)
    return found


def _comes_back(values: Floats, begin: int, end: int) -> bool:
    """Whether a run has the length of a spike, and the level after it is that before it."""
    length = end - begin
    before, after = values[max(0, begin - LEAST) : begin], values[end : end + LEAST]
    if not _SHORTEST <= length < _LONGEST or min(before.size, after.size) < LEAST:
        return False
    low, high = float(np.median(before)), float(np.median(after))
    return abs(high - low) < _BACK * abs(float(np.median(values[begin:end])) - (low + high) / 2)


def _runs(held: Booleans) -> list[tuple[int, int]]:
    """Begin and end of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], held.astype(np.int8), [0]))))
    return [(int(begin), int(end)) for begin, end in zip(edges[::2], edges[1::2], strict=True)]
