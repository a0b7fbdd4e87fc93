"""A pool whose threads are held while cores compute and while something behind them answers.

A Markov chain, solved exactly: the requests in the system, and how many of those with a thread are at the cores.
From K requests on nothing but their number changes, so the chain repeats itself and its tail is matrix-geometric;
below that the levels are eliminated one after the other [1].

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
_ROUNDS = 60
_SHOWN = (50, 90, 99)


@dataclass(frozen=True, eq=False)
class PoolQueue:
    """Requests that arrive at `rate` at a pool of `threads` on `cores`: each computes, then keeps its thread for I/O.

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
        return self.rate * (self.response_time - self.wait)

    @property
    def utilisation(self) -> float:
        """Busy cores over cores."""
        return self.rate * self.compute / self.cores

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
            ("probability of waiting for a thread", self.wait_beyond(0)),
            *((f"p{p:g} wait for a thread", self.wait_percentile(p)) for p in _SHOWN),
        )
        title = f"{self.rate:g} arrivals at a pool of {self.threads} threads on {self.cores} cores"
        return Table(title, ("figure", "value"), rows, (self.verdict,))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = ("rate", "threads", "cores", "compute", "io", "response_time", "wait", "core_wait", "busy_threads")
        found = {name: getattr(self, name) for name in (*names, "utilisation", "limit", "verdict")}
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


def pool_queue(rate: float, threads: int, cores: int, *, compute: float, io: float) -> PoolQueue:
    """A pool of `threads`, each held while one of `cores` computes and then while I/O takes its time; both exponential.

    Arrivals are Poisson, and requests without a thread wait in order. Exact for means, and for the wait for a thread as
    a whole. Raises InputError for a rate that the pool cannot serve, for more than 200 threads, and for values that are
    none.
    """
    positive(rate, "rate")
    positive(compute, "compute")
    positive(io, "io")
    whole(cores, "cores")
    if whole(threads, "threads") > _LARGEST:
        raise InputError(f"threads: {threads} make too large a chain to solve; the nearest valid number is {_LARGEST}")
    limit = mva(_parts(compute, cores, io), threads).throughput
    stable(rate, limit)
    inside, without, waiting = _Chain(rate, threads, cores, 1 / compute, 1 / io).solved()
    wait = max(0.0, without / rate)  # nothing but rounding is left where hardly anybody waits
    return PoolQueue(rate, threads, cores, compute, io, inside / rate + wait, wait, limit, waiting)


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
