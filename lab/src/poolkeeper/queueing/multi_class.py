"""Networks of centres with several classes of requests: each class has its own demands, and a load of its own.

Closed classes by convolution over all populations [1, 8.1.2], open classes each at the load of all [2, 7.4]. Product
form holds where requests share a centre's servers, or wait in order with the same mean service time for all classes
[3].

[1] Bolch, Greiner, de Meer, Trivedi: Queueing Networks and Markov Chains, 2nd ed., Wiley 2006.
[2] Lazowska, Zahorjan, Graham, Sevcik: Quantitative System Performance, Prentice-Hall 1984.
[3] Baskett, Chandy, Muntz, Palacios: Open, closed, and mixed networks of queues with different classes of customers,
    JACM 22(2), 1975.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.numbers import number, or_none
from poolkeeper.queueing import _lattice
from poolkeeper.queueing._check import not_negative, positive, whole
from poolkeeper.queueing.centre import distinct_names
from poolkeeper.queueing.single import erlang_c

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.arrays import Floats

_MOST_STATES = 1_000_000
_MOST_SERVERS = 1000
_POINTS = 40


@dataclass(frozen=True)
class MultiClassCentre:
    """A centre with a demand for each class; a class that it does not name needs nothing there.

    `demands` are service times of a request in all its visits, `servers` how many work at once (infinity: a delay).
    Raises InputError for values that are none.
    """

    name: str
    demands: Mapping[str, float]
    servers: float = 1

    def __post_init__(self) -> None:
        for name, demand in self.demands.items():
            not_negative(demand, f"demand of {name} at {self.name}")
        if not math.isinf(self.servers) and whole(self.servers, f"servers of {self.name}") > _MOST_SERVERS:
            raise InputError(
                f"servers of {self.name}: {self.servers:g} is above {_MOST_SERVERS:,}, the most for several classes"
            )

    @property
    def is_delay(self) -> bool:
        """Whether it has no queue."""
        return math.isinf(self.servers)

    def demand(self, name: str) -> float:
        """Demand of a class; 0 for one that has none here."""
        return float(self.demands.get(name, 0.0))


@dataclass(frozen=True)
class ClosedClass:
    """So many users who think between their requests. Raises InputError for values that are none."""

    name: str
    users: int
    think_time: float = 0.0

    def __post_init__(self) -> None:
        whole(self.users, f"users of {self.name}")
        not_negative(self.think_time, f"think time of {self.name}")


@dataclass(frozen=True)
class OpenClass:
    """Requests that arrive at a rate. Raises InputError for a rate that is none."""

    name: str
    rate: float

    def __post_init__(self) -> None:
        positive(self.rate, f"rate of {self.name}")


@dataclass(frozen=True)
class ClassFigures:
    """Figures of one class; `residence`, `queue` and `utilisation` hold a number a centre."""

    load: ClosedClass | OpenClass
    throughput: float
    response_time: float
    residence: dict[str, float]
    queue: dict[str, float]
    utilisation: dict[str, float]
    """Busy servers over servers by this class; NaN for delays."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the utilisation of delays is None."""
        load = self.load
        given = (
            {"rate": load.rate} if isinstance(load, OpenClass) else {"users": load.users, "think_time": load.think_time}
        )
        centres = [
            {
                "name": name,
                "residence": time,
                "queue": self.queue[name],
                "utilisation": or_none(self.utilisation[name]),
            }
            for name, time in self.residence.items()
        ]
        return {
            "name": load.name,
            **given,
            "throughput": self.throughput,
            "response_time": self.response_time,
            "centres": centres,
        }


@dataclass(frozen=True)
class MultiClassNetwork:
    """A network with its classes, in the order they were given in."""

    centres: tuple[MultiClassCentre, ...]
    classes: tuple[ClassFigures, ...]
    chart: Chart = field(repr=False)

    @property
    def throughput(self) -> float:
        """Requests of all classes in a unit of time."""
        return sum(figures.throughput for figures in self.classes)

    @property
    def response_time(self) -> float:
        """Mean over the requests of all classes."""
        return sum(figures.throughput * figures.response_time for figures in self.classes) / self.throughput

    @property
    def utilisation(self) -> dict[str, float]:
        """Busy servers over servers by all classes, a number a centre; NaN for delays."""
        return {
            centre.name: sum(figures.utilisation[centre.name] for figures in self.classes) for centre in self.centres
        }

    @property
    def bottleneck(self) -> str:
        """The busiest centre; empty where all are delays."""
        busy = {name: value for name, value in self.utilisation.items() if not math.isnan(value)}
        return max(busy, key=lambda name: busy[name], default="")

    @property
    def verdict(self) -> str:
        """The slowest class and the busiest centre, in a sentence."""
        slowest = max(self.classes, key=lambda figures: figures.response_time)
        busy = self.utilisation.get(self.bottleneck)
        limits = "" if busy is None else f"; {self.bottleneck} is the busiest centre ({100 * busy:.3g} %)"
        return f"{slowest.load.name} takes longest, {number(slowest.response_time)} in the mean{limits}."

    def table(self) -> Table:
        """A row a class and centre, and one a class for all centres."""
        rows: list[tuple[str | float | None, ...]] = []
        for figures in self.classes:
            for centre in self.centres:
                used = figures.utilisation[centre.name]
                at = figures.residence[centre.name], figures.queue[centre.name], or_none(used)
                rows.append((figures.load.name, centre.name, figures.throughput, *at))
            whole_time = figures.response_time
            rows.append(
                (figures.load.name, "all", figures.throughput, whole_time, figures.throughput * whole_time, None)
            )
        columns = ("class", "centre", "throughput", "residence", "requests there", "utilisation")
        return Table(f"{len(self.classes)} classes of requests", columns, tuple(rows), (self.verdict,))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "throughput": self.throughput,
            "response_time": self.response_time,
            "bottleneck": self.bottleneck,
            "classes": [figures.to_dict() for figures in self.classes],
            "utilisation": {name: or_none(value) for name, value in self.utilisation.items()},
            "verdict": self.verdict,
        }

    def plot(self) -> Chart:
        """Response time of each class over the share of the load, or its throughput if it is closed."""
        return self.chart


def mva_classes(centres: Sequence[MultiClassCentre], classes: Sequence[ClosedClass]) -> MultiClassNetwork:
    """Solve a closed network of several classes exactly.

    Takes time in proportion to the product of all numbers of users plus 1, to the servers and to the square of the
    number of centres with several servers. Raises InputError where that product is above a million, and for no centre,
    no class, names used twice and a class without any demand.
    """
    _checked(centres, classes)
    sizes = tuple(entry.users + 1 for entry in classes)
    if (states := math.prod(sizes)) > _MOST_STATES:
        raise InputError(
            f"users: {states:,} combinations of the classes' users are above {_MOST_STATES:,}, the most that can be"
            " computed exactly; merge classes, or scale users and servers down together"
        )
    for entry in classes:
        if entry.think_time + sum(centre.demand(entry.name) for centre in centres) == 0:
            raise InputError(f"class {entry.name}: all its demands are 0, so that nothing takes any time")
    demands = {centre.name: np.array([centre.demand(entry.name) for entry in classes]) for centre in centres}
    idle = np.array([entry.think_time for entry in classes])
    idle = idle + sum((demands[centre.name] for centre in centres if centre.is_delay), np.zeros(len(classes)))
    queues = [centre for centre in centres if not centre.is_delay]
    start = _lattice.delays(idle, sizes)

    def constants(without: MultiClassCentre | None = None) -> Floats:
        found = start
        for centre in queues:
            if centre is not without:
                found = _lattice.with_queue(found, demands[centre.name], int(centre.servers))
        return found

    logs = constants()
    last = tuple(size - 1 for size in sizes)
    rates = np.exp([logs[_fewer(last, k)] - logs[last] for k in range(len(classes))])
    residence: dict[str, Floats] = {centre.name: demands[centre.name] for centre in centres}
    for centre in queues:
        # with several servers the centre's own factor does not divide out of the whole
        rest = constants(centre) if centre.servers > 1 else logs
        found = _lattice.derivative(rest, demands[centre.name], int(centre.servers))
        slower = np.exp([found[_fewer(last, k)] - logs[_fewer(last, k)] for k in range(len(classes))])
        residence[centre.name] = demands[centre.name] * slower
    figures = tuple(
        _figures(entry, centres, float(rates[k]), {name: float(times[k]) for name, times in residence.items()})
        for k, entry in enumerate(classes)
    )
    return MultiClassNetwork(tuple(centres), figures, _closed_chart(classes, logs))


def open_classes(centres: Sequence[MultiClassCentre], classes: Sequence[OpenClass]) -> MultiClassNetwork:
    """Solve an open network of several classes with Poisson arrivals, exactly.

    Raises InputError for no centre, no class, names used twice, and a centre that cannot serve all classes together.
    """
    _checked(centres, classes)
    slower = {centre.name: _stretch(centre, classes, 1.0) for centre in centres}
    for centre in centres:
        if math.isinf(slower[centre.name]):
            load = sum(entry.rate * centre.demand(entry.name) for entry in classes)
            raise InputError(
                f"rates: together they keep {number(load, 4)} servers of {centre.name} busy, which has"
                f" {centre.servers:g}, so the queue grows without end"
            )
    figures = tuple(
        _figures(
            entry, centres, entry.rate, {item.name: item.demand(entry.name) * slower[item.name] for item in centres}
        )
        for entry in classes
    )
    return MultiClassNetwork(tuple(centres), figures, _open_chart(centres, classes))


def _figures(
    entry: ClosedClass | OpenClass, centres: Sequence[MultiClassCentre], rate: float, residence: dict[str, float]
) -> ClassFigures:
    used = {item.name: math.nan if item.is_delay else rate * item.demand(entry.name) / item.servers for item in centres}
    return ClassFigures(
        entry,
        rate,
        sum(residence.values()),
        residence,
        {name: rate * time for name, time in residence.items()},
        used,
    )


def _stretch(centre: MultiClassCentre, classes: Sequence[OpenClass], share: float) -> float:
    """Factor by which waiting makes any demand longer at this share of the load; infinite where it is too much."""
    if centre.is_delay:
        return 1.0
    load = share * sum(entry.rate * centre.demand(entry.name) for entry in classes)
    servers = int(centre.servers)
    if load >= servers:
        return math.inf
    return 1.0 if load == 0 else 1 + erlang_c(servers, load) / (servers - load)


def _fewer(population: tuple[int, ...], k: int) -> tuple[int, ...]:
    return tuple(users - (place == k) for place, users in enumerate(population))


def _closed_chart(classes: Sequence[ClosedClass], logs: Floats) -> Chart:
    shares = np.linspace(0.05, 1, _POINTS)
    lines = []
    for k, entry in enumerate(classes):
        populations = [tuple(round(share * item.users) for item in classes) for share in shares]
        y = [math.exp(logs[_fewer(p, k)] - logs[p]) if p[k] else math.nan for p in populations]
        lines.append(Series(entry.name, tuple(map(float, 100 * shares)), tuple(map(float, y))))
    return Chart(
        "Throughput over the share of the users", Axis("users of each class", "%"), Axis("throughput"), tuple(lines)
    )


def _open_chart(centres: Sequence[MultiClassCentre], classes: Sequence[OpenClass]) -> Chart:
    shares = np.linspace(0.05, 1.5, _POINTS)
    lines = []
    for entry in classes:
        y = []
        for share in shares:
            time = sum(
                item.demand(entry.name) * _stretch(item, classes, share) for item in centres if item.demand(entry.name)
            )
            y.append(time if math.isfinite(time) else math.nan)
        lines.append(Series(entry.name, tuple(map(float, 100 * shares)), tuple(map(float, y))))
    return Chart(
        "Response time over the share of the load", Axis("rate of each class", "%"), Axis("response time"), tuple(lines)
    )


def _checked(centres: Sequence[MultiClassCentre], classes: Sequence[ClosedClass] | Sequence[OpenClass]) -> None:
    declared = [entry.name for entry in classes]
    distinct_names(centre.name for centre in centres)
    distinct_names(declared, "classes")
    for centre in centres:
        for name in centre.demands:
            if name not in declared:
                from poolkeeper.suggestion import unknown

                raise InputError(f"{centre.name}: {unknown('class', name, declared)}")
