"""The Universal Scalability Law as a curve: throughput, response time and concurrency, each from each of the others.

    X(N) = lambda N / (1 + alpha (N - 1) + beta N (N - 1))      [1]

With beta = 0 it is Amdahl's law, with alpha = beta = 0 the straight line. Response times follow by Little's law,
R(N) = N / X(N). N counts requests in the system, so users that think between requests are not in it.

[1] Gunther: Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import InputError
from poolkeeper.present.numbers import number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats


@dataclass(frozen=True, slots=True)
class Law:
    """A scalability law: `lambda_` is the throughput at concurrency 1, above 0, in any unit of 1/time.

    `alpha` from 0 to 1 is contention, the share of the work that is done one after the other; `beta` from 0 on is
    coherency, the work that each pair of concurrent requests causes. Raises InputError for other values.
    """

    lambda_: float
    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.lambda_) and self.lambda_ > 0):
            raise InputError(f"lambda: {self.lambda_:g} is not a positive throughput")
        if not 0 <= self.alpha <= 1:
            raise InputError(f"alpha: {self.alpha:g} is not from 0 to 1")
        if not (math.isfinite(self.beta) and self.beta >= 0):
            raise InputError(f"beta: {self.beta:g} is not 0 or above")

    def throughput(self, concurrency: ArrayLike) -> Floats:
        """X(N) at each concurrency of 0 or above, in the unit of `lambda_`, shape as given."""
        n = _concurrency(concurrency)
        found: Floats = self.lambda_ * n / self._stretch(n)
        return found

    def response_time(self, concurrency: ArrayLike) -> Floats:
        """R(N) = N / X(N) at each concurrency of 0 or above, in the unit of 1 / `lambda_`, shape as given."""
        found: Floats = self._stretch(_concurrency(concurrency)) / self.lambda_
        return found

    def _stretch(self, n: Floats) -> Floats:
        """Factor by which everything takes longer at concurrency N than alone."""
        found: Floats = 1 + self.alpha * (n - 1) + self.beta * n * (n - 1)
        return found

    @property
    def peak_concurrency(self) -> float:
        """Concurrency of the highest throughput, sqrt((1 - alpha) / beta), at least 1; infinite without coherency."""
        if self.beta == 0:
            return math.inf if self.alpha < 1 else 1.0
        return max(1.0, math.sqrt((1 - self.alpha) / self.beta))

    @property
    def peak_throughput(self) -> float:
        """The highest throughput; without coherency the limit that is never reached."""
        peak = self.peak_concurrency
        return self.limit if math.isinf(peak) else float(self.throughput(peak))

    @property
    def knee(self) -> float:
        """Concurrency 1 / alpha, where the line of perfect scaling meets the limit; infinite without contention.

        Beyond it more concurrency buys waiting rather than throughput.
        """
        return 1 / self.alpha if self.alpha else math.inf

    @property
    def limit(self) -> float:
        """Throughput lambda / alpha, which contention alone would allow; infinite without contention."""
        return self.lambda_ / self.alpha if self.alpha else math.inf

    def concurrency_at_response_time(self, response_time: float) -> float:
        """The concurrency, from 1 on, at which requests take so long; infinite where they never do.

        Raises InputError for less than the response time of a request that is alone.
        """
        alone = 1 / self.lambda_
        if not (math.isfinite(response_time) and response_time >= alone * (1 - 1e-12)):
            raise InputError(
                f"response time: {response_time:g} is not reached; the shortest, that of a request alone,"
                f" is {number(alone, 4)}"
            )
        excess = max(0.0, self.lambda_ * response_time - 1)
        if self.beta == 0:
            return 1 + excess / self.alpha if self.alpha else (math.inf if excess else 1.0)
        # beta m^2 + (alpha + beta) m = excess for m = N - 1, by the root that loses no digits
        slope = self.alpha + self.beta
        return 1 + 2 * excess / (slope + math.sqrt(slope * slope + 4 * self.beta * excess))

    def throughput_at_response_time(self, response_time: float) -> float:
        """The throughput at which requests take so long: X of lambda R = 1 + alpha (N - 1) + beta N (N - 1), N = X R.

        Beyond the peak the throughput falls while the response time rises. Raises InputError for less than the
        response time of a request that is alone.
        """
        concurrency = self.concurrency_at_response_time(response_time)
        return concurrency / response_time if math.isfinite(concurrency) else math.inf

    def concurrencies_at_throughput(self, throughput: float) -> tuple[float, float]:
        """The concurrencies with this throughput: before the peak and beyond it; the second is infinite without one.

        Below `lambda_` the first is less than 1. Raises InputError for more than the highest throughput.
        """
        if not (math.isfinite(throughput) and 0 < throughput <= self.peak_throughput * (1 + 1e-12)):
            raise InputError(
                f"throughput: {throughput:g} is not reached; the highest is {number(self.peak_throughput, 4)}"
            )
        # beta X N^2 - (lambda + beta X - alpha X) N + (1 - alpha) X = 0
        square = self.beta * throughput
        linear = self.lambda_ + square - self.alpha * throughput
        constant = (1 - self.alpha) * throughput
        root = math.sqrt(max(0.0, linear * linear - 4 * square * constant))
        far = linear + root
        if far <= 0:  # the limit itself
            return math.inf, math.inf
        return 2 * constant / far, far / (2 * square) if square else math.inf

    def response_times_at_throughput(self, throughput: float) -> tuple[float, float]:
        """The response times with this throughput, before the peak and beyond it, as `concurrencies_at_throughput`."""
        before, beyond = self.concurrencies_at_throughput(throughput)
        return before / throughput, beyond / throughput


def _concurrency(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    vector(array.ravel(), "concurrency")
    if (array < 0).any():
        raise InputError(f"concurrency: {array.min():g} is negative; the nearest valid one is 0")
    return array
