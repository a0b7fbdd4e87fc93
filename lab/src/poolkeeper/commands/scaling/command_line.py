"""Command-line options of usl and capacity."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated

import typer

from poolkeeper.commands.options import Files, Output, Requests, one_choice, word
from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from poolkeeper.spread import Spread

Users = Annotated[
    str | None,
    typer.Option(metavar="N,N", help="Users of each file, if the files do not state them: 10,20,40."),
]
_OVER = ("users", "requests")
_BY = ("users", "rate")
_FITS = ("least-squares", "quadratic")


@word
def usl(
    files: Files,
    requests: Requests,
    output: Output,
    users: Users = None,
    over: Annotated[
        str, typer.Option(metavar="WHAT", help="What counts as concurrency: users, or requests in the system.")
    ] = "users",
    fit: Annotated[
        str,
        typer.Option(
            metavar="HOW", help="quadratic adds the regression that older publications used. Default: least-squares"
        ),
    ] = "least-squares",
) -> None:
    """Describe how throughput grows with concurrency, where it peaks and what limits it: the Universal Scalability Law.

    The levels of load are found in the results of a test that held several, or are a file each, or the rows of a small
    CSV with the columns users and throughput; throughputs may be ratios to that of one user.

    Example: ./poolkeeper usl levels.csv

    Example: ./poolkeeper usl levels.csv --fit quadratic
    """
    from poolkeeper.commands.progress import Progress
    from poolkeeper.commands.scaling import levels

    output.check(files)
    one_choice("--over", over, _OVER)
    one_choice("--fit", fit, _FITS)
    wanted = requests.of(files)
    numbers = _numbers(users)
    with Progress("reading") as progress, _workers(requests.cluster) as spread:
        found = levels.gather(wanted, numbers, progress, spread)
        progress.step("fitting")
        answer = levels.usl(found, wanted.name, over=over, quadratic=fit == "quadratic", given=wanted.to_dict())
    output.deliver(answer)


@dataclass(frozen=True, slots=True)
class Bound:
    """Bound on the response time: one of the usual percentiles, any other, or the mean."""

    p50: Annotated[str | None, typer.Option("--p50", metavar="TIME", help="Half within this time.")] = None
    p90: Annotated[str | None, typer.Option("--p90", metavar="TIME", help="90 of 100 within this time.")] = None
    p95: Annotated[str | None, typer.Option("--p95", metavar="TIME", help="95 of 100 within this time.")] = None
    p99: Annotated[str | None, typer.Option("--p99", metavar="TIME", help="99 of 100 within this time.")] = None
    p99_9: Annotated[str | None, typer.Option("--p99.9", metavar="TIME", help="999 of 1,000 within this time.")] = None
    p99_99: Annotated[
        str | None, typer.Option("--p99.99", metavar="TIME", help="9,999 of 10,000 within this time.")
    ] = None
    mean: Annotated[str | None, typer.Option(metavar="TIME", help="The mean within this time.")] = None
    percentile: Annotated[float | None, typer.Option(metavar="P", help="Any other percentile, with --within: 97.5")] = (
        None
    )
    within: Annotated[str | None, typer.Option(metavar="TIME", help="The time for --percentile.")] = None

    def asked(self) -> tuple[float | None, float]:
        """The percentile, None for the mean, and its bound in milliseconds; raises InputError unless there is one."""
        from poolkeeper.commands.load import positive

        if (self.percentile is None) != (self.within is None):
            raise InputError("capacity: --percentile and --within go together, as in --percentile 97.5 --within 300ms")
        named = [field.name for field in fields(self) if field.name not in {"percentile", "within"}]
        given: list[tuple[str, float | None, str]] = [
            ("--" + name.replace("_", "."), None if name == "mean" else float(name[1:].replace("_", ".")), text)
            for name in named
            if (text := getattr(self, name)) is not None
        ]
        if self.percentile is not None and self.within is not None:
            if not 0 < self.percentile < _ALL:
                raise InputError(f"--percentile {self.percentile:g}: is not above 0 and below 100, in percent")
            given.append(("--within", self.percentile, self.within))
        if len(given) != 1:
            raise InputError("capacity: give one bound, such as --p99 500ms" + (", not several" if given else ""))
        ((option, p, text),) = given
        return p, positive(text, option)


_ALL = 100


@word
def capacity(
    files: Files,
    bound: Bound,
    requests: Requests,
    output: Output,
    users: Users = None,
    by: Annotated[
        str, typer.Option(metavar="WHAT", help="The load in users, or its rate of requests a second.")
    ] = "users",
) -> None:
    """Find the most users, or requests a second, with the response time (a percentile or the mean) within a bound.

    The levels of load are found in the results of a test that held several, or are a file each. Between measured
    levels it is interpolated where they lie on a straight line; beyond them nothing is claimed.

    Example: ./poolkeeper capacity staircase.jtl --p99 500ms
    """
    from poolkeeper.commands.progress import Progress
    from poolkeeper.commands.scaling import levels
    from poolkeeper.commands.scaling.capacity import capacity as answered

    output.check(files)
    one_choice("--by", by, _BY)
    p, bound_ms = bound.asked()
    wanted = requests.of(files)
    numbers = _numbers(users)
    with Progress("reading") as progress, _workers(requests.cluster) as spread:
        found = levels.gather(wanted, numbers, progress, spread, by=by, timed=False)
        progress.step("looking for the bound")
        answer = answered(found, wanted.name, p=p, bound_ms=bound_ms, by=by, given=wanted.to_dict())
    output.deliver(answer)


def _workers(cluster: str | None) -> AbstractContextManager[Spread | None]:
    """Those of a cluster; None for this process."""
    if cluster is None:
        return nullcontext()
    from poolkeeper.spread import on_cluster

    return on_cluster(cluster)


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        found = [float(name) for name in text.split(",")]
    except ValueError:
        raise InputError(f"--users {text}: must be numbers separated by commas, such as 10,20,40") from None
    if not all(0 < value < float("inf") for value in found):
        raise InputError(f"--users {text}: every number must be above 0")
    return found
