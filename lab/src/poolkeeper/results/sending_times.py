"""Times at which requests were sent, and the window between two of them that a cut keeps.

Some tools stamp requests in whole seconds, when they begin or when they end. Such a time is half a second early in the
mean, and a cut between two of them is one between whole seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from poolkeeper.errors import InputError
from poolkeeper.present.numbers import number
from poolkeeper.present.text import listed
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

_CUTS = {"warm_up": "warm-up", "cool_down": "cool-down", "start": "from", "end": "to"}
"""Cuts by time, in words."""
_FEW = 10
"""Requests below which whole seconds may be chance, and numbers of requests in a second vary too much."""
_SECONDS = 4
"""Seconds with requests of which the first and the last have neighbours that are none of the two."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Parts of the first and the last whole second of a load."""

    empty_ns: int = 0
    """Time in the first one before the load began."""
    full_ns: int = 0
    """Time in the last one until the load ended; 0 where neither is known."""

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Self:
        """Estimate them by the requests of these seconds and of their neighbours, from the counts of each second."""
        if len(counts) < _SECONDS:
            return cls()
        first, last = min(counts), max(counts)
        second, former = counts.get(first + 1, 0), counts.get(last - 1, 0)
        if min(second, former) < _FEW:
            return cls()
        begun, ended = (min(1.0, counts[first] / second), min(1.0, counts[last] / former))
        return cls(round((1 - begun) * NS), round(ended * NS))


@dataclass(frozen=True, slots=True)
class Window:
    """Times between which requests are kept."""

    low_ns: int
    high_ns: int
    begins: bool = False
    ends: bool = False
    """Whether requests before it, or after it, are left out."""
    is_whole: bool = False
    """Whether requests are stamped with whole seconds."""

    def begin(self, first_ns: int, edges: Edges) -> int:
        """When the load began of which the first request that is kept seems to be sent at `first_ns`."""
        if not self.is_whole:
            return first_ns + edges.empty_ns
        middle = first_ns + (edges.empty_ns if edges.full_ns else NS // 2)
        return self.low_ns if self.begins and middle < self.low_ns + NS else middle

    def end(self, last_ns: int, edges: Edges) -> int:
        """When the load ended of which the last request that is kept seems to be sent, or answered, at `last_ns`."""
        if not self.is_whole:
            return last_ns + edges.full_ns
        middle = last_ns + (edges.full_ns or NS // 2)
        return max(middle, self.high_ns) if self.ends and middle >= self.high_ns - NS else middle


EVERYTHING = Window(0, 0)
"""Window that is no cut."""


@dataclass(frozen=True, slots=True)
class SendingTimes:
    """The first and the last time at which a request was sent."""

    first_ns: int
    last_ns: int
    ended: frozenset[int] = frozenset()
    """Places of the files whose requests are stamped with the whole second in which they ended."""
    is_whole: bool = False
    """Whether the stamps of all files are whole seconds."""

    @classmethod
    def of(cls, batches: Iterable[tuple[int, pl.DataFrame]], *, single: bool) -> Self | None:
        """Find them in rows with the place of their file; None without rows.

        Rows that are no single requests are intervals with a length, and not stamped.
        """
        files: dict[int, _File] = {}
        for place, batch in batches:
            if batch.height:
                files.setdefault(place, _File(stamped=single)).add(batch)
        return cls.joined(
            cls(
                file.first_ns + file.ends_whole * NS // 2,
                file.last_ns + file.ends_whole * NS // 2,
                frozenset({place} if file.ends_whole else ()),
                file.starts_whole or file.ends_whole,
            )
            for place, file in files.items()
        )

    @classmethod
    def joined(cls, times: Iterable[Self]) -> Self | None:
        """The times of all files together; None without any."""
        found = list(times)
        if not found:
            return None
        first, last = min(each.first_ns for each in found), max(each.last_ns for each in found)
        is_whole = all(each.is_whole for each in found)
        if is_whole:
            # The nearest second, the earlier of two: a request of no time ended in the middle of its second.
            first = (first + NS // 2 - 1) // NS * NS
        return cls(first, last, frozenset().union(*(each.ended for each in found)), is_whole)

    def window(self, cuts: Mapping[str, float]) -> Window:
        """Window that cuts leave, in seconds by their names: warm_up, cool_down, start, end.

        Raises InputError where nothing is left.
        """
        low = self.first_ns + round(max(cuts.get("warm_up", 0.0), cuts.get("start", 0.0)) * NS)
        high = self.last_ns - round(cuts.get("cool_down", 0.0) * NS) + 1
        if "end" in cuts:
            high = min(high, self.first_ns + round(cuts["end"] * NS))
        begins, ends = low > self.first_ns, high <= self.last_ns
        if self.is_whole:
            low, high = (-(-end // NS) * NS for end in (low, high))
        if low >= high or low > self.last_ns:
            raise nothing_left(self.first_ns, self.last_ns, cuts)
        return Window(low, high, begins, ends, self.is_whole)


class _File:
    """The times of one file."""

    def __init__(self, *, stamped: bool) -> None:
        self._count = self.first_ns = self.last_ns = 0
        self._starts = self._ends = stamped

    def add(self, batch: pl.DataFrame) -> None:
        """Take in rows with the columns start_ns and response_ns."""
        starts = batch["start_ns"].to_numpy()
        low, high = int(starts.min()), int(starts.max())
        self.first_ns = min(self.first_ns, low) if self._count else low
        self.last_ns = max(self.last_ns, high) if self._count else high
        self._count += starts.size
        self._starts = self._starts and not (starts % NS).any()
        self._ends = self._ends and not ((starts + batch["response_ns"].to_numpy()) % NS).any()

    @property
    def starts_whole(self) -> bool:
        """Whether each request began in a whole second."""
        return self._starts and self._count >= _FEW

    @property
    def ends_whole(self) -> bool:
        """Whether each request ended in a whole second, and did not begin in one as well."""
        return self._ends and not self._starts and self._count >= _FEW


def nothing_left(first_ns: int, last_ns: int, cuts: Mapping[str, float]) -> InputError:
    """Error of cuts, in seconds, that leave nothing of the requests that were sent between two times."""
    by = listed([f"{_CUTS[name]} {number(seconds)} s" for name, seconds in cuts.items()])
    return InputError(
        f"cut: nothing is left of {number((last_ns - first_ns) / NS)} s in which requests were sent: {by}"
    )
