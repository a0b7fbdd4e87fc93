"""Summaries as CSV: Hyperfoil's, and the base of all such files."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import TYPE_CHECKING

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.delimited import OPEN_END
from poolkeeper.results.formats.header import first_row, has_columns
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.formats.marks import comma_advice
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_AB_COLUMNS = ("Percentage served", "Time in ms")
_ALL = 100.0
_AB_LAST = 99.0
"""Percentile that the table of any version of ab has."""
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
_MOST = 1e18
"""Bound of a count."""
_AB = "ab -e writes percentiles only"
GOOD = range(200, 400)
"""Statuses of HTTP that are a success."""
_UNANSWERED = {
    "ConnectionErrors": "errors of connections",
    "RequestTimeouts": "timeouts",
    "InternalErrors": "internal errors",
}
"""Columns of Hyperfoil that count requests without an answer."""
_BAD_STATUS = re.compile(r"(?:.*\.)?(?:[45]xx|OtherStatus)")
"""Columns of Hyperfoil that count answers by a status of failure."""
_HYPERFOIL = "Hyperfoil writes percentiles only: the largest response times themselves are gone"


class Hyperfoil:
    """Hyperfoil's report as CSV: total.csv and the *.series.csv in the same folder."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the header has the columns of a Hyperfoil summary."""
        return has_columns(source, "Requests", "Responses", "Mean", "StdDev", "Min")

    @staticmethod
    def read(source: Source) -> Held:
        """Take the statistics of each phase and metric, as the label "phase/metric"; times there are nanoseconds."""
        noticed = Findings()
        summaries = [_hyperfoil(source, line, row) for line, row in csv_rows(source, noticed)]
        if not summaries:
            raise FileError(source.path, "holds no requests, only a header")
        return summary(source, "Hyperfoil (CSV)", summaries, _HYPERFOIL, noticed=noticed.all())


class ApacheBench:
    """Percentiles of `ab -e`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether the header is that of ab's percentiles."""
        return has_columns(source, *_AB_COLUMNS)

    @staticmethod
    def read(source: Source) -> Held:
        """Take the percentiles, in milliseconds; the file does not say how many requests there were."""
        noticed = Findings()
        rows = [
            tuple(csv_number(source, line, name, row[name]) for name in _AB_COLUMNS)
            for line, row in csv_rows(source, noticed)
        ]
        if not rows:
            raise FileError(source.path, "holds no percentiles, only a header")
        times = {percent: time * _MS for percent, time in rows}
        percentiles = tuple((percent / 100, time) for percent, time in times.items() if 0 < percent < _ALL)
        if max(times) < _AB_LAST:
            noticed.add("cut off", f"{source.path.name}: ends with {max(times):g} %: it was cut off, as ab goes on")
        ends = times.get(0.0, math.nan), times.get(_ALL, math.nan)
        found = ToolSummary("", 0, 0, percentiles, minimum_ns=ends[0], maximum_ns=ends[1], counted=False)
        return summary(source, "ab (percentiles)", [found], _AB, noticed=noticed.all())


def csv_rows(source: Source, noticed: Findings) -> Iterator[tuple[int, dict[str, str]]]:
    """The line and the cells by name of each row; a last one that was cut off is left out."""
    text = source.text(noticed)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=first_row(source)[0])
    names: list[str] = []
    for row in reader:
        if not names:
            names = row
        elif len(row) == len(names):
            if reader.line_num > text.count("\n") and not text.endswith(("\n", '"')):
                noticed.add("open end", f"{source.path.name}: {OPEN_END.format(row[-1][:40])}")
            yield reader.line_num, dict(zip(names, row, strict=True))
        elif row and reader.line_num >= text.count("\n") and not text.endswith("\n"):
            noticed.add("cut off", f"{source.path.name}: the last line is cut off and was left out")
        elif row:
            raise FileError(source.path, f"has {len(row)} cells, the header has {len(names)}", reader.line_num)


def _hyperfoil(source: Source, line: int, row: dict[str, str]) -> ToolSummary:
    def number(name: str) -> float:
        return csv_number(source, line, name, row.get(name, ""))

    def counted(name: str) -> int:
        return csv_count(source, line, name, row.get(name, ""))

    percentiles = tuple((float(name[1:]) / 100, number(name)) for name in row if re.fullmatch(r"p\d+(?:\.\d+)?", name))
    length = (number("End") - number("Start")) / 1000 if "Start" in row and "End" in row else 0.0
    answers, silent = counted("Responses"), max(0, counted("Requests") - counted("Responses"))
    kinds = [(kind, counted(name)) for name, kind in _UNANSWERED.items() if name in row]
    # An error of Hyperfoil's own may come with an answer or in its place.
    lost = min(silent, sum(count for _, count in kinds))
    # A status of failure makes an answer invalid, unless the benchmark says otherwise (`autoRangeCheck`).
    by_status = {name: counted(name) for name in row if _BAD_STATUS.fullmatch(name)}
    errors = (
        sum(count for _, count in kinds)
        - lost
        + max(sum(by_status.values()), counted("Invalid") if "Invalid" in row else 0)
    )
    return ToolSummary(
        "/".join(row[name] for name in ("Phase", "Metric", "Name") if name in row),
        answers,
        min(answers, errors),
        percentiles,
        mean_ns=number("Mean"),
        std_ns=number("StdDev"),
        minimum_ns=number("Min"),
        maximum_ns=number("Max"),
        throughput=answers / length if length > 0 else math.nan,
        unanswered=tuple((kind, count) for kind, count in kinds if count) if lost else (),
        lost=lost,
        cut_off=silent - lost,
        kinds=_hyperfoil_kinds(by_status, kinds),
        at_ns=int(number("Start")) * _MS if "Start" in row and "Phase" not in row else None,
    )


def _hyperfoil_kinds(
    by_status: Mapping[str, int], errors: Iterable[tuple[str, int]]
) -> tuple[tuple[str, str, int], ...]:
    """Kinds of failures out of columns such as "4xx" or "HTTP.4xx", and those of errors."""
    named = [(name.rpartition(".")[2], count) for name, count in by_status.items()]
    others = [("another status", count) for name, count in named if not name.endswith("xx")]
    return failing([pair for pair in named if pair[0].endswith("xx")], [*others, *errors])


def csv_number(source: Source, line: int, name: str, text: str) -> float:
    """The number in a cell, NaN for none; raises FileError, naming line and column, for another text."""
    if text in {"N/A", ""}:
        return math.nan
    try:
        return float(text)
    except ValueError:
        advice = f"; {comma_advice([text])}" if _DECIMAL_COMMA.fullmatch(text) else ""
        raise FileError(source.path, f"{name} is not a number: {text!r}{advice}", line) from None


def csv_count(source: Source, line: int, name: str, text: str) -> int:
    """The count in a cell. Raises FileError, naming line and column, for another text."""
    number = csv_number(source, line, name, text)
    if not 0 <= number < _MOST or number % 1:
        raise FileError(source.path, f"{name} is no count: {text!r}", line)
    return int(number)


def figure(values: Mapping[str, Any], *names: str, scale: float = _MS) -> float:
    """The first of these figures that is there, in nanoseconds; NaN if none is."""
    found = next((values[name] for name in names if values.get(name) is not None), math.nan)
    return float(found) * scale


def quantiles(values: Mapping[str, Any], pattern: str, scale: float) -> tuple[tuple[float, float], ...]:
    """Quantiles out of names such as p99, p97_5, p(95) or 99th."""
    found = []
    for name, value in values.items():
        if value is not None and (match := re.fullmatch(pattern, name)):
            found.append((float(match[1].replace("_", ".")) / 100, float(value) * scale))
    return tuple(sorted(found))


def failing(
    codes: Iterable[tuple[str, Any]], errors: Iterable[tuple[str, int]] = ()
) -> tuple[tuple[str, str, int], ...]:
    """Kinds of failures by code and message: answers with a bad status, such as 503 or 5xx, then other errors."""
    bad = ((str(code), "", int(count)) for code, count in codes if _is_bad(str(code)))
    return tuple(kind for kind in (*bad, *(("", message, count) for message, count in errors)) if kind[-1])


def _is_bad(code: str) -> bool:
    """Whether a status or a class of them is one of failures; 0 is no status."""
    status = int(code.replace("xx", "00"))
    return status != 0 and status not in GOOD


def answers_of(codes: Iterable[tuple[str, Any]]) -> tuple[int, int]:
    """Answers and failures among them, by their status."""
    counts = [(int(code), int(count)) for code, count in codes]
    return sum(count for _, count in counts), sum(count for code, count in counts if code not in GOOD)
