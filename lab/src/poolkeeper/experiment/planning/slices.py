"""The turns that variants take in a run with order: slices."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def shuffled(names: Sequence[str], count: int, seed: int) -> list[str]:
    """The variants of so many slices: each block holds every one once, in an order that the seed draws.

    The last block may be cut off.
    """
    draws = random.Random(f"slices {seed}")  # noqa: S311 - must be the same again for the same seed
    order: list[str] = []
    while len(order) < count:
        order += draws.sample(list(names), len(names))
    return order[:count]
