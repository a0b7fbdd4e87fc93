"""Bursts of failures in a test, as seen from how they gather in its intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from poolkeeper.latency.figures.rates import gathering

if TYPE_CHECKING:
    from poolkeeper.commands.load import Load
    from poolkeeper.latency.ordered.dependence import Dependence


def bursts_of(load: Load, between_s: tuple[float, float] = (-math.inf, math.inf)) -> Dependence | None:
    """Dependence of failures on each other between two times of the series; None where nothing tells it."""
    series = load.total.survey.series
    if load.failed is None or series is None:
        return None
    first, last = (min(len(series), max(0, at / series.every_s)) for at in between_s)
    held = slice(math.floor(first), math.ceil(last))
    return gathering(series.count[held], series.errors[held])
