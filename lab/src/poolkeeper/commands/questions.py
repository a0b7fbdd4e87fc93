"""The commands compare, fit and tail: one question each about results."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from poolkeeper.commands.answer import Answer, Part
from poolkeeper.errors import DataError
from poolkeeper.present.numbers import amount, number
from poolkeeper.present.text import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.commands.load import Load
    from poolkeeper.commands.steps.load_steps import TestLevel
    from poolkeeper.latency.ordered.courses import Wave

_ALIKE = 0.05
"""Users of two tests, and the share of a label among their requests, may differ by so much."""
_BEYOND_CHANCE = 4.0
"""Standard errors by which shares differ that chance hardly makes."""


def compare(first: Load, second: Load, *, percentiles: Sequence[float] | None) -> Answer:
    """Whether the second run differs from the first one."""
    from poolkeeper.commands.label_comparison import by_label, changed_mix
    from poolkeeper.commands.steps.bursts import bursts_of
    from poolkeeper.commands.steps.level_comparison import by_level
    from poolkeeper.latency import PERCENTILES, distribution
    from poolkeeper.latency import compare as compared
    from poolkeeper.present import Chart, Series
    from poolkeeper.results.repeats import between

    if first.silent or second.silent or first.shows_failures != second.shows_failures:
        return _failures_alone(first, second)
    failed = None if first.failed is None or second.failed is None else (first.failed, second.failed)
    asked = percentiles or PERCENTILES
    requests = (first.total.count, second.total.count)
    levels = by_level(first, second, percentiles)
    found = compared(
        first.ordered,
        second.ordered,
        percentiles=asked,
        unit="ms",
        failed=failed,
        requests=requests,
        bursts=(bursts_of(first), bursts_of(second)),
        step=first.step_beside(second),
    )
    names = [f"first: {first.name}", f"second: {second.name}"]
    curves = [distribution(load.ordered, unit="ms").plot() for load in (first, second)]
    lines = tuple(
        Series(name, line.x, line.y, line.kind)
        for name, chart in zip(names, curves, strict=True)
        for line in chart.series
    )
    both = Chart("Slower than, both runs", curves[0].x, curves[0].y, lines)
    parts = [Part("comparison", "Difference", found, more=(both,))]
    verdict = found.verdict
    if levels is not None:
        parts.insert(0, Part("levels", "Level with level", levels))
        verdict = levels.verdict
    if mix := changed_mix(first, second):
        labels = by_label(mix, first, second, percentiles)
        # Figures of all requests stay for programs and the page, but are no answer.
        parts = [replace(part, brief=False) for part in parts]
        verdict = f"{mix.words[:1].upper()}{mix.words[1:]}, so that nothing shows whether they did the same. {verdict}"
        if labels is not None:
            parts.insert(0, Part("labels", "Label with label", labels))
            verdict = labels.verdict
    verdict = _of_failures(verdict, first)
    own = tuple(
        warning if warning.startswith(f"{load.name}: ") else f"{load.name}: {warning}"
        for load in (first, second)
        for warning in (*load.warnings, *([load.steps.warning] if load.steps else []))
    )
    common = between([first.total.survey.seen, second.total.survey.seen])
    same = tuple(f"{words}: they are compared with themselves, which hides a difference" for words in common)
    warnings = (
        *same,
        *_different_loads(first, second, matched=levels is not None),
        *([f"{mix.words}: a difference may be one of the mix; --label compares one kind of request"] if mix else []),
        *own,
    )
    given = {"first": first.wanted.to_dict(), "second": second.wanted.to_dict(), "unit": "ms"}
    about = f"{first.about} · {second.about}"
    return Answer("compare", f"{first.name} and {second.name}", about, verdict, tuple(parts), warnings, given)


def _of_failures(verdict: str, load: Load) -> str:
    """The verdict, led by the fact that nothing succeeded where that is so."""
    return (
        f"Nothing succeeded, and this is about response times of failures. {verdict}"
        if load.shows_failures
        else verdict
    )


def _failures_alone(first: Load, second: Load) -> Answer:
    """Answer where all requests of a run failed: its response times are no speed that another can have."""
    from poolkeeper.commands.steps.bursts import bursts_of
    from poolkeeper.latency.comparison.failures import compare_failures

    loads = (first, second)
    found = compare_failures(
        (first.failed, second.failed),
        (first.total.count, second.total.count),
        (bursts_of(first), bursts_of(second)),
    )
    silent = [load for load in loads if load.silent]
    if silent:
        why = f"{silent[0].silence} in {listed([load.name for load in silent])}"
    else:
        name = next(load.name for load in loads if load.shows_failures)
        why = f"all requests of {name} failed; --failures include compares those of failures with those of all"
    warnings = tuple(
        warning if warning.startswith(f"{load.name}: ") else f"{load.name}: {warning}"
        for load in loads
        for warning in map(str, load.total.survey.warnings)
    )
    given = {"first": first.wanted.to_dict(), "second": second.wanted.to_dict()}
    about = f"{first.about} · {second.about}"
    part = Part("failures", "Failures", found)
    left_out = {"response times": why}
    title = f"{first.name} and {second.name}"
    return Answer("compare", title, about, found.verdict, (part,), warnings, given, left_out)


def _different_loads(first: Load, second: Load, *, matched: bool) -> tuple[str, ...]:
    """That the two tests held different loads, so that a difference may be one of the loads."""
    from poolkeeper.commands.steps.load_steps import whole

    if matched:
        return ()
    if first.steps or second.steps:
        changed = [(load.name, load.steps) for load in (first, second) if load.steps]
        where = listed([name for name, _ in changed])
        waves = [load.steps.wave if load.steps else None for load in (first, second)]
        if waves[0] is not None and waves[1] is not None:
            return () if _same_wave(waves[0], waves[1]) else (f"the load makes other waves in {second.name}",)
        if not any(steps.of_load for _, steps in changed):
            subjects = listed(list(dict.fromkeys(steps.subject for _, steps in changed)))
            return (f"{subjects} changed in {where}, under the same load: both are compared whole",)
        return (f"the load changed in {where}, and the runs have no level in common: both are compared whole",)
    return _different_levels([level for load in (first, second) for level in whole(load)])


def _different_levels(levels: Sequence[TestLevel]) -> tuple[str, ...]:
    """The same of two tests each of which held one load."""
    if len(levels) < 2:  # noqa: PLR2004 - two runs
        return ()
    users = [level.users for level in levels]
    if all(map(math.isnan, users)):
        return _different_rates(*levels)
    if not abs(users[0] - users[1]) > max(0.5, _ALIKE * max(users)):
        return ()
    return (f"the runs held {amount(users[0])} and {amount(users[1])} users: a difference may be one of their loads",)


def _different_rates(first: TestLevel, second: TestLevel) -> tuple[str, ...]:
    """The same of two tests whose users are unknown: that they had different rates, by more than chance."""
    rates = first.rate, second.rate
    error = math.hypot(*(level.rate / math.sqrt(max(1, level.requests)) for level in (first, second)))
    if not abs(rates[0] - rates[1]) > max(2 * _ALIKE * max(rates), _BEYOND_CHANCE * error):
        return ()
    words = " and ".join(f"{number(each)} requests/s" for each in rates)
    return (f"the runs had {words}: where the servers did not make it so, a difference may be one of their loads",)


def fit(load: Load, *, distributions: Sequence[str] | None, replicates: int, seed: int) -> Answer:
    """Ranks distributions of the response times."""
    from poolkeeper.latency.fits import fit as fitted
    from poolkeeper.latency.fits.verdict import LEAST_REPLICATES
    from poolkeeper.latency.replicates import check

    check(replicates, LEAST_REPLICATES)
    load.require_answers()
    ranking = fitted(load.for_fits, distributions, replicates=replicates, unit="ms", seed=seed)
    given = {**load.wanted.to_dict(), "unit": "ms", "replicates": replicates, "seed": seed}
    part = Part("fits", "Distributions", ranking)
    return Answer("fit", load.name, load.about, _of_failures(ranking.verdict, load), (part,), _with_change(load), given)


def tail(load: Load, *, replicates: int, seed: int) -> Answer:
    """Judges the tail of the response times. Raises DataError if the results do not allow it."""
    from poolkeeper.latency.replicates import check
    from poolkeeper.latency.tails import analyze
    from poolkeeper.latency.tails.verdict import LEAST_REPLICATES

    check(replicates, LEAST_REPLICATES)
    load.require_answers()
    if load.results.tails_refused:
        raise DataError(f"{load.name}: {load.results.tails_refused}")
    report = analyze(load.for_tails, unit="ms", replicates=replicates, seed=seed, name="response times")
    limits = report.verdict.limits
    text = report.verdict.text
    if limits:
        text = f"{text} {limits[0][:1].upper()}{limits[0][1:].rstrip('.')}."
    given = {**load.wanted.to_dict(), "unit": "ms", "replicates": replicates, "seed": seed}
    part = Part("tail", "Tail", report, more=(*report.tables()[1:], *report.plots()[1:]))
    return Answer("tail", load.name, load.about, _of_failures(text, load), (part,), _with_change(load), given)


def _same_wave(first: Wave, second: Wave) -> bool:
    """Whether two loads rise and fall alike."""
    pairs = ((first.period, second.period), (first.low, second.low), (first.high, second.high))
    return all(abs(a - b) <= max(0.5, 2 * _ALIKE * max(abs(a), abs(b))) for a, b in pairs)


def _with_change(load: Load) -> tuple[str, ...]:
    """The warnings of a load, and that it changed, for an answer about all of it."""
    return (*load.warnings, *([load.steps.mixed] if load.steps else []))
