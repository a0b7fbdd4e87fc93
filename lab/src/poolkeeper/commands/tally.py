"""Questions about requests that one pass answers, here or on the workers of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class BoundCounts:
    """Counts requests that did not fail and took no longer than each bound, in nanoseconds: columns "0", "1" and so on.

    With `every_ns` a row for each interval of that length in which responses came, whose number since the epoch is in
    the column "place"; else one row.
    """

    bounds_ns: tuple[float, ...]
    every_ns: int | None = None

    def __call__(self, requests: pl.LazyFrame) -> pl.DataFrame:
        """The counts."""
        names = requests.collect_schema().names()
        weight = pl.col("count") if "count" in names else pl.lit(1, pl.Int64)
        fine = pl.col("ok").fill_null(value=True) if "ok" in names else pl.lit(value=True)
        sums = [
            pl.when(fine & (pl.col("response_ns") <= bound)).then(weight).otherwise(0).sum().alias(str(place))
            for place, bound in enumerate(self.bounds_ns)
        ]
        if self.every_ns is None:
            return requests.select(sums).collect()
        place = (pl.col("start_ns") + pl.col("response_ns")) // self.every_ns
        return requests.group_by(place.alias("place")).agg(sums).collect()


def summed(found: Sequence[pl.DataFrame], column: int) -> int:
    """Sum of a column over all parts."""
    return sum(int(data_frame[str(column)].sum()) for data_frame in found)
