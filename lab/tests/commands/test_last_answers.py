"""Answers after the last request of a test: some that come late are no load, and those all users wait for are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from closed_tests import Closed, served, staying
from command_line import answer

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")


@pytest.mark.parametrize("timeout_s", [None, 25.0])
def test_a_server_that_stands_still_does_not_end_the_load(
    poolkeeper: CommandLine, tmp_path: Path, timeout_s: float | None
) -> None:
    """From 50 s on each request hangs until 100 s, or until it times out, and fails."""

    def hangs(random: np.random.Generator, at_s: float) -> float:
        return (timeout_s or 100 - at_s) if at_s >= 50 else served(random, at_s)

    Closed(staying(10, 0, 100), served=hangs, fails_from_s=20).write(tmp_path / "a.jtl")
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    assert found["results"]["levels"]["cause"] == "answers"
    held, hung = found["results"]["levels"]["levels"]
    assert held["end_s"] == hung["start_s"] == pytest.approx(50, abs=1.5)
    assert held["requests_per_s"] == pytest.approx(10 / 0.3325, rel=0.1)
    assert hung["requests_per_s"] < 1
    assert (hung["users"], hung["end_s"]) == (10, pytest.approx(100, abs=2))
    assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(15, rel=0.15)
    shown = poolkeeper(tmp_path, "capacity a.jtl --p90 100ms").out
    assert "users waited" in shown
    assert "no request succeeded any more" in shown


@pytest.mark.parametrize("late_s", [8.0, 8.8])
def test_late_answers_to_the_last_requests_are_no_change_of_the_rate(
    poolkeeper: CommandLine, tmp_path: Path, late_s: float
) -> None:
    def late(random: np.random.Generator, at_s: float) -> float:
        return late_s if at_s > 179.9 and random.random() < 0.3 else served(random, at_s)

    Closed(staying(20, 0, 180), served=late).write(tmp_path / "a.jtl")
    assert "levels" not in answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]


def test_advice_does_not_pass_the_good_part_of_a_run_for_all_of_it(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """One run gets slower half-way, under the same load."""

    def slower(random: np.random.Generator, at_s: float) -> float:
        return served(random, at_s) * (1.6 if at_s > 50 else 1)

    Closed(staying(15, 0, 90)).write(tmp_path / "a.jtl")
    Closed(staying(15, 0, 90), served=slower).write(tmp_path / "b.jtl", seed=2)
    shown = poolkeeper(tmp_path, "compare a.jtl b.jtl").out
    assert "selects the longest one, and says nothing of the others under the same load" in " ".join(shown.split())
    assert "or add --" not in shown
