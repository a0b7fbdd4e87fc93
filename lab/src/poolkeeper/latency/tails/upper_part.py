"""Power laws that begin higher than the threshold of least distance.

The search for the threshold weighs all values from it up alike, so that a body of many values can draw it down into
itself, where no power law fits. Before a power law is denied, parts further up are therefore looked at by themselves:
the largest 70 % of the values, 70 % of these, and so on. The logarithms of a power law above its threshold are
exponential, so that a Kolmogorov-Smirnov test with an estimated mean judges a part [1].

[1] Stephens: EDF statistics for goodness of fit and some comparisons, J. Amer. Statist. Assoc. 69(347), 1974, table 1A.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from poolkeeper.latency.tails.alternatives import compare
from poolkeeper.latency.tails.power_law import power_law_of

if TYPE_CHECKING:
    from poolkeeper.latency.tails.power_law import PowerLaw

_CRITICAL = 1.094
"""Stephens' modified distance at 5 % for an exponential distribution whose mean was estimated."""
_STEP = 0.7
"""Ratio of the sizes of two parts that are looked at one after the other."""
_APART = 2.0
"""Standard errors within which the index of the upper half of a part has to be that of the part."""


def standing_part(law: PowerLaw, least: int) -> PowerLaw | None:
    """The largest part above a denied threshold, of `least` values or more, that may be a power law, or None."""
    size = round(law.count * _STEP)
    while size >= least:
        part = power_law_of(law.tail, size, unit=law.unit)
        if _stands(part):
            return part
        size = round(size * _STEP)
    return None


def _stands(part: PowerLaw) -> bool:
    half = power_law_of(part.tail, part.count // 2)
    root = math.sqrt(part.count)
    modified = (part.distance - 0.2 / part.count) * (root + 0.26 + 0.5 / root)
    if modified >= _CRITICAL or abs(half.index - part.index) > _APART * half.error:
        return False
    # A part of some hundred values is rarely told from an exponential tail, so that none has to be worse.
    return all(comparison.contradicted or comparison.better() != comparison.alternative for comparison in compare(part))
