"""Reads an experiment's file. A mistake is one line with file, line and the nearest valid name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from poolkeeper.experiment.definition.choices import FIXED, STEPPING
from poolkeeper.experiment.definition.load import Chain, HalfOpen, Load, Open, Phase, RandomPhases, Request
from poolkeeper.experiment.definition.model import Experiment, Profile, Quotas, Small, WarmUp
from poolkeeper.experiment.definition.pools import AdmissionPool, PlainPool, SteppingPool, pools
from poolkeeper.experiment.definition.slices import unfit
from poolkeeper.experiment.definition.values import Bounds
from poolkeeper.experiment.definition.variants import BadVariant, variants
from poolkeeper.study.claims import Claim, misspelt
from poolkeeper.study.problem import first_problem, spoken
from poolkeeper.study.source import Place, Source, read_source
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from pathlib import Path

_MODELS: dict[str, type[BaseModel]] = {
    "load": Load,
    "phases": Phase,
    "random": RandomPhases,
    "downstream": Profile,
    "open": Open,
    "half-open": HalfOpen,
    "chain": Chain,
    "warm_up": WarmUp,
    "quotas": Quotas,
    "claims": Claim,
    "small": Small,
}


def read_experiment(path: Path) -> Experiment:
    """Read and check the experiment in `path`; a file matrix.yaml has the name of its folder unless it gives one.

    Raises InputError with the first thing that is wrong.
    """
    source = read_source(path)
    name = path.resolve().parent.name if path.stem == "matrix" else path.stem
    try:
        experiment = Experiment.model_validate({"name": name, **source.data})
    except ValidationError as error:
        raise first_problem(source, error, _settings_beside) from None
    try:
        names = {
            name: None for controller in experiment.controller or (None,) for name in variants(experiment, controller)
        }
    except BadVariant as error:
        if error.invalid is not None:
            raise first_problem(source, error.invalid, _settings_beside, error.place) from None
        raise source.error(error.place, str(error)) from None
    if {"initial", "bounds"} <= experiment.model_fields_set and experiment.initial not in experiment.bounds:
        raise source.error(("initial",), f"initial {experiment.initial} is not within the bounds {experiment.bounds}")
    _check_warm_up(source, experiment)
    _check_own_processes(source, experiment)
    for place, message in misspelt(experiment.claims, names, experiment.axes()):
        raise source.error(place, f"{spoken(place)}: {message}")
    if experiment.published is not None:
        experiment = experiment.model_copy(update={"published": _published(source, experiment)})
    if experiment.versus is not None and experiment.versus not in names:
        raise source.error(("versus",), "versus: " + unknown("variant", experiment.versus, names))
    for controller in experiment.controller or (None,):
        for place, message in unfit(experiment, list(variants(experiment, controller).values())):
            raise source.error(place, message)
    return experiment


def _published(source: Source, experiment: Experiment) -> str:
    """The path of the published figures, once they have been read."""
    from poolkeeper.study.published import read_published

    path = source.path.parent / str(experiment.published)
    if not path.is_file():
        raise source.error(("published",), f"published: there is no file {path}")
    read_published(path)
    return str(path)


def _check_warm_up(source: Source, experiment: Experiment) -> None:
    size = experiment.warm_up.size
    if size is None:
        return
    for controller in experiment.controller or (None,):
        for variant in variants(experiment, controller).values():
            bounds = Bounds(variant.minimum, variant.maximum)
            if not isinstance(variant.pool, PlainPool) and size not in bounds:
                message = f"warm_up.size {size} is not within the bounds {bounds} of {variant.name}"
                raise source.error(("warm_up", "size"), message)


def _check_own_processes(source: Source, experiment: Experiment) -> None:
    """A process that serves several runs can neither be behind a balancer nor have a quota."""
    if experiment.server == "per-run":
        return
    balanced = any(
        variant.pool.balancer is not None
        for controller in experiment.controller or (None,)
        for variant in variants(experiment, controller).values()
    )
    for wish, there in (("a balancer", balanced), ("quotas", experiment.quotas is not None)):
        if there:
            raise source.error(("server",), f"server must be per-run with {wish}, but is {experiment.server}")


def _settings_beside(source: Source, place: Place) -> list[str]:
    """Settings that may stand in place of the one at `place`."""
    if place[0] == "pools" and len(place) > 1:
        pool: dict[str, Any] = source.data["pools"][place[1]]
        if "admission" in pool:
            return _names(AdmissionPool)
        word = pool.get("controller", FIXED if "size" in pool else STEPPING[0])
        return _names(pools().get(str(word), SteppingPool))
    parents = [part for part in reversed(place[:-1]) if isinstance(part, str)]
    if parents[1:2] == ["http"]:
        return _names(Request)
    return _names(_MODELS.get(next(iter(parents), ""), Experiment))


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]
