"""Warms a server up: a load that does not count, for a time or until throughput is steady."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from poolkeeper.experiment.recording.recorder import WarmedUp
from poolkeeper.experiment.warming.steady import TOLERANCE, Drift, change, drift

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolkeeper.experiment.planning.plan import PlannedWarmUp

_EVENT = "warms up"
_MARK = "warm_up"


class WarmUp:
    """Listens to the load generator while it warms a server up, and says when that is enough."""

    def __init__(self, planned: PlannedWarmUp) -> None:
        """Nothing has been heard yet."""
        self._planned = planned
        self._throughput: list[float] = []
        self._heard: asyncio.Queue[float | None] = asyncio.Queue()

    def hear(self, message: dict[str, Any]) -> bool:
        """Take a message of the load generator in; returns whether it was about the warm-up."""
        if message.get("event") == _EVENT:
            self._heard.put_nowait(None)
            return True
        if message.get(_MARK):
            self._heard.put_nowait(float(message.get("throughput", 0.0)))
            return True
        return False

    async def end(self) -> WarmedUp:
        """Wait until the server is warm, or the longest time is over."""
        await self._heard.get()
        if not self._planned.until_steady:
            await asyncio.sleep(self._planned.longest_s)
            while not self._heard.empty():
                self._add(self._heard.get_nowait())
            return WarmedUp(self._planned.longest_s, None, tuple(self._throughput))
        while len(self._throughput) < self._planned.longest_s:
            self._add(await self._heard.get())
            if drift(self._throughput, self._planned.least_s).steady:
                return WarmedUp(len(self._throughput), steady=True, throughput=tuple(self._throughput))
        return WarmedUp(len(self._throughput), steady=False, throughput=tuple(self._throughput))

    def _add(self, throughput: float | None) -> None:
        if throughput is not None:
            self._throughput.append(throughput)


def not_steady(warmed_up: WarmedUp, *, before: bool) -> str | None:
    """Note about a warm-up that did not end steady; None about any other.

    `before` tells that the test was made for an earlier run of the same process.
    """
    if warmed_up.steady is not False:
        return None
    if before:
        return "throughput was not shown to be steady when the process of the server was warmed up"
    seen = change(warmed_up.throughput[len(warmed_up.throughput) // 2 :])
    return (
        f"throughput was not shown to be steady after a warm-up of {warmed_up.seconds:.0f} s: over its last "
        f"{seen.seconds} s {_described(seen)}"
    )


def since(warmed_up: WarmedUp, measured: Sequence[float]) -> Drift:
    """The drift from the second half of a warm-up to the end of the load that was measured, by the second."""
    return change([*warmed_up.throughput[len(warmed_up.throughput) // 2 :], *measured])


def drifted(seen: Drift) -> str:
    """Note about a load that was not steady to its end; None about any other."""
    return (
        f"throughput was not shown to be steady while it was measured: over {seen.seconds} s, the second half of the "
        f"warm-up among them, {_described(seen)}"
    )


def _described(seen: Drift) -> str:
    if math.isnan(seen.change):
        return "its change cannot be distinguished from its noise"
    interval = f"({seen.low:+.0%} to {seen.high:+.0%})"
    return f"it changed by {seen.change:+.0%} {interval}, where less than {TOLERANCE:.0%} either way is asked"
