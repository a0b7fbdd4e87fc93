"""Advice on numbers whose marks are not those of a decimal number: commas, and marks between thousands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

POINTS = "tr , . < FILE > CONVERTED"
"""Command that writes decimal points in place of commas."""
_NO_COMMAS = "tr -d , < FILE > CONVERTED"
_BOTH = "tr -d . < FILE | tr , . > CONVERTED"
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")
"""Form of a whole number with commas between thousands; of one comma it may be a decimal one as well."""


def comma_advice(texts: Iterable[str]) -> str:
    """Advice on the numbers of a column, some of which have commas: the command that writes them as they are meant.

    Three digits behind each comma may be decimals, or thousands: a decimal point in their place would make the numbers
    a thousand times too small.
    """
    numbers = [text.strip().strip('"') for text in texts if "," in text]
    if any(text.rfind(".") > text.rfind(",") or text.count(",") > 1 for text in numbers):
        return f"write no commas between thousands: {_NO_COMMAS}"
    if any("." in text for text in numbers):
        return f"write a decimal point, and none between thousands: {_BOTH}"
    if numbers and all(thousands := list(map(thousands_advice, numbers))):
        return f"{thousands[0]}; if they are decimal ones, write points: {POINTS}"
    return f"write decimal points: {POINTS}"


def thousands_advice(text: str) -> str:
    """Advice on a whole number whose commas may part thousands; empty for another one."""
    return f"if its commas part thousands, write none: {_NO_COMMAS}" if _GROUPED.fullmatch(text) else ""
