"""Access logs whose layout says what each time means: of HAProxy, Envoy, Traefik, AWS, and in W3C's format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from poolkeeper.results.findings import Finding
from poolkeeper.results.formats.delimited import WHOLE_LINE, Delimited, scaled
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.results.source import Source

_US, _MS = NANOSECONDS["us"], NANOSECONDS["ms"]
_GOOD = (200, 399)
"""Least and largest status of a success."""
_DATE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"
SWITCHED = 101
"""Status of a connection that goes on with another protocol, as that of WebSocket does, for as long as it is open."""
_FIRST = 20
"""Lines in which a request is looked for: servers write messages about themselves before the first."""
_OTHERS = "lines left out, as they are no requests: {count}"

_QUOTED = r'"(?:[^"\\]|\\.)*"'
"""A text in quotation marks, in which these are escaped."""

_HAPROXY_TIMERS = r"-?\d+/-?\d+/-?\d+/-?\d+/\+?-?\d+"
_HAPROXY_DATE = r"\[\d\d/\w{3}/\d{4}:\d\d:"
"""Beginning of the date, by which a line that was torn before its timers is seen within another one."""
_HAPROXY_BEGIN = _HAPROXY_DATE + r"\d\d:\d\d\.\d{3}\] \S+ \S+ "
_HAPROXY = (
    r"\[(?P<stamp>\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d\.\d{3})\] \S+ (?P<group>\S+)/\S+ (?P<first>-?\d{1,18})/"
    r"-?\d+/-?\d+/-?\d+/(?P<early>\+?)(?P<time>-?\d{1,18}) (?P<status>-?\d+) \+?(?P<bytes>\d+) \S+ \S+ "
    r"(?P<state>\S{2,4}) [\d/+]+ \d+/\d+ "
    r'(?:.*"(?P<method>[A-Z]+) (?P<path>[^ ?"]*)|)'
)
_ENVOY_BEGIN = rf'\[{_DATE}\] "[A-Z]+ '
_ENVOY = (
    rf'\[(?P<stamp>{_DATE})\] "(?P<method>\S+) (?P<path>[^ ?"]*)[^"]*" (?P<status>\d+) (?P<state>\S+) '
    r'(?:\S+ [^"]+ "[^"]*" )?\d+ (?P<bytes>\d+) (?P<time>\d+|-) (?:\d+|-)(?: |$)'
)
_ALB_BEGIN = rf"(?:https?|h2|grpcs?|wss?) {_DATE} \S+ \S+ \S+ -?[\d.]+ -?[\d.]+ "
_ALB = (
    rf"^(?:https?|h2|grpcs?) (?P<stamp>{_DATE}) \S+ \S+ \S+ (?P<sent>-?[\d.]+) (?P<waited>-?[\d.]+) "
    r'(?P<received>-?[\d.]+) (?P<status>\d+|-) \S+ \d+ (?P<bytes>\d+) "(?P<method>\S+) (?P<path>[^ ?"]*)[^"]*"'
    rf'(?: "[^"]*" \S+ \S+ \S+ "[^"]*" "[^"]*" "[^"]*" \S+ (?P<begun>{_DATE}))?'
)
_ELB_BEGIN = rf"{_DATE} \S+ \S+:\d+ \S+ -?[\d.]+ -?[\d.]+ -?[\d.]+ "
_ELB = (
    rf"^(?P<stamp>{_DATE}) \S+ \S+:\d+ \S+ (?P<sent>-?[\d.]+) (?P<waited>-?[\d.]+) (?P<received>-?[\d.]+) "
    r'(?P<status>\d+) \S+ \d+ (?P<bytes>\d+) "(?P<method>[^ "-]\S*) (?P<path>[^ ?"]*)[^"]*"'
)
_CONNECTION = r'"- - - ?"'
"""Request of a connection of TCP in logs of classic load balancers."""
_TRAEFIK_END = rf" \d+ {_QUOTED} {_QUOTED} \d+ms"
_TRAEFIK = (
    r'^\S+ - \S+ \[(?P<stamp>[^\]]+)\] "(?P<method>\S+) (?P<path>[^ ?"]*)[^"]*" (?P<status>\d+|-) (?P<bytes>\d+|-)'
    rf" {_QUOTED} {_QUOTED} \d+ {_QUOTED} {_QUOTED} (?P<time>\d+)ms$"
)
_SOCKETS = r"^wss? "
"""Beginning of a line of AWS about a connection of WebSocket, which lasts as long as it is open."""
_W3C = re.compile(r"#Fields: *(.*\S)\s*")
_W3C_NEEDED = ("date", "time", "time-taken")
_W3C_CELLS = {
    "date": "date", "time": "clock", "time-taken": "time", "sc-status": "status", "sc-bytes": "bytes",
    "cs-method": "method", "cs-uri-stem": "path",
}  # fmt: skip
_HANDLED = ("--", "LR")
"""States of requests that HAProxy passed on, or answered itself as it was configured to."""
_IDLE = 0.5
"""Share of the requests whose first timer is most of their time by which it is no time of receiving a request."""


@dataclass(frozen=True)
class _Layout:
    """The groups of a line, by its expression."""

    pattern: str

    def text(self, name: str) -> pl.Expr:
        """A group as text; null where it does not occur, and where lines have none."""
        if name not in re.compile(self.pattern).groupindex:
            return pl.lit(None, pl.String)
        return pl.col("line").str.extract_groups(self.pattern).struct.field(name)

    def whole(self, name: str) -> pl.Expr:
        """A group as a whole number."""
        return self.text(name).cast(pl.Int64, strict=False)

    def date(self, name: str = "stamp") -> pl.Expr:
        """A date of ISO 8601 in UTC as nanoseconds since 1970."""
        form = "%Y-%m-%dT%H:%M:%S%.fZ"
        return self.text(name).str.to_datetime(form, time_unit="ns", strict=False).cast(pl.Int64)

    @property
    def label(self) -> pl.Expr:
        """Method and path, without what is asked for behind it."""
        return pl.format("{} {}", self.text("method").fill_null(""), self.text("path").fill_null("")).str.strip_chars()

    @property
    def is_answered(self) -> pl.Expr:
        """Whether it is not a connection that goes on with another protocol: the time of that is none of a request."""
        return self.whole("status").ne_missing(SWITCHED)

    @property
    def is_good(self) -> pl.Expr:
        """Whether the status is one of a success."""
        return self.whole("status").is_between(*_GOOD).fill_null(value=False)

    @property
    def code(self) -> pl.Expr:
        """The status; empty where nobody answered."""
        status = self.whole("status")
        return pl.when(status > 0).then(status.cast(pl.String)).otherwise(pl.lit(""))


def _lines(  # noqa: PLR0913 - settings by name
    source: Source,
    tool: str,
    layout: _Layout,
    expressions: dict[str, pl.Expr],
    *,
    requests: pl.Expr,
    begins: str,
    resolution_ns: int,
    noticed: tuple[Finding, ...] = (),
    reason: Callable[[str], str | None] | None = None,
    comments: pl.Expr | None = None,
) -> Delimited:
    """A log that is read line by line: those that `requests` holds for must fit the layout, others are told.

    Connections that change their protocol are told with these, `comments` are not.
    `begins` is an expression for what each request has once: processes that write one file may join their lines.
    """
    is_joined = pl.col("line").str.count_matches(begins) > 1
    kept = requests & layout.is_answered
    # A time is null where the line does not fit, and where it is none.
    unread = (requests & (is_joined | expressions["start_ns"].is_null())).fill_null(value=False)

    def check(row: list[str]) -> str | None:
        if reason is not None and (words := reason(row[0])):
            return words
        if len(re.findall(begins, row[0])) > 1:
            return f"holds more than one request: {row[0][:200]!r}"
        if pl.DataFrame({"line": row[:1]}).select(unread).item():
            return f"is a request, but not in the default format of {tool}: {row[0][:200]!r}"
        return None

    return Delimited(
        source,
        tool,
        {"line": pl.String},
        {"label": layout.label, "code": layout.code, "bytes": layout.whole("bytes"), **expressions},
        (),
        resolution_ns=resolution_ns,
        separator=WHOLE_LINE,
        quote=None,
        keep=kept if comments is None else pl.when(comments.not_()).then(kept),
        others=f"{source.path.name}: {_OTHERS}",
        ends=True,
        check=check,
        broken=unread,
        noticed=noticed,
    )


def _begins(source: Source, pattern: str) -> bool:
    """Whether one of the first lines is a request."""
    return any(re.search(pattern, line) for line in source.head[:_FIRST])


class HAProxy:
    """Log of HAProxy with `option httplog`, with or without what syslog puts before a line."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether one of the first lines has the five timers of a request."""
        return _begins(source, _HAPROXY_BEGIN + _HAPROXY_TIMERS + " ")

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out: from the first byte of the request on, for the time until the last of the response.

        One that was logged before its end (`logasap`) has no response time.
        """
        layout = _Layout(_HAPROXY)
        stamp = layout.text("stamp").str.to_datetime("%d/%b/%Y:%H:%M:%S%.f", time_unit="ns", strict=False)
        state = layout.text("state").str.head(2)
        noticed = [Finding("time zone", f"{source.path.name}: its times are dates without a time zone, taken as UTC")]
        if _waits_for_clients(source):
            words = "in most requests the first timer is most of the time: versions before 1.7 count there how long a"
            noticed.append(
                Finding("idle", f"{source.path.name}: {words} connection was idle, and so do response times")
            )
        return _lines(
            source,
            "HAProxy (HTTP log)",
            layout,
            {
                "start_ns": stamp.cast(pl.Int64),
                "response_ns": pl.when(layout.text("early") == "").then(scaled(layout.whole("time"), _MS)),
                "ok": layout.is_good & state.is_in(_HANDLED),
                "message": pl.when(state.is_in(_HANDLED)).then(pl.lit("")).otherwise(pl.format("ended as {}", state)),
                "group": layout.text("group"),
            },
            requests=pl.col("line").str.contains(_HAPROXY_BEGIN + _HAPROXY_TIMERS),
            begins=_HAPROXY_DATE,
            resolution_ns=_MS,
            noticed=tuple(noticed),
        )


def _waits_for_clients(source: Source) -> bool:
    """Whether the first timer is most of the time of most requests, as far as the beginning of the file tells."""
    found = [match for line in source.head if (match := re.search(_HAPROXY, line))]
    slow = sum(2 * int(match["first"]) > int(match["time"]) for match in found)
    return slow > _IDLE * len(found)


class Envoy:
    """Access log of Envoy in its default format, or that of Istio."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether one of the first lines is a request."""
        return _begins(source, _ENVOY)

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out: from their start on, for the time until the last byte; connections of TCP are none."""
        layout = _Layout(_ENVOY)
        state = layout.text("state")
        return _lines(
            source,
            "Envoy (access log)",
            layout,
            {
                "start_ns": layout.date(),
                "response_ns": scaled(layout.whole("time"), _MS),
                "ok": layout.is_good,
                "message": pl.when(state == "-").then(pl.lit("")).otherwise(state),
            },
            requests=pl.col("line").str.contains(_ENVOY_BEGIN),
            begins=_ENVOY_BEGIN,
            resolution_ns=_MS,
        )


class LoadBalancer:
    """Access log of an application load balancer of AWS."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether one of the first lines is a request."""
        return _begins(source, _ALB)

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out: from their receipt on, for its three times, or until the response where one is none.

        A time is -1 where no target answered.
        """
        layout = _Layout(_ALB)
        is_timed, added = _three_times(layout)
        # Logs of before 2018 do not tell when a request was received.
        ended = layout.date()
        received = layout.date("begun")
        begun = received.fill_null(ended - pl.when(is_timed).then(added).otherwise(0))
        return _lines(
            source,
            "AWS load balancer (access log)",
            layout,
            {
                "start_ns": begun,
                "response_ns": pl.when(is_timed).then(added).otherwise(ended - begun),
                "ok": layout.is_good,
                "code": pl.when(is_timed | received.is_not_null()).then(layout.code).otherwise(pl.lit("")),
                "message": pl.when(is_timed).then(pl.lit("")).otherwise(pl.lit("no answer of a target")),
            },
            requests=pl.col("line").str.contains(_SOCKETS).not_(),
            begins=_ALB_BEGIN,
            resolution_ns=_MS,
        )


def _three_times(layout: _Layout) -> tuple[pl.Expr, pl.Expr]:
    """Whether the three times of a load balancer of AWS are there, and their sum."""
    times = [layout.text(name).cast(pl.Float64, strict=False) for name in ("sent", "waited", "received")]
    added = (pl.sum_horizontal(times) * NS).round().cast(pl.Int64, strict=False)
    return pl.all_horizontal([time >= 0 for time in times]), added


class ClassicLoadBalancer:
    """Access log of a classic load balancer of AWS."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether one of the first lines is a request."""
        return _begins(source, _ELB)

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out: from their receipt on, for its three times; connections of TCP are none.

        A time is -1 where no instance answered: the log does not tell how long that took.
        """
        layout = _Layout(_ELB)
        is_timed, added = _three_times(layout)
        return _lines(
            source,
            "AWS classic load balancer (access log)",
            layout,
            {
                "start_ns": layout.date(),
                "response_ns": pl.when(is_timed).then(added).otherwise(0),
                "ok": layout.is_good & is_timed,
                # A failure without a time and a status is one without an answer, whose time is none.
                "code": pl.when(is_timed).then(layout.code).otherwise(pl.lit("")),
                "message": pl.when(is_timed)
                .then(pl.lit(""))
                .otherwise(pl.format("no answer of an instance: {}", layout.code)),
            },
            requests=pl.col("line").str.contains(_CONNECTION).not_(),
            begins=_ELB_BEGIN,
            resolution_ns=_US,
        )


class Traefik:
    """Access log of Traefik in its common format."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether one of the first lines is a request."""
        return _begins(source, _TRAEFIK)

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out: from their start on, which is written in whole seconds."""
        layout = _Layout(_TRAEFIK)
        stamp = layout.text("stamp").str.to_datetime("%d/%b/%Y:%H:%M:%S %z", time_unit="ns", strict=False)
        return _lines(
            source,
            "Traefik (access log)",
            layout,
            {"start_ns": stamp.cast(pl.Int64), "response_ns": scaled(layout.whole("time"), _MS), "ok": layout.is_good},
            requests=pl.col("line").str.contains(_TRAEFIK_END),
            begins=_TRAEFIK_END,
            resolution_ns=_MS,
        )


class W3c:
    """Log in W3C's extended format with `time-taken`, as IIS and CloudFront write it."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether a comment at the beginning names the fields, a time taken among them."""
        return set(_W3C_NEEDED) <= set(_fields(source))

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out. They are stamped in UTC when they end, in whole seconds.

        IIS writes whole milliseconds, CloudFront seconds with decimals.
        """
        names = _fields(source)
        row = next((line for line in source.head if line.strip() and not line.startswith("#")), "")
        separator = "\t" if "\t" in row else " "
        cells = [
            f"(?P<{_W3C_CELLS[name]}>[^{separator}]*)" if name in _W3C_CELLS else f"[^{separator}]*" for name in names
        ]
        layout = _Layout(f"^{separator.join(cells)}$")
        found = re.search(layout.pattern, row)
        in_seconds = found is not None and "." in found["time"]
        response = layout.text("time").cast(pl.Float64, strict=False) * (NS if in_seconds else _MS)
        response = response.round().cast(pl.Int64, strict=False)
        day = pl.format("{} {}", layout.text("date"), layout.text("clock"))
        end = day.str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="ns", strict=False).cast(pl.Int64)
        line = pl.col("line")
        same_fields = rf"^#Fields: *{re.escape(' '.join(names))}\s*$"
        other_fields = line.str.starts_with("#Fields:") & line.str.contains(same_fields).not_()
        return _lines(
            source,
            "W3C (log)",
            layout,
            {
                "start_ns": end - response,
                "response_ns": response,
                **({"ok": layout.is_good} if "sc-status" in names else {}),
            },
            requests=(line.str.starts_with("#").not_() | other_fields),
            begins=r"\d{4}-\d\d-\d\d[ \t]\d\d:\d\d:\d\d[ \t]",
            resolution_ns=_MS,
            reason=partial(_other_fields, names),
            comments=line.str.starts_with("#"),
        )


def _fields(source: Source) -> list[str]:
    """Names of the fields in the comments at the beginning."""
    comments = [match[1] for line in source.head[:_FIRST] if (match := _W3C.fullmatch(line))]
    return comments[0].split() if comments else []


def _other_fields(names: list[str], line: str) -> str | None:
    """Fault of a comment that names other fields than the first."""
    found = _W3C.fullmatch(line)
    if found is None or found[1].split() == names:
        return None
    return "names other fields than before: split the file there"
