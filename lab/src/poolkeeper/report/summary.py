"""The variants of an experiment: figures, spread, and the verdict against `versus`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import change
from poolkeeper.present.text import listed
from poolkeeper.report.experiment import architecture_of, by_cell, by_variant, is_adaptive, versus_of
from poolkeeper.report.judging.compare import UNKNOWN, Comparison, bounded, compare, disagree
from poolkeeper.report.judging.paired import FEWEST, bounded_by_load, compare_slices, differ_between_runs
from poolkeeper.report.measuring.measurement import Blocks, Floats, Measurement, measure
from poolkeeper.report.measuring.shares import Share
from poolkeeper.report.messages import NAMES, limit_mark, slices_verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.judging.paired import Course

REPETITIONS_DISAGREE = "repetitions disagree"
FEW = 4
"""As many adaptive variants stand out; more would drown what they stand out from."""

COMPARED: dict[str, Callable[[Blocks, Floats], float]] = {
    "throughput": Blocks.throughput,
    "mean": Blocks.mean_s,
    "p99": lambda blocks, weights: blocks.percentile_s(99.0, weights),
}
"""The figures that a verdict is given on."""
CLAIMED = {**COMPARED, "goodput": Blocks.goodput}
"""The figures of blocks that a claim may be about."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over repetitions: mean, lowest, highest; all NaN when it was not measured."""

    mean: float
    low: float
    high: float

    @staticmethod
    def of(values: Iterable[float]) -> Spread:
        """The spread of those values that were measured."""
        finite = [value for value in values if not math.isnan(value)]
        if not finite:
            return Spread(math.nan, math.nan, math.nan)
        return Spread(sum(finite) / len(finite), min(finite), max(finite))


@dataclass(frozen=True, slots=True)
class VariantSummary:
    """One variant in one cell: times in seconds, CPU in processors, throughput per second, sizes in threads."""

    name: str
    cell: str
    architecture: str
    """That of the server; empty where the runs name none."""
    adaptive: bool
    complete: int
    """Runs that ran to their end. If there are any, only they count; if there are none, the others do."""
    others: tuple[str, ...]
    """Status of each run that did not."""
    not_steady: int
    """Runs among those that count whose throughput was not shown to be steady."""
    limited: int
    """Runs among those that count in which the load generator itself may have been the bottleneck."""
    held_up: int
    """Those of them in which its own threads were not busy."""
    left_out_s: float
    """Seconds at the beginning of the load that are in no figure."""
    throughput: Spread
    mean: Spread
    p50: Spread
    p99: Spread
    p999: Spread
    requests: int
    errors: int
    offered: Spread
    """Requests a second that should have been sent; NaN for closed users."""
    goodput: Spread
    """Successful answers a second within the bound of the experiment; NaN where it states none."""
    mean_pool_size: Spread
    server_cpu: Spread
    load_cpu: Spread
    database_cpu: Spread
    balancer_cpu: Spread
    server_quota: Spread
    """Share of its CPU quota that the server used, or all servers of theirs; so the balancer."""
    balancer_quota: Spread
    versus: str | None
    comparisons: dict[str, Comparison]
    """By figure (`COMPARED`); empty for the baseline itself and where nothing can be compared."""
    verdict: str


def standing_out(summaries: Iterable[VariantSummary]) -> set[str]:
    """Names of the adaptive variants if they are few enough to be set in bold."""
    names = {summary.name for summary in summaries if summary.adaptive}
    return names if len(names) <= FEW else set()


def variants(runs: Iterable[Run]) -> list[VariantSummary]:
    """Summarise runs by cell and variant, compared with the variant that they name as `versus`."""
    cells = by_cell(runs)
    return [summary for cell, members in cells.items() for summary in summarise(cell, by_variant(members))]


def summarise(cell: str, runs: dict[str, list[Run]]) -> list[VariantSummary]:
    """Summarise the variants of one cell."""
    measured = {name: counted(members) for name, members in runs.items()}
    versus = versus_of(run for members in runs.values() for run in members)
    baseline = measured.get(versus) if versus else None
    return [_summarise(name, cell, members, measured[name], versus, baseline) for name, members in runs.items()]


def counted(runs: Sequence[Run]) -> list[Measurement]:
    """The runs of a variant that count: the complete ones if there are any, else whatever was measured."""
    complete = [run for run in runs if run.status == "complete"]
    return measure(complete or runs)


def _summarise(  # noqa: PLR0913 - one caller
    name: str,
    cell: str,
    runs: Sequence[Run],
    measured: Sequence[Measurement],
    versus: str | None,
    baseline: Sequence[Measurement] | None,
) -> VariantSummary:
    def spread(statistic: Callable[[Blocks, Floats], float]) -> Spread:
        return Spread.of(statistic(measurement.blocks, measurement.blocks.everything()) for measurement in measured)

    comparisons = _compare(measured, baseline or ()) if name != versus else {}
    return VariantSummary(
        name=name,
        cell=cell,
        architecture=next(map(architecture_of, runs), ""),
        adaptive=any(map(is_adaptive, runs)),
        complete=sum(run.status == "complete" for run in runs),
        others=tuple(run.status for run in runs if run.status != "complete"),
        not_steady=sum(not measurement.steady for measurement in measured),
        limited=sum(measurement.limited for measurement in measured),
        held_up=sum(measurement.held_up for measurement in measured),
        left_out_s=max((measurement.left_out_s for measurement in measured), default=0.0),
        throughput=spread(Blocks.throughput),
        mean=spread(Blocks.mean_s),
        p50=spread(partial(_percentile, 50.0)),
        p99=spread(partial(_percentile, 99.0)),
        p999=spread(partial(_percentile, 99.9)),
        requests=sum(measurement.requests for measurement in measured),
        errors=sum(measurement.errors for measurement in measured),
        offered=Spread.of(measurement.offered() for measurement in measured),
        goodput=spread(Blocks.goodput),
        mean_pool_size=spread(Blocks.mean_pool_size),
        server_cpu=Spread.of(measurement.server_cpu() for measurement in measured),
        load_cpu=Spread.of(measurement.load_cpu() for measurement in measured),
        database_cpu=Spread.of(measurement.watched_cpu("database") for measurement in measured),
        balancer_cpu=Spread.of(measurement.watched_cpu("balancer") for measurement in measured),
        server_quota=Spread.of(measurement.quota_used("server") for measurement in measured),
        balancer_quota=Spread.of(measurement.quota_used("balancer") for measurement in measured),
        versus=versus,
        comparisons=comparisons,
        verdict=_verdict(name, measured, versus, baseline, comparisons),
    )


def _percentile(percentile: float, blocks: Blocks, weights: Floats) -> float:
    return blocks.percentile_s(percentile, weights)


Repetition = tuple[int, int]
"""Number of a repetition, and which of its runs it is, by start, where several sessions are shown together."""


def by_repetition(runs: Iterable[Measurement]) -> dict[Repetition, Measurement]:
    """The complete runs of a variant in a cell; where variants took turns, what was finished of others as well."""
    seen: Counter[int] = Counter()
    found = {}
    for run in runs:
        if run.run.status == "complete" or isinstance(run.run, Share):
            number = run.run.repetition
            found[number, seen[number]] = run
            seen[number] += 1
    return found


def pairs_of(
    ours: Iterable[Measurement], theirs: Iterable[Measurement]
) -> dict[Repetition, tuple[Measurement, Measurement]]:
    """The complete runs of two variants that belong together, those of the same repetition; each is in one pair."""
    others = by_repetition(theirs)
    return {key: (measured, others[key]) for key, measured in by_repetition(ours).items() if key in others}


def _compare(ours: Sequence[Measurement], theirs: Sequence[Measurement]) -> dict[str, Comparison]:
    if any(measured.silent for measured in (*ours, *theirs)):
        return {}
    pairs = [*pairs_of(ours, theirs).values()]
    return {figure: _compare_figure(figure, pairs) for figure in COMPARED} if pairs else {}


def slices_of(figure: str, pairs: Sequence[tuple[Measurement, Measurement]]) -> list[tuple[Course, Course]]:
    """The slices of both where the two took turns in the same runs; empty where they did not, and of other figures."""
    runs = [(ours.run, theirs.run) for ours, theirs in pairs if figure in COMPARED]
    return [
        (ours.courses[figure], theirs.courses[figure])
        for ours, theirs in runs
        if isinstance(ours, Share) and isinstance(theirs, Share) and ours.folder == theirs.folder
    ]


def _compare_figure(figure: str, pairs: Sequence[tuple[Measurement, Measurement]]) -> Comparison:
    """A figure's comparison, left open as far as the load generator or the repetitions leave it open.

    Three or more repetitions make the interval wide where they contradict each other; that of blocks knows nothing of
    it.
    """
    blocks, statistic = [(pair.blocks, other.blocks) for pair, other in pairs], COMPARED[figure]
    sliced = slices_of(figure, pairs)
    found = compare_slices(sliced) if sliced else compare(blocks, statistic)
    if found.basis == UNKNOWN.basis:
        return found
    limited = [[run for run in runs if run.limited] for runs in zip(*pairs, strict=True)]
    both = [*limited[0], *limited[1]]
    if both and sliced:
        # What held the load generator up did so with both variants; only its own limit hides a difference.
        if any(not entry.held_up for entry in both):
            found = replace(bounded_by_load(found), doubt=limit_mark(len(both), sum(entry.held_up for entry in both)))
    elif both:
        doubt = limit_mark(len(both), sum(entry.held_up for entry in both))
        found = replace(bounded(found, figure, ours=bool(limited[0]), theirs=bool(limited[1])), doubt=doubt)
    contradict = differ_between_runs(sliced) if sliced else found.basis == "blocks" and disagree(blocks, statistic)
    if contradict:
        return replace(found, low=-1.0, high=math.inf, doubt=REPETITIONS_DISAGREE)
    return found


def _verdict(
    name: str,
    ours: Sequence[Measurement],
    versus: str | None,
    baseline: Sequence[Measurement] | None,
    comparisons: dict[str, Comparison],
) -> str:
    if versus is None or name == versus:
        return "baseline" if versus else "compared with none"
    if baseline is None:
        return f"not compared: {versus} was not run"
    if not comparisons:
        return _why_not(name, ours, versus, baseline)
    if all(found.basis == UNKNOWN.basis for found in comparisons.values()) and isinstance(ours[0].run, Share):
        return f"not compared: fewer than {FEWEST} slices of each"
    return _differences(comparisons)


def _differences(comparisons: dict[str, Comparison]) -> str:
    if all(comparison.basis == UNKNOWN.basis for comparison in comparisons.values()):
        return "not compared: too short to tell the spread"
    if (throughput := comparisons.get("throughput")) is not None and throughput.basis == "slices":
        return slices_verdict(throughput)
    seen = {figure: comparison for figure, comparison in comparisons.items() if comparison.seen}
    message = ", ".join(f"{NAMES[figure]} {change(comparison.change)}" for figure, comparison in seen.items())
    doubts: dict[str, list[str]] = {}
    for figure, comparison in comparisons.items():
        if comparison.open:
            doubts.setdefault(comparison.doubt, []).append(NAMES[figure])
    left = [f"{listed(names)} open: {doubt}" for doubt, names in doubts.items()]
    if len(doubts) == 1 and all(comparison.open for comparison in comparisons.values()):
        left = [f"open: {doubt}" for doubt in doubts]
    return "; ".join(filter(None, [message, *left])) or "no difference seen"


def _why_not(name: str, ours: Sequence[Measurement], versus: str, theirs: Sequence[Measurement]) -> str:
    for who, measured in ((name, ours), (versus, theirs)):
        if silent := sum(measurement.silent for measurement in measured):
            runs = f" in {silent} of {len(measured)} runs" if len(measured) > 1 else ""
            return f"not compared: {who} answered nothing{runs}"
    for who, measured in ((name, ours), (versus, theirs)):
        if not any(measurement.run.status == "complete" for measurement in measured):
            return f"not compared: no complete run of {who}"
    return f"not compared: no repetition in common with {versus}"
