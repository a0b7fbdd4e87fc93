"""Two tests in one file: the gap between them is no level, and part of none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

GAP_S = 420


def write_runs(file: Path, *runs: tuple[int, int, float]) -> None:
    """Two minutes of each run, with seven minutes between them: users, requests a second, mean response time in ms."""
    random = np.random.default_rng(7)
    rows = []
    for place, (users, rate, mean) in enumerate(runs):
        begin = START_MS + place * (120 + GAP_S) * 1000
        for k in range(120 * rate):
            took = round(random.gamma(4, mean / 4))
            thread = f"T 1-{k % users + 1}"
            rows.append(f"{begin + k * 1000 // rate},{took},GET,200,OK,{thread},true,100,{users},{users}")
    header = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,grpThreads,allThreads"
    file.write_text("\n".join([header, *rows, ""]), encoding="utf-8")


@pytest.mark.parametrize(
    ("second", "cause"),
    [((5, 20, 50.0), "gap"), ((15, 60, 50.0), "users"), ((5, 20, 90.0), "times"), ((5, 40, 50.0), "answers")],
)
def test_levels_lie_on_both_sides_of_a_gap(
    poolkeeper: CommandLine, tmp_path: Path, second: tuple[int, int, float], cause: str
) -> None:
    write_runs(tmp_path / "a.jtl", (5, 20, 50.0), second)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    steps = found["results"]["levels"]
    assert steps["cause"] == cause
    levels = [(level["start_s"], level["end_s"], level["requests_per_s"]) for level in steps["levels"]]
    assert levels == [
        (pytest.approx(0, abs=1), pytest.approx(120, abs=2), pytest.approx(20, rel=0.02)),
        (pytest.approx(540, abs=2), pytest.approx(660, abs=2), pytest.approx(second[1], rel=0.02)),
    ]
    assert steps["gaps"] == [{"start_s": pytest.approx(120, abs=2), "end_s": pytest.approx(540, abs=2)}]
    shown = poolkeeper(tmp_path, "analyze a.jtl").out
    assert re.search(r"a gap of 4[12]\d s without an answer, from 12\d s to 540 s, parts two tests", shown)


def test_three_tests_are_no_wave_and_no_levels_of_nothing(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write_runs(tmp_path / "a.jtl", *[(5, 20, 50.0)] * 3)
    steps = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]
    assert (steps["cause"], steps["wave"], len(steps["levels"]), len(steps["gaps"])) == ("gap", None, 3, 2)


def test_a_level_is_not_longer_by_the_gap_after_it(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """The second test would be too short beside a first one of nine minutes."""
    write_runs(tmp_path / "a.jtl", (5, 20, 50.0), (15, 60, 50.0))
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p99 500ms")
    assert "at least 15 users" in found["verdict"]
    levels = [(level["users"], level["end_s"] - level["start_s"]) for level in found["results"]["levels"]["levels"]]
    assert levels == [(5, pytest.approx(121, abs=2)), (15, pytest.approx(121, abs=2))]
