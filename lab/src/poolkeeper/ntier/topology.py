"""Reader of topology files. A mistake is one line with file, line and the nearest valid name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from poolkeeper.errors import InputError
from poolkeeper.ntier.settings import SERVERS, TierModel, TierSettings, TopologySettings, TrialSettings
from poolkeeper.ntier.system import KINDS, Allocation, PoolKey, PoolKind, Tier, Topology
from poolkeeper.study.problem import first_problem, spoken
from poolkeeper.study.source import Place, Source, read_source
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from pathlib import Path

_MODELS: dict[str, type[BaseModel]] = {"tiers": TierSettings, "model": TierModel}


@dataclass(frozen=True)
class TopologyFile:
    """A topology with the other settings of its file.

    Attributes:
        topology: the tiers, their users and bounds.
        model: work of each tier for the simulator; empty where the file has none.
        trial: time and users of the trials.
        size: size of the board's data.
        document: the file as plain values.
    """

    topology: Topology
    model: dict[str, TierModel]
    trial: TrialSettings
    size: str
    document: dict[str, Any]

    def require_model(self) -> dict[str, TierModel]:
        """The model of each tier. Raises InputError if the file has none."""
        if not self.model:
            raise InputError(
                f"{self.topology.source}: the setting 'model' is missing: the simulator needs the work of each tier"
            )
        return self.model


def read_topology(path: Path) -> TopologyFile:
    """Read and check a topology file. Raises InputError with the first thing that is wrong, and its line."""
    return topology_of(read_source(path))


def topology_of(source: Source) -> TopologyFile:
    """Check the topology that a document states. Raises InputError with the first thing that is wrong."""
    path = source.path
    try:
        settings = TopologySettings.model_validate(source.data)
    except ValidationError as error:
        raise first_problem(source, error, _names_beside) from None
    if list(settings.bounds) != sorted(settings.bounds):
        raise source.error(("bounds",), f"bounds must be in ascending order, but are {source.data['bounds']}")
    names = _front_to_back(source, settings)
    behind = dict(zip(names, [settings.tiers[name].server for name in names[1:]], strict=False))
    tiers = tuple(_tier(source, name, settings.tiers[name], behind.get(name)) for name in names)
    _refuse_equal_names(source, tiers)
    initial = Allocation({key: _size(settings.tiers[tier.name], key.kind) or 1 for tier in tiers for key in tier.pools})
    if not initial.sizes:
        raise source.error(("tiers",), "tiers: none has a pool, so there is nothing to allocate")
    for key in initial:
        _check_bounds(source, settings.tiers[key.tier], key, initial[key], behind.get(key.tier))
    _check_model(source, settings, names)
    topology = Topology(
        name=path.stem,
        question=settings.question,
        tiers=tiers,
        load=None if settings.load is None else path.parent / settings.load,
        think_time_s=settings.think_time,
        bounds_s=tuple(settings.bounds),
        initial=initial,
        source=path,
    )
    return TopologyFile(topology, settings.model, settings.trial, settings.size, source.data)


def _front_to_back(source: Source, settings: TopologySettings) -> list[str]:
    """Names of the tiers in the order of their calls: each but the last calls one other, and all are called but one."""
    names = list(settings.tiers)
    calls = {name: callee for name in names if (callee := settings.tiers[name].calls) is not None}
    for name, callee in calls.items():
        if callee not in settings.tiers:
            raise source.error(("tiers", name, "calls"), f"tiers.{name}.calls: {unknown('tier', callee, names)}")
    if not calls:
        return names
    _refuse_cycle(source, calls)
    callers: dict[str, str] = {}
    for name, callee in calls.items():
        if callee in callers:
            raise source.error(
                ("tiers", name, "calls"),
                f"tiers.{name}.calls: {callers[callee]} calls {callee} already; the tiers must be one chain",
            )
        callers[callee] = name
    fronts = [name for name in names if name not in callers]
    if len(fronts) > 1:
        raise source.error(
            ("tiers", fronts[1]),
            f"tiers.{fronts[1]}: no tier calls it, nor {fronts[0]}; the tiers must be one chain",
        )
    ordered = [fronts[0]]
    while ordered[-1] in calls:
        ordered.append(calls[ordered[-1]])
    return ordered


def _refuse_cycle(source: Source, calls: dict[str, str]) -> None:
    for start in calls:
        path = [start]
        while path[-1] in calls:
            following = calls[path[-1]]
            if following in path:
                circle = [*path[path.index(following) :], following]
                last = circle[-2]
                message = f"tiers.{last}.calls: closes a cycle: {' -> '.join(circle)}"
                raise source.error(("tiers", last, "calls"), message)
            path.append(following)


def _refuse_equal_names(source: Source, tiers: tuple[Tier, ...]) -> None:
    owners: dict[str, str] = {}
    for tier in tiers:
        for server in tier.server_names:
            if (owner := owners.setdefault(server, tier.name)) != tier.name:
                raise source.error(("tiers", tier.name), f"tiers: {owner} and {tier.name} both have a server {server}")


def _tier(source: Source, name: str, settings: TierSettings, behind: str | None) -> Tier:
    kind = SERVERS[settings.server]
    place: Place = ("tiers", name)
    for pool in kind.needs:
        if _size(settings, pool) is None:
            raise source.error(place, f"tiers.{name}: the setting '{pool}' is missing: {settings.server} has them")
    for pool in KINDS:
        if _size(settings, pool) is not None and pool not in kind.pools:
            having = [server for server, other in SERVERS.items() if pool in other.pools]
            raise source.error(
                (*place, pool),
                f"tiers.{name}.{pool}: {settings.server} has no pool of {pool}; those that have: {', '.join(having)}",
            )
    if kind.java and settings.heap is None:
        raise source.error(place, f"tiers.{name}: the setting 'heap' is missing: {settings.server} runs on Java")
    if not kind.java and settings.heap is not None:
        raise source.error((*place, "heap"), f"tiers.{name}.heap: {settings.server} does not run on Java")
    if settings.patience is not None and settings.server != "haproxy":
        raise source.error((*place, "patience"), f"tiers.{name}.patience: {settings.server} has none; haproxy has")
    pools: dict[PoolKind, bool] = {pool: _size(settings, pool) is not None for pool in KINDS}
    return Tier(
        name=name,
        server=settings.server,
        servers=settings.count,
        cores=settings.cores,
        threads=pools["threads"],
        connections=pools["connections"],
        heap=settings.heap,
        least={pool: settings.bounds(pool, behind).minimum for pool in KINDS if pools[pool]},
        most={pool: settings.bounds(pool, behind).maximum for pool in KINDS if pools[pool]},
        patience_s=settings.patience,
    )


def _size(settings: TierSettings, kind: PoolKind) -> int | None:
    return settings.threads if kind == "threads" else settings.connections


def _check_bounds(source: Source, settings: TierSettings, key: PoolKey, size: int, behind: str | None) -> None:
    bounds, most = settings.bounds(key.kind, behind), SERVERS[settings.server].most(key.kind, settings.count, behind)
    if bounds.maximum > most:
        place = ("tiers", key.tier, f"{key.kind}_bounds")
        alone = SERVERS[settings.server].most(key.kind)
        server = settings.server if most == alone else f"each of {settings.count} {settings.server} before {behind}"
        raise source.error(place, f"{spoken(place)}: {server} has {most} {key.kind} at most, not {bounds}")
    if size not in bounds:
        raise source.error(("tiers", key.tier, key.kind), f"tiers.{key} {size} is not within the bounds {bounds}")


def _check_model(source: Source, settings: TopologySettings, names: list[str]) -> None:
    if not settings.model:
        return
    for name, model in settings.model.items():
        if name not in settings.tiers:
            raise source.error(("model", name), f"model: {unknown('tier', name, names)}")
        if model.held_cpu and model.connection != "visit":
            raise source.error(("model", name, "held_cpu"), f"model.{name}.held_cpu needs connection: visit")
        for setting in ("burst", "processors"):
            if model.period is None and setting in model.model_fields_set:
                raise source.error(
                    ("model", name, setting), f"model.{name}.{setting} needs the period of the CPU quota"
                )
        if model.visits != 1 and name == names[0]:
            raise source.error(
                ("model", name, "visits"), f"model.{name}.visits must be 1 in the front tier, but is {model.visits:g}"
            )
    for name in names:
        if name not in settings.model:
            raise source.error(("model",), f"model: the setting '{name}' is missing: every tier needs its work")


def _names_beside(source: Source, place: Place) -> list[str]:
    """Settings that may stand in place of the one at `place`."""
    del source
    model: type[BaseModel] = TopologySettings
    if len(place) > 1:
        model = TrialSettings if place[0] == "trial" else _MODELS.get(str(place[0]), TopologySettings)
    return list(model.model_fields)
