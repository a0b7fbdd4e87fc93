"""Response times of a run from latency.hlog, kept exactly as HdrHistogram counted them."""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poolkeeper.record.errors import BadLine, RecordError
from poolkeeper.record.lines import whole_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from hdrh.histogram import HdrHistogram

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NS = 1_000_000_000
_DECIMAL = r"\d+(?:\.\d*)?"
_INTERVAL = re.compile(
    rf"(?:Tag=(?P<tag>[^,\s]+),)?(?P<start>{_DECIMAL}),(?P<length>{_DECIMAL}),(?P<top>{_DECIMAL}),"
    r"(?P<payload>[A-Za-z0-9+/=]+)"
)
_STAMP = re.compile(rf"#\[(?P<kind>StartTime|BaseTime): *(?P<seconds>{_DECIMAL}) ")
_V1 = 0x1C849301
_FORMER = (0x1C849309, 0x1C849302)
"""Cookies of compressed histograms in the encodings V0 and V1."""
_WORD = 0xF0
"""Bits of a cookie that hold the bytes of a count."""
_WORDS = (2, 4, 8)
_YEAR_S = 365 * 24 * 3600.0
_LATEST_S = 200 * _YEAR_S
"""Latest time of an interval since 1970, in seconds; nanoseconds count to 292 years."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """Counted values in nanoseconds: the non-empty buckets of an HdrHistogram, in ascending order.

    `lowest` is the least value of each bucket, `width` how many values it spans, `counts` how many fell into it.
    Merging is exact for distributions of one histogram layout.
    """

    lowest: Integers
    width: Integers
    counts: Integers

    @property
    def count(self) -> int:
        """Number of values."""
        return int(self.counts.sum())

    @property
    def mean_s(self) -> float:
        """Mean in seconds, every value taken at the middle of its bucket; NaN without values."""
        count = self.count
        if count == 0:
            return float("nan")
        return float(((self.lowest + self.width // 2) * self.counts).sum() / count / _NS)

    def percentile_s(self, percentile: float) -> float:
        """Nearest-rank percentile (0 to 100) in seconds, as the largest value of its bucket; NaN without values."""
        count = self.count
        if count == 0:
            return float("nan")
        # One ulp down, as HdrHistogram for Java does, lest rounding make 99.9 % of 1000 the 1000th value.
        rank = max(1, math.ceil(math.nextafter(percentile, -math.inf) * count / 100.0))
        place = int(np.searchsorted(np.cumsum(self.counts), rank))
        return int(self.lowest[place] + self.width[place] - 1) / _NS

    @property
    def max_s(self) -> float:
        """Largest value of the highest bucket in seconds; NaN without values."""
        return self.percentile_s(100.0)


def merge(distributions: Iterable[Distribution]) -> Distribution:
    """All values of several distributions in one."""
    parts = list(distributions)
    if not parts:
        return EMPTY
    lowest, first, place = np.unique(
        np.concatenate([part.lowest for part in parts]), return_index=True, return_inverse=True
    )
    width = np.concatenate([part.width for part in parts])
    if not np.array_equal(width, width[first][place]):
        message = "distributions of different precision cannot be merged"
        raise ValueError(message)
    counts = np.zeros(lowest.size, dtype=np.int64)
    np.add.at(counts, place, np.concatenate([part.counts for part in parts]))
    return Distribution(lowest, width[first], counts)


EMPTY = Distribution(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True, slots=True)
class Interval:
    """Response times of the successful requests of one name in one interval, in seconds since the run's start."""

    start_s: float
    end_s: float
    tag: str
    latencies: Distribution
    stated_maximum: float = math.nan
    """Largest value as the log states it, in a unit that is the writer's; NaN where it states none."""


@dataclass(frozen=True, slots=True)
class LatencyLog:
    """The intervals of latency.hlog in the order of the file."""

    intervals: tuple[Interval, ...]

    def total(self) -> Distribution:
        """All intervals and tags merged."""
        return merge(interval.latencies for interval in self.intervals)

    def binned(self, edges_s: Floats) -> list[Distribution]:
        """The intervals merged by the bin [edges[i], edges[i+1]) in which their middle lies; others are left out."""
        parts: list[list[Distribution]] = [[] for _ in edges_s[1:]]
        middles = np.array([(interval.start_s + interval.end_s) / 2 for interval in self.intervals])
        for place, interval in zip(np.searchsorted(edges_s, middles, side="right") - 1, self.intervals, strict=True):
            if 0 <= place < len(parts):
                parts[place].append(interval.latencies)
        return [merge(part) for part in parts]


def read_latency(file: Path, load_start_s: float) -> tuple[LatencyLog, bool]:
    """Read an HdrHistogram log. Returns it, and whether its last line was cut off.

    The log has wall-clock times only; its start is taken to be `load_start_s`, the load's start since the run's.
    Raises BadLine for a line that is neither a comment, the legend nor an interval.
    """
    lines, cut_off = whole_lines(file)
    if not lines:
        raise RecordError(file, "is empty, not even a header")
    return read_intervals(file, lines, load_start_s), cut_off


def read_intervals(file: Path, lines: Sequence[str], load_start_s: float) -> LatencyLog:
    """The intervals in the lines of an HdrHistogram log; `file` is what errors name.

    Raises BadLine for a line that is neither a comment, the legend nor an interval.
    """
    stamps: dict[str, float] = {}
    first_s = math.nan
    layouts: set[tuple[int, int]] = set()
    intervals: list[Interval] = []
    for number, line in enumerate(lines, start=1):
        if line.startswith("#"):
            stamp = _STAMP.match(line)
            if stamp:
                if float(stamp["seconds"]) > _LATEST_S:
                    raise BadLine(file, number, f"has a {stamp['kind']} as no test has, in seconds since 1970")
                if stamp["kind"] in stamps and intervals:  # another log has been appended
                    stamps.clear()
                stamps[stamp["kind"]] = float(stamp["seconds"])
            continue
        if line.startswith('"StartTimestamp"'):
            continue
        found = _INTERVAL.fullmatch(line)
        if found is None:
            raise BadLine(file, number, "is not an interval of a histogram log")
        if max(float(found["start"]), float(found["length"])) > _LATEST_S:
            raise BadLine(file, number, "begins at a time, or lasts so long, as no test does")
        histogram = _decode(file, number, found["payload"])
        layouts.add((histogram.unit_magnitude, histogram.sub_bucket_half_count_magnitude))
        if len(layouts) > 1:
            raise BadLine(file, number, "has another precision than the lines before")
        since_s = _since_start(float(found["start"]), stamps)
        first_s = stamps["StartTime"] if math.isnan(first_s) else first_s
        start_s = load_start_s + since_s + stamps["StartTime"] - first_s
        end_s = start_s + _length_s(float(found["start"]), float(found["length"]))
        top = float(found["top"])
        intervals.append(Interval(start_s, end_s, found["tag"] or "", _distribution(histogram), top))
    return LatencyLog(tuple(intervals))


def _length_s(stamp_s: float, length_s: float) -> float:
    """Seconds of an interval; the library for C writes when it ended in place of them, since 1970."""
    return length_s - stamp_s if length_s >= stamp_s > _YEAR_S else length_s


def _since_start(stamp_s: float, stamps: dict[str, float]) -> float:
    """Seconds since the log's start as HistogramLogReader counts them; a first interval stands in for stamps."""
    start_s = stamps.setdefault("StartTime", stamp_s)
    relative = stamp_s < start_s - _YEAR_S
    base_s = stamps.setdefault("BaseTime", start_s if relative else 0.0)
    return stamp_s + base_s - start_s


def _decode(file: Path, number: int, payload: str) -> HdrHistogram:
    from hdrh.codec import HdrCookieException, HdrHistogramSettingsException, HdrLengthException
    from hdrh.histogram import HdrHistogram

    bad = (
        binascii.Error,
        zlib.error,
        HdrCookieException,
        HdrHistogramSettingsException,
        HdrLengthException,
        ValueError,
        struct.error,
    )
    try:
        packed = base64.b64decode(payload, validate=True)
        if struct.unpack_from(">i", packed)[0] & ~_WORD in _FORMER:
            return _decode_former(packed)
        return HdrHistogram.decode(payload)
    except bad as error:
        raise BadLine(file, number, f"its histogram cannot be decoded: {error}") from error


def _decode_former(packed: bytes) -> HdrHistogram:
    """A histogram as HdrHistogram wrote it before its version 2.1.10: encodings V0 and V1, counts of equal length."""
    from hdrh.histogram import HdrHistogram

    data = zlib.decompress(packed[8 : 8 + struct.unpack_from(">i", packed, 4)[0]])
    cookie = struct.unpack_from(">i", data)[0]
    if cookie & ~_WORD == _V1:
        length, _, digits, lowest, highest = struct.unpack_from(">iiiqq", data, 4)
        body = data[40 : 40 + length]
    else:
        digits, lowest, highest, _ = struct.unpack_from(">iqqq", data, 4)
        body = data[32:]
    word = (cookie & _WORD) >> 4
    if word not in _WORDS:
        message = f"its counts have {word} bytes each"
        raise ValueError(message)
    counts = np.frombuffer(body[: len(body) - len(body) % word], dtype=f">i{word}")
    histogram = HdrHistogram(lowest, highest, digits)
    held = np.ctypeslib.as_array(histogram.counts)
    if np.flatnonzero(counts[held.size :]).size:
        message = "it has more counts than its range has room for"
        raise ValueError(message)
    held[: min(counts.size, held.size)] = counts[: held.size]
    return histogram


def _distribution(histogram: HdrHistogram) -> Distribution:
    """The non-empty buckets; a bucket's place in the array gives its values, as in HdrHistogram's valueFromIndex."""
    counts = np.ctypeslib.as_array(histogram.counts).astype(np.int64)
    index = np.flatnonzero(counts)
    half = histogram.sub_bucket_half_count
    bucket = (index >> histogram.sub_bucket_half_count_magnitude) - 1
    sub = (index & (half - 1)) + half
    first = bucket < 0
    sub = np.where(first, sub - half, sub)
    shift = np.where(first, 0, bucket) + histogram.unit_magnitude
    return Distribution(sub << shift, np.left_shift(np.int64(1), shift), counts[index])
