"""Units of time, and durations as people write them."""

from __future__ import annotations

import re
from typing import Any

from poolkeeper.errors import InputError
from poolkeeper.suggestion import unknown

NS = 1_000_000_000
"""Nanoseconds of a second."""
NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": NS, "min": 60 * NS, "m": 60 * NS, "h": 3600 * NS}
"""Nanoseconds of each unit."""
RESULT_UNITS = ("ns", "us", "ms", "s", "min")
"""Units that values of a result file may have."""
TIME = r"(-?\d+(?:\.\d*)?|-?\.\d+)\s*(us|ms|s|m|h)"
"""A number and its unit, each a group of the expression."""
DIGITS = 9
"""Decimals of a second: durations are exact to the nanosecond."""
_ROUNDED = 1e-6
"""Share of a duration that rounding it to nanoseconds may change."""
LONGEST_S = 30 * 24 * 3600.0
"""Longest phase of an experiment; a longer one is a slip of the pen."""
_DURATION = re.compile(TIME)


def nanoseconds(unit: str) -> int:
    """Nanoseconds of a unit of a result file. Raises InputError, which names the nearest unit, for an unknown one."""
    if unit not in RESULT_UNITS:
        raise InputError(unknown("unit", unit, RESULT_UNITS))
    return NANOSECONDS[unit]


def seconds(number: str, unit: str) -> float:
    """Seconds of a number and the unit behind it."""
    return float(number) * NANOSECONDS[unit] / NS


def parse_duration(value: Any) -> float:
    """Seconds of a text such as '500ms', '10s', '5m' or '1h'.

    Raises ValueError for another text, a negative duration, one above `LONGEST_S`, and one that nanoseconds are too
    coarse for.
    """
    found = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"must be a number with its unit, such as 500ms, 10s, 5m or 1h, but is {value!r}")
    duration = seconds(found[1], found[2])
    if duration < 0:
        raise ValueError(f"must not be negative, but is {value}")
    if duration > LONGEST_S:
        raise ValueError(f"must be at most {LONGEST_S / 3600:g}h, but is {value}")
    rounded = round(duration, DIGITS)
    if abs(rounded - duration) > _ROUNDED * duration:
        nearest = f"{max(1, round(duration * NS)) / 1000:g}us"
        raise ValueError(f"is kept in whole nanoseconds, too coarse for {value}; the nearest is {nearest}")
    return rounded


def option_duration(text: str, option: str) -> float:
    """Seconds of a time that an option gives, such as 500ms; raises InputError, which names the option, for another."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise InputError(f"{option}: {error}") from None


def format_duration(duration: float) -> str:
    """The duration as text that `parse_duration` and the testbed's options read: '0.5s'."""
    return plain(duration) + "s"


def format_milliseconds(duration: float) -> str:
    """The duration as text in milliseconds: '20ms'."""
    return plain(duration * 1000, DIGITS - 3) + "ms"


def plain(value: float, digits: int = DIGITS) -> str:
    """The number without zeros at its end: '0.5'."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def clock(duration: float) -> str:
    """A duration for people, to the second: '1:05', '2:00:00', '3 days 4:00:00'."""
    minutes, rest = divmod(round(duration), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:  # noqa: PLR2004 - two days
        return f"{hours // 24} days {hours % 24}:{minutes:02}:{rest:02}"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
