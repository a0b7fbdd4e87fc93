"""Topology files for tests, and systems whose trials are exact: without chance, so that every decision is theory's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.ntier.system import Allocation, PoolKey, TierFigures, TierSeries, Topology, Trial
from poolkeeper.ntier.topology import TopologyFile, read_topology
from poolkeeper.queueing import Centre, mva

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
question: Which pools do these tiers need?
think_time: 500ms
bounds: [500ms, 1s]
tiers:
  web: {server: httpd, cores: 1, threads: 400}
  application: {server: board, count: 2, cores: 1, threads: 200, connections: 200, heap: 128m}
  database: {server: postgres, cores: 1}
trial: {users: 1..2000, seconds: 30s, warm_up: 10s}
model:
  web: {cpu: 1ms}
  application: {cpu: 4ms}
  database: {cpu: 2ms, visits: 2}
"""


def topology(folder: Path, *changes: tuple[str, str], text: str = TEXT) -> TopologyFile:
    """The file with some parts replaced by others."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "tiers.yaml"
    path.write_text(text, encoding="utf-8")
    return read_topology(path)


@dataclass
class MeanValueSystem:
    """Closed network of the tiers, exactly, with pools in which nobody waits.

    Attributes:
        file: topology with its model.
        runs: loads that were asked for.
    """

    file: TopologyFile
    constant: bool = False
    """Service without any variation and users in step: the asymptotic bounds are reached."""

    def __post_init__(self) -> None:
        self.runs: list[tuple[Allocation, int]] = []

    @property
    def topology(self) -> Topology:
        return self.file.topology

    def demands(self) -> dict[str, float]:
        """CPU seconds of a request at one server of each tier."""
        return {
            tier.name: self.file.model[tier.name].cpu * self.file.model[tier.name].visits / tier.servers / tier.cores
            for tier in self.topology.tiers
        }

    def solve(self, users: int) -> tuple[float, dict[str, float]]:
        """Throughput, and the mean time of a request at each tier itself."""
        tiers, think = self.topology.tiers, self.topology.think_time_s
        demands = self.demands()
        if self.constant:
            alone = {tier.name: demands[tier.name] * tier.servers for tier in tiers}
            slowest = max(demands, key=lambda name: demands[name])
            x = min(users / (sum(alone.values()) + think), 1 / demands[slowest])
            waiting = users / x - think - sum(alone.values())
            return x, {name: time + (waiting if name == slowest else 0.0) for name, time in alone.items()}
        centres = [Centre(f"{tier.name}-{k}", demands[tier.name]) for tier in tiers for k in range(tier.servers)]
        network = mva(centres, users, think)
        times = {
            tier.name: sum(network.queue[f"{tier.name}-{k}"] for k in range(tier.servers)) / network.throughput
            for tier in tiers
        }
        return network.throughput, times

    def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
        self.runs.append((allocation, users))
        x, times = self.solve(users)
        count = int(seconds)
        figures: list[TierFigures] = []
        behind = 0.0
        for tier in reversed(self.topology.tiers):
            visits = self.file.model[tier.name].visits
            called, behind = behind, behind + times[tier.name]
            busy, held = x * behind, x * called
            utilisation = x * self.demands()[tier.name]
            threads = allocation[PoolKey(tier.name, "threads")] * tier.servers if tier.threads else None
            connections = allocation[PoolKey(tier.name, "connections")] * tier.servers if tier.connections else None
            figures.append(
                TierFigures(
                    tier=tier.name,
                    utilisation=utilisation,
                    throughput=x * visits,
                    visits=visits,
                    response_s=behind / visits,
                    cpu_s=self.file.model[tier.name].cpu,
                    threads=threads,
                    threads_busy=busy if tier.threads else None,
                    connections=connections,
                    connections_busy=held if tier.connections else None,
                    connection_uses=1.0 if tier.connections else None,
                    connection_s=called if tier.connections else None,
                    series=TierSeries(
                        (utilisation,) * count,
                        (min(busy, threads),) * count if threads else (),
                        (min(held, connections),) * count if connections else (),
                    ),
                )
            )
        response = sum(times.values())
        goodput = {bound: x * (1 - math.exp(-bound / response)) for bound in self.topology.bounds_s}
        return Trial(
            users=users,
            allocation=allocation,
            seconds=seconds,
            throughput=x,
            response_s=response,
            goodput=goodput,
            errors=0.0,
            tiers=tuple(reversed(figures)),
            throughput_series=(x,) * count,
            goodput_series={bound: (value,) * count for bound, value in goodput.items()},
        )
