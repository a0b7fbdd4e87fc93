"""Commands of the testbed's processes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from poolkeeper.errors import RunError
from poolkeeper.experiment.definition.choices import COLLECTORS, OUT_OF_MEMORY
from poolkeeper.experiment.definition.pools import AdmissionPool, FixedPool, OwnPool, PlainPool, TunedPool
from poolkeeper.experiment.processes.jdks import PLACES, find_java, standard_java
from poolkeeper.record import GC_LOG
from poolkeeper.units import format_duration, format_milliseconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from poolkeeper.experiment.definition.pools import AnyPool
    from poolkeeper.experiment.definition.variants import Variant
    from poolkeeper.experiment.planning.plan import PlannedRun
    from poolkeeper.experiment.processes.backends import Backends


class Testbed(Protocol):
    """Starts databases, downstream servers, servers and load generators."""

    def check(self) -> None:
        """Raise RunError if something is missing."""

    def java(self) -> list[str]:
        """The command of the Java that runs it."""

    def database(self) -> list[str]:
        """Prints a ready message with port and jdbcUrl."""

    def downstream(self, run: PlannedRun) -> list[str]:
        """Prints a ready message with port."""

    def server(self, run: PlannedRun, backends: Backends, mode: str) -> list[str]:
        """Prints a ready message with port, adminPort and pools; records windows and decisions in the run's folder."""

    def series(self, run: PlannedRun) -> list[str]:
        """Starts servers in turn: reads arguments, a JSON array a line, and prints what a server does when ready.

        The run is that of the first.
        """

    def without(self, run: PlannedRun) -> str | None:
        """Message about a part that a run needs and that is missing here; None if all parts are there."""

    def server_arguments(self, run: PlannedRun, backends: Backends, mode: str) -> list[str]:
        """Arguments that a series reads to start this server."""

    def load(self, port: int, description: Path, record: Path, *, warm_up: bool, threads: int) -> list[str]:
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
        return [*self._command("servers", "64m"), "io.poolkeeper.testbed.applications.DatabaseMain"]

    def downstream(self, run: PlannedRun) -> list[str]:
        """See Testbed."""
        command = [
            *self._command("servers", "64m", collector="serial"),
            "io.poolkeeper.testbed.applications.downstream.DownstreamMain",
        ]
        for path, profile in run.downstream.items():
            stated = {
                "latency": None if profile.latency is None else format_milliseconds(profile.latency),
                "capacity": profile.capacity,
                "degradation": profile.degradation,
            }
            settings = ",".join(f"{name}={value}" for name, value in stated.items() if value is not None)
            command += ["--profile", f"{path}:{settings}"] if settings else []
        return command

    def server(self, run: PlannedRun, backends: Backends, mode: str) -> list[str]:
        """See Testbed."""
        server = [*self._server(run, run.folder / GC_LOG), "io.poolkeeper.testbed.servers.ServerMain"]
        return [*server, *self.server_arguments(run, backends, mode)]

    def series(self, run: PlannedRun) -> list[str]:
        """See Testbed."""
        return [*self._server(run, None), "io.poolkeeper.testbed.servers.SeriesMain"]

    def without(self, run: PlannedRun) -> str | None:
        """See Testbed."""
        wanted = run.machine.java
        if wanted is None or find_java(wanted) is not None:
            return None
        return f"{run.variant.architecture} needs JDK {wanted}, which is not among those below {' and '.join(PLACES)}"

    def server_arguments(self, run: PlannedRun, backends: Backends, mode: str) -> list[str]:
        """See Testbed."""
        variant = run.variant
        pool = variant.pool
        command = ["--application", run.application, "--seed", str(run.load["seed"])]
        if run.other_applications:
            command += ["--beside", ",".join(run.other_applications)]
        if variant.architecture is not None:
            command += ["--architecture", variant.architecture]
        if variant.turns:
            command += _turns(variant)
        else:
            command += _admission(pool) if isinstance(pool, AdmissionPool) else _pool(pool, variant)
        if not isinstance(pool, PlainPool):
            command += ["--window", format_duration(run.window), "--mode", mode, "--record", str(run.folder)]
        if run.n is not None:
            command += ["--n", str(run.n)]
        if backends.jdbc_url is not None:
            command += ["--jdbc-url", backends.jdbc_url, "--connections", run.connections]
        if backends.downstream is not None:
            command += ["--downstream", backends.downstream]
        return command

    def load(self, port: int, description: Path, record: Path, *, warm_up: bool, threads: int) -> list[str]:
        """See Testbed."""
        return [
            *self._command("load", "512m"),
            "io.poolkeeper.testbed.load.LoadMain",
            *("--target", f"http://127.0.0.1:{port}"),
            *("--record", str(record)),
            *("--threads", str(threads)),
            "--progress",
            *(["--warm-up"] if warm_up else []),
            str(description),
        ]

    def tunnel(self, arguments: Sequence[str]) -> list[str]:
        """The command of the wind tunnel, which prints its progress and ends by itself.

        Raises RunError if there is no Java, or if it is not built.
        """
        self._check_built("tunnel")
        return [*self._command("tunnel", "1g"), "io.poolkeeper.testbed.tunnel.TunnelMain", *arguments]

    def simulator(self) -> list[str]:
        """The command of the simulator, which plays one model after another: arguments a line, an answer a line.

        Raises RunError if there is no Java, or if it is not built.
        """
        self._check_built("simulator")
        # Models of a minute are over before the second compiler has paid for itself.
        quick = ["-XX:TieredStopAtLevel=1"]
        return [
            *self._command("simulator", "512m", collector="serial", options=quick),
            "io.poolkeeper.testbed.simulator.command.SeriesMain",
        ]

    def _server(self, run: PlannedRun, gc_log: Path | None) -> list[str]:
        """A virtual machine for a server. It ends with a message if its memory runs out.

        Unless an application may run out of memory, which is what it is for.
        """
        machine = run.machine
        options = [f"-XX:ErrorFile={run.folder / 'hs_err_pid%p.log'}"]
        if OUT_OF_MEMORY.isdisjoint(run.applications):
            options.insert(0, "-XX:+ExitOnOutOfMemoryError")
        if gc_log is not None:
            options.append(f"-Xlog:gc,gc+init:file={gc_log}:timenanos,tags:filecount=0")
        if run.quotas is not None:
            # Its quota begins with the load, later than the virtual machine looks how many processors there are.
            options.append(f"-XX:ActiveProcessorCount={math.ceil(run.quotas.server)}")
        java = self._java() if machine.java is None else find_java(machine.java)
        if java is None:
            raise RunError(f"no JDK {machine.java} below {' and '.join(PLACES)}")
        archive = self.target("servers") / "servers.jsa"
        if machine.java is None and archive.is_file():
            # Classes to start with. One of an earlier build is passed over, without a word between the server's own.
            options += [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
        return self._command("servers", machine.heap, collector=machine.collector, java=java, options=options)

    def _command(
        self, module: str, heap: str, *, collector: str = "g1", java: str | None = None, options: Sequence[str] = ()
    ) -> list[str]:
        # The collector is always named: a JVM that sees one processor would choose another. The heap does not grow in
        # mid-run.
        return [
            java or self._java(),
            COLLECTORS[collector],
            f"-Xms{heap}",
            f"-Xmx{heap}",
            *options,
            "-cp",
            self._class_path(module),
        ]

    def _class_path(self, module: str) -> str:
        target = self.target(module)
        # An archive of classes takes none out of a folder: the servers' jar lies beside what they need.
        return f"{target / 'lib'}/*" if module == "servers" else f"{target / 'classes'}:{target / 'lib'}/*"

    def _check_built(self, module: str) -> None:
        classes = self.target(module) / "classes"
        if not classes.is_dir():
            raise RunError(
                f"{classes}: is missing; build the testbed first: mvn -q -DskipTests package (./poolkeeper does that)"
            )

    def target(self, module: str) -> Path:
        """Folder of what is built of a module of the testbed."""
        return self.root / "testbed" / module / "target"

    @staticmethod
    def _java() -> str:
        return standard_java()


def _pool(pool: AnyPool, variant: Variant) -> list[str]:
    """The options of a server that say how its pool is sized."""
    options = ["--pool", _decider(pool)]
    if not isinstance(pool, PlainPool):
        options += _bounds(variant)
        options += [] if isinstance(pool, OwnPool) else ["--initial", str(variant.initial)]
    if isinstance(pool, FixedPool) and pool.queue_capacity is not None:
        options += ["--queue-capacity", str(pool.queue_capacity)]
    if isinstance(pool, TunedPool):
        for setting, value in pool.settings().items():
            options += ["--set", f"{setting}={value}"]
    return options


def _turns(variant: Variant) -> list[str]:
    """The options of a server that name the variants which take turns on its pool."""
    options = _bounds(variant)
    for member in variant.turns:
        options += ["--variant", _turn(member)]
    return options


def _turn(variant: Variant) -> str:
    """A variant that takes turns with others, as the server reads it."""
    pool = variant.pool
    text = f"{variant.name}:{_decider(pool)}"
    if isinstance(pool, TunedPool):
        settings = {**pool.settings(), "initial": variant.initial}
        text += "".join(f",{setting}={value}" for setting, value in settings.items())
    return text


def _decider(pool: AnyPool) -> str:
    return f"fixed:{pool.size}" if isinstance(pool, FixedPool) else pool.controller


def _bounds(variant: Variant) -> list[str]:
    return ["--bounds", f"{variant.minimum}..{variant.maximum}"]


def _admission(pool: AdmissionPool) -> list[str]:
    """The options of a server for the limit in front of it."""
    options = ["--admission", pool.admission]
    if pool.bounds is not None:
        options += ["--bounds", str(pool.bounds)]
    if pool.objective is not None:
        options += ["--objective", pool.objective]
    if pool.patience is not None:
        options += ["--patience", format_duration(pool.patience)]
    return options
