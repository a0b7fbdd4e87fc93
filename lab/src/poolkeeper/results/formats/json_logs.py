"""Access logs with an object of JSON a line: of nginx, Caddy, Traefik and Envoy, whose names tell what they mean."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.formats.delimited import WHOLE_LINE, Delimited, scaled
from poolkeeper.results.formats.server_logs import SWITCHED
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from poolkeeper.results.source import Source

_US, _MS = NANOSECONDS["us"], NANOSECONDS["ms"]
_GOOD = (200, 399)
"""Least and largest status of a success."""
_FIRST = 20
"""Lines in which a request is looked for: servers write messages about themselves before the first."""
_NGINX_TIME = re.compile(r"\d+\.\d{3}")
"""Layout of the seconds that nginx writes."""
_FRACTION = re.compile(r"\d+\.\d+(?:e-?\d+)?|\d+e-?\d+")
_WHOLE = r"^[1-9]\d*$"
_OF_NGINX = frozenset((
    "time_iso8601", "time_local", "msec", "remote_addr", "request_method", "request_uri", "request_length",
    "body_bytes_sent", "bytes_sent", "upstream_addr", "upstream_response_time", "http_user_agent",
))  # fmt: skip
"""Names of its variables that others hardly use."""
_NO_STATUS = ("", "-")
"""Forms in which nginx writes that there is none."""
_COMMON_DATE = "%d/%b/%Y:%H:%M:%S %z"
_EPOCH = {"s": 1e11, "ms": 1e14, "us": 1e17}
"""Bounds of numbers that are times since 1970 in these units; larger ones are nanoseconds."""


def _objects(source: Source) -> Iterator[dict[str, Any]]:
    """Objects of the first lines that are one each, with fractions as they are written."""
    for line in source.head[:_FIRST]:
        try:
            found = json.loads(line, parse_float=str)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def _value(row: Mapping[str, Any], name: str) -> Any:
    """Value of a name, or of one within an object: request>uri."""
    first, _, rest = name.partition(">")
    found = row.get(first)
    if not rest:
        return found
    return _value(found, rest) if isinstance(found, dict) else None


def _text(name: str) -> pl.Expr:
    """Value of a name as text; null where it is missing, or the line is not JSON."""
    path = "".join(f"['{part}']" for part in name.split(">"))
    return pl.col("line").str.json_path_match(f"${path}")


def _number(name: str) -> pl.Expr:
    return _text(name).cast(pl.Float64, strict=False)


def _whole(name: str) -> pl.Expr:
    return _text(name).cast(pl.Int64, strict=False)


def _date(name: str) -> pl.Expr:
    """A date of ISO 8601 with its zone, or one of the common formats, as nanoseconds since 1970."""
    text = _text(name)
    iso = text.str.to_datetime("%+", time_unit="ns", time_zone="UTC", strict=False)
    common = text.str.to_datetime(_COMMON_DATE, time_unit="ns", time_zone="UTC", strict=False)
    return pl.coalesce(iso, common).cast(pl.Int64)


def _since_1970(name: str) -> pl.Expr:
    """A number as nanoseconds since 1970; a double holds microseconds of seconds, but no nanoseconds."""
    value = _number(name)
    scaled = pl.lit(1 / _US)
    for unit, bound in reversed(_EPOCH.items()):
        scaled = pl.when(value < bound).then(NANOSECONDS[unit] / _US).otherwise(scaled)
    return (value * scaled).round().cast(pl.Int64, strict=False) * _US


@dataclass(frozen=True)
class _Server:
    """Names by which a server's requests are known, and how its lines are laid out."""

    name: str
    mark: str
    """Expression that the lines of requests match."""
    is_request: Callable[[Mapping[str, Any]], bool]
    response: pl.Expr
    stamps: Mapping[str, Callable[[str], pl.Expr]]
    """Names of times that may be there, and how each is read, the best first."""
    at_end: bool
    """Whether these times are those of the ends."""
    methods: tuple[str, ...]
    paths: tuple[str, ...]
    statuses: tuple[str, ...]
    sizes: tuple[str, ...]
    resolution_ns: int
    has_others: bool = False
    """Whether connections without a request are logged likewise, without a method."""
    more: Mapping[str, pl.Expr] = field(default_factory=dict)
    advice: str = ""
    """Message behind that about a line which is not JSON."""


def _is_nginx(row: Mapping[str, Any]) -> bool:
    in_seconds = _NGINX_TIME.fullmatch(str(row.get("request_time"))) is not None
    return in_seconds and not _OF_NGINX.isdisjoint(row)


def _is_caddy(row: Mapping[str, Any]) -> bool:
    # Whole numbers are those of other encoders of durations, in milliseconds or nanoseconds.
    is_access = str(row.get("logger", "")).startswith("http.log.access")
    return is_access and _FRACTION.fullmatch(str(row.get("duration"))) is not None and "status" in row


_SERVERS = (
    _Server(
        "Traefik",
        r'"DownstreamStatus"\s*:',
        lambda row: {"Duration", "DownstreamStatus", "RequestMethod"} <= set(row),
        _whole("Duration"),
        {"StartUTC": _date, "StartLocal": _date},
        at_end=False,
        methods=("RequestMethod",),
        paths=("RequestPath",),
        statuses=("DownstreamStatus",),
        sizes=("DownstreamContentSize",),
        resolution_ns=1,
        more={"group": _text("ServiceName").fill_null("")},
    ),
    _Server(
        "Caddy",
        r'"logger"\s*:\s*"http\.log\.access[".]',
        _is_caddy,
        # Whole numbers behind the first request: the encoder of durations was changed in between.
        pl.when(_text("duration").str.contains(_WHOLE).not_()).then(
            (_number("duration") * NS).round().cast(pl.Int64, strict=False)
        ),
        {"ts": lambda name: pl.coalesce(_since_1970(name), _date(name))},
        at_end=True,
        methods=("request>method",),
        paths=("request>uri",),
        statuses=("status",),
        sizes=("size",),
        resolution_ns=1,
    ),
    _Server(
        "Envoy",
        r'"response_flags"\s*:',
        lambda row: {"duration", "response_flags", "start_time", "response_code"} <= set(row),
        scaled(_whole("duration"), _MS),
        {"start_time": _date},
        at_end=False,
        methods=("method",),
        paths=("path",),
        statuses=("response_code",),
        sizes=("bytes_sent",),
        resolution_ns=_MS,
        has_others=True,
        more={
            "message": pl.when(_text("response_flags").fill_null("-") == "-")
            .then(pl.lit(""))
            .otherwise(_text("response_flags"))
        },
    ),
    _Server(
        "nginx",
        r'"request_time"\s*:',
        _is_nginx,
        (_number("request_time") * NS).round().cast(pl.Int64, strict=False),
        {
            "msec": _since_1970,
            **dict.fromkeys(("time_iso8601", "time_local", "@timestamp", "timestamp", "time"), _date),
        },
        at_end=True,
        methods=("request_method", "method"),
        paths=("request_uri", "uri", "path"),
        statuses=("status",),
        sizes=("bytes_sent", "body_bytes_sent"),
        resolution_ns=_MS,
        advice="; log_format of nginx needs escape=json",
    ),
)


class JsonLog:
    """Access log of nginx (`escape=json`), Caddy, Traefik or Envoy with an object of JSON a line."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether one of the first lines is a request of one of the servers."""
        return _found(source) is not None

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out. nginx and Caddy stamp them when they end, Traefik and Envoy when they begin."""
        found = _found(source)
        if found is None:
            raise FileError(source.path, f"is no access log in JSON of {', '.join(each.name for each in _SERVERS)}")
        server, row = found
        begun = _first(row, server.stamps)
        stamp = pl.lit(None, pl.Int64) if begun is None else server.stamps[begun](begun)
        line, response = pl.col("line"), server.response
        request = line.str.contains(server.mark)
        if server.has_others:
            request &= _text("method").fill_null("-") != "-"
        status, size = _first(row, server.statuses), _first(row, server.sizes)
        faults = [response.is_null(), *([stamp.is_null()] if begun else [])]
        if status is not None:
            faults.append(_whole(status).is_null() & _text(status).is_in(_NO_STATUS).not_())
        unread = (request & pl.any_horizontal(faults)).fill_null(value=False)
        return Delimited(
            source,
            f"{server.name} (JSON log)",
            {"line": pl.String},
            {
                **({"start_ns": stamp - response if server.at_end else stamp} if begun else {}),
                "response_ns": response,
                "label": _label(server, row),
                **(_of_status(status) if status else {}),
                **({"bytes": _whole(size)} if size else {}),
                **server.more,
            },
            (),
            resolution_ns=server.resolution_ns,
            separator=WHOLE_LINE,
            quote=None,
            clock="wall" if begun else "none",
            keep=request if status is None else request & _whole(status).ne_missing(SWITCHED),
            others=f"{source.path.name}: lines left out, as they are no requests: {{count}}",
            check=partial(_reason, server, unread),
            broken=_is_no_json(line, response) | unread,
        )


def _found(source: Source) -> tuple[_Server, Mapping[str, Any]] | None:
    """The server that wrote a log, and its first request."""
    if not source.head or not source.head[0].lstrip().startswith("{"):
        return None
    rows = list(_objects(source))
    return next(((server, row) for row in rows for server in _SERVERS if server.is_request(row)), None)


def _first(row: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """The first of the names that a request has."""
    return next((name for name in names if _value(row, name) is not None), None)


def _label(server: _Server, row: Mapping[str, Any]) -> pl.Expr:
    """Method and path, without what is asked for behind it; of nginx perhaps out of the first line of a request."""
    method, path = _first(row, server.methods), _first(row, server.paths)
    if path is None:
        request = _text("request").fill_null("")
        return request.str.extract(r"^(\S+ [^ ?]*)").fill_null("")
    parts = [pl.lit("") if name is None else _text(name).fill_null("") for name in (method, path)]
    return pl.format("{} {}", parts[0], parts[1].str.extract(r"^([^?]*)").fill_null("")).str.strip_chars()


def _of_status(name: str) -> dict[str, pl.Expr]:
    """Success and code by a status, which is 0 where nobody answered."""
    status = _whole(name)
    return {
        "ok": status.is_between(*_GOOD).fill_null(value=False),
        "code": pl.when(status > 0).then(status.cast(pl.String)).otherwise(pl.lit("")),
    }


def _is_no_json(line: pl.Expr, response: pl.Expr) -> pl.Expr:
    """Whether a line is not JSON: only those without a response time need a second look."""
    unusual = pl.when(response.is_null()).then(line)
    return unusual.map_batches(_are_no_json, return_dtype=pl.Boolean, is_elementwise=True)


def _are_no_json(lines: pl.Series) -> pl.Series:
    return pl.Series(lines.name, [bool(line) and _fault(line) != "" for line in lines], dtype=pl.Boolean)


def _fault(line: str) -> str:
    """Fault of a line that is not JSON; empty for one that is."""
    try:
        json.loads(line)
    except ValueError as error:
        return f"is not JSON: {error}"
    except RecursionError:
        return "is not JSON: it is nested too deeply"
    return ""


def _reason(server: _Server, unread: pl.Expr, row: list[str]) -> str | None:
    """Fault of a line."""
    if words := _fault(row[0]):
        return f"{words}{server.advice}"
    if pl.DataFrame({"line": row[:1]}).select(unread).item():
        return (
            f"is a request of {server.name} without a response time, date or status that can be read: {row[0][:200]!r}"
        )
    return None
