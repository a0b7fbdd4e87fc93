"""Cuts of a test: the intervals in which its users, its rate, its failures or its response times changed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poolkeeper.latency.ordered.spikes import spikes
from poolkeeper.latency.ordered.steps import LEAST, confirmed, steps, worth
from poolkeeper.scalability.stretches import SHORTEST, Stretch, alike, filled, stretches, tests
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.commands.steps.sent import Sent
    from poolkeeper.latency.ordered.courses import Ramp
    from poolkeeper.results import Series as Intervals
    from poolkeeper.scalability.stretches import Gaps

WORTH = 0.1
"""Least relative change of a rate or a median that is called a step."""
_WORTH_FAILING = 0.01
"""Least change of the share of failures that is called a step."""
_CLEARLY = 6.0
"""Standard errors by which shares of failures differ from level to level."""
_BLOCKS = 24
"""Sums of neighbours from which their spread is taken."""
_ALWAYS = 0.9
"""Share of the test in which the users hold still, from which on they are taken not to change."""
_APART = 10
"""Intervals by which a step of the rate and one of the response times differ at least."""
_PART = 0.05
"""Part of an interval that a whole one may lack."""
_SHORT = 0.1
"""Share of the test that is no level of its own beside a ramp."""
_RATE_NOISE = 0.5
"""Standard deviation of the root of a count of independent events (Poisson)."""
_SPIKE_OF_RATE = 0.25
"""Least relative change of the root of a rate in a spike: to 1.6 times the rate, or to 0.6."""
_SPIKE_OF_FAILURES = 0.2
"""Least change of the share of failures in a spike."""
_SECOND = 1.0
"""Seconds within which a request began that is stamped with a whole second."""
_OUTAGES = 1
"""More stretches in which requests fail, single seconds among them, are bursts, and bursts are no change."""
_OUTAGE_ENDS = 2
"""Times that the share of failures crosses its middle at most: where an outage begins, and where it ends."""
_FAILED = 1.5
"""Failures of an interval on average from which medians of neighbours show their level."""
_FEWEST = 4 * LEAST
"""Intervals that are joined no further to hold more failures."""


class Cut(NamedTuple):
    """Intervals of a level or a ramp, and the ends of a ramp."""

    part: Stretch
    ends: tuple[float, float] | None = None
    of_users: bool = False
    """Whether the ends are numbers of users, whatever parts the other levels."""


def cuts_of(
    total: Intervals, series: Intervals, sent: Sent | None, gaps: Gaps, last_sent_ns: int | None
) -> tuple[str, list[Cut]]:
    """The cause of the levels, and the intervals of each, without the gaps between two tests; "gap" if it is these.

    `sent` tells of slow responses when they were sent. `last_sent_ns` is when the last request was, after which answers
    are fewer and fewer; None if that is not known, and where the load went on.
    """
    cause, cuts = _cuts_across_gaps(total, series, sent, gaps, last_sent_ns)
    if not gaps:
        return cause, cuts
    found = _without_gaps(cuts, gaps)
    if len(cuts) == 1:
        return "gap", found
    if cause in {"rate", "answers"} and _alike(total, found):
        return "gap", [Cut(Stretch(test.start, test.stop, ramp=False)) for test in tests(len(total), gaps)]
    return cause, found


def _without_gaps(cuts: Sequence[Cut], gaps: Gaps) -> list[Cut]:
    """Levels and ramps that end where a gap begins, and begin where one ends."""
    edges = [edge for gap in gaps for edge in gap]

    def near(place: int) -> int:
        return next((edge for edge in edges if abs(place - edge) < SHORTEST), place)

    found: list[Cut] = []
    for part, ramp, of_users in cuts:
        pieces = [(near(part.begin), near(part.end))]
        for begin, end in gaps:
            sides = ((low, min(high, begin), max(low, end), high) for low, high in pieces)
            pieces = [piece for a, b, c, d in sides for piece in ((a, b), (c, d)) if piece[1] > piece[0]]
        found += [Cut(Stretch(low, high, part.ramp), ramp, of_users) for low, high in pieces]
    return found


def _alike(total: Intervals, cuts: Sequence[Cut]) -> bool:
    """Whether the rates of all levels are within a tenth, so that nothing but gaps parts them."""
    rates = [
        float(total.throughput[part.begin : part.end][total.loaded[part.begin : part.end]].mean())
        for part, *_ in cuts
        if total.loaded[part.begin : part.end].any()
    ]
    return max(rates, default=0.0) - min(rates, default=0.0) < WORTH * max(rates, default=0.0)


def _cuts_across_gaps(
    total: Intervals, series: Intervals, sent: Sent | None, gaps: Gaps, last_sent_ns: int | None
) -> tuple[str, list[Cut]]:
    """The cause of the levels, and the intervals of each, gaps among them."""
    by_users = [] if np.isnan(total.users).all() else stretches(total.users, gaps)
    longest = _longest(filled(total.users, gaps), by_users, gaps) if by_users else 0
    # With as many users all the time, the rate follows the response times.
    spikes = any(part.spike for part in by_users)
    constant = not spikes and longest >= _ALWAYS * sum(test.stop - test.start for test in tests(len(total), gaps))
    if not constant and (cuts := _by_users(total, by_users, gaps, longest)):
        return "users", cuts
    sent_course = None if sent is None else sent.course
    whole = len(total) if last_sent_ns is None else _whole(total, last_sent_ns)
    if constant:
        # Users who leave at the end answer for the rate, and not the system.
        whole = min(whole, by_users[-1].begin if by_users[-1].ramp else by_users[-1].end)
    rates = _rates(total, sent)[: whole + 1] if sent_course is None else sent_course.rates
    by_rate = _Course((), ()) if constant else _by_rate(rates)
    offset = round((int(series.start_ns[0]) - int(total.start_ns[0])) / series.every_s / 1e9)
    if sent_course is None:
        medians, at = _medians(series, offset, last_sent_ns)
    else:
        medians, at = sent_course.medians, sent_course.at
    by_times = _by_medians(medians, at)
    by_failures = _by_failures(total, sent, whole + 1)
    if by_rate.places:
        within = _within(by_rate, by_times, medians, at)
        return "rate", _pieces(by_rate, [*within, *by_failures.places], len(total), whole + 1)
    if by_times.places:
        ramps = [part for part in by_users if part.ramp]
        if any(_near(place, ramp) for place in by_times.places for ramp in ramps):
            return _beside_ramps(total, ramps, by_times, by_failures)
        return "times", _pieces(by_times, by_failures.places, len(total), whole + 1)
    if by_failures.places or not constant:
        return "failures", _pieces(by_failures, [], len(total))
    return "answers", _pieces(_by_rate(rates), [], len(total), whole + 1)


def _rates(total: Intervals, sent: Sent | None) -> Floats:
    """Requests a second of each interval, by when they were sent where that is known, and else by their answers.

    Beyond the capacity of a server answers come at its own rate, whatever is sent.
    """
    if sent is None or not sent.since_s.size:
        return total.throughput
    # Where the second alone is known, a request was sent up to a second after its beginning.
    late_s = _SECOND / 2 if sent.is_whole else 0.0
    places = ((sent.since_s + late_s) / total.every_s).astype(np.int64)
    found: Floats = np.bincount(np.maximum(places, 0), minlength=len(total))[: len(total)] / total.every_s
    return found


def _whole(series: Intervals, until_ns: int) -> int:
    """Number of the intervals that end before a time, or hardly after it."""
    return max(0, int((until_ns - int(series.start_ns[0])) / round(series.every_s * NS) + _PART))


def _by_users(total: Intervals, parts: Sequence[Stretch], gaps: Gaps, longest: int) -> list[Cut]:
    """Levels and ramps of the users; of users that never held still their ramps, and the rest between these."""
    moving = sum(part.end - part.begin for part in parts if part.ramp)
    if (longest and len(parts) > 1) or moving >= _ALWAYS * len(total):
        return [Cut(part, _users_of(total, part) if part.ramp else None) for part in parts]
    if longest or np.isnan(total.users).all():
        return []
    users = filled(total.users, gaps)
    course = _Course.of(users, steps(users), np.arange(users.size))
    found = [cut.part for cut in _pieces(course, [], len(total))] if course.ramps else []
    return [Cut(part, ends_of(users[part.begin : part.end]) if part.ramp else None) for part in found]


def _longest(users: Floats, parts: Sequence[Stretch], gaps: Gaps) -> int:
    """Intervals of the longest level, which may go on with as many users after a gap."""
    found = size = 0
    last: Stretch | None = None
    for part in parts:
        level = float(np.median(users[part.begin : part.end]))
        goes_on = last is not None and (last.end, part.begin) in gaps and alike(level, float(users[last.begin]))
        size = 0 if part.ramp else (size if goes_on else 0) + part.end - part.begin
        found, last = max(found, size), None if part.ramp else part
    return found


def _near(place: int, part: Stretch) -> bool:
    return part.begin - _APART < place < part.end + _APART


def _users_of(total: Intervals, part: Stretch) -> tuple[float, float]:
    return ends_of(total.users[part.begin : part.end])


def _beside_ramps(
    total: Intervals, ramps: Sequence[Stretch], by_times: _Course, by_failures: _Course
) -> tuple[str, list[Cut]]:
    """Short ramps of users, and the levels of the response times without those that come of these ramps."""
    from poolkeeper.latency.ordered.courses import Ramp

    def apart(course: _Course) -> list[int]:
        return [place for place in course.places if not any(_near(place, ramp) for ramp in ramps)]

    spans = tuple(Ramp(part.begin, part.end, *_users_of(total, part)) for part in ramps)
    others = tuple(
        ramp for ramp in by_times.ramps if not any(ramp.begin < part.end and ramp.end > part.begin for part in ramps)
    )
    cuts = _pieces(_Course(tuple(apart(by_times)), (*spans, *others)), apart(by_failures), len(total))
    found = [
        cut._replace(of_users=any(cut.part.begin <= ramp.begin and ramp.end <= cut.part.end for ramp in ramps))
        for cut in cuts
    ]
    return "times" if apart(by_times) else "users", found


@dataclass(frozen=True)
class _Course:
    """Places at which a series steps, and ramps that some of these steps are pieces of."""

    places: tuple[int, ...]
    ramps: tuple[Ramp, ...]

    @classmethod
    def of(cls, values: Floats, places: Sequence[int], at: Integers) -> _Course:
        """Steps and ramps that change a series by a tenth or more; `at` are the intervals of its values."""
        from poolkeeper.latency.ordered.courses import Ramp, ramps

        kept = worth(places, values, WORTH)
        risen = [
            found
            for found in ramps(values, kept)
            if abs(found.last - found.first) >= WORTH * max(found.first, found.last)
        ]
        return cls(
            tuple(int(at[place]) for place in kept),
            tuple(Ramp(int(at[found.begin]), int(at[found.end - 1]) + 1, found.first, found.last) for found in risen),
        )

    def with_spikes(self, found: Sequence[tuple[int, int]], offset: int) -> _Course:
        """The same with the ends of spikes among its steps, but for those within a ramp."""
        ends = {offset + end for spike in found for end in spike}
        outside = {end for end in ends if not any(ramp.begin <= end <= ramp.end for ramp in self.ramps)}
        return _Course(tuple(sorted({*self.places, *outside})), self.ramps)


def _pieces(course: _Course, others: Sequence[int], size: int, loaded: int | None = None) -> list[Cut]:
    """The levels and ramps of a course of `size` intervals; steps of others part them that are not too near.

    Requests were sent in the first `loaded` of these, in all unless that is given: the others hold their last answers.
    """
    of_load = size if loaded is None else min(size, loaded)
    spans = []
    for found in course.ramps:
        # What is left beside a ramp is no level if it is too short.
        short = max(_APART, _SHORT * of_load)
        begin, end = 0 if found.begin < short else found.begin, size if of_load - found.end < short else found.end
        spans.append((begin, end, (max(0.0, found.first), max(0.0, found.last))))
    steep = [place for place in course.places if not any(low <= place <= high for low, high, _ in spans)]
    near = [*course.places, *(end for low, high, _ in spans for end in (low, high))]
    further = [
        place
        for place in others
        if all(abs(place - other) >= _APART for other in near) and not any(low < place < high for low, high, _ in spans)
    ]
    ends = sorted({0, size, *steep, *further, *(end for low, high, _ in spans for end in (low, high))})
    found_ends = {(low, high): ramp for low, high, ramp in spans}
    return [
        Cut(Stretch(low, high, ramp=(low, high) in found_ends), found_ends.get((low, high)))
        for low, high in pairwise(ends)
    ]


def _by_rate(found: Floats) -> _Course:
    """Course of rates, the first and the last of which are cut short."""
    rates = found[1:-1]
    if not rates.size:
        return _Course((), ())
    # Without its spikes, the level of a series is found where it is.
    short, roots = spikes(np.sqrt(rates), noise=_RATE_NOISE, ratio=_SPIKE_OF_RATE)
    return _Course.of(roots**2, steps(roots), 1 + np.arange(rates.size)).with_spikes(short, 1)


def _by_failures(total: Intervals, sent: Sent | None, until: int) -> _Course:
    """Course of the share of failed requests `until` an interval; those without an answer are passed over."""
    if sent is None or sent.course is None:
        answered, failed = total.count[:until].astype(np.float64), total.errors[:until].astype(np.float64)
    else:
        edges = np.searchsorted(sent.since_s, np.arange(sent.course.rates.size + 1) * total.every_s)
        answered, failed = np.diff(edges).astype(np.float64), np.diff(sent.failed[edges]).astype(np.float64)
    at = np.flatnonzero(answered)
    answered, failed = answered[at], failed[at]
    if not failed.any():
        return _Course((), ())
    part = failed.sum() / answered.sum()
    noise = float(np.sqrt(part * (1 - part) / np.median(answered)))
    short, shares = spikes(failed / answered, noise=noise, far=_SPIKE_OF_FAILURES, most=_OUTAGES)
    kept = _worth_failing(_failing(answered, shares * answered), answered, shares * answered)
    places = sorted({*kept, *(end for ends in short for end in ends)})
    if _comes_and_goes(places, answered, failed):
        # Of bursts only one place can part few from many, by the noise that they are.
        alone = [place for place in places if _worth_failing([place], answered, failed)]
        places = [max(alone, key=lambda place: _gain(np.array([place]), answered, failed)[0])] if alone else []
    places = _placed(places, answered, failed)
    return _Course(tuple(int(at[place]) for place in places), ())


def _failing(answered: Floats, failed: Floats) -> list[int]:
    """Steps of the share of failures, in intervals as they are and in so long ones that each holds some failures."""
    width = max(1, min(int(_FAILED * failed.size / max(1.0, failed.sum())), failed.size // _FEWEST))
    found: set[int] = set()
    for size in {1, width}:
        whole = failed.size - failed.size % size
        sums, failures = (values[:whole].reshape(-1, size).sum(axis=1) for values in (answered, failed))
        # The arcsine makes the noise of a share the same for any share.
        found |= {place * size for place in steps(np.arcsin(np.sqrt(failures / sums)))}
    return sorted(found)


def _comes_and_goes(places: Sequence[int], answered: Floats, failed: Floats) -> bool:
    """Whether the share of failures rises and falls more than once: bursts, some of which may be too short for levels.

    A long outage and a short one elsewhere are no bursts.
    """
    ends = [0, *places]
    shares = np.add.reduceat(failed, ends) / np.add.reduceat(answered, ends)
    middle = (shares.max() + shares.min()) / 2
    high = shares > middle
    crossings = int(np.count_nonzero(np.diff(high)))
    if crossings != _OUTAGE_ENDS or high[0]:
        return crossings > _OUTAGE_ENDS
    outside = ~np.repeat(high, np.diff([*ends, failed.size]))
    expected = answered * failed[outside].sum() / answered[outside].sum()
    bursts = outside & (failed > np.maximum(middle * answered, expected + _CLEARLY * np.sqrt(expected) + 1))
    return bool(np.count_nonzero(bursts) > _SHORT * np.count_nonzero(~outside))


def _placed(places: Sequence[int], answered: Floats, failed: Floats) -> list[int]:
    """Each place moved to where it parts the intervals between its neighbours best."""
    found = list(places)
    for k in range(len(found)):
        low, high = found[k - 1] if k else 0, found[k + 1] if k + 1 < len(found) else failed.size
        tried = np.arange(1, high - low)
        found[k] = low + int(tried[_gain(tried, answered[low:high], failed[low:high]).argmax()])
    return found


def _gain(places: Integers, answered: Floats, failed: Floats) -> Floats:
    """Log-likelihood of independent failures that one place adds, at each of some places."""
    sums, failures = np.cumsum(answered), np.cumsum(failed)
    before, bad = sums[places - 1], failures[places - 1]
    return _likelihood(bad, before) + _likelihood(failures[-1] - bad, sums[-1] - before)


def _likelihood(failed: Floats, answered: Floats) -> Floats:
    """Log-likelihood of independent failures at their own share."""
    share = np.clip(failed / answered, 1e-12, 1 - 1e-12)
    found: Floats = failed * np.log(share) + (answered - failed) * np.log1p(-share)
    return found


def _worth_failing(places: Sequence[int], answered: Floats, failed: Floats) -> list[int]:
    """The steps that change the share of failures by one in a hundred or more, and by more than bursts do.

    Between bursts nothing fails, so that medians of the intervals do not show the noise that bursts are. The least
    clear step goes first.
    """
    kept = list(places)
    while kept:
        ends = [0, *kept]
        sizes = np.add.reduceat(answered, ends)
        shares = np.add.reduceat(failed, ends) / sizes
        rest = failed - np.repeat(shares, np.diff([*ends, failed.size])) * answered
        error = np.sqrt(_spread(rest) / answered.mean() * (1 / sizes[1:] + 1 / sizes[:-1]))
        least = np.maximum(_WORTH_FAILING, WORTH * np.maximum(shares[1:], shares[:-1]))
        clear = np.abs(np.diff(shares)) / np.maximum(least, _CLEARLY * error)
        if clear.min() >= 1:
            break
        del kept[int(np.argmin(clear))]
    return kept


def _spread(values: Floats) -> float:
    """Variance of the sum of many values over their number: the largest over sums of neighbours, few and many."""
    length, found = 1, 0.0
    while length <= max(1, values.size // _BLOCKS):
        sums = values[: values.size - values.size % length].reshape(-1, length).sum(axis=1)
        found = max(found, float((sums**2).mean()) / length)
        length *= 2
    return found


def _medians(series: Intervals, offset: int, last_sent_ns: int | None) -> tuple[Floats, Integers]:
    """Median response times in milliseconds, and the intervals they are of; those without an answer are passed over.

    So are the first one, in which only fast responses end, and those after the last request was sent, in which only
    slow ones do.
    """
    medians = series.quantile(0.5)
    whole = np.arange(len(series)) > 0
    if last_sent_ns is not None:
        whole &= series.start_ns + round(series.every_s * NS) <= last_sent_ns
    answered = np.flatnonzero((medians > 0) & whole)
    return medians[answered] / NANOSECONDS["ms"], offset + answered


def _by_medians(values: Floats, at: Integers) -> _Course:
    """Course of median response times in milliseconds, none of them 0, of the intervals `at`."""
    return _Course.of(values, steps(np.log(values)), at) if values.size else _Course((), ())


def _within(by_rate: _Course, by_times: _Course, medians: Floats, at: Integers) -> list[int]:
    """Steps of the response times that part a level of the rate by what this level itself holds.

    Of a level that is found against all of a longer test, the other levels of the rate are most.
    """
    found: list[int] = []
    ends = [0, *by_rate.places, int(at[-1]) + 1 if at.size else 0]
    for low, high in pairwise(ends):
        held = (at >= low) & (at < high)
        places = [int(np.count_nonzero(at[held] < place)) for place in by_times.places if low < place < high]
        inner = [place for place in places if 0 < place < np.count_nonzero(held)]
        kept = worth(confirmed(np.log(medians[held]), inner), medians[held], WORTH) if inner else []
        found += [int(at[held][place]) for place in kept]
    return found


def ends_of(users: Floats) -> tuple[float, float]:
    """The first and the last number of users that is known."""
    found = users[~np.isnan(users)]
    return (float(found[0]), float(found[-1])) if found.size else (np.nan, np.nan)
