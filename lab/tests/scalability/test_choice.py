from __future__ import annotations

import math

import numpy as np
import pytest

from poolkeeper.errors import TooFewError
from poolkeeper.scalability import Amdahl, Law, Linear, Usl, choose
from poolkeeper.scalability._estimate import Form, fit, improvement

LEVELS = np.array([1.0, 2, 4, 8, 12, 16, 24, 32, 48, 64])


@pytest.mark.parametrize(
    ("law", "kind", "output"),
    [
        (Law(100), Linear, "in proportion"),
        (Law(100, 0.05), Amdahl, "do not show that it falls"),
        (Law(100, 0.05, 0.001), Usl, "has a peak"),
    ],
)
def test_the_law_behind_the_data_is_chosen(law: Law, kind: type, output: str) -> None:
    truth = law.throughput(LEVELS)
    noisy = truth * (1 + 0.01 * np.random.default_rng(5).standard_normal(LEVELS.size))

    found = choose(LEVELS, noisy)

    assert type(found.chosen) is kind
    assert output in found.verdict
    assert sum(found.weights) == pytest.approx(1)
    assert len(found.table().rows) == 3
    assert found.table().rows[found.fits.index(found.chosen)][0] == f"→ {found.chosen.name}"
    assert found.to_dict()["chosen"] == found.chosen.name
    assert len(found.plot().series) == 4


def test_few_measurements_have_no_aicc() -> None:
    found = choose([1, 2, 4, 8, 16], Law(100, 0.1).throughput([1, 2, 4, 8, 16]) + np.array([0.5, -1, 1, -0.5, 0.2]))

    assert all(map(math.isnan, found.weights))
    assert type(found.chosen) is Amdahl
    assert "against the simpler law" in found.verdict
    assert "AICc" not in found.verdict


def test_where_aicc_prefers_another_law_the_verdict_says_so() -> None:
    n = [1, 18, 36, 72, 108, 144, 216]
    found = choose(n, [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])

    assert type(found.chosen) is Usl
    assert found.p_values[2] < 0.01
    assert "AICc prefers Amdahl" in found.verdict


def test_three_measurements_are_too_few() -> None:
    with pytest.raises(TooFewError, match="at least 4 are needed"):
        choose([1, 2, 4], [10, 19, 35])


def test_richer_laws_are_rarely_chosen_by_chance_where_errors_grow_with_the_throughput() -> None:
    """Of the p values of unweighted fits, 0.3 and 0.2 are below 0.05 at these levels."""
    rng = np.random.default_rng(12)
    levels = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])
    for law, simple, rich in (
        (Law(100), Form("linear", alpha=False, beta=False), Form("Amdahl", alpha=True, beta=False)),
        (Law(100, 0.05), Form("Amdahl", alpha=True, beta=False), Form("USL", alpha=True, beta=True)),
    ):
        p = []
        for _ in range(200):
            data = law.throughput(levels)[None] * (1 + rng.normal(0, 0.02, (1, levels.size)))
            p.append(fit(rich, levels, data).improvement_on(fit(simple, levels, data)))
        assert np.mean(np.array(p) < 0.05) < 0.15, law


def test_p_values_are_uniform_where_the_simpler_law_is_true() -> None:
    """2000 samples: 5 % within 3.6 and 6.5 % in 99.7 of 100 studies; a tenth and a quarter likewise."""
    rng = np.random.default_rng(11)
    for law, simple, rich in (
        (Law(100), Form("linear", alpha=False, beta=False), Form("Amdahl", alpha=True, beta=False)),
        (Law(100, 0.05), Form("Amdahl", alpha=True, beta=False), Form("USL", alpha=True, beta=True)),
    ):
        truth = law.throughput(LEVELS)
        data = truth + rng.normal(0, 0.01 * truth.max(), (2000, LEVELS.size))
        without, with_ = fit(simple, LEVELS, data), fit(rich, LEVELS, data)
        p = np.array([improvement(a, b, with_.freedom) for a, b in zip(without.squares, with_.squares, strict=True)])
        for level in (0.05, 0.1, 0.25):
            share = float(np.mean(p < level))
            assert abs(share - level) < 3 * math.sqrt(level * (1 - level) / p.size), (law, level, share)
        assert np.mean(p == 1) == pytest.approx(0.5, abs=0.04)
