"""Command-line options of queue, by model."""

from __future__ import annotations

from typing import Annotated

import typer

from poolkeeper.commands.options import Output, word


@word
def queue(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="mm1, mmc, mmck, mg1, mgc, half-open, pool, erlang-b, open (arrivals), closed or mva (users).",
        ),
    ],
    output: Output,
    rate: Annotated[str | None, typer.Option(metavar="RATE", help="Arrivals a second: 128, 128/s, 3000/m.")] = None,
    service: Annotated[str | None, typer.Option(metavar="TIME", help="Mean service time: 25ms.")] = None,
    servers: Annotated[int | None, typer.Option(metavar="N", help="Servers behind the queue. Default: 1")] = None,
    places: Annotated[
        int | None, typer.Option(metavar="N", help="Most requests in the system, those in service included.")
    ] = None,
    cs2: Annotated[
        float | None, typer.Option(metavar="X", help="Squared coefficient of variation of the service times; 0: even.")
    ] = None,
    stay: Annotated[
        float | None, typer.Option(metavar="P", help="Probability that a session sends another request.")
    ] = None,
    threads: Annotated[int | None, typer.Option(metavar="N", help="Threads of the pool.")] = None,
    cores: Annotated[int | None, typer.Option(metavar="N", help="Cores that the threads share. Default: 1")] = None,
    compute: Annotated[
        str | None, typer.Option(metavar="TIME", help="Mean time on a core, in place of --service: 10ms.")
    ] = None,
    io: Annotated[
        str | None, typer.Option(metavar="TIME", help="Mean time after it with a thread but no core: 40ms.")
    ] = None,
    room: Annotated[
        int | None,
        typer.Option("--queue", metavar="N", help="Requests that may wait for a thread. Default: without a bound"),
    ] = None,
    erlang: Annotated[
        float | None, typer.Option(metavar="X", help="Offered load, in place of --rate and --service.")
    ] = None,
    users: Annotated[int | None, typer.Option(metavar="N", help="Users who wait for their answers.")] = None,
    think: Annotated[str | None, typer.Option(metavar="TIME", help="Mean time between answer and request: 1s.")] = None,
    centre: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TIME",
            help="A centre's demand, with xN for N servers, xinf for a delay; repeat it. Classes: db=buy:20ms,read:5ms",
        ),
    ] = None,
    class_: Annotated[
        list[str] | None,
        typer.Option(
            "--class", metavar="NAME=LOAD", help="A class of requests; repeat it. open: buy=40/s; mva: buy=20:1s"
        ),
    ] = None,
    within: Annotated[
        str | None, typer.Option(metavar="TIME", help="Bound of the percentile, to find the smallest pool for it.")
    ] = None,
    percentile: Annotated[float | None, typer.Option(metavar="P", help="Percentile of --within. Default: 99")] = None,
    loss: Annotated[
        float | None,
        typer.Option(metavar="PERCENT", help="Largest share of refused requests, to find the smallest size."),
    ] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(metavar="CHANGE", help="add-server, halve-service or double-load; may be repeated."),
    ] = None,
) -> None:
    """Solve a queueing model: throughput, response times, utilisation, the size for a bound, and effects of changes.

    \b
    mm1, mmc, mmck   Poisson arrivals, exponential service, one or more servers, room without or with a bound
    mg1, mgc         service times of any variation (mgc approximately)
    half-open        sessions arrive, and stay for more requests
    pool             threads and a queue; --service, or --compute and --io on --cores
    erlang-b         servers without a queue: a request is refused if all are busy
    open             arrivals at a network of centres, of one class or of several
    closed           users who wait for their answers at one service
    mva              users of a network of centres, of one class or of several

    A pool's --within bounds the response time with --service, and the wait for a thread with --compute and --io.

    Example: ./poolkeeper queue mmc --rate 128 --service 25ms --servers 4 --what-if add-server

    Example: ./poolkeeper queue pool --rate 120 --compute 10ms --io 40ms --cores 2 --queue 5 --within 20ms --loss 1

    Example: ./poolkeeper queue erlang-b --rate 120 --service 50ms --loss 1

    Example: ./poolkeeper queue open --class buy=20/s --class read=99/s --centre web=5ms --centre db=buy:20ms,read:3ms
    """  # noqa: D301 - \b keeps the lines of the list
    from poolkeeper.commands.queue.inputs import centre as centre_of
    from poolkeeper.commands.queue.inputs import per_second, request_class
    from poolkeeper.commands.queue.models import ModelSettings
    from poolkeeper.commands.queue.models import queue as answered
    from poolkeeper.units import option_duration

    output.check()
    times = {"service": service, "think": think, "compute": compute, "io": io, "within": within}
    settings = {
        "rate": None if rate is None else per_second(rate),
        "servers": servers,
        "places": places,
        "cs2": cs2,
        "stay": stay,
        "users": users,
        "threads": threads,
        "cores": cores,
        "room": room,
        "erlang": erlang,
        "percentile": percentile,
        "loss": loss,
        "centres": tuple(map(centre_of, centre)) if centre else None,
        "classes": tuple(request_class(text, is_open=model != "mva") for text in class_) if class_ else None,
        **{name: None if text is None else option_duration(text, f"--{name}") for name, text in times.items()},
    }
    given = {name: value for name, value in settings.items() if value is not None}
    answer = answered(ModelSettings(model, **given), set(given), tuple(what_if or ()))  # type: ignore[arg-type]
    output.deliver(answer)
