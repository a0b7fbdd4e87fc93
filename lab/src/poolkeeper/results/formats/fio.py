"""Logs of fio, which has a file for each part of the time of a transfer: until it is sent, from then on, and in all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_NAME = re.compile(r"(?P<prefix>.+)_(?P<part>slat|clat|lat)(?P<job>\.\d+)?\.log(?P<packed>\.\w+)?")


def refuse_several(paths: Iterable[Path]) -> None:
    """Raise InputError for several parts of the same transfers, each of which would count several times."""
    first: dict[tuple[Path, str, str], Path] = {}
    for path in paths:
        if (found := _NAME.fullmatch(path.name)) is None:
            continue
        other = first.setdefault((path.parent, found["prefix"], found["job"] or ""), path)
        # A copy that is packed has the part of the other one, and is known by what it holds.
        if f"_{found['part']}." not in other.name:
            words = "parts of the time of the same transfers, as fio writes them"
            raise InputError(f"files: {other.name} and {path.name} hold {words}: give one of them, {_whole(found)} say")


def _whole(found: re.Match[str]) -> str:
    """Name of the log with the whole time of each transfer."""
    return f"{found['prefix']}_lat{found['job'] or ''}.log"
