"""What a controller that needs no tuning must reach in the tunnel, and what one has reached."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tidepool.tunnel.summary import CYCLE, CellScore, common, geometric

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tidepool.tunnel.results import Results

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
UNSATURATED = frozenset({"closed-1", "open-0.3", "night"})
FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Target:
    """One target: what it asks, what was found, in how many cells it is met, and whether it is reached."""

    what: str
    found: str
    met: int
    cells: int
    reached: bool
    worst: str
    """The cell that is farthest from it."""


def targets(results: Results, scores: Sequence[CellScore], controller: str) -> list[Target]:
    """Every target, judged over all cells that the controller has flown; those without a cell are left out."""
    own = [one for one in scores if one.controller == controller]

    def spread(one: CellScore) -> float:
        return results.courses[one.cell.plant, one.cell.load].spread

    def headroom(one: CellScore) -> float:
        return results.courses[one.cell.plant, one.cell.load].headroom

    varying = [one for one in own if not math.isnan(one["reach_change_s"])]
    apart = [one for one in varying if spread(one) >= CHANGING_SPREAD and headroom(one) >= CHANGING_GAIN]
    idle = [one for one in own if one.cell.load in UNSATURATED]
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
    ]
    return [one for one in found if one.cells]


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
    met = sum(good(one[figure]) for one in scores)
    worst = extreme(scores, key=lambda one: one[figure])
    found = f"median {_say(float(np.median([one[figure] for one in scores])), unit)}, "
    found += f"farthest {_say(worst[figure], unit)}"
    return Target(what, found, met, len(scores), reached=met == len(scores), worst=str(worst.cell))


def _threads_median(scores: Sequence[CellScore]) -> Target:
    """A target for the middle of all cells, whatever the most of them is."""
    what = f"settled, threads: {THREADS_MEDIAN} times the smallest good size in the median"
    found = _most(what, scores, "threads_steady", THREADS_MEDIAN, "×")
    median = float(np.median([one["threads_steady"] for one in scores])) if scores else math.nan
    return replace(found, reached=median <= THREADS_MEDIAN)


def _ahead(results: Results, scores: Sequence[CellScore], controller: str) -> Target:
    """The geometric mean over the common cells against each adaptive peer's."""
    cells = common(scores)

    def mean(name: str) -> float:
        return geometric([one["overall"] for one in scores if one.controller == name and one.cell in cells])

    own = mean(controller)
    peers = {name: mean(name) for name in results.controllers() if name != controller and results.kind(name) != FIXED}
    what = "ahead of every other adaptive one in the geometric mean"
    if not peers:
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
