"""Two tests in one file: the gap between them is no level, and part of none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

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


def write_slow_runs(file: Path, *slow_ms: int) -> int:
    """A minute each of 20 users whose requests take so long, and five minutes between the last and the first request.

    Returns the number of requests.
    """
    rows = []
    for place, slow in enumerate(slow_ms):
        begin = place * 360_000
        for user in range(20):
            now = begin + 37 * user
            while now < begin + 60_000:
                took = slow + 11 * user
                rows.append((now + took, row(START_MS + now, took, users=20)))
                now += took + 100
    jtl(file, [text for _, text in sorted(rows)])
    return len(rows)


def test_the_first_and_the_last_answers_beside_a_gap_are_of_the_levels(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """The answers of the first test go on for 20 s, and those of the second begin 20 s after its first request."""
    count = write_slow_runs(tmp_path / "a.jtl", 20_000, 20_000)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    levels = found["results"]["levels"]["levels"]
    assert [(level["requests"], level["users"]) for level in levels] == [(count // 2, 20)] * 2
    assert [level["p50_ms"] for level in levels] == pytest.approx([20_100, 20_100], abs=20)
    assert levels[1]["start_s"] == pytest.approx(360, abs=1)
    assert min(level["requests_per_s"] for level in levels) > 0.5
    (warning,) = (text for text in found["warnings"] if "selects the longest one" in text)
    (option,) = re.findall(r"--(?:from|to) \d+s(?= selects)", warning)
    chosen = answer(poolkeeper, tmp_path, f"analyze a.jtl {option}")
    assert chosen["verdict"].startswith(f"{count // 2} requests")


def test_users_are_those_of_each_test(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Nine users leave before the gap; after it there is one."""
    rows = [row(START_MS + 100 * k, 40 + k % 9, users=10) for k in range(300)]
    rows += [row(START_MS + 30_000 + 100 * k, 40 + k % 9, users=9 - k // 15) for k in range(120)]
    for begin in (350_000, 610_000):
        rows += [row(START_MS + begin + 200 * k, 40 + k % 9, users=1) for k in range(60)]
    jtl(tmp_path / "a.jtl", rows)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    levels = found["results"]["levels"]["levels"]
    after = [level for level in levels if level["start_s"] > 340]
    assert [(level["users"], level["ramp"]) for level in after] == [(1, None), (1, None)]
    (change,) = (text for text in found["warnings"] if "the load changed" in text)
    assert "between 1 user and 10 users" in change
    shown = answer(poolkeeper, tmp_path, "capacity a.jtl --p90 500ms")["results"]["levels"]
    assert all(other["end_s"] - other["start_s"] < 60 for other in shown["left_out"])


def test_a_test_between_two_gaps_has_its_requests(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """All requests of the second test are sent before the first of its answers."""
    rows = [row(START_MS + 200 * k, 100 + k % 9, users=5) for k in range(300)]
    rows += [row(START_MS + 400_000 + 25 * k, 20_000 + 100 * k, users=5) for k in range(200)]
    rows += [row(START_MS + 800_000 + 200 * k, 100 + k % 9, users=5) for k in range(300)]
    jtl(tmp_path / "a.jtl", rows)
    levels = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert [level["requests"] for level in levels] == [300, 200, 300]


def test_a_level_of_few_requests_before_a_gap_has_a_rate(poolkeeper: CommandLine, tmp_path: Path) -> None:
    rows = [row(START_MS + at, 100, users=5) for at in (0, 40_000)]
    rows += [row(START_MS + 400_000 + 200 * k, 100 + k % 9, users=5) for k in range(300)]
    jtl(tmp_path / "a.jtl", rows)
    level, _ = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert (level["requests"], level["requests_per_s"]) == (2, pytest.approx(1 / 40))
