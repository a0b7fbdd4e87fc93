"""Results that come twice: a file that holds requests again, and files that hold the same ones.

Runs of neighbouring rows are known again by a hash of their starts and response times. Of these hashes each file keeps
the smallest ones, so that files with the same rows keep the same hashes wherever the rows lie, as in [1].

[1] Broder: On the resemblance and containment of documents, SEQUENCES 1997.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poolkeeper.present.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Booleans, Integers
    from poolkeeper.results.checks import Seen
    from poolkeeper.results.findings import Findings
    from poolkeeper.results.part import Part

_Hashes = NDArray[np.uint64]

_ROWS = 12
"""Rows of a run by which results are known again."""
_DIFFERENT = 6
"""Pairs of start and response time among these rows that differ at least: fewer may come again by chance."""
_KEPT = 4096
"""Hashes that a file keeps: enough to see the rows of a file within one of a thousand times its size."""
_BLOCK = 1 << 15
"""Rows that are hashed together: few enough to stay near the processor."""
_OFTEN = (2, 3)
"""Numbers of times that each request may be written."""
_KINDS = 20
"""Different rows from which copies can be told."""
_MOST = np.uint64(0xFFFFFFFFFFFFFFFF)


class Fingerprints:
    """The smallest hashes of the runs of rows of a file, and how often each run comes."""

    def __init__(self) -> None:
        self.hashes: _Hashes = np.empty(0, np.uint64)
        self._counts: Integers = np.empty(0, np.int64)
        self.bound = _MOST
        """The hash up to which all are kept."""

    def add(self, starts: Integers, times: Integers) -> None:
        """Take in rows in the order of the file."""
        for first in range(0, starts.size - _ROWS + 1, _BLOCK):
            block = slice(first, first + _BLOCK + _ROWS - 1)
            self._add(_hashed(starts[block], times[block]))

    def _add(self, rows: _Hashes) -> None:
        """Take in the hashes of some rows."""
        # A row counts by its place in the run as well: the same rows in another order are another run.
        places = np.arange(rows.size, dtype=np.uint64)
        sums, placed = (_sums_of_runs(values) for values in (rows, rows * places))
        hashes = placed - (places[: sums.size] - np.uint64(1)) * sums
        chosen = np.flatnonzero(hashes <= self.bound)
        found, first, counts = np.unique(hashes[chosen], return_index=True, return_counts=True)
        if found.size > _KEPT:
            found, first, counts = found[:_KEPT], first[:_KEPT], counts[:_KEPT]
            self.bound = found[-1]
        telling = _different(rows, chosen[first])
        self._merge(found[telling], counts[telling])

    def _merge(self, hashes: _Hashes, counts: Integers) -> None:
        merged, places = np.unique(np.concatenate((self.hashes, hashes)), return_inverse=True)
        added = np.zeros(merged.size, np.int64)
        np.add.at(added, places, np.concatenate((self._counts, counts)))
        if merged.size >= _KEPT:
            self.bound = min(self.bound, merged[_KEPT - 1])
        kept = merged <= self.bound
        self.hashes, self._counts = merged[kept], added[kept]

    @property
    def again(self) -> tuple[float, float]:
        """The share of the runs that come again, and how often these come in all, in the mean."""
        if not self.hashes.size:
            return 0.0, 1.0
        several = self._counts > 1
        return float(several.mean()), float(self._counts[several].mean()) if several.any() else 1.0

    def shared(self, other: Fingerprints) -> tuple[float, float]:
        """The share of the runs of each of two files that the other one has too."""
        bound = min(self.bound, other.bound)
        sizes = [int(np.searchsorted(each.hashes, bound, side="right")) for each in (self, other)]
        common = np.intersect1d(self.hashes, other.hashes, assume_unique=True).size
        return (common / sizes[0], common / sizes[1]) if common else (0.0, 0.0)


class Copies:
    """Rows of a file that are alike in all that is read of them, as two listeners that write to one file leave them."""

    def __init__(self) -> None:
        self._rows = self._kinds = 0
        self._multiples = dict.fromkeys(_OFTEN, 0)
        self._alone = dict.fromkeys(_OFTEN, 0)
        self._values: set[int] = set()

    def add(self, rows: _Hashes, values: Integers) -> None:
        """Take in hashes of rows, and what was measured of each: its response time, or its counts."""
        if len(self._values) < _KINDS:
            self._values |= set(np.unique(values)[:_KINDS].tolist())
        counts = np.unique(rows, return_counts=True)[1]
        self._rows += rows.size
        self._kinds += counts.size
        for often in _OFTEN:
            self._multiples[often] += int(counts[counts % often == 0].sum())
            self._alone[often] += int(counts[counts == often].sum())

    @property
    def has_few_values(self) -> bool:
        """Whether so few different response times were recorded that they hardly tell requests apart."""
        return len(self._values) < _KINDS

    @property
    def again(self) -> tuple[float, float]:
        """The share of the rows that come again, and how often these come in all; none if it may be chance.

        Rows are equal by chance as well, but not nearly all of them a number of times that two divide, or three. Of
        copies most come just so often, while thousands of requests that take a millisecond each are all alike.
        """
        for often in _OFTEN if self._kinds >= _KINDS else ():
            if self._multiples[often] >= _WHOLE * self._rows and self._alone[often] >= self._rows / 2:
                return self._multiples[often] / self._rows, float(often)
        return 0.0, 1.0


def _hashed(starts: Integers, times: Integers) -> _Hashes:
    """A hash of each row, by the finalizer of SplitMix64."""
    found = np.ascontiguousarray(starts).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    found += np.ascontiguousarray(times).view(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found ^= found >> np.uint64(shift)
        found *= np.uint64(factor)
    found ^= found >> np.uint64(31)
    return found


def _sums_of_runs(values: _Hashes) -> _Hashes:
    """Sums of each value and of those after it that are in its run."""
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(values)))
    found: _Hashes = total[_ROWS:] - total[:-_ROWS]
    return found


def _different(rows: _Hashes, places: Integers) -> Booleans:
    """Whether the rows from each place on are different enough to be known again."""
    runs = np.sort(rows[places[:, None] + np.arange(_ROWS)], axis=1)
    found: Booleans = 1 + np.count_nonzero(np.diff(runs, axis=1), axis=1) >= _DIFFERENT
    return found


_END = "they count several times, so that intervals are too narrow, and rates are not given"
_IN_ORDER = "with the same response times in the same order"
_WHOLE = 0.95
"""Share of the runs that come again from which a file holds itself again: runs across its seam do not."""


def twice(findings: Findings, files: Sequence[Seen]) -> None:
    """Add a finding for each file that holds requests again, and for each pair that holds the same ones."""
    for file in files:
        # In whole seconds of an even load, requests that take as long as others are alike as often as they come.
        alone = file.whole_seconds and file.copies.has_few_values
        found = (file.fingerprints.again, *(() if alone else (file.copies.again,)))
        share, often = next((each for each in found if each[0]), (0.0, 1.0))
        if not share or _may_be_chance(file, share):
            continue
        times = "again" if often < 2.5 else f"{round(often) - 1:,} times again"  # noqa: PLR2004 - twice in all
        part = "the same requests" if share >= _WHOLE else f"about {percent(share, 2)} % of its requests"
        findings.add("twice", f"{file.name}: holds {part} {times}, {_alike(file)}: {_END}")
    for former, other in combinations(files, 2):
        if words := _same(former, other):
            findings.add("twice", f"{words}: {_END}")


def between(runs: Sequence[Sequence[Seen]]) -> tuple[str, ...]:
    """Descriptions of the requests that runs, each with its files, have in common."""
    pairs = (pair for former, other in combinations(runs, 2) for pair in product(former, other))
    return tuple(words for former, other in pairs if (words := _same(former, other)))


def _same(former: Seen, other: Seen) -> str:
    """Words about the requests that two files have in common; empty without any."""
    shares, how = former.fingerprints.shared(other.fingerprints), _alike(former)
    if not any(shares) and _overlap(former, other):
        shares, how = former.untimed.shared(other.untimed), _IN_ORDER
        if max(shares) < _WHOLE or min(each.untimed.hashes.size for each in (former, other)) < _KINDS:
            return ""
    if not any(shares) or _may_be_chance(former, max(shares)):
        return ""
    alike = former.rows == other.rows and (former.span == other.span or how != _alike(former))
    of = f": about {percent(shares[0], 2)} % of the first and {percent(shares[1], 2)} % of the second"
    return f"{former.name} and {other.name} hold the same requests, {how}{'' if alike else of}"


def _overlap(former: Seen, other: Seen) -> bool:
    """Whether a file is of the same time as another one: their stamps may still differ, as by parts of a second."""
    if former.span is None or other.span is None:
        return False
    shorter = min(span[1] - span[0] for span in (former.span, other.span))
    return 2 * (min(former.span[1], other.span[1]) - max(former.span[0], other.span[0])) > shorter


def _may_be_chance(file: Seen, share: float) -> bool:
    """Whether so many runs may come again by chance, as some response times do that have no times beside them."""
    return file.span is None and (share < _WHOLE or file.fingerprints.hashes.size < _KINDS)


def _alike(file: Seen) -> str:
    return "with the same times" if file.span is not None else _IN_ORDER


def twice_stated(findings: Findings, parts: Sequence[Part]) -> None:
    """Add a finding for each pair of files in which a tool states the same figures of as many requests."""
    for former, other in combinations(parts, 2):
        first, second = former.summaries, other.summaries
        has_figures = any(summary.count and not math.isnan(summary.mean_ns) for summary in first)
        if has_figures and repr(first) == repr(second):
            words = f"{former.source.path.name} and {other.source.path.name} state the same figures"
            findings.add("twice", f"{words}: they are copies of one, which counts several times")
