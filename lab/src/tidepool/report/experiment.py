"""Run folders gathered into experiments, cells and variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidepool.errors import InputError
from tidepool.record import RecordError, Run, find_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

Cell = tuple[tuple[str, str], ...]
"""Where a run stands on the axes of its experiment: (axis, value) pairs, empty without axes."""


class NothingToShow(InputError):  # noqa: N818 - says what it is
    """The given folders hold no run that can be shown; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A run whose record cannot be read."""

    folder: Path
    problem: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """All runs of one experiment: those that could be read, in order of their start, and those that could not."""

    name: str
    folder: Path
    runs: tuple[Run, ...]
    broken: tuple[Broken, ...]

    @property
    def question(self) -> str:
        """What the experiment asks, in one sentence; empty if its runs do not say."""
        return next((text for run in self.runs if (text := _text(run.configuration.get("question")))), "")

    def cells(self) -> dict[Cell, list[Run]]:
        """Runs by their place on the axes, in order of first appearance."""
        found: dict[Cell, list[Run]] = {}
        for run in self.runs:
            found.setdefault(cell_of(run), []).append(run)
        return dict(sorted(found.items(), key=lambda item: [_natural(value) for _, value in item[0]]))


def load_experiments(folders: Sequence[Path]) -> list[Experiment]:
    """Read every run in or below the folders, one experiment for each name that the runs give.

    Raises NothingToShow, naming the folder or the first problem, if no run at all can be read.
    """
    found: dict[Path, Path] = {}
    for folder in folders:
        if not folder.exists():
            message = f"{folder}: no such folder"
            raise NothingToShow(message)
        if not folder.is_dir():
            message = f"{folder}: is a file; give the folder of an experiment or of a run"
            raise NothingToShow(message)
        inside = find_runs(folder)
        if not inside:
            message = f"{folder}: holds no run (no run.json in it or below)"
            raise NothingToShow(message)
        for run in inside:
            found.setdefault(run.resolve(), folder)
    return _gather(found)


def _gather(found: Mapping[Path, Path]) -> list[Experiment]:
    runs: dict[str, list[Run]] = {}
    homes: dict[Path, str] = {}
    broken: list[Broken] = []
    for folder in found:
        try:
            run = read_run(folder)
        except RecordError as error:
            broken.append(Broken(folder, str(error).replace(str(folder), folder.name, 1)))
            continue
        name = run.experiment or folder.parent.name
        runs.setdefault(name, []).append(run)
        homes.setdefault(folder.parent, name)
    if not runs:
        message = f"none of the {len(broken)} runs can be read; the first: {broken[0].problem}"
        raise NothingToShow(message)
    # A broken run does not tell its experiment, so it is shown beside its neighbours, or with the first experiment.
    first = next(iter(runs))
    strays: dict[str, list[Broken]] = {}
    for one in broken:
        strays.setdefault(homes.get(one.folder.parent, first), []).append(one)
    return [
        Experiment(
            name,
            _home(runs[name]),
            tuple(sorted(runs[name], key=lambda run: (run.start, run.id))),
            tuple(strays.get(name, ())),
        )
        for name in sorted(runs)
    ]


def _home(runs: Sequence[Run]) -> Path:
    """The folder that holds the runs: where the report goes."""
    if len(runs) == 1:
        return runs[0].folder.parent
    parents = [run.folder.parent for run in runs]
    shared = parents[0]
    while not all(parent.is_relative_to(shared) for parent in parents):
        shared = shared.parent
    return shared


def cell_of(run: Run) -> Cell:
    """The run's place on the axes of its experiment."""
    cell = run.configuration.get("cell")
    return tuple((str(axis), _text(value)) for axis, value in cell.items()) if isinstance(cell, dict) else ()


def cell_name(cell: Cell) -> str:
    """A cell in words: "dbwrite · 100 users"; a value that is a bare number gets its axis."""
    return " · ".join(f"{value} {axis}" if _is_number(value) else value for axis, value in cell)


def versus_of(runs: Iterable[Run]) -> str | None:
    """The variant that these runs are compared with, if they name one."""
    return next((text for run in runs if (text := _text(run.configuration.get("versus")))), None)


def is_adaptive(run: Run) -> bool:
    """Whether a controller other than the fixed one sized the pool."""
    pool = run.configuration.get("pool")
    controller = pool.get("controller") if isinstance(pool, dict) else None
    if controller is None:
        return any(decision.action == "resized" for decision in run.decisions)
    return str(controller) != "fixed"


def by_variant(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Runs by variant in natural order of the names: fixed pools by size, then the adaptive ones."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.variant, []).append(run)
    return dict(sorted(found.items(), key=lambda item: (any(map(is_adaptive, item[1])), _natural(item[0]))))


def _natural(text: str) -> list[tuple[int, float, str]]:
    import re

    return [
        (0, float(part), "") if _is_number(part) else (1, 0.0, part)
        for part in re.split(r"(\d+(?:\.\d+)?)", text)
        if part
    ]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _text(value: Any) -> str:
    return "" if value is None else str(value)
