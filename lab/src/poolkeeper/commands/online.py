"""The command online: ways to size the pools of a running system, side by side over one schedule of changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poolkeeper.commands.options import Output, word
from poolkeeper.commands.plan import RUNS, report_to, write_page

if TYPE_CHECKING:
    from poolkeeper.commands.answer import Answer
    from poolkeeper.ntier.online.comparison import Comparison
    from poolkeeper.ntier.online.run import OnlineRun

PAGE = "online.html"
START_S = 25.0
"""Time to start and stop all servers, about: for the forecast alone."""


@word
def online(
    experiment: Annotated[
        Path, typer.Argument(metavar="FILE", help="File, such as experiments/ntier/online/changes.yaml.")
    ],
    delivery: Output,
    rounds: Annotated[
        int, typer.Option(metavar="N", min=1, max=100, help="Runs of each contestant, in shuffled rounds.")
    ] = 1,
    contestants: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these, such as defaults,coordinated. Default: all")
    ] = None,
    phase: Annotated[
        str | None, typer.Option(metavar="TIME", help="Length of every phase, such as 20s, in place of the file's.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder for runs and page. Default: runs/online-NAME-DATE-TIME"
        ),
    ] = None,
    *,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the newest comparison of this file, or with --output.")
    ] = False,
) -> None:
    """Compare ways to size the threads and connections of a running application on real servers.

    Every contestant starts its own servers and meets the same phases: load, requests and the database's CPU quota
    change. Goodput, its interval and the time to come near the best fixed sizes are shown phase by phase. Each run is
    kept when it ends; --resume continues, with more rounds or contestants too.
    Exit code: 0 done, 1 a server failed, 2 wrong input, 130 interrupted.

    Example: ./poolkeeper online experiments/ntier/online/changes.yaml --rounds 3
    """
    from poolkeeper.experiment.planning.earlier_runs import folder_for, locked
    from poolkeeper.ntier.online.comparison import compare, run_all
    from poolkeeper.ntier.online.mix import description
    from poolkeeper.ntier.online.schedule import chosen, read_schedule, with_phases_of
    from poolkeeper.ntier.real import COLD_S

    delivery.check([experiment])
    schedule = read_schedule(experiment)
    if phase is not None:
        schedule = with_phases_of(schedule, phase)
    description(schedule)
    taking_part = chosen(schedule, contestants)
    folder = folder_for(f"online-{schedule.name}", output, RUNS, resume=resume)
    report = report_to(delivery)
    length_s = START_S + COLD_S + schedule.warm_up_s + schedule.seconds
    count = rounds * len(taking_part)
    report(f"{count} runs of about {length_s:.0f} s: {count * length_s / 60:.0f} min; results in {folder}")
    with locked(folder):
        try:
            runs = run_all(schedule, taking_part, rounds, folder, report, resume=resume)
        except KeyboardInterrupt:
            report(f"the runs that ended are in {folder}; --resume -o {folder} continues")
            raise
    answer = _answer(compare(schedule, taking_part, runs), runs, folder)
    write_page(answer, folder / PAGE)
    delivery.deliver(answer)
    report(f"page: {folder / PAGE}")


def _answer(found: Comparison, runs: list[OnlineRun], folder: Path) -> Answer:
    from poolkeeper.commands.answer import Answer, Part
    from poolkeeper.ntier.online.views import GoodputView, PhasesView, verdict

    whole = GoodputView(found, runs)
    parts = (
        Part("goodput", "Whole schedule", whole, more=whole.more()),
        Part("phases", "Phase by phase", PhasesView(found)),
    )
    topology = found.schedule.file.topology
    about = f"{topology.hardware} of {topology.source}, real servers, {len(runs)} runs; results in {folder}"
    warnings = dict.fromkeys(warning for run in runs for warning in run.warnings)
    given = {"output": str(folder), "rounds": found.rounds, "contestants": list(found.results)}
    return Answer(
        "online", f"Online comparison {found.schedule.name}", about, verdict(found), parts, tuple(warnings), given
    )
