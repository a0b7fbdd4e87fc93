"""A pool whose threads are held while cores compute and while something behind them answers.

A Markov chain, solved exactly: the requests in the system, and how many of those with a thread are at the cores.
From K requests on nothing but their number changes, so the chain repeats itself and its tail is matrix-geometric;
below that the levels are eliminated one after the other [1]. Where the queue has a bound, all levels are.

[1] Latouche, Ramaswami: Introduction to Matrix Analytic Methods in Stochastic Modeling, SIAM 1999, 6.2 and 8.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.queueing._check import not_negative, percent, positive, stable, whole
from poolkeeper.queueing._pool_wait import PoolWait
from poolkeeper.queueing._response import percentile
from poolkeeper.queueing.centre import Centre
from poolkeeper.queueing.network import mva

if TYPE_CHECKING:
    from poolkeeper.arrays import Floats

_LARGEST = 200
"""Threads up to which the chain is solved in seconds."""
_MOST_ROOM = 1000
"""Room of a queue up to which its waits are computed in seconds."""
_MOST_CHANGES = 200_000
"""Changes of the pool's state while a queue of so much room empties up to which its waits are computed in seconds."""
_ROUNDS = 60
_SHOWN = (50, 90, 99)
_LARGE = 1e200
"""Weights of levels beyond which all are scaled down, far from what a double holds."""


@dataclass(frozen=True, eq=False)
class PoolQueue:
    """Requests that arrive at `rate` at a pool of `threads` on `cores`: each computes, then does I/O on its thread.

    `wait` is the mean time without a thread, `core_wait` the mean time with a thread but without a core.
    """

    rate: float
    threads: int
    cores: int
    compute: float
    io: float
    response_time: float
    wait: float
    limit: float
    """The highest rate that this pool can serve: that of the pool's threads with work for all of them."""
    waiting: PoolWait
    """Waiting time of requests for a thread."""
    room: int | None = None
    """Requests that may wait for a thread; None without a bound."""
    loss: float = 0.0
    """Probability that an arriving request is refused."""

    @property
    def throughput(self) -> float:
        """Requests that are served in a unit of time."""
        return self.rate * (1 - self.loss)

    @property
    def requests(self) -> float:
        """Mean number of requests in the system, by Little's law."""
        return self.throughput * self.response_time

    def wait_beyond(self, time: float) -> float:
        """Probability that a request waits longer than this for a thread; exact."""
        return self.waiting.beyond(not_negative(time, "time"))

    def wait_percentile(self, p: float) -> float:
        """The wait for a thread that p percent of requests do not exceed, 1 <= p < 100; exact.

        0 if so many do not wait. How the response time scatters is not known: what a request does with its thread
        depends on the others that have one.
        """
        return percentile(self.waiting.beyond, percent(p), 1 / self.waiting.rate)

    @property
    def core_wait(self) -> float:
        """Mean time with a thread but without a core."""
        return max(0.0, self.response_time - self.wait - self.compute - self.io)

    @property
    def busy_threads(self) -> float:
        """Mean number of threads that are held, by Little's law."""
        return self.throughput * (self.response_time - self.wait)

    @property
    def utilisation(self) -> float:
        """Busy cores over cores."""
        return self.throughput * self.compute / self.cores

    @property
    def verdict(self) -> str:
        """Division of the response time, in a sentence."""
        parts = {"for a thread": self.wait, "for a core": self.core_wait}
        where = max(parts, key=lambda name: parts[name])
        return (
            f"Mean response time {self.response_time:.4g}; most of the waiting is {where} ({parts[where]:.4g});"
            f" the pool serves up to {self.limit:.4g} requests in a unit of time."
        )

    def table(self) -> Table:
        """Division of the response time."""
        rows = (
            ("wait for a thread", self.wait),
            ("wait for a core", self.core_wait),
            ("computing", self.compute),
            ("I/O", self.io),
            ("mean response time", self.response_time),
            ("threads held", self.busy_threads),
            ("utilisation of the cores", self.utilisation),
            ("highest rate", self.limit),
            ("probability of loss", self.loss),
            ("probability of waiting for a thread", self.wait_beyond(0)),
            *((f"p{p:g} wait for a thread", self.wait_percentile(p)) for p in _SHOWN),
        )
        title = f"{self.rate:g} arrivals at a pool of {self.threads} threads on {self.cores} cores"
        return Table(title, ("figure", "value"), rows, (self.verdict,))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = ("rate", "threads", "cores", "compute", "io", "response_time", "wait", "core_wait", "busy_threads")
        found = {name: getattr(self, name) for name in (*names, "utilisation", "limit", "throughput", "room", "loss")}
        found["verdict"] = self.verdict
        return found | {"waits": self.wait_beyond(0)} | {f"wait_p{p:g}": self.wait_percentile(p) for p in _SHOWN}

    def plot(self) -> Chart:
        """The highest rate over the size of the pool, up to twice this one."""
        sizes = np.unique(np.linspace(1, 2 * self.threads, min(2 * self.threads, 60)).round()).astype(int)
        whole_pool = mva(_parts(self.compute, self.cores, self.io), int(sizes[-1]))
        return Chart(
            "The highest rate that a pool can serve",
            Axis("threads"),
            Axis("requests in a unit of time"),
            (Series("highest rate", tuple(map(float, sizes)), tuple(map(float, whole_pool.by_users[sizes - 1]))),),
        )


def pool_queue(  # noqa: PLR0913 - all that a pool is, by name
    rate: float, threads: int, cores: int, *, compute: float, io: float, room: int | None = None
) -> PoolQueue:
    """A pool of `threads`, each held while one of `cores` computes and then while I/O takes its time; both exponential.

    Arrivals are Poisson, and requests without a thread wait in order; with `room` no more than so many do, and others
    are refused. Exact for means, and for the wait for a thread as a whole. Raises InputError for a rate that the pool
    cannot serve without a bound, for more than 200 threads or room for 1000, and for values that are none.
    """
    positive(rate, "rate")
    positive(compute, "compute")
    positive(io, "io")
    whole(cores, "cores")
    if whole(threads, "threads") > _LARGEST:
        raise InputError(f"threads: {threads} make too large a chain to solve; the nearest valid number is {_LARGEST}")
    limit = mva(_parts(compute, cores, io), threads).throughput
    chain = _Chain(rate, threads, cores, 1 / compute, 1 / io)
    if room is None:
        stable(rate, limit)
        inside, without, waiting, loss = *chain.solved(), 0.0
    else:
        if whole(room, "room", 0) > _MOST_ROOM:
            raise InputError(f"room: {room} makes too large a chain to solve; the nearest valid number is {_MOST_ROOM}")
        if (changes := (room + threads) * (cores / compute + threads / io) / limit) > _MOST_CHANGES:
            raise InputError(
                f"compute and io: {compute:g} and {io:g} are too far apart to follow both while a queue of {room}"
                f" empties ({changes:,.0f} steps, at most {_MOST_CHANGES:,}); add the shorter to the longer"
            )
        inside, without, waiting, loss = chain.bounded(room)
    served = rate * (1 - loss)
    wait = max(0.0, without / served)  # nothing but rounding is left where hardly anybody waits
    return PoolQueue(
        rate, threads, cores, compute, io, inside / served + wait, wait, limit, waiting, room=room, loss=loss
    )


def _parts(compute: float, cores: int, io: float) -> list[Centre]:
    return [Centre("cores", compute, cores), Centre.delay("I/O", io)]


@dataclass(frozen=True, slots=True)
class _Chain:
    """States: n requests in the system, k of those with a thread at the cores; the other ones do I/O."""

    rate: float
    threads: int
    cores: int
    computed: float
    answered: float

    def solved(self) -> tuple[float, float, PoolWait]:
        """Mean numbers of requests with a thread and without one, and how long they wait for one."""
        # pi[n] = pi[n + 1] @ below[n]: what is eliminated from n = 0 upwards leads back to the level above
        size = self.threads
        here = self._local(0)
        factors = []
        for n in range(size):
            factor = np.linalg.solve(-here.T, self._down(n + 1).T).T
            factors.append(factor)
            here = self._local(n + 1) + factor @ self._up(n)
        tail = self._tail()
        last = _null(here + tail @ self._down(size + 1))
        levels = [last]
        for factor in reversed(factors):
            levels.append(levels[-1] @ factor)
        rest = np.linalg.inv(np.eye(size + 1) - tail)
        at_least = last @ rest  # all levels from K on
        beyond = last @ tail @ rest @ rest  # requests without a thread
        masses = np.array([level.sum() for level in reversed(levels[1:])])
        total = float(masses.sum() + at_least.sum())
        inside = float(masses @ np.arange(size) + size * at_least.sum())
        answers, stays = self._down(size + 1), self._local(size) + self.rate * np.eye(size + 1)
        waiting = PoolWait(np.maximum(last / total, 0), np.maximum(tail, 0), stays, answers)
        return inside / total, float(beyond.sum()) / total, waiting

    def bounded(self, room: int) -> tuple[float, float, PoolWait, float]:
        """The same where no more than `room` requests wait for a thread, and the share that is refused."""
        size, last = self.threads, self.threads + room
        here = self._local(0)
        factors = []
        for n in range(last):
            factor = np.linalg.solve(-here.T, self._down(n + 1).T).T
            factors.append(factor)
            here = self._local(n + 1) + factor @ self._up(n)
        levels = [_null(here + self.rate * np.eye(size + 1))]  # nobody is let in at the last level
        for factor in reversed(factors):
            levels.append(levels[-1] @ factor)
            if levels[-1].sum() > _LARGE:
                levels = [level / _LARGE for level in levels]
        levels.reverse()
        masses = np.array([level.sum() for level in levels])
        total = float(masses.sum())
        there = np.arange(last + 1)
        inside, without = float(masses @ np.minimum(there, size)), float(masses @ np.maximum(0, there - size))
        let_in = total - float(masses[-1])
        full = np.maximum(np.reshape(levels[size:last], (room, size + 1)) / let_in, 0)
        stays = self._local(size) + self.rate * np.eye(size + 1)
        waiting = PoolWait(full, None, stays, self._down(size + 1))
        return inside / total, without / total, waiting, float(masses[-1]) / total

    def _held(self, n: int) -> int:
        return min(n, self.threads)

    def _up(self, n: int) -> Floats:
        """An arrival gets a thread and goes to the cores, or waits."""
        rows, columns = self._held(n) + 1, self._held(n + 1) + 1
        found: Floats = self.rate * np.eye(rows, columns, k=columns - rows)
        return found

    def _down(self, n: int) -> Floats:
        """An answer; a request that waited takes the thread to the cores."""
        k = np.arange(self._held(n) + 1)
        answers = (self._held(n) - k) * self.answered
        found = np.zeros((k.size, self._held(n - 1) + 1))
        doing_io = k[:-1]
        found[doing_io, doing_io + (n > self.threads)] = answers[:-1]
        return found

    def _local(self, n: int) -> Floats:
        """Computed, on to I/O; the diagonal takes all that leaves."""
        k = np.arange(self._held(n) + 1)
        done = np.minimum(k, self.cores) * self.computed
        found = np.diag(done[1:], -1)
        found[k, k] = -(done + (self._held(n) - k) * self.answered + self.rate)
        return found

    def _tail(self) -> Floats:
        """R of pi[n + 1] = pi[n] @ R from K on, by logarithmic reduction [1, 8.4]."""
        n = self.threads + 1
        up, here, down = self._up(n), self._local(n), self._down(n)
        inverse = np.linalg.inv(-here)
        rise, fall = inverse @ up, inverse @ down
        first, path = fall.copy(), rise.copy()
        values = np.eye(len(here))
        for _ in range(_ROUNDS):
            both = np.linalg.inv(values - rise @ fall - fall @ rise)
            rise, fall = both @ rise @ rise, both @ fall @ fall
            first += path @ fall
            path = path @ rise
            if np.abs(path).max() < np.finfo(float).eps * 1e-3 or math.isclose(first.sum(), len(values), rel_tol=1e-15):
                break
        found: Floats = up @ np.linalg.inv(-(here + up @ first))
        return found


def _null(generator: Floats) -> Floats:
    """The vector pi > 0 with pi @ generator = 0 and sum 1."""
    system = generator.T.copy()
    system[-1] = 1.0
    right = np.zeros(len(system))
    right[-1] = 1.0
    return np.linalg.solve(system, right).astype(np.float64)
