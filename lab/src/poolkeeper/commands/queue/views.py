"""Results of queueing models for people: in milliseconds, with sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import InputError
from poolkeeper.present import Axis, Chart, Table
from poolkeeper.present.numbers import change, number, percent, time

if TYPE_CHECKING:
    from poolkeeper.whatif import WhatIf

PERCENT = 100
_SHOWN = (50, 90, 99)


@dataclass(frozen=True)
class SolvedModel:
    """A solved model, with its times in milliseconds for people."""

    found: Any
    pool: bool = False
    """Whether its servers are the threads of a pool."""

    def verdict(self) -> str:
        """Throughput, response time and the bottleneck."""
        found = self.found
        if hasattr(found, "carried"):
            return (
                f"{number(found.loss * PERCENT)} % of the requests are refused: {number(found.carried)} of"
                f" {found.servers:,} servers are busy."
            )
        message = (
            f"{number(found.throughput)} requests a second are answered in {time(found.response_time)} in the mean"
        )
        lost = getattr(found, "loss", 0.0)
        refused = f" {number(lost * PERCENT)} % are refused." if lost else ""
        if hasattr(found, "core_wait"):
            return f"{message}.{self._waiting()}{refused}"
        slow = _percentile(found, 99)
        late = "" if slow is None else f", and one in a hundred takes {time(slow)} or more"
        slowest = ""
        if hasattr(found, "classes"):
            longest = max(found.classes, key=lambda figures: figures.response_time)
            slowest = f" {longest.load.name} takes longest, {time(longest.response_time)}."
        return f"{message}{late}.{slowest}{self._used()}{refused}"

    def _waiting(self) -> str:
        found = self.found
        thread = f" for a thread, {time(found.wait)} in the mean"
        late = found.wait_percentile(99)
        thread += f", and one in a hundred waits {time(late)} or more" if late else ""
        core = f" for a core, {time(found.core_wait)} in the mean"
        longer = thread if found.wait >= found.core_wait else core
        return f" Most of the waiting is{longer}. The pool can serve {number(found.limit)} a second."

    def _used(self) -> str:
        busy = _busy(self.found)
        if busy is None:
            return ""
        share = f"busy for {percent(busy)} % of the time"
        if hasattr(self.found, "bottleneck"):
            return f" {self.found.bottleneck} is {share} and limits it."
        servers = "threads" if self.pool else "servers"
        single = getattr(self.found, "servers", None) == 1
        return f" Its {servers[:-1]} is {share}." if single else f" Its {servers} are {share}."

    def table(self) -> Table:
        """Throughput, utilisation, times; for a network a row a centre, for classes a row a class and centre."""
        found = self.found
        if hasattr(found, "classes"):
            return _class_table(found)
        if hasattr(found, "centres"):
            return _centre_table(found)
        if hasattr(found, "carried"):
            rows = (
                ("offered load [Erlang]", found.load),
                ("refused [%]", found.loss * PERCENT),
                ("busy servers", found.carried),
                ("utilisation [%]", percent(found.utilisation)),
            )
            return Table("", ("figure", "value"), rows, ("it holds for service times of any distribution",))
        return _pool_table(found) if hasattr(found, "core_wait") else _queue_table(found)

    def to_dict(self) -> dict[str, Any]:
        """The model's own figures: times in seconds, rates in requests a second."""
        figures: dict[str, Any] = self.found.to_dict()
        return figures

    def plot(self) -> Chart:
        """The model's own chart, with its units."""
        return in_seconds(self.found.plot())


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


def _queue_table(found: Any) -> Table:
    rows: list[tuple[str, str | float | None]] = [
        ("throughput [1/s]", found.throughput),
        ("utilisation [%]", percent(found.utilisation)),
        ("mean response time [ms]", found.response_time * 1000),
    ]
    rows += [(f"p{p} response time [ms]", value * 1000) for p in _SHOWN if (value := _percentile(found, p))]
    if getattr(found.wait, "__float__", None):
        rows.append(("mean wait [ms]", float(found.wait) * 1000))
    rows.append(("requests in the system", float(found.requests)))
    if getattr(found, "loss", 0.0):
        rows.append(("refused [%]", found.loss * PERCENT))
    note = getattr(found, "note", "")
    return Table("", ("figure", "value"), tuple(rows), (note,) if note else ())


def _pool_table(found: Any) -> Table:
    rows = [
        ("throughput [1/s]", found.throughput),
        ("highest rate of the pool [1/s]", found.limit),
        ("mean response time [ms]", found.response_time * 1000),
        ("computing [ms]", found.compute * 1000),
        ("I/O [ms]", found.io * 1000),
        ("mean wait for a core [ms]", found.core_wait * 1000),
        ("mean wait for a thread [ms]", found.wait * 1000),
    ]
    rows += [(f"p{p} wait for a thread [ms]", found.wait_percentile(p) * 1000) for p in _SHOWN]
    rows += [
        ("waited for a thread [%]", found.wait_beyond(0) * PERCENT),
        ("threads held", found.busy_threads),
        ("utilisation of the cores [%]", found.utilisation * PERCENT),
    ]
    if found.room is not None:
        rows.append(("refused [%]", found.loss * PERCENT))
    return Table("", ("figure", "value"), tuple(rows), ("the model gives the mean response time, not its percentiles",))


def _centre_table(found: Any) -> Table:
    rows = tuple(
        (
            entry.name,
            "delay" if entry.is_delay else f"{entry.servers:g}",
            entry.demand * 1000,
            found.residence[entry.name] * 1000,
            found.queue[entry.name],
            None if entry.is_delay else found.utilisation[entry.name] * PERCENT,
        )
        for entry in found.centres
    )
    columns = ("centre", "servers", "demand ms", "residence ms", "requests there", "busy %")
    finite = found.bottleneck and math.isfinite(found.limit)
    limit = f"{found.bottleneck} lets no more than {number(found.limit)} requests a second through"
    return Table("", columns, rows, (limit,) if finite else ())


def _class_table(found: Any) -> Table:
    rows: list[tuple[str | float | None, ...]] = []
    for figures in found.classes:
        name, rate = figures.load.name, figures.throughput
        for entry in found.centres:
            used = figures.utilisation[entry.name]
            at = figures.residence[entry.name] * 1000, figures.queue[entry.name]
            demand = entry.demand(name) * 1000
            rows.append((name, entry.name, rate, demand, *at, None if entry.is_delay else used * PERCENT))
        whole = figures.response_time
        rows.append((name, "all centres", rate, None, whole * 1000, rate * whole, None))
    columns = ("class", "centre", "throughput [1/s]", "demand ms", "residence ms", "requests there", "busy %")
    note = "exact where centres share their servers, or serve in order with the same mean time for all classes"
    return Table("", columns, tuple(rows), (note,))


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
        return figures["throughput"], *times, busy * PERCENT

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
