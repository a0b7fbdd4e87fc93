"""Units of time that result files use."""

from __future__ import annotations

from difflib import get_close_matches

from poolkeeper.errors import InputError

NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000}
"""How many nanoseconds each unit has."""

NS = 1_000_000_000
"""Nanoseconds of a second."""


def nanoseconds(unit: str) -> int:
    """How many nanoseconds a unit has; raises InputError, which names the nearest, for an unknown one."""
    if unit not in NANOSECONDS:
        near = get_close_matches(unit.lower(), NANOSECONDS, 1, 0.1)
        raise InputError(
            f"unit: {unit!r} is none of {', '.join(NANOSECONDS)}" + (f"; did you mean {near[0]}?" if near else "")
        )
    return NANOSECONDS[unit]
