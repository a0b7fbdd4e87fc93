"""The runs of an experiment, in the order in which they are made."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidepool.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tidepool.experiment.spec import Experiment, Load, Pool

_STARTING_S = 4.0
"""What starting and stopping the processes of one run takes, for the estimate of the time needed."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A pool as one run uses it; `pool` is the server's word for it, durations are scaled seconds."""

    name: str
    pool: str
    settings: tuple[tuple[str, str], ...]
    window_s: float
    initial: int
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run: a variant on an application under a load, once."""

    variant: Variant
    application: str
    cell: tuple[tuple[str, str], ...]
    load: dict[str, Any]
    repetition: int
    configuration: dict[str, Any]

    @property
    def id(self) -> str:
        """Path of the run's folder below its experiment's."""
        cell = "_".join(f"{axis}-{value}" for axis, value in self.cell)
        return "/".join(part for part in (cell, self.variant.name, str(self.repetition)) if part)

    @property
    def seconds(self) -> float:
        """How long the load lasts."""
        return float(sum(phase["seconds"] for phase in self.load["phases"]))


def variants(experiment: Experiment) -> list[Variant]:
    """Every variant; a pool with lists of values gives one for each combination of them.

    Raises:
        InputError: if `versus` is none of them.
    """
    found = [variant for name, pool in experiment.pools.items() for variant in _expanded(name, pool, experiment.scale)]
    names = [variant.name for variant in found]
    if experiment.versus not in names:
        raise InputError(f"versus is {experiment.versus!r}, which is no variant; valid: {', '.join(names)}")
    return found


def _expanded(name: str, pool: Pool, scale: float) -> Iterator[Variant]:
    axes: dict[str, tuple[Any, ...]] = {"window": pool.window}
    if pool.size:
        axes["size"] = pool.size
    axes |= {str(name): values for name, values in pool.settings.items()}
    several = [axis for axis, values in axes.items() if len(values) > 1]
    for values in itertools.product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True))
        size = chosen.get("size")
        suffix = "-".join(f"{axis if len(several) > 1 else ''}{_number(chosen[axis])}" for axis in several)
        kind = "plain" if pool.plain else pool.controller or f"fixed:{size}"
        yield Variant(
            name=f"{name}-{suffix}" if suffix else name,
            pool=kind,
            settings=tuple((key, _number(chosen[key])) for key in pool.settings),
            window_s=max(0.001, chosen["window"] * scale),
            initial=size or pool.initial,
            minimum=pool.minimum,
            maximum=max(pool.maximum, size or 1),
        )


def _number(value: float) -> str:
    return f"{value:g}"


def runs(experiment: Experiment) -> list[Run]:
    """Every run, interleaved: all variants once in each cell before any of them a second time.

    So a machine that is slower for a while is slower for all variants alike.
    """
    all_variants = variants(experiment)
    cells = list(_cells(experiment))
    return [
        _run(experiment, variant, application, cell, load, repetition)
        for repetition in range(experiment.repetitions)
        for application, cell, load in cells
        for variant in (all_variants if repetition % 2 == 0 else reversed(all_variants))
    ]


def _cells(experiment: Experiment) -> Iterator[tuple[str, tuple[tuple[str, str], ...], dict[str, Any]]]:
    loads = list(_loads(experiment.load, experiment.scale))
    for application in experiment.application:
        for users, load in loads:
            cell: list[tuple[str, str]] = []
            if len(experiment.application) > 1:
                cell.append(("application", application))
            if len(loads) > 1:
                cell.append(("users", str(users)))
            request = {"name": application, "method": "GET", "path": f"/{application}", "weight": 1}
            yield application, tuple(cell), {**load, "requests": [request]}


def _loads(load: Load, scale: float) -> Iterator[tuple[int, dict[str, Any]]]:
    common = {"users": "closed", "think_time_ms": load.think_time * scale * 1000, "timeout_ms": 30_000, "seed": 1}
    if load.phases:
        phases = [{"users": phase.users, "seconds": phase.duration * scale} for phase in load.phases]
        yield 0, {**common, "phases": phases}
    for users in load.users:
        yield users, {**common, "phases": [{"users": users, "seconds": (load.duration or 0) * scale}]}


def _run(  # noqa: PLR0913 - the coordinates of a run
    experiment: Experiment,
    variant: Variant,
    application: str,
    cell: tuple[tuple[str, str], ...],
    load: dict[str, Any],
    repetition: int,
) -> Run:
    kind, _, size = variant.pool.partition(":")
    pool: dict[str, Any] = {"controller": kind}
    if size:
        pool["size"] = int(size)
    else:
        pool |= {
            "settings": dict(variant.settings),
            "window_s": variant.window_s,
            "initial": variant.initial,
            "minimum": variant.minimum,
            "maximum": variant.maximum,
        }
    configuration = {
        "question": experiment.question,
        "application": application,
        "n": experiment.n,
        "connections": experiment.connections,
        "pool": pool,
        "load": load,
        "scale": experiment.scale,
        "warm_up_s": experiment.warm_up,
        "cell": dict(cell),
        "versus": experiment.versus,
    }
    return Run(variant, application, cell, load, repetition, json.loads(json.dumps(configuration)))


def needed_seconds(planned: list[Run], warm_up_s: float) -> float:
    """About how long the runs take, the starting of processes included."""
    return sum(run.seconds + warm_up_s + _STARTING_S for run in planned)
