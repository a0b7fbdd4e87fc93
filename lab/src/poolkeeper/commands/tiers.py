"""The command tiers: the real servers of a topology."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poolkeeper.commands.options import say, word
from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from poolkeeper.ntier.real import RealSystem
    from poolkeeper.ntier.system import Allocation, Topology
    from poolkeeper.ntier.tiers.faults import Fault

RUNS = Path("runs")
_LOAD_S = 30.0
_PORTS = range(1, 65536)


@word
def tiers(
    topology: Annotated[Path, typer.Argument(metavar="TOPOLOGY", help="File, such as experiments/ntier/1-2-1-2.yaml.")],
    users: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Load the tiers with this number of users, show the figures of each tier, and stop."
        ),
    ] = None,
    seconds: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="Counted time of the load, such as 30s. Default: 30s")
    ] = None,
    warm_up: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Warm-up under quotas, after 30s without them. Default: the topology's"),
    ] = None,
    allocation: Annotated[
        str | None,
        typer.Option(metavar="SIZES", help="Pools front to back, such as 400-150-60-120, in place of the file's."),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FAULT",
            help="kill:SERVER@TIME, restart:SERVER@TIME or slow:SERVER@TIME (half of its quota), such as "
            "restart:database-1@5s, while it counts; may be repeated.",
        ),
    ] = None,
    port: Annotated[int | None, typer.Option(metavar="P", help="Port of the front tier. Default: a free one")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder for logs and results. Default: runs/tiers-NAME-DATE-TIME"
        ),
    ] = None,
    *,
    no_quotas: Annotated[bool, typer.Option("--no-quotas", help="Let all servers share all cores.")] = False,
) -> None:
    """Start the real servers of a topology, each in a CPU quota of its own, and check that each answers a request.

    With --users they are loaded and stopped; else they serve until Ctrl-C. Logs and configurations stay in the folder.
    Quotas need root and control groups; without them the servers run without, and each result says so.
    Exit code: 0 done, 1 a server failed, 2 wrong input, 130 interrupted.

    Example: ./poolkeeper tiers experiments/ntier/three-tiers.yaml --users 100 --for 20s
    """
    from poolkeeper.experiment.definition.values import MOST_USERS
    from poolkeeper.experiment.planning.earlier_runs import folder_for
    from poolkeeper.ntier.real import RealSystem
    from poolkeeper.ntier.tiers.running import check_sizes
    from poolkeeper.ntier.topology import read_topology
    from poolkeeper.units import option_duration

    file = read_topology(topology)
    if users is None and (fault or seconds or warm_up):
        raise InputError("--for, --warm-up and --fault need --users")
    if users is not None and not 1 <= users <= MOST_USERS:
        raise InputError(f"--users must be within 1..{MOST_USERS}, but is {users}")
    if port is not None and port not in _PORTS:
        raise InputError(f"--port must be within 1..65535, but is {port}")
    counted_s = _LOAD_S if seconds is None else option_duration(seconds, "--for")
    settle_s = None if warm_up is None else option_duration(warm_up, "--warm-up")
    if counted_s < 1:
        raise InputError(f"--for must be 1s or more, but is {seconds}")
    sizes = file.topology.initial if allocation is None else _allocation(allocation, file.topology.initial)
    faults = [_fault(text, file.topology, counted_s, quotas=not no_quotas) for text in fault or ()]
    check_sizes(file.topology, sizes)
    folder = folder_for(f"tiers-{file.topology.name}", output, RUNS, resume=False, resumable=False)
    with RealSystem(file, folder, say=say, quotas=not no_quotas, port=port) as system:
        system.start(sizes)
        if users is None:
            system.limit()
            say(f"http://127.0.0.1:{system.tiers.front.port} serves with {sizes}; Ctrl-C stops it; logs: {folder}")
            system.wait()
        else:
            _load(system, sizes, users, counted_s, settle_s, faults)
            say(f"logs and results: {folder}")


def _load(
    system: RealSystem, sizes: Allocation, users: int, seconds: float, settle_s: float | None, faults: list[Fault]
) -> None:
    from poolkeeper.ntier.tiers.tables import trial_tables

    say(f"loads it with {users} users")
    trial = system.run(sizes, users, seconds, settle_s=settle_s, faults=faults)
    for table in trial_tables(trial):
        typer.echo(f"{table}\n")


def _fault(text: str, topology: Topology, counted_s: float, *, quotas: bool) -> Fault:
    from poolkeeper.ntier.tiers.faults import Fault
    from poolkeeper.ntier.tiers.running import server_names
    from poolkeeper.suggestion import unknown

    fault, names = Fault.parse(text), server_names(topology)
    if fault.server not in names:
        raise InputError(f"--fault {text}: {unknown('server', fault.server, names)}")
    if fault.at_s >= counted_s:
        raise InputError(f"--fault {text}: must be before the end of the counted time, {counted_s:g}s")
    tier = next(tier for tier in topology.tiers if fault.server in tier.server_names)
    fault.check(tier, None if quotas else "--no-quotas was given")
    return fault


def _allocation(text: str, initial: Allocation) -> Allocation:
    from poolkeeper.ntier.system import Allocation

    parts = text.split("-")
    names = ", ".join(map(str, initial))
    if len(parts) != len(initial) or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise InputError(
            f"--allocation must be {len(initial)} sizes of 1 or more with - in between ({names}), but is '{text}'"
        )
    return Allocation(dict(zip(initial, map(int, parts), strict=True)))
