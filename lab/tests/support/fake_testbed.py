"""A testbed of small Python processes that speak as the real ones do, and fail as they might."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import fake_processes
from fake_processes import SETUP, WELL

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.experiment.planning.plan import PlannedRun
    from poolkeeper.experiment.processes.backends import Backends

__all__ = ["SETUP", "FakeTestbed"]


@dataclass
class FakeTestbed:
    """Behaviour of each process; `commands` tells what was started.

    `server_by_variant` is stronger than `server`, and may name one of several servers: "spread-3/server-2".
    """

    database_behaviour: str = WELL
    downstream_behaviour: str = WELL
    server_behaviour: str = WELL
    load_behaviour: str = WELL
    server_by_variant: dict[str, str] = field(default_factory=dict)
    load_by_variant: dict[str, str] = field(default_factory=dict)
    commands: list[list[str]] = field(default_factory=list)
    warm_up: str = "steady"
    """Throughput while a load warms up: steady, or rising from second to second."""
    missing: Exception | None = None
    lacking: dict[str, str] = field(default_factory=dict)
    """Requirement of a variant that is not here."""
    _variant: str = ""

    def check(self) -> None:
        if self.missing:
            raise self.missing

    def java(self) -> list[str]:
        return ["true"]

    def database(self) -> list[str]:
        return self._started("database", self.database_behaviour)

    def downstream(self, run: PlannedRun) -> list[str]:  # noqa: ARG002 - as Testbed has it
        return self._started("downstream", self.downstream_behaviour)

    def server(self, run: PlannedRun, backends: Backends, mode: str) -> list[str]:
        return self._started("server", *self.server_arguments(run, backends, mode))

    def series(self, run: PlannedRun) -> list[str]:  # noqa: ARG002 - as Testbed has it
        return self._started("series")

    def without(self, run: PlannedRun) -> str | None:
        return self.lacking.get(run.variant.name)

    def server_arguments(self, run: PlannedRun, backends: Backends, mode: str) -> list[str]:
        self._variant = run.variant.name
        named = f"{self._variant}/{run.folder.name}"  # one of several servers, which have a folder each
        behaviour = self.server_by_variant.get(named) or self.server_by_variant.get(
            self._variant, self.server_behaviour
        )
        return [behaviour, str(run.folder), str(backends.jdbc_url), mode, str(backends.downstream)]

    def load(self, port: int, description: Path, record: Path, *, warm_up: bool, threads: int) -> list[str]:  # noqa: ARG002 - it has none
        behaviour = self.load_by_variant.get(self._variant, self.load_behaviour)
        word = self.warm_up if warm_up else "none"
        return self._started("load", behaviour, str(port), str(description), str(record), word)

    def _started(self, *arguments: str) -> list[str]:
        command = [sys.executable, "-S", fake_processes.__file__, *arguments]
        self.commands.append(command)
        return command
