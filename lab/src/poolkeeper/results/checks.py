"""Signs in the numbers of how they were measured: steps of the clock, gaps, units, results of two tests in one."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from poolkeeper.latency import buckets
from poolkeeper.present.numbers import number, percent, time
from poolkeeper.present.text import listed
from poolkeeper.results.generators import SEPARATOR, are_two, together
from poolkeeper.results.repeats import Copies, Fingerprints, twice
from poolkeeper.results.sending_times import EVERYTHING, Edges
from poolkeeper.results.tallies import BUCKET_BITS, Counts
from poolkeeper.units import NANOSECONDS, NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.arrays import Booleans, Floats, Integers
    from poolkeeper.results.findings import Findings
    from poolkeeper.results.part import Clock, Part
    from poolkeeper.results.sending_times import Window
    from poolkeeper.results.series import Series

_STEP_S = 5.0
"""Least step back of a clock that is reported: more than writers of several machines are apart."""

_LITTLE = 0.05
"""Share of the time of a file by which its times may go back and leave rates."""

_GAP_S = 60.0
"""Seconds between two files that are told."""

_INSIDE_S = 3600.0
"""Seconds after the begin of a long gap that are surely within it."""

_SILENT = 2
_NEIGHBOURHOOD = 10
"""Intervals without an answer that are a silence, and at least how many before and after it say what was expected."""
_EXPECTED = 14.0
"""With so many answers expected, none comes once in a million times (Poisson)."""

_YEAR_S = 365.25 * 86400
_FIRST_YEAR, _LAST_YEAR = 2000 - 1970, 2100 - 1970
_DIGITS = 2
_TOO_MANY = 1.5
_FULL = (0.3, 1.1)
_THOUSANDFOLD = (300.0, 3000.0)
_FEW = 10
"""Rows below which steps may be chance; nanoseconds below which rounding to whole ones shows."""
_LONG = 3600 * NS
"""Half of the response times are hardly longer than an hour."""
_SLOW = 10 * NS
"""Half of the response times are hardly longer than that where another unit makes them shorter."""
_LISTED = 8
"""Engines that a finding lists."""
_TICKS = 20
"""Ticks of a clock that a rate needs: from one end to the other one may be missing, which is a twentieth."""

_ALIKE = ("start_ns", "response_ns", "label", "ok", "bytes", "thread", "engine")
"""Columns in which a row and its copy are alike."""
CLOCK_KINDS = ("clock", "dates", "reach", "whole seconds", "twice", "sampled")
"""Kinds of findings by which the time from the first request to the last response is not known."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Properties of the rows of one file that reveal oddities of it, alone and among others."""

    name: str
    clock: Clock
    unit_guessed: bool
    span: tuple[int, int] | None
    """When the first request was sent and the last response was there; None without times or rows."""
    median_ns: float
    """Half of the response times are below; NaN without rows."""
    count: int
    """Requests that were answered."""
    zeros: int
    """Response times of 0."""
    whole_seconds: bool
    """Whether each was sent, or each ended, in a whole second."""
    back_s: float
    steps: int
    """Largest step back of the times, and the number of steps that its writer does not make by itself."""
    fingerprints: Fingerprints
    """Marks by which its rows are known again."""
    untimed: Fingerprints
    """The same of its response times alone, which another file may have with finer or coarser times."""
    copies: Copies
    """Rows that are alike."""
    rows: int
    """Rows of any kind."""
    pause: tuple[int, int] | None
    """The longest time in which nothing was sent: its begin and its end; None without times or with one row."""


class Watch:
    """Sees the rows of all files as they pass, in their order."""

    def __init__(self, parts: Sequence[Part], window: Window = EVERYTHING) -> None:
        """Begin to watch the rows that a window leaves of files."""
        self._parts = parts
        self._window = window
        self._latest = [-math.inf] * len(parts)
        self._back = [0.0] * len(parts)
        self._steps = [0] * len(parts)
        self._spans: list[tuple[int, int] | None] = [None] * len(parts)
        self._counted = [0] * len(parts)
        self._zeros = [0] * len(parts)
        self._whole = [[True, True] for _ in parts]
        self._seconds: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
        self._counts = Counts()
        self._fingerprints = [Fingerprints() for _ in parts]
        self._untimed = [Fingerprints() for _ in parts]
        self._copies = [Copies() for _ in parts]
        self._rows = [0] * len(parts)
        self._pauses: list[tuple[int, int] | None] = [None] * len(parts)

    def add(self, part: int, starts: Integers | None, times: Integers, silent: Booleans | None = None) -> None:
        """Take in rows of one file: when requests were sent, their response times, and whether they got no answer."""
        answered = times if silent is None else times[~silent]
        self._counts.add(np.full(answered.size, part), buckets.numbers(answered.astype(np.float64), _DIGITS))
        self._counted[part] += answered.size
        self._zeros[part] += answered.size - int(np.count_nonzero(answered))
        if starts is None:
            self._fingerprints[part].add(np.zeros_like(times), times)
        if starts is None or not starts.size:
            return
        self._untimed[part].add(np.zeros_like(times), times)
        self._fingerprints[part].add(starts, times)
        ends = starts + times
        for side, when in enumerate((starts, ends)):
            self._whole[part][side] = self._whole[part][side] and not (when % NS).any()
            if self._whole[part][side]:
                seconds, counts = np.unique(when // NS, return_counts=True)
                self._seconds[side].update(dict(zip(seconds.tolist(), counts.tolist(), strict=True)))
        # Lines are written in the order of sending or of ending. In both, nothing can have ended before something was
        # sent that is written further up, unless the clock was set back or files were put together.
        latest = np.maximum(np.maximum.accumulate(starts), self._latest[part])
        back = (latest - ends) / NS
        behind = back > _STEP_S
        if behind.any():
            self._steps[part] += int(np.count_nonzero(behind[1:] & ~behind[:-1])) + int(behind[0])
            self._back[part] = max(self._back[part], float(back.max()))
        self._pause(part, latest)
        self._latest[part] = float(latest[-1])
        first, last = int(starts.min()), int(ends.max())
        before = self._spans[part]
        self._spans[part] = (first, last) if before is None else (min(first, before[0]), max(last, before[1]))

    def add_rows(self, part: int, rows: pl.DataFrame) -> None:
        """Take in the same rows with all that a row and its copy have in common, or those of a histogram."""
        self._rows[part] += rows.height
        if "count" not in rows.columns and "start_ns" in rows.columns:
            alike = [name for name in _ALIKE if name in rows.columns]
            self._copies[part].add(rows.select(alike).hash_rows().to_numpy(), rows["response_ns"].to_numpy())
        elif "length_ns" in rows.columns:
            # Counts of an interval are a row of their own: two intervals of a time with the same counts are copies.
            counts = pl.struct("response_ns", "count").hash().sum().reinterpret(signed=True)
            intervals = rows.group_by("start_ns", "length_ns", "label", maintain_order=True).agg(counts=counts)
            self._fingerprints[part].add(*intervals.select("start_ns", "counts").to_numpy().T)
            self._copies[part].add(intervals.hash_rows().to_numpy(), intervals["counts"].to_numpy())

    def _pause(self, part: int, latest: Floats) -> None:
        """Keep the longest time in which nothing was sent, by the latest start up to each row."""
        before = self._latest[part]
        sent = latest if math.isinf(before) else np.concatenate(([before], latest))
        if sent.size < 2:  # noqa: PLR2004 - a pause lies between two
            return
        place = int(np.diff(sent).argmax())
        found, kept = (int(sent[place]), int(sent[place + 1])), self._pauses[part]
        if kept is None or found[1] - found[0] > kept[1] - kept[0]:
            self._pauses[part] = found

    def seen(self) -> tuple[Seen, ...]:
        """Properties of each file."""
        medians = self._medians()
        return tuple(
            Seen(
                part.source.path.name,
                part.clock,
                part.unit_guessed,
                self._span(place),
                medians.get(place, math.nan),
                self._counted[place],
                self._zeros[place],
                self._spans[place] is not None and any(self._whole[place]),
                self._back[place],
                max(0, self._steps[place] - part.courses + 1),
                self._fingerprints[place],
                self._untimed[place],
                self._copies[place],
                self._rows[place],
                self._pauses[place],
            )
            for place, part in enumerate(self._parts)
        )

    def _span(self, place: int) -> tuple[int, int] | None:
        """When the load of a file began and ended."""
        span = self._spans[place]
        if span is None:
            return None
        return self._window.begin(span[0], self.edges), self._window.end(span[1], self.edges)

    @property
    def edges(self) -> Edges:
        """Edges of the load, where all files are stamped with whole seconds at the same side."""
        for side, counts in enumerate(self._seconds):
            if all(self._whole[place][side] for place, span in enumerate(self._spans) if span is not None):
                return Edges.of(counts)
        return Edges()

    def _medians(self) -> dict[int, float]:
        keys, counts = self._counts.packed()
        found = {}
        for part in range(len(self._parts)):
            held = slice(*np.searchsorted(keys, [part << BUCKET_BITS, (part + 1) << BUCKET_BITS]))
            if counts[held].size:
                total = np.cumsum(counts[held])
                key = keys[held][np.searchsorted(total, (total[-1] + 1) // 2)] & ((1 << BUCKET_BITS) - 1)
                found[part] = float(buckets.middles(np.array([key]), _DIGITS)[0])
        return found


def odd(findings: Findings, files: Sequence[Seen], series: Series | None) -> None:
    """Add findings about oddities of the files, one by one and together; `series` is their course over time."""
    for file in files:
        _steps_back(findings, file)
        if len(files) > 1 and not file.rows:
            findings.add("nothing", f"{file.name}: none of these requests are from it")
    twice(findings, files)
    _begins_anew(findings, files)
    for file in files:
        _dates(findings, file)
    for file in files:
        _steps(findings, file)
        _unit(findings, file)
    _files(findings, files)
    _add_users(findings, series)
    _reach(findings, files, series)
    if series is not None:
        _gaps(findings, files, series)
        if any(traits.count for traits in files):  # intervals of histograms may be longer than those of the series
            _silences(findings, series)
        _little(findings, series)


def _steps_back(findings: Findings, traits: Seen) -> None:
    """Say that the times of a file go back, which leaves rates alone where it is little of the time."""
    if not traits.steps or traits.span is None:
        return
    often = "once" if traits.steps == 1 else f"{traits.steps:,} times"
    words = f"{traits.name}: times go back by up to {time(traits.back_s)}, {often}: the clock was set back,"
    off = traits.steps * traits.back_s / max(1, traits.span[1] - traits.span[0]) * NS
    if off <= _LITTLE:
        findings.add("late", f"{words} or results were written late; rates may be off by {percent(off, 2)} %")
    else:
        findings.add("clock", f"{words} or results were put together out of order")


def _begins_anew(findings: Findings, files: Sequence[Seen]) -> None:
    """Say of several files whose times count from the start of their runs that these are laid one over the other."""
    alone = [file.name for file in files if file.clock == "run" and file.count]
    if len(alone) > 1:
        words = f"{listed(alone)}: their times count from the start of each run, so that they are taken for runs of the"
        more = "same time, whose rates add up; runs one after the other are told apart by analysing each for itself"
        findings.add("run clocks", f"{words} {more}")


def _dates(findings: Findings, traits: Seen) -> None:
    if traits.span is None or traits.clock != "wall":
        return
    years = traits.span[0] / NS / _YEAR_S
    if not _FIRST_YEAR <= years < _LAST_YEAR:
        words = f"its times lie in the year {1970 + int(years)}: they may be in another unit than the format has"
        findings.add("dates", f"{traits.name}: {words}")


def _steps(findings: Findings, traits: Seen) -> None:
    """Response times that the steps in which they were written leave little of."""
    if traits.count < _FEW:
        return
    if 2 * traits.zeros >= traits.count:
        words = f"{traits.zeros:,} of {traits.count:,} response times are 0"
        more = "they were rounded too coarsely, or are in a larger unit than they were taken for, such as seconds"
        findings.add("coarse", f"{traits.name}: {words}: {more}")
    elif traits.median_ns < _FEW:
        words = f"half of the response times are {number(traits.median_ns)} ns or less, and all are kept in whole ns"
        findings.add("coarse", f"{traits.name}: {words}: they are rounded; is their unit right?")


def _unit(findings: Findings, traits: Seen) -> None:
    median = traits.median_ns
    if not median > 0:
        return
    if not traits.unit_guessed:
        if median > _LONG and traits.count >= _FEW:
            unit, option = ("microseconds", "us") if median / NANOSECONDS["us"] < _SLOW else ("nanoseconds", "ns")
            words = f"half of the response times are above {time(median / NS)}, which is hardly so"
            more = f"they may be in {unit}; format columns reads them, with their column and unit {option}"
            findings.add("unit", f"{traits.name}: {words}: {more}")
        return
    shown = f"{traits.name}: half of the values are below {number(median / NANOSECONDS['ms'])} ms"
    if median < NANOSECONDS["ms"]:
        findings.add("unit", f"{shown}, taken as milliseconds: if they are seconds, say unit s")
    elif median > NANOSECONDS["min"]:
        words = f"half of the values are above {number(median / NS)} s, taken as milliseconds"
        findings.add("unit", f"{traits.name}: {words}: if they are micro- or nanoseconds, say the unit")


def _files(findings: Findings, files: Sequence[Seen]) -> None:
    nonempty = sorted((file for file in files if file.count), key=lambda file: file.median_ns)
    if nonempty and nonempty[0].median_ns > 0:
        low, high = nonempty[0], nonempty[-1]
        if _THOUSANDFOLD[0] < (times := high.median_ns / low.median_ns) < _THOUSANDFOLD[1]:
            words = f"response times of {high.name} are {number(times)} times those of {low.name}"
            findings.add("unit", f"{words}: the files may be in different units")
    spans = sorted((file.span, file.name) for file in files if file.span is not None)
    for (before, first), (after, second) in pairwise(spans):
        if (apart := (after[0] - before[1]) / NS) > _GAP_S:
            words = f"{second} begins {time(apart)} after {first} ends"
            findings.add("gap", f"{words}: these may be two tests")


def _add_users(findings: Findings, series: Series | None) -> None:
    """Say of files that were measured at the same time, and of engines in one file, whether their users add up."""
    if series is None:
        return
    loads = {name: rows for name, rows in series.loads.items() if rows.size}
    users = {name: float(rows[:, 2].sum() / rows[:, 1].sum()) for name, rows in loads.items()}
    engines: dict[str, list[str]] = {}
    for name in loads:
        engines.setdefault(name.partition(SEPARATOR)[0], []).append(name)
    for file, unsorted in engines.items():
        names = sorted(unsorted)
        if len(names) > 1:
            shown = [f"{name.partition(SEPARATOR)[2] or 'one without a name'} {number(users[name])}" for name in names]
            rest = [f"{len(shown) - _LISTED} more"] if len(shown) > _LISTED else []
            words = f"{Path(file).name}: holds samples of {len(names)} engines, with these users on average"
            findings.add("engines", f"{words}: {listed([*shown[:_LISTED], *rest])}; they add up")
    for first, second in combinations(loads, 2):
        if first.partition(SEPARATOR)[0] == second.partition(SEPARATOR)[0]:
            continue
        shown = [Path(name.partition(SEPARATOR)[0]).name for name in (first, second)]
        numbers = " and ".join(number(users[name]) for name in (first, second))
        words = f"{shown[0]} and {shown[1]} were measured at the same time, with {numbers} users on average"
        if are_two(first, second, loads, series.threads):
            findings.add("users", f"{words}: these are taken for those of two load generators, and add up")
        elif together(loads[first], loads[second]):
            reason = "no thread did two things at once, so that these are taken for those of one load generator"
            findings.add("users", f"{words}: {reason}, and count once")


def _reach(findings: Findings, files: Sequence[Seen], series: Series | None) -> None:
    """Whether the times in the files suffice for a rate, and are not too far apart for a row a second."""
    spans = [file.span for file in files if file.span is not None]
    if not spans:
        return
    reach = (max(end for _, end in spans) - min(start for start, _ in spans)) / NS
    if series is None:
        words = (
            f"the times reach over {time(reach)}, too long to look at each interval: figures over time are not given"
        )
        findings.add(
            "reach", f"{words}; these may be two tests, or times in another unit{_apart_at_pause(files, reach)}"
        )
    coarse = [file.name for file in files if file.whole_seconds and file.count >= _FEW]
    if coarse and reach < _TICKS:
        words = f"{', '.join(coarse)}: its times are whole seconds, and all lie within {time(reach)}"
        findings.add("whole seconds", f"{words}: too short to say how many requests came a second")


def _apart_at_pause(files: Sequence[Seen], reach_s: float) -> str:
    """Options that part the requests at a pause that is most of the time; empty without one."""
    pauses = [file.pause for file in files if file.pause is not None]
    begin, end = max(pauses, key=lambda pause: pause[1] - pause[0], default=(0, 0))
    if (end - begin) / NS < reach_s / 2:
        return ""
    return _apart_within(begin, end, _first_ns(files, begin))


def _first_ns(files: Sequence[Seen], otherwise: int) -> int:
    """When the first request was sent, as far as files tell."""
    return min((file.span[0] for file in files if file.span is not None), default=otherwise)


def _apart_within(begin_ns: int, end_ns: int, first_ns: int) -> str:
    """Options that part the requests at a time in which there was none."""
    inside_s = min((end_ns - begin_ns) / 2 / NS, _INSIDE_S)
    at = f"{round((begin_ns - first_ns) / NS + inside_s)}s"
    return f"; --to {at} takes what came before it, --from {at} what came after"


def _gaps(findings: Findings, files: Sequence[Seen], series: Series) -> None:
    if not series.gaps:
        return
    begin, end = max(series.gaps, key=lambda gap: gap[1] - gap[0])
    lasts, at = (end - begin) * series.every_s, begin * series.every_s
    words = f"nothing ended for {number(lasts)} s, from {number(at)} s after the first on"
    others = len(series.gaps) - 1
    more = f", and in {others} shorter {'gap' if others == 1 else 'gaps'}" if others else ""
    reason = "these may be two tests, the clock was set forward, or the load stopped; rates leave that time out"
    start_ns = int(series.start_ns[0])
    begin_ns, end_ns = (start_ns + round(place * series.every_s * NS) for place in (begin, end))
    findings.add("gap", f"{words}{more}: {reason}{_apart_within(begin_ns, end_ns, _first_ns(files, start_ns))}")


def _silences(findings: Findings, series: Series) -> None:
    """Name shorter gaps: no answer for so long that as many as came just before and after would hardly allow it."""
    held = np.flatnonzero(series.count)
    if held.size < 2:  # noqa: PLR2004 - a silence lies between two
        return
    at = ((series.start_ns - series.start_ns[0]) // round(series.every_s * NS)).astype(np.int64)
    total = np.concatenate(([0], np.cumsum(np.bincount(at, weights=series.count))))
    starts, ends = at[held[:-1]] + 1, at[held[1:]]
    lasts = ends - starts
    expected_gap = np.maximum(lasts, _NEIGHBOURHOOD)
    before, after = np.maximum(0, starts - expected_gap), np.minimum(total.size - 1, ends + expected_gap)
    near = total[starts] - total[before] + total[after] - total[ends]
    expected = near * lasts / (starts - before + after - ends)
    seconds = lasts * series.every_s
    gaps = (lasts >= _SILENT) & (expected > _EXPECTED) & ~np.isin(starts, [begin for begin, _ in series.gaps])
    if not gaps.any():
        return
    silent, first = seconds[gaps], float(starts[gaps][0] * series.every_s)
    if silent.size == 1:
        words = f"nothing ended for {time(float(silent[0]))}, {time(first)} after the first answer"
    else:
        words = f"nothing ended in {silent.size:,} stretches, {time(float(silent.sum()))} in all, the longest"
        words += f" {time(float(silent.max()))}, the first {time(first)} after the first answer"
    findings.add("silence", f"{words}: rates over the whole time count that too")


def _little(findings: Findings, series: Series) -> None:
    """Compare the users that the file names with those that Little's law (N = X R) makes of the response times."""
    users = series.users[np.isfinite(series.users)]
    if not users.size or users.max() <= 0:
        return
    least = 10
    if len(series) * series.every_s < least:
        return
    busy = float(np.nansum(series.mean_ns * series.count)) / NS / (len(series) * series.every_s)
    mean = float(np.average(users, weights=series.count[np.isfinite(series.users)]))
    message = f"response times add up to {number(busy)} requests at a time, and there were {number(mean)} users"
    if busy > _TOO_MANY * mean:
        findings.add(
            "unit", f"{message}: response times may be in another unit, transactions counted with their requests"
        )
    elif _FULL[0] * mean <= 1000 * busy <= _FULL[1] * mean:
        findings.add(
            "unit", f"{message}: a thousand times the response times would fit: seconds taken for milliseconds?"
        )
