"""Results of a load test, whatever tool wrote them and however large they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.buckets import Accuracy
from poolkeeper.latency.digest import DIGITS, TAIL, Digest
from poolkeeper.present.text import listed
from poolkeeper.results.checks import Watch
from poolkeeper.results.findings import Finding, Findings
from poolkeeper.results.part import BEYOND
from poolkeeper.results.repeats import twice_stated
from poolkeeper.results.sending_times import EVERYTHING, SendingTimes, Window
from poolkeeper.results.survey import Survey, Surveyor
from poolkeeper.units import NS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from poolkeeper.arrays import Booleans, Floats
    from poolkeeper.results.part import Clock, Kind, Part
    from poolkeeper.results.series import Series
    from poolkeeper.results.tool_summary import ToolSummary

_SURVEYED = ("start_ns", "response_ns", "label", "ok", "bytes", "users", "thread", "engine", "count", "length_ns")
_CONTENT = {"start_ns": "times", "label": "labels", "group": "thread groups", "ok": "successes and failures"}
"""Content of the columns that requests are chosen by, in words."""
_NEEDED = {"start_ns": "times", "label": "labels", "ok": "successes and failures", "users": "numbers of users"}
"""Content of the columns without which figures are left out, in words."""
_KINDS = ("code", "message")
_MOST_FAILED = 200_000
"""Failed requests that a pass keeps as they are; of more, none are kept."""
_MOST_VALUES = 100_000_000
_SHORTEST_S = 0.1
_STATUS = r"^[1-5]\d\d$"
"""Form of a status of HTTP."""


@dataclass(frozen=True)
class Cut:
    """Selection of requests; None leaves nothing out."""

    window: Window | None = None
    ended: frozenset[int] = frozenset()
    """Places of the files whose requests are stamped with the whole second in which they ended."""
    label: tuple[str, ...] | None = None
    group: tuple[str, ...] | None = None
    ok: bool | None = None
    answered: bool = False
    """Whether failed requests that took no time, and got no status, are left out: nobody answered them."""


@dataclass(frozen=True, eq=False)
class Results:
    """The requests of one test, out of one file or several.

    Nothing is read before it is asked for, and files may be larger than memory: `digest`, `series` and `warnings` come
    from one pass that is made once. Times are integers of nanoseconds: by the wall clock (since 1970 in UTC) or since
    the run's start, as `clock` says.
    """

    parts: tuple[Part, ...]
    progress: Callable[[int, float], None] | None = None
    """Called with how many rows have been read, now and then, and about which share of the files' bytes they are."""
    _cut: Cut = Cut()
    _surveys: dict[tuple[object, ...], Survey] = field(default_factory=dict, repr=False)
    _failed: list[pl.DataFrame] = field(default_factory=list, repr=False)
    """The failed requests, if a pass kept them."""
    _held: list[pl.DataFrame] = field(default_factory=list, repr=False)
    """All requests that are left, if a pass kept them."""

    @property
    def format(self) -> str:
        """Formats of the files."""
        return ", ".join(dict.fromkeys(part.format for part in self.parts))

    @property
    def kind(self) -> Kind:
        """Whether there are single requests ("samples"), counts of response times ("histogram"), or "percentiles"."""
        return self.parts[0].kind

    @property
    def clock(self) -> Clock:
        """Origin of the times: the epoch ("wall"), the "run", or "none" where there are no times."""
        return self.parts[0].clock

    @property
    def resolution_ns(self) -> int:
        """The step in which response times were written: 1,000,000 for whole milliseconds."""
        return max(part.resolution_ns for part in self.parts)

    @property
    def tails_refused(self) -> str | None:
        """Why these results are no ground for statements about the tail, in words; None if they are."""
        return next((part.tails_refused for part in self.parts if part.tails_refused), None)

    @property
    def summaries(self) -> tuple[ToolSummary, ...]:
        """Figures that the tools themselves computed, where the files state them."""
        return tuple(summary for part in self.parts for summary in part.summaries)

    @cached_property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns that all files have: `response_ns`, and some of start_ns, label, ok, thread, group, bytes."""
        first, *others = (part.columns for part in self.parts)
        return {name: type_ for name, type_ in first.items() if all(name in other for other in others)}

    @property
    def frame(self) -> pl.LazyFrame:
        """The requests, one row each, as a lazy frame that reads no more columns and rows than it must.

        Rows whose response time is missing or negative are left out. Histograms have a row for each bucket of each
        interval instead: its middle as `response_ns`, and `count`.
        """
        from polars.io.plugins import register_io_source

        def rows(
            names: list[str] | None, where: pl.Expr | None, limit: int | None, _batch: int | None
        ) -> Iterator[pl.DataFrame]:
            wanted = names or list(self.columns)
            tested = [] if where is None else where.meta.root_names()
            for found in self._batches(list(dict.fromkeys([*wanted, *tested])), Findings()):
                batch = (found if where is None else found.filter(where)).select(wanted)
                if limit is not None:
                    batch = batch.head(limit)
                    limit -= batch.height
                yield batch
                if limit == 0:
                    return

        self._needs_values("frame")
        return register_io_source(rows, schema=dict(self.columns), is_pure=True)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Warnings for a reader of the results: rows left out, gaps, steps of the clock, unlikely units."""
        if self.kind != "percentiles":
            return self.survey().warnings
        findings = Findings()
        for part in self.parts:
            for _ in part.batches(["response_ns"], findings):
                pass
        twice_stated(findings, self.parts)
        return findings.all()

    def cut(  # noqa: PLR0913 - each a way to cut, all optional and by name
        self,
        *,
        warm_up: float = 0.0,
        cool_down: float = 0.0,
        label: str | Sequence[str] | None = None,
        group: str | Sequence[str] | None = None,
        start: float | None = None,
        end: float | None = None,
        ok: bool | None = None,
        answered: bool = False,
    ) -> Results:
        """The requests that are left, as other Results; cuts add up.

        Args:
            warm_up: seconds at the beginning; requests sent in them are left out.
            cool_down: seconds before the last request was sent; likewise.
            label: name or names of requests to keep.
            group: name or names of thread groups to keep.
            start: keeps what was sent from then on, in seconds after the first request.
            end: keeps what was sent before then, in seconds after the first request.
            ok: True keeps what succeeded, False what failed.
            answered: leaves out failed requests that took no time and have no status: they have no response time.

        Raises InputError for an unknown name of `label` or `group` only once rows are read; for a cut that the format
        has no column for, and for times that leave nothing, at once.
        """
        needs = {
            "start_ns": warm_up or cool_down or start or end is not None,
            "label": label,
            "group": group,
            "ok": ok is not None or answered,
        }
        for column, asked in needs.items():
            if asked and column not in self.columns:
                raise InputError(f"cut: {self.format} results have no {_CONTENT[column]} to cut by")
        for name, seconds in (("warm_up", warm_up), ("cool_down", cool_down)):
            if not seconds >= 0:
                raise InputError(f"{name}: {seconds:g} s is below 0")
        before = self._cut
        made = Cut(
            ok=before.ok if ok is None else ok,
            answered=before.answered or answered,
            label=_names(label, before.label),
            group=_names(group, before.group),
        )
        if needs["start_ns"]:
            given = {"warm_up": warm_up, "cool_down": cool_down, "start": start or 0.0}
            cuts = {name: value for name, value in given.items() if value} | ({} if end is None else {"end": end})
            sent = self.sending_times()
            if sent is None:
                raise DataError(f"{self._where}: holds no requests")
            return self._changed(replace(made, window=sent.window(cuts), ended=sent.ended))
        return self._changed(replace(made, window=before.window, ended=before.ended))

    def between(self, window: Window, ended: frozenset[int]) -> Results:
        """The requests that were sent within a window, where they are stamped as `SendingTimes.ended` says."""
        return self._changed(replace(self._cut, window=window, ended=ended))

    def _changed(self, made: Cut) -> Results:
        """The same with another cut, and with what was found out about all that holds for it too."""
        before = self._cut
        only = before.ok is None and made == replace(before, ok=made.ok)
        if not only:
            return replace(self, _cut=made, _surveys={}, _failed=[], _held=[])
        # The pass over all has found what succeeded and what failed by themselves.
        ok = made.ok
        surveys = {(*key[:-1], None): survey for key, survey in self._surveys.items() if key[-1] is ok is not None}
        return replace(self, _cut=made, _surveys=surveys, _failed=[], _held=self._failed if ok is False else [])

    def values(self) -> Floats:
        """All response times in nanoseconds, in the order of the files.

        Raises DataError where a format has counts or percentiles only, and for more than 100 million requests, which
        would not fit; `digest` takes any number.
        """
        self._needs_values("values")
        if self.kind != "samples":
            raise DataError(f"values: {self.format} results hold counts of response times, not each; use digest()")
        parts, total = [], 0
        for batch in self._batches(["response_ns"], Findings()):
            parts.append(batch["response_ns"].to_numpy().astype(np.float64))
            total += parts[-1].size
            if total > _MOST_VALUES:
                raise DataError(f"values: more than {_MOST_VALUES:,} requests are too many for memory; use digest()")
        return np.concatenate(parts) if parts else np.empty(0)

    def survey(self, *, by: str = "label", every: float = 1.0, digits: int = DIGITS, tail: int = TAIL) -> Survey:
        """Everything that one pass finds: digests of all and of each `by`, errors, what happened `every` seconds.

        The pass is made once for the same arguments, also for the cuts that keep successes or failures alone. Their
        surveys have the findings and files of all.
        """
        if not every >= _SHORTEST_S:
            raise InputError(f"every: {every:g} s is shorter than {_SHORTEST_S} s")
        if by not in self.columns and by != "label":
            raise InputError(f"by: {self.format} results have no column {by}; they have {', '.join(self.columns)}")
        key = (by, every, digits, tail)
        if (*key, None) not in self._surveys:
            self._needs_values("survey")
            apart = "ok" in self.columns and self._cut.ok is None
            for ok, survey in self._pass(*key, apart=apart).items():
                self._surveys[*key, ok] = survey
        return self._surveys[*key, None]

    def _pass(self, by: str, every: float, digits: int, tail: int, *, apart: bool) -> dict[bool | None, Survey]:
        """Surveys of all requests, and with `apart` of successes (True) and failures (False)."""
        window = self._cut.window or EVERYTHING
        findings, watch, failures = Findings(), Watch(self.parts, window), _FewRows()
        self._add_untold(findings)
        surveyors = {
            ok: Surveyor(
                by=by,
                every_ns=round(every * NS),
                step_ns=min(part.resolution_ns for part in self.parts),
                digits=digits,
                tail=tail,
                files=[str(part.source.path) for part in self.parts],
                window=window,
            )
            for ok in ((True, False) if apart else (None,))
        }
        rows = 0
        kinds = _KINDS if apart and self.kind == "samples" else ()
        wanted = [name for name in dict.fromkeys((*_SURVEYED, by, *kinds)) if name in self.columns]
        for part, batch in self._numbered_batches(wanted, findings):
            if self.kind == "samples":
                starts = batch["start_ns"].to_numpy() if "start_ns" in batch.columns else None
                watch.add(part, starts, batch["response_ns"].to_numpy(), _silent(batch))
            watch.add_rows(part, batch)
            marked = _with_failed(batch)
            for ok, surveyor in surveyors.items():
                taken = marked if ok is None else marked.filter(pl.col("failed").fill_null(value=False) != ok)
                surveyor.add(taken, str(self.parts[part].source.path))
                if ok is False and kinds:
                    failures.add(taken.select(wanted))
            rows += batch.height
            if self.progress is not None:
                self.progress(rows, self._share(part))
        self._failed[:] = failures.rows
        accuracy = reduce(Accuracy.merged, (part.accuracy for part in self.parts))
        made = {ok: surveyor.survey(watch, findings).with_accuracy(accuracy) for ok, surveyor in surveyors.items()}
        # Each survey may have added a finding of its own.
        found = {ok: replace(survey, noted=findings.all()) for ok, survey in made.items()}
        if apart:
            held = [survey for survey in found.values() if survey.digest.count] or [found[True]]
            whole = held[0] if len(held) == 1 else Survey.merged(held)
            found[None] = replace(whole, noted=findings.all(), seen=found[True].seen)
        return found

    def _add_untold(self, findings: Findings) -> None:
        """Add a finding for columns that only some of the files have, which are then unknown for all."""
        for column, content in _NEEDED.items():
            telling = [part.source.path.name for part in self.parts if column in part.columns]
            if telling and len(telling) < len(self.parts):
                silent = [part.source.path.name for part in self.parts if column not in part.columns]
                words = f"{listed(silent)} {'tell' if len(silent) > 1 else 'tells'} no {content}, as {listed(telling)}"
                ends = f"{'do' if len(telling) > 1 else 'does'}: for all files together they are not known"
                findings.add("columns", f"{words} {ends}")

    def digest(self, *, digits: int = DIGITS, tail: int = TAIL) -> Digest:
        """The digest of all response times in nanoseconds; see `Digest` for its errors."""
        return self.survey(digits=digits, tail=tail).digest

    def digests(self, by: str = "label", *, digits: int = DIGITS, tail: int = TAIL) -> Mapping[str, Digest]:
        """A digest for each value of a column (`label`, `group`, `thread`, `code`), by its name."""
        return self.survey(by=by, digits=digits, tail=tail).groups

    def series(self, every: float = 1.0) -> Series:
        """Completions, errors and response times in intervals of so many seconds; raises DataError without times."""
        found = self.survey(every=every).series
        if found is None:
            raise DataError(f"series: {self.no_series}")
        return found

    @property
    def no_series(self) -> str:
        """Why there may be nothing over time, in words."""
        if "start_ns" in self.columns:
            return "the results hold no requests, or reach over too long a time to look at each interval"
        return f"{self.format} results contain no times"

    def sending_times(self) -> SendingTimes | None:
        """When the first and the last request that is left was sent; None if none is left."""
        batches = self._numbered_batches(["start_ns", "response_ns"], Findings())
        return SendingTimes.of(batches, single=self.kind == "samples")

    @property
    def is_by_name(self) -> bool:
        """Whether requests are left out by their label or thread group."""
        return self._cut.label is not None or self._cut.group is not None

    @cached_property
    def first_sent_ns(self) -> int | None:
        """When the first request of all that the files hold was sent, whatever is cut off; it takes a pass over them.

        None without requests.
        """
        sent = self._changed(Cut()).sending_times()
        return None if sent is None else sent.first_ns

    @property
    def _where(self) -> str:
        return ", ".join(str(part.source.path) for part in self.parts)

    def _share(self, place: int) -> float:
        """Share of the bytes of all files that has been read during one of them; NaN if they have none."""
        positions = [part.source.position for part in self.parts]
        size = sum(position.size for position in positions)
        read = sum(position.size for position in positions[:place]) + positions[place].reached
        return read / size if size else math.nan

    def _needs_values(self, what: str) -> None:
        if self.kind == "percentiles":
            raise DataError(f"{what}: {self.format} results hold percentiles only, no response times; see summaries")

    def _batches(self, columns: Sequence[str], findings: Findings) -> Iterator[pl.DataFrame]:
        if self._held and set(columns) <= set(self._held[0].columns):
            return (batch.select(columns) for batch in self._held)
        return (batch for _, batch in self._numbered_batches(columns, findings))

    def _kept(self, place: int) -> pl.Expr:
        """Whether a row of a file is left after the cut."""
        cut, kept = self._cut, pl.lit(value=True)
        if cut.window is not None:
            # A request that ended in a second did so in the middle of it in the mean.
            sent = pl.col("start_ns") + (NS // 2 if place in cut.ended else 0)
            kept &= sent.ge(cut.window.low_ns) & sent.lt(cut.window.high_ns)
        for name, names in (("label", cut.label), ("group", cut.group)):
            if names is not None:
                kept &= pl.col(name).is_in(names)
        if cut.ok is not None:
            kept &= pl.col("ok").fill_null(value=True) == cut.ok
        if cut.answered:
            kept &= ~unanswered(self.columns)
        return kept

    def _numbered_batches(self, columns: Sequence[str], findings: Findings) -> Iterator[tuple[int, pl.DataFrame]]:
        """The rows that are left after the cut, with the number of the file that they are from."""
        for place, part in enumerate(self.parts):
            kept = self._kept(place)
            tested = kept.meta.root_names()
            read = list(dict.fromkeys(["response_ns", *columns, *tested]))
            name = part.source.path.name
            for found in part.batches(read, findings):
                batch = found
                times = batch["response_ns"]
                for words, wrong in (
                    ("without a response time (missing, or not a number)", times.is_null()),
                    ("with a negative response time", times < 0),
                    ("with a response time beyond 292 years (infinite, or in another unit)", times == BEYOND),
                ):
                    if bad := int(wrong.sum()):
                        findings.add("no response time", f"{name}: {{count}} requests {words} were left out", bad)
                batch = batch.filter(pl.col("response_ns").is_between(0, BEYOND - 1))
                if "start_ns" in read and (bad := batch["start_ns"].null_count()):
                    findings.add("no time", f"{name}: {{count}} requests without a time were left out", bad)
                    batch = batch.filter(pl.col("start_ns").is_not_null())
                yield place, (batch.filter(kept) if tested else batch).select(columns)


class _FewRows:
    """Rows that are kept as long as they are few."""

    def __init__(self) -> None:
        self.rows: list[pl.DataFrame] = []
        self._count = 0

    def add(self, rows: pl.DataFrame) -> None:
        """Keep rows, or nothing any more."""
        self._count += rows.height
        self.rows = [*self.rows, rows] if self._count <= _MOST_FAILED else []


def unanswered(columns: Collection[str]) -> pl.Expr:
    """Whether a request failed in no time and without a status, and so was not answered."""
    failed = ~pl.col("ok").fill_null(value=True) & (pl.col("response_ns") == 0)
    if "code" not in columns:
        return failed
    return failed & ~pl.col("code").fill_null("").str.contains(_STATUS)


def _names(asked: str | Sequence[str] | None, before: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if asked is None:
        return before
    names = (asked,) if isinstance(asked, str) else tuple(asked)
    return names if before is None else tuple(name for name in names if name in before)


def _silent(batch: pl.DataFrame) -> Booleans | None:
    """Whether each request was left without an answer; None if the columns do not hold it."""
    if "ok" not in batch.columns:
        return None
    return batch.select(silent=unanswered(batch.columns))["silent"].to_numpy()


def _with_failed(batch: pl.DataFrame) -> pl.DataFrame:
    """The rows with a column `failed`, which is null if the file does not hold it."""
    return batch.with_columns(failed=~pl.col("ok")) if "ok" in batch.columns else batch
