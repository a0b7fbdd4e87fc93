"""Plan of an experiment: every variant in every cell, as often as it is repeated, in order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.choices import STEADY, WITH_DATABASE, WITH_DOWNSTREAM
from poolkeeper.experiment.definition.pools import AdmissionPool, OwnPool, PlainPool
from poolkeeper.experiment.definition.variants import SLICES, Variant, alternating, variants
from poolkeeper.experiment.planning.expectation import about, expected_s
from poolkeeper.experiment.planning.load import SHORTEST_PHASE_S, configuration_of, other_applications, scaled, spoken
from poolkeeper.experiment.planning.parts import in_parts
from poolkeeper.experiment.planning.slices import shuffled
from poolkeeper.experiment.warming.steady import LEAST
from poolkeeper.present.text import counted
from poolkeeper.record import ALTERNATING, LEFT_OUT_S
from poolkeeper.units import LONGEST_S, clock, format_duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from poolkeeper.experiment.balancer.configuration import Method
    from poolkeeper.experiment.definition.model import Experiment, Profile, Quotas, WarmUp

SHORTEST_WINDOW_S = 0.001
MOST_RUNS = 10_000
WITHIN_S = 60.0
"""Longest warm-up until throughput is steady, unless an experiment says otherwise."""
THEN_S = 3.0
"""Warm-up of a server whose process is warm: as long as a load generator needs for its own."""


@dataclass(frozen=True, slots=True)
class PlannedWarmUp:
    """Load before the measured one, in seconds, scaled where the experiment is."""

    longest_s: float
    until_steady: bool
    size: int | None
    """Of the pool meanwhile; None for that which it begins with."""
    least_s: float = float(LEAST)
    """Before which it is not asked whether throughput is steady."""
    decides: bool = False
    """Whether the controller does so meanwhile."""

    def __str__(self) -> str:
        return f"until steady, {self.longest_s:g} s at most" if self.until_steady else f"for {self.longest_s:g} s"

    @property
    def shortest_s(self) -> float:
        """Least time of the warm-up."""
        return min(self.least_s, self.longest_s) if self.until_steady else self.longest_s


@dataclass(frozen=True, slots=True)
class VirtualMachine:
    """Virtual machine of the server: heap from start to end, collector, and JDK unless it is that of the lab."""

    heap: str
    collector: str
    java: str | None = None


@dataclass(frozen=True, slots=True)
class PlannedBalancer:
    """Servers behind nginx; the last of them is killed `kill_after_s` into the load, if that is planned."""

    method: Method
    back_ends: int
    kill_after_s: float | None


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One variant in one cell, once. Times are in seconds and scaled."""

    id: str
    folder: Path
    cell: Mapping[str, str | int]
    variant: Variant
    repetition: int
    application: str
    n: int | None
    connections: str
    machine: VirtualMachine
    window: float
    warm_up: PlannedWarmUp
    then: PlannedWarmUp
    """The warm-up in its place, where the process of the server is warm."""
    series: str | None
    """Runs of the same one are served by the same process; None for a process of its own."""
    load: Mapping[str, Any]
    """The load description of contract/load-description.md."""
    configuration: Mapping[str, Any]
    downstream: Mapping[str, Profile]
    """Settings of the downstream server by path."""
    balancer: PlannedBalancer | None
    """None where users reach the server themselves."""
    quotas: Quotas | None
    slice_s: float = 0.0
    """Length of a turn, where variants take turns."""

    @property
    def turns(self) -> Sequence[str]:
        """The variants that take turns, by slice; empty where there is but one."""
        names = [turn.name for turn in self.variant.turns]
        return shuffled(names, int(self.load_s / self.slice_s), int(self.load["seed"])) if names else ()

    @property
    def title(self) -> str:
        """The run in words: its cell and its variant."""
        axes = [spoken(axis, value) for axis, value in self.cell.items()]
        return " · ".join([*axes, self.variant.name])

    @property
    def phases(self) -> Sequence[Mapping[str, Any]]:
        """Users or rate of each phase, `to` which it goes if that is a ramp, and its seconds."""
        found: Sequence[Mapping[str, Any]] = self.load["phases"]
        return found

    @property
    def load_threads(self) -> int:
        """Threads of the load generator."""
        return int(self.load.get("threads", 1))

    @property
    def changes(self) -> bool:
        """Whether its load does."""
        return len(self.phases) > 1 or "to" in self.phases[0]

    @property
    def most_connections(self) -> int:
        """Most connections that the load generator may open at once."""
        return int(self.load.get("connections", 0)) or max(
            int(max(phase["users"], phase.get("to", 0))) for phase in self.phases
        )

    @property
    def needs_database(self) -> bool:
        """Whether an application of its server works on a database."""
        return not WITH_DATABASE.isdisjoint(self.applications)

    @property
    def needs_downstream(self) -> bool:
        """Whether an application of its server calls a downstream server."""
        return not WITH_DOWNSTREAM.isdisjoint(self.applications)

    @property
    def applications(self) -> tuple[str, ...]:
        """All applications of its server, each once."""
        return (self.application, *self.other_applications)

    @property
    def other_applications(self) -> tuple[str, ...]:
        """Other applications that its load asks for."""
        return other_applications(self.load, self.application)

    @property
    def settle_s(self) -> float:
        """Time of the warm-up under quotas."""
        return self.quotas.settle if self.quotas else 0.0

    @property
    def load_s(self) -> float:
        """Length of the measured load."""
        return sum(float(phase["seconds"]) for phase in self.phases)

    def warmed_up(self, *, warm: bool) -> PlannedWarmUp:
        """The warm-up on a process that is warm already, or is not."""
        return self.then if warm else self.warm_up


def plan(experiment: Experiment, folder: Path) -> list[PlannedRun]:
    """All runs of the experiment in the order in which they take place; their records go below `folder`.

    Raises InputError if the scale makes something too short to be measured or too long to be meant, and for too many.
    """
    kinds = [(cell, variant) for cell in _cells(experiment) for variant in _variants(experiment, cell)]
    if len(kinds) * experiment.repetitions > MOST_RUNS:
        raise InputError(
            f"{len(kinds)} combinations of variants and axes, {experiment.repetitions} times each, are more than the "
            f"{MOST_RUNS} runs that an experiment may have"
        )
    repetitions = range(1, experiment.repetitions + 1)
    if experiment.order != "grouped":
        order = [(kind, number) for number in repetitions for kind in kinds[:: 1 if number % 2 else -1]]
    else:
        order = [(kind, number) for kind in kinds for number in repetitions]
    runs = [_planned(experiment, folder, cell, variant, repetition) for (cell, variant), repetition in order]
    runs = in_parts(runs, experiment.parts)
    for run in runs:
        _check_scaled(run, experiment.scale)
    return runs


def listing(runs: Sequence[PlannedRun], *, database_per_run: bool) -> list[str]:
    """Runs and their time: one line for each variant in each cell, and the total."""
    groups: dict[str, list[PlannedRun]] = {}
    for run in runs:
        groups.setdefault(run.title, []).append(run)
    width = max(map(len, groups))
    lines = [
        f"{title:<{width}}  {len(members)} × {_length(members[0])}, window {format_duration(members[0].window)}"
        f"{_in_turn(members[0])}"
        for title, members in groups.items()
    ]
    total = expected_s(runs, database_per_run=database_per_run)
    return [*lines, f"{counted(len(runs), 'run')}, {about(total)} in all"]


def _in_turn(run: PlannedRun) -> str:
    """Clause about the variants that take turns, and the length of a turn."""
    turns = run.variant.turns
    return f", {len(turns)} variants in turn for {format_duration(run.slice_s)} each" if turns else ""


def _length(run: PlannedRun) -> str:
    """Length of a run's load, its warm-up included."""
    warm_ups = (run.warm_up, run.then) if run.series is not None else (run.warm_up,)
    least = clock(min(planned_warm_up.shortest_s for planned_warm_up in warm_ups) + run.load_s)
    most = clock(max(planned_warm_up.longest_s for planned_warm_up in warm_ups) + run.load_s)
    return least if least == most else f"{least} to {most}"


def _cells(experiment: Experiment) -> list[dict[str, str | int]]:
    """Every combination of the axes, which are the settings that have several values; one empty cell without axes."""
    several = {axis: values for axis, values in experiment.axes().items() if len(values) > 1}
    return [dict(zip(several, values, strict=True)) for values in product(*several.values())]


def _controller(experiment: Experiment, cell: Mapping[str, str | int]) -> str | None:
    if experiment.controller is None:
        return None
    return str(cell.get("controller", experiment.controller[0]))


def _variants(experiment: Experiment, cell: Mapping[str, str | int]) -> list[Variant]:
    """Variants with runs of their own in a cell: all, or the stand-in for those that take turns."""
    found = list(variants(experiment, _controller(experiment, cell)).values())
    return [alternating(found)] if experiment.order == SLICES else found


def _planned(
    experiment: Experiment, folder: Path, cell: Mapping[str, str | int], variant: Variant, repetition: int
) -> PlannedRun:
    application = str(cell.get("application", experiment.application[0]))
    connections = str(cell.get("connections", experiment.connections[0]))
    place = "_".join(f"{axis}-{value}".replace(":", "-") for axis, value in cell.items())
    id_ = "/".join(part for part in (place, variant.name, str(repetition)) if part)
    window = scaled(variant.window, experiment.scale)
    warm_up, then = _warm_ups(experiment.warm_up, experiment.scale)
    load = configuration_of(
        experiment.load, application, cell, scale=experiment.scale, seed=experiment.seed + repetition - 1
    )
    n = experiment.n if application == "prime" else None
    balancer = _balancer(variant, experiment.scale)
    machine = VirtualMachine(
        heap=str(cell.get("heap", experiment.heap[0])),
        collector=str(cell.get("collector", experiment.collector[0])),
        java=experiment.java.get(variant.architecture or ""),
    )
    sized = {
        "bounds": {"minimum": variant.minimum, "maximum": variant.maximum},
        **({} if isinstance(variant.pool, OwnPool | AdmissionPool) or variant.turns else {"initial": variant.initial}),
        "window_s": window,
    }
    configuration = {
        "question": experiment.question,
        "application": ", ".join(experiment.load.applications) or application,
        **({"n": n} if n else {}),
        "connections": connections,
        "database": experiment.database,
        **_called(experiment),
        **_server(variant, machine),
        **_pool(experiment, variant),
        **({} if isinstance(variant.pool, PlainPool) else sized),
        **_shared_out(balancer, experiment.quotas),
        **({} if experiment.goodput_within is None else {"goodput_within_s": experiment.goodput_within}),
        **_warm_up_settings(experiment, warm_up, then),
        "load": load,
        "scale": experiment.scale,
        "cell": dict(cell),
        "versus": experiment.versus,
    }
    return PlannedRun(
        id=id_,
        folder=folder / id_,
        cell=cell,
        variant=variant,
        repetition=repetition,
        application=application,
        n=n,
        connections=connections,
        machine=machine,
        window=window,
        warm_up=warm_up,
        then=then,
        series=_series(application, n, connections, machine) if experiment.server == "per-application" else None,
        load=load,
        configuration=configuration,
        downstream=experiment.downstream,
        balancer=balancer,
        quotas=experiment.quotas,
        slice_s=experiment.slice_s if variant.turns else 0.0,
    )


def _called(experiment: Experiment) -> dict[str, Any]:
    """The downstream server in the configuration, if the experiment changes it."""
    stated = {path: profile.model_dump(exclude_none=True) for path, profile in experiment.downstream.items()}
    return {"downstream": stated} if stated else {}


def _pool(experiment: Experiment, variant: Variant) -> dict[str, Any]:
    """The pool in the configuration, or those that take turns."""
    if not variant.turns:
        return {"pool": _settings(variant)}
    members = {turn.name: {"pool": _settings(turn), "initial": turn.initial} for turn in variant.turns}
    slices = {"slice_s": experiment.slice_s, "left_out_s": LEFT_OUT_S, "variants": members}
    return {"pool": {"controller": ALTERNATING}, "slices": slices}


def _settings(variant: Variant) -> dict[str, Any]:
    return {"controller": variant.pool.controller, **variant.pool.settings()}


def _balancer(variant: Variant, scale: float) -> PlannedBalancer | None:
    pool = variant.pool
    if pool.balancer is None or pool.back_ends is None:
        return None
    kill_after = None if pool.kill_after is None else scaled(pool.kill_after, scale)
    return PlannedBalancer(pool.balancer, pool.back_ends, kill_after)


def _shared_out(balancer: PlannedBalancer | None, quotas: Quotas | None) -> dict[str, Any]:
    """Balancer and quotas in the configuration."""
    configuration: dict[str, Any] = {}
    if balancer is not None:
        configuration |= {"balancer": balancer.method, "back_ends": balancer.back_ends}
        if balancer.kill_after_s is not None:
            configuration["kill_after_s"] = balancer.kill_after_s
    if quotas is not None:
        configuration["quotas"] = {"server": quotas.server, "balancer": quotas.balancer, "period_s": quotas.period}
        if quotas.settle:
            configuration["quotas"]["settle_s"] = quotas.settle
    return configuration


def _warm_ups(stated: WarmUp, scale: float) -> tuple[PlannedWarmUp, PlannedWarmUp]:
    """The warm-up of a server's process, and that of later servers in it."""
    size, decides = stated.size, stated.controller == "decides"
    if stated.until == STEADY:  # takes what it takes, whatever the scale
        least = stated.least or float(LEAST)
        longest_s = stated.within or max(WITHIN_S, least)
        first = PlannedWarmUp(longest_s, until_steady=True, size=size, least_s=least, decides=decides)
    else:
        first = PlannedWarmUp(scaled(stated.duration or 0.0, scale), until_steady=False, size=size, decides=decides)
    then_s = stated.then or min(THEN_S, first.longest_s)
    return first, PlannedWarmUp(then_s, until_steady=False, size=size, decides=decides)


def _warm_up_settings(experiment: Experiment, warm_up: PlannedWarmUp, then: PlannedWarmUp) -> dict[str, Any]:
    """The warm-up in the configuration."""
    configuration: dict[str, Any] = {"warm_up_s": warm_up.longest_s}
    if warm_up.until_steady:
        configuration["warm_up_until"] = STEADY
        if warm_up.least_s != LEAST:
            configuration["warm_up_least_s"] = warm_up.least_s
    if warm_up.decides:
        configuration["warm_up_controller"] = "decides"
    if warm_up.size is not None:
        configuration["warm_up_size"] = warm_up.size
    if experiment.server != "per-run":
        configuration |= {"server": experiment.server, "warm_up_then_s": then.longest_s}
    return configuration


def _server(variant: Variant, machine: VirtualMachine) -> dict[str, Any]:
    """The server in the configuration."""
    configuration: dict[str, Any] = {"heap": machine.heap, "collector": machine.collector}
    if variant.architecture is not None:
        configuration |= {"architecture": variant.architecture, "handlers": variant.handlers}
    if machine.java is not None:
        configuration["java"] = machine.java
    return configuration


def _series(application: str, n: int | None, connections: str, machine: VirtualMachine) -> str:
    return " ".join([application, *([str(n)] if n else []), connections, machine.heap, machine.collector])


def _check_scaled(run: PlannedRun, scale: float) -> None:
    for number, phase in enumerate(run.phases, start=1):
        if phase["seconds"] < SHORTEST_PHASE_S:
            raise InputError(
                f"scale {scale:g} makes phase {number} of {run.title} {phase['seconds']:g} s long; "
                f"a phase needs at least {SHORTEST_PHASE_S:g} s"
            )
        if phase["seconds"] > LONGEST_S:
            raise InputError(
                f"scale {scale:g} makes phase {number} of {run.title} {phase['seconds']:g} s long; "
                f"a phase may have {LONGEST_S / 3600:g} h at most"
            )
    if run.variant.turns and len({repr({**phase, "seconds": 0}) for phase in run.phases}) > 1:
        raise InputError(f"load of {run.title} has phases that differ, and order: slices is for steady work")
    if run.variant.turns and len(run.turns) < len(run.variant.turns):
        raise InputError(
            f"load.for {format_duration(run.load_s)} holds {counted(len(run.turns), 'slice')} of "
            f"{format_duration(run.slice_s)}, and {len(run.variant.turns)} variants take turns"
        )
    if run.window < SHORTEST_WINDOW_S:
        raise InputError(
            f"scale {scale:g} makes the window of {run.title} {run.window * 1000:g} ms long; it needs at least 1 ms"
        )
