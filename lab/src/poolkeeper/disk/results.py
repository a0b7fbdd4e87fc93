"""Results of disk runs: ratios to the baseline with intervals, and published figures."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from poolkeeper.disk.definition import OPTIMAL
from poolkeeper.student import quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from poolkeeper.disk.definition import DiskRun

RESULT = "result.json"
WITHIN = 1.03
"""Runtime of the optimal fixed size, as a factor on the shortest one."""
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class VariantRuns:
    """Repetitions of a variant, by their number."""

    variant: str
    fixed_size: int | None
    runs: dict[int, dict[str, Any]]

    def values(self, name: str) -> list[float]:
        """The figures of that name that were measured."""
        return [float(run[name]) for run in self.runs.values() if run.get(name) is not None]

    def mean(self, name: str) -> float | None:
        """Mean of the figures of that name, None if none was measured."""
        values = self.values(name)
        return fmean(values) if values else None

    @property
    def figures(self) -> dict[str, float]:
        """Means of the figures that only the engine of these runs reports."""
        found: dict[str, list[float]] = {}
        for run in self.runs.values():
            for name, value in run.get("figures", {}).items():
                found.setdefault(name, []).append(value)
        return {name: fmean(values) for name, values in found.items()}

    @property
    def seconds(self) -> float:
        """Mean runtime."""
        return fmean(self.values("seconds"))

    @property
    def deviation(self) -> float | None:
        """Standard deviation of the runtime, None for a single run."""
        values = self.values("seconds")
        return stdev(values) if len(values) > 1 else None


@dataclass(frozen=True, slots=True)
class Ratio:
    """Geometric mean of the ratios of the repetitions, with its 95 % interval if there are several."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        """The ratio with its interval."""
        interval = "" if self.low is None else f" ({self.low:.3f} to {self.high:.3f})"
        return f"{self.mean:.3f}{interval}"


def kept(run: DiskRun) -> dict[str, Any] | None:
    """The complete result of a run with the same configuration; None if there is none."""
    try:
        document: dict[str, Any] = json.loads((run.folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    same = document.get("configuration") == run.configuration()
    result: dict[str, Any] | None = document.get("result")
    return result if same and document.get("status") == "complete" else None


def measured(runs: Iterable[DiskRun]) -> dict[str, list[VariantRuns]]:
    """The variants of each workload that have complete runs."""
    found: dict[str, dict[str, VariantRuns]] = {}
    for run in runs:
        if (result := kept(run)) is not None:
            variant = found.setdefault(run.workload, {}).setdefault(
                run.variant.name, VariantRuns(run.variant.name, run.variant.fixed_size, {})
            )
            variant.runs[run.repetition] = result
    return {workload: list(variants.values()) for workload, variants in found.items()}


def optimal_fixed(variants: Sequence[VariantRuns]) -> VariantRuns | None:
    """The smallest fixed size within 3 % of the fastest; None without fixed pools."""
    fixed = sorted((v for v in variants if v.fixed_size is not None), key=lambda v: v.fixed_size or 0)
    if not fixed:
        return None
    shortest = min(variant.seconds for variant in fixed)
    return next(variant for variant in fixed if variant.seconds <= WITHIN * shortest)


def baseline(variants: Sequence[VariantRuns], versus: str) -> VariantRuns | None:
    """The variant that the others of a workload are compared with."""
    if versus == OPTIMAL:
        return optimal_fixed(variants)
    return next((variant for variant in variants if variant.variant == versus), None)


def ratio(variant: VariantRuns, base: VariantRuns, name: str = "seconds") -> Ratio | None:
    """The ratio of a figure to that of the baseline, repetition by repetition."""
    logs = [
        math.log(variant.runs[number][name] / base.runs[number][name])
        for number in sorted(variant.runs.keys() & base.runs.keys())
    ]
    if not logs:
        return None
    mean = fmean(logs)
    if len(logs) == 1:
        return Ratio(math.exp(mean), None, None)
    margin = quantile(len(logs) - 1, _CONFIDENCE) * stdev(logs) / math.sqrt(len(logs))
    return Ratio(math.exp(mean), math.exp(mean - margin), math.exp(mean + margin))


def published_ratios(path: Path) -> Mapping[tuple[str, str], float]:
    """Published runtime over that of the optimal fixed size, by workload and variant."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = {(row["workload"], row["variant"]): float(row["runtime_s"]) for row in csv.DictReader(file)}
    return {
        (workload, variant): seconds / rows[workload, OPTIMAL]
        for (workload, variant), seconds in rows.items()
        if (workload, OPTIMAL) in rows
    }
