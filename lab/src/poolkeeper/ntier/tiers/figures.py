"""Figures of tiers over a time, from the counters of their servers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from poolkeeper.ntier.system import PoolKey, TierFigures, TierSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.ntier.system import Allocation, Tier, Topology
    from poolkeeper.ntier.tiers.servers.server import Counters


@dataclass
class Samples:
    """Counters of all servers by tier at several times, the first at the beginning and the last at the end.

    Attributes:
        counted: by time.
        switches: context switches of each tier in between.
    """

    counted: list[dict[str, list[Counters]]] = field(default_factory=list)
    switches: dict[str, int] = field(default_factory=dict)


def tier_figures(topology: Topology, allocation: Allocation, samples: Samples) -> tuple[TierFigures, ...]:
    """Figures of all tiers, front to back."""
    spans = [Span(tier, [counted[tier.name] for counted in samples.counted]) for tier in topology.tiers]
    requests = spans[0].total(visits)
    found: list[TierFigures] = []
    for place, (tier, span) in enumerate(zip(topology.tiers, spans, strict=True)):
        # pgpool tells no times: its visits and its connections are those of the tier that calls it.
        caller = spans[place - 1] if place and tier.server == "pgpool" else None
        found.append(_figures(span, caller, requests or math.nan, allocation, samples))
    return tuple(found)


def visits(counters: Counters) -> float | None:
    """Visits that have ended."""
    return counters.visits


@dataclass(frozen=True)
class Span:
    """Counters of the servers of a tier at two times or more, the first at the beginning and the last at the end."""

    tier: Tier
    counted: Sequence[Sequence[Counters]]

    @property
    def servers(self) -> int:
        """Number of servers."""
        return len(self.counted[0])

    @property
    def seconds(self) -> float:
        """Length of the time."""
        pairs = zip(self.counted[0], self.counted[-1], strict=True)
        return sum(end.at_s - begin.at_s for begin, end in pairs) / self.servers

    def total(self, of: Callable[[Counters], float | None]) -> float | None:
        """Growth of a counter over all servers; None if one of them does not report it.

        A server that was started anew counts from 0 again: what it had done since the reading before is lost.
        """
        total = 0.0
        for earlier, later in pairwise(self.counted):
            for begin, end in zip(earlier, later, strict=True):
                before, after = of(begin), of(end)
                if before is None or after is None:
                    return None
                total += after - before if after >= before else after
        return total

    def level(self, of: Callable[[Counters], float | None]) -> float | None:
        """Mean level that a counter sums over time."""
        total = self.total(of)
        return None if total is None or self.seconds <= 0 else total / self.seconds

    @property
    def utilisation(self) -> float:
        """CPU time over quota."""
        used = self.total(lambda counters: counters.cpu_s) or 0.0
        return used / (self.seconds * self.tier.cores * self.servers) if self.seconds > 0 else math.nan


def _figures(span: Span, caller: Span | None, requests: float, allocation: Allocation, samples: Samples) -> TierFigures:
    tier, source = span.tier, caller or span
    if caller is None:
        count, response_s = span.total(visits), span.total(lambda c: c.response_s)
    else:
        count, response_s = caller.total(lambda c: c.statements), caller.total(lambda c: c.statements_s)
    uses, held_s = source.total(lambda c: c.uses), source.total(lambda c: c.held_s)
    pools = {key.kind: allocation[key] * tier.servers for key in tier.pools}
    has_connections = PoolKey(tier.name, "connections") in allocation
    cpu_s = span.total(lambda c: c.cpu_s)
    count = count or 0.0
    return TierFigures(
        tier=tier.name,
        utilisation=span.utilisation,
        throughput=count / span.seconds,
        visits=count / requests,
        response_s=_ratio(response_s, count, math.nan),
        cpu_s=_ratio(cpu_s, count),
        threads=pools.get("threads"),
        threads_busy=span.level(lambda c: c.threads_s),
        threads_waiting=span.level(lambda c: c.threads_wait_s),
        connections=pools.get("connections"),
        connections_busy=source.level(lambda c: c.held_s) if has_connections else None,
        connections_waiting=span.level(lambda c: c.wait_s) if has_connections else None,
        connection_uses=_ratio(uses, requests) if has_connections else None,
        connection_s=_ratio(held_s, uses) if has_connections else None,
        context_switches=samples.switches[tier.name] / span.seconds if tier.name in samples.switches else None,
        gc_share=_share(span),
        series=_series(tier, caller.tier if caller else tier, samples),
    )


def _share(span: Span) -> float | None:
    spent = span.level(lambda c: c.gc_s)
    return None if spent is None else spent / span.servers


def _ratio(part: float | None, whole: float | None, otherwise: float | None = None) -> float:
    """Part of a whole; `otherwise` where one of them is not known."""
    if part is None or not whole:
        return otherwise  # type: ignore[return-value]
    return part / whole


def _series(tier: Tier, source: Tier, samples: Samples) -> TierSeries:
    own = [Span(tier, [before[tier.name], after[tier.name]]) for before, after in pairwise(samples.counted)]
    held = [Span(source, [before[source.name], after[source.name]]) for before, after in pairwise(samples.counted)]
    return TierSeries(
        utilisation=tuple(span.utilisation for span in own),
        threads_busy=_levels(own, lambda c: c.threads_s),
        connections_busy=_levels(held, lambda c: c.held_s) if tier.connections else (),
    )


def _levels(spans: Sequence[Span], of: Callable[[Counters], float | None]) -> tuple[float, ...]:
    levels = [span.level(of) for span in spans]
    return tuple(level for level in levels if level is not None) if None not in levels else ()
