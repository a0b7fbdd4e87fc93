"""Spreads counts of long intervals over the shorter ones of a series.

A log may count for ten seconds or for minutes at a time. Put into the second in which its middle lies, such an interval
would be a burst between gaps.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from poolkeeper.arrays import Floats, Integers

_LONG = 1.5
"""Lengths of a series' interval from which an interval of a log is spread; shorter ones differ by the log's jitter."""
_MOST = 3600
"""Parts of an interval. Those of a longer one have gaps between them that are too short to part tests."""
_PIECE = 1 << 20
"""Parts that are worked out at a time."""
_MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""Factors of splitmix64, which make of near numbers far ones."""


def spread(rows: pl.DataFrame, every_ns: int) -> Iterator[tuple[pl.DataFrame, Integers]]:
    """Rows with counts, apportioned evenly to the intervals of `every_ns` that they reach over, and their numbers.

    `rows` has the columns start_ns, length_ns, response_ns and count. A row that is not much longer than `every_ns`
    stays whole, in the interval of its middle. The counts of a row add up to its own, and go where they go without
    regard to other rows. They come in pieces that need little memory.
    """
    starts, lengths = rows["start_ns"].to_numpy(), rows["length_ns"].to_numpy()
    is_long = lengths > _LONG * every_ns
    middles = (starts + lengths // 2) // every_ns
    if not is_long.any():
        yield rows, middles
        return
    first = np.where(is_long, starts // every_ns, middles)
    last = np.where(is_long, (starts + lengths - 1) // every_ns, middles)
    step = -(-(last - first + 1) // _MOST)
    parts = (last - first) // step + 1
    bounds = np.flatnonzero(np.diff(np.cumsum(parts) // _PIECE, prepend=-1))
    for low, high in pairwise([*bounds.tolist(), parts.size]):
        yield _apportioned(rows[low:high], first[low:high], step[low:high], parts[low:high], every_ns)


def _apportioned(
    rows: pl.DataFrame, first: Integers, step: Integers, parts: Integers, every_ns: int
) -> tuple[pl.DataFrame, Integers]:
    """Rows in so many parts each, of `step` intervals, and the numbers of the intervals in which these begin."""
    starts, lengths, counts, values = (
        rows[name].to_numpy() for name in ("start_ns", "length_ns", "count", "response_ns")
    )
    row = np.repeat(np.arange(parts.size), parts)
    part = np.arange(row.size) - np.repeat(np.cumsum(parts) - parts, parts)
    place = first[row] + part * step[row]
    # Counts until the end of each part are rounded, those of each bucket at another place: else buckets with few values
    # would all fall into the same part.
    ends = np.minimum((place + step[row]) * every_ns - starts[row], lengths[row]) / np.maximum(lengths[row], 1)
    ends[np.cumsum(parts) - 1] = 1.0
    until = np.floor(counts[row] * ends + _mixed(starts, values)[row]).astype(np.int64)
    before = np.where(part > 0, np.concatenate([[0], until[:-1]]), 0)
    held = until > before
    return rows[row[held]].with_columns(count=(until - before)[held]), place[held]


def _mixed(starts: Integers, values: Integers) -> Floats:
    """A number from 0 to below 1 for each pair, always the same, and as good as a random one."""
    found = starts.astype(np.uint64) * np.uint64(_MIX[0]) ^ values.astype(np.uint64)
    for factor in _MIX:
        found = (found ^ found >> np.uint64(31)) * np.uint64(factor)
    mixed: Floats = (found >> np.uint64(11)) / 2.0**53
    return mixed
