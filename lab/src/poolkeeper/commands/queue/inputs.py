"""Settings of the command queue as people write them: rates, centres, classes of requests."""

from __future__ import annotations

from dataclasses import dataclass, field

from poolkeeper.errors import InputError
from poolkeeper.units import seconds

_CENTRE = "must be NAME=TIME or NAME=TIMExSERVERS, such as db=20ms or web=10msx2; for classes db=buy:20ms,read:5msx2"
_OPEN = "must be NAME=RATE, such as buy=40/s"
_CLOSED = "must be NAME=USERS or NAME=USERS:THINK, such as buy=20:1s"


@dataclass(frozen=True, slots=True)
class Centre:
    """A centre of a network: seconds of demand a request, and servers; 0 servers for a delay.

    `demands` are those of classes, by their names, where these differ; `demand` is then None.
    """

    name: str
    demand: float | None
    servers: int = 1
    demands: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RequestClass:
    """A class of requests: arrivals a second, or users and seconds of think time."""

    name: str
    rate: float | None = None
    users: int | None = None
    think: float = 0.0


def centre(text: str) -> Centre:
    """The centre of a text such as db=20ms, web=10msx2, net=5msxinf or db=buy:20ms,read:5msx2.

    Raises InputError for another.
    """
    from poolkeeper.units import option_duration

    option = f"--centre {text}"
    name, equals, rest = text.partition("=")
    demand, times, servers = rest.rpartition("x") if "x" in rest.rpartition(":")[2] else (rest, "", "")
    if not (name and equals and demand) or (times and servers != "inf" and not (servers.isdigit() and int(servers))):
        raise InputError(f"{option}: {_CENTRE}")
    count = 1 if not times else 0 if servers == "inf" else int(servers)
    if ":" not in demand:
        return Centre(name, option_duration(demand, option), count)
    demands: dict[str, float] = {}
    for part in demand.split(","):
        of, colon, amount = part.partition(":")
        if not (of and colon and amount) or of in demands:
            raise InputError(f"{option}: {_CENTRE}, each class once")
        demands[of] = option_duration(amount, option)
    return Centre(name, None, count, demands)


def request_class(text: str, *, is_open: bool) -> RequestClass:
    """The class of a text such as buy=40/s, of an open network, or buy=20:1s, of a closed one.

    Raises InputError for another.
    """
    from poolkeeper.units import option_duration

    option = f"--class {text}"
    name, equals, load = text.partition("=")
    if not (name and equals and load):
        raise InputError(f"{option}: {_OPEN if is_open else _CLOSED}")
    if is_open:
        return RequestClass(name, rate=per_second(load, option))
    users, colon, think = load.partition(":")
    if not users.isdigit():
        raise InputError(f"{option}: {_CLOSED}")
    return RequestClass(name, users=int(users), think=option_duration(think, option) if colon else 0.0)


def per_second(text: str, option: str = "") -> float:
    """Requests a second of a text such as 128, 128/s or 3000/m; raises InputError for another."""
    value, _, per = text.partition("/")
    try:
        return float(value) / seconds("1", per or "s")
    except (ValueError, KeyError):
        raise InputError(
            f"{option or f'--rate {text}'}: must be requests a second, such as 128 or 128/s; /m and /h are known too"
        ) from None
