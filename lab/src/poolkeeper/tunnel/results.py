"""The results of a wind tunnel, as its Java side writes them."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
"""Version of tunnel.json that this reads."""

_NAMES = ("plant", "load", "noise", "controller")


class Cell(NamedTuple):
    """Situation of a controller in a run, but for the seed."""

    plant: str
    load: str
    noise: str

    def __str__(self) -> str:
        return f"{self.plant}, {self.load}, {self.noise}"


@dataclass(frozen=True, slots=True)
class RunScore:
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


_TIMES = frozenset({"reach_start_s", "reach_change_s"})

FIGURES = tuple(name for name in RunScore.__slots__ if name not in {"cell", "seed", "controller"})


@dataclass(frozen=True, slots=True)
class Course:
    """Possible gain on a plant under a load."""

    best_fixed: int
    spread: float
    headroom: float
    stages: list[dict[str, Any]]

    @property
    def seconds(self) -> float:
        """Length of a run."""
        return float(self.stages[-1]["end_s"])


@dataclass(frozen=True, slots=True)
class Draw:
    """A plant that was drawn at random from a seed, with its load and its noise."""

    seed: int
    kind: str
    """The kind of its curve."""
    category: str
    """The circumstances: `steady` work with noise up to 25 %, `bursts`, `changes` of the work, `open` arrivals."""
    plants: list[dict[str, Any]]
    """Its plant, and those that it becomes."""
    words: str
    """Its curve, its load and its noise, for a reader who sees them first."""


@dataclass(frozen=True, slots=True)
class Results:
    """A folder of results: scores, curves over time as text, and their descriptions."""

    folder: Path
    scores: list[RunScore]
    curves: dict[Cell, dict[str, tuple[str, str, str]]]
    about: dict[str, Any]
    courses: dict[tuple[str, str], Course]
    draws: dict[Cell, Draw]

    def controllers(self) -> list[str]:
        """Names of those that were judged, in the order of the catalogue."""
        flown = {score.controller for score in self.scores}
        return [entry["name"] for entry in self.about["controllers"] if entry["name"] in flown]

    def kind(self, controller: str) -> str:
        """The family of a controller: controller, policy or fixed."""
        kinds: list[str] = [entry["kind"] for entry in self.about["controllers"] if entry["name"] == controller]
        return kinds[0]


def load(folder: Path) -> Results:
    """Read the results of a folder.

    Raises InputError, naming the file and the line, if they are missing, damaged or of a later version.
    """
    about = _about(folder / "tunnel.json")
    scores = [_scored(where, row) for where, row in _rows(folder / "results.csv", {*_NAMES, "seed", *FIGURES})]
    if not scores:
        raise InputError(f"{folder / 'results.csv'}: holds no run yet")
    curves: dict[Cell, dict[str, tuple[str, str, str]]] = {}
    for _, row in _rows(folder / "curves.csv", {*_NAMES, "throughput_per_s", "size_at_s", "size"}):
        cell = Cell(row["plant"], row["load"], row["noise"])
        curve = (row["throughput_per_s"], row["size_at_s"], row["size"])
        curves.setdefault(cell, {})[row["controller"]] = curve
    # Results of earlier versions know no drawn plants.
    drawn = about.get("drawn", [])
    courses = {
        (entry["plant"], entry["load"]): Course(
            entry["best_fixed"], entry["spread"], entry["headroom"], entry["stages"]
        )
        for entry in [*about["courses"], *drawn]
    }
    draws = {
        Cell(entry["plant"], entry["load"], entry["noise"]): Draw(
            entry["seed"],
            entry["kind"],
            entry["category"],
            entry["plants"],
            f"{entry['plants'][0]['title']}: {entry['plants'][0]['law']};"
            f" {entry['load_title']}; {entry['noise_title']}",
        )
        for entry in drawn
    }
    return Results(folder, scores, curves, about, courses, draws)


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


def _scored(where: str, row: dict[str, str]) -> RunScore:
    figures = {name: _figure(where, name, row[name]) for name in FIGURES}
    try:
        seed = int(row["seed"])
    except ValueError:
        raise InputError(f"{where}: seed must be a whole number, but is {row['seed']!r}") from None
    return RunScore(Cell(row["plant"], row["load"], row["noise"]), seed, row["controller"], **figures)


def _figure(where: str, name: str, text: str) -> float:
    """A figure of a run: 0 or more; a time may be missing (there was no occasion) or infinite (it never came)."""
    is_time = name in _TIMES
    if not text and is_time:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value >= 0 or (math.isinf(value) and not is_time):
        raise InputError(f"{where}: {name} must be a number >= 0, but is {text!r}")
    return value


def _rows(path: Path, columns: set[str]) -> list[tuple[str, dict[str, str]]]:
    """The rows of a CSV file, each with its place; the last one is left out where its line was cut off."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    reader = csv.reader(text[: text.rfind("\n") + 1].splitlines())
    header = next(reader, [])
    missing = sorted(columns - set(header))
    if missing:
        raise InputError(f"{path}: lacks the column {missing[0]}")
    rows = []
    for cells in reader:
        where = f"{path}:{reader.line_num}"
        if len(cells) != len(header):
            raise InputError(f"{where}: has {len(cells)} cells, the header has {len(header)}")
        rows.append((where, dict(zip(header, cells, strict=True))))
    return rows
