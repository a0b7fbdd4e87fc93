"""Targets of a controller that needs no tuning, and those that a controller has reached."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.tunnel.drawn import LOW, part, rows
from poolkeeper.tunnel.summary import CYCLE, CellScore, common, geometric, planned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.tunnel.results import Results

LARGEST = 256
"""Largest size of a pool, unless a smaller one is asked for."""
STEADY = 0.98
THREADS_MEDIAN = 1.25
THREADS_MOST = 2.0
START = 0.95
REACH_S = 10.0
CHANGING_GAIN = 1.08
CHANGING_SPREAD = 4.0
CHANGING_LEAST = 0.97
WORST = 0.90
IDLE_THREADS = 2.0
DRAWN_STEADY = 0.98
DRAWN_STEADY_LOW = 0.94
DRAWN_ALL = 0.97
DRAWN_ALL_LOW = 0.90
DRAWN_AHEAD = 0.03
DRAWN_THREADS = 1.3
UNSATURATED = frozenset({"closed-1", "open-0.3", "night"})
FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Target:
    """One target: its demand, the result, the number of cells that meet it, and whether it is reached."""

    what: str
    found: str
    met: int
    cells: int
    reached: bool
    worst: str
    """The cell that is farthest from it."""


def targets(results: Results, scores: Sequence[CellScore], controller: str) -> list[Target]:
    """Every target, judged over all cells that the controller has flown; those without a cell are left out.

    They are set for pools of any size: there are none where the largest is below `LARGEST`.
    """
    if results.about["largest_size"] < LARGEST:
        return []
    drawn = [score for score in scores if score.cell in results.draws]
    scores = planned(results, scores)
    own = [score for score in scores if score.controller == controller]

    def spread(score: CellScore) -> float:
        return results.courses[score.cell.plant, score.cell.load].spread

    def headroom(score: CellScore) -> float:
        return results.courses[score.cell.plant, score.cell.load].headroom

    varying = [score for score in own if not math.isnan(score["reach_change_s"])]
    apart = [score for score in varying if spread(score) >= CHANGING_SPREAD and headroom(score) >= CHANGING_GAIN]
    idle = [score for score in own if score.cell.load in UNSATURATED]
    found = [
        _least(f"settled, at least {STEADY} of the best size", own, "steady", STEADY),
        _threads_median(own),
        _most(
            f"settled, threads: never more than {THREADS_MOST:g} times the smallest good size",
            own,
            "threads_steady",
            THREADS_MOST,
            "×",
        ),
        _least(f"the first minute, at least {START} of the optimum", own, "start", START),
        _most(f"95 % of the optimum within {REACH_S:g} s", own, "reach_start_s", REACH_S, "s"),
        _least(
            f"at least {CHANGING_GAIN} times the best fixed size, where the work's best sizes differ "
            f"{CHANGING_SPREAD:g} times and changing can win as much",
            apart,
            "versus_fixed",
            CHANGING_GAIN,
        ),
        _least(
            f"varying loads, never below {CHANGING_LEAST} of the best fixed size",
            varying,
            "versus_fixed",
            CHANGING_LEAST,
        ),
        _least(f"with the start, nowhere below {WORST} of the optimum", own, "overall", WORST),
        _most("idle or not saturated: no growth beyond twice the threads needed", idle, "threads", IDLE_THREADS, "×"),
        _most("settled, no cycle of more than one step of the grid", own, "cycle", CYCLE - 1, "steps"),
        _ahead(results, scores, controller),
        *_drawn(results, drawn, controller),
    ]
    return [target for target in found if target.cells]


def _drawn(results: Results, scores: Sequence[CellScore], controller: str) -> list[Target]:
    """The targets on drawn plants; of means and percentiles, so that single plants may lie below."""
    own = [score for score in scores if score.controller == controller]
    steady = [score for score in own if results.draws[score.cell].category == "steady"]
    if not own:
        return []
    found = [
        _mean_and_low("drawn plants, steady work with noise up to 25 %", steady, DRAWN_STEADY, DRAWN_STEADY_LOW),
        _mean_and_low("drawn plants, bursts and changing work included", own, DRAWN_ALL, DRAWN_ALL_LOW),
        _drawn_ahead(results, scores, controller),
    ]
    what = f"drawn plants, threads: {DRAWN_THREADS} times the smallest good size in the median"
    threads = _most(what, own, "threads", DRAWN_THREADS, "×")
    median = float(np.median([score["threads"] for score in own]))
    return [*found, replace(threads, reached=median <= DRAWN_THREADS)]


def _mean_and_low(what: str, scores: Sequence[CellScore], mean: float, low: float) -> Target:
    what = f"{what}: at least {mean} of the optimum in the mean and {low:.2f} in the 5th percentile"
    if not scores:
        return Target(what, "", 0, 0, reached=False, worst="")
    found = part([score["overall"] for score in scores])
    least = min(scores, key=lambda score: score["overall"])
    words = f"mean {found.mean:.3f}, {LOW * 100:.0f}th percentile {found.low:.3f}, farthest {found.worst:.3f}"
    met = sum(score["overall"] >= mean for score in scores)
    return Target(what, words, met, len(scores), reached=found.mean >= mean and found.low >= low, worst=str(least.cell))


def _drawn_ahead(results: Results, scores: Sequence[CellScore], controller: str) -> Target:
    """The mean over the drawn plants that all have flown against each adaptive peer's."""
    cells = common(scores)
    table = rows(results, [score for score in scores if score.cell in cells])
    own = next((row.all.mean for row in table if row.controller == controller), math.nan)
    peers = {row.controller: row.all.mean for row in table if row.controller != controller and row.kind != FIXED}
    what = f"drawn plants: ahead of every other adaptive one by {DRAWN_AHEAD} in the mean"
    if not peers or not cells:
        return Target(what, "", 0, 0, reached=False, worst="")
    nearest = max(peers, key=lambda name: peers[name])
    met = sum(own >= value + DRAWN_AHEAD for value in peers.values())
    found = f"{own:.3f}, the nearest {peers[nearest]:.3f}"
    return Target(what, found, met, len(peers), reached=met == len(peers), worst=nearest)


def _least(what: str, scores: Sequence[CellScore], figure: str, bound: float) -> Target:
    return _judged(what, scores, figure, lambda value: value >= bound, min, "")


def _most(what: str, scores: Sequence[CellScore], figure: str, bound: float, unit: str) -> Target:
    return _judged(what, scores, figure, lambda value: value <= bound, max, unit)


def _judged(  # noqa: PLR0913 - the parts of a statement
    what: str,
    scores: Sequence[CellScore],
    figure: str,
    good: Callable[[float], bool],
    extreme: Callable[..., CellScore],
    unit: str,
) -> Target:
    if not scores:
        return Target(what, "", 0, 0, reached=False, worst="")
    met = sum(good(score[figure]) for score in scores)
    worst = extreme(scores, key=lambda score: score[figure])
    found = f"median {_say(float(np.median([score[figure] for score in scores])), unit)}, "
    found += f"farthest {_say(worst[figure], unit)}"
    return Target(what, found, met, len(scores), reached=met == len(scores), worst=str(worst.cell))


def _threads_median(scores: Sequence[CellScore]) -> Target:
    """A target for the middle of all cells, whatever the most of them is."""
    what = f"settled, threads: {THREADS_MEDIAN} times the smallest good size in the median"
    found = _most(what, scores, "threads_steady", THREADS_MEDIAN, "×")
    median = float(np.median([score["threads_steady"] for score in scores])) if scores else math.nan
    return replace(found, reached=median <= THREADS_MEDIAN)


def _ahead(results: Results, scores: Sequence[CellScore], controller: str) -> Target:
    """The geometric mean over the common cells against each adaptive peer's."""
    what = "ahead of every other adaptive one in the geometric mean"
    if not scores:
        return Target(what, "", 0, 0, reached=False, worst="")
    cells = common(scores)

    def mean(name: str) -> float:
        return geometric([score["overall"] for score in scores if score.controller == name and score.cell in cells])

    own = mean(controller)
    flown = {score.controller for score in scores}
    peers = {name: mean(name) for name in flown if name != controller and results.kind(name) != FIXED}
    if not peers or controller not in flown:
        return Target(what, "", 0, 0, reached=False, worst="")
    nearest = max(peers, key=lambda name: peers[name])
    met = sum(own > value for value in peers.values())
    found = f"{own:.3f}, the nearest {peers[nearest]:.3f}"
    return Target(what, found, met, len(peers), reached=met == len(peers), worst=nearest)


def _say(value: float, unit: str) -> str:
    if math.isinf(value):
        return "never"
    text = f"{value:.3f}" if not unit else f"{value:.3g}"
    return {"": text, "×": f"{text}×"}.get(unit, f"{text} {unit}")
