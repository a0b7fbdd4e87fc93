"""Starts the wind tunnel, and explains its results."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from poolkeeper.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


PAGE = "tunnel.html"
INTERRUPTED = 130
_BAD_INPUT = 2
_PREFIX = "tunnel-"
_SHOWN_BY_KIND = 4
"""So many controllers fit beside each other on a terminal."""


class TunnelTestbed(Protocol):
    """Starts the tunnel."""

    def tunnel(self, arguments: Sequence[str]) -> list[str]:
        """The command, which prints its progress."""


@dataclass(frozen=True, slots=True)
class TunnelReport:
    """The page that was written, and the ranking as text."""

    page: Path
    text: str


def choose_folder(output: Path | None, runs: Path, *, resume: bool) -> Path:
    """Folder of the results: as given, the newest of earlier ones to resume, or a new one.

    Raises InputError if there is none to resume.
    """
    if output is not None:
        if resume and not output.is_dir():
            raise InputError(f"{output}: no such folder, so there is nothing to resume")
        return output
    if resume:
        earlier = sorted(path.parent for path in runs.glob(f"{_PREFIX}*/tunnel.json"))
        if not earlier:
            raise InputError(f"--resume: there is no {runs / _PREFIX}* to resume; name its folder with --output")
        return earlier[-1]
    return runs / f"{_PREFIX}{datetime.now(UTC).astimezone():%Y%m%d-%H%M%S}"


def fly(testbed: TunnelTestbed, folder: Path, arguments: Sequence[str], typed: Sequence[str]) -> int:
    """Make the runs and explain them; returns the exit code.

    Ctrl-C reaches the Java process as well, which lets the runs under way end; what is there is explained then, too.
    """
    command = testbed.tunnel([*arguments, "--output", str(folder), "--command", shlex.join(typed)])
    if sys.stderr.isatty():
        command.append("--live")
    code = _run(command)
    if code == _BAD_INPUT:
        return code
    if not (folder / "results.csv").exists():
        raise RunError(f"the tunnel ended with exit code {code} and left no results")
    try:
        explained = explain(folder)
    except InputError as error:
        sys.stderr.write(f"poolkeeper: {error}\n")
        return code or error.exit_code
    sys.stdout.write(f"{explained.text}\npage: {explained.page}\n")
    if code == INTERRUPTED:
        sys.stderr.write(f"poolkeeper: interrupted; all runs that ended are kept, and --resume -o {folder} continues\n")
    return code


def _run(command: Sequence[str]) -> int:
    from poolkeeper.experiment.processes.process import dying_with

    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            preexec_fn=dying_with(os.getpid()),  # noqa: PLW1509 - it takes no lock that a thread may hold
        )
    except OSError as error:
        raise RunError(f"{command[0]} cannot be started: {error.strerror}") from error
    while True:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            continue  # it heard of it, too
        return 128 - code if code < 0 else code


def is_tunnel(folder: Path) -> bool:
    """Whether a folder holds the results of a wind tunnel."""
    return (folder / "tunnel.json").exists()


def explain(folder: Path, output: Path | None = None) -> TunnelReport:
    """Write the page of a folder of results to `output`, or into that folder, and print the ranking.

    Raises InputError if the results cannot be read, RunError if the page cannot be written.
    """
    from io import StringIO

    from rich.console import Console

    from poolkeeper.tunnel import drawn
    from poolkeeper.tunnel.page import judged_of, render
    from poolkeeper.tunnel.results import load
    from poolkeeper.tunnel.summary import by_cell, planned, ranking
    from poolkeeper.tunnel.targets import targets
    from poolkeeper.tunnel.terminal import drawn_table, kinds_table, table, verdict
    from poolkeeper.whole_file import write_whole

    results = load(folder)
    path = output or folder / PAGE
    try:
        write_whole(path, render(results))
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror}") from error
    scores = by_cell(results)
    standings = ranking(results, scores)
    text = StringIO()
    console = Console(file=text, width=120)
    if planned(results, scores):
        text.write(f"Over {standings[0].cells} situations (plant, load, noise) that all have met:\n")
        console.print(table(standings))
    drawn_rows = drawn.rows(results, scores)
    if drawn_rows:
        text.write(f"{drawn.seeds(results)}; percent of the optimum:\n")
        console.print(drawn_table(drawn_rows))
        console.print(kinds_table(drawn_rows[:_SHOWN_BY_KIND]))
    judged = judged_of(standings)
    demands = targets(results, scores, judged) if judged else []
    if demands:
        text.write(verdict(judged, demands))
    elif judged:
        largest = results.about["largest_size"]
        text.write(f"Pools of up to {largest} workers, judged by the best size up to it; no targets are set for them.")
    return TunnelReport(path, text.getvalue())
