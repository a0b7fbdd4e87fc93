"""Options that several commands share, defined once in groups that the commands' signatures name."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poolkeeper.commands.answer import Answer
    from poolkeeper.commands.load import RequestSelection

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Result files of one test, of any known format.")]
Percentiles = Annotated[
    list[float] | None,
    typer.Option(
        "--percentile", metavar="P", help="Percentile in place of the usual ones, such as 99.5; may be repeated."
    ),
]
Seed = Annotated[
    int, typer.Option(metavar="N", min=0, help="Seed of the random numbers; the same seed gives the same answer.")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Spread the work over a Dask cluster: tcp://HOST:PORT, or local for processes on this machine.",
    ),
]


@dataclass(frozen=True, slots=True)
class Requests:
    """Selected requests of result files, and the way to read the files; None leaves it to the files."""

    warm_up: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Leave out requests sent at the beginning, such as the first 30s."),
    ] = None
    cool_down: Annotated[
        str | None, typer.Option(metavar="TIME", help="Leave out requests sent at the end, such as the last 10s.")
    ] = None
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", help="Only requests sent from then on, such as 5m after the first."),
    ] = None
    end: Annotated[
        str | None,
        typer.Option("--to", metavar="TIME", help="Only requests sent before then, counted from the first."),
    ] = None
    label: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only requests of this label; may be repeated.")
    ] = None
    group: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only requests of this thread group; may be repeated.")
    ] = None
    format: Annotated[
        str | None, typer.Option(metavar="NAME", help="Format of the files, in place of the detected one.")
    ] = None
    unit: Annotated[str | None, typer.Option(metavar="UNIT", help="Unit of plain columns: ns, us, ms, s or min.")] = (
        None
    )
    column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of the response time in plain columns.")
    ] = None
    failures: Annotated[
        str,
        typer.Option(metavar="WHICH", help="Failed requests in response times: exclude, include, or only."),
    ] = "exclude"
    cluster: Cluster = None

    def of(self, files: Sequence[Path]) -> RequestSelection:
        """These requests of some files."""
        from poolkeeper.commands.load import FAILURES, RequestSelection

        one_choice("--failures", self.failures, FAILURES)
        return RequestSelection.of(
            files, **{field.name: getattr(self, field.name) for field in fields(self) if field.name != "cluster"}
        )


@dataclass(frozen=True, slots=True)
class Output:
    """Outputs of an answer in addition to the terminal, or instead of it."""

    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a self-contained HTML page with all charts.")
    ] = None
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON in place of text; docs/analysis.md describes it.")
    ] = False

    def check(self, inputs: Iterable[Path] = ()) -> None:
        """Raise InputError if the page cannot be written, before anything is computed for it."""
        from poolkeeper.commands.delivery import check_report

        check_report(self.report, inputs)

    def deliver(self, answer: Answer) -> None:
        """Print an answer and write its page; raises RunError if that fails."""
        from poolkeeper.commands.delivery import deliver

        deliver(answer, as_json=self.as_json, report=self.report)


_SHARED = (Requests, Output)


def word(function: Callable[..., None]) -> Callable[..., None]:
    """The same function with the options of each group in place of its parameter, for typer to read.

    Those that many words share come last in the help.
    """
    groups: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    declared = inspect.signature(function, eval_str=True).parameters.values()
    for parameter in sorted(declared, key=lambda entry: entry.annotation in _SHARED):
        if not (isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        groups[parameter.name] = parameter.annotation
        hints = get_type_hints(parameter.annotation, include_extras=True)
        parameters += [
            inspect.Parameter(
                option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=hints[option.name]
            )
            for option in fields(parameter.annotation)
        ]

    @wraps(function)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{option.name: given.pop(option.name) for option in fields(group)})
        function(**given)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {option.name: option.annotation for option in parameters}
    return called


def one_choice(option: str, given: str, choices: Sequence[str]) -> str:
    """Returns an option's value if it is a choice; raises InputError with the nearest choice if it is not."""
    if given not in choices:
        from poolkeeper.errors import InputError
        from poolkeeper.suggestion import unknown

        raise InputError(f"{option}: {unknown('value', given, choices)}")
    return given


def say(text: str) -> None:
    """Prints a line of progress, apart from the answer."""
    typer.echo(text, err=True)
