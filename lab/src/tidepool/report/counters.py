"""Figures of the machine beside throughput and response time: what a difference between two variants may come from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidepool.present.numbers import number
from tidepool.report.summary import Spread
from tidepool.report.tables import Csv, finite
from tidepool.report.words import listing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tidepool.report.measured import Measured

TELLING = 1.1
"""A smaller ratio of a counter between two variants explains nothing."""
NAMED = 3


@dataclass(frozen=True, slots=True)
class Counter:
    """A figure of one run, NaN where it was not measured."""

    label: str
    unit: str
    get: Callable[[Measured], float]


def _of_request(process: str) -> Callable[[Measured], float]:
    def microseconds(one: Measured) -> float:
        cpu = one.server_cpu() if process == "server" else one.watched_cpu(process)
        return cpu * one.seconds / one.requests * 1e6 if one.requests else math.nan

    return microseconds


COUNTERS = (
    Counter("server CPU", "µs a request", _of_request("server")),
    Counter("database CPU", "µs a request", _of_request("database")),
    Counter("load generator CPU", "µs a request", _of_request("load")),
)


def differing(ours: Sequence[Measured], theirs: Sequence[Measured]) -> str:
    """The counters in which two variants differ most, in words; empty where none tells anything."""
    found = []
    for counter in COUNTERS:
        one, other = (Spread.of(map(counter.get, runs)).mean for runs in (ours, theirs))
        if one > 0 and other > 0 and (apart := abs(math.log(one / other))) >= math.log(TELLING):
            found.append((apart, f"{counter.label} {number(one)} against {number(other)} {counter.unit}"))
    return listing([words for _, words in sorted(found, reverse=True)[:NAMED]])


@dataclass(frozen=True, slots=True)
class CounterTable:
    """The counters of one cell that were measured: their headings, and a row of texts and numbers a variant."""

    headings: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    csv: Csv


def counter_table(measured: Mapping[str, Sequence[Measured]]) -> CounterTable | None:
    """The counters of one cell, means over repetitions; None if nothing was counted."""
    values = {name: [Spread.of(map(counter.get, runs)).mean for counter in COUNTERS] for name, runs in measured.items()}
    known = [at for at in range(len(COUNTERS)) if not all(math.isnan(row[at]) for row in values.values())]
    if not known:
        return None
    return CounterTable(
        tuple((COUNTERS[at].label, COUNTERS[at].unit) for at in known),
        tuple((name, tuple(number(row[at]) for at in known)) for name, row in values.items()),
        Csv(
            ("variant", *(f"{COUNTERS[at].label}, {COUNTERS[at].unit}" for at in known)),
            tuple((name, *(finite(row[at]) for at in known)) for name, row in values.items()),
        ),
    )
