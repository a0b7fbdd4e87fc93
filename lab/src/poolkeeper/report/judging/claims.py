"""Verdicts on the claims of an experiment.

A claim speaks of a ratio between variants. Each pair of variants in each cell gives one ratio with its 95 % interval
(`compare`): it holds where the interval lies in the claimed range, is contradicted where it lies outside, and is open
else. On the whole the ratio is the geometric mean over the cells, with an interval made of the differences between
repetitions (`mean_ratio`); where variants took turns in one run, of their slices. A claim is

- confirmed, where the interval of the mean lies in the range and no pair contradicts it;
- refuted, where the interval of the mean lies outside and it holds in no pair;
- undecided in all other cases; where fewer than three repetitions of cells speak of it, since their spread is not
  known; and where a complete run has no such figure, or one of 0: a server that answered nothing has no ratio, and a
  mean of what is left would speak for it.

Runs that did not run to their end count for nothing, which is said.

A run in which the load generator was at its limit tells only how much the server did at least. Such throughput bounds
the ratio from one side: the other end of the interval is open, so that a claim is neither contradicted nor confirmed by
what the load generator could not ask for. Of response times and counters such a run tells nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from poolkeeper.report.judging.claim_comparison import claimed_pairs, inside, outside
from poolkeeper.report.judging.mean_ratio import mean_of_slices, mean_ratio
from poolkeeper.report.measuring.counters import COUNTERS
from poolkeeper.report.messages import NAMES
from poolkeeper.report.sentences import text
from poolkeeper.report.tables import Csv, finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.report.judging.claim_comparison import ClaimedCell, Finding, Pair
    from poolkeeper.report.judging.mean_ratio import MeanRatio
    from poolkeeper.report.summary import Repetition
    from poolkeeper.study.claims import Claim

Verdict = Literal["confirmed", "refuted", "undecided"]
LEAST = 3
"""Repetitions of cells that a verdict needs: the spread of two is known to a factor of thirty."""


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
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
    def sentence(self) -> str:
        """The verdict in one line."""
        return f"{self.verdict}: {self.claim.claim} ({self.reason})"


def judge(claims: Sequence[Claim], cells: Sequence[ClaimedCell]) -> list[ClaimVerdict]:
    """Every claim with its verdict, in their order."""
    return [_judged(claim, [pair for cell in cells for pair in claimed_pairs(claim, cell)]) for claim in claims]


def _judged(claim: Claim, pairs: Sequence[Pair]) -> ClaimVerdict:
    compared = [pair for pair in pairs if pair.logs and pair.finding != "not counted"]
    if not compared:
        return ClaimVerdict(
            claim, "undecided", math.nan, math.nan, math.nan, tuple(pairs), _why_none(pairs), _caveats(pairs)
        )
    mean = _bounded(_mean(compared), compared)
    findings = {pair.finding for pair in compared}
    verdict: Verdict = "undecided"
    if mean.samples >= LEAST and not any(pair.without for pair in pairs):
        if inside(claim, mean.low, mean.high) and "contradicted" not in findings:
            verdict = "confirmed"
        elif outside(claim, mean.low, mean.high) and "holds" not in findings:
            verdict = "refuted"
    reason = "; ".join([_reason(claim, mean, compared), *_left_out(pairs)])
    return ClaimVerdict(claim, verdict, mean.ratio, mean.low, mean.high, tuple(pairs), reason, _caveats(pairs))


def _mean(pairs: Sequence[Pair]) -> MeanRatio:
    """The geometric mean of the ratios; where all variants took turns, with the interval of their slices."""
    if any(pair.ratio.basis != "slices" for pair in pairs):
        return mean_ratio(_cells(pairs))
    cells: dict[str, list[tuple[float, float]]] = {}
    for pair in pairs:
        ends = math.log1p(pair.ratio.low), math.log1p(pair.ratio.high)
        cells.setdefault(pair.section, []).append((math.log1p(pair.ratio.change), (ends[1] - ends[0]) / 2))
    return mean_of_slices(list(cells.values()), sum(pair.ratio.samples for pair in pairs))


def _bounded(mean: MeanRatio, pairs: Sequence[Pair]) -> MeanRatio:
    """The mean with the ends of its interval open where those of a pair are."""
    if math.isnan(mean.low):
        return mean
    low = 0.0 if any(pair.low <= 0 for pair in pairs) else mean.low
    return replace(mean, low=low, high=math.inf if any(math.isinf(pair.high) for pair in pairs) else mean.high)


def _cells(pairs: Sequence[Pair]) -> list[list[float]]:
    """The logarithms of each cell by repetition: pairs of one repetition share runs, and count as their mean.

    Only repetitions that have all pairs of the cell count, for else the mean would lean towards a pair that was
    repeated more often. Where there is none, the means of the pairs make up one repetition.
    """
    cells: dict[str, list[Mapping[Repetition, float]]] = {}
    for pair in pairs:
        cells.setdefault(pair.section, []).append(pair.logs)
    found = []
    for logs_of_pairs in cells.values():
        common = set.intersection(*map(set, logs_of_pairs))
        each = [[logs[key] for logs in logs_of_pairs] for key in sorted(common)]
        found.append([fmean(items) for items in each or [[fmean(logs.values()) for logs in logs_of_pairs]]])
    return found


def _left_out(pairs: Sequence[Pair]) -> list[str]:
    """Clauses about pairs that have no part in the mean."""
    without, unfinished = sum(pair.without for pair in pairs), sum(pair.unfinished for pair in pairs)
    messages = [text("claims.without", repetitions=without)] if without else []
    return [*messages, text("claims.unfinished", repetitions=unfinished)] if unfinished else messages


def _why_none(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return text("claims.never_together")
    limited = sum(bool(pair.limited) for pair in pairs)
    without = sum(bool(pair.without) and not pair.limited for pair in pairs)
    unfinished = len(pairs) - limited - without
    if limited == len(pairs):
        return text("claims.all_limited")
    return text("claims.none_counts", limited=limited, without=without, unfinished=unfinished)


def _reason(claim: Claim, mean: MeanRatio, pairs: Sequence[Pair]) -> str:
    counts = {words: [pair.finding for pair in pairs].count(kind) for kind, words in _FINDINGS.items()}
    return text(
        "claims.reason",
        figure=NAMES[claim.figure] if claim.figure in NAMES else COUNTERS[claim.figure].label,
        claim=claim,
        mean=mean,
        least=LEAST,
        comparisons=len(pairs),
        findings=[f"{words} {number}" for words, number in counts.items() if number],
    )


_FINDINGS: dict[Finding, str] = {"holds": "holds in", "contradicted": "is contradicted in", "open": "is open in"}


def _caveats(pairs: Sequence[Pair]) -> tuple[str, ...]:
    messages = []
    if limited := [pair for pair in pairs if pair.limited]:
        left_out = sum(pair.finding == "not counted" for pair in limited)
        messages.append(text("claims.limited", pairs=len(pairs), limited=len(limited), left_out=left_out))
    if any(pair.ratio.basis == "blocks" for pair in pairs):
        messages.append(text("claims.within_runs"))
    return tuple(messages)


def claims_csv(judged: Sequence[ClaimVerdict]) -> Csv:
    """Every pair of every claim, as it is downloaded."""
    header = ("claim", "verdict", "figure", "of", "to", "cell", "ratio", "low", "high", "limited", "finding")
    rows = [
        (
            *(verdict.claim.claim, verdict.verdict, verdict.claim.figure, pair.of, pair.to, pair.cell),
            *(finite(pair.ratio.change + 1), finite(pair.low), finite(pair.high)),
            *(" ".join(pair.limited), pair.finding),
        )
        for verdict in judged
        for pair in verdict.pairs
    ]
    return Csv(header, tuple(rows))
