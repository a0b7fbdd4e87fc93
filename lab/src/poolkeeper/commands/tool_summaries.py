"""Summaries that a load generator computed itself, where its results hold nothing else."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.commands.answer import Answer, Part
from poolkeeper.commands.load import EXCLUDE
from poolkeeper.commands.tally import chart_of
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.numbers import or_none, percent, response
from poolkeeper.present.text import counted, listed
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.commands.load import RequestSelection
    from poolkeeper.results import Results, ToolSummary

MS = 1e-6
_USUAL = {0.5, 0.9, 0.95, 0.99, 0.999}


@dataclass(frozen=True)
class Summaries:
    """The summaries of a tool, one a label or, where it gives several, a time."""

    stated: tuple[ToolSummary, ...]
    asked: tuple[float, ...] = ()
    """Percentiles that were asked for; the usual ones where none was."""

    @property
    def _start_ns(self) -> int:
        return min((summary.at_ns for summary in self.stated if summary.at_ns is not None), default=0)

    def table(self) -> Table:
        """One row a summary; times in milliseconds."""
        shares = sorted({share for summary in self.stated for share, _ in summary.percentiles})
        wanted = {round(p / 100, 12) for p in self.asked} or _USUAL
        shown = [share for share in shares if share in wanted] or shares[:8]
        with_users = any(not math.isnan(summary.users) for summary in self.stated)
        names = ("label", *(("users",) if with_users else ()), "requests", "errors", "per second", "mean ms")
        start_ns = self._start_ns
        rows = tuple(
            (
                _name(summary, start_ns),
                *((None if math.isnan(summary.users) else round(summary.users),) if with_users else ()),
                summary.requests if summary.counted else None,
                _failed(summary),
                or_none(summary.throughput),
                or_none(summary.mean_ns * MS),
                *(or_none(dict(summary.percentiles).get(share, math.nan) * MS) for share in shown),
                or_none(summary.maximum_ns * MS),
            )
            for summary in _without_idle_ends(self.stated)
        )
        return Table("As the tool states it", (*names, *(f"p{100 * share:g} ms" for share in shown), "max ms"), rows)

    def to_dict(self) -> dict[str, Any]:
        """One entry a summary, percentiles by their names, in milliseconds."""
        return {
            "stated": [
                {
                    "label": summary.label,
                    **({} if math.isnan(summary.users) else {"users": summary.users}),
                    "requests": summary.requests if summary.counted else None,
                    "errors": _failed(summary),
                    "unanswered": dict(summary.unanswered),
                    "late": summary.late,
                    "throughput": summary.throughput,
                    "mean_ms": summary.mean_ns * MS,
                    "maximum_ms": summary.maximum_ns * MS,
                    "percentiles_ms": {f"p{100 * share:g}": value * MS for share, value in summary.percentiles},
                }
                for summary in self.stated
            ]
        }

    def plot(self) -> Chart:
        """The percentiles over their share."""
        start_ns = self._start_ns
        lines = tuple(
            Series(
                _name(summary, start_ns),
                tuple(100 * share for share, _ in summary.percentiles),
                tuple(value * MS for _, value in summary.percentiles),
            )
            for summary in self.stated[:8]
            if summary.percentiles
        )
        return Chart("Percentiles", Axis("percentile"), Axis("response time", "ms"), lines)


@dataclass(frozen=True)
class StatedFailures:
    """The kinds of failures that a tool lists."""

    kinds: tuple[tuple[str, str, int], ...]
    requests: int
    failed: int

    @classmethod
    def of(cls, stated: Sequence[ToolSummary]) -> StatedFailures | None:
        """The kinds of all summaries together, the most frequent first; None where they list none."""
        counts: Counter[tuple[str, str]] = Counter()
        for summary in stated:
            for code, message, count in summary.kinds:
                counts[code, message] += count
        kinds = tuple((*kind, count) for kind, count in counts.most_common())
        requests, failed = (sum(getattr(summary, name) for summary in stated) for name in ("requests", "failed"))
        return cls(kinds, requests, failed) if kinds else None

    def table(self) -> Table:
        """One row a kind."""
        rows = tuple(
            (code or "–", message or "–", count, f"{percent(count / self.requests, 2)} %" if self.requests else None)
            for code, message, count in self.kinds
        )
        more = self.failed - sum(count for *_, count in self.kinds)
        notes = (f"the results do not tell the kinds of {more:,} more failures",) if more > 0 else ()
        return Table("Failures", ("code", "message", "failed", "of all"), rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """One entry a kind."""
        return {"errors": [{"code": code, "message": text, "count": count} for code, text, count in self.kinds]}

    def plot(self) -> Chart:
        """Bars of the kinds."""
        return chart_of(self.kinds)


def _without_idle_ends(stated: tuple[ToolSummary, ...]) -> tuple[ToolSummary, ...]:
    """The summaries without the times before the first request and after the last one."""
    busy = [place for place, summary in enumerate(stated) if summary.at_ns is not None and summary.requests]
    ends = (busy[0], busy[-1]) if busy else (0, len(stated))
    return tuple(
        summary for place, summary in enumerate(stated) if summary.at_ns is None or ends[0] <= place <= ends[1]
    )


def _name(summary: ToolSummary, start_ns: int) -> str:
    """The label of a row: that of the tool, or the time since the first row."""
    if summary.at_ns is not None:
        return f"{(summary.at_ns - start_ns) / NS:g} s"
    return summary.label or "all"


def _failed(summary: ToolSummary) -> int | None:
    """The number of failed requests; None if the file does not hold it."""
    return summary.failed if summary.counted and summary.tells_failures else None


def _totals(results: Results) -> tuple[ToolSummary, ...]:
    """The summaries that together are all requests: of each file its total, or all parts of one that has none.

    A total has no label and no time; its parts beside it would count twice, in its file or, as those by time may be, in
    another one of the same tool.
    """
    whole = [[summary for summary in part.summaries if summary.at_ns is None] for part in results.parts]
    with_wholes = {part.format for part, found in zip(results.parts, whole, strict=True) if found}
    stated = [
        summary
        for part, found in zip(results.parts, whole, strict=True)
        for summary in [each for each in found if not each.label]
        or found
        or (() if part.format in with_wholes else part.summaries)
    ]
    return tuple(stated)


def answer(
    results: Results,
    wanted: RequestSelection,
    *,
    percentiles: Sequence[float] | None = None,
    bound_ms: float | None = None,
) -> Answer:
    """Answer from the tool's summaries, with a note on questions that need single requests.

    Raises InputError for a percentile out of range.
    """
    from poolkeeper.latency.figures.percentiles import name, percentages

    levels = percentages(percentiles or ())
    stated = _totals(results)
    count, errors = sum(summary.requests for summary in stated), sum(summary.failed for summary in stated)
    with_mean = [summary for summary in stated if summary.count and not math.isnan(summary.mean_ns)]
    answered = sum(summary.count for summary in with_mean)
    mean = (
        f": {response(sum(summary.count * summary.mean_ns for summary in with_mean) / answered * MS)} in the mean"
        if answered
        else ""
    )
    slow = dict(stated[0].percentiles).get(0.99) if len(stated) == 1 else None
    late = "" if slow is None else f", one in a hundred {response(slow * MS)} or more"
    lost, cut_off = sum(summary.lost for summary in stated), sum(summary.cut_off for summary in stated)
    kinds = listed([f"{kind} {number:,}" for summary in stated for kind, number in summary.unanswered])
    failed = "none" if not errors else "all" if errors == count else f"{errors:,}"
    failures = f", {failed} of which failed" if all(summary.tells_failures for summary in stated) else ""
    verdict = f"{results.format} counted {counted(count, 'request')}{failures}{mean}{late}."
    if not all(summary.counted for summary in stated):
        says = "" if slow is None else f"; it says that one request in a hundred took {response(slow * MS)} or more"
        verdict = f"{results.format} does not say how many requests there were or failed{says}."
    elif not failures:
        verdict += " The file does not show which requests failed."
    if lost:
        verdict += f" {lost:,} of the failed got no answer: {kinds}."
    elif kinds:
        verdict += f" It also counted errors of sockets, which are no answers: {kinds}."
    if late_answers := sum(summary.late for summary in stated):
        verdict += f" {late_answers:,} of the answers came after its timeout: its response times leave them out."
    if cut_off:
        verdict += f" {counted(cut_off, 'more request')} neither failed nor got an answer before the test ended."
    why = f"{results.format} results hold what the tool computed, and no response times"
    stated_shares = {round(100 * share, 9) for summary in results.summaries for share, _ in summary.percentiles}
    asked = [name(p) for p in levels if round(p, 9) not in stated_shares]
    asked += [] if bound_ms is None else ["goodput"]
    asked += [] if wanted.failures == EXCLUDE else ["response times of failures"]
    left_out = dict.fromkeys(("intervals", "throughput over time", "fits", "tail", *asked), why)
    parts = [Part("stated", "As the tool states it", Summaries(results.summaries, levels))]
    if kinds_of_failures := StatedFailures.of(stated):
        parts.append(Part("errors", "Failures", kinds_of_failures))
    about = f"{results.format} · summaries alone"
    verdict += " These are its own figures."
    warnings = tuple(map(str, results.warnings))
    return Answer("analyze", wanted.name, about, verdict, tuple(parts), warnings, wanted.to_dict(), left_out)
