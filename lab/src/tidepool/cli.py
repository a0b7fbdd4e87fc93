"""The command line. Each word imports what it needs only when it is called, so that help is instant."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from tidepool.errors import TidepoolError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(help="An experiment's folder of runs, such as runs/demo, or one run.")],
    output: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time
        typer.Option("--output", "-o", help="File to write; default: report.html in the folder."),
    ] = None,
) -> None:
    """Write one self-contained HTML page that explains an experiment.

    Example: tidepool report runs/demo
    """
    from tidepool.report import write_report  # noqa: PLC0415

    answer = write_report(directory, output)
    typer.echo(answer.text)
    typer.echo(f"report: {answer.path}")


def main() -> None:
    """Run the command line; an error that a person can mend is one line on standard error."""
    try:
        app()
    except TidepoolError as error:
        typer.echo(f"tidepool: {error}", err=True)
        sys.exit(error.exit_code)
