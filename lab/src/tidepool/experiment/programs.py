"""The Java programs of the testbed: where they are, and how they are started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tidepool.errors import RunError

if TYPE_CHECKING:
    from tidepool.experiment.plan import Run

# The collector is named, because a JVM on a machine of one CPU picks another; the heap does not change size in a run.
_SMALL = ("-XX:+UseSerialGC", "-Xmx256m")
_LARGE = ("-XX:+UseG1GC", "-Xms512m", "-Xmx512m")


def home() -> Path:
    """The project's folder: TIDEPOOL_HOME, or the one that this package was installed from.

    Raises:
        RunError: if the testbed is not built there.
    """
    found = Path(os.environ.get("TIDEPOOL_HOME") or Path(__file__).parents[4])
    if not (found / "testbed/servers/target/lib").is_dir():
        raise RunError(f"the testbed is not built in {found}; start this with ./tidepool, which builds it")
    return found


def _java(module: str, main: str, flags: tuple[str, ...]) -> list[str]:
    target = home() / "testbed" / module / "target"
    java_home = os.environ.get("JAVA_HOME")
    java = str(Path(java_home) / "bin/java") if java_home else shutil.which("java")
    if java is None:
        raise RunError("there is no java: set JAVA_HOME, or start this with ./tidepool")
    return [java, *flags, "-cp", f"{target / 'classes'}:{target / 'lib'}/*", main]


def database() -> list[str]:
    """Command that starts a database."""
    return _java("servers", "io.tidepool.testbed.applications.DatabaseMain", _SMALL)


def server(run: Run, n: int, connections: str, jdbc_url: str | None, record: Path) -> list[str]:
    """Command that starts the server of a run, its pool frozen until the warm-up is over."""
    variant = run.variant
    command = [
        *_java("servers", "io.tidepool.testbed.servers.ServerMain", _LARGE),
        "--application",
        run.application,
        *("--n", str(n)),
        *("--pool", variant.pool),
    ]
    if variant.pool != "plain":
        command += ["--bounds", f"{variant.minimum}..{variant.maximum}", "--initial", str(variant.initial)]
        command += ["--window", f"{round(variant.window_s * 1000)}ms", "--mode", "frozen", "--record", str(record)]
        for setting, value in variant.settings:
            command += ["--set", f"{setting}={value}"]
    if jdbc_url is not None:
        command += ["--jdbc-url", jdbc_url, "--connections", connections]
    return command


def load(target: str, description: Path, record: Path) -> list[str]:
    """Command that starts the load generator."""
    return [
        *_java("load", "io.tidepool.testbed.load.LoadMain", _LARGE),
        *("--target", target),
        *("--record", str(record)),
        "--progress",
        str(description),
    ]
