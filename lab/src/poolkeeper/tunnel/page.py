"""The page of a wind tunnel: a ranking, a heat map, the targets, and any cell's curve over time, in one HTML file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.present.html import embedded, frame, template
from poolkeeper.tunnel import drawn
from poolkeeper.tunnel.summary import CellScore, Standing, by_cell, geometric, planned, ranking
from poolkeeper.tunnel.targets import targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.tunnel.results import Results

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
class Column:
    """A column of the heat map: a plant of the tunnel, or all drawn plants of a kind."""

    key: str
    title: str
    drawn: bool


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A controller's line of the heat map: its fraction of the optimum in each column, NaN where it did not fly."""

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


@dataclass(frozen=True, slots=True)
class DrawnPicture:
    """All drawn curves of a kind over each other, as fractions of their best rates."""

    kind: str
    title: str
    paths: list[str]
    best_at: list[tuple[float, float]]
    least_best: int
    most_best: int


def render(results: Results) -> str:
    """Return the page."""
    scores = by_cell(results)
    standings = ranking(results, scores)
    judged = judged_of(standings)
    drawn_rows = drawn.rows(results, scores)
    plants = [plant for plant in results.about["plants"] if any(score.cell.plant == plant["name"] for score in scores)]
    return str(
        template("poolkeeper.tunnel", "tunnel.html").render(
            about=results.about,
            answer=answer(standings, drawn_rows if planned(results, scores) else ()),
            standings=standings,
            judged=judged,
            targets=targets(results, scores, judged) if judged else [],
            columns=_columns(results, plants),
            heat=_heat(results, scores, _columns(results, plants)),
            plants=[_picture(plant) for plant in plants],
            drawn=drawn_rows,
            drawn_seeds=drawn.seeds(results) if drawn_rows else "",
            with_drawn=bool(drawn_rows and planned(results, scores)),
            categories=drawn.CATEGORIES,
            drawn_pictures=_drawn_pictures(results),
            loads=[entry for entry in results.about["loads"] if any(s.cell.load == entry["name"] for s in scores)],
            noises=[entry for entry in results.about["noises"] if any(s.cell.noise == entry["name"] for s in scores)],
            controllers=[entry for entry in results.about["controllers"] if entry["name"] in results.controllers()],
            runs=len(results.scores),
            share=_share,
            never=math.isinf,
            unknown=math.isnan,
            data=embedded(_data(results, scores, standings)),
            **frame("poolkeeper.tunnel", style=("tunnel.css",), script=("heat.js", "cell.js", "page.js")),
        )
    )


def answer(standings: Sequence[Standing], drawn_rows: Sequence[drawn.DrawnRow] = ()) -> str:
    """Outcome in two or three sentences."""
    adaptive = [standing for standing in standings if standing.kind != "fixed"]
    fixed = [standing for standing in standings if standing.kind == "fixed"]
    messages = []
    if adaptive:
        first, others = adaptive[0], adaptive[1:3]
        text = f"Of {len(adaptive)} controllers, {first.controller} came closest to the best size of each moment: "
        text += f"its pools did {percent(first.overall)} of what that size does, the start at one thread included"
        if others:
            text += "; " + " and ".join(f"{standing.controller} {percent(standing.overall)}" for standing in others)
        messages.append(text + ".")
    if fixed:
        best = fixed[0]
        name = "The best fixed size, known only in hindsight," if best.controller == BEST_FIXED else best.controller
        messages.append(f"{name} reaches {percent(best.overall)}.")
    adaptive_drawn = [row for row in drawn_rows if row.kind != "fixed"]
    if adaptive_drawn:
        means = [f"{row.controller} {percent(row.all.mean)}" for row in adaptive_drawn[:3]]
        messages.append(f"On {adaptive_drawn[0].all.count} drawn plants: {', '.join(means)}.")
    return " ".join(messages)


def percent(value: float) -> str:
    """A fraction as text."""
    return f"{value * 100:.1f} %"


def judged_of(standings: Sequence[Standing]) -> str:
    """Controller whose targets are shown: ours, or the best of the adaptive ones."""
    names = [standing.controller for standing in standings if standing.kind != "fixed"]
    return OURS if OURS in names else next(iter(names), "")


def _columns(results: Results, plants: Sequence[dict[str, Any]]) -> list[Column]:
    planned_columns = [Column(plant["name"], plant["name"], drawn=False) for plant in plants]
    return planned_columns + [Column(_drawn_column(kind), kind, drawn=True) for kind in drawn.kinds(results)]


def _drawn_column(kind: str) -> str:
    """Another key than any plant's: one kind of drawn curves is called like a plant of the tunnel."""
    return f"drawn {kind}"


def _column_of(results: Results, score: CellScore) -> str:
    draw = results.draws.get(score.cell)
    return score.cell.plant if draw is None else _drawn_column(draw.kind)


def _heat(results: Results, scores: Sequence[CellScore], columns: Sequence[Column]) -> list[HeatRow]:
    found: dict[tuple[str, str], list[float]] = {}
    for score in scores:
        found.setdefault((score.controller, _column_of(results, score)), []).append(score["overall"])
    rows = []
    for name in _names(results, scores):
        values = [found.get((name, column.key), []) for column in columns]
        means = tuple(geometric(value) if value else math.nan for value in values)
        rows.append(HeatRow(name, results.kind(name), means))
    return rows


def _names(results: Results, scores: Sequence[CellScore]) -> list[str]:
    """The ranked controllers in their order, and after them those that have flown drawn plants only."""
    ranked = [standing.controller for standing in ranking(results, scores)]
    return ranked + [row.controller for row in drawn.rows(results, scores) if row.controller not in ranked]


def _share(fraction: float) -> float:
    """Strength of the colour of a fraction, in percent: from half of the optimum to all of it."""
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


def _drawn_pictures(results: Results) -> list[DrawnPicture]:
    pictures = []
    flown = {score.cell for score in results.scores}
    for kind in drawn.kinds(results):
        draws = [draw for cell, draw in results.draws.items() if draw.kind == kind and cell in flown]
        if draws:
            # The first plant of a draw is of its kind; what it becomes may be another.
            found = [_picture(draw.plants[0]) for draw in draws]
            bests = [plant_picture.best for plant_picture in found]
            pictures.append(
                DrawnPicture(
                    kind,
                    found[0].title,
                    [plant_picture.path for plant_picture in found],
                    [plant_picture.best_at for plant_picture in found],
                    min(bests),
                    max(bests),
                )
            )
    return pictures


def _data(results: Results, scores: Sequence[CellScore], standings: Sequence[Standing]) -> dict[str, Any]:
    controllers = _names(results, scores)
    return {
        "controllers": [{"name": name, "kind": results.kind(name)} for name in controllers],
        "point": results.about["point_s"],
        "largest": results.about["largest_size"],
        "judged": judged_of(standings),
        "figures": _EMBEDDED,
        "scores": [
            [
                controllers.index(score.controller),
                *score.cell,
                score.seeds,
                *(_number(score[name]) for name in _EMBEDDED),
            ]
            for score in scores
            if score.controller in controllers
        ],
        "curves": {"|".join(cell): curves for cell, curves in results.curves.items()},
        "stages": {"|".join(key): course.stages for key, course in results.courses.items()},
        "words": {cell.plant: draw.words for cell, draw in results.draws.items()},
        "columns": {cell.plant: _drawn_column(draw.kind) for cell, draw in results.draws.items()},
    }


def _number(value: float) -> float | None:
    if math.isnan(value):
        return None
    return NEVER if math.isinf(value) else round(value, 4)
