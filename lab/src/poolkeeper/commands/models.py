"""The word queue: which queueing model is asked, with what, and what would change it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from poolkeeper.commands.answer import Answer, Part
from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Table
from poolkeeper.present.numbers import change, number, time
from poolkeeper.units import seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.whatif import WhatIf

_PERCENT = 100


@dataclass(frozen=True, slots=True)
class Centre:
    """A centre of a network: seconds of demand a request, and servers; 0 servers for a delay."""

    name: str
    demand: float
    servers: int = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """A model with its settings: times in seconds, rates in requests a second."""

    model: str
    rate: float | None = None
    service: float | None = None
    servers: int = 1
    places: int | None = None
    cs2: float | None = None
    stay: float | None = None
    users: int | None = None
    think: float = 0.0
    centres: tuple[Centre, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """Arguments of a model, those that it requires, and its solver."""

    words: str
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    solve: Callable[[Asked], Any]


def _mm1(asked: Asked) -> Any:
    from poolkeeper.queueing import mm1

    return mm1(_given(asked.rate), _given(asked.service))


def _mmc(asked: Asked) -> Any:
    from poolkeeper.queueing import mmc

    return mmc(_given(asked.rate), _given(asked.service), asked.servers)


def _mmck(asked: Asked) -> Any:
    from poolkeeper.queueing import mmck

    return mmck(_given(asked.rate), _given(asked.service), asked.servers, int(_given(asked.places)))


def _mg1(asked: Asked) -> Any:
    from poolkeeper.queueing import mg1

    return mg1(_given(asked.rate), _given(asked.service), _given(asked.cs2))


def _mgc(asked: Asked) -> Any:
    from poolkeeper.queueing import mgc

    return mgc(_given(asked.rate), _given(asked.service), asked.servers, _given(asked.cs2))


def _half_open(asked: Asked) -> Any:
    from poolkeeper.queueing import half_open

    return half_open(_given(asked.rate), _given(asked.service), asked.servers, stay=_given(asked.stay))


def _closed(asked: Asked) -> Any:
    from poolkeeper.queueing import repairman

    return repairman(int(_given(asked.users)), _given(asked.service), asked.servers, asked.think)


def _mva(asked: Asked) -> Any:
    from poolkeeper.queueing import Centre as Solved
    from poolkeeper.queueing import mva

    centres = [
        Solved(station.name, station.demand, station.servers)
        if station.servers
        else Solved.delay(station.name, station.demand)
        for station in asked.centres
    ]
    return mva(centres, int(_given(asked.users)), asked.think)


def _given(value: float | None) -> float:
    assert value is not None  # noqa: S101 - `ask` has looked
    return value


_OPEN = ("rate", "service")
MODELS = {
    "mm1": Model("one server, Poisson arrivals, exponential service", _OPEN, (), _mm1),
    "mmc": Model("several servers, one queue", _OPEN, ("servers",), _mmc),
    "mmck": Model("the same with room for so many requests in all", (*_OPEN, "places"), ("servers",), _mmck),
    "mg1": Model("one server, service times of any variation", (*_OPEN, "cs2"), (), _mg1),
    "mgc": Model("several servers, any variation, approximately", (*_OPEN, "cs2"), ("servers",), _mgc),
    "half-open": Model("sessions arrive, and stay for more requests", (*_OPEN, "stay"), ("servers",), _half_open),
    "closed": Model(
        "users who wait for their answers, then think", ("users", "service"), ("servers", "think"), _closed
    ),
    "mva": Model("users of a network of several centres", ("users", "centres"), ("think",), _mva),
}

OPTIONS = {
    "rate": "--rate",
    "service": "--service",
    "servers": "--servers",
    "places": "--places",
    "cs2": "--cs2",
    "stay": "--stay",
    "users": "--users",
    "think": "--think",
    "centres": "--centre",
}


def changes() -> dict[str, Any]:
    """Possible changes, by the name of the option."""
    from poolkeeper.whatif import AddServers, Load, ServiceTime

    return {"add-server": AddServers(1), "halve-service": ServiceTime(0.5), "double-load": Load(2)}


def ask(asked: Asked, given: set[str]) -> Any:
    """The solved model; raises InputError for an unknown model, a setting that is missing or has no part in it."""
    from poolkeeper.suggestion import unknown

    model = MODELS.get(asked.model)
    if model is None:
        raise InputError(unknown("model", asked.model, MODELS))
    missing = [OPTIONS[name] for name in model.needs if name not in given]
    if missing:
        raise InputError(f"{asked.model}: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    odd = sorted(given - {*model.needs, *model.takes})
    if odd:
        takes = ", ".join(OPTIONS[name] for name in (*model.needs, *model.takes))
        raise InputError(f"{OPTIONS[odd[0]]}: has no part in {asked.model}, which takes {takes}")
    return model.solve(asked)


def queue(asked: Asked, given: set[str], options: tuple[str, ...]) -> Answer:
    """Solves the model, and solves it again after each change; raises InputError for wrong arguments."""
    from poolkeeper.suggestion import unknown
    from poolkeeper.whatif import what_if

    possible = changes()
    for name in options:
        if name not in possible:
            raise InputError(f"--what-if: {unknown('change', name, possible)}")
    found = ask(asked, given)
    parts = [Part("model", "The model", Solved(found))]
    if options:
        parts.append(Part("what_if", "What if", Changes(tuple(what_if(found, possible[name]) for name in options))))
    settings = {name: value for name, value in asdict(asked).items() if name in given or name == "model"}
    title = f"{asked.model}: {MODELS[asked.model].words}"
    about = ", ".join(f"{name} {_text_of(name, value)}" for name, value in settings.items() if name != "model")
    return Answer("queue", title, about, _verdict(found, parts), tuple(parts), (), settings)


def _text_of(name: str, value: Any) -> str:
    if name == "centres":
        return ", ".join(f"{entry['name']} {time(entry['demand'])}" for entry in value)
    if name in {"service", "think"}:
        return time(value)
    return f"{number(value)}/s" if name == "rate" else f"{value:,}" if isinstance(value, int) else number(value)


def _busy(found: Any) -> float | None:
    """The utilisation: of a network that of its busiest centre."""
    used = found.utilisation
    if isinstance(used, dict):
        finite = [value for value in used.values() if value == value]  # noqa: PLR0124 - NaN for delays
        return max(finite, default=None)
    return float(used)


def _percentile(found: Any, p: float) -> float | None:
    try:
        return float(found.response_percentile(p))
    except (AttributeError, InputError):
        return None


def _verdict(found: Any, parts: list[Part]) -> str:
    slow = _percentile(found, 99)
    late = "" if slow is None else f", and one in a hundred takes {time(slow)} or more"
    busy = _busy(found)
    used = "" if busy is None else f" Its servers are busy for {number(busy * _PERCENT)} % of the time."
    if hasattr(found, "bottleneck"):
        used = (
            f" {found.bottleneck} is busy for {number(busy * _PERCENT)} % of the time and limits it."
            if busy is not None
            else ""
        )
    lost = getattr(found, "loss", 0.0)
    refused = f" {number(lost * _PERCENT)} % are refused." if lost else ""
    message = (
        f"{number(found.throughput)} requests a second are answered in {time(found.response_time)} in the mean{late}."
    )
    if len(parts) > 1 and isinstance(parts[1].result, Changes):
        return f"{message} {parts[1].result.verdict()}"
    return message + used + refused


@dataclass(frozen=True)
class Solved:
    """A solved model, with its times in milliseconds for people."""

    found: Any

    def table(self) -> Table:
        """Throughput, utilisation, times; for a network a row a centre as well."""
        found = self.found
        if hasattr(found, "centres"):
            rows = tuple(
                (
                    entry.name,
                    "delay" if entry.is_delay else f"{entry.servers:g}",
                    entry.demand * 1000,
                    found.residence[entry.name] * 1000,
                    found.queue[entry.name],
                    None if entry.is_delay else found.utilisation[entry.name] * _PERCENT,
                )
                for entry in found.centres
            )
            columns = ("centre", "servers", "demand ms", "residence ms", "requests there", "busy %")
            limit = f"{found.bottleneck} lets no more than {number(found.limit)} requests a second through"
            return Table("", columns, rows, (limit,) if found.bottleneck else ())
        rows_: list[tuple[str, float | None]] = [
            ("throughput [1/s]", found.throughput),
            ("utilisation [%]", found.utilisation * _PERCENT),
            ("mean response time [ms]", found.response_time * 1000),
        ]
        rows_ += [(f"p{p} response time [ms]", value * 1000) for p in (50, 90, 99) if (value := _percentile(found, p))]
        if getattr(found.wait, "__float__", None):
            rows_.append(("mean wait [ms]", float(found.wait) * 1000))
        rows_.append(("requests in the system", float(found.requests)))
        if getattr(found, "loss", 0.0):
            rows_.append(("refused [%]", found.loss * _PERCENT))
        note = getattr(found, "note", "")
        return Table("", ("figure", "value"), tuple(rows_), (note,) if note else ())

    def to_dict(self) -> dict[str, Any]:
        """The model's own figures: times in seconds, rates in requests a second."""
        figures: dict[str, Any] = self.found.to_dict()
        return figures

    def plot(self) -> Chart:
        """The model's own chart, with its units."""
        return in_seconds(self.found.plot())


@dataclass(frozen=True)
class Changes:
    """The same model after each of several changes."""

    found: tuple[WhatIf, ...]

    def verdict(self) -> str:
        """Effect of each change, in a sentence."""
        sentences = []
        for prediction in self.found:
            before, after = (figures["response time"] for figures in (prediction.before, prediction.after))
            name = f"{prediction.change[0].upper()}{prediction.change[1:]}"
            if math.isinf(after):
                sentences.append(f"{name} is too much: the queue grows without end.")
            else:
                way = "lowers" if after < before else "raises"
                effect = "leaves the mean at" if after == before else f"{way} the mean to"
                sentences.append(f"{name} {effect} {time(after)} ({change(after / before - 1)}).")
        return " ".join(sentences)

    def table(self) -> Table:
        """One row a change, the first being the model as it is."""
        rows = [("as it is", *self._figures(self.found[0].before))]
        rows += [(prediction.change, *self._figures(prediction.after)) for prediction in self.found]
        notes = tuple(
            f"{prediction.change}: {'; '.join((prediction.assumption, *prediction.notes))}" for prediction in self.found
        )
        return Table("What if", ("change", "throughput [1/s]", "mean ms", "p99 ms", "busy %"), tuple(rows), notes)

    @staticmethod
    def _figures(figures: dict[str, float]) -> tuple[float | None, ...]:
        late = figures.get("p99 response time")
        busy = max(value for name, value in figures.items() if name.startswith("utilisation"))
        times = figures["response time"] * 1000, None if late is None else late * 1000
        return figures["throughput"], *times, busy * _PERCENT

    def to_dict(self) -> dict[str, Any]:
        """One entry a change; times in seconds."""
        return {"changes": [prediction.to_dict() for prediction in self.found]}

    def plot(self) -> Chart:
        """The chart of the first change."""
        return in_seconds(self.found[0].plot())


def in_seconds(chart: Chart) -> Chart:
    """A model's chart, which knows no unit of time, in the seconds in which the command asks it."""

    def in_seconds(axis: Axis) -> Axis:
        label = axis.label.removesuffix(" in a unit of time")
        if label != axis.label or label == "throughput":
            return replace(axis, label=label, unit="1/s")
        return replace(axis, unit="s") if label.endswith("time") else axis

    return replace(chart, x=in_seconds(chart.x), y=in_seconds(chart.y))


def centre(text: str) -> Centre:
    """The centre of a text such as db=20ms, web=10msx2 or net=5msxinf; raises InputError for another."""
    from poolkeeper.commands.load import duration

    name, equals, rest = text.partition("=")
    demand, times, servers = rest.partition("x")
    if not (name and equals and demand) or (times and servers != "inf" and not (servers.isdigit() and int(servers))):
        raise InputError(f"--centre {text}: must be NAME=TIME or NAME=TIMExSERVERS, such as db=20ms or web=10msx2")
    count = 1 if not times else 0 if servers == "inf" else int(servers)
    return Centre(name, duration(demand, f"--centre {text}"), count)


def per_second(text: str) -> float:
    """Requests a second of a text such as 128, 128/s or 3000/m; raises InputError for another."""
    value, _, per = text.partition("/")
    try:
        return float(value) / seconds("1", per or "s")
    except (ValueError, KeyError):
        raise InputError(
            f"--rate {text}: must be requests a second, such as 128 or 128/s; /m and /h are known too"
        ) from None
