"""Notes that are alike become one."""

from __future__ import annotations

import numpy as np

from poolkeeper.latency import summarize
from poolkeeper.present.notes import grouped


def test_the_same_reason_is_told_once() -> None:
    assert grouped([("fits", "too few"), ("tail", "too few"), ("mean", "no order")]) == (
        "fits and tail: too few",
        "mean: no order",
    )


def test_reasons_that_differ_in_numbers_alone_become_one() -> None:
    values = np.random.default_rng(1).lognormal(3, 0.5, 300)
    notes = summarize(values, percentiles=(50, 98, 99), independent=True).table().notes
    needed = [note for note in notes if "are needed" in note]
    assert needed == ["p98 and p99: 300 values are too few for intervals: at least 500 and 1,000 are needed"]
