"""The tables of the report: cells as text for the page and as numbers for CSV."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import milliseconds, number
from poolkeeper.report.messages import NAMES, load_mark, threads, verdict
from poolkeeper.report.summary import Spread, counted, standing_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.judging.compare import Comparison
    from poolkeeper.report.measuring.measurement import Blocks, Floats, LoadPhase
    from poolkeeper.report.summary import VariantSummary

CsvValue = str | float | int | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One cell of a table: the mean, and the range over repetitions where there are several."""

    label: str
    unit: str
    text: str
    range: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """One figure's difference against the baseline; places in percent of a track's width, no change in the middle."""

    name: str
    text: str
    seen: bool
    better: bool
    at: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Row:
    """A variant in the table of variants."""

    name: str
    strong: bool
    badge: str
    figures: tuple[Figure, ...]
    verdict: str
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Csv:
    """A table as it is downloaded."""

    header: tuple[str, ...]
    rows: tuple[tuple[CsvValue, ...], ...]


@dataclass(frozen=True, slots=True)
class VariantTable:
    """All variants of a cell, the scale of their effects, and the CSV."""

    rows: tuple[Row, ...]
    ticks: tuple[tuple[float, str], ...]
    versus: str | None
    csv: Csv
    differences: Csv


@dataclass(frozen=True, slots=True)
class Column:
    """A figure in the table of variants: its heading, its unit, how to get and to say it, and its name in the CSV."""

    label: str
    unit: str
    get: Callable[[VariantSummary], Spread]
    say: Callable[[float], str]
    csv: str
    always: bool = True
    """Whether the column is there even if nothing was measured for it."""


def _percent(share: float) -> str:
    return number(share * 100)


def _cpus(value: float) -> str:
    return number(value, 2)


COLUMNS = (
    Column("Throughput", "requests/s", attrgetter("throughput"), number, "throughput_per_s"),
    Column("Mean", "ms", attrgetter("mean"), milliseconds, "response_mean_s"),
    Column("p50", "ms", attrgetter("p50"), milliseconds, "response_p50_s"),
    Column("p99", "ms", attrgetter("p99"), milliseconds, "response_p99_s"),
    Column("p99.9", "ms", attrgetter("p999"), milliseconds, "response_p999_s"),
    Column("Pool size", "threads", attrgetter("mean_pool_size"), threads, "mean_pool_size"),
    Column("Goodput", "within the bound/s", attrgetter("goodput"), number, "goodput_per_s", always=False),
    Column("Offered", "requests/s", attrgetter("offered"), number, "offered_per_s", always=False),
    Column("Server CPU", "CPUs", attrgetter("server_cpu"), _cpus, "server_cpu", always=False),
    Column("Load CPU", "CPUs", attrgetter("load_cpu"), _cpus, "load_cpu", always=False),
    Column("Database CPU", "CPUs", attrgetter("database_cpu"), _cpus, "database_cpu", always=False),
    Column("Balancer CPU", "CPUs", attrgetter("balancer_cpu"), _cpus, "balancer_cpu", always=False),
    Column("Server quota", "% used", attrgetter("server_quota"), _percent, "server_quota_used", always=False),
    Column("Balancer quota", "% used", attrgetter("balancer_quota"), _percent, "balancer_quota_used", always=False),
)


def variant_table(summaries: Sequence[VariantSummary]) -> VariantTable:
    """The table of variants of one cell."""
    columns = [
        column
        for column in COLUMNS
        if column.always or not all(math.isnan(column.get(summary).mean) for summary in summaries)
    ]
    strong = standing_out(summaries)
    bound = bound_of([comparison for summary in summaries for comparison in summary.comparisons.values()])
    return VariantTable(
        rows=tuple(_row(summary, bound, columns, strong=summary.name in strong) for summary in summaries),
        ticks=ticks_of(bound),
        versus=summaries[0].versus if any(summary.comparisons for summary in summaries) else None,
        csv=_variant_csv(summaries),
        differences=_differences_csv(summaries),
    )


def _row(summary: VariantSummary, bound: float, columns: Sequence[Column], *, strong: bool) -> Row:
    figures = [
        Figure(column.label, column.unit, column.say(column.get(summary).mean), _range(column.get(summary), column.say))
        for column in columns
    ]
    share = summary.errors / summary.requests if summary.requests else 0.0
    figures.insert(
        5, Figure("Errors", "", f"{summary.errors:,}", f"{number(share * 100, 2)} %" if summary.errors else "")
    )
    return Row(
        name=summary.name,
        strong=strong,
        badge=_badge(summary),
        figures=tuple(figures),
        verdict=summary.verdict,
        effects=tuple(effect(figure, comparison, bound) for figure, comparison in summary.comparisons.items()),
    )


def _range(spread: Spread, say: Callable[[float], str]) -> str:
    low, high = say(spread.low), say(spread.high)
    return f"{low}–{high}" if low != high else ""


def _badge(summary: VariantSummary) -> str:
    runs = f"{summary.complete} runs" if summary.complete > 1 else ""
    doubt = (
        "" if not summary.not_steady else "not steady" if summary.complete <= 1 else f"{summary.not_steady} not steady"
    )
    marks = [*(f"{status} run" for status in sorted(set(summary.others))), doubt, load_mark(summary)]
    return ", ".join(filter(None, [runs, *marks]))


def effect(figure: str, comparison: Comparison, bound: float) -> Effect:
    """A difference on a track whose ends are at the logarithm `bound`."""

    def place(change: float) -> float:
        if math.isnan(change):
            return 50.0
        if change <= -1:
            return 0.0
        return 50.0 + 50.0 * max(-1.0, min(1.0, math.log1p(change) / bound))

    return Effect(
        name=NAMES[figure],
        text=verdict(comparison),
        seen=comparison.seen,
        better=(comparison.change > 0) == (figure == "throughput"),
        at=place(comparison.change),
        low=place(comparison.low),
        high=place(comparison.high),
    )


def bound_of(comparisons: Sequence[Comparison]) -> float:
    """The logarithm of the ratio at the ends of the tracks: wide enough for every change and most intervals."""
    changes = [abs(math.log1p(comparison.change)) for comparison in comparisons if comparison.change > -1]
    ends = [
        abs(math.log1p(end))
        for comparison in comparisons
        for end in (comparison.low, comparison.high)
        if -1 < end < math.inf
    ]
    return max(math.log(1.25), *changes, min(math.log(4), max(ends, default=0.0)), 0.0) * 1.08


def ticks_of(bound: float) -> tuple[tuple[float, str], ...]:
    """Marks below the tracks: round ratios, few enough not to overlap."""
    ratios = [(1 / 10, "÷10"), (1 / 4, "÷4"), (1 / 2, "÷2"), (1.0, "equal"), (2.0, "×2"), (4.0, "×4"), (10.0, "×10")]
    small = [(0.8, "−20 %"), (0.9, "−10 %"), (1.0, "equal"), (1 / 0.9, "+11 %"), (1.25, "+25 %")]
    chosen = ratios if bound > math.log(2) else small
    return tuple(
        (50 + 50 * math.log(ratio) / bound, text) for ratio, text in chosen if abs(math.log(ratio)) <= bound * 0.98
    )


def _variant_csv(summaries: Sequence[VariantSummary]) -> Csv:
    header = ["cell", "variant", "complete_runs", "not_steady_runs", "requests", "errors"]
    header += [f"{column.csv}{end}" for column in COLUMNS for end in ("", "_low", "_high")]
    header += ["versus", "verdict"]
    rows = []
    for summary in summaries:
        row: list[CsvValue] = [
            summary.cell,
            summary.name,
            summary.complete,
            summary.not_steady,
            summary.requests,
            summary.errors,
        ]
        for column in COLUMNS:
            spread = column.get(summary)
            row += [finite(spread.mean), finite(spread.low), finite(spread.high)]
        rows.append((*row, summary.versus, summary.verdict))
    return Csv(tuple(header), tuple(rows))


def _differences_csv(summaries: Sequence[VariantSummary]) -> Csv:
    figures = ("figure", "change", "low", "high", "seen", "interval_from", "samples", "doubt")
    rows = []
    for summary in summaries:
        for figure, found in summary.comparisons.items():
            ends = (finite(found.change), finite(found.low), finite(found.high))
            made = (int(found.seen), found.basis, found.samples, found.doubt)
            rows.append((summary.cell, summary.name, summary.versus, figure, *ends, *made))
    return Csv(("cell", "variant", "versus", *figures), tuple(rows))


@dataclass(frozen=True, slots=True)
class PhaseTable:
    """The variants by phase of the load: for each figure its unit and one row of texts a variant."""

    phases: tuple[str, ...]
    names: tuple[tuple[str, bool], ...]
    figures: tuple[tuple[str, str, tuple[tuple[str, ...], ...]], ...]
    csv: Csv


PHASE_FIGURES: tuple[tuple[str, str, Callable[[Blocks, Floats], float], Callable[[float], str], str], ...] = (
    ("Throughput", "requests/s", lambda blocks, weights: blocks.throughput(weights), number, "throughput_per_s"),
    ("Mean", "ms", lambda blocks, weights: blocks.mean_s(weights), milliseconds, "response_mean_s"),
    ("p99", "ms", lambda blocks, weights: blocks.percentile_s(99.0, weights), milliseconds, "response_p99_s"),
    ("Pool size", "threads", lambda blocks, weights: blocks.mean_pool_size(weights), threads, "mean_pool_size"),
)


AFTER = "afterwards"
"""Heading of what was still under way when the last phase was over."""


def phase_table(runs: Mapping[str, Sequence[Run]], strong: set[str]) -> PhaseTable | None:
    """The variants by phase; None if the load had one phase only."""
    measured = {name: counted(members) for name, members in runs.items()}
    phases = max(
        (member.phases() for members in measured.values() for member in members),
        key=len,
        default=[],
    )
    if len(phases) < 2:  # noqa: PLR2004 - one phase is the whole run
        return None
    worked_off = any(member.worked_off_s for members in measured.values() for member in members)
    texts: list[tuple[str, str, tuple[tuple[str, ...], ...]]] = []
    lines: dict[tuple[str, int], list[CsvValue]] = {}
    for label, unit, statistic, say, _ in PHASE_FIGURES:
        rows: list[tuple[str, ...]] = []
        for name, members in measured.items():
            values = [
                Spread.of(statistic(member.blocks, member.blocks.during(phase)) for member in members).mean
                for phase in range(len(phases))
            ]
            if worked_off:
                late = [member for member in members if member.worked_off_s]
                values.append(
                    Spread.of(
                        statistic(measured.blocks, measured.blocks.all_of(measured.after)) for measured in late
                    ).mean
                )
            rows.append(tuple(say(value) for value in values))
            for phase, value in enumerate(values):
                level = _cell(phases[phase]) if phase < len(phases) else 0
                lines.setdefault((name, phase), [name, phase + 1, level]).append(finite(value))
        texts.append((label, unit, tuple(rows)))
    return PhaseTable(
        (*(phase.label for phase in phases), *([AFTER] if worked_off else [])),
        tuple((name, name in strong) for name in runs),
        tuple(texts),
        Csv(
            ("variant", "phase", "users" if not phases[0].rate else "rate_per_s", *(csv for *_, csv in PHASE_FIGURES)),
            tuple(map(tuple, lines.values())),
        ),
    )


def _cell(phase: LoadPhase) -> CsvValue:
    return phase.level if phase.to is None else phase.short


def finite(value: float) -> float | None:
    """The value for a CSV; None where it was not measured."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
