"""Commands of the testbed's processes."""

from __future__ import annotations

import math
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tidepool.errors import RunError
from tidepool.experiment.definition.model import FixedPool, OwnPool, PlainPool, TunedPool
from tidepool.experiment.definition.values import format_duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidepool.experiment.definition.model import Quotas
    from tidepool.experiment.planning.plan import PlannedRun


class Testbed(Protocol):
    """How to start a database, a server and a load generator."""

    def check(self) -> None:
        """Raise RunError if something is missing."""

    def java(self) -> list[str]:
        """The command of the Java that runs it."""

    def database(self) -> list[str]:
        """Prints a ready message with port and jdbcUrl."""

    def server(self, run: PlannedRun, jdbc_url: str | None, mode: str) -> list[str]:
        """Prints a ready message with port, adminPort and pools; records windows and decisions in the run's folder."""

    def series(self) -> list[str]:
        """Starts servers in turn: reads arguments, a JSON array a line, and prints what a server does when ready."""

    def server_arguments(self, run: PlannedRun, jdbc_url: str | None, mode: str) -> list[str]:
        """What a series reads to start this server."""

    def load(self, port: int, description: Path, record: Path, *, warm_up: bool) -> list[str]:
        """Prints a message a second and ends by itself; after a warm-up, which a line on its standard input ends."""


@dataclass(frozen=True, slots=True)
class JavaTestbed:
    """The testbed as Maven builds it below `root`."""

    root: Path

    def check(self) -> None:
        """Raise RunError if there is no Java, or if the testbed is not built."""
        self._java()
        for module in ("servers", "load"):
            self._check_built(module)

    def java(self) -> list[str]:
        """See Testbed."""
        return [self._java()]

    def database(self) -> list[str]:
        """See Testbed."""
        return [*self._command("servers", "64m"), "io.tidepool.testbed.applications.DatabaseMain"]

    def server(self, run: PlannedRun, jdbc_url: str | None, mode: str) -> list[str]:
        """See Testbed."""
        server = [*self._command("servers", "512m", run.quotas), "io.tidepool.testbed.servers.ServerMain"]
        return [*server, *self.server_arguments(run, jdbc_url, mode)]

    def series(self) -> list[str]:
        """See Testbed."""
        return [*self._command("servers", "512m"), "io.tidepool.testbed.servers.SeriesMain"]

    def server_arguments(self, run: PlannedRun, jdbc_url: str | None, mode: str) -> list[str]:
        """See Testbed."""
        variant = run.variant
        pool = variant.pool
        command = [
            *("--application", run.application),
            *("--seed", str(run.load["seed"])),
            *("--pool", f"fixed:{pool.size}" if isinstance(pool, FixedPool) else pool.controller),
        ]
        if not isinstance(pool, PlainPool):
            command += ["--bounds", f"{variant.minimum}..{variant.maximum}"]
            command += [] if isinstance(pool, OwnPool) else ["--initial", str(variant.initial)]
            command += ["--window", format_duration(run.window), "--mode", mode, "--record", str(run.folder)]
        if isinstance(pool, TunedPool):
            for setting, value in pool.settings().items():
                command += ["--set", f"{setting}={value}"]
        if run.n is not None:
            command += ["--n", str(run.n)]
        if jdbc_url is not None:
            command += ["--jdbc-url", jdbc_url, "--connections", run.connections]
        return command

    def load(self, port: int, description: Path, record: Path, *, warm_up: bool) -> list[str]:
        """See Testbed."""
        return [
            *self._command("load", "512m"),
            "io.tidepool.testbed.load.LoadMain",
            *("--target", f"http://127.0.0.1:{port}"),
            *("--record", str(record)),
            "--progress",
            *(["--warm-up"] if warm_up else []),
            str(description),
        ]

    def tunnel(self, arguments: Sequence[str]) -> list[str]:
        """The command of the wind tunnel, which prints its progress and ends by itself.

        Raises RunError if there is no Java, or if it is not built.
        """
        self._check_built("tunnel")
        return [*self._command("tunnel", "1g"), "io.tidepool.testbed.tunnel.TunnelMain", *arguments]

    def _command(self, module: str, heap: str, quotas: Quotas | None = None) -> list[str]:
        # The collector is always named: a JVM that sees one processor would choose another. The heap does not grow in
        # mid-run.
        target = self._target(module)
        return [
            self._java(),
            "-XX:+UseG1GC",
            f"-Xms{heap}",
            f"-Xmx{heap}",
            # Its quota begins with the load, later than the virtual machine looks how many processors there are.
            *([f"-XX:ActiveProcessorCount={math.ceil(quotas.server)}"] if quotas else []),
            "-cp",
            f"{target / 'classes'}:{target / 'lib'}/*",
        ]

    def _check_built(self, module: str) -> None:
        classes = self._target(module) / "classes"
        if not classes.is_dir():
            raise RunError(
                f"{classes}: is missing; build the testbed first: mvn -q -DskipTests package (./tidepool does that)"
            )

    def _target(self, module: str) -> Path:
        return self.root / "testbed" / module / "target"

    @staticmethod
    def _java() -> str:
        given = os.environ.get("JAVA_HOME")
        if given and (java := Path(given) / "bin" / "java").exists():
            return str(java)
        found = shutil.which("java")
        if found is None:
            raise RunError("no Java: neither JAVA_HOME nor PATH leads to one; JDK 17 or later is needed")
        return found
