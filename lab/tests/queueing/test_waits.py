"""Whole distributions of the wait: of a pool's thread, and of a server whose service time is constant."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.integrate import quad

from poolkeeper.errors import InputError
from poolkeeper.queueing import mg1, mmc, pool_queue, repairman

if TYPE_CHECKING:
    from collections.abc import Callable


def mean(beyond: Callable[[float], float], most: float) -> float:
    """The mean of what has this survival function, by its area."""
    pieces = np.linspace(0, most, 41)
    return sum(quad(beyond, low, high)[0] for low, high in pairwise(pieces))


@pytest.mark.parametrize("threads", [1, 8, 12])
def test_the_area_below_the_distribution_is_the_mean_wait_of_the_pool(threads: int) -> None:
    # K = 8 and 12 are the golden values of the mean; the distribution is worked out apart from it.
    queue = pool_queue(120 if threads > 1 else 12, threads, 2, compute=0.01, io=0.04)

    assert mean(queue.wait_beyond, 10 * queue.wait_percentile(99)) == pytest.approx(queue.wait, rel=1e-6)
    assert queue.wait_beyond(queue.wait_percentile(99)) == pytest.approx(0.01, rel=1e-9)


def test_a_pool_of_one_thread_waits_as_one_server_with_two_phases() -> None:
    # M/E2/1: both phases 4 ms, rho 0.8. Its wait has the transform of Pollaczek and Khinchine, so P(W > t) is a sum of
    # two exponentials whose rates are the roots of s^2 + s (2 mu - lambda) + mu^2 - 2 lambda mu.
    rate, mu = 100.0, 250.0
    queue = pool_queue(rate, 1, 1, compute=1 / mu, io=1 / mu)
    roots = -np.roots([1, 2 * mu - rate, mu * mu - 2 * rate * mu])
    weights = np.linalg.solve(np.array([np.ones(2), 1 / roots]), np.array([0.8, queue.wait]))

    for time in (0.001, 0.02, 0.1, 0.5):
        assert queue.wait_beyond(time) == pytest.approx(float(weights @ np.exp(-roots * time)), rel=1e-9)


def test_a_pool_that_is_all_computing_is_m_m_c() -> None:
    pool, given = pool_queue(120, 2, 2, compute=0.01, io=1e-9), mmc(120, 0.01, 2)

    for time in (0.0, 0.004, 0.03):
        assert pool.wait_beyond(time) == pytest.approx(given.wait_beyond(time), rel=1e-5)


@pytest.mark.parametrize("rate", [4.0, 32.0, 39.0, 39.9])
def test_constant_service_has_the_mean_of_pollaczek_and_khinchine(rate: float) -> None:
    queue = mg1(rate, 0.025, 0)

    assert mean(queue.wait_beyond, max(0.5, 40 * queue.wait)) == pytest.approx(queue.wait, rel=1e-6)
    assert queue.wait_beyond(0) == pytest.approx(rate * 0.025)


@pytest.mark.parametrize(
    ("time", "expected"), [(0.03, 0.5152130531871145), (0.2, 0.0275940607594247), (0.7, 4.995370821882e-6)]
)
def test_constant_service_agrees_with_crommelins_series(time: float, expected: float) -> None:
    # The series, summed with sixty digits, as it alternates.
    assert mg1(32, 0.025, 0).wait_beyond(time) == pytest.approx(expected, rel=1e-9)
    assert mg1(32, 0.025, 0).response_beyond(time + 0.025) == pytest.approx(expected, rel=1e-9)


def test_far_out_the_tail_of_constant_service_goes_on_without_a_step() -> None:
    queue = mg1(39, 0.025, 0)
    near, far = (queue.wait_beyond(20 * 0.025 + shift) for shift in (-1e-6, 1e-6))

    assert near > far
    assert far == pytest.approx(near, rel=1e-4)


def test_shares_beyond_a_time_and_percentiles_are_each_others_inverse() -> None:
    for queue in (mmc(128, 0.025, 4), mg1(32, 0.025, 0), repairman(50, 0.025, 1, 1.0)):
        assert queue.response_beyond(queue.response_percentile(99)) == pytest.approx(0.01, rel=1e-9)
        assert queue.wait_beyond(queue.wait_percentile(95)) == pytest.approx(0.05, rel=1e-9)
    assert mmc(128, 0.025, 4).wait_beyond(0.1277619) == pytest.approx(0.01, rel=1e-6)  # golden
    assert math.isclose(mmc(128, 0.025, 4).wait_beyond(0), 0.596432, rel_tol=1e-6)


def test_what_is_not_determined_is_refused() -> None:
    with pytest.raises(InputError, match="distribution of the wait"):
        mg1(32, 0.025, 4).wait_beyond(0.1)
    with pytest.raises(InputError, match="time: -1 is negative"):
        mmc(128, 0.025, 4).wait_beyond(-1)
