"""Scores of many runs, summed up: by cell, by controller, and against the targets."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.tunnel.results import FIGURES, Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.tunnel.results import Results, RunScore

CYCLE = 2
"""Grid steps from which a cycle counts as one: one step to and fro is the resolution of the grid."""
NORMAL_95 = 1.96
"""Two-sided 95 % quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class CellScore:
    """The mean of each figure over the seeds of one cell; times are medians, because they may be infinite."""

    controller: str
    cell: Cell
    seeds: int
    figures: dict[str, float]
    log_variance: float
    """Variance of the logarithm of the fraction with the start, between seeds; NaN for one seed."""

    def __getitem__(self, figure: str) -> float:
        return self.figures[figure]


@dataclass(frozen=True, slots=True)
class Standing:
    """One controller over the cells that all have flown."""

    controller: str
    kind: str
    cells: int
    runs: int
    overall: float
    error: float
    """Half the width of the 95 % interval of `overall` as a factor less one; NaN where no cell has two seeds."""
    start: float
    steady: float
    low: float
    """The fraction below which one cell in ten is."""
    worst: CellScore
    threads: float
    threads_most: float
    reach_s: float
    never: float
    """Share of the cells in which most runs did not reach 95 %."""
    resizes_per_minute: float
    cycling: float
    """Share of the cells in which the size cycles by CYCLE grid steps or more."""


def by_cell(results: Results) -> list[CellScore]:
    """One score for each controller and cell."""
    groups: dict[tuple[str, Cell], list[RunScore]] = defaultdict(list)
    for score in results.scores:
        groups[score.controller, score.cell].append(score)
    return [_cell_score(controller, cell, runs) for (controller, cell), runs in groups.items()]


def _cell_score(controller: str, cell: Cell, runs: Sequence[RunScore]) -> CellScore:
    figures = {}
    for name in FIGURES:
        values = np.array([getattr(run, name) for run in runs])
        finite = values[~np.isnan(values)]
        middle = np.median if name.startswith("reach") else np.mean
        figures[name] = float(middle(finite)) if finite.size else math.nan
    logs = np.log([max(run.overall, 1e-6) for run in runs])
    variance = float(np.var(logs, ddof=1)) if len(runs) > 1 else math.nan
    return CellScore(controller, cell, len(runs), figures, variance)


def planned(results: Results, scores: Sequence[CellScore]) -> list[CellScore]:
    """The scores on the plants of the tunnel, without those that were drawn."""
    return [score for score in scores if score.cell not in results.draws]


def common(scores: Sequence[CellScore]) -> set[Cell]:
    """The cells that every controller has flown."""
    flown: dict[str, set[Cell]] = defaultdict(set)
    for score in scores:
        flown[score.controller].add(score.cell)
    return set.intersection(*flown.values())


def ranking(results: Results, scores: Sequence[CellScore]) -> list[Standing]:
    """All controllers over the cells that they have in common, the best first.

    Drawn plants are ranked only where no plant of the tunnel was flown.
    """
    scores = planned(results, scores) or scores
    cells = common(scores)
    standings = []
    for controller in results.controllers():
        own = [score for score in scores if score.controller == controller and score.cell in cells]
        if own:
            minutes = sum(results.courses[score.cell.plant, score.cell.load].seconds for score in own) / 60 / len(own)
            standings.append(_standing(results.kind(controller), own, minutes))
    return sorted(standings, key=lambda standing: -standing.overall)


def _standing(kind: str, own: Sequence[CellScore], minutes: float) -> Standing:
    overall = np.array([score["overall"] for score in own])
    variances = np.array([score.log_variance / score.seeds for score in own])
    finite = variances[~np.isnan(variances)]
    # Cells are weighted alike: the error of a mean of logarithms, carried back to the geometric mean.
    error = math.expm1(NORMAL_95 * math.sqrt(finite.sum()) / finite.size) if finite.size else math.nan
    threads = [score["threads_steady"] for score in own]
    return Standing(
        controller=own[0].controller,
        kind=kind,
        cells=len(own),
        runs=sum(score.seeds for score in own),
        overall=geometric(overall),
        error=error,
        start=geometric([score["start"] for score in own]),
        steady=geometric([score["steady"] for score in own]),
        low=float(np.quantile(overall, 0.1)),
        worst=min(own, key=lambda entry: entry["overall"]),
        threads=float(np.median(threads)),
        threads_most=max(threads),
        reach_s=float(np.median([score["reach_start_s"] for score in own])),
        never=float(np.mean([math.isinf(score["reach_start_s"]) for score in own])),
        resizes_per_minute=float(np.mean([score["resizes"] for score in own])) / minutes,
        cycling=float(np.mean([score["cycle"] >= CYCLE for score in own])),
    )


def geometric(values: Sequence[float] | np.typing.NDArray[np.float64]) -> float:
    """Geometric mean; 0 where one is 0."""
    array = np.asarray(values, dtype=float)
    return float(np.exp(np.mean(np.log(array)))) if np.all(array > 0) else 0.0
