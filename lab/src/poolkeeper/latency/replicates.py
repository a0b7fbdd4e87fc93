"""Valid numbers of bootstrap samples, and the precision of the p value that they give."""

from __future__ import annotations

import math

from poolkeeper.errors import InputError

MOST = 10_000
"""Bootstrap samples at most: their p value is known to ± 0.005 at worst, and those of a fit take 80 MB."""


def check(replicates: int, least: int = 1) -> None:
    """Raise InputError for a number of bootstrap samples that is negative, above `MOST`, or not 0 but below `least`."""
    if 0 < replicates < least:
        raise InputError(
            f"replicates: {replicates} {'is' if replicates == 1 else 'are'} too few for a p value; the nearest valid"
            f" number is {least}, and 0 leaves the p values out"
        )
    if replicates < 0:
        raise InputError(f"replicates: {replicates} is negative; 0 leaves the p values out")
    if replicates > MOST:
        raise InputError(f"replicates: {replicates} is more than {MOST}, the most that there may be")


def standard_error(p: float, replicates: int) -> float:
    """Of a p value that is the share of so many samples, of which one counts as different from the rest at least."""
    least = 1 / (replicates + 1)
    inside = min(max(p, least), 1 - least)
    return math.sqrt(inside * (1 - inside) / replicates)
