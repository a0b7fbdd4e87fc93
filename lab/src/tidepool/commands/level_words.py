"""The words usl and capacity of the command line."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tidepool.commands import options as o
from tidepool.errors import InputError

if TYPE_CHECKING:
    from tidepool.spread import Spread

Users = Annotated[
    Optional[str],
    typer.Option(metavar="N,N", help="Users of each file, where the files do not tell: 10,20,40."),
]
_OVER = ("users", "requests")
_BY = ("users", "rate")


def usl(
    files: o.Files,
    users: Users = None,
    over: Annotated[
        str, typer.Option(metavar="WHAT", help="What counts as concurrency: users, or requests in the system.")
    ] = "users",
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
    """Say how throughput grows with concurrency, where it peaks, and what holds it back: the Universal Scalability Law.

    The levels of load are found in the results of a test that held several, or are a file each, or the rows of a small
    CSV with the columns users and throughput.

    Example: ./tidepool usl levels.csv
    """
    from tidepool.commands import levels
    from tidepool.commands.deliver import check_report, deliver
    from tidepool.commands.load import Wanted
    from tidepool.commands.progress import Progress

    check_report(report, files)
    _one_of("--over", over, _OVER)
    cuts = {"warm_up": warm_up, "cool_down": cool_down, "label": label, "group": group, "start": start, "end": end}
    wanted = Wanted.of(files, **cuts, format=format_, unit=unit, column=column)
    numbers = _numbers(users)
    with Progress("reading") as progress, _workers(cluster) as spread:
        found = levels.gather(wanted, numbers, progress, spread)
        progress.step("fitting")
        answer = levels.usl(found, wanted.name, over=over, given=wanted.to_dict())
    deliver(answer, as_json=as_json, report=report)


def capacity(
    files: o.Files,
    p50: Annotated[Optional[str], typer.Option("--p50", metavar="TIME", help="Half within this time.")] = None,
    p90: Annotated[
        Optional[str], typer.Option("--p90", metavar="TIME", help="90 of a hundred within this time.")
    ] = None,
    p95: Annotated[
        Optional[str], typer.Option("--p95", metavar="TIME", help="95 of a hundred within this time.")
    ] = None,
    p99: Annotated[
        Optional[str], typer.Option("--p99", metavar="TIME", help="99 of a hundred within this time.")
    ] = None,
    mean: Annotated[Optional[str], typer.Option("--mean", metavar="TIME", help="The mean within this time.")] = None,
    users: Users = None,
    by: Annotated[
        str, typer.Option(metavar="WHAT", help="The load in users, or its rate of requests a second.")
    ] = "users",
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
    """Say up to how many users, or requests a second, the response time stays within a bound: a percentile or its mean.

    The levels of load are found in the results of a test that held several, or are a file each. Between measured
    levels it is interpolated; beyond them nothing is claimed.

    Example: ./tidepool capacity staircase.jtl --p99 500ms
    """
    from tidepool.commands import levels
    from tidepool.commands.deliver import check_report, deliver
    from tidepool.commands.load import Wanted, positive
    from tidepool.commands.progress import Progress

    check_report(report, files)
    _one_of("--by", by, _BY)
    bounds: dict[float | None, str | None] = {50.0: p50, 90.0: p90, 95.0: p95, 99.0: p99, None: mean}
    asked = [(p, text) for p, text in bounds.items() if text is not None]
    if len(asked) != 1:
        raise InputError("capacity: give one bound, such as --p99 500ms" + (", not several" if asked else ""))
    ((p, text),) = asked
    bound_ms = positive(text, "--mean" if p is None else f"--p{p:g}")
    cuts = {"warm_up": warm_up, "cool_down": cool_down, "label": label, "group": group, "start": start, "end": end}
    wanted = Wanted.of(files, **cuts, format=format_, unit=unit, column=column)
    numbers = _numbers(users)
    with Progress("reading") as progress, _workers(cluster) as spread:
        found = levels.gather(wanted, numbers, progress, spread)
        progress.step("looking for the bound")
        answer = levels.capacity(found, wanted.name, p=p, bound_ms=bound_ms, by=by, given=wanted.to_dict())
    deliver(answer, as_json=as_json, report=report)


def _workers(cluster: str | None) -> AbstractContextManager[Spread | None]:
    """Those of a cluster; None for this process."""
    if cluster is None:
        return nullcontext()
    from tidepool.spread import on_cluster

    return on_cluster(cluster)


def _one_of(option: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        from tidepool.experiment.definition.words import unknown

        raise InputError(f"{option}: {unknown('word', word, known)}")


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        found = [float(one) for one in text.split(",")]
    except ValueError:
        raise InputError(f"--users {text}: must be numbers separated by commas, such as 10,20,40") from None
    if not all(0 < one < float("inf") for one in found):
        raise InputError(f"--users {text}: every number must be above 0")
    return found


def register(app: typer.Typer) -> None:
    """Add the words to a command line."""
    for word in (usl, capacity):
        app.command()(word)
