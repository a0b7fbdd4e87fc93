"""What an experiment set out to confirm or refute, and what came of it.

A claim speaks of a ratio between variants. Each pair of variants in each cell gives one ratio with its 95 % interval
(`compare`): it holds where the interval lies in the claimed range, is contradicted where it lies outside, and is open
else. On the whole the ratio is the geometric mean over the pairs; the half-widths of intervals of different pairs add
in squares, since their noise is independent. A claim is

- confirmed, where the interval of the mean lies in the range, it holds in half of the pairs or more, and none
  contradicts it;
- refuted, where the interval of the mean lies outside, or half of the pairs or more contradict it;
- undecided in all other cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tidepool.present.numbers import number
from tidepool.report.judging.compare import Comparison, compare
from tidepool.report.measuring.counters import COUNTERS, compare_counter, differing
from tidepool.report.summary import COMPARED, counted, pairs_of
from tidepool.report.tables import Csv, finite
from tidepool.report.words import NAMES, listing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tidepool.experiment.definition.claims import Claim
    from tidepool.record import Run
    from tidepool.report.measuring.measured import Measured

Verdict = Literal["confirmed", "refuted", "undecided"]
Finding = Literal["holds", "contradicted", "open"]


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

    `beside` are figures of the machine that differ most between the two: what the difference may come from.
    """

    section: str
    cell: str
    of: str
    to: str
    ratio: Comparison
    finding: Finding
    beside: str


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
            ratio = _compare(claim.figure, pairs)
            beside = differing(ours, theirs)
            found.append(Pair(cell.id, cell.name, of, to, ratio, _finding(claim, ratio), beside))
    return found


def _compare(figure: str, pairs: Sequence[tuple[Measured, Measured]]) -> Comparison:
    if figure in COUNTERS:
        return compare_counter(figure, pairs)
    return compare([(ours.blocks, theirs.blocks) for ours, theirs in pairs], COMPARED[figure])


def _finding(claim: Claim, ratio: Comparison) -> Finding:
    low, high = ratio.low + 1, ratio.high + 1
    if low > claim.low and high < claim.high:
        return "holds"
    return "contradicted" if high <= claim.low or low >= claim.high else "open"


def _judged(claim: Claim, pairs: Sequence[Pair]) -> Judged:
    known = [pair for pair in pairs if not math.isnan(pair.ratio.low)]
    if not known:
        why = "its variants were not run beside each other" if not pairs else "too little data to tell the spread"
        return Judged(claim, "undecided", math.nan, math.nan, math.nan, tuple(pairs), why)
    ratio, low, high = _mean(known)
    contradicted = [pair for pair in known if pair.finding == "contradicted"]
    holding = sum(pair.finding == "holds" for pair in known)
    if low > claim.low and high < claim.high and 2 * holding >= len(known) and not contradicted:
        verdict: Verdict = "confirmed"
    elif high <= claim.low or low >= claim.high or 2 * len(contradicted) >= len(known):
        verdict = "refuted"
    else:
        verdict = "undecided"
    return Judged(claim, verdict, ratio, low, high, tuple(pairs), _reason(claim, (ratio, low, high), known))


def _mean(pairs: Sequence[Pair]) -> tuple[float, float, float]:
    """Geometric mean of the ratios with its 95 % interval."""
    logs = [math.log1p(pair.ratio.change) for pair in pairs]
    squares = [(math.log1p(pair.ratio.high) - math.log1p(pair.ratio.low)) ** 2 / 4 for pair in pairs]
    middle, half = sum(logs) / len(logs), math.sqrt(sum(squares)) / len(logs)
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def _reason(claim: Claim, mean: tuple[float, float, float], pairs: Sequence[Pair]) -> str:
    ratio, low, high = (number(value) for value in mean)
    many = len(pairs) > 1
    of, to = listing(claim.of), " or ".join(claim.to)
    figure = NAMES[claim.figure] if claim.figure in NAMES else COUNTERS[claim.figure].label
    said = f"the {figure} of {of} was {ratio} times that of {to} ({low} to {high})"
    said += f", a geometric mean over {len(pairs)} comparisons" if many else ""
    finding = {kind: [pair for pair in pairs if pair.finding == kind] for kind in ("holds", "contradicted", "open")}
    if many:
        counts = (("holds in", "holds"), ("is contradicted in", "contradicted"), ("is open in", "open"))
        said += "; the claim " + listing([f"{words} {len(finding[kind])}" for words, kind in counts if finding[kind]])
    return said


def claims_csv(judged: Sequence[Judged]) -> Csv:
    """Every pair of every claim, as it is downloaded."""
    header = ("claim", "verdict", "figure", "of", "to", "cell", "ratio", "low", "high", "finding")
    rows = [
        (one.claim.claim, one.verdict, one.claim.figure, pair.of, pair.to, pair.cell, *_ends(pair), pair.finding)
        for one in judged
        for pair in one.pairs
    ]
    return Csv(header, tuple(rows))


def _ends(pair: Pair) -> tuple[float | None, ...]:
    return tuple(finite(value + 1) for value in (pair.ratio.change, pair.ratio.low, pair.ratio.high))
