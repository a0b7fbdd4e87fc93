"""When requests were sent: levels are told by it, as slow answers come after the level of their requests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.commands.load import Load
    from poolkeeper.results import Series

    Gap = tuple[int, int]

_USUAL = 0.99
_NEAR_S = 2.0
"""Seconds from the end of a level to one in which there was a request."""
_TINY = 1e-6
"""Seconds by which rounding may put a time before its second."""
_LONG_S = 1.0
"""Mean response time of a level from which answers of one second's requests come in several."""
_SILENT = 0.5
"""Share of a gap without an answer in which nothing is sent, where the gap is one between two tests."""


@dataclass(frozen=True)
class Sent:
    """When requests were sent, in seconds since the series of the answers began, and when they were answered."""

    since_s: Floats
    """When each request was sent, in ascending order."""
    ended_s: Floats
    """When each of them was answered."""
    failed: Integers
    """Number of failed requests before each of them, and in all."""
    gaps: Mapping[Gap, Gap]
    """Intervals between two tests in which no answer came, and those of them, or around them, in which none was sent.

    A gap in which requests are sent, and wait, is none.
    """
    course: SentCourse | None
    """Rates and response times by when requests were sent; None where responses come fast, so that ends say as much."""
    is_whole: bool
    """Whether all that is known of that is in which second."""
    ends_whole: bool = False
    """Whether all that is known of the ends is in which second."""

    def counts(self, between_s: tuple[float, float]) -> tuple[int, int]:
        """Requests that were sent between two times, and those of them that failed."""
        low, high = np.searchsorted(self.since_s, between_s)
        return int(high - low), int(self.failed[high] - self.failed[low])

    def first_after(self, at_s: float) -> float:
        """When the first request was sent from a time on."""
        return float(self.since_s[np.searchsorted(self.since_s, at_s)])

    def rate(self, between_s: tuple[float, float]) -> float:
        """Requests a second between the first and the last one that were sent between two times; NaN of fewer."""
        sent = self.since_s[slice(*np.searchsorted(self.since_s, between_s))]
        return (sent.size - 1) / float(np.ptp(sent)) if sent.size > 1 and np.ptp(sent) > 0 else math.nan

    def rate_between(self, between_s: tuple[float, float], every_s: float, open_: tuple[bool, bool]) -> float:
        """Requests a second of a level, whose begin and end are those of its requests where they are `open_`.

        So they are where a generator paused between two levels for less than an interval.
        """
        low, high = np.searchsorted(self.since_s, between_s)
        if low == high:
            return 0.0
        first, last = float(self.since_s[low]), float(self.since_s[high - 1])
        begins, ends = open_[0] or first - between_s[0] < every_s, open_[1] or between_s[1] - last < every_s
        begin, end = first if begins else between_s[0], last if ends else between_s[1]
        # Of requests and the times between them, those at an end that is a request's are one fewer.
        count = int(high - low) - (begins + ends) / 2
        return count / (end - begin) if count > 0 and end > begin else math.nan

    def rate_of_level(self, between_s: tuple[float, float], every_s: float, open_: tuple[bool, bool]) -> float:
        """The same as far as stamps tell; NaN where their answers tell more, as of short ones in whole seconds."""
        if not (self.is_whole or self.ends_whole):
            return self.rate_between(between_s, every_s, open_)
        part = slice(*np.searchsorted(self.since_s, between_s))
        times_s = self.ended_s[part] - self.since_s[part]
        if times_s.size and float(times_s.mean()) >= _LONG_S:
            return self._rate_of_long(self.since_s[part], between_s, open_)
        if self.is_whole:
            return math.nan
        found = self._rate_of_seconds(between_s, open_=open_)
        return self.rate_between(between_s, every_s, open_) if math.isnan(found) else found

    def _rate_of_seconds(self, between_s: tuple[float, float], *, open_: tuple[bool, bool]) -> float:
        """The same where only the second is known in which each request ended; NaN of less than a second.

        Of the seconds in which its first and its last request ended, the level may fill a part: they are left out.
        """
        part = slice(*np.searchsorted(self.since_s, between_s))
        since_s, ended_s = self.since_s[part], self.ended_s[part]
        if not since_s.size:
            return 0.0
        begin = math.floor(ended_s.min() + _TINY) + 1
        # A slow request may end long after the last one was sent.
        end = math.floor(ended_s[since_s == since_s[-1]].min() + _TINY)
        # Seconds without a request are of the level as well.
        begin = begin if open_[0] or begin - between_s[0] <= _NEAR_S else math.ceil(between_s[0])
        end = end if open_[1] or between_s[1] - end <= _NEAR_S else math.floor(between_s[1])
        # Of the requests of its last moments, those that take longer end in a second that is left out.
        length = end - begin - float(np.minimum(ended_s - since_s, max(0, end - begin)).mean())
        count = int(np.count_nonzero((since_s >= begin) & (ended_s < end - _TINY)))
        return count / length if end - begin >= 1 and length > 0 else math.nan

    @staticmethod
    def _rate_of_long(since_s: Floats, between_s: tuple[float, float], open_: tuple[bool, bool]) -> float:
        """The same of requests that take so long that those of one second end in several.

        Beyond the capacity of a server their answers do not come at the rate at which they are sent.
        """
        # A request was sent within a second of the time that is known.
        begin = math.floor(since_s[0]) + 2 if open_[0] else math.ceil(between_s[0])
        end = math.floor(since_s[-1]) - 1 if open_[1] else math.floor(between_s[1])
        count = int(np.count_nonzero((since_s >= begin) & (since_s < end)))
        return count / (end - begin) if end > begin else math.nan

    def late(self, between_s: tuple[float, float], end_s: float) -> int:
        """Number of requests sent between two times whose answers came after the end of their level."""
        return int(np.count_nonzero(self.ended_s[slice(*np.searchsorted(self.since_s, between_s))] > end_s))

    @classmethod
    def of(cls, load: Load) -> Sent | None:
        """None where requests are not looked at one by one, and where the files do not tell their times."""
        total, series = load.total, load.total.survey.series_of_load
        if series is None or not total.single or not load.single or "start_ns" not in total.rows:
            return None
        rows, first = total.rows, int(series.start_ns[0])
        order = np.argsort(total.sent_ns, kind="stable")
        since_s = (total.sent_ns[order] - first) / NS
        ok = rows.get("ok", np.ones(order.size, np.bool_))[order]
        return cls(
            since_s,
            since_s + rows["response_ns"][order] / NS,
            np.concatenate([[0], np.cumsum(~ok)]),
            _gaps(since_s, series),
            SentCourse.of(load, series),
            not (total.sent_ns % NS).any(),
            not ((rows["start_ns"] + rows["response_ns"]) % NS).any(),
        )


def _gaps(since_s: Floats, series: Series) -> dict[Gap, Gap]:
    """See Sent: the answers of a test may begin long after its first request, and go on long after its last one."""
    found = {}
    for (begin, end), (following, _) in pairwise([*series.gaps, (len(series) + 1, 0)]):
        low, high, last = (int(np.searchsorted(since_s, at * series.every_s)) for at in (begin, end, following))
        nearby = since_s[max(0, low - 1) : min(high + 1, last)]
        if nearby.size < 2:  # noqa: PLR2004 - nothing was sent before the next gap
            continue
        place = int(np.diff(nearby).argmax())
        if nearby[place + 1] - nearby[place] >= _SILENT * (end - begin) * series.every_s:
            stop, start = (int(at // series.every_s) for at in nearby[place : place + 2])
            found[begin, end] = (max(0, stop + 1), start)
    return found


def gaps_of(load: Load) -> Mapping[Gap, Gap]:
    """The gaps between two tests, as `Sent` has them; as answers tell them where it is not known what was sent."""
    if load.sent is not None:
        return load.sent.gaps
    series = load.total.survey.series_of_load
    return {} if series is None else {gap: gap for gap in series.gaps}


@dataclass(frozen=True)
class SentCourse:
    """Requests a second and median response times of the intervals in which requests were sent.

    Of a steady load with response times of 5 to 60 s, only the fast requests end in the first minute, and only the slow
    ones after the last was sent: by their ends, rate and response times seem to rise and fall. The intervals are those
    of the series, without the last ones where a test did not wait for slow responses.
    """

    rates: Floats
    """Requests a second."""
    medians: Floats
    """In milliseconds, of the intervals `at`, in which something was sent that succeeded."""
    at: Integers

    @classmethod
    def of(cls, load: Load, series: Series) -> SentCourse | None:
        """None where responses come fast."""
        total = load.total
        if not total.is_slow:
            return None
        every_ns, usual_ns = series.every_s * NS, total.survey.digest.quantile(_USUAL)
        first, last = int(series.start_ns[0]), int(total.rows["start_ns"].max())
        answered_ns = (total.survey.last_end_ns or last) - usual_ns
        n = max(0, int((min(last, answered_ns) - first) // every_ns))
        places = ((total.sent_ns - first) // every_ns).astype(np.int64)
        rates = np.bincount(places[(places >= 0) & (places < n)], minlength=n) / series.every_s
        places = ((load.sent_ns - first) // every_ns).astype(np.int64)
        held = (places >= 0) & (places < n)
        order = np.argsort(places[held], kind="stable")
        at, begins = np.unique(places[held][order], return_index=True)
        parts = np.split(load.rows["response_ns"][held][order] / 1e6, begins[1:]) if at.size else []
        medians = np.array([float(np.median(part)) for part in parts])
        answered = medians > 0
        return cls(rates, medians[answered], at[answered])
