from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.errors import DataError
from poolkeeper.latency.binned import Binned


def binned(edges: list[float], counts: list[int]) -> Binned:
    return Binned(np.array(edges, dtype=np.float64), np.array(counts, dtype=np.int64))


def test_middles_are_within_the_relative_error_of_what_they_stand_for() -> None:
    data = binned([1, 2, 4, 8], [1, 0, 3])

    assert data.total == 4
    assert data.middles.tolist() == [1.5, 3, 6]
    assert data.relative_error == pytest.approx(0.5)


def test_a_bin_that_begins_at_zero_has_no_relative_error_to_state() -> None:
    assert binned([0, 1], [1]).relative_error == float("inf")
    assert binned([0, 1, 1.1], [0, 1]).relative_error == pytest.approx(0.05)
    assert binned([0, 1], [0]).relative_error == 0


def test_filled_keeps_empty_bins_between_full_ones() -> None:
    filled = binned([0, 1, 2, 3, 4, 5], [0, 2, 0, 1, 0]).filled()

    assert filled.edges.tolist() == [1, 2, 3, 4]
    assert filled.counts.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("edges", "counts", "named"),
    [
        ([1, 2], [1, 2], "do not fit"),
        ([2, 1], [1], "ascend"),
        ([-1, 1], [1], "negative"),
        ([1, float("nan")], [1], "finite"),
        ([1, 2], [-1], "-1 is negative"),
    ],
)
def test_what_is_no_histogram_is_named(edges: list[float], counts: list[int], named: str) -> None:
    with pytest.raises(DataError, match=named):
        binned(edges, counts)
