from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.errors import DataError
from poolkeeper.latency.tails import UpperTail, goodness, power_law


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


def test_the_upper_end_alone_has_nearly_the_same_p() -> None:
    random = np.random.default_rng(8)
    values = np.concatenate([random.lognormal(3, 0.6, 18_000), 60 * (1 + random.pareto(1.5, 2000))])
    whole = UpperTail.of(values)
    law = power_law(whole)
    upper = power_law(UpperTail(whole.values[: 3 * law.count], whole.total))

    assert upper.to_dict() == law.to_dict()
    assert goodness(upper, replicates=60).p == pytest.approx(goodness(law, replicates=60).p, abs=0.2)


def test_of_large_data_the_largest_values_suffice() -> None:
    random = np.random.default_rng(9)
    whole = UpperTail.of(random.lognormal(3, 1, 300_000))
    upper = UpperTail(whole.values[:100_000], whole.total)

    assert goodness(power_law(whole), replicates=20) == goodness(power_law(upper), replicates=20)


def test_no_replicates_give_no_p() -> None:
    law = power_law(UpperTail.of(1 + np.random.default_rng(3).pareto(1.5, 100)))

    with pytest.raises(DataError, match="replicates: 0 is less than 1"):
        goodness(law, replicates=0)
