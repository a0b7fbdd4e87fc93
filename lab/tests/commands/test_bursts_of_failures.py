"""Failures that come in bursts: a few of them more or fewer are chance, and no difference of the systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row

from poolkeeper.latency.comparison.shares import Failures, failed_shares, share
from poolkeeper.latency.figures.rates import gathering

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from command_line import CommandLine

    from poolkeeper.arrays import Integers


def requests_in(file: Path, bursts: Sequence[int], *, share_of_rest: float = 0.0, seed: int = 1) -> Path:
    """A test of 120 s and 30 requests a second, of which those in two seconds of each burst fail."""
    random, rows = np.random.default_rng(seed), []
    for second in range(120):
        bursting = any(begin <= second < begin + 2 for begin in bursts)
        for start in np.sort(random.uniform(0, 1000, 30)):
            ok = random.random() >= (0.8 if bursting else share_of_rest)
            rows.append(row(START_MS + 1000 * second + start, round(random.lognormal(3, 0.3)), ok=ok))
    return jtl(file, rows)


def counts(random: np.random.Generator, every_s: float) -> tuple[Integers, Integers]:
    """Requests and failures of each of 240 s, with a burst as often as that on average."""
    done, chance = random.poisson(46, 240), np.full(240, 0.001)
    for begin in random.uniform(0, 240, random.poisson(240 / every_s)):
        chance[int(begin) : int(begin + random.exponential(1.5)) + 1] = 0.5
    return done, random.binomial(done, chance)


@pytest.mark.parametrize("every_s", [40, 10])
def test_systems_with_equal_bursts_are_seldom_told_apart(every_s: float) -> None:
    """Of runs with six bursts each, three of four pairs were."""
    random, seen = np.random.default_rng(2), 0
    for _ in range(60):
        runs = [
            Failures(int(failed.sum()), int(done.sum()), gathering(done, failed))
            for done, failed in (counts(random, every_s) for _ in range(2))
        ]
        seen += failed_shares((runs[0], runs[1]), 0.95, 0.95).difference.seen
    assert seen <= 3


def test_a_burst_more_or_less_is_undecided(poolkeeper: CommandLine, tmp_path: Path) -> None:
    requests_in(tmp_path / "a.jtl", [20, 80])
    requests_in(tmp_path / "b.jtl", [10, 30, 60, 90, 100], seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    failed = found["results"]["comparison"]["failed_percent"]
    assert (failed["seen"], failed["low"]) == (None, None)
    assert failed["why"] == "failures come in so few bursts that their share has no interval"
    assert "fails more often" not in found["verdict"]
    assert found["verdict"].endswith(" against 2.78 %, but in so few bursts that it may be chance.")
    assert "More requests failed in the second run, 6." in found["verdict"]


def test_failures_one_by_one_are_told_apart_as_before(poolkeeper: CommandLine, tmp_path: Path) -> None:
    requests_in(tmp_path / "a.jtl", [], share_of_rest=0.01)
    requests_in(tmp_path / "b.jtl", [], share_of_rest=0.04, seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert "fails more often" in found["verdict"]
    assert "bursts" not in poolkeeper(tmp_path, "compare a.jtl b.jtl").out


def test_many_bursts_have_a_wider_interval() -> None:
    random = np.random.default_rng(3)
    done, failed = counts(random, 6)
    dependence = gathering(done, failed)
    assert dependence is not None
    assert not dependence.independent
    alone, gathered = (share(int(failed.sum()), int(done.sum()), 0.95, way) for way in (None, dependence))
    assert gathered.high - gathered.low > 2 * (alone.high - alone.low)
    assert gathered.value == alone.value
