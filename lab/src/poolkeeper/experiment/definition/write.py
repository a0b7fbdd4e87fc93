"""An experiment written back as YAML with every default in its place, so that its results can be made again."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import yaml

from poolkeeper.experiment.definition.choices import NO_HANDLERS, WITHOUT_HANDLERS
from poolkeeper.experiment.definition.values import format_rate, ramp
from poolkeeper.study import PUBLISHED
from poolkeeper.units import format_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkeeper.experiment.definition.load import Load, Open, RandomPhases
    from poolkeeper.experiment.definition.model import Experiment, Parts, Profile, Quotas, Small, WarmUp
    from poolkeeper.study.claims import Claim


def resolved(experiment: Experiment) -> str:
    """The experiment as a file that `read_experiment` reads into the same experiment."""
    document: dict[str, Any] = {
        "name": experiment.name,
        "question": experiment.question,
        "application": _one_or_many(experiment.application),
        "n": experiment.n,
        "connections": _one_or_many(experiment.connections),
        "database": experiment.database,
        "downstream": _downstream(experiment.downstream) or None,
        "controller": _one_or_many(experiment.controller) if experiment.controller else None,
        "pools": experiment.pools,
        **_servers(experiment),
        "window": format_duration(experiment.window) if experiment.window else None,
        "bounds": str(experiment.bounds),
        "initial": experiment.initial,
        "load": _load(experiment.load),
        "warm_up": _warm_up(experiment.warm_up),
        "server": experiment.server,
        "scale": experiment.scale,
        "repetitions": experiment.repetitions,
        "order": experiment.order,
        "slice": format_duration(experiment.slice) if experiment.slice else None,
        "versus": experiment.versus,
        "claims": [_claim(claim) for claim in experiment.claims] or None,
        "published": PUBLISHED if experiment.published else None,
        "seed": experiment.seed,
        "quotas": _quotas(experiment.quotas) if experiment.quotas else None,
        "parts": _parts(experiment.parts),
        "small": _small(experiment.small),
    }
    return yaml.safe_dump(_given(document), sort_keys=False, allow_unicode=True, width=120)


def _claim(claim: Claim) -> dict[str, Any]:
    stated = claim.model_dump(exclude_defaults=True)
    stated |= {"of": _one_or_many(claim.of), "to": _one_or_many(claim.to)}
    if claim.where:
        stated["where"] = {axis: _one_or_many(values) for axis, values in claim.where.items()}
    return stated


def _servers(experiment: Experiment) -> dict[str, Any]:
    machine = {"heap": _one_or_many(experiment.heap), "collector": _one_or_many(experiment.collector)}
    java = {name: int(java) if java.isdecimal() else java for name, java in experiment.java.items()} or None
    if experiment.architecture is None:
        return {"java": java, **machine}
    # Numbers that are for none of the architectures may not be stated.
    idle = WITHOUT_HANDLERS.issuperset(experiment.architecture) and experiment.handlers != (NO_HANDLERS,)
    return {
        "architecture": list(experiment.architecture),
        "handlers": None if idle else _one_or_many(experiment.handlers),
        "java": java,
        **machine,
    }


def _downstream(profiles: Mapping[str, Profile]) -> dict[str, Any]:
    return {
        path: _given(
            {
                "latency": None if profile.latency is None else format_duration(profile.latency),
                "capacity": profile.capacity,
                "degradation": profile.degradation,
            }
        )
        for path, profile in profiles.items()
    }


def _parts(parts: Parts | None) -> list[Any] | None:
    if parts is None:
        return None
    return [{axis: _one_or_many(values) for axis, values in part.items()} for part in parts]


def _small(small: Small | None) -> dict[str, Any] | None:
    if small is None:
        return None
    return _given(
        {
            "parts": _parts(small.parts),
            "scale": small.scale,
            "repetitions": small.repetitions,
            "warm_up": _warm_up(small.warm_up) if small.warm_up else None,
        }
    )


def _load(load: Load) -> dict[str, Any]:
    phases = [
        _given(
            {
                "users": None if phase.users is None else ramp(*astuple(phase.users)),
                "rate": None if phase.rate is None else ramp(*map(format_rate, astuple(phase.rate))),
                "for": format_duration(phase.duration),
                "requests": phase.requests,
            }
        )
        for phase in load.phases or ()
    ]
    return _given(
        {
            "users": _one_or_many(load.users) if load.users else None,
            "open": _arriving(load.open) if load.open else None,
            "half-open": _arriving(load.half_open) if load.half_open else None,
            "for": format_duration(load.duration) if load.duration else None,
            "phases": phases or None,
            "random": _random(load.random) if load.random else None,
            "think_time": str(load.think_time) if load.kind != "open" else None,
            "timeout": format_duration(load.timeout),
            "threads": load.threads,
        }
    )


def _random(phases: RandomPhases) -> dict[str, Any]:
    return _given(
        {
            "phases": phases.phases,
            "for": str(phases.duration),
            "users": None if phases.users is None else ramp(*astuple(phases.users)),
            "rate": None if phases.rate is None else ramp(*map(format_rate, astuple(phases.rate))),
            "requests": list(phases.requests),
            "at_once": phases.at_once,
            "draw": _one_or_many(phases.draw),
        }
    )


def _arriving(arriving: Open) -> dict[str, Any]:
    rates = [format_rate(rate) for rate in arriving.rate or ()]
    rest = arriving.model_dump(exclude={"rate"}, exclude_none=True)
    return _given({"rate": _one_or_many(tuple(rates)) if rates else None, **rest})


def _warm_up(warm_up: WarmUp) -> dict[str, Any] | str:
    def time(seconds: float | None) -> str | None:
        return None if seconds is None else format_duration(seconds)

    stated = {
        "for": time(warm_up.duration),
        "until": warm_up.until,
        "least": time(warm_up.least),
        "within": time(warm_up.within),
        "size": warm_up.size,
        "controller": warm_up.controller,
        "then": time(warm_up.then),
    }
    return _given(stated)


def _quotas(quotas: Quotas) -> dict[str, Any]:
    stated = {"server": quotas.server, "balancer": quotas.balancer, "period": format_duration(quotas.period)}
    stated["settle"] = format_duration(quotas.settle) if quotas.settle else None
    return _given(stated)


def _given(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if value is not None}


def _one_or_many(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else list(values)
