"""Notes that say the same of several figures, as one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from poolkeeper.present.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEEDED = re.compile(
    r"(?P<head>.*) for an interval of (the mean|p[\d.]+): (?P<least>about|at least) (?P<number>[\d,]+) are needed"
)
"""Reason why a figure has no interval, which differs from that of the next one in its numbers alone."""


def grouped(reasons: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Reasons, each with the title that it belongs to, as notes: those that are alike become one, in their order."""
    found: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for title, reason in reasons:
        match = _NEEDED.fullmatch(reason)
        key = (match["head"], match["least"]) if match else (reason, "")
        found.setdefault(key, []).append((title, match["number"] if match else "", reason))
    return tuple(_note(head, least, entries) for (head, least), entries in found.items())


def _note(head: str, least: str, entries: list[tuple[str, str, str]]) -> str:
    titles = listed([title for title, _, _ in entries])
    if len(entries) == 1 or not least:
        return f"{titles}: {entries[0][2]}"
    return f"{titles}: {head} for intervals: {least} {listed([number for _, number, _ in entries])} are needed"
