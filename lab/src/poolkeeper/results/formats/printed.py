"""Texts that load generators print at the end of a test: httperf, h2load, loadtest and drill."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.formats.summaries import failing
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_NUMBER = r"(\d+(?:\.\d+)?)"
_TIME = rf"{_NUMBER}(ns|us|ms|s)"
_HUNDRED = 100.0
_H2LOAD_PERCENTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99}
"""Names of h2load since version 1.69, and their shares."""
_REFUSED = "{} prints a summary only: the response times themselves are gone"


@dataclass(frozen=True)
class Text:
    """Printed text of a tool: its name, a line that only its text has, and the function that takes the figures out."""

    tool: str
    mark: str
    read: Callable[[str], list[ToolSummary]]
    remark: Callable[[str], str] | None = None
    """Function that says in words what is peculiar about the figures; empty if nothing is."""


def recognise(source: Source) -> bool:
    """Whether the beginning has a line that one of the tools prints."""
    return _text_of(source) is not None


def read(source: Source) -> Held:
    """Take the figures out of the text; raises FileError, which names the tool, where one is missing."""
    found = _text_of(source)
    if found is None:
        names = ", ".join(text.tool for text in TEXTS)
        raise FileError(source.path, f"is not one of the printed texts that can be read: {names}")
    findings = Findings()
    text = "\n".join(source.text(findings).splitlines())
    try:
        summaries = found.read(text)
    except _MissingError as missing:
        words = f"is a text of {found.tool} that was cut off, or of another version: it has no line {missing}"
        raise FileError(source.path, words) from None
    if found.remark is not None and (words := found.remark(text)):
        findings.add("figures", f"{source.path.name}: {words}")
    return summary(source, f"{found.tool} (text)", summaries, _REFUSED.format(found.tool), noticed=findings.all())


class _MissingError(Exception):
    """A line that every whole text has is not there."""


def _text_of(source: Source) -> Text | None:
    start = "\n".join(source.head)
    return next((text for text in TEXTS if re.search(text.mark, start, re.MULTILINE)), None)


def _numbers(pattern: str, text: str, line: str) -> list[float]:
    """The numbers of a pattern; raises _MissingError with the line's name where it does not occur."""
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise _MissingError(repr(line))
    return [float(number) for number in found.groups()]


def _httperf(text: str) -> list[ToolSummary]:
    """Response times are those of connections that had one call each, otherwise only the mean of the replies."""
    replies, seconds = _numbers(rf"^Total: .* replies (\d+) test-duration {_NUMBER} s", text, "Total:")
    codes = _numbers(r"^Reply status: 1xx=(\d+) 2xx=(\d+) 3xx=(\d+) 4xx=(\d+) 5xx=(\d+)", text, "Reply status:")
    response, transfer = _numbers(rf"^Reply time \[ms\]: response {_NUMBER} transfer {_NUMBER}", text, "Reply time")
    times = re.search(
        rf"^Connection time \[ms\]: min {_NUMBER} avg {_NUMBER} max {_NUMBER} median {_NUMBER} stddev {_NUMBER}",
        text,
        re.MULTILINE,
    )
    single = times is not None and replies and "Connection length [replies/conn]: 1.000" in text
    least, most, median, std = (float(times[place]) for place in (1, 3, 4, 5)) if single and times else [math.nan] * 4
    _numbers(r"^Errors: fd-unavail .* other (\d+)$", text, "Errors: fd-unavail")
    errors = re.findall(r"([a-z-]+) (\d+)", "".join(re.findall(r"^Errors:(.*)$", text, re.MULTILINE)))
    lost = tuple((kind, int(count)) for kind, count in errors if kind != "total" and int(count))
    return [
        ToolSummary(
            "",
            int(replies),
            int(codes[3] + codes[4]),
            () if math.isnan(median) else ((0.5, median * _MS),),
            std_ns=std * _MS,
            minimum_ns=least * _MS,
            maximum_ns=most * _MS,
            mean_ns=(response + transfer) * _MS if replies else math.nan,
            throughput=replies / seconds if seconds > 0 else math.nan,
            unanswered=lost,
            lost=sum(count for _, count in lost),
            kinds=failing((("4xx", codes[3]), ("5xx", codes[4])), lost),
        )
    ]


def _h2load(text: str) -> list[ToolSummary]:
    """Response times are those of answered requests."""
    started, done, succeeded, failed, errored, timeout = _numbers(
        r"^requests: \d+ total, (\d+) started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout",
        text,
        "requests:",
    )
    rate = _numbers(rf"^finished in [\d.]+\w+, {_NUMBER} req/s", text, "finished in")
    times = _h2load_times(text)
    codes = "".join(re.findall(r"^status codes: (.*)$", text, re.MULTILINE))
    # What was never sent, or got no answer, is errored; timeouts are among them.
    kinds = (("errored", int(errored - min(timeout, errored))), ("timeout", int(timeout)))
    return [
        ToolSummary(
            "",
            int(done),
            max(0, int(min(failed - errored, done - succeeded))),
            tuple((share, times[name]) for name, share in _H2LOAD_PERCENTILES.items() if name in times),
            mean_ns=times["mean"],
            std_ns=times["sd"],
            minimum_ns=times["min"],
            maximum_ns=times["max"],
            throughput=rate[0],
            unanswered=tuple((kind, count) for kind, count in kinds if count),
            lost=int(max(errored, timeout)),
            cut_off=0 if errored else int(max(0, started - done)),
            kinds=failing(((code, count) for count, code in re.findall(r"(\d+) ([1-5]xx)", codes)), kinds),
        )
    ]


def _h2load_times(text: str) -> dict[str, float]:
    """Times of requests in nanoseconds by the names above them, of which later versions have more."""
    table = re.search(r"^ +(min +max.*?) +\+/- sd *\n(?:time for )?request *:(.*)$", text, re.MULTILINE)
    if table is None:
        raise _MissingError("'time for request:', or 'request :', below the names of its figures")
    names = table[1].split()
    found = [float(number) * NANOSECONDS[unit] for number, unit in re.findall(_TIME, table[2])]
    if len(names) != len(found) or not {"mean", "sd"} <= set(names):
        raise _MissingError("with a time of requests for each of its names")
    return dict(zip(names, found, strict=True))


def _loadtest(text: str) -> list[ToolSummary]:
    """An answer of 400 or more, and a request without an answer, are errors alike."""
    count, errors = _numbers(r"^Completed requests:\s+(\d+)\nTotal errors:\s+(\d+)", text, "Completed requests:")
    mean = _numbers(rf"^Mean latency:\s+{_NUMBER} ms", text, "Mean latency:")
    rate = _numbers(rf"^Effective rps:\s+{_NUMBER}", text, "Effective rps:")
    times = {float(share): float(time) for share, time in re.findall(rf"^ +(\d+)% +{_NUMBER} ms", text, re.MULTILINE)}
    if _HUNDRED not in times:
        raise _MissingError("'100%'")
    return [
        ToolSummary(
            "",
            int(count),
            min(int(count), int(errors)),
            tuple((share / 100, time * _MS) for share, time in sorted(times.items()) if share < _HUNDRED),
            mean_ns=mean[0] * _MS,
            maximum_ns=times[_HUNDRED] * _MS,
            throughput=rate[0],
        )
    ]


def _loadtest_remark(text: str) -> str:
    """That response times are also those of errors, such as refused connections, which it does not tell apart."""
    count, errors = _numbers(r"^Completed requests:\s+(\d+)\nTotal errors:\s+(\d+)", text, "Completed requests:")
    if not errors:
        return ""
    words = f"its response times are those of all {count:,.0f} requests"
    return f"{words}, and among the {errors:,.0f} errors some may have got no answer"


def _drill(text: str) -> list[ToolSummary]:
    """Figures of each name of the plan, then those of all."""
    blocks: list[dict[str, float]] = []
    names: list[str] = []
    for line in text.splitlines():
        found = re.fullmatch(
            rf"(.*?)\s*(Total requests|Failed requests|Average time per request|Median time per request"
            rf"|Sample standard deviation|Max time per request|\d+(?:\.\d+)?'th percentile)\s+{_NUMBER}(ns|ms|)",
            line,
        )
        if found is None:
            continue
        if found[2] == "Total requests":
            blocks.append({})
            names.append(found[1])
        if blocks and (found[4] or found[2].endswith("requests")):
            blocks[-1][found[2]] = float(found[3]) * (NANOSECONDS[found[4]] if found[4] else 1)
    rate = re.search(rf"^Requests per second\s+{_NUMBER}", text, re.MULTILINE)
    if rate is None or not blocks:
        raise _MissingError("'Requests per second' (drill prints it with --stats)")
    if missing := blocks[0].keys() - blocks[-1].keys():
        raise _MissingError(f"{min(missing)!r} of all requests")
    return [
        _drill_block(name, block, float(rate[1]) if not name else math.nan)
        for name, block in zip(names, blocks, strict=True)
    ]


def _drill_block(name: str, block: dict[str, float], rate: float) -> ToolSummary:
    levels = {float(key.partition("'")[0]): time for key, time in block.items() if key.endswith("percentile")}
    levels[50.0] = block.get("Median time per request", math.nan)
    return ToolSummary(
        name,
        int(block["Total requests"]),
        int(block.get("Failed requests", 0)),
        tuple((level / 100, time) for level, time in sorted(levels.items()) if not math.isnan(time)),
        mean_ns=block.get("Average time per request", math.nan),
        std_ns=block.get("Sample standard deviation", math.nan),
        maximum_ns=block.get("Max time per request", math.nan),
        throughput=rate,
    )


def _drill_remark(text: str) -> str:
    return "" if re.search(r"\dns$", text, re.MULTILINE) else "drill rounds to whole milliseconds; --nanosec keeps them"


TEXTS = (
    Text("httperf", r"^Total: connections \d+ requests \d+ replies \d+ test-duration", _httperf),
    Text("h2load", r"^requests: \d+ total, \d+ started, \d+ done", _h2load),
    Text("loadtest", r"^Completed requests: .*\nTotal errors:", _loadtest, _loadtest_remark),
    Text("drill", r"Total requests +\d+\n.*Successful requests +\d+", _drill, _drill_remark),
)
