"""Share of requests that took longer than any time: the complementary distribution of each variant of a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.present.chart import Axis, Chart, Kind, Series
from poolkeeper.record import merge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.report.measuring.measurement import Measurement

POINTS = 160
"""Points of a line at most, evenly spaced by the logarithm of the share."""
DIGITS = 4
"""Significant digits of a drawn value."""


def exceeded(measured: Mapping[str, Sequence[Measurement]]) -> Chart:
    """The share of successful requests that took longer than a time, all repetitions of a variant in one line."""
    return Chart(
        "Requests that took longer",
        Axis("response time", "ms", log=True),
        Axis("share of requests that took longer", "", log=True),
        tuple(_line(name, runs) for name, runs in measured.items()),
    )


def _line(name: str, runs: Sequence[Measurement]) -> Series:
    found = merge(run.run.latency.total() for run in runs if run.run.latency)
    if found.count == 0:
        return Series(name, (), (), Kind.STEP)
    upper = (found.lowest + found.width - 1) / 1e6
    share = 1 - np.cumsum(found.counts) / found.count
    inside = share[:-1] > 0  # the last bucket is exceeded by none, which a logarithmic axis cannot show
    upper, share = upper[:-1][inside], share[:-1][inside]
    if share.size > POINTS:
        wanted = np.geomspace(share[0], share[-1], POINTS)
        keep = np.unique(np.searchsorted(-share, -wanted).clip(0, share.size - 1))
        upper, share = upper[keep], share[keep]
    return Series(name, _short(upper), _short(share), Kind.STEP)


def _short(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values.tolist())
