"""The word queue of the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from poolkeeper.commands.options import Output, word


@word
def queue(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="mm1, mmc, mmck, mg1, mgc, half-open (arrivals), closed or mva (users)."),
    ],
    output: Output,
    rate: Annotated[str | None, typer.Option(metavar="RATE", help="Arrivals a second: 128, 128/s, 3000/m.")] = None,
    service: Annotated[str | None, typer.Option(metavar="TIME", help="Mean service time: 25ms.")] = None,
    servers: Annotated[int | None, typer.Option(metavar="N", help="Servers behind the queue. Default: 1")] = None,
    places: Annotated[int | None, typer.Option(metavar="N", help="Room for so many requests, served ones too.")] = None,
    cs2: Annotated[
        float | None,
        typer.Option(metavar="X", help="Squared coefficient of variation of the service times; 0: even."),
    ] = None,
    stay: Annotated[
        float | None, typer.Option(metavar="P", help="Probability that a session sends another request.")
    ] = None,
    users: Annotated[int | None, typer.Option(metavar="N", help="Users who wait for their answers.")] = None,
    think: Annotated[str | None, typer.Option(metavar="TIME", help="Mean time between answer and request: 1s.")] = None,
    centre: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TIME", help="A centre's demand, with xN for N servers, xinf for a delay; repeat it."
        ),
    ] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(metavar="CHANGE", help="add-server, halve-service or double-load; may be repeated."),
    ] = None,
) -> None:
    """Say what a queueing model says: throughput, response times, utilisation, and what a change would bring.

    \b
    mm1, mmc, mmck   Poisson arrivals, exponential service, one or more servers, room without or with a bound
    mg1, mgc         service times of any variation (mgc approximately)
    half-open        sessions arrive, and stay for more requests
    closed           users who wait for their answers at one service
    mva              users of a network of centres

    Example: ./poolkeeper queue mmc --rate 128 --service 25ms --servers 4 --what-if add-server
    """  # noqa: D301 - \b keeps the lines of the list
    from poolkeeper.commands.load import duration
    from poolkeeper.commands.models import Asked, per_second
    from poolkeeper.commands.models import centre as parsed
    from poolkeeper.commands.models import queue as answered

    output.check()
    settings = {
        "rate": None if rate is None else per_second(rate),
        "service": None if service is None else duration(service, "--service"),
        "servers": servers,
        "places": places,
        "cs2": cs2,
        "stay": stay,
        "users": users,
        "think": None if think is None else duration(think, "--think"),
        "centres": tuple(parsed(text) for text in centre) if centre else None,
    }
    given = {name: value for name, value in settings.items() if value is not None}
    answer = answered(Asked(model, **given), set(given), tuple(what_if or ()))  # type: ignore[arg-type]
    output.deliver(answer)


def register(app: typer.Typer) -> None:
    """Add the word to a command line."""
    app.command()(queue)
