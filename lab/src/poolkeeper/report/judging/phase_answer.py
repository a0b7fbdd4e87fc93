"""The answer of an experiment whose phases send different work: by how much the adaptive pool won or lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.present.numbers import change
from poolkeeper.present.text import counted
from poolkeeper.report.judging.mean_ratio import mean_ratio
from poolkeeper.report.judging.phase_shares import geometric_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.report.judging.mean_ratio import MeanRatio
    from poolkeeper.report.judging.phase_shares import PhaseShares, VariantShares

OURS = "adaptive"
"""The variant that is spoken of, where one is called so; else the best adaptive one."""
ALIKE = 0.05
"""Difference that is called none where nothing was repeated, so that no interval is known."""


def phase_answer(cells: Sequence[PhaseShares]) -> str | None:
    """Say by how much the adaptive pool won or lost against the best single fixed size; None without either."""
    ours = _of(cells, "adaptive", OURS)
    single = _of(cells, "fixed", None)
    if ours is None or single is None:
        return None
    mean, fixed = _mean(cells, ours), _mean(cells, single)
    ratio = _ratio(cells, ours, single)
    pool = "The adaptive pool" if ours == OURS else f"The best adaptive pool, {ours},"
    first = (
        f"{pool} {_outcome(ratio)} the best single fixed size, {single}: over {_where(cells)} it made {mean:.2f} of "
        f"each phase's best fixed size in the geometric mean, {single} {fixed:.2f}{_interval(ratio)}."
    )
    return f"{first} {_worst(cells, ours)}{_others(cells, ours)}{_left_out(cells)}"


def _left_out(cells: Sequence[PhaseShares]) -> str:
    left_out = sum(cell.left_out for cell in cells)
    return f" Left out: {counted(left_out, 'phase')} in which no fixed size served anything." if left_out else ""


def _of(cells: Sequence[PhaseShares], kind: str, wanted: str | None) -> str | None:
    """The variant of a kind that is wanted, or else the best of those that ran in all cells."""
    names = [shares.name for shares in cells[0].variants if shares.kind == kind] if cells else []
    names = [name for name in names if all(cell.of(name) is not None for cell in cells)]
    if wanted in names:
        return wanted
    return max(names, key=lambda name: _mean(cells, name), default=None)


def _shares(cells: Sequence[PhaseShares], name: str) -> list[VariantShares]:
    return [found for cell in cells if (found := cell.of(name)) is not None]


def _mean(cells: Sequence[PhaseShares], name: str) -> float:
    return geometric_mean(phase.whole for share in _shares(cells, name) for phase in share.phases)


def _ratio(cells: Sequence[PhaseShares], ours: str, theirs: str) -> MeanRatio:
    """Ratio of the geometric means with its interval over repetitions, or over cells where nothing was repeated."""
    found = []
    for share, other in zip(_shares(cells, ours), _shares(cells, theirs), strict=True):
        both = sorted(set(share.logarithms) & set(other.logarithms))
        found.append([float(np.mean(share.logarithms[key]) - np.mean(other.logarithms[key])) for key in both])
    return mean_ratio(found)


def _outcome(ratio: MeanRatio) -> str:
    certain = ratio.low > 1 or ratio.high < 1 if math.isfinite(ratio.low) else abs(ratio.ratio - 1) > ALIKE
    if not certain:
        return f"came out even ({change(ratio.ratio - 1)}) with"
    percent = f"{abs(ratio.ratio - 1) * 100:.0f} %"
    return f"won by {percent} over" if ratio.ratio > 1 else f"lost by {percent} to"


def _interval(ratio: MeanRatio) -> str:
    if not math.isfinite(ratio.low):
        return " (one run each, so without an interval)"
    return f" (ratio {ratio.ratio:.2f}, 95 % interval {ratio.low:.2f} to {ratio.high:.2f})"


def _where(cells: Sequence[PhaseShares]) -> str:
    phases = counted(sum(len(cell.phases) for cell in cells), "phase")
    return phases if len(cells) == 1 else f"{phases} of {len(cells)} loads"


def _worst(cells: Sequence[PhaseShares], name: str) -> str:
    cell = min(cells, key=lambda cell: min(phase.whole for phase in cell.variants[_place(cell, name)].phases))
    shares = cell.variants[_place(cell, name)]
    share, phase = shares.phases[shares.worst], cell.phases[shares.worst]
    return f"Its worst phase was {phase.requests} with {share.whole:.2f}, {share.second_half:.2f} in the second half"


def _place(cell: PhaseShares, name: str) -> int:
    return [shares.name for shares in cell.variants].index(name)


def _others(cells: Sequence[PhaseShares], ours: str) -> str:
    """Clause about the best of the other contestants, with a full stop."""
    names = [shares.name for shares in cells[0].variants if shares.kind != "fixed" and shares.name != ours]
    names = [name for name in names if all(cell.of(name) is not None for cell in cells)]
    best = max(names, key=lambda name: _mean(cells, name), default=None)
    return "." if best is None else f"; the best of the others, {best}, made {_mean(cells, best):.2f} over all phases."
