"""Ramps and waves, told from levels that steps part, and from noise."""

from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.latency.ordered.courses import ramp, ramps, wave
from poolkeeper.latency.ordered.steps import steps


def noise(seed: int, size: int, dependence: float = 0.5) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.normal(size=size)
    for place in range(1, size):
        values[place] += dependence * values[place - 1]
    return values


@pytest.mark.parametrize("seed", range(5))
def test_a_ramp_between_two_levels_is_found(seed: int) -> None:
    course = np.concatenate([np.full(100, 50.0), np.linspace(50, 90, 150), np.full(120, 90.0)])
    values = course + noise(seed, course.size)
    (found,) = ramps(values, steps(values))
    assert found.begin == pytest.approx(100, abs=20)
    assert found.end == pytest.approx(250, abs=20)
    assert [found.first, found.last] == pytest.approx([50, 90], abs=3)


@pytest.mark.parametrize("seed", [28, 199, 204, 251])
def test_a_short_ramp_between_two_levels_is_no_staircase(seed: int) -> None:
    """Counts of events; two steps or three lie nearly as near as the ramp."""
    rates = np.concatenate([np.full(60, 10.0), np.linspace(10, 50, 30), np.full(60, 50.0)])
    values = np.random.default_rng(seed).poisson(rates).astype(float)
    (found,) = ramps(values, steps(np.sqrt(values)))
    assert [found.begin, found.end] == pytest.approx([60, 90], abs=6)


@pytest.mark.parametrize("levels", [(50, 80), (50, 65, 80), (20, 40, 60, 80), (80, 60, 40, 20)])
def test_a_staircase_is_no_ramp(levels: tuple[int, ...]) -> None:
    called = 0
    for seed in range(20):
        values = np.repeat(np.array(levels, dtype=float), 80) + noise(seed, 80 * len(levels))
        assert len(steps(values)) >= len(levels) - 1
        called += bool(ramps(values, steps(values)))
    assert called <= 1


def test_too_few_values_have_no_ramp() -> None:
    assert ramp(np.arange(9.0), []) is None
    assert wave(np.arange(15.0) % 4) is None
    assert wave(np.full(100, 3.0)) is None


@pytest.mark.parametrize("period", [40.0, 97.0, 130.0])
@pytest.mark.parametrize("size", [300, 5000])
def test_a_wave_is_found(period: float, size: int) -> None:
    values = 100 + 60 * np.sin(2 * np.pi * np.arange(size) / period) + 5 * noise(1, size)
    found = wave(values)
    assert found is not None
    assert found.period == pytest.approx(period, rel=0.03)
    assert [found.low, found.high] == pytest.approx([40, 160], abs=4)


@pytest.mark.parametrize("period", [30.0, 60.0, 97.0])
@pytest.mark.parametrize("rises", [0.0, 0.25, 1.0])
def test_a_saw_is_a_wave(period: float, rises: float) -> None:
    at = np.arange(300) / period % 1
    values = 20 + 80 * np.minimum(at / max(rises, 1e-9), (1 - at) / max(1 - rises, 1e-9)) + 5 * noise(1, 300)
    found = wave(values)
    assert found is not None
    assert found.period == pytest.approx(period, rel=0.03)
    assert [found.low, found.high] == pytest.approx([20, 100], abs=8)


@pytest.mark.parametrize("seconds", [15, 30])
def test_a_staircase_that_begins_again_is_no_wave(seconds: int) -> None:
    values = np.tile(np.repeat([10.0, 20, 30, 40], seconds), 3)
    assert not any(wave(values + noise(seed, values.size)) for seed in range(5))
    assert wave(values) is None


def test_a_load_that_is_switched_is_no_wave() -> None:
    assert wave(np.tile(np.repeat([10.0, 50.0], 30), 6) + noise(1, 360)) is None
    assert wave(np.repeat([10.0, 20, 30, 20, 10, 20, 30, 20, 10], 40)) is None


@pytest.mark.parametrize("dependence", [0.0, 0.5, 0.9, 1.0])
def test_noise_is_no_wave(dependence: float) -> None:
    assert sum(wave(noise(seed, 300, dependence)) is not None for seed in range(200)) <= 2
