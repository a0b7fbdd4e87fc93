"""Commands `run` and `demo`: from an experiment's file to its results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import InputError, PoolkeeperError, RunError
from poolkeeper.experiment.balancer.nginx import find as find_nginx
from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.definition.values import MOST_REPETITIONS, heap_mb
from poolkeeper.experiment.definition.write import resolved
from poolkeeper.experiment.planning.earlier_runs import folder_for, locked, sort_out
from poolkeeper.experiment.planning.expectation import about, expected_s
from poolkeeper.experiment.planning.load import SHORTEST_PHASE_S
from poolkeeper.experiment.planning.parts import select
from poolkeeper.experiment.planning.plan import PlannedRun, listing, plan
from poolkeeper.experiment.processes.quota import QUOTAS_HOW, QuotaRefused, control_groups
from poolkeeper.experiment.recording.counters import Counters
from poolkeeper.experiment.recording.machine import machine, versions
from poolkeeper.experiment.session import Session
from poolkeeper.experiment.views import view_for
from poolkeeper.present.terminal import say
from poolkeeper.present.text import counted
from poolkeeper.study import PUBLISHED, RESOLVED
from poolkeeper.study.source import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from poolkeeper.experiment.definition.model import Experiment
    from poolkeeper.experiment.processes.quota import Groups
    from poolkeeper.experiment.processes.testbed import Testbed
    from poolkeeper.experiment.progress import RunProgress
    from poolkeeper.experiment.session import Outcome

MATRIX = "matrix.yaml"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of the command line; None leaves the setting of the file."""

    scale: float | None = None
    repetitions: int | None = None
    only: Sequence[str] = ()
    output: Path | None = None
    resume: bool = False
    full: bool = False
    """All of it, where the file states a small form."""

    def changes(self) -> dict[str, Any]:
        """Settings of the file that they replace. Raises InputError for a wrong value."""
        changes: dict[str, Any] = {}
        if self.scale is not None:
            if not 0 < self.scale < float("inf"):
                raise InputError(f"--scale must be above 0, but is {self.scale:g}")
            changes["scale"] = self.scale
        if self.repetitions is not None:
            if not 1 <= self.repetitions <= MOST_REPETITIONS:
                raise InputError(f"--repetitions must be from 1 to {MOST_REPETITIONS}, but is {self.repetitions}")
            changes["repetitions"] = self.repetitions
        return changes


@dataclass(frozen=True, slots=True)
class RunSelection:
    """An experiment with the wishes applied, the folder of its results, and the runs that were chosen."""

    experiment: Experiment
    folder: Path
    runs: list[PlannedRun]
    only: Sequence[str]

    @property
    def resumption(self) -> str:
        """The command that goes on with these runs."""
        return " ".join(["./poolkeeper run", str(self.folder), "--resume", *(f"--only {text}" for text in self.only)])

    @property
    def per_run(self) -> bool:
        """Whether every run has a database of its own."""
        return self.experiment.database == "per-run"

    def listing(self) -> list[str]:
        """Runs and their expected time, a line each."""
        return listing(self.runs, database_per_run=self.per_run)


def choose(path: Path, options: RunOptions, runs: Path) -> RunSelection:
    """Read an experiment: a file, a folder with a matrix.yaml, or a folder of results that are to be resumed.

    Folders of results are made below `runs`. Raises InputError for whatever is wrong in the file or the wishes.
    """
    output = options.output
    if path.is_dir() and (path / RESOLVED).exists():
        if not options.resume:
            raise InputError(f"{path}: holds results; --resume continues with them, {path / RESOLVED} runs them anew")
        output = output or path
        path /= RESOLVED
    elif path.is_dir():
        path = _matrix_in(path)
    stated = read_experiment(path)
    experiment = _small(stated, path, options).model_copy(update=options.changes())
    folder = folder_for(experiment.name, output, runs, resume=options.resume)
    try:
        chosen = select(plan(experiment, folder), options.only)
    except InputError as error:
        if stated.small is not None and not options.full and _are_in(stated, folder, options):
            raise InputError(f"--only {' --only '.join(options.only)}: only in the full form: --full") from error
        raise
    return RunSelection(experiment, folder, chosen, options.only)


def _are_in(stated: Experiment, folder: Path, options: RunOptions) -> bool:
    """Whether the full form has the runs that are asked for."""
    try:
        full = stated.model_copy(update={"small": None, **options.changes()})
        return bool(select(plan(full, folder), options.only))
    except InputError:
        return False


def _small(experiment: Experiment, path: Path, options: RunOptions) -> Experiment:
    """The small form of an experiment, unless all of it is wanted; without one, the experiment."""
    if experiment.small is None:
        if options.full:
            raise InputError(f"--full: {path} states no small form, so all of it is run anyway")
        return experiment
    changes = {} if options.full else experiment.small.changes()
    return experiment.model_copy(update={**changes, "small": None})


def _states_experiment(file: Path) -> bool:
    """Whether a file states an experiment, and no model or topology, which other commands take."""
    try:
        return not {"application", "disk"}.isdisjoint(read_source(file).data)
    except InputError:
        return False


def _matrix_in(folder: Path) -> Path:
    if not (folder / MATRIX).exists():
        below = sorted(file.parent.name for file in folder.glob(f"*/{MATRIX}"))
        inside = sorted(file.name for file in folder.glob("*.yaml") if _states_experiment(file))
        found = f"those below it: {', '.join(below)}" if below else f"its files: {', '.join(inside)}" if inside else ""
        hint = f"; give one of {found}" if found else "; give the file of an experiment"
        raise InputError(f"{folder}: is a folder without a {MATRIX}{hint}")
    return folder / MATRIX


@dataclass(frozen=True, slots=True)
class Display:
    """Outputs of a launch: a console for progress, and the function that shows the results in a folder."""

    console: Console
    show_results: Callable[[Path], None]


def launch(chosen: RunSelection, testbed: Testbed, root: Path, command: Sequence[str], display: Display) -> int:
    """Make the chosen runs, show the results, and return the exit code. Raises RunError if nothing can be run."""
    console = display.console
    testbed.check()
    here = machine()
    _check_heaps(chosen.runs, int(here["memory_bytes"]))
    if any(run.balancer is not None for run in chosen.runs):
        find_nginx()
    groups, no_quotas = _groups(chosen, console)
    possible, missing = _possible(chosen.runs, testbed)
    counters = Counters() if chosen.experiment.architecture is not None else None
    with locked(chosen.folder):
        found = sort_out(chosen.folder, possible)
        _write_resolved(chosen)
        say(console, chosen.experiment.question)
        if chosen.experiment.load.shortest() * chosen.experiment.scale < min(
            SHORTEST_PHASE_S, chosen.experiment.load.shortest()
        ):
            say(console, f"no phase is scaled below {SHORTEST_PHASE_S:g} s, since the load is recorded by the second")
        for note in found.notes:
            say(console, note)
        for note in missing:
            say(console, note)
        if counters is not None and counters.problem is not None:
            say(console, f"instructions and cache misses are not counted: {counters.problem}")
        if found.kept:
            say(console, f"{len(found.kept)} of {counted(len(chosen.runs), 'run')} complete already")
        expected = about(expected_s(found.to_do, database_per_run=chosen.per_run))
        say(console, f"{counted(len(found.to_do), 'run')}, {expected}, into {chosen.folder}")
        outcome = Session(
            experiment=chosen.experiment,
            folder=chosen.folder,
            runs=found.to_do,
            testbed=testbed,
            view=view_for(console),
            command=command,
            machine=here,
            versions=versions(root, testbed.java()),
            groups=groups,
            no_quotas=no_quotas,
            counters=counters,
        ).run()
    shown = any(map(_has_results, outcome.ended)) or bool(found.kept)
    if shown:
        try:
            display.show_results(chosen.folder)
        except PoolkeeperError as error:
            shown = False
            say(console, f"no results can be shown: {error}")
    _tell(outcome, chosen, console, shown=shown)
    return outcome.exit_code


def _has_results(progress: RunProgress) -> bool:
    """Whether a run is complete, or has finished slices."""
    return progress.status == "complete" or progress.slices > 0


def _check_heaps(runs: Sequence[PlannedRun], memory_bytes: int) -> None:
    """Raise InputError for a heap that the machine has no memory for."""
    memory_mb = memory_bytes >> 20
    for run in runs:
        if heap_mb(run.machine.heap) > memory_mb:
            raise InputError(
                f"heap: {run.machine.heap} is more than the memory of this machine, {memory_mb / 1024:.1f}g;"
                f" at most {memory_mb}m"
            )


def _groups(chosen: RunSelection, console: Console) -> tuple[Groups | None, str]:
    """Groups for CPU quotas, if the experiment needs any; None and the reason if quotas are not permitted."""
    if all(run.quotas is None for run in chosen.runs):
        return None, ""
    try:
        return control_groups(), ""
    except QuotaRefused as error:
        say(console, f"without CPU quotas, and the results say so: {error}; {QUOTAS_HOW}")
        return None, str(error)


def _write_resolved(chosen: RunSelection) -> None:
    """Write the experiment as it is run and its published figures, so that the report can be made again."""
    published, copy = chosen.experiment.published, chosen.folder / PUBLISHED
    try:
        (chosen.folder / RESOLVED).write_text(resolved(chosen.experiment), encoding="utf-8")
        if published is not None and not (copy.exists() and copy.samefile(published)):
            copy.write_bytes(Path(published).read_bytes())
    except OSError as error:
        raise RunError(f"{error.filename or chosen.folder}: {error.strerror}") from None


def _possible(runs: Sequence[PlannedRun], testbed: Testbed) -> tuple[list[PlannedRun], list[str]]:
    """The runs for which everything is here, and a line for each thing that others lack; RunError if none is left."""
    lacks: dict[str, int] = {}
    possible: list[PlannedRun] = []
    for run in runs:
        if (lack := testbed.without(run)) is None:
            possible.append(run)
        else:
            lacks[lack] = lacks.get(lack, 0) + 1
    notes = [f"{counted(left_out, 'run')} left out: {lack}" for lack, left_out in lacks.items()]
    if not possible:
        raise RunError("; ".join(notes))
    return possible, notes


def _tell(outcome: Outcome, chosen: RunSelection, console: Console, *, shown: bool) -> None:
    """Print what is missing and how to get it, and why runs failed if the results did not show it."""
    total = len(outcome.ended) + len(outcome.not_run)
    for progress in () if shown else outcome.failed:
        if progress.error != outcome.problem:
            say(console, f"failed: {progress.run.id}: {progress.error}")
    if outcome.problem is not None:
        say(console, f"stopped: {outcome.problem}")
    complete = sum(execution.status == "complete" for execution in outcome.ended)
    if outcome.exit_code:
        how = "interrupted" if outcome.interrupted else f"{len(outcome.failed)} failed"
        say(console, f"{complete} of {counted(total, 'run')} complete, {how}; to continue: {chosen.resumption}")
