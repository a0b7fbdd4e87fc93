"""k6's results: `--out csv` and `--out json`."""

from __future__ import annotations

import csv
import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.delimited import WHOLE_LINE, Delimited
from poolkeeper.results.formats.header import first_row, has_columns
from poolkeeper.results.formats.k6_points import COLUMNS, K6Points
from poolkeeper.results.formats.k6_users import K6Users
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from poolkeeper.results.source import Source

CSV, JSON = "k6 (CSV)", "k6 (JSON)"
_MS = NANOSECONDS["ms"]
_GRPC = "grpc_req_duration"
_REQUESTS = ("http_req_duration", _GRPC)
"""The metrics that are response times of requests: from sending on to the last byte, without connecting."""
_ERROR = "error_code"
_OUTCOMES = ("expected_response", "status", _ERROR)
"""Tags that tell whether a request failed; `systemTags` chooses those that are written."""
_HTTP_ERROR = 400
"""Least status of HTTP that is a failure."""
_NAME = r"^\S(?:.*\S)?$"
"""Name of a metric: without it, or with blanks around it, a row is damaged, and may be a request."""
_TEXT = r'"(?:[^"\\]|\\.)*"'
_TAGS = rf"(?:\{{(?:{_TEXT}:{_TEXT}(?:,{_TEXT}:{_TEXT})*)?\}}|null)"
_METRIC, _TYPE = rf'"metric":{_TEXT}', '"type":"Point"'
_DATA = rf'"data":\{{"time":{_TEXT},"value":-?\d+(?:\.\d+)?(?:e[+-]?\d+)?,"tags":{_TAGS}(?:,"metadata":{_TAGS})?\}}'
_POINT = rf"^\{{(?:{_METRIC},{_TYPE},{_DATA}|{_TYPE},{_DATA},{_METRIC})\}}\s*$"
"""Layout in which k6 writes a point today, or wrote it once."""


def recognise(source: Source) -> bool:
    """Whether a file begins with the header of k6's CSV, or with a line of its JSON."""
    return _is_csv(source) or _is_json(source)


def read(source: Source) -> Delimited:
    """Lay out the requests among k6's metrics. k6 stamps them when they end; `start_ns` is worked out from that."""
    return _read_csv(source) if _is_csv(source) else _read_json(source)


def _is_csv(source: Source) -> bool:
    return has_columns(source, *COLUMNS)


def _is_json(source: Source) -> bool:
    return bool(source.head) and source.head[0].startswith("{") and '"metric"' in source.head[0]


def _read_csv(source: Source) -> Delimited:
    separator, names = first_row(source)
    cells: dict[str, Any] = dict.fromkeys(names, pl.String) | {"metric_value": pl.Float64}
    response = _nanoseconds(pl.col("metric_value"))
    place = names.index("timestamp")
    stamp = next((row[place] for row in csv.reader(source.head[1:], delimiter=separator) if len(row) > place), "")
    # k6 writes seconds unless K6_CSV_TIME_FORMAT asks for more digits.
    scale = {10: NS, 13: _MS, 16: NANOSECONDS["us"]}.get(len(stamp), 1)
    points = K6Points(source, is_json=False)
    if stamp.isdigit():
        cells["timestamp"] = pl.Int64
        end = pl.col("timestamp") * scale
        users = K6Users(points, lambda times: times.cast(pl.Int64, strict=False) * scale)
    else:
        end = _date(pl.col("timestamp"))
        users = K6Users(points, _dates)
    texts = {"label": "name", "code": "status", "message": "error"}
    expressions = {"start_ns": end - response, "response_ns": response} | {
        name: pl.col(cell).fill_null("") for name, cell in texts.items() if cell in cells
    }
    if _ERROR in cells:
        text, status = (expressions.get(name, pl.lit("")) for name in ("message", "code"))
        expressions["message"] = _message(text, status, pl.col(_ERROR))
    if users.exist:
        expressions["users"] = users.at(end)
    if "group" in cells:
        expressions["group"] = pl.col("group").fill_null("").str.strip_prefix("::")
    outcomes = [name for name in _OUTCOMES if name in cells]
    if outcomes:
        expected, status, error = ((pl.col(name) if name in cells else pl.lit(None, pl.String)) for name in _OUTCOMES)
        expressions["ok"] = _succeeded(
            expected, status, error, pl.col("metric_name") == _GRPC, errors=_ERROR in outcomes
        )
    return Delimited(
        source,
        CSV,
        cells,
        expressions,
        COLUMNS,
        header=source.head[0],
        separator=separator,
        keep=pl.col("metric_name").is_in(_REQUESTS),
        noticed=points.findings,
        check=partial(_csv_reason, names.index("metric_name")),
        broken=pl.col("metric_name").str.contains(_NAME).not_(),
        begins=rb'"?\w+"?[,\t;|]"?\d{4}' if names[:2] == list(COLUMNS[:2]) else None,
        even=True,
    )


def _csv_reason(place: int, row: list[str]) -> str | None:
    return None if re.match(_NAME, row[place]) else f"metric_name is no name of a metric: {row[place]!r}"


def _read_json(source: Source) -> Delimited:
    if '"type"' not in source.head[0]:
        raise FileError(source.path, "is JSON with metrics, but not k6's: a line has no type", 1)
    line = pl.col("line")
    remote = line.str.contains(rf'"metric"\s*:\s*"{_GRPC}"')
    metric = rf'"metric"\s*:\s*"({"|".join(_REQUESTS)})"'
    request = (line.str.contains(r'"type"\s*:\s*"Point"') & line.str.contains(metric)).fill_null(value=False)
    # Nine of ten lines are other metrics: their JSON need not be parsed.
    point = pl.when(request).then(line)
    response = _nanoseconds(point.str.json_path_match("$.data.value").cast(pl.Float64, strict=False))

    def tag(name: str) -> pl.Expr:
        return point.str.json_path_match(f"$.data.tags.{name}").fill_null("")

    expected, status, error = (tag(name) for name in _OUTCOMES)
    end = _date(point.str.json_path_match("$.data.time"))
    start = end - response
    points = K6Points(source, is_json=True)
    users = K6Users(points, _dates)
    return Delimited(
        source,
        JSON,
        {"line": pl.String},
        {
            "start_ns": start,
            "response_ns": response,
            "label": tag("name"),
            "ok": _succeeded(expected, status, error, remote, errors=_needs_errors(source)),
            "code": tag("status"),
            "message": _message(tag("error"), status, error),
            "group": tag("group").str.strip_prefix("::"),
            **({"users": users.at(end)} if users.exist else {}),
        },
        (),
        separator=WHOLE_LINE,
        quote=None,
        keep=request,
        noticed=points.findings,
        begins=rb"\s*\{",
        check=_reason,
        broken=_is_broken(line) | (request & (response.is_null() | start.is_null())),
    )


def _is_broken(line: pl.Expr) -> pl.Expr:
    """Whether a line is none of k6's: only those in another layout than k6 writes are parsed."""
    unusual = pl.when(line.str.contains(_POINT).not_()).then(line)
    return unusual.map_batches(_reasons, return_dtype=pl.Boolean, is_elementwise=True)


def _reasons(lines: pl.Series) -> pl.Series:
    return pl.Series(lines.name, [bool(line) and _reason([line]) is not None for line in lines], dtype=pl.Boolean)


def _reason(row: list[str]) -> str | None:
    try:
        point = json.loads(row[0])
    except ValueError as error:
        return f"is not JSON: {error}"
    if not isinstance(point, dict) or "type" not in point:
        return "is not a line of k6: it has no type"
    if point["type"] == "Point" and point.get("metric") in _REQUESTS:
        data = point.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("value"), int | float) or "time" not in data:
            return "a request without time or value"
    return None


def _needs_errors(source: Source) -> bool:
    """Whether only the error codes mark failed requests, and requests without a code succeeded."""
    # The line that defines the metric names tags too, those of its submetrics.
    points = (line for line in source.head if '"Point"' in line)
    first = next((line for line in points if any(f'"{metric}"' in line for metric in _REQUESTS)), "")
    if any(f'"{name}"' in first for name in _OUTCOMES[:-1]):
        return False
    mark = f'"{_ERROR}"'.encode()
    return any(mark in block for block in source.blocks(Findings(), quotes=False))


def _succeeded(expected: pl.Expr, status: pl.Expr, error: pl.Expr, grpc: pl.Expr, *, errors: bool) -> pl.Expr:
    """Whether k6 expected the response or, without that field, whether the status is a success; else null.

    gRPC knows no expected responses, and its status of success is 0. In HTTP 0 means that nobody answered. Without a
    status the code of the error tells, where k6 writes them (`errors`): it is empty for a success.
    """
    code = status.cast(pl.Int64, strict=False)
    by_status = pl.when(grpc).then(code == 0).otherwise((code > 0) & (code < _HTTP_ERROR))
    is_marked = expected.fill_null("") != ""
    if errors:
        by_status = by_status.fill_null(error.fill_null("") == "")
    return pl.when(is_marked).then(expected == "true").otherwise(by_status)


def _message(text: pl.Expr, status: pl.Expr, error: pl.Expr) -> pl.Expr:
    """Words of the error; without them its code, where no status of HTTP tells as much."""
    code = error.fill_null("")
    silent = (text == "") & status.is_in(["", "0"]) & (code != "")
    return pl.when(silent).then(pl.format("error code {}", code)).otherwise(text)


def _nanoseconds(milliseconds: pl.Expr) -> pl.Expr:
    return (milliseconds * _MS).round().cast(pl.Int64, strict=False)


def _dates(times: pl.Series) -> pl.Series:
    return pl.select(_date(pl.lit(times))).to_series()


def _date(text: pl.Expr) -> pl.Expr:
    return text.str.to_datetime(time_unit="ns", time_zone="UTC", strict=False).cast(pl.Int64)
