"""Tables and charts on one self-contained HTML page, or in the frame of a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass
from itertools import count, groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from poolkeeper.present.html import embedded, frame, template
from poolkeeper.present.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkeeper.present.chart import Chart

    Part: TypeAlias = Table | Chart

_HALF = 60
"""Letters that a column of the page has room for."""
_PADDING = 2
"""Letters as wide as the space between two columns of a table."""
_PROSE = 24
"""Letters of a line of words in a table."""
_NAMES = 16
"""Least letters of a table's first column."""


@dataclass(frozen=True, slots=True)
class Section:
    """Tables and charts under a heading, in reading order."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Content of a page: a title, the verdict, its limits, and the sections that hold its evidence.

    `kind` names the page in its head, `source` what it is about, `command` how to make it again.
    """

    title: str
    kind: str
    source: str
    verdict: str
    command: str
    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()

    def render(self) -> str:
        """The page as HTML that needs nothing else, no network among it."""
        return _render(
            self.sections,
            title=self.title,
            kind=self.kind,
            source=self.source,
            verdict=self.verdict,
            command=self.command,
            warnings=self.warnings,
        )


def framed(chart: Chart) -> str:
    """The chart as HTML for a notebook: a frame of its own, so that neither style nor script meets the notebook's."""
    page = _render((Section("", (chart,)),), title=chart.title, alone=True)
    return (
        f'<iframe title="{html.escape(chart.title)}" style="width:100%;height:400px;border:0" '
        f'srcdoc="{html.escape(page)}"></iframe>'
    )


def _render(sections: tuple[Section, ...], *, alone: bool = False, **words: Any) -> str:
    parts = [part for section in sections for part in section.parts]
    charts = [part for part in parts if not isinstance(part, Table)]
    tables = [part for part in parts if isinstance(part, Table)]
    data = {
        "name": words["title"],
        "charts": [chart.to_dict() for chart in charts],
        "tables": [
            {"title": table.title, "header": list(table.columns), "rows": [list(row) for row in table.finite()]}
            for table in tables
        ],
    }
    numbers = {True: count(), False: count()}  # of tables, and of charts
    return str(
        template("poolkeeper.present", "answer.html").render(
            page={
                "alone": alone,
                "sections": [
                    {
                        "title": section.title,
                        "rows": [
                            {
                                "wide": len(row) == 1,
                                "numbered": [(part, next(numbers[isinstance(part, Table)])) for part in row],
                            }
                            for row in _rows(section.parts)
                        ],
                    }
                    for section in sections
                ],
                **words,
            },
            data=embedded(data),
            **frame("poolkeeper.present", style=("answer.css",), script=("chart.js", "answer.js")),
        )
    )


def _rows(parts: tuple[Part, ...]) -> Iterator[list[Part]]:
    """Parts that share the page's two columns; those too wide for one of them by themselves."""
    for wide, found in groupby(parts, _wide):
        run = list(found)
        if wide:
            yield from ([part] for part in run)
            continue
        # An odd one would leave half a row blank; a chart fills it best.
        odd = len(run) > 1 and len(run) % 2 == 1
        if odd and not isinstance(run[-1], Table):
            yield from (run[:-1], run[-1:])
        elif odd and not isinstance(run[0], Table):
            yield from (run[:1], run[1:])
        else:
            yield run


def _wide(part: Part) -> bool:
    """Whether a table, with its numbers in one line each and its words broken, is wider than half a page."""
    if not isinstance(part, Table):
        return False
    columns = list(zip(part.columns, *part.cells(), strict=True))
    widths = [_letters(*column, numeric=part.numeric(place)) for place, column in enumerate(columns)]
    return sum((max(_NAMES, widths[0]), *widths[1:])) > _HALF


def _letters(heading: str, *cells: str, numeric: bool) -> int:
    words = max((len(word) for word in heading.split()), default=0)
    widest = max(map(len, cells), default=0)
    return _PADDING + max(words, widest if numeric else min(widest, _PROSE))
