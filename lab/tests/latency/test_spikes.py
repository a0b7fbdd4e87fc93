"""Spikes: short stretches off a level that the series comes back to, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.latency.ordered.spikes import spikes


def rates(*stretches: tuple[int, float]) -> np.ndarray:
    """Counts of independent events for so many intervals at a rate each."""
    random = np.random.default_rng(11)
    return np.concatenate([random.poisson(rate, length).astype(float) for length, rate in stretches])


@pytest.mark.parametrize(("length", "rate"), [(3, 300), (9, 0), (15, 250)])
def test_a_spike_is_found_where_it_is(length: int, rate: float) -> None:
    values = rates((60, 100), (length, rate), (60, 100))
    found, rest = spikes(np.sqrt(values), noise=0.5, ratio=0.25)
    assert found == ((60, 60 + length),)
    assert rest.min() > 0.7 * np.sqrt(100)
    assert rest.max() < 1.4 * np.sqrt(100)


@pytest.mark.parametrize(
    "stretches",
    [
        ((120, 100.0),),
        ((40, 100.0), (15, 300.0), (40, 600.0)),
        ((60, 100.0), (2, 400.0), (60, 100.0)),
        ((15, 400.0), (100, 100.0)),
        ((20, 100.0), (4, 400.0)) * 8,
    ],
    ids=["steady", "staircase", "two seconds", "at the beginning", "habit"],
)
def test_what_is_no_spike(stretches: tuple[tuple[int, float], ...]) -> None:
    values = rates(*stretches)
    found, rest = spikes(np.sqrt(values), noise=0.5, ratio=0.25)
    assert found == ()
    assert np.array_equal(rest, np.sqrt(values))
