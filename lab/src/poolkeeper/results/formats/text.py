"""Texts that tools print: wrk and wrk2, and HdrHistogram's percentile distributions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.present.numbers import response, time
from poolkeeper.present.text import counted, listed
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding, Findings
from poolkeeper.results.formats.delimited import OPEN_END
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.formats.marks import POINTS
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS, NS, TIME, nanoseconds

if TYPE_CHECKING:
    from collections.abc import Collection

    from poolkeeper.results.source import Source

_COUNT = r"(\d{1,18})"
_DECIMAL = r"\d+(?:\.\d+)?"
_PERCENTILE = re.compile(rf"\s+({_DECIMAL})%\s+{TIME}\s*")
_THREADS = re.compile(rf"\s+Latency\s+{TIME}\s+{TIME}\s+{TIME}.*")
_REQUESTS = re.compile(rf"\s*{_COUNT} requests in {TIME},.*")
_RATE = re.compile(rf"Requests/sec:\s*({_DECIMAL})")
_SOCKETS = re.compile(rf"\s*Socket errors: connect {_COUNT}, read {_COUNT}, write {_COUNT}, timeout {_COUNT}")
_LAST = "Transfer/sec:"
"""Beginning of the last line of wrk's report."""
_STATUS = re.compile(rf"\s*Non-2xx or 3xx responses: {_COUNT}")
_SPECTRUM = re.compile(rf"\s*({_DECIMAL})[\s,]+({_DECIMAL})[\s,]+{_COUNT}(?:[\s,]+(?:[\d.]+|inf|Infinity))?\s*")
_SPECTRUM_HEAD = re.compile(r'\s*"?Value(?:\(ms\))?"?[\s,]+"?Percentile"?[\s,]+"?TotalCount"?.*')
_COMMAS = re.compile(r"\s*\d+,\d+\s+\d,\d+\s+\d+")
"""A row with decimal commas, as the library for Java writes it where the locale has these."""
_HALF = 0.5
_MOMENT = rf"({_DECIMAL}|-?nan|NaN)"
_MOMENTS = re.compile(rf"#\[Mean\s*=\s*{_MOMENT},\s*StdDeviation\s*=\s*{_MOMENT}\s*\]")
_MAXIMUM = re.compile(rf"#\[Max\s*=\s*({_DECIMAL}),\s*Total count\s*=\s*{_COUNT}\s*\]")
_USUAL = (0.5, 0.9, 0.95, 0.99, 0.999)
"""Levels that people ask for."""
_NEAR = 0.1
"""Share of what lies above a level by which a level is next to it."""
_CLOSE = 1.02
"""Ratio of two values up to which either stands for what lies between them."""
_ROUNDING = 1e-9
_PER_MS = 1 / NANOSECONDS["ms"]
_CONNECTIONS = re.compile(rf"\s*\d+ threads and {_COUNT} connections")
_MUCH, _IDLE = 1.1, 2.0
"""Ratios of two means that no rounding explains, and that idle connections do."""
_SOCKET_ERRORS = ("connect", "read", "write", "timeout")
_CALIBRATED = re.compile(r"\s*Thread calibration: .*")
_WRK2 = re.compile(r"\s*(?:Thread calibration: |Latency Distribution \(HdrHistogram|Req/Sec\s+-?nan).*")
"""Lines that only wrk2 prints; a rate of a thread is none where a test is too short for a calibration."""
_CUT_SPECTRUM = "ends before 100 %: it was cut off, and lacks requests and the highest percentiles"
_UNCORRECTED = "Latency Distribution (HdrHistogram - Uncorrected"
_REFUSED = "{} prints percentiles only: the largest response times themselves are gone"


class Wrk:
    """The text that wrk and wrk2 print, best with `--latency`."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether it begins as wrk's report does."""
        return any(re.match(r"Running \S+ test @ ", line) for line in source.head[:5])

    @staticmethod
    def read(source: Source) -> Held:
        """Take the numbers out of the text; raises FileError if the line with the requests is missing."""
        findings = Findings()
        text = source.text(findings).splitlines()
        lines, rest = _one_report(text)
        found = {key: _first(pattern, lines) for key, pattern in _PATTERNS.items()}
        requests, spread = found["requests"], found["threads"]
        if requests is None or found["rate"] is None:
            missing = "how many requests there were" if requests is None else "their rate, which comes after failures"
            raise FileError(source.path, f"is a report of wrk that was cut off: no line says {missing}")
        # With --u_latency a second distribution follows, which leaves out the time that requests were late.
        second_at = next((place for place, line in enumerate(lines) if _UNCORRECTED in line), len(lines))
        recorded = lines[:second_at]
        percentiles = [
            (float(row[1]) / 100, _time(row[2], row[3]))
            for row in map(_PERCENTILE.fullmatch, recorded)
            if row is not None
        ]
        status, sockets = found["status"], found["sockets"]
        times = [_time(spread[place], spread[place + 1]) for place in (1, 3, 5)] if spread else [math.nan] * 3
        scale = NANOSECONDS["ms"]
        spectrum = _spectrum(recorded, scale, printed=dict(percentiles))
        if spectrum.levels:
            times = [value * scale for value in _moments(recorded)] or times
        errors = dict(zip(_SOCKET_ERRORS, map(int, sockets.groups()), strict=True)) if sockets else {}
        second = bool(spectrum.levels) or _first(_WRK2, lines) is not None
        # A timeout of wrk is an answer that came too late for its statistics; one of wrk2 is a connection that waits.
        late = 0 if second else errors.pop("timeout", 0)
        variant = ToolSummary(
            "",
            int(requests[1]),
            int(status[1]) if status else 0,
            tuple(sorted({**dict(percentiles), **dict(spectrum.levels)}.items())),
            mean_ns=times[0],
            std_ns=times[1],
            maximum_ns=times[2],
            throughput=float(found["rate"][1]),
            unanswered=tuple((kind, number) for kind, number in errors.items() if number),
            late=min(late, int(requests[1])),
        )
        noticed = findings.all()
        noticed += spectrum.findings(source)
        if not variant.percentiles:
            noticed += (
                Finding("no percentiles", f"{source.path.name}: was printed without --latency: no percentiles"),
            )
        if second_at < len(lines):
            words = f"{source.path.name}: of its two distributions the one with the time that requests were late was"
            noticed += (Finding("uncorrected", f"{words} read, and not the uncorrected one"),)
        if spectrum.levels and (kept := _recorded(recorded)) < variant.count:
            words = f"{source.path.name}: wrk2 kept the response times of {kept:,} of {variant.count:,} requests: those"
            noticed += (Finding("calibration", f"{words} after it had calibrated itself, for ten seconds"),)
        elif not spectrum.levels and _first(_CALIBRATED, lines):
            words = f"{source.path.name}: wrk2 kept the response times of those requests alone that came after it had"
            noticed += (Finding("calibration", f"{words} calibrated itself, for ten seconds"),)
        # The connections of wrk2 wait for their turn, and are not always busy.
        if not second and (words := _beside_little(lines, requests, times[0])):
            noticed += (Finding("little", f"{source.path.name}: {words}"),)
        if not any(line.startswith(_LAST) for line in text):
            words = OPEN_END.format(found["rate"][1])
            noticed += (Finding("open end", f"{source.path.name}: {words}"),)
        if rest:
            words = f"{source.path.name}: {counted(rest, 'line')} after wrk's report were not read"
            noticed += (Finding("more text", words if rest > 1 else words.replace("were", "was")),)
        name = "wrk2 (text)" if second else "wrk (text)"
        return summary(source, name, [variant], _REFUSED.format(name.partition(" ")[0]), noticed=noticed)


class Percentiles:
    """HdrHistogram's percentile distribution, as text or CSV; also Hyperfoil's *.histogram.csv."""

    @staticmethod
    def recognise(source: Source) -> bool:
        """Whether its first line names value, percentile and count."""
        return any(_SPECTRUM_HEAD.fullmatch(line) for line in source.head[:3])

    @staticmethod
    def read(source: Source, *, unit: str | None = None) -> Held:
        """Read a table of percentiles, whose times are in `unit`, or in milliseconds."""
        findings = Findings()
        scale = nanoseconds(unit or "ms")
        lines = source.text(findings).splitlines()
        table = _spectrum(lines, scale)
        spectrum = table.levels
        if not spectrum:
            advice = f"; write decimal points: {POINTS}" if any(map(_COMMAS.match, lines)) else ""
            raise FileError(source.path, f"has no percentiles below its header{advice}", len(lines))
        if (again := _second_header(lines)) is not None:
            raise FileError(source.path, "holds another distribution from here on; give one a file", again)
        mean, std, top = (value * scale for value in _moments(lines) or (math.nan, math.nan, math.nan))
        counts = [int(row[3]) for row in map(_SPECTRUM.fullmatch, lines) if row]
        if spectrum[-1][0] < 1 or counts[-1] < max(counts) or counts[-1] < _recorded(lines):
            findings.add("cut off", f"{source.path.name}: {_CUT_SPECTRUM}")
        if math.isnan(top) and spectrum[-1][0] >= 1:
            top = spectrum[-1][1]
        half = next((value for share, value in spectrum if share >= _HALF), 0.0)
        if unit is None and half > NANOSECONDS["min"]:
            words = f"half of the values are above {time(half / NS)}, taken as milliseconds"
            findings.add("unit", f"{source.path.name}: {words}: if they are micro- or nanoseconds, say --unit us or ns")
        variant = ToolSummary(
            "", max(counts), 0, spectrum, mean_ns=mean, std_ns=std, maximum_ns=top, tells_failures=False
        )
        words = _REFUSED.format("a percentile distribution")
        noticed = (*findings.all(), *table.findings(source))
        return summary(source, "HdrHistogram percentiles", [variant], words, noticed=noticed)


_PATTERNS = {"requests": _REQUESTS, "threads": _THREADS, "rate": _RATE, "sockets": _SOCKETS, "status": _STATUS}


def _first(pattern: re.Pattern[str], lines: list[str]) -> re.Match[str] | None:
    return next((row for row in map(pattern.fullmatch, lines) if row), None)


def _beside_little(lines: list[str], requests: re.Match[str], mean_ns: float) -> str:
    """Difference of wrk's mean from that of Little's law: its connections, always busy, over its rate.

    wrk adds response times for requests that a slow one kept it from sending. It keeps no time of an answer that comes
    after its timeout, and counts nothing of connections that hang.
    """
    found = _first(_CONNECTIONS, lines)
    if found is None or not int(requests[1]) or not mean_ns > 0:
        return ""
    little_ns = int(found[1]) * _time(requests[2], requests[3]) / int(requests[1])
    shown = f"{counted(int(found[1]), 'connection')} and {int(requests[1]):,} answers make {time(little_ns / NS)}"
    if mean_ns > _MUCH * little_ns:
        words = f"wrk adds response times for requests that slow ones kept it from sending: {shown} in the mean"
        return f"{words}, not {time(mean_ns / NS)}, and its percentiles are too high likewise"
    if mean_ns < little_ns / _IDLE:
        words = f"{shown} each, but their mean is {time(mean_ns / NS)}: connections waited for answers"
        return f"{words} that came after wrk's timeout or never, and their time is not in its figures"
    return ""


def _one_report(text: list[str]) -> tuple[list[str], int]:
    """The lines of the first report of wrk, and the number of lines after it that are not empty."""
    ends = next((place for place, line in enumerate(text) if _RATE.fullmatch(line)), len(text))
    rest = [line for line in text[ends + 1 :] if line.strip() and not line.startswith(_LAST)]
    return text[: ends + 1], len(rest)


def _time(number: str, unit: str) -> float:
    return float(number) * NANOSECONDS[unit]


@dataclass(frozen=True, slots=True)
class _Spectrum:
    """Levels and values of a table of percentiles, ascending, with usual levels that it lacks."""

    levels: tuple[tuple[float, float], ...] = ()
    between: tuple[tuple[float, float, float], ...] = ()
    """Levels of which only is known that their values lie above one and up to another."""

    def findings(self, source: Source) -> tuple[Finding, ...]:
        """Finding about the levels that the table does not tell closely."""
        if not self.between:
            return ()
        ranges = [
            f"p{100 * level:g} lies between {response(low * _PER_MS)} and {response(high * _PER_MS)}"
            for level, low, high in self.between
        ]
        words = f"{source.path.name}: its rows stand for other percentiles: {listed(ranges)}; the upper end is given"
        return (Finding("between", words),)


def _spectrum(lines: list[str], scale: int, printed: Collection[float] = ()) -> _Spectrum:
    """The first table of percentiles; usual levels that it lacks and none `printed`, by its counts."""
    start = next((place for place, line in enumerate(lines) if _SPECTRUM_HEAD.fullmatch(line)), len(lines))
    rows = [
        (float(row[2]), float(row[1]) * scale, int(row[3]))
        for row in map(_SPECTRUM.fullmatch, lines[start + 1 :])
        if row
    ]
    found = {share: value for share, value, _ in rows}
    # Levels are halves of what is left: 99 % is not among them. A row counts the values up to its own, but those of
    # vegeta, which begin with 0: these are the levels again.
    total = max((count for *_, count in rows), default=0)
    counts = bool(rows) and rows[0][2] > 0
    whole = total > 0 and max(found) >= 1 - 1 / total  # otherwise it was cut off, and lacks counts
    between = []
    for level in sorted(set(_USUAL).difference(printed, found)) if whole else ():
        rank = math.ceil(level * total - _ROUNDING)
        reached = (row[2] >= rank if counts else row[0] >= level for row in rows)
        place = next((place for place, is_reached in enumerate(reached) if is_reached), 0)
        if place == 0 or rows[place][0] > level + _NEAR * (1 - level):
            continue
        (_, low, before), (_, found[level], upto) = rows[place - 1 : place + 1]
        if found[level] > _CLOSE * low and not (counts and (before, upto) == (rank - 1, rank)):
            between.append((level, low, found[level]))
    return _Spectrum(tuple(sorted(found.items())), tuple(between))


def _second_header(lines: list[str]) -> int | None:
    """Number of the line that begins a second spectrum."""
    heads = [number for number, line in enumerate(lines, start=1) if _SPECTRUM_HEAD.fullmatch(line)]
    return heads[1] if len(heads) > 1 else None


def _recorded(lines: list[str]) -> int:
    """Number of response times in a spectrum; 0 if it does not say."""
    top = _MAXIMUM.search("\n".join(lines))
    return int(top[2]) if top else 0


def _moments(lines: list[str]) -> list[float]:
    """Mean, standard deviation and maximum below a spectrum; nothing if they are not there."""
    text = "\n".join(lines)
    moments, top = _MOMENTS.search(text), _MAXIMUM.search(text)
    return [float(moments[1]), float(moments[2]), float(top[1])] if moments and top else []
