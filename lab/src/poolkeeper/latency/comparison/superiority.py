"""Probability that a response of one run is slower than one of another, and the shift between the runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.figures.means import missing
from poolkeeper.student import margin

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats
    from poolkeeper.latency.ordered.protocol import Ordered, Scores

_HALVINGS = 45
_KEPT = 5_000
"""Values of a run, evenly over its ranks, that stand for all when it has more: the median of differences moves by no
more than the values between two of them do."""


def superiority(first: Ordered, second: Ordered, confidence: float) -> Estimate:
    """The probability that a response of the second run is slower than one of the first, ties by half; 0 to 1."""
    placed = _placements(first, second, 0.0)
    value = placed[1].mean
    why = missing(first, placed[0]) or missing(second, placed[1])
    if why:
        return Estimate.bare(value, confidence, why)
    # On the scale of log odds, so that the interval stays between 0 and 1.
    odds, wide = math.log(value / (1 - value)), _half(first, second, placed, confidence) / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-(odds + sign * wide))) for sign in (-1, 1))
    return Estimate(value, low, high, confidence)


def shift(first: Ordered, second: Ordered, confidence: float) -> Estimate:
    """The median of all differences between a response of the second and one of the first run, in their unit.

    Where many values are equal (waits of 0, whole milliseconds) an interval that ends at a tie holds all of it, so that
    it holds the truth more often than it says: always, where so many are equal that the median difference is a tie.
    """
    a, b = _spread(first), _spread(second)
    # From both sides, as the median of an even number of values is.
    value = (_difference_at(a, b, 0.5) - _difference_at(b, a, 0.5)) / 2
    placed = _placements(first, second, value)
    why = missing(first, placed[0]) or missing(second, placed[1])
    half = math.nan if why else _half(first, second, placed, confidence)
    if why or half >= 0.5:  # noqa: PLR2004 - half of all differences
        return Estimate.bare(value, confidence, why or "the values are too few for an interval of their shift")
    # Each end from its own side, so that an interval that ends at a tie holds it.
    low, high = -_difference_at(b, a, 0.5 + half), _difference_at(a, b, 0.5 + half)
    return Estimate(value, low, high, confidence)


def _placements(first: Ordered, second: Ordered, apart: float) -> tuple[Scores, Scores]:
    """Placements of values in the other run, once the first is moved by `apart`: the share of it on their faster side.

    Of the first run's values, the share of the second that is slower. Both means are the probability of superiority.
    """

    def place(run: Ordered, values: Floats) -> Floats:
        return (run.below(values) + run.below(values, inclusive=False)) / (2 * run.count)

    return first.scores(lambda values: 1 - place(second, values + apart)), second.scores(
        lambda values: place(first, values - apart)
    )


def _half(first: Ordered, second: Ordered, placed: tuple[Scores, Scores], confidence: float) -> float:
    """Half the width of the interval of the probability, with the degrees of freedom of Welch and Satterthwaite."""
    parts = [
        scores.variance * scores.dependence.time / run.count
        for run, scores in zip((first, second), placed, strict=True)
    ]
    spread = sum(part**2 / scores.dependence.freedom for part, scores in zip(parts, placed, strict=True))
    return margin(math.sqrt(sum(parts)), sum(parts) ** 2 / spread, confidence)


def _spread(run: Ordered) -> Floats:
    count = run.count
    if count <= _KEPT:
        return run.ordered(np.arange(1, count + 1))
    return run.ordered(np.floor((np.arange(_KEPT) + 0.5) * count / _KEPT) + 1)


def _difference_at(first: Floats, second: Floats, share: float) -> float:
    """The value that so large a share of all differences second minus first does not exceed. Both ascend."""
    low, high = float(second[0] - first[-1]), float(second[-1] - first[0])
    nothing = (high - low) * 0.5**_HALVINGS
    wanted = share * first.size * second.size
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # second - first <= middle, where first >= second - middle
        below = first.size * second.size - int(np.searchsorted(first, second - middle).sum())
        low, high = (low, middle) if below >= wanted else (middle, high)
    return high if abs(high) > 2 * nothing else 0.0
