"""The warm-up of a level: the beginning that is left out of its figures.

It is as much as makes the standard error of the mean throughput of the rest smallest, at most half (the marginal
standard error rule, MSER [1]). Where a level steps within itself, that rule would leave out whatever came before the
last step, such as an outage and the good time before it. So a beginning that ends with a step is a warm-up only where
the system gets faster with it, and with each step before it; and what the rule looks at ends at the next step.

[1] White: An effective truncation heuristic for bias reduction in simulation output, Simulation 69(6), 1997.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poolkeeper.latency.ordered.steps import confirmed, steps, worth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkeeper.arrays import Floats

_ROUNDING = 1e-12
"""Share of its largest possible value below which a squared error is none."""
_WORTH = 0.1
"""Least relative change of the throughput or of a response time that is a step."""


def warm_up(counts: Floats, usual_s: Floats) -> int:
    """Number of intervals to leave out of a level that had so many successes in each, (n,).

    `usual_s` (n,) is the usual response time in each, NaN where there is none.
    """
    half, times = counts.size // 2, _logarithms(usual_s)
    changes = sorted([*_changes(np.sqrt(counts), rises=True), *_changes(times, rises=False)])
    warm = 0
    for place, faster in changes:
        if not faster or place > half:
            break
        warm = place
    end = next((place for place, _ in changes if place > warm), counts.size)
    # Response times that were long at first approach those of the rest, which the throughput hardly shows.
    slow = _settled(times[warm:end])
    if not warm and not _gets_faster(times[:end], slow):
        slow = 0
    return min(warm + max(_settled(counts[warm:end]), slow), max(warm, half))


def changes_of(usual_s: Floats) -> list[int]:
    """Places at which usual response times step, (n,), NaN where there is none."""
    return [place for place, _ in _changes(_logarithms(usual_s), rises=False)]


def _changes(values: Floats, *, rises: bool) -> Iterator[tuple[int, bool]]:
    """Places at which values step, which are roots of counts or else logarithms; and whether it is to faster ones."""
    at = np.flatnonzero(~np.isnan(values))
    scale = np.square if rises else np.exp
    given = values[at]
    ends = worth(steps(given), scale(given), _WORTH) if at.size else []
    parts = np.split(given, ends)
    for place, before, after in zip(ends, parts, parts[1:], strict=False):
        yield int(at[place]), bool((np.median(after) > np.median(before)) == rises)


def _gets_faster(times: Floats, place: int) -> bool:
    """Whether logarithms of response times are clearly smaller from a place on, however near the beginning it is."""
    at = np.flatnonzero(~np.isnan(times))
    given, first = times[at], int(np.searchsorted(at, place))
    if not 0 < first < given.size or np.median(given[first:]) >= np.median(given[:first]):
        return False
    return bool(worth(confirmed(given, [first]), np.exp(given), _WORTH))


def _logarithms(values: Floats) -> Floats:
    """Logarithms of positive values, NaN of others."""
    found = np.full(values.size, np.nan)
    positive = values > 0
    found[positive] = np.log(values[positive])
    return found


def _settled(values: Floats) -> int:
    """Number of values to leave out: those without which the standard error of the rest's mean is smallest [1].

    The fewest of them, where rounding alone makes a difference.
    """
    given = ~np.isnan(values)
    if np.count_nonzero(given) <= 1:
        return 0
    mean = float(values[given].mean())
    apart = np.where(given, values - mean, 0.0)
    count, total, squares = (
        np.cumsum(part[::-1], dtype=np.float64)[::-1][: values.size // 2 + 1] for part in (given, apart, apart**2)
    )
    held = count > 1
    errors = np.full(count.size, np.inf)
    errors[held] = (squares[held] - total[held] ** 2 / count[held]) / count[held] ** 2
    least = _ROUNDING * (mean**2 + squares[0]) / count[0]
    return int(np.maximum(errors, least).argmin())
