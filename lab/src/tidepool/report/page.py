"""The report: one HTML page with everything in it, style, script and data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

from tidepool.present.html import embedded, frame, template
from tidepool.report.answer import answer
from tidepool.report.experiment import by_variant, cell_name
from tidepool.report.findings import caveats, configurations, description, environment, figure_words, warnings
from tidepool.report.series import cell_data
from tidepool.report.summary import VariantSummary, standing_out, summarise
from tidepool.report.tables import HeatMap, PhaseTable, VariantTable, heat_maps, phase_table, variant_table
from tidepool.report.words import rule

if TYPE_CHECKING:
    from tidepool.report.experiment import Experiment

_PACKAGE = "tidepool.report"
_SCRIPTS = ("data.js", "charts.js", "curves.js", "decisions.js", "log.js", "page.js")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a cell: the series it draws, its title and unit, and itself in words."""

    figure: str
    title: str
    unit: str
    words: str


_CHARTS = (
    ("throughput", "Throughput", "successful requests per second"),
    ("mean", "Mean response time", "milliseconds"),
    ("p99", "99th percentile of the response time", "milliseconds: one request in a hundred took longer"),
    ("sizes", "Pool size", "threads"),
)


@dataclass(frozen=True, slots=True)
class Section:
    """One cell of the experiment's axes, ready for the template."""

    id: str
    name: str
    summaries: list[VariantSummary]
    table: VariantTable
    phases: PhaseTable | None
    charts: list[Chart]
    data: dict[str, Any]


def render(experiment: Experiment) -> tuple[str, str, tuple[str, ...]]:
    """Return the page, the answer in two sentences, and what must be known beside it."""
    sections = _sections(experiment)
    summaries = [one for section in sections for one in section.summaries]
    said = answer(summaries)
    maps = heat_maps([(section.id, section.name, section.summaries) for section in sections])
    page = template(_PACKAGE, "report.html").render(
        experiment=experiment,
        answer=said,
        sections=sections,
        heat_maps=maps,
        description=description(experiment),
        warnings=warnings(experiment, summaries),
        environment=environment(experiment),
        configurations=configurations(experiment),
        rule=rule(summaries),
        measured=min(run.start for run in experiment.runs).astimezone(UTC),
        data=_embedded(experiment.name, sections, maps),
        **frame(_PACKAGE, script=_SCRIPTS),
    )
    return page, said, tuple(caveats(experiment, summaries))


def _sections(experiment: Experiment) -> list[Section]:
    sections = []
    for number, (cell, runs) in enumerate(experiment.cells().items(), start=1):
        variants = by_variant(runs)
        summaries = summarise(cell_name(cell), variants)
        sections.append(
            Section(
                id=f"cell-{number}",
                name=cell_name(cell),
                summaries=summaries,
                table=variant_table(summaries),
                phases=phase_table(variants, standing_out(summaries)),
                charts=[Chart(figure, title, unit, figure_words(figure, summaries)) for figure, title, unit in _CHARTS],
                data=cell_data(variants),
            )
        )
    return sections


def _embedded(name: str, sections: list[Section], maps: list[HeatMap]) -> str:
    """The data as JSON that cannot end the script element it stands in."""
    cells = [
        {
            "id": section.id,
            "name": section.name,
            **section.data,
            "tables": {
                "variants": asdict(section.table.csv),
                "differences": asdict(section.table.differences),
                **({"phases": asdict(section.phases.csv)} if section.phases else {}),
            },
        }
        for section in sections
    ]
    overview = {"id": "overview", "name": "", "tables": {one.name: asdict(one.csv) for one in maps}}
    return embedded({"experiment": name, "overview": overview, "cells": cells})
