"""Meanings of the columns of a table by their names: response times with their unit, and the others."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

_LIKELY = ("response_time", "responsetime", "response-time", "latency", "elapsed", "duration", "ttime")
_WORDS = re.compile(r"\d+(?:st|nd|rd|th)|[^\W\d_]+\d[\d.]*|[^\W\d_]+|\d[\d.]*%?")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_GLUED = re.compile(r"(?:latency|elapsed|duration|time)(ns|us|ms)")
_SUMMARY = re.compile(
    r"avg|average|mean|median|min|minimum|max|maximum|std|stddev|stdev|sum|total|p\d[\d.]*|q\d[\d.]*|perc\w*|pct|pctl"
    r"|quantile|\d+(?:st|nd|rd|th)|upper|lower|rate|bucket"
)
"""A word that says that a figure was computed of many requests."""
_FIGURE = re.compile(r"avg|average|mean|median|std|stddev|stdev|p\d[\d.]*|pctl|rps|qps|tps|throughput")
"""A word in the name of another column that says that a row holds figures of a whole test."""
_MOMENT = re.compile(r"start|started|end|ended|begin|began|at|timestamp|date")
"""A word that says that a time is one of a clock."""
_COUNT = re.compile(
    r"counts?|cnt|frequency|frequencies|freqs?|weight|occurrences|observations|samples|hits|anzahl|h[äa]ufigkeit|nombre"
    r"|cantidad"
)
"""A word that says that a row stands for several requests."""
_COUNT_ALONE = frozenset(("n", "num", "number", "of", "requests", "calls"))
"""Words of which a name is such a one where it has no others: active_requests are something else."""
_OTHER = re.compile(
    r"bytes?|[km]i?b|sizes?|length|cpu|memory|mem|ram|rss|heap|usage|util|utili[sz]ation|percent|counts?|counter|users?|vus?"
    r"|clients?|connections?|threads?|workers?|requests|hits|errors?|failures?|failed|success|rate|rps|qps|tps|throughput"
    r"|bandwidth|status|codes?|ids?|pid|port|seq|sequence|index|timestamps?|epoch|date"
)
"""A word that says that a number is no length of time."""
_TIMES = re.compile(r"times?|latency|latencies|elapsed|durations?|ttime|wait|delay")
"""A word that says that it is one all the same, as in "cpu time"."""
_UNITS = {
    "ns": "ns nano nanos nanosec nanosecs nanosecond nanoseconds nsec nsecs",
    "us": "us µs μs usec usecs micro micros microsec microsecs microsecond microseconds",
    "ms": "ms msec msecs milli millis millisec millisecs millisecond milliseconds",
    "s": "s sec secs second seconds",
    "min": "minute minutes mins",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_UNREADABLE = re.compile(
    r"min|m|h|hours?|hrs|d|days|ticks|cycles|jiffies|[cdpf]s|(?:centi|deci|pico|femto)(?:s|secs?|seconds?)"
)
"""The last word of a name that says a unit which is not read, or may."""
_PART = re.compile(r"\d+|tenths?|hundredths?|thousandths?|dozens?|hundreds?|thousands?")
"""A word before a unit that says that numbers are in parts of it, or in several, as in duration_100ns."""
_UNIT_COLUMN = re.compile(r"units?|uom|einheit|unité|unidad")
"""A word in the name of a column that says the unit of another one, beside which there are only words for times."""
_LISTED = 8
"""Columns that a message lists."""


def words_of(name: str) -> list[str]:
    """The words of a name, in small letters: latencyP99 [us] has latency, p99 and us."""
    found = [word.lower() for part in _HUMP.split(name) for word in _WORDS.findall(part)]
    glued = [match[1] for word in found if (match := _GLUED.fullmatch(word))]
    return [*found, *glued]


def unit_of(name: str) -> str | None:
    """The unit in a name, as in latency_us, Latency (s), elapsedMillis; None without one.

    Raises InputError for a name that says several, or one that is not read.
    """
    words = words_of(name)[1:]
    units = {_UNIT_OF[word] for word in words if word in _UNIT_OF}
    bare = [word for word in words if word not in {"of", "a"}]
    in_parts = any(_PART.fullmatch(before) and after in _UNIT_OF for before, after in pairwise(bare))
    if len(units) > 1 or in_parts or (not units and words and _UNREADABLE.fullmatch(words[-1])):
        raise InputError(f"unit: the name of the column {name!r} leaves open which unit it has: say it (ns, us, ms, s)")
    return next(iter(units), None)


def unit_column(names: Sequence[str]) -> str | None:
    """The name of the column that says the unit of another one; None without one."""
    return next((name for name in names if _is_unit_column(words_of(name))), None)


def _is_unit_column(words: Sequence[str]) -> bool:
    others = [word for word in words if not _UNIT_COLUMN.fullmatch(word)]
    return len(others) < len(words) and all(word == "response" or _TIMES.fullmatch(word) for word in others)


def response_times(file: Path, names: Sequence[str], indices: Collection[str] = ()) -> str:
    """The name of the one column that holds response times; `indices` are columns that number the rows.

    Raises InputError where none does, or several may.
    """
    likely = [name for wanted in _LIKELY for name in names if wanted in name.lower().replace(" ", "_")]
    likely = list(dict.fromkeys(likely))
    values = [name for name in likely if not (any(map(_SUMMARY.fullmatch, words_of(name))) or _is_other(name))]
    if len(names) == 1 and _is_other(names[0]):
        raise InputError(
            f"column: {names[0]!r} of {file} does not sound like response times; where they are response times all the"
            f" same, say so: --column 0"
        )
    if likely and not values:
        raise InputError(
            f"column: {file} looks like a table of figures that a tool computed ({_some(likely)}), not of response"
            f" times; where they are response times all the same, say which: {_some(names)}"
        )
    if len(names) == 1 and not likely and any(map(_SUMMARY.fullmatch, words_of(names[0]))):
        raise InputError(
            f"column: {names[0]!r} of {file} sounds like a figure that a tool computed, not like response times; where"
            f" they are response times all the same, say so: --column 0"
        )
    values = [name for name in values if not any(map(_MOMENT.fullmatch, words_of(name)))]
    if len(names) == 1:
        return names[0]
    plain = [name for name in values if _is_plain(name)]
    if len(plain or values) == 1:
        figures = [name for name in names if any(map(_FIGURE.fullmatch, words_of(name)))]
        if figures:
            raise InputError(
                f"column: {file} has figures of whole tests beside {(plain or values)[0]!r} ({_some(figures)}), as a"
                f" table of several tests has; where a row is a request, say which column is its response time:"
                f" {_some(names)}"
            )
        return _without_counts(file, (plain or values)[0], [name for name in names if name not in indices])
    if values:
        raise InputError(f"column: {file} has several response times, say which: {_some(plain or values)}")
    raise InputError(f"column: {file} has several, say which holds the response time: {_some(names)}")


def _is_other(name: str) -> bool:
    """Whether a name means something else than a time: its last word but for a unit does, or one and none a time."""
    words = words_of(name)
    bare = [word for word in words if word not in _UNIT_OF]
    if any(word == "per" and after in _UNIT_OF for word, after in pairwise(words)):
        return True
    if bare and _OTHER.fullmatch(bare[-1]):
        return True
    return any(map(_OTHER.fullmatch, words)) and len(bare) == len(words) and not any(map(_TIMES.fullmatch, words))


def _is_plain(name: str) -> bool:
    """Whether a name means response time, with a unit at most."""
    words = [word for word in words_of(name) if word not in _UNIT_OF]
    return "_".join(words) in (*_LIKELY, *(f"{wanted}{unit}" for wanted in _LIKELY for unit in _UNITS))


def _without_counts(file: Path, chosen: str, names: Sequence[str]) -> str:
    counts = [name for name in names if name != chosen and _is_count(words_of(name))]
    if counts:
        raise InputError(
            f"column: {file} has {counts[0]!r} beside {chosen!r}: where a row stands for so many requests, write a row"
            f" for each; where it does not, say the column: {_some(names)}"
        )
    return chosen


def _is_count(words: Sequence[str]) -> bool:
    return bool(words) and (_COUNT.fullmatch(words[-1]) is not None or _COUNT_ALONE.issuperset(words))


def _some(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    rest = f" and {len(names) - _LISTED:,} more" if len(names) > 2 * _LISTED else ""
    return ", ".join(names[:_LISTED] if rest else names) + rest


def not_read(chosen: str, names: Sequence[str], *, named: bool) -> str:
    """A sentence on the other columns of a table, of which nothing is known; empty where there are none."""
    others = [name for name in names if name not in {chosen, ""}]
    if not others:
        return ""
    shown = f"not {_some(others)}" if named else f"none of the other {len(others)}"
    return f"only {chosen} was read, {shown}: what they tell of failures and times is left out"
