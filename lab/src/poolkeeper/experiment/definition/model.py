"""An experiment as its file states it, checked: `read` makes it of YAML, `plan` makes runs of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from poolkeeper.experiment.definition.choices import (
    ADAPTIVE,
    APPLICATIONS,
    ARCHITECTURES,
    COLLECTORS,
    NO_HANDLERS,
    STEADY,
    WITH_DOWNSTREAM,
    WITHOUT_HANDLERS,
)
from poolkeeper.experiment.definition.load import Load
from poolkeeper.experiment.definition.pools import TunedPool, pools
from poolkeeper.experiment.definition.settings import Settings
from poolkeeper.experiment.definition.values import (
    Bounds,
    BoundsText,
    ConnectionsText,
    Count,
    CountOrZero,
    Duration,
    HeapText,
    JavaText,
    PositiveDuration,
    Repetitions,
)
from poolkeeper.experiment.processes.quota import LONGEST_PERIOD_S, SHORTEST_US
from poolkeeper.experiment.warming.steady import FEWEST, LEAST
from poolkeeper.study.claims import Claims
from poolkeeper.study.fields import OneOrMany, PositiveNumber
from poolkeeper.suggestion import unknown
from poolkeeper.units import parse_duration, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

SLICE_S = 5.0
SHORTEST_SLICE_S = 2.0
"""Of whose seconds the first is left out."""


class WarmUp(Settings):
    """Load before the measurement: for a time, or until throughput is steady."""

    duration: Duration | None = Field(default=None, alias="for")
    until: Literal["steady"] | None = None
    least: PositiveDuration | None = None
    """Shortest time after which it may be called steady."""
    within: PositiveDuration | None = None
    """Longest time until it is steady."""
    size: Count | None = None
    """Of the pool meanwhile; that which it begins with if it is not given."""
    controller: Literal["rests", "decides"] = "rests"
    """rests: it learns nothing from the warm-up. decides: it finds its size meanwhile, and what is measured is how it
    does once it has."""
    then: PositiveDuration | None = None
    """Load before each later run of a server's process that is warm."""

    @model_validator(mode="after")
    def _time_or_steady(self) -> WarmUp:
        if (self.duration is None) == (self.until is None):
            raise ValueError("needs either for or until")
        for name, value in (("least", self.least), ("within", self.within)):
            if self.until is None and value is not None:
                raise ValueError(f"has a setting {name}, which belongs to until: steady")
        if self.least is not None and self.least < FEWEST:
            raise ValueError(
                f"has least {self.least:g}s, which must be {FEWEST}s at least: the test needs that to speak"
            )
        if self.within is not None and self.least is not None and self.within < self.least:
            raise ValueError(f"has within {self.within:g}s, which is shorter than its least of {self.least:g}s")
        if self.within is not None and self.least is None and self.within < LEAST:
            raise ValueError(
                f"has within {self.within:g}s, which must be {LEAST:g}s at least: the test needs that to speak"
            )
        return self


def _warm_up(value: Any) -> Any:
    """A warm-up written as one word or one time."""
    if isinstance(value, dict | WarmUp):
        return value
    if value == STEADY:
        return {"until": STEADY}
    try:
        parse_duration(value)
    except ValueError as error:
        raise ValueError(str(error).replace("must be a number", f"must be {STEADY}, or a number")) from None
    return {"for": value}


class Quotas(Settings):
    """Processors that a process may use on average over each period, while it is measured."""

    server: PositiveNumber
    """Of each server, whether users reach it themselves or through a balancer."""
    balancer: PositiveNumber | None = None
    """None for no limit."""
    period: Annotated[PositiveDuration, Field(le=LONGEST_PERIOD_S)] = 0.01
    """The shorter, the shorter a process stands still that has used its part of it up."""
    settle: Duration = 0.0
    """Between the beginning of the quotas and that of the measured load: the warm-up goes on under them for so long."""

    @model_validator(mode="after")
    def _what_the_kernel_takes(self) -> Quotas:
        least = min(filter(None, (self.server, self.balancer))) * self.period * 1e6
        if min(least, self.period * 1e6) < SHORTEST_US:
            raise ValueError(
                f"must allow {SHORTEST_US / 1000:g} ms in each period of {SHORTEST_US / 1000:g} ms or more, "
                f"but allow {least / 1000:g} ms of {self.period * 1000:g} ms"
            )
        return self


class Profile(Settings):
    """Service of a path of the downstream server; the server's own values are the defaults."""

    latency: PositiveDuration | None = None
    """Service time up to the capacity."""
    capacity: Count | None = None
    """Requests served at once."""
    degradation: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Relative growth of the service time for each further capacity of requests."""


def _whole_seconds(seconds: float) -> float:
    if seconds < SHORTEST_SLICE_S or not seconds.is_integer():
        raise ValueError(
            f"must be a whole number of seconds, {SHORTEST_SLICE_S:g}s or more, since the load is recorded by the "
            f"second, but is {seconds:g}s"
        )
    return seconds


def _handlers(value: Any) -> int | str:
    """A number of handlers, who finds it, or that there are none."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 1:
            raise ValueError(f"must be at least 1, but is {value}")
        return value
    if value == NO_HANDLERS:
        return NO_HANDLERS
    return _choice("number of handlers", [ADAPTIVE, *_controllers()], str(value))


def _controllers() -> list[str]:
    return [name for name, pool in pools().items() if issubclass(pool, TunedPool)]


def _choice(kind: str, choices: Iterable[str], name: str) -> str:
    if name not in choices:
        raise ValueError(unknown(kind, name, choices))
    return name


Application = Annotated[str, AfterValidator(partial(_choice, "application", APPLICATIONS))]
Architecture = Annotated[str, AfterValidator(partial(_choice, "architecture", ARCHITECTURES))]
Collector = Annotated[str, AfterValidator(partial(_choice, "collector", COLLECTORS))]
Controller = Annotated[str, AfterValidator(lambda name: _choice("controller", _controllers(), name))]
Path = Annotated[str, AfterValidator(partial(_choice, "path", sorted(WITH_DOWNSTREAM)))]
"""An application that calls a downstream server."""
Handlers = Annotated[int | str, BeforeValidator(_handlers)]
Part = dict[str, OneOrMany[str | int]]
"""Runs of an experiment: axes with the values of which a run must have one each."""
Parts = Annotated[tuple[Part, ...], Field(min_length=1)]


class Small(Settings):
    """Small form of an experiment, which is run unless all is wanted: parts of it, and shorter settings."""

    parts: Parts | None = None
    scale: PositiveNumber | None = None
    repetitions: Repetitions | None = None
    warm_up: Annotated[WarmUp, BeforeValidator(_warm_up)] | None = None

    def changes(self) -> dict[str, Any]:
        """The settings of the experiment that have another value."""
        return {name: getattr(self, name) for name in type(self).model_fields if getattr(self, name) is not None}


class Experiment(Settings):
    """Everything that an experiment states.

    Where application, heap, collector, connections, controller or users are lists, they are its axes.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    question: Annotated[str, Field(min_length=1)]
    application: OneOrMany[Application]
    n: Annotated[int, Field(ge=2, strict=True)] | None = None
    """The number that the application `prime` tests."""
    connections: OneOrMany[ConnectionsText] = ("per-request",)
    database: Literal["per-experiment", "per-run"] = "per-experiment"
    """Lifetime of a database."""
    downstream: dict[Path, Profile] = Field(default_factory=dict)
    """Downstream server of each application that calls one. Each run has a server of its own."""
    controller: OneOrMany[Controller] | None = None
    """Of those pools that do not name theirs."""
    pools: Annotated[dict[str, dict[str, Any]], Field(min_length=1)] | None = None
    """Variants as written; `variants` makes them concrete."""
    architecture: OneOrMany[Architecture] | None = None
    """In place of pools: a variant for each architecture, or for each and each number of handlers if it has any."""
    handlers: OneOrMany[Handlers] = (4, ADAPTIVE)
    """Of those architectures that have any. `none` may stand for the others, as in parts; they run anyway."""
    heap: OneOrMany[HeapText] = ("512m",)
    """Of the server, from its start to its end."""
    collector: OneOrMany[Collector] = ("g1",)
    java: dict[Architecture, JavaText] = Field(default_factory=dict)
    """JDK of an architecture: a version of those installed, or a folder; that of the lab if not given."""
    window: PositiveDuration | None = None
    """Time between two decisions; for each pool what its controller recommends, if it is not given."""
    goodput_within: PositiveDuration | None = None
    """Response time within which an answer counts as goodput in the report; none is reported if it is not given."""
    bounds: BoundsText = Bounds(1, 256)
    initial: Count = 1
    load: Load
    warm_up: Annotated[WarmUp, BeforeValidator(_warm_up)] = WarmUp.model_validate({"for": "0s"})
    """Load of the first phase before the measured one, with the controller at rest."""
    server: Literal["per-run", "per-application"] = "per-run"
    """Lifetime of a process: one run, or all that follow each other with the same application and connections."""
    scale: PositiveNumber = 1.0
    """Multiplies phases, windows and warm-up; think time and timeout belong to the users and stay."""
    repetitions: Repetitions = 1
    order: Literal["interleaved", "grouped", "slices"] = "interleaved"
    """interleaved: all variants before any is repeated, every second time in reverse, so that a machine that is slower
    for a while is slower for all alike. grouped: all repetitions of a variant together. slices: all variants take turns
    on one server, for some seconds each."""
    slice: Annotated[PositiveDuration, AfterValidator(_whole_seconds)] | None = None
    """Length of a turn, with order: slices; not scaled."""
    versus: str | None = None
    claims: Claims = ()
    """Claims that the experiment is to confirm or refute."""
    published: str | None = None
    """A CSV file of what others measured in the same cells, beside the experiment's own file."""
    seed: CountOrZero = 1
    quotas: Quotas | None = None
    parts: Parts | None = None
    """Only those runs that belong to one of them."""
    small: Small | None = None
    """Small form, which is run unless all is wanted."""

    @model_validator(mode="after")
    def _pools_or_architecture(self) -> Experiment:
        if (self.pools is None) == (self.architecture is None):
            raise ValueError("needs either pools or architecture")
        stated = "handlers" in self.model_fields_set and self.handlers != (NO_HANDLERS,)
        if stated and self.architecture and WITHOUT_HANDLERS.issuperset(self.architecture):
            raise ValueError(f"has a setting handlers, of which {', '.join(self.architecture)} has none")
        given = {"handlers"} & self.model_fields_set
        if self.architecture is None and given:
            raise ValueError(f"has a setting {min(given)}, which belongs to architecture")
        return self

    @model_validator(mode="after")
    def _phases_send_the_applications(self) -> Experiment:
        sent = self.load.applications
        if sent and (idle := [name for name in self.application if name not in sent]):
            raise ValueError(f"has the application {idle[0]}, which no phase of its load sends")
        if sent and (lost := [name for name in sent if name not in self.application]):
            raise ValueError(f"has a load that sends {lost[0]}, which is not among its applications")
        return self

    @model_validator(mode="after")
    def _slice_belongs_to_slices(self) -> Experiment:
        if self.slice is not None and self.order != "slices":
            raise ValueError("has a setting slice, which belongs to order: slices")
        return self

    @property
    def slice_s(self) -> float:
        """Length of a turn."""
        return SLICE_S if self.slice is None else self.slice

    @field_validator("handlers")
    @classmethod
    def _none_belongs_to_those_without(cls, handlers: tuple[int | str, ...], info: ValidationInfo) -> Any:
        names: tuple[str, ...] = info.data.get("architecture") or ()
        having = [name for name in names if name not in WITHOUT_HANDLERS]
        if NO_HANDLERS in handlers and having:
            if having == [*names]:
                without = ", ".join(sorted(WITHOUT_HANDLERS))
                raise ValueError(f"hold none, which is for {without}, and none of these is compared")
            if handlers == (NO_HANDLERS,):
                raise ValueError(f"hold but none, and {', '.join(having)} must have some")
        return handlers

    @field_validator("n")
    @classmethod
    def _n_belongs_to_prime(cls, n: int | None, info: ValidationInfo) -> int | None:
        if n is not None and "prime" not in info.data.get("application", ("prime",)):
            raise ValueError("belongs to the application prime, which is not among the applications")
        return n

    def axes(self) -> dict[str, tuple[str | int, ...]]:
        """The settings that may have several values, with those that they have."""
        return {
            # Where phases choose, all are served at once.
            "application": () if self.load.applications else self.application,
            "connections": self.connections,
            "controller": self.controller or (),
            "heap": self.heap,
            "collector": self.collector,
            "draw": self.load.draws,
            "users": self.load.users or (),
            "rate": tuple(map(plain, self.load.arriving.rate or ())) if self.load.arriving else (),
        }
