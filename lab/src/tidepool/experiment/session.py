"""All runs of an experiment, one after the other: started, shown, recorded, resumed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from tidepool.errors import InputError, RunError
from tidepool.experiment import plan, spec
from tidepool.experiment.durations import words
from tidepool.experiment.live import LiveView, PlainView
from tidepool.experiment.measure import Database, Measurement

if TYPE_CHECKING:
    from tidepool.experiment.plan import Run

_COPY = "matrix.yaml"


class Session:
    """One experiment, its folder of runs, and what is still to be done in it."""

    def __init__(self, experiment: spec.Experiment, name: str, folder: Path, only: dict[str, str]) -> None:
        """Plan the runs; nothing is written yet.

        Raises:
            InputError: if `only` leaves no run.
        """
        self.experiment = experiment
        self.name = name
        self.folder = folder
        self.planned = [run for run in plan.runs(experiment) if _chosen(run, only)]
        if not self.planned:
            asked = ", ".join(f"{axis}={value}" for axis, value in only.items())
            raise InputError(f"no run with {asked}; --list shows what there is")
        self.failures: list[str] = []

    @property
    def needed_s(self) -> float:
        """About how long the runs that are left take."""
        return plan.needed_seconds(self.left(), self.experiment.warm_up)

    def left(self) -> list[Run]:
        """Runs that are not complete.

        Raises:
            InputError: if a complete one was made with another configuration.
        """
        return [run for run in self.planned if not self._complete(run)]

    def _complete(self, run: Run) -> bool:
        try:
            document = json.loads((self.folder / run.id / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        if document.get("status") != "complete":
            return False
        changed = _first_difference(document.get("configuration"), run.configuration, "configuration")
        if changed:
            raise InputError(f"cannot resume {self.folder}: {run.id} was made with another {changed}; start anew")
        return True

    def run(self, source: Path) -> None:
        """Make the runs that are left, and show them; a run that fails is noted and the next one made.

        Raises:
            KeyboardInterrupt: as it came, with everything stopped and what was measured kept.
            RunError: if the disk is full or the folder cannot be written.
        """
        left = self.left()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if source.resolve() != (self.folder / _COPY).resolve():
                shutil.copyfile(source, self.folder / _COPY)
        except OSError as error:
            raise RunError(f"{error.strerror}: {error.filename}") from error
        console = Console(stderr=True)
        live = console.is_terminal and not os.environ.get("CI")
        database = Database(self.folder / "database.log")
        try:
            with LiveView(console) if live else PlainView(console) as view:
                for number, run in enumerate(left):
                    remaining = plan.needed_seconds(left[number:], self.experiment.warm_up)
                    view.begin(run, number + 1, len(left), remaining)
                    self._clear(run)
                    try:
                        Measurement(run, self.folder / run.id, self.name, database).make(view.news)
                    except RunError as error:
                        self.failures.append(f"{run.id}: {error}")
                        view.end(f"failed: {error}")
                    else:
                        view.end(self._result(run))
        finally:
            database.stop()

    def _clear(self, run: Run) -> None:
        """Take away what an unfinished attempt has left."""
        shutil.rmtree(self.folder / run.id, ignore_errors=True)

    def _result(self, run: Run) -> str:
        found = json.loads((self.folder / run.id / "load.json").read_text(encoding="utf-8"))
        response = found["response"]
        parts = [f"{found['throughput']:,.0f} requests/s"]
        if response:
            parts.append(f"mean {response['mean_ns'] / 1e6:,.1f} ms, p99 {response['p99_ns'] / 1e6:,.1f} ms")
        if found["errors"]:
            parts.append(f"{found['errors']:,} errors")
        if found["bottleneck"]:
            parts.append("the load generator may have been the bottleneck")
        return ", ".join(parts)


def _chosen(run: Run, only: dict[str, str]) -> bool:
    coordinates = {
        "variant": run.variant.name,
        "application": run.application,
        "repetition": str(run.repetition),
        **dict(run.cell),
    }
    return all(coordinates.get(axis) in value.split(",") for axis, value in only.items())


def _first_difference(old: Any, new: Any, path: str) -> str | None:
    """Where two documents differ first, or None."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            found = _first_difference(old.get(key), new.get(key), f"{path}.{key}")
            if found:
                return found
        return None
    return None if old == new else path


def parse_only(texts: list[str]) -> dict[str, str]:
    """`variant=a,b` and the like, as a dictionary.

    Raises:
        InputError: for a text that is no such pair, or an unknown axis.
    """
    only = {}
    for text in texts:
        axis, equals, value = text.partition("=")
        if not equals or axis not in {"variant", "application", "users", "repetition"}:
            raise InputError(f"--only is {text!r}; it must be variant=, application=, users= or repetition= and values")
        only[axis] = value
    return only


def folder_for(name: str, output: Path | None, *, resume: bool) -> Path:
    """A new folder for an experiment's runs, or the newest one there is.

    Raises:
        InputError: if there is nothing to resume, or something is where the new folder should be.
    """
    if output is not None:
        if not resume and output.exists() and any(output.iterdir()):
            raise InputError(f"{output} is not empty; --resume goes on with it")
        return output
    root = Path(os.environ.get("TIDEPOOL_RUNS") or "runs")
    if resume:
        earlier = sorted(root.glob(f"{name}-[0-9]*"))
        if not earlier:
            raise InputError(f"nothing to resume: there is no {root}/{name}-*")
        return earlier[-1]
    return root / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"


def listing(session: Session) -> None:
    """Print what would be run, and how long it takes."""
    for run in session.left():
        sys.stdout.write(f"{run.id}  {words(run.seconds)}\n")
    sys.stdout.write(f"{len(session.left())} runs, about {words(session.needed_s)}\n")
