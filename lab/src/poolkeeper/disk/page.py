"""Tables of a disk experiment, on a terminal and on a page."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from poolkeeper.disk.results import baseline, measured, optimal_fixed, published_ratios, ratio
from poolkeeper.present.chart import Axis, Chart, Kind, Series
from poolkeeper.present.page import Page, Section
from poolkeeper.present.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.disk.definition import DiskExperiment, DiskRun
    from poolkeeper.disk.results import VariantRuns

_COLUMNS = (
    "pool",
    "runs",
    "runtime, s",
    "± s",
    "ratio to baseline (95 %)",
    "published",
    "mean size",
    "thread-seconds",
    "waiting for the disk, thread-s",
)
_POINTS_OF_A_CURVE = 2
_LARGE = 1000
"""Figures from here on have no decimals."""


def tables(experiment: DiskExperiment, runs: Sequence[DiskRun]) -> list[Table]:
    """A table for each workload, and one for all of them together."""
    found = measured(runs)
    published = {} if experiment.published is None else published_ratios(Path(experiment.published))
    made = [_table(workload, variants, experiment.versus, published) for workload, variants in found.items()]
    return [*made, _overall(found, experiment.versus)] if len(found) > 1 else made


def page(experiment: DiskExperiment, runs: Sequence[DiskRun], command: str) -> str:
    """The page of the results as HTML."""
    found = tables(experiment, runs)
    curves = {workload: curve(variants) for workload, variants in measured(runs).items()}
    return Page(
        title=experiment.name,
        kind="Disk experiment",
        source=f"{sum(len(v.runs) for variants in measured(runs).values() for v in variants)} complete runs",
        verdict=experiment.question,
        command=command,
        sections=tuple(Section(table.title, (table, *curves.get(table.title, ()))) for table in found),
        warnings=tuple(_warnings(runs)),
    ).render()


def curve(variants: Sequence[VariantRuns]) -> tuple[Chart, ...]:
    """A chart of the runtime by the number of threads; none where a single fixed size was measured."""
    fixed = sorted((v for v in variants if v.fixed_size is not None), key=lambda v: v.fixed_size or 0)
    if len(fixed) < _POINTS_OF_A_CURVE:
        return ()
    deviations = [variant.deviation or 0 for variant in fixed]
    line = Series(
        "fixed sizes",
        tuple(float(variant.fixed_size or 0) for variant in fixed),
        tuple(variant.seconds for variant in fixed),
        low=tuple(variant.seconds - deviation for variant, deviation in zip(fixed, deviations, strict=True)),
        high=tuple(variant.seconds + deviation for variant, deviation in zip(fixed, deviations, strict=True)),
    )
    others = [
        Series(variant.variant, (size,), (variant.seconds,), Kind.POINTS)
        for variant in variants
        if variant.fixed_size is None and (size := variant.mean("mean_size")) is not None
    ]
    note = "the band is a standard deviation to each side"
    threads, runtime = Axis("threads, mean", log=True), Axis("runtime", "s")
    return (Chart("Runtime by the number of threads", threads, runtime, (line, *others), notes=(note,)),)


def _table(
    workload: str, variants: Sequence[VariantRuns], versus: str, published: Mapping[tuple[str, str], float]
) -> Table:
    base = baseline(variants, versus)
    figures = list(dict.fromkeys(name for variant in variants for name in variant.figures))
    rows = tuple(
        (
            variant.variant + (" (baseline)" if variant is base else ""),
            len(variant.runs),
            f"{variant.seconds:.2f}",
            None if variant.deviation is None else f"{variant.deviation:.2f}",
            None if base is None or variant is base else str(ratio(variant, base)),
            _number(published.get((workload, variant.variant))),
            _number(variant.mean("mean_size"), 1),
            _number(variant.mean("thread_seconds"), 1),
            _number(variant.mean("blocked_seconds"), 1),
            *(_figure(variant.figures.get(name)) for name in figures),
        )
        for variant in variants
    )
    columns = (*_COLUMNS, *figures)
    kept = [i for i in range(len(columns)) if any(row[i] is not None for row in rows)]
    return Table(
        workload,
        tuple(columns[i] for i in kept),
        tuple(tuple(row[i] for i in kept) for row in rows),
        tuple(_notes(variants, base)),
    )


def _notes(variants: Sequence[VariantRuns], base: VariantRuns | None) -> list[str]:
    notes = ["a ratio below 1 is faster than the baseline"]
    if base is not None and base is optimal_fixed(variants):
        notes.append("the baseline was chosen from the same runs, which favours it")
    runs = [run for variant in variants for run in variant.runs.values()]
    if caches := sorted({str(run["page_cache"]) for run in runs if "page_cache" in run}):
        notes.append("page cache: " + ", ".join(caches))
    sources = sorted({str(run["blocked_source"]) for run in runs} - {"none"})
    if sources:
        notes.append("waits for the disk by " + ", ".join(sources))
    if all(len(variant.runs) == 1 for variant in variants):
        notes.append("a single run of each says nothing of the spread")
    return notes


def _overall(found: Mapping[str, Sequence[VariantRuns]], versus: str) -> Table:
    names = list(dict.fromkeys(variant.variant for variants in found.values() for variant in variants))
    rows: list[tuple[str, str, str, str]] = []
    for name in names:
        runtimes: list[float] = []
        threads: list[float] = []
        for variants in found.values():
            base = baseline(variants, versus)
            variant = next((v for v in variants if v.variant == name), None)
            if base is None or variant is None or (runtime := ratio(variant, base)) is None:
                continue
            runtimes.append(runtime.mean)
            thread = ratio(variant, base, "thread_seconds")
            threads.append(math.nan if thread is None else thread.mean)
        if len(runtimes) == len(found):
            rows.append((_mean(runtimes), name, f"{max(runtimes):.3f}", _mean(threads)))
    return Table(
        "all workloads",
        ("runtime, ratio to baseline", "pool", "largest ratio", "thread-seconds, ratio"),
        tuple(sorted(rows)),
        ("geometric means over the workloads, of those pools that ran in all of them",),
    )


def _mean(ratios: Sequence[float]) -> str:
    return f"{math.exp(fmean(map(math.log, ratios))):.3f}"


def _number(value: float | None, digits: int = 3) -> str | None:
    return None if value is None else f"{value:.{digits}f}"


def _figure(value: float | None) -> str | None:
    return None if value is None else f"{value:,.0f}" if value >= _LARGE else f"{value:.3g}"


def _warnings(runs: Sequence[DiskRun]) -> list[str]:
    problems = {
        str(run["problem"])
        for variants in measured(runs).values()
        for variant in variants
        for run in variant.runs.values()
        if run.get("problem")
    }
    return [f"some windows were not measured: {problem}" for problem in sorted(problems)]
