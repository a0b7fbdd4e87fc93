"""Types shared by the allocator and the systems that it asks: topology, allocation, trial.

Units: seconds, and counts per second. A figure of a tier is the total over its servers, except utilisation, which is
the mean over them. A size in an `Allocation` is that of ONE server.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PoolKind = Literal["threads", "connections"]
"""Kinds of soft resources: threads (or processes) that serve requests; connections that a tier holds to the next."""
KINDS: tuple[PoolKind, ...] = ("threads", "connections")


class PoolKey(NamedTuple):
    """Name of a pool: a tier and a kind. Each server of the tier has one of this kind."""

    tier: str
    kind: PoolKind

    def __str__(self) -> str:
        """The name as files and tables show it: 'application.threads'."""
        return f"{self.tier}.{self.kind}"

    @classmethod
    def parse(cls, text: str) -> PoolKey:
        """The pool of a text such as 'application.threads'. Raises ValueError for another text."""
        tier, _, kind = text.rpartition(".")
        for each in KINDS:
            if tier and kind == each:
                return cls(tier, each)
        raise ValueError(f"must be TIER.threads or TIER.connections, but is '{text}'")


@dataclass(frozen=True)
class Tier:
    """Equal servers that do the same work.

    Attributes:
        name: unique in the topology.
        server: kind of server, such as 'httpd', 'board', 'pgpool' or 'postgres'.
        servers: number of servers, 1 or more.
        cores: CPU quota of one server in cores, above 0.
        threads: whether its thread pool can be sized.
        connections: whether its pool of connections to the next tier can be sized.
        heap: heap of a Java server as the JVM's option takes it ('128m'); None for others.
        least: smallest size of a pool by kind; 1 unless stated.
        most: largest size of a pool by kind; no bound unless stated.
        patience_s: time after which a request that waits in it is refused; None for the server's own limit.
    """

    name: str
    server: str
    servers: int
    cores: float
    threads: bool = False
    connections: bool = False
    heap: str | None = None
    least: Mapping[PoolKind, int] = field(default_factory=dict)
    most: Mapping[PoolKind, int] = field(default_factory=dict)
    patience_s: float | None = None

    @property
    def server_names(self) -> tuple[str, ...]:
        """Names of its servers: its own, with a number where there are several."""
        return (self.name,) if self.servers == 1 else tuple(f"{self.name}-{k}" for k in range(1, self.servers + 1))

    @property
    def pools(self) -> tuple[PoolKey, ...]:
        """The pools that it has: threads before connections."""
        kinds: list[PoolKind] = []
        if self.threads:
            kinds.append("threads")
        if self.connections:
            kinds.append("connections")
        return tuple(PoolKey(self.name, kind) for kind in kinds)


@dataclass(frozen=True)
class Allocation:
    """Sizes of all pools, each of one server.

    Prints as the n-tier literature writes it: '400-150-60', front to back, threads before connections.
    """

    sizes: Mapping[PoolKey, int]

    def __getitem__(self, key: PoolKey) -> int:
        return self.sizes[key]

    def __iter__(self) -> Iterator[PoolKey]:
        return iter(self.sizes)

    def __len__(self) -> int:
        return len(self.sizes)

    def __contains__(self, key: object) -> bool:
        return key in self.sizes

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.sizes.items())))

    def __str__(self) -> str:
        return "-".join(str(size) for size in self.sizes.values())

    def replace(self, changes: Mapping[PoolKey, int]) -> Allocation:
        """The allocation with other sizes of some pools, in the same order."""
        return Allocation({key: changes.get(key, size) for key, size in self.sizes.items()})

    def as_json(self) -> dict[str, int]:
        """Sizes by the pools' names, for files."""
        return {str(key): size for key, size in self.sizes.items()}

    @classmethod
    def from_json(cls, document: Mapping[str, int]) -> Allocation:
        """The allocation that `as_json` wrote. Raises ValueError for a name that is no pool."""
        return cls({PoolKey.parse(name): size for name, size in document.items()})


@dataclass(frozen=True)
class Topology:
    """Tiers front to back, their users, and the limits of acceptable response times.

    Attributes:
        name: name of the file without its ending.
        question: what the topology is for, in one sentence.
        tiers: front to back; each calls the next.
        load: file of the load description; users and times of phases come from the allocator.
        think_time_s: mean think time of a user, exponential, 0 or more.
        bounds_s: bounds of goodput in ascending order; the allocator decides by the first unless told otherwise.
        initial: sizes at the beginning, one server each.
        source: the file.
    """

    name: str
    question: str
    tiers: tuple[Tier, ...]
    load: Path | None
    think_time_s: float
    bounds_s: tuple[float, ...]
    initial: Allocation
    source: Path

    def tier(self, name: str) -> Tier:
        """The tier of this name. Raises KeyError if there is none."""
        for tier in self.tiers:
            if tier.name == name:
                return tier
        raise KeyError(name)

    @property
    def hardware(self) -> str:
        """Numbers of servers, front to back: '1/2/1/2'."""
        return "/".join(str(tier.servers) for tier in self.tiers)


@dataclass(frozen=True)
class TierSeries:
    """Course of a tier over the counted part of a trial, one value a second. A series that is not measured is empty.

    Attributes:
        utilisation: CPU time over quota in each second, 0 to about 1.
        threads_busy: mean number of busy threads in each second.
        connections_busy: mean number of connections in use in each second.
    """

    utilisation: tuple[float, ...] = ()
    threads_busy: tuple[float, ...] = ()
    connections_busy: tuple[float, ...] = ()


@dataclass(frozen=True)
class TierFigures:
    """Means of a tier over the counted part of a trial; None if the server does not report the figure.

    Attributes:
        tier: its name.
        utilisation: CPU time over quota, 0 to 1; mean over its servers.
        throughput: visits per second, all servers together.
        visits: visits of the tier per request of a user.
        response_s: mean time of a visit, from being accepted by the tier (a thread was taken) to the answer.
        cpu_s: CPU seconds per visit.
        threads: size of all thread pools together.
        threads_busy: mean number of busy threads, all servers together.
        threads_waiting: mean number of requests that wait for a thread.
        connections: size of all connection pools together.
        connections_busy: mean number of connections in use, all servers together.
        connections_waiting: mean number of threads that wait for a connection.
        connection_uses: connections taken per request of a user.
        connection_s: mean time from taking a connection to giving it back.
        context_switches: per second.
        gc_share: part of the time in which garbage collection stopped the program, 0 to 1.
        series: the course of these.
    """

    tier: str
    utilisation: float
    throughput: float
    visits: float
    response_s: float
    cpu_s: float | None = None
    threads: int | None = None
    threads_busy: float | None = None
    threads_waiting: float | None = None
    connections: int | None = None
    connections_busy: float | None = None
    connections_waiting: float | None = None
    connection_uses: float | None = None
    connection_s: float | None = None
    context_switches: float | None = None
    gc_share: float | None = None
    series: TierSeries = field(default_factory=TierSeries)


@dataclass(frozen=True)
class Trial:
    """Result of one run of a system: an allocation under a number of users.

    Attributes:
        users: closed users with think times.
        allocation: sizes of the pools.
        seconds: counted time, without the warm-up.
        throughput: answers per second, right ones only.
        response_s: mean response time as users see it.
        goodput: answers within a bound per second, by the bound in seconds.
        errors: part of the requests that failed or had wrong content, 0 to 1.
        tiers: figures of the tiers, front to back.
        throughput_series: answers in each counted second.
        goodput_series: answers within each bound in each counted second, by the bound in seconds.
        generator_limited: whether the load generator was the bottleneck; such a trial counts for nothing.
        warnings: what to know before using it.
    """

    users: int
    allocation: Allocation
    seconds: float
    throughput: float
    response_s: float
    goodput: Mapping[float, float]
    errors: float
    tiers: tuple[TierFigures, ...]
    throughput_series: tuple[float, ...]
    goodput_series: Mapping[float, tuple[float, ...]] = field(default_factory=dict)
    generator_limited: bool = False
    warnings: tuple[str, ...] = ()

    def tier(self, name: str) -> TierFigures:
        """Figures of a tier. Raises KeyError if there is none of this name."""
        for figures in self.tiers:
            if figures.tier == name:
                return figures
        raise KeyError(name)


class System(Protocol):
    """System under study: real servers or a model of them."""

    @property
    def topology(self) -> Topology:
        """The tiers, their users and bounds."""
        ...

    def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
        """Run under this many users with these sizes. The warm-up comes before and is not part of `seconds`.

        Raises RunError if a tier failed: the message names it and its last output.
        """
        ...


@runtime_checkable
class AlternatingSystem(System, Protocol):
    """System whose pools can be changed under a load that goes on."""

    def run_in_turns(self, allocations: Sequence[Allocation], users: int, seconds: float) -> list[Trial]:
        """Run the allocations one after the other under one load; returns a trial for each, in the same order.

        Each has some seconds to settle, which are not part of `seconds`. Raises RunError.
        """
        ...
