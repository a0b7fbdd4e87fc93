"""Result files as the analysis takes them: response times in milliseconds, whole or as digests, cut as wanted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from poolkeeper.errors import DataError, InputError
from poolkeeper.present.text import counted, listed
from poolkeeper.units import NS, option_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    import polars as pl

    from poolkeeper.arrays import Floats
    from poolkeeper.commands.progress import Progress
    from poolkeeper.commands.steps.load_steps import LoadSteps
    from poolkeeper.commands.steps.sent import Sent
    from poolkeeper.latency import Stretches
    from poolkeeper.latency.digest import Digest
    from poolkeeper.results import Finding, Results, Series, Survey

MS = 1e-6
"""Milliseconds of a nanosecond."""
NS_PER_MS = 1_000_000
"""Dividing by it rounds once, so that whole milliseconds stay whole; multiplying by `MS` rounds twice."""
WHOLE = 2_000_000
"""Up to so many requests are looked at one by one; of more, digests tell all but the order within a second."""


EXCLUDE, INCLUDE, ONLY = "exclude", "include", "only"
FAILURES = (EXCLUDE, INCLUDE, ONLY)


@dataclass(frozen=True, slots=True)
class RequestSelection:
    """Files to read, their format, and the selected requests; None leaves it to the files, or nothing out."""

    files: tuple[Path, ...]
    format: str | None = None
    unit: str | None = None
    column: str | None = None
    warm_up: str | None = None
    cool_down: str | None = None
    label: tuple[str, ...] | None = None
    group: tuple[str, ...] | None = None
    start: str | None = None
    end: str | None = None
    failures: str = EXCLUDE
    """Whether requests that failed are left out, looked at with the others, or looked at alone."""

    @classmethod
    def of(cls, files: Sequence[Path], **options: Any) -> RequestSelection:
        """Build it from the options of the command line."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
        }
        return cls(tuple(files), **given)

    @property
    def name(self) -> str:
        """The files for a headline."""
        first, *others = (file.name for file in self.files)
        return f"{first} and {len(others)} more" if others else first

    def only(self, file: Path) -> RequestSelection:
        """The same of one file."""
        return replace(self, files=(file,))

    def to_dict(self) -> dict[str, Any]:
        """The options that were given, for JSON."""
        found = {name: value for name, value in asdict(self).items() if value is not None}
        return found | {"files": [str(file) for file in self.files]}

    def seconds(self) -> dict[str, float]:
        """The cuts by time in seconds. Raises InputError for a text that is not a time."""
        options = {"warm_up": "--warm-up", "cool_down": "--cool-down", "start": "--from", "end": "--to"}
        return {
            name: option_duration(text, option) for name, option in options.items() if (text := getattr(self, name))
        }


@dataclass(frozen=True)
class Load:
    """The requests of a test that were asked for."""

    results: Results
    survey: Survey
    wanted: RequestSelection
    whole: Load | None = field(default=None, kw_only=True)
    """The same with the requests that were left out for having failed, or not; None where none was."""
    silent: bool = field(default=False, kw_only=True)
    """Whether nobody answered any request that is looked at, so that there are no response times."""

    @property
    def name(self) -> str:
        """The files for a headline."""
        return self.wanted.name

    @property
    def total(self) -> Load:
        """All requests, whether they failed or not."""
        return self if self.whole is None else self.whole

    @property
    def about(self) -> str:
        """Description of the requests in a few words."""
        cuts = [f"{name.replace('_', '-')} {value}" for name, value in self.wanted.to_dict().items() if name in _CUTS]
        words = [self.results.format, counted(self.total.count, "request")]
        return " · ".join([*words, *(["only " + ", ".join(cuts)] if cuts else [])])

    @property
    def count(self) -> int:
        """Number of requests."""
        return self.survey.digest.count

    @property
    def they(self) -> str:
        """The requests whose response times are looked at, in words."""
        if self.whole is None:
            return "them"
        if self.wanted.failures == EXCLUDE and self.failed != self.total.count:
            return "those that succeeded"
        if self.wanted.failures == INCLUDE:
            return "those that were answered"
        return (
            "those that failed" if self.count == self.failed else f"the {self.count:,} failed ones with a response time"
        )

    @property
    def unanswered(self) -> int:
        """Number of failed requests without a response time, where failures are looked at."""
        if self.silent:
            return self.failed or 0
        if self.whole is None or self.they == "those that succeeded":
            return 0
        return (self.total.count if self.wanted.failures == INCLUDE else self.failed or 0) - self.count

    @property
    def silence(self) -> str:
        """The reason for which there are no response times, in words."""
        return "nobody answered" if self.failed == self.count else "no failed request has a response time"

    def require_answers(self) -> None:
        """Raises DataError if no request was answered."""
        if self.silent:
            failed = "all" if self.failed == self.count else f"{self.failed:,} of"
            raise DataError(f"{self.name}: {self.silence}: {failed} {counted(self.count, 'request')} failed")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that belong before any statement about the requests."""
        formats = {part.format: part.source.path.name for part in reversed(self.results.parts)}
        named = listed([f"{file} is {format_}" for format_, file in reversed(formats.items())])
        several = (f"{named}: results of different tools may belong to two tests",) if len(formats) > 1 else ()
        failed = (_ALL_FAILED,) if self.shows_failures and not self.silent else ()
        silent = (f"{_UNANSWERED.format(self.unanswered)}",) if self.unanswered else ()
        return (*several, *failed, *silent, *self.by_ends, *(str(warning) for warning in self.total.survey.warnings))

    @property
    def by_ends(self) -> tuple[str, ...]:
        """Warning about slow responses that are too many to look at when each was sent."""
        survey = self.total.survey
        many = self.results.kind == "samples" and self.total.count > WHOLE and survey.series is not None
        return (_BY_ENDS,) if many and survey.digest.quantile(_NEARLY_ALL) >= _SLOW_NS else ()

    @property
    def shows_failures(self) -> bool:
        """Whether failures are looked at for want of a request that succeeded, though they were not asked for."""
        return self.failed == self.total.count and self.wanted.failures == EXCLUDE

    @property
    def failed(self) -> int | None:
        """Number of failed requests; None if the files do not hold it."""
        errors = self.total.survey.errors
        return sum(errors.values()) if errors else None

    @property
    def failed_beside(self) -> int | None:
        """Number of failed requests that the tool counted, where its results hold only those that succeeded.

        None where the files tell which failed, where the tool does not say, and where some requests were left out.
        """
        cut = any(getattr(self.wanted, name) for name in _CUTS)
        parts = self.results.parts
        if self.total.survey.errors or cut or not all(part.summaries for part in parts):
            return None
        return sum(summary.errors for summary in self.results.summaries)

    @cached_property
    def digest(self) -> Digest:
        """Response times in milliseconds."""
        return self.survey.digest.scaled(MS)

    @property
    def single(self) -> bool:
        """Whether requests are looked at one by one."""
        return self.results.kind == "samples" and self.count <= WHOLE

    def only(self, *, ok: bool | None = None) -> Load:
        """Those that succeeded, or those that failed, and were answered; one more pass."""
        results = self.results.cut(ok=ok, answered=not ok)
        return Load(results, results.survey(), self.wanted, whole=self)

    def of_label(self, label: str) -> Load:
        """All requests with one label, of which the same are looked at; one more pass."""
        results = self.total.results.cut(label=[label])
        return apart(Load(results, results.survey(), replace(self.wanted, label=(label,))))

    @cached_property
    def rows(self) -> dict[str, np.ndarray]:
        """Columns start_ns, response_ns and ok, as far as there are any, in the order in which responses came."""
        return columns_in_order(columns(self.results))

    def asked(self, question: Callable[[pl.LazyFrame], pl.DataFrame]) -> list[pl.DataFrame]:
        """Applies a question, which can be pickled, to each part of the requests."""
        return [question(self.results.frame)]

    def asked_of_failures(self, question: Callable[[pl.LazyFrame], pl.DataFrame]) -> list[pl.DataFrame]:
        """The same where only failed requests count, which need not be read again if they are few."""
        return [question(self.results.cut(ok=False).frame)]

    @cached_property
    def values(self) -> Floats:
        """Response times in milliseconds, in the order in which responses came."""
        values: Floats = self.rows["response_ns"] / NS_PER_MS
        return values

    @cached_property
    def steps(self) -> LoadSteps | None:
        """The levels of a test whose load changed; None where no step is seen."""
        from poolkeeper.commands.steps.load_steps import load_steps

        return load_steps(self)

    @cached_property
    def sent(self) -> Sent | None:
        """When requests were sent; None where they are not looked at one by one, and without times."""
        from poolkeeper.commands.steps.sent import Sent

        return Sent.of(self)

    @cached_property
    def series_of_load(self) -> Series | None:
        """The series until the load had ended, in which there are no users while it paused; None without times."""
        from poolkeeper.commands.steps.pauses import with_pauses

        found = self.survey.series_of_load
        return None if found is None else with_pauses(found, self.sent)

    @property
    def is_slow(self) -> bool:
        """Whether the usual response takes so long that its end says little about when it was sent."""
        return self.survey.digest.quantile(_USUAL) >= _SLOW_NS

    @cached_property
    def by_sending(self) -> np.ndarray | None:
        """Places of the rows in the order of sending where responses take long; None where they stay as they ended."""
        # In the order of their ends slow responses rise and fall with a steady load.
        one_by_one = self.total.single and self.single and "start_ns" in self.rows
        if not one_by_one or not self.total.is_slow:
            return None
        return self._in_order_of_sending

    @cached_property
    def _in_order_of_sending(self) -> np.ndarray:
        return self.sent_ns.argsort(kind="stable")

    @cached_property
    def sent_ns(self) -> np.ndarray:
        """When requests were sent, by rows; those that ended in one whole second are spread over it in their order."""
        import numpy as np

        start_ns: np.ndarray = self.rows["start_ns"]
        ends_ns = start_ns + self.rows["response_ns"]
        if (ends_ns % NS).any():
            return start_ns
        # By ends that are cut to seconds the longest response of each would be sent first, and the first requests of a
        # level before it. None is sent later than the last one seems to be: the last level holds it.
        order = ends_ns.argsort(kind="stable")
        _, first, counts = np.unique(ends_ns[order], return_index=True, return_counts=True)
        spread_ns = start_ns.copy()
        spread_ns[order] += (np.arange(order.size) - np.repeat(first, counts)) * NS // np.repeat(counts, counts)
        return spread_ns.clip(max=start_ns.max(initial=0))

    @cached_property
    def ordered(self) -> Any:
        """Data for summaries: the values, or where they are many their digest and the counts of each second."""
        return self.in_order("" if self.steps is None else self.steps.why)

    def in_order(self, change: str, *, mixed: bool = False) -> Any:
        """The same with a change that is known in words; `mixed` levels have no interval together."""
        from poolkeeper.latency.ordered.sample import Sample

        if self.single:
            place = self.by_sending
            return Sample(self.values if place is None else self.values[place], cause=change, mixed=mixed)
        return self.digest if self.survey.series is None else replace(self.seconds(), change=change, mixed=mixed)

    def during(self, between_s: tuple[float, float] | None) -> Any:
        """Data for summaries of what was sent between two times of the series; of all, without them.

        Answers that come later are those of the load under which they were sent. Where requests are not looked at one
        by one, it is what ended between the times.
        """
        from poolkeeper.commands.steps.base import origin_s
        from poolkeeper.latency.ordered.sample import Sample

        series = self.total.survey.series
        if between_s is None or series is None:
            return self.ordered
        if not self.single:
            return self.seconds(*between_s)
        order = self._in_order_of_sending
        since_s = (self.sent_ns[order] - int(series.start_ns[0])) / NS
        held = slice(*since_s.searchsorted(between_s))
        return Sample(self.values[order[held]], sent_s=origin_s(self) + since_s[held])

    def seconds(self, start_s: float = 0.0, end_s: float | None = None) -> Stretches:
        """Response times in milliseconds of each second between two times since the first one, by their buckets.

        Of the whole run, percentiles are those of the digest of all.
        """
        import numpy as np

        from poolkeeper.latency import Stretches
        from poolkeeper.latency.digest import Digest

        series = self.survey.series
        if series is None:
            raise DataError(f"{self.name}: {self.results.no_series}")
        first = round(start_s / series.every_s)
        last = round(end_s / series.every_s) if end_s is not None else _NO_END
        # Times count from the first request, which may be among those that are left out.
        every, began = series.every_s, self.total.survey.series
        offset = 0 if began is None else round((int(series.start_ns[0]) - int(began.start_ns[0])) / every / 1e9)
        first, last = max(0, first - offset), min(len(series), max(0, last - offset))
        place, middles, counts = series.cells
        kept = (place >= first) & (place < last)
        whole = self.survey.digest
        if not kept.all():
            whole = replace(Digest.of_counts(middles[kept], counts[kept]), source=whole.source)
        sums = np.nan_to_num(series.mean_ns * series.count)[first:last]
        sizes = series.count[first:last].astype(np.float64)
        return Stretches(whole, place[kept] - first, middles[kept], counts[kept], sizes, sums).scaled(MS)

    @cached_property
    def step_ns(self) -> int:
        """The step in which response times were recorded: the largest of which all are multiples; 0 if all are 0.

        Of so many that they are not looked at one by one, the step of their format.
        """
        import numpy as np

        return int(np.gcd.reduce(self.rows["response_ns"])) if self.single else self.results.resolution_ns

    def step_beside(self, other: Load) -> float | None:
        """The step of response times of two tests in milliseconds; None where the values of both show it."""
        return None if self.single and other.single else max(self.step_ns, other.step_ns) / NS_PER_MS

    @property
    def for_fits(self) -> Any:
        """Data for fits: the values, or where they are many counts in bins."""
        return self.values if self.single else self.digest.binned(self.survey.step_ns)

    @property
    def for_tails(self) -> Any:
        """Data for tails: the values, or where they are many the largest of them."""
        return self.values if self.single else self.digest


_NO_END = 1 << 62
_UNANSWERED = "{:,} failed requests took no time and have no status: they count as failures, without a response time"
_ALL_FAILED = "all requests failed: response times are those of failures"
_USUAL, _NEARLY_ALL, _SLOW_NS = 0.99, 0.999, 3 * NS
_BY_ENDS = (
    f"some responses take long, and of more than {WHOLE:,} requests all is counted by when they ended: levels, and the"
    " beginning and the end, hold responses of requests that were sent before; --label, or --from and --to, take fewer"
)
_LISTED = 50
"""Labels that a message lists."""
_CUTS = ("warm_up", "cool_down", "label", "group", "start", "end")


def opened(wanted: RequestSelection, progress: Progress | None = None) -> Results:
    """The results, cut as wanted; raises InputError for a wrong file, format or cut."""
    from poolkeeper.results import read

    for file in wanted.files:
        if list(wanted.files).count(file) > 1:
            raise InputError(f"{file}: is given twice")

    def reached(rows: int, share: float) -> None:
        if progress is not None:
            progress.at(f"reading, {rows:,} requests", share)

    results = read(wanted.files, format=wanted.format, unit=wanted.unit, column=wanted.column, progress=reached)
    cuts: dict[str, Any] = dict(wanted.seconds())
    cuts |= {name: value for name in ("label", "group") if (value := getattr(wanted, name))}
    return results.cut(**cuts) if cuts else results


def load(wanted: RequestSelection, progress: Progress | None = None, *, may_lack_failures: bool = False) -> Load:
    """Read the requests that were asked for. Raises InputError for a wrong option, DataError if no request is left.

    Where failures alone are wanted, `may_lack_failures` lets results without any be silent.
    """
    results = with_requests(opened(wanted, progress), wanted)
    survey = results.survey()
    if not survey.digest.count:
        refuse_nothing(wanted, survey.warnings)
    return apart(Load(results, survey, wanted), may_lack_failures=may_lack_failures)


def apart(total: Load, *, may_lack_failures: bool = False) -> Load:
    """The successes of a load, its failures, or both, as is wanted.

    Raises DataError where failures alone are wanted and the files do not tell, or there is none, unless it may lack.
    """
    failures = total.wanted.failures
    if failures == ONLY and total.failed == 0 and may_lack_failures:
        return replace(total, silent=True)
    if failures == ONLY and not total.failed:
        why = "do not show which requests failed" if total.failed is None else "hold no request that failed"
        raise DataError(f"--failures only: the results {why}")
    if not total.failed:
        return total
    # Without a success there is nothing else to look at, which becomes a warning.
    if failures == INCLUDE or total.failed == total.count:
        if total.survey.digest.minimum > 0:
            return total
        answered = total.only()
        if not answered.count:
            return replace(total, silent=True)
        return answered if answered.count < total.count else total
    found = total.only(ok=failures == EXCLUDE)
    return found if found.count else replace(total, silent=True)


class FiguresAloneError(DataError):
    """Results that hold no requests but a tool's own figures."""


def with_requests(results: Results, wanted: RequestSelection) -> Results:
    """The results; raises FiguresAloneError where they hold no requests but a tool's own figures."""
    if results.kind == "percentiles":
        raise FiguresAloneError(
            f"{wanted.name}: {results.format} results hold what the tool computed, and no response times"
        )
    return results


def columns(results: Results) -> dict[str, np.ndarray]:
    """The columns start_ns, response_ns and ok, as far as there are any, in the order of the files."""
    import polars as pl

    names = [name for name in ("start_ns", "response_ns", "ok") if name in results.columns]
    frame = results.frame.select(names).collect()
    if "ok" in names:
        has_success = frame["ok"].null_count() < frame.height
        names = names if has_success else [name for name in names if name != "ok"]
        frame = frame.with_columns(pl.col("ok").fill_null(value=True))
    return {name: frame[name].to_numpy() for name in names}


def columns_in_order(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same rows in the order in which responses came, where there are times."""
    if "start_ns" not in found:
        return found
    start_ns = found["start_ns"]
    # Those that began in one whole second have the order of their file: with the times added, they would all ascend.
    when = start_ns + found["response_ns"] if (start_ns % NS).any() else start_ns
    order = when.argsort(kind="stable")
    return {name: column[order] for name, column in found.items()}


def refuse_nothing(wanted: RequestSelection, noted: Sequence[Finding] = ()) -> NoReturn:
    """Explain why no request is left: an unknown label or thread group with the nearest name, or the findings."""
    from poolkeeper.suggestion import unknown

    whole = opened(replace(wanted, label=None, group=None))
    for name in ("label", "group"):
        for word in getattr(wanted, name) or ():
            if word not in (there := whole.digests(by=name)):
                raise InputError(f"--{name}: {unknown(name, word, list(there)[:_LISTED])}")
    # Requests that were left out say more than what else was noticed.
    reasons = sorted(noted, key=lambda finding: finding.kind != "no response time")
    why = f": {reasons[0].words}" if reasons else ""
    raise DataError(f"{', '.join(map(str, wanted.files))}: holds no requests{why}")


def positive(text: str, option: str) -> float:
    """Milliseconds of a time above 0 that an option gives; raises InputError, which names the option, for another."""
    seconds = option_duration(text, option)
    if seconds == 0:
        raise InputError(f"{option} {text}: must be longer than 0")
    return seconds * 1000
