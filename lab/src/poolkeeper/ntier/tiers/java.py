"""Commands of the Java programs: the bulletin board, its data, and the load generator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.jdks import standard_java
from poolkeeper.experiment.processes.testbed import JavaTestbed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BOARD = "io.poolkeeper.testbed.ntier.board.BoardMain"
_DATA = "io.poolkeeper.testbed.ntier.data.DataMain"


@dataclass(frozen=True, slots=True)
class JavaPrograms:
    """The programs as Maven builds them below `root`."""

    root: Path

    def check(self) -> None:
        """Raise RunError if there is no Java, or if they are not built."""
        standard_java()
        for module in ("ntier", "load"):
            folder = JavaTestbed(self.root).target(module) / "classes"
            if not folder.is_dir():
                raise RunError(f"{folder}: is missing; ./poolkeeper builds it")

    def board(self, heap: str, cores: float, gc_log: Path, temporary: Path, arguments: Sequence[str]) -> list[str]:
        """Starts a bulletin board; prints a JSON line once it serves."""
        options = [
            # A virtual machine looks how many processors there are when it starts, and its quota comes later.
            f"-XX:ActiveProcessorCount={max(1, math.ceil(cores))}",
            "-XX:+UseSerialGC",
            # The second compiler goes on for minutes under a quota: trials would not measure the same program.
            "-XX:TieredStopAtLevel=1",
            f"-Xms{heap}",
            f"-Xmx{heap}",
            "-Xss512k",
            f"-Djava.io.tmpdir={temporary}",
            "-XX:+ExitOnOutOfMemoryError",
            f"-XX:ErrorFile={gc_log.parent.resolve()}/hs_err_pid%p.log",
            f"-Xlog:gc:file={gc_log.resolve()}:timenanos,tags:filecount=0",
        ]
        return [standard_java(), *options, "-cp", self._class_path("ntier"), _BOARD, *arguments]

    def data(self, jdbc_url: str, user: str, size: str) -> list[str]:
        """Makes tables and data, and ends."""
        program = [standard_java(), "-XX:+UseSerialGC", "-Xmx256m", "-cp", self._class_path("ntier"), _DATA]
        return [*program, "--jdbc-url", jdbc_url, "--jdbc-user", user, "--size", size]

    def load(self, port: int, description: Path, record: Path) -> list[str]:
        """Warms up until a line comes on standard input, then loads and records."""
        return JavaTestbed(self.root).load(port, description, record, warm_up=True, threads=1)

    def _class_path(self, module: str) -> str:
        target = JavaTestbed(self.root).target(module)
        return f"{target / 'classes'}:{target / 'lib'}/*"
