"""Apdex: how satisfied users are with response times, as one number from 0 to 1.

Apdex Alliance: Application Performance Index, technical specification 1.1, 2007: responses within the target T satisfy,
those within 4 T are tolerated and count half, slower and failed ones frustrate. A score of fewer than a hundred
responses is marked with an asterisk, and there is none of no responses ("NS").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolkeeper.arrays import fraction
from poolkeeper.errors import DataError, InputError
from poolkeeper.latency.figures.means import estimated_scores
from poolkeeper.latency.ordered.conversion import in_order
from poolkeeper.latency.ordered.sample import Sample
from poolkeeper.present import Axis, Chart, Kind, Series, Table
from poolkeeper.present.numbers import number
from poolkeeper.present.text import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolkeeper.arrays import Floats
    from poolkeeper.latency.figures.estimate import Estimate
    from poolkeeper.latency.ordered.conversion import Values

TOLERATED = 4
"""So many times the target is tolerated."""
_SMALL = 100
_RATINGS = ((0.94, "excellent"), (0.85, "good"), (0.70, "fair"), (0.50, "poor"))
_SATISFIED, _TOLERATING = 1.0, 0.5


@dataclass(frozen=True)
class Apdex:
    """The score with its interval, and how many responses satisfied, were tolerated and frustrated.

    `target` is T in the unit of the data, which `unit` names; `failed` of the frustrating responses were errors.
    """

    target: float
    satisfied: int
    tolerating: int
    frustrated: int
    failed: int
    score: Estimate
    unit: str

    @property
    def count(self) -> int:
        """Number of responses."""
        return self.satisfied + self.tolerating + self.frustrated

    @property
    def rating(self) -> str:
        """The word of the specification for a score rounded to two digits."""
        rounded = round(self.score.value, 2)
        return next((word for least, word in _RATINGS if rounded >= least), "unacceptable")

    def __str__(self) -> str:
        """The score as the specification writes it: "0.87 [500 ms]", with an asterisk if of fewer than a hundred."""
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.score.value:.2f} [{self.target:g}{unit}]{'*' if self.count < _SMALL else ''}"

    def table(self) -> Table:
        """The score and what it is made of."""
        unit = f" {self.unit}" if self.unit else ""
        late = TOLERATED * self.target
        slow = f"slower, and {counted(self.failed, 'error')}" if self.failed else "slower"
        rows = (
            ("satisfied", f"up to {self.target:g}{unit}", self.satisfied),
            ("tolerating", f"up to {late:g}{unit}", self.tolerating),
            ("frustrated", slow, self.frustrated),
        )
        estimate = self.score
        interval = (
            f", {100 * estimate.confidence:g} % between {number(estimate.low)} and {number(estimate.high)}"
            if estimate.has_interval
            else ""
        )
        few = f"fewer than {_SMALL} responses: a small sample, marked with an asterisk"
        return Table(
            f"Apdex {self}: {self.rating}{interval}",
            ("users", "response time", "responses"),
            rows,
            (*((few,) if self.count < _SMALL else ()), *((f"interval: {estimate.why}",) if estimate.why else ())),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = ("target", "unit", "satisfied", "tolerating", "frustrated", "failed", "rating")
        found = {name: getattr(self, name) for name in names}
        return found | {"score": self.score.to_dict(), "text": str(self), "small_sample": self.count < _SMALL}

    def plot(self) -> Chart:
        """Numbers of responses that satisfied, were tolerated and frustrated, as bars."""
        heights = (float(self.satisfied), float(self.tolerating), float(self.frustrated), float("nan"))
        return Chart(
            f"Apdex {self}: {self.rating}",
            Axis("users", names=("satisfied", "tolerating", "frustrated")),
            Axis("responses"),
            (Series("responses", (-0.5, 0.5, 1.5, 2.5), heights, Kind.BARS),),
        )


def apdex(  # noqa: PLR0913 - settings by name
    values: Values,
    target: float,
    *,
    ok: ArrayLike | None = None,
    confidence: float = 0.95,
    independent: bool = False,
    unit: str = "",
) -> Apdex:
    """The Apdex of response times in the order of time for a target in their unit, above 0.

    `ok` says which responses did not fail (all, if it is not given); it needs the values themselves, not digests. From
    digests, responses within the relative error of the target or of 4 times it may count on its other side.
    Raises InputError for a target that is not above 0, DataError for an `ok` that does not fit the values.
    """
    fraction(confidence, "confidence")
    if not target > 0:
        raise InputError(f"target: {target:g} is not above 0")
    data = in_order(values, independent=independent)
    scored, failed = data, 0
    if ok is not None:
        right = np.asarray(ok, dtype=np.bool_)
        if not isinstance(data, Sample) or right.shape != data.values.shape:
            raise DataError(f"ok: {right.size} values for {data.count} response times")
        # A failed response frustrates however fast it came.
        scored, failed = Sample(np.where(right, data.values, np.inf), independent), int((~right).sum())

    def score(times: Floats) -> Floats:
        return np.where(times <= target, _SATISFIED, np.where(times <= TOLERATED * target, _TOLERATING, 0.0))

    satisfied, within = (int(count) for count in scored.below([target, TOLERATED * target]))
    estimate = estimated_scores(data, scored.scores(score), confidence)
    if estimate.has_interval:
        estimate = replace(estimate, low=max(0.0, estimate.low), high=min(1.0, estimate.high))
    return Apdex(target, satisfied, within - satisfied, data.count - within, failed, estimate, unit)
