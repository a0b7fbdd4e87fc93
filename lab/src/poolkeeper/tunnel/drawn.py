"""Scores on drawn plants, compared with those on the plants of the tunnel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.tunnel.summary import planned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.tunnel.results import Results
    from poolkeeper.tunnel.summary import CellScore

FIRST_REPORTED = 1000
"""From this seed on draws are for reports; those below are for tuning."""
STEADY = "steady"
CATEGORIES = {
    STEADY: "steady work, noise up to 25 %",
    "bursts": "steady work in bursts",
    "changes": "changing work",
    "open": "open arrivals",
}
LOW = 0.05
"""The percentile that stands for the bad cases."""


@dataclass(frozen=True, slots=True)
class Part:
    """Fractions of the optimum on some situations: their mean, 5th percentile and worst; NaN where there is none."""

    count: int
    mean: float
    low: float
    worst: float


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """One controller on the plants of the tunnel and on the drawn ones."""

    controller: str
    kind: str
    planned: Part
    steady: Part
    all: Part
    threads: float
    """Thread-seconds of a run as a multiple of the smallest good size's, median over the drawn plants."""
    groups: dict[str, Part]
    """By the circumstances and by the kind of the curve, in that order."""


def part(values: Sequence[float]) -> Part:
    """Sum some fractions up."""
    if not values:
        return Part(0, math.nan, math.nan, math.nan)
    return Part(len(values), float(np.mean(values)), float(np.quantile(values, LOW)), min(values))


def rows(results: Results, scores: Sequence[CellScore]) -> list[DrawnRow]:
    """One row for each controller that has flown a drawn plant, the best first."""
    made = []
    for controller in results.controllers():
        own = [score for score in scores if score.controller == controller]
        drawn = [(results.draws[score.cell], score) for score in own if score.cell in results.draws]
        if not drawn:
            continue
        groups = {name: [score for draw, score in drawn if draw.category == name] for name in CATEGORIES}
        groups |= {kind: [score for draw, score in drawn if draw.kind == kind] for kind in kinds(results)}
        made.append(
            DrawnRow(
                controller,
                results.kind(controller),
                part([score["overall"] for score in planned(results, own)]),
                part([group["overall"] for group in groups[STEADY]]),
                part([score["overall"] for _, score in drawn]),
                float(np.median([score["threads"] for _, score in drawn])),
                {name: part([score["overall"] for score in some]) for name, some in groups.items() if some},
            )
        )
    return sorted(made, key=lambda row: -row.all.mean)


def kinds(results: Results) -> list[str]:
    """The kinds of curves that were drawn, in the order of their names."""
    return sorted({draw.kind for draw in results.draws.values()})


def seeds(results: Results) -> str:
    """The seeds of the drawn plants, and whether they are for tuning or for reports."""
    drawn_seeds = sorted(draw.seed for draw in results.draws.values())
    purpose = "that nobody tunes on"
    if drawn_seeds[0] < FIRST_REPORTED:
        purpose = (
            "for tuning, no figures for a report" if drawn_seeds[-1] < FIRST_REPORTED else "some of them for tuning"
        )
    return f"{len(drawn_seeds)} drawn plants, seeds {drawn_seeds[0]} to {drawn_seeds[-1]}, {purpose}"
