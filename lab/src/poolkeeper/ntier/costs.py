"""Processor time of a visit in measured trials, and its growth with busy threads and open connections.

Processor time is measured under any load. A visit to a server at which many others are under way costs more of it: by
context switches, locks and caches. Trials in which many were and few were tell by how much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.ntier.settings import TierModel
    from poolkeeper.ntier.system import Allocation, Topology, Trial

LEAST_BUSY = 10.0
"""Difference between the busy threads of a server in two trials from which on their cost can be identified."""
LEAST_RATIO = 2.0
"""Ratio between the open connections of two trials from which on theirs can."""


@dataclass(frozen=True)
class Loads:
    """Trials under a light load, of one allocation, and under a heavy load."""

    light: Sequence[Trial]
    heavy: Sequence[Trial]


@dataclass(frozen=True)
class Costs:
    """Processor time of a visit of a tier.

    Attributes:
        cpu: seconds at a server that does nothing else.
        overhead: part by which each busy thread beyond the processors lengthens it.
        connection_overhead: part by which each open connection of a server lengthens it.
    """

    cpu: float
    overhead: float
    connection_overhead: float

    def of(self, busy: float, connections: float) -> float:
        """Seconds with so many busy threads beyond the processors, and open connections of a server."""
        return self.cpu * (1 + self.overhead * busy) * (1 + self.connection_overhead * connections)


def open_connections(topology: Topology, place: int, allocation: Allocation) -> float:
    """Connections open to each server of the tier at a place, 0 in front.

    A tier in front without a pool of connections has one for each thread.
    """
    front = topology.tiers[place - 1]
    if place == 0 or not front.pools:
        return 0.0
    return allocation[front.pools[-1]] * front.servers / topology.tiers[place].servers


def busy_beyond(topology: Topology, place: int, trial: Trial, processors: int) -> float:
    """Busy threads of each server beyond the processors. A database has one for each connection that is in use.

    What a database itself counts as busy begins when it has read a statement, for which a process that its quota stops
    has to wait.
    """
    tier = topology.tiers[place]
    front = topology.tiers[place - 1]
    at_work = tier.name if tier.threads or place == 0 else front.name
    figures = trial.tier(at_work)
    busy = figures.threads_busy if tier.threads or figures.connections_busy is None else figures.connections_busy
    return max(0.0, (busy or 0.0) / tier.servers - processors)


def costs(
    topology: Topology,
    place: int,
    loads: Loads,
    processors: int,
    given: TierModel | None,
) -> Costs:
    """Costs of the tier at a place: by least squares over the trials under a heavy load, weighted by their visits.

    Overheads that these cannot tell are the given ones, and the processor time is then that of the light load: no trial
    had `LEAST_BUSY` more busy threads than another, or all had about as many connections open.
    """
    name = topology.tiers[place].name
    found = Costs(0.0, given.overhead if given else 0.0, given.connection_overhead if given else 0.0)
    heavy = [trial for trial in loads.heavy if trial.tier(name).cpu_s is not None]
    busy = np.array([busy_beyond(topology, place, trial, processors) for trial in heavy])
    identified = bool(heavy) and float(np.ptp(busy)) >= LEAST_BUSY
    trials = heavy if identified else loads.light
    connections = np.array([open_connections(topology, place, trial.allocation) for trial in trials])
    cpu = np.array([trial.tier(name).cpu_s or 0.0 for trial in trials])
    visits = np.array([trial.tier(name).throughput * trial.seconds for trial in trials])
    if not identified:
        without = cpu / (1 + found.connection_overhead * connections)
        return replace(found, cpu=float(np.average(without, weights=visits)))
    pooled = topology.tiers[place - 1].connections and place > 0
    both = pooled and float(connections.max()) >= LEAST_RATIO * float(connections.min())
    columns = [np.ones(len(trials)), busy, *([connections] if both else [])]
    wanted = cpu if both else cpu / (1 + found.connection_overhead * connections)
    weights = np.sqrt(visits)
    solution, _ = nnls(np.column_stack(columns) * weights[:, None], wanted * weights)
    alone, *parts = (float(value) for value in solution)
    if alone <= 0:  # all of it grew with the load: no model of this kind
        return costs(topology, place, replace(loads, heavy=()), processors, given)
    return Costs(alone, parts[0] / alone, parts[1] / alone if both else found.connection_overhead)
