"""Order of candidates in rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


def in_order_of(turn: int, members: Sequence[T]) -> list[T]:
    """The members in the order of a round, from 1; it depends on the round alone, so a comparison can be resumed.

    A shuffled round is followed by its mirror image: over both a steady drift favours none.
    """
    order = [members[int(place)] for place in np.random.default_rng((turn + 1) // 2).permutation(len(members))]
    return order if turn % 2 else order[::-1]
