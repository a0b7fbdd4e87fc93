"""Rounding of the values of two runs: a difference of percentiles that is finer than that cannot be told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.comparison.difference import widened
from poolkeeper.latency.fits.resolution import Resolution, resolution
from poolkeeper.latency.ordered.sample import Sample
from poolkeeper.present.text import listed

if TYPE_CHECKING:
    from poolkeeper.latency.figures.estimate import Estimate
    from poolkeeper.latency.ordered.protocol import Ordered

_TRACE = 1e-9
"""Share of a step that is none of it."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """Steps in which the values of a first and a second run were recorded; None where they are fine enough."""

    steps: tuple[Resolution | None, Resolution | None]

    @classmethod
    def of(cls, first: Ordered, second: Ordered, step: float | None) -> Rounding:
        """A step in which the values of both runs were recorded; None: they show it themselves if each is kept."""
        given = Resolution(step=step) if step else None
        return cls((given or _resolution_of(first), given or _resolution_of(second)))

    def __call__(self, first: float, second: float) -> tuple[float, float]:
        """Largest errors of a figure of each run that is a recorded value."""
        return _error(self.steps[0], first), _error(self.steps[1], second)

    def of_shift(self, shift: Estimate, first: Ordered, second: Ordered) -> Estimate:
        """The median difference of two runs, with an interval that holds all that rounding may have made of it."""
        if not shift.has_interval:
            return shift
        middles = (float(run.ordered(np.array([(run.count + 1) // 2]))[0]) for run in (first, second))
        error = sum(self(*middles))
        # The shift is found by halving, so that it may lie a trace beside a tie.
        low, high = (
            0.0 if abs(end) < _TRACE * error else end for end in widened((shift.low, shift.high), shift.value, error)
        )
        return replace(shift, low=low, high=high)

    def sentence(self, unit: str) -> str:
        """Sentence on the steps."""
        units = f" {unit}" if unit and any(step is not None and step.step for step in self.steps) else ""
        steps = listed(list(dict.fromkeys(f"{step}{units}" for step in self.steps if step is not None)))
        return f"values are {steps}: no difference of percentiles is known better than to a step"


def _resolution_of(run: Ordered) -> Resolution | None:
    """The step that values show; of those below 0 none is known."""
    if not isinstance(run, Sample) or run.minimum < 0:
        return None
    return resolution(run.ordered(np.arange(1, run.count + 1)))


def _error(step: Resolution | None, value: float) -> float:
    if step is None or not value >= 0:
        return 0.0
    _, upper = step.cells(np.array([value]))
    return float(upper[0]) - value
