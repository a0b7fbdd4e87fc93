"""Evidence of one comparison of two variants in one cell for a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from poolkeeper.present import text
from poolkeeper.present.numbers import number
from poolkeeper.present.text import listed
from poolkeeper.report.judging.compare import UNKNOWN, Comparison, bounded, compare, logarithm
from poolkeeper.report.judging.paired import bounded_by_load, compare_slices, paired_mean
from poolkeeper.report.measuring.counters import COUNTERS, compare_counter, differing
from poolkeeper.report.summary import CLAIMED, counted, pairs_of, slices_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.record import Run
    from poolkeeper.report.measuring.measurement import Measurement
    from poolkeeper.report.summary import Repetition
    from poolkeeper.study.claims import Claim

Finding = Literal["holds", "contradicted", "open", "not counted"]


@dataclass(frozen=True, slots=True)
class ClaimedCell:
    """A cell in which variants ran: its section and name, the values of its axes, and the runs by variant."""

    id: str
    name: str
    place: Mapping[str, str]
    runs: Mapping[str, Sequence[Run]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two variants in one cell: the ratio of the first to the second, what it says of the claim, and what went with it.

    `low` and `high` are the ends of the interval of the ratio, 0 and infinite where a limit of the load generator
    leaves them open.
    """

    section: str
    cell: str
    of: str
    to: str
    ratio: Comparison
    low: float
    high: float
    limited: tuple[str, ...]
    """Those of the two of whose runs the load generator limited some."""
    finding: Finding
    costs: str
    """Figures of the machine that differ most between the two: what the difference may come from."""
    logs: Mapping[Repetition, float]
    """Logarithm of the ratio by repetition, where there is one."""
    without: int
    """Repetitions of complete runs that have none: the figure of one of the two is 0, or was not measured."""
    unfinished: int
    """Repetitions of both of which one did not run to its end."""

    @property
    def interval(self) -> str:
        """The interval for a field of a table, with the end that is open left out; empty where none is known."""
        if math.isnan(self.low) or math.isnan(self.high):
            return ""
        if math.isinf(self.high):
            return f"at least {number(self.low)}" if self.low > 0 else ""
        return f"{number(self.low)}–{number(self.high)}" if self.low != 0 else f"at most {number(self.high)}"

    @property
    def doubt(self) -> str:
        """Reason why it is incomplete, in words; empty if it is complete."""
        messages = []
        if self.limited:
            messages.append(f"the load generator may have been the limit with {listed(self.limited)}")
        if self.without:
            messages.append(f"in {text.counted(self.without, 'repetition')} one of the two has no such figure, or 0")
        if self.unfinished:
            messages.append(f"in {text.counted(self.unfinished, 'repetition')} one of the two did not run to its end")
        return "; ".join(messages)


def claimed_pairs(claim: Claim, cell: ClaimedCell) -> list[Pair]:
    """Every two variants of a cell that a claim compares, and that have a repetition in common."""
    if not claim.is_about(cell.place):
        return []
    found = (_pair(claim, cell, of, to) for of, to in claim.pairs(cell.runs))
    return [pair for pair in found if pair is not None]


def _pair(claim: Claim, cell: ClaimedCell, of: str, to: str) -> Pair | None:
    """The comparison of two variants in a cell; None where they have no repetition in common."""
    begun = {run.repetition for run in cell.runs[of]} & {run.repetition for run in cell.runs[to]}
    if not begun:
        return None
    ours, theirs = (counted(cell.runs[name]) for name in (of, to))
    pairs = pairs_of(ours, theirs)
    ratio = _compare(claim.figure, [*pairs.values()]) if pairs else UNKNOWN
    limited = [any(run.limited for run in runs) for runs in zip(*pairs.values(), strict=True)]
    if slices_of(claim.figure, [*pairs.values()]):
        busy = any(measured.limited and not measured.held_up for pair in pairs.values() for measured in pair)
        ends, limited = bounded_by_load(ratio) if busy else ratio, [busy, busy]
    else:
        ends = bounded(ratio, claim.figure, ours=limited[0], theirs=limited[1]) if pairs else ratio
    low, high = ends.low + 1, ends.high + 1
    logs = {key: _log_ratio(claim.figure, *pair) for key, pair in pairs.items()}
    finite = {key: log for key, log in logs.items() if not math.isnan(log)}
    return Pair(
        section=cell.id,
        cell=cell.name,
        of=of,
        to=to,
        ratio=ratio,
        low=low,
        high=high,
        limited=tuple(name for name, it_is in zip((of, to), limited, strict=False) if it_is),
        finding=_finding(claim, low, high) if pairs else "not counted",
        costs=differing(ours, theirs) if pairs else "",
        logs=finite,
        without=len(logs) - len(finite),
        unfinished=len(begun - {number for number, _ in pairs}),
    )


def _compare(figure: str, pairs: Sequence[tuple[Measurement, Measurement]]) -> Comparison:
    if figure in COUNTERS:
        return compare_counter(figure, pairs)
    if sliced := slices_of(figure, pairs):
        return compare_slices(sliced)
    return compare([(ours.blocks, theirs.blocks) for ours, theirs in pairs], CLAIMED[figure])


def _log_ratio(figure: str, ours: Measurement, theirs: Measurement) -> float:
    if figure in COUNTERS:
        return logarithm(COUNTERS[figure].of(ours)) - logarithm(COUNTERS[figure].of(theirs))
    if sliced := slices_of(figure, [(ours, theirs)]):
        return paired_mean(sliced).mean
    ours_now, theirs_now = (
        CLAIMED[figure](measured.blocks, measured.blocks.everything()) for measured in (ours, theirs)
    )
    return logarithm(ours_now) - logarithm(theirs_now)


def _finding(claim: Claim, low: float, high: float) -> Finding:
    if low <= 0 and math.isinf(high):
        return "not counted"
    if inside(claim, low, high):
        return "holds"
    return "contradicted" if outside(claim, low, high) else "open"


def inside(claim: Claim, low: float, high: float) -> bool:
    """Whether an interval lies in the claimed range; never where one of its ends is NaN."""
    return (claim.above is None or low > claim.above) and (claim.below is None or high < claim.below)


def outside(claim: Claim, low: float, high: float) -> bool:
    """Whether an interval lies outside the claimed range; never where the end that says so is NaN."""
    return (claim.above is not None and high <= claim.above) or (claim.below is not None and low >= claim.below)
