"""The command capacity: up to which load response times stay within a bound."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.commands.answer import Answer, Part
from poolkeeper.commands.load import EXCLUDE, ONLY
from poolkeeper.commands.scaling.levels import FAILING
from poolkeeper.errors import DataError
from poolkeeper.present.numbers import amount, percent
from poolkeeper.scalability import Load as Kind
from poolkeeper.scalability import LoadLevels
from poolkeeper.scalability import capacity as found_capacity
from poolkeeper.scalability.bounds import broken, exceeded, figure, kept, upheld
from poolkeeper.scalability.capacity import ALIKE, MISSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.commands.scaling.levels import Levels
    from poolkeeper.commands.scaling.measured import MeasuredLevel
    from poolkeeper.latency import Estimate
    from poolkeeper.scalability import Capacity
    from poolkeeper.scalability.stretches import LeftOut

_RARE = 90.0
"""Percentile from which half of the response times are beyond the bound by chance in hardly any few of them."""

_MISSED = "counted as missed, as more than half of the response times are over the bound"
_EXCEEDED = "counted as missed, as far more response times are over the bound than may be"
_MET = "counted as met, as hardly any response time is over the bound"


def capacity(levels: Levels, title: str, *, p: float | None, bound_ms: float, by: str, given: dict[str, Any]) -> Answer:
    """Up to which load a percentile of the response time, or its mean (`p` None), stays within a bound."""
    failures = given.get("failures", EXCLUDE)
    if all(measured.responses is None for measured in levels.measured):
        if any(measured.place for measured in levels.measured):
            raise DataError(f"{title}: {_nothing(levels.measured[-1], failures)}, at any level that had successes")
        raise DataError(f"{title}: lists throughputs, but no response times; give the results of the load tests")
    asked: dict[str, Any] = {"bound": bound_ms, "p": p, "unit": "ms", "dead": levels.dead}
    kind = Kind.USERS if by == "users" else Kind.RATE
    measured, over = _with_certain(levels.measured, p, bound_ms, kind)
    once, again = _once_each(measured, p, bound_ms, kind, failures)
    counted_in, notes = _with_broken(once, levels.left_out, p, bound_ms)
    users = [measured.users for measured in counted_in]
    successes = [measured.throughput for measured in counted_in]
    times = [measured.responses for measured in counted_in]
    asked["throughput"] = None if any(map(math.isnan, successes)) else successes
    if kind is Kind.USERS:
        result = found_capacity(users, times, kind=kind, **asked)
    else:
        rates = [measured.rate for measured in counted_in]
        by_users = not any(map(math.isnan, users))
        result = found_capacity(rates, times, kind=kind, users=users if by_users else None, **asked)
    given = {**given, "percentile": p, "bound_ms": bound_ms, "by": by}
    result = replace(result, notes=(*result.notes, *over, *again, *notes))
    # The answer says of each stretch that was left out what became of it.
    others = (
        replace(part, result=replace(part.result, lists_left_out=False))
        if isinstance(part.result, LoadLevels)
        else part
        for part in levels.parts
    )
    parts = (Part("capacity", "Capacity", result), *others)
    verdict = result.verdict
    if failures == EXCLUDE and (words := _of_failing(counted_in, result)):
        verdict = f"{verdict} {words}"
    if failures == ONLY:
        verdict = f"{verdict} The bound is about the requests that failed."
    return Answer("capacity", title, levels.about, verdict, parts, levels.warnings, given)


def _with_certain(
    levels: Sequence[MeasuredLevel], p: float | None, bound_ms: float, kind: Kind
) -> tuple[list[MeasuredLevel], tuple[str, ...]]:
    """The levels, those without an interval that surely meet or miss the bound with one; notes on these.

    At a saturated server all wait for each other, so that thousands of response times say as much as a handful. Where
    one in ten at most may be beyond the bound, and half of them are, a handful suffices; and so do some hundreds where
    hardly any is, or several times as many as may be.
    """
    # A rate comes twice in a closed test: users alone tell which level is the higher one.
    by_users = not any(math.isnan(level.users) for level in levels)
    loads = [level.users if by_users else level.rate for level in levels]
    sure = [(load, at) for load, level in zip(loads, levels, strict=True) if (at := _certain(level, p)) is not None]
    most = max((load for load, at in sure if at.high <= bound_ms), default=0.0)
    least = min((load for load, at in sure if at.low > bound_ms), default=math.inf)
    found, notes = [], []
    for load, level in zip(loads, levels, strict=True):
        marked = None
        if load > most and (marked := _missed(level, p, bound_ms)) is not None:
            notes.append(f"at {_named(level, kind)}: {_MISSED}")
        elif load > most and (marked := _exceeded(level, p, bound_ms)) is not None:
            notes.append(f"at {_named(level, kind)}: {_EXCEEDED}")
        elif load < least and (marked := _met(level, p, bound_ms)) is not None:
            notes.append(f"at {_named(level, kind)}: {_MET}")
        found.append(level if marked is None else replace(level, responses=marked))
    return found, tuple(notes)


def _named(level: MeasuredLevel, kind: Kind) -> str:
    """The load of a level in words."""
    if kind is Kind.USERS:
        return kind.of(level.users)
    users = "" if math.isnan(level.users) else f" with {Kind.USERS.of(level.users)}"
    return f"{kind.of(level.rate)}{users}"


def _certain(level: MeasuredLevel, p: float | None) -> Estimate | None:
    """The figure of a level with its interval; None where it has none."""
    if level.responses is None:
        return None
    found = figure(level.responses, p)
    return found if found.has_interval else None


def _missed(level: MeasuredLevel, p: float | None, bound_ms: float) -> Estimate | None:
    """The figure of a level that has too few response times for an interval, and surely misses the bound; else None."""
    return broken(level.responses, p, bound_ms) if p is not None and _is_open(level, p) else None


def _exceeded(level: MeasuredLevel, p: float | None, bound_ms: float) -> Estimate | None:
    """The same where fewer are over the bound, but surely too many."""
    return exceeded(level.responses, p, bound_ms) if p is not None and _is_open(level, p) else None


def _met(level: MeasuredLevel, p: float | None, bound_ms: float) -> Estimate | None:
    """The same where it surely meets the bound."""
    return upheld(level.responses, p, bound_ms) if p is not None and _is_open(level, p) else None


def _is_open(level: MeasuredLevel, p: float) -> bool:
    return p >= _RARE and level.responses is not None and _certain(level, p) is None


def _once_each(
    levels: Sequence[MeasuredLevel], p: float | None, bound_ms: float, kind: Kind, failures: str
) -> tuple[list[MeasuredLevel], tuple[str, ...]]:
    """The levels, of those of the same load the one that keeps the bound least; notes on which that is."""
    groups = _same_load([level for level in levels if level.responses is not None], kind)
    found: list[MeasuredLevel] = []
    notes = [
        f"left out: {_named(level, kind)} {level.place}: {_nothing(level, failures)}"
        for level in levels
        if level.responses is None
    ]
    for load, group in groups:
        if len(group) == 1:
            found += group
            continue
        figures = [figure(level.responses, p) for level in group]
        # One without an interval says little, unless it alone seems to miss the bound.
        order = [(each.value > bound_ms, each.has_interval, np.nan_to_num(each.value)) for each in figures]
        worst = max(range(len(group)), key=order.__getitem__)
        failing = max(level.failing for level in group)
        found.append(replace(group[worst], responses=figures[worst], failing=failing))
        times = f"{kind.of(load)}: held {len(group)} times"
        notes.append(f"{times}; the stretch with the longest response times counts, {group[worst].place}")
    return found, tuple(notes)


def _nothing(level: MeasuredLevel, failures: str) -> str:
    """The reason for which a level has no response times, by the `failures` that were asked for."""
    if failures == EXCLUDE:
        return "nothing that was sent then succeeded"
    if failures == ONLY and not level.failing:
        return "nothing that was sent then failed"
    return f"{'no failed' if failures == ONLY else 'no'} request that was sent then has a response time"


def _same_load(levels: Sequence[MeasuredLevel], kind: Kind) -> list[tuple[float, list[MeasuredLevel]]]:
    """Loads in the order of their first level, each with its levels.

    Without users, a saturated test has nearly the same rate at each of its levels: which of them is higher is chance.
    """
    groups: list[tuple[float, list[MeasuredLevel]]] = []
    for level in levels:
        group = next((group for _, group in groups if _is_same(level, group[0], kind)), None)
        if group is None:
            groups.append((level.users if kind is Kind.USERS else level.rate, [level]))
        else:
            group.append(level)
    return groups


def _is_same(level: MeasuredLevel, other: MeasuredLevel, kind: Kind) -> bool:
    """Whether two levels are of the same load."""
    if math.isnan(level.users) or math.isnan(other.users):
        alike = abs(level.rate - other.rate) <= ALIKE * other.rate
        return alike and math.isnan(level.users) and math.isnan(other.users)
    # A closed test reaches a rate with few users, and again past its peak with many: these are two loads.
    return level.users == other.users and (kind is Kind.USERS or level.rate == other.rate)


def _of_failing(levels: Sequence[MeasuredLevel], result: Capacity) -> str:
    """Sentence on the failures of the level with most of them that kept the bound; empty if hardly any request failed.

    They are no matter of the bound, which is about those that succeeded.
    """
    kind, missed = result.question.kind, result.neighbours[1]
    # By rate, levels past the peak of a closed test are not among those of the result.
    found = {level.load for level in result.levels if result.question.meets(level.percentile) != MISSED}
    loads = [(level.users if kind is Kind.USERS else level.rate, level.failing) for level in levels]
    keeping = [(failing, load) for load, failing in loads if load in found and not load >= missed]
    failing, load = max(keeping, default=(0.0, 0.0))
    if failing < FAILING:
        return ""
    return (
        f"But {percent(failing, 2)} % of the requests at {kind.of(load)} failed: the bound is about those that"
        " succeeded."
    )


def _with_broken(
    levels: Sequence[MeasuredLevel],
    left_out: Sequence[tuple[LeftOut, MeasuredLevel | None]],
    p: float | None,
    bound_ms: float,
) -> tuple[list[MeasuredLevel], tuple[str, ...]]:
    """The levels, with those that were held too short but surely broke the bound; notes on both kinds left out.

    A short level below a longer one that kept the bound was not warm yet, and does not count.
    """
    found = list(levels)
    most = max((level.users for level in found if kept(level.responses, p, bound_ms)), default=0.0)
    notes = []
    for other, measured in left_out:
        if measured is None or measured.responses is None or measured.users in {level.users for level in found}:
            notes.append(f"left out: {other}")
        elif (broke := broken(measured.responses, p, bound_ms)) is None:
            notes.append(f"left out: {other}; it did not surely break the bound")
        elif measured.users <= most:
            notes.append(f"left out: {other}; it broke the bound, which a longer level of {amount(most)} users kept")
        else:
            found.append(replace(measured, responses=broke))
            notes.append(f"counted although short: {other}; it broke the bound")
    return found, tuple(notes)
