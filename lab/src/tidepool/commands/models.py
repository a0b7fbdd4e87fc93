"""The word queue: which queueing model is asked, with what, and what would change it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from tidepool.commands.answer import Answer, Part
from tidepool.errors import InputError
from tidepool.present import Axis, Chart, Kind, Series, Table
from tidepool.present.numbers import number, time

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """What a model is called with, which of its settings it cannot do without, and how it is solved."""

    words: str
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    solve: Callable[[Asked], Any]


def _mm1(asked: Asked) -> Any:
    from tidepool.queueing import mm1

    return mm1(_given(asked.rate), _given(asked.service))


def _mmc(asked: Asked) -> Any:
    from tidepool.queueing import mmc

    return mmc(_given(asked.rate), _given(asked.service), asked.servers)


def _mmck(asked: Asked) -> Any:
    from tidepool.queueing import mmck

    return mmck(_given(asked.rate), _given(asked.service), asked.servers, int(_given(asked.places)))


def _mg1(asked: Asked) -> Any:
    from tidepool.queueing import mg1

    return mg1(_given(asked.rate), _given(asked.service), _given(asked.cs2))


def _mgc(asked: Asked) -> Any:
    from tidepool.queueing import mgc

    return mgc(_given(asked.rate), _given(asked.service), asked.servers, _given(asked.cs2))


def _half_open(asked: Asked) -> Any:
    from tidepool.queueing import half_open

    return half_open(_given(asked.rate), _given(asked.service), asked.servers, stay=_given(asked.stay))


def _closed(asked: Asked) -> Any:
    from tidepool.queueing import repairman

    return repairman(int(_given(asked.users)), _given(asked.service), asked.servers, asked.think)


def _mva(asked: Asked) -> Any:
    from tidepool.queueing import Centre as Solved
    from tidepool.queueing import mva

    centres = [
        Solved(one.name, one.demand, one.servers) if one.servers else Solved.delay(one.name, one.demand)
        for one in asked.centres
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


@dataclass(frozen=True, slots=True)
class Change:
    """Something that could be done, and the assumption on which the answer to it rests."""

    words: str
    assumption: str
    apply: Callable[[Asked], Asked]


def _more_servers(asked: Asked) -> Asked:
    if asked.model == "mva":
        slowest = max(
            (one for one in asked.centres if one.servers), key=lambda one: one.demand / one.servers, default=None
        )
        if slowest is None:
            raise InputError("--what-if add-server: the network has delays only, which have no servers")
        more = tuple(replace(one, servers=one.servers + 1) if one is slowest else one for one in asked.centres)
        return replace(asked, centres=more)
    if "servers" not in MODELS[asked.model].takes:
        raise InputError(f"--what-if add-server: {asked.model} has one server; ask mmc or mgc")
    return replace(asked, servers=asked.servers + 1)


def _faster(asked: Asked) -> Asked:
    centres = tuple(replace(one, demand=one.demand / 2) for one in asked.centres)
    return replace(asked, service=None if asked.service is None else asked.service / 2, centres=centres)


def _more_load(asked: Asked) -> Asked:
    users = None if asked.users is None else asked.users * 2
    return replace(asked, users=users, rate=None if asked.rate is None else asked.rate * 2)


CHANGES = {
    "add-server": Change(
        "one server more",
        "the new server is as fast as the others, and nothing that they share gets slower",
        _more_servers,
    ),
    "halve-service": Change(
        "half the service time", "all requests gain alike: the variation of the service times stays", _faster
    ),
    "double-load": Change(
        "twice the load",
        "the new users behave as the others do, and service times do not depend on the load",
        _more_load,
    ),
}


def ask(asked: Asked, given: set[str]) -> Any:
    """The solved model; raises InputError for an unknown model, a setting that is missing or has no part in it."""
    from tidepool.experiment.words import unknown

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


def queue(asked: Asked, given: set[str], changes: tuple[str, ...]) -> Answer:
    """What the model says, and what it would say after each change; raises InputError for what is wrong."""
    from tidepool.experiment.words import unknown

    found = ask(asked, given)
    parts = [Part("model", "The model", Solved(found))]
    warnings: list[str] = []
    if changes:
        rows = [("as it is", asked, "", found)]
        for name in changes:
            if name not in CHANGES:
                raise InputError(f"--what-if: {unknown('change', name, CHANGES)}")
            change = CHANGES[name]
            after = change.apply(asked)
            try:
                rows.append((change.words, after, change.assumption, ask(after, given)))
            except InputError as error:
                warnings.append(f"{change.words}: {error}")
        parts.append(
            Part("what_if", "What if", WhatIf(tuple((words, assumed, one) for words, _, assumed, one in rows)))
        )
    settings = {name: value for name, value in asdict(asked).items() if name in given or name == "model"}
    title = f"{asked.model}: {MODELS[asked.model].words}"
    about = ", ".join(f"{name} {_shown(name, value)}" for name, value in settings.items() if name != "model")
    return Answer("queue", title, about, _verdict(found, parts), tuple(parts), tuple(warnings), settings)


def _shown(name: str, value: Any) -> str:
    if name == "centres":
        return ", ".join(f"{one['name']} {time(one['demand'])}" for one in value)
    if name in {"service", "think"}:
        return time(value)
    return f"{number(value)}/s" if name == "rate" else f"{value:,}" if isinstance(value, int) else number(value)


def _busy(found: Any) -> float | None:
    """The utilisation: of a network that of its busiest centre."""
    used = found.utilisation
    if isinstance(used, dict):
        known = [value for value in used.values() if value == value]  # noqa: PLR0124 - NaN for delays
        return max(known, default=None)
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
    used = "" if busy is None else f" Its servers are busy for {busy:.1%} of the time."
    if hasattr(found, "bottleneck"):
        used = f" {found.bottleneck} is busy for {busy:.1%} of the time and limits it." if busy is not None else ""
    lost = getattr(found, "loss", 0.0)
    refused = f" {lost:.2%} are refused." if lost else ""
    said = (
        f"{number(found.throughput)} requests a second are answered in {time(found.response_time)} in the mean{late}."
    )
    if len(parts) > 1 and isinstance(parts[1].result, WhatIf):
        return f"{said} {parts[1].result.verdict()}"
    return said + used + refused


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
                    one.name,
                    "delay" if one.is_delay else f"{one.servers:g}",
                    one.demand * 1000,
                    found.residence[one.name] * 1000,
                    found.queue[one.name],
                    None if one.is_delay else found.utilisation[one.name] * _PERCENT,
                )
                for one in found.centres
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
        """The model's own chart."""
        chart: Chart = self.found.plot()
        return chart


@dataclass(frozen=True)
class WhatIf:
    """The same model before and after changes: words, the assumption, the solved model."""

    rows: tuple[tuple[str, str, Any], ...]

    def verdict(self) -> str:
        """What changes most, in a sentence."""
        _, _, before = self.rows[0]
        said = [
            f"with {words} {time(after.response_time)} ({after.response_time / before.response_time - 1:+.0%})"
            for words, _, after in self.rows[1:]
        ]
        return f"The mean would be {', '.join(said)}." if said else "None of the changes has an answer."

    def table(self) -> Table:
        """One row a change."""
        rows = tuple((words, *self._figures(one)) for words, _, one in self.rows)
        notes = tuple(f"{words}: {assumed}" for words, assumed, _ in self.rows if assumed)
        return Table("What if", ("change", "throughput [1/s]", "mean ms", "p99 ms", "busy %"), rows, notes)

    @staticmethod
    def _figures(one: Any) -> tuple[float | None, ...]:
        slow, busy = _percentile(one, 99), _busy(one)
        late = None if slow is None else slow * 1000
        return one.throughput, one.response_time * 1000, late, None if busy is None else busy * _PERCENT

    def to_dict(self) -> dict[str, Any]:
        """One entry a change, the first being the model as it is."""
        return {
            "changes": [
                {"change": words, "assumption": assumed, "result": one.to_dict()} for words, assumed, one in self.rows
            ]
        }

    def plot(self) -> Chart:
        """Mean response times, one point a change."""
        x = tuple(float(place) for place in range(len(self.rows)))
        y = tuple(one.response_time * 1000 for _, _, one in self.rows)
        names = "; ".join(f"{place}: {words}" for place, (words, _, _) in enumerate(self.rows))
        series = (Series("mean", x, y, Kind.POINTS),)
        return Chart("Mean response time after each change", Axis("change"), Axis("mean", "ms"), series, notes=(names,))


def centre(text: str) -> Centre:
    """The centre of a text such as db=20ms, web=10msx2 or net=5msxinf; raises InputError for another."""
    from tidepool.commands.load import duration

    name, equals, rest = text.partition("=")
    demand, times, servers = rest.partition("x")
    if not (name and equals and demand) or (times and servers != "inf" and not (servers.isdigit() and int(servers))):
        raise InputError(f"--centre {text}: must be NAME=TIME or NAME=TIMExSERVERS, such as db=20ms or web=10msx2")
    count = 1 if not times else 0 if servers == "inf" else int(servers)
    return Centre(name, duration(demand, f"--centre {text}"), count)


def per_second(text: str) -> float:
    """Requests a second of a text such as 128, 128/s or 3000/m; raises InputError for another."""
    value, _, per = text.partition("/")
    seconds = {"": 1, "s": 1, "m": 60, "h": 3600}.get(per)
    try:
        return float(value) / (seconds or 0)
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"--rate {text}: must be requests a second, such as 128 or 128/s; /m and /h are known too"
        ) from None
