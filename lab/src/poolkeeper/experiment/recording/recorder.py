"""Writes the lab's own part of a run record: run.json and the load description (contract/README.md)."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

from poolkeeper.experiment.planning.load import description
from poolkeeper.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from poolkeeper.experiment.planning.plan import PlannedRun
    from poolkeeper.experiment.warming.steady import Drift

VERSION = 1
Status = Literal["running", "complete", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class WarmedUp:
    """Result of a warm-up: its seconds, its throughput second by second, and whether it ended steady.

    `steady` is None where nobody asked.
    """

    seconds: float
    steady: bool | None
    throughput: tuple[float, ...]


class RunRecorder:
    """The run.json of one run, with status `running` from the start; `folder` must not exist yet.

    Every method raises OSError where the disk does not take it; what was there before stays then.
    """

    def __init__(
        self,
        run: PlannedRun,
        *,
        experiment: str,
        command: Sequence[str],
        versions: dict[str, str],
        machine: dict[str, Any],
    ) -> None:
        self.folder = run.folder
        self.load_description = run.folder / "load-description.json"
        self._document: dict[str, Any] = {
            "version": VERSION,
            "id": run.id,
            "experiment": experiment,
            "variant": run.variant.name,
            "repetition": run.repetition,
            "status": "running",
            **_moment("start"),
            "command": list(command),
            "configuration": run.configuration,
            "versions": dict(versions),
            "machine": machine,
            "warnings": [],
        }
        self.folder.mkdir(parents=True)
        write_json(self.load_description, description(run.load))
        self._write()

    def load_begins(self, warm_up: WarmedUp | None = None) -> None:
        """Note the end of the warm-up and its outcome."""
        self._document |= _moment("start")
        if warm_up is not None:
            self._document["warm_up"] = asdict(warm_up)
        self._write()

    def note(self, name: Literal["pools", "quotas", "lost", "counters"], found: dict[str, Any]) -> None:
        """Note a part of run.json: how each pool is controlled, how often each quota was used up, and so on.

        `lost` tells how many requests each server behind a balancer did not answer, `counters` what the processor
        counted of the server.
        """
        self._document[name] = found
        self._write()

    def ready(self, after_s: float) -> None:
        """Note how long the server took from the start of its process until it was ready."""
        self._document["ready_s"] = round(after_s, 3)
        self._write()

    def drift(self, found: Drift) -> None:
        """Note how throughput changed until the end of the load."""
        self._document["drift"] = {
            **{name: None if isnan(value := getattr(found, name)) else value for name in ("change", "low", "high")},
            "seconds": found.seconds,
            "steady": found.steady,
            "left_out_s": 0,
        }
        self._write()

    def version(self, of: str, version: str) -> None:
        """Note the version of something that took part."""
        self._document["versions"][of] = version
        self._write()

    def warn(self, warning: str) -> None:
        """Note a warning for readers of the results."""
        self._document["warnings"].append(warning)
        self._write()

    def finish(self, status: Status, error: str | None = None) -> None:
        """Note how the run ended, and why if it failed."""
        self._document |= {"status": status, **_moment("end")}
        if error is not None:
            self._document["error"] = error
        self._write()

    def _write(self) -> None:
        write_json(self.folder / "run.json", self._document)


def read_run_json(folder: Path) -> dict[str, Any]:
    """The current run.json of a folder; empty if there is none that can be read."""
    try:
        found = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, document: Any) -> None:
    """Write a JSON file so that it is there as a whole or, if the disk is full, not at all."""
    write_whole(path, json.dumps(document, indent=2) + "\n")


def _moment(name: str) -> dict[str, Any]:
    return {name: datetime.now(UTC).isoformat(), f"{name}_monotonic_ns": time.monotonic_ns()}
