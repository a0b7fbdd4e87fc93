"""JSON reports of load generators: summaries that they computed themselves."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.present.numbers import response
from poolkeeper.present.text import counted
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats import artillery, autocannon
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.formats.k6_points import CHECKS, DROPPED, checks_words, dropped_words
from poolkeeper.results.formats.summaries import GOOD, answers_of, failing, figure, quantiles
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_REFUSED = "{} reports hold percentiles only: the response times themselves are gone"
_DEADLINE = "aborted due to deadline"
"""Name under which oha counts the requests that were under way when its time was over."""
_SIEGE_ROUNDED_S, _SIEGE_FINE_S = 0.0051, 1.0
"""Largest error by which siege rounds times, with a margin, and the time below which that is coarse, in seconds."""
_LARGEST = 64 << 20
"""Bytes of a report; a larger file holds something else."""


@dataclass(frozen=True)
class Report:
    """A tool's report: its name, the keys that only its reports have, and the function that reads one."""

    name: str
    keys: tuple[str, ...]
    read: Callable[[Any], list[ToolSummary]]
    requests: Callable[[Any], int | None] | None = None
    """Function that takes the number of requests out of a report, where it states one beside answers and failures."""
    remark: Callable[[Any], str] | None = None
    """Function that says in words what is peculiar about the figures of a report; empty if nothing is."""
    refused: str = ""
    """Why there is nothing to read in such a report."""


def recognise(source: Source) -> bool:
    """Whether the file begins as JSON and holds the keys of one of the reports."""
    return _report_of(source) is not None


def read(source: Source) -> Held:
    """Read the figures of a report. Raises FileError for broken JSON or a missing figure."""
    report = _report_of(source)
    if report is None:
        raise FileError(
            source.path,
            f"is not one of the JSON reports that can be read: {', '.join(dict.fromkeys(r.name for r in REPORTS))}",
        )
    if report.refused:
        raise FileError(source.path, report.refused)
    findings = Findings()
    try:
        document = json.loads(_json_of(source.text(findings), report))
        _refuse_list(document, report)
        found = report.read(document)
        requests = None if report.requests is None else report.requests(document)
        words = "" if report.remark is None else report.remark(document)
    except json.JSONDecodeError as error:
        raise FileError(source.path, f"is not JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise FileError(source.path, f"is no {report.name} report: its JSON is nested too deeply") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise FileError(source.path, f"is no {report.name} report: {reason}") from None
    # The total has no label; parts beside it would count twice.
    added = sum(entry.requests for entry in [entry for entry in found if not entry.label] or found)
    if requests is not None and requests != added:
        stated = f"states {counted(requests, 'request')}, but its answers and failures add up to {added:,}"
        findings.add("count", f"{source.path.name}: {stated}")
    if words:
        findings.add("figures", f"{source.path.name}: {words}")
    return summary(source, f"{report.name} (JSON report)", found, _REFUSED.format(report.name), noticed=findings.all())


def _report_of(source: Source) -> Report | None:
    text = source.start.decode(source.encoding, errors="replace").lstrip("\ufeff \t\r\n")
    if not text.startswith(("{", "[", "\x1b")) or text.partition("\n")[0].startswith('{"type":"Metric"'):
        return None
    if source.path.is_file() and source.path.stat().st_size > _LARGEST:
        return None
    return next((report for report in REPORTS if all(f'"{key}"' in text for key in report.keys)), None)


def _refuse_list(document: Any, report: Report) -> None:
    """Raise ValueError for several reports in a list, or for one of Locust in none."""
    if isinstance(document, list) != (report.read is _locust):
        words = "a list of them" if isinstance(document, list) else "no list"
        raise ValueError(f"it is {words}, and each report has a file of its own")


def _json_of(text: str, report: Report) -> str:
    """The report itself: siege writes it below its messages where both go to one file."""
    return text[text.index("{") :] if report.read is _siege else text


def _k6(document: Any) -> list[ToolSummary]:
    metrics = _k6_metrics(document)
    times, requests = metrics["http_req_duration"], metrics["http_reqs"]
    percentiles = dict(quantiles(times, r"p\(([\d.]+)\)", _MS))
    percentiles |= {0.5: figure(times, "med")} if "med" in times else {}
    return [
        ToolSummary(
            "",
            int(requests["count"]),
            int(metrics.get("http_req_failed", {}).get("passes", 0)),
            tuple(sorted(percentiles.items())),
            mean_ns=figure(times, "avg"),
            minimum_ns=figure(times, "min"),
            maximum_ns=figure(times, "max"),
            throughput=float(requests.get("rate", math.nan)),
        )
    ]


def _k6_results(document: Any) -> list[ToolSummary]:
    """The machine-readable summary that k6 has since 1.5, whose metrics are a list."""
    metrics = _k6_values(document)
    times, count = metrics["http_req_duration"], int(metrics["http_reqs"]["count"])
    percentiles = dict(quantiles(times, r"p([\d.]+)", _MS))
    percentiles |= {0.5: figure(times, "med")} if "med" in times else {}
    length = float(document["config"].get("duration", 0))
    return [
        ToolSummary(
            "",
            count,
            int(metrics.get("http_req_failed", {}).get("matches", 0)),
            tuple(sorted(percentiles.items())),
            mean_ns=figure(times, "avg"),
            minimum_ns=figure(times, "min"),
            maximum_ns=figure(times, "max"),
            throughput=figure(metrics["http_reqs"], "rate", scale=1) if length <= 0 else count / length,
        )
    ]


def _k6_metrics(document: Any) -> dict[str, Any]:
    return {name: metric.get("values", metric) for name, metric in document["metrics"].items()}


def _k6_values(document: Any) -> dict[str, Any]:
    return {metric["name"]: metric["values"] for metric in document["results"]["metrics"]}


def _k6_beside(metrics: Mapping[str, Any]) -> str:
    """Dropped iterations and failed checks, which the figures of requests do not show, and times that are none."""
    checks = metrics.get(CHECKS, {})
    failed, passed = (int(checks.get(name, 0)) for name in ("fails", "passes"))
    words = [dropped_words(int(metrics.get(DROPPED, {}).get("count", 0))), checks_words(failed, failed + passed)]
    return "; ".join(filter(None, (*words, _REFUSED if metrics["http_req_duration"].get("min") == 0 else "")))


_REFUSED = (
    "its shortest response time is 0: k6 takes 0 ms for a request that got no connection, which makes its mean and its"
    " percentiles shorter than those of the answers; --out csv or --out json tells them apart"
)


def _bombardier(document: Any) -> list[ToolSummary]:
    """Response times there are microseconds, and those of failures are among them."""
    found = document["result"]
    answers = {code: int(found[f"req{code}xx"]) for code in range(1, 6)}
    lost = {entry["description"]: int(entry["count"]) for entry in found.get("errors", [])}
    others = int(found.get("others", 0))
    if sum(lost.values()) != others:
        lost = {"others": others} if others else {}
    times, us = found["latency"], NANOSECONDS["us"]
    count, seconds = sum(answers.values()), float(found["timeTakenSeconds"])
    return [
        ToolSummary(
            "",
            count,
            answers[4] + answers[5],
            quantiles(times.get("percentiles", {}), r"([\d.]+)", us),
            mean_ns=figure(times, "mean", scale=us),
            std_ns=figure(times, "stddev", scale=us),
            maximum_ns=figure(times, "max", scale=us),
            throughput=count / seconds if seconds > 0 else math.nan,
            unanswered=tuple(lost.items()),
            lost=others,
            kinds=failing(((f"{code}xx", answers[code]) for code in (4, 5)), lost.items()),
        )
    ]


def _timed_without_answer(lost: int, answers: int) -> str:
    """That a tool has response times of requests without an answer among the others, in words."""
    if not (lost and answers):
        return ""
    return f"its response times are those of all {lost + answers:,} requests, also of {lost:,} without an answer"


def _fortio(document: Any) -> list[ToolSummary]:
    """Response times there are seconds, and those of failures are among them.

    Nighthawk, which writes such reports too, has shares (0.99) in place of percentiles.
    """
    times, failed = document["DurationHistogram"], document.get("ErrorsDurationHistogram")
    codes = _fortio_codes(document)
    bad = sum(count for code, count in codes.items() if code.isdigit() and int(code) not in GOOD)
    lost = _fortio_lost(codes)
    count = max(int(times["Count"]), sum(codes.values()))
    entries = [(float(entry["Percentile"]), entry["Value"]) for entry in times.get("Percentiles") or []]
    scale = 100 if len(entries) > 1 and max(level for level, _ in entries) <= 1 else 1
    levels = {f"{scale * level:.10g}": value for level, value in entries}
    return [
        ToolSummary(
            "",
            count - lost,
            # Older versions have no such histogram, and it may hold less than the answers tell.
            bad if failed is None else max(bad, int(failed["Count"]) - lost),
            quantiles(levels, r"([\d.]+)", NS),
            mean_ns=figure(times, "Avg", scale=NS),
            std_ns=figure(times, "StdDev", scale=NS),
            minimum_ns=figure(times, "Min", scale=NS),
            maximum_ns=figure(times, "Max", scale=NS),
            throughput=figure(document, "ActualQPS", scale=1) * (1 - lost / count if count else 1),
            unanswered=(("errors of connections", lost),) if lost else (),
            lost=lost,
            kinds=failing((pair for pair in codes.items() if pair[0].isdigit()), [("errors of connections", lost)]),
        )
    ]


def _fortio_lost(codes: Mapping[str, int]) -> int:
    """Requests without an answer, which have negative codes."""
    return sum(count for code, count in codes.items() if code.startswith("-"))


def _fortio_codes(document: Any) -> dict[str, int]:
    return {str(code): int(count) for code, count in (document.get("RetCodes") or {}).items()}


def _fortio_timed(document: Any) -> str:
    """Nighthawk counts the answers of its warm-up and of its end, and keeps no response times of them."""
    timed, answers = int(document["DurationHistogram"]["Count"]), sum(_fortio_codes(document).values())
    if timed == answers or not answers:
        lost = _fortio_lost(_fortio_codes(document))
        return _timed_without_answer(lost, answers - lost)
    return f"counts {counted(answers, 'answer')} by status, and the response times of {timed:,}"


def _oha(document: Any) -> list[ToolSummary]:
    times = document["summary"]
    codes = document["statusCodeDistribution"]
    answers, failed = answers_of(codes.items())
    kinds = {kind: int(count) for kind, count in document.get("errorDistribution", {}).items()}
    cut_off = kinds.pop(_DEADLINE, 0)
    # Its own `requestsPerSec` is that of requests without an answer too, also of those that the end cut off.
    seconds = figure(times, "total", scale=1)
    return [
        ToolSummary(
            "",
            answers,
            failed,
            quantiles(document["latencyPercentiles"], r"p([\d.]+)", NS),
            mean_ns=figure(times, "average", scale=NS),
            minimum_ns=figure(times, "fastest", scale=NS),
            maximum_ns=figure(times, "slowest", scale=NS),
            throughput=answers / seconds if seconds > 0 else math.nan,
            unanswered=tuple(kinds.items()),
            lost=sum(kinds.values()),
            cut_off=cut_off,
            kinds=failing(codes.items(), kinds.items()),
        )
    ]


def _locust(document: Any) -> list[ToolSummary]:
    return [_locust_name(entry) for entry in document]


def _locust_name(entry: Mapping[str, Any]) -> ToolSummary:
    counts = sorted((float(value), int(count)) for value, count in entry["response_times"].items())
    total = sum(count for _, count in counts)
    answers = int(entry["num_requests"])
    timed = answers - int(entry.get("num_none_requests", 0))
    length = float(entry["last_request_timestamp"] or 0) - entry["start_time"]
    return ToolSummary(
        f"{entry['method']} {entry['name']}".strip(),
        answers,
        int(entry["num_failures"]),
        tuple((share, _ranked(counts, math.ceil(share * total)) * _MS) for share in (0.5, 0.9, 0.95, 0.99) if total),
        mean_ns=float(entry["total_response_time"]) / timed * _MS if timed > 0 else math.nan,
        minimum_ns=figure(entry, "min_response_time"),
        maximum_ns=figure(entry, "max_response_time") if timed > 0 else math.nan,
        throughput=answers / length if length > 0 else math.nan,
    )


def _ranked(counts: list[tuple[float, int]], rank: int) -> float:
    """The value of a rank, from 1 on, among counted values."""
    for value, count in counts:
        rank -= count
        if rank <= 0:
            return value
    return counts[-1][0]


def _vegeta(document: Any) -> list[ToolSummary]:
    times, codes = document["latencies"], document["status_codes"]
    answers, failed = answers_of((code, count) for code, count in codes.items() if code != "0")
    lost = int(codes.get("0", 0))
    # Its own `throughput` is that of successes, and its `rate` leaves out the time that the last response took.
    seconds = (figure(document, "duration", scale=1) + figure(document, "wait", scale=1)) / NS
    return [
        ToolSummary(
            "",
            answers,
            failed,
            quantiles(times, r"([\d.]+)th", 1),
            mean_ns=figure(times, "mean", scale=1),
            minimum_ns=figure(times, "min", scale=1),
            maximum_ns=figure(times, "max", scale=1),
            throughput=(answers + lost) / seconds if seconds > 0 else math.nan,
            unanswered=(("no status", lost),) if lost else (),
            lost=lost,
            kinds=failing(codes.items(), [("no status", lost)]),
        )
    ]


def _siege(document: Any) -> list[ToolSummary]:
    hits, broken = int(document["transactions"]), int(document["failed_transactions"])
    scale = _siege_scale(document)
    mean_ns, little_ns = figure(document, "response_time", scale=scale), _siege_mean_s(document) * NS
    # Seconds are rounded to hundredths, which leaves little of a mean of some milliseconds.
    if scale == NS and abs(mean_ns - little_ns) <= _SIEGE_ROUNDED_S * NS:
        mean_ns = little_ns
    return [
        ToolSummary(
            "",
            hits + broken,
            # Answers of 400 and above are transactions, but no successful ones.
            max(0, hits - int(document.get("successful_transactions", hits))) + broken,
            mean_ns=mean_ns,
            minimum_ns=figure(document, "shortest_transaction", scale=scale),
            maximum_ns=figure(document, "longest_transaction", scale=scale),
            # Its own rate is that of its transactions, which answers with a status from 500 on are not.
            throughput=(hits + broken) / seconds if (seconds := _siege_seconds(document)) > 0 else math.nan,
        )
    ]


def _siege_remark(document: Any) -> str:
    """Steps of its times, and how its mean counts answers with a status from 500 on."""
    hits, broken = int(document["transactions"]), int(document["failed_transactions"])
    words = []
    if _siege_scale(document) == NS and float(document["longest_transaction"]) < _SIEGE_FINE_S:
        words.append(
            "siege rounds to hundredths of a second: the mean is that of Little's law, the maximum a rounded one"
        )
    if broken and hits:
        high = _siege_mean_s(document) * NS / _MS
        shown = f"{response(high * hits / (hits + broken))} and {response(high)}"
        words.append(
            "its mean counts the time of answers with a status from 500 on, and not these answers: that of all answers"
            f" lies between {shown}"
        )
    return "; ".join(words)


def _siege_seconds(document: Mapping[str, Any]) -> float:
    """Length of a test in seconds, by the rate of its transactions, which is rounded less."""
    rate = figure(document, "transaction_rate", scale=1)
    return int(document["transactions"]) / rate if rate > 0 else figure(document, "elapsed_time", scale=1)


def _siege_mean_s(document: Mapping[str, Any]) -> float:
    """The mean response time by Little's law, in seconds: siege's own is rounded to hundredths; NaN without a rate."""
    rate, concurrency = (figure(document, name, scale=1) for name in ("transaction_rate", "concurrency"))
    return concurrency / rate if rate > 0 else math.nan


def _siege_scale(document: Mapping[str, Any]) -> int:
    """Seconds, or since siege 4.1.7 milliseconds: whichever Little's law makes of concurrency and rate."""
    shown, expected_s = figure(document, "response_time", scale=1), _siege_mean_s(document)
    if shown > 0 and expected_s > 0:
        return NS if abs(math.log(shown / expected_s)) < abs(math.log(shown / (1000 * expected_s))) else _MS
    # A mean that is rounded to 0 is one of seconds, unless the longest transaction would outlast the test.
    return _MS if float(document["longest_transaction"]) > 2 * float(document["elapsed_time"]) else NS


_NO_K6 = "is a summary of k6 without HTTP requests: k6 has response times of these alone; --out csv writes gRPC calls"
_EMPTY = (
    (
        "Artillery",
        ("aggregate", "counters", "summaries", "vusers.created"),
        "is a report of Artillery without HTTP requests: of websockets and other engines it has no response times",
    ),
    ("k6", ("metrics", "iterations", "data_sent"), _NO_K6),
    ("k6", ("metrics", "vus_max"), _NO_K6),
)
"""Reports in which there are no requests: their tools, keys that tell them once no other report has its own, and why.
"""

REPORTS = (
    Report(
        "k6",
        ("config", "results", "metrics", "http_req_duration", "http_reqs"),
        _k6_results,
        remark=lambda document: _k6_beside(_k6_values(document)),
    ),
    Report(
        "k6",
        ("metrics", "http_req_duration", "http_reqs"),
        _k6,
        remark=lambda document: _k6_beside(_k6_metrics(document)),
    ),
    Report("oha", ("summary", "latencyPercentiles", "statusCodeDistribution"), _oha),
    Report("autocannon", ("latency", "requests", "throughput", "non2xx"), autocannon.report, remark=autocannon.remark),
    Report("Locust", ("num_requests", "num_failures", "response_times"), _locust),
    Report(
        "Artillery",
        ("aggregate", "counters", "summaries", "http.requests"),
        artillery.report,
        artillery.requests,
        remark=artillery.remark,
    ),
    Report(
        "Artillery 1",
        ("aggregate", "scenariosCreated", "requestsCompleted"),
        artillery.report_1,
        artillery.requests_1,
    ),
    Report(
        "vegeta",
        ("latencies", "bytes_in", "status_codes", "success"),
        _vegeta,
        lambda document: int(document["requests"]),
        lambda document: _timed_without_answer(
            lost := int(document["status_codes"].get("0", 0)), int(document["requests"]) - lost
        ),
    ),
    Report(
        "bombardier",
        ("spec", "numberOfConnections", "result", "req2xx"),
        _bombardier,
        remark=lambda document: _timed_without_answer(
            int(document["result"].get("others", 0)), sum(int(document["result"][f"req{k}xx"]) for k in range(1, 6))
        ),
    ),
    Report("fortio", ("DurationHistogram", "ActualQPS", "RetCodes"), _fortio, remark=_fortio_timed),
    Report(
        "siege", ("transactions", "availability", "elapsed_time", "failed_transactions"), _siege, remark=_siege_remark
    ),
    *(Report(name, keys, lambda _: [], refused=reason) for name, keys, reason in _EMPTY),
)
