"""The page of a wind tunnel: a ranking, a heat map, the targets, and any cell's curve over time, in one HTML file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tidepool.present.html import embedded, frame, template
from tidepool.tunnel.summary import CellScore, Standing, by_cell, geometric, ranking
from tidepool.tunnel.targets import targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidepool.tunnel.results import Results

OURS = "response-curve"
"""The controller that the targets are stated for."""
BEST_FIXED = "best-fixed"
NEVER = 1e9
"""Stands in the page's data for a time that never came."""
_EMBEDDED = (
    "overall",
    "start",
    "steady",
    "worst",
    "threads_steady",
    "reach_start_s",
    "resizes",
    "cycle",
    "versus_fixed",
)
_PLOT_W, _PLOT_H = 240.0, 96.0


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A controller's line of the heat map: its fraction of the optimum on each plant, NaN where it did not fly."""

    controller: str
    kind: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PlantPicture:
    """A plant with its curve as the path of a drawing, and where its sizes lie in it."""

    name: str
    title: str
    law: str
    opposite: str
    best: int
    path: str
    best_at: tuple[float, float]


def render(results: Results) -> str:
    """Return the page."""
    scores = by_cell(results)
    standings = ranking(results, scores)
    judged = judged_of(standings)
    plants = [plant for plant in results.about["plants"] if any(one.cell.plant == plant["name"] for one in scores)]
    return str(
        template("tidepool.tunnel", "tunnel.html").render(
            about=results.about,
            answer=answer(standings),
            standings=standings,
            judged=judged,
            targets=targets(results, scores, judged) if judged else [],
            heat=_heat(standings, scores, [plant["name"] for plant in plants]),
            plants=[_picture(plant) for plant in plants],
            loads=[one for one in results.about["loads"] if any(s.cell.load == one["name"] for s in scores)],
            noises=[one for one in results.about["noises"] if any(s.cell.noise == one["name"] for s in scores)],
            controllers=[one for one in results.about["controllers"] if one["name"] in results.controllers()],
            runs=len(results.scores),
            share=_share,
            never=math.isinf,
            unknown=math.isnan,
            data=embedded(_data(results, scores, standings)),
            **frame("tidepool.tunnel", style=("tunnel.css",), script=("heat.js", "cell.js", "page.js")),
        )
    )


def answer(standings: Sequence[Standing]) -> str:
    """What came out, in two sentences."""
    adaptive = [one for one in standings if one.kind != "fixed"]
    fixed = [one for one in standings if one.kind == "fixed"]
    said = []
    if adaptive:
        first, others = adaptive[0], adaptive[1:3]
        text = f"Of {len(adaptive)} controllers, {first.controller} came closest to the best size of each moment: "
        text += f"its pools did {percent(first.overall)} of what that size does, the start at one thread included"
        if others:
            text += "; " + " and ".join(f"{one.controller} {percent(one.overall)}" for one in others)
        said.append(text + ".")
    if fixed:
        best = fixed[0]
        name = "The best fixed size, known only in hindsight," if best.controller == BEST_FIXED else best.controller
        said.append(f"{name} reaches {percent(best.overall)}.")
    return " ".join(said)


def percent(value: float) -> str:
    """A fraction as a person says it."""
    return f"{value * 100:.1f} %"


def judged_of(standings: Sequence[Standing]) -> str:
    """Whose targets are shown: ours, or the best of the adaptive ones."""
    names = [one.controller for one in standings if one.kind != "fixed"]
    return OURS if OURS in names else next(iter(names), "")


def _heat(standings: Sequence[Standing], scores: Sequence[CellScore], plants: Sequence[str]) -> list[HeatRow]:
    rows = []
    for one in standings:
        values = []
        for plant in plants:
            found = [s["overall"] for s in scores if s.controller == one.controller and s.cell.plant == plant]
            values.append(geometric(found) if found else math.nan)
        rows.append(HeatRow(one.controller, one.kind, tuple(values)))
    return rows


def _share(fraction: float) -> float:
    """How strong the colour of a fraction is, in percent: from half of the optimum to all of it."""
    return 0.0 if math.isnan(fraction) else min(100.0, max(0.0, (fraction - 0.5) * 200))


def _picture(plant: dict[str, Any]) -> PlantPicture:
    rates = np.array(plant["rates"])
    sizes = np.arange(1, rates.size + 1)
    x = np.log2(sizes) / math.log2(rates.size) * _PLOT_W
    y = _PLOT_H * (1 - rates / rates.max())
    keep = [i for i in range(rates.size) if i < 16 or (i + 1) % 4 == 0]  # noqa: PLR2004 - a logarithmic axis
    path = "M" + "L".join(f"{x[i]:.1f} {y[i]:.1f}" for i in keep)
    best = plant["best"]
    return PlantPicture(
        plant["name"],
        plant["title"],
        plant["law"],
        plant["opposite"],
        best,
        path,
        (float(x[best - 1]), float(y[best - 1])),
    )


def _data(results: Results, scores: Sequence[CellScore], standings: Sequence[Standing]) -> dict[str, Any]:
    controllers = [one.controller for one in standings]
    return {
        "controllers": [{"name": one.controller, "kind": one.kind} for one in standings],
        "seconds": results.about["seconds"],
        "point": results.about["point_s"],
        "largest": results.about["largest_size"],
        "judged": judged_of(standings),
        "figures": _EMBEDDED,
        "scores": [
            [controllers.index(one.controller), *one.cell, one.seeds, *(_number(one[name]) for name in _EMBEDDED)]
            for one in scores
            if one.controller in controllers
        ],
        "curves": {"|".join(cell): curves for cell, curves in results.curves.items()},
        "stages": {"|".join(key): course.stages for key, course in results.courses.items()},
    }


def _number(value: float) -> float | None:
    if math.isnan(value):
        return None
    return NEVER if math.isinf(value) else round(value, 4)
