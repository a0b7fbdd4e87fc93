"""Delivery of an answer: text or JSON on standard output, and optionally a page."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import TYPE_CHECKING

from poolkeeper.commands.standard_output import written
from poolkeeper.errors import InputError, RunError
from poolkeeper.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rich.console import Console

    from poolkeeper.commands.answer import Answer

_NARROWEST = 24


def check_report(report: Path | None, inputs: Iterable[Path] = ()) -> None:
    """Raise InputError if a page cannot go there, before anything is computed for it; inputs are never overwritten."""
    if report is None:
        return
    try:
        clash = report.exists() and any(each.exists() and each.samefile(report) for each in inputs)
    except OSError as error:  # a name that is too long, say
        raise InputError(f"--report {report}: {error.strerror}") from error
    if clash:
        raise InputError(f"--report {report}: is the file to be analysed; name another, such as report.html")
    if report.is_dir():
        raise InputError(f"--report {report}: is a folder; name a file in it, such as {report / 'report.html'}")
    folder = report.absolute().parent
    if not folder.is_dir():
        raise InputError(f"--report {report}: there is not a folder {report.parent}; make it first")
    if not os.access(report if report.exists() else folder, os.W_OK):
        raise InputError(f"--report {report}: cannot be written: permission denied")


def deliver(answer: Answer, *, as_json: bool, report: Path | None) -> None:
    """Print an answer, and write its page if one is wanted; raises RunError if that fails."""
    if report is not None:
        page = answer.page(shlex.join(["poolkeeper", *sys.argv[1:]])).render()
        try:
            write_whole(report, page)
        except OSError as error:
            raise RunError(f"--report {report}: cannot be written: {error.strerror}") from error
    with written():
        if as_json:
            unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
            sys.stdout.write(json.dumps(answer.to_dict(), indent=2, ensure_ascii=not unicode, allow_nan=False) + "\n")
            return
        say(answer, console())
        if report is not None:
            sys.stdout.write(f"\nreport: {report}\n")


def console() -> Console:
    """Standard output: as wide as the terminal, or as wide as need be where it is none."""
    from rich.console import Console

    from poolkeeper.present.terminal import WIDE

    class Output(Console):
        """A console that leaves a reader who has enough to the command line."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    found = Output(highlight=False)
    if not found.is_terminal and "COLUMNS" not in os.environ:
        found = Output(highlight=False, width=WIDE)
    return found


def say(answer: Answer, to: Console) -> None:
    """Print the verdict, its limits, and the tables behind it."""
    from poolkeeper.present.terminal import show

    to.print(answer.verdict, style="bold", markup=False)
    for warning in answer.warnings:
        to.print(f"warning: {warning}", style="yellow", markup=False)
    for part in answer.parts:
        if part.brief or part.lines:
            to.print()
        for line in part.lines:
            to.print(line, markup=False)
        if part.brief:
            show(part.result.table(), to)
    if answer.left_out:
        to.print()
    for note in answer.missing():
        to.print(note, style="dim", markup=False)


def width(to: Console) -> int:
    """Columns that a drawing may take."""
    return max(_NARROWEST, min(100, to.width))
