"""What an experiment runs: every variant in every cell, as often as it is repeated, in order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from tidepool.errors import InputError
from tidepool.experiment.model import PlainPool
from tidepool.experiment.values import LONGEST_S, clock, format_duration
from tidepool.experiment.variants import Variant, variants
from tidepool.experiment.words import WITH_DATABASE, count, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tidepool.experiment.model import Experiment

STARTING_S = 5.0
"""About what a run takes besides its load: starting and stopping a server and a load generator."""
STARTING_DATABASE_S = 6.0
SHORTEST_PHASE_S = 1.0
"""The load is recorded by the second."""
SHORTEST_WINDOW_S = 0.001
MOST_RUNS = 10_000


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One variant in one cell, once. Times are in seconds and scaled."""

    id: str
    folder: Path
    cell: Mapping[str, str | int]
    variant: Variant
    repetition: int
    application: str
    n: int | None
    connections: str
    window: float
    warm_up: float
    load: Mapping[str, Any]
    """The load description of contract/load-description.md."""
    configuration: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The run in words: its cell and its variant."""
        axes = [value if isinstance(value, str) else count(value, "user") for value in self.cell.values()]
        return " · ".join([*axes, self.variant.name])

    @property
    def phases(self) -> Sequence[Mapping[str, Any]]:
        """Users and seconds of each phase."""
        found: Sequence[Mapping[str, Any]] = self.load["phases"]
        return found

    @property
    def needs_database(self) -> bool:
        """Whether the application works on a database."""
        return self.application in WITH_DATABASE

    @property
    def load_s(self) -> float:
        """How long the measured load takes."""
        return sum(float(phase["seconds"]) for phase in self.phases)

    @property
    def expected_s(self) -> float:
        """About how long the run takes."""
        return STARTING_S + self.warm_up + self.load_s


def plan(experiment: Experiment, folder: Path) -> list[PlannedRun]:
    """All runs of the experiment in the order in which they take place; their records go below `folder`.

    Raises InputError if the scale makes something too short to be measured or too long to be meant, and for too many.
    """
    kinds = [
        (cell, variant)
        for cell in _cells(experiment)
        for variant in variants(experiment, _controller(experiment, cell)).values()
    ]
    if len(kinds) * experiment.repetitions > MOST_RUNS:
        raise InputError(
            f"{len(kinds)} combinations of variants and axes, {experiment.repetitions} times each, are more than the "
            f"{MOST_RUNS} runs that an experiment may have"
        )
    repetitions = range(1, experiment.repetitions + 1)
    if experiment.order == "interleaved":
        order = [(kind, number) for number in repetitions for kind in kinds[:: 1 if number % 2 else -1]]
    else:
        order = [(kind, number) for kind in kinds for number in repetitions]
    runs = [_planned(experiment, folder, cell, variant, repetition) for (cell, variant), repetition in order]
    for run in runs:
        _check_scaled(run, experiment.scale)
    return runs


def expected_s(runs: Iterable[PlannedRun], *, database_per_run: bool) -> float:
    """About how long the runs take, one after the other."""
    chosen = list(runs)
    databases = sum(run.needs_database for run in chosen)
    return sum(run.expected_s for run in chosen) + STARTING_DATABASE_S * (
        databases if database_per_run else min(databases, 1)
    )


def select(runs: Sequence[PlannedRun], only: Sequence[str]) -> list[PlannedRun]:
    """The runs that `--only` chooses: each condition is AXIS=VALUE[,VALUE...], and all of them must hold.

    Raises InputError for a condition that is none, or that names an axis or value that the experiment does not have.
    """
    chosen = list(runs)
    for condition in only:
        axis, equals, text = condition.partition("=")
        if not equals or not text:
            raise InputError(f"--only {condition}: must be AXIS=VALUE, such as variant=fixed-10")
        known = {run.id: _places(run) for run in runs}
        axes = list(dict.fromkeys(name for places in known.values() for name in places))
        if axis not in axes:
            raise InputError(f"--only {condition}: {unknown('axis', axis, axes)}")
        values = list(dict.fromkeys(places[axis] for places in known.values()))
        wanted = text.split(",")
        for value in wanted:
            if value not in values:
                raise InputError(f"--only {condition}: {unknown(axis, value, values)}")
        chosen = [run for run in chosen if known[run.id][axis] in wanted]
    if not chosen:
        raise InputError(f"--only {' --only '.join(only)}: no run is left")
    return chosen


def listing(runs: Sequence[PlannedRun], *, database_per_run: bool) -> list[str]:
    """What would run and how long: one line for each variant in each cell, and the total."""
    groups: dict[str, list[PlannedRun]] = {}
    for run in runs:
        groups.setdefault(run.title, []).append(run)
    width = max(map(len, groups))
    lines = [
        f"{title:<{width}}  {len(members)} × {clock(members[0].warm_up + members[0].load_s)}, "
        f"window {format_duration(members[0].window)}"
        for title, members in groups.items()
    ]
    total = expected_s(runs, database_per_run=database_per_run)
    return [*lines, f"{count(len(runs), 'run')}, about {clock(total)} in all"]


def _places(run: PlannedRun) -> dict[str, str]:
    return {
        "variant": run.variant.name,
        "application": run.application,
        **{axis: str(value) for axis, value in run.cell.items()},
        "repetition": str(run.repetition),
    }


def _cells(experiment: Experiment) -> list[dict[str, str | int]]:
    """Every combination of the axes, which are the settings that have several values; one empty cell without axes."""
    axes: dict[str, tuple[str | int, ...]] = {
        "application": experiment.application,
        "connections": experiment.connections,
        "controller": experiment.controller or (),
        "users": experiment.load.users or (),
    }
    several = {axis: values for axis, values in axes.items() if len(values) > 1}
    return [dict(zip(several, values, strict=True)) for values in product(*several.values())]


def _controller(experiment: Experiment, cell: Mapping[str, str | int]) -> str | None:
    if experiment.controller is None:
        return None
    return str(cell.get("controller", experiment.controller[0]))


def _planned(
    experiment: Experiment, folder: Path, cell: Mapping[str, str | int], variant: Variant, repetition: int
) -> PlannedRun:
    application = str(cell.get("application", experiment.application[0]))
    connections = str(cell.get("connections", experiment.connections[0]))
    place = "_".join(f"{axis}-{value}".replace(":", "-") for axis, value in cell.items())
    id_ = "/".join(part for part in (place, variant.name, str(repetition)) if part)
    window = _scaled(variant.window, experiment.scale)
    warm_up = _scaled(experiment.warm_up, experiment.scale)
    load = _load(experiment, application, cell, repetition)
    n = experiment.n if application == "prime" else None
    sized = {
        "bounds": {"minimum": variant.minimum, "maximum": variant.maximum},
        "initial": variant.initial,
        "window_s": window,
    }
    configuration = {
        "question": experiment.question,
        "application": application,
        **({"n": n} if n else {}),
        "connections": connections,
        "database": experiment.database,
        "pool": {"controller": variant.pool.controller, **variant.pool.settings()},
        **({} if isinstance(variant.pool, PlainPool) else sized),
        "warm_up_s": warm_up,
        "load": load,
        "scale": experiment.scale,
        "cell": dict(cell),
        "versus": experiment.versus,
    }
    return PlannedRun(
        id=id_,
        folder=folder / id_,
        cell=cell,
        variant=variant,
        repetition=repetition,
        application=application,
        n=n,
        connections=connections,
        window=window,
        warm_up=warm_up,
        load=load,
        configuration=configuration,
    )


def _load(experiment: Experiment, application: str, cell: Mapping[str, str | int], repetition: int) -> dict[str, Any]:
    load = experiment.load
    if load.phases is not None:
        phases = [(phase.users, phase.duration) for phase in load.phases]
    else:
        assert load.users is not None  # noqa: S101 - the model made sure
        assert load.duration is not None  # noqa: S101
        phases = [(int(cell.get("users", load.users[0])), load.duration)]
    mean_ms = round(load.think_time.seconds * 1000, 6)
    return {
        "users": "closed",
        "think_time_ms": {"exponential": mean_ms} if load.think_time.exponential else mean_ms,
        "connections_per_user": 1,
        "phases": [{"users": users, "seconds": _scaled(duration, experiment.scale)} for users, duration in phases],
        "requests": [{"name": application, "method": "GET", "path": f"/{application}", "weight": 1}],
        "timeout_ms": round(load.timeout * 1000),
        "seed": experiment.seed + repetition - 1,
    }


def _scaled(seconds: float, scale: float) -> float:
    return round(seconds * scale, 9)


def _check_scaled(run: PlannedRun, scale: float) -> None:
    for number, phase in enumerate(run.phases, start=1):
        if phase["seconds"] < SHORTEST_PHASE_S:
            raise InputError(
                f"scale {scale:g} makes phase {number} of {run.title} {phase['seconds']:g} s long; "
                f"a phase needs at least {SHORTEST_PHASE_S:g} s"
            )
        if phase["seconds"] > LONGEST_S:
            raise InputError(
                f"scale {scale:g} makes phase {number} of {run.title} {phase['seconds']:g} s long; "
                f"a phase may have {LONGEST_S / 3600:g} h at most"
            )
    if run.window < SHORTEST_WINDOW_S:
        raise InputError(
            f"scale {scale:g} makes the window of {run.title} {run.window * 1000:g} ms long; it needs at least 1 ms"
        )
