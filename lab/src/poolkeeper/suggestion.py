"""Messages about a name that does not exist, with the nearest name that does."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def unknown(kind: str, name: str, choices: Iterable[str]) -> str:
    """Message about an unknown name: the nearest choice, if one is near, and all choices."""
    names = list(choices)
    near = get_close_matches(name.lower(), names, n=1, cutoff=0.5) or get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean '{near[0]}'?" if near else ";"
    return f"unknown {kind} '{name}'{hint} known: {', '.join(names)}"
