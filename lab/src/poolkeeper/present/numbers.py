"""Numbers as a person reads them: the one place that writes them, for terminal, page and sentences alike."""

from __future__ import annotations

import math
from typing import Any

_DASH = "–"
_LEAST, _MOST = -4, 12
"""Powers of ten from which, and up to which, numbers are written out."""
_COUNTED = 10**15
_UNITS = (
    (86_400.0, "days", 172_800.0),
    (3_600.0, "h", 7_200.0),
    (1.0, "s", 1.0),
    (1e-3, "ms", 1e-4),
    (1e-6, "µs", 1e-7),
)
"""Seconds of a unit, its name, and from how many seconds on it is used; nanoseconds below."""
_READABLE = (0.01, 1e6)
"""Milliseconds that are read as such."""


def or_none(value: float) -> float | None:
    """A figure for tables and JSON, None where it is NaN."""
    return None if math.isnan(value) else value


def finite(value: Any) -> Any:
    """A figure or another value for JSON, which has neither NaN nor infinity: None for both."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


_PERCENT = 100
_NEARLY_NOTHING = -0.995
"""Relative change that would be written as if nothing were left."""
_DIGITS = 15
"""Digits that are right in any number with a point (double precision)."""


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, or more if its whole part has more; a dash for NaN.

    What would be mostly zeros, below 0.0001 or from 10¹² on, is written with a power of ten: 2.43e-11.
    """
    if math.isnan(value):
        return _DASH
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = int(exponent)
    if not _LEAST <= power < _MOST:
        return f"{mantissa}e{power}"
    return f"{value:,.{max(0, digits - 1 - power)}f}"


def percent(share: float, digits: int = 3) -> str:
    """A share of 0 to 1 in percent, so many digits of it: "80.0"; what is less than all is never "100": "99.9999"."""
    while share < 1 and digits < _DIGITS and float(f"{_PERCENT * share:.{digits - 1}e}") >= _PERCENT:
        digits += 1
    return number(_PERCENT * share, digits)


def count(value: int) -> str:
    """A whole number, with thousands apart; one too long to read with a power of ten."""
    return f"{value:,}" if abs(value) < _COUNTED else number(value)


def amount(value: float) -> str:
    """A load or another amount that is often whole: "16", "1,000", "17.7"."""
    return count(int(value)) if math.isfinite(value) and value == int(value) else number(value)


def rate(value: float, unit: str = "1/s", digits: int = 3) -> str:
    """A rate with its unit, if it has one: "1,074/s"."""
    return number(value, digits) + (unit.removeprefix("1") if unit.startswith("1/") else f" {unit}").rstrip()


def milliseconds(seconds: float) -> str:
    """A time in milliseconds, without the unit."""
    return number(seconds * 1000)


def time(seconds: float) -> str:
    """A time with the unit that suits it, from nanoseconds to days."""
    if math.isnan(seconds):
        return "not measured"
    factor, unit = _unit(seconds)
    return f"{number(seconds / factor)} {unit}"


def response(milliseconds: float) -> str:
    """A response time: in milliseconds, which people compare, unless these are too many or too few to read."""
    size = abs(milliseconds)
    if math.isfinite(size) and size > 0 and not _READABLE[0] <= size < _READABLE[1]:
        return time(milliseconds / 1000)
    return f"{number(milliseconds)} ms"


def responses(low: float, high: float) -> str:
    """An interval of response times in milliseconds, with the unit once if both have the same: "114 to 132 ms"."""
    first, last = response(low), response(high)
    (figure, unit), (_, common) = first.split(" "), last.split(" ")
    return f"{figure if unit == common else first} to {last}"


def _unit(seconds: float) -> tuple[float, str]:
    size = abs(seconds)
    if size == 0:
        return 1e-3, "ms"
    return next(((factor, unit) for factor, unit, least in _UNITS if size >= least), (1e-9, "ns"))


def change(ratio: float) -> str:
    """A relative change that a table has room for: "+12 %", "−3.4 %", "×5.2"."""
    if math.isnan(ratio):
        return "unknown"
    if ratio >= 1:
        return f"×{number(ratio + 1)}"
    if -1 < ratio < _NEARLY_NOTHING:
        return f"−{percent(-ratio)} %"
    digits = 0 if abs(ratio) >= 0.1 else 1  # noqa: PLR2004 - two digits that mean something
    return f"{'−' if ratio < 0 else '+'}{abs(ratio) * 100:.{digits}f} %"
