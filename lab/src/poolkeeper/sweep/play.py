"""Playing models: a process of the simulator for each, or one for many, and its answer as JSON."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import dying_with

if TYPE_CHECKING:
    from types import TracebackType

    from poolkeeper.sweep.plan import PlannedSimulation

_INTERRUPTED = 130
_ARGUMENTS = ("--no-record", "--json", "--jobs", "1")
"""Of the simulator, for a result as JSON and nothing else."""


@dataclass(frozen=True, slots=True)
class Player:
    """Plays a model with a command that takes the model's file as its last argument and prints JSON."""

    command: tuple[str, ...]

    def __call__(self, planned: PlannedSimulation) -> dict[str, Any]:
        """Runs the simulator and returns its result; raises RunError with its message if it fails."""
        with tempfile.TemporaryDirectory(prefix="poolkeeper-sweep-") as folder:
            done = self._run(_write(planned, folder))
        errors = done.stderr.decode(errors="replace")
        return _result(planned, folder, done.returncode, done.stdout.decode(errors="replace"), errors)

    def _run(self, file: Path) -> subprocess.CompletedProcess[bytes]:
        process = subprocess.Popen(
            [*self.command, str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=dying_with(os.getpid()),  # noqa: PLW1509 - a call of prctl alone
        )
        try:
            out, err = process.communicate()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


class SeriesPlayer:
    """Plays models one after another in one process of the simulator, which starts with the first.

    A virtual machine takes longer to start than to play a model of a minute. The command reads the arguments of a
    simulation, a JSON array a line, and answers with a line of its exit code and output. Use it on one thread; after a
    failure of the process itself the next model has a new one.
    """

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def __call__(self, planned: PlannedSimulation) -> dict[str, Any]:
        """Has the simulator play a model and returns its result; raises RunError with its message if it fails."""
        with tempfile.TemporaryDirectory(prefix="poolkeeper-series-") as folder:
            try:
                line = self._ask(json.dumps([*_ARGUMENTS, str(_write(planned, folder))]))
            except BaseException:
                self._end()  # or the next model would get the answer to this one
                raise
        if not line.endswith(b"\n"):
            code, errors = self._end()
            return _result(planned, folder, code or 1, "", errors)
        answer = json.loads(line)
        return _result(planned, folder, answer["code"], answer["out"], answer["err"])

    def _ask(self, line: str) -> bytes:
        """The answer to a line, without its end from a process that has ended."""
        process = self._started()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        answer = process.stdout.readline()
        if not answer.endswith(b"\n"):
            process.wait()
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lasts as long as the process
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,  # Ctrl-C is for the command that plays, which ends this one
                preexec_fn=dying_with(os.getpid()),  # noqa: PLW1509 - a call of prctl alone
            )
        return self._process

    def _end(self) -> tuple[int, str]:
        """End the process if it still runs. Returns its exit code and its standard error."""
        process, errors = self._process, self._errors
        self._process = self._errors = None
        if process is None or errors is None:
            return 0, ""
        process.kill()
        with errors:
            if process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):  # of a line that nobody has read
                    process.stdin.close()
            if process.stdout is not None:
                process.stdout.close()
            code = process.wait()
            errors.seek(0)
            return code, errors.read().decode(errors="replace")


def _write(planned: PlannedSimulation, folder: str) -> Path:
    file = Path(folder) / f"{planned.model}.yaml"
    file.write_text(planned.text, encoding="utf-8")
    return file


def _result(planned: PlannedSimulation, folder: str, code: int, out: str, errors: str) -> dict[str, Any]:
    """The result that the simulator has printed; raises RunError with the last line of its errors if it failed."""
    if code:
        # The line is that of the model as it was written for the simulator, and no line of anybody's file.
        complaints = re.sub(rf"{re.escape(folder)}/([^/:]+)(:\d+)?", r"\1", errors).strip().splitlines()
        message = complaints[-1].removeprefix("poolkeeper: ") if complaints else f"exit code {code}"
        raise RunError(f"{planned.title}: {'interrupted' if code == _INTERRUPTED else message}")
    try:
        found: dict[str, Any] = json.loads(out)
    except ValueError:
        raise RunError(f"{planned.title}: the simulator did not answer in JSON") from None
    return found
