"""Logs of load generators with a line a request: h2load, tsung, ghz, pgbench and YCSB."""

from __future__ import annotations

import glob
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl

from poolkeeper.present.text import counted, listed
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding, Findings
from poolkeeper.results.formats.delimited import WHOLE_LINE, Delimited, scaled
from poolkeeper.results.formats.held import Held
from poolkeeper.results.source import Source
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_US, _MS = NANOSECONDS["us"], NANOSECONDS["ms"]
_H2LOAD = re.compile(r"\d{16}\t(?:-1|\d{3})\t\d+(?:\t.*)?")
_H2LOAD_CELLS = 3
_TSUNG = "#date;pid;id;http method;host;URL;HTTP status;size;duration;"
_TSUNG_CELL = "[^;]*"
_TSUNG_BEGIN = r"\d{9,10}\.\d+;<[\d.]+>;\d+;"
"""Beginning of a line of a dump, which no address holds."""
_TSUNG_COUNT = re.compile(
    rb'^stats: (request|error_\w+) (\d{1,18}) |\{[^{}]*"name"\s*:\s*"(request|error_\w+)"[^{}]*\}', re.MULTILINE
)
"""Requests or errors of an interval, as tsung.log has them in text, or the object that has them in JSON."""
_TSUNG_VALUE = re.compile(rb'"value"\s*:\s*(\d{1,18})')
_GHZ_KEYS = ("endReason", "statusCodeDistribution")
_GHZ_CSV = "duration (ms),status,error"
_GHZ_BEGIN = "ghz_detail,"
_GHZ_ROW = r"^([0-9.]+),([A-Za-z]*),(.*)$"
_GHZ_INFLUX = r'latency=(\d+),error="(.*)",status="(\w*)" (\d{19})$'
_PGBENCH = re.compile(r"\d{1,6} \d+ (?:\d+|[a-z]+) \d+ \d{9,10} \d{1,6}(?: \d+){0,2}")
_PGBENCH_CELLS = ("client", "transaction", "time", "script", "seconds", "microseconds")
PGBENCH = "pgbench (log)"
_PGBENCH_FILE = re.compile(r"(.+?\.\d+)(?:\.\d+)?")
"""Name of a file of pgbench: a prefix, the number of the process, and that of the thread for all but the first."""
THREADS = "threads"
"""Kind of the finding about files of other threads."""
_YCSB_TITLE = "latency raw data: op, timestamp(ms), latency(us)"
_YCSB_ROW = r"^([A-Za-z][\w-]*),(\d{13}),(\d+)\s*$"
_YCSB_FAILED = (
    r"-(?:FAILED|ERROR|NOT_FOUND|NOT_IMPLEMENTED|UNEXPECTED_STATE|BAD_REQUEST|FORBIDDEN|SERVICE_UNAVAILABLE)$"
)
_YCSB_SECTION = re.compile(rb"^(\S+) latency raw data: op, ", re.MULTILINE)
_YCSB_INTENDED = "Intended-"
"""Beginning of the names of operations whose times count from when they were to be sent."""
_YCSB_BOTH, _YCSB_PARTS = "READ-MODIFY-WRITE", {"READ", "UPDATE"}
"""An operation that YCSB makes of two others, and these, which it measures for themselves as well."""
YCSB_END = "CLEANUP"
"""The time in which a thread closes its connection at the end."""
_LISTED = 3
"""Files that a sentence lists."""
_GOOD = pl.col("status").is_between(200, 399)


def answered_only(source: Source, tool: str) -> Finding:
    """Finding about a file from which the tool leaves out requests without an answer."""
    words = f"{tool} writes answered requests only: refused, broken and timed-out ones are missing from the file"
    return Finding("answered only", f"{source.path.name}: {words}; it prints how many there were")


class H2load:
    """`h2load --log-file`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the first line has microseconds since 1970, a status and a response time between tabs."""
        return bool(source.head) and _H2LOAD.fullmatch(source.head[0]) is not None

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out; a stream that failed has the status -1. Later versions may add columns."""
        width = source.head[0].count("\t") + 1
        cells: dict[str, Any] = dict.fromkeys(("start", "status", "elapsed"), pl.Int64)
        cells |= {f"cell {place}": pl.String for place in range(_H2LOAD_CELLS, width)}
        return Delimited(
            source,
            "h2load (log)",
            cells,
            {
                "start_ns": scaled(pl.col("start"), _US),
                "response_ns": scaled(pl.col("elapsed"), _US),
                "ok": _GOOD,
                "code": pl.when(pl.col("status") > 0).then(pl.col("status").cast(pl.String)).otherwise(pl.lit("")),
            },
            ("start", "status", "elapsed"),
            resolution_ns=_US,
            separator="\t",
            quote=None,
            begins=rb"\d{16}\t",
            even=True,
            noticed=(answered_only(source, "h2load"),),
        )


class Tsung:
    """tsung.dump, which tsung writes with `dumptraffic="protocol"`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the first line names the columns of the dump."""
        return bool(source.head) and source.head[0].startswith(_TSUNG)

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the requests out. tsung stamps them when they end; `start_ns` is worked out from that.

        It writes addresses as they are, with the semicolons in them: what follows an address tells where it ends.
        """
        names = source.head[0].removeprefix("#").split(";")
        pattern = _tsung_row(names)
        places = {name: place for place, name in enumerate(names, start=1)}

        def cell(name: str) -> pl.Expr:
            return pl.col("line").str.extract(pattern, places[name])

        duration = cell("duration").cast(pl.Float64, strict=False)
        response = (duration * _MS).round().cast(pl.Int64, strict=False)
        # A double holds microseconds since 1970, but no nanoseconds.
        end = (cell("date").cast(pl.Float64, strict=False) * 1e6).round().cast(pl.Int64, strict=False) * _US
        status = cell("HTTP status").cast(pl.Int64, strict=False)
        error = cell("error") if "error" in names else pl.lit("")
        untold = pl.when(status.is_null()).then(cell("HTTP status")).otherwise(pl.lit(""))
        return Delimited(
            source,
            "tsung (dump)",
            {"line": pl.String},
            {
                "start_ns": end - response,
                "response_ns": response,
                "label": pl.format("{} {}", cell("http method").str.to_uppercase(), cell("URL")),
                "ok": status.is_between(200, 399).fill_null(value=False) & (error == ""),
                "code": status.cast(pl.String).fill_null(""),
                "message": pl.when(error != "").then(error).otherwise(untold),
                "bytes": cell("size").cast(pl.Int64, strict=False),
            }
            | ({"group": cell("transaction")} if "transaction" in names else {}),
            ("line",),
            resolution_ns=_US,
            header=source.head[0],
            separator=WHOLE_LINE,
            quote=None,
            begins=rb"\d{10}\.\d",
            check=lambda row: _tsung_reason(row[0], names),
            broken=pl.col("line").str.contains(pattern).not_() | (pl.col("line").str.count_matches(_TSUNG_BEGIN) > 1),
            noticed=_missing_from_dump(source),
        )


def _tsung_row(names: Sequence[str]) -> str:
    """Pattern of a line of a dump: a group for each column."""
    kinds = {"date": r"\d+\.\d+", "URL": ".*", "HTTP status": r"\d{3}|error_\w+", "size": r"\d+", "duration": r"[\d.]+"}
    return f"^{';'.join(f'({kinds.get(name, _TSUNG_CELL)})' for name in names)}\\s*$"


def _tsung_reason(line: str, names: Sequence[str]) -> str | None:
    """Fault of a line of a dump."""
    if len(re.findall(_TSUNG_BEGIN, line)) > 1:
        return f"holds more than one request: {line[:200]!r}"
    if re.match(_tsung_row(names), line):
        return None
    found, wanted = line.count(";") + 1, len(names)
    if found < wanted:
        return f"has {found} cells, but there are {wanted} columns: it was cut"
    return f"is not a request of tsung: {line[:60]!r}"


def _missing_from_dump(source: Source) -> tuple[Finding, ...]:
    """Findings about a dump by tsung.log in its folder: tsung may lose its end, and dumps no refused connections."""
    log = source.path.with_name("tsung.log")
    if not log.is_file():
        words = (
            "requests without an answer may be missing from the file: tsung.log, which counts errors, is not beside it"
        )
        return (Finding("answered only", f"{source.path.name}: {words}"),)
    stated, errors = 0, Counter[str]()
    for block in Source(log).blocks(Findings()):
        for match in _TSUNG_COUNT.finditer(block):
            count = int(match[2] or (_TSUNG_VALUE.findall(match[0]) or [b"0"])[0])
            name = (match[1] or match[3]).decode()
            stated += count if name == "request" else 0
            errors[name] += count if name != "request" else 0
    found, written = [], source.matches(rb"\d{10}\.\d")
    if stated > written:
        words = f"{log.name} counts {counted(stated, 'request')}, and this file has {written:,}"
        found.append(Finding("count", f"{source.path.name}: {words}: tsung may lose what it dumps last"))
    if kinds := [f"{name} {count:,}" for name, count in sorted(errors.items()) if count]:
        words = f"{log.name} counts errors ({listed(kinds)}): requests without an answer may be missing from this file"
        found.append(Finding("answered only", f"{source.path.name}: {words}"))
    return tuple(found)


class Pgbench:
    """`pgbench --log`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the first two lines are transactions: client, number, time, script, and when it ended."""
        return bool(source.head) and all(map(_PGBENCH.fullmatch, source.head[:2]))

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the transactions out. pgbench stamps them when they end; with `--rate` they begin as scheduled.

        One that failed, or was skipped, has a word in place of its time.
        """
        width = source.head[0].count(" ") + 1
        cells: dict[str, Any] = dict.fromkeys(_PGBENCH_CELLS, pl.Int64) | {"time": pl.String}
        cells |= {f"cell {place}": pl.String for place in range(len(cells), width)}
        time = pl.col("time").cast(pl.Int64, strict=False)
        response = scaled(time.fill_null(0), _US)
        end = pl.col("seconds") * NANOSECONDS["s"] + pl.col("microseconds") * _US
        return Delimited(
            source,
            PGBENCH,
            cells,
            {
                "start_ns": end - response,
                "response_ns": response,
                "label": pl.format("script {}", pl.col("script")),
                "ok": time.is_not_null(),
                "code": pl.lit(""),
                "message": pl.when(time.is_null()).then(pl.col("time")).otherwise(pl.lit("")),
                "thread": pl.format("client {}", pl.col("client")),
            },
            _PGBENCH_CELLS,
            resolution_ns=_US,
            separator=" ",
            quote=None,
            begins=rb"\d+ \d+ [0-9a-z]+ \d+ \d{9}",
            even=True,
            check=_pgbench_reason,
            broken=time.is_null() & pl.col("time").str.contains("^[a-z]+$").not_(),
            noticed=_sampled(source),
        )


def other_threads(given: Sequence[Path]) -> tuple[Finding, ...]:
    """Finding about files of other threads of one run of pgbench, which lie in the same folder and were not given."""
    missing: dict[Path, Path] = {}
    for path in given:
        if (found := _PGBENCH_FILE.fullmatch(path.name)) is not None:
            first = path.with_name(found[1])
            files = [first, *path.parent.glob(f"{glob.escape(first.name)}.*")] if first.is_file() else []
            missing |= {file: path for file in files if _PGBENCH_FILE.fullmatch(file.name) and file not in given}
    if not missing:
        return ()
    others = sorted(missing)
    words = f"pgbench writes a file for each thread, and {listed([file.name for file in others[:_LISTED]])}"
    more = f" and {len(others) - _LISTED} more" if len(others) > _LISTED else ""
    ends = f"{more} of the same run {'were' if len(others) > 1 else 'was'} not given: counts and rates lack them"
    return (Finding(THREADS, f"{missing[others[0]].name}: {words}{ends}"),)


def runs_of(given: Sequence[Path]) -> list[tuple[Path, ...]]:
    """The files by the run that wrote them, in their order: those of the threads of one run of pgbench together."""
    runs: dict[Path, list[Path]] = {}
    for path in given:
        found = _PGBENCH_FILE.fullmatch(path.name)
        first = path if found is None else path.with_name(found[1])
        together = first != path and first in given and all(Pgbench.recognise(Source(file)) for file in (first, path))
        runs.setdefault(first if together else path, []).append(path)
    return [tuple(files) for files in runs.values()]


def _sampled(source: Source) -> tuple[Finding, ...]:
    """Finding about a log with a sample of the transactions: the numbers that each client counts have gaps."""
    rows = [tuple(map(int, line.split(" ")[:2])) for line in source.head if _PGBENCH.fullmatch(line)]
    latest: dict[int, int] = {}
    written = ran = 0
    for client, number in rows:
        step = number - latest.get(client, number)
        if step > 0:
            written, ran = written + 1, ran + step
        latest[client] = number
    if written == ran:
        return ()
    words = f"by their numbers it holds about {100 * written / ran:.2g} % of the transactions, as with --sampling-rate"
    return (
        Finding("sampled", f"{source.path.name}: {words}: its counts are those of the sample, and its rates unknown"),
    )


def _pgbench_reason(row: list[str]) -> str | None:
    return None if _PGBENCH.fullmatch(" ".join(row)) else f"is not a transaction of pgbench: {' '.join(row)[:60]!r}"


class GhzReport:
    """`ghz -O json` and `ghz -O pretty`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the file begins as a report of ghz does."""
        text = source.start.decode(source.encoding, errors="replace").lstrip("\ufeff \t\r\n")
        return text.startswith("{") and all(f'"{key}"' in text for key in _GHZ_KEYS)

    @staticmethod
    def read(source: Source) -> Held:
        """Take each call out of `details`. ghz stamps them when they end; `start_ns` is worked out from that."""
        findings = Findings()
        try:
            document: dict[str, Any] = json.loads(source.text(findings))
            calls = pl.DataFrame(
                [
                    (hit["timestamp"], hit["latency"], hit["status"], hit.get("error", ""))
                    for hit in document["details"]
                ],
                schema={"end": pl.String, "response_ns": pl.Int64, "code": pl.String, "message": pl.String},
                orient="row",
            )
            count = int(document["count"])
        except json.JSONDecodeError as error:
            raise FileError(source.path, f"is not JSON: {error.msg}", error.lineno) from None
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, pl.exceptions.PolarsError) as error:
            words = f"{type(error).__name__} {error}".partition("\n")[0]
            raise FileError(source.path, f"is not a report of ghz: {words}") from None
        if not calls.height:
            raise FileError(source.path, "holds no calls: its details are empty")
        if count != calls.height:
            findings.add("count", f"{source.path.name}: states {count:,} calls, but lists {calls.height:,}")
        end = pl.col("end").str.to_datetime(time_unit="ns", time_zone="UTC", strict=False).cast(pl.Int64)
        frame = calls.select(
            start_ns=end - pl.col("response_ns"),
            response_ns="response_ns",
            ok=pl.col("code") == "OK",
            code="code",
            message="message",
        )
        return Held(source, "ghz (JSON)", frame.sort("start_ns", maintain_order=True), noticed=findings.all())


class GhzLines:
    """`ghz -O csv` and `ghz -O influx-details`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the first line that is not empty is the header of the CSV, or a point of InfluxDB."""
        return bool(source.head) and (source.head[0] == _GHZ_CSV or source.head[0].startswith(_GHZ_BEGIN))

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the calls out. The CSV has no times; its messages may hold commas and quotation marks as they are."""
        line = pl.col("line")
        if source.head[0] == _GHZ_CSV:
            response = (line.str.extract(_GHZ_ROW, 1).cast(pl.Float64, strict=False) * _MS).round()
            status, error = line.str.extract(_GHZ_ROW, 2), line.str.extract(_GHZ_ROW, 3)
            times, step, begins = {}, _MS // 100, rb"\d+\.\d"
            joined = (status == "OK") & (error != "")
        else:
            response = line.str.extract(_GHZ_INFLUX, 1).cast(pl.Int64, strict=False)
            escaped, status = line.str.extract(_GHZ_INFLUX, 2), line.str.extract(_GHZ_INFLUX, 3)
            error = escaped.str.replace_all(r"\\(.)", "$1")
            # ghz stamps a call when it ends.
            times = {"start_ns": line.str.extract(_GHZ_INFLUX, 4).cast(pl.Int64, strict=False) - response}
            step, begins = 1, _GHZ_BEGIN.encode()
            joined = line.str.count_matches(_GHZ_BEGIN) > 1
        return Delimited(
            source,
            "ghz (CSV)" if not times else "ghz (InfluxDB)",
            {"line": pl.String},
            {
                **times,
                "response_ns": response.cast(pl.Int64, strict=False),
                "ok": status == "OK",
                "code": status.fill_null(""),
                "message": error.fill_null(""),
            },
            ("line",),
            resolution_ns=step,
            header=None if times else source.head[0],
            separator=WHOLE_LINE,
            quote=None,
            clock="wall" if times else "none",
            begins=begins,
            check=_ghz_reason,
            broken=response.is_null() | status.is_null() | joined.fill_null(value=False),
        )


def _ghz_reason(row: list[str]) -> str | None:
    # A call that succeeded has no error: what stands there is another call.
    plain = re.search(_GHZ_ROW, row[0])
    if row[0].count(_GHZ_BEGIN) > 1 or (plain and plain[2] == "OK" and plain[3]):
        return f"holds more than one call: {row[0][:200]!r}"
    if re.search(_GHZ_ROW, row[0]) or re.search(_GHZ_INFLUX, row[0]):
        return None
    return f"is not a call of ghz: {row[0][:60]!r}"


class YcsbRaw:
    """Raw data of YCSB (`measurementtype=raw`), in a file of its own or among what YCSB prints."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether one of the first lines is the title of raw data."""
        return any(line.endswith(_YCSB_TITLE) for line in source.head)

    @staticmethod
    def read(source: Source) -> Delimited:
        """Lay the operations out. YCSB stamps them when they end; `start_ns` is worked out from that.

        With `measurement.interval=both` each has two times, of which the one that the file begins with is read. One
        kind of operation is written after the other, each from the beginning of the test on.
        """
        line = pl.col("line")
        operation, stamp, time = (line.str.extract(_YCSB_ROW, place) for place in (1, 2, 3))
        response = scaled(time.cast(pl.Int64, strict=False), _US)
        row = line.str.contains(r"^[A-Za-z][\w-]*,\d")
        first = next((line for line in source.head if re.match(r"[A-Za-z][\w-]*,\d", line)), "")
        other = line.str.starts_with(_YCSB_INTENDED) != first.startswith(_YCSB_INTENDED)
        title = line.str.ends_with(_YCSB_TITLE)
        failed = operation.str.contains(_YCSB_FAILED)
        end = operation.str.strip_prefix(_YCSB_INTENDED) == YCSB_END
        kinds = [name.decode() for block in source.blocks(Findings()) for name in _YCSB_SECTION.findall(block)]
        return Delimited(
            source,
            "YCSB (raw)",
            {"line": pl.String},
            {
                "start_ns": stamp.cast(pl.Int64, strict=False) * _MS - response,
                "response_ns": response,
                "label": operation.str.replace(_YCSB_FAILED, ""),
                "ok": failed.not_(),
                "code": pl.lit(""),
                "message": pl.when(failed).then(operation).otherwise(pl.lit("")),
            },
            (),
            resolution_ns=_US,
            separator=WHOLE_LINE,
            quote=None,
            ends=True,
            keep=pl.when(title).then(None).otherwise(row & ~other & ~end.fill_null(value=False)),
            others=f"{source.path.name}: lines left out, as they are no operations, or other times of them: {{count}}",
            check=_ycsb_reason,
            broken=(row & stamp.is_null()).fill_null(value=False),
            courses=max(1, len(kinds)),
            noticed=made_of_others(source, kinds),
        )


def made_of_others(source: Source, kinds: Iterable[str]) -> tuple[Finding, ...]:
    """Finding about operations that are made of others, which are in the file as well."""
    names = {kind.removeprefix(_YCSB_INTENDED) for kind in kinds}
    if _YCSB_BOTH not in names or not names & _YCSB_PARTS:
        return ()
    words = f"holds each {_YCSB_BOTH} beside the {listed(sorted(names & _YCSB_PARTS))} that it is made of, so that both"
    return (Finding("transactions", f"{source.path.name}: {words} count; cut by label to look at one kind"),)


def _ycsb_reason(row: list[str]) -> str | None:
    if not re.match(r"[A-Za-z][\w-]*,\d", row[0]) or re.match(_YCSB_ROW, row[0]):
        return None
    return f"is not an operation of YCSB with its time in milliseconds: {row[0][:60]!r}"
