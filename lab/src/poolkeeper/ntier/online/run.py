"""Run of one contestant over the schedule, on real servers that were started for it."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import RunError
from poolkeeper.ntier.online.chain import ChainSizes
from poolkeeper.ntier.online.mix import description
from poolkeeper.ntier.real import COLD_S, RealSystem
from poolkeeper.ntier.system import KINDS
from poolkeeper.ntier.tiers.figures import Samples, tier_figures
from poolkeeper.ntier.tiers.load import read_result
from poolkeeper.ntier.tiers.processors import ProcessorTimes, taken_by_others, used_s
from poolkeeper.ntier.tiers.trial import SLACK_S, generator_limits, under_load, warm_without_quotas
from poolkeeper.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from poolkeeper.ntier.online.schedule import Contestant, PhaseSettings, Schedule
    from poolkeeper.ntier.system import PoolKind
    from poolkeeper.ntier.tiers.load import LoadResult
    from poolkeeper.ntier.tiers.running import RunningTiers
    from poolkeeper.ntier.tiers.servers.board import Board
    from poolkeeper.ntier.tiers.servers.server import Counters

_WARM_UP_SLACK_S = 180.0
"""For answers under quotas and of the admin ports, which a busy machine gives late."""


@dataclass(frozen=True)
class OnlineRun:
    """Measured course of one contestant; every series has one value a second.

    Attributes:
        contestant: its name.
        turn: number of the round, from 1.
        goodput: answers within each bound, by the bound in seconds.
        threads: size of the application's thread pool at the end of each second; mean of its servers in use.
        connections: the same of its connections.
        utilisation: CPU of quota by tier, one value a phase; of the quota in force at the beginning.
        errors: part of the requests that failed.
        warnings: what to know before using it.
        others: sizes of the other tiers' pools at the end of each second, by pool; empty where they stay.
    """

    contestant: str
    turn: int
    goodput: Mapping[float, tuple[float, ...]]
    threads: tuple[int, ...]
    connections: tuple[int, ...]
    utilisation: Mapping[str, tuple[float, ...]]
    errors: float
    warnings: tuple[str, ...] = ()
    others: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The run as JSON can hold it."""
        return {**asdict(self), "goodput": {str(bound): series for bound, series in self.goodput.items()}}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> OnlineRun:
        """The run that `to_json` wrote. Raises KeyError, TypeError or ValueError for another document."""
        found = dict(document)
        found["goodput"] = {float(bound): tuple(series) for bound, series in document["goodput"].items()}
        found["utilisation"] = {tier: tuple(values) for tier, values in document["utilisation"].items()}
        found["others"] = {pool: tuple(sizes) for pool, sizes in document.get("others", {}).items()}
        for name in ("threads", "connections", "warnings"):
            found[name] = tuple(document[name])
        return cls(**found)


def run_contestant(
    schedule: Schedule, contestant: Contestant, turn: int, folder: Path, say: Callable[[str], None]
) -> OnlineRun:
    """Start all servers, play the schedule, and stop them. Raises RunError, KeyboardInterrupt."""
    tuning, admission = contestant.tuning, contestant.admission
    with RealSystem(schedule.file, folder, say=lambda _: None, tuning=tuning, admission=admission) as system:

        async def work(tiers: RunningTiers, stop: asyncio.Event) -> OnlineRun:
            chain = ChainSizes(schedule.file.topology) if contestant.chain else None
            return await _Player(schedule, contestant, turn, folder, tiers, stop, say, chain=chain).play()

        return system.perform(contestant.allocation, work)


@dataclass
class _Player:
    schedule: Schedule
    contestant: Contestant
    turn: int
    folder: Path
    tiers: RunningTiers
    stop: asyncio.Event
    say: Callable[[str], None]
    sizes: list[dict[PoolKind, float]] = field(default_factory=list)
    """Mean sizes of the application's pools, second by second."""
    others: dict[str, list[int]] = field(default_factory=dict)
    """Sizes of the pools that follow, second by second."""
    processors: list[ProcessorTimes] = field(default_factory=list)
    chain: ChainSizes | None = None

    async def play(self) -> OnlineRun:
        await warm_without_quotas(self.tiers, COLD_S, self.folder / "cold", self.stop)
        await self._use(self.schedule.phases[0])
        async with under_load(self.tiers, description(self.schedule), self.folder, self.stop) as (load, guard):
            await guard.until(self._warm_up(), self.schedule.warm_up_s + _WARM_UP_SLACK_S, "the warm-up")
            load.begin()
            limit_s = self.schedule.seconds + SLACK_S
            samples = await guard.until(self._sample(), limit_s, "the end of the schedule")
            await guard.until(load.child.ended(), SLACK_S, "the end of the load")
        return self._run(read_result(self.folder, self.schedule.seconds), samples)

    async def _warm_up(self) -> None:
        """Put the quotas in force, wait until they show, and have the controllers decide from then on."""
        await self.tiers.limit()
        await asyncio.sleep(self.schedule.warm_up_s)
        if self.contestant.tuning is not None:
            for board in self.tiers.boards:
                await board.tune()

    async def _use(self, phase: PhaseSettings) -> list[Board]:
        """Have the servers of a phase alone get requests; returns those of the application."""
        boards = self.tiers.boards[: phase.application]
        await self.tiers.use(len(boards))
        return boards

    async def _sample(self) -> list[dict[str, list[Counters]]]:
        """Counters at the borders of the phases; makes their changes, and keeps the sizes of each second."""
        began = time.monotonic()
        self.processors = [ProcessorTimes.now()]
        counted: list[dict[str, list[Counters]]] = []
        for phase, (begin, end) in zip(self.schedule.phases, self.schedule.spans(), strict=True):
            for database in self.tiers.databases:
                database.limit(phase.database)
            boards = await self._use(phase)
            counted.append(await self.tiers.count(counted[-1] if counted else None))
            if self.chain is not None:
                self.chain.add(counted[-1])
            self.say(f"  {phase.name}: {phase.level}, {phase.length:g} s")
            for second in range(begin, end):
                await asyncio.sleep(max(0.0, began + second + 1 - time.monotonic()))
                await self._look(boards)
        counted.append(await self.tiers.count(counted[-1]))
        self.processors.append(ProcessorTimes.now())
        return counted

    async def _look(self, boards: Sequence[Board]) -> None:
        """Keep the sizes of the application's pools, and have the others follow where they are to."""
        try:
            found = [await board.current_sizes() for board in boards]
        except RunError:
            for board in boards:
                await board.raise_if_ended()
            if not self.sizes:
                raise
            self.sizes.append(self.sizes[-1])
        else:
            self.sizes.append({kind: sum(each[kind] for each in found) / len(found) for kind in KINDS})
        if self.chain is None:
            return
        self.chain.add(await self.tiers.count(self.chain.last))
        for key, size in self.chain.sizes(self.sizes[-1], len(boards)).items():
            for server in self.tiers.servers[key.tier]:
                await server.resize({key.kind: size})
        for key in self.chain.pools:
            self.others.setdefault(str(key), []).append(self.tiers.servers[key.tier][0].sizes[key.kind])

    def _run(self, result: LoadResult, counted: list[dict[str, list[Counters]]]) -> OnlineRun:
        topology = self.schedule.file.topology
        allocation = self.contestant.allocation
        phases = [tier_figures(topology, allocation, Samples([before, after])) for before, after in pairwise(counted)]
        warnings = [*result.warnings]
        whole = tier_figures(topology, allocation, Samples([counted[0], counted[-1]]))
        warnings += generator_limits(result, whole[0], self.schedule.think_time_s)
        own_s = used_s(topology, whole, self.schedule.seconds) + result.cpu_s
        if (others := taken_by_others(self.processors[0], self.processors[-1], own_s)) is not None:
            warnings.append(others)
        if (why := self.tiers.workplace.no_quotas) is not None:
            warnings.append(f"without CPU quotas, so all servers share all cores: {why}")
        if result.errors:
            warnings.append(result.lost)
        return OnlineRun(
            contestant=self.contestant.name,
            turn=self.turn,
            goodput={bound: result.goodput_series(bound) for bound in topology.bounds_s},
            threads=tuple(round(each["threads"]) for each in self.sizes),
            connections=tuple(round(each["connections"]) for each in self.sizes),
            utilisation={
                tier.name: tuple(figures[place].utilisation for figures in phases)
                for place, tier in enumerate(topology.tiers)
            },
            errors=result.errors / result.requests if result.requests else 0.0,
            others={pool: tuple(sizes) for pool, sizes in self.others.items()},
            warnings=tuple(f"{self.contestant.name}, round {self.turn}: {warning}" for warning in warnings),
        )


def write_run(run: OnlineRun, path: Path) -> None:
    """Write a run in one step, so that half of one is never found. Raises RunError."""
    try:
        write_whole(path, json.dumps(run.to_json()) + "\n")
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror}") from None
