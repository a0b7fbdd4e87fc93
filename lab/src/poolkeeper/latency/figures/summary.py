"""Summary of a test in one table: count, mean, standard deviation, percentiles and the maximum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.errors import DataError
from poolkeeper.latency.figures.means import estimated as mean_of
from poolkeeper.latency.figures.percentiles import PERCENTILES, absent, estimated, name, percentages
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.notes import grouped
from poolkeeper.present.numbers import number, or_none
from poolkeeper.present.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.latency.figures.estimate import Estimate
    from poolkeeper.latency.ordered.conversion import Values
    from poolkeeper.latency.ordered.protocol import Ordered


_MEDIAN = 50.0
_WORTH_SAYING = 1.5


@dataclass(frozen=True)
class Summary:
    """Count, mean, standard deviation, percentiles, minimum and maximum of a sample, in its unit.

    `percentiles` maps percent to estimates, ascending. `autocorrelation_time` is how many values say as much about the
    mean as one independent value; NaN if their order is lost. `std` is NaN for a single value.
    """

    count: int
    mean: Estimate
    std: float
    minimum: float
    maximum: float
    percentiles: dict[float, Estimate]
    autocorrelation_time: float
    unit: str
    notes: tuple[str, ...]

    def __getitem__(self, p: float) -> Estimate:
        """The estimate of a percentile; KeyError for one that was not asked for."""
        return self.percentiles[p]

    @property
    def verdict(self) -> str:
        """One sentence: the median, the highest percentile that has an interval, and the mean."""
        unit = f" {self.unit}" if self.unit else ""
        bounded = [p for p, percentile in self.percentiles.items() if percentile.has_interval]
        median = next((p for p in self.percentiles if p == _MEDIAN and not math.isnan(self.percentiles[p].value)), None)
        shown = dict.fromkeys(p for p in (median, bounded[-1] if bounded else None) if p is not None)
        messages = [f"{name(p)} {_with_interval(self.percentiles[p], unit)}" for p in shown]
        return (
            f"{', '.join([*messages, f'mean {_with_interval(self.mean, unit)}'])}, of {counted(self.count, 'value')}."
        )

    def table(self) -> Table:
        """A row a figure with its interval."""
        unit = f" [{self.unit}]" if self.unit else ""
        estimates = {"mean": self.mean} | {name(p): percentile for p, percentile in self.percentiles.items()}
        confidence = f"{100 * self.mean.confidence:g} %"
        bare = (("minimum", self.minimum), ("maximum", self.maximum), ("standard deviation", self.std))
        return Table(
            counted(self.count, "value"),
            ("figure", f"value{unit}", f"{confidence} from", "to"),
            (
                *(
                    (title, or_none(estimate.value), or_none(estimate.low), or_none(estimate.high))
                    for title, estimate in estimates.items()
                ),
                *((title, or_none(value), None, None) for title, value in bare),
            ),
            (*self.notes, *self._whys(estimates)),
        )

    def _whys(self, estimates: dict[str, Estimate]) -> tuple[str, ...]:
        """Why figures have no interval, those alike in a line, and in one line which percentiles do not even exist."""
        missing = [p for p, percentile in self.percentiles.items() if math.isnan(percentile.value)]
        lines = grouped(
            (title, estimate.why)
            for title, estimate in estimates.items()
            if estimate.why and not math.isnan(estimate.value)
        )
        return (*lines, *([absent(self.count, missing)] if missing else []))

    def to_dict(self) -> dict[str, Any]:
        """For JSON; percentiles by their names, as "p99.9"."""
        return {
            "verdict": self.verdict,
            "count": self.count,
            "unit": self.unit,
            "mean": self.mean.to_dict(),
            "std": or_none(self.std),
            "minimum": self.minimum,
            "maximum": self.maximum,
            "percentiles": {name(p): percentile.to_dict() for p, percentile in self.percentiles.items()},
            "autocorrelation_time": or_none(self.autocorrelation_time),
            "notes": list(self.notes),
        }

    def plot(self) -> Chart:
        """The percentiles over the share of values beyond them, as HdrHistogram draws them."""
        shown = [(p, percentile) for p, percentile in self.percentiles.items() if not math.isnan(percentile.value)]
        return Chart(
            "Percentiles",
            Axis("1 / share of slower: 10 is p90, 100 is p99", log=True),
            Axis("response time", self.unit, log=self.minimum > 0),
            (
                Series(
                    "percentile",
                    tuple(100 / (100 - p) for p, _ in shown),
                    tuple(estimate.value for _, estimate in shown),
                    Kind.POINTS,
                    tuple(estimate.low for _, estimate in shown),
                    tuple(estimate.high for _, estimate in shown),
                ),
            ),
            notes=self.notes,
        )


def summarize(
    values: Values,
    *,
    percentiles: Sequence[float] = PERCENTILES,
    confidence: float = 0.95,
    independent: bool = False,
    unit: str = "",
) -> Summary:
    """Summarize values in the order of time, of any unit; all figures are in that unit, which `unit` names for readers.

    Intervals of the mean and the percentiles respect that neighbours depend on each other; `independent` says that the
    order means nothing. Where there are too few values for an interval its estimate says so.
    Raises InputError for a percentile out of range, DataError for values that are negative or not finite numbers.
    """
    data = in_order(values, independent=independent)
    if negative := int(data.below([0.0], inclusive=False)[0]):
        raise DataError(
            f"values: {negative:,} of {data.count:,} are negative (the least is {data.minimum:g}): no response takes"
            " less than no time; look at the clock, or leave them out"
        )
    found = {p: estimated(data, p, confidence) for p in percentages(percentiles)}
    scores = data.identity
    return Summary(
        data.count,
        mean_of(data, confidence),
        math.sqrt(scores.variance),
        data.minimum,
        data.maximum,
        found,
        math.nan if data.refusal else scores.dependence.time,
        unit,
        _notes(data, [estimate.value for estimate in found.values()]),
    )


def _notes(data: Ordered, percentiles: Sequence[float]) -> tuple[str, ...]:
    """Notes on the values that limit the figures."""
    zeros = int(data.below([0.0])[0])
    found = []
    if zeros:
        found.append(
            f"{zeros:,} of the values {'is' if zeros == 1 else 'are'} 0: the clock is coarser than what it measured"
        )
    times = data.identity.dependence.time if data.count > 1 else 1.0
    if not data.refusal and times >= _WORTH_SAYING:
        worth = max(1, round(data.count / times))
        found.append(
            f"values depend on each other: for their mean, {data.count:,} values carry as much information as"
            f" {worth:,} independent ones"
        )
    if error := max((data.error_of(value) / value for value in percentiles if value > 0), default=0.0):
        found.append(f"percentiles from counts in buckets, within {100 * error:.2g} % of the values")
    return tuple(found)


def _with_interval(estimate: Estimate, unit: str) -> str:
    interval = f" ({number(estimate.low)} to {number(estimate.high)})" if estimate.has_interval else ""
    return f"{number(estimate.value)}{unit}{interval}"
