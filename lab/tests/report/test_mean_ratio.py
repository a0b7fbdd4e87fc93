"""The mean over cells: its interval covers the truth as often as it says, however few the repetitions are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poolkeeper.report.judging.mean_ratio import mean_ratio


@pytest.mark.parametrize(
    ("cells", "repetitions", "basis"), [(1, 3, "repetitions"), (3, 2, "repetitions"), (4, 1, "cells")]
)
def test_the_interval_covers_the_mean_in_95_of_100(cells: int, repetitions: int, basis: str) -> None:
    """In 2,000 trials the share is within 0.937 and 0.963 with 99 % probability (binomial)."""
    rng = np.random.default_rng(5)
    truth = np.zeros(cells) if basis == "cells" else np.linspace(-0.5, 1.0, cells)  # cells may differ, if repeated
    covered = 0
    for _ in range(2_000):
        found = mean_ratio((truth[:, None] + rng.normal(0, 0.3, (cells, repetitions))).tolist())
        assert (found.basis, found.samples, found.cells) == (basis, cells * repetitions, cells)
        covered += found.low <= math.exp(truth.mean()) <= found.high
    assert 0.937 <= covered / 2_000 <= 0.963


def test_cells_count_alike_however_often_they_were_repeated() -> None:
    found = mean_ratio([[0.0, 0.0, 0.0, 0.0], [1.0, 1.2], []])
    assert found.ratio == pytest.approx(math.exp(0.55))
    # Pooled: squares 0.02 over 4 degrees of freedom, times (1/4 + 1/2) / 2 squared; t of 4 at 97.5 % is 2.776445.
    half = 2.776445 * math.sqrt(0.02 / 4 * 0.75 / 4)
    assert (found.low, found.high) == pytest.approx((math.exp(0.55 - half), math.exp(0.55 + half)), rel=1e-6)


def test_one_run_has_no_spread_and_none_no_mean() -> None:
    ratio = mean_ratio([[0.5]])
    assert (ratio.ratio, ratio.basis) == (math.exp(0.5), "none")
    assert math.isnan(ratio.low)
    assert math.isnan(mean_ratio([[]]).ratio)
