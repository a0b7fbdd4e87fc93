"""Throughput over time: how many responses came in each interval, how many of them failed, how many came in time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import vector
from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.figures.estimate import Estimate
from poolkeeper.latency.figures.means import mean
from poolkeeper.latency.figures.shares import share
from poolkeeper.latency.ordered.dependence import STRETCHES, Dependence, of_sums
from poolkeeper.latency.ordered.sample import Sample
from poolkeeper.present import Axis, Chart, Series, Table
from poolkeeper.present.notes import grouped
from poolkeeper.present.numbers import number, percent
from poolkeeper.present.text import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats, Integers
    from poolkeeper.present import Cell

NS = 1_000_000_000
_MOST = 10_000_000
"""Intervals of a test: a year at three a second. More come of a wrong unit."""


_TENTHS = 10
_LEAST_OF_TENTH = 10
"""Intervals of a tenth of the test, from which its rate tells something."""
_MUCH = 0.1
"""Share of the responses in intervals that are cut short from which the means are said to leave them out."""
_APART = 0.005
"""Share of the mean rate by which the rate over the whole time differs so much that a note says so."""
_WANDERS = 1.5
"""Ratio of the highest rate of a tenth to the lowest from which the rate is said to change all the time."""


@dataclass(frozen=True, eq=False)
class Throughput:
    """Responses per second over time, and their means with intervals that respect autocorrelation.

    `completions`, `errors` and `good` count the responses of each interval, shape (n,): all that came, those that
    failed, and those that were right and took no longer than `bound_ns` (NaN: no bound was named). The means leave out
    the last interval, which the test's end cuts short, unless it is the only one, and the first one where the test
    began within it (`first_cut`). Responses that came after the load had ended count in `error_share` alone.
    """

    interval_s: float
    completions: Integers
    errors: Integers
    good: Integers
    bound_ns: float
    throughput: Estimate
    """Responses per second that did not fail."""
    goodput: Estimate
    """Responses per second that were right and in time."""
    badput: Estimate
    """Responses per second that failed or were late."""
    error_share: Estimate
    """Failed responses of all, 0 to 1; all failures are taken to be among the counts."""
    first_cut: bool = False
    """Whether the first interval is cut short."""
    tells_failures: bool = True
    """Whether it is known which responses failed; where it is not, nothing is said of a share of errors."""
    late: int = 0
    """Responses that came after the load had ended."""
    overall: float = math.nan
    """Responses a second over the whole time of the load, cut intervals and failures included; NaN if none is given."""

    @classmethod
    def of(  # noqa: PLR0913 - settings by name
        cls,
        completions: ArrayLike,
        *,
        errors: ArrayLike | None = None,
        good: ArrayLike | None = None,
        bound_ns: float = math.nan,
        interval_s: float = 1.0,
        confidence: float = 0.95,
        change: str = "",
        first_cut: bool = False,
        tells_failures: bool = True,
        length: int | None = None,
        loaded: ArrayLike | None = None,
    ) -> Throughput:
        """From the counts of consecutive intervals of equal length, such as those of one digest a second.

        `change` says in words which step of the load is known, `first_cut` that the test began within the first
        interval, as with intervals of the clock, `tells_failures` whether it is known which responses failed. `length`
        is the number of intervals that the load lasted, all unless it is given: a response that came later is a
        response, but belongs to no rate. `loaded` says of each interval of the load whether it counts for the means,
        which all do unless it is given: a gap between two tests does not.
        Raises DataError for counts that are negative or do not fit each other, and where no interval is whole;
        InputError for an `interval_s` that is not above 0.
        """
        if not interval_s > 0:
            raise InputError(f"interval_s: {interval_s:g} is not above 0")
        done = _counts(completions, "completions")
        failed = np.zeros_like(done) if errors is None else _counts(errors, "errors")
        well = done - failed if good is None else _counts(good, "good")
        if not done.shape == failed.shape == well.shape:
            raise DataError(
                f"counts: {done.size} of completions, {failed.size} of errors, {well.size} of good responses"
            )
        if np.any(failed > done) or np.any(failed + well > done):
            raise DataError("counts: more errors and good responses than completions")
        error_share, total = _error_share(done, failed, confidence, change), int(done.sum())
        done, failed, well = done[:length], failed[:length], well[:length]
        whole = _whole(done, first_cut=first_cut)
        counts_for_rates = np.ones(done.size, np.bool_) if loaded is None else np.asarray(loaded, np.bool_)[:length]
        held = np.flatnonzero(counts_for_rates[whole]) + whole.start
        if not held.size:
            raise DataError("no interval is whole: too short to say how many responses come")
        right, in_time, rest = (
            _mean(counts[held] / interval_s, change, confidence) for counts in (done - failed, well, done - well)
        )
        late = total - int(done.sum())
        return cls(
            interval_s,
            done,
            failed,
            well,
            bound_ns,
            right,
            in_time,
            rest,
            error_share,
            first_cut=first_cut,
            tells_failures=tells_failures,
            late=late,
        )

    @property
    def starts_s(self) -> Floats:
        """When each interval begins, in seconds since the first response began."""
        found: Floats = np.arange(self.completions.size, dtype=np.float64) * self.interval_s
        return found

    @property
    def bounded(self) -> bool:
        """Whether a bound was named."""
        return not math.isnan(self.bound_ns)

    def table(self) -> Table:
        """The means a second, and the share of errors."""
        shown = {f"throughput{' of successes' if self.errors.any() else ''} [1/s]": self.throughput}
        if self.bounded:
            shown |= {"goodput [1/s]": self.goodput, "badput [1/s]": self.badput}
        cells: list[tuple[Cell, ...]] = [(title, estimate.value, *_ends(estimate)) for title, estimate in shown.items()]
        error = self.error_share
        errors = {"errors": error} if self.tells_failures else {}
        if self.tells_failures:
            ends = (None if end is None else 100 * end for end in _ends(error))
            cells.append(("errors [%]", 100 * error.value, *ends))
        bound = f", bound {self.bound_ns / 1e6:g} ms" if self.bounded else ""
        whys = grouped((title, estimate.why) for title, estimate in (shown | errors).items() if estimate.why)
        late = f", {self.late:,} later" if self.late else ""
        return Table(
            f"{counted(int(self.completions.sum()), 'response')} in {counted(self.completions.size, 'interval')} of"
            f" {self.interval_s:g} s{late}{bound}",
            ("figure", "value", f"{100 * self.throughput.confidence:g} % from", "to"),
            tuple(cells),
            (*whys, *self._left_out()),
        )

    def _left_out(self) -> tuple[str, ...]:
        """That the means leave out much, so that they need not be responses over time, nor the rate over all of it."""
        whole = _whole(self.completions, first_cut=self.first_cut)
        count, kept = int(self.completions.sum()), int(self.completions[whole].sum())
        size, left = whole.stop - whole.start, count - kept
        mean_rate = kept / size / self.interval_s
        differs = abs(self.overall - mean_rate) > _APART * mean_rate
        if left <= _MUCH * count and not differs:
            return ()
        ends = "the first and the last interval" if self.first_cut else "the last interval"
        words = f"the test fills {ends} in part, with {percent(left / count, 2)} % of the responses"
        rates = f"rates are those of the {counted(size, 'interval')} {'between' if self.first_cut else 'before'}"
        failures = ", failed ones included" if self.errors.any() else ""
        all_ = f"; over the whole time it is {number(self.overall)}/s{failures}" if differs else ""
        return (f"{words}: {rates}{all_}",)

    def to_dict(self) -> dict[str, Any]:
        """Means and series."""
        return {
            "interval_s": self.interval_s,
            "bound_ns": self.bound_ns if self.bounded else None,
            "throughput_per_s": self.throughput.to_dict(),
            "goodput_per_s": self.goodput.to_dict(),
            "badput_per_s": self.badput.to_dict(),
            "error_share": self.error_share.to_dict() if self.tells_failures else None,
            "completions": self.completions.tolist(),
            "errors": self.errors.tolist() if self.tells_failures else None,
            "good": self.good.tolist(),
        }

    def plot(self) -> Chart:
        """Responses per second over time, without intervals that the ends of the test cut short."""
        rows = {"succeeded": self.completions - self.errors, "failed": self.errors}
        if self.bounded:
            rows = {"in time": self.good, "late": self.completions - self.errors - self.good, "failed": self.errors}
        if not self.tells_failures:
            rows = {"answered" if name == "succeeded" else name: row for name, row in rows.items() if name != "failed"}
        whole = _whole(self.completions, first_cut=self.first_cut)
        at = tuple(self.starts_s[whole].tolist())
        return Chart(
            "Throughput over time",
            Axis("time", "s"),
            Axis("responses per second", "1/s"),
            tuple(Series(title, at, tuple((row[whole] / self.interval_s).tolist())) for title, row in rows.items()),
        )


def throughput(  # noqa: PLR0913 - settings by name
    start_ns: ArrayLike,
    response_ns: ArrayLike,
    *,
    ok: ArrayLike | None = None,
    bound_ns: float = math.nan,
    interval_s: float = 1.0,
    confidence: float = 0.95,
) -> Throughput:
    """Count responses by when they came, start plus response time, both in nanoseconds, shape (n,), in any order.

    `ok` says which did not fail (all, if it is not given), `bound_ns` which came in time: goodput counts those that
    did and did not fail. Raises DataError for shapes that do not fit and for negative response times, InputError for
    an `interval_s` that is not above 0 or makes more than ten million intervals.
    """
    start, response = vector(start_ns, "start_ns"), vector(response_ns, "response_ns")
    right = np.ones(start.size, dtype=np.bool_) if ok is None else np.asarray(ok, dtype=np.bool_)
    if not start.shape == response.shape == right.shape:
        raise DataError(f"start_ns, response_ns, ok: {start.size}, {response.size} and {right.size} values")
    if response.min() < 0:
        raise DataError(f"response_ns: {int((response < 0).sum())} of {response.size} values are negative")
    if not interval_s > 0:
        raise InputError(f"interval_s: {interval_s:g} is not above 0")
    since = (start - start.min() + response) / (interval_s * NS)
    if since.max() >= _MOST:
        raise InputError(
            f"interval_s: {interval_s:g} cuts {since.max() * interval_s:,.0f} s into more than {_MOST:,} intervals"
        )
    place = since.astype(np.int64)
    length = int(place.max()) + 1
    good = right & ~(response > bound_ns)
    done, failed, well = (np.bincount(place[chosen], minlength=length) for chosen in (slice(None), ~right, good))
    return Throughput.of(
        done, errors=failed, good=well, bound_ns=bound_ns, interval_s=interval_s, confidence=confidence
    )


def _counts(values: ArrayLike, name: str) -> Integers:
    found = vector(values, name)
    if found.min() < 0:
        raise DataError(f"{name}: a count of {found.min():g} is negative")
    return found.astype(np.int64)


def _whole(counts: Integers, *, first_cut: bool) -> slice:
    """Intervals that the ends of the test do not cut short; the only one is taken for whole."""
    if not first_cut:
        return slice(0, max(1, counts.size - 1))
    if counts.size <= 2:  # noqa: PLR2004 - the two ends
        raise DataError(f"{counted(counts.size, 'interval')}: none is whole, too short to say how many responses come")
    return slice(1, counts.size - 1)


def _mean(rates: Floats, change: str, confidence: float) -> Estimate:
    """The mean rate; where it has no interval since the rate wanders, that is the reason."""
    sample = Sample(rates, cause=change)
    found = mean(sample, confidence)
    if change and not found.has_interval and rates.min() < rates.max():
        return replace(found, why=change)  # and not that so few intervals have none
    stated = found.has_interval or sample.change or sample.ranks.independent
    if stated or rates.size < _TENTHS * _LEAST_OF_TENTH:
        return found
    tenths = rates[: rates.size - rates.size % _TENTHS].reshape(_TENTHS, -1).mean(axis=1)
    if tenths.max() < _WANDERS * tenths.min():
        return found
    ends = f"between {number(tenths.min())} and {number(tenths.max())} a second in tenths of the test"
    return replace(found, why=f"the rate changes all the time, {ends}: its mean depends on how long the test lasted")


def _error_share(done: Integers, failed: Integers, confidence: float, change: str) -> Estimate:
    """The share of errors: how far they depend on each other is seen from how they gather in intervals.

    `change` is the reason why they gather, if it is known.
    """
    count, happened = int(done.sum()), int(failed.sum())
    if not count:
        raise DataError("completions: there are none")
    part = happened / count
    found = gathering(done, failed)
    if found is None and 0 < happened < count:
        why = (
            f"{counted(done.size, 'interval')} cannot tell how far errors depend on each other: {STRETCHES} are needed"
        )
        return Estimate.bare(part, confidence, why)
    return share(happened, count, found or Dependence(1.0, count, independent=True), confidence, change)


def gathering(done: Integers, failed: Integers) -> Dependence | None:
    """Dependence of failures on each other, from those of each interval, (n,), of all requests that ended in it.

    None where the intervals are too few to tell, and where nothing failed or all of it.
    """
    count, happened = int(done.sum()), int(failed.sum())
    if not 0 < happened < count:
        return None
    part = happened / count
    return of_sums((failed - part * done).astype(np.float64), count, part * (1 - part))


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    return (estimate.low, estimate.high) if estimate.has_interval else (None, None)
