"""A pool with a bounded queue against its whole Markov chain, and against queues that it becomes at the border."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import expm

from poolkeeper.errors import InputError
from poolkeeper.queueing import mmck, pool_queue

RATE, THREADS, CORES, COMPUTE, IO, ROOM = 30.0, 3, 2, 0.05, 0.08, 4

Matrix = NDArray[np.float64]


def chain() -> tuple[list[tuple[int, int]], Matrix]:
    """States (requests in the system, of those with a thread at the cores), and their rates."""
    states = [(n, k) for n in range(THREADS + ROOM + 1) for k in range(min(n, THREADS) + 1)]
    place = {state: index for index, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for (n, k), here in place.items():
        held = min(n, THREADS)
        if n < THREADS + ROOM:
            rates[here, place[n + 1, k + (n < THREADS)]] += RATE
        if k:
            rates[here, place[n, k - 1]] += min(k, CORES) / COMPUTE
        if held > k:
            rates[here, place[n - 1, k + (n > THREADS)]] += (held - k) / IO
    np.fill_diagonal(rates, -rates.sum(axis=1))
    return states, rates


def stationary(rates: Matrix) -> Matrix:
    system = np.vstack([rates.T, np.ones(len(rates))])
    found: Matrix = np.linalg.lstsq(system, np.append(np.zeros(len(rates)), 1.0), rcond=None)[0]
    return found


def test_means_and_losses_are_those_of_the_whole_chain() -> None:
    states, rates = chain()
    probabilities = stationary(rates)
    n = np.array([state[0] for state in states])
    loss = float(probabilities[n == THREADS + ROOM].sum())
    found = pool_queue(RATE, THREADS, CORES, compute=COMPUTE, io=IO, room=ROOM)

    assert found.loss == pytest.approx(loss)
    assert found.requests == pytest.approx(float(probabilities @ n))
    assert found.throughput * found.wait == pytest.approx(float(probabilities @ np.maximum(0, n - THREADS)))
    assert 0.1 < loss < 0.9


@pytest.mark.parametrize("time", [0.0, 0.02, 0.1, 0.5])
def test_waits_are_those_of_the_whole_chain(time: float) -> None:
    states, rates = chain()
    probabilities = stationary(rates)
    # of a request that waits: those before it, and those of the full pool at the cores; the last state has a thread
    waiting = [(ahead, k) for ahead in range(ROOM) for k in range(THREADS + 1)]
    place = {state: index for index, state in enumerate(waiting)}
    moves = np.zeros((len(waiting) + 1, len(waiting) + 1))
    for (ahead, k), here in place.items():
        if k:
            moves[here, place[ahead, k - 1]] += min(k, CORES) / COMPUTE
        if k < THREADS:
            moves[here, place[ahead - 1, k + 1] if ahead else -1] += (THREADS - k) / IO
    np.fill_diagonal(moves, -moves.sum(axis=1))
    start, let_in = np.zeros(len(moves)), 0.0
    for (n, k), mass in zip(states, probabilities, strict=True):
        if n < THREADS + ROOM:
            let_in += mass
            start[place[n - THREADS, k] if n >= THREADS else -1] += mass
    expected = 1 - float((start / let_in @ expm(moves * time))[-1])
    found = pool_queue(RATE, THREADS, CORES, compute=COMPUTE, io=IO, room=ROOM)

    assert found.wait_beyond(time) == pytest.approx(expected, abs=1e-10)


def test_much_room_is_no_bound() -> None:
    wide, endless = (pool_queue(120, 8, 2, compute=0.01, io=0.04, room=room) for room in (400, None))

    assert wide.loss < 1e-12
    assert wide.response_time == pytest.approx(endless.response_time)
    assert wide.wait_percentile(99) == pytest.approx(endless.wait_percentile(99))


def test_a_core_for_each_thread_and_hardly_any_io_is_a_bounded_queue() -> None:
    queue = mmck(30, 0.1, 4, 10)
    more, less = (pool_queue(30, 4, 4, compute=0.1, io=io, room=6) for io in (2e-4, 1e-4))

    # The difference falls in proportion to the I/O, so that twice the nearer figure less the other is that without any.
    assert 2 * less.loss - more.loss == pytest.approx(queue.loss, rel=1e-4)
    limit = 2 * less.wait_percentile(90) - more.wait_percentile(90)
    assert limit == pytest.approx(queue.wait_percentile(90), rel=1e-4)
    with pytest.raises(InputError, match=r"compute and io: 0\.1 and 1e-07 are too far apart"):
        pool_queue(30, 4, 4, compute=0.1, io=1e-7, room=6)


def test_no_room_means_no_wait_and_too_high_a_rate_is_refused_in_part() -> None:
    found = pool_queue(300, 5, 2, compute=0.01, io=0.02, room=0)

    assert (found.wait, found.wait_percentile(99)) == (0, 0)
    assert found.throughput < found.limit < 300
    deep = pool_queue(300, 5, 2, compute=0.01, io=0.02, room=500)
    assert deep.throughput == pytest.approx(deep.limit, rel=1e-6)
    assert deep.wait == pytest.approx(500 / deep.limit, rel=0.02)
    assert deep.wait_percentile(50) == pytest.approx(deep.wait, rel=0.02)


def test_room_has_bounds() -> None:
    with pytest.raises(InputError, match="room: 1001 makes too large a chain"):
        pool_queue(1, 2, 1, compute=0.1, io=0.1, room=1001)
    with pytest.raises(InputError, match="room: -1 is not a whole number of 0 or above"):
        pool_queue(1, 2, 1, compute=0.1, io=0.1, room=-1)
