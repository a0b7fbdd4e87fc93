"""Rule by which the verdicts of a report were found, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.report.judging.compare import CONFIDENCE, MARGIN
from poolkeeper.report.sentences import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.report.summary import VariantSummary

TOO_MANY = 20
"""So many intervals of 95 % that one of them is expected to miss the truth."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule of the verdicts: the part for every reader, and the part for the curious."""

    short: tuple[str, ...]
    long: tuple[str, ...]
    within: bool
    """Whether some tell of these runs only."""


def rule(summaries: Sequence[VariantSummary]) -> Rule:
    """The rule of the comparisons that were made."""
    made = [comparison for summary in summaries for comparison in summary.comparisons.values()]
    bases = {comparison.basis for comparison in made}
    short = [text("rule.seen", confidence=round(CONFIDENCE * 100), margin=round(MARGIN * 100))]
    if "blocks" in bases:
        short.append(text("rule.few_repetitions"))
    if any(comparison.doubt for comparison in made):
        short.append(text("rule.open", margin=round(MARGIN * 100)))
    long = [text(f"rule.{basis}") for basis in ("repetitions", "blocks", "slices") if basis in bases]
    if len(made) >= TOO_MANY:
        long.append(text("rule.by_chance", intervals=len(made), missing=len(made) * (1 - CONFIDENCE)))
    return Rule(tuple(short), tuple(long), "blocks" in bases)
