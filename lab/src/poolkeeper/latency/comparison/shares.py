"""The share of requests that failed, with an interval that holds for small shares and for none at all.

Wilson: Probable inference, the law of succession, and statistical inference, J. Amer. Statist. Assoc. 22(158), 1927.
The difference of two shares recovered from these intervals is Newcombe's method 10, Statistics in Medicine 17(8), 1998.
"""

from __future__ import annotations

import math

from poolkeeper.errors import DataError
from poolkeeper.latency.figures.estimate import Estimate


def share(hits: int, count: int, confidence: float) -> Estimate:
    """Percent of `count` independent requests that were hits, with Wilson's interval.

    Raises DataError unless 0 <= hits <= count and count > 0.
    """
    if not 0 <= hits <= count or count == 0:
        raise DataError(f"failed: {hits:,} of {count:,} requests")
    from scipy.special import ndtri

    z2 = float(ndtri((1 + confidence) / 2)) ** 2
    part = hits / count
    centre = (part + z2 / (2 * count)) / (1 + z2 / count)
    half = math.sqrt(z2 * (part * (1 - part) + z2 / (4 * count)) / count) / (1 + z2 / count)
    # At the ends the bounds are 0 and 1 exactly, which rounding would miss.
    low = centre - half if hits else 0.0
    high = centre + half if hits < count else 1.0
    return Estimate(100 * part, 100 * low, 100 * high, confidence)
