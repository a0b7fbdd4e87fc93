"""Variants of an experiment: a pool with a list among its settings stands for one variant a value.

pools:
fixed: {size: [2, 10, 100]}     # fixed-2, fixed-10, fixed-100
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from poolkeeper.experiment.definition.catalogue import catalogue
from poolkeeper.experiment.definition.choices import (
    ADAPTIVE,
    ADAPTIVE_CONTROLLER,
    FIXED,
    NO_HANDLERS,
    PLAIN,
    WITHOUT_HANDLERS,
)
from poolkeeper.experiment.definition.pools import AdmissionPool, AnyPool, FixedPool, PlainPool, TunedPool, pools
from poolkeeper.experiment.definition.values import Bounds
from poolkeeper.suggestion import unknown
from poolkeeper.units import format_duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from poolkeeper.experiment.definition.model import Experiment
    from poolkeeper.experiment.definition.pools import SizedPool
    from poolkeeper.study.source import Place

LIMITER_BOUNDS = Bounds(1, 1000)
"""Of the library's limiter where none are given."""
USUAL_WINDOW_S = 1.0
"""Window where no controller recommends one, and of variants that take turns, which all have the same."""
SLICES = "slices"
"""Name of what stands for variants that take turns."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=-]*")


class BadVariant(ValueError):  # noqa: N818 - says what it is
    """A mistake in a pool, with its place in the file."""

    def __init__(self, place: Place, message: str, invalid: ValidationError | None = None) -> None:
        super().__init__(message)
        self.place = place
        self.invalid = invalid


@dataclass(frozen=True, slots=True)
class Variant:
    """A pool by name, ready to run; `window` in seconds, not scaled."""

    name: str
    pool: AnyPool
    window: float
    minimum: int
    maximum: int
    initial: int
    architecture: str | None = None
    """Of the server; None for that which a server has unless told otherwise."""
    handlers: str | None = None
    """Their number as the experiment states it; None where an architecture has none, or where none is stated."""
    turns: tuple[Variant, ...] = ()
    """The variants that take turns in a run with order: slices, which stands for them all; empty for any other."""


def variants(experiment: Experiment, controller: str | None = None) -> dict[str, Variant]:
    """The variants by name, in the order of the file; `controller` is that of the pools that name none.

    Raises BadVariant for the first that is wrong.
    """
    if experiment.architecture is not None:
        return {architecture.name: architecture for architecture in _architectures(experiment, experiment.architecture)}
    found: dict[str, Variant] = {}
    for pool, written in (experiment.pools or {}).items():
        for name, settings in _expand(pool, written):
            if name in found:
                raise BadVariant(("pools", pool), f"a second variant has the name '{name}'")
            found[name] = _variant(experiment, ("pools", pool), name, settings, controller)
    return found


def alternating(members: Iterable[Variant]) -> Variant:
    """Stand-in for variants that take turns in one run; in all that they share it is like the first."""
    turns = tuple(members)
    return replace(turns[0], name=SLICES, handlers=None, turns=turns)


def _architectures(experiment: Experiment, names: Iterable[str]) -> Iterator[Variant]:
    """Each architecture with each number of handlers; without any, once."""
    for name in names:
        if name in WITHOUT_HANDLERS:
            plain = _variant(experiment, ("architecture",), name, {"controller": PLAIN}, None)
            yield replace(plain, architecture=name)
            continue
        for handlers in experiment.handlers:
            if handlers == NO_HANDLERS:
                continue
            chosen = ADAPTIVE_CONTROLLER if handlers == ADAPTIVE else handlers
            settings = {"size": chosen} if isinstance(chosen, int) else {"controller": chosen}
            sized = _variant(experiment, ("handlers",), f"{name}-{handlers}", settings, None)
            yield replace(sized, architecture=name, handlers=str(handlers))


def _expand(pool: str, written: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    lists = {key: value for key, value in written.items() if isinstance(value, list)}
    for key, written_values in lists.items():
        if not written_values:
            raise BadVariant(("pools", pool, key), f"{key} must hold at least one value")
    for values in product(*lists.values()):
        name = "-".join([pool, *map(str, values)])
        if not _NAME.fullmatch(name):
            raise BadVariant(("pools", pool), f"a variant '{name}' must be letters, digits, '.', '_', '=' and '-'")
        yield name, {**written, **dict(zip(lists, values, strict=True))}


def _variant(
    experiment: Experiment, place: Place, name: str, settings: dict[str, Any], controller: str | None
) -> Variant:
    if "admission" in settings:
        return _admission(experiment, place, name, settings)
    chosen = settings.get("controller", FIXED if "size" in settings else controller)
    if chosen is None:
        _refuse_unknown(place, settings)
        raise BadVariant(place, f"{name} needs a size or a controller: {', '.join(pools())}")
    if not isinstance(chosen, str):
        raise BadVariant((*place, "controller"), f"controller of {name} must be a text, but is {chosen!r}")
    if chosen not in pools():
        raise BadVariant((*place, "controller"), unknown("controller", str(chosen), pools()))
    try:
        pool = pools()[chosen].model_validate({**settings, "controller": chosen})
    except ValidationError as error:
        raise BadVariant(place, name, error) from None
    if isinstance(pool, PlainPool):
        return Variant(name, pool, experiment.window or USUAL_WINDOW_S, 1, 1, 1, architecture=pool.architecture)
    bounds = pool.bounds or experiment.bounds
    key, initial = _initial(pool, experiment)
    if initial not in bounds:
        raise BadVariant((*place, key), f"{key} {initial} of {name} is not within its bounds {bounds}")
    return Variant(name, pool, _window(experiment, place, name, pool), bounds.minimum, bounds.maximum, initial)


def _refuse_unknown(place: Place, settings: Iterable[str]) -> None:
    """Raises BadVariant for a setting that no pool has: where a size or a controller is missing, it may be that."""
    names = {field.alias or name for pool in pools().values() for name, field in pool.model_fields.items()}
    for setting in settings:
        if setting not in names:
            raise BadVariant((*place, setting), unknown("setting", setting, ["size", *TunedPool.model_fields]))


def _admission(experiment: Experiment, place: Place, name: str, settings: dict[str, Any]) -> Variant:
    """A limit in front of the server."""
    for other in ("controller", "size"):
        if other in settings:
            raise BadVariant((*place, other), f"{name} has an admission, which takes the place of its {other}")
    try:
        pool = AdmissionPool.model_validate(settings)
    except ValidationError as error:
        raise BadVariant(place, name, error) from None
    bounds = pool.bounds or LIMITER_BOUNDS
    return Variant(name, pool, _window(experiment, place, name, pool), bounds.minimum, bounds.maximum, bounds.minimum)


def _window(experiment: Experiment, place: Place, name: str, pool: SizedPool) -> float:
    window, shortest = pool.window or experiment.window, experiment.load.shortest()
    if window is None:
        return min(USUAL_WINDOW_S if experiment.order == SLICES else _recommended_window(pool), shortest)
    if window > shortest:
        raise BadVariant(
            (*place, "window") if pool.window else ("window",),
            f"window of {name} must not be longer than the shortest phase of the load, "
            f"but {format_duration(window)} > {format_duration(shortest)}",
        )
    return window


def _recommended_window(pool: SizedPool) -> float:
    """The window of the controller; the usual one for a policy that decides at the events of tasks."""
    controller = ADAPTIVE_CONTROLLER if isinstance(pool, AdmissionPool) and pool.adaptive else pool.controller
    entry = catalogue().get(controller)
    return entry.window if entry and entry.window else USUAL_WINDOW_S


def _initial(pool: AnyPool, experiment: Experiment) -> tuple[str, int]:
    if isinstance(pool, FixedPool):
        return "size", pool.size
    return "initial", getattr(pool, "initial", None) or experiment.initial
