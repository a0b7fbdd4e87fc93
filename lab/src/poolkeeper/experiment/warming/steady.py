"""Whether throughput has become steady: a test that ends a warm-up.

Throughput of the second half of the warm-up is fitted by a line, whose slope over the mean is, to the first order, that
of the logarithm of throughput: so the change over that half is a ratio, and nothing falls by more than all of it.
Throughput is steady if that change is shown to be within a tenth either way, by two one-sided tests at 5 % each [1]:
noise alone must not pass for steadiness, so the whole 90 % interval of the change has to lie within. Seconds that
follow each other are alike, which makes n of them worth n (1 - r) / (1 + r) independent ones, r being the lag-1
autocorrelation of what the line leaves [2].

Where throughput nears its end exponentially, a change of c over the second half leaves a rise of about c squared over
the whole rise to come: with c = 0.1 and a server that began at half its speed, 2 %.

Rejected: MSER-5 [3], which seeks the truncation that makes the mean of the rest most certain. Asked again every second
it stops too early: it calls a server steady that is about to become a third faster (experiments/warm-up), because a
few slow seconds cost the mean less than leaving them out. Change points [4] find such steps only afterwards.

[1] Schuirmann: A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence
    of average bioavailability, Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987.
[2] Santer et al.: Statistical significance of trends and trend differences in layer-average atmospheric temperature
    time series, Journal of Geophysical Research 105(D6), 2000.
[3] White, Cobb, Spratt: A comparison of five steady-state truncation heuristics for simulation, Winter Simulation
    Conference, 2000.
[4] Barrett, Bolz-Tereick, Killick, Mount, Tratt: Virtual machine warmup blows hot and cold, OOPSLA 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.student import margin

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST = 20
"""Seconds of a warm-up before anything is said, unless told otherwise; the test looks at half of them."""
FEWEST = 6
"""Seconds without which nothing can be said: a line through fewer than three points has nothing left to judge it by."""
TOLERANCE = 0.1
"""Change of throughput over the second half of the warm-up, as a fraction."""
CONFIDENCE = 0.95
"""Of each of the two tests."""
_LINE = 2
"""Numbers that a line is fitted by."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Change of throughput over a span, as a fraction of what it began with, with its 90 % interval; NaN if unknown."""

    change: float
    low: float
    high: float
    seconds: int

    @property
    def steady(self) -> bool:
        """Whether the change is shown to be small."""
        return self.low > -TOLERANCE and self.high < TOLERANCE


def drift(throughput: Sequence[float], least: float = LEAST) -> Drift:
    """The drift over the second half of a warm-up, of which there is one value a second and `least` at least."""
    return change(throughput[len(throughput) // 2 :]) if len(throughput) >= least else _unknown(len(throughput) // 2)


def change(throughput: Sequence[float]) -> Drift:
    """The drift over the whole of a series of one value a second."""
    rates = np.asarray(throughput, dtype=np.float64)
    unknown = _unknown(rates.size)
    if rates.size <= _LINE or not rates.mean() > 0:
        return unknown
    time = np.arange(rates.size) - (rates.size - 1) / 2
    weight = float(time @ time)
    slope = float(time @ rates) / weight
    left = rates - rates.mean() - slope * time
    squares = float(left @ left)
    alike = max(0.0, float(left[1:] @ left[:-1]) / squares) if squares else 0.0
    freedom = rates.size * (1 - alike) / (1 + alike) - _LINE
    if freedom < 1:
        return unknown
    error = math.sqrt(squares / freedom / weight)
    half = margin(error, freedom, 2 * CONFIDENCE - 1)  # each end by itself
    scale = rates.size / float(rates.mean())
    low, high = math.expm1((slope - half) * scale), math.expm1((slope + half) * scale)
    return Drift(math.expm1(slope * scale), low, high, rates.size)


def _unknown(seconds: int) -> Drift:
    return Drift(math.nan, math.nan, math.nan, seconds)
