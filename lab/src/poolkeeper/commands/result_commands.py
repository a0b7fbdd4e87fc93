"""The commands that ask result files: analyze, compare, fit, tail."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poolkeeper.commands.options import Files, Output, Percentiles, Requests, Seed, word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from poolkeeper.commands.load import Load, RequestSelection
    from poolkeeper.commands.progress import Progress


@word
def analyze(
    files: Files,
    requests: Requests,
    output: Output,
    apdex: Annotated[
        str, typer.Option(metavar="TIME", help="Target of Apdex: users are satisfied up to this time.")
    ] = "500ms",
    bound: Annotated[
        str | None, typer.Option(metavar="TIME", help="Count requests that succeed within this time as goodput.")
    ] = None,
    percentile: Percentiles = None,
    seed: Seed = 0,
) -> None:
    """Summarize result files of a load test: response times, rates, failures and the tail.

    Reads JMeter, k6, Gatling, Locust, wrk, HdrHistogram logs and more, packed or not, of any size.

    Example: ./poolkeeper analyze results.jtl --warm-up 30s --report results.html
    """
    from poolkeeper.commands import tool_summaries
    from poolkeeper.commands.analyze import analyze as analysis
    from poolkeeper.commands.delivery import console, width
    from poolkeeper.commands.load import opened, positive
    from poolkeeper.commands.progress import Progress

    output.check(files)
    target_ms = positive(apdex, "--apdex")
    bound_ms = None if bound is None else positive(bound, "--bound")
    wanted = requests.of(files)
    results = opened(wanted)
    if results.kind == "percentiles":
        output.deliver(tool_summaries.answer(results, wanted, percentiles=percentile, bound_ms=bound_ms))
        return
    with Progress("reading") as progress, loader(requests.cluster) as load:
        answer = analysis(
            load(wanted, progress),
            percentiles=percentile,
            target_ms=target_ms,
            bound_ms=bound_ms,
            seed=seed,
            width=width(console()),
            progress=progress,
            page=output.report is not None,
        )
    output.deliver(answer)


@word
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="Results of the first run, the baseline.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Results of the second run.")],
    requests: Requests,
    output: Output,
    percentile: Percentiles = None,
) -> None:
    """Decide whether a second run was faster or slower than a first one, or no difference is seen.

    It uses no random numbers and takes no seed.

    Example: ./poolkeeper compare before.jtl after.jtl --warm-up 30s
    """
    from poolkeeper.commands import questions
    from poolkeeper.commands.progress import Progress

    output.check((first, second))
    with Progress("reading") as progress, loader(requests.cluster) as load:
        runs = [load(requests.of([file]), progress) for file in (first, second)]
        progress.step("comparing")
        answer = questions.compare(*runs, percentiles=percentile)
    output.deliver(answer)


@word
def fit(
    files: Files,
    requests: Requests,
    output: Output,
    distribution: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these, such as lognormal; may be repeated.")
    ] = None,
    replicates: Annotated[
        int, typer.Option(metavar="N", help="Bootstrap samples behind the p values, 100 to 10,000; 0: none.")
    ] = 200,
    seed: Seed = 0,
) -> None:
    """Fit distributions to response times, rank them, and say whether the best of them is good enough.

    Example: ./poolkeeper fit results.jtl --distribution lognormal --distribution weibull
    """
    from poolkeeper.commands import questions
    from poolkeeper.commands.progress import Progress

    output.check(files)
    with Progress("reading") as progress, loader(requests.cluster) as load:
        loaded = load(requests.of(files), progress)
        progress.step("fitting distributions")
        answer = questions.fit(loaded, distributions=distribution, replicates=replicates, seed=seed)
    output.deliver(answer)


@word
def tail(
    files: Files,
    requests: Requests,
    output: Output,
    replicates: Annotated[
        int,
        typer.Option(
            metavar="N", help="Bootstrap samples behind the p value, 20 to 10,000; 0: none, and no intervals."
        ),
    ] = 100,
    seed: Seed = 0,
) -> None:
    """Measure how heavy the tail of the response times is, and the share of all time that the slowest requests take.

    Example: ./poolkeeper tail results.jtl --report tail.html
    """
    from poolkeeper.commands import questions
    from poolkeeper.commands.progress import Progress

    output.check(files)
    with Progress("reading") as progress, loader(requests.cluster) as load:
        loaded = load(requests.of(files), progress)
        progress.step("judging the tail")
        answer = questions.tail(loaded, replicates=replicates, seed=seed)
    output.deliver(answer)


@contextmanager
def loader(cluster: str | None) -> Iterator[Callable[[RequestSelection, Progress], Load]]:
    """Reader of the files: this process, or the workers of a cluster."""
    if cluster is None:
        from poolkeeper.commands.load import load

        yield load
        return
    from poolkeeper.commands.shared_load import load_with
    from poolkeeper.spread import on_cluster

    with on_cluster(cluster) as spread:
        yield lambda wanted, progress: load_with(wanted, spread, progress)
