"""Normalising constants of closed product-form networks, by convolution of the centres [1, 2].

All terms are positive and kept as logarithms, so nothing overflows or cancels, whatever the number of users; the
load-dependent recursion of mean value analysis, which subtracts probabilities from 1, loses all digits at a few dozen
users at a saturated centre of several servers [1, 8.2.3].

[1] Bolch, Greiner, de Meer, Trivedi: Queueing Networks and Markov Chains, 2nd ed., Wiley 2006, 8.1.
[2] Buzen: Computational algorithms for closed queueing networks with exponential servers, CACM 16(9), 1973.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Floats
    from poolkeeper.queueing.centre import Centre

_BLOCK = 256
"""Rows of the full convolution computed at once."""


def weights(centre: Centre, users: int, unit: float) -> Floats:
    """Logarithms of the weights of 0 to `users` requests at a centre, times in `unit`, shape (users + 1,)."""
    with np.errstate(divide="ignore"):
        terms = np.log(centre.demand) - np.log(unit) - np.log(centre.speed(users))
    return np.concatenate([[0.0], np.cumsum(terms)])


def constants(centres: Sequence[Centre], users: int, unit: float) -> Floats:
    """Logarithms of the normalising constants for 0 to `users` users, shape (users + 1,)."""
    found = np.full(users + 1, -np.inf)
    found[0] = 0.0
    for centre in sorted(centres, key=lambda centre: not centre.is_delay):
        found = with_centre(found, centre, unit)
    return found


def with_centre(found: Floats, centre: Centre, unit: float) -> Floats:
    """The constants with one centre more."""
    users = found.size - 1
    own = weights(centre, users, unit)
    if not np.isfinite(found[1:]).any():
        return own
    # from `level` on one more request weighs always the same factor, which makes the sum a recursion
    speed = centre.speed(users)
    level = users if centre.is_delay else int(np.flatnonzero(speed != speed[-1]).max(initial=-1)) + 1
    if level >= min(users, _BLOCK):
        return _convolve(found, own)
    factor = own[level + 1] - own[level]
    sums = np.full((level + 1, users + 1), -np.inf)
    for j in range(level):
        sums[j, j:] = own[j] + found[: users + 1 - j]
    shifted = own[level] + found[: users + 1 - level]
    if np.isfinite(factor):
        steps = factor * np.arange(shifted.size)
        sums[level, level:] = np.logaddexp.accumulate(shifted - steps) + steps
    else:
        sums[level, level:] = shifted
    total: Floats = np.logaddexp.reduce(sums, axis=0)
    return total


def _convolve(values: Floats, other: Floats) -> Floats:
    size = values.size
    total = np.empty(size)
    padded = np.concatenate([np.full(size, -np.inf), other])
    for first in range(0, size, _BLOCK):
        rows = np.arange(first, min(first + _BLOCK, size))
        last = rows[-1] + 1
        terms = values[:last] + padded[size + rows[:, None] - np.arange(last)]
        total[rows] = np.logaddexp.reduce(terms, axis=1)
    return total
