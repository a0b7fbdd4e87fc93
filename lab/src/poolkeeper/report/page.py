"""The report: one HTML page with everything in it, style, script and data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING, Any

from poolkeeper.present.html import embedded, frame, template
from poolkeeper.present.numbers import number
from poolkeeper.present.text import listed
from poolkeeper.report.answer import answer
from poolkeeper.report.description import description
from poolkeeper.report.experiment import by_variant, cell_name, place_of
from poolkeeper.report.findings import configurations, environment, figure_words, reach, warnings
from poolkeeper.report.judging.claim_comparison import ClaimedCell
from poolkeeper.report.judging.claims import claims_csv, judge
from poolkeeper.report.judging.phase_answer import phase_answer
from poolkeeper.report.judging.phase_shares import PhaseShares, phase_shares
from poolkeeper.report.judging.published_table import MeasuredCell, published_tables
from poolkeeper.report.measuring.counters import CounterTable, counter_table
from poolkeeper.report.measuring.pools import in_words, others
from poolkeeper.report.measuring.series import cell_data
from poolkeeper.report.overview import heat_maps, multiples
from poolkeeper.report.paired import PairedTable, paired_table
from poolkeeper.report.rule import rule
from poolkeeper.report.sentences import text
from poolkeeper.report.share_tables import share_table
from poolkeeper.report.summary import VariantSummary, counted, standing_out, summarise
from poolkeeper.report.tables import Csv, PhaseTable, VariantTable, phase_table, variant_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.experiment import Experiment

_PACKAGE = "poolkeeper.report"
_SCRIPTS = ("chart.js", "data.js", "charts.js", "curves.js", "decisions.js", "log.js", "page.js")


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
    shares: PhaseShares | None
    """Of each phase's best fixed size, where phases send different work."""
    charts: list[Chart]
    counters: CounterTable | None
    paired: PairedTable | None
    data: dict[str, Any]

    @property
    def order(self) -> list[str]:
        """The variants as all charts count them."""
        return [summary.name for summary in self.summaries]

    @property
    def share_table(self) -> PhaseTable | None:
        """The shares as a table."""
        return share_table(self.shares, standing_out(self.summaries)) if self.shares is not None else None


@dataclass(frozen=True, slots=True)
class Page:
    """The page, with the answer in two sentences, its warnings, and the verdicts on claims."""

    html: str
    answer: str
    caveats: tuple[str, ...]
    claims: tuple[str, ...]


def render(experiment: Experiment) -> Page:
    """The page of an experiment."""
    sections = _sections(experiment)
    summaries = [summary for section in sections for summary in section.summaries]
    headline = phase_answer([section.shares for section in sections if section.shares is not None]) or answer(summaries)
    overview = [(section.id, section.name, section.summaries) for section in sections]
    maps = heat_maps(overview)
    cells = list(experiment.cells().values())
    places = [
        MeasuredCell(section.id, section.name, place_of(runs[0]), section.summaries)
        for section, runs in zip(sections, cells, strict=True)
    ]
    judged = judge(
        experiment.claims,
        [
            ClaimedCell(place.id, place.name, place.place, by_variant(runs))
            for place, runs in zip(places, cells, strict=True)
        ],
    )
    published = published_tables(experiment.published, places)
    warned = warnings(experiment, summaries)
    if experiment.published and not published:
        warned.append(text("warnings.nothing_published"))
    page = template(_PACKAGE, "report.html").render(
        experiment=experiment,
        answer=headline,
        sections=sections,
        judged=judged,
        heat_maps=maps,
        multiples=multiples(overview),
        published=published,
        description=description(experiment),
        warnings=warned,
        environment=environment(experiment),
        configurations=configurations(experiment),
        rule=rule(summaries),
        measured=min(run.start for run in experiment.runs).astimezone(UTC),
        data=_embedded(
            experiment.name,
            sections,
            {
                **{heat_map.name: heat_map.csv for heat_map in maps},
                **{table.name: table.csv for table in published},
                "claims": claims_csv(judged),
            },
        ),
        number=number,
        **frame(_PACKAGE, style=("report.css",), script=_SCRIPTS),
    )
    return Page(page, headline, (*warned, *reach(summaries)), tuple(verdict.sentence for verdict in judged))


def _sections(experiment: Experiment) -> list[Section]:
    sections = []
    for place, (cell, runs) in enumerate(experiment.cells().items(), start=1):
        variants = by_variant(runs)
        summaries = summarise(cell_name(cell), variants)
        sections.append(
            Section(
                id=f"cell-{place}",
                name=cell_name(cell),
                summaries=summaries,
                table=variant_table(summaries),
                phases=phase_table(variants, standing_out(summaries)),
                shares=phase_shares(variants),
                charts=_charts(variants, summaries),
                counters=counter_table({name: counted(members) for name, members in variants.items()}),
                paired=paired_table(summaries),
                data=cell_data(variants),
            )
        )
    return sections


def _charts(variants: Mapping[str, Sequence[Run]], summaries: list[VariantSummary]) -> list[Chart]:
    """The four charts of every cell, and one of each further pool."""
    measured = {name: counted(members) for name, members in variants.items()}
    charts = [Chart(figure, title, unit, figure_words(figure, summaries)) for figure, title, unit in _CHARTS]
    pools = others(measured)
    if pools and (first := {name for members in measured.values() for member in members for name in member.pools}):
        *rest, size = charts
        charts = [*rest, replace(size, title=f"Size of {_pool(sorted(first))}")]
    further = [
        Chart(f"sizes-{place}", f"Size of {_pool([name])}", "threads, connections or permits", in_words(name, measured))
        for place, name in enumerate(pools)
    ]
    return [*charts, *further]


def _pool(names: Sequence[str]) -> str:
    return f"the {'pool' if len(names) == 1 else 'pools'} {listed(names)}"


def _embedded(name: str, sections: list[Section], overview: dict[str, Csv]) -> str:
    """The data as JSON that cannot end its script element."""
    cells = [
        {
            "id": section.id,
            "name": section.name,
            **section.data,
            "tables": {
                "variants": asdict(section.table.csv),
                "differences": asdict(section.table.differences),
                **({"phases": asdict(section.phases.csv)} if section.phases else {}),
                **({"shares": asdict(section.share_table.csv)} if section.share_table else {}),
                **({"paired": asdict(section.paired.csv)} if section.paired else {}),
                **({"counters": asdict(section.counters.csv)} if section.counters else {}),
            },
        }
        for section in sections
    ]
    tables = {figure: asdict(csv) for figure, csv in overview.items()}
    return embedded({"experiment": name, "overview": {"id": "overview", "name": "", "tables": tables}, "cells": cells})
