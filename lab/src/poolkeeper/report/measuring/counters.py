"""Figures of the machine that may explain differences in throughput and response time between variants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import number
from poolkeeper.present.terminal import bare_table
from poolkeeper.present.text import listed
from poolkeeper.report.experiment import by_cell, by_variant
from poolkeeper.report.judging.compare import Comparison, of_repetitions
from poolkeeper.report.measuring.costs import Costs
from poolkeeper.report.summary import Spread, counted
from poolkeeper.report.tables import Csv, finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.table import Table

    from poolkeeper.record import Run
    from poolkeeper.report.measuring.measurement import Measurement

INFORMATIVE = 1.1
"""A smaller ratio of a counter between two variants explains nothing."""
EXPLAINING = {
    "server-cpu": 1.0,
    "waits": 0.05,
    "preemptions": 0.05,
    "instructions": 1_000.0,
    "cache-misses": 10.0,
    "allocated": 100.0,
    "gc-time": 1.0,
    "database-cpu": 1.0,
    "idle": 0.1,
    "io-wait": 0.1,
    "migrations": 0.05,
    "faults": 0.05,
}
"""Possible causes of a difference in throughput: the costs of a request first, and how much of them could be felt.

In the unit of each: a ratio of two figures that are next to nothing explains nothing either. What the load generator
costs and how many pauses there were are left out; the time in them is among these."""
NAMED = 3
"""As many counters are named beside a difference."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A figure of one run, NaN where it was not measured; `get` makes it of the costs."""

    name: str
    """In claims of an experiment's file."""
    label: str
    unit: str
    get: Callable[[Costs], float]

    def of(self, measured: Measurement) -> float:
        """The figure of a run."""
        return self.get(Costs.of(measured))


COUNTERS = {
    counter.name: counter
    for counter in (
        Counter("server-cpu", "server CPU", "µs a request", lambda costs: costs.server_cpu_s * 1e6),
        Counter("database-cpu", "database CPU", "µs a request", lambda costs: costs.database_cpu_s * 1e6),
        Counter("load-cpu", "load generator CPU", "µs a request", lambda costs: costs.load_cpu_s * 1e6),
        Counter("waits", "waits of the server's threads", "a request", lambda costs: costs.voluntary),
        Counter("preemptions", "preemptions", "a request", lambda costs: costs.involuntary),
        Counter("migrations", "migrations", "a request", lambda costs: costs.migrations),
        Counter("faults", "page faults", "a request", lambda costs: costs.minor_faults + costs.major_faults),
        Counter("instructions", "instructions", "a request", lambda costs: costs.instructions),
        Counter("cache-misses", "cache misses", "a request", lambda costs: costs.cache_misses),
        Counter("allocated", "allocation", "bytes a request", lambda costs: costs.allocated_bytes),
        Counter("gc-pauses", "GC pauses", "a second", lambda costs: costs.gc_pauses),
        Counter("gc-full", "full GCs", "a second", lambda costs: costs.gc_full),
        Counter("gc-time", "time in GC", "%", lambda costs: costs.gc_share * 100),
        Counter("idle", "idle", "CPUs", lambda costs: costs.idle),
        Counter("io-wait", "I/O wait", "CPUs", lambda costs: costs.iowait),
    )
}
"""By name. Processors come first, then what a request costs, then the collector and the machine."""


def _means_of(runs: Sequence[Measurement]) -> list[float]:
    """Every counter's mean over the runs in which it was measured; the costs of a run are worked out once."""
    costs = [Costs.of(run) for run in runs]
    return [Spread.of(counter.get(cost) for cost in costs).mean for counter in COUNTERS.values()]


def compare_counter(name: str, pairs: Sequence[tuple[Measurement, Measurement]]) -> Comparison:
    """A counter of the first run of each pair relative to that of the second, its interval from the repetitions."""
    counter = COUNTERS[name]
    return of_repetitions([(counter.of(ours), counter.of(theirs)) for ours, theirs in pairs])


def differing(ours: Sequence[Measurement], theirs: Sequence[Measurement]) -> str:
    """The counters by which two variants differ enough to explain something, in words; empty where none does."""
    means = dict(zip(COUNTERS, zip(_means_of(ours), _means_of(theirs), strict=True), strict=True))
    found = []
    for name, least in EXPLAINING.items():
        low, high = sorted(means[name])
        if high - low >= least and high >= INFORMATIVE * low:
            text, other = map(number, means[name])
            found.append(f"{COUNTERS[name].label} {text} against {other} {COUNTERS[name].unit}")
    return listed(found[:NAMED])


@dataclass(frozen=True, slots=True)
class CounterTable:
    """The counters of one cell that were measured: their headings, and a row of texts and numbers a variant."""

    headings: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    csv: Csv


def counter_table(measured: Mapping[str, Sequence[Measurement]]) -> CounterTable | None:
    """The counters of one cell, means over repetitions; None if nothing was counted."""
    values, available = _means(measured)
    if not available:
        return None
    headings = tuple((counter.label, counter.unit) for counter in available)
    return CounterTable(
        headings,
        tuple((name, tuple(map(number, row))) for name, row in values.items()),
        Csv(
            ("variant", *(f"{label}, {unit}" for label, unit in headings)),
            tuple((name, *map(finite, row)) for name, row in values.items()),
        ),
    )


def _means(measured: Mapping[str, Sequence[Measurement]]) -> tuple[dict[str, list[float]], list[Counter]]:
    """The means of those counters that any variant has, and these."""
    every = {name: _means_of(runs) for name, runs in measured.items()}
    there = [not all(map(math.isnan, column)) for column in zip(*every.values(), strict=True)]
    available = [counter for counter, is_there in zip(COUNTERS.values(), there, strict=False) if is_there]
    means = {
        name: [value for value, is_there in zip(row, there, strict=True) if is_there] for name, row in every.items()
    }
    return means, available


def costs_table(runs: Sequence[Run]) -> Table | None:
    """The counters of all cells and variants for a terminal; None unless the runs compare architectures."""
    if not any(run.configuration.get("architecture") for run in runs):
        return None
    cells = by_cell(runs)
    lines = {
        (cell, name): members
        for cell, cell_runs in cells.items()
        for name, variant in by_variant(cell_runs).items()
        if (members := counted(variant))
    }
    values, available = _means({"\n".join(line): members for line, members in lines.items()})
    table = bare_table("what the machine counted")
    table.add_column("cell")
    table.add_column("variant", no_wrap=True)
    for counter in available:
        table.add_column(
            f"{counter.label}, {counter.unit}", justify="right", min_width=max(map(len, counter.label.split()))
        )
    before = ""
    for (cell, name), row in zip(lines, values.values(), strict=True):
        table.add_row(cell if cell != before else "", name, *map(number, row))
        before = cell
    return table
