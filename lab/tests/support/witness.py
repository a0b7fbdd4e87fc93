"""The same systems once more in SimPy, an independent witness for the simulator: idiomatic processes and resources.

Times are seconds; every function returns the response times of requests that ended after the warm-up, by replication
of its own seed, and how many were offered and refused after it. SimPy takes long and its answers do not change, so
they stand in `witness.json`: POOLKEEPER_WITNESS=1 has it play again, and writes the file.
"""

from __future__ import annotations

import json
import math
import os
import random
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import simpy

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


@dataclass
class Seen:
    """Counts of one replication after its warm-up, which lasted until `warm_up`."""

    warm_up: float
    until: float
    responses: list[float] = field(default_factory=list)
    offered: int = 0
    refused: int = 0

    def ended(self, arrived: float, now: float) -> None:
        if now >= self.warm_up:
            self.responses.append(now - arrived)

    def offer(self, now: float, *, refused: bool) -> None:
        if now >= self.warm_up:
            self.offered += 1
            self.refused += refused

    @property
    def throughput(self) -> float:
        return len(self.responses) / (self.until - self.warm_up)

    @property
    def mean(self) -> float:
        return sum(self.responses) / len(self.responses)

    def percentile(self, percent: float) -> float:
        ordered = sorted(self.responses)
        return ordered[min(len(ordered) - 1, int(percent / 100 * len(ordered)))]


def replicate(
    model: Callable[[simpy.Environment, random.Random, Seen], None], *, number: int, seen: Seen
) -> list[Seen]:
    """Run a model several times from different seeds, each as long as `seen` says."""
    found = []
    for seed in range(1, number + 1):
        env = simpy.Environment()
        traits = Seen(seen.warm_up, seen.until)
        model(env, random.Random(seed), traits)
        env.run(until=seen.until)
        found.append(traits)
    return found


def closed(users: int, cores: int, think: float, service: float) -> Callable[..., None]:
    """Users who think, queue for a core and are served, all exponential."""

    def model(env: simpy.Environment, rng: random.Random, seen: Seen) -> None:
        machine = simpy.Resource(env, cores)

        def user() -> Generator[simpy.Event, Any, None]:
            while True:
                if think:
                    yield env.timeout(rng.expovariate(1 / think))
                arrived = env.now
                with machine.request() as turn:
                    yield turn
                    yield env.timeout(rng.expovariate(1 / service))
                seen.ended(arrived, env.now)

        for _ in range(users):
            env.process(user())

    return model


def bounded(rate: float, cores: int, places: int, service: float) -> Callable[..., None]:
    """M/M/c/K: requests that arrive while all places are taken are refused."""

    def model(env: simpy.Environment, rng: random.Random, seen: Seen) -> None:
        machine = simpy.Resource(env, cores)

        def request() -> Generator[simpy.Event, Any, None]:
            arrived = env.now
            with machine.request() as turn:
                yield turn
                yield env.timeout(rng.expovariate(1 / service))
            seen.ended(arrived, env.now)

        def arrivals() -> Generator[simpy.Event, Any, None]:
            while True:
                yield env.timeout(rng.expovariate(rate))
                full = machine.count + len(machine.queue) >= places
                seen.offer(env.now, refused=full)
                if not full:
                    env.process(request())

        env.process(arrivals())

    return model


def chained(rate: float, pool: int, cores: int, front: float, behind: float) -> Callable[..., None]:
    """A worker of a pool is held while a core computes and then while the tier behind answers, which never queues."""

    def model(env: simpy.Environment, rng: random.Random, seen: Seen) -> None:
        workers, machine = simpy.Resource(env, pool), simpy.Resource(env, cores)

        def request() -> Generator[simpy.Event, Any, None]:
            arrived = env.now
            with workers.request() as worker:
                yield worker
                with machine.request() as turn:
                    yield turn
                    yield env.timeout(rng.expovariate(1 / front))
                yield env.timeout(rng.expovariate(1 / behind))
            seen.ended(arrived, env.now)

        def arrivals() -> Generator[simpy.Event, Any, None]:
            while True:
                yield env.timeout(rng.expovariate(rate))
                env.process(request())

        env.process(arrivals())

    return model


def half_open(rate: float, stay: float, cores: int, think: float, service: float) -> Callable[..., None]:
    """Users arrive, and after each answer stay with a probability, think, and send again."""

    def model(env: simpy.Environment, rng: random.Random, seen: Seen) -> None:
        machine = simpy.Resource(env, cores)

        def user() -> Generator[simpy.Event, Any, None]:
            while True:
                arrived = env.now
                with machine.request() as turn:
                    yield turn
                    yield env.timeout(rng.expovariate(1 / service))
                seen.ended(arrived, env.now)
                if rng.random() >= stay:
                    return
                yield env.timeout(rng.expovariate(1 / think))

        def arrivals() -> Generator[simpy.Event, Any, None]:
            while True:
                yield env.timeout(rng.expovariate(rate))
                env.process(user())

        env.process(arrivals())

    return model


PLAYED: dict[str, tuple[Callable[..., None], Seen]] = {
    "closed": (closed(10, 2, 0.1, 0.025), Seen(10, 210)),
    "bounded": (bounded(200, 4, 16, 0.025), Seen(10, 110)),
    "chained": (chained(120, 8, 2, 0.01, 0.04), Seen(10, 160)),
    "half-open": (half_open(12, 0.5, 1, 0.5, 0.025), Seen(10, 410)),
}
"""Systems, and how long a replication of each lasts."""
NUMBER = 10
"""Replications of each."""
SHORT = Seen(2, 12)
"""A replication by which the systems are held to be those that have been played."""
_FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Figure:
    """Mean of a figure over the replications, with its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, found: list[float]) -> Figure:
        return cls(statistics.fmean(found), statistics.stdev(found) / math.sqrt(len(found)))


def short(name: str) -> list[float]:
    """Throughput and mean response time of a short replication of a system."""
    (traits,) = replicate(PLAYED[name][0], number=1, seen=SHORT)
    return [traits.throughput, traits.mean]


def played(name: str) -> tuple[dict[str, Figure], list[float]]:
    """Figures of a system by SimPy: throughput, mean, p90, p99 and refused; and those of a short replication."""
    kept = json.loads(_FILE.read_text(encoding="utf-8")) if _FILE.exists() else {}
    if os.environ.get("POOLKEEPER_WITNESS"):
        kept[name] = _play(name)
        _FILE.write_text(json.dumps(dict(sorted(kept.items())), indent=2) + "\n", encoding="utf-8")
    return {figure: Figure(*values) for figure, values in kept[name]["figures"].items()}, kept[name]["short"]


def _play(name: str) -> dict[str, Any]:
    model, seen = PLAYED[name]
    runs = replicate(model, number=NUMBER, seen=seen)
    figures = {
        "throughput": [traits.throughput for traits in runs],
        "mean": [traits.mean for traits in runs],
        "p90": [traits.percentile(90) for traits in runs],
        "p99": [traits.percentile(99) for traits in runs],
        "refused": [traits.refused / max(1, traits.offered) for traits in runs],
    }
    return {
        "short": short(name),
        "figures": {figure: list(vars(Figure.of(values)).values()) for figure, values in figures.items()},
    }
