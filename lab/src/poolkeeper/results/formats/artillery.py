"""Reports of Artillery in JSON: version 1, and from version 2 on."""

from __future__ import annotations

import math
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from poolkeeper.present.text import counted, listed
from poolkeeper.results.formats.summaries import answers_of, failing, figure, quantiles
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MS = NANOSECONDS["ms"]
_UNEXPECTED = re.compile(r"Failed (capture|match|expectation)", re.IGNORECASE)
"""Errors that are about an answer."""
_NETWORK = re.compile(r"E[A-Z_]+|ERR_\w+|.*(time ?out|timed out|socket|hang up|connect|certificate).*", re.IGNORECASE)
"""Errors that are surely those of a request."""
_ENDPOINT = re.compile(r"(.*?metrics-by-endpoint\.)(?:response_time\.(.+)|(.+?)\.(?:codes\.\d+|errors\..+))")
"""Counters and summaries of an endpoint: what they begin with, and its name."""


def report(document: Any) -> list[ToolSummary]:
    """Figures of all requests, then those of each endpoint."""
    counters, summaries = document["aggregate"]["counters"], document["aggregate"]["summaries"]
    times = summaries.get("http.response_time", {})
    answers, failed, unanswered, *_ = _outcomes(document)
    ends = [float(document["aggregate"].get(f"{end}MetricAt") or 0) for end in ("first", "last")]
    length = (ends[1] - ends[0]) / 1000 if ends[0] else 0.0
    return [
        ToolSummary(
            "",
            answers,
            failed,
            _percentiles(times),
            mean_ns=figure(times, "mean"),
            minimum_ns=figure(times, "min"),
            maximum_ns=figure(times, "max"),
            throughput=answers / length if length > 0 else math.nan,
            unanswered=tuple(unanswered.items()),
            lost=sum(unanswered.values()),
            kinds=failing(_codes(document), _errors(document).items()),
        ),
        *(_endpoint(*endpoint, counters, summaries) for endpoint in _endpoints(summaries, counters)),
    ]


def remark(document: Any) -> str:
    """The errors that are no requests, and how many answers may have failed in two ways."""
    answers, failed, unanswered, broken, others = _outcomes(document)
    found = []
    if others:
        shown = listed([f"{kind} {count:,}" for kind, count in others.items()])
        found.append(f"holds errors of scenarios that are no requests, and do not count: {shown}")
    if broken:
        lost = sum(unanswered.values())
        words = f"holds {lost + broken:,} errors of the network and {counted(lost, 'request')} without an answer"
        found.append(f"{words}: {counted(broken, 'answer')} broke off after the status, and failed")
    bad = answers_of(_codes(document))[1]
    unexpected = sum(count for kind, count in _errors(document).items() if _UNEXPECTED.match(kind))
    doubts = ((unexpected, "were not as expected (capture, match or expectation)"), (broken, "broke off"))
    facts = [f"{count:,} {words}" for count, words in doubts if count]
    least = max(bad, min(answers, unexpected), broken)
    if least < failed:
        facts = [*([f"{bad:,} answers have a status of failure"] if bad else []), *facts]
        found.append(f"{listed(facts)}, which may be the same: {least:,} to {failed:,} failed, {failed:,} are shown")
    return "; ".join(found)


def _codes(document: Any) -> list[tuple[str, int]]:
    """Answers by their status."""
    counters = document["aggregate"]["counters"]
    return [(name.rpartition(".")[2], count) for name, count in counters.items() if name.startswith("http.codes.")]


def _errors(document: Any) -> dict[str, int]:
    """Errors by their kind."""
    counters = document["aggregate"]["counters"]
    return {name.partition(".")[2]: int(count) for name, count in counters.items() if name.startswith("errors.")}


def _outcomes(document: Any) -> tuple[int, int, dict[str, int], int, dict[str, int]]:
    """Answers, those that failed, requests without an answer by kind, answers that broke off, and other errors.

    Errors of a scenario, such as a function that is missing, stand beside those of requests. There are no more requests
    without an answer than were sent and not answered, and errors of the network come first among them. More of these
    are of answers whose status was there, and whose content was not.
    """
    answers, failed = answers_of(_codes(document))
    errors = _errors(document)
    unexpected = sum(count for kind, count in errors.items() if _UNEXPECTED.match(kind))
    kinds = [kind for kind in errors if not _UNEXPECTED.match(kind)]
    room = max(0, requests(document) - answers)
    unanswered: dict[str, int] = {}
    others: dict[str, int] = {}
    broken = 0
    for kind in sorted(kinds, key=lambda kind: _NETWORK.fullmatch(kind) is None):
        held = min(errors[kind], room)
        room -= held
        unanswered |= {kind: held} if held else {}
        if _NETWORK.fullmatch(kind):
            broken += errors[kind] - held
        elif held < errors[kind]:
            others[kind] = errors[kind] - held
    broken = min(broken, answers)
    return answers, min(answers, failed + unexpected + broken), unanswered, broken, others


def _endpoints(*names: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Endpoints and the beginnings of their names; one that never answered has counters and no response times."""
    found = [match for name in chain(*names) if (match := _ENDPOINT.fullmatch(name))]
    return dict.fromkeys((match[1], match[2] or match[3]) for match in found)


def _endpoint(plugin: str, label: str, counters: Mapping[str, int], summaries: Mapping[str, Any]) -> ToolSummary:
    """The figures of one endpoint, which a plug-in of Artillery adds."""
    begin, times = plugin + label, summaries.get(f"{plugin}response_time.{label}", {})
    codes = [
        (key.removeprefix(f"{begin}.codes."), n) for key, n in counters.items() if key.startswith(f"{begin}.codes.")
    ]
    answers, failed = answers_of(codes)
    errors = {
        key.removeprefix(f"{begin}.errors."): int(n)
        for key, n in counters.items()
        if key.startswith(f"{begin}.errors.")
    }
    unanswered = {kind: count for kind, count in errors.items() if not _UNEXPECTED.match(kind)}
    return ToolSummary(
        label,
        answers,
        min(answers, failed + sum(errors.values()) - sum(unanswered.values())),
        _percentiles(times),
        mean_ns=figure(times, "mean"),
        minimum_ns=figure(times, "min"),
        maximum_ns=figure(times, "max"),
        unanswered=tuple(unanswered.items()),
        lost=sum(unanswered.values()),
    )


def _percentiles(times: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    percentiles = dict(quantiles(times, r"p(\d\d)", _MS))
    percentiles |= {0.5: figure(times, "median", "p50")} if times else {}
    percentiles |= {0.999: figure(times, "p999")} if "p999" in times else {}
    return tuple(sorted(percentiles.items()))


def report_1(document: Any) -> list[ToolSummary]:
    """Figures before version 2, where there is no mean, and requests without an answer are errors."""
    whole = document["aggregate"]
    times = whole["latency"]
    answers, failed = answers_of(whole["codes"].items())
    errors = {kind: int(count) for kind, count in whole["errors"].items()}
    unanswered = {kind: count for kind, count in errors.items() if not _UNEXPECTED.match(kind)}
    failed = min(answers, failed + sum(errors.values()) - sum(unanswered.values()))
    percentiles = ((0.5, "median"), (0.95, "p95"), (0.99, "p99"))
    return [
        ToolSummary(
            "",
            answers,
            failed,
            tuple((q, figure(times, name)) for q, name in percentiles if times.get(name) is not None),
            minimum_ns=figure(times, "min"),
            maximum_ns=figure(times, "max"),
            unanswered=tuple(unanswered.items()),
            lost=sum(unanswered.values()),
            kinds=failing(whole["codes"].items(), errors.items()),
        )
    ]


def requests_1(document: Any) -> int | None:
    """Number of requests that version 1 states, if it does."""
    sent = document["aggregate"].get("rps", {}).get("count")
    return None if sent is None else int(sent)


def requests(document: Any) -> int:
    """Number of requests that were sent."""
    return int(document["aggregate"]["counters"]["http.requests"])
