"""One run: the files of its folder, read by the contract into immutable objects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from poolkeeper.record.columns import LOAD, MONITOR, SLICES, WINDOWS
from poolkeeper.record.documents import (
    DecisionDocument,
    Drift,
    LoadDocument,
    Machine,
    QuotaUse,
    RunDocument,
    Schedule,
    WarmUp,
)
from poolkeeper.record.errors import BadLine, RecordError
from poolkeeper.record.gc import GC_LOG, GcLog, read_gc_log
from poolkeeper.record.latency import LatencyLog, read_latency
from poolkeeper.record.lines import whole_lines
from poolkeeper.record.table import Table, read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

VERSION = 1
"""The latest version of the run record that this reader knows."""

NO_POOL = "plain"
"""Placeholder for the controller of a server that has no pool."""
ALTERNATING = "alternating"
"""Placeholder for the controller of a pool on which variants take turns."""
LEFT_OUT_S = 0.5
"""A second of the load counts for a slice if it begins so long after the slice, or later."""

_FORMER_NAME = "tidepool"
"""Name of the lab in the versions of records from before it was renamed."""
_NS = 1_000_000_000
_Model = TypeVar("_Model", bound=BaseModel)
_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision of a controller at `at_s` (seconds since the run's start), and its reason."""

    at_s: float
    pool: str
    controller: str
    mode: str
    action: str
    size_before: int
    size_after: int
    size_asked: int | None
    reason: str
    numbers: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class LoadSummary:
    """Summary of the load generator over the whole run; CPU in seconds."""

    start_s: float
    end_s: float
    requests: int
    errors: int
    errors_by_kind: Mapping[str, int]
    cpu_s: float
    schedule: Schedule | None
    """Punctuality of the load; None for closed users, and in older records."""
    cpu_share: float | None
    bottleneck: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """A turn of a variant on a pool that several share; in seconds since the run's start."""

    number: int
    variant: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Run:
    """One run record. Parts that an unfinished run lacks are None; `notes` has the reasons."""

    folder: Path
    id: str
    experiment: str
    variant: str
    repetition: int
    simulated: bool
    """Whether its times are those of a simulation."""
    status: str
    error: str | None
    start: datetime
    duration_s: float | None
    command: tuple[str, ...]
    configuration: Mapping[str, Any]
    versions: Mapping[str, str]
    machine: Machine
    warm_up: WarmUp | None
    warnings: tuple[str, ...]
    windows: Table | None
    decisions: tuple[Decision, ...]
    load: Table | None
    summary: LoadSummary | None
    latency: LatencyLog | None
    monitor: Table | None
    """CPU time, memory and switches of each process, counted from its start; only if somebody watched."""
    gc: GcLog | None
    """The pauses of the server's garbage collector, those of its warm-up among them; only if it was logged."""
    ready_s: float | None
    """Seconds from the start of the server's process until it was ready; None where that was not measured."""
    drift: Drift | None
    counters: Mapping[str, int] | None
    """Counts of the processor for the server while the load ran; None where it did not count."""
    quotas: Mapping[str, QuotaUse]
    """By process, as monitor.csv names it; only those that were limited."""
    notes: tuple[str, ...]
    slices: tuple[Slice, ...] = ()
    """The turns that variants took and finished; empty where the run is of one variant."""
    exported: bool = False
    """Whether a console took it from a running program; it has no load then."""


def read_run(folder: Path) -> Run:
    """Read the record in `folder`.

    A run that is not complete may lack files, and a server without a pool leaves neither windows nor decisions. Every
    file that is there must be right, but for a last line that was cut off. Raises RecordError naming the file (and, as
    BadLine, the line) for anything else.
    """
    document = _read_run_document(folder / "run.json")
    start_ns = document.start_monotonic_ns
    parts = _Parts(folder, complete=document.status == "complete")
    pooled = controller_of(document.configuration) != NO_POOL
    windows = parts.read("windows.csv", lambda file: read_table(file, WINDOWS, start_ns), needed=pooled)
    decisions = parts.read("decisions.jsonl", lambda file: _read_decisions(file, start_ns), needed=pooled)
    exported = document.kind == "export"
    load = parts.read("load.csv", lambda file: read_table(file, LOAD, start_ns), needed=not exported)
    summary = parts.read("load.json", lambda file: (_read_summary(file, start_ns), False), needed=not exported)
    load_start_s = float(load["start_s"][0]) if load else summary.start_s if summary else 0.0
    latency = parts.read("latency.hlog", lambda file: read_latency(file, load_start_s), needed=not exported)
    monitor = parts.read("monitor.csv", lambda file: read_table(file, MONITOR, start_ns), needed=False)
    gc = parts.read(GC_LOG, lambda file: read_gc_log(file, start_ns), needed=False)
    slices = parts.read(
        "slices.csv",
        lambda file: read_table(file, SLICES, start_ns),
        needed=controller_of(document.configuration) == ALTERNATING,
    )
    end_ns = document.end_monotonic_ns
    return Run(
        folder=folder,
        id=document.id,
        experiment=document.experiment,
        variant=document.variant or document.id,
        repetition=document.repetition,
        simulated=document.kind == "simulation",
        status=document.status,
        error=document.error,
        start=document.start,
        duration_s=None if end_ns is None else (end_ns - start_ns) / _NS,
        command=document.command,
        configuration=document.configuration,
        versions=_versions(document),
        machine=document.machine,
        warm_up=document.warm_up,
        warnings=document.warnings,
        windows=windows,
        decisions=decisions or (),
        load=load,
        summary=summary,
        latency=latency,
        monitor=monitor,
        gc=gc,
        ready_s=document.ready_s,
        drift=document.drift,
        counters=document.counters,
        quotas=document.quotas,
        notes=tuple(parts.notes),
        slices=_slices(slices) if slices else (),
        exported=exported,
    )


def _slices(table: Table) -> tuple[Slice, ...]:
    rows = zip(
        table["number"].tolist(),
        table.labels["variant"],
        table["start_s"].tolist(),
        table["end_s"].tolist(),
        strict=True,
    )
    return tuple(Slice(int(number), variant, start_s, end_s) for number, variant, start_s, end_s in rows)


class _Parts:
    """Reads the files of one run, with notes on missing and truncated ones."""

    def __init__(self, folder: Path, *, complete: bool) -> None:
        self.folder = folder
        self.complete = complete
        self.notes: list[str] = []

    def read(self, name: str, reader: Callable[[Path], tuple[_Part, bool]], *, needed: bool = True) -> _Part | None:
        file = self.folder / name
        if not file.exists():
            if not needed:
                return None
            if self.complete:
                raise RecordError(file, "is missing although the run is complete")
            self.notes.append(f"{name} is missing")
            return None
        if not self.complete and file.stat().st_size == 0 and file.suffix != ".jsonl":
            self.notes.append(f"{name} is empty")
            return None
        part, cut_off = reader(file)
        if cut_off:
            self.notes.append(f"{name}: the last line is cut off and was ignored")
        return part


def controller_of(configuration: Mapping[str, Any]) -> object:
    """The controller of the server's pool; none where the configuration names no pool."""
    pool = configuration.get("pool")
    return pool.get("controller") if isinstance(pool, dict) else None


def _versions(document: RunDocument) -> dict[str, str]:
    return {"poolkeeper" if name == _FORMER_NAME else name: version for name, version in document.versions.items()}


def _read_run_document(file: Path) -> RunDocument:
    text = _read_text(file)
    try:
        version = json.loads(text).get("version")
    except (ValueError, AttributeError):
        version = None  # whatever else is wrong with the text is told below
    if isinstance(version, int) and version > VERSION:
        raise RecordError(file, f"version {version} of the run record; this reader knows versions up to {VERSION}")
    if isinstance(version, int) and version < 1:
        raise RecordError(file, f"version {version} of the run record does not exist")
    return _validate(RunDocument, file, text)


def _read_decisions(file: Path, start_ns: int) -> tuple[tuple[Decision, ...], bool]:
    lines, cut_off = whole_lines(file)
    return tuple(_read_decision(file, number, line, start_ns) for number, line in enumerate(lines, start=1)), cut_off


def _read_decision(file: Path, number: int, line: str, start_ns: int) -> Decision:
    try:
        found = DecisionDocument.model_validate_json(line)
    except ValidationError as error:
        raise BadLine(file, number, _first(error)) from None
    return Decision(at_s=(found.at_ns - start_ns) / _NS, **found.model_dump(exclude={"at_ns"}))


def _read_summary(file: Path, start_ns: int) -> LoadSummary:
    found = _validate(LoadDocument, file, _read_text(file))
    named = ("requests", "errors", "errors_by_kind", "schedule", "cpu_share", "bottleneck", "warnings")
    return LoadSummary(
        start_s=(found.start_ns - start_ns) / _NS,
        end_s=(found.end_ns - start_ns) / _NS,
        cpu_s=found.cpu_ns / _NS,
        **{name: getattr(found, name) for name in named},
    )


def _read_text(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RecordError(file, "is not UTF-8 text") from None
    except OSError as error:
        raise RecordError(file, f"cannot be read: {error.strerror}") from error
    if not text.strip():
        raise RecordError(file, "is empty")
    return text


def _validate(model: type[_Model], file: Path, text: str) -> _Model:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise RecordError(file, _first(error)) from None


def _first(error: ValidationError) -> str:
    """The first mistake in one line, with its place in the document."""
    found = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in found["loc"])
    message = found["msg"][0].lower() + found["msg"][1:]
    return f"{place}: {message}" if place else message
