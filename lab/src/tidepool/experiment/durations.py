"""Durations as people write them: `500ms`, `1.5s`, `5m`."""

from __future__ import annotations

import re

_FORM = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(text: object) -> float:
    """Seconds in a duration such as `500ms`, `10s` or `5m`.

    Raises:
        ValueError: if it is no such text; zero is allowed, a negative duration is not.
    """
    match = _FORM.fullmatch(str(text).strip())
    if match is None:
        raise ValueError(f"a duration is a number and a unit, such as 500ms, 10s or 5m, but this is {str(text)!r}")
    return float(match[1]) * _SECONDS[match[2]]


def words(duration_s: float) -> str:
    """A duration for a person: `45 s`, `3 min 20 s`, `2 h 5 min`."""
    total = round(duration_s)
    if total < 60:  # noqa: PLR2004 - seconds in a minute
        return f"{total} s"
    minutes, rest = divmod(total, 60)
    if minutes < 60:  # noqa: PLR2004 - minutes in an hour
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
