"""Reports of autocannon in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkeeper.present.numbers import time
from poolkeeper.present.text import counted
from poolkeeper.results.formats.summaries import failing, figure, quantiles
from poolkeeper.results.tool_summary import ToolSummary
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Iterable

_MS = NANOSECONDS["ms"]
_CLASSES = tuple(f"{code}xx" for code in range(1, 6))
_MUCH = 1.25
"""Ratio to the longest mean that connections have time for from which response times are too long."""
_OF_RATE = 0.05
"""Share of the rate by which the requests of a second differ from it."""


def report(document: Any) -> list[ToolSummary]:
    """Figures of all requests."""
    times, requests = document["latency"], document["requests"]
    errors, timeouts, mismatches = (int(document.get(kind, 0)) for kind in ("errors", "timeouts", "mismatches"))
    # Timeouts are among the errors.
    lost = {"errors": max(0, errors - timeouts), "timeouts": timeouts}
    answers, redirects = int(requests["total"]), int(document.get("3xx", 0))
    failed = max(0, int(document["non2xx"]) - redirects) + mismatches
    return [
        ToolSummary(
            "",
            answers,
            min(answers, failed),
            quantiles(times, r"p(\d+(?:_\d+)?)", _MS),
            mean_ns=figure(times, "mean", "average"),
            std_ns=figure(times, "stddev"),
            minimum_ns=figure(times, "min"),
            maximum_ns=figure(times, "max"),
            throughput=_rate(document),
            unanswered=tuple((kind, count) for kind, count in lost.items() if count),
            lost=sum(lost.values()),
            kinds=failing(_codes(document), {**lost, "mismatches": mismatches}.items()),
        )
    ]


def _rate(document: Any) -> float:
    """Answers a second: its requests are those of a sample, which `-L` makes longer or shorter than a second."""
    return figure(document["requests"], "mean", "average", scale=1000 / float(document.get("sampleInt") or 1000))


def _codes(document: Any) -> Iterable[tuple[str, int]]:
    """Answers by status; early versions have classes of them alone."""
    if "statusCodeStats" in document:
        return [(code, int(entry["count"])) for code, entry in document["statusCodeStats"].items()]
    return [(name, int(document.get(name, 0))) for name in _CLASSES]


def remark(document: Any) -> str:
    """Requests that it says nothing more of, and response times that are not those of the answers."""
    corrected = _corrected(document)
    return "; ".join(filter(None, (_unaccounted(document), corrected or _beside_little(document))))


def _unaccounted(document: Any) -> str:
    """Requests that were sent, and are neither answers nor errors: more than can have been under way at the end.

    Where a server closes a connection, autocannon connects again and counts nothing.
    """
    sent, answers, errors = document["requests"].get("sent"), int(document["requests"]["total"]), document["errors"]
    if sent is None:
        return ""
    missing = int(sent) - answers - int(errors)
    under_way = int(document.get("connections", 0)) * int(document.get("pipelining", 1))
    # With a rate (-R) it counts the requests of its first second twice.
    twice = abs(missing - (rate := _rate(document))) <= under_way + _OF_RATE * rate
    if missing <= under_way or twice:
        return ""
    words = f"of {int(sent):,} requests it sent, {answers:,} are answers and {int(errors):,} errors"
    if _is_corrected(document):
        return f"{words}; with a rate it counts those of its first second twice, and does not say what became of others"
    return (
        f"{words}; of the {missing:,} others at most {under_way:,} were under way at the end: at least"
        f" {missing - under_way:,} more got no answer, which autocannon does not count where a server ends connections"
    )


def _is_corrected(document: Any) -> bool:
    """Whether it has more response times than answers, as where it was to send at a rate."""
    return int(document["latency"].get("totalCount", 0)) > int(document["requests"]["total"])


def _beside_little(document: Any) -> str:
    """Response times that are longer in the mean than its connections have time for (Little's law).

    Where a server ends connections, autocannon takes for the begin of an answer that of an earlier request.
    """
    answers, mean_ns = int(document["requests"]["total"]), figure(document["latency"], "mean", "average", scale=_MS)
    connections, seconds = int(document.get("connections", 0)), float(document.get("duration", 0))
    busy_ns = connections * int(document.get("pipelining", 1)) * seconds * NS
    if not answers or not busy_ns > 0 or not mean_ns * answers > _MUCH * busy_ns:
        return ""
    shown = f"{counted(connections, 'connection')} and {counted(answers, 'answer')} in {time(seconds)}"
    return (
        f"{shown} make {time(busy_ns / answers / NS)} in the mean at most, not {time(mean_ns / NS)}: its response times"
        f" are too long, as where a server ends connections"
    )


def _corrected(document: Any) -> str:
    values, answers = document["latency"].get("totalCount"), document["requests"]["total"]
    if values is None or values == answers:
        return ""
    if values < answers:
        return (
            f"its response times are those of {values:,} of {counted(answers, 'answer')}, as with --excludeErrorStats"
        )
    return (
        f"with --overallRate autocannon adds response times of requests that it could not send in time: its figures are"
        f" those of {counted(values, 'value')}, for {counted(answers, 'answer')}"
    )
