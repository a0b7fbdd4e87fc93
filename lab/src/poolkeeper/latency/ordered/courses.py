"""Courses of a level that are no steps: a ramp from one level to another, and a wave, be it of sines or a saw.

Each is fitted by least squares, and taken where it leaves less of a series than levels parted by steps do: a staircase
stays one, and so does a load that is switched on and off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.latency.ordered.steps import LEAST, long_run_variance, steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats, Integers

_LONGEST = 1200
"""A longer series is averaged over neighbours first."""
_GRID = 40
"""Places at which a ramp may begin or end."""
_NEAR = 9
"""Places around the best one of the grid, and then around the best of these, that are tried."""
_CLEARLY = 12.0
"""Variances of the noise by which a ramp leaves less than steps do: what two more places gain by chance."""
_HARDLY = 3.0
"""The same for several steps, which have more places and levels than a ramp."""
_BLOCKS = 24
"""Blocks into which a series is cut at least to measure its noise, as `steps` does."""
_LONG = 0.2
"""Least share of the stretch around it that a ramp lasts; a shorter one is a step."""
_SEVERAL = 2
"""Steps that show the length of a ramp."""
_PERIODS = 2
"""Periods that a wave has at least."""
_EXPLAINED = 0.7
"""Share of the sum of squares that a wave explains at least: noise whose neighbours depend on each other does not."""
_STEADY = 0.8
"""Share of the values in runs of equal ones from which a series has levels, however they follow each other."""
_FINE = np.linspace(-1, 1, 41)
_LIKE_SAW = 0.45
"""Share that a sine explains of a saw at least: of one without noise 61 %."""
_RISING = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])
"""Parts of its period in which a saw rises."""
_SHIFTS = np.arange(32) / 32
"""Parts of a period by which a saw may be shifted."""


@dataclass(frozen=True, slots=True)
class Ramp:
    """A ramp of a series between two of its places, and the level before and after it."""

    begin: int
    end: int
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Wave:
    """A wave of a series: its period in values, its lowest and its highest level."""

    period: float
    low: float
    high: float


def ramp(series: ArrayLike, places: Sequence[int]) -> Ramp | None:
    """The ramp that a series (n,) is, with level ends, if that is nearer to it than steps at these places; else None.

    Raises DataError for values that are not finite numbers.
    """
    values = vector(series, "series")
    if values.size < LEAST:
        return None
    parted = sum(float(((part - part.mean()) ** 2).sum()) for part in np.split(values, list(places)))
    grid = np.unique(np.linspace(0, values.size, _GRID + 1).astype(np.int64))
    # Several steps, one after another, lie within it.
    least = _LONG * values.size if len(places) < _SEVERAL else min(_LONG * values.size, places[-1] - places[0])
    least = max(LEAST, least)
    best = min(
        (_ramp(values, int(begin), ends) for begin in grid[:-1] if (ends := grid[grid - begin >= least]).size),
        key=lambda entry: entry[0],
        default=(math.inf, Ramp(0, 0, 0.0, 0.0)),
    )
    if math.isfinite(best[0]):
        reach = values.size / _GRID
        while reach >= 1:
            near = np.unique(np.linspace(-reach, reach, _NEAR).astype(np.int64))
            begins, ends = (np.clip(end + near, 0, values.size) for end in (best[1].begin, best[1].end))
            tried = [_ramp(values, int(begin), held) for begin in begins if (held := ends[ends - begin >= least]).size]
            best, reach = min([best, *tried], key=lambda entry: entry[0]), reach / (_NEAR // 2)
        # An end that is hardly seen is that of the series.
        most, size = best[0] * (1 + _HARDLY / values.size), values.size
        for begin, end in ((0, size), (best[1].begin, size), (0, best[1].end)):
            open_ = _ramp(values, begin, np.array([end]))
            if open_[0] <= most:
                best = open_
                break
    left_over, found = best
    if math.isinf(left_over):
        return None
    risen = np.clip((np.arange(values.size) + 0.5 - found.begin) / (found.end - found.begin), 0.0, 1.0)
    noise = long_run_variance(values - found.first - risen * (found.last - found.first), _BLOCKS)
    clearly = _CLEARLY if len(places) < _SEVERAL else _HARDLY
    return found if parted - left_over > clearly * max(noise, left_over / values.size) + 1e-9 * parted else None


def _ramp(values: Floats, begin: int, ends: Integers) -> tuple[float, Ramp]:
    """Sum of squares that the best ramp from a place to one of some others leaves of a series, and that ramp."""
    risen = np.clip((np.arange(values.size) + 0.5 - begin) / (ends - begin)[:, None], 0.0, 1.0)
    apart = risen - risen.mean(axis=1, keepdims=True)
    slopes = (apart @ values) / (apart**2).sum(axis=1)
    left = ((values - values.mean() - slopes[:, None] * apart) ** 2).sum(axis=1)
    k = int(left.argmin())
    first = float(values.mean() - slopes[k] * risen[k].mean())
    return float(left[k]), Ramp(begin, int(ends[k]), first, first + float(slopes[k]))


def ramps(series: ArrayLike, places: Sequence[int]) -> list[Ramp]:
    """The ramps of a series (n,) that was found to have steps at these places: neighbours that all rise or all fall."""
    values = vector(series, "series")
    ends = [0, *places, values.size]
    levels = np.array([values[low:high].mean() for low, high in pairwise(ends)])
    signs = np.sign(np.diff(levels))
    found, first = [], 0
    for place in range(1, signs.size + 1):
        if place < signs.size and signs[place] == signs[first]:
            continue
        low, high = ends[first], ends[place + 1]
        inner = [step - low for step in ends[first + 1 : place + 1]]
        if (within := ramp(values[low:high], inner)) is not None:
            found.append(Ramp(low + within.begin, low + within.end, within.first, within.last))
        first = place
    return found


def wave(series: ArrayLike) -> Wave | None:
    """The wave that a series (n,) is, of two periods or more; None if steps are nearer to it, or neither is near.

    Raises DataError for values that are not finite numbers.
    """
    given = vector(series, "series")
    width = -(-given.size // _LONGEST)
    values = given[: given.size - given.size % width].reshape(-1, width).mean(axis=1)
    apart = values - values.mean()
    whole = float((apart**2).sum())
    most = min(given.size // LEAST, values.size // 3)
    if most <= _PERIODS or whole <= 1e-12 * float((values**2).sum()):
        return None
    power = np.abs(np.fft.rfft(apart))[: most + 1]
    power[:_PERIODS] = 0
    frequencies = [max(_PERIODS, float(power.argmax()) + by) / values.size for by in _FINE]
    left, found = min((_wave(values, frequency) for frequency in frequencies), key=lambda entry: entry[0])
    if left <= (1 - _LIKE_SAW) * whole:
        saws = [_saw(values, frequency) for frequency in frequencies[::2]]
        like_saw, saw, _ = min(saws, key=lambda entry: entry[0])
        if left > (1 - _EXPLAINED) * whole and min(stairs for *_, stairs in saws) < like_saw:
            return None
        left, found = (like_saw, saw) if like_saw < left else (left, found)
    if left > (1 - _EXPLAINED) * whole or _held(given) > _STEADY:
        return None
    parted = sum(float(((part - part.mean()) ** 2).sum()) for part in np.split(values, list(steps(values))))
    return Wave(found.period * width, found.low, found.high) if left < parted else None


def _held(values: Floats) -> float:
    """Share of the values that are equal to their neighbours for as long as two levels last."""
    runs = np.diff(np.concatenate(([0], np.flatnonzero(np.diff(values)) + 1, [values.size])))
    return float(runs[runs >= 2 * LEAST].sum()) / values.size


def _wave(values: Floats, frequency: float) -> tuple[float, Wave]:
    """Sum of squares that the best wave of a frequency leaves of a series, and that wave."""
    angle = 2 * math.pi * frequency * np.arange(values.size)
    terms = np.stack([np.ones(values.size), np.cos(angle), np.sin(angle)], axis=1)
    (middle, a, b), *_ = np.linalg.lstsq(terms, values, rcond=None)
    left = float(((values - terms @ np.array([middle, a, b])) ** 2).sum())
    size = math.hypot(a, b)
    return left, Wave(1 / frequency, float(middle - size), float(middle + size))


def _saw(values: Floats, frequency: float) -> tuple[float, Wave, float]:
    """The same of the best saw, which rises evenly in some part of its period and falls evenly in the rest.

    Last, the sum of squares that the best staircase instead of it leaves, whose levels last long enough for some.
    """
    at = (frequency * np.arange(values.size) + _SHIFTS[:, None, None]) % 1
    # One that rises, or falls, all the time has no other side.
    up, down = np.maximum(_RISING, 1e-9)[:, None], np.maximum(1 - _RISING, 1e-9)[:, None]
    left, sizes, shapes = _shaped(values, np.minimum(at / up, (1 - at) / down))
    place = np.unravel_index(int(left.argmin()), left.shape)
    size, shape = float(sizes[place]), shapes[place]
    steps_of = np.arange(2, max(2, int(1 / frequency / LEAST)) + 1)[:, None]
    stairs = np.minimum(np.floor((shape - shape.min()) / np.ptp(shape) * steps_of), steps_of - 1)
    found = Wave(1 / frequency, float(values.mean() + size * shape.min()), float(values.mean() + size * shape.max()))
    return float(left[place]), found, float(_shaped(values, stairs)[0].min())


def _shaped(values: Floats, shapes: Floats) -> tuple[Floats, Floats, Floats]:
    """Sums of squares that shapes (..., n) leave of a series (n,), the sizes by which they do, and the shapes about 0.

    Shapes that are upside down leave everything.
    """
    about = shapes - shapes.mean(axis=-1, keepdims=True)
    squares, apart = (about**2).sum(axis=-1), values - values.mean()
    sizes = about @ apart / np.maximum(squares, 1e-300)
    return float((apart**2).sum()) - np.maximum(sizes, 0) ** 2 * squares, sizes, about
