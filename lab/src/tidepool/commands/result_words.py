"""The words that ask result files: analyze, compare, fit, tail."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidepool.commands import options as o

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tidepool.commands.answer import Answer
    from tidepool.commands.load import Load, Wanted
    from tidepool.commands.progress import Progress


def analyze(
    files: o.Files,
    apdex: Annotated[str, typer.Option(metavar="TIME", help="Apdex's target: up to it users are satisfied.")] = "500ms",
    bound: Annotated[
        str | None, typer.Option(metavar="TIME", help="Count as goodput what succeeds within this time.")
    ] = None,
    percentile: o.Percentiles = None,
    warm_up: o.WarmUp = None,
    cool_down: o.CoolDown = None,
    label: o.Label = None,
    group: o.Group = None,
    start: o.From = None,
    end: o.To = None,
    format_: o.Format = None,
    unit: o.Unit = None,
    column: o.Column = None,
    seed: o.Seed = 0,
    cluster: o.Cluster = None,
    report: o.Report = None,
    *,
    as_json: o.Json = False,
) -> None:
    """Say what result files of a load test hold: how fast, how much, how often it failed, and what the tail is like.

    Reads JMeter, k6, Gatling, Locust, wrk, HdrHistogram logs and more, packed or not, of any size.

    Example: ./tidepool analyze results.jtl --warm-up 30s --report results.html
    """
    from tidepool.commands import stated
    from tidepool.commands.analyze import analyze as analysis
    from tidepool.commands.deliver import check_report, console, width
    from tidepool.commands.load import Wanted, opened, positive
    from tidepool.commands.progress import Progress

    check_report(report, files)
    target_ms = positive(apdex, "--apdex")
    bound_ms = None if bound is None else positive(bound, "--bound")
    wanted = Wanted.of(
        files,
        format=format_,
        unit=unit,
        column=column,
        warm_up=warm_up,
        cool_down=cool_down,
        label=label,
        group=group,
        start=start,
        end=end,
    )
    results = opened(wanted)
    if results.kind == "percentiles":
        _deliver(stated.answer(results, wanted), report, as_json=as_json)
        return
    with Progress("reading") as progress, loader(cluster) as load:
        answer = analysis(
            load(wanted, progress),
            percentiles=percentile,
            target_ms=target_ms,
            bound_ms=bound_ms,
            seed=seed,
            width=width(console()),
            progress=progress,
        )
    _deliver(answer, report, as_json=as_json)


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="Results of the first run, the baseline.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Results of the second run.")],
    percentile: o.Percentiles = None,
    warm_up: o.WarmUp = None,
    cool_down: o.CoolDown = None,
    label: o.Label = None,
    group: o.Group = None,
    start: o.From = None,
    end: o.To = None,
    format_: o.Format = None,
    unit: o.Unit = None,
    column: o.Column = None,
    cluster: o.Cluster = None,
    report: o.Report = None,
    *,
    as_json: o.Json = False,
) -> None:
    """Say whether a second run was faster or slower than a first one, or whether no difference is seen.

    Example: ./tidepool compare before.jtl after.jtl --warm-up 30s
    """
    from tidepool.commands import questions
    from tidepool.commands.deliver import check_report
    from tidepool.commands.load import Wanted
    from tidepool.commands.progress import Progress

    check_report(report, (first, second))
    cuts = {"warm_up": warm_up, "cool_down": cool_down, "label": label, "group": group, "start": start, "end": end}
    form = {"format": format_, "unit": unit, "column": column}
    with Progress("reading") as progress, loader(cluster) as load:
        runs = [load(Wanted.of([file], **cuts, **form), progress) for file in (first, second)]
        progress.step("comparing")
        answer = questions.compare(*runs, percentiles=percentile)
    _deliver(answer, report, as_json=as_json)


def fit(
    files: o.Files,
    distribution: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these, such as lognormal; may be repeated.")
    ] = None,
    replicates: Annotated[
        int, typer.Option(metavar="N", help="Bootstrap samples behind the p values, up to 10,000; 0: none.")
    ] = 200,
    warm_up: o.WarmUp = None,
    cool_down: o.CoolDown = None,
    label: o.Label = None,
    group: o.Group = None,
    start: o.From = None,
    end: o.To = None,
    format_: o.Format = None,
    unit: o.Unit = None,
    column: o.Column = None,
    seed: o.Seed = 0,
    cluster: o.Cluster = None,
    report: o.Report = None,
    *,
    as_json: o.Json = False,
) -> None:
    """Fit distributions to response times, rank them, and say whether the best of them is good enough.

    Example: ./tidepool fit results.jtl --distribution lognormal --distribution weibull
    """
    from tidepool.commands import questions
    from tidepool.commands.deliver import check_report
    from tidepool.commands.load import Wanted
    from tidepool.commands.progress import Progress

    check_report(report, files)
    cuts = {"warm_up": warm_up, "cool_down": cool_down, "label": label, "group": group, "start": start, "end": end}
    with Progress("reading") as progress, loader(cluster) as load:
        loaded = load(Wanted.of(files, **cuts, format=format_, unit=unit, column=column), progress)
        progress.step("fitting distributions")
        answer = questions.fit(loaded, distributions=distribution, replicates=replicates, seed=seed)
    _deliver(answer, report, as_json=as_json)


def tail(
    files: o.Files,
    replicates: Annotated[
        int,
        typer.Option(
            metavar="N", help="Bootstrap samples behind the p value, up to 10,000; 0: none, and no intervals."
        ),
    ] = 100,
    warm_up: o.WarmUp = None,
    cool_down: o.CoolDown = None,
    label: o.Label = None,
    group: o.Group = None,
    start: o.From = None,
    end: o.To = None,
    format_: o.Format = None,
    unit: o.Unit = None,
    column: o.Column = None,
    seed: o.Seed = 0,
    cluster: o.Cluster = None,
    report: o.Report = None,
    *,
    as_json: o.Json = False,
) -> None:
    """Say how heavy the tail of the response times is, and what share of all time the slowest requests take.

    Example: ./tidepool tail results.jtl --report tail.html
    """
    from tidepool.commands import questions
    from tidepool.commands.deliver import check_report
    from tidepool.commands.load import Wanted
    from tidepool.commands.progress import Progress

    check_report(report, files)
    cuts = {"warm_up": warm_up, "cool_down": cool_down, "label": label, "group": group, "start": start, "end": end}
    with Progress("reading") as progress, loader(cluster) as load:
        loaded = load(Wanted.of(files, **cuts, format=format_, unit=unit, column=column), progress)
        progress.step("judging the tail")
        answer = questions.tail(loaded, replicates=replicates, seed=seed)
    _deliver(answer, report, as_json=as_json)


@contextmanager
def loader(cluster: str | None) -> Iterator[Callable[[Wanted, Progress], Load]]:
    """What reads files: this process, or the workers of a cluster."""
    if cluster is None:
        from tidepool.commands.load import load

        yield load
        return
    from tidepool.commands.shared_load import load_with
    from tidepool.spread import on_cluster

    with on_cluster(cluster) as spread:
        yield lambda wanted, progress: load_with(wanted, spread, progress)


def _deliver(answer: Answer, report: Path | None, *, as_json: bool) -> None:
    from tidepool.commands.deliver import deliver

    deliver(answer, as_json=as_json, report=report)


def register(app: typer.Typer) -> None:
    """Add the words to a command line."""
    for word in (analyze, compare, fit, tail):
        app.command()(word)
