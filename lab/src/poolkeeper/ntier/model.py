"""System in virtual time: a topology whose tiers the simulator plays.

Assumed: a server under a CPU quota of q cores is one of ceil(q) cores that are slower by ceil(q) / q, or, where the
model of its tier has a period, one whose tasks run at full speed until the quota of the period is used up; a visit goes
to the server of a tier with the fewest requests; messages take no time. docs/n-tier.md says what that leaves out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from poolkeeper.errors import RunError
from poolkeeper.ntier.costs import open_connections
from poolkeeper.ntier.system import Allocation, PoolKey, Tier, TierFigures, TierSeries, Topology, Trial
from poolkeeper.sweep.plan import PlannedSimulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poolkeeper.ntier.settings import TierModel
    from poolkeeper.ntier.topology import TopologyFile

UNLIMITED = 1_000_000
"""Threads of a tier that has no pool of them."""
CONNECTIONS = "connections"


@dataclass(frozen=True)
class SimulatedSystem:
    """System that the simulator plays; the same seed, allocation and users give the same trial.

    Attributes:
        file: the topology with the model of its tiers.
        play: plays a model and returns its result, as `./poolkeeper simulate --json` prints it.
        seed: of the random numbers, the same in every trial.
    """

    file: TopologyFile
    play: Callable[[PlannedSimulation], dict[str, Any]]
    seed: int = 1

    @property
    def topology(self) -> Topology:
        """See System."""
        return self.file.topology

    def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
        """See System; `seconds` are rounded up to whole ones."""
        counted = math.ceil(seconds)
        document = self.document(allocation, users, counted)
        text = yaml.safe_dump(document, sort_keys=False)
        result = self.play(PlannedSimulation(self.topology.name, {"users": users}, text))
        return self._trial(allocation, users, counted, result)

    def document(self, allocation: Allocation, users: int, seconds: int) -> dict[str, Any]:
        """The model of the simulator, as docs/simulate.md has it."""
        tiers = self.topology.tiers
        warm_up = math.ceil(self.file.trial.warm_up)
        return {
            "question": self.topology.question,
            "clients": {
                "kind": "closed",
                "users": users,
                "think_time": f"exponential {_duration(self.topology.think_time_s)}",
            },
            "tiers": {tier.name: self._tier(place, allocation, users) for place, tier in enumerate(tiers)},
            "run": {
                "for": f"{warm_up + seconds}s",
                "warm_up": f"{warm_up}s",
                "batches": seconds,
                "seed": self.seed,
                "bounds": [_duration(bound) for bound in self.topology.bounds_s],
            },
        }

    def _tier(self, place: int, allocation: Allocation, users: int) -> dict[str, Any]:
        tier, model = self.topology.tiers[place], self._model(place)
        slowed = 1 + model.connection_overhead * open_connections(self.topology, place, allocation)
        linger = model.linger + model.linger_per_user * users
        settings: dict[str, Any] = {
            "replicas": tier.servers,
            "balancer": "least-connections",
            "workers": {"size": _workers(tier, allocation)},
            "cores": model.processors_of(tier),
            "overhead": model.overhead,
            "work": self._work(place, allocation, model.core_time(tier) * slowed),
        }
        if model.period is not None:
            settings["quota"] = {
                "cores": tier.cores,
                "period": _duration(model.period),
                "burst": _duration(model.burst),
            }
        if linger > 0:
            settings["linger"] = f"exponential {_duration(linger)}"
        if tier.threads and tier.connections:
            settings["pools"] = {CONNECTIONS: {"size": allocation[PoolKey(tier.name, "connections")]}}
        return settings

    def _work(self, place: int, allocation: Allocation, cpu: float) -> list[dict[str, Any]]:
        tier, model = self.topology.tiers[place], self._model(place)
        steps: list[dict[str, Any]] = []
        calls: dict[str, Any] | None = None
        if place + 1 < len(self.topology.tiers):
            following = self.topology.tiers[place + 1]
            calls = {"call": following.name, "times": self._model(place + 1).visits / model.visits}
        kind = model.distribution
        if cpu > 0 and model.held_cpu < 1:
            steps.append({"cpu": _varying(kind, cpu * (1 - model.held_cpu))})
        if model.wait > 0:
            steps.append({"wait": _varying(kind, model.wait)})
        if calls is None:
            return steps
        pooled = tier.threads and PoolKey(tier.name, "connections") in allocation
        if pooled and model.connection == "visit":
            held = [{"cpu": _varying(kind, cpu * model.held_cpu)}] if model.held_cpu else []
            steps.append({"hold": CONNECTIONS, "work": [*held, calls]})
        else:
            steps.append({**calls, "through": CONNECTIONS} if pooled else calls)
        return steps

    def _model(self, place: int) -> TierModel:
        return self.file.require_model()[self.topology.tiers[place].name]

    def _trial(self, allocation: Allocation, users: int, seconds: int, result: dict[str, Any]) -> Trial:
        request, series = result["requests"][0], result["series"]
        throughput = request["throughput_per_s"]["value"]
        if not throughput:
            raise RunError(f"{self.topology.name}: no request was answered with {allocation} and {users} users")
        bounds = self.topology.bounds_s
        course = series["requests"][0]
        return Trial(
            users=users,
            allocation=allocation,
            seconds=float(seconds),
            throughput=throughput,
            response_s=request["response_s"]["mean"]["value"],
            goodput={bound: each["value"] for bound, each in zip(bounds, request["goodput_per_s"], strict=True)},
            errors=request["failed"]["value"] or 0.0,
            tiers=tuple(
                self._figures(place, allocation, users, throughput, result) for place in range(len(self.topology.tiers))
            ),
            throughput_series=tuple(course["throughput_per_s"]),
            goodput_series={
                bound: tuple(values) for bound, values in zip(bounds, course["goodput_per_s"], strict=True)
            },
            warnings=tuple(result["warnings"]),
        )

    def _figures(
        self, place: int, allocation: Allocation, users: int, throughput: float, result: dict[str, Any]
    ) -> TierFigures:
        tier, model = self.topology.tiers[place], self._model(place)
        names = tier.server_names
        workers = _Pools.of(result, names)
        linger = model.linger + model.linger_per_user * users
        utilisation, course = _utilisation(result, [f"{name}.cpu" for name in names])
        part = model.capacity(tier) / tier.cores
        visits = workers.throughput / throughput
        response = workers.service - linger
        held: _Pools | None = None
        if tier.connections:
            held = _Pools.of(result, [f"{name}.{CONNECTIONS}" for name in names]) if tier.threads else workers
        return TierFigures(
            tier=tier.name,
            utilisation=utilisation * part,
            throughput=workers.throughput,
            visits=visits,
            response_s=response,
            cpu_s=utilisation * model.capacity(tier) * tier.servers / workers.throughput,
            threads=allocation[PoolKey(tier.name, "threads")] * tier.servers if tier.threads else None,
            threads_busy=workers.busy if tier.threads else None,
            threads_waiting=workers.queue if tier.threads else None,
            connections=allocation[PoolKey(tier.name, "connections")] * tier.servers if tier.connections else None,
            connections_busy=held.busy if held else None,
            connections_waiting=held.queue if held else None,
            connection_uses=held.throughput / throughput if held else None,
            connection_s=held.service if held else None,
            series=TierSeries(
                utilisation=tuple(value * part for value in course),
                threads_busy=workers.busy_series if tier.threads else (),
                connections_busy=held.busy_series if held else (),
            ),
        )


@dataclass(frozen=True)
class _Pools:
    """Figures of the pools of one kind of all servers of a tier together."""

    throughput: float
    busy: float
    queue: float
    busy_series: tuple[float, ...]

    @property
    def service(self) -> float:
        """Mean time for which a unit is held: by Little's law, exactly."""
        return self.busy / self.throughput

    @classmethod
    def of(cls, result: dict[str, Any], names: Sequence[str]) -> _Pools:
        found = {pool["pool"]: pool for pool in result["pools"]}
        courses = {pool["pool"]: pool for pool in result["series"]["pools"]}
        throughput, busy, queue = (
            sum(found[name][figure]["value"] for name in names) for figure in ("throughput_per_s", "busy", "queue")
        )
        if not throughput:
            raise RunError(f"{names[0]}: no visit ended; the trial is too short for its load")
        return cls(throughput, busy, queue, _sums(courses[name]["busy"] for name in names))


def _utilisation(result: dict[str, Any], names: Sequence[str]) -> tuple[float, tuple[float, ...]]:
    found = {station["station"]: station["utilisation"]["value"] for station in result["stations"]}
    courses = {station["station"]: station["utilisation"] for station in result["series"]["stations"]}
    course = _sums(courses[name] for name in names)
    return sum(found[name] for name in names) / len(names), tuple(value / len(names) for value in course)


def _sums(courses: Iterable[Sequence[float]]) -> tuple[float, ...]:
    return tuple(map(sum, zip(*courses, strict=True)))


def _workers(tier: Tier, allocation: Allocation) -> int:
    return allocation[tier.pools[0]] if tier.pools else UNLIMITED


def _duration(seconds: float) -> str:
    return f"{seconds * 1e6:.6f}".rstrip("0").rstrip(".") + "us"


def _varying(kind: str, seconds: float) -> str:
    return _duration(seconds) if kind == "constant" else f"exponential {_duration(seconds)}"
