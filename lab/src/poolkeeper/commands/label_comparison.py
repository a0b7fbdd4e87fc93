"""Labels of two tests compared one by one, where the tests sent them in other shares.

Of a mix that changed, figures of all requests may point the other way than those of each label (Simpson's paradox).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from poolkeeper.commands.load import EXCLUDE, INCLUDE, ONLY
from poolkeeper.commands.steps.bursts import bursts_of
from poolkeeper.commands.steps.level_comparison import ERROR, PERCENTILES, figures, verdicts
from poolkeeper.errors import DataError
from poolkeeper.latency import compare
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import number
from poolkeeper.present.text import counted, listed
from poolkeeper.results.survey import OTHERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.commands.load import Load
    from poolkeeper.latency import Comparison

_ALIKE = 0.05
"""Share of a label among the requests of two tests may differ by so much."""
_BEYOND_CHANCE = 4.0
"""Standard errors by which shares differ that chance hardly makes."""
_MOST = 10
"""Labels that are compared: those with the most requests."""
_LISTED = 5
_OUTCOMES = {EXCLUDE: "succeeded", INCLUDE: "were answered", ONLY: "failed"}


@dataclass(frozen=True, slots=True)
class ChangedMix:
    """A change of the shares that labels have."""

    words: str
    outcome: str = ""
    """The outcome of the requests that are looked at, where their mix alone changed; empty where that of all did."""

    @property
    def verdict(self) -> str:
        """That the tests are not comparable as a whole."""
        other = f"The runs sent the same mix, but other requests {self.outcome}"
        runs = other if self.outcome else "The runs sent different mixes"
        return f"{runs} ({self.words}), so that they are not comparable as a whole."


@dataclass(frozen=True)
class LabelComparison:
    """A comparison for each label that both tests sent."""

    mix: ChangedMix
    labels: dict[str, Comparison]
    left_out: tuple[str, ...]
    """Labels that are not compared, each with the reason."""

    @property
    def verdict(self) -> str:
        """That the tests are not comparable as a whole, and a sentence for each label, for the first few of many."""
        sentences = verdicts({f"In {label}": found for label, found in self.labels.items()}, "label")
        return f"{self.mix.verdict} {sentences}".strip()

    def table(self) -> Table:
        """A row a label and figure."""
        rows = tuple(row for label, found in self.labels.items() for row in figures(label, found))
        columns = ("label", "figure", "first [ms]", "second [ms]", "change", "seen")
        return Table("Label with label", columns, rows, self.left_out)

    def to_dict(self) -> dict[str, Any]:
        """One entry a label."""
        return {
            "mix": self.mix.words,
            "labels": {label: found.to_dict() for label, found in self.labels.items()},
            "left_out": list(self.left_out),
        }

    def plot(self) -> Chart:
        """The mean of each label in both tests."""
        means = [(found.mean.first.value, found.mean.second.value) for found in self.labels.values()]
        x = tuple(float(place) for place in range(1, len(means) + 1))
        lines = tuple(
            Series(f"mean, {run}", x, tuple(pair[side] for pair in means), Kind.POINTS)
            for side, run in ((0, "first"), (1, "second"))
        )
        names = tuple(f"{place}: {label}" for place, label in enumerate(self.labels, 1))
        shown = lines if means else ()
        return Chart("Response time by label", Axis("label"), Axis("response time", "ms"), shown, notes=names)


def changed_mix(first: Load, second: Load) -> ChangedMix | None:
    """The change of the mix of the requests that are looked at; None where it is the same.

    Where all requests have another mix, it is that. Else the runs sent the same, and other requests failed.
    """
    here = _shifted(first, second, _counts(first, second), outcome := _OUTCOMES[first.wanted.failures])
    if not here:
        return None
    sent = _shifted(first, second, _counts(first.total, second.total))
    return ChangedMix(sent) if sent else ChangedMix(here, outcome)


def _shifted(first: Load, second: Load, counts: Sequence[dict[str, int]], outcome: str = "") -> str:
    """Label whose share changed most, in words; empty where two tests have the same shares."""
    totals = [sum(count.values()) for count in counts]
    if not all(totals) or any(set(count) == {""} for count in counts):
        return ""
    that = f" that {outcome}" if outcome else ""
    if not set(counts[0]) & set(counts[1]):
        names = " and ".join(str(next(iter(count))) for count in counts)
        return f"the {'requests' if that else 'runs'}{that} have no label in common ({names}, say)"
    shifts = {}
    for name in {*counts[0], *counts[1]}:
        shares = [count.get(name, 0) / total for count, total in zip(counts, totals, strict=True)]
        pooled = sum(count.get(name, 0) for count in counts) / sum(totals)
        error = math.sqrt(pooled * (1 - pooled) * sum(1 / total for total in totals))
        if abs(shares[1] - shares[0]) > max(_ALIKE, _BEYOND_CHANCE * error):
            shifts[name] = shares
    if not shifts:
        return ""
    gains = {label: after - before for label, (before, after) in shifts.items()}
    name = max(sorted(gains), key=lambda label: (round(abs(gains[label]), 9), gains[label]))
    before, after = (number(100 * share, 2) for share in shifts[name])
    return f"{name} is {before} % of the requests{that} of {first.name} and {after} % of those of {second.name}"


def by_label(mix: ChangedMix, first: Load, second: Load, percentiles: Sequence[float] | None) -> LabelComparison | None:
    """Compare each label that both tests sent; None where they share none."""
    counts = _counts(first, second)
    common = sorted((set(counts[0]) & set(counts[1])) - {OTHERS}, key=lambda name: -min(map(itemgetter(name), counts)))
    if not common:
        return None
    left_out = []
    if alone := sorted(set(counts[0]) ^ set(counts[1])):
        left_out.append(f"sent by one of the two only: {_some(alone)}")
    if len(common) > _MOST:
        left_out.append(f"not compared, since they have fewer requests: {_some(common[_MOST:])}")
    found, compared = {}, common[:_MOST]
    for label in compared:
        try:
            found[label] = _compared(label, first, second, percentiles, confidence=1 - ERROR / len(compared))
        except DataError as error:
            left_out.append(f"{label}: {error}")
    return LabelComparison(mix, found, tuple(left_out))


def _counts(first: Load, second: Load) -> list[dict[str, int]]:
    """Requests of each label in both tests, of those that are looked at."""
    return [{name: group.count for name, group in load.survey.groups.items()} for load in (first, second)]


def _some(labels: Sequence[str]) -> str:
    """The first labels, and how many more there are."""
    more = [counted(len(labels) - _LISTED, "more label")] if len(labels) > _LISTED else []
    return listed([*labels[:_LISTED], *more])


def _compared(
    label: str, first: Load, second: Load, percentiles: Sequence[float] | None, *, confidence: float
) -> Comparison:
    """Comparison of one label. Raises DataError where a run has no response times of it that were asked for."""
    loads = [load.of_label(label) for load in (first, second)]
    for load, whole in zip(loads, (first, second), strict=True):
        load.require_answers()
        if load.shows_failures and not whole.shows_failures:
            raise DataError(f"all its requests failed in {load.name}")
    failed = [load.failed for load in loads]
    return compare(
        loads[0].ordered,
        loads[1].ordered,
        percentiles=percentiles or PERCENTILES,
        confidence=confidence,
        unit="ms",
        failed=None if failed[0] is None or failed[1] is None else (failed[0], failed[1]),
        requests=(loads[0].total.count, loads[1].total.count),
        bursts=(bursts_of(loads[0]), bursts_of(loads[1])),
        step=loads[0].step_beside(loads[1]),
    )
