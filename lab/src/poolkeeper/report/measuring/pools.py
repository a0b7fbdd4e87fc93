"""The size of every pool of a run over time, and in words: a modelled system may have several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.report.messages import threads
from poolkeeper.report.sentences import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkeeper.record import Decision, Run
    from poolkeeper.report.measuring.measurement import Floats, Measurement

Steps = tuple["Floats", "Floats"]
"""A step function: the times at which each value began, in seconds since the load began, and the values."""

NAMED = 6
"""Variants whose mean is told; of more the ends."""
NO_STEPS: Steps = (np.empty(0), np.empty(0))


def sizes(run: Run, pool: str, begin_s: float) -> Steps:
    """The sizes that a pool had from `begin_s` on.

    Windows tell one size each. Where a policy changed it within a window and the record has every change, as that of a
    simulation, the changes tell.
    """
    if run.windows is None:
        return NO_STEPS
    rows = run.windows.where(np.array([name == pool for name in run.windows.labels["pool"]], dtype=np.bool_))
    rows = rows.where(~np.isnan(rows["size"]))
    changes = _changes(
        [decision for decision in run.decisions if decision.pool == pool and decision.action == "resized"], begin_s
    )
    within = np.setdiff1d(changes[0][1:], rows["end_s"])
    if within.size and np.array_equal(at(changes, rows["end_s"]), rows["size"]):
        times, values = changes
    else:
        rows = rows.where(rows["end_s"] > begin_s)
        times, values = rows["start_s"], rows["size"]
    first = max(int(np.searchsorted(times, begin_s, side="right")) - 1, 0)
    return np.maximum(times[first:] - begin_s, 0.0), values[first:]


def _changes(changes: Sequence[Decision], begin_s: float) -> Steps:
    """Sizes out of changes: that before the first, and each with the time from which it held."""
    if not changes:
        return NO_STEPS
    times = [min(changes[0].at_s, begin_s), *(change.at_s for change in changes)]
    return np.array(times), np.array(
        [changes[0].size_before, *(change.size_after for change in changes)], dtype=np.float64
    )


def at(steps: Steps, times: Floats) -> Floats:
    """The values at some times; before the first step that of the first."""
    begins, values = steps
    found: Floats = values[np.maximum(np.searchsorted(begins, times, side="right") - 1, 0)]
    return found


def area(steps: Steps, start_s: float, end_s: float) -> float:
    """The value summed over [start, end), the first and the last holding beyond the steps; NaN without steps."""
    begins, values = steps
    if not values.size:
        return float("nan")
    edges = np.concatenate(([-np.inf], begins[1:], [np.inf]))
    shares = np.minimum(edges[1:], end_s) - np.maximum(edges[:-1], start_s)
    return float((np.maximum(shares, 0.0) * values).sum())


def others(measured: Mapping[str, Sequence[Measurement]]) -> list[str]:
    """The pools of all variants other than those in the figures, in the order of the records."""
    return list(
        dict.fromkeys(name for members in measured.values() for member in members for name in member.other_pools)
    )


def in_words(pool: str, measured: Mapping[str, Sequence[Measurement]]) -> str:
    """The mean size of one of those pools under each variant, or the ends of many."""
    means: dict[str, float] = {}
    for name, members in measured.items():
        found = [area(member.sizes_of(pool), 0.0, member.seconds) / member.seconds for member in members]
        if finite := [value for value in found if not np.isnan(value)]:
            means[name] = sum(finite) / len(finite)
    phrases = [f"{name} {threads(value)}" for name, value in sorted(means.items(), key=lambda entry: entry[1])]
    return text("charts.sizes", phrases=phrases, most=NAMED)
