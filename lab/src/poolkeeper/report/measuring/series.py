"""Data of the charts of one cell, as plain JSON values; times in seconds since the load began."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.report.experiment import is_adaptive, versus_of
from poolkeeper.report.measuring.exceedance import exceeded
from poolkeeper.report.measuring.pools import at, others
from poolkeeper.report.summary import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.record import Decision, Run
    from poolkeeper.report.measuring.measurement import Floats, Measurement
    from poolkeeper.report.measuring.pools import Steps

POINTS = 400
"""Points of a line at most; longer runs are drawn in longer bins."""
DECISIONS = 4000
"""Decisions of a cell at most; beyond, those that kept the size are left out, and if need be of the others most."""
STEPS = 2000
"""Steps of a size at most; of more it is drawn as it was at so many times."""
LINES = 8
"""Lines of a chart at first; readers choose others."""
DIGITS = 5
"""Significant digits of a drawn value."""

Json = dict[str, Any]

_NO_CONTROLLER = {"", "fixed"}


def cell_data(runs: Mapping[str, Sequence[Run]]) -> Json:
    """Everything that the charts of one cell draw, by variant in the order of `runs`."""
    measured = {name: counted(members) for name, members in runs.items()}
    every = [member for members in measured.values() for member in members]
    length = max((measured.seconds for measured in every), default=0.0)
    bin_s = max(1, math.ceil(length / POINTS))
    edges: Floats = np.arange(0, math.ceil(length / bin_s) + 1, dtype=np.float64) * bin_s
    longest = max(every, key=lambda entry: entry.seconds, default=None)
    pools = others(measured)
    decisions, left_out = _decisions(measured)
    return {
        "bin": bin_s,
        "length": _short(length),
        "x": [_short(value) for value in (edges[:-1] + edges[1:]) / 2],
        "phases": [
            {
                "start": _short(phase.start_s),
                "end": _short(phase.end_s),
                "levels": list(phase.levels),
                "short": phase.short,
                "label": phase.label,
            }
            for phase in (longest.phases() if longest else ())
        ],
        "variants": [_variant(name, runs[name], members, edges, pools) for name, members in measured.items()],
        "pools": pools,
        "exceeded": exceeded(measured).to_dict(),
        "shown": _drawn_first(runs, measured),
        "decisions": decisions,
        "decisionsLeftOut": left_out,
    }


def _drawn_first(runs: Mapping[str, Sequence[Run]], measured: Mapping[str, Sequence[Measurement]]) -> list[bool]:
    """Variants that are drawn at first: all if they are few, else the baseline and those of the highest throughput."""

    def rank(name: str) -> float:
        rates = [measurement.blocks.throughput(measurement.blocks.everything()) for measurement in measured[name]]
        return -sum(rates) / len(rates) if rates else 0.0

    versus = versus_of(run for members in runs.values() for run in members)
    first = sorted(runs, key=lambda name: (name != versus, rank(name)))[:LINES]
    return [name in first for name in runs]


def _variant(
    name: str, runs: Sequence[Run], measured: Sequence[Measurement], edges: Floats, pools: Sequence[str]
) -> Json:
    bins = [_bins(measurement, edges) for measurement in measured]
    return {
        "name": name,
        "adaptive": any(map(is_adaptive, runs)),
        "repetitions": [measurement.run.repetition for measurement in measured],
        "series": {
            figure: _over_repetitions([entry[figure] for entry in bins]) for figure in ("throughput", "mean", "p99")
        },
        "sizes": [_sizes(measurement.sizes(), measurement.seconds) for measurement in measured],
        "otherSizes": [
            [_sizes(measurement.sizes_of(pool), measurement.seconds) for measurement in measured] for pool in pools
        ],
    }


def _bins(measured: Measurement, edges: Floats) -> dict[str, Floats]:
    """Throughput, mean and 99th percentile in each bin that the run covers for its whole length; NaN elsewhere."""
    load = measured.load
    starts, ends = load["start_s"] - measured.begin_s, load["end_s"] - measured.begin_s
    place = np.searchsorted(edges, (starts + ends) / 2, side="right") - 1
    size = edges.size - 1
    inside = (place >= 0) & (place < size)
    seconds = np.bincount(place[inside], weights=(ends - starts)[inside], minlength=size)
    completions = np.bincount(place[inside], weights=measured.completions[inside], minlength=size)
    # A bin that the run barely touches, such as the last partial second, would show a rate made of noise.
    full = seconds >= 0.5 * np.diff(edges)
    throughput = np.full(size, np.nan)
    np.divide(completions, seconds, out=throughput, where=full)
    latency = measured.run.latency
    distributions = latency.binned(edges + measured.begin_s) if latency else []
    mean = np.array([part.mean_s for part in distributions] or np.full(size, np.nan))
    p99 = np.array([part.percentile_s(99.0) for part in distributions] or np.full(size, np.nan))
    return {"throughput": throughput, "mean": np.where(full, mean, np.nan), "p99": np.where(full, p99, np.nan)}


def _over_repetitions(values: Sequence[Floats]) -> Json:
    """Mean over those repetitions that have a value, and their range where there are several repetitions."""
    if not values:
        return {"mean": []}
    stacked = np.vstack(values)
    measured_there = ~np.isnan(stacked)
    number = measured_there.sum(axis=0)
    mean = np.full(number.size, np.nan)
    np.divide(np.where(measured_there, stacked, 0.0).sum(axis=0), number, out=mean, where=number > 0)
    found: Json = {"mean": _list(mean)}
    if len(values) > 1:
        found["low"] = _list(np.where(number > 0, np.where(measured_there, stacked, np.inf).min(axis=0), np.nan))
        found["high"] = _list(np.where(number > 0, np.where(measured_there, stacked, -np.inf).max(axis=0), np.nan))
    return found


def _sizes(steps: Steps, seconds: float) -> Json:
    """A pool's size as a step function: times and sizes, a step at each change and the end of the load."""
    inside = steps[0] < seconds
    begins, sizes = steps[0][inside], steps[1][inside]
    if not sizes.size:
        return {"x": [], "y": []}
    changed = np.flatnonzero(np.concatenate(([True], np.diff(sizes) != 0)))
    if changed.size > STEPS:
        begins = np.linspace(0.0, seconds, STEPS, endpoint=False)
        sizes, changed = at(steps, begins), np.arange(STEPS)
    return {
        "x": [0.0, *(_short(time) for time in begins[changed][1:]), _short(seconds)],
        "y": [*(int(size) for size in sizes[changed]), int(sizes[-1])],
    }


def _decisions(measured: Mapping[str, Sequence[Measurement]]) -> tuple[list[Json], int]:
    """The decisions of every adaptive pool while the load ran, and how many were left out to keep the file small."""
    found = [
        (variant, place, member, decision)
        for variant, (_, members) in enumerate(measured.items())
        for place, member in enumerate(members)
        for decision in member.run.decisions
        if (is_adaptive(member.run) or decision.controller not in _NO_CONTROLLER)
        and 0 <= decision.at_s - member.begin_s <= member.seconds
    ]
    kept = found if len(found) <= DECISIONS else [entry for entry in found if entry[3].action != "kept"]
    kept = kept[:: math.ceil(len(kept) / DECISIONS)] if kept else []
    return [_decision(*entry) for entry in kept], len(found) - len(kept)


def _decision(variant: int, place: int, measured: Measurement, decision: Decision) -> Json:
    return {
        "variant": variant,
        "run": place,
        "t": _short(decision.at_s - measured.begin_s),
        "pool": decision.pool,
        "action": decision.action,
        "mode": decision.mode,
        "before": decision.size_before,
        "after": decision.size_after,
        "asked": decision.size_asked,
        "reason": decision.reason,
        "numbers": {name: _short(value) for name, value in decision.numbers.items() if value is not None},
    }


def _list(values: Floats) -> list[float | None]:
    return [_short(value) for value in values]


def _short(value: float) -> float | None:
    """The value with as many digits as are drawn; None for NaN and infinity, which JSON does not have."""
    number = float(f"{value:.{DIGITS}g}")  # what is rounded up may be infinite only then
    return number if math.isfinite(number) else None
