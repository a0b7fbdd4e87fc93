"""Opens result files and recognises their format by their content."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import InputError
from poolkeeper.results import hints
from poolkeeper.results.errors import FileError
from poolkeeper.results.formats import (
    columns,
    fio,
    gatling,
    hlog,
    json_reports,
    k6,
    locust,
    printed,
    taurus,
)
from poolkeeper.results.formats.csv_tools import ApacheBenchRequests, Hey, Oha, Vegeta
from poolkeeper.results.formats.goose import Goose
from poolkeeper.results.formats.held import Held
from poolkeeper.results.formats.histogram_tags import same_requests
from poolkeeper.results.formats.jmeter import jtl, jtl_xml
from poolkeeper.results.formats.json_logs import JsonLog
from poolkeeper.results.formats.marks import comma_advice
from poolkeeper.results.formats.request_logs import (
    PGBENCH,
    GhzLines,
    GhzReport,
    H2load,
    Pgbench,
    Tsung,
    YcsbRaw,
    other_threads,
)
from poolkeeper.results.formats.server_logs import ClassicLoadBalancer, Envoy, HAProxy, LoadBalancer, Traefik, W3c
from poolkeeper.results.formats.summaries import ApacheBench, Hyperfoil
from poolkeeper.results.formats.text import Percentiles, Wrk
from poolkeeper.results.results import Results
from poolkeeper.results.source import Source
from poolkeeper.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poolkeeper.results.part import Part

FORMATS: dict[str, Any] = {
    "json-report": json_reports,
    "json-log": JsonLog,
    "jtl": jtl,
    "jtl-xml": jtl_xml,
    "k6": k6,
    "gatling": gatling,
    "locust": locust,
    "hyperfoil": Hyperfoil,
    "taurus": taurus,
    "ab": ApacheBench,
    "ab-g": ApacheBenchRequests,
    "oha": Oha,
    "hey": Hey,
    "vegeta": Vegeta,
    "h2load-log": H2load,
    "tsung": Tsung,
    "pgbench": Pgbench,
    "ghz": GhzReport,
    "ghz-lines": GhzLines,
    "haproxy": HAProxy,
    "envoy": Envoy,
    "alb": LoadBalancer,
    "elb": ClassicLoadBalancer,
    "traefik": Traefik,
    "w3c": W3c,
    "ycsb-raw": YcsbRaw,
    "goose": Goose,
    "wrk": Wrk,
    "printed": printed,
    "hlog": hlog,
    "percentiles": Percentiles,
    "columns": columns,
}
"""Names of formats, in the order in which files are tried; a folder is a run record."""

_WITH_COMMAS = re.compile(r"(?:^|;)\s*\"?(\d+(?:,\d+)+(?:\.\d+)?|\d+(?:\.\d+)+,\d+)\"?\s*(?=;|$)")
_WITH_UNITS = re.compile(r"(?:^|[,;\t])\s*\"?(\d+(?:[.,]\d+)? ?(?:ns|us|µs|ms|s|sec|min))\"?\s*(?:[,;\t]|$)")
"""A number with its unit in a cell."""
_LOOKED_AT = 4096
"""Bytes that tell whether a file is binary."""
_WITH_UNIT = ("hlog", "percentiles")
_TAR = slice(257, 264), (b"ustar\0", b"ustar  ")
"""Place and beginnings of the mark of a tar archive, in which headers of files stand among their lines."""


def read(
    paths: str | Path | Iterable[str | Path],
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    unit: str | None = None,
    column: str | int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Results:
    """Open one result file or several of the same test.

    Args:
        paths: the file or files, packed or not; see `Source`.
        format: the name of the format (see `FORMATS`) instead of what the content looks like.
        unit: of plain columns: ns, us, ms, s or min; by default what the column's name ends with, or ms.
        column: of plain columns: name or place (from 0) of the response time.
        progress: called now and then with the number of rows that were read, and which share of the files' bytes they
            are (0 to 1, estimated from the length of the first lines).

    Raises InputError (FileError with line and reason where a file is at fault).
    """
    files = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    if not files:
        raise InputError("paths: there is no file to read")
    if format is not None and format not in FORMATS:
        raise InputError(unknown("format", format, FORMATS))
    parts = tuple(_part(Source(file), format, unit, column) for file in files)
    _refuse_mixed(parts)
    fio.refuse_several([part.source.path for part in parts if part.format == columns.FORMAT])
    locust.refuse_both([part.source.path for part in parts if part.format == locust.FORMAT])
    noticed = other_threads([part.source.path for part in parts if part.format == PGBENCH])
    noticed += same_requests([part for part in parts if isinstance(part, Held) and part.format == hlog.FORMAT])
    parts = (replace(parts[0], noticed=(*parts[0].noticed, *noticed)), *parts[1:])
    return Results(parts, progress)


def _part(source: Source, wanted: str | None, unit: str | None, column: str | int | None) -> Part:
    try:
        folder = source.path.is_dir()
    except OSError as error:  # a name that is too long, say
        raise FileError(source.path, f"cannot be read: {error.strerror}") from error
    if folder:
        return _record(source.path, wanted)
    _refuse_start(source, hinted=wanted is None and column is None)
    tried = FORMATS if wanted is None else (wanted,)
    begun = ((name, opened) for opened in (source, source.led) for name in tried if FORMATS[name].recognise(opened))
    found, source = next(begun, (None, source))
    if found is None:
        if wanted is None:
            raise _unknown(source)
        raise FileError(source.path, f"is not {wanted}; it begins with {source.head[0][:60]!r}", 1)
    if found == "columns":
        return columns.read(source, unit=unit, column=column)
    if column is not None or (unit is not None and found not in _WITH_UNIT):
        raise InputError(f"unit, column: {source.path} is of the format {found}, which says both itself")
    part: Part = FORMATS[found].read(source, unit=unit) if found in _WITH_UNIT else FORMATS[found].read(source)
    return part


def _refuse_start(source: Source, *, hinted: bool) -> None:
    """Raise FileError for a file whose beginning shows that it is not read, by hints too where they are wanted."""
    if not source.start.strip(b"\xef\xbb\xbf\xff\xfe\r\n\t\0 "):
        raise FileError(source.path, "cannot be unpacked, or is empty" if source.compressed else "is empty")
    if source.start[_TAR[0]].startswith(_TAR[1]):
        raise FileError(source.path, "is a tar archive; unpack it, and give the files of one test")
    if hint := hints.hint(source, column=not hinted):
        raise FileError(source.path, hint)
    if b"\r" in source.start and not any(mark in source.start for mark in (b"\n", b"\0")):
        convert = f"tr '\\r' '\\n' < {source.path.name} > converted"
        raise FileError(source.path, f"has line ends of old Macs, carriage returns alone; convert them: {convert}")


_HOLDS = {"samples": "each request", "histogram": "counts of response times", "percentiles": "what a tool computed"}
"""Content of a file of each kind, in words."""


def _refuse_mixed(parts: Sequence[Part]) -> None:
    """Raise InputError for files of several kinds, since one kind would hide the other."""
    first = parts[0]
    other = next((part for part in parts if part.kind != first.kind), None)
    if other is not None:
        held = [f"{part.source.path} holds {_HOLDS[part.kind]}" for part in (first, other)]
        raise InputError(f"files: {', and '.join(held)}: these do not make one result; give files of one kind")


def _record(folder: Path, wanted: str | None) -> Part:
    if wanted is not None or not (folder / "run.json").exists():
        raise FileError(folder, "is a folder, but no run record: it has no run.json; give the files of its results")
    return hlog.read_run_record(folder)


def _unknown(source: Source) -> FileError:
    # With a column it was not looked for before.
    if words := hints.hint(source) or hints.json_objects(source) or hints.broken_json(source):
        return FileError(source.path, words)
    if b"\0" in source.start[:_LOOKED_AT]:
        return FileError(source.path, "has no known format: it is binary", 1)
    if found := next(filter(None, map(_WITH_UNITS.search, source.head[:2])), None):
        words = (
            f"has units behind its numbers ({found[1]!r}); write the numbers alone, in one unit, and say it: --unit ms"
        )
        return FileError(source.path, words)
    problem = f"has no known format ({', '.join(FORMATS)})"
    if any(map(_WITH_COMMAS.search, source.head[:2])):
        numbers = [text for line in source.head for text in _WITH_COMMAS.findall(line)]
        problem += f"; it seems to hold numbers with commas: {comma_advice(numbers)}"
    begins = f"; it begins with {source.head[0][:60]!r}" if source.head else ""
    return FileError(source.path, f"{problem}{begins}", 1)
