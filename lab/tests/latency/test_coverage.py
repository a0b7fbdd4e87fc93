"""95 % intervals are as wide as they should be: the truth lies as far from the estimates as they say.

`benchmarks/coverage/run` counts how often they hold the truth, on more kinds of streams.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from calibration import narrowness
from scipy.signal import lfilter
from scipy.stats import binom
from streams import EXPONENTIAL, Stream, lognormal, waiting

from poolkeeper.latency import Throughput, compare, mean, percentile
from poolkeeper.latency.ordered.conversion import in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkeeper.latency import Estimate
    from poolkeeper.latency.comparison.difference import Difference

DRAWS = 100
CHANCE = 1e-4
LEAST, MOST = 0.78, 1.22
"""Of the narrowness: three standard errors around that of right intervals."""


def narrow(intervals: Sequence[Estimate | Difference], truth: float) -> float:
    """Narrowness of the intervals that are offered, which are nearly all."""
    offered = [(interval.value, interval.low, interval.high) for interval in intervals if interval.has_interval]
    assert len(offered) > 0.9 * len(intervals)
    return narrowness(offered, truth)


@pytest.mark.parametrize(
    ("stream", "count", "figures"),
    [
        (EXPONENTIAL, 1500, ("mean", 50, 99)),
        (lognormal(0), 1500, ("mean", 50, 99)),
        (lognormal(0.5), 3000, ("mean", 50, 90)),
        (lognormal(0.9), 20000, ("mean", 50, 90)),
        (waiting(0.6), 8000, ("mean", 90)),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_intervals_hold_the_truth(stream: Stream, count: int, figures: tuple[str | int, ...]) -> None:
    random = np.random.default_rng(30)
    found: dict[str | int, list[Estimate]] = {figure: [] for figure in figures}
    for _ in range(DRAWS):
        values = in_order(stream.draw(random, count))  # what all figures rest on is computed once
        for figure, every in found.items():
            every.append(mean(values) if isinstance(figure, str) else percentile(values, figure))

    for figure, every in found.items():
        truth = stream.mean if isinstance(figure, str) else stream.quantile(figure / 100)
        assert LEAST <= narrow(every, truth) <= MOST, figure


def test_the_95th_percentile_of_a_queue_needs_many_values_and_then_holds() -> None:
    random = np.random.default_rng(31)
    stream = waiting(0.5)
    found = [percentile(stream.draw(random, 12_000), 95) for _ in range(DRAWS)]

    assert LEAST <= narrow(found, stream.quantile(0.95)) <= MOST
    few = np.random.default_rng(38)
    assert not any(percentile(stream.draw(few, 3000), 95).has_interval for _ in range(20))


def test_an_interval_that_is_only_just_offered_is_none_that_chance_made_narrow() -> None:
    """Values of which so few samples get an interval of the mean that they are those that look least dependent."""
    random = np.random.default_rng(36)
    draws, count, phi = 6000, 1520, 0.9
    noise = random.normal(size=(draws, count))
    noise[:, 1:] *= np.sqrt(1 - phi**2)
    values = lfilter([1.0], [1.0, -phi], noise)
    steps = np.diff(values, axis=1)
    alike = 1 - (steps**2).sum(axis=1) / values.var(axis=1) / count / 2
    lucky = values[(1 + alike) / (1 - alike) < 1.05 * count / 100]
    found = [mean(100 + sample) for sample in lucky]
    missed = sum(interval.has_interval and not interval.low <= 100 <= interval.high for interval in found)

    assert lucky.shape[0] > 100
    # It was 13 when the neighbours of a sample alone decided, and nothing made up for their chance.
    assert missed <= 5


def test_a_slow_drift_under_noise_does_not_make_intervals_too_narrow() -> None:
    random = np.random.default_rng(35)
    drift = lognormal(0.99)
    found = [mean(random.normal(size=20_000) + 0.3 * np.log(drift.draw(random, 20_000))) for _ in range(DRAWS)]

    assert LEAST <= narrow(found, 0.0) <= MOST


def test_taking_dependent_values_for_independent_ones_would_fail_these_bars() -> None:
    random = np.random.default_rng(32)
    stream = lognormal(0.9)
    found = [percentile(stream.draw(random, 2000), 50, independent=True) for _ in range(DRAWS)]

    assert narrow(found, 1.0) > 2 * MOST


def test_intervals_a_quarter_too_narrow_would_fail_these_bars() -> None:
    random = np.random.default_rng(37)
    found = [mean(EXPONENTIAL.draw(random, 1500)) for _ in range(DRAWS)]
    cut = [replace(e, low=e.value - 0.75 * (e.value - e.low), high=e.value + 0.75 * (e.high - e.value)) for e in found]

    assert narrow(found, 1.0) <= MOST < narrow(cut, 1.0)


@pytest.mark.parametrize(
    ("stream", "count"), [(EXPONENTIAL, 1000), (lognormal(0.7), 3000)], ids=["independent", "AR(1)"]
)
def test_equal_runs_are_called_different_in_five_of_a_hundred(stream: Stream, count: int) -> None:
    random = np.random.default_rng(33)
    draws = 60
    found = [
        compare(stream.draw(random, count), stream.draw(random, count), percentiles=(50, 75)) for _ in range(draws)
    ]

    assert LEAST <= narrow([comparison.percentiles[75] for comparison in found], 0.0) <= MOST
    assert LEAST <= narrow([comparison.mean for comparison in found], 0.0) <= MOST
    assert LEAST <= narrow([comparison.superiority for comparison in found], 0.5) <= MOST
    assert LEAST <= narrow([comparison.shift for comparison in found], 0.0) <= MOST
    assert sum(bool(comparison.seen) for comparison in found) <= binom.ppf(1 - CHANCE, draws, 0.07)
    assert sum(comparison.mean.seen for comparison in found) <= binom.ppf(1 - CHANCE, draws, 0.07)


def test_rates_and_shares_of_errors_that_come_in_bursts() -> None:
    random = np.random.default_rng(34)
    rates, shares = [], []
    for _ in range(DRAWS):
        level = lognormal(0.6).draw(random, 1200) ** 0.2
        completions = random.poisson(200 * level)
        chance = np.where(lognormal(0.7).draw(random, 1200) > 1, 0.03, 0.01)
        found = Throughput.of(completions, errors=random.binomial(completions, chance))
        rates.append(found.throughput)
        shares.append(found.error_share)

    assert LEAST <= narrow(rates, 0.98 * 200 * float(np.exp(0.02))) <= MOST
    assert LEAST <= narrow(shares, 0.02) <= MOST
