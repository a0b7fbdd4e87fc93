"""Results of an experiment on standard output: its tables, and the report that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from poolkeeper.present.terminal import draw, say
from poolkeeper.report import write_reports
from poolkeeper.report.experiment import load_experiments
from poolkeeper.report.judging.standing import standing_table
from poolkeeper.report.levels import levels
from poolkeeper.report.measuring.counters import costs_table
from poolkeeper.report.share_tables import share_tables
from poolkeeper.report.terminal import show

if TYPE_CHECKING:
    from pathlib import Path


def show_results(folder: Path) -> None:
    """Print the tables of every experiment in a folder, write its reports and print their answers."""
    results = Console()
    for experiment in load_experiments([folder]):
        show(experiment, results)
        runs = experiment.runs
        for table in (*share_tables(runs), levels(runs), standing_table(runs), costs_table(runs)):
            if table is not None:
                results.print()
                draw(table, results)
    for written in write_reports([folder]):
        results.print()
        for line in written.lines():
            say(results, line)
