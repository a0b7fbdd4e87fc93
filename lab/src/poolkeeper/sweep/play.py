"""Playing one model: a process of the simulator, its answer as JSON."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.experiment.processes.process import dying_with

if TYPE_CHECKING:
    from poolkeeper.sweep.plan import PlannedSimulation

_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Player:
    """Plays a model with a command that takes the model's file as its last argument and prints JSON."""

    command: tuple[str, ...]

    def __call__(self, planned: PlannedSimulation) -> dict[str, Any]:
        """Runs the simulator and returns its result; raises RunError with its message if it fails."""
        with tempfile.TemporaryDirectory(prefix="poolkeeper-sweep-") as folder:
            file = Path(folder) / f"{planned.model}.yaml"
            file.write_text(planned.text, encoding="utf-8")
            done = self._run(file)
        if done.returncode:
            complaints = done.stderr.decode(errors="replace").replace(f"{folder}/", "").strip().splitlines()
            words = complaints[-1].removeprefix("poolkeeper: ") if complaints else f"exit code {done.returncode}"
            raise RunError(f"{planned.title}: {'interrupted' if done.returncode == _INTERRUPTED else words}")
        try:
            found: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            raise RunError(f"{planned.title}: the simulator did not answer in JSON") from None
        return found

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
