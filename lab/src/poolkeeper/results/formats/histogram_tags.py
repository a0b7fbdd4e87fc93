"""Histograms of HdrHistogram logs that are several times of the same requests.

Tools write the service time of each operation beside the response time that counts from when it was to be sent, and
parts of operations beside the whole ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import polars as pl

from poolkeeper.present.text import listed
from poolkeeper.results.findings import Finding
from poolkeeper.results.formats.request_logs import YCSB_END, made_of_others

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolkeeper.results.formats.held import Held

_LEAST = 100
"""Values from which it is hardly chance that two histograms have as many in each interval."""
_LISTED = 4
"""Histograms that a finding lists."""
_NAMES = (
    re.compile(r"(?P<base>.+)-(?P<time>st|rt|wt)"),  # cassandra-stress: service, response and waiting times
    re.compile(r"(?P<time>raw|co-fixed)(?P<base>)(?:-(?:read|write))?"),  # scylla-bench
    re.compile(r"(?P<time>Intended-)?(?P<base>.+)"),  # YCSB
    re.compile(  # NoSQLBench
        r"(?P<base>.+?)[._-](?P<time>bind|execute|result|result[_-]success|tries"
        r"|(?:cycles|strides|phases)[._](?:service|response|wait)time)"
    ),
)
"""Names under which tools write several times of an operation."""


@dataclass(frozen=True, slots=True)
class _Histograms:
    """All histograms of one name in one file."""

    file: str
    name: str
    spans: tuple[tuple[int, int, int], ...]
    """Begin, length and number of values of each interval."""
    content: int
    """Hash of what they count."""

    @property
    def count(self) -> int:
        return sum(count for _, _, count in self.spans)

    @property
    def title(self) -> str:
        return self.name or self.file


def same_requests(parts: Sequence[Held]) -> tuple[Finding, ...]:
    """Findings about histograms of the same requests, in one file or in several of a test.

    They have the names of several times of an operation, or as many values in each interval.
    """
    found = [histograms for part in parts for histograms in _of(part)]
    named = [group for pattern in _NAMES for group in _named_alike(found, pattern)]
    by_name = {each.title for group in named for each in group}
    alike = [group for group in _as_many(found) if not all(each.title in by_name for each in group)]
    ends = "so that each request counts several times; cut by label or file to look at one time"
    name = parts[0].source.path.name if parts else ""
    words = [f"{_names_of(group)} are, by their names, several times of the same requests, {ends}" for group in named]
    words += [
        f"{_names_of(group)} have as many values in each interval: they may be several times of the same requests, such"
        f" as service time and response time, {ends}"
        for group in alike
    ]
    findings = [Finding("transactions", f"{name}: {text}") for text in dict.fromkeys(words)]
    if len(found) > 1 and any(each.name == YCSB_END for each in found):
        text = f"{YCSB_END} is the closing of connections, which is no operation: leave its file out"
        findings.append(Finding("transactions", f"{name}: {text}"))
    made = made_of_others(parts[0].source, [each.name for each in found]) if parts else ()
    return (*findings, *made)


def _of(part: Held) -> Iterable[_Histograms]:
    """The histograms of a file by their names."""
    rows = (
        part.frame.with_columns(content=pl.struct("start_ns", "response_ns", "count").hash())
        .group_by("label", "start_ns", "length_ns", maintain_order=True)
        .agg(pl.col("count").sum(), pl.col("content").sum())
    )
    for (name,), held in rows.group_by("label", maintain_order=True):
        spans = tuple(held.select("start_ns", "length_ns", "count").sort(pl.all()).iter_rows())
        yield _Histograms(part.source.path.name, str(name), spans, int(held["content"].sum()))


def _named_alike(found: Sequence[_Histograms], pattern: re.Pattern[str]) -> Iterable[list[_Histograms]]:
    """Histograms of an operation, of which several times are there."""
    matches = [(match["base"], match["time"] or "", each) for each in found if (match := pattern.fullmatch(each.name))]
    matches.sort(key=lambda entry: entry[0])
    for _, same in groupby(matches, key=lambda entry: entry[0]):
        group = list(same)
        if len({time for _, time, _ in group}) > 1:
            yield [each for _, _, each in group]


def _as_many(found: Sequence[_Histograms]) -> Iterable[list[_Histograms]]:
    """Histograms that have as many values as others in each interval, and other ones: those are no copies."""
    by_spans: dict[tuple[tuple[int, int, int], ...], list[_Histograms]] = {}
    for each in found:
        if each.count >= _LEAST:
            by_spans.setdefault(each.spans, []).append(each)
    for group in by_spans.values():
        if len({each.content for each in group}) > 1:
            yield group


def _names_of(group: Sequence[_Histograms]) -> str:
    names = list(dict.fromkeys(each.title for each in group))
    more = [f"{len(names) - _LISTED} more"] if len(names) > _LISTED else []
    return listed([*names[:_LISTED], *more])
