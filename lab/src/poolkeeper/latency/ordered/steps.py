"""Steps in the level of a series, told from noise whose neighbours depend on each other.

Single outliers are filtered by a running median. Seeded binary segmentation [1] then compares the means on both sides
of every place, over stretches of many lengths, in units of the long-run standard deviation of the noise. That is
estimated from the differences of neighbouring block means, by their median, so that a few steps do not enlarge it [2];
the largest over many lengths of blocks holds the dependence of neighbours. The best single step is taken away before,
since it would be a large part of the noise of a short series. Last, each step is judged again by the noise
of the two levels that it parts, since noise may differ from level to level.

A series without a step is said to have one in at most 2 % of all cases, for noise with an autocorrelation time of up to
a thirtieth of its length (`test_steps.py` measures that).

[1] Kovacs, Buehlmann, Li, Munk: Seeded binary segmentation: a general methodology for fast and optimal changepoint
    detection, Biometrika 110(1), 2023.
[2] Wu, Zhao: Inference of trends in time series, J. R. Statist. Soc. B 69(3), 2007.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from numpy.typing import ArrayLike, NDArray

    from poolkeeper.arrays import Floats

    Places: TypeAlias = NDArray[np.int64]

LEAST = 10
"""Values that a level lasts at least."""
FALSE_ALARMS = 0.02
"""Share of the series without a step in which one is seen, at most."""
_CLEARLY = 5.5
"""Standard errors from which the means on both sides of a place differ by a step."""
_OF_FEW = 16
"""Values of a series of which a step must be clear by the root of two more."""
_LONGEST = 1200
"""A longer series is averaged over neighbours first."""
_SPIKE = 5
"""Width of the running median: an outlier of up to half of it vanishes."""
_BLOCKS = 24
"""Blocks into which a series is cut at least to measure its noise."""
_LOCAL_BLOCKS = 8
"""The same for the noise of one level."""
_FIRST = 1
"""Steps that are taken away before the noise is measured at first."""
_ROUNDS = 4
"""Times that the search is made, each with the noise that the last one left."""
_SHARE = 50
"""A level lasts at least the length of the series over so many."""
_NORMAL = 0.6745
"""Median of the absolute value of a standard normal variable."""
_SHORTER = 1.5
"""Ratio of the lengths of stretches that are compared."""


def steps(series: ArrayLike) -> tuple[int, ...]:
    """Places, ascending, at which the level of a series (n,) changes: each is the index of a level's first value.

    A level lasts at least ten values, and a fiftieth of the series. Values must be comparable by differences: take
    logarithms of times, roots of counts. Raises DataError for values that are not finite numbers.
    """
    values = vector(series, "series")
    width = -(-values.size // _LONGEST)
    means = values[: values.size - values.size % width].reshape(-1, width).mean(axis=1)
    least = max(-(-LEAST // width), means.size // _SHARE, 2)
    if means.size < 2 * least:
        return ()
    smooth = _smoothed(means)
    # A step that is there would pass for noise; one that is not hardly takes any away.
    found = _segmented(smooth, least, 0.0, _FIRST)
    for _ in range(_ROUNDS):
        # Without the steps that were found, what is left is less; without any it stays, and so do false alarms.
        noise = long_run_variance(_without(smooth, found), _BLOCKS)
        before, found = found, _judged(smooth, _segmented(smooth, least, noise), noise)
        if found == before:
            break
    return tuple(place * width for place in found)


def confirmed(series: ArrayLike, places: Sequence[int]) -> list[int]:
    """Those of some places that part the levels of a series (n,) clearly by the noise of the series itself."""
    smooth = _smoothed(vector(series, "series"))
    return _judged(smooth, list(places), long_run_variance(_without(smooth, list(places)), _BLOCKS))


def worth(places: Sequence[int], values: Floats, least: float) -> list[int]:
    """The steps that change the median by a share of `least` or more; the smallest of the others goes first."""
    kept = list(places)
    while kept:
        levels = [float(np.median(values[low:high])) for low, high in pairwise([0, *kept, values.size])]
        changes = [abs(after - before) / max(before, after, 1e-300) for before, after in pairwise(levels)]
        smallest = int(np.argmin(changes))
        if changes[smallest] >= least:
            break
        del kept[smallest]
    return kept


def _without(values: Floats, places: list[int]) -> Floats:
    """Values less the mean of their level."""
    ends = [0, *places, values.size]
    return np.concatenate([values[low:high] - values[low:high].mean() for low, high in pairwise(ends)])


def _smoothed(values: Floats) -> Floats:
    """Running medians; at the ends, of what there is."""
    reach = _SPIKE // 2
    found = np.empty_like(values)
    for place in (*range(reach), *range(values.size - reach, values.size)):
        found[place] = np.median(values[max(0, place - reach) : place + reach + 1])
    if values.size >= _SPIKE:
        windows = np.lib.stride_tricks.sliding_window_view(values, _SPIKE)
        found[reach:-reach] = np.sort(windows, axis=1)[:, reach]
    return found


def long_run_variance(values: Floats, blocks: int) -> float:
    """Long-run variance of a series around its levels [2], the largest over blocks of many lengths."""
    # Running medians of neighbours hang together, so that shorter blocks than theirs would show too little.
    most = max(1, values.size // blocks, min(_SPIKE, values.size // 4))
    length, found = 1, 0.0
    sums = np.concatenate(([0.0], np.cumsum(values)))
    while length <= most:
        if 2 * length <= values.size:
            apart = (sums[2 * length :] - 2 * sums[length:-length] + sums[: -2 * length]) / length
            # Where blocks side by side are too few to tell their spread, those from each value on do.
            apart = apart[::length] if values.size // length >= _BLOCKS else apart
            spread = float(np.median(np.abs(apart))) / _NORMAL
            found = max(found, spread * spread * length / 2)
        length = most if length < most < 2 * length else 2 * length
    return found


def _segmented(values: Floats, least: int, noise: float, most: int | None = None) -> list[int]:
    """Candidates: the place that parts a stretch best, then those on both sides of it, as long as they are clear.

    Or as many as there may be at `most`.
    """
    total = np.concatenate(([0.0], np.cumsum(values - values.mean())))
    tried = [
        entry for length, starts in _stretches(values.size, least) for entry in _best(total, starts, length, least)
    ]
    limit = _clearly(values.size) * math.sqrt(noise) + 1e-9 * float(np.abs(values).max())
    # From the clearest on; a stretch across a place that was found says nothing more.
    found: list[int] = []
    for size, place, low, high in sorted(tried, key=lambda entry: -entry[0]):
        if size <= limit or len(found) == most:
            break
        if not any(low < other < high for other in found):
            found.append(place)
    return sorted(found)


def _stretches(size: int, least: int) -> Iterator[tuple[int, Places]]:
    """Lengths of stretches, and where those of each length start."""
    length = size
    while length >= 2 * least:
        starts = np.arange(0, size - length + 1, max(1, length // 4))
        yield length, starts if starts[-1] + length == size else np.append(starts, size - length)
        length = int(length / _SHORTER)


def _best(total: Floats, starts: Places, length: int, least: int) -> Iterator[tuple[float, int, int, int]]:
    """Difference of the means on both sides of the best place of each stretch, in standard errors of unit noise.

    With each come the place, and the stretch's ends.
    """
    first = np.arange(least, length - least + 1)
    last = length - first
    low, high = total[starts, np.newaxis], total[starts + length, np.newaxis]
    at = total[starts[:, np.newaxis] + first]
    sizes = np.abs((high - at) / last - (at - low) / first) * np.sqrt(first * last / length)
    best = sizes.argmax(axis=1)
    places = starts + first[best]
    found = (sizes.max(axis=1), places, starts, starts + length)
    return zip(*(column.tolist() for column in found), strict=True)


def _clearly(size: int) -> float:
    """Standard errors from which means differ, more of a short series, whose noise is less well known."""
    return _CLEARLY * math.sqrt(1 + _OF_FEW / size)


def _judged(values: Floats, places: list[int], noise: float) -> list[int]:
    """The places that stay clear by the noise of the levels on both sides; the least clear goes first."""
    kept = list(places)
    while kept:
        levels = [values[low:high] for low, high in pairwise([0, *kept, values.size])]
        errors = [max(noise, long_run_variance(level, _LOCAL_BLOCKS)) / level.size for level in levels]
        clear = [
            abs(float(after.mean() - before.mean())) / max(math.sqrt(error + other), 1e-300)
            for (before, after), (error, other) in zip(pairwise(levels), pairwise(errors), strict=True)
        ]
        least = min(range(len(kept)), key=clear.__getitem__)
        if clear[least] > _clearly(values.size):
            break
        del kept[least]
    return kept
