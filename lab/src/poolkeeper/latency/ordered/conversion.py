"""Conversion of anything that holds response times to values in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError
from poolkeeper.latency.ordered.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from poolkeeper.latency.digest import Digest
    from poolkeeper.latency.ordered.protocol import Ordered

    Values: TypeAlias = ArrayLike | Ordered | Digest | Sequence[Digest]

_MOST = 1e75
"""Of a value: the fourth powers of so large ones are still numbers, and so are their sums."""


def in_order(values: Values, *, independent: bool = False, name: str = "values") -> Ordered:
    """Values of shape (n,) in the order of time, or a digest, or digests of one stretch of equal length after another.

    `independent` says that the order means nothing. What was taken before is taken as it is. Raises DataError, which
    names `name`, for what is no vector of finite numbers up to 1e75, and TooFewError if there is none.
    """
    if isinstance(values, Sample):
        return values
    from poolkeeper.latency.digest import Digest
    from poolkeeper.latency.ordered.stretches import Stretches

    if isinstance(values, Stretches):
        return values
    if isinstance(values, Digest):
        return Stretches.of((values,))
    if isinstance(values, list | tuple) and values and isinstance(values[0], Digest):
        return Stretches.of(values)
    found = vector(cast("ArrayLike", values), name)
    if (largest := max(found.max(), -found.min())) > _MOST:
        raise DataError(f"{name}: {largest:g} is too large to compute with; the most is {_MOST:g}, in whatever unit")
    return Sample(found, independent)
