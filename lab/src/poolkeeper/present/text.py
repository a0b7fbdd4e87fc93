"""Words about numbers of things."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def counted(count: int, thing: str) -> str:
    """So many of a thing: "1 value", "2,000 values"."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Words as a sentence has them: "one, two and three"; empty for none."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
