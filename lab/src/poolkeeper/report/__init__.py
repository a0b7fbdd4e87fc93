"""Explains the runs of an experiment: one self-contained page, and rows for the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Report", "write_reports"]


@dataclass(frozen=True, slots=True)
class Report:
    """A page that was written: its experiment, path, answer in two sentences, and limits.

    `claims` are the verdicts on what the experiment set out to confirm or refute, a line each.
    """

    experiment: str
    path: Path
    text: str
    caveats: tuple[str, ...]
    claims: tuple[str, ...]

    def lines(self) -> list[str]:
        """Answer, verdicts, caveats and path for a terminal."""
        return [self.text, *self.claims, *(f"note: {caveat}" for caveat in self.caveats), f"report: {self.path}"]


def write_reports(folders: Sequence[Path], output: Path | None = None) -> list[Report]:
    """Write one page for each experiment with runs in or below the folders.

    A page goes to `output`, or to report.html in the folder that holds the experiment's runs. Raises InputError if
    there is nothing to show or `output` cannot hold several pages, RunError if a page cannot be written.
    """
    from poolkeeper.report.experiment import load_experiments
    from poolkeeper.report.page import render
    from poolkeeper.whole_file import write_whole

    if output is not None and not output.absolute().parent.is_dir():
        raise InputError(f"--output {output}: there is not a folder {output.parent}; make it first")
    experiments = load_experiments(folders)
    if output is not None and len(experiments) > 1:
        names = ", ".join(experiment.name for experiment in experiments)
        raise InputError(f"--output {output}: one file cannot hold the {len(experiments)} experiments found ({names})")
    reports = []
    for experiment in experiments:
        path = output or experiment.folder / "report.html"
        page = render(experiment)
        try:
            write_whole(path, page.html)
        except OSError as error:
            raise RunError(f"{path}: cannot be written: {error.strerror}") from error
        reports.append(Report(experiment.name, path, page.answer, page.caveats, page.claims))
    return reports
