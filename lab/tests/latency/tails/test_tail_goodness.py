from __future__ import annotations

import numpy as np
import pytest

from tidepool.errors import DataError
from tidepool.latency.tails import UpperTail, goodness, power_law


def test_p_is_uniform_under_a_power_law() -> None:
    random = np.random.default_rng(1)
    ps = []
    for _ in range(80):
        body = 10 * np.sqrt(random.random(100))
        law = power_law(UpperTail.of(np.concatenate([body, 10 * (1 + random.pareto(1.5, 100))])))
        ps.append(goodness(law, replicates=29, seed=random, workers=1).p)

    # Bounds that uniform p keep in 999 of 1000 runs.
    for level, most in ((0.1, 17), (0.25, 33), (0.5, 54)):
        assert np.sum(np.array(ps) <= level) <= most, level
    assert np.sum(np.array(ps) <= 0.5) >= 26


def test_p_rules_out_what_is_no_power_law() -> None:
    random = np.random.default_rng(2)
    law = power_law(UpperTail.of(np.round(random.lognormal(2, 0.3, 5000))))

    assert goodness(law, replicates=50).p < 0.1


def test_p_does_not_depend_on_the_number_of_workers() -> None:
    law = power_law(UpperTail.of(1 + np.random.default_rng(3).pareto(1.5, 1000)))

    assert goodness(law, replicates=30, seed=4, workers=1) == goodness(law, replicates=30, seed=4, workers=3)


def test_an_upper_end_alone_has_nearly_the_same_p() -> None:
    values = np.sort(1 + np.random.default_rng(8).pareto(1.5, 20_000))[::-1].copy()
    whole = power_law(UpperTail(values, 20_000))
    upper = power_law(UpperTail(values[:2000], 20_000))

    assert abs(goodness(whole, replicates=40).p - 0.5) < 0.5
    assert goodness(upper, replicates=40).p > 0.1


def test_no_replicates_give_no_p() -> None:
    law = power_law(UpperTail.of(1 + np.random.default_rng(3).pareto(1.5, 100)))

    with pytest.raises(DataError, match="replicates: 0 is less than 1"):
        goodness(law, replicates=0)
