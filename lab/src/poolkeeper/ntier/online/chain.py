"""Pools around an application that sizes its own: the tiers in front and behind follow the need of its pools.

Equation 6 of the plan (docs/n-tier.md), with figures of the last seconds. A request holds a connection of the front
tier for the time that it is with the application, without its wait for a thread there; a connection of the
application holds one of the middleware for a transaction. So with the means in use

    connections of the front = threads x connections of the front in use / busy threads
    connections of the middleware = connections x those of the middleware in use / those of the application in use

Waits for the tier behind count in neither. Each pool has three standard deviations of a Poisson number more, so that
it does not bind.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

from poolkeeper.ntier.system import PoolKey
from poolkeeper.ntier.tiers.figures import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from poolkeeper.ntier.system import PoolKind, Tier, Topology
    from poolkeeper.ntier.tiers.servers.server import Counters

MEMORY_S = 5
"""Readings, one a second, over which numbers in use are means."""
_SPARE = 3


class ChainSizes:
    """Sizes of the pools of all other tiers, from counters of all servers and the sizes of the application's pools."""

    def __init__(self, topology: Topology) -> None:
        """No counters yet."""
        self._topology = topology
        self._place = next(place for place, tier in enumerate(topology.tiers) if tier.server == "board")
        self._counted: deque[dict[str, list[Counters]]] = deque(maxlen=MEMORY_S + 1)

    @property
    def pools(self) -> tuple[PoolKey, ...]:
        """Pools that follow."""
        return tuple(key for tier in self._followers() for key in tier.pools)

    def add(self, counted: dict[str, list[Counters]]) -> None:
        """Add counters."""
        self._counted.append(counted)

    @property
    def last(self) -> dict[str, list[Counters]] | None:
        """Counters added last."""
        return self._counted[-1] if self._counted else None

    def sizes(self, application: Mapping[PoolKind, float], servers: int) -> dict[PoolKey, int]:
        """Sizes of the pools that follow, without those for which the counters do not suffice.

        `application`: mean sizes of the application's pools. `servers`: number of its servers that get requests.
        """
        if len(self._counted) < 2:  # noqa: PLR2004 - a beginning and an end
            return {}
        found: dict[PoolKey, int] = {}
        front, board = self._topology.tiers[0], self._topology.tiers[self._place]
        busy, queued = self._level(board, _threads), self._level(board, _threads_wait)
        held = self._level(front, _held)
        if front.connections and busy > 0 and held > queued:
            # A server that gets no requests has its share of the limit all the same.
            threads, share = servers * application["threads"], board.servers / servers
            found[PoolKey(front.name, "connections")] = _following(front, threads * (held - queued) / busy, share)
        for tier in self._topology.tiers[self._place + 1 :]:
            taken, waited = self._level(board, _held), self._level(tier, _wait)
            held = self._level(tier, _held)
            if tier.connections and held > 0 and taken > waited:
                connections = servers * application["connections"]
                found[PoolKey(tier.name, "connections")] = _following(tier, connections * held / (taken - waited))
        return found

    def _followers(self) -> list[Tier]:
        return [tier for place, tier in enumerate(self._topology.tiers) if place != self._place]

    def _level(self, tier: Tier, of: Callable[[Counters], float | None]) -> float:
        return Span(tier, [each[tier.name] for each in self._counted]).level(of) or 0.0


def _following(tier: Tier, needed: float, share: float = 1.0) -> int:
    size = math.ceil(share * (needed + _SPARE * math.sqrt(needed) + 1))
    return min(max(size, tier.least.get("connections", 1)), tier.most.get("connections", size))


def _threads(counters: Counters) -> float | None:
    return counters.threads_s


def _threads_wait(counters: Counters) -> float | None:
    return counters.threads_wait_s


def _held(counters: Counters) -> float | None:
    return counters.held_s


def _wait(counters: Counters) -> float | None:
    return counters.wait_s
