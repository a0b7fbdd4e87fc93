"""Levels at which a server is saturated: their response times depend on each other, and say all the same that it is."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row

from poolkeeper.latency import Estimate, percentile
from poolkeeper.scalability import Load, capacity
from poolkeeper.scalability.bounds import broken, exceeded, upheld

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from command_line import CommandLine

SERVICE_S, THINK_S, SERVERS, HELD_S = 0.05, 0.95, 4, 60


def saturating(file: Path, levels: Sequence[int]) -> Path:
    """A closed test of users who think, at four servers that answer 80 requests a second: full with 80 users."""
    random, rows = np.random.default_rng(1), []
    free = [0.0] * SERVERS
    waiting = [
        (place * HELD_S + random.exponential(THINK_S), user, place)
        for place, users in enumerate(levels)
        for user in range(users)
    ]
    heapq.heapify(waiting)
    while waiting:
        now, user, place = heapq.heappop(waiting)
        if now >= (place + 1) * HELD_S:
            continue
        server = min(range(SERVERS), key=free.__getitem__)
        end = free[server] = max(now, free[server]) + random.exponential(SERVICE_S)
        took = round(1000 * (end - now))
        rows.append((end, row(START_MS + 1000 * now, took, users=levels[place])))
        heapq.heappush(waiting, (end + random.exponential(THINK_S), user, place))
    return jtl(file, [text for _, text in sorted(rows)])


@pytest.mark.parametrize("by", ["users", "rate"])
def test_a_saturated_level_bounds_the_capacity(poolkeeper: CommandLine, tmp_path: Path, by: str) -> None:
    saturating(tmp_path / "a.jtl", [20, 40, 120])
    found = answer(poolkeeper, tmp_path, f"capacity a.jtl --p95 250ms --by {by}")
    capacity = found["results"]["capacity"]
    assert capacity["met_at"] == pytest.approx(40, rel=0.06)
    assert capacity["missed_at"] == (120 if by == "users" else pytest.approx(80, rel=0.03))
    assert capacity["load"]["high"] <= capacity["missed_at"]
    assert any("counted as missed, as more than half" in note for note in capacity["notes"])


def test_a_saturated_level_that_keeps_a_wide_bound_says_nothing(poolkeeper: CommandLine, tmp_path: Path) -> None:
    saturating(tmp_path / "a.jtl", [20, 40, 120])
    capacity = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 10s")["results"]["capacity"]
    assert capacity["missed_at"] is None
    assert not any("counted as missed" in note for note in capacity["notes"])


def test_a_level_of_which_hardly_any_value_is_over_the_bound_meets_it(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Its p99 was a third of the bound, and there were "too few to tell"."""
    saturating(tmp_path / "a.jtl", [20, 40, 60])
    capacity = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 1s")["results"]["capacity"]
    assert [level["bound"] for level in capacity["levels"]] == ["met", "met", "met"]
    assert "the capacity is at least 60 users" in capacity["verdict"]
    assert any(note.startswith("at 60 users: counted as met, as hardly any") for note in capacity["notes"])


def test_a_level_is_seldom_counted_as_met_by_chance() -> None:
    """Values that come ten times in a row: 20,000 say as much as 2,000, too few for an interval of p99."""
    random, p99 = np.random.default_rng(6), np.exp(0.5 * 2.3263)
    near, far = 0, 0
    for _ in range(25):
        values = np.repeat(random.lognormal(0, 0.5, 2000), 10) * random.lognormal(0, 0.01, 20_000)
        assert not percentile(values, 99.0).has_interval
        near += upheld(values, 99.0, p99) is not None
        far += upheld(values, 99.0, 2 * p99) is not None
    assert near <= 1
    assert far >= 20


def test_a_level_is_seldom_counted_as_missed_by_chance() -> None:
    """Were the bound the true p99, none may be; 8 in 100 values beyond it were "too few to tell"."""
    random, (p92, p99) = np.random.default_rng(6), np.exp(0.5 * np.array([1.405, 2.3263]))
    near, far = 0, 0
    for _ in range(10):
        values = np.repeat(random.lognormal(0, 0.5, 1000), 10) * random.lognormal(0, 0.01, 10_000)
        assert not percentile(values, 99.0).has_interval
        near += exceeded(values, 99.0, p99) is not None
        far += exceeded(values, 99.0, p92) is not None
    assert near == 0
    assert far >= 8


def test_a_level_of_which_far_too_many_values_are_over_the_bound_misses_it(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    """Of its values a tenth was over the bound, where one in a hundred may be, and it was "too few to tell"."""
    saturating(tmp_path / "a.jtl", [20, 40, 100])
    capacity = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 350ms")["results"]["capacity"]
    assert [level["bound"] for level in capacity["levels"]] == ["met", "met", "missed"]
    assert any(note.startswith("at 100 users: counted as missed, as far more") for note in capacity["notes"])


@pytest.mark.parametrize("kind", Load)
def test_a_level_that_surely_misses_a_bound_misses_it_on_any_scale(kind: Load) -> None:
    """By rate, it was missed at the highest level, and "may hold beyond the highest level"."""
    ends = []
    for bound in np.arange(100.0, 140.0, 2.5):
        short = broken(np.repeat(np.linspace(2 * bound, 3 * bound, 10), 3), 99.0, bound)
        assert short is not None
        good = Estimate(0.5 * bound, 0.4 * bound, 0.6 * bound, 0.95)
        ends.append(capacity([10, 20], [good, short], bound=bound, kind=kind).load.high)
    assert ends == [20.0] * len(ends)
