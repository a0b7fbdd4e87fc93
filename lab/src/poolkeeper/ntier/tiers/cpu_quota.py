"""CPU quota of a server as the kernel counts it: its period, and the time that is saved."""

from __future__ import annotations

_PERIOD_S = 0.01
"""Short against response times, so that they do not show it."""
_LONGEST_PERIOD_S = 0.1
_LEAST_QUOTA_S = 0.002
_KEPT_S = 0.001
"""Part of a slice of the quota that a processor keeps when it has nothing to do: Documentation/scheduler/sched-bwc."""


def quota_period(cores: float) -> float:
    """Seconds in which a server with this quota uses it up: longer where the kernel could not count so little time."""
    return min(_LONGEST_PERIOD_S, max(_PERIOD_S, _LEAST_QUOTA_S / cores))


def kept_time(processors: int) -> float:
    """CPU seconds that these processors keep of a period with little work, for later ones."""
    return _KEPT_S * processors
