"""Operational laws, which every measurement must obey, and the mistakes behind violations.

[1] Denning, Buzen: The operational analysis of queueing network models, Computing Surveys 10(3), 1978.
[2] Lazowska, Zahorjan, Graham, Sevcik: Quantitative System Performance, Prentice Hall 1984, chapter 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import fraction, vector
from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import number
from poolkeeper.student import margin

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Figure = float | Estimate
"""A number, or one with an interval."""

_BATCHES = 20
_PER_BATCH = 10
"""Completions that a batch needs on average."""
_TOLERANCE = 0.05
"""Largest difference of both sides of a law if nobody knows how uncertain they are."""
_SLACK = 0.01
"""Difference that is allowed in any case: rounded times, the moment between two requests."""
_THOUSAND = (700.0, 1400.0)


class Holds(StrEnum):
    """Outcome of a check."""

    YES = "holds"
    TOO_MUCH = "measured too much"
    TOO_LITTLE = "measured too little"


@dataclass(frozen=True)
class Check:
    """A law, its demand, and the measurement; `verdict` names the possible mistake."""

    law: str
    expected: float
    measured: Estimate
    holds: Holds
    verdict: str

    @property
    def ratio(self) -> float:
        """Measured over expected."""
        return self.measured.value / self.expected if self.expected else math.inf

    def table(self) -> Table:
        """Both sides of the law."""
        estimate = self.measured
        ends = (estimate.low, estimate.high) if estimate.has_interval else (None, None)
        columns = ("law", "expected", "measured", f"{100 * estimate.confidence:g} % from", "to", "")
        return Table(
            self.law, columns, ((self.law, self.expected, estimate.value, *ends, str(self.holds)),), (self.verdict,)
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "law": self.law,
            "expected": self.expected,
            "measured": self.measured.to_dict(),
            "holds": str(self.holds),
            "verdict": self.verdict,
        }

    def plot(self) -> Chart:
        """Measured value with its interval, and the demand of the law."""
        estimate = self.measured
        ends = ((estimate.low,), (estimate.high,)) if estimate.has_interval else ((), ())
        measured = Series("measured", (1.0,), (estimate.value,), Kind.POINTS, *ends)
        expected = Series("expected", (0.0, 2.0), (self.expected,) * 2)
        return Chart(self.law, Axis(""), Axis(self.law), (measured, expected), notes=(self.verdict,))


def littles_law(
    users: float,
    ended: ArrayLike,
    response_times: ArrayLike,
    *,
    think_time: float | None = 0.0,
    confidence: float = 0.95,
) -> Check:
    """Little's law N = X (R + Z) on the requests of a closed test: are there as many users as there should be?

    X (R + Z) is the sum of the response and think times over the time in which they ended, in 20 batches of time, with
    Student's interval of their mean.

    Args:
        users: how many there were all the time, above 0.
        ended: when each request ended, (n,), in any order, in the unit of the response times.
        response_times: of each request, (n,), 0 or above.
        think_time: mean time between an answer and the user's next request; None if it is not known, so that only too
            many requests in the system are found.
        confidence: of the interval.

    Raises:
        TooFewError: for fewer than 200 requests.
        DataError: for lengths that differ, negative times, and requests that all end at once.
    """
    _above(users, "users")
    fraction(confidence, "confidence")
    at = vector(ended, "ended", least=_BATCHES * _PER_BATCH)
    r = vector(response_times, "response times")
    if at.size != r.size:
        raise DataError(f"ended and response times: {at.size} and {r.size} values")
    if r.min() < 0:
        raise DataError(f"response times: {r.min():g} is negative")
    first, last = float(at.min()), float(at.max())
    if first == last:
        raise DataError(f"ended: all {at.size} requests ended at {first:g}, so there is no time to count them in")
    batch = np.minimum(((at - first) / (last - first) * _BATCHES).astype(np.int64), _BATCHES - 1)
    # the request that ends the first interval opened before it: n ends leave n - 1 times between them
    spent = np.bincount(batch, r + (think_time or 0.0), _BATCHES) / (last - first) * _BATCHES * (1 - 1 / at.size)
    half = margin(float(spent.std(ddof=1)) / math.sqrt(_BATCHES), _BATCHES - 1, confidence)
    middle = float(spent.mean())
    return _little(users, Estimate(middle, middle - half, middle + half, confidence).at_least(0.0), think_time)


def littles_law_of(users: float, throughput: Figure, response_time: Figure, think_time: Figure | None = 0.0) -> Check:
    """Little's law N = X (R + Z) on figures of a closed test, each with its interval or without one.

    Intervals are combined as if the figures were independent; in a closed test throughput and response time move
    against each other, so that the interval is rather too wide. Raises InputError for figures that are none.
    """
    _above(users, "users")
    x, r = _figure(throughput, "throughput"), _figure(response_time, "response time")
    z = _figure(0.0 if think_time is None else think_time, "think time", zero=True)
    both = _sum(r, z)
    return _little(users, _product(x, both), None if think_time is None else z.value)


def utilisation_law(throughput: Figure, demand: Figure, servers: int = 1, *, utilisation: float | None = None) -> Check:
    """The utilisation law U = X D / c: is so much throughput possible, and does it agree with a measured utilisation?

    `demand` is the service time that a request needs of the `servers`; `utilisation`, from 0 to 1, was measured, or is
    None to ask only whether the servers can do it at all. Raises InputError for figures that are none.
    """
    _above(servers, "servers")
    computed = _product(_figure(throughput, "throughput"), _figure(demand, "demand"), 1 / servers)
    if utilisation is not None:
        if not 0 < utilisation <= 1 + _TOLERANCE:
            raise InputError(f"utilisation: {utilisation:g} is not above 0 and at most 1")
        holds = _compare(computed, utilisation)
        message = {
            Holds.YES: "X D / c agrees with the measured utilisation.",
            Holds.TOO_MUCH: "Throughput times demand is more than the servers were busy: the demand was measured with"
            " waiting in it, or work of others is missing from the utilisation.",
            Holds.TOO_LITTLE: "The servers were busier than throughput times demand: something else uses them, requests"
            " that failed are not counted, or the demand is too small.",
        }[holds]
        return Check("utilisation U = X D / c", utilisation, computed, holds, message)
    over = (computed.low if computed.has_interval else computed.value) > 1 + (
        _SLACK if computed.has_interval else _TOLERANCE
    )
    message = (
        f"{number(100 * computed.value)} % of the servers is impossible: the demand was measured with waiting in it, or"
        " there are more servers."
        if over
        else f"The servers are busy {number(100 * min(1.0, computed.value))} % of the time."
    )
    return Check("utilisation U = X D / c", 1.0, computed, Holds.TOO_MUCH if over else Holds.YES, message)


def forced_flow(throughput: Figure, visits: float, throughput_behind: Figure) -> Check:
    """The forced flow law X_k = V_k X: does a tier see as many requests as those before it cause?

    `visits` is how many requests of the tier each request of the system causes. Raises InputError for bad figures.
    """
    _above(visits, "visits")
    behind = _figure(throughput_behind, "throughput behind")
    flow = _product(_figure(throughput, "throughput"), Estimate(visits, visits, visits, behind.confidence))
    ratio = _ratio(behind, flow)
    holds = _compare(ratio, 1.0)
    message = {
        Holds.YES: "The tier sees as many requests as it should.",
        Holds.TOO_MUCH: "The tier sees more requests than the ones before it cause: retries, work in the background,"
        " other clients, or a visit ratio that is too small.",
        Holds.TOO_LITTLE: "The tier sees fewer requests than it should: caches, requests that fail before it, or"
        " a visit ratio that is too large.",
    }[holds]
    return Check("forced flow X_k / (V_k X)", 1.0, ratio, holds, message)


def _little(users: float, found: Estimate, think_time: float | None) -> Check:
    holds = _compare(found, users)
    name = "Little's law X (R + Z) = N" if think_time is not None else "Little's law X R <= N"
    if holds is Holds.TOO_LITTLE and think_time is None:
        holds = Holds.YES
    ratio = found.value / users
    counted = f"{number(found.value)} where there were {number(users)} users"
    if holds is Holds.YES:
        return Check(name, users, found, holds, f"The measurement agrees with itself: {counted}.")
    low, high = _THOUSAND
    if low < ratio < high or 1 / high < ratio < 1 / low:
        message = f"{counted}: a factor of about a thousand, so milliseconds and seconds were mixed up."
    elif holds is Holds.TOO_MUCH:
        message = (
            f"{counted} cannot be in a closed test: response times include waiting inside the client (its own queue of"
            " connections or threads), users send before they have their answer, the number of users is wrong, or the"
            " clock that timed the requests is not the one that counted them."
        )
    else:
        message = (
            f"only {counted}: users were not all active (a ramp, threads that died), they pause longer than stated,"
            " the load generator does not keep up, or requests are missing from the file."
        )
    return Check(name, users, found, holds, message[0].upper() + message[1:])


def _compare(found: Estimate, expected: float) -> Holds:
    slack = _SLACK if found.has_interval else _TOLERANCE
    low, high = (found.low, found.high) if found.has_interval else (found.value, found.value)
    if low > expected * (1 + slack):
        return Holds.TOO_MUCH
    return Holds.TOO_LITTLE if high < expected * (1 - slack) else Holds.YES


def _figure(value: Figure, name: str, *, zero: bool = False) -> Estimate:
    estimate = value if isinstance(value, Estimate) else Estimate.bare(float(value), 0.95, "no interval was given")
    if not (math.isfinite(estimate.value) and (estimate.value > 0 or (zero and estimate.value == 0))):
        raise InputError(f"{name}: {estimate.value:g} is not {'0 or above' if zero else 'above 0'}")
    return Estimate(0.0, 0.0, 0.0, estimate.confidence) if zero and estimate.value == 0 else estimate


def _above(value: float, name: str) -> None:
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{name}: {value:g} is not above 0")


def _sum(a: Estimate, b: Estimate) -> Estimate:
    value = a.value + b.value
    if not (a.has_interval and b.has_interval):
        return Estimate.bare(value, a.confidence, "no interval was given")
    return Estimate(
        value,
        value - math.hypot(a.value - a.low, b.value - b.low),
        value + math.hypot(a.high - a.value, b.high - b.value),
        a.confidence,
    )


def _product(a: Estimate, b: Estimate, factor: float = 1.0) -> Estimate:
    value = a.value * b.value * factor
    uncertain = [estimate for estimate in (a, b) if estimate.has_interval]
    if not uncertain:
        return Estimate.bare(value, a.confidence, "no interval was given")
    low = math.hypot(*(1 - estimate.low / estimate.value for estimate in uncertain))
    high = math.hypot(*(estimate.high / estimate.value - 1 for estimate in uncertain))
    return Estimate(value, value * (1 - low), value * (1 + high), uncertain[0].confidence).at_least(0.0)


def _ratio(a: Estimate, b: Estimate) -> Estimate:
    inverse = (
        Estimate(1 / b.value, 1 / b.high, 1 / b.low if b.low > 0 else math.inf, b.confidence)
        if b.has_interval
        else Estimate.bare(1 / b.value, b.confidence, b.why)
    )
    return _product(a, inverse)
