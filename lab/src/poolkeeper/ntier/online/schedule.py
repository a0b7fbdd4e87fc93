"""File of an online comparison: the topology, the phases that all contestants meet, and the contestants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator

from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.settings import Settings
from poolkeeper.experiment.definition.values import Count, Duration, PositiveDuration, Rate, Users, format_rate
from poolkeeper.ntier.settings import Name
from poolkeeper.ntier.system import Allocation, PoolKey
from poolkeeper.ntier.tiers.running import check_sizes, resized_by_restart
from poolkeeper.ntier.topology import TopologyFile, read_topology
from poolkeeper.study.problem import first_problem, spoken
from poolkeeper.study.source import Source, read_source

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.study.source import Place

LEAST_PHASE_S = 20.0
"""Length of a phase at least: half of it has ten seconds, without which its spread says nothing."""

_CONTROLLERS = {"none": None, "tiers": "coordinated"}
"""Controllers of the application's pools, where the setting has another name."""


def _whole(seconds: float) -> float:
    if seconds != round(seconds):
        raise ValueError(f"must be whole seconds, but is {seconds:g} s")
    return seconds


class PhaseSettings(Settings):
    """A phase: its load, its requests and the hardware of the database."""

    name: Annotated[str, Field(min_length=1)]
    users: Users | None = None
    rate: Rate | None = None
    """Requests that arrive in a second, whatever becomes of those before them."""
    load: Annotated[str, Field(min_length=1)]
    """Load description, relative to the file, whose shares of requests hold in this phase."""
    length: Annotated[PositiveDuration, Field(ge=LEAST_PHASE_S), AfterValidator(_whole)] = 60.0
    database: Annotated[float, Field(gt=0, le=1, strict=True)] = 1.0
    """Part of the database's CPU quota in force."""
    application: Count | None = None
    """Servers of the application that get requests; all, unless stated."""

    @model_validator(mode="after")
    def _one_level(self) -> PhaseSettings:
        if (self.users is None) == (self.rate is None):
            raise ValueError("needs either users or a rate")
        return self

    @property
    def level(self) -> str:
        """Its users or its rate in words."""
        return f"{self.users} users" if self.rate is None else format_rate(self.rate)


class ContestantSettings(Settings):
    """A contestant: fixed sizes, or controllers that begin with them."""

    tuning: Literal["none", "independent", "coordinated", "tiers", "scg", "sct", "dcm"] = "none"
    admission: Literal["none", "breakwater-style", "dagor-style", "seda-style"] = "none"
    """Overload control of the application, which refuses requests beyond its limit."""
    threads: Count
    connections: Count


class OnlineSettings(Settings):
    """Everything that the file states."""

    question: Annotated[str, Field(min_length=1)]
    topology: str
    warm_up: Duration = 20.0
    """Load of the first phase under quotas before the first second counts; controllers rest meanwhile."""
    phases: Annotated[list[PhaseSettings], Field(min_length=1)]
    contestants: Annotated[dict[Name, ContestantSettings], Field(min_length=1)]


@dataclass(frozen=True)
class Contestant:
    """A way to size the pools.

    Attributes:
        name: unique in the comparison.
        tuning: controllers of the application's pools; None for sizes that stay.
        chain: whether the pools of the other tiers follow those of the application.
        allocation: sizes at the beginning, those of the other tiers as in the topology.
        admission: overload control of the application; None for none.
    """

    name: str
    tuning: str | None
    allocation: Allocation
    chain: bool = False
    admission: str | None = None

    @property
    def static(self) -> bool:
        """Whether nothing changes while it runs: neither sizes nor a limit on requests."""
        return self.tuning is None and self.admission is None


@dataclass(frozen=True)
class Schedule:
    """An online comparison.

    Attributes:
        name: name of the file without its ending.
        question: asked by it, in one sentence.
        file: the topology.
        warm_up_s: see `OnlineSettings`.
        phases: in order.
        loads: path of the load description of each phase.
        contestants: in the order of the file.
        document: the file as plain values.
    """

    name: str
    question: str
    file: TopologyFile
    warm_up_s: float
    phases: tuple[PhaseSettings, ...]
    loads: tuple[Path, ...]
    contestants: tuple[Contestant, ...]
    document: dict[str, Any]

    @property
    def seconds(self) -> int:
        """Counted seconds of a run."""
        return round(sum(phase.length for phase in self.phases))

    @property
    def open(self) -> bool:
        """Whether requests arrive at a rate; users think otherwise."""
        return self.phases[0].rate is not None

    @property
    def think_time_s(self) -> float:
        """Mean think time of a user; 0 where requests arrive at a rate."""
        return 0.0 if self.open else self.file.topology.think_time_s

    def spans(self) -> list[tuple[int, int]]:
        """First second of each phase and the one after its last."""
        found, begin = [], 0
        for phase in self.phases:
            found.append((begin, begin + round(phase.length)))
            begin = found[-1][1]
        return found


def read_schedule(path: Path) -> Schedule:
    """Read and check a file. Raises InputError with the first thing that is wrong, and its line."""
    source = read_source(path)
    try:
        settings = OnlineSettings.model_validate(source.data)
    except ValidationError as error:
        raise first_problem(source, error, _names_beside) from None
    file = read_topology(path.parent / settings.topology)
    application = _application(source, file)
    for number, phase in enumerate(settings.phases):
        if [other.name for other in settings.phases].index(phase.name) != number:
            raise source.error(("phases", number, "name"), f"phases: two have the name {phase.name}")
        if (phase.rate is None) != (settings.phases[0].rate is None):
            raise source.error(("phases", number), "phases: all must have users, or all must have a rate")
    if all(each.tuning != "none" or each.admission != "none" for each in settings.contestants.values()):
        raise source.error(("contestants",), "contestants: none has fixed sizes, with which the others are compared")
    _check_servers(source, settings, file, application)
    contestants = tuple(
        Contestant(
            name,
            _CONTROLLERS.get(each.tuning, each.tuning),
            file.topology.initial.replace(
                {PoolKey(application, "threads"): each.threads, PoolKey(application, "connections"): each.connections}
            ),
            chain=each.tuning == "tiers",
            admission=None if each.admission == "none" else each.admission,
        )
        for name, each in settings.contestants.items()
    )
    for each in contestants:
        try:
            check_sizes(file.topology, each.allocation)
        except InputError as error:
            raise source.error(("contestants", each.name), f"contestants.{each.name}: {error}") from None
    loads = tuple(path.parent / phase.load for phase in settings.phases)
    return Schedule(
        path.stem,
        settings.question,
        file,
        settings.warm_up,
        tuple(settings.phases),
        loads,
        contestants,
        {**source.data, "topology_file": file.document},
    )


def _application(source: Source, file: TopologyFile) -> str:
    """Name of the application's tier. Raises InputError if there is none, or more than one."""
    found = [tier for tier in file.topology.tiers if tier.server == "board"]
    if len(found) != 1:
        raise source.error(("topology",), f"topology: {file.topology.source} must have one board as its application")
    return found[0].name


def _check_servers(source: Source, settings: OnlineSettings, file: TopologyFile, application: str) -> None:
    """Raise InputError for servers that are not there, and for changes that a server takes by a restart alone."""
    tiers = file.topology.tiers
    count = next(tier.servers for tier in tiers if tier.name == application)
    for number, phase in enumerate(settings.phases):
        place = ("phases", number, "application")
        if phase.application is None:
            continue
        if phase.application > count:
            raise source.error(
                place, f"{spoken(place)} must be {count} or less, as the topology has no more servers of it"
            )
        if phase.application < count and tiers[0].server != "haproxy":
            raise source.error(place, f"{spoken(place)}: {tiers[0].server} cannot leave out a server; haproxy can")
    for name, each in settings.contestants.items():
        if each.tuning != "tiers":
            continue
        for tier in tiers:
            if tier.pools and resized_by_restart(tier):
                raise source.error(
                    ("contestants", name, "tuning"),
                    f"contestants.{name}.tuning: tiers needs servers that are resized while they run, but"
                    f" {tier.name} is {tier.server}, which is restarted for it",
                )


def _names_beside(source: Source, place: Place) -> list[str]:
    del source
    models: dict[str, type[Settings]] = {"phases": PhaseSettings, "contestants": ContestantSettings}
    model = models.get(str(place[0]), OnlineSettings) if len(place) > 1 else OnlineSettings
    return list(model.model_fields)


def with_phases_of(schedule: Schedule, length: str) -> Schedule:
    """The schedule with phases of another length. Raises InputError."""
    document = {**schedule.document, "phases": [{**phase, "length": length} for phase in schedule.document["phases"]]}
    try:
        phases = tuple(PhaseSettings.model_validate(phase) for phase in document["phases"])
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "greater_than_equal":
            raise InputError(f"--phase must be {LEAST_PHASE_S:g}s or more, but is {length}") from None
        raise InputError(f"--phase {str(first['msg']).removeprefix('Value error, ')}") from None
    return replace(schedule, phases=phases, document=document)


def chosen(schedule: Schedule, names: str | None) -> tuple[Contestant, ...]:
    """The contestants of a list such as 'defaults,coordinated'; all without one. Raises InputError."""
    if names is None:
        return schedule.contestants
    by_name = {each.name: each for each in schedule.contestants}
    found = []
    for name in names.split(","):
        if name not in by_name:
            from poolkeeper.suggestion import unknown

            raise InputError(f"--contestants: {unknown('contestant', name, by_name)}")
        found.append(by_name[name])
    return tuple(dict.fromkeys(found))
