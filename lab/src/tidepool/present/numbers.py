"""Numbers as a person reads them."""

from __future__ import annotations

import math

_DASH = "–"


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, or more if its whole part has more; a dash for NaN."""
    if math.isnan(value):
        return _DASH
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def milliseconds(seconds: float) -> str:
    """A time in milliseconds, without the unit."""
    return number(seconds * 1000)


def time(seconds: float) -> str:
    """A response time with its unit."""
    if math.isnan(seconds):
        return "not measured"
    return f"{number(seconds)} s" if seconds >= 1 else f"{milliseconds(seconds)} ms"


def change(ratio: float) -> str:
    """A relative change that a table has room for: "+12 %", "−3.4 %", "×5.2"."""
    if math.isnan(ratio):
        return "unknown"
    if ratio >= 1:
        return f"×{number(ratio + 1)}"
    digits = 0 if abs(ratio) >= 0.1 else 1  # noqa: PLR2004 - two digits that mean something
    return f"{'−' if ratio < 0 else '+'}{abs(ratio) * 100:.{digits}f} %"
