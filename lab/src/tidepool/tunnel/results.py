"""The results of a wind tunnel, as its Java side writes them."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tidepool.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
"""Version of tunnel.json that this reads."""

_NAMES = ("plant", "load", "noise", "controller")


class Cell(NamedTuple):
    """What is done to a controller in a run, but for the seed."""

    plant: str
    load: str
    noise: str

    def __str__(self) -> str:
        return f"{self.plant}, {self.load}, {self.noise}"


@dataclass(frozen=True, slots=True)
class Scored:
    """The score of one run; see the columns of results.csv in testbed/tunnel/README.md."""

    cell: Cell
    seed: int
    controller: str
    overall: float
    start: float
    steady: float
    worst: float
    threads: float
    threads_steady: float
    reach_start_s: float
    reach_change_s: float
    resizes: float
    cycle: float
    versus_fixed: float
    completions: float
    response_s: float


FIGURES = tuple(name for name in Scored.__slots__ if name not in {"cell", "seed", "controller"})


@dataclass(frozen=True, slots=True)
class Course:
    """What there was to be won on a plant under a load."""

    best_fixed: int
    spread: float
    headroom: float
    stages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Results:
    """A folder of results: scores, curves over time as their text, and what they speak of."""

    folder: Path
    scores: list[Scored]
    curves: dict[Cell, dict[str, tuple[str, str, str]]]
    about: dict[str, Any]
    courses: dict[tuple[str, str], Course]

    def controllers(self) -> list[str]:
        """Names of those that were judged, in the order of the catalogue."""
        flown = {one.controller for one in self.scores}
        return [one["name"] for one in self.about["controllers"] if one["name"] in flown]

    def kind(self, controller: str) -> str:
        """The family of a controller: controller, policy or fixed."""
        kinds: list[str] = [one["kind"] for one in self.about["controllers"] if one["name"] == controller]
        return kinds[0]


def load(folder: Path) -> Results:
    """Read the results of a folder.

    Raises InputError, naming the file and the line, if they are missing, damaged or of a later version.
    """
    about = _about(folder / "tunnel.json")
    scores = [
        Scored(
            cell=Cell(row["plant"], row["load"], row["noise"]),
            seed=int(row["seed"]),
            controller=row["controller"],
            **{name: float(row[name]) if row[name] else math.nan for name in FIGURES},
        )
        for row in _rows(folder / "results.csv", {*_NAMES, "seed", *FIGURES})
    ]
    if not scores:
        raise InputError(f"{folder / 'results.csv'}: holds no run yet")
    curves: dict[Cell, dict[str, tuple[str, str, str]]] = {}
    for row in _rows(folder / "curves.csv", {*_NAMES, "throughput_per_s", "size_at_s", "size"}):
        cell = Cell(row["plant"], row["load"], row["noise"])
        curve = (row["throughput_per_s"], row["size_at_s"], row["size"])
        curves.setdefault(cell, {})[row["controller"]] = curve
    courses = {
        (one["plant"], one["load"]): Course(one["best_fixed"], one["spread"], one["headroom"], one["stages"])
        for one in about["courses"]
    }
    return Results(folder, scores, curves, about, courses)


def _about(path: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; is this the folder of a tunnel?") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: is not JSON: {error.msg}") from error
    if about.get("version") != VERSION:
        raise InputError(f"{path}: is of version {about.get('version')}, but this reads version {VERSION}")
    return about


def _rows(path: Path, columns: set[str]) -> list[dict[str, str]]:
    """The rows of a CSV file; the last one is left out where its line was cut off."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    reader = csv.DictReader(text[: text.rfind("\n") + 1].splitlines())
    missing = sorted(columns - set(reader.fieldnames or ()))
    if missing:
        raise InputError(f"{path}: lacks the column {missing[0]}")
    rows = list(reader)
    for row in rows:
        if None in row.values():
            raise InputError(f"{path}: a line has too few cells: {','.join(filter(None, row.values()))}")
    return rows
