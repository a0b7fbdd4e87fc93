"""Model of tiers from measured trials, and the error of a model against trials.

The processor time of a visit and its number are measured. What a visit takes beyond its processor time, which the
others at the cores lengthen, and beyond its calls is time that never queues. The part of the processor time that is
spent while a connection is held follows from the time for which one is held.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from poolkeeper.errors import InputError
from poolkeeper.ntier.allocator.laboratory import JOURNAL, read_journal
from poolkeeper.ntier.model import connection_cost
from poolkeeper.ntier.settings import TierModel
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


def read_measurement(folder: Path) -> Measurement:
    """The trials in the journal of a folder of results. Raises InputError if it is none."""
    journal = folder / JOURNAL
    found = read_journal(journal)
    document = found.header["about"].get("topology")
    if not isinstance(document, dict):
        raise InputError(f"{journal}:1: is not a journal of a plan: it names no topology")
    file = topology_of(Source(journal, {"question": "measured", **document}, {}))
    return Measurement(file.topology, tuple(trial for trial, _, _ in found.trials))


def calibrated(file: TopologyFile, measured: Measurement) -> TopologyFile:
    """The topology with the work of each tier as it was measured; costs of threads and connections as in the file.

    Raises InputError for a tier that was not measured, and if no trial had a light load.
    """
    names = [tier.name for tier in measured.topology.tiers]
    for tier in file.topology.tiers:
        if tier.name not in names:
            raise InputError(f"{measured.topology.source}: {unknown('tier', tier.name, names)}")
    light = _light(measured)
    model = {
        tier.name: _work(measured.topology, names.index(tier.name), light, file.model.get(tier.name))
        for tier in file.topology.tiers
    }
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


def _work(topology: Topology, place: int, trials: Sequence[Trial], given: TierModel | None) -> TierModel:
    tier = topology.tiers[place]
    following = topology.tiers[place + 1].name if place + 1 < len(topology.tiers) else None

    def mean(value: Callable[[TierFigures, TierFigures | None], float]) -> float:
        """Mean over the trials, each with the weight of its visits."""
        weights = [trial.tier(tier.name).throughput * trial.seconds for trial in trials]
        values = [
            value(trial.tier(tier.name), None if following is None else trial.tier(following)) for trial in trials
        ]
        return math.fsum(w * v for w, v in zip(weights, values, strict=True)) / math.fsum(weights)

    cpu = mean(lambda mine, _: mine.cpu_s or 0.0)
    visits = 1.0 if place == 0 else mean(lambda mine, _: mine.visits)
    wait = mean(lambda mine, behind: mine.response_s - _called(mine, behind) - _at_cores(mine, tier))
    cost = 1.0 if given is None else connection_cost(topology, place, trials[0].allocation, given.connection_overhead)
    settings = {"cpu": f"{cpu / cost * 1e6:.3f}us", "visits": visits, "wait": f"{max(0.0, wait) * 1e6:.3f}us"}
    if tier.connections and tier.threads and following is not None:
        held = mean(lambda mine, behind: _held(mine, behind, tier))
        per_call = mean(lambda mine, behind: (mine.connection_uses or mine.visits) / (behind or mine).visits)
        a_visit = (
            abs(per_call - 1) > _SAME or abs(mean(lambda mine, behind: (behind or mine).visits) / visits - 1) <= _SAME
        )
        settings |= {"connection": "visit", "held_cpu": min(1.0, max(0.0, held))} if a_visit else {"connection": "call"}
    kept = {} if given is None else given.model_dump(include={"overhead", "connection_overhead"})
    lingering = {} if given is None else {name: f"{getattr(given, name)}s" for name in ("linger", "linger_per_user")}
    return TierModel.model_validate({**kept, **lingering, **settings})


def _called(mine: TierFigures, behind: TierFigures | None) -> float:
    """Time of a visit that passes in the tier behind."""
    return 0.0 if behind is None else behind.visits / mine.visits * behind.response_s


def _at_cores(mine: TierFigures, tier: Tier) -> float:
    """Time of a visit at the cores, which the others there lengthen as they do in an open system."""
    cores = math.ceil(tier.cores)
    return (mine.cpu_s or 0.0) * cores / tier.cores / (1 - mine.utilisation**cores)


def _held(mine: TierFigures, behind: TierFigures | None, tier: Tier) -> float:
    """Part of a visit's processor time for which it holds a connection."""
    per_visit = (mine.connection_uses or mine.visits) / mine.visits * (mine.connection_s or 0.0)
    return (per_visit - _called(mine, behind)) / _at_cores(mine, tier)


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
