"""Values as people write them in an experiment: durations, bounds, one value or a list of them."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from poolkeeper.suggestion import unknown
from poolkeeper.units import format_duration, parse_duration, plain, seconds

if TYPE_CHECKING:
    from collections.abc import Callable

_RATE = re.compile(r"(-?\d+(?:\.\d+)?)\s*/\s*(s|m|h)")
_RAMP = re.compile(r"(.+?)\s+to\s+(.+)")
_BOUNDS = re.compile(r"(-?\d+)\.\.(-?\d+)")
_PATTERNS = ("poisson", "constant")
_FIGURES = {"bursty": "{peak: 5, burst: 1s, quiet: 9s}", "batches": "{batches_of: 4}"}
MOST_USERS = 64_000
"""Each user has a connection of its own to one port, and a machine has no more ports for the other ends."""
MOST_PHASES = 1_000
"""Of a load whose phases are drawn."""
MOST_ARRIVALS = 1_000_000
"""A second: more than the load generator could ever send."""
LARGEST_POOL = 100_000
MOST_REPETITIONS = 1_000
MOST_LOAD_THREADS = 64
"""As many as the load generator starts at most."""
_HEAP = re.compile(r"([1-9]\d*)([mg])")
LARGEST_HEAP_MB = 1 << 20


def _positive(seconds: float) -> float:
    if seconds == 0:
        raise ValueError("must be longer than 0")
    return seconds


@dataclass(frozen=True, slots=True)
class Span:
    """Shortest and longest duration, in seconds."""

    least: float
    most: float

    def __str__(self) -> str:
        return f"{format_duration(self.least)}..{format_duration(self.most)}"


def parse_span(value: Any) -> Span:
    """A span of a text such as '7s..60s'; ValueError if it is none, begins at 0, or ends before it begins."""
    least, dots, most = value.partition("..") if isinstance(value, str) else ("", "", "")
    if not dots:
        raise ValueError(f"must be SHORTEST..LONGEST, such as 7s..60s, but is {value!r}")
    span = Span(_positive(parse_duration(least)), parse_duration(most))
    if span.least > span.most:
        raise ValueError(f"must have shortest <= longest, but is {value}")
    return span


@dataclass(frozen=True, slots=True)
class Bounds:
    """Smallest and largest size of a pool."""

    minimum: int
    maximum: int

    def __str__(self) -> str:
        return f"{self.minimum}..{self.maximum}"

    def __contains__(self, size: int) -> bool:
        return self.minimum <= size <= self.maximum


def parse_bounds(value: Any) -> Bounds:
    """Bounds of a text such as '1..256'; ValueError if it is none, begins below 1, or has minimum above maximum."""
    found = _BOUNDS.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"must be MIN..MAX, such as 1..256, but is {value!r}")
    minimum, maximum = int(found[1]), int(found[2])
    if minimum < 1:
        raise ValueError(f"must begin at 1 or above, but are {value}")
    if minimum > maximum:
        raise ValueError(f"must have minimum <= maximum, but are {value}")
    if maximum > LARGEST_POOL:
        raise ValueError(f"must end at {LARGEST_POOL} or below, but are {value}")
    return Bounds(minimum, maximum)


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """Seconds that a user waits before each request: always as many, or exponentially distributed around this mean."""

    seconds: float
    exponential: bool = False

    def __str__(self) -> str:
        return f"{'exponential ' if self.exponential else ''}{format_duration(self.seconds)}"


def parse_think_time(value: Any) -> ThinkTime:
    """A think time of a text such as '100ms' or 'exponential 100ms'; ValueError if it is none."""
    if isinstance(value, str) and value.startswith("exponential "):
        return ThinkTime(parse_duration(value.removeprefix("exponential ")), exponential=True)
    return ThinkTime(parse_duration(value))


def parse_rate(value: Any) -> float:
    """Arrivals a second of a number, or of a text such as '500/s' or '30/m'; ValueError if it is none or negative."""
    found = _RATE.fullmatch(value.strip()) if isinstance(value, str) else None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if found is None and not number:
        raise ValueError(f"must be a number of arrivals a second, or a text such as 500/s or 30/m, but is {value!r}")
    rate = float(found[1]) / seconds("1", found[2]) if found else float(value)
    if not 0 <= rate <= MOST_ARRIVALS:
        raise ValueError(f"must be within 0..{MOST_ARRIVALS:,} a second, but is {value}")
    return rate


def format_rate(rate: float) -> str:
    """The rate as text that `parse_rate` and the testbed read: '500/s'."""
    return f"{plain(rate)}/s"


@dataclass(frozen=True, slots=True)
class Level:
    """Load of a phase at its beginning and at its end: users, or arrivals a second."""

    start: float
    end: float

    @property
    def most(self) -> float:
        """The higher of both."""
        return max(self.start, self.end)


def parse_users(value: Any) -> Level:
    """A whole number of users, or a ramp such as '10 to 300'; ValueError if it is neither, or too many."""
    ramp = _RAMP.fullmatch(value.strip()) if isinstance(value, str) else None
    ends = [int(end) if re.fullmatch(r"[0-9]{1,9}", end) else -1 for end in ramp.groups()] if ramp else [value]
    if not all(isinstance(end, int) and not isinstance(end, bool) and 0 <= end <= MOST_USERS for end in ends):
        raise ValueError(
            f"must be a whole number within 0..{MOST_USERS}, or a ramp such as 10 to 300, but is {value!r}"
        )
    return Level(ends[0], ends[-1])


def parse_rates(value: Any) -> Level:
    """A rate as `parse_rate` reads it, or a ramp such as '10/s to 500/s'; ValueError if it is neither."""
    ramp = _RAMP.fullmatch(value.strip()) if isinstance(value, str) else None
    if ramp is None:
        rate = parse_rate(value)
        return Level(rate, rate)
    if not all(_RATE.fullmatch(end) for end in ramp.groups()):
        raise ValueError(f"must be a rate such as 500/s, or a ramp such as 10/s to 500/s, but is {value!r}")
    return Level(parse_rate(ramp[1]), parse_rate(ramp[2]))


T = TypeVar("T")


def ramp(start: T, *end: T) -> T | str:
    """A level as it is written: 10, or '10 to 300' where it has another end."""
    return f"{start} to {end[0]}" if end and end[0] != start else start


def _no_ramp(value: Any) -> Any:
    if isinstance(value, str) and _RAMP.fullmatch(value.strip()):
        raise ValueError(f"is a ramp, which stands in phases: they say how long it takes; but is {value!r}")
    return value


def _above_0(rate: float) -> float:
    if rate == 0:
        raise ValueError("must be above 0")
    return rate


_FORMS = "poisson, constant, {batches_of: 4} or {peak: 5, burst: 1s, quiet: 9s}"


def parse_arrivals(value: Any) -> str | dict[str, Any]:
    """Checks a pattern of arrivals; ValueError if it is none of the forms or cannot be."""
    if isinstance(value, str):
        if value in _FIGURES:
            raise ValueError(f"that are {value} need their figures: {_FIGURES[value]}")
        if value in _FIGURES.values():
            raise ValueError("must stand without quotation marks")
        if value not in _PATTERNS:
            raise ValueError(unknown("arrivals", value, [*_PATTERNS, *_FIGURES.values()]))
        return value
    settings = set(value) if isinstance(value, dict) else set()
    if settings == {"batches_of"}:
        size = value["batches_of"]
        if not isinstance(size, int | float) or isinstance(size, bool) or not 1 <= size <= MOST_ARRIVALS:
            raise ValueError(f"must have batches_of 1 or more, but it is {size!r}")
    elif settings == {"peak", "burst", "quiet"}:
        burst, quiet = _positive(parse_duration(value["burst"])), _positive(parse_duration(value["quiet"]))
        peak, most = value["peak"], (burst + quiet) / burst
        if not isinstance(peak, int | float) or isinstance(peak, bool) or not 1 < peak <= most:
            raise ValueError(
                f"must have a peak above 1 and at most (burst + quiet) / burst = {most:g}, but it is {peak!r}"
            )
    else:
        raise ValueError(f"must be {_FORMS}, but is {value!r}")
    found: dict[str, Any] = value
    return found


def parse_connections(value: Any) -> str:
    """Checks the use of database connections: 'per-request', or 'pool:N' for a pool of N; ValueError if neither."""
    if value == "per-request" or (isinstance(value, str) and re.fullmatch(r"pool:[1-9]\d*", value)):
        return str(value)
    raise ValueError(f"must be per-request, or pool:N with at least 1 connection, but is {value!r}")


def parse_heap(value: Any) -> str:
    """The size of a heap such as '100m' or '2g', as the JVM reads it; ValueError if it is none or above a terabyte."""
    found = _HEAP.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"must be a whole number of m or g, such as 100m or 2g, but is {value!r}")
    if heap_mb(found[0]) > LARGEST_HEAP_MB:
        raise ValueError(f"must be at most {LARGEST_HEAP_MB >> 10}g, but is {value}")
    return found[0]


def heap_mb(heap: str) -> int:
    """The mebibytes of a heap that `parse_heap` has returned."""
    return int(heap[:-1]) * (1024 if heap[-1] == "g" else 1)


def parse_java(value: Any) -> str:
    """A JDK: its feature version such as 25, or the folder that it lies in; ValueError if it is neither."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 17:  # noqa: PLR2004 - the testbed's floor
        return str(value)
    if isinstance(value, str) and value.startswith("/"):
        return value
    raise ValueError(f"must be a version, 17 or later, or the folder of a JDK, but is {value!r}")


def _written(form: Callable[[Any], Any] = str) -> PlainSerializer:
    """Makes of a value the text that it was read of, in files."""
    return PlainSerializer(form, when_used="json")


SpanText = Annotated[Span, BeforeValidator(parse_span), _written()]
Duration = Annotated[float, BeforeValidator(parse_duration), _written(format_duration)]
"""Seconds, 0 or more."""
PositiveDuration = Annotated[Duration, AfterValidator(_positive)]
Rate = Annotated[float, BeforeValidator(parse_rate), AfterValidator(_above_0), _written(format_rate)]
"""Arrivals a second."""
RatesText = Annotated[
    Level, BeforeValidator(parse_rates), _written(lambda level: ramp(*map(format_rate, astuple(level))))
]
UsersText = Annotated[Level, BeforeValidator(parse_users), _written(lambda level: ramp(*astuple(level)))]
NoRamp = BeforeValidator(_no_ramp)
"""Of a level outside phases."""
ArrivalsText = Annotated[str | dict[str, Any], BeforeValidator(parse_arrivals)]
BoundsText = Annotated[Bounds, BeforeValidator(parse_bounds), _written()]
ThinkTimeText = Annotated[ThinkTime, BeforeValidator(parse_think_time), _written()]
HeapText = Annotated[str, BeforeValidator(parse_heap)]
JavaText = Annotated[str, BeforeValidator(parse_java), _written(lambda java: int(java) if java.isdecimal() else java)]
ConnectionsText = Annotated[str, BeforeValidator(parse_connections)]
Count = Annotated[int, Field(ge=1, strict=True)]
"""A whole number, 1 or more."""
CountOrZero = Annotated[int, Field(ge=0, strict=True)]
Users = Annotated[int, Field(ge=1, le=MOST_USERS, strict=True)]
LoadThreads = Annotated[int, Field(ge=1, le=MOST_LOAD_THREADS, strict=True)]
Repetitions = Annotated[int, Field(ge=1, le=MOST_REPETITIONS, strict=True)]
Fraction = Annotated[float, Field(gt=0, lt=1, strict=True)]
"""Between 0 and 1, both excluded."""
