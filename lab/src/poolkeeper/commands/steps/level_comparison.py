"""Levels of two tests compared one by one, where both held the same loads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from poolkeeper.commands.steps.bursts import bursts_of
from poolkeeper.commands.steps.load_steps import TestLevel, whole
from poolkeeper.latency import compare
from poolkeeper.latency.figures.percentiles import name
from poolkeeper.present import Axis, Cell, Chart, Kind, Series, Table
from poolkeeper.present.numbers import change, or_none
from poolkeeper.present.text import counted, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.commands.load import Load
    from poolkeeper.latency import Comparison

PERCENTILES = (50.0, 95.0, 99.0)
_SAME = 0.02
"""Users of two levels that are the same may differ by so much."""
_SAME_RATE = 0.1
ERROR = 0.05
"""Share of the comparisons of equal tests in which a difference is seen at any level."""
_SENTENCES = 4


@dataclass(frozen=True)
class LevelComparison:
    """A comparison for each load that both tests held."""

    cause: str
    """Quantity that the levels are of: "users" or "rate"."""
    levels: tuple[tuple[TestLevel, TestLevel, Comparison], ...]
    alone: tuple[str, ...]
    """Loads that only one of the tests held, in words."""

    @property
    def verdict(self) -> str:
        """A sentence for each level, for the first few of many."""
        return verdicts({f"At {level.load(self.cause)}": found for level, _, found in self.levels}, "level")

    def table(self) -> Table:
        """A row a level and figure."""
        rows = [row for level, _, found in self.levels for row in figures(level.load(self.cause), found)]
        columns = ("load", "figure", "first [ms]", "second [ms]", "change", "seen")
        notes = (f"held by one of the two only: {listed(self.alone)}",) if self.alone else ()
        return Table("Level with level", columns, tuple(rows), notes)

    def to_dict(self) -> dict[str, Any]:
        """One entry a level."""
        return {
            "cause": self.cause,
            "levels": [
                {
                    "users": or_none(first.users),
                    "requests_per_s": [first.rate, second.rate],
                    "comparison": found.to_dict(),
                }
                for first, second, found in self.levels
            ],
            "alone": list(self.alone),
        }

    def plot(self) -> Chart:
        """The median and p99 of both tests over the load."""
        entries = sorted(self.levels, key=lambda entry: _size(entry[0], self.cause))
        sides = [(baseline, other) for baseline, other, _ in entries]
        x = tuple(_size(level, self.cause) for level, _, _ in entries)
        lines = tuple(
            Series(f"{title}, {run}", x, tuple(level[side].quantiles_ms[place] for level in sides), Kind.LINE)
            for place, title in ((0, "p50"), (2, "p99"))
            for side, run in ((0, "first"), (1, "second"))
        )
        axis = Axis("users") if self.cause == "users" else Axis("requests", "1/s")
        return Chart("Response time by level", axis, Axis("response time", "ms"), lines)


def verdicts(compared: Mapping[str, Comparison], unit: str) -> str:
    """A sentence for each comparison, led by its name, for the first few of many units."""
    sentences = []
    for where, found in islice(compared.items(), _SENTENCES):
        if found.findings:
            sentences.append(f"{where} the second run {' and '.join(found.findings)}.")
        elif found.judged:
            sentences.append(f"{where} no difference is seen.")
        else:
            sentences.append(f"{where} there are too few values to tell.")
        if found.bursts:
            sentences[-1] += f" {where} {found.bursts[:1].lower()}{found.bursts[1:]}"
    rest = len(compared) - len(sentences)
    return " ".join([*sentences, *([f"The table has {counted(rest, f'more {unit}')}."] if rest > 0 else [])])


def figures(of: str, found: Comparison) -> list[tuple[Cell, ...]]:
    """Rows of a table with the figures of a comparison, which are led by its name."""
    shown = {name(p): entry for p, entry in found.percentiles.items()} | {"mean": found.mean}
    shown |= {"failed [%]": found.failed} if found.failed else {}
    rows: list[tuple[Cell, ...]] = []
    for title, entry in shown.items():
        ratio = "–" if math.isnan(entry.ratio.value) else change(entry.ratio.value - 1)
        seen = "undecided" if not entry.judged else "yes" if entry.seen else "no"
        ends = (or_none(value) for value in (entry.first.value, entry.second.value))
        rows.append((of, title, *ends, ratio, seen))
    return rows


def by_level(first: Load, second: Load, percentiles: Sequence[float] | None) -> LevelComparison | None:
    """Compare each load that both tests held; None where neither test changed its load, or they share none."""
    changed = [load.steps for load in (first, second)]
    causes = {found.cause for found in changed if found is not None}
    if len(causes) != 1 or not causes <= {"users", "rate"}:
        return None
    (cause,) = causes
    levels = [
        whole(load) if found is None else found.steady for load, found in zip((first, second), changed, strict=True)
    ]
    pairs, left = [], list(levels[1])
    for level in levels[0]:
        match = next((other for other in left if _alike(_size(level, cause), _size(other, cause), cause)), None)
        if match is not None:
            left.remove(match)
            pairs.append((level, match))
    if not pairs:
        return None
    paired = {id(level) for pair in pairs for level in pair}
    alone = dict.fromkeys(level.load(cause) for side in levels for level in side if id(level) not in paired)
    return LevelComparison(
        cause,
        tuple(
            (
                baseline,
                other,
                compare(
                    first.during(baseline.on_chart_s),
                    second.during(other.on_chart_s),
                    percentiles=percentiles or PERCENTILES,
                    confidence=1 - ERROR / len(pairs),
                    unit="ms",
                    failed=None if baseline.failed is None or other.failed is None else (baseline.failed, other.failed),
                    requests=(baseline.requests, other.requests),
                    bursts=(bursts_of(first, baseline.on_chart_s), bursts_of(second, other.on_chart_s)),
                    step=first.step_beside(second),
                ),
            )
            for baseline, other in pairs
        ),
        tuple(alone),
    )


def _size(level: TestLevel, cause: str) -> float:
    return level.users if cause == "users" else level.rate


def _alike(size: float, other: float, cause: str) -> bool:
    if cause == "users":
        return abs(size - other) <= max(0.5, _SAME * max(size, other))
    return abs(size - other) <= _SAME_RATE * max(size, other)
