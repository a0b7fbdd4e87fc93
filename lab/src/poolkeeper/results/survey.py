"""One pass over results of any size: everything that an analysis needs of them but the values themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from poolkeeper.latency import buckets
from poolkeeper.latency.digest import Digest
from poolkeeper.present.numbers import time
from poolkeeper.results import series as intervals
from poolkeeper.results.checks import CLOCK_KINDS, odd
from poolkeeper.results.findings import Findings
from poolkeeper.results.generators import SEPARATOR, ThreadTimes
from poolkeeper.results.sending_times import EVERYTHING
from poolkeeper.results.series import Series
from poolkeeper.results.spreading import spread
from poolkeeper.results.tallies import BUCKET_BITS, Counts, Moments, Tails, combined, distinct
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.latency.buckets import Accuracy
    from poolkeeper.results.checks import Seen, Watch
    from poolkeeper.results.findings import Finding
    from poolkeeper.results.sending_times import Window

MOST_GROUPS = 100_000
"""Most labels (or other groups) that are told apart."""

OTHERS = "(others)"
"""Common name of those beyond that number."""

_GROUP_TAIL = 10_000
_USUAL = 0.99
"""Share of the requests whose response times are usual."""
_LATE = 0.05
"""Share of the time of the load by which a response is late."""
_FEW_SLOW = 0.25
"""Share of the largest usual response time below which a mean shows that only some requests take long."""

_NEAR = 5
"""Times that requests are apart in the mean, within which the next one comes of a load that goes on."""
_STANDS = 10
"""Intervals that users wait at least for the last responses of a server that stands still."""
_WAITING = 0.5
"""Share of the users who wait for them at least."""
_TOGETHER, _OF_THEM = 3, 0.1
"""Intervals, or part of all of them, in which the last responses come at most."""
_OF_SLOW = 0.45
"""Share of the responses that take long which they are at least: others come from time to time."""
_HARDLY = 0.01
"""Share of an interval that may be missing from it."""


@dataclass(frozen=True, eq=False)
class Survey:
    """Result of one pass."""

    digest: Digest
    """All response times in nanoseconds."""
    groups: Mapping[str, Digest]
    """Those of each label (or what was grouped by), in order of their names."""
    errors: Mapping[str, int]
    """Failed requests of each; empty where the file does not tell."""
    series: Series | None
    """Series over time; None for results without times, and for times too far apart to look at each interval."""
    first_start_ns: int | None
    """When the first request was sent; None for results without times."""
    last_end_ns: int | None
    """When the last response was there."""
    noted: tuple[Finding, ...]
    """Findings while the files were read."""
    seen: tuple[Seen, ...]
    """Properties of each file, to judge all of them together."""
    step_ns: int = 1
    """Step of which all response times were found to be multiples, in nanoseconds."""
    last_start_ns: int | None = None
    """When the last request was sent; None where the results hold no single requests."""
    goes_on_from_ns: int | None = None
    """Begin of a cut by time, where requests that were sent before it are left out: the load had begun."""
    goes_on_until_ns: int | None = None
    """End of such a cut, where requests that were sent after it are left out: the load had not ended."""

    @cached_property
    def warnings(self) -> tuple[Finding, ...]:
        """Warnings for readers: the findings, and oddities of the files, alone and together."""
        findings = Findings()
        odd(findings, self.seen, self.series_of_load)
        ended = self.end_ns if not self.ends_at_cut else None
        if self.last_end_ns is not None and ended is not None and ended < self.last_end_ns:
            late = (self.last_end_ns - ended) / NS
            words = f"the last response came {time(late)} after the load had ended"
            findings.add("late", f"{words}: rates are those of the load alone")
        waits = self.waits and not self.ends_at_cut
        if waits and self.last_end_ns is not None and self.last_start_ns is not None:
            words = f"users waited {time((self.last_end_ns - self.last_start_ns) / NS)} for the last responses"
            findings.add("stands still", f"{words}: the server stood still, and the load had not ended")
        if self.first_start_ns is not None and self.begin_ns is not None and self.first_start_ns < self.begin_ns:
            early = (self.begin_ns - self.first_start_ns) / NS
            words = f"the first request was sent {time(early)} before the load began"
            findings.add("early", f"{words}: rates are those of the load alone, times count from that request")
        return (*self.noted, *findings.all())

    @property
    def clock_doubted(self) -> bool:
        """Whether the times are no ground for a rate: a clock was set or too coarse, or they are too far apart."""
        return any(warning.kind in CLOCK_KINDS for warning in self.warnings)

    @property
    def duration_s(self) -> float:
        """From the beginning of the load to its end, in seconds; NaN for results without times."""
        if self.begin_ns is None or self.end_ns is None:
            return math.nan
        return (self.end_ns - self.begin_ns) / NS

    @cached_property
    def begin_ns(self) -> int | None:
        """When the load began: with the first request, unless that was sent long before the first response.

        The log of a server may begin with the end of a request that was sent hours before, as a log that was rotated
        does. The load then began as long before the first response as 99 of 100 requests take at most. A load that was
        cut had begun before, unless it paused there.
        """
        first, end, cut_ns = self.first_start_ns, self.end_ns, self.goes_on_from_ns
        if first is not None and cut_ns is not None and 0 <= first - cut_ns <= self._near_ns:
            return cut_ns
        if first is None or end is None or self.last_start_ns is None or self.series is None or not self.digest.count:
            return first
        usual = max(first, int(self.series.start_ns[0]) - round(self.digest.quantile(_USUAL)))
        # Of the first response only its interval is known.
        return usual if usual - first > max(_LATE * (end - usual), self.series.every_s * NS) else first

    @cached_property
    def end_ns(self) -> int | None:
        """When the load had ended: with the last response, unless that came late.

        A single request may take longer than the whole test. Where the last response came long after the last request
        was sent, the load ended the time later that 99 of 100 requests took at most. Where requests take much less on
        average, that late come only some, such as timeouts: the load then ended the average later. Where users wait for
        the last responses, and for no others that long, the server stood still under a load that went on. A load that
        was cut went on until the cut, if it did so until then: answers that came later are not its end.
        """
        found, cut_ns = self._own_end_ns, self.goes_on_until_ns
        if found is None or cut_ns is None or self.last_start_ns is None:
            return found
        return cut_ns if cut_ns - self.last_start_ns <= self._near_ns else min(found, cut_ns)

    @cached_property
    def _near_ns(self) -> float:
        """Time from a cut in which requests that go on there hardly ever lack; 0 where it is not known."""
        first, last, count = self.first_start_ns, self.last_start_ns, self.digest.count
        return 0.0 if first is None or last is None or count <= 1 else _NEAR * (last - first) / (count - 1)

    @property
    def ends_at_cut(self) -> bool:
        """Whether the load went on when a cut by time ends: all requests that are left were sent until then."""
        return self.end_ns is not None and self.last_start_ns is not None and self.end_ns == self.goes_on_until_ns

    @cached_property
    def _own_end_ns(self) -> int | None:
        """See `end_ns`: when the load ended, as far as the requests that are left tell."""
        first, last = self.first_start_ns, self.last_end_ns
        usual = self._usual_end_ns
        if first is None or last is None or usual is None or self.waits:
            return last
        return usual if last - usual > _LATE * (usual - first) else last

    @cached_property
    def _usual_end_ns(self) -> int | None:
        """See `end_ns`: when the load ended if the last requests took as long as others; None if that is not known."""
        sent, last = self.last_start_ns, self.last_end_ns
        if sent is None or last is None or not self.digest.count:
            return None
        return min(last, sent + self.usual_ns)

    @cached_property
    def usual_ns(self) -> int:
        """The time after which requests are answered: that of 99 of 100, or the mean where only some take long."""
        longest, mean = self.digest.quantile(_USUAL), self.digest.mean
        return round(mean if mean < _FEW_SLOW * longest else longest)

    @cached_property
    def waits(self) -> bool:
        """Whether users wait for the last responses, half of them or more, and for hardly any other that long.

        These come together: others that come late were sent one by one, while the rest was answered.
        """
        usual, last, series = self._usual_end_ns, self.last_end_ns, self.series
        if usual is None or last is None or series is None or last - usual < _STANDS * series.every_s * NS:
            return False
        answered = series.count[series.start_ns >= usual]
        late = int(answered.sum())
        users = series.users[(series.start_ns < usual) & ~np.isnan(series.users)][-_STANDS:]
        if not users.size or late < max(1.0, _WAITING * float(np.median(users))):
            return False
        if np.count_nonzero(answered) > max(_TOGETHER, _OF_THEM * answered.size):
            return False
        others = 1 - late / (_OF_SLOW * self.digest.count)
        return self.digest.quantile(max(0.0, others)) < (last - usual) / 2

    @cached_property
    def series_of_load(self) -> Series | None:
        """The series until the load had ended; how users leave after the last request was sent is no load."""
        if self.series is None or self.end_ns is None:
            return None
        found = self.series.until(self.end_ns)
        if self.last_start_ns is None or self.waits:
            return found
        users = np.where(found.start_ns + round(found.every_s * NS) > self.last_start_ns, np.nan, found.users)
        return found if np.isnan(users).all() else replace(found, users=users)

    @property
    def first_cut(self) -> bool:
        """Whether the load began within the first interval of the series, which begins with the clock's.

        Histograms have intervals of their own. Times in whole seconds do not tell when in a second the load began.
        """
        if self.series is None or self.first_start_ns is None or self.last_start_ns is None:
            return False
        missing = ((self.begin_ns or self.first_start_ns) - int(self.series.start_ns[0])) / NS / self.series.every_s % 1
        return missing > _HARDLY or any(file.whole_seconds for file in self.seen)

    def with_accuracy(self, accuracy: Accuracy) -> Survey:
        """The same of response times that had this error before they were read."""
        groups = {name: replace(digest, source=accuracy) for name, digest in self.groups.items()}
        return replace(self, digest=replace(self.digest, source=accuracy), groups=groups)

    @classmethod
    def merged(cls, surveys: Sequence[Survey]) -> Survey:
        """Survey of several files as one pass over all would give it, but for rounding.

        Raises DataError if there are none, or if they have intervals of different lengths.
        """
        names = sorted({name for survey in surveys for name in survey.groups})
        starts = [survey.first_start_ns for survey in surveys if survey.first_start_ns is not None]
        ends = [survey.last_end_ns for survey in surveys if survey.last_end_ns is not None]
        series = [survey.series for survey in surveys if survey.series is not None]
        return cls(
            Digest.merged(survey.digest for survey in surveys),
            {name: Digest.merged(survey.groups[name] for survey in surveys if name in survey.groups) for name in names},
            {
                name: sum(survey.errors.get(name, 0) for survey in surveys)
                for name in names
                if any(survey.errors for survey in surveys)
            },
            Series.merged(series) if len(series) == len(starts) and Series.affordable(series) else None,
            min(starts, default=None),
            max(ends, default=None),
            tuple(dict.fromkeys(finding for survey in surveys for finding in survey.noted)),
            tuple(seen for survey in surveys for seen in survey.seen),
            math.gcd(*(survey.step_ns for survey in surveys)),
            max((survey.last_start_ns for survey in surveys if survey.last_start_ns is not None), default=None),
            min((survey.goes_on_from_ns for survey in surveys if survey.goes_on_from_ns is not None), default=None),
            max((survey.goes_on_until_ns for survey in surveys if survey.goes_on_until_ns is not None), default=None),
        )


class Surveyor:
    """Builds a Survey from batches of rows. Its size depends on the occupied cells, not on the rows."""

    def __init__(  # noqa: PLR0913 - settings by name
        self,
        *,
        by: str | None,
        every_ns: int,
        step_ns: int,
        digits: int,
        tail: int,
        files: Sequence[str],
        window: Window = EVERYTHING,
    ) -> None:
        self._by = by
        self._files = files
        self._window = window
        self._every = every_ns
        self._step = step_ns
        self._digits = digits
        self._tail_limit = tail
        self._type = pl.Categorical(pl.Categories.random())
        # Polars forgets the numbers of names once no series uses them.
        self._names = pl.Series([""], dtype=self._type)
        self._counts = Counts()
        self._moments = Moments(1)
        self._tail = Tails(tail)
        self._tails = Tails(min(tail, _GROUP_TAIL))
        self._interval_counts = Counts()
        self._interval_moments = Moments(3)
        self._exact = True
        self._stepped = True
        self._span: tuple[int, int] | None = None
        self._last_start: int | None = None
        self._tells: set[str] = set()
        self._loads: dict[str, Moments] = {}
        self._threads: dict[str, ThreadTimes] = {}

    def add(self, batch: pl.DataFrame, file: str) -> None:
        """Take in rows of a file: `response_ns`, and optionally start_ns, ok, bytes, users, count."""
        if not batch.height:
            return
        untold = "failed" in batch.columns and batch["failed"].null_count() == batch.height
        self._tells |= set(batch.columns) - ({"failed"} if untold else set())
        times = batch["response_ns"].to_numpy()
        weights = batch["count"].to_numpy() if "count" in batch.columns else None
        self._exact &= weights is None
        self._stepped = self._stepped and self._step > 1 and not (times % self._step).any()
        failed = _column(batch, "failed", weights)
        groups = self._numbered(batch)
        pairs, values, counts = self._pairs(groups, times, weights)
        self._counts.add(pairs, buckets.numbers(values, self._digits), counts)
        self._moments.add(pairs, values, _floats(counts), groups, failed)
        if weights is None:
            self._tail.add(np.zeros(values.size, np.int64), values, counts)
            self._tails.add(pairs, values, counts)
        if "start_ns" in batch.columns:
            self._add_times(batch, file)

    def _add_times(self, batch: pl.DataFrame, file: str) -> None:
        """Take in when the rows of a file were sent, and ended."""
        starts, times, single = (
            batch["start_ns"].to_numpy(),
            batch["response_ns"].to_numpy(),
            "count" not in batch.columns,
        )
        ends = starts + (times if single else batch["length_ns"].to_numpy())
        span = int(starts.min()), int(ends.max())
        self._span = span if self._span is None else (min(self._span[0], span[0]), max(self._span[1], span[1]))
        if not single:
            for rows, place in spread(batch, self._every):
                self._add_placed(rows, place, file)
            return
        sent = int(starts.max())
        self._last_start = sent if self._last_start is None else max(self._last_start, sent)
        self._add_placed(batch, ends // self._every, file)

    def _add_placed(self, rows: pl.DataFrame, place: Integers, file: str) -> None:
        """Take in rows by the intervals of the series in which they ended."""
        times = rows["response_ns"].to_numpy()
        weights = rows["count"].to_numpy() if "count" in rows.columns else None
        failed, received, users = (_column(rows, name, weights) for name in ("failed", "bytes", "users"))
        pairs, values, counts = self._pairs(place, times, weights)
        self._interval_counts.add(pairs, buckets.numbers(values, intervals.DIGITS), counts)
        self._interval_moments.add(pairs, values, _floats(counts), place, failed, received, users)
        if "users" in rows.columns:
            self._add_users(rows, file, place, weights, users)

    def _add_users(
        self, batch: pl.DataFrame, file: str, place: Integers, weights: Integers | None, users: Floats
    ) -> None:
        """Take in the users of a file, or of each engine that wrote to it, and the actions of its threads."""
        if "thread" in batch.columns and weights is None:
            self._threads.setdefault(file, ThreadTimes()).add(batch)
        if "engine" not in batch.columns:
            if len(self._files) > 1:
                self._add_load(file, place, weights, users)
            return
        engines = batch["engine"].fill_null("")
        for name in engines.unique().to_list():
            held = (engines == name).to_numpy()
            counts = None if weights is None else weights[held]
            self._add_load(f"{file}{SEPARATOR}{name}", place[held], counts, users[held])

    def _add_load(self, name: str, place: Integers, counts: Integers | None, users: Floats) -> None:
        nothing = np.zeros(place.size)
        self._loads.setdefault(name, Moments(1)).add(place, nothing, _floats(counts), place, users)

    def _pairs(
        self, groups: Integers, times: Integers, weights: Integers | None
    ) -> tuple[Integers, Floats, Integers | None]:
        """Groups, values and how often each occurs: every pair once where many are the same, else as they are."""
        found = distinct(groups, times, self._step) if weights is None and self._step > 1 else None
        groups, times, counts = (groups, times, weights) if found is None else found
        return groups, times.astype(np.float64), counts

    def _numbered(self, batch: pl.DataFrame) -> Integers:
        """The number of each row's group."""
        if self._by is None or self._by not in batch.columns:
            return np.zeros(batch.height, np.int64)
        coded = batch[self._by].cast(pl.String).cast(self._type)
        numbers: Integers = coded.to_physical().to_numpy().astype(np.int64)
        return np.minimum(numbers, MOST_GROUPS)

    def survey(self, watch: Watch, findings: Findings) -> Survey:
        """Survey of all batches."""
        groups, errors = self._grouped()
        if OTHERS in groups:
            words = f"more than {MOST_GROUPS:,} different values of {self._by}: those that came later are one group"
            findings.add("groups", words)
        first, last = self._span or (None, None)
        series = self._series() if self._span else None
        return Survey(
            self._whole(),
            groups,
            errors if "failed" in self._tells else {},
            series,
            None if first is None else self._window.begin(first, watch.edges),
            None if last is None else self._window.end(last, watch.edges),
            findings.all(),
            watch.seen(),
            self._step if self._stepped else 1,
            None if self._last_start is None else self._window.end(self._last_start, watch.edges),
            self._window.low_ns if self._window.begins else None,
            self._window.high_ns if self._window.ends else None,
        )

    def _whole(self) -> Digest:
        keys, counts = self._counts.packed()
        if not keys.size:
            return Digest.empty(digits=self._digits, tail=self._tail_limit)
        rows = self._moments.rows().copy()
        rows[:, 0] = 0
        found, place = np.unique(keys & ((1 << BUCKET_BITS) - 1), return_inverse=True)
        held = np.zeros(found.size, np.int64)
        np.add.at(held, place, counts)
        limit, tails = self._tail.kept()
        return self._digest(found, held, combined(rows)[0], tails[0], limit)

    def _digest(self, found: Integers, counts: Integers, row: Floats, tail: Floats, limit: int) -> Digest:
        mean, squares, low, high = map(float, row[2:6])
        if not self._exact:
            tail, limit = np.empty(0), 0
        return Digest(self._digits, found, counts, mean, squares, low, high, tail, limit, exact=self._exact)

    def _grouped(self) -> tuple[dict[str, Digest], dict[str, int]]:
        keys, counts = self._counts.packed()
        rows = self._moments.rows()
        numbers = rows[:, 0].astype(np.int64)
        limit, tails = self._tails.kept()
        starts = np.searchsorted(keys, numbers << BUCKET_BITS)
        ends = np.searchsorted(keys, (numbers + 1) << BUCKET_BITS)
        found: dict[str, tuple[Digest, int]] = {}
        for name, row, start, end in zip(self._group_names(numbers), rows, starts, ends, strict=True):
            group, part = int(row[0]), slice(start, end)
            tail = tails[group] if group < len(tails) else np.empty(0)
            digest = self._digest(keys[part] & ((1 << BUCKET_BITS) - 1), counts[part], row, tail, limit)
            found[name] = digest, round(row[6])
        ordered = dict(sorted(found.items()))
        return {name: pair[0] for name, pair in ordered.items()}, {name: pair[1] for name, pair in ordered.items()}

    def _group_names(self, numbers: Integers) -> list[str]:
        if self._by is None or self._by not in self._tells:
            return [""] * numbers.size
        physical = pl.Series(numbers, dtype=pl.UInt32)
        names = physical.cat.to(self._type).cast(pl.String).to_list()
        return [OTHERS if number == MOST_GROUPS else name for number, name in zip(numbers, names, strict=True)]

    def _series(self) -> Series | None:
        rows = self._interval_moments.rows()
        if rows[-1, 0] - rows[0, 0] >= intervals.MOST:
            return None
        keys, counts = self._interval_counts.packed()
        loads = {file: moments.rows()[:, [0, 1, 6]] for file, moments in self._loads.items()}
        if not loads and "users" in self._tells:
            loads = {self._files[0]: rows[:, [0, 1, 8]]}
        threads = {file: times.rows() for file, times in self._threads.items()}
        return Series.of(self._every, rows, keys, counts, self._tells, loads, threads)


def _column(batch: pl.DataFrame, name: str, weights: Integers | None) -> Floats:
    """A column as numbers, each times its weight; zeros where it does not exist."""
    if name not in batch.columns:
        return np.zeros(batch.height)
    column: Floats = batch[name].cast(pl.Float64).fill_null(0).to_numpy()
    return column if weights is None else column * weights


def _floats(counts: Integers | None) -> Floats | None:
    return None if counts is None else counts.astype(np.float64)
