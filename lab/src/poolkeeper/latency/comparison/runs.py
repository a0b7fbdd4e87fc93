"""Two runs compared: what differs by more than chance explains, by how much, and what could have been seen.

Differences of percentiles and means get their intervals from those of the two runs, which respect autocorrelation, by
the method of variance estimates recovery [1]: it keeps each side's own skewed uncertainty and needs no bootstrap. The
probability of superiority (is a response of the one run slower than one of the other?) rests on the placements of
each response in the other run [2], whose dependence is estimated as that of any series; the median of all pairwise
differences (Hodges and Lehmann) inverts the same test [3].

A verdict speaks of several figures at once: percentiles, the mean, the share that failed. Each is therefore judged by
an interval of confidence 1 - 0.05 / m for m figures (Bonferroni), so that two equal runs are called different in any
of them in at most 5 % of all comparisons.

[1] Zou, Donner: Construction of confidence limits about effect measures, Statistics in Medicine 27(10), 2008; for
    percentiles: Price, Bonett: Distribution-free confidence intervals for difference and ratio of medians, J. Statist.
    Comput. Simul. 72(2), 2002.
[2] DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated ROC curves, Biometrics 44(3), 1988.
[3] Lehmann: Nonparametrics, 2nd ed., 2.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.arrays import fraction
from poolkeeper.latency.comparison.difference import Difference, difference
from poolkeeper.latency.comparison.rounding import Rounding
from poolkeeper.latency.comparison.shares import Failures, failed_shares
from poolkeeper.latency.comparison.superiority import shift, superiority
from poolkeeper.latency.figures.means import estimated as mean_of
from poolkeeper.latency.figures.percentiles import COMPARED, PERCENTILES, absent, estimated, name, percentages
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.present import Axis, Cell, Chart, Kind, Series, Table
from poolkeeper.present.notes import grouped
from poolkeeper.present.numbers import change, number, or_none, percent
from poolkeeper.present.text import counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.latency.figures.estimate import Estimate
    from poolkeeper.latency.ordered.conversion import Values
    from poolkeeper.latency.ordered.dependence import Dependence


_USUAL = 99.0
"""Percentile beyond which a test is seldom long enough for an interval."""


@dataclass(frozen=True)
class Comparison:
    """A second run relative to a first one, the baseline. Differences are second minus first, in the data's unit.

    `percentiles` maps percent to differences, ascending; each holds an interval of its own and says by a wider one,
    that for all percentiles at once, whether it was seen.
    """

    counts: tuple[int, int]
    percentiles: dict[float, Difference]
    mean: Difference
    superiority: Estimate
    """Probability that a response of the second run is slower than one of the first, ties by half: 0.5 is none."""
    shift: Estimate
    """Median of the differences between a response of the second and one of the first run."""
    unit: str
    failed: Difference | None = None
    """The share of requests that failed, in percent; None if it is not known."""
    bursts: str = ""
    """Sentence on failures that come in too few bursts to judge by; empty otherwise."""
    failed_note: str = ""
    """Note on how the interval of the failures takes them; empty where there is nothing to say."""
    rounded: str = ""
    """The steps of the values in words, where an interval had to be widened for them; empty otherwise."""

    @property
    def cliffs_delta(self) -> float:
        """Cliff's delta, from -1 (all of the second run's responses are faster) to 1 (all are slower)."""
        return 2 * self.superiority.value - 1

    @property
    def seen(self) -> tuple[float, ...]:
        """The percentiles that differ by more than chance explains, all of them judged at once."""
        return tuple(p for p, percentile in self.percentiles.items() if percentile.seen)

    @property
    def verdict(self) -> str:
        """One sentence or two, and one on failures in bursts."""
        return " ".join(part for part in (self._verdict, self._undecided, self.bursts) if part)

    @property
    def _undecided(self) -> str:
        """Sentence on usual figures that are undecided beside others that were judged; empty without any."""
        if not self.judged:
            return ""
        open_ = {
            title: entry
            for title, entry in self._times(_USUAL).items()
            if not entry.judged and not math.isnan(entry.value)
        }
        return (
            f"Undecided: {listed([f'{title} ({self._change(entry)})' for title, entry in open_.items()])}."
            if open_
            else ""
        )

    @property
    def _verdict(self) -> str:
        judged = {title: time for title, time in self._times().items() if time.judged}
        failed = self.failed if self.failed and self.failed.judged else None
        parts = self.findings
        same = [title for title, entry in judged.items() if not entry.seen]
        same += ["failures"] if failed and not failed.seen else []
        if not judged:
            why = next((time.why for time in self._times().values() if time.why), "no percentile was asked for")
            parts.append(f"cannot be judged faster or slower: {why}")
            if len(parts) == 1:
                return f"It is undecided whether the runs differ: {why}."
        sentences = " It ".join(f"{part}." for part in parts)
        if parts:
            return f"The second run {sentences}" + (f" No difference seen in {listed(same)}." if same else "")
        unit = f" {self.unit}" if self.unit else ""
        least = [f"{number(entry.detectable)}{unit} in {title}" for title, entry in judged.items()]
        least += [f"{number(failed.detectable)} percentage points in failures"] if failed else []
        return (
            f"No difference seen in {listed(same)}. One of {listed(least)} would have been seen in 4 of 5 comparisons."
        )

    @property
    def judged(self) -> bool:
        """Whether there is enough data to judge a response time."""
        return any(time.judged for time in self._times().values())

    @property
    def findings(self) -> list[str]:
        """Differences that were seen, each as it continues "the second run"; speed and failures apart."""
        judged = {title: time for title, time in self._times().items() if time.judged}
        failed = self.failed if self.failed and self.failed.judged else None
        parts = []
        if seen := {title: entry for title, entry in judged.items() if entry.seen}:
            ways = {entry.value > 0 for entry in seen.values()}
            word = "both faster and slower" if len(ways) > 1 else ("slower" if ways == {True} else "faster")
            parts.append(f"is {word}: {listed([f'{title} {self._change(entry)}' for title, entry in seen.items()])}")
        if failed and failed.seen:
            often = "more" if failed.value > 0 else "less"
            second, first = (percent(share.value / 100) for share in (failed.second, failed.first))
            shares = f"{second} % of requests against {first} %"
            parts.append(f"fails {often} often: {shares}")
        return parts

    def _times(self, most: float = 100.0) -> dict[str, Difference]:
        """The percentiles up to one, and the mean, by their names."""
        return {name(p): percentile for p, percentile in self.percentiles.items() if p <= most} | {"mean": self.mean}

    def _change(self, entry: Difference) -> str:
        if math.isnan(entry.ratio.value):
            return f"{number(entry.first.value)} to {number(entry.second.value)}{' ' + self.unit if self.unit else ''}"
        return change(entry.ratio.value - 1)

    def table(self) -> Table:
        """A row a figure: both runs, the difference with its interval, and whether it was seen."""
        unit = f" [{self.unit}]" if self.unit else ""
        shown = self._times() | ({"failed [%]": self.failed} if self.failed else {})
        rows = tuple((title, *_cells(entry)) for title, entry in shown.items())
        per = f"{100 * self.mean.confidence:g} %"
        sizes = f"{counted(self.counts[0], 'value')} against {self.counts[1]:,}"
        superiority, shift = _with_interval(self.superiority), _with_interval(self.shift)
        slower = f"probability that a response of the second run is slower than one of the first: {superiority}"
        effect: tuple[str, ...] = (
            f"{slower}, Cliff's delta {number(self.cliffs_delta)}",
            f"median of the differences of responses: {shift}{' ' + self.unit if self.unit else ''}",
            f"'seen' judges {len(shown)} figures at once, which asks for more than the interval of one",
            "'could be seen' is what would be seen in 4 of 5 such comparisons",
        )
        if self.rounded:
            effect += (self.rounded,)
        if self.failed_note:
            effect += (self.failed_note,)
        whys = grouped(
            (title, entry.why) for title, entry in shown.items() if entry.why and not math.isnan(entry.value)
        )
        columns = ("figure", f"first{unit}", f"second{unit}", f"difference{unit}", f"{per} from", "to", "change")
        return Table(sizes, (*columns, "seen", f"could be seen{unit}"), rows, (*effect, *whys, *self._absent()))

    def _absent(self) -> tuple[str, ...]:
        """Percentiles that a run is too small for, in a line each."""
        shown = self.percentiles.items()
        first = [p for p, entry in shown if math.isnan(entry.first.value)]
        second = [p for p, entry in shown if math.isnan(entry.second.value)]
        runs = zip(self.counts, (first, second), strict=True)
        return tuple(dict.fromkeys(absent(count, ps) for count, ps in runs if ps))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "verdict": self.verdict,
            "unit": self.unit,
            "counts": list(self.counts),
            "percentiles": {name(p): percentile.to_dict() for p, percentile in self.percentiles.items()},
            "mean": self.mean.to_dict(),
            "failed_percent": self.failed.to_dict() if self.failed else None,
            "superiority": self.superiority.to_dict(),
            "cliffs_delta": self.cliffs_delta,
            "shift": self.shift.to_dict(),
        }

    def plot(self) -> Chart:
        """The shift function: the difference of each percentile over the percentile of the first run."""
        shown = [(p, percentile) for p, percentile in self.percentiles.items() if not math.isnan(percentile.value)]
        ends = [(entry.low, entry.high) if entry.has_interval else (entry.value, entry.value) for _, entry in shown]
        at = tuple(entry.first.value for _, entry in shown)
        order = sorted(range(len(at)), key=lambda k: at[k])
        band = Series(
            "second minus first",
            tuple(at[k] for k in order),
            tuple(shown[k][1].value for k in order),
            Kind.POINTS,
            tuple(ends[k][0] for k in order),
            tuple(ends[k][1] for k in order),
        )
        names = ", ".join(name(p) for p, _ in shown)
        return Chart(
            "Shift of the percentiles",
            Axis("percentile of the first run", self.unit, log=bool(at) and min(at) > 0),
            Axis("difference", self.unit),
            (band,),
            notes=(f"from left to right: {names}", "a difference whose interval holds 0 may be chance"),
        )


def compare(  # noqa: PLR0913 - settings by name
    first: Values,
    second: Values,
    *,
    percentiles: Sequence[float] = PERCENTILES,
    confidence: float = 0.95,
    independent: bool = False,
    unit: str = "",
    failed: tuple[int, int] | None = None,
    requests: tuple[int, int] | None = None,
    bursts: tuple[Dependence | None, Dependence | None] = (None, None),
    step: float | None = None,
) -> Comparison:
    """Compare response times of two runs, each in the order of time, both in the same unit.

    Intervals respect that neighbours depend on each other; `independent` says that the order means nothing. Two runs
    on one machine differ by more than their responses do among themselves (caches, neighbours, the day): what is seen
    here is a difference of these runs, and only repeated runs tell one of the systems.
    `failed` says how many of each run's requests failed, if that is known; `requests` how many there were, if the
    values are not those of all, and `bursts` how far failures depend on each other, where that is known.
    `step` is that in which the values were recorded, if these do not show it: a percentile is known to half of it, so
    that no interval of a difference of percentiles ends closer than a step.
    Raises InputError for a percentile out of range, DataError for values that are not finite numbers.
    """
    fraction(confidence, "confidence")
    runs = (
        in_order(first, independent=independent, name="first"),
        in_order(second, independent=independent, name="second"),
    )
    asked = percentages(percentiles)
    stricter = 1 - (1 - confidence) / (len(asked) + 1 + (failed is not None))
    rounding = Rounding.of(*runs, step)
    found = {}
    for p in asked:
        loose, strict = ([estimated(run, p, level, COMPARED) for run in runs] for level in (confidence, stricter))
        found[p] = difference(*loose, *strict, errors=rounding(loose[0].value, loose[1].value))
    means = [mean_of(run, level) for level in (confidence, stricter) for run in runs]
    shares = None
    if failed is not None:
        of_all = requests or (runs[0].count, runs[1].count)
        failures = Failures(failed[0], of_all[0], bursts[0]), Failures(failed[1], of_all[1], bursts[1])
        shares = failed_shares(failures, confidence, stricter)
    return Comparison(
        (runs[0].count, runs[1].count),
        found,
        difference(*means),
        superiority(*runs, confidence),
        rounding.of_shift(shift(*runs, confidence), *runs),
        unit,
        None if shares is None else shares.difference,
        "" if shares is None else shares.undecided,
        "" if shares is None else shares.note,
        rounding.sentence(unit) if any(entry.rounded for entry in found.values()) else "",
    )


def _cells(entry: Difference) -> tuple[Cell, ...]:
    figures = (entry.first.value, entry.second.value, entry.value, entry.low, entry.high)
    seen = "undecided" if not entry.judged else "yes" if entry.seen else "no"
    ratio = "–" if math.isnan(entry.ratio.value) else change(entry.ratio.value - 1)
    return (*(or_none(figure) for figure in figures), ratio, seen, or_none(entry.detectable))


def _with_interval(estimate: Estimate) -> str:
    return (
        f"{number(estimate.value)} ({number(estimate.low)} to {number(estimate.high)})"
        if estimate.has_interval
        else number(estimate.value)
    )
