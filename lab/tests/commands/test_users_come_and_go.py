"""Users who come and go: ramps, pauses, spikes and waves of them are told as they were."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from closed_tests import Closed, served, staying
from command_line import answer

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")


@pytest.mark.parametrize("falls_s", [0, 8, 20])
def test_a_ramp_has_its_own_ends_and_not_those_of_users_who_leave(
    poolkeeper: CommandLine, tmp_path: Path, falls_s: int
) -> None:
    """Users come one by one; in the end they leave at once, or one after the other."""
    Closed([(4 * k, 80 + falls_s * (20 - k) / 20) for k in range(20)]).write(tmp_path / "a.jtl")
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    first, *others = found["results"]["levels"]["levels"]
    assert first["ramp"] == [1, pytest.approx(20, abs=1)]
    assert first["end_s"] == pytest.approx(80, abs=2)
    assert [level["ramp"] for level in others] == [[pytest.approx(20, abs=1), pytest.approx(1, abs=2)]] * (falls_s > 10)
    refused = poolkeeper(tmp_path, "usl a.jtl")
    assert "a ramp, from 1 to 20 users" in refused.err


@pytest.mark.parametrize(("goes_s", "users"), [(39.98, 16), (40.02, 16), (40.1, 8)])
def test_a_pause_is_no_part_of_the_level_before_it(
    poolkeeper: CommandLine, tmp_path: Path, goes_s: float, users: int
) -> None:
    """The last answers before it come just before or just after a full second, and tell of users who leave."""
    Closed([*staying(8, 0, goes_s), *staying(users, 60, 100)]).write(tmp_path / "a.jtl", begins_s=0.01)
    before, pause, after = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert [level["users"] for level in (before, pause, after)] == [8, 0, users]
    assert (before["end_s"], pause["end_s"]) == (pytest.approx(40, abs=1), pytest.approx(60, abs=1))
    assert before["requests_per_s"] == pytest.approx(8 / 0.3325, rel=0.1)
    assert (pause["requests"], pause["requests_per_s"]) == (0, 0)


def test_a_server_that_stands_still_is_no_pause(poolkeeper: CommandLine, tmp_path: Path) -> None:
    def stalls(random: np.random.Generator, at_s: float) -> float:
        return 52.5 - at_s if 40 <= at_s < 52 else served(random, at_s)

    Closed(staying(10, 0, 90), served=stalls).write(tmp_path / "a.jtl")
    levels = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]
    assert levels["cause"] == "answers"
    assert {level["users"] for level in levels["levels"]} == {10}


@pytest.mark.parametrize(("stay", "more", "lasts_s"), [(5, 45, 5), (5, 45, 9), (20, -15, 5), (5, 45, 3)])
def test_a_spike_of_users_is_a_level(
    poolkeeper: CommandLine, tmp_path: Path, stay: int, more: int, lasts_s: int
) -> None:
    """More users come for some seconds, or some leave."""
    goes_s = 40 + lasts_s
    others = staying(more, 40, goes_s) if more > 0 else staying(-more, 0, 40) + staying(-more, goes_s, 80)
    Closed(staying(min(stay, stay + more), 0, 80) + others).write(tmp_path / "a.jtl")
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    levels = found["results"]["levels"]["levels"]
    assert [level["users"] for level in levels] == [stay, stay + more, stay]
    assert [levels[1]["start_s"], levels[1]["end_s"]] == [pytest.approx(40, abs=1), pytest.approx(goes_s, abs=1.1)]
    assert found["warnings"][0].startswith(
        f"the load changed: {stay} users first, {stay + more} users from 40 s on, then"
    )


@pytest.mark.parametrize(("users", "lasts_s", "away_s"), [(6, 40, 1.0), (20, 6, 0.2), (40, 12, 0.5)])
def test_users_each_of_whom_another_one_follows_are_one_level(
    poolkeeper: CommandLine, tmp_path: Path, users: int, lasts_s: float, away_s: float
) -> None:
    random, stays = np.random.default_rng(3), []
    for _ in range(users):
        now = 0.0
        while now < 90:
            goes = min(now + random.exponential(lasts_s), 90)
            stays.append((now, goes))
            now = goes + away_s
    Closed(stays).write(tmp_path / "a.jtl")
    assert "levels" not in answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]
    (level,) = answer(poolkeeper, tmp_path, "capacity a.jtl --p90 100ms")["results"]["levels"]["levels"]
    assert level["users"] == pytest.approx(users * lasts_s / (lasts_s + away_s), rel=0.05)


@pytest.mark.parametrize(("comes_s", "goes_s"), [(8, 0), (0, 8), (8, 8)])
def test_the_advice_leaves_out_short_ramps_at_the_ends(
    poolkeeper: CommandLine, tmp_path: Path, comes_s: int, goes_s: int
) -> None:
    """A level of 10 users, which come and go one by one, between or beside levels of others."""
    ramps = [(comes_s * k / 10, 60 + goes_s * k / 10) for k in range(10)]
    second = [(70 + goes_s + comes_s * k / 16, 100 + goes_s * (1 + k / 16)) for k in range(16)]
    Closed([*ramps, *second]).write(tmp_path / "a.jtl")
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    levels = found["results"]["levels"]["levels"]
    held = max(levels, key=lambda level: level["end_s"] - level["start_s"])
    assert held["users"] == 10
    (options,) = re.findall(r"and (--.*) selects the longest one", found["warnings"][-1])
    chosen = answer(poolkeeper, tmp_path, f"analyze a.jtl {options}")
    assert "levels" not in chosen["results"]
    assert chosen["results"]["summary"]["count"] == pytest.approx(held["requests"], rel=0.05)
    assert ("of no level: 0 to " in poolkeeper(tmp_path, "analyze a.jtl").out) == bool(comes_s)


def test_a_saw_of_users_is_a_wave(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Users come one by one, and go all at once, five times."""
    stays = [(20 * tooth + 2 * k, 20 * (tooth + 1)) for tooth in range(5) for k in range(10)]
    Closed(stays).write(tmp_path / "a.jtl")
    wave = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["wave"]
    assert wave["period_s"] == pytest.approx(20, rel=0.03)
    assert [wave["low"], wave["high"]] == pytest.approx([1, 10], abs=1.5)
    assert "rises and falls in waves of" in poolkeeper(tmp_path, "capacity a.jtl --p99 100ms").err


def test_the_last_level_ends_with_the_test(poolkeeper: CommandLine, tmp_path: Path) -> None:
    Closed([*staying(5, 0, 30), *staying(10, 30, 60.2)]).write(tmp_path / "a.jtl")
    last = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"][-1]
    assert 60.1 < last["end_s"] < 60.5


def test_capacity_has_no_level_of_a_pause(poolkeeper: CommandLine, tmp_path: Path) -> None:
    Closed([*staying(8, 0, 40), *staying(16, 60, 100)]).write(tmp_path / "a.jtl")
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p90 100ms")["results"]["levels"]
    assert [(level["users"], level["end_s"]) for level in found["levels"]] == [(8, 40), (16, pytest.approx(100, abs=1))]
    assert not found["left_out"]
    assert not [note for note in found["notes"] if "no answer" in note]


def test_users_who_leave_one_by_one_at_the_end_are_no_slower_server(poolkeeper: CommandLine, tmp_path: Path) -> None:
    Closed([(0, 170 + 0.6 * k) for k in range(20)]).write(tmp_path / "a.jtl")
    assert "levels" not in answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]
