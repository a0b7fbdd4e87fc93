"""The test that ends a warm-up, on series whose course is known."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import pytest

from poolkeeper.experiment.warming.steady import LEAST, change, drift

SECONDS = 120


def series(seed: int, *, slow_s: float = 0.0, noise: float = 0.03, alike: float = 0.5) -> list[float]:
    """Throughput that nears 1000/s from 400/s within `slow_s` (time constant), with autocorrelated noise."""
    random = Random(seed)
    found, error = [], 0.0
    for second in range(SECONDS):
        error = alike * error + random.gauss(0, noise * math.sqrt(1 - alike * alike))
        level = 1 - 0.6 * math.exp(-second / slow_s) if slow_s else 1.0
        found.append(1000 * level * (1 + error))
    return found


def ends(throughput: list[float]) -> int | None:
    """After how many seconds the warm-up ends."""
    return next((n for n in range(1, len(throughput) + 1) if drift(throughput[:n]).steady), None)


def test_nothing_falls_by_more_than_all_of_it() -> None:
    found = change([26_000.0, 20_000.0, 9_000.0, 3_000.0, 2_500.0])
    assert -1 < found.low < found.change < found.high < 0
    # Least squares: -6,400 a second, over five seconds of a mean of 12,100.
    assert found.change == pytest.approx(math.exp(-6_400 * 5 / 12_100) - 1)


def test_what_does_not_change_is_steady_as_soon_as_the_test_may_say_so() -> None:
    assert ends([500.0] * SECONDS) == LEAST


@pytest.mark.parametrize(("slow_s", "noise"), [(3, 0.01), (8, 0.01), (8, 0.03), (15, 0.03)])
def test_little_is_left_to_rise_when_it_ends(slow_s: float, noise: float) -> None:
    left = []
    for seed in range(40):
        end = ends(series(seed, slow_s=slow_s, noise=noise))
        left.append(0.6 * math.exp(-(end or SECONDS) / slow_s))
    # Healthy: medians 0.1 to 1.4 %, 95th percentiles up to 5 %; with MSER-5 every second in its place 31 % at 15 s.
    assert sorted(left)[20] < 0.02
    assert sorted(left)[38] < 0.06


def test_it_takes_longer_the_slower_a_server_gets_warm() -> None:
    found = [ends(series(1, slow_s=slow_s, noise=0.01)) or math.inf for slow_s in (1, 8, 15, 30)]
    assert all(quick < slow for quick, slow in pairwise(found))


def test_a_rise_in_noise_is_not_steady() -> None:
    random = Random(2)
    rising = [1000 + 10 * second + random.gauss(0, 50) for second in range(60)]
    assert ends(rising) is None


def test_a_step_long_after_the_start_is_waited_out() -> None:
    step = [2600.0 + second % 3 * 50 if second < 17 else 3550.0 + second % 3 * 20 for second in range(60)]
    found = ends([900, 1400, 1800, 2000, 2000, 2100, 2300, *step[7:]])
    assert found is not None
    assert found >= 2 * 16, "half of the warm-up lies beyond the step"


def test_noise_alone_is_no_sign_of_steadiness() -> None:
    assert ends(series(3, noise=0.4, alike=0.0)[:40]) is None


def test_seconds_that_are_alike_say_less() -> None:
    alike = series(4, alike=0.8)[:80]
    shuffled = alike[40:]
    Random(4).shuffle(shuffled)
    along, across = drift(alike), drift([*alike[:40], *shuffled])
    assert along.high - along.low > 1.5 * (across.high - across.low)


@pytest.mark.parametrize("throughput", [[], [5.0], [0.0] * 60, [1.0] * (LEAST - 1)])
def test_too_little_is_not_known(throughput: list[float]) -> None:
    found = drift(throughput)
    assert math.isnan(found.change)
    assert not found.steady


def test_the_interval_holds_the_change_as_often_as_it_says() -> None:
    true = 0.05
    held = 0
    for seed in range(300):
        random = Random(seed)
        found = drift(
            [0.0] * 30 + [1000 * (1 + true * (second / 30 - 0.5)) + random.gauss(0, 30) for second in range(30)]
        )
        held += found.low <= true <= found.high
    # Healthy: 0.87 to 0.92 of them for 90 %; a quarter of the width would hold 0.33.
    assert held / 300 == pytest.approx(0.9, abs=0.04)
