"""Locust's `--csv`: its statistics, and their history."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from poolkeeper.errors import InputError
from poolkeeper.present.text import counted
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.header import has_columns
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.formats.summaries import csv_count, csv_number, csv_rows
from poolkeeper.results.source import Source
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FORMAT = "Locust (CSV)"
_MS = NANOSECONDS["ms"]
_REFUSED = "Locust rounds response times to two significant digits, and writes percentiles only"
_UNFINISHED = "it writes them once a second and not at the end, so that requests of the last second may be missing"
_WINDOW = "percentiles of a line of the history are those of the last ten seconds before it"
_STATISTICS = (
    ("Type", "Name", "Request Count", "Failure Count"),
    ("Type", "Name", "# requests", "# failures"),
    ("Method", "Name", "# requests", "# failures"),
)
_HISTORY = ("Timestamp", "User Count", "Type", "Name")
_FORMER = {
    "Method": "Type",
    "# requests": "Request Count",
    "# failures": "Failure Count",
    "Median response time": "Median Response Time",
    "Average response time": "Average Response Time",
    "Min response time": "Min Response Time",
    "Max response time": "Max Response Time",
}
"""Names of columns before Locust 1.0."""
_FAILURES = ["Method", "Name", "Error", "Occurrences"]
_FILE = re.compile(r"(.*)_stats(?:_history)?\.csv")
"""File name of the statistics or their history; that of the failures differs in its end."""
_LACKED_S = 2
"""Seconds after the last line of a history in which requests may have ended."""
_LISTED = 3
"""Names that a finding lists."""
_FORMERLY = "# requests"
"""Column that versions before 1.0 name so."""
_TOTAL = ("Aggregated", "Total")
"""Names of the row of all requests, since 0.13 and before, which has none of their types: a request may have such a
name as well."""
_NO_TYPE = ("", "None")

_Row = tuple[int, dict[str, str]]


def recognise(source: Source) -> bool:
    """Whether the header, in quotation marks or without, is that of the statistics or of their history."""
    return any(has_columns(source, *names) for names in (*_STATISTICS, _HISTORY))


def read(source: Source) -> Held:
    """Take the statistics of each name, and those of all ("Aggregated") under an empty label.

    The history holds totals since the start: the last line is the summary of the test, and the differences between two
    lines are those of the time between them, with its users. Percentiles there are those of the last seconds before.
    """
    noticed = Findings()
    rows = [
        (line, {_FORMER.get(name, name): cell for name, cell in row.items()}) for line, row in csv_rows(source, noticed)
    ]
    rows = _with_failures(source, rows, noticed)
    total = [(line, row) for line, row in rows if _is_total(row)]
    if not rows or ("Timestamp" in rows[0][1] and not total):
        raise FileError(source.path, "holds no requests, only a header")
    if "Timestamp" in rows[0][1]:
        summaries = _over_time(source, total, noticed)
        _check(source, _last_of_each(rows), total[-1], noticed)
    else:
        summaries = [_summary(source, row) for row in rows]
        if total:
            _check(source, rows, total[-1], noticed)
        else:
            noticed.add(
                "cut off", f"{source.path.name}: has no line of all requests, with which it ends: it was cut off"
            )
    if _agrees_with_failures(source, rows, noticed):
        kinds = _kinds(source)
        summaries = [replace(each, kinds=() if each.label or each.at_ns is not None else kinds) for each in summaries]
    window = f"; {_WINDOW}" if "Timestamp" in rows[0][1] else ""
    noticed.add("rounded", f"{source.path.name}: {_REFUSED}; {_UNFINISHED}{window}")
    return summary(source, FORMAT, summaries, _REFUSED, noticed=noticed.all())


def refuse_both(paths: Sequence[Path]) -> None:
    """Raise InputError for the statistics of a test and their history, which hold the same requests."""
    tests: dict[tuple[Path, str], str] = {}
    for path in paths:
        found = _FILE.fullmatch(path.name)
        if found is None:
            continue
        other = tests.setdefault((path.parent, found[1]), path.name)
        if other != path.name:
            raise InputError(f"files: {other} and {path.name} hold the same requests of one test: give one of them")


def _with_failures(source: Source, rows: list[_Row], noticed: Findings) -> list[_Row]:
    """The rows with their failures among the requests, where a version counted them beside these.

    Only more failures than requests show it for sure.
    """
    if not has_columns(source, _FORMERLY) or not any(row["Name"] == _TOTAL[1] and _is_total(row) for _, row in rows):
        return rows
    counts = [[csv_count(source, *_cell(row, name)) for name in ("Request Count", "Failure Count")] for row in rows]
    requests, failures = next(pair for pair, (_, row) in zip(counts, rows, strict=True) if _is_total(row))
    if not failures:
        return rows
    of = f"{failures:,} of {counted(requests + failures, 'request')} failed"
    if all(failed <= answered for answered, failed in counts):
        words = f"versions before 0.10 count failures beside the requests: if one of these wrote it, {of}"
        noticed.add("failures", f"{source.path.name}: {words}")
        return rows
    words = (
        f"counts failures beside the requests, as versions before 0.10 do: {of}, and its rates are those of the rest"
    )
    noticed.add("failures", f"{source.path.name}: {words}")
    return [
        (line, row | {"Request Count": str(answered + failed)})
        for (line, row), (answered, failed) in zip(rows, counts, strict=True)
    ]


def _is_total(row: dict[str, str]) -> bool:
    """Whether a row holds the figures of all requests."""
    return row["Name"] in _TOTAL and row["Type"] in _NO_TYPE


def _cell(row: _Row, name: str) -> tuple[int, str, str]:
    """Line, name and text of a cell, for `csv_number` and `csv_count`."""
    line, cells = row
    return line, name, cells.get(name, "")


def _check(source: Source, rows: Sequence[_Row], total: _Row, noticed: Findings) -> None:
    """Compare the totals with the sums over the names, if the file has any."""
    prefix = "Total " if "Timestamp" in rows[0][1] else ""
    named = [row for row in rows if not _is_total(row[1])]
    for name, thing in (("Request Count", "request"), ("Failure Count", "failure")):
        stated = csv_count(source, *_cell(total, prefix + name))
        added = sum(csv_count(source, *_cell(row, prefix + name)) for row in named)
        if named and added != stated:
            words = f"its total is {counted(stated, thing)}, but its names add up to {added:,}"
            noticed.add("count", f"{source.path.name}: {words}")


def _agrees_with_failures(source: Source, rows: Sequence[_Row], noticed: Findings) -> bool:
    """Whether Locust's file of failures in the same folder exists, and has the failures of the same test.

    A history without names has their total alone, and ends a second or so before the file of failures is written: that
    has those of the end as well. What came before the totals began anew is in neither file.
    """
    listed = _listed_failures(source, noticed)
    if listed is None:
        return False
    prefix = "Total " if "Timestamp" in rows[0][1] else ""
    stated = {
        (row["Type"], row["Name"]): csv_count(source, *_cell((line, row), f"{prefix}Failure Count"))
        for line, row in _last_of_each(rows)
    }
    named = {key: count for key, count in stated.items() if not (key[1] in _TOTAL and key[0] in _NO_TYPE)}
    if named:
        counts = [(" ".join(key).strip(), named.get(key), listed.get(key, 0)) for key in {**named, **listed}]
    else:
        counts = [("all names", sum(stated.values()), sum(listed.values()))]
    differ = [
        f"{name}: {'a name that is not here' if count is None else f'{count:,} here'}, {other:,} there"
        for name, count, other in counts
        if count != other
    ]
    if differ:
        more = f", and {counted(len(differ) - _LISTED, 'more name')}" if len(differ) > _LISTED else ""
        failures = _failures_of(source)
        file = failures.path.name if failures else ""
        shown = f"{'; '.join(differ[:_LISTED])}{more}"
        later = sum(other - (count or 0) for _, count, other in counts)
        if prefix and all(other >= (count or 0) for _, count, other in counts) and later <= _most_at_end(source, rows):
            words = (
                f"lacks {counted(later, 'failure')} of its end that {file} has ({shown}): they are not in its figures"
            )
            noticed.add("failures", f"{source.path.name}: {words}")
            return True
        words = f"its failures differ from those in {file} ({shown})"
        noticed.add("failures", f"{source.path.name}: {words}: these may be files of two tests")
    return not differ


def _most_at_end(source: Source, rows: Sequence[_Row]) -> int:
    """Most requests that a history may lack: those of two seconds."""
    totals = [row for row in rows if _is_total(row[1])]
    counts = [csv_count(source, *_cell(row, "Total Request Count")) for row in totals]
    return _LACKED_S * max((after - before for before, after in pairwise(counts)), default=0)


def _kinds(source: Source) -> tuple[tuple[str, str, int], ...]:
    """The kinds of failures in the file of failures, the most frequent first; it has no codes."""
    failures = _failures_of(source)
    rows = [] if failures is None else csv_rows(failures, Findings())
    found = [("", f"{row['Method']} {row['Name']}: {row['Error']}".strip(), int(row["Occurrences"])) for _, row in rows]
    return tuple(sorted(found, key=lambda kind: -kind[2]))


def _failures_of(source: Source) -> Source | None:
    """The file of failures in the same folder."""
    found = _FILE.fullmatch(source.path.name)
    path = source.path.with_name(f"{found[1]}_failures.csv") if found else None
    return Source(path) if path is not None and path.is_file() else None


def _listed_failures(source: Source, noticed: Findings) -> dict[tuple[str, str], int] | None:
    """Occurrences by method and name in the file of failures; None where there is none."""
    failures = _failures_of(source)
    if failures is None or next(csv.reader(failures.head[:1]), [])[:4] != _FAILURES:
        return None
    counts: dict[tuple[str, str], int] = {}
    for line, row in csv_rows(failures, noticed):
        key = row["Method"], row["Name"]
        counts[key] = counts.get(key, 0) + csv_count(failures, line, "Occurrences", row["Occurrences"])
    return counts


def _last_of_each(rows: Sequence[_Row]) -> list[_Row]:
    """The last row of each type and name."""
    return list({(row["Type"], row["Name"]): (line, row) for line, row in rows}.values())


def _summary(source: Source, row: _Row, total: str = "") -> ToolSummary:
    def number(name: str) -> float:
        return csv_number(source, *_cell(row, name))

    # Names of several types of requests may be alike; Locust's JSON has both as well.
    name = f"{row[1]['Type']} {row[1]['Name']}".strip()
    mean, least, most = (number(f"{total}{which} Response Time") for which in ("Average", "Min", "Max"))
    if mean == most == 0:  # no request took no time at all: these had no response time
        mean = least = most = math.nan
    return ToolSummary(
        "" if _is_total(row[1]) else name,
        csv_count(source, *_cell(row, f"{total}Request Count")),
        csv_count(source, *_cell(row, f"{total}Failure Count")),
        _percentiles(source, row),
        mean_ns=mean * _MS,
        minimum_ns=least * _MS,
        maximum_ns=most * _MS,
        throughput=number("Requests/s"),
    )


def _or_0(mean_ns: float) -> float:
    return 0.0 if math.isnan(mean_ns) else mean_ns


def _percentiles(source: Source, row: _Row) -> tuple[tuple[float, float], ...]:
    found = tuple(
        (float(name[:-1]) / 100, csv_number(source, *_cell(row, name)) * _MS)
        for name, text in row[1].items()
        if re.fullmatch(r"\d+(?:\.\d+)?%", name) and text != "N/A"
    )
    if not found and "Timestamp" not in row[1]:  # before version 0.13 the other ones are in a file of their own
        found = ((0.5, csv_number(source, *_cell(row, "Median Response Time")) * _MS),)
    # Locust writes zeros in the first rows of a history, before it has looked at any response time.
    return found if any(time for _, time in found) else ()


def _over_time(source: Source, rows: Sequence[_Row], noticed: Findings) -> list[ToolSummary]:
    """The summary of the test out of the last row, then one of the time between every two rows."""
    rows = sorted(rows, key=lambda row: csv_number(source, *_cell(row, "Timestamp")))
    at = [csv_count(source, *_cell(row, "Timestamp")) for row in rows]
    users = [csv_number(source, *_cell(row, "User Count")) for row in rows]
    totals = [_summary(source, row, "Total ") for row in rows]
    found = []
    left_out = 0
    before = ToolSummary("", 0, 0, mean_ns=0.0)
    for place, now in enumerate(totals):
        if now.count < before.count:
            left_out += before.count
            noticed.add(
                "reset",
                f"{source.path.name}: line {rows[place][0]:,}: the totals begin anew, as with --reset-stats; "
                f"{counted(left_out, 'request')} before are not in the total",
            )
            before = ToolSummary("", 0, 0, mean_ns=0.0)
        seconds = at[place] - at[place - 1] if place else 0
        count = now.count - before.count
        spent = now.count * _or_0(now.mean_ns) - before.count * _or_0(before.mean_ns)
        found.append(
            ToolSummary(
                "",
                count,
                now.errors - before.errors,
                now.percentiles,
                mean_ns=spent / count if count else math.nan,
                throughput=count / seconds if seconds > 0 else math.nan,
                users=users[place],
                at_ns=at[place] * NS,
            )
        )
        before = now
    # Locust writes on before the first user and after the last one: a rate is that of the time with requests.
    busy = [place for place, between in enumerate(found) if between.count]
    early = totals[0].count  # nothing tells in how long the requests before the first line came
    last, length = totals[-1], at[busy[-1]] - at[max(0, busy[0] - 1)] if busy else 0
    whole = ToolSummary(
        "",
        last.count,
        last.errors,
        mean_ns=last.mean_ns,
        minimum_ns=last.minimum_ns,
        maximum_ns=last.maximum_ns,
        throughput=(last.count - early) / length if length > 0 and not left_out else math.nan,
    )
    return [whole, *found]
