"""JMeter's results: JTL as CSV."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.present.text import listed
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding, Findings
from poolkeeper.results.formats.delimited import Delimited
from poolkeeper.results.formats.header import first_row
from poolkeeper.results.formats.jmeter.dates import DATE, dated
from poolkeeper.results.formats.jmeter.engines import engine, threads_of
from poolkeeper.results.formats.jmeter.sums import ERRORS, SAMPLES, fault, has_sums, summed
from poolkeeper.results.formats.jmeter.turns import crowded
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from poolkeeper.results.formats.held import Held
    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_SEPARATED = re.compile(r"timeStamp([^\w\"\x80-\U0010ffff])(?:elapsed|label)\1")
"""Beginning of a header as JMeter writes it, with its separator."""
_LATER = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
_ORDERS = {
    17: f"{_LATER}sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect",
    16: f"{_LATER}sentBytes,grpThreads,allThreads,Latency,IdleTime,Connect",
    14: f"{_LATER}grpThreads,allThreads,Latency,IdleTime",
    10: "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,Latency",
}
"""Columns of a file without a header, by their number: JMeter's default since 5.0, 3.1, 3.0, and before."""
_LEAST_COLUMNS = 10
"""Columns from which a row that begins as JMeter's do is taken for one."""
_SUCCESS = slice(5, 9)
"""Places of `success` in any order that JMeter has."""
_NAMES = (
    "let JMeter write the names of the columns (jmeter.save.saveservice.print_field_names=true), or add a first line"
    " with those that it has, in the order of jmeter.properties: timeStamp,elapsed,label,..."
)

_TYPES: dict[str, Any] = {
    "timeStamp": pl.Int64,
    "elapsed": pl.Int64,
    "success": pl.Boolean,
    "bytes": pl.Int64,
    "sentBytes": pl.Int64,
    "grpThreads": pl.Int64,
    "allThreads": pl.Int64,
    SAMPLES: pl.Int64,
    ERRORS: pl.Int64,
    "Latency": pl.Int64,
    "IdleTime": pl.Int64,
    "Connect": pl.Int64,
}
_EXPRESSIONS: dict[str, tuple[str, pl.Expr]] = {
    "response_ns": ("elapsed", pl.col("elapsed") * _MS),
    "label": ("label", pl.col("label").fill_null("")),
    "ok": ("success", pl.col("success")),
    "code": ("responseCode", pl.col("responseCode").fill_null("")),
    "message": ("responseMessage", pl.col("responseMessage").fill_null("")),
    "thread": ("threadName", pl.col("threadName").fill_null("")),
    "group": ("threadName", pl.col("threadName").fill_null("").str.replace(r" \d+-\d+$", "")),
    "bytes": ("bytes", pl.col("bytes")),
    "sent_bytes": ("sentBytes", pl.col("sentBytes")),
    "users": ("allThreads", pl.col("allThreads")),
    "group_users": ("grpThreads", pl.col("grpThreads")),
    "first_byte_ns": ("Latency", pl.col("Latency") * _MS),
    "idle_ns": ("IdleTime", pl.col("IdleTime") * _MS),
    "connect_ns": ("Connect", pl.col("Connect") * _MS),
}
_TIMES_ALONE = "; format columns, column elapsed, unit ms reads the response times alone"
_STAMP = re.compile(r"\d{9,14}")
_STAMP_MS, _LENGTH_MS = re.compile(r"\d{12,14}"), re.compile(r"\d{1,14}")
_SPARE_MS = 2
"""Milliseconds that a transaction takes beside its requests."""
_TRUTHS = ("true", "false")
_DIGITS = ("1", "0")
"""Forms of `success` in files that another tool has written anew."""
_SPELLED = {
    name.lower(): name for name in (*_TYPES, "label", "responseCode", "responseMessage", "threadName", "Hostname")
}
_OWN = ("label", "success", "responseCode", "threadName")
"""Columns of which a file has one if it is of JMeter."""
FAILED_ASSERTION = "failureMessage"
"""Column with the message of an assertion that failed."""
ANSWERED_WELL = r"^(?:[23]\d\d)?$"
"""Codes of a failed sample that only the message of an assertion explains."""
TRANSACTION = "Number of samples in transaction"
"""Beginning of the message of a transaction."""

_MILLISECONDS, _DAY, _NUMBER = (
    rb'"?\d{9,}"?[^\w"\n]',
    rb'"?(?:\d{4}[/-]\d\d[/-]\d\d|\d\d\.\d\d\.\d{4})[ T]',
    rb'"?[+-]?\d+"?[^\w"\n]',
)
"""Forms of the first cells of a row."""
FORMAT = "JMeter JTL (CSV)"
_SECONDS = "; are these seconds? Format columns, column elapsed, unit s reads them, but no other column"
MOST_MS = {"timeStamp": 8 * 10**12, "elapsed": 10**12}
"""Milliseconds that both together can be counted in nanoseconds: up to the year 2223, and 31 years."""


def recognise(source: Source) -> bool:
    """Whether a file begins with JMeter's header, or with a row in JMeter's default order."""
    if not source.head:
        return False
    _, first = _first_row(source)
    if "timeStamp" in first or {"elapsed", "label"} <= set(first):
        return True
    named = set(_spelled(first))
    return ({"timeStamp", "elapsed"} <= named and not named.isdisjoint(_OWN)) or _is_sample(first)


def _first_row(source: Source) -> tuple[str, list[str]]:
    """The separator, which JMeter's default_delimiter makes any character, and the cells of the first line."""
    found = _SEPARATED.match(source.head[0])
    if found is None:
        return first_row(source)
    return found[1], next(csv.reader(source.head[:1], delimiter=found[1]), [])


def _spelled(names: Sequence[str]) -> list[str]:
    """Names of columns as JMeter spells them, also where a tool wrote them in small letters."""
    return list(names) if "timeStamp" in names else [_SPELLED.get(name.lower(), name) for name in names]


def read(source: Source) -> Delimited | Held:
    """Lay a JTL out by the names in its header or, without one, by JMeter's default order.

    Rows that stand for several samples are summed up.

    `timeStamp` is taken for the start of a sample, as JMeter's own properties have it (sampleresult.timestamp.start);
    the response time is `elapsed`, from the first byte sent to the last received, and `Latency` only that to the first.
    """
    separator, first = _first_row(source)
    names: Sequence[str] | None = _headless(first)
    if names is None and _is_sample(first):
        words = f"is a JTL without a header, and its {len(first)} columns are none of JMeter's defaults"
        raise FileError(source.path, f"{words}: {_NAMES}", 1)
    header = None if names is not None else source.head[0]
    names = names or _spelled(first)
    _refuse_names(source, names)
    cells = {name: _TYPES.get(name, pl.String) for name in names}
    start = pl.col("timeStamp") * _MS
    noticed = [transactions(source)] if "responseMessage" in names and _has_transactions(source) else []
    places = {name: place for place, name in enumerate(names)}
    checks: list[Callable[[list[str]], str | None]] = []
    broken = pl.lit(value=False)
    rows = [row for row in csv.reader(source.head[int(header is not None) :], delimiter=separator) if row]
    noticed.extend(_parts(source, rows, places))
    if not noticed and not {"label", "responseMessage"} <= set(names):
        noticed.extend(_within_others(source, rows, places))
    noticed.extend(crowded(source, rows, places))
    stamp = rows[0][places["timeStamp"]] if rows and places["timeStamp"] < len(rows[0]) else None
    if stamp is not None and (
        dates := dated(source, places["timeStamp"], separator, stamp, skip=int(header is not None))
    ):
        cells["timeStamp"] = pl.String
        start = dates.start
        broken |= dates.broken
        checks.append(dates.check)
        noticed.extend(dates.noticed)
    limited = [name for name in MOST_MS if cells[name] == pl.Int64]
    checks.append(partial(_too_large, [(name, places[name]) for name in limited]))
    checks.append(partial(_miscounted, places.get(SAMPLES), places.get(ERRORS)))
    for name in limited:
        broken |= pl.col(name).is_between(-MOST_MS[name], MOST_MS[name]).not_()
    samples, errors = (
        pl.col(name).fill_null(least) if name in cells else pl.lit(least) for name, least in ((SAMPLES, 1), (ERRORS, 0))
    )
    broken |= (samples < 1) | (errors < 0) | (errors > samples)
    present = {name: made for name, (cell, made) in _EXPRESSIONS.items() if cell in cells}
    if FAILED_ASSERTION in cells:
        present["message"] = _message(cells)
    if "success" in places and _is_digit(rows[:1], places["success"]):
        cells["success"] = pl.Int64
        present["ok"] = pl.col("success") == 1
        broken |= pl.col("success").is_between(0, 1).not_()
        checks.append(partial(_no_truth, places["success"]))
    if ERRORS in cells:
        present["ok"] = present.get("ok", pl.lit(value=True)) & (errors == 0)
    present |= _engine(source, places, separator, skip=int(header is not None))
    part = Delimited(
        source,
        FORMAT,
        cells,
        {"start_ns": start, **present},
        tuple(name for name in ("timeStamp", "elapsed", "success") if name in cells),
        resolution_ns=_MS,
        header=header,
        fractions=_SECONDS,
        separator=separator,
        noticed=tuple(noticed),
        even=True,
        begins=_beginning(list(names), dates=cells.get("timeStamp") == pl.String),
        check=partial(_fault, checks),
        broken=broken,
    )
    if SAMPLES not in cells:
        return part
    # Without a number of errors, a row that failed has one at least.
    failures = errors if ERRORS in cells else (~present.get("ok", pl.lit(value=True))).cast(pl.Int64)
    counted = replace(part, expressions={**part.expressions, "samples": samples, "failures": failures})
    return summed(counted) if has_sums(counted) else part


def _refuse_names(source: Source, names: Sequence[str]) -> None:
    """Raise FileError for columns that lack a needed one, or have one twice."""
    for name, advice in (("timeStamp", _TIMES_ALONE if "elapsed" in names else ""), ("elapsed", "")):
        if name not in names:
            has = ", ".join(names)
            raise FileError(source.path, f"has no column {name}, as JMeter results have; it has {has}{advice}", 1)
    if len(set(names)) < len(names):
        raise FileError(source.path, f"names a column twice: {', '.join(names)}", 1)


def _engine(source: Source, places: dict[str, int], separator: str, *, skip: int) -> dict[str, pl.Expr]:
    """The column `engine` of a file that several engines wrote with their users."""
    if not {"threadName", "allThreads"} <= set(places):
        return {}
    threads = threads_of(source, places["threadName"], separator, skip=skip)
    host = pl.col("Hostname") if "Hostname" in places else None
    found = engine(threads, pl.col("threadName").fill_null(""), host)
    return {} if found is None else {"engine": found}


def _fault(checks: Sequence[Callable[[list[str]], str | None]], row: list[str]) -> str | None:
    """The first fault of a row."""
    return next((fault for check in checks if (fault := check(row)) is not None), None)


def _too_large(places: Sequence[tuple[str, int]], row: list[str]) -> str | None:
    """Name of the time in a row that is none, if one is."""
    for name, place in places:
        if not -MOST_MS[name] <= int(row[place]) <= MOST_MS[name]:
            return f"{name} is beyond {MOST_MS[name]:,} ms, so that it is no time in milliseconds: {row[place]!r}"
    return None


def _message(cells: Mapping[str, Any]) -> pl.Expr:
    """The message of the answer, or of the assertion that it failed where its code is none of a failure."""
    message, code = (
        pl.col(name).fill_null("") if name in cells else pl.lit("") for name in ("responseMessage", "responseCode")
    )
    failed = pl.col(FAILED_ASSERTION).fill_null("")
    return pl.when((failed != "") & code.str.contains(ANSWERED_WELL)).then(failed).otherwise(message)


def _is_digit(rows: Sequence[list[str]], place: int) -> bool:
    """Whether the first row has a digit for `success`."""
    return any(place < len(row) and row[place] in _DIGITS for row in rows)


def _no_truth(place: int, row: list[str]) -> str | None:
    """Fault of `success` in a row of a file that has it as a digit."""
    return None if row[place] in _DIGITS else f"success is not 1 or 0: {row[place]!r}"


def _miscounted(samples: int | None, errors: int | None, row: list[str]) -> str | None:
    """Fault of the counts in a row."""
    return fault(*("" if place is None or place >= len(row) else row[place] for place in (samples, errors)))


def transactions(source: Source) -> Finding:
    """Finding about a file that holds both transactions and their requests."""
    words = f"{source.path.name}: holds transactions beside the requests that they are made of, so that both count"
    return Finding("transactions", f"{words}; cut by label to look at one kind")


def _headless(first: list[str]) -> list[str] | None:
    """The names of the columns of a first line that is a sample in the default order."""
    order = _ORDERS.get(len(first))
    if order is None or not _is_sample(first):
        return None
    names = order.split(",")
    return names if all(_may_be(cell, _TYPES.get(name)) for name, cell in zip(names, first, strict=True)) else None


def _may_be(cell: str, type_: Any) -> bool:
    if type_ == pl.Boolean:
        return cell.lower() in _TRUTHS
    return type_ is None or cell.isdigit() or DATE.fullmatch(cell) is not None


def _is_sample(first: list[str]) -> bool:
    """Whether the first line is no header but a sample: its time, elapsed, and success in its place."""
    if len(first) < _LEAST_COLUMNS or not first[1].isdigit():
        return False
    begins = _STAMP.fullmatch(first[0]) or DATE.fullmatch(first[0])
    return begins is not None and any(cell.lower() in _TRUTHS for cell in first[_SUCCESS])


def _beginning(names: Sequence[str], *, dates: bool) -> bytes | None:
    """Form of the beginning of a row, as far as its first cells have one; None if any text may stand there."""
    if names[0] == "timeStamp":
        return _DAY if dates else _MILLISECONDS + (_NUMBER if names[1:2] == ["elapsed"] else b"")
    return _NUMBER if names[0] == "elapsed" else None


def _has_transactions(source: Source) -> bool:
    """Whether a transaction is in the file; the first one may come late, after all requests that it is made of."""
    if any(TRANSACTION in line for line in source.head):
        return True
    message = TRANSACTION.encode()
    return not source.whole and any(message in block for block in source.blocks(Findings(), quotes=False))


def _parts(source: Source, rows: Sequence[list[str]], places: dict[str, int]) -> list[Finding]:
    """Finding about a file that holds both requests and their parts."""
    found = _request_and_part(rows, places)
    if found is None:
        return []
    words = f"{source.path.name}: holds parts of requests beside the requests, such as {found[1]!r} beside {found[0]!r}"
    advice = "cut by label, or leave the parts out: jmeter.save.saveservice.subresults=false"
    return [Finding("parts", f"{words}, so that both count; {advice}")]


def _within_others(source: Source, rows: Sequence[list[str]], places: dict[str, int]) -> list[Finding]:
    """Finding about samples of a thread within others of it, where no label or message tells what they are.

    A thread does one thing after the other: a sample within another one is a request of a transaction, or a part of a
    request. Samples of one thread that overlap otherwise show that several threads have its name.
    """
    if not {"threadName", "timeStamp", "elapsed"} <= set(places):
        return []
    latest: dict[str, tuple[int, int]] = {}
    since: dict[str, list[tuple[int, int]]] = {}
    within = ""
    for row in rows:
        cells = [row[places[name]] for name in ("timeStamp", "elapsed")] if len(row) == len(places) else ["", ""]
        if _STAMP_MS.fullmatch(cells[0]) is None or _LENGTH_MS.fullmatch(cells[1]) is None or int(cells[1]) == 0:
            continue  # in seconds, or without a length, samples one after the other look like this
        start, elapsed = map(int, cells)
        thread, end = row[places["threadName"]], start + elapsed
        if _sums_up((start, elapsed), since.setdefault(thread, [])):
            since[thread].clear()
            within = thread
            continue
        since[thread].append((start, elapsed))
        before = latest.get(thread, (start, start))
        if start < before[1] and before[0] < end:
            if not _contains(before, (start, end)):
                return []  # it is no thread, but the name of several
            within = thread
        if end >= before[1]:
            latest[thread] = start, end
    if not within:
        return []
    words = f"{source.path.name}: holds samples of a thread ({within!r}) within others of it: transactions beside their"
    lacking = listed([name for name in ("label", "responseMessage") if name not in places])
    advice = (
        f"{'cut by label, or ' if 'label' in places else ''}let JMeter write {lacking} as well, which tells these apart"
    )
    return [Finding("transactions", f"{words} requests, or parts beside them, so that both count; {advice}")]


def _sums_up(sample: tuple[int, int], requests: Sequence[tuple[int, int]]) -> bool:
    """Whether a sample takes as long as the last requests of its thread together, and begins before or with them.

    So does a transaction whose timers do not count: it need not reach to the end of its requests. Start and length are
    in milliseconds.
    """
    start, elapsed = sample
    spent = 0
    for begun, took in reversed(requests):
        if begun < start or spent > elapsed:
            return False
        spent += took
        if spent <= elapsed <= spent + _SPARE_MS:
            return True
    return False


def _contains(earlier: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether one of two times lies within the other."""
    (first, second), (start, end) = earlier, other
    return (first <= start and end <= second) or (start <= first and second <= end)


def _request_and_part(rows: Sequence[list[str]], places: dict[str, int]) -> tuple[str, str] | None:
    """Labels of a request and of its first part (a redirection, an embedded resource), if the rows have them.

    JMeter writes the parts after the request, with a number at the end of its label. The first begins when it begins.
    """
    if "label" not in places:
        return None
    label, alike = places["label"], [places[name] for name in ("timeStamp", "threadName") if name in places]
    for request, part in pairwise(rows):
        if min(len(request), len(part)) < len(places) or part[label] != f"{request[label]}-0":
            continue
        if all(request[place] == part[place] for place in alike):
            return request[label], part[label]
    return None
