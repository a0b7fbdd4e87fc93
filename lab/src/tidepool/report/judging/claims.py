"""What an experiment set out to confirm or refute, and what came of it.

A claim speaks of a ratio between variants. Each pair of variants in each cell gives one ratio with its 95 % interval
(`compare`): it holds where the interval lies in the claimed range, is contradicted where it lies outside, and is open
else. On the whole the ratio is the geometric mean over the cells, with an interval made of the differences between
repetitions (`mean_ratio`). A claim is

- confirmed, where the interval of the mean lies in the range and no pair contradicts it;
- refuted, where the interval of the mean lies outside and it holds in no pair;
- undecided in all other cases, and where fewer than three repetitions of cells speak of it: their spread is not known.

A run in which the load generator was at its limit tells only how much the server did at least. Such throughput bounds
the ratio from one side: the other end of the interval is open, so that a claim is neither contradicted nor confirmed by
what the load generator could not ask for. Of response times and counters such a run tells nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from tidepool.present.numbers import number
from tidepool.report.judging.compare import Comparison, compare, logarithm
from tidepool.report.judging.mean_ratio import mean_ratio
from tidepool.report.measuring.counters import COUNTERS, compare_counter, differing
from tidepool.report.summary import COMPARED, counted, pairs_of
from tidepool.report.tables import Csv, finite
from tidepool.report.words import NAMES, listing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tidepool.experiment.definition.claims import Claim
    from tidepool.record import Run
    from tidepool.report.judging.mean_ratio import MeanRatio
    from tidepool.report.measuring.measured import Measured

Verdict = Literal["confirmed", "refuted", "undecided"]
Finding = Literal["holds", "contradicted", "open", "not counted"]
LEAST = 3
"""Repetitions of cells that a verdict needs: the spread of two is known to a factor of thirty."""


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
    beside: str
    """Figures of the machine that differ most between the two: what the difference may come from."""
    logs: dict[int, float]
    """Logarithm of the ratio by repetition, where it was measured."""

    @property
    def interval(self) -> str:
        """The interval for a field of a table, with the end that is open left out."""
        if math.isinf(self.high):
            return f"at least {number(self.low)}" if self.low > 0 else ""
        return f"{number(self.low)}–{number(self.high)}" if self.low != 0 else f"at most {number(self.high)}"

    @property
    def doubt(self) -> str:
        """What the limit of the load generator does to it, in words; empty without one."""
        return f"the load generator may have been the limit with {listing(self.limited)}" if self.limited else ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its verdict; `ratio`, `low` and `high` are those of the geometric mean, NaN where none is known."""

    claim: Claim
    verdict: Verdict
    ratio: float
    low: float
    high: float
    pairs: tuple[Pair, ...]
    reason: str
    caveats: tuple[str, ...] = ()
    """Sentences on how far the verdict and the comparisons reach."""

    @property
    def said(self) -> str:
        """The verdict in one line."""
        return f"{self.verdict}: {self.claim.claim} ({self.reason})"


def judge(claims: Sequence[Claim], cells: Sequence[ClaimedCell]) -> list[Judged]:
    """Every claim with its verdict, in their order."""
    return [_judged(claim, [pair for cell in cells for pair in _pairs(claim, cell)]) for claim in claims]


def _pairs(claim: Claim, cell: ClaimedCell) -> list[Pair]:
    if not claim.is_about(cell.place):
        return []
    found = []
    for of, to in claim.pairs(cell.runs):
        ours, theirs = (counted(cell.runs[name]) for name in (of, to))
        pairs = pairs_of(ours, theirs)
        if pairs:
            found.append(_pair(claim, cell, (of, to), pairs, differing(ours, theirs)))
    return found


def _pair(
    claim: Claim, cell: ClaimedCell, names: tuple[str, str], pairs: Sequence[tuple[Measured, Measured]], beside: str
) -> Pair:
    ratio = _compare(claim.figure, pairs)
    limited = [any(one.limited for one in runs) for runs in zip(*pairs, strict=True)]
    low, high = ratio.low + 1, ratio.high + 1
    if any(limited):
        one_sided = claim.figure == "throughput"
        low = low if one_sided and not limited[1] else 0.0
        high = high if one_sided and not limited[0] else math.inf
    logs = {ours.run.repetition: _log_ratio(claim.figure, ours, theirs) for ours, theirs in pairs}
    return Pair(
        section=cell.id,
        cell=cell.name,
        of=names[0],
        to=names[1],
        ratio=ratio,
        low=low,
        high=high,
        limited=tuple(name for name, it_is in zip(names, limited, strict=True) if it_is),
        finding=_finding(claim, low, high),
        beside=beside,
        logs={repetition: log for repetition, log in logs.items() if not math.isnan(log)},
    )


def _compare(figure: str, pairs: Sequence[tuple[Measured, Measured]]) -> Comparison:
    if figure in COUNTERS:
        return compare_counter(figure, pairs)
    return compare([(ours.blocks, theirs.blocks) for ours, theirs in pairs], COMPARED[figure])


def _log_ratio(figure: str, ours: Measured, theirs: Measured) -> float:
    if figure in COUNTERS:
        return logarithm(COUNTERS[figure].of(ours)) - logarithm(COUNTERS[figure].of(theirs))
    ours_now, theirs_now = (COMPARED[figure](one.blocks, one.blocks.everything()) for one in (ours, theirs))
    return logarithm(ours_now) - logarithm(theirs_now)


def _finding(claim: Claim, low: float, high: float) -> Finding:
    if low <= 0 and math.isinf(high):
        return "not counted"
    if _inside(claim, low, high):
        return "holds"
    return "contradicted" if _outside(claim, low, high) else "open"


def _inside(claim: Claim, low: float, high: float) -> bool:
    return (claim.above is None or low > claim.above) and (claim.below is None or high < claim.below)


def _outside(claim: Claim, low: float, high: float) -> bool:
    return (claim.above is not None and high <= claim.above) or (claim.below is not None and low >= claim.below)


def _judged(claim: Claim, pairs: Sequence[Pair]) -> Judged:
    known = [pair for pair in pairs if pair.logs and pair.finding != "not counted"]
    if not known:
        return Judged(claim, "undecided", math.nan, math.nan, math.nan, tuple(pairs), _why_none(pairs), _caveats(pairs))
    mean = mean_ratio(_cells(known))
    low, high = mean.low, mean.high
    if any(pair.low <= 0 for pair in known):
        low = 0.0
    if any(math.isinf(pair.high) for pair in known):
        high = math.inf
    findings = {pair.finding for pair in known}
    verdict: Verdict = "undecided"
    if mean.samples >= LEAST and not math.isnan(mean.low):
        if _inside(claim, low, high) and "contradicted" not in findings:
            verdict = "confirmed"
        elif _outside(claim, low, high) and "holds" not in findings:
            verdict = "refuted"
    reason = _reason(claim, replace(mean, low=low, high=high), known)
    return Judged(claim, verdict, mean.ratio, low, high, tuple(pairs), reason, _caveats(pairs))


def _cells(pairs: Sequence[Pair]) -> list[list[float]]:
    """The logarithms of each cell by repetition: pairs of one repetition share runs, and count as their mean."""
    cells: dict[str, dict[int, list[float]]] = {}
    for pair in pairs:
        for repetition, log in pair.logs.items():
            cells.setdefault(pair.section, {}).setdefault(repetition, []).append(log)
    return [[sum(logs) / len(logs) for logs in repetitions.values()] for repetitions in cells.values()]


def _why_none(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return "its variants were not run beside each other"
    if all(pair.limited for pair in pairs):
        return "the load generator may have been the limit in every comparison: none tells what the servers could do"
    return "what it speaks of was not measured in both"


def _reason(claim: Claim, mean: MeanRatio, pairs: Sequence[Pair]) -> str:
    of, to = listing(claim.of), " or ".join(claim.to)
    figure = NAMES[claim.figure] if claim.figure in NAMES else COUNTERS[claim.figure].label
    said = f"the {figure} of {of} was {number(mean.ratio)} times that of {to}{_interval(mean)}"
    if mean.cells > 1:
        said += f", a geometric mean over {mean.cells} combinations"
    if mean.samples < LEAST:
        said += f"; {_times(mean.samples)}, fewer than the {LEAST} repetitions from which a verdict is given"
    counts = {words: [pair.finding for pair in pairs].count(kind) for kind, words in _FINDINGS.items()}
    if len(pairs) > 1:
        told = listing([f"{words} {number}" for words, number in counts.items() if number])
        said += f"; of {len(pairs)} comparisons the claim {told}"
    return said


_FINDINGS: dict[Finding, str] = {"holds": "holds in", "contradicted": "is contradicted in", "open": "is open in"}


def _interval(mean: MeanRatio) -> str:
    if math.isnan(mean.low) and math.isnan(mean.high):
        return ""
    if math.isinf(mean.high) and mean.low > 0:
        return f" (at least {number(mean.low)})"
    if mean.low <= 0 and not math.isinf(mean.high):
        return f" (at most {number(mean.high)})"
    if mean.low <= 0:
        return " (which the load generator bounds on neither side)"
    return f" ({number(mean.low)} to {number(mean.high)})"


def _times(samples: int) -> str:
    return "it was measured once" if samples == 1 else f"it was measured {samples} times"


def _caveats(pairs: Sequence[Pair]) -> tuple[str, ...]:
    said = []
    limited = [pair for pair in pairs if pair.limited]
    if limited:
        left_out = sum(pair.finding == "not counted" for pair in limited)
        where = "the comparison" if len(pairs) == 1 else f"{len(limited)} of {len(pairs)} comparisons"
        said.append(
            f"In {where} the load generator may have been the limit: a server could perhaps do more. Such a run "
            "bounds a ratio of throughputs from one side, and tells nothing else."
            + (f" {left_out} of them {'counts' if left_out == 1 else 'count'} for nothing." if left_out else "")
        )
    if any(pair.ratio.basis == "blocks" for pair in pairs):
        said.append(
            "The interval of a comparison tells how steady the difference was within its runs, of which there are "
            "fewer than three; another pair may differ by more. That of the mean is made of what differs between "
            "repetitions or combinations."
        )
    return tuple(said)


def claims_csv(judged: Sequence[Judged]) -> Csv:
    """Every pair of every claim, as it is downloaded."""
    header = ("claim", "verdict", "figure", "of", "to", "cell", "ratio", "low", "high", "limited", "finding")
    rows = [
        (
            *(one.claim.claim, one.verdict, one.claim.figure, pair.of, pair.to, pair.cell),
            *(finite(pair.ratio.change + 1), finite(pair.low), finite(pair.high)),
            *(" ".join(pair.limited), pair.finding),
        )
        for one in judged
        for pair in one.pairs
    ]
    return Csv(header, tuple(rows))
