"""Runs of a disk experiment, one process after the other."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING, Any

import yaml

from poolkeeper.disk.definition import (
    NEIGHBOUR,
    DiskExperiment,
    is_disk_experiment,
    plan,
    read_disk_experiment,
    small_form,
)
from poolkeeper.disk.page import page, tables
from poolkeeper.disk.results import RESULT, kept
from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.planning.earlier_runs import folder_for, locked
from poolkeeper.experiment.processes.jdks import PLACES, find_java
from poolkeeper.experiment.processes.process import dying_with
from poolkeeper.experiment.recording.disk import check_room
from poolkeeper.experiment.recording.machine import machine, versions
from poolkeeper.present.terminal import say, show
from poolkeeper.present.text import counted
from poolkeeper.study import PUBLISHED, RESOLVED
from poolkeeper.units import clock
from poolkeeper.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType

    from rich.console import Console

    from poolkeeper.disk.definition import DiskRun
    from poolkeeper.experiment.launch import RunOptions

INTERRUPTED = 130
_BAD_INPUT = 2
_POLL_S = 0.2
_MAINS = {
    "files": ("disk", "io.poolkeeper.testbed.disk.run.DiskRunMain"),
    "rocksdb": ("rocksdb", "io.poolkeeper.testbed.rocksdb.RocksDbRunMain"),
}
"""Module and class of a run, by engine."""
_PREFIX = ".poolkeeper-disk-"


@dataclass(frozen=True, slots=True)
class DiskSelection:
    """An experiment with the options applied, the folder of its results, and its runs."""

    experiment: DiskExperiment
    folder: Path
    runs: list[DiskRun]

    def listing(self) -> list[str]:
        """The runs, a line for each workload and pool."""
        kinds: dict[str, int] = {}
        for run in self.runs:
            title = f"{run.workload} · {run.variant.name}: {', '.join(run.phases)}"
            kinds[title] = kinds.get(title, 0) + 1
        return [*(f"{title} × {count}" for title, count in kinds.items()), counted(len(self.runs), "run")]


def disk_file(path: Path) -> Path | None:
    """The file of a disk experiment that a path stands for; None if it stands for something else."""
    candidates = (path,) if path.is_file() else (path / RESOLVED, path / "matrix.yaml")
    return next((file for file in candidates if is_disk_experiment(file)), None)


def choose(file: Path, options: RunOptions, runs: Path) -> DiskSelection:
    """Read an experiment and plan its runs. Raises InputError for whatever is wrong."""
    output = options.output
    if file.name == RESOLVED:
        if not options.resume:
            raise InputError(f"{file.parent}: holds results; --resume continues with them")
        output = output or file.parent
    stated = read_disk_experiment(file)
    if options.full and stated.small is None:
        raise InputError(f"--full: {file} states no small form, so all of it is run anyway")
    form = stated.model_copy(update={"small": None}) if options.full else small_form(stated)
    settings = form.model_dump(mode="json", exclude_none=True)
    experiment = DiskExperiment.model_validate({**settings, **options.changes()})
    folder = folder_for(experiment.name, output, runs, resume=options.resume)
    try:
        chosen = plan(experiment, folder, options.only)
    except InputError as error:
        if form is not stated and not options.full and _are_in(stated, folder, options):
            raise InputError(f"--only {' --only '.join(options.only)}: only in the full form: --full") from error
        raise
    return DiskSelection(experiment, folder, chosen)


def _are_in(stated: DiskExperiment, folder: Path, options: RunOptions) -> bool:
    """Whether the full form has the runs that are asked for."""
    try:
        return bool(plan(stated, folder, options.only))
    except InputError:
        return False


def explain(folder: Path, console: Console) -> Path:
    """Show the results in a folder, and write their page. Returns its path."""
    file = folder / RESOLVED
    experiment = read_disk_experiment(file)
    runs = plan(experiment, folder, ())
    for table in tables(experiment, runs):
        show(table, console)
        console.print()
    written = folder / "report.html"
    write_whole(written, page(experiment, runs, f"./poolkeeper run {folder} --resume"))
    return written


def launch(chosen: DiskSelection, root: Path, java: Sequence[str], console: Console) -> int:
    """Make the missing runs, show the results, and return the exit code."""
    experiment = chosen.experiment
    node = _node_program(root, chosen)
    module, main = _MAINS[experiment.engine]
    target = root / "testbed" / module / "target"
    in_java = any(run.variant.pool.runtime == "java" for run in chosen.runs)
    if in_java and not (target / "classes").is_dir():
        raise RunError(f"{target / 'classes'}: is missing; ./poolkeeper builds it")
    if experiment.java is not None:
        if (other := find_java(experiment.java)) is None:
            raise RunError(f"java: no JDK {experiment.java} below {' and '.join(PLACES)}")
        java = [other]
    neighbours = [phase for run in chosen.runs for phase in run.phases if phase.partition(":")[0].endswith(NEIGHBOUR)]
    if neighbours and shutil.which("fio") is None:
        raise RunError(f"fio is missing, which {neighbours[0]} needs; on Debian: apt-get install fio")
    command = [*java, "-XX:+UseG1GC", "-Xms512m", "-Xmx512m", "-cp", f"{target / 'classes'}:{target / 'lib'}/*", main]
    with locked(chosen.folder):
        _write_resolved(chosen)
        missing = [run for run in chosen.runs if kept(run) is None]
        say(console, experiment.question)
        if len(missing) < len(chosen.runs):
            say(console, f"{len(chosen.runs) - len(missing)} of {counted(len(chosen.runs), 'run')} complete already")
        say(console, f"{counted(len(missing), 'run')} into {chosen.folder}")
        about = {"machine": machine(), "versions": versions(root, java)}
        failed = 0
        try:
            with _interrupts() as stop, _source_folder(chosen) as files:
                runner = _Runner(command, node, files, about, stop)
                if len(missing) > 1:
                    say(console, "checks all pools and workloads first")
                    runner.check(missing, experiment)
                failed = _run_all(chosen, missing, runner, console)
        except KeyboardInterrupt:
            say(console, f"stopped, keeping what was measured; to continue: ./poolkeeper run {chosen.folder} --resume")
            return INTERRUPTED
        except OSError as error:
            raise RunError(f"{error.filename or chosen.folder}: {error.strerror}") from None
    say(console, f"page: {explain(chosen.folder, console)}")
    return 1 if failed else 0


def _node_program(root: Path, chosen: DiskSelection) -> Path:
    """Folder of the compiled programs of node/. Raises RunError if they are needed and missing."""
    build = root / "node" / "build"
    needed = any(run.variant.pool.runtime == "node" for run in chosen.runs)
    if needed and shutil.which("node") is None:
        raise RunError("node is missing; on Debian: apt-get install nodejs npm")
    if needed and not (build / "experiment" / "disk-run.js").is_file():
        raise RunError(f"{build}: is missing; build it with: cd {root / 'node'} && npm ci && npm run build")
    return build


def _run_all(chosen: DiskSelection, missing: Sequence[DiskRun], runner: _Runner, console: Console) -> int:
    failed = 0
    began = time.monotonic()
    for number, run in enumerate(missing, start=1):
        check_room(chosen.folder)
        result, problem = runner.run(run, chosen.experiment)
        failed += problem is not None
        left = (time.monotonic() - began) / number * (len(missing) - number)
        outcome = f"{result['seconds']:.2f} s, mean size {result['mean_size']:.1f}" if result else f"failed: {problem}"
        say(console, f"{number} of {len(missing)}  {run.title}: {outcome}; about {clock(left)} left")
    return failed


@dataclass(frozen=True, slots=True)
class _Runner:
    """Starts a process for each run, and writes its result."""

    java: Sequence[str]
    node: Path
    folder: Path
    about: Mapping[str, Any]
    stop: Event

    def check(self, runs: Sequence[DiskRun], experiment: DiskExperiment) -> None:
        """Raises InputError for a workload or a pool that cannot be run, before the first run takes its time."""
        seen: set[tuple[str, str]] = set()
        for run in runs:
            parts = {("workload", run.workload), ("variant", run.variant.name)}
            if not parts <= seen:
                seen |= parts
                exit_code, _, err = self._outcome([*self._command(run, experiment), "--check"])
                _require_good_input(run, exit_code, err)

    def run(self, run: DiskRun, experiment: DiskExperiment) -> tuple[dict[str, Any] | None, str | None]:
        """Return the result, or the reason why there is none. Raises InputError for a run that cannot be made."""
        shutil.rmtree(run.folder, ignore_errors=True)
        run.folder.mkdir(parents=True)
        exit_code, out, err = self._outcome(self._command(run, experiment))
        _require_good_input(run, exit_code, err)
        message = _last_line(err)
        if exit_code < 0:
            message = f"the process was killed by {signal.Signals(-exit_code).name}"
        result: dict[str, Any] | None = None
        problem: str | None = None
        try:
            result = json.loads(out)
        except ValueError:
            problem = message
        if result is not None and (lost := result["failed"]):
            problem = f"{counted(lost, 'job')} failed, the first with {result['failure']}"
            result = None
        document = {
            "status": "failed" if problem else "complete",
            "error": problem,
            "configuration": run.configuration(),
            "result": result,
            **self.about,
        }
        write_whole(run.folder / RESULT, json.dumps(document, indent=2) + "\n")
        return result, problem

    def _command(self, run: DiskRun, experiment: DiskExperiment) -> list[str]:
        options = ["--dir", str(self.folder)]
        options += ["--files", str(experiment.files)] if experiment.engine == "files" else []
        options += [text for phase in run.phases for text in ("--phase", phase)]
        if run.variant.pool.runtime == "java":
            return [*self.java, *options, *run.arguments(), "--record", str(run.folder)]
        sized = run.variant.pool.controller != "fixed"
        preload = ["--import", str(self.node / "src" / "register.cjs")] if sized else []
        variables = [f"{name}={value}" for name, value in run.variant.environment().items()]
        return ["env", *variables, "node", *preload, str(self.node / "experiment" / "disk-run.js"), *options]

    def _outcome(self, command: Sequence[str]) -> tuple[int, str, str]:
        """Exit code and output of a process. Raises KeyboardInterrupt once it is to stop."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=dying_with(os.getpid()),  # noqa: PLW1509 - it takes no lock that a thread may hold
        )
        try:
            while True:
                if self.stop.is_set():
                    raise KeyboardInterrupt
                with suppress(subprocess.TimeoutExpired):
                    out, err = process.communicate(timeout=_POLL_S)
                    return process.returncode, out, err
        finally:
            process.kill()
            process.wait()


def _last_line(err: str) -> str:
    return (err.strip().splitlines() or ["no output"])[-1].removeprefix("poolkeeper: ")


def _require_good_input(run: DiskRun, exit_code: int, err: str) -> None:
    if exit_code == _BAD_INPUT:
        raise InputError(f"{run.title}: {_last_line(err)}")


@contextmanager
def _interrupts() -> Iterator[Event]:
    """An event that Ctrl-C and a request to end set. An exception out of a handler could get lost during a fork."""
    stop = Event()

    def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the form of a handler
        stop.set()

    if current_thread() is not main_thread():
        yield stop
        return
    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _source_folder(chosen: DiskSelection) -> Iterator[Path]:
    """The folder of the files that jobs read, which is removed at the end; those of a killed lab are removed first."""
    place = Path(chosen.experiment.folder) if chosen.experiment.folder else chosen.folder
    if not place.is_dir():
        raise InputError(f"folder: {place} is not a folder")
    for earlier in place.glob(f"{_PREFIX}*-files"):
        process = earlier.name.removeprefix(_PREFIX).partition("-")[0]
        if process.isdigit() and not Path("/proc", process).exists():
            shutil.rmtree(earlier, ignore_errors=True)
    files = place / f"{_PREFIX}{os.getpid()}-files"
    files.mkdir()
    try:
        yield files
    finally:
        shutil.rmtree(files, ignore_errors=True)


def _write_resolved(chosen: DiskSelection) -> None:
    document = chosen.experiment.model_dump(mode="json", exclude_none=True)
    if chosen.experiment.published is not None:
        published, copy = Path(chosen.experiment.published), chosen.folder / PUBLISHED
        if not (copy.exists() and copy.samefile(published)):
            copy.write_bytes(published.read_bytes())
        document["published"] = PUBLISHED
    (chosen.folder / RESOLVED).write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
