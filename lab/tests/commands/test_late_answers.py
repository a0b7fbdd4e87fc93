"""Answers that come after the load under which their requests were sent: they belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, later, row

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

LATE_MS = 100_000


def write(file: Path, *levels: tuple[int, float], late: float = 0.0, place_of_late: int = 2, seed: int = 1) -> Path:
    """A minute of each level: users, with a request a second, and their median response time in ms.

    Of one level the share that is `late` is answered long after it.
    """
    random = np.random.default_rng(seed)
    rows = []
    for place, (users, median) in enumerate(levels):
        count = 60 * users
        times = median * random.lognormal(0, 0.1, count)
        if place == place_of_late:
            times[random.permutation(count)[: round(late * count)]] = LATE_MS
        starts = np.sort(random.uniform(60_000 * place, 60_000 * (place + 1), count))
        for start, took in zip(starts, times, strict=True):
            # A row has the users of the moment in which the answer came.
            there = levels[min(len(levels) - 1, int((start + took) // 60_000))][0]
            rows.append((start + took, row(START_MS + start, round(took), users=there)))
    return jtl(file, [text for _, text in sorted(rows)])


def staircase(file: Path, *, late: float, seed: int = 1) -> Path:
    """Levels of 20, 30 and 40 users; of all requests less than one in a hundred are late."""
    return write(file, (20, 100), (30, 100), (40, 100), late=late, seed=seed)


def test_a_level_whose_answers_come_after_it_does_not_keep_a_bound(poolkeeper: CommandLine, tmp_path: Path) -> None:
    staircase(tmp_path / "a.jtl", late=0.021)
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p99 1s")["results"]["capacity"]
    assert (found["met_at"], found["missed_at"]) == (30, 40)
    assert found["levels"][-1]["percentile"]["value"] == LATE_MS


def test_the_table_of_levels_has_them_where_they_were_sent(poolkeeper: CommandLine, tmp_path: Path) -> None:
    staircase(tmp_path / "a.jtl", late=0.021)
    levels = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    expected = pytest.approx(126, rel=0.05)
    assert [level["p99_ms"] for level in levels] == [expected, expected, LATE_MS]
    assert "those of the requests that were sent in it" in poolkeeper(tmp_path, "analyze a.jtl").out


def test_two_runs_are_compared_with_them(poolkeeper: CommandLine, tmp_path: Path) -> None:
    staircase(tmp_path / "a.jtl", late=0)
    staircase(tmp_path / "b.jtl", late=0.021, seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert "At 40 users no difference is seen" not in found["verdict"]
    assert "At 40 users the second run" in found["verdict"]


def test_all_commands_go_by_when_requests_were_sent(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Of the whole test more than one request in a hundred takes long."""
    write(tmp_path / "a.jtl", (40, 100), (20, 100), late=0.03, place_of_late=0)
    levels = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p99 1s")["results"]["capacity"]["levels"]
    fast = pytest.approx(126, rel=0.1)
    assert {level["users"]: level["p99_ms"] for level in levels} == {40: LATE_MS, 20: fast}
    assert {level["load"]: level["percentile"]["value"] for level in found} == {40: LATE_MS, 20: fast}


def test_a_load_that_comes_back_counts_with_its_slower_stretch(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", (20, 100), (40, 150), (20, 400))
    answered = answer(poolkeeper, tmp_path, "capacity a.jtl --p99 1s")
    found = answered["results"]["capacity"]
    assert "at least 40 users" in answered["verdict"]
    assert [level["load"] for level in found["levels"]] == [20, 40]
    assert found["levels"][0]["percentile"]["value"] == pytest.approx(1.26 * 400, rel=0.1)
    (note,) = (note for note in found["notes"] if "held 2 times" in note)
    assert note.startswith("20 users: held 2 times; the stretch with the longest response times counts, from 12")


def test_so_does_a_load_of_several_files(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", (20, 100))
    later(write(tmp_path / "b.jtl", (20, 400)), 3600)
    for options in ("", "--users 20,20 "):
        found = answer(poolkeeper, tmp_path, f"capacity a.jtl b.jtl {options}--p99 1s")["results"]["capacity"]
        (note,) = (note for note in found["notes"] if "held 2 times" in note)
        assert note.endswith("in b.jtl")


def test_answers_too_many_to_look_at_one_by_one_are_told(
    poolkeeper: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    staircase(tmp_path / "a.jtl", late=0.021)
    monkeypatch.setattr("poolkeeper.commands.load.WHOLE", 100)
    for command in ("analyze a.jtl", "capacity a.jtl --p99 1s"):
        found = answer(poolkeeper, tmp_path, command)
        assert [warning for warning in found["warnings"] if "all is counted by when they ended" in warning]
