"""Third step: sizes all pools from the jobs in the critical tier.

With the jobs N_c of the critical tier, visits V and response times RT of the tiers, by Little's law and forced flow
    ThreadPool_i = N_c (V_i RT_i) / (V_c RT_c)            equation 5, for tiers in front of the critical one
    ConnPool_i   = N_c (U_i RTconn_i) / (V_c RT_c)        equation 6, for those and the critical one itself
where U_i counts connections taken per request of a user, and RTconn_i is the time from taking one to giving it back.
The thread pool of the critical tier, and all pools behind it, have N_c. Sizes are divided among the servers of a tier
and rounded up; the front-most tier gets a multiple for bursts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.ntier.settings import SERVERS
from poolkeeper.ntier.system import Allocation, PoolKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.ntier.system import Tier, TierFigures, Topology

_ROUNDING = 1e-6
"""Excess over a whole number that is rounding alone."""


@dataclass(frozen=True, slots=True)
class PoolSize:
    """Size of a pool and its reason.

    Attributes:
        key: the pool.
        total: units of all servers of the tier together, before rounding.
        minimum: size of one server.
        recommended: the same with the buffer of the front-most tier.
        why: equation with its numbers.
    """

    key: PoolKey
    total: float
    minimum: int
    recommended: int
    why: str


def threads_by_ratio(jobs: float, front: TierFigures, critical: TierFigures) -> float:
    """Threads that a tier needs so that the critical one holds `jobs`: equation 5.

    Raises RunError if the tier could not tell its response time.
    """
    if math.isnan(front.response_s):
        raise RunError(f"{front.tier}: its response time was not measured, which equation 5 needs")
    return jobs * front.visits * front.response_s / (critical.visits * critical.response_s)


def connections_by_ratio(jobs: float, front: TierFigures, critical: TierFigures) -> float:
    """Connections that a tier needs so that the critical one holds `jobs`: equation 6.

    Raises RunError if the tier could not tell how long its connections are held.
    """
    if front.connection_s is None:
        raise RunError(f"{front.tier}: how long a connection is held was not measured, which equation 6 needs")
    uses = front.visits if front.connection_uses is None else front.connection_uses
    return jobs * uses * front.connection_s / (critical.visits * critical.response_s)


def min_allocation(
    topology: Topology, critical: str, jobs: float, figures: Sequence[TierFigures], buffer: float
) -> list[PoolSize]:
    """Sizes of all pools, front to back, from the figures of the tiers at the knee."""
    by_name = {each.tier: each for each in figures}
    names = [tier.name for tier in topology.tiers]
    place = names.index(critical)
    front = next(tier for tier in topology.tiers if tier.pools)
    sizes: dict[PoolKey, PoolSize] = {}
    for at, tier in enumerate(topology.tiers):
        for key in tier.pools:
            total, why = _total(key, tier, at - place, jobs, by_name, critical)
            least = _least(topology, at, sizes)
            minimum = limited(topology, key, max(least, _per_server(total, tier.servers)))
            recommended = minimum
            if key == front.pools[0]:
                recommended = limited(topology, key, math.ceil(minimum * buffer - _ROUNDING))
                why += f"; times {buffer:g} for bursts" if recommended > minimum else ""
            if least > _per_server(total, tier.servers):
                why += f"; at least {least}, one for each connection of the tier in front"
            sizes[key] = PoolSize(key, total, minimum, recommended, why)
    return list(sizes.values())


def _total(  # noqa: PLR0913 - what both equations need
    key: PoolKey, tier: Tier, behind: int, jobs: float, figures: Mapping[str, TierFigures], critical: str
) -> tuple[float, str]:
    mine, slowest = figures[tier.name], figures[critical]
    rest = f"({slowest.visits:.3g} x {slowest.response_s * 1e3:.3g} ms)"
    held_for_visits = key.kind == "connections" and not tier.threads
    if behind > 0 or (behind == 0 and (key.kind == "threads" or held_for_visits)):
        return jobs, f"the {jobs:.3g} jobs of {critical}"
    if key.kind == "threads" or held_for_visits:
        total = threads_by_ratio(jobs, mine, slowest)
        return total, f"{jobs:.3g} x ({mine.visits:.3g} x {mine.response_s * 1e3:.3g} ms) / {rest} = {total:.3g} (5)"
    total = connections_by_ratio(jobs, mine, slowest)
    uses = mine.visits if mine.connection_uses is None else mine.connection_uses
    held = (mine.connection_s or 0.0) * 1e3
    return total, f"{jobs:.3g} x ({uses:.3g} x {held:.3g} ms) / {rest} = {total:.3g} (6)"


def _least(topology: Topology, at: int, sizes: Mapping[PoolKey, PoolSize]) -> int:
    """Size below which a server refuses connections that the tier in front holds open."""
    tier = topology.tiers[at]
    if not at or not SERVERS[tier.server].per_connection:
        return 1
    caller = topology.tiers[at - 1]
    opened = sizes.get(PoolKey(caller.name, "connections"))
    return 1 if opened is None else math.ceil(opened.recommended * caller.servers / tier.servers)


def with_room(topology: Topology, allocation: Allocation) -> Allocation:
    """The allocation with a unit for each open connection of the tier in front, where a server takes one for each."""
    sizes = dict(allocation.sizes)
    for front, tier in zip(topology.tiers, topology.tiers[1:], strict=False):
        opened, room = PoolKey(front.name, "connections"), PoolKey(tier.name, "connections")
        if SERVERS[tier.server].per_connection and opened in sizes:
            needed = math.ceil(sizes[opened] * front.servers / tier.servers)
            sizes[room] = limited(topology, room, max(sizes[room], needed))
    return Allocation(sizes)


def _per_server(total: float, servers: int) -> int:
    return max(1, math.ceil(total / servers - _ROUNDING))


def limited(topology: Topology, key: PoolKey, size: int) -> int:
    """The size of a pool within the bounds of its tier."""
    tier = topology.tier(key.tier)
    least, most = tier.least.get(key.kind, 1), tier.most.get(key.kind)
    return max(least, size if most is None else min(size, most))


def allocation_of(sizes: Sequence[PoolSize], *, minimum: bool = False) -> Allocation:
    """The recommended sizes as an allocation, or the minima."""
    return Allocation({size.key: size.minimum if minimum else size.recommended for size in sizes})
