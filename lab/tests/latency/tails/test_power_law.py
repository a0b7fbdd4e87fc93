from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator

from poolkeeper.arrays import Floats
from poolkeeper.errors import DataError, TooFewError
from poolkeeper.latency.tails import UpperTail, power_law
from poolkeeper.latency.tails.search import closest

Law = Callable[[Generator, int], Floats]


def mixture(random: Generator, n: int) -> Floats:
    """A lognormal body with a power law of index 1.5 above it in two percent of the values."""
    heavy = n // 50
    return np.concatenate([random.lognormal(3, 0.6, n - heavy), 60 * (1 + random.pareto(1.5, heavy))])


LAWS: dict[str, Law] = {
    "pareto": lambda random, n: 1 + random.pareto(1.5, n),
    "mixture": mixture,
    "lognormal": lambda random, n: random.lognormal(3, 1, n),
    "exponential": lambda random, n: random.exponential(100, n),
    "whole milliseconds": lambda random, n: np.round(mixture(random, n)) + 1,
    "two digits": lambda random, n: np.array([float(f"{value:.1e}") for value in mixture(random, n)]),
    "with zeros": lambda random, n: np.maximum(0, mixture(random, n) - 20),
}


def scan(values: Floats, least: int) -> tuple[float, float, float]:
    """xmin, index and distance by a full scan, written from the definition and from nothing else."""
    ordered = np.sort(values[values > 0])
    best = (math.inf, 0.0, 0.0)
    for xmin in np.unique(ordered)[:-1]:
        tail = ordered[ordered >= xmin]
        if tail.size < least:
            break
        index = tail.size / np.log(tail / xmin).sum()
        below = np.searchsorted(tail, tail, side="left") / tail.size
        distance = np.abs(below - (1 - (tail / xmin) ** -index)).max()
        best = min(best, (distance, xmin, index))
    return best[1], best[2], best[0]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", range(3))
def test_the_search_finds_what_a_full_scan_finds(law: str, seed: int) -> None:
    values = LAWS[law](np.random.default_rng(seed), 1500)
    found = power_law(UpperTail.of(values))
    xmin, index, distance = scan(values, 10)

    assert found.distance == pytest.approx(distance, rel=1e-9)
    assert (found.xmin, found.index) == pytest.approx((xmin, index), rel=1e-9)


# What powerlaw 2.0.0 finds: lab/benchmarks/tails/run --size 1500 --rounds 1 --found
GOLDEN = {
    "pareto": (1.000324951755278, 2.4668280803309592),
    "mixture": (37.237361873056614, 3.721852935830981),
    "whole milliseconds": (39.0, 3.8753789697637524),
    "two digits": (38.0, 3.82604527780835),
    "lognormal": (62.22402580538424, 3.178866121447205),
}


@pytest.mark.parametrize("law", GOLDEN)
def test_xmin_and_alpha_are_those_of_powerlaw(law: str) -> None:
    found = power_law(UpperTail.of(LAWS[law](np.random.default_rng(0), 1500)))

    assert (found.xmin, found.alpha) == pytest.approx(GOLDEN[law], rel=1e-9)


@given(st.lists(st.floats(0.01, 1e5), min_size=15, max_size=80, unique=True), st.floats(1e-3, 1e3), st.randoms())
@settings(max_examples=50)
def test_unit_and_order_do_not_matter(values: list[float], scale: float, random: object) -> None:
    shuffled = [scale * value for value in values]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    law, other = power_law(UpperTail.of(values)), power_law(UpperTail.of(shuffled))

    assert other.distance == pytest.approx(law.distance, rel=1e-6)


def test_the_index_of_a_power_law_is_found_within_its_error() -> None:
    random = np.random.default_rng(11)
    off = []
    for _ in range(200):
        found = power_law(UpperTail.of(1 + random.pareto(2.5, 2000)))
        off.append((found.index - 2.5) / found.error)

    # The choice of xmin costs something: the error would be 1 if it were known.
    assert np.std(off) < 1.6
    assert abs(np.mean(off)) < 0.5


def test_where_the_power_law_begins_is_found() -> None:
    random = np.random.default_rng(2)
    body = np.sqrt(random.random(20_000)) * 100
    found = power_law(UpperTail.of(np.concatenate([body, 100 * (1 + random.pareto(2.0, 20_000))])))

    assert found.xmin == pytest.approx(100, rel=0.05)
    assert found.index == pytest.approx(2, rel=0.03)
    assert found.alpha == found.index + 1


def test_a_search_for_anything_closer_ends_at_none_if_there_is_none() -> None:
    tail = UpperTail.of(1 + np.random.default_rng(4).pareto(2, 3000))
    best = closest(tail, 10)

    assert best is not None
    assert closest(tail, 10, below=best.distance) is None
    closer = closest(tail, 10, below=best.distance * 1.01)
    assert closer is not None
    assert closer.distance < best.distance * 1.01


def test_an_upper_end_gives_the_same_power_law_as_the_whole_if_it_reaches_far_enough() -> None:
    values = mixture(np.random.default_rng(9), 50_000) + 1e-6
    whole = UpperTail.of(values)
    law = power_law(whole)
    upper = UpperTail(whole.values[: 2 * law.count], whole.total)
    found = power_law(upper)

    assert (found.xmin, found.index, found.distance) == pytest.approx((law.xmin, law.index, law.distance))
    assert not found.bounded
    assert power_law(UpperTail(whole.values[:500], whole.total)).count <= 500


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([], TooFewError, "0 values"),
        ([3.0] * 100, DataError, "all 100 values are 3"),
        ([0.0] * 100, DataError, "all 100 values are 0"),
        ([1.0, -1.0] * 50, DataError, "50 of 100 values are negative"),
        ([1.0, math.nan] * 50, DataError, "no finite numbers"),
        ([1.0, 2.0, 3.0], TooFewError, "at least 11"),
    ],
)
def test_what_has_no_tail_is_refused(values: list[float], error: type[DataError], words: str) -> None:
    with pytest.raises(error, match=words):
        power_law(UpperTail.of(values))


def test_one_huge_value_does_not_decide() -> None:
    values = mixture(np.random.default_rng(3), 20_000)
    usual, with_it = power_law(UpperTail.of(values)), power_law(UpperTail.of(np.append(values, 1e15)))

    assert with_it.index == pytest.approx(usual.index, rel=0.05)


def test_the_input_stays_as_it_is() -> None:
    values = np.random.default_rng(1).pareto(2, 100) + 1
    before = values.copy()
    power_law(UpperTail.of(values))

    assert np.array_equal(values, before)
