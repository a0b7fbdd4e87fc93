"""Processors of the machine: whether programs that are no part of a run took them from its servers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import psutil

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.ntier.system import TierFigures, Topology

_MOST_PART = 0.1
"""Part of all processors from which on it matters."""


@dataclass(frozen=True, slots=True)
class ProcessorTimes:
    """Times of all processors together until now, in seconds; `stolen_s` is what the host of a virtual one took."""

    at_s: float
    busy_s: float
    stolen_s: float

    @classmethod
    def now(cls) -> Self:
        """Reads them."""
        times = psutil.cpu_times()
        stolen_s = float(times.steal)
        idle_s = times.idle + times.iowait
        guests_s = times.guest + times.guest_nice  # part of user and nice
        return cls(time.monotonic(), sum(times) - guests_s - idle_s - stolen_s, stolen_s)


def taken_by_others(
    before: ProcessorTimes, after: ProcessorTimes, own_s: float, processors: int | None = None
) -> str | None:
    """Message about processors that others had between two readings; None if that was little.

    `own_s`: processor time of the servers and the load generator.
    """
    count = processors or psutil.cpu_count() or 1
    seconds = after.at_s - before.at_s
    if seconds <= 0:
        return None
    others = (after.busy_s - before.busy_s - own_s) / seconds
    stolen = (after.stolen_s - before.stolen_s) / seconds
    found = [
        f"{who} {used:.2g} of this machine's {count} processors"
        for who, used in (("other programs used", others), ("the host took", stolen))
        if used > _MOST_PART * count
    ]
    if not found:
        return None
    return f"{' and '.join(found)}: the servers may have had less than their quotas"


def used_s(topology: Topology, tiers: Sequence[TierFigures], seconds: float) -> float:
    """Processor time of all servers."""
    return sum(
        figures.utilisation * tier.cores * tier.servers * seconds
        for tier, figures in zip(topology.tiers, tiers, strict=True)
    )
