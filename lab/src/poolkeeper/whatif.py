"""Predictions: one change to a model or to a fitted law, with the assumption that the answer rests on.

    what_if(mva(centres, 200, think_time=1), AddServers(1))
    what_if(mmc(128, 0.025, 4), Load(2))
    what_if(Usl().fit(users, throughput), ServiceTime(0.5))

Sources as of the models: Lazowska, Zahorjan, Graham, Sevcik: Quantitative System Performance, 1984, chapter 13.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.numbers import change as relative
from poolkeeper.present.numbers import finite, number
from poolkeeper.queueing import (
    Centre,
    ClosedNetwork,
    ClosedQueue,
    OpenNetwork,
    OpenQueue,
    closed_queue,
    mva,
    open_network,
    open_queue,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.scalability import Amdahl, Law, Linear, Usl

    System = ClosedNetwork | ClosedQueue | OpenNetwork | OpenQueue | Usl | Amdahl | Linear

_POINTS = 60


@dataclass(frozen=True, slots=True)
class AddServers:
    """More servers (cores) at a centre; at the bottleneck if none is named. `number` of 1 or above."""

    number: int = 1
    centre: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceTime:
    """All service times at a centre times `factor`, above 0; at the bottleneck if none is named."""

    factor: float
    centre: str | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """`factor` times as many users, or as many arrivals, above 0."""

    factor: float


Change = AddServers | ServiceTime | Load


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure over the load, before and after."""

    load: tuple[float, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    x: str
    y: str


@dataclass(frozen=True)
class WhatIf:
    """Figures before and after a change, and the assumptions.

    A response time that is infinite means that requests come faster than they are served.
    """

    change: str
    before: dict[str, float]
    after: dict[str, float]
    assumption: str
    notes: tuple[str, ...]
    curve: Curve

    @property
    def verdict(self) -> str:
        """The change of throughput and response time in a sentence, then the assumption."""
        messages = []
        for name in ("throughput", "response time"):
            before, after = self.before[name], self.after[name]
            if math.isinf(after):
                messages.append(f"the {name} grows without end")
            elif abs(after / before - 1) < 1e-6:  # noqa: PLR2004 - what rounding leaves
                messages.append(f"the {name} stays {number(before)}")
            else:
                messages.append(
                    f"the {name} goes from {number(before)} to {number(after)} ({relative(after / before - 1)})"
                )
        return (
            f"{self.change[0].upper()}{self.change[1:]}: {' and '.join(messages)}. It assumes that {self.assumption}."
        )

    def table(self) -> Table:
        """A row a figure."""
        rows = tuple(
            (name, value, self.after[name], _relative(value, self.after[name])) for name, value in self.before.items()
        )
        return Table(
            f"What if: {self.change}", ("figure", "before", "after", "change"), rows, (self.verdict, *self.notes)
        )

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON; infinite and unknown ones are None."""
        return {
            "change": self.change,
            "before": {name: finite(value) for name, value in self.before.items()},
            "after": {name: finite(value) for name, value in self.after.items()},
            "assumption": self.assumption,
            "verdict": self.verdict,
            "notes": list(self.notes),
        }

    def plot(self) -> Chart:
        """The figure that matters over the load, before and after."""
        curve = self.curve
        lines = (Series("before", curve.load, curve.before), Series("after", curve.load, curve.after))
        return Chart(
            f"What if: {self.change}", Axis(curve.x), Axis(curve.y), lines, notes=(self.assumption, *self.notes)
        )


def what_if(system: System, change: Change, *, at: float | None = None) -> WhatIf:
    """Change one thing of a solved model or a fitted law, and compare.

    `at` is the concurrency at which a law is compared, the highest measured level if None; models are compared at their
    own load. Raises InputError for a change that the system knows nothing of, or with values that are none.
    """
    _checked(change)
    if isinstance(system, ClosedNetwork):
        return _closed_network(system, change)
    if isinstance(system, ClosedQueue):
        return _closed_queue(system, change)
    if isinstance(system, OpenNetwork):
        return _open_network(system, change)
    if isinstance(system, OpenQueue):
        return _open_queue(system, change)
    return _law(system, change, at)


def _closed_network(system: ClosedNetwork, change: Change) -> WhatIf:
    users = _users(system.users, change)
    centres = _centres(system.centres, change, system.bottleneck)
    other = mva(centres, users, system.think_time)
    most = max(users, system.users)
    loads = np.unique(np.linspace(1, most, _POINTS).round()).astype(int)
    curves = [mva(parts, most, system.think_time).by_users[loads - 1] for parts in (system.centres, centres)]

    def figures(closed_network: ClosedNetwork) -> dict[str, float]:
        used = {
            f"utilisation of {c.name}": closed_network.utilisation[c.name]
            for c in closed_network.centres
            if not c.is_delay
        }
        return {
            "throughput": closed_network.throughput,
            "response time": closed_network.response_time,
            "limit": closed_network.limit,
            **used,
        }

    moved = other.bottleneck != system.bottleneck
    notes = (f"the bottleneck moves from {system.bottleneck} to {other.bottleneck}",) if moved else ()
    return WhatIf(
        _sentence(change, system.bottleneck, "users"),
        figures(system),
        figures(other),
        _assumption(change),
        notes,
        _curve(loads, curves, "users", "throughput"),
    )


def _closed_queue(system: ClosedQueue, change: Change) -> WhatIf:
    users = _users(system.users, change)
    (centre,) = _centres([system.centre], change, system.centre.name)
    other = closed_queue(centre, users, system.think_time)
    loads = np.unique(np.linspace(1, max(users, system.users), _POINTS).round()).astype(int)
    curves = [
        np.array([closed_queue(part, int(n), system.think_time).throughput for n in loads])
        for part in (system.centre, centre)
    ]

    def figures(queue: ClosedQueue) -> dict[str, float]:
        tail = {} if queue.centre.speeds else {"p99 response time": queue.response_percentile(99)}
        found = {"throughput": queue.throughput, "response time": queue.response_time, "utilisation": queue.utilisation}
        return found | tail

    return WhatIf(
        _sentence(change, None, "users"),
        figures(system),
        figures(other),
        _assumption(change),
        (),
        _curve(loads, curves, "users", "throughput"),
    )


def _open_network(system: OpenNetwork, change: Change) -> WhatIf:
    centres = _centres(system.centres, change, system.bottleneck)
    rate = system.rate * _factor(change)
    limit = min(centre.most for centre in centres)
    after = {"throughput": min(rate, limit), "response time": math.inf, "limit": limit}
    if rate < limit:
        after["response time"] = open_network(centres, rate).response_time
    before = {"throughput": system.rate, "response time": system.response_time, "limit": system.limit}
    for figures, parts in ((before, system.centres), (after, centres)):
        rate_served = figures["throughput"]
        figures.update({f"utilisation of {c.name}": rate_served / c.most for c in parts if not c.is_delay})

    def response(parts: Sequence[Centre]) -> Callable[[float], float]:
        return lambda load: open_network(parts, load).response_time

    curve = _responses(max(rate, system.rate), (response(system.centres), system.limit), (response(centres), limit))
    return WhatIf(
        _sentence(change, system.bottleneck, "arrivals"),
        before,
        after,
        _assumption(change),
        _unstable(rate, limit),
        curve,
    )


def _open_queue(system: OpenQueue, change: Change) -> WhatIf:
    (centre,) = _centres([Centre("service", system.service_time, system.servers)], change, "service")
    rate = system.rate * _factor(change)
    places = system.places
    if places is not None and isinstance(change, AddServers):
        places += change.number  # the room to wait stays as it is

    def other(load: float) -> OpenQueue:
        servers = int(centre.servers)
        return open_queue(load, centre.demand, servers, places=places, cs2=system.cs2, ca2=system.ca2)

    def same(load: float) -> OpenQueue:
        kept = {"places": system.places} if system.places is not None else {"cs2": system.cs2, "ca2": system.ca2}
        return open_queue(load, system.service_time, system.servers, **kept)

    def figures(queue: OpenQueue) -> dict[str, float]:
        tail = {} if queue.distribution is None else {"p99 response time": queue.response_percentile(99)}
        found = {"throughput": queue.throughput, "response time": queue.response_time, "utilisation": queue.utilisation}
        return found | ({"loss": queue.loss} if queue.places is not None else {}) | tail

    limits = [
        math.inf if places is not None else value for value in (system.servers / system.service_time, centre.most)
    ]
    before = figures(system)
    if rate < limits[1]:
        after = figures(other(rate))
    else:
        endless = {name: math.inf for name in before if "response" in name}
        after = {**before, "throughput": limits[1], "utilisation": 1.0, **endless}
    curve = _responses(
        max(rate, system.rate),
        (lambda load: same(load).response_time, limits[0]),
        (lambda load: other(load).response_time, limits[1]),
    )
    return WhatIf(
        _sentence(change, None, "arrivals"), before, after, _assumption(change), _unstable(rate, limits[1]), curve
    )


def _law(system: Usl | Amdahl | Linear, change: Change, at: float | None) -> WhatIf:
    if isinstance(change, AddServers):
        raise InputError(
            "servers: a law fitted over users knows nothing of cores; fit one over numbers of cores, or ask a queueing"
            " model"
        )
    law = system.law_
    most = float(system.concurrency_.max())
    base = most if at is None else at
    if not (math.isfinite(base) and base >= 1):
        raise InputError(f"at: {base:g} is not a concurrency of 1 or above")
    load = max(1.0, base * _factor(change))
    other = replace(law, lambda_=law.lambda_ / change.factor) if isinstance(change, ServiceTime) else law

    def figures(law: Law, n: float) -> dict[str, float]:
        x = float(law.throughput(n))
        return {"concurrency": n, "throughput": x, "response time": n / x, "highest throughput": law.peak_throughput}

    notes = list(system.predict([base, load]).notes)
    if isinstance(change, Load):
        predicted = system.predict([load])
        if math.isfinite(predicted.low[0]):
            ends = f"{number(float(predicted.low[0]), 4)} to {number(float(predicted.high[0]), 4)}"
            notes.append(f"{100 * predicted.confidence:g} % sure of a throughput from {ends}, if the law holds there")
    loads = np.linspace(1, max(load, base, most), _POINTS)
    curves = [curve.throughput(loads) for curve in (law, other)]
    assumption = _assumption(change)
    if isinstance(change, ServiceTime):
        assumption = (
            "all work gets shorter alike, that done one after the other included; if only the rest does, alpha rises"
            " and less is gained"
        )
    elif isinstance(change, Load):
        assumption = "the law holds at that concurrency, which nothing but a measurement there can show"
    return WhatIf(
        _sentence(change, None, "concurrent requests"),
        figures(law, base),
        figures(other, load),
        assumption,
        tuple(notes),
        _curve(loads, curves, "concurrency", "throughput"),
    )


def _checked(change: Change) -> None:
    if isinstance(change, AddServers):
        if not (change.number >= 1 and change.number == int(change.number)):
            raise InputError(f"servers: {change.number:g} more is not a whole number of 1 or above")
    elif not (math.isfinite(change.factor) and change.factor > 0):
        raise InputError(f"factor: {change.factor:g} is not above 0")


def _centres(centres: Sequence[Centre], change: Change, bottleneck: str) -> tuple[Centre, ...]:
    if isinstance(change, Load):
        return tuple(centres)
    name = change.centre or bottleneck
    place = next((k for k, station in enumerate(centres) if station.name == name), None)
    if place is None:
        raise InputError(f"centre: there is no {name}; there are {', '.join(station.name for station in centres)}")
    centre = centres[place]
    if isinstance(change, ServiceTime):
        changed = replace(centre, demand=centre.demand * change.factor)
    elif centre.is_delay or centre.speeds:
        what = (
            "a delay has no servers" if centre.is_delay else "its speeds by load do not say what one server more does"
        )
        raise InputError(f"servers of {name}: {what}")
    else:
        changed = replace(centre, servers=centre.servers + change.number)
    return (*centres[:place], changed, *centres[place + 1 :])


def _factor(change: Change) -> float:
    return change.factor if isinstance(change, Load) else 1.0


def _users(users: int, change: Change) -> int:
    return max(1, round(users * _factor(change)))


def _sentence(change: Change, bottleneck: str | None, load: str) -> str:
    if isinstance(change, Load):
        return f"{change.factor:g} times the {load}"
    name = change.centre or bottleneck
    where = f" at {name}" if name else ""
    if isinstance(change, AddServers):
        return f"adding {'a server' if change.number == 1 else f'{change.number} servers'}{where}"
    return f"service {change.factor:g} times as long{where}"


def _assumption(change: Change) -> str:
    if isinstance(change, Load):
        return "the users behave as before (same mix, same think time) and nothing beside the model saturates"
    if isinstance(change, AddServers):
        return "the new servers take their share of the work and nothing they share (a lock, memory, a disk) slows them"
    return "every request there gets shorter or longer alike, and all other demands stay as they are"


def _unstable(rate: float, limit: float) -> tuple[str, ...]:
    if rate < limit:
        return ()
    return (
        f"{number(rate, 4)} arrivals are not below the {number(limit, 4)} that can be served: the queue never ends",
    )


def _curve(loads: Any, curves: Sequence[Any], x: str, y: str) -> Curve:
    before, after = (tuple(map(float, curve)) for curve in curves)
    return Curve(tuple(map(float, loads)), before, after, x, y)


def _responses(
    rate: float, before: tuple[Callable[[float], float], float], after: tuple[Callable[[float], float], float]
) -> Curve:
    """Mean response times up to a little beyond the rate; NaN where requests come faster than they are served."""
    loads = np.linspace(1.2 * rate / _POINTS, 1.2 * rate, _POINTS)
    curves = [[solve(float(load)) if load < limit else math.nan for load in loads] for solve, limit in (before, after)]
    return _curve(loads, curves, "arrivals in a unit of time", "mean response time")


def _relative(before: float, after: float) -> str:
    if math.isnan(before) or math.isnan(after) or before == 0 or math.isinf(before):
        return "–"
    return "∞" if math.isinf(after) else relative(after / before - 1)
