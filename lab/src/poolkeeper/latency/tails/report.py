"""Everything about the tail of one sample, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import generator, vector
from poolkeeper.errors import DataError, TooFewError
from poolkeeper.latency.digest import Digest
from poolkeeper.latency.replicates import check
from poolkeeper.latency.tails import rounding
from poolkeeper.latency.tails.aggregation import Aggregation, aggregation
from poolkeeper.latency.tails.alternatives import Comparison, compare, comparison_table
from poolkeeper.latency.tails.discrete import (
    COARSE,
    StepCounts,
    goodness_of_steps,
    power_law_of_steps,
    zeta_law_from,
)
from poolkeeper.latency.tails.discrete_rivals import compare_steps, compare_whole_steps
from poolkeeper.latency.tails.goodness import Goodness, goodness
from poolkeeper.latency.tails.index import HillPlot, TailIndex, hill, moment, regression
from poolkeeper.latency.tails.mass_count import MassCount, mass_count
from poolkeeper.latency.tails.power_law import PowerLaw, power_law, power_law_of
from poolkeeper.latency.tails.upper import UpperTail
from poolkeeper.latency.tails.upper_part import standing_part
from poolkeeper.latency.tails.verdict import Tail, Verdict, cut_off, judge
from poolkeeper.present import Cell, Table
from poolkeeper.present.numbers import number

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.present import Chart

LEAST = 50
"""Values below which no tail is looked at."""

_RESAMPLED = 200
_TAILS = 3
"""Comparisons of the values above xmin alone, which come first."""
_UPPER = 0.05
_FINITE = 2
"""Index of a power law above which its variance is finite."""


@dataclass(frozen=True, eq=False)
class TailReport:
    """Mass-count disparity, tail index by several methods, the power law with its rivals, and the verdict."""

    mass_count: MassCount
    law: PowerLaw
    hill: HillPlot
    regression: TailIndex | None
    """None if the last percent of the values are fewer than ten."""
    moment: float
    """Extreme value index of the values above xmin: 1 / index on a power law, 0 for an exponential tail."""
    comparisons: tuple[Comparison, ...]
    goodness: Goodness | None
    """None without replicates."""
    aggregation: Aggregation | None
    """None without the values themselves, for too few of them, and where their quartiles are equal."""
    verdict: Verdict
    notes: tuple[str, ...]

    @property
    def doubts(self) -> str:
        """Caution about mean and standard deviation where a power law whose index may be 2 or less is not ruled out.

        Its index is taken with two standard errors of doubt; empty where nothing is to be said.
        """
        law = self.law
        if self.verdict.tail in {Tail.LIGHT, Tail.NOT_A_POWER_LAW} or law.index - 2 * law.error > _FINITE:
            return ""
        figures = "mean and standard deviation" if law.index - 2 * law.error <= 1 else "the standard deviation"
        return (
            f"the largest values may follow a power law of index {number(law.index)}: if so, {figures} may grow with"
            " the length of the test; percentiles do not"
        )

    def table(self) -> Table:
        """The numbers behind the verdict, and its limits; `tables` has the rest."""
        law, unit = self.law, f" ({self.law.unit})" if self.law.unit else ""
        stable, slope = self.hill.estimate, self.regression
        rows: tuple[tuple[Cell, ...], ...] = (
            ("tail index of the power law", law.index, law.error),
            (f"power law begins at{unit}", law.xmin, None),
            ("values from there up", law.count, None),
            (
                "p of the power law",
                *((None, None) if self.goodness is None else (self.goodness.p, self.goodness.error)),
            ),
            ("index, stable region of the Hill plot", *_estimate(stable)),
            ("index, regression over the last 1 %", *_estimate(slope)),
            ("extreme value index above xmin (moments)", self.moment, law.count**-0.5),
            ("Gini coefficient", self.mass_count.disparity.gini, None),
        )
        return Table("The tail in numbers", ("", "value", "standard error"), rows, (*self.verdict.limits, *self.notes))

    def tables(self) -> tuple[Table, ...]:
        """One table for each part."""
        parts = (self.table(), comparison_table(self.comparisons), self.mass_count.table(), self.hill.table())
        return parts if self.aggregation is None else (*parts, self.aggregation.table())

    def to_dict(self) -> dict[str, Any]:
        """All parts."""
        return {
            "verdict": self.verdict.to_dict(),
            "power_law": self.law.to_dict(),
            "goodness": None if self.goodness is None else self.goodness.to_dict(),
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "hill": self.hill.to_dict(),
            "regression": None if self.regression is None else self.regression.to_dict(),
            "moment": self.moment,
            "aggregation": None if self.aggregation is None else self.aggregation.to_dict(),
            "mass_count": self.mass_count.to_dict(),
            "notes": list(self.notes),
        }

    def plot(self) -> Chart:
        """The complementary distribution with the power law."""
        return self.law.plot()

    def plots(self) -> tuple[Chart, ...]:
        """A chart of each part."""
        parts = (self.plot(), self.hill.plot(), self.mass_count.plot())
        return parts if self.aggregation is None else (*parts, self.aggregation.plot())


def analyze(
    values: ArrayLike | Digest,
    *,
    unit: str = "",
    replicates: int = 100,
    seed: int | Generator = 0,
    name: str = "values",
) -> TailReport:
    """The tail of values, shape (n,), any order and unit, not negative; or of a digest, from its exact values.

    `replicates` samples test the power law; 0 leaves out the test, any claim of a heavy tail, and all intervals. Values
    on a grid, such as whole milliseconds, are first spread over their steps at random, which the notes say; a power law
    that begins within 50 steps is one of whole numbers, and so are its rivals. Raises
    TooFewError below 50 values, and DataError for negatives, for no finite numbers, for equal values, and for values
    rounded to two significant digits, and InputError for replicates below 0 or above 10,000.
    """
    check(replicates)
    random = generator(seed)
    resampled = _RESAMPLED if replicates else 0
    checked: Floats | None = None
    if isinstance(values, Digest):
        tail = UpperTail.of_digest(values, name)
        if tail.size < LEAST:
            raise TooFewError(name, tail.size, LEAST)
        disparity = mass_count(values.binned(), unit=unit, replicates=resampled, seed=random, name=name)
    else:
        checked = vector(values, name, least=LEAST)
        tail = UpperTail.of(checked, name, least=LEAST)
        disparity = mass_count(checked, unit=unit, replicates=resampled, seed=random, name=name)
    rounding.refuse_significant_digits(tail.values, name)
    notes: tuple[str, ...] = ()
    cut = cut_off(int(tail.at_least[0]), float(tail.values[0]), unit)
    step = rounding.step(tail.values)
    counted = StepCounts.of(tail, step) if step else None
    if step:
        tail = UpperTail(rounding.spread(tail.values, step, random), tail.total)
        notes = (f"values are multiples of {step:g}: spread over their steps at random, so that ties do not count",)
    law, steady = power_law(tail, unit=unit), hill(tail)
    whole = None
    if counted is not None and law.xmin < COARSE * step:
        whole = power_law_of_steps(tail, counted, step, unit=unit)
    if counted is not None and whole is not None:
        law = whole
        zeta = zeta_law_from(counted, round(law.xmin / step))
        comparisons = compare_steps(zeta, counted) + compare_whole_steps(zeta, counted, compare(law)[_TAILS:])
        fit = goodness_of_steps(zeta, counted, replicates=replicates, seed=random) if replicates else None
        coarse = f"the power law begins {zeta.xmin:,} steps above 0, so that it and its rivals are laws of whole steps"
        notes += (coarse,)
    else:
        comparisons = compare(law)
        fit = goodness(law, replicates=replicates, seed=random) if replicates else None
    return TailReport(
        mass_count=disparity,
        law=law,
        hill=steady,
        regression=_regression(tail),
        moment=moment(tail, law.count - 1),
        comparisons=comparisons,
        goodness=fit,
        aggregation=_aggregation(checked, unit, random, name),
        verdict=cut
        or judge(law, comparisons, fit, upper=compare(_upper(tail)), steady=steady.estimate, part=standing_part),
        notes=notes,
    )


def _upper(tail: UpperTail) -> PowerLaw:
    """The power law of the largest five percent of all values, whether or not it fits them."""
    at = int(np.searchsorted(tail.thresholds, _UPPER * tail.total))
    return power_law_of(tail, int(tail.thresholds[min(at, tail.thresholds.size - 1)]))


def _regression(tail: UpperTail) -> TailIndex | None:
    try:
        return regression(tail)
    except TooFewError:
        return None


def _aggregation(values: Floats | None, unit: str, random: Generator, name: str) -> Aggregation | None:
    if values is None:
        return None
    try:
        return aggregation(values, unit=unit, seed=random, name=name)
    except DataError:  # too few values, or all of the middle ones equal
        return None


def _estimate(tail_index: TailIndex | None) -> tuple[float | None, float | None]:
    return (None, None) if tail_index is None else (tail_index.index, tail_index.error)
