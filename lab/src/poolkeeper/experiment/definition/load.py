"""The load of an experiment: users who stay, requests that arrive, or users who arrive and leave."""

from __future__ import annotations

import random
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from poolkeeper.experiment.definition.choices import APPLICATIONS
from poolkeeper.experiment.definition.settings import Settings
from poolkeeper.experiment.definition.values import (
    MOST_PHASES,
    MOST_USERS,
    ArrivalsText,
    Level,
    LoadThreads,
    NoRamp,
    PositiveDuration,
    Rate,
    RatesText,
    SpanText,
    ThinkTime,
    ThinkTimeText,
    Users,
    UsersText,
)
from poolkeeper.study.fields import NoDoubles, OneOrMany
from poolkeeper.suggestion import unknown

Kind = Literal["closed", "open", "half-open"]

END = "end"
"""Name of the end of a session in a chain."""
BACK = "back"
"""Name of the way back to the request before in a chain."""
_MAY_MISS = 1e-9
"""By which probabilities that were rounded may miss 1."""

_PATH = re.compile(r"/[!-\"$-~]*")

Probability = Annotated[float, Field(ge=0, le=1)]


def _by_name(value: Any) -> Any:
    """A single request stands for all that are sent."""
    return {value: 1.0} if isinstance(value, str) else value


def _shares(requests: dict[str, float]) -> dict[str, float]:
    for name in requests:
        application_of(f"/{name}")
    if abs(sum(requests.values()) - 1) > _MAY_MISS:
        raise ValueError(f"must have probabilities that sum to 1, but they sum to {sum(requests.values()):g}")
    return requests


Shares = Annotated[dict[str, Probability], Field(min_length=1), BeforeValidator(_by_name), AfterValidator(_shares)]
"""Applications that requests ask for, with their probabilities; a single one may stand alone."""


class Phase(Settings):
    """A level of the load for a time, a number of users or a rate of arrivals, or a ramp from one to another."""

    users: UsersText | None = None
    rate: RatesText | None = None
    duration: PositiveDuration = Field(alias="for")
    requests: Shares | None = None
    """Requests of the phase; None for the application of the experiment."""

    @model_validator(mode="after")
    def _one_level(self) -> Phase:
        if (self.users is None) == (self.rate is None):
            raise ValueError("needs either users or a rate")
        return self

    @property
    def level(self) -> Level:
        """Whichever it has."""
        return self.users or self.rate or Level(0, 0)


class RandomPhases(Settings):
    """Phases whose order and lengths are drawn: no two in a row send the same."""

    phases: Annotated[int, Field(ge=2, le=MOST_PHASES, strict=True)]
    duration: SpanText = Field(alias="for")
    """Shortest and longest length, all between them equally likely, to a tenth of a second."""
    users: UsersText | None = None
    rate: RatesText | None = None
    requests: Annotated[tuple[Annotated[str, AfterValidator(lambda name: application_of(f"/{name}"))], ...], NoDoubles]
    """Applications of which each phase asks for one, or for several alike."""
    at_once: Annotated[int, Field(ge=1, strict=True)] = 1
    """Applications that a phase asks for."""
    draw: OneOrMany[Annotated[int, Field(ge=0, strict=True)]] = (1,)
    """Seed of the drawing; several are an axis."""

    @model_validator(mode="after")
    def _enough(self) -> RandomPhases:
        if (self.users is None) == (self.rate is None):
            raise ValueError("needs either users or a rate")
        if self.at_once >= len(self.requests):
            raise ValueError(
                f"has at_once {self.at_once}, which must be below the number of its requests, {len(self.requests)}"
            )
        return self

    def drawn(self, draw: int) -> tuple[Phase, ...]:
        """The phases of one drawing; a drawing is the same at every call."""
        numbers = random.Random(draw)  # noqa: S311 - nothing is kept secret with it
        found: list[Phase] = []
        before: frozenset[str] = frozenset()
        while len(found) < self.phases:
            names = numbers.sample(self.requests, self.at_once)
            if frozenset(names) == before:
                continue
            before = frozenset(names)
            seconds = round(numbers.uniform(self.duration.least, self.duration.most), 1)
            found.append(
                Phase.model_construct(
                    requests=dict.fromkeys(names, 1 / self.at_once),
                    users=self.users,
                    rate=self.rate,
                    duration=seconds,
                )
            )
        return tuple(found)


class Open(Settings):
    """Requests that arrive, whatever becomes of those before them."""

    rate: Annotated[OneOrMany[Rate] | None, NoRamp] = None
    """Arrivals a second; several are an axis, and phases have their own."""
    arrivals: ArrivalsText = "poisson"
    connections: Annotated[int, Field(ge=1, le=MOST_USERS, strict=True)] = 1000
    """Open at once at most."""


def _sums(chain: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    for name, row in chain.items():
        if abs(sum(row.values()) - 1) > _MAY_MISS:
            raise ValueError(
                f"must have probabilities that sum to 1 after {name}, but they sum to {sum(row.values()):g}"
            )
        if lost := [follower for follower in row if follower not in (*chain, END, BACK)]:
            raise ValueError(f"must say what follows {lost[0]}, which may follow {name}")
    if BACK in chain:
        raise ValueError(f"must not name a request {BACK}, which stands for the one before")
    return chain


class Chain(Settings):
    """A session as a Markov chain: the requests that may follow each kind of request, until the end."""

    first: str
    next: Annotated[dict[str, dict[str, Probability]], Field(min_length=1), AfterValidator(_sums)]

    @model_validator(mode="after")
    def _begins(self) -> Chain:
        if self.first not in self.next:
            raise ValueError(f"begins with {self.first}, after which it does not say what follows")
        if self.next[self.first].get(BACK, 0) == 1:
            raise ValueError(f"must say what follows {self.first} where a session begins, but knows only {BACK}")
        if lost := self._endless():
            raise ValueError(f"never comes to {END} once it is at {lost}, so that users would only pile up")
        return self

    def _endless(self) -> str | None:
        """The first kind of request that a session can come to, and from which it cannot come to its end."""
        ending = {END}
        while more := {name for name, row in self.next.items() if any(row.get(text) for text in ending)} - ending:
            ending |= more
        there = [self.first]
        for name in there:
            others = (*there, END, BACK)
            there += [text for text, likely in self.next.get(name, {}).items() if likely and text not in others]
        # From a request that does not lead to the end a session may go back to where it came from.
        stuck: set[str] = set()
        while (
            more := {name for name in there if name not in ending and not self._leads_back(name, there, stuck)} - stuck
        ):
            stuck |= more
        return next((name for name in there if name in stuck), None)

    def _leads_back(self, name: str, there: list[str], stuck: set[str]) -> bool:
        """Whether a session goes back from a request, and on from every one from which it may have come."""
        if name == self.first or not self.next[name].get(BACK):
            return False
        return not any(other in stuck and self.next[other].get(name) for other in there if other != name)


def _served(path: str) -> str:
    """The path of an application, with whatever query."""
    if not _PATH.fullmatch(path):
        raise ValueError(f"must be a path of visible ASCII that begins with / and has no #, but is {path}")
    application_of(path)
    return path


def application_of(path: str) -> str:
    """The application that a server has at a path; ValueError if it has none."""
    name = path.partition("?")[0].removeprefix("/")
    if name not in APPLICATIONS:
        raise ValueError(f"must ask for an application, as /prime does: {unknown('application', name, APPLICATIONS)}")
    return name


class Request(Settings):
    """Target of one kind of request."""

    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    path: Annotated[str, AfterValidator(_served)]


def _request(value: Any) -> Any:
    """A path alone is asked for with GET."""
    return {"path": value} if isinstance(value, str) else value


class HalfOpen(Open):
    """Users that arrive, send some requests with think times between them, and leave."""

    stay: Annotated[float, Field(ge=0, lt=1)] | None = None
    """Probability that a user sends another request after an answer."""
    chain: Chain | None = None
    """In its place. The record tells the kinds of requests apart."""
    http: dict[str, Annotated[Request, BeforeValidator(_request)]] | None = None
    """Targets of the chain's kinds of requests; the others ask for the application of the experiment."""

    @model_validator(mode="after")
    def _ends(self) -> HalfOpen:
        if (self.stay is None) == (self.chain is None):
            raise ValueError("needs either stay or a chain")
        if self.http is not None and self.chain is None:
            raise ValueError("has a setting http, which belongs to a chain")
        if self.chain is not None and (lost := [name for name in self.http or () if name not in self.chain.next]):
            raise ValueError(f"has in http an {unknown('request', lost[0], self.chain.next)}")
        return self


def _mapping(value: Any) -> Any:
    """A kind of load without settings is one as well."""
    return {} if value is None else value


class Load(Settings):
    """Closed users, unless it is open or half-open: a level (several are an axis) for a duration, or phases."""

    users: Annotated[OneOrMany[Users] | None, NoRamp] = None
    open: Annotated[Open | None, BeforeValidator(_mapping)] = None
    half_open: Annotated[HalfOpen | None, BeforeValidator(_mapping)] = Field(default=None, alias="half-open")
    duration: PositiveDuration | None = Field(default=None, alias="for")
    phases: tuple[Phase, ...] | None = None
    random: RandomPhases | None = None
    """In place of phases."""
    think_time: ThinkTimeText = ThinkTime(0.0)
    timeout: PositiveDuration = 30.0
    threads: LoadThreads = 1
    """Of the load generator. One sends about 100,000 small requests a second; more need processors of their own."""

    @property
    def kind(self) -> Kind:
        """Kind of the load."""
        return "open" if self.open else "half-open" if self.half_open else "closed"

    @property
    def arriving(self) -> Open | None:
        """Settings of arriving users or requests; None for closed users."""
        return self.open or self.half_open

    def shortest(self) -> float:
        """Seconds of the shortest phase, not scaled."""
        if self.random is not None:
            return self.random.duration.least
        return min((phase.duration for phase in self.phases), default=0.0) if self.phases else self.duration or 0.0

    @property
    def draws(self) -> tuple[int, ...]:
        """Seeds of the drawings of random phases; empty without any."""
        return self.random.draw if self.random is not None else ()

    def phases_of(self, draw: int | None) -> tuple[Phase, ...]:
        """The phases, those of a drawing if they are random; empty for a single level."""
        return self.random.drawn(draw or self.random.draw[0]) if self.random is not None else self.phases or ()

    @property
    def applications(self) -> tuple[str, ...]:
        """The applications that phases name; empty where they send what the experiment says."""
        if self.random is not None:
            return self.random.requests
        return tuple(dict.fromkeys(name for phase in self.phases or () for name in phase.requests or ()))

    @model_validator(mode="after")
    def _one_kind(self) -> Load:
        given = [name for name in ("users", "open", "half_open") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"has {' and '.join(given).replace('_', '-')}, which exclude each other")
        if self.kind == "open" and self.think_time.seconds:
            raise ValueError("has a think_time, which belongs to users who send more than one request")
        return self

    @model_validator(mode="after")
    def _phases_choose(self) -> Load:
        if not self.applications or self.random is not None:
            return self
        if self.half_open is not None:
            raise ValueError("is half-open, so its phases cannot have requests: a session may outlast a phase")
        for number, phase in enumerate(self.phases or (), start=1):
            if phase.requests is None:
                raise ValueError(f"has phases with requests, so phase {number} needs requests as well")
        return self

    @model_validator(mode="after")
    def _constant_or_phases(self) -> Load:
        levels, words = (self.users, "users") if self.arriving is None else (self.arriving.rate, "a rate")
        constant = levels is not None and self.duration is not None and self.phases is None and self.random is None
        varying = bool(self.phases) != (self.random is not None) and levels is None and self.duration is None
        if not constant and not varying:
            raise ValueError(f"needs either {words} and for, or phases")
        if self.random is not None and (self.random.users is None) == (self.arriving is None):
            raise ValueError(f"is {self.kind}, so random needs {words}")
        level = "users" if self.arriving is None else "rate"
        for number, phase in enumerate(self.phases or (), start=1):
            if getattr(phase, level) is None:
                raise ValueError(f"is {self.kind}, so phase {number} needs {words}")
        if self.phases and not any(phase.level.most for phase in self.phases):
            raise ValueError(f"has no phase with {'a user' if level == 'users' else 'arrivals'}")
        return self
