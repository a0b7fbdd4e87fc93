"""Run folders gathered into experiments, cells and variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from poolkeeper.errors import InputError
from poolkeeper.record import NO_POOL, RecordError, Run, controller_of, find_runs, read_run
from poolkeeper.report.measuring.shares import split
from poolkeeper.study import PUBLISHED, RESOLVED
from poolkeeper.study.claims import read_claims
from poolkeeper.study.load import phases_of
from poolkeeper.study.published import read_published

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from poolkeeper.study.claims import Claim
    from poolkeeper.study.published import PublishedRow

_T = TypeVar("_T")

Cell = tuple[tuple[str, str], ...]
"""Place of a run on the axes of its experiment: (axis, value) pairs, empty without axes."""


class NothingToShow(InputError):  # noqa: N818 - says what it is
    """The given folders hold no run that can be shown; the message has the reason in one line."""


@dataclass(frozen=True, slots=True)
class BrokenRecord:
    """A run whose record cannot be read: its place below the experiment's folder, and why."""

    place: str
    problem: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """All runs of one experiment: those that could be read, in order of their start, and those that could not."""

    name: str
    folder: Path
    runs: tuple[Run, ...]
    broken: tuple[BrokenRecord, ...]
    claims: tuple[Claim, ...] = ()
    """Claims that the experiment is to confirm or refute."""
    published: tuple[PublishedRow, ...] = ()
    """Figures that others published for the same cells."""
    unread: tuple[str, ...] = ()
    """Errors in the files of either, if they are there and cannot be read."""

    @property
    def question(self) -> str:
        """Question of the experiment, in one sentence; empty if its runs do not say."""
        return next((text for run in self.runs if (text := _text(run.configuration.get("question")))), "")

    @property
    def simulated(self) -> bool:
        """Whether all runs are simulations: nothing was measured on a real machine."""
        return all(run.simulated for run in self.runs)

    @property
    def records(self) -> tuple[Run, ...]:
        """The runs, each once: one in which variants took turns is here as its first variant's share."""
        return tuple({run.folder: run for run in reversed(self.runs)}.values())[::-1]

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
    found: dict[Path, None] = {}
    for folder in folders:
        if not folder.exists():
            raise NothingToShow(f"{folder}: no such folder")
        if not folder.is_dir():
            raise NothingToShow(f"{folder}: is a file; give the folder of an experiment or of a run")
        inside = find_runs(folder)
        if not inside:
            raise NothingToShow(f"{folder}: holds no run (no run.json in it or below)")
        found |= dict.fromkeys(inside)
    runs: dict[str, list[Run]] = {}
    broken: list[RecordError] = []
    for folder in found:
        try:
            run = read_run(folder)
        except RecordError as error:
            broken.append(error)
        else:
            runs.setdefault(run.experiment or folder.parent.name, []).extend(split(run))
    if not runs:
        raise NothingToShow(f"none of the {len(broken)} runs can be read; the first: {broken[0]}")
    homes = {name: _home([run.folder for run in members]) for name, members in runs.items()}
    if len(homes) == len(folders) == 1:
        homes = dict.fromkeys(homes, folders[0])
    return [
        _experiment(
            name,
            homes[name],
            tuple(sorted(runs[name], key=lambda run: (run.start, run.id))),
            [_broken(error, homes[name]) for error in broken if _belongs(error, name, homes)],
        )
        for name in sorted(runs)
    ]


def _experiment(name: str, home: Path, runs: tuple[Run, ...], broken: list[BrokenRecord]) -> Experiment:
    """The runs with the claims and the published figures of their folder."""
    unread: list[str] = []

    def read_if_there(file: Path, read: Callable[[Path], tuple[_T, ...]]) -> tuple[_T, ...]:
        try:
            return read(file) if file.is_file() else ()
        except InputError as error:
            unread.append(str(error))
            return ()

    claims, published = read_if_there(home / RESOLVED, read_claims), read_if_there(home / PUBLISHED, read_published)
    return Experiment(name, home, runs, tuple(broken), claims, published, tuple(unread))


def _home(runs: Sequence[Path]) -> Path:
    """The innermost folder that holds all runs."""
    shared = runs[0].parent
    while not all(run.is_relative_to(shared) for run in runs):
        shared = shared.parent
    return shared


def _belongs(error: RecordError, name: str, homes: Mapping[str, Path]) -> bool:
    """Whether a broken run, which cannot tell its experiment, is shown here: in the first whose folder holds it."""
    holders = [other for other in sorted(homes) if error.file.is_relative_to(homes[other])]
    return name == (holders or sorted(homes))[0]


def _broken(error: RecordError, home: Path) -> BrokenRecord:
    folder = error.file.parent
    place = folder.relative_to(home) if folder.is_relative_to(home) and folder != home else folder
    return BrokenRecord(str(place), f"{error.file.name}: {error.problem}")


def cell_of(run: Run) -> Cell:
    """The run's place on the axes of its experiment."""
    cell = run.configuration.get("cell")
    return tuple((str(axis), _text(value)) for axis, value in cell.items()) if isinstance(cell, dict) else ()


def place_of(run: Run) -> dict[str, str]:
    """The values of the axes, those among them that the experiment gives only one value."""
    stated = {axis: _text(value) for axis, value in run.configuration.items() if isinstance(value, str | int)}
    phases = phases_of(run.configuration)
    if len(phases) == 1 and "users" in phases[0]:
        ends = [_text(phases[0][name]) for name in ("users", "to") if name in phases[0]]
        stated["users"] = " to ".join(ends)
    return stated | dict(cell_of(run))


def cell_name(cell: Cell) -> str:
    """A cell in words: "dbwrite · 100 users", "500/s"; a value that is a bare number gets its axis."""
    return " · ".join(_counted(value, axis) if _is_number(value) else value for axis, value in cell)


def _counted(value: str, axis: str) -> str:
    if axis == "rate":
        return f"{value}/s"
    if axis == "draw":
        return f"draw {value}"
    return f"{value} {axis.removesuffix('s') if value == '1' else axis}"


def versus_of(runs: Iterable[Run]) -> str | None:
    """The variant that these runs are compared with, if they name one."""
    return next((text for run in runs if (text := _text(run.configuration.get("versus")))), None)


def is_adaptive(run: Run) -> bool:
    """Whether a controller other than the fixed one sized the pool."""
    controller = controller_of(run.configuration)
    if controller is None:
        return any(decision.action == "resized" for decision in run.decisions)
    return controller not in {"fixed", NO_POOL}


def has_no_pool(run: Run) -> bool:
    """Whether the server had no pool at all."""
    return controller_of(run.configuration) == NO_POOL


def architecture_of(run: Run) -> str:
    """The architecture of the run's server; empty where it names none."""
    return _text(run.configuration.get("architecture"))


def by_variant(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Runs by variant in natural order of the names: fixed pools by size, then the adaptive ones."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.variant, []).append(run)
    return dict(sorted(found.items(), key=lambda item: (any(map(is_adaptive, item[1])), _natural(item[0]))))


def by_cell(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Runs by the name of their cell, in order of first appearance."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(cell_name(cell_of(run)), []).append(run)
    return found


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
