"""The command line. Each word imports what it needs only when it is called, so that help is instant."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tidepool.errors import InputError, RunError, TidepoolError

if TYPE_CHECKING:
    from tidepool.experiment.session import Session

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

# typer reads these at run time, where `X | None` inside Annotated is fine but the postponed form is not.
_Output = Annotated[Optional[Path], typer.Option("--output", "-o", help="Folder for the runs.")]  # noqa: UP045
_Scale = Annotated[Optional[float], typer.Option(help="Factor on every duration; 1 is the full size.")]  # noqa: UP045
_INTERRUPTED = 130


@app.command()
def run(  # noqa: PLR0913 - the options of a command
    file: Annotated[Path, typer.Argument(help="An experiment, such as experiments/demo/matrix.yaml.")],
    output: _Output = None,
    scale: _Scale = None,
    repetitions: Annotated[Optional[int], typer.Option(help="How often each run is made.")] = None,  # noqa: UP045
    only: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Keep these runs: variant=a,b, application=, users= or repetition=. May be repeated."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest folder, or with --output.")] = False,  # noqa: FBT002
    show: Annotated[bool, typer.Option("--list", help="Show what would be run, and how long it takes.")] = False,  # noqa: FBT002
) -> None:
    """Run an experiment: real servers, a real database, a real load, one variant after the other.

    Every run leaves its record in runs/NAME-DATE. Ctrl-C keeps what there is; --resume goes on.

    Example: tidepool run experiments/fixed-sizes/matrix.yaml --scale 0.01 --only application=prime1m
    """
    from tidepool.experiment import spec
    from tidepool.experiment.session import Session, folder_for, listing, parse_only

    experiment = spec.read(file)
    changes: dict[str, object] = {}
    for name, value in (("scale", scale), ("repetitions", repetitions)):
        if value is not None:
            if value <= 0:
                raise InputError(f"--{name} must be > 0, but is {value}")
            changes[name] = value
    experiment = experiment.model_copy(update=changes)
    name = file.resolve().parent.name if file.stem == "matrix" else file.stem
    folder = folder_for(name, output, resume=resume)
    session = Session(experiment, name, folder, parse_only(only or []))
    if show:
        listing(session)
        return
    _make(session, file)
    _explain(session)


@app.command()
def demo(
    application: Annotated[str, typer.Option(help="dbwrite or prime1m, or another application.")] = "dbwrite",
    output: _Output = None,
    scale: _Scale = None,
) -> None:
    """Watch a server resize its pool under a changing load, beside the same server with fixed pools.

    Takes about two minutes; ends with a table and the path of a report.
    """
    from tidepool.experiment import programs, spec
    from tidepool.experiment.session import Session, folder_for

    file = programs.home() / "experiments/demo/matrix.yaml"
    changes: dict[str, object] = {"application": spec.application(application)}
    if scale is not None:
        if scale <= 0:
            raise InputError(f"--scale must be > 0, but is {scale}")
        changes["scale"] = scale
    experiment = spec.read(file).model_copy(update=changes)
    session = Session(experiment, "demo", folder_for("demo", output, resume=False), {})
    _make(session, file)
    _explain(session)


def _make(session: Session, source: Path) -> None:
    from tidepool.experiment.durations import words

    typer.echo(f"{session.experiment.question}", err=True)
    typer.echo(f"{len(session.left())} runs, about {words(session.needed_s)}, into {session.folder}", err=True)
    try:
        session.run(source)
    except KeyboardInterrupt:
        typer.echo(f"\ninterrupted; what was measured is in {session.folder}, --resume goes on with it", err=True)
        sys.exit(_INTERRUPTED)


def _explain(session: Session) -> None:
    """Print what came of it, and write the report; say which runs are missing from it."""
    from tidepool.report import write_reports
    from tidepool.report.experiment import load_experiments
    from tidepool.report.terminal import show

    if len(session.failures) < len(session.planned):
        for experiment in load_experiments([session.folder]):
            show(experiment)
        for written in write_reports([session.folder]):
            typer.echo(written.text)
            typer.echo(f"report: {written.path}")
    if session.failures:
        raise RunError(f"{len(session.failures)} of {len(session.planned)} runs failed; first {session.failures[0]}")


@app.command()
def report(
    directories: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of runs, such as runs/demo, or single runs.")
    ],
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--output", "-o", help="File to write; default: report.html beside the runs."),
    ] = None,
) -> None:
    """Write one self-contained HTML page for each experiment found, and say its answer.

    Example: tidepool report runs/demo-20260101-120000
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
