"""Levels of a load that is a rate of requests, in files that do not tell their users."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.commands.load import ONLY
from poolkeeper.commands.scaling.measured import MeasuredLevel, place_of, sent_in
from poolkeeper.commands.steps.cuts import WORTH
from poolkeeper.commands.steps.load_steps import TestLevel, whole
from poolkeeper.errors import DataError
from poolkeeper.present.numbers import response
from poolkeeper.scalability.capacity import ALIKE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poolkeeper.commands.load import Load

_BEYOND_CHANCE = 3.0
"""Standard errors by which rates differ that chance hardly makes."""
_SECOND = 1.0
"""Seconds of which each shows how many requests chance sends."""
_NEXT_S = 1.0
"""Seconds between two levels that follow one another."""


@dataclass(frozen=True)
class RateLevels:
    """The levels of a file by its requests a second, failed ones among them; the file is one if its load held still.

    What follows one another at the same rate is one load, however its response times change: it has the rate of all of
    it. Its beginning is left out where it was slower, as of a server that is not warm yet, or has a queue left from a
    higher rate; also where users who wait for their answers then send more.
    """

    loaded: Load
    levels: tuple[TestLevel, ...]
    dead: tuple[TestLevel, ...]
    """Those that are left out since all of it failed, unless failures alone are asked for."""
    slow: tuple[tuple[TestLevel, TestLevel], ...]
    """Those that are left out for their slow beginning, each with what follows it."""

    @classmethod
    def of(cls, loaded: Load) -> RateLevels:
        """Raises DataError where the load changed and held at no rate."""
        steps = loaded.steps
        found = whole(loaded) if steps is None or steps.cause == "failures" else steps.held
        if not found:
            raise DataError(f"{loaded.name}: {'' if steps is None else steps.change}, and held at no rate")
        # Ramps of the response times, and what is too short for a level, lie between levels of one load.
        course = found if steps is None or steps.cause == "failures" else steps.levels
        dead = [level for level in found if level.requests == level.failed and loaded.wanted.failures != ONLY]
        rates = _Rates(loaded)
        slow = _slow_beginnings(course, found, rates)
        left_out = [*dead, *(level for level, _ in slow)]
        loads = _loads(course, [level for level in found if level not in left_out], rates)
        levels = tuple(level for load in loads for level in _of_one_rate(load))
        return cls(loaded, levels, tuple(dead), tuple(slow))

    def measured(self, *, named: bool) -> list[MeasuredLevel]:
        """The levels with their response times; `named` ones say of which file they are."""
        return [
            MeasuredLevel(
                math.nan,
                level.rate * (1 - level.failing),
                responses=sent_in(self.loaded, level.on_chart_s),
                failing=level.failing,
                place=place_of(self.loaded if named else None, level.start_s, level.end_s),
                answered=level.rate,
            )
            for level in self.levels
        ]

    @property
    def left_out(self) -> list[str]:
        """Warnings about levels that are left out."""
        failing = [f"{_named(level)}: no request succeeded" for level in self.dead]
        return failing + [
            f"{_named(level)}: its responses took longer than those after it at no lower rate (a median of"
            f" {response(level.quantiles_ms[0])} against {response(after.quantiles_ms[0])}), as of a server that is"
            " not warm yet or has a queue left from before"
            for level, after in self.slow
        ]


def _named(level: TestLevel) -> str:
    return f"left out: {level.load('rate')} from {level.start_s:,.0f} to {level.end_s:,.0f} s"


def _slow_beginnings(
    course: Sequence[TestLevel], held: Sequence[TestLevel], rates: _Rates
) -> list[tuple[TestLevel, TestLevel]]:
    """The levels held that were slower than what follows them at no lower rate and lasts longer, each with that.

    What was faster already, and got slow for a while, is no beginning. A `course` has the ramps between levels as well.
    """
    found: list[tuple[TestLevel, TestLevel]] = []
    place = 0
    while place < len(course):
        end = last = place
        while last + 1 < len(course) and _quickens(course[last], course[last + 1], rates):
            last += 1
            end = last if course[last] in held else end
        first, settled = course[place], course[end]
        before = course[place - 1] if place else None
        was_fast = before is not None and _follows(before, first) and _faster(before, first)
        if end > place and not was_fast and settled.start_s - first.start_s <= settled.end_s - settled.start_s:
            found += [(level, settled) for level in course[place:end] if level in held]
        place = last + 1
    return found


def _quickens(level: TestLevel, after: TestLevel, rates: _Rates) -> bool:
    return _follows(level, after) and (rates.alike(level, after) or after.rate > level.rate) and _faster(after, level)


def _follows(level: TestLevel, after: TestLevel) -> bool:
    return after.start_s - level.end_s < _NEXT_S and not after.after_gap


def _faster(level: TestLevel, other: TestLevel) -> bool:
    """Whether the median of a level is smaller by a tenth or more; not where one is unknown."""
    return level.quantiles_ms[0] < (1 - WORTH) * other.quantiles_ms[0]


def _loads(course: Sequence[TestLevel], levels: Sequence[TestLevel], rates: _Rates) -> Iterator[list[TestLevel]]:
    """The levels, those that follow one another at the same rate together, also with a ramp at that rate between."""
    load: list[TestLevel] = []
    last: TestLevel | None = None
    for part in course:
        if load and last is not None and not (_follows(last, part) and rates.alike(load[-1], part)):
            yield load
            load = []
        load += [part] if part in levels else []
        last = part
    if load:
        yield load


@dataclass(frozen=True)
class _Rates:
    """Rates of the levels of a file, and what chance makes of them."""

    load: Load

    def alike(self, level: TestLevel, other: TestLevel) -> bool:
        """Whether two levels have one rate but for chance.

        Counts of independent requests differ by their roots, those of even ones hardly. Where it is not known when
        requests were sent, levels that differ by a tenth are taken for two.
        """
        most = max(level.rate, other.rate)
        error = math.sqrt(sum(self._variance(each) for each in (level, other)))
        least = max(ALIKE * most, _BEYOND_CHANCE * error)
        return abs(level.rate - other.rate) < (least if self.load.sent is not None else min(WORTH * most, least))

    def _variance(self, level: TestLevel) -> float:
        """Variance that chance gives the rate, as the seconds show it; at most that of independent requests."""
        lasts_s = level.end_s - level.start_s
        sent = self.load.sent
        if sent is None:
            return level.rate / lasts_s
        begin = max(0.0, level.on_chart_s[0])
        counts, _ = np.histogram(sent.since_s, np.arange(begin, begin + lasts_s, _SECOND))
        return min(level.rate, float(counts.var())) / lasts_s if counts.size > 1 else level.rate / lasts_s


def _of_one_rate(load: Sequence[TestLevel]) -> list[TestLevel]:
    """Levels of one load, each with the rate of all of them."""
    lasted = [level.end_s - level.start_s for level in load]
    rate = sum(level.rate * seconds for level, seconds in zip(load, lasted, strict=True)) / sum(lasted)
    return [replace(level, rate=rate) if len(load) > 1 else level for level in load]
