"""Counts of each interval of a run: completions, errors, response times."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import DataError, InputError
from poolkeeper.latency import buckets
from poolkeeper.present import Axis, Chart, Table
from poolkeeper.present import Series as Line
from poolkeeper.results.generators import added_users, by_interval
from poolkeeper.results.tallies import BUCKET_BITS, combined
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from poolkeeper.arrays import Booleans, Floats, Integers

DIGITS = 2
"""Significant digits of an interval's quantiles."""

MOST = 1_000_000
"""Most intervals of a series, empty ones included: eleven days of seconds."""

_GAP_S = 60.0
_GAP_SHARE = 0.05
"""A gap is as long as this, and this share of the time from the first to the last response."""


@dataclass(frozen=True, eq=False)
class Series:
    """Intervals of equal length, those without a completion included. All arrays have shape (n,)."""

    every_s: float
    """Length of an interval in seconds."""
    start_ns: Integers
    """When each begins, by the file's clock; requests belong to the interval in which they end."""
    count: Integers
    """Completions."""
    errors: Integers
    """Completions that failed; 0 where the file does not tell."""
    bytes: Floats
    """Bytes received; NaN where the file does not tell."""
    users: Floats
    """Users that were active when requests ended, on average; NaN where the file does not tell.

    Those of files at the same time add up: each load generator counts its own.
    """
    mean_ns: Floats
    """Mean response time; NaN without completions."""
    std_ns: Floats
    """Standard deviation of the response times (n - 1); NaN for fewer than two."""
    maximum_ns: Floats
    """Largest response time; NaN without completions."""
    rows: Floats = field(repr=False)
    """Rows for the arrays, one for each interval that holds something; see `merged`."""
    keys: Integers = field(repr=False)
    counts: Integers = field(repr=False)
    loads: Mapping[str, Floats] = field(repr=False, default_factory=dict)
    """Rows for the users of each file or engine: interval, completions, sum of the users when they ended."""
    threads: Mapping[str, Integers] = field(repr=False, default_factory=dict)
    """Rows for what the threads of each file did at its beginning: thread, start, end; see `of_one`."""
    origin_ns: int | None = None
    """When the time of tables and charts begins; None: with the first interval."""

    @classmethod
    def of(  # noqa: PLR0913 - what a series is made of
        cls,
        every_ns: int,
        rows: Floats,
        keys: Integers,
        counts: Integers,
        tells: Collection[str],
        loads: Mapping[str, Floats],
        threads: Mapping[str, Integers],
    ) -> Series:
        """A series out of moments, with failures, bytes and users as companions, and counts by interval and bucket.

        `tells` names what the files say: "bytes", "users" or both; `loads` has the users of each file, and `threads`
        what its threads did.
        """
        place = rows[:, 0].astype(np.int64)
        first = int(place[0])
        n = int(place[-1]) - first + 1
        columns = np.full((n, rows.shape[1]), np.nan)
        columns[place - first] = rows
        count = np.nan_to_num(columns[:, 1])
        nothing = np.full(n, np.nan)
        return cls(
            every_ns / NS,
            (np.arange(n) + first) * every_ns,
            count.astype(np.int64),
            np.nan_to_num(columns[:, 6]).astype(np.int64),
            np.nan_to_num(columns[:, 7]) if "bytes" in tells else nothing,
            np.where(count > 0, added_users(loads, threads, first, n), np.nan) if "users" in tells else nothing,
            columns[:, 2],
            np.sqrt(np.where(count > 1, columns[:, 3], np.nan) / np.maximum(count - 1, 1)),
            columns[:, 5],
            rows,
            keys,
            counts,
            loads,
            threads,
        )

    @classmethod
    def merged(cls, series: Sequence[Series]) -> Series:
        """All of several series with equal intervals in one; raises DataError for others."""
        if len({part.every_s for part in series}) != 1:
            raise DataError("series: there must be some, with intervals of one length")
        keys, place = np.unique(np.concatenate([part.keys for part in series]), return_inverse=True)
        counts = np.zeros(keys.size, np.int64)
        np.add.at(counts, place, np.concatenate([part.counts for part in series]))
        return cls.of(
            round(series[0].every_s * NS),
            combined(np.concatenate([part.rows for part in series])),
            keys,
            counts,
            [name for name in ("bytes", "users") if not any(np.isnan(getattr(part, name)).all() for part in series)],
            {
                name: by_interval(np.concatenate([part.loads[name] for part in series if name in part.loads]))
                for name in dict.fromkeys(name for part in series for name in part.loads)
            },
            {
                name: np.concatenate([part.threads[name] for part in series if name in part.threads])
                for name in dict.fromkeys(name for part in series for name in part.threads)
            },
        )

    def until(self, end_ns: int) -> Series:
        """The intervals up to a time, with the one that begins at it: a response may have come just then."""
        n = int(np.searchsorted(self.start_ns, end_ns, side="right"))
        if n == len(self):
            return self
        end = int(self.start_ns[0]) // round(self.every_s * NS) + n
        held = (self.keys >> BUCKET_BITS) < end
        arrays = ("start_ns", "count", "errors", "bytes", "users", "mean_ns", "std_ns", "maximum_ns")
        cut: dict[str, Any] = {name: getattr(self, name)[:n] for name in arrays}
        return replace(
            self,
            rows=self.rows[self.rows[:, 0] < end],
            keys=self.keys[held],
            counts=self.counts[held],
            loads={name: rows[rows[:, 0] < end] for name, rows in self.loads.items()},
            **cut,
        )

    def less(self, part: Series) -> Series:
        """The responses of this series without those of another that are among them, as far as quantiles go.

        Those that took no time are left out. Moments are not known of it, nor users and bytes; maxima are those of all.
        """
        counts = self.counts.copy()
        counts[np.searchsorted(self.keys, part.keys)] -= part.counts
        left = (counts > 0) & (buckets.middles(self._buckets, DIGITS) > 0)
        place = (self.keys[left] >> BUCKET_BITS) - int(self.rows[0, 0])
        count = np.bincount(place, counts[left], len(self)).astype(np.int64)
        nothing = np.full(len(self), np.nan)
        left_over = replace(self, count=count, errors=count, keys=self.keys[left], counts=counts[left])
        return replace(left_over, bytes=nothing, users=nothing, mean_ns=nothing, std_ns=nothing)

    @staticmethod
    def affordable(series: Sequence[Series]) -> bool:
        """Whether there are some, and all of them together are a series that is not too long."""
        ends = [int(place) for part in series for place in (part.rows[0, 0], part.rows[-1, 0])]
        return bool(ends) and max(ends) - min(ends) < MOST

    @property
    def cells(self) -> tuple[Integers, Floats, Integers]:
        """The number of the interval, the middle of the bucket in nanoseconds and the count of all that was counted."""
        numbers = (self.keys >> BUCKET_BITS) - int(self.rows[0, 0])
        return numbers, buckets.middles(self._buckets, DIGITS), self.counts

    @property
    def _buckets(self) -> Integers:
        found: Integers = self.keys & ((1 << BUCKET_BITS) - 1)
        return found

    def __len__(self) -> int:
        """Number of intervals."""
        return self.count.size

    @property
    def time_s(self) -> Floats:
        """When each interval begins, in seconds since the origin."""
        since: Floats = (self.start_ns - (self.start_ns[:1] if self.origin_ns is None else self.origin_ns)) / NS
        return since

    def since(self, first_ns: int | None) -> Series:
        """The same whose time begins with the interval in which the first request was sent."""
        if first_ns is None:
            return self
        every = round(self.every_s * NS)
        return replace(self, origin_ns=min(first_ns // every * every, int(self.start_ns[0])))

    @property
    def throughput(self) -> Floats:
        """Completions per second."""
        rate: Floats = self.count / self.every_s
        return rate

    @property
    def relative_error(self) -> float:
        """Bound on the distance of a quantile from the interval's own, relative to it."""
        return buckets.relative_error(DIGITS)

    def quantile(self, q: float) -> Floats:
        """The quantile (0 to 1, nearest rank) of each interval in nanoseconds, shape (n,); NaN without completions."""
        if not 0 <= q <= 1:
            raise InputError(f"quantile: {q:g} is not between 0 and 1")
        found = np.full(len(self), np.nan)
        held = np.flatnonzero(self.count)
        if held.size:
            ranks = np.maximum(1, np.ceil(np.nextafter(q, -1) * self.count[held])).astype(np.int64)
            before = np.concatenate([[0], np.cumsum(self.count[held])[:-1]])
            place = np.searchsorted(np.cumsum(self.counts), before + ranks)
            found[held] = np.fmin(buckets.middles(self._buckets[place], DIGITS), self.maximum_ns[held])
        return found

    @cached_property
    def gaps(self) -> tuple[tuple[int, int], ...]:
        """Stretches of intervals without a completion that are too long to be of the test: begin, and end beyond it.

        The load stopped there, or the clock was set forward, or it is the time between two tests.
        """
        held = np.flatnonzero(self.count)
        if held.size < 2:  # noqa: PLR2004 - a gap lies between two
            return ()
        least = max(_GAP_S, _GAP_SHARE * float(self.start_ns[held[-1]] - self.start_ns[held[0]]) / NS)
        places = np.flatnonzero((self.start_ns[held[1:]] - self.start_ns[held[:-1]]) / NS - self.every_s >= least)
        return tuple((int(held[place]) + 1, int(held[place + 1])) for place in places)

    @property
    def gaps_s(self) -> float:
        """Seconds of all gaps."""
        return sum(end - begin for begin, end in self.gaps) * self.every_s

    @property
    def loaded(self) -> Booleans:
        """Whether an interval counts for a rate: those of gaps do not, nor those that begin and end them."""
        found = np.ones(len(self), np.bool_)
        for begin, end in self.gaps:
            found[begin - 1 : end + 1] = False
        return found

    def table(self) -> Table:
        """One row an interval; times in milliseconds."""
        ms = NANOSECONDS["ms"]
        columns = ("time (s)", "completions", "per second", "errors", "mean (ms)", "p99 (ms)", "max (ms)")
        times = (self.mean_ns / ms, self.quantile(0.99) / ms, self.maximum_ns / ms)
        rows = zip(self.time_s, self.count, self.throughput, self.errors, *times, strict=True)
        return Table(
            "", columns, tuple((float(a), int(b), float(c), int(d), *map(float, e)) for a, b, c, d, *e in rows)
        )

    def to_dict(self) -> dict[str, Any]:
        """The arrays as lists; undefined values are None."""
        columns = {"time_s": self.time_s, "count": self.count, "errors": self.errors, "mean_ns": self.mean_ns}
        columns |= {"p50_ns": self.quantile(0.5), "p99_ns": self.quantile(0.99), "maximum_ns": self.maximum_ns}
        lists = {name: [None if x != x else x for x in column.tolist()] for name, column in columns.items()}  # noqa: PLR0124
        return {"every_s": self.every_s, **lists}

    def plot(self) -> Chart:
        """Completions and errors per second over time."""
        x = tuple(self.time_s.tolist())
        lines = [Line("throughput", x, tuple(self.throughput.tolist()))]
        if self.errors.any():
            lines.append(Line("errors", x, tuple((self.errors / self.every_s).tolist())))
        return Chart("Throughput", Axis("time", "s"), Axis("completions", "1/s"), tuple(lines))
