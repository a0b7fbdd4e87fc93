"""Visits of the database by single requests, found by the trace id that runs through all tiers.

The front tier gives a request its id, the application writes it into a comment in front of each statement, and the
database logs statements with their times.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkeeper.ntier.tiers.running import RunningTiers

_STATEMENT = re.compile(r"duration: (?P<ms>[\d.]+) ms +(?:execute|statement)[^:]*: /\* *(?P<trace>\S+) *\*/")
_EDGE_S = 0.5
"""From a change of the database's log settings until all its processes have seen it."""
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Traces:
    """Requests that lay wholly within the traced time.

    Attributes:
        requests: number of them.
        visits: statements per request.
        front_s: mean response time at the front tier.
        database_s: mean time of a statement in the database.
        matched: part of the requests for which a statement was found, 0 to 1.
    """

    requests: int
    visits: float
    front_s: float
    database_s: float
    matched: float


class Tracer:
    """Logs statements from `begin` to `end`."""

    def __init__(self, tiers: RunningTiers) -> None:
        """Nothing is logged yet."""
        self._tiers = tiers
        self._places: list[int] = []
        self._began_s = self._ended_s = 0.0

    async def begin(self) -> None:
        """Log statements from now on. Raises QueryError."""
        self._places = [database.log.stat().st_size for database in self._tiers.databases]
        for database in self._tiers.databases:
            await database.trace(on=True)
        access = self._tiers.front.access
        access.read()
        access.traces.clear()
        access.tracing = True
        self._began_s = time.time()

    async def gather(self, least_s: float, most_s: float) -> None:
        """Wait `least_s`, and until a request lay wholly within the time, but `most_s` at most.

        Requests of a system that is overloaded, or on a machine that is busy, may take longer than any time chosen
        beforehand.
        """
        began = time.monotonic()
        await asyncio.sleep(least_s)
        while not self._whole(time.time()) and time.monotonic() - began < most_s:
            await asyncio.sleep(_LOOK_S)
            self._tiers.front.access.read()

    def _whole(self, ended_s: float) -> dict[str, float]:
        """Response times of the requests that lay wholly within the time, by their trace ids."""
        return {
            trace: response_s
            for trace, (end_s, response_s) in self._tiers.front.access.traces.items()
            if end_s - response_s > self._began_s + _EDGE_S and end_s < ended_s
        }

    async def end(self) -> None:
        """Log no further statements. Raises QueryError."""
        self._ended_s = time.time()
        for database in self._tiers.databases:
            await database.trace(on=False)
        access = self._tiers.front.access
        access.read()
        access.tracing = False

    def result(self) -> Traces | None:
        """Findings; None if no request lay wholly within the time, though it was waited for."""
        whole = self._whole(self._ended_s)
        if not whole:
            return None
        visits: Counter[str] = Counter()
        spent_ms = 0.0
        for database, place in zip(self._tiers.databases, self._places, strict=True):
            with database.log.open("rb") as file:
                file.seek(place)
                for trace, ms in statements(line.decode(errors="replace") for line in file):
                    if trace in whole:
                        visits[trace] += 1
                        spent_ms += ms
        count = visits.total()
        return Traces(
            len(whole),
            count / len(whole),
            sum(whole.values()) / len(whole),
            spent_ms / 1000 / count if count else 0.0,
            len(visits) / len(whole),
        )


def statements(lines: Iterable[str]) -> Iterable[tuple[str, float]]:
    """Trace id and milliseconds of each statement in a database's log."""
    for line in lines:
        found = _STATEMENT.search(line)
        if found is not None:
            yield found["trace"], float(found["ms"])
