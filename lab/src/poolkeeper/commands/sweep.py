"""The command sweep: simulations over the values of settings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poolkeeper.commands.options import Cluster, Output, word

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from poolkeeper.commands.answer import Answer
    from poolkeeper.spread import Spread
    from poolkeeper.sweep.session import SweepResult

RUNS = Path("runs")
_FAILED = 1


@word
def sweep(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Model files, as docs/simulate.md has them.")
    ],
    delivery: Output,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="SETTING=VALUES", help="Values of a setting, as run.seed=1,2,3; may be repeated."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder for the results. Default: runs/sweep-MODEL-DATE-TIME"
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Simulations at the same time. Default: the number of processors.")
    ] = None,
    cluster: Cluster = None,
    *,
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep what the newest results, or --output, hold; play what is missing.")
    ] = False,
) -> None:
    """Simulate models with every combination of the values of some settings, and compare the results.

    A setting is named by the path to it in the model's file; parts of a list by their name or place. Each simulation
    is a process of its own, here or on a cluster; if one fails, the others go on. Ctrl-C keeps finished simulations,
    and --resume continues.
    Exit code: 0 all succeeded, 1 some failed, 2 wrong input, 130 interrupted.

    Example: ./poolkeeper sweep experiments/simulate/held-pool.yaml --set tiers.web.workers=8,12
    """
    from poolkeeper.commands.progress import Progress
    from poolkeeper.experiment.home import home
    from poolkeeper.experiment.planning.earlier_runs import folder_for
    from poolkeeper.sweep.plan import axis, plan
    from poolkeeper.sweep.play import Player
    from poolkeeper.sweep.session import play_all

    delivery.check()
    planned = plan(models, [axis(setting) for setting in settings or []])
    name = "sweep-" + "-".join(sorted({simulation.model for simulation in planned})[:3])
    folder = folder_for(name, output, RUNS, resume=resume)
    player = Player((str(home() / "poolkeeper"), "simulate", "--no-record", "--json", "--jobs", "1"))
    with _spread(cluster, jobs) as spread, Progress(f"{len(planned)} simulations") as progress:
        try:
            played = play_all(planned, player, folder, spread, progress.reached)
        except KeyboardInterrupt:
            typer.echo(f"finished simulations are in {folder}; --resume continues", err=True)
            raise
    for failure in played.failed:
        typer.echo(f"poolkeeper: {failure}", err=True)
    if played.sweep.runs:
        delivery.deliver(_answer(played, folder))
    if played.failed:
        sys.exit(_FAILED)


def _spread(cluster: str | None, jobs: int | None) -> AbstractContextManager[Spread]:
    import os

    from poolkeeper.spread import on_cluster, on_threads

    if cluster is None:
        return on_threads(len(os.sched_getaffinity(0)) if jobs is None else jobs)
    return on_cluster(cluster, jobs)


def _answer(played: SweepResult, folder: Path) -> Answer:
    from poolkeeper.commands.answer import Answer, Part

    swept = played.sweep
    throughput, _, p99 = swept.charts()
    part = Part("sweep", "Simulations", swept, more=(throughput, p99))
    models = sorted({model for model, _, _ in swept.runs})
    about = f"{len(swept.runs)} simulations, results in {folder}" + (
        f", {played.kept} of them kept" if played.kept else ""
    )
    given = {"output": str(folder), "axes": swept.axes}
    missing = [f"{len(played.failed)} more failed"] if played.failed else []
    warnings = (*missing, *swept.warnings())
    return Answer("sweep", "Sweep of " + ", ".join(models), about, swept.verdict(), (part,), warnings, given)
