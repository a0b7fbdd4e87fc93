"""A disk experiment as its file states it: workloads, pools, and the runs that they make."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    field_serializer,
    model_validator,
)

from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.catalogue import catalogue
from poolkeeper.experiment.definition.settings import Settings
from poolkeeper.experiment.definition.values import Count, JavaText, PositiveDuration, Repetitions
from poolkeeper.study.fields import OneOrMany, PositiveNumber, as_tuple
from poolkeeper.study.problem import first_problem, spoken
from poolkeeper.study.source import Place, Source, read_source
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

OPTIMAL = "optimal-fixed"
"""Baseline of a workload: the smallest fixed size within 3 % of the fastest one."""
MOST_RUNS = 10_000
MOST_THREADS = 1024
MOST_JOBS = 10_000_000
"""Jobs of a phase."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Name of a workload or a variant, which is that of a folder too."""
_PHASE = re.compile(r"(?P<workload>[a-z0-9_]+):(?P<jobs>[1-9]\d{0,7}):(?P<arrivals>oneshot|[1-9]\d{0,5}(us|ms))")
NEIGHBOUR = "_neighbour"
"""End of the name of a workload during which fio writes to the same disk."""
_FILES = ("read_2mb", "rw_2mb", "rw_buf_2mb", "rw_nosync_2mb", "rw_100kb", "rw_4kb")
_WORKLOADS = {
    "files": (*_FILES, *(name + NEIGHBOUR for name in _FILES)),
    "rocksdb": ("fillseq", "fillrandom", "overwrite", "overwrite_readers", "overwrite_neighbour"),
}
_NODE_WORKLOADS = (*_FILES, "rw_10mb", "mixed")

_ROCKSDB_ALONE = ("default", "rate-limiter", "adoc")
_NODE = ("response-curve", "scale-adapter", "scale-adapter-drop", "scale-adapter-average", "scale-adapter-calls")


def _phase(text: str) -> str:
    phase = _PHASE.fullmatch(text)
    if phase is None:
        raise ValueError(f"must be workload:jobs:arrivals, such as rw_2mb:1500:oneshot, but is '{text}'")
    if int(phase["jobs"]) > MOST_JOBS:
        raise ValueError(f"must have {MOST_JOBS:,} jobs at most, but is '{text}'")
    return text


def _plain_value(value: Any) -> Any:
    if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"must be a text, a finite number, true or false, but is {value!r}")
    return value


Phases = Annotated[tuple[Annotated[str, AfterValidator(_phase)], ...], BeforeValidator(as_tuple), Field(min_length=1)]
Value = str | int | float | bool


class Pool(Settings):
    """A pool: its controller, and in `settings` the settings of that."""

    runtime: Literal["java", "node"] = "java"
    """node: the thread pool of libuv, whose fixed size is UV_THREADPOOL_SIZE. Only it has mixed and rw_10mb."""
    controller: str = "fixed"
    initial: Count = 1
    minimum: Count = 1
    maximum: Count = 64
    window: PositiveDuration | None = None
    decisions: Literal["followed", "computed"] = "followed"
    """computed: the controller decides, and the size stays."""
    sensor: bool = True
    threads: Literal["pool", "virtual", "virtual-to-pool"] = "pool"
    """Threads of a job on files: those of the pool, virtual ones, or virtual ones that give the files to the pool."""
    settings: dict[str, OneOrMany[Annotated[Value, PlainValidator(_plain_value)]]] = Field(default_factory=dict)

    @field_serializer("window")
    def _with_its_unit(self, window: float | None) -> str | None:
        return None if window is None else f"{window * 1000:g}ms"

    @model_validator(mode="after")
    def _sizes_go_together(self) -> Pool:
        if self.controller == "fixed" and "size" not in self.settings:
            raise ValueError("has the controller fixed, which needs settings: {size: ...}")
        if self.controller == "fixed":
            for size in self.settings["size"]:
                if not (type(size) is int and 1 <= size <= MOST_THREADS):
                    raise ValueError(f"needs sizes that are whole numbers from 1 to {MOST_THREADS}, but has {size}")
        if self.controller != "fixed" and not self.minimum <= self.initial <= self.maximum:
            raise ValueError(
                f"needs minimum <= initial <= maximum, but has {self.minimum}, {self.initial}, {self.maximum}"
            )
        return self

    @model_validator(mode="after")
    def _of_node_has_what_node_takes(self) -> Pool:
        if self.runtime == "node":
            self.refuse("runtime: node", ("window", "sensor", "threads"))
            taken = "size" if self.controller == "fixed" else "objective"
            for name in self.settings:
                if name != taken:
                    raise ValueError(f"has runtime: node, where {self.controller} takes {taken} alone, but has {name}")
        return self

    def refuse(self, where: str, names: Sequence[str]) -> None:
        """Raises ValueError for a setting that would have no effect."""
        for name in names:
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"has a setting {name}, which has no effect with {where}")


class Small(Settings):
    """Small form of an experiment, which is run unless all is wanted: fewer jobs, and some of its variants."""

    disk: Annotated[dict[str, Phases], Field(min_length=1)] | None = None
    """Workloads in place of those of the experiment."""
    variants: Annotated[tuple[str, ...], BeforeValidator(as_tuple), Field(min_length=1)] | None = None
    files: Count | None = None
    repetitions: Repetitions | None = None


class DiskExperiment(Settings):
    """Everything that a disk experiment states."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    question: Annotated[str, Field(min_length=1)]
    engine: Literal["files", "rocksdb"] = "files"
    """Work of the runs: jobs on files, or writes to a RocksDB."""
    disk: Annotated[dict[str, Phases], Field(min_length=1)]
    """Phases of each workload, in order, such as rw_2mb:1500:oneshot."""
    layout: str | None = None
    """Column families and memtables of a RocksDB, such as families=8,memtable=8; that of the testbed if not given."""
    java: JavaText | None = None
    """JDK of the runs: a version of those installed, or a folder; that of the lab if not given."""
    pools: Annotated[dict[str, Pool], Field(min_length=1)]
    versus: str = OPTIMAL
    files: Count = 2000
    """Most files of a run; jobs beyond that read some of them again, from the page cache."""
    folder: str | None = None
    """Folder on the disk; that of the results if it is not given."""
    scale: PositiveNumber = 1.0
    """Factor on the number of jobs."""
    repetitions: Repetitions = 1
    published: str | None = None
    """CSV file with the ratios of others."""
    small: Small | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """A pool with one value of each setting."""

    name: str
    pool: Pool
    settings: dict[str, Value]

    @property
    def fixed_size(self) -> int | None:
        """Size of a plain fixed pool, None for any other."""
        plain = (
            self.pool.controller == "fixed"
            and self.pool.sensor
            and self.pool.decisions == "followed"
            and self.pool.threads == "pool"
        )
        return int(self.settings["size"]) if plain else None

    def environment(self) -> dict[str, str]:
        """The variables of a run in Node that say how its pool is sized."""
        pool = self.pool
        if pool.controller == "fixed":
            return {"UV_THREADPOOL_SIZE": str(self.settings["size"])}
        return {
            "UV_THREADPOOL_SIZE": str(pool.initial),
            "POOLKEEPER_MINIMUM": str(pool.minimum),
            "POOLKEEPER_MAXIMUM": str(pool.maximum),
            "POOLKEEPER_CONTROLLER": pool.controller,
            "POOLKEEPER_OBJECTIVE": str(self.settings.get("objective", "throughput")),
            "POOLKEEPER_MODE": "dry-run" if pool.decisions == "computed" else "active",
        }

    def arguments(self) -> list[str]:
        """The options of a run that say how its pool is sized."""
        pool = self.pool
        return [
            *("--controller", pool.controller),
            *(text for name, value in self.settings.items() for text in ("--set", f"{name}={value}")),
            *("--initial", str(pool.initial), "--maximum", str(pool.maximum)),
            *(() if pool.minimum == 1 else ("--minimum", str(pool.minimum))),
            *(() if pool.window is None else ("--window", str(round(pool.window * 1000)))),
            *(("--advice-only",) if pool.decisions == "computed" else ()),
            *(() if pool.sensor else ("--no-loop",)),
            *(() if pool.threads == "pool" else ("--threads", pool.threads)),
        ]


@dataclass(frozen=True, slots=True)
class DiskRun:
    """One run: a workload on a variant."""

    workload: str
    variant: Variant
    repetition: int
    phases: tuple[str, ...]
    folder: Path
    layout: str | None = None
    java: str | None = None

    @property
    def title(self) -> str:
        """The run in words."""
        return f"{self.workload} · {self.variant.name} · {self.repetition}"

    def configuration(self) -> dict[str, Any]:
        """Everything that its measurement depends on."""
        pool = self.variant.pool
        others: dict[str, str] = {} if pool.runtime == "java" else {"runtime": pool.runtime}
        if self.java:
            others["java"] = self.java
        return {"phases": list(self.phases), "arguments": self.arguments(), **others}

    def arguments(self) -> list[str]:
        """The options of the run, but for its phases."""
        return [*self.variant.arguments(), *(("--layout", self.layout) if self.layout else ())]


def is_disk_experiment(path: Path) -> bool:
    """Whether a file states a disk experiment: it has a setting `disk`."""
    try:
        return path.is_file() and "disk" in read_source(path).data
    except (InputError, OSError, UnicodeDecodeError):
        return False


def read_disk_experiment(path: Path) -> DiskExperiment:
    """Read and check an experiment. Raises InputError with the first thing that is wrong, and its line."""
    source = read_source(path)
    name = path.resolve().parent.name if path.stem == "matrix" else path.stem
    try:
        experiment = DiskExperiment.model_validate({"name": name, **source.data})
    except ValidationError as error:
        raise first_problem(source, error, _settings_beside) from None
    _require_workloads(experiment, source)
    _require_controllers(experiment, source)
    if experiment.layout is not None and experiment.engine != "rocksdb":
        raise source.error(("layout",), "layout: is that of a RocksDB, and needs engine: rocksdb")
    names = [variant.name for variant in variants(experiment)]
    _require_names(experiment, names, source)
    if experiment.versus != OPTIMAL and experiment.versus not in names:
        raise source.error(("versus",), "versus: " + unknown("variant", experiment.versus, [*names, OPTIMAL]))
    if experiment.versus == OPTIMAL and not any(variant.fixed_size for variant in variants(experiment)):
        raise source.error(("pools",), f"pools: none is fixed, and versus is {OPTIMAL}")
    _require_variants(experiment, names, source)
    if experiment.published is not None:
        published = path.parent / experiment.published
        if not published.is_file():
            raise source.error(("published",), f"published: there is no file {published}")
        experiment = experiment.model_copy(update={"published": str(published)})
    return experiment


def _settings_beside(source: Source, place: Place) -> list[str]:
    """Settings that may stand in place of the one at `place`."""
    del source
    models: dict[str, type[Settings]] = {"pools": Pool, "small": Small}
    return list((models.get(str(place[0]), DiskExperiment) if len(place) > 1 else DiskExperiment).model_fields)


def _require_workloads(experiment: DiskExperiment, source: Source) -> None:
    """Raises InputError if a phase has a workload that the engine does not have."""
    choices: Sequence[str] = _WORKLOADS[experiment.engine]
    runtimes = {pool.runtime for pool in experiment.pools.values()}
    if "node" in runtimes and experiment.engine == "files":
        choices = [name for name in _NODE_WORKLOADS if "java" not in runtimes or name in choices]
    small = None if experiment.small is None else experiment.small.disk
    for base, workloads in ((("disk",), experiment.disk), (("small", "disk"), small or {})):
        for name, phases in workloads.items():
            for index, phase in enumerate(phases):
                workload = phase.partition(":")[0]
                if workload not in choices:
                    place = (*base, name, *((index,) if len(phases) > 1 else ()))
                    raise source.error(place, f"{spoken(place)}: {unknown('workload', workload, choices)}")


def _require_controllers(experiment: DiskExperiment, source: Source) -> None:
    """Raises InputError for a controller that there is not: the runs before it would be in vain."""
    for name, pool in experiment.pools.items():
        if experiment.engine == "rocksdb":
            _require_taken_by_rocksdb(name, pool, source)
        if pool.runtime == "node":
            choices = ["fixed", *_NODE]
        elif experiment.engine == "rocksdb":
            choices = [*_ROCKSDB_ALONE, *(entry.name for entry in catalogue().values() if entry.kind == "controller")]
        else:
            choices = list(catalogue())
        if pool.controller not in choices:
            place = ("pools", name, "controller")
            raise source.error(place, f"{spoken(place)}: {unknown('controller', pool.controller, choices)}")


def _require_taken_by_rocksdb(name: str, pool: Pool, source: Source) -> None:
    """Raises InputError for a setting of a pool that has no effect on the threads of a RocksDB."""
    try:
        pool.refuse("engine: rocksdb", ("runtime", "minimum", "window", "sensor", "threads"))
    except ValueError as error:
        raise source.error(("pools", name), f"pools.{name} {error}") from None


def _require_names(experiment: DiskExperiment, names: Sequence[str], source: Source) -> None:
    """Raises InputError if a name is no name of a folder, or two variants have the same."""
    for place, kind, all_names in (("disk", "workload", list(experiment.disk)), ("pools", "variant", names)):
        for index, name in enumerate(all_names):
            if _NAME.fullmatch(name) is None:
                raise source.error((place,), f"{place}: '{name}' is no name of a {kind}: letters, digits, . _ and -")
            if name in all_names[:index]:
                raise source.error((place,), f"{place}: two variants are called {name}")


def _require_variants(experiment: DiskExperiment, names: Sequence[str], source: Source) -> None:
    """Raises InputError if the small form names a variant that there is not, or lacks the baseline."""
    place = ("small", "variants")
    chosen = None if experiment.small is None else experiment.small.variants
    for name in chosen or ():
        if name not in names:
            raise source.error(place, "small.variants: " + unknown("variant", name, names))
    if chosen is None:
        return
    if experiment.versus != OPTIMAL and experiment.versus not in chosen:
        raise source.error(place, f"small.variants: must hold {experiment.versus}, the baseline")
    fixed = {variant.name for variant in variants(experiment) if variant.fixed_size}
    if experiment.versus == OPTIMAL and fixed.isdisjoint(chosen):
        raise source.error(place, f"small.variants: none is fixed, and versus is {OPTIMAL}")


def small_form(experiment: DiskExperiment) -> DiskExperiment:
    """The small form of an experiment; one without is returned as it is."""
    small = experiment.small
    if small is None:
        return experiment
    pools = {
        variant.name: variant.pool.model_copy(
            update={"settings": {name: (value,) for name, value in variant.settings.items()}}
        )
        for variant in variants(experiment)
        if small.variants is None or variant.name in small.variants
    }
    others = {name: value for name in ("disk", "files", "repetitions") if (value := getattr(small, name)) is not None}
    return experiment.model_copy(update={"pools": pools, "small": None, **others})


def variants(experiment: DiskExperiment) -> list[Variant]:
    """The pools, each once for every combination of the values of its settings."""
    return [variant for name, pool in experiment.pools.items() for variant in _variants(name, pool)]


def _variants(name: str, pool: Pool) -> Iterator[Variant]:
    several = [setting for setting, values in pool.settings.items() if len(values) > 1]
    for values in product(*pool.settings.values()):
        settings = dict(zip(pool.settings, values, strict=True))
        yield Variant("-".join([name, *(str(settings[setting]) for setting in several)]), pool, settings)


def plan(experiment: DiskExperiment, folder: Path, only: Sequence[str]) -> list[DiskRun]:
    """The chosen runs in their order: all before any is repeated, every second time in reverse.

    Raises InputError for a choice that names nothing, and for too many runs.
    """
    kinds = [(workload, variant) for workload in experiment.disk for variant in variants(experiment)]
    if len(kinds) * experiment.repetitions > MOST_RUNS:
        raise InputError(f"{len(kinds) * experiment.repetitions} runs are more than {MOST_RUNS}")
    runs = [
        DiskRun(
            workload,
            variant,
            number,
            tuple(_scaled(phase, experiment.scale) for phase in experiment.disk[workload]),
            folder / workload / variant.name / str(number),
            experiment.layout,
            experiment.java,
        )
        for number in range(1, experiment.repetitions + 1)
        for workload, variant in kinds[:: 1 if number % 2 else -1]
    ]
    for condition in only:
        runs = _chosen(runs, condition)
    return runs


def _chosen(runs: list[DiskRun], condition: str) -> list[DiskRun]:
    axis, equals, text = condition.partition("=")
    if not equals or axis not in {"workload", "variant"}:
        raise InputError(
            f"--only must be workload=NAME or variant=NAME, several separated by commas, not '{condition}'"
        )
    names = text.split(",")
    choices = list(dict.fromkeys(_value(run, axis) for run in runs))
    for name in names:
        if name not in choices:
            raise InputError(f"--only: {unknown(axis, name, choices)}")
    return [run for run in runs if _value(run, axis) in names]


def _value(run: DiskRun, axis: str) -> str:
    return run.workload if axis == "workload" else run.variant.name


def _scaled(phase: str, scale: float) -> str:
    workload, jobs, arrivals = phase.split(":")
    scaled = int(jobs) * scale
    if scaled > MOST_JOBS:
        raise InputError(f"scale {scale:g} makes {scaled:g} jobs of {phase}; a phase may have {MOST_JOBS:,} at most")
    return f"{workload}:{max(1, math.ceil(scaled))}:{arrivals}"
