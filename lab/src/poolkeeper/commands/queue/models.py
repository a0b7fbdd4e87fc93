"""The models of the command queue: which settings each takes, and how it is solved."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from poolkeeper.commands.answer import Answer, Part
from poolkeeper.commands.queue.sizing import Bound, Sizes, smallest
from poolkeeper.commands.queue.views import PERCENT, Changes, SolvedModel
from poolkeeper.errors import InputError
from poolkeeper.present.numbers import number, time
from poolkeeper.queueing import (
    Centre,
    ClosedClass,
    ClosedNetwork,
    ClosedQueue,
    MultiClassCentre,
    OpenClass,
    OpenNetwork,
    OpenQueue,
    half_open,
    loss_system,
    mg1,
    mgc,
    mm1,
    mmc,
    mmck,
    mva,
    mva_classes,
    open_classes,
    open_network,
    pool_queue,
    repairman,
    servers_for_loss,
)
from poolkeeper.queueing._check import percent, positive
from poolkeeper.suggestion import unknown
from poolkeeper.whatif import AddServers, Load, ServiceTime, what_if

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.commands.queue import inputs

T = TypeVar("T")
_MOST_THREADS = 1_000_000
_MOST_HELD = 200
"""Threads of a pool that computes and waits for I/O up to which it can be solved."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model with its settings: times in seconds, rates in requests a second, shares in percent."""

    model: str
    rate: float | None = None
    service: float | None = None
    servers: int = 1
    places: int | None = None
    cs2: float | None = None
    stay: float | None = None
    users: int | None = None
    think: float = 0.0
    centres: tuple[inputs.Centre, ...] = ()
    classes: tuple[inputs.RequestClass, ...] = ()
    threads: int | None = None
    cores: int = 1
    compute: float | None = None
    io: float | None = None
    room: int | None = None
    erlang: float | None = None
    percentile: float = 99.0
    within: float | None = None
    loss: float | None = None

    @property
    def arrivals(self) -> tuple[float, float]:
        """The rate and the mean service time, where the model requires both."""
        return _given(self.rate), _given(self.service)


@dataclass(frozen=True, slots=True)
class Model:
    """Settings of a model: those that it requires, groups of which exactly one is given, and others that it takes."""

    description: str
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    solve: Callable[[ModelSettings], Any]
    either: tuple[tuple[str, ...], ...] = ()
    """Settings in place of each other, such as a service time or times for computing and for I/O."""
    size: Callable[[ModelSettings], Sizes] | None = None
    """Finds the smallest size for a bound."""
    size_name: str = ""

    @property
    def settings(self) -> tuple[str, ...]:
        """All settings that it takes."""
        grouped = tuple(name for group in self.either for name in group)
        size = (self.size_name, "loss", *(("within", "percentile") if self.size_name == "threads" else ()))
        return (*self.needs, *grouped, *self.takes, *(size if self.size else ()))


def _mva(asked: ModelSettings) -> Any:
    if asked.classes:
        classes = [ClosedClass(entry.name, _given(entry.users), entry.think) for entry in asked.classes]
        return mva_classes(_class_centres(asked), classes)
    return mva(_centres(asked), _given(asked.users), asked.think)


def _open(asked: ModelSettings) -> Any:
    if asked.classes:
        classes = [OpenClass(entry.name, _given(entry.rate)) for entry in asked.classes]
        return open_classes(_class_centres(asked), classes)
    return open_network(_centres(asked), _given(asked.rate))


def _centres(asked: ModelSettings) -> list[Any]:
    for entry in asked.centres:
        if entry.demands:
            raise InputError(f"--centre {entry.name}: has demands of classes, but there is no --class")
    return [Centre(entry.name, _given(entry.demand), entry.servers or float("inf")) for entry in asked.centres]


def _class_centres(asked: ModelSettings) -> list[Any]:
    names = [entry.name for entry in asked.classes]
    return [
        MultiClassCentre(
            entry.name, entry.demands or dict.fromkeys(names, _given(entry.demand)), entry.servers or float("inf")
        )
        for entry in asked.centres
    ]


def _load(asked: ModelSettings) -> float:
    if asked.erlang is not None:
        return positive(asked.erlang, "erlang")
    return positive(_given(asked.rate), "rate") * positive(_given(asked.service), "service time")


def _servers_of(asked: ModelSettings) -> Sizes:
    load, bound = _load(asked), _bound(asked)
    fewest = servers_for_loss(load, _given(bound.loss))
    sizes = range(max(1, fewest - 3), fewest + 4)
    return Sizes("servers", bound, fewest, tuple((size, loss_system(load, size)) for size in sizes))


def _pool_of(asked: ModelSettings, threads: int) -> Any:
    rate = _given(asked.rate)
    if asked.service is None:
        compute, io = _given(asked.compute), _given(asked.io)
        return pool_queue(rate, threads, asked.cores, compute=compute, io=io, room=asked.room)
    if asked.room is None:
        return mmc(rate, asked.service, threads)
    return mmck(rate, asked.service, threads, threads + asked.room)


def _threads_of(asked: ModelSettings) -> Sizes:
    bound = _bound(asked)
    if asked.service is not None and asked.within is not None:
        alone = -asked.service * math.log1p(-asked.percentile / PERCENT)
        if asked.within <= alone:
            raise InputError(
                f"--within {time(asked.within)}: p{asked.percentile:g} is {time(alone)} or more with any number of"
                " threads, since the service alone takes that long"
            )
    most = _MOST_THREADS if asked.service is not None else _MOST_HELD
    return smallest("threads", bound, lambda threads: _pool_of(asked, threads), most)


def _bound(asked: ModelSettings) -> Bound:
    percent(asked.percentile)
    if asked.loss is not None and not 0 < asked.loss < PERCENT:
        raise InputError(f"--loss {asked.loss:g}: must be a share in percent, above 0 and below 100")
    quantity = "wait for a thread" if asked.service is None else "response time"
    return Bound(quantity, asked.percentile, asked.within, None if asked.loss is None else asked.loss / PERCENT)


def _given(value: T | None) -> T:
    assert value is not None  # noqa: S101 - `solved` has looked
    return value


_ARRIVALS = ("rate", "service")
MODELS = {
    "mm1": Model(
        "one server, Poisson arrivals, exponential service", _ARRIVALS, (), lambda asked: mm1(*asked.arrivals)
    ),
    "mmc": Model(
        "several servers, one queue", _ARRIVALS, ("servers",), lambda asked: mmc(*asked.arrivals, asked.servers)
    ),
    "mmck": Model(
        "the same with a limit on the requests in the system",
        (*_ARRIVALS, "places"),
        ("servers",),
        lambda asked: mmck(*asked.arrivals, asked.servers, _given(asked.places)),
    ),
    "mg1": Model(
        "one server, service times of any variation",
        (*_ARRIVALS, "cs2"),
        (),
        lambda asked: mg1(*asked.arrivals, _given(asked.cs2)),
    ),
    "mgc": Model(
        "several servers, any variation, approximately",
        (*_ARRIVALS, "cs2"),
        ("servers",),
        lambda asked: mgc(*asked.arrivals, asked.servers, _given(asked.cs2)),
    ),
    "half-open": Model(
        "sessions arrive, and stay for more requests",
        (*_ARRIVALS, "stay"),
        ("servers",),
        lambda asked: half_open(*asked.arrivals, asked.servers, stay=_given(asked.stay)),
    ),
    "pool": Model(
        "threads that are held, and a queue before them",
        ("rate",),
        ("cores", "room"),
        lambda asked: _pool_of(asked, _given(asked.threads)),
        (("service",), ("compute", "io")),
        _threads_of,
        "threads",
    ),
    "erlang-b": Model(
        "servers without a queue: a request is refused if all are busy",
        (),
        (),
        lambda asked: loss_system(_load(asked), asked.servers),
        (("erlang",), ("rate", "service")),
        _servers_of,
        "servers",
    ),
    "open": Model("arrivals at a network of several centres", ("centres",), (), _open, (("rate",), ("classes",))),
    "closed": Model(
        "users who wait for their answers, then think",
        ("users", "service"),
        ("servers", "think"),
        lambda asked: repairman(_given(asked.users), _given(asked.service), asked.servers, asked.think),
    ),
    "mva": Model("users of a network of several centres", ("centres",), ("think",), _mva, (("users",), ("classes",))),
}

OPTIONS = {
    "centres": "--centre",
    "classes": "--class",
    "room": "--queue",
}


def changes() -> dict[str, Any]:
    """Possible changes, by the name of the option."""
    return {"add-server": AddServers(1), "halve-service": ServiceTime(0.5), "double-load": Load(2)}


def solved(asked: ModelSettings, given: set[str]) -> tuple[Any, Sizes | None]:
    """The solved model, and the size for the bound where one is asked for.

    Raises InputError for an unknown model, a setting that is missing or does not apply to it.
    """
    model = MODELS.get(asked.model)
    if model is None:
        raise InputError(unknown("model", asked.model, MODELS))
    _check(asked.model, model, given)
    bounded = {"within", "loss"} & given
    if model.size is None or not bounded:
        return model.solve(asked), None
    sizes = model.size(asked)
    if model.size_name in given:
        return model.solve(asked), sizes
    return dict(sizes.tried)[sizes.smallest], sizes


def _check(name: str, model: Model, given: set[str]) -> None:
    missing = [_option(need) for need in model.needs if need not in given]
    if missing:
        raise InputError(f"{name}: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    odd = sorted(given - set(model.settings))
    if odd:
        takes = ", ".join(map(_option, model.settings))
        raise InputError(f"{_option(odd[0])}: does not apply to {name}, which takes {takes}")
    _check_groups(name, model, given)
    if model.size:
        bound = " or ".join(["--within", "--loss"] if model.size_name == "threads" else ["--loss"])
        if not {model.size_name, "within", "loss"} & given:
            raise InputError(f"{name}: {_option(model.size_name)} is missing, or a bound to find it for ({bound})")
        if name == "pool" and "loss" in given and "room" not in given:
            raise InputError("--loss: says nothing without --queue, since a queue without a bound refuses nobody")
        if "percentile" in given and "within" not in given:
            raise InputError("--percentile: says nothing without --within")


def _check_groups(name: str, model: Model, given: set[str]) -> None:
    """Raises InputError unless exactly one of the settings in place of each other is complete."""
    if not model.either:
        return
    begun = [group for group in model.either if set(group) & given]
    groups = ", or ".join(" and ".join(map(_option, group)) for group in model.either)
    if len(begun) > 1:
        raise InputError(f"{name}: takes either {groups}, not both")
    if not begun or not set(begun[0]) <= given:
        raise InputError(f"{name}: {groups} is missing")
    if name == "pool" and begun[0] == ("service",) and "cores" in given:
        raise InputError("--cores: does not apply to a pool with --service; give --compute and --io instead")
    if name == "mva" and begun[0] == ("classes",) and "think" in given:
        raise InputError("--think: each class has its own: --class NAME=USERS:THINK")


def _option(name: str) -> str:
    return OPTIONS.get(name, f"--{name}")


def queue(asked: ModelSettings, given: set[str], options: tuple[str, ...]) -> Answer:
    """Solves the model, and solves it again after each change; raises InputError for wrong arguments."""
    possible = changes()
    for name in options:
        if name not in possible:
            raise InputError(f"--what-if: {unknown('change', name, possible)}")
    found, sizes = solved(asked, given)
    shown = SolvedModel(found, pool=asked.model == "pool")
    parts = [Part("model", "The model", shown)]
    message = shown.verdict()
    if sizes is not None:
        parts.append(Part("size", "Size for the bound", sizes))
        message = f"{sizes.verdict} {_of_given(asked, given, sizes, found)}{message}"
    if options:
        changed = _changed(asked.model, found, [possible[name] for name in options])
        parts.append(Part("what_if", "What if", changed))
        message = f"{message.partition('. ')[0].rstrip('.')}. {changed.verdict()}"
    settings = {name: value for name, value in asdict(asked).items() if name in given or name == "model"}
    title = f"{asked.model}: {MODELS[asked.model].description}"
    about = ", ".join(f"{name} {_text_of(name, value)}" for name, value in settings.items() if name != "model")
    return Answer("queue", title, about, message, tuple(parts), (), settings)


def _of_given(asked: ModelSettings, given: set[str], sizes: Sizes, found: Any) -> str:
    """Whether the size that was given keeps the bound; where none was, what the figures are about."""
    if sizes.word in given:
        kept = "is kept" if sizes.bound.kept(found) else "is missed"
        return f"With {sizes.name_of(getattr(asked, sizes.word))} the bound {kept}: "
    return "With them: " if sizes.smallest > 1 else "With it: "


def _changed(name: str, found: Any, wanted: list[Any]) -> Changes:
    if not isinstance(found, ClosedNetwork | ClosedQueue | OpenNetwork | OpenQueue):
        raise InputError(f"--what-if: does not apply to {name} with these settings; change the settings instead")
    return Changes(tuple(what_if(found, change) for change in wanted))


def _text_of(name: str, value: Any) -> str:
    if name in {"centres", "classes"}:
        return ", ".join(str(entry["name"]) for entry in value)
    if name in {"service", "think", "compute", "io", "within"}:
        return time(value)
    return f"{number(value)}/s" if name == "rate" else f"{value:,}" if isinstance(value, int) else number(value)
