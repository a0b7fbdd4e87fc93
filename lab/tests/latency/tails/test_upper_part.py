"""Tails that begin above a body which draws the threshold down into itself."""

from __future__ import annotations

import numpy as np
import pytest

from poolkeeper.latency.tails import analyze
from poolkeeper.latency.tails.power_law import power_law, power_law_of
from poolkeeper.latency.tails.upper import UpperTail
from poolkeeper.latency.tails.upper_part import standing_part
from poolkeeper.latency.tails.verdict import LEAST_TAIL, Tail

EDGE = float(np.exp(2.326))
"""The 99th percentile of the body."""


def mixed(seed: int) -> np.ndarray:
    """A lognormal body with one per cent of exact Pareto values of index 1.5 above it."""
    random = np.random.default_rng(seed)
    body = random.lognormal(0, 1, 40_000)
    return np.concatenate([body[body < EDGE][:19_800], EDGE * (1 + random.pareto(1.5, 200))])


@pytest.mark.parametrize("seed", range(4))
def test_a_tail_above_a_body_is_not_denied(seed: int) -> None:
    verdict = analyze(mixed(seed), replicates=100, seed=seed).verdict
    assert verdict.tail is not Tail.NOT_A_POWER_LAW
    assert verdict.tail is not Tail.LIGHT


def test_the_verdict_says_which_part_it_is_about() -> None:
    verdict = analyze(mixed(0), replicates=100).verdict
    assert verdict.tail is Tail.OPEN
    assert verdict.text.startswith("Undecided: all ")
    assert "together are no power law, but the" in verdict.text
    assert "alone may be one, of index" in verdict.text


def test_the_part_lies_above_the_threshold_and_has_the_index_of_the_tail() -> None:
    law = power_law(UpperTail.of(mixed(1)))
    part = standing_part(law, LEAST_TAIL)
    assert part is not None
    assert LEAST_TAIL <= part.count < law.count
    assert part.xmin > law.xmin
    assert abs(part.index - 1.5) < 3 * part.error


def test_values_that_end_at_once_have_no_such_part() -> None:
    values = np.linspace(1, 2, 5000)
    assert standing_part(power_law_of(UpperTail.of(values), 2000), LEAST_TAIL) is None
