"""Findings of a reader of result files, in words: left-out rows, gaps, steps of the clock, units that look wrong."""

from __future__ import annotations

from dataclasses import dataclass

from poolkeeper.present.text import counted


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a reader of the results must know; `kind` is one word for machines, `count` how often."""

    kind: str
    words: str
    count: int = 1

    def __str__(self) -> str:
        return self.words


class Findings:
    """Gathers findings while a file is read: those of one kind, file and wording become one with a count."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], int] = {}

    def add(self, kind: str, words: str, count: int = 1) -> None:
        """Add a finding; `words` may hold `{count}`, the number of times that it was added."""
        if count:
            self._held[kind, words] = self._held.get((kind, words), 0) + count

    def all(self) -> tuple[Finding, ...]:
        """All findings, in the order of the first time."""
        return tuple(Finding(kind, _sentence(words, n), n) for (kind, words), n in self._held.items())


def _sentence(words: str, count: int) -> str:
    text = words.replace("{count} requests", counted(count, "request")).replace("{count}", f"{count:,}")
    return text.replace(" were left out", " was left out") if count == 1 else text
