"""Requirements of `order: slices`: steady work, and variants that can take turns on one pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.experiment.definition.catalogue import catalogue
from poolkeeper.experiment.definition.pools import AdmissionPool, FixedPool, OwnPool, PlainPool
from poolkeeper.experiment.definition.values import Bounds
from poolkeeper.experiment.definition.variants import SLICES
from poolkeeper.units import format_duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poolkeeper.experiment.definition.model import Experiment
    from poolkeeper.experiment.definition.variants import Variant
    from poolkeeper.study.source import Place

FEWEST_VARIANTS = 2
WINDOWS = 3
"""Windows that a slice must hold for a controller: the one in which it begins is given to none."""


def unfit(experiment: Experiment, variants: Sequence[Variant]) -> Iterator[tuple[Place, str]]:
    """Each setting that does not go with slices, and why; `variants` are those of one cell."""
    if experiment.order != SLICES:
        return
    yield from _load(experiment)
    if len(variants) < FEWEST_VARIANTS:
        yield ("order",), "order: slices needs two variants or more, which take turns"
        return
    if experiment.versus is None:
        yield ("order",), "order: slices needs versus: the variant whose slices the others are set against"
    for variant in variants:
        yield from _pool(experiment, variant)
    yield from _alike(experiment, variants)


def _load(experiment: Experiment) -> Iterator[tuple[Place, str]]:
    if experiment.load.random is not None:
        yield ("load", "random"), "load.random must be left out with order: slices, which is for steady work"
        return
    phases = experiment.load.phases or ()
    levels = list(dict.fromkeys(f"{end:g}" for phase in phases for end in (phase.level.start, phase.level.end)))
    if len(levels) > 1 or len({repr(phase.model_dump(exclude={"duration"})) for phase in phases}) > 1:
        difference = f"go through {', '.join(levels)}" if len(levels) > 1 else "differ"
        yield (
            ("load", "phases"),
            f"load.phases must be alike with order: slices, which is for steady work, but {difference}",
        )


def _pool(experiment: Experiment, variant: Variant) -> Iterator[tuple[Place, str]]:
    pool, why = variant.pool, None
    if isinstance(pool, PlainPool):
        why = "has no pool (plain) whose size could change in its slices"
    elif isinstance(pool, AdmissionPool):
        why = f"has no pool but a limit (admission: {pool.admission}), and the slices share one pool"
    elif isinstance(pool, FixedPool) and pool.queue_capacity is not None:
        why = f"has a queue of its own (queue_capacity: {pool.queue_capacity}), and the slices share one"
    elif isinstance(pool, OwnPool):
        why = f"has an executor of its own ({pool.controller}), and the slices share one pool"
    elif pool.balancer is not None:
        why = f"has several servers (balancer: {pool.balancer}), and the slices share one"
    elif catalogue()[pool.controller].kind == "policy":
        why = f"has the policy {pool.controller}, which decides at the events of tasks and not once a window"
    elif not isinstance(pool, FixedPool) and experiment.slice_s < WINDOWS * variant.window:
        why = (
            f"has windows of {format_duration(variant.window)}, of which a slice of "
            f"{format_duration(experiment.slice_s)} must hold {WINDOWS} at least"
        )
    if why is not None:
        yield _place(experiment), f"{variant.name} cannot take turns with order: slices: it {why}"


def _alike(experiment: Experiment, variants: Sequence[Variant]) -> Iterator[tuple[Place, str]]:
    """Properties that the variants must have in common, since they share them."""
    first = variants[0]
    for variant in variants[1:]:
        for setting, own, other in (
            ("architecture", variant.architecture, first.architecture),
            ("window", format_duration(variant.window), format_duration(first.window)),
            ("bounds", str(_bounds(variant)), str(_bounds(first))),
        ):
            if own != other:
                both = f"{variant.name} has {setting} {own}, and {first.name} {other}"
                yield _place(experiment), f"{both}: with order: slices they share one pool, which has one {setting}"


def _bounds(variant: Variant) -> Bounds:
    return Bounds(variant.minimum, variant.maximum)


def _place(experiment: Experiment) -> Place:
    return ("pools",) if experiment.architecture is None else ("architecture",)
