"""Seeded runs in which variants take turns: series of slices, and whole records."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter

from poolkeeper.experiment.planning.slices import shuffled
from poolkeeper.record.columns import LOAD, WINDOWS
from poolkeeper.report.judging.paired import Course

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


NS = 1_000_000_000
BEGIN_NS = 7_000_000_000_000
SWING = 0.2
"""By which the machine is faster and slower than in the mean."""


def drift(kind: str, at_s: Any, rng: np.random.Generator) -> Floats:
    """The logarithm of the machine's speed over time, 20 % up and down in all kinds but "none" and "bursts"."""
    found: Floats = np.zeros(at_s.size)
    if kind == "swings":
        found = SWING * np.sin(2 * math.pi * at_s / 300 + rng.uniform(0, 2 * math.pi))
    elif kind == "drops":
        found = np.where(at_s > rng.uniform(0, at_s[-1]), -SWING, 0.0)
    elif kind == "wanders":
        steps = rng.normal(0, 1, at_s.size).cumsum()
        found = SWING * steps / np.abs(steps).max()
    elif kind == "bursts":  # not 20 %, but neighbours are alike: by 0.8
        steps = rng.normal(0, 0.02, at_s.size)
        for place in range(1, at_s.size):
            steps[place] += 0.8 * steps[place - 1]
        found = steps
    return found


def courses(  # noqa: PLR0913 - what a series is made of
    seed: int,
    effect: float,
    *,
    kind: str,
    blocks: int,
    variants: int = 2,
    noise: float = 0.02,
    noise_of_variant: float | None = None,
    slice_s: float = 5.0,
) -> tuple[Course, Course]:
    """The slices of a variant and of its baseline, among others; the one differs by the logarithm `effect`."""
    rng = np.random.default_rng(seed)
    names = [str(number) for number in range(variants)]
    order = np.array([int(name) for name in shuffled(names, blocks * variants, seed)])
    at_s = (np.arange(order.size) + 0.5) * slice_s
    ours = order == 1
    spread = np.where(ours, noise_of_variant or noise, noise)
    logs = drift(kind, at_s, rng) + np.where(ours, effect, 0.0) + rng.normal(0, 1, order.size) * spread
    return Course(at_s[ours], logs[ours]), Course(at_s[order == 0], logs[order == 0])


@dataclass(frozen=True)
class Turns:
    """Variants that take turns: requests a second and workers of each, the length of a slice, and the delay of a
    switch.
    """

    rates: Mapping[str, float]
    workers: Mapping[str, int]
    slice_s: int = 5
    late_s: float = 0.004
    first_second: float = 0.5
    """Factor on the rate in the first second of a slice, as after a switch."""


def write_sliced(  # noqa: PLR0913 - a record has this many parts
    folder: Path,
    turns: Turns,
    *,
    seconds: int = 120,
    seed: int = 1,
    status: str = "complete",
    finished: int | None = None,
    versus: str | None = None,
    about: Mapping[str, Any] | None = None,
    repetition: int = 1,
) -> Path:
    """Write the record of a run; only the first `finished` slices stand in it if that is given."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    order = shuffled(list(turns.rates), seconds // turns.slice_s, seed)
    speed = np.exp(drift("swings", np.arange(seconds) + 0.5, rng))
    slices = [f"{number + 1},{name},{_at(turns, number)},{_at(turns, number + 1)}" for number, name in enumerate(order)]
    _lines(folder / "slices.csv", ["number,variant,start_ns,end_ns", *slices[:finished]])
    load, windows = [], []
    with (folder / "latency.hlog").open("w", encoding="utf-8") as file:
        log = HistogramLogWriter(file)
        log.output_log_format_version()
        log.output_legend()
        for second in range(seconds):
            name = order[min(second // turns.slice_s, len(order) - 1)]
            factor = turns.first_second if second % turns.slice_s == 0 else 1.0
            requests = round(turns.rates[name] * speed[second] * factor * math.exp(rng.normal(0, 0.01)))
            span = {"start_ns": BEGIN_NS + second * NS, "end_ns": BEGIN_NS + (second + 1) * NS}
            load.append({**span, "phase": 0, "users": 10, "requests": requests, "errors": 0, "cpu_ns": 10_000_000})
            windows.append({"pool": "workers", **span, "size": turns.workers[name], "busy": 1, "queue_mean": 0})
            histogram = HdrHistogram(1, 60 * NS, 3)
            histogram.record_value(round(10 / requests * NS), requests)
            log.output_interval_histogram(histogram, second, second + 1)
    _table(folder / "load.csv", [column.name for column in LOAD], load)
    counts = dict.fromkeys(("queue_max", "arrivals", "completions", "failures", "rejections", "within_bound"), 0)
    _table(folder / "windows.csv", [column.name for column in WINDOWS], [{**row, **counts} for row in windows])
    (folder / "decisions.jsonl").write_text("", encoding="utf-8")
    if status == "complete":
        summary = {
            "start_ns": BEGIN_NS,
            "end_ns": BEGIN_NS + seconds * NS,
            "requests": 1000,
            "errors": 0,
            "errors_by_kind": {},
            "throughput": 100.0,
            "response": {},
            "cpu_ns": 1000,
            "cpu_share": 0.1,
            "bottleneck": False,
            "warnings": [],
            **(about or {}),
        }
        (folder / "load.json").write_text(json.dumps(summary), encoding="utf-8")
    members = {name: {"pool": {"controller": "fixed", "size": turns.workers[name]}} for name in turns.rates}
    run = {
        "version": 1,
        "id": folder.name,
        "experiment": "turns",
        "variant": "slices",
        "repetition": repetition,
        "status": status,
        "start": "2026-03-02T09:30:00+00:00",
        "start_monotonic_ns": BEGIN_NS,
        "command": ["run"],
        "configuration": {
            "question": "Which?",
            "application": "prime1m",
            "pool": {"controller": "alternating"},
            "slices": {"slice_s": turns.slice_s, "left_out_s": 0.5, "variants": members},
            "load": {"phases": [{"users": 10, "seconds": seconds}]},
            "cell": {},
            "versus": versus,
        },
        "versions": {},
        "machine": {"os": "Linux", "cpus": 2},
    }
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return folder


def _at(turns: Turns, number: int) -> int:
    return BEGIN_NS + round((number * turns.slice_s + turns.late_s) * NS)


def _lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _table(path: Path, names: list[str], rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
