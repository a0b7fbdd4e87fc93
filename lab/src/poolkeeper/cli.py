"""The command line. Each command imports its modules only when it is called, so that help is instant."""

from __future__ import annotations

import inspect
import io
import os
import sys
import warnings
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poolkeeper.commands.online import online
from poolkeeper.commands.options import word
from poolkeeper.commands.plan import plan
from poolkeeper.commands.queue.command_line import queue
from poolkeeper.commands.result_commands import analyze, compare, fit, tail
from poolkeeper.commands.scaling.command_line import capacity, usl
from poolkeeper.commands.standard_output import ReaderGoneError, written
from poolkeeper.commands.sweep import sweep
from poolkeeper.commands.tiers import tiers
from poolkeeper.errors import InputError, PoolkeeperError, RunError
from poolkeeper.present.table import one_line

if TYPE_CHECKING:
    from poolkeeper.experiment.launch import RunOptions, RunSelection

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

PROGRAM = "./poolkeeper" if "POOLKEEPER_HOME" in os.environ else "poolkeeper"
"""Name by which people call the program: the launcher, which says where it lies, or the lab alone."""

INTERRUPTED = 130
BROKEN_PIPE = 141
"""Exit codes by the convention of shells: 128 and the signal's number."""

RUNS = Path("runs")
"""Folder of results, below the folder in which the command is given."""

_Scale = Annotated[
    float | None,
    typer.Option(
        metavar="FACTOR", help="Factor on phases, windows and times of warm-up, in place of the file's; 1 is full size."
    ),
]
_Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Folder for the results. Default: runs/NAME-DATE-TIME"),
]
_List = Annotated[bool, typer.Option("--list", help="List the runs and their duration, and run nothing.")]


@app.command()
@word
def run(  # noqa: PLR0913 - the options of a command
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="An experiment's file or folder, or the results to resume.")
    ],
    scale: _Scale = None,
    repetitions: Annotated[
        int | None, typer.Option(metavar="N", help="Repetitions of each run, in place of the file's number.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AXIS=VALUES",
            help="Only these, such as variant=fixed-2,fixed-10 or heap=100m,users=10; may be repeated.",
        ),
    ] = None,
    output: _Output = None,
    *,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the newest results of this experiment, or with --output.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="All of an experiment that states a small form, which is run otherwise.")
    ] = False,
    show: _List = False,
) -> None:
    """Run an experiment: real servers on a real database under a real load, one variant after the other.

    Every run leaves its record; a table and a report follow. Ctrl-C keeps what was measured, and --resume continues.
    Exit code: 0 all runs are complete, 1 some failed, 2 wrong input, 130 interrupted.

    Example: ./poolkeeper run experiments/fixed-sizes --scale 0.02 --only application=dbwrite --only users=10,100
    """
    from poolkeeper.disk.launch import disk_file
    from poolkeeper.experiment.launch import RunOptions, choose

    options = RunOptions(scale=scale, repetitions=repetitions, only=only or [], output=output, resume=resume, full=full)
    if (on_disk := disk_file(file)) is not None:
        _run_on_disk(on_disk, options, show=show)
        return
    _list_or_launch(choose(file, options, RUNS), show=show)


def _run_on_disk(file: Path, options: RunOptions, *, show: bool) -> None:
    from poolkeeper.disk.launch import choose, launch

    chosen = choose(file, options, RUNS)
    if show:
        typer.echo("\n".join(chosen.listing()))
        return
    from rich.console import Console

    from poolkeeper.experiment.home import home
    from poolkeeper.experiment.processes.testbed import JavaTestbed

    root = home()
    sys.exit(launch(chosen, root, JavaTestbed(root).java(), Console(stderr=True)))


@app.command()
@word
def demo(
    scale: _Scale = None,
    output: _Output = None,
    *,
    show: _List = False,
) -> None:
    """Watch a server resize its own pool while the kind of work changes, beside the same server with fixed pools.

    Takes about two minutes; ends with tables and the path of a report. It is the experiment experiments/demo.

    The work is contended transactions, blocking calls of 400 ms and of 20 ms, and reports that hold memory: the best
    size lies between 8 and 200, and each fixed size fails in one of them. The report says by how much the adaptive pool
    won or lost.

    Example: ./poolkeeper demo --scale 3
    """
    from poolkeeper.experiment.home import home
    from poolkeeper.experiment.launch import RunOptions, choose

    options = RunOptions(scale=scale, output=output)
    _list_or_launch(choose(home() / "experiments" / "demo", options, RUNS), show=show)


def _list_or_launch(chosen: RunSelection, *, show: bool) -> None:
    if show:
        typer.echo("\n".join(chosen.listing()))
        return
    from rich.console import Console

    from poolkeeper.experiment.home import home
    from poolkeeper.experiment.launch import Display, launch
    from poolkeeper.experiment.processes.testbed import JavaTestbed

    def show_results(folder: Path) -> None:
        from poolkeeper.report.show import show_results

        show_results(folder)

    root = home()
    command = ["poolkeeper", *sys.argv[1:]]
    sys.exit(launch(chosen, JavaTestbed(root), root, command, Display(Console(stderr=True), show_results)))


@app.command()
@word
def report(
    directories: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of runs, such as runs/demo, or single runs.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default: report.html beside the runs.")
    ] = None,
) -> None:
    """Write one self-contained HTML page for each experiment found, and say its answer; for a wind tunnel its ranking.

    Results of plan and online have a page already, which is named.

    Example: ./poolkeeper report runs/demo-20260101-120000
    """
    from poolkeeper.disk.launch import disk_file
    from poolkeeper.record import find_runs
    from poolkeeper.report import write_reports
    from poolkeeper.tunnel.launch import explain, is_tunnel

    if len(directories) == 1 and is_tunnel(directories[0]):
        explained = explain(directories[0], output)
        typer.echo(f"{explained.text}\npage: {explained.page}")
        return
    from rich.console import Console

    if len(directories) == 1 and disk_file(directories[0]) is not None:
        from poolkeeper.disk.launch import explain as explain_disk

        typer.echo(f"page: {explain_disk(directories[0], Console())}")
        return
    if not any(find_runs(directory) for directory in directories):
        from poolkeeper.commands.saved_results import page_of

        pages = [page_of(directory) for directory in directories]
        if output is not None and any(pages):
            raise InputError(f"--output {output}: {directories[0]} has its page already")
        if all(pages):
            typer.echo("\n".join(f"page: {page}" for page in pages))
            return
    from poolkeeper.present.terminal import draw
    from poolkeeper.report.experiment import load_experiments
    from poolkeeper.report.judging.standing import standing_table

    for entry in write_reports(directories, output):
        typer.echo("\n".join(entry.lines()))
    for experiment in load_experiments(directories):
        if (table := standing_table(experiment.runs)) is not None:
            draw(table, Console())


@app.command()
@word
def tunnel(  # noqa: PLR0913 - the options of a command
    controllers: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Only these, separated by commas; fixed-N is a fixed size. Default: all"),
    ] = None,
    plants: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these plants, such as cpu,database.")
    ] = None,
    loads: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these loads, such as closed-100,night.")
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Kinds of noise (none, 8%, drops, pauses) to use in every chosen situation."
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(metavar="N", help="Runs of each controller in each situation, with other random numbers."),
    ] = None,
    drawn: Annotated[
        int | None,
        typer.Option(
            metavar="COUNT",
            help="Number of plants drawn at random, each with its load and noise, ten minutes each. They replace the "
            "plants of the tunnel, or add to them with --quick, --plants, --loads, --noise or --seeds.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Seed of the first drawn plant; the others follow. Below 1000 they are for tuning, from 1000 on for "
            "reports: nobody tunes on them. Default: 1",
        ),
    ] = None,
    largest: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Largest size of every pool, as where a database takes so many connections; the optimum is the best "
            "size up to it. Default: 256",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Runs at the same time. Default: the number of processors.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the results. Default: runs/tunnel-DATE-TIME"),
    ] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer plants, loads and seeds: under a minute.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Add the missing runs to the newest results, or to those of --output.")
    ] = False,
) -> None:
    """Judge controllers in minutes: on simulated pools whose best sizes are known, under many loads and noises.

    Ends with a ranking, and a page that shows who is good at what and every situation over time. Ctrl-C keeps what was
    made, and --resume continues; it also adds controllers to earlier results. To have one of your own judged, see
    testbed/tunnel/README.md.
    Exit code: 0 all runs are there, 1 some failed, 2 wrong input, 130 interrupted.

    Example: poolkeeper tunnel --quick --controllers throughput,best-fixed --plants cpu,wide

    Example: poolkeeper tunnel --drawn 200 --seed 1 --controllers response-curve,best-fixed
    """
    from poolkeeper.experiment.home import home
    from poolkeeper.experiment.processes.testbed import JavaTestbed
    from poolkeeper.tunnel.launch import choose_folder, fly

    chosen = {
        "controllers": controllers,
        "plants": plants,
        "loads": loads,
        "noise": noise,
        "seeds": seeds,
        "drawn": drawn,
        "seed": seed,
        "largest": largest,
        "jobs": jobs,
    }
    arguments = [f"--{name}={value}" for name, value in chosen.items() if value is not None]
    arguments += [name for name, wanted in (("--quick", quick), ("--resume", resume)) if wanted]
    folder = choose_folder(output, RUNS, resume=resume)
    sys.exit(fly(JavaTestbed(home()), folder, arguments, ["./poolkeeper", *sys.argv[1:]]))


for shared in (analyze, compare, fit, tail, usl, capacity, queue, sweep, plan, online, tiers):
    app.command()(shared)


@app.command(name="help")
@word
def help_(
    command: Annotated[str | None, typer.Argument(metavar="[COMMAND]", help="Explain this command.")] = None,
) -> None:
    """List the commands, or the options of one.

    Example: ./poolkeeper help analyze
    """
    commands = {name_of(command) for command in app.registered_commands}
    if command is not None and command not in commands:
        from poolkeeper.suggestion import unknown

        raise InputError(f"{unknown('command', command, sorted(commands))}; see {PROGRAM} help")
    given = [command] if command else []
    _program(given)([*given, "--help"], prog_name=PROGRAM, standalone_mode=False)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context, *, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    """Analyse results of load tests, fit models of scalability and queueing, run experiments, write reports."""
    if version:
        from poolkeeper import __version__

        typer.echo(f"poolkeeper {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise InputError(f"missing command; see {PROGRAM} help")


def main() -> None:
    """Run the command line; an error that a person can mend is one line on standard error."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what a user must know is said in words
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no dashes and bars gets the rest
    commands = {name_of(command): command for command in app.registered_commands}
    for command in commands.values():
        # Help calls the program by the name that it was called by.
        command.help = (inspect.getdoc(command.callback) or "").replace("./poolkeeper ", f"{PROGRAM} ")
    try:
        code = _run()
    except typer.TyperException as error:
        typer.echo(f"poolkeeper: {_problem(error, sys.argv[1:2], list(commands))}", err=True)
        code = error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except ReaderGoneError:
        code = BROKEN_PIPE
    except PoolkeeperError as error:
        typer.echo(f"poolkeeper: {one_line(str(error))}", err=True)
        code = error.exit_code
    if code == INTERRUPTED:
        typer.echo("poolkeeper: interrupted", err=True)
    sys.exit(code)


def _run() -> int | None:
    """Run the command; what typer makes of an interruption is its exit code."""
    if sys.stdout is None:
        raise RunError("standard output is closed: there is nowhere to write to")
    with written():
        code: int | None = _program(sys.argv[1:2])(prog_name=PROGRAM, standalone_mode=False)
    return code


def _program(given: list[str]) -> typer.Typer:
    """The program with the given command alone, if it is one: what is not called need not be built."""
    asked = [command for command in app.registered_commands if name_of(command) in given]
    if not asked:
        return app
    alone = copy(app)
    alone.registered_commands = asked
    return alone


def name_of(command: typer.models.CommandInfo) -> str:
    """Name of a command."""
    return command.name or str(getattr(command.callback, "__name__", ""))


def _problem(error: typer.TyperException, given: list[str], commands: list[str]) -> str:
    """Message about a wrong command, and where to read on."""
    help_ = " ".join([PROGRAM, "help", *(name for name in given if name in commands)])
    if given and not given[0].startswith("-") and given[0] not in commands:
        from poolkeeper.suggestion import unknown

        return f"{unknown('command', given[0], commands)}; see {help_}"
    problem = " ".join(error.format_message().split()).rstrip(".")
    return f"{problem[:1].lower()}{problem[1:]}{_given_value(error, problem)}; see {help_}"


def _given_value(error: typer.TyperException, problem: str) -> str:
    """Value that could not be read, where the message about it lacks it."""
    details = getattr(error.__cause__, "errors", None)
    values = [str(each["input"]) for each in details()] if callable(details) else []
    return f", but is {values[0]!r}" if values and repr(values[0]) not in problem else ""
