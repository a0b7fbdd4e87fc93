"""Model of tiers from measured trials, and the error of a model against trials.

The processor time of a visit and its number are measured. What a visit takes beyond its processor time, which the
others at the cores lengthen, and beyond its calls is time that never queues. In the front-most tier it is what users
wait beyond that, the network included. The part of the processor time that is spent while a connection is held follows
from the time for which one is held. Real servers were under CPU quotas of the machine that the lab runs on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import psutil

from poolkeeper.errors import InputError
from poolkeeper.ntier.allocator.laboratory import JOURNAL, read_journal
from poolkeeper.ntier.costs import Costs, Loads, busy_beyond, costs, open_connections
from poolkeeper.ntier.settings import TierModel
from poolkeeper.ntier.tiers.cpu_quota import kept_time, quota_period
from poolkeeper.ntier.topology import TopologyFile, topology_of
from poolkeeper.study.source import Source
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from poolkeeper.ntier.system import System, Tier, TierFigures, Topology, Trial

MOST_USED = 0.6
"""Utilisation of the busiest tier up to which a trial serves: beyond, waiting hides the work."""
_SAME = 0.1
"""Relative difference up to which connections are taken as often as the next tier is called."""
SATURATED = 0.95


@dataclass(frozen=True)
class Measurement:
    """Trials of a plan, and the topology that they were made on."""

    topology: Topology
    trials: tuple[Trial, ...]
    processors: int | None = None
    """Those of the machine whose control groups put the CPU quotas in force; None where cores were slower instead."""

    def cores(self, tier: Tier) -> int:
        """Processors that a server of the tier could use at once."""
        return self.processors or math.ceil(tier.cores)

    def speed(self, tier: Tier) -> float:
        """Speed of each of them, where 1 is that of a processor of the machine."""
        return 1.0 if self.processors else tier.cores / self.cores(tier)

    def quota(self, tier: Tier) -> dict[str, Any]:
        """Settings of the model of a tier under the CPU quota that it was measured under."""
        if self.processors is None:
            return {}
        period, burst = quota_period(tier.cores), kept_time(self.processors)
        return {"period": _duration(period), "burst": _duration(burst), "processors": self.processors}


def read_measurement(folder: Path) -> Measurement:
    """The trials in the journal of a folder of results. Raises InputError if it is none."""
    journal = folder / JOURNAL
    found = read_journal(journal)
    document = found.header["about"].get("topology")
    if not isinstance(document, dict):
        raise InputError(f"{journal}:1: is not a journal of a plan: it names no topology")
    file = topology_of(Source(journal, {"question": "measured", **document}, {}))
    real = found.header["about"].get("system") == "real"
    return Measurement(
        file.topology, tuple(trial for trial, _, _ in found.trials), psutil.cpu_count() if real else None
    )


def calibrated(file: TopologyFile, measured: Measurement) -> TopologyFile:
    """The topology with the work of each tier as it was measured; costs that the trials do not tell as in the file.

    Raises InputError for a tier that was not measured, and if no trial had a light load.
    """
    names = [tier.name for tier in measured.topology.tiers]
    for tier in file.topology.tiers:
        if tier.name not in names:
            raise InputError(f"{measured.topology.source}: {unknown('tier', tier.name, names)}")
    light = _light(measured)
    found = _costs(measured, light, file)
    model = {tier.name: _work(measured, tier, light, found, file.model.get(tier.name)) for tier in file.topology.tiers}
    return replace(file, model=model)


def _light(measured: Measurement) -> list[Trial]:
    trials = [
        trial
        for trial in measured.trials
        if max(tier.utilisation for tier in trial.tiers) <= MOST_USED
        and all(not math.isnan(tier.response_s) and tier.cpu_s is not None for tier in trial.tiers)
    ]
    if not trials:
        raise InputError(
            f"{measured.topology.source}: has no trial whose busiest tier is used up to {MOST_USED:.0%}, "
            "which the work of the tiers is taken from"
        )
    first = trials[0].allocation
    return [trial for trial in trials if trial.allocation == first]


def _costs(measured: Measurement, light: Sequence[Trial], file: TopologyFile) -> list[Costs]:
    """Costs of the measured tiers, front to back."""
    heavy = [trial for trial in measured.trials if max(tier.utilisation for tier in trial.tiers) > MOST_USED]
    topology = measured.topology
    return [
        costs(topology, place, Loads(light, heavy), measured.cores(tier), file.model.get(tier.name))
        for place, tier in enumerate(topology.tiers)
    ]


def _work(
    measured: Measurement,
    tier: Tier,
    trials: Sequence[Trial],
    found: Sequence[Costs],
    given: TierModel | None,
) -> TierModel:
    topology = measured.topology
    place = [each.name for each in topology.tiers].index(tier.name)
    visited = [_Visits.of(measured, trial, place, found) for trial in trials]
    # Each trial has the weight of its visits.
    weights = [each.mine.throughput * trial.seconds for each, trial in zip(visited, trials, strict=True)]

    def mean(value: Callable[[_Visits], float]) -> float:
        return math.fsum(w * value(v) for w, v in zip(weights, visited, strict=True)) / math.fsum(weights)

    visits = 1.0 if place == 0 else mean(lambda visits: visits.mine.visits)
    wait = max(0.0, mean(lambda visits: visits.response_s - visits.called_s - visits.at_cores_s))
    settings: dict[str, Any] = {
        "cpu": _duration(found[place].cpu),
        "visits": visits,
        "wait": _duration(wait),
        "overhead": found[place].overhead,
        "connection_overhead": found[place].connection_overhead,
    }
    # The quota is that of the tier in the plan, which may be another than the measured one.
    settings |= measured.quota(tier)
    if given is not None:
        settings["distribution"] = given.distribution
    measured_tier = topology.tiers[place]
    if measured_tier.connections and measured_tier.threads and place + 1 < len(topology.tiers):
        held = mean(lambda visits: visits.held)
        per_call = mean(lambda visits: visits.uses / visits.calls)
        a_visit = abs(per_call - 1) > _SAME or abs(mean(lambda visits: visits.calls) - 1) <= _SAME
        settings |= {"connection": "visit", "held_cpu": min(1.0, max(0.0, held))} if a_visit else {"connection": "call"}
    if given is not None:
        part = _lingering(measured, measured_tier, given)
        settings |= {name: _duration(getattr(given, name) * part) for name in ("linger", "linger_per_user")}
    return TierModel.model_validate(settings)


def _duration(seconds: float) -> str:
    return f"{seconds * 1e6:.3f}us"


def _lingering(measured: Measurement, tier: Tier, given: TierModel) -> float:
    """Part of the given linger for which the threads had time, each of them: in all trials, at their throughput."""
    parts = [1.0]
    for trial in measured.trials:
        figures = trial.tier(tier.name)
        linger = given.linger + given.linger_per_user * trial.users
        if linger > 0 and figures.threads is not None:
            parts.append((figures.threads / figures.throughput - figures.response_s) / linger)
    return max(0.0, min(parts))


@dataclass(frozen=True)
class _Visits:
    """Mean visit of a tier in a trial, as a model sees it.

    Attributes:
        mine: figures of the tier.
        response_s: time of the visit. A server may count less than the processor time that it takes, such as a
            database that counts the execution of a statement alone.
        at_cores_s: its time at the cores, which the others there lengthen as they do in an open system.
        called_s: its time in the tier behind.
        calls: visits of the tier behind in it.
    """

    mine: TierFigures
    response_s: float
    at_cores_s: float
    called_s: float
    calls: float

    @property
    def uses(self) -> float:
        """Connections taken in it."""
        return (self.mine.connection_uses or self.mine.visits) / self.mine.visits

    @property
    def held(self) -> float:
        """Part of its processor time for which it holds a connection."""
        return (self.uses * (self.mine.connection_s or 0.0) - self.called_s) / self.at_cores_s

    @classmethod
    def of(cls, measured: Measurement, trial: Trial, place: int, found: Sequence[Costs]) -> _Visits:
        """The visits of the tier at a place, 0 in front."""
        tier = measured.topology.tiers[place]
        mine = trial.tier(tier.name)
        processors = measured.cores(tier)
        cpu = found[place].of(
            busy_beyond(measured.topology, place, trial, processors),
            open_connections(measured.topology, place, trial.allocation),
        ) / measured.speed(tier)
        at_cores = cpu / (1 - min(MOST_USED, mine.throughput * cpu / tier.servers / processors) ** processors)
        calls = called = 0.0
        if place + 1 < len(measured.topology.tiers):
            behind = cls.of(measured, trial, place + 1, found)
            calls = behind.mine.visits / mine.visits
            called = calls * behind.response_s
        response = mine.response_s
        if place == 0:
            response = max(response, trial.response_s - (mine.threads_waiting or 0.0) / mine.throughput)
        return cls(mine, max(response, at_cores + called), at_cores, called, calls)


@dataclass(frozen=True)
class Deviation:
    """A measured trial, or the mean of several equal ones, and the same one of a model."""

    measured: Trial
    modelled: Trial

    @property
    def busiest(self) -> str:
        """Tier with the highest utilisation when it was measured."""
        return max(self.measured.tiers, key=lambda tier: tier.utilisation).tier

    @property
    def utilisation(self) -> tuple[float, float]:
        """Utilisation of that tier, measured and in the model."""
        return self.measured.tier(self.busiest).utilisation, self.modelled.tier(self.busiest).utilisation

    @property
    def throughput(self) -> float:
        """Relative error of the throughput."""
        return self.modelled.throughput / self.measured.throughput - 1

    @property
    def response(self) -> float:
        """Relative error of the mean response time."""
        return self.modelled.response_s / self.measured.response_s - 1

    @property
    def saturated(self) -> bool:
        """Whether the busiest tier was saturated when it was measured."""
        return self.utilisation[0] >= SATURATED


def deviations(system: System, measured: Measurement, seconds: float) -> list[Deviation]:
    """Plays all measured trials in a model, equal ones once: against the mean of their figures.

    Raises InputError if the trials were made with other pools than the model has.
    """
    equal: dict[tuple[object, int], list[Trial]] = {}
    for trial in measured.trials:
        if set(trial.allocation) != set(system.topology.initial):
            raise InputError(
                f"{measured.topology.source}: has the pools {', '.join(map(str, trial.allocation))}, but the topology "
                f"has {', '.join(map(str, system.topology.initial))}"
            )
        equal.setdefault((trial.allocation, trial.users), []).append(trial)
    return [
        Deviation(_mean(trials), system.run(trials[0].allocation, trials[0].users, seconds))
        for trials in equal.values()
    ]


def _mean(trials: Sequence[Trial]) -> Trial:
    """The first of equal trials with the mean throughput, response time and utilisation of all; responses by weight."""
    first, count = trials[0], len(trials)
    answered = math.fsum(trial.throughput for trial in trials)
    tiers = tuple(
        replace(tier, utilisation=math.fsum(trial.tier(tier.tier).utilisation for trial in trials) / count)
        for tier in first.tiers
    )
    response = math.fsum(trial.response_s * trial.throughput for trial in trials) / answered
    return replace(first, throughput=answered / count, response_s=response, tiers=tiers)
