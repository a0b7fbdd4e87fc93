"""Small charts of block characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_EIGHTHS = " ▁▂▃▄▅▆▇█"


def resample(values: Sequence[float], columns: int, total: int) -> list[float]:
    """Spread `values`, the first of a series that will have `total`, over their part of so many columns.

    A column shows the mean of what falls into it, or repeats a value where there are more columns than values.
    """
    if not values or total <= 0:
        return []
    filled = max(1, round(columns * min(1.0, len(values) / total)))
    found: list[float] = []
    for column in range(filled):
        first = column * len(values) // filled
        last = max(first + 1, (column + 1) * len(values) // filled)
        part = values[first:last]
        found.append(sum(part) / len(part))
    return found


def area(values: Sequence[float], height: int, top: float) -> list[str]:
    """Lines of an area chart, the highest first; a value at or above `top` fills its column."""
    lines = []
    for row in reversed(range(height)):
        cells = []
        for value in values:
            eighths = round(min(1.0, value / top) * height * 8) if top > 0 else 0
            if value > 0 and row == 0:
                eighths = max(1, eighths)  # little is not nothing
            cells.append(_EIGHTHS[max(0, min(8, eighths - 8 * row))])
        lines.append("".join(cells))
    return lines


def spark(values: Sequence[float], columns: int, top: float) -> str:
    """A chart of one line."""
    return area(resample(values, columns, len(values)), 1, top)[0] if values else ""
