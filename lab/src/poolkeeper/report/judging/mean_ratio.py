"""The geometric mean of ratios over cells, with an interval that knows how much runs differ from each other.

Each cell gives one logarithm of a ratio for every repetition. Their spread within the cells, pooled over these, is that
between runs: the interval is Student's t with as many degrees of freedom as there are repetitions beyond the first of
each cell [1]. Where no cell was repeated, the spread between cells stands in its place: it holds what differs between
the cells as well, so that the interval is rather too wide than too narrow.

[1] Montgomery: Design and Analysis of Experiments, 8th ed., 3.3 (analysis of variance, pooled error).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from poolkeeper.report.judging.compare import CONFIDENCE
from poolkeeper.student import margin

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class MeanRatio:
    """The mean with the ends of its 95 % interval (NaN if unknown), and its terms."""

    ratio: float
    low: float
    high: float
    cells: int
    samples: int
    """Repetitions of all cells together, or slices."""
    basis: Literal["repetitions", "cells", "slices", "none"]


def mean_of_slices(cells: Sequence[Sequence[tuple[float, float]]], samples: int) -> MeanRatio:
    """The mean over cells of comparisons by slices, each given by its logarithm and half the width of its interval.

    Comparisons in one cell share the slices of a variant: the error of their mean is taken for as large as theirs, as
    if they were one. Those of different cells are independent.
    """
    means = [float(np.mean([mean for mean, _ in cell])) for cell in cells]
    halves = [float(np.mean([half for _, half in cell])) for cell in cells]
    middle, half = float(np.mean(means)), math.hypot(*halves) / len(cells)
    return MeanRatio(math.exp(middle), math.exp(middle - half), math.exp(middle + half), len(cells), samples, "slices")


def mean_ratio(cells: Sequence[Sequence[float]]) -> MeanRatio:
    """The mean over cells, each given by the logarithms of its ratios, one a repetition.

    Every cell counts as much, however often it was repeated; one without a ratio is left out.
    """
    filled = [np.asarray(cell, dtype=np.float64) for cell in cells if len(cell)]
    if not filled:
        return MeanRatio(math.nan, math.nan, math.nan, 0, 0, "none")
    means = np.array([cell.mean() for cell in filled])
    sizes = np.array([cell.size for cell in filled])
    middle, samples = float(means.mean()), int(sizes.sum())
    freedom = samples - means.size
    if freedom:
        squares = sum(float(((cell - cell.mean()) ** 2).sum()) for cell in filled)
        variance = squares / freedom * float((1 / sizes).sum()) / means.size**2
    elif means.size > 1:
        freedom = means.size - 1
        variance = float(means.var(ddof=1)) / means.size
    else:
        return MeanRatio(math.exp(middle), math.nan, math.nan, 1, 1, "none")
    half = margin(math.sqrt(variance), freedom, CONFIDENCE)
    basis: Literal["repetitions", "cells"] = "repetitions" if samples > means.size else "cells"
    return MeanRatio(math.exp(middle), math.exp(middle - half), math.exp(middle + half), means.size, samples, basis)
