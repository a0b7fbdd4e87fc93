"""Tables and charts on one self-contained HTML page, or in the frame of a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidepool.present.chart import Chart
from tidepool.present.html import embedded, frame, template
from tidepool.present.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

Part = Table | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """Tables and charts under a heading, in reading order."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says: a title, the verdict, what limits it, and the sections that hold what it rests on.

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
    charts = [part for part in parts if isinstance(part, Chart)]
    tables = [part for part in parts if isinstance(part, Table)]
    data = {
        "name": words["title"],
        "charts": [chart.to_dict() for chart in charts],
        "tables": [
            {"title": table.title, "header": list(table.columns), "rows": [list(row) for row in table.finite()]}
            for table in tables
        ],
    }
    numbers = _numbers()
    return str(
        template("tidepool.present", "answer.html").render(
            page={
                "alone": alone,
                "sections": [
                    {"title": section.title, "numbered": [(part, next(numbers[type(part)])) for part in section.parts]}
                    for section in sections
                ],
                **words,
            },
            data=embedded(data),
            **frame("tidepool.present", style=("answer.css",), script=("chart.js", "answer.js")),
        )
    )


def _numbers() -> dict[type, Iterator[int]]:
    from itertools import count

    return {Chart: count(), Table: count()}
