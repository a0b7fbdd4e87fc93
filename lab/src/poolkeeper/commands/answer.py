"""Answer of a command, ready for a terminal, for machines and for a page."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from poolkeeper.present.chart import Chart
from poolkeeper.present.notes import grouped
from poolkeeper.present.table import Table

if TYPE_CHECKING:
    from poolkeeper.present.page import Page
    from poolkeeper.present.result import Result

SCHEMA = 1
"""Version of the JSON, as contract/answer.schema.json describes it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One result of an answer: its name in JSON, and the section of the page that it belongs to.

    `brief` is false where the terminal has no room for its table. `lines` stand there in any case.
    """

    name: str
    section: str
    result: Result
    brief: bool = True
    lines: tuple[str, ...] = ()
    more: tuple[Table | Chart, ...] = ()
    """More for the page than the result's own table and chart."""
    tabular: bool = True
    """Whether its table belongs on the page: not that of a curve, whose numbers the chart gives."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict of two sentences, its limits, and the results behind it.

    `word` is the word of the command line, `about` what was analysed in a few words, `given` the settings that
    decided the result.
    """

    word: str
    title: str
    about: str
    verdict: str
    parts: tuple[Part, ...]
    warnings: tuple[str, ...] = ()
    given: dict[str, Any] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Results that the data do not allow, with the reason."""

    def to_dict(self) -> dict[str, Any]:
        """The answer as contract/answer.schema.json describes it."""
        from poolkeeper import __version__

        return {
            "schema": SCHEMA,
            "poolkeeper": __version__,
            "command": self.word,
            "about": self.about,
            "given": self.given,
            "verdict": self.verdict,
            "warnings": list(self.warnings),
            "left_out": self.left_out,
            "results": {part.name: plain(part.result.to_dict()) for part in self.parts},
        }

    def notes(self) -> tuple[str, ...]:
        """Notes that limit the verdict, the missing parts among them."""
        return (*self.warnings, *self.missing())

    def missing(self) -> tuple[str, ...]:
        """The results that the data do not allow, those of a reason in one line."""
        return tuple(f"no {note}" for note in grouped(self.left_out.items()))

    def page(self, command: str) -> Page:
        """The answer as a page that was made by a command."""
        from poolkeeper.present.page import Page, Section

        sections = []
        for title, parts in groupby(self.parts, key=lambda part: part.section):
            shown: list[Any] = []
            for part in parts:
                tables = [part.result.table()] if part.tabular else []
                charts = [each for each in (part.result.plot(), *part.more) if isinstance(each, Table) or each.series]
                above = {note for table in tables for note in table.notes}
                shown += tables
                shown += [_without(each, above) if isinstance(each, Chart) else each for each in charts]
            sections.append(Section(title, tuple(shown)))
        return Page(self.title, self.word, self.about, self.verdict, command, tuple(sections), self.notes())


def _without(chart: Chart, notes: set[str]) -> Chart:
    """A chart without the notes that are shown right above it."""
    return replace(chart, notes=tuple(note for note in chart.notes if note not in notes))


def plain(value: Any) -> Any:
    """A value for JSON: NaN and infinities become None, NumPy's numbers become Python's."""
    if isinstance(value, dict):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
