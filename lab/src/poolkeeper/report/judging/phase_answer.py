"""The answer of an experiment whose phases send different work: by how much the adaptive pool won or lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.report.judging.mean_ratio import mean_ratio
from poolkeeper.report.judging.phase_shares import geometric_mean
from poolkeeper.report.sentences import text

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
    ratio = _ratio(cells, ours, single)
    sentences = [
        text(
            "phases.answer",
            pool="The adaptive pool" if ours == OURS else f"The best adaptive pool, {ours},",
            single=single,
            ratio=ratio,
            certain=_certain(ratio),
            phases=sum(len(cell.phases) for cell in cells),
            loads=len(cells),
            mean=_mean(cells, ours),
            fixed=_mean(cells, single),
        ),
        _worst(cells, ours),
    ]
    if left_out := sum(cell.left_out for cell in cells):
        sentences.append(text("phases.left_out", phases=left_out))
    return " ".join(sentences)


def _certain(ratio: MeanRatio) -> bool:
    """Whether one of the two was better: by the interval, and without one by more than `ALIKE`."""
    return ratio.low > 1 or ratio.high < 1 if math.isfinite(ratio.low) else abs(ratio.ratio - 1) > ALIKE


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


def _worst(cells: Sequence[PhaseShares], name: str) -> str:
    """The worst phase of a variant, and the best of the other contestants."""
    cell = min(cells, key=lambda cell: min(phase.whole for phase in cell.variants[_place(cell, name)].phases))
    shares = cell.variants[_place(cell, name)]
    names = [shares.name for shares in cells[0].variants if shares.kind != "fixed" and shares.name != name]
    names = [name for name in names if all(cell.of(name) is not None for cell in cells)]
    other = max(names, key=lambda name: _mean(cells, name), default=None)
    return text(
        "phases.worst",
        phase=cell.phases[shares.worst],
        share=shares.phases[shares.worst],
        other=other,
        mean=math.nan if other is None else _mean(cells, other),
    )


def _place(cell: PhaseShares, name: str) -> int:
    return [shares.name for shares in cell.variants].index(name)
