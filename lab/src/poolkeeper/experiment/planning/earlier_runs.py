"""Earlier runs in a folder: kept where they still hold, else moved aside, never deleted."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from fcntl import LOCK_EX, LOCK_NB, flock
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.recording.recorder import read_run_json, write_json
from poolkeeper.record import find_runs
from poolkeeper.study import RESOLVED
from poolkeeper.study.source import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from poolkeeper.experiment.planning.plan import PlannedRun

EARLIER = ".earlier"
"""Folder of records that are made again; readers of results leave hidden folders out."""
_ABOUT = ("question", "versus")
"""Settings about runs that do not change their measurements."""
_BEFORE = {"heap": "512m", "collector": "g1"}
"""Values of settings that records did not name at first."""
_NAMED = 3


@dataclass(frozen=True, slots=True)
class SortedRuns:
    """Runs that are to be made, earlier runs that are kept, and messages about both."""

    to_do: list[PlannedRun]
    kept: list[PlannedRun]
    notes: list[str]


def folder_for(name: str, output: Path | None, runs: Path, *, resume: bool, resumable: bool = True) -> Path:
    """The folder of an experiment's runs: `output`, or else a new one below `runs`, or the newest one to resume.

    `resumable`: whether the command has a --resume, which a message may advise.

    Raises InputError if there is nothing to resume, if that belongs to another experiment, or if something is where the
    new folder should be.
    """
    if not resume:
        if output is not None and output.exists():
            if not output.is_dir():
                raise InputError(f"{output}: is a file, not a folder for results")
            # Empty folders are what a command leaves that could not begin.
            if not all(each.is_dir() for each in output.rglob("*")):
                advice = "--resume continues with what it holds" if resumable else "name a new folder"
                raise InputError(f"{output}: is not empty; {advice}")
        return output or runs / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder = output or _newest(name, runs)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder, so there is nothing to resume")
    if others := _experiments_in(folder) - {name}:
        raise InputError(
            f"{folder}: holds results of {' and '.join(sorted(others))}, which {name} cannot continue; "
            f"without --resume and --output {name} gets a folder of its own"
        )
    return folder


def _newest(name: str, runs: Path) -> Path:
    earlier = sorted(folder for folder in runs.glob(f"{name}-{'[0-9]' * 8}-{'[0-9]' * 6}") if folder.is_dir())
    if not earlier:
        raise InputError(f"nothing to resume: there is no {runs / name}-*")
    return earlier[-1]


def _experiments_in(folder: Path) -> set[str]:
    """Names of the experiments that have left results in a folder; records that cannot be read name none."""
    found = {read_run_json(run).get("experiment") for run in find_runs(folder)}
    resolved = folder / RESOLVED
    if resolved.is_file():
        found.add(read_source(resolved).data.get("name"))
    return {name for name in found if isinstance(name, str) and name}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep a second lab from running into the same folder; raises RunError if one does, or if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise RunError(f"{error.filename or folder}: {error.strerror}") from None
    with lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise RunError(f"{folder}: another poolkeeper runs an experiment into it now") from None
        yield


def sort_out(folder: Path, runs: Sequence[PlannedRun]) -> SortedRuns:
    """Keep complete runs of the same configuration; move others aside, and name what has changed."""
    aside = folder / EARLIER / f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    to_do: list[PlannedRun] = []
    kept: list[PlannedRun] = []
    notes: list[str] = []
    for run in runs:
        why = _why_again(run) if run.folder.exists() else ""
        if why is None:
            kept.append(run)
            continue
        to_do.append(run)
        if why:
            target = aside / run.folder.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            run.folder.rename(target)
            notes.append(f"{run.id} runs again: {why}")
    if notes:
        notes.append(f"what these had measured before is in {aside}")
    return SortedRuns(to_do, kept, notes)


def _why_again(run: PlannedRun) -> str | None:
    """Why a run has to take place again; None if its record holds."""
    document = read_run_json(run.folder)
    status = document.get("status", "unreadable")
    if status != "complete":
        return "it was cut off" if status == "running" else f"it was {status}"
    changes = differences(_measured(document.get("configuration")), _measured(run.configuration))
    if changes:
        return "; ".join([*changes[:_NAMED], *(["..."] if len(changes) > _NAMED else [])])
    _say_anew(run, document)
    return None


def differences(before: Any, now: Any, place: str = "") -> list[str]:
    """Each value in which two JSON documents differ: "load.seed was 1, is 2"."""
    if isinstance(before, dict) and isinstance(now, dict):
        return [
            found
            for key in dict.fromkeys([*before, *now])
            for found in differences(before.get(key), now.get(key), f"{place}.{key}" if place else str(key))
        ]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [
            found
            for index, (old, new) in enumerate(zip(before, now, strict=True), start=1)
            for found in differences(old, new, f"{place}[{index}]")
        ]
    return [] if before == now else [f"{place or 'all'} was {json.dumps(before)}, is {json.dumps(now)}"]


def _measured(configuration: Any) -> Any:
    """A configuration as in JSON, without its descriptions."""
    plain = json.loads(json.dumps(configuration))
    if not isinstance(plain, dict):
        return plain
    return {**_BEFORE, **{key: value for key, value in plain.items() if key not in _ABOUT}}


def _say_anew(run: PlannedRun, document: dict[str, Any]) -> None:
    """Update the question and the baseline of a run that is kept."""
    about = {key: run.configuration[key] for key in _ABOUT}
    if any(document["configuration"].get(key) != value for key, value in about.items()):
        document["configuration"] |= about
        write_json(run.folder / "run.json", document)
