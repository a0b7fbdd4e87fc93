"""Whether two variants differ by more than noise.

The difference is the logarithm of the ratio of a figure, and its 95 % interval comes

- with three or more pairs of repetitions from the differences of the pairs, by Student's t [1];
- with one or two from the blocks of seconds within the phases, by the stratified delete-one-block jackknife [2, 3]:
  each block is left out of both runs in turn, the others of its phase counting the more. This shows the spread within
  the runs only, not that between them.

Either way the logarithms are averaged over the pairs, so that throughput and the mean response time of users who do not
think, of which one is the number of users over the other, say the same of two variants.

[1] Law: Simulation Modeling and Analysis, 5th ed., 10.2.1 (paired-t confidence interval).
[2] Schmeiser: Batch size effects in the analysis of simulation output, Operations Research 30(3), 1982.
[3] Shao, Tu: The Jackknife and Bootstrap, 1995, chapters 2 and 9 (blocks for quantiles and for dependent data).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from poolkeeper.student import margin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.report.measuring.measurement import Blocks, Floats, Integers

CONFIDENCE = 0.95
MARGIN = 0.01
"""A smaller relative difference is called none, however certain it is."""
LEAST_PAIRS = 3
"""Pairs of repetitions from which an interval is made of them alone."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure of a variant relative to another's: ratio - 1 and its 95 % interval, NaN if unknown.

    An end of the interval that is open is -1 or infinite, and `doubt` says in a few words why.
    """

    change: float
    low: float
    high: float
    basis: Literal["repetitions", "blocks", "slices", "none"]
    samples: int
    doubt: str = ""

    @property
    def seen(self) -> bool:
        """Whether the interval leaves out "no change" and the change is at least one percent."""
        return (self.low > 0 or self.high < 0) and abs(self.change) >= MARGIN

    @property
    def open(self) -> bool:
        """Whether no statement is possible, not even of equality, because an end of the interval is open."""
        return bool(self.doubt) and not self.seen


UNKNOWN = Comparison(math.nan, math.nan, math.nan, "none", 0)


def compare(pairs: Sequence[tuple[Blocks, Blocks]], statistic: Callable[[Blocks, Floats], float]) -> Comparison:
    """Compare a positive statistic of the first run of each pair with that of the second."""
    if len(pairs) >= LEAST_PAIRS:
        return _by_repetitions(pairs, statistic)
    return _by_blocks(pairs, statistic)


def bounded(found: Comparison, figure: str, *, ours: bool, theirs: bool) -> Comparison:
    """A comparison with those ends open that a limit of the load generator leaves open, with ours or with theirs.

    A limited server could perhaps do more, so that its throughput bounds the ratio from one side. Of any other figure
    a limited run tells nothing.
    """
    if not (ours or theirs):
        return found
    one_sided = figure in {"throughput", "goodput"}
    low = found.low if one_sided and not theirs else -1.0
    return replace(found, low=low, high=found.high if one_sided and not ours else math.inf)


def disagree(pairs: Sequence[tuple[Blocks, Blocks]], statistic: Callable[[Blocks, Floats], float]) -> bool:
    """Whether one pair of repetitions shows an increase and another a decrease, each more than `MARGIN`."""
    logs = [
        logarithm(statistic(ours, ours.everything())) - logarithm(statistic(theirs, theirs.everything()))
        for ours, theirs in pairs
    ]
    return min(logs) < -math.log1p(MARGIN) and max(logs) > math.log1p(MARGIN)


def _by_repetitions(pairs: Sequence[tuple[Blocks, Blocks]], statistic: Callable[[Blocks, Floats], float]) -> Comparison:
    return of_repetitions(
        [(statistic(ours, ours.everything()), statistic(theirs, theirs.everything())) for ours, theirs in pairs]
    )


def of_repetitions(pairs: Sequence[tuple[float, float]]) -> Comparison:
    """Compare a positive figure of pairs of runs by their repetitions alone, two pairs at least for an interval."""
    differences = np.array([logarithm(ours) - logarithm(theirs) for ours, theirs in pairs])
    if differences.size < 2:  # noqa: PLR2004 - one difference has no spread
        return Comparison(math.expm1(differences[0]) if differences.size else math.nan, math.nan, math.nan, "none", 0)
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size)
    return _interval(float(differences.mean()), error, differences.size - 1, "repetitions", differences.size)


def _by_blocks(pairs: Sequence[tuple[Blocks, Blocks]], statistic: Callable[[Blocks, Floats], float]) -> Comparison:
    common = [_common(ours, theirs) for ours, theirs in pairs]

    def difference(left_out: tuple[int, int] | None) -> float:
        found: list[float] = []
        for number, (pair, places) in enumerate(zip(pairs, common, strict=True)):
            logs = []
            for blocks, chosen in zip(pair, places, strict=True):
                out = chosen[left_out[1]] if left_out is not None and left_out[0] == number else None
                logs.append(logarithm(statistic(blocks, _weights(blocks, chosen, out))))
            found.append(logs[0] - logs[1])
        return float(np.mean(found))

    samples = sum(places.size for places, _ in common)
    if samples == 0:
        return UNKNOWN
    variance, spread, freedom = 0.0, 0.0, 0.0
    for number, (places, _) in enumerate(common):
        phases = pairs[number][0].phase[places]
        for phase in np.unique(phases):
            members = np.flatnonzero(phases == phase)
            size = members.size
            if size > 1:
                without = np.array([difference((number, int(member))) for member in members])
                share = (size - 1) / size * float(((without - without.mean()) ** 2).sum())
                variance += share
                spread += share**2 / (size - 1)
                freedom += size - 1
    if spread > 0:
        freedom = variance**2 / spread  # Welch and Satterthwaite: fewer, where one phase makes most of the variance
    return _interval(difference(None), math.sqrt(variance), freedom, "blocks", samples)


def _weights(blocks: Blocks, chosen: Integers, left_out: int | None) -> Floats:
    """One for every chosen block; one left out counts nothing, and its phase as much as before."""
    weights = np.zeros(blocks.seconds.size)
    weights[chosen] = 1.0
    if left_out is not None:
        phase = blocks.phase == blocks.phase[left_out]
        size = weights[phase].sum()
        weights[left_out] = 0.0
        weights[phase] *= size / (size - 1)
    return weights


def _common(ours: Blocks, theirs: Blocks) -> tuple[Integers, Integers]:
    """Indices of the blocks that both runs have, by phase and place in it."""
    others = {key: index for index, key in enumerate(zip(theirs.phase.tolist(), theirs.place.tolist(), strict=True))}
    matched = [
        (index, others[key])
        for index, key in enumerate(zip(ours.phase.tolist(), ours.place.tolist(), strict=True))
        if key in others
    ]
    return np.array([ours for ours, _ in matched], dtype=np.int64), np.array(
        [theirs for _, theirs in matched], dtype=np.int64
    )


def _interval(
    difference: float, error: float, freedom: float, basis: Literal["repetitions", "blocks"], samples: int
) -> Comparison:
    if freedom < 1 or not math.isfinite(difference) or not math.isfinite(error):
        return Comparison(math.expm1(difference), math.nan, math.nan, "none", samples)
    half = margin(error, freedom, CONFIDENCE)
    return Comparison(
        math.expm1(difference), math.expm1(difference - half), math.expm1(difference + half), basis, samples
    )


def logarithm(value: float) -> float:
    """The natural logarithm; NaN for numbers that are not positive."""
    return math.log(value) if value > 0 else math.nan
