"""The command plan: all pools of a system of several tiers."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poolkeeper.commands.options import Output, say, word
from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from poolkeeper.commands.answer import Answer, Part
    from poolkeeper.experiment.definition.values import Bounds
    from poolkeeper.ntier.allocator.evidence import Rules
    from poolkeeper.ntier.allocator.laboratory import Laboratory
    from poolkeeper.ntier.allocator.plan import Plan
    from poolkeeper.ntier.calibration import Deviation
    from poolkeeper.ntier.system import System
    from poolkeeper.ntier.topology import TopologyFile

RUNS = Path("runs")
PAGE = "plan.html"
_ROUNDS = 6
"""Of a validation on real servers, at most."""


@word
def plan(
    topology: Annotated[Path, typer.Argument(metavar="TOPOLOGY", help="File, such as experiments/ntier/1-2-1-2.yaml.")],
    delivery: Output,
    seconds: Annotated[
        str | None, typer.Option(metavar="TIME", help="Counted time of a trial, such as 60s, in place of the file's.")
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Seed of the simulator; the same seed gives the same plan.")
    ] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder for journal and page. Default: runs/plan-NAME-DATE-TIME"
        ),
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Results of a plan on real servers, perhaps of another topology, from which the simulator takes the "
            "work of each tier.",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Most trials of each allocation in --validate and --sweep, in shuffled rounds; fewer of what is "
            "decided. Default: 6 with --real.",
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Results of a plan on real servers whose trials the simulator then repeats."),
    ] = None,
    *,
    model: Annotated[
        bool, typer.Option("--model", help="Use the simulator, which takes seconds. The default.")
    ] = False,
    real: Annotated[
        bool, typer.Option("--real", help="Use real servers, each in a CPU quota, which takes minutes.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the newest journal of this topology, or with --output.")
    ] = False,
    validate: Annotated[
        bool, typer.Option("--validate", help="Then try each pool at 0.5, 2 and 5 times the recommended size.")
    ] = False,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Then try all combinations of 0.5, 1, 2 and 5 times the sizes.")
    ] = False,
) -> None:
    """Find the critical resource of a system of several tiers, and the size of every thread and connection pool.

    Real servers first warm up: trials are thrown away until two in a row agree. The load rises until hardware
    saturates; all pools are doubled if one of them saturates first. Then small steps lead to the knee of throughput,
    where the jobs in the critical tier are counted, and all pools follow from these by Little's law. The recommendation
    is checked beyond the knee. Each trial goes into a journal at once: Ctrl-C loses nothing but the trial that runs,
    and --resume continues.
    Exit code: 0 done, 1 a trial failed or a step cannot decide, 2 wrong input, 130 interrupted.

    Example: ./poolkeeper plan experiments/ntier/three-tiers.yaml --validate
    """
    from poolkeeper.experiment.planning.earlier_runs import folder_for, locked
    from poolkeeper.ntier.allocator.evidence import Rules
    from poolkeeper.ntier.allocator.plan import allocate
    from poolkeeper.ntier.calibration import calibrated, deviations, read_measurement
    from poolkeeper.ntier.topology import read_topology

    delivery.check([topology])
    if model and real:
        raise InputError("--model and --real exclude each other")
    if rounds is not None and rounds > 1 and not real:
        raise InputError("--rounds is for --real: the simulator would give the same trials again")
    if rounds is not None and not (validate or sweep):
        raise InputError("--rounds needs --validate or --sweep")
    if real and (measured or compare):
        raise InputError(f"{'--measured' if measured else '--compare'} is for the simulator, not for --real")
    file = read_topology(topology)
    if measured is not None:
        file = calibrated(file, read_measurement(measured))
    against = None if compare is None else read_measurement(compare)
    length, rules = _seconds(seconds, file), Rules()
    folder = folder_for(f"plan-{file.topology.name}", output, RUNS, resume=resume)
    report = report_to(delivery)
    with _system(file, folder, report, seed, real=real) as system, locked(folder):
        laboratory = _laboratory(system, file, folder, rules, length, report, seed, real=real)
        laboratory.open(resume=resume)
        try:
            found = allocate(laboratory, rules, file.trial.users)
            turns = rounds or (_ROUNDS if real else 1)
            parts = _further(laboratory, found, file.trial.users, turns, validate=validate, sweep=sweep)
            if against is not None:
                report(f"     the simulator repeats the trials of {compare}")
                parts.append(_comparison(deviations(system, against, length)))
        except KeyboardInterrupt:
            report(f"the trials that ended are in {folder}; --resume -o {folder} continues")
            raise
    answer = _answer(laboratory, found, folder, parts, real=real)
    write_page(answer, folder / PAGE)
    delivery.deliver(answer)
    report(f"page: {folder / PAGE}")


def _seconds(text: str | None, file: TopologyFile) -> float:
    from poolkeeper.ntier.settings import LEAST_TRIAL_S
    from poolkeeper.units import option_duration

    if text is None:
        return file.trial.seconds
    seconds = option_duration(text, "--seconds")
    if seconds < LEAST_TRIAL_S:
        raise InputError(f"--seconds must be {LEAST_TRIAL_S:g}s or more, but is {text}")
    return seconds


@contextmanager
def _system(
    file: TopologyFile, folder: Path, report: Callable[[str], None], seed: int, *, real: bool
) -> Iterator[System]:
    if real:
        from poolkeeper.ntier.real import RealSystem

        with RealSystem(file, folder, say=report) as system:
            yield system
        return
    from poolkeeper.experiment.home import home
    from poolkeeper.experiment.processes.testbed import JavaTestbed
    from poolkeeper.ntier.model import SimulatedSystem
    from poolkeeper.sweep.play import SeriesPlayer

    file.require_model()
    with SeriesPlayer(tuple(JavaTestbed(home()).simulator())) as play:
        yield SimulatedSystem(file, play, seed)


def _laboratory(
    system: System,
    file: TopologyFile,
    folder: Path,
    rules: Rules,
    seconds: float,
    report: Callable[[str], None],
    seed: int,
    *,
    real: bool,
) -> Laboratory:
    from dataclasses import asdict

    from poolkeeper.ntier.allocator.laboratory import JOURNAL, JournaledTrial, Laboratory
    from poolkeeper.ntier.allocator.resources import hardware_use
    from poolkeeper.ntier.allocator.warming import WarmUp
    from poolkeeper.ntier.settings import LEAST_TRIAL_S
    from poolkeeper.ntier.tiers.load import requests_of

    def ended(journaled: JournaledTrial) -> None:
        trial = journaled.trial
        busiest = hardware_use(trial)[0].message(rules.confidence)
        turn = f", round {journaled.turn}" if journaled.turn > 0 else ""
        report(
            f"{len(laboratory.trials):3d}  {journaled.step}{turn}: {trial.users} users, {trial.allocation}: "
            f"{trial.throughput:.4g}/s in {trial.response_s * 1e3:.3g} ms, {busiest}"
        )

    about = {
        # What the real servers do does not depend on the model.
        "topology": {name: value for name, value in file.document.items() if name not in {"question", "model"}},
        # The name of the file of requests stays when they change.
        **({"load digest": requests_of(file.topology)} if real else {}),
        "system": "real" if real else "model",
        "model": None
        if real
        else {name: work.model_dump(mode="json", exclude_none=True) for name, work in file.model.items()},
        "seed": None if real else seed,
        "seconds": seconds,
        "rules": asdict(rules),
    }
    laboratory = Laboratory(
        system,
        seconds,
        folder / JOURNAL,
        about,
        ended=ended,
        decided=lambda step, text: report(f"     {step}: {text}"),
        warm_up=WarmUp(rules, file.trial.users, LEAST_TRIAL_S) if real else None,
    )
    return laboratory


def _further(
    laboratory: Laboratory, found: Plan, users: Bounds, rounds: int, *, validate: bool, sweep: bool
) -> list[Part]:
    """Parts of the answer that take trials of their own."""
    from poolkeeper.commands.answer import Part
    from poolkeeper.ntier.allocator import validation
    from poolkeeper.ntier.comparison_views import SweepView, ValidationView

    parts: list[Part] = []
    if validate:
        shown = ValidationView(found, validation.validate(laboratory, found, users, rounds))
        parts.append(Part("validation", "Validation", shown))
    if sweep:
        parts.append(Part("sweep", "Sweep", SweepView(found, validation.sweep(laboratory, found, users, rounds))))
    return parts


def _comparison(found: list[Deviation]) -> Part:
    from poolkeeper.commands.answer import Part
    from poolkeeper.ntier.comparison_views import DeviationView

    return Part("model_error", "Model against the measurement", DeviationView(tuple(found)))


def _answer(laboratory: Laboratory, found: Plan, folder: Path, parts: list[Part], *, real: bool) -> Answer:
    from poolkeeper.commands.answer import Answer, Part
    from poolkeeper.ntier.allocator import validation
    from poolkeeper.ntier.views import LoadsView, PoolsView
    from poolkeeper.present import Table

    steps = tuple(
        each for each in laboratory.trials if each.step not in {validation.STEP, validation.SWEEP, validation.LOAD}
    )
    loads = LoadsView(found, steps)
    decisions = Table("Decisions", ("step", "decision"), tuple(laboratory.decisions))
    everything = (
        Part("pools", "Pools of each server", PoolsView(found)),
        Part("loads", "Trials", loads, more=(*loads.more(), decisions)),
        *parts,
    )
    topology = found.topology
    kind = "real servers" if real else "simulated"
    about = f"{topology.hardware} of {topology.source}, {kind}, {found.runs} runs for the plan; journal in {folder}"
    given = {"output": str(folder), "topology": str(topology.source), "system": "real" if real else "model"}
    return Answer(
        "plan",
        f"Plan of {topology.name}",
        about,
        found.verdict,
        everything,
        tuple(laboratory.warnings()),
        given,
    )


def write_page(answer: Answer, path: Path) -> None:
    """Write the page of an answer. Raises RunError."""
    import shlex

    from poolkeeper.errors import RunError
    from poolkeeper.whole_file import write_whole

    try:
        write_whole(path, answer.page(shlex.join(["poolkeeper", *sys.argv[1:]])).render())
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror}") from error


def report_to(delivery: Output) -> Callable[[str], None]:
    """Returns the sink of progress lines, which writes nothing if the answer is JSON."""
    from poolkeeper.ntier.real import silent

    return silent if delivery.as_json else say
