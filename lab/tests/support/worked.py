"""Runs whose phases send different work: synthetic ones whose completions are put in their place, second by second."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from experiments import add_run
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter
from synthetic import EPOCH, NS, Phase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LEAD_S = 2.5


def add_work(  # noqa: PLR0913 - the coordinates of a run
    folder: Path,
    name: str,
    phases: Sequence[Sequence[Mapping[str, int]]],
    requests: Sequence[Mapping[str, float]],
    *,
    repetition: int = 1,
    cell: dict[str, str] | None = None,
    pool: dict[str, Any] | None = None,
) -> Path:
    """Write a run: of each phase the completions of every second by name, and the requests that it sends."""
    load = {
        "users": "closed",
        "think_time_ms": 0,
        "phases": [
            {"users": 100, "seconds": float(len(seconds)), "requests": dict(sent)}
            for seconds, sent in zip(phases, requests, strict=True)
        ],
    }
    lengths = tuple(Phase(100, float(len(seconds))) for seconds in phases)
    settings: dict[str, Any] = {"pool": pool} if pool else {}
    run = add_run(folder, name, repetition=repetition, phases=lengths, cell=cell, load=load, **settings)
    _replace(run, phases)
    return run


def _replace(run: Path, phases: Sequence[Sequence[Mapping[str, int]]]) -> None:
    with (run / "load.csv").open(encoding="utf-8", newline="") as file:
        template, *_ = csv.DictReader(file)
    begin = int(template["start_ns"])
    rows: list[dict[str, Any]] = []
    with (run / "latency.hlog").open("w", encoding="utf-8") as file:
        log = HistogramLogWriter(file)
        log.output_log_format_version()
        log.output_legend()
        started = EPOCH.timestamp() + LEAD_S
        for number, seconds in enumerate(phases):
            for counts in seconds:
                second = len(rows)
                for name, count in counts.items():
                    histogram = HdrHistogram(1, 60 * NS, 3)
                    histogram.record_value(10_000_000, count)
                    histogram.set_tag(name)
                    file.write(f"Tag={name},")
                    log.output_interval_histogram(histogram, started + second, started + second + 1)
                times = {"start_ns": begin + second * NS, "end_ns": begin + (second + 1) * NS}
                rows.append({**template, **times, "phase": number, "requests": sum(counts.values()), "errors": 0})
    with (run / "load.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(template), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    summary = json.loads((run / "load.json").read_text(encoding="utf-8"))
    total = sum(int(row["requests"]) for row in rows)
    summary |= {"end_ns": begin + len(rows) * NS, "requests": total, "errors": 0, "throughput": total / len(rows)}
    (run / "load.json").write_text(json.dumps(summary), encoding="utf-8")
