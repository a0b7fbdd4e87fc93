"""The command analyze: everything that one test's results say, the most important first."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from poolkeeper.commands.answer import Answer, Part
from poolkeeper.commands.load import EXCLUDE, NS_PER_MS
from poolkeeper.commands.over_time import (
    MS,
    ByLabel,
    OverTime,
    failed_over_time,
    labels_over_time,
    users_over_time,
)
from poolkeeper.commands.tally import FAILURE_KEYS, BoundCounts, ErrorTable, summed
from poolkeeper.errors import DataError
from poolkeeper.present.numbers import number, percent, response, responses, time
from poolkeeper.present.text import counted
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.commands.load import Load
    from poolkeeper.commands.progress import Progress
    from poolkeeper.latency import Apdex, Estimate, Summary
    from poolkeeper.present import Chart, Mark, Table

_BARS = 12
"""Bins of the histogram on a terminal."""
_FAR = 10
"""Ratio of the largest to the least value from which bins are logarithmic."""
_APART = 1e-10
"""Part of the least value by which values differ at least that charts can show apart."""
_HUNDRED = 100
_LABELS = 20
"""Labels that a terminal has room for."""


def analyze(
    load: Load,
    *,
    percentiles: Sequence[float] | None,
    target_ms: float,
    bound_ms: float | None,
    seed: int,
    width: int,
    progress: Progress,
    page: bool = False,
) -> Answer:
    """The whole analysis but for bootstraps, which `fit` and `tail` make.

    `target_ms` is Apdex's T, `bound_ms` what goodput is counted by, `width` the columns for the histogram. What the
    data are too few for is left out with the reason. A `page` has charts that take one more pass.
    """
    from poolkeeper.latency import PERCENTILES, summarize

    left_out: dict[str, str] = {}
    parts: list[Part] = []

    def add(name: str, section: str, make: Callable[[], Any], *, what: str = "", **shown: Any) -> Any:
        progress.step(f"computing {what or name}")
        try:
            result = make()
        except DataError as error:
            left_out[what or name] = str(error)
            return None
        parts.append(Part(name, section, result, **shown))
        return result

    steps = load.steps
    change = "" if steps is None else steps.why
    mixed = steps is not None and steps.times_differ
    ordered = load.in_order(change, mixed=mixed)
    summary: Summary = summarize(ordered, percentiles=percentiles or PERCENTILES, unit="ms")
    if load.silent:
        left_out["response times"] = load.silence
    else:
        parts.extend([Part("levels", "Levels", steps)] if steps is not None else [])
        parts.append(Part("summary", "Response times", summary, lines=bars(load, width)))
        add_shapes(load, ordered, add)
    if load.total.survey.clock_doubted:
        left_out["throughput"] = "the times are no ground for a rate, as a warning says"
    elif load.survey.series is not None:
        add("throughput", "Over time", lambda: throughput_of(load.total, bound_ms, change))
        marks = () if steps is None else steps.marks
        more = charts_over_time(load, marks, page=page)
        series, whole = (
            None if found is None else found.since(load.total.survey.first_start_ns)
            for found in (load.survey.series, load.total.survey.series)
        )
        if not load.silent and series is not None:
            over_time = OverTime(series, marks=marks, whole=whole if load.failed is not None else None)
            parts.append(Part("over_time", "Over time", over_time, brief=False, tabular=False, more=more))
    add("apdex", "Satisfaction", lambda: apdex_of(load.total, target_ms, change, mixed=mixed), what="Apdex")
    groups = {} if load.silent else {name: digest.scaled(MS) for name, digest in load.survey.groups.items()}
    requests = {name: digest.count for name, digest in load.total.survey.groups.items()}
    if len(requests) > 1:
        errors = load.total.survey.errors
        add("labels", "Labels", lambda: ByLabel(groups, errors, requests), brief=len(requests) <= _LABELS)
    add_failures(load, add, left_out)
    if not load.silent and (doubts := add_fits(load, parts, left_out, seed, progress)):
        place = next(place for place, part in enumerate(parts) if part.result is summary)
        parts[place] = replace(parts[place], result=replace(summary, notes=(*summary.notes, doubts)))
    change_told = [] if steps is None else [steps.mixed if load.silent else steps.warning]
    warnings = [*load.warnings, *change_told, *([] if load.silent else coarse(load))]
    given = {**load.wanted.to_dict(), "unit": "ms", "apdex_target_ms": target_ms, "bound_ms": bound_ms, "seed": seed}
    return Answer(
        "analyze", load.name, load.about, verdict(load, summary), tuple(parts), tuple(warnings), given, left_out
    )


def add_shapes(load: Load, ordered: Any, add: Callable[..., Any]) -> None:
    """Add the charts of the response times themselves, unless these differ by less than charts can show."""
    from poolkeeper.latency import density, distribution, histogram

    if load.digest.minimum < load.digest.maximum <= (1 + _APART) * load.digest.minimum:
        return
    scale: Literal["log", "linear"] = "log" if load.digest.minimum > 0 else "linear"
    step = None if load.single else load.step_ns / NS_PER_MS  # values show it themselves
    add("histogram", "Response times", lambda: histogram(ordered, unit="ms"), brief=False, tabular=False)
    add("distribution", "Response times", lambda: distribution(ordered, unit="ms"), brief=False, tabular=False)
    add(
        "density",
        "Response times",
        lambda: density(ordered, scale=scale, step=step, unit="ms"),
        brief=False,
        tabular=False,
    )


def charts_over_time(load: Load, marks: tuple[Mark, ...], *, page: bool) -> tuple[Chart, ...]:
    """Users over time if the files hold them, and response times by label on a page."""
    import numpy as np

    series = load.total.survey.series
    by_users = series is not None and not np.isnan(series.users).all()
    first = load.total.survey.first_start_ns
    found = [users_over_time(series.since(first), marks)] if series is not None and by_users else []
    by_label = labels_over_time(load, marks) if page else None
    return (*found, *([by_label] if by_label is not None else []))


def add_failures(load: Load, add: Callable[..., Any], left_out: dict[str, str]) -> None:
    """Add the kinds of failures, by code, message or both, whichever the files tell."""
    if load.failed and FAILURE_KEYS & load.results.columns.keys():
        add("errors", "Failures", lambda: ErrorTable.of(load.total), more=failures_over_time(load))
    elif load.failed:
        left_out["errors"] = "no code nor message tells the kinds of failures"


def failures_over_time(load: Load) -> tuple[Chart, ...]:
    """Response times of failed requests over time, where successes are looked at apart from them."""
    total, series = load.total.survey.series, load.survey.series
    if load.whole is None or load.wanted.failures != EXCLUDE or total is None or series is None:
        return ()
    return (failed_over_time(total.less(series).since(load.total.survey.first_start_ns)),)


def add_fits(load: Load, parts: list[Part], left_out: dict[str, str], seed: int, progress: Progress) -> str:
    """Add a line on the best fitted distribution and one on the tail."""
    from poolkeeper.latency.fits import fit
    from poolkeeper.latency.tails import analyze as judge

    progress.step("fitting distributions")
    try:
        ranking = fit(load.for_fits, replicates=0, unit="ms", seed=seed)
        lines = (f"Distribution: {ranking.verdict}",)
        parts.append(Part("fits", "Distribution and tail", ranking, brief=False, lines=lines))
    except DataError as error:
        left_out["fits"] = str(error)
    progress.step("judging the tail")
    if load.results.tails_refused:
        left_out["tail"] = load.results.tails_refused
        return ""
    try:
        tail = judge(load.for_tails, unit="ms", replicates=0, seed=seed, name="response times")
    except DataError as error:
        left_out["tail"] = str(error)
        return ""
    more: tuple[Table | Chart, ...] = (*tail.tables()[1:], *tail.plots()[1:])
    ask = " 'poolkeeper tail' tests that, which takes longer." if tail.verdict.untested else ""
    lines = (f"Tail: {tail.verdict.text}{ask}",)
    parts.append(Part("tail", "Distribution and tail", tail, brief=False, lines=lines, more=more))
    return tail.doubts


def bars(load: Load, width: int) -> tuple[str, ...]:
    """The histogram for a terminal: a bar for each of a few bins."""
    from poolkeeper.latency import histogram
    from poolkeeper.present.terminal import histogram as drawn

    digest = load.digest
    if digest.maximum <= (1 + _APART) * digest.minimum:
        return ()
    middle = digest.quantile(0.5)
    far = middle > 0 and digest.maximum > _FAR * (digest.minimum or middle / _FAR)
    steps = round((digest.maximum - digest.minimum) / (load.step_ns / NS_PER_MS))
    few = steps < _BARS  # bins between the steps in which times were recorded would be empty
    scale: Literal["log", "linear"] = "log" if far and not few else "linear"
    found = histogram(load.ordered, bins=steps if few else _BARS, scale=scale, unit="ms")
    zeros = (f"{found.zeros:,} of 0 ms beside these",) if found.zeros else ()
    return (*drawn(tuple(found.edges.tolist()), tuple(found.counts.tolist()), "ms", width), *zeros, "")


def apdex_of(load: Load, target_ms: float, change: str = "", *, mixed: bool = False) -> Apdex:
    """The Apdex, in which failures frustrate; `change` says in words how the load changed, if it did.

    `mixed` response times of several levels have no interval together.

    Of many requests some of which failed it takes one more pass, unless the buckets of the successes tell.
    """
    from poolkeeper.latency import Apdex, Estimate, apdex
    from poolkeeper.latency.figures.satisfaction import TOLERATED

    if load.single or not load.failed:
        ok = load.rows.get("ok") if load.single else None
        if ok is not None and load.by_sending is not None:
            ok = ok[load.by_sending]
        return apdex(load.in_order(change, mixed=mixed), target_ms, ok=ok, unit="ms")
    bounds = target_ms * NS_PER_MS, TOLERATED * target_ms * NS_PER_MS
    fine = load.only(ok=True).survey
    satisfied, tolerated = (fine.digest.at_most(bound, fine.step_ns) for bound in bounds)
    if satisfied is None or tolerated is None:
        counted_within = load.asked(BoundCounts(bounds))
        satisfied, tolerated = (summed(counted_within, column) for column in (0, 1))
    score = (satisfied + (tolerated - satisfied) / 2) / load.count
    why = "none, as failures are not counted by the second"
    estimate = Estimate.bare(score, 0.95, why)
    return Apdex(target_ms, satisfied, tolerated - satisfied, load.count - tolerated, load.failed, estimate, "ms")


def throughput_of(load: Load, bound_ms: float | None, change: str = "") -> Any:
    """Responses per second; with a bound also those that were right and in time; see `apdex_of` for `change`."""
    import numpy as np

    from poolkeeper.latency import Throughput

    series, kept = load.survey.series, load.survey.series_of_load
    if series is None or kept is None:
        raise DataError(f"{load.results.format} results contain no times")
    if len(kept) == 1:
        raise DataError(f"all responses came within {series.every_s:g} s, too short to say how many come a second")
    # A rate is that of the load, which begins with the first request and not with the first response.
    began = load.survey.begin_ns
    every = round(series.every_s * 1e9)
    lead = 0 if began is None else max(0, int(series.start_ns[0]) // every - began // every)
    good = None if bound_ms is None else np.pad(_good(load, bound_ms), (lead, 0))
    found = Throughput.of(
        np.pad(series.count, (lead, 0)),
        errors=np.pad(series.errors, (lead, 0)),
        good=good,
        bound_ns=math.nan if bound_ms is None else bound_ms * NS_PER_MS,
        interval_s=series.every_s,
        change=change,
        first_cut=load.survey.first_cut,
        tells_failures=load.failed is not None,
        length=lead + len(kept),
        loaded=np.pad(kept.loaded, (lead, 0), constant_values=True) & _answered_alone(load, lead, len(kept)),
    )
    return found if kept.gaps_s else replace(found, overall=_overall(load))


def _answered_alone(load: Load, lead: int, size: int) -> Any:
    """Intervals without answers to requests that a cut by time left out, since they were sent before it."""
    import numpy as np

    survey = load.survey
    series, began = survey.series, survey.begin_ns
    found = np.ones(lead + size, np.bool_)
    if (
        survey.goes_on_from_ns is not None
        and survey.last_start_ns is not None
        and series is not None
        and began is not None
    ):
        every = round(series.every_s * NS)
        first = int(series.start_ns[0]) - lead * every
        until = began + survey.usual_ns
        found[: max(0, -(-(until - first) // every))] = False
    return found


def _overall(whole: Load) -> float:
    """Responses a second over the whole time of a load, failed ones included; NaN where nothing tells its time."""
    series, seconds = whole.survey.series_of_load, whole.survey.duration_s
    if not seconds > 0 or whole.survey.clock_doubted or whole.count <= 1:
        return math.nan
    return (whole.count if series is None or whole.survey.ends_at_cut else int(series.count.sum())) / seconds


def _good(load: Load, bound_ms: float) -> Any:
    """Responses of each interval that did not fail and came within the bound, in one more pass."""
    import numpy as np

    series = load.survey.series
    assert series is not None  # noqa: S101 - the caller has looked
    every = round(series.every_s * 1e9)
    good = np.zeros(len(series), np.int64)
    for found in load.asked(BoundCounts((bound_ms * NS_PER_MS,), every)):
        np.add.at(good, found["place"].to_numpy() - int(series.start_ns[0]) // every, found["0"].to_numpy())
    return good


def sure_of(estimate: Estimate) -> str:
    """The interval of a figure in brackets, or that the data are too few for one."""
    if estimate.has_interval:
        return f" ({responses(estimate.low, estimate.high)})"
    return " (too few for an interval)" if "too few" in estimate.why else ""


def half(load: Load) -> str:
    """The median in words; where it is 0 that it was recorded so, and in which steps."""
    middle = load.digest.quantile(0.5)
    if middle > 0:
        return f"half of {load.they} took {response(middle)} or less"
    return f"half of {load.they} or more are recorded as 0{f', in {steps_of(load)}' if load.step_ns else ''}"


def coarse(load: Load) -> list[str]:
    """That times were recorded in steps that are much of what they tell, unless they tell that by themselves."""
    middle = load.digest.quantile(0.5) * NS_PER_MS
    is_coarse = any(warning.kind == "coarse" for warning in load.survey.warnings)
    if load.digest.minimum == load.digest.maximum:
        return []  # times that are all equal have no steps
    if is_coarse or load.count < _HUNDRED or not 0 < middle < _FAR * load.step_ns:
        return []
    return [f"response times were recorded in {steps_of(load)}: no figure of them is finer than that{_seconds(load)}"]


def _seconds(load: Load) -> str:
    """Advice on small whole numbers that are seconds, where neither the file nor Little's law tells the unit."""
    import numpy as np

    from poolkeeper.results.formats.jmeter.jtl import FORMAT as JTL

    series = load.survey.series
    if load.step_ns != NS_PER_MS or (series is not None and not np.isnan(series.users).all()):
        return ""
    if all(part.unit_guessed for part in load.results.parts):
        return "; if they are seconds, use --unit s"
    if all(part.format == JTL for part in load.results.parts):
        return "; if elapsed is seconds, use --format columns --column elapsed --unit s"
    return ""


def steps_of(load: Load) -> str:
    """The steps in which times were recorded: "whole seconds", "steps of 10.0 ms"."""
    names = {
        1: "whole nanoseconds",
        10**3: "whole microseconds",
        NS_PER_MS: "whole milliseconds",
        10**9: "whole seconds",
    }
    return names.get(load.step_ns) or f"steps of {time(load.step_ns / 1e9)}"


def verdict(load: Load, summary: Summary) -> str:
    """Throughput, response times and failures in a few sentences."""
    digest, whole = load.digest, load.total
    seconds, count = whole.survey.duration_s, whole.count
    overall = _overall(whole)
    all_of_them = ", failed ones included" if load.failed else ""
    series = whole.survey.series_of_load
    gaps_s = 0.0 if series is None else series.gaps_s
    rate = ""
    if not math.isnan(overall):
        often = f", in {time(gaps_s)} of which nothing ended" if gaps_s else ""
        rate = f" in {time(seconds)}{often or f' ({number(overall)}/s{all_of_them})'}"
    p99 = summary.percentiles.get(99.0)
    if load.count >= _HUNDRED:
        slow = response(digest.quantile(0.99) if p99 is None else p99.value)
        slowest = f"one in a hundred {slow} or more{'' if p99 is None else sure_of(p99)}"
    else:
        slowest = f"the slowest {response(digest.maximum)}"
    times = f"{half(load)}, {slowest}"
    if load.silent:
        times = load.silence
    elif load.count == 1:
        times = f"it took {response(digest.maximum)}"
    uncounted = load.failed_beside
    if uncounted:
        failures = f"Beside these {uncounted:,} failed, {percent(uncounted / (count + uncounted), 2)} % of all."
    elif uncounted == 0:
        failures = "None failed."
    elif load.failed is None:
        failures = "The files do not show which requests failed."
    elif load.failed == 0:
        failures = "None failed."
    else:
        failures = f"{load.failed:,} failed, {percent(load.failed / count, 2)} %."
    return f"{counted(count, 'request')}{rate}: {times}. {failures}"
