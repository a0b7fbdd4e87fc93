"""The words compare, fit and tail: one question each about results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkeeper.commands.answer import Answer, Part
from poolkeeper.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.commands.load import Load


def compare(first: Load, second: Load, *, percentiles: Sequence[float] | None) -> Answer:
    """Whether the second run differs from the first one."""
    from poolkeeper.latency import PERCENTILES, distribution
    from poolkeeper.latency import compare as compared
    from poolkeeper.present import Chart, Series

    failed = None if first.failed is None or second.failed is None else (first.failed, second.failed)
    asked = percentiles or PERCENTILES
    found = compared(first.ordered, second.ordered, percentiles=asked, unit="ms", failed=failed)
    names = [f"first: {first.name}", f"second: {second.name}"]
    curves = [distribution(load.ordered, unit="ms").plot() for load in (first, second)]
    lines = tuple(
        Series(name, line.x, line.y, line.kind)
        for name, chart in zip(names, curves, strict=True)
        for line in chart.series
    )
    both = Chart("Slower than, both runs", curves[0].x, curves[0].y, lines)
    part = Part("comparison", "Difference", found, more=(both,))
    warnings = tuple(
        warning if warning.startswith(f"{load.name}: ") else f"{load.name}: {warning}"
        for load in (first, second)
        for warning in load.warnings
    )
    given = {"first": first.wanted.to_dict(), "second": second.wanted.to_dict(), "unit": "ms"}
    about = f"{first.about} · {second.about}"
    return Answer("compare", f"{first.name} and {second.name}", about, found.verdict, (part,), warnings, given)


def fit(load: Load, *, distributions: Sequence[str] | None, replicates: int, seed: int) -> Answer:
    """Ranks distributions of the response times."""
    from poolkeeper.latency.fits import fit as fitted
    from poolkeeper.latency.fits.verdict import LEAST_REPLICATES
    from poolkeeper.latency.replicates import check

    check(replicates, LEAST_REPLICATES)
    ranking = fitted(load.for_fits, distributions, replicates=replicates, unit="ms", seed=seed)
    given = {**load.wanted.to_dict(), "unit": "ms", "replicates": replicates, "seed": seed}
    part = Part("fits", "Distributions", ranking)
    return Answer("fit", load.name, load.about, ranking.verdict, (part,), load.warnings, given)


def tail(load: Load, *, replicates: int, seed: int) -> Answer:
    """Judges the tail of the response times; raises DataError where the results cannot tell."""
    from poolkeeper.latency.replicates import check
    from poolkeeper.latency.tails import analyze
    from poolkeeper.latency.tails.verdict import LEAST_REPLICATES

    check(replicates, LEAST_REPLICATES)
    if load.results.tails_refused:
        raise DataError(f"{load.name}: {load.results.tails_refused}")
    report = analyze(load.for_tails, unit="ms", replicates=replicates, seed=seed, name="response times")
    limits = report.verdict.limits
    text = report.verdict.text
    if limits:
        text = f"{text} {limits[0][:1].upper()}{limits[0][1:].rstrip('.')}."
    given = {**load.wanted.to_dict(), "unit": "ms", "replicates": replicates, "seed": seed}
    part = Part("tail", "Tail", report, more=(*report.tables()[1:], *report.plots()[1:]))
    return Answer("tail", load.name, load.about, text, (part,), load.warnings, given)
