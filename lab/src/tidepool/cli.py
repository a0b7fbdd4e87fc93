"""The command line. Each word imports what it needs only when it is called, so that help is instant."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads this at run time
from typing import Annotated, Optional

import typer

from tidepool.errors import TidepoolError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def report(
    directories: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of runs, such as runs/demo, or single runs.")
    ],
    output: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time
        typer.Option("--output", "-o", help="File to write; default: report.html beside the runs."),
    ] = None,
) -> None:
    """Write one self-contained HTML page for each experiment found, and say its answer.

    Example: tidepool report runs/demo
    """
    from tidepool.report import write_reports

    for written in write_reports(directories, output):
        typer.echo(written.text)
        typer.echo(f"report: {written.path}")


def main() -> None:
    """Run the command line; an error that a person can mend is one line on standard error."""
    try:
        app()
    except TidepoolError as error:
        typer.echo(f"tidepool: {error}", err=True)
        sys.exit(error.exit_code)
