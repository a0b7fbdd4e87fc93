"""JSON reports of load generators: summaries that they computed themselves."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from poolkeeper.present.text import counted
from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Findings
from poolkeeper.results.formats.held import Held, summary
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from poolkeeper.results.source import Source

_MS = NANOSECONDS["ms"]
_REFUSED = "{} reports hold percentiles only: the response times themselves are gone"
_GOOD = range(200, 400)
_DEADLINE = "aborted due to deadline"
"""Name under which oha counts the requests that were under way when its time was over."""
_NOT_AS_EXPECTED = re.compile(r"Failed (capture|match|expectation)", re.IGNORECASE)
"""Errors of Artillery that are about an answer."""
_ENDPOINT = re.compile(r"(.*?metrics-by-endpoint\.)(?:response_time\.(.+)|(.+?)\.(?:codes\.\d+|errors\..+))")
"""Counters and summaries of an endpoint: what they begin with, and its name."""
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


def recognise(source: Source) -> bool:
    """Whether the file begins as JSON and holds the keys of one of the reports."""
    return _report_of(source) is not None


def read(source: Source) -> Held:
    """Take the figures of a report; raises FileError for what is no JSON or lacks a figure."""
    report = _report_of(source)
    if report is None:
        raise FileError(source.path, f"is none of the JSON reports that are read: {', '.join(r.name for r in REPORTS)}")
    findings = Findings()
    try:
        document = json.loads(_json_of(source.text(findings), report))
        _refuse_list(document, report)
        found = report.read(document)
        requests = None if report.requests is None else report.requests(document)
    except json.JSONDecodeError as error:
        raise FileError(source.path, f"is not JSON: {error.msg}", error.lineno) from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise FileError(source.path, f"is no {report.name} report: {reason}") from None
    # The total has no label; parts beside it would count twice.
    added = sum(entry.requests for entry in [entry for entry in found if not entry.label] or found)
    if requests is not None and requests != added:
        words = f"states {counted(requests, 'request')}, but its answers and failures add up to {added:,}"
        findings.add("count", f"{source.path.name}: {words}")
    if report.remark is not None and (words := report.remark(document)):
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


def _number(values: Mapping[str, Any], *names: str, scale: float = _MS) -> float:
    """The first of these figures that is there, in nanoseconds; NaN if none is."""
    found = next((values[name] for name in names if values.get(name) is not None), math.nan)
    return float(found) * scale


def _percentiles(values: Mapping[str, Any], pattern: str, scale: float) -> tuple[tuple[float, float], ...]:
    """Quantiles out of names such as p99, p97_5, p(95) or 99th."""
    found = []
    for name, value in values.items():
        if value is not None and (match := re.fullmatch(pattern, name)):
            found.append((float(match[1].replace("_", ".")) / 100, float(value) * scale))
    return tuple(sorted(found))


def _failed(codes: Iterable[tuple[str, Any]]) -> tuple[int, int]:
    """Answers and failures among them, by their status."""
    counts = [(int(code), int(count)) for code, count in codes]
    return sum(count for _, count in counts), sum(count for code, count in counts if code not in _GOOD)


def _k6(document: Any) -> list[ToolSummary]:
    metrics = {name: metric.get("values", metric) for name, metric in document["metrics"].items()}
    times, requests = metrics["http_req_duration"], metrics["http_reqs"]
    percentiles = dict(_percentiles(times, r"p\(([\d.]+)\)", _MS))
    percentiles |= {0.5: _number(times, "med")} if "med" in times else {}
    return [
        ToolSummary(
            "",
            int(requests["count"]),
            int(metrics.get("http_req_failed", {}).get("passes", 0)),
            tuple(sorted(percentiles.items())),
            mean_ns=_number(times, "avg"),
            minimum_ns=_number(times, "min"),
            maximum_ns=_number(times, "max"),
            throughput=float(requests.get("rate", math.nan)),
        )
    ]


def _k6_results(document: Any) -> list[ToolSummary]:
    """The machine-readable summary that k6 has since 1.5, whose metrics are a list."""
    metrics = {metric["name"]: metric["values"] for metric in document["results"]["metrics"]}
    times, count = metrics["http_req_duration"], int(metrics["http_reqs"]["count"])
    percentiles = dict(_percentiles(times, r"p([\d.]+)", _MS))
    percentiles |= {0.5: _number(times, "med")} if "med" in times else {}
    length = float(document["config"].get("duration", 0))
    return [
        ToolSummary(
            "",
            count,
            int(metrics.get("http_req_failed", {}).get("matches", 0)),
            tuple(sorted(percentiles.items())),
            mean_ns=_number(times, "avg"),
            minimum_ns=_number(times, "min"),
            maximum_ns=_number(times, "max"),
            throughput=_number(metrics["http_reqs"], "rate", scale=1) if length <= 0 else count / length,
        )
    ]


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
            _percentiles(times.get("percentiles", {}), r"([\d.]+)", us),
            mean_ns=_number(times, "mean", scale=us),
            std_ns=_number(times, "stddev", scale=us),
            maximum_ns=_number(times, "max", scale=us),
            throughput=count / seconds if seconds > 0 else math.nan,
            unanswered=tuple(lost.items()),
            lost=others,
        )
    ]


def _fortio(document: Any) -> list[ToolSummary]:
    """Response times there are seconds, and those of failures are among them.

    Nighthawk, which writes such reports too, has shares (0.99) in place of percentiles.
    """
    times, failed = document["DurationHistogram"], document.get("ErrorsDurationHistogram")
    codes = {str(code): int(count) for code, count in (document.get("RetCodes") or {}).items()}
    bad = sum(count for code, count in codes.items() if code.lstrip("-").isdigit() and int(code) not in _GOOD)
    entries = [(float(entry["Percentile"]), entry["Value"]) for entry in times.get("Percentiles") or []]
    scale = 100 if len(entries) > 1 and max(level for level, _ in entries) <= 1 else 1
    levels = {f"{scale * level:.10g}": value for level, value in entries}
    return [
        ToolSummary(
            "",
            int(times["Count"]),
            # Older versions have no such histogram, and it may hold less than the answers tell.
            bad if failed is None else max(bad, int(failed["Count"])),
            _percentiles(levels, r"([\d.]+)", NS),
            mean_ns=_number(times, "Avg", scale=NS),
            std_ns=_number(times, "StdDev", scale=NS),
            minimum_ns=_number(times, "Min", scale=NS),
            maximum_ns=_number(times, "Max", scale=NS),
            throughput=_number(document, "ActualQPS", scale=1),
        )
    ]


def _oha(document: Any) -> list[ToolSummary]:
    times = document["summary"]
    answers, failed = _failed(document["statusCodeDistribution"].items())
    kinds = {kind: int(count) for kind, count in document.get("errorDistribution", {}).items()}
    cut_off = kinds.pop(_DEADLINE, 0)
    return [
        ToolSummary(
            "",
            answers,
            failed,
            _percentiles(document["latencyPercentiles"], r"p([\d.]+)", NS),
            mean_ns=_number(times, "average", scale=NS),
            minimum_ns=_number(times, "fastest", scale=NS),
            maximum_ns=_number(times, "slowest", scale=NS),
            throughput=_number(times, "requestsPerSec", scale=1),
            unanswered=tuple(kinds.items()),
            lost=sum(kinds.values()),
            cut_off=cut_off,
        )
    ]


def _autocannon(document: Any) -> list[ToolSummary]:
    times, requests = document["latency"], document["requests"]
    lost = [(kind, int(document.get(kind, 0))) for kind in ("errors", "timeouts")]
    # Timeouts are among the errors.
    lost[0] = (lost[0][0], max(0, lost[0][1] - lost[1][1]))
    answers, redirects = int(requests["total"]), int(document.get("3xx", 0))
    failed = max(0, int(document["non2xx"]) - redirects) + int(document.get("mismatches", 0))
    return [
        ToolSummary(
            "",
            answers,
            min(answers, failed),
            _percentiles(times, r"p(\d+(?:_\d+)?)", _MS),
            mean_ns=_number(times, "mean", "average"),
            std_ns=_number(times, "stddev"),
            minimum_ns=_number(times, "min"),
            maximum_ns=_number(times, "max"),
            throughput=_number(requests, "mean", "average", scale=1),
            unanswered=tuple((kind, count) for kind, count in lost if count),
            lost=sum(count for _, count in lost),
        )
    ]


def _autocannon_corrected(document: Any) -> str:
    values, answers = document["latency"].get("totalCount"), document["requests"]["total"]
    if values is None or values <= answers:
        return ""
    return (
        f"with --overallRate autocannon adds response times of requests that it could not send in time: its figures are"
        f" those of {counted(values, 'value')}, for {counted(answers, 'answer')}"
    )


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
        minimum_ns=_number(entry, "min_response_time"),
        maximum_ns=_number(entry, "max_response_time"),
        throughput=answers / length if length > 0 else math.nan,
    )


def _ranked(counts: list[tuple[float, int]], rank: int) -> float:
    """The value of a rank, from 1 on, among counted values."""
    for value, count in counts:
        rank -= count
        if rank <= 0:
            return value
    return counts[-1][0]


def _artillery(document: Any) -> list[ToolSummary]:
    counters, summaries = document["aggregate"]["counters"], document["aggregate"]["summaries"]
    times = summaries.get("http.response_time", {})
    codes = [(name.rpartition(".")[2], count) for name, count in counters.items() if name.startswith("http.codes.")]
    answers, failed = _failed(codes)
    errors = {name.partition(".")[2]: int(count) for name, count in counters.items() if name.startswith("errors.")}
    unanswered = {kind: count for kind, count in errors.items() if not _NOT_AS_EXPECTED.match(kind)}
    failed = min(answers, failed + sum(errors.values()) - sum(unanswered.values()))
    ends = [float(document["aggregate"].get(f"{end}MetricAt") or 0) for end in ("first", "last")]
    length = (ends[1] - ends[0]) / 1000 if ends[0] else 0.0
    return [
        ToolSummary(
            "",
            answers,
            failed,
            _artillery_percentiles(times),
            mean_ns=_number(times, "mean"),
            minimum_ns=_number(times, "min"),
            maximum_ns=_number(times, "max"),
            throughput=answers / length if length > 0 else math.nan,
            unanswered=tuple(unanswered.items()),
            lost=sum(unanswered.values()),
        ),
        *(
            _artillery_endpoint(*endpoint, counters, summaries)
            for endpoint in _artillery_endpoints(summaries, counters)
        ),
    ]


def _artillery_endpoints(*names: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Endpoints and the beginnings of their names; one that never answered has counters and no response times."""
    found = [match for name in chain(*names) if (match := _ENDPOINT.fullmatch(name))]
    return dict.fromkeys((match[1], match[2] or match[3]) for match in found)


def _artillery_endpoint(
    plugin: str, label: str, counters: Mapping[str, int], summaries: Mapping[str, Any]
) -> ToolSummary:
    """The figures of one endpoint, which a plug-in of Artillery adds."""
    begin, times = plugin + label, summaries.get(f"{plugin}response_time.{label}", {})
    codes = [
        (key.removeprefix(f"{begin}.codes."), n) for key, n in counters.items() if key.startswith(f"{begin}.codes.")
    ]
    answers, failed = _failed(codes)
    errors = {
        key.removeprefix(f"{begin}.errors."): int(n)
        for key, n in counters.items()
        if key.startswith(f"{begin}.errors.")
    }
    unanswered = {kind: count for kind, count in errors.items() if not _NOT_AS_EXPECTED.match(kind)}
    return ToolSummary(
        label,
        answers,
        min(answers, failed + sum(errors.values()) - sum(unanswered.values())),
        _artillery_percentiles(times),
        mean_ns=_number(times, "mean"),
        minimum_ns=_number(times, "min"),
        maximum_ns=_number(times, "max"),
        unanswered=tuple(unanswered.items()),
        lost=sum(unanswered.values()),
    )


def _artillery_percentiles(times: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    percentiles = dict(_percentiles(times, r"p(\d\d)", _MS))
    percentiles |= {0.5: _number(times, "median", "p50")} if times else {}
    percentiles |= {0.999: _number(times, "p999")} if "p999" in times else {}
    return tuple(sorted(percentiles.items()))


def _artillery_1(document: Any) -> list[ToolSummary]:
    """The same before version 2, where there is no mean, and requests without an answer are errors."""
    whole = document["aggregate"]
    times = whole["latency"]
    answers, failed = _failed(whole["codes"].items())
    errors = {kind: int(count) for kind, count in whole["errors"].items()}
    unanswered = {kind: count for kind, count in errors.items() if not _NOT_AS_EXPECTED.match(kind)}
    failed = min(answers, failed + sum(errors.values()) - sum(unanswered.values()))
    percentiles = ((0.5, "median"), (0.95, "p95"), (0.99, "p99"))
    return [
        ToolSummary(
            "",
            answers,
            failed,
            tuple((q, _number(times, name)) for q, name in percentiles if times.get(name) is not None),
            minimum_ns=_number(times, "min"),
            maximum_ns=_number(times, "max"),
            unanswered=tuple(unanswered.items()),
            lost=sum(unanswered.values()),
        )
    ]


def _artillery_1_requests(document: Any) -> int | None:
    sent = document["aggregate"].get("rps", {}).get("count")
    return None if sent is None else int(sent)


def _artillery_requests(document: Any) -> int:
    return int(document["aggregate"]["counters"]["http.requests"])


def _vegeta(document: Any) -> list[ToolSummary]:
    times, codes = document["latencies"], document["status_codes"]
    answers, failed = _failed((code, count) for code, count in codes.items() if code != "0")
    lost = int(codes.get("0", 0))
    return [
        ToolSummary(
            "",
            answers,
            failed,
            _percentiles(times, r"([\d.]+)th", 1),
            mean_ns=_number(times, "mean", scale=1),
            minimum_ns=_number(times, "min", scale=1),
            maximum_ns=_number(times, "max", scale=1),
            throughput=_number(document, "throughput", scale=1),
            unanswered=(("no status", lost),) if lost else (),
            lost=lost,
        )
    ]


def _siege(document: Any) -> list[ToolSummary]:
    hits, broken = int(document["transactions"]), int(document["failed_transactions"])
    scale = _siege_scale(document)
    mean_ns, little_ns = _number(document, "response_time", scale=scale), _siege_mean_s(document) * NS
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
            minimum_ns=_number(document, "shortest_transaction", scale=scale),
            maximum_ns=_number(document, "longest_transaction", scale=scale),
            throughput=_number(document, "transaction_rate", scale=1),
        )
    ]


def _siege_rounded(document: Any) -> str:
    if _siege_scale(document) != NS or float(document["longest_transaction"]) >= _SIEGE_FINE_S:
        return ""
    return "siege rounds to hundredths of a second: the mean is that of Little's law, the maximum a rounded one"


def _siege_mean_s(document: Mapping[str, Any]) -> float:
    """The mean response time by Little's law, in seconds: siege's own is rounded to hundredths; NaN without a rate."""
    rate, concurrency = (_number(document, name, scale=1) for name in ("transaction_rate", "concurrency"))
    return concurrency / rate if rate > 0 else math.nan


def _siege_scale(document: Mapping[str, Any]) -> int:
    """Seconds, or since siege 4.1.7 milliseconds: whichever Little's law makes of concurrency and rate."""
    shown, expected_s = _number(document, "response_time", scale=1), _siege_mean_s(document)
    if shown > 0 and expected_s > 0:
        return NS if abs(math.log(shown / expected_s)) < abs(math.log(shown / (1000 * expected_s))) else _MS
    # A mean that is rounded to 0 is one of seconds, unless the longest transaction would outlast the test.
    return _MS if float(document["longest_transaction"]) > 2 * float(document["elapsed_time"]) else NS


REPORTS = (
    Report("k6", ("config", "results", "metrics", "http_req_duration", "http_reqs"), _k6_results),
    Report("k6", ("metrics", "http_req_duration", "http_reqs"), _k6),
    Report("oha", ("summary", "latencyPercentiles", "statusCodeDistribution"), _oha),
    Report("autocannon", ("latency", "requests", "throughput", "non2xx"), _autocannon, remark=_autocannon_corrected),
    Report("Locust", ("num_requests", "num_failures", "response_times"), _locust),
    Report("Artillery", ("aggregate", "counters", "summaries", "http.requests"), _artillery, _artillery_requests),
    Report("Artillery 1", ("aggregate", "scenariosCreated", "requestsCompleted"), _artillery_1, _artillery_1_requests),
    Report(
        "vegeta",
        ("latencies", "bytes_in", "status_codes", "success"),
        _vegeta,
        lambda document: int(document["requests"]),
    ),
    Report("bombardier", ("spec", "numberOfConnections", "result", "req2xx"), _bombardier),
    Report("fortio", ("DurationHistogram", "ActualQPS", "RetCodes"), _fortio),
    Report(
        "siege", ("transactions", "availability", "elapsed_time", "failed_transactions"), _siege, remark=_siege_rounded
    ),
)
