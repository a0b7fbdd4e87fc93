"""Settings of a topology file: its tiers, the model of them, and the trials of the allocator."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from poolkeeper.experiment.definition.settings import Settings
from poolkeeper.experiment.definition.values import (
    Bounds,
    BoundsText,
    Count,
    Duration,
    HeapText,
    PositiveDuration,
    parse_bounds,
)
from poolkeeper.ntier.system import KINDS, PoolKind
from poolkeeper.study.fields import OneOrMany, PositiveNumber
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkeeper.ntier.system import Tier

MOST_CORES = 1024.0
SHORTEST_PERIOD_S = 0.001
"""Shortest period of a CPU quota that the kernel and the simulator take."""
MOST_SERVERS = 100
"""Servers of a tier: each is a process, and a bound on what is prepared for them before any is started."""
MOST_VISITS = 1000.0
"""As many as the simulator plays."""
MOST_POOL = 4000
"""Largest pool of a server that has no smaller limit of its own."""
LEAST_TRIAL_S = 30.0
"""Counted seconds of a trial at least: a test on fewer values of one second each decides by chance."""

Share = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)]
Quota = Annotated[float, Field(gt=0, le=MOST_CORES, strict=True, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class ServerKind:
    """Soft resources of a kind of server: those that a topology must state, and those that it may."""

    needs: tuple[PoolKind, ...] = ()
    may_have: tuple[PoolKind, ...] = ()
    java: bool = False
    per_connection: bool = False
    """Whether each open connection of the tier in front takes one unit of its pool, in use or not."""
    limits: Mapping[PoolKind, int] = field(default_factory=dict)
    """Largest pools that the server takes, where that is less than `MOST_POOL`."""
    clients: int | None = None
    """Connections that it admits from all servers of the tier in front; None where no pool has more."""

    def most(self, kind: PoolKind, servers: int = 1, behind: str | None = None) -> int:
        """Largest pool of a kind in each of so many servers, in front of a server that admits so many connections."""
        most = self.limits.get(kind, MOST_POOL)
        clients = None if behind is None or kind != "connections" else SERVERS[behind].clients
        return most if clients is None else max(1, min(most, clients // servers))

    @property
    def pools(self) -> tuple[PoolKind, ...]:
        """All its soft resources."""
        return tuple(kind for kind in KINDS if kind in (*self.needs, *self.may_have))


SERVERS = {
    "httpd": ServerKind(needs=("threads",), may_have=("connections",)),
    "nginx": ServerKind(),
    "haproxy": ServerKind(needs=("connections",)),
    "board": ServerKind(needs=("threads", "connections"), java=True, limits={"threads": 2000, "connections": 990}),
    "pgpool": ServerKind(needs=("connections",), per_connection=True, limits={"connections": 990}, clients=990),
    "pgbouncer": ServerKind(needs=("connections",), limits={"connections": 990}, clients=1990),
    "postgres": ServerKind(clients=990),
}
"""Kinds of servers. The connections of pgpool, PgBouncer and HAProxy are held for a whole visit of theirs.

A database admits 1000 connections and PgBouncer 2000 clients, some of which are the lab's.
"""


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


def _as_file(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"'{name}' must be 1 to 40 letters, digits and any of _.-, as files have this name")
    return name


Name = Annotated[str, AfterValidator(_as_file)]
"""Name of files and folders as well."""


def _known_server(server: str) -> str:
    if server not in SERVERS:
        raise ValueError(unknown("server", server, SERVERS))
    return server


class TierSettings(Settings):
    """A tier: equal servers, each with a CPU quota of its own."""

    server: Annotated[str, AfterValidator(_known_server)]
    count: Annotated[Count, Field(le=MOST_SERVERS)] = 1
    cores: Quota
    """CPU quota of one server."""
    threads: Count | None = None
    """Size of its thread pool at the beginning, one server."""
    connections: Count | None = None
    """Size of its pool of connections to the next tier at the beginning, one server."""
    threads_bounds: BoundsText | None = None
    """Sizes that a plan may set; from 1 to the most that the server takes unless given."""
    connections_bounds: BoundsText | None = None
    heap: HeapText | None = None
    """Memory of its virtual machine."""
    patience: PositiveDuration | None = None
    """Time after which HAProxy answers a request that waits for a connection with 503."""
    calls: str | None = None
    """Tier that it calls. Where no tier states one, each calls the next in the file."""

    def bounds(self, kind: PoolKind, behind: str | None) -> Bounds:
        """Sizes that a plan may set for a pool of a kind, in front of a kind of server."""
        stated = self.threads_bounds if kind == "threads" else self.connections_bounds
        return stated or Bounds(1, SERVERS[self.server].most(kind, self.count, behind))


class TierModel(Settings):
    """Work of a tier as the simulator needs it: measured, or given."""

    cpu: PositiveDuration
    """CPU time of a visit, on a core of its own."""
    visits: Annotated[PositiveNumber, Field(le=MOST_VISITS)] = 1.0
    """Visits per request of a user."""
    distribution: Literal["exponential", "constant"] = "exponential"
    """Distribution of `cpu` and `wait`."""
    wait: Duration = 0.0
    """Time of a visit in which it waits for what never queues, such as a disk."""
    overhead: NotNegative = 0.0
    """Part by which each busy thread beyond the cores lengthens the work."""
    connection_overhead: NotNegative = 0.0
    """Part by which each connection that the tier in front may open to a server of this one lengthens the work."""
    connection: Literal["call", "visit"] = "call"
    """Time for which a connection is held: a call, or all calls of a visit."""
    held_cpu: Share = 0.0
    """Part of `cpu` that is spent while a connection is held; with `connection: visit` alone."""
    linger: Duration = 0.0
    """Time for which a thread is held after the answer, until the client has closed."""
    linger_per_user: Duration = 0.0
    """Time that each user adds to `linger`: the machines of the clients have more to do, too."""
    period: Annotated[PositiveDuration, Field(ge=SHORTEST_PERIOD_S)] | None = None
    """Period of the CPU quota: tasks run at full speed until it is used up. Without it a server has slower cores."""
    burst: Duration = 0.0
    """CPU time left over of earlier periods that a server may use later, at most; with a period alone."""
    processors: Count | None = None
    """Processors of the machine, which a quota is used up on; with a period alone, and then at least the quota's."""

    def processors_of(self, tier: Tier) -> int:
        """Processors on which tasks of a server of the tier run."""
        return self.processors if self.processors is not None else math.ceil(tier.cores)

    def core_time(self, tier: Tier) -> float:
        """Time of `cpu` at one of them, in seconds."""
        return self.cpu if self.period is not None else self.cpu * self.processors_of(tier) / tier.cores

    def capacity(self, tier: Tier) -> float:
        """CPU seconds a second that a server of the tier can use."""
        return min(tier.cores, float(self.processors_of(tier)))


def _two_levels(bounds: Bounds) -> Bounds:
    if bounds.minimum == bounds.maximum:
        raise ValueError(f"must have fewest < most, but are {bounds}")
    return bounds


class TrialSettings(Settings):
    """Settings of the trials."""

    users: Annotated[BoundsText, AfterValidator(_two_levels)] = parse_bounds("10..8000")
    """Users of the first step, and most of the last."""
    seconds: Annotated[PositiveDuration, Field(ge=LEAST_TRIAL_S)] = 60.0
    """Counted time of a trial."""
    warm_up: Duration = 20.0
    """Time before it that does not count."""


class TopologySettings(Settings):
    """Everything that a topology file states."""

    question: Annotated[str, Field(min_length=1)]
    tiers: Annotated[dict[Name, TierSettings], Field(min_length=1)]
    """Front to back, unless `calls` says otherwise."""
    load: str | None = None
    """Load description of the real tiers, relative to the file."""
    think_time: Duration = 0.0
    """Mean think time of a user; exponential."""
    bounds: OneOrMany[PositiveDuration] = (0.5, 1.0, 3.0)
    """Bounds of goodput, shortest first."""
    model: dict[str, TierModel] = Field(default_factory=dict)
    trial: TrialSettings = TrialSettings()
    size: Literal["small", "medium", "large"] = "small"
    """Size of the board's data, for the real tiers."""
