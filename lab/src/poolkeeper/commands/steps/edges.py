"""Times at which the levels of a test meet, to a request.

Cuts lie between whole intervals, and in one of these the load of both levels may have been held: of a level of half a
minute that has half a second of the next one, with its higher rate, two requests in a hundred are of the next one, and
its p99 is theirs. When requests were sent tells more: each of them, and the time without one, is more likely at the
rate of the one level or of the other. Among the places that the rates leave open, the response times decide, or the
failures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.commands.steps.arrivals import Arrivals
from poolkeeper.commands.steps.cuts import WORTH
from poolkeeper.commands.steps.schedules import followed
from poolkeeper.latency.ordered.steps import LEAST
from poolkeeper.scalability.stretches import SHORTEST
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.commands.load import Load
    from poolkeeper.commands.steps.cuts import Cut
    from poolkeeper.commands.steps.sent import Sent

_NEAR = 2
"""Intervals around a cut in which the levels meet, beside those that an answer takes."""
_FEW = 10
"""Requests of a level from which its rate and its response times are compared with those of its neighbour."""
_WORTH_FAILING = 0.01
"""Least change of the share of failures by which levels are told apart."""
_CLEARLY = 6.0
"""Standard errors by which rates, medians or shares of two levels differ that tell them apart."""
_POSSIBLE = 5.0
"""Log-likelihood that a place may lack of the best one by the rate alone: within these the response times decide.

Not beyond, as a queue may still grow, or empty, when the rate has stepped.
"""
_SHARPEST = 5.0
"""Spreads of the logarithms of response times by which levels differ at most."""
_OF_MEDIAN = 1.2533
"""Standard error of a median over that of a mean (normal distribution)."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Begin and end of a level in seconds of the series of answers."""

    begin_s: float
    end_s: float
    begin_trimmed_s: float = 0.0
    end_trimmed_s: float = 0.0
    """Seconds at its ends that may hold requests of its neighbours, and say nothing of its response times."""

    @property
    def inner(self) -> tuple[float, float]:
        """Begin and end of what is of this level alone."""
        return self.begin_s + self.begin_trimmed_s, self.end_s - self.end_trimmed_s


def bounds_of(load: Load, cuts: Sequence[Cut], every_s: float) -> list[Bounds]:
    """The bounds of levels and ramps.

    Where it is not known when each request was sent, or only in which second, an interval at both sides of a cut is
    trimmed off long levels.
    """
    found = [Bounds(cut.part.begin * every_s, cut.part.end * every_s) for cut in cuts]
    sent, arrivals = load.sent, Arrivals.of(load) if len(cuts) > 1 else None
    usual_s = load.total.survey.digest.quantile(0.99) / NS
    reach = _NEAR + (math.ceil(usual_s / every_s) if sent is not None and sent.course is None else 0)
    for place, (before, after) in enumerate(pairwise(cuts)):
        hole = after.part.begin - before.part.end
        if before.part.ramp or after.part.ramp or hole >= SHORTEST:
            continue
        if sent is None or sent.is_whole:
            if not hole:
                _trim(found, place, every_s)
            continue
        near_s = (before.part.end - _NEAR) * every_s, (after.part.begin + _NEAR) * every_s
        at = None if arrivals is None else arrivals.meeting(before, after, near_s, sent.since_s)
        if at is None:
            at = _meeting(sent, before, after, every_s, reach)
        if at is None:
            continue
        # What lies between two levels is of neither, whenever the one became the other.
        end, begin = (min(found[place].end_s, at), max(found[place + 1].begin_s, at)) if hole else (at, at)
        found[place] = replace(found[place], end_s=end)
        found[place + 1] = replace(found[place + 1], begin_s=begin)
    return found


def _trim(found: list[Bounds], place: int, every_s: float) -> None:
    """Trim the interval at each side of where two levels meet."""
    before, after = found[place], found[place + 1]
    if before.end_s - before.begin_s >= LEAST * every_s:
        found[place] = replace(before, end_trimmed_s=every_s)
    if after.end_s - after.begin_s >= LEAST * every_s:
        found[place + 1] = replace(after, begin_trimmed_s=every_s)


def _meeting(sent: Sent, before: Cut, after: Cut, every_s: float, reach: int) -> float | None:
    """When one level became the other, in seconds; None where their requests do not differ."""
    first, second = before.part, after.part
    left, right = (min(float(reach), (part.end - part.begin) / SHORTEST) for part in (first, second))
    low_s, high_s = (first.end - left) * every_s, (second.begin + right) * every_s
    # After the last request only answers come.
    last_s = min((second.end - right) * every_s, float(sent.since_s[-1]))
    inner = (first.begin + left) * every_s, low_s, high_s, last_s
    places = np.searchsorted(sent.since_s, inner)
    held = slice(places[0], places[1]), slice(places[2], places[3])
    lengths = np.array([inner[1] - inner[0], inner[3] - inner[2]])
    near = slice(*np.searchsorted(sent.since_s, (low_s, high_s)))
    since = sent.since_s[near]
    # The best place is just before a request, or just after one.
    ends_s = first.end * every_s, second.begin * every_s
    at = np.concatenate([since, np.nextafter(since, np.inf), ends_s])
    if not at.size or max(part.stop - part.start for part in held) < _FEW or lengths.min() <= 0:
        return None
    if np.ptp(rates := _sizes(held) / lengths) >= WORTH * rates.max():
        at_s = followed(sent.since_s, held, near)
        if at_s is not None:
            return at_s
    gains = _gains(sent, held, lengths, near)
    earlier = np.searchsorted(since, at)
    total, possible = np.zeros(at.size), np.ones(at.size, np.bool_)
    for of_requests, a_second in gains:
        total += np.concatenate([[0.0], np.cumsum(of_requests)])[earlier] + a_second * (at - low_s)
        best = int(np.where(possible, total, -np.inf).argmax())
        possible &= total >= total[best] - _POSSIBLE
    # What the file itself says of the place stands, unless the requests contradict it.
    by_file = possible & (at >= ends_s[0]) & (at <= ends_s[1]) & (ends_s[1] > ends_s[0])
    return float(at[best]) if gains and not by_file.any() else None


def _sizes(held: tuple[slice, slice]) -> Integers:
    return np.array([part.stop - part.start for part in held])


def _gains(sent: Sent, held: tuple[slice, slice], lengths_s: Floats, near: slice) -> list[tuple[Floats, float]]:
    """Log-likelihood that each request nearby adds where it is of the first level and not of the second.

    Second, what a second without a request adds. One of each quantity in which the levels differ: the rate, which is
    what steps first, the response times, and else the failures.
    """
    found: list[tuple[Floats, float]] = []
    sizes = _sizes(held)
    rates = sizes / lengths_s
    if np.ptp(rates) >= max(WORTH * rates.max(), _CLEARLY * math.hypot(*(np.sqrt(sizes) / lengths_s))):
        before, after = np.maximum(rates, 0.5 / lengths_s)
        found.append((np.full(near.stop - near.start, math.log(before / after)), float(after - before)))
    answered = np.diff(sent.failed) == 0
    times = np.log(np.maximum(sent.ended_s - sent.since_s, 1 / NS))
    ok = [times[part][answered[part]] for part in held]
    if min(part.size for part in ok) >= _FEW:
        before, after = (float(np.median(part)) for part in ok)
        apart = abs(after - before)
        error = _OF_MEDIAN * math.hypot(*(float(part.std()) / math.sqrt(part.size) for part in ok))
        if 1 - math.exp(-apart) >= WORTH and apart >= _CLEARLY * error:
            spread = max(apart / _SHARPEST, *(float(np.abs(part - np.median(part)).mean()) for part in ok))
            gain = (np.abs(times[near] - after) - np.abs(times[near] - before)) / spread
            return [*found, (np.where(answered[near], gain, 0.0), 0.0)]
    if found or sizes.min() == 0:
        return found
    shares = np.array([1 - float(answered[part].mean()) for part in held])
    error = math.hypot(*np.sqrt(shares * (1 - shares) / sizes))
    if np.ptp(shares) < max(_WORTH_FAILING, _CLEARLY * error):
        return []
    before, after = np.clip(shares, 0.5 / sizes, 1 - 0.5 / sizes)
    return [(np.where(answered[near], math.log((1 - before) / (1 - after)), math.log(before / after)), 0.0)]
