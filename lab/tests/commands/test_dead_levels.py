"""Levels at which requests failed: all of them bound the capacity, and some of them are named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, later, row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from command_line import CommandLine


def closed(file: Path, stretches: Sequence[tuple[int, float]], *, seconds: int = 40, failed_ms: float = 50) -> Path:
    """A closed test of stretches: users without think time, and the share of their requests that fails."""
    random = np.random.default_rng(1)
    rows, begin = [], 0.0
    for users, failing in stretches:
        for user in range(users):
            now = begin + user / users * 50
            while now < begin + seconds * 1000:
                bad = random.random() < failing
                took = round(failed_ms if bad else 50 * random.lognormal(-0.02, 0.2))
                rows.append((now + took, row(START_MS + now, took, users=users, ok=not bad)))
                now += took
        begin += seconds * 1000
    return jtl(file, [text for _, text in sorted(rows)])


def without_users(file: Path, to: Path) -> None:
    """The same results without a column that says how many users there were."""
    text = file.read_text(encoding="utf-8")
    to.write_text(text.replace("grpThreads,allThreads", "others,more").replace("threadName", "name"), encoding="utf-8")


def capacity(poolkeeper: CommandLine, folder: Path, command: str) -> tuple[str, dict[str, Any]]:
    found = answer(poolkeeper, folder, f"capacity {command}")
    return found["verdict"], found["results"]["capacity"]


def test_a_level_at_which_nothing_succeeded_is_above_the_capacity(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 0.0), (12, 1.0)])
    verdict, found = capacity(poolkeeper, tmp_path, "a.jtl --p90 500ms")
    assert "the capacity is at least 8 users" in verdict
    assert verdict.endswith("at 12 users requests did not succeed; measure between to find it.")
    assert "higher" not in verdict
    assert (found["missed_at"], found["load"]["low"], found["load"]["high"]) == (12, 8, 12)


@pytest.mark.parametrize("options", ["--users 4,8,12", ""])
def test_so_is_a_file_in_which_nothing_succeeded(poolkeeper: CommandLine, tmp_path: Path, options: str) -> None:
    for users, failing in ((4, 0.0), (8, 0.0), (12, 1.0)):
        later(closed(tmp_path / f"{users}.jtl", [(users, failing)]), 50 * users)
    verdict, found = capacity(poolkeeper, tmp_path, f"4.jtl 8.jtl 12.jtl {options} --p90 500ms")
    assert "at 12 users requests did not succeed; measure between" in verdict
    assert found["missed_at"] == 12


def test_a_dead_level_below_those_that_kept_the_bound_says_nothing(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(2, 1.0), (4, 0.0), (8, 0.0)])
    verdict, found = capacity(poolkeeper, tmp_path, "a.jtl --p90 500ms")
    assert verdict.endswith("the capacity is at least 8 users (95 % sure); measure higher to find it.")
    assert found["missed_at"] is None


def test_a_rate_at_which_nothing_succeeded_is_above_the_capacity(poolkeeper: CommandLine, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    rows = []
    for second in range(120):
        dead = second >= 60
        rows += [
            row(START_MS + 1000 * second + start, 3 if dead else random.integers(30, 50), ok=not dead)
            for start in np.sort(random.uniform(0, 1000, 80 if dead else 20))
        ]
    without_users(jtl(tmp_path / "users.jtl", rows), tmp_path / "a.jtl")
    verdict, found = capacity(poolkeeper, tmp_path, "a.jtl --p90 200ms --by rate")
    assert "requests/s requests did not succeed; measure between" in verdict
    assert found["missed_at"] == pytest.approx(80, rel=0.03)
    warnings = answer(poolkeeper, tmp_path, "capacity a.jtl --p90 200ms --by rate")["warnings"]
    assert any(text.startswith("left out: 80.0 requests/s from 60 to 12") for text in warnings)


@pytest.mark.parametrize("options", ["", " --failures include"])
@pytest.mark.parametrize("file", ["a.jtl", "b.jtl"])
def test_so_is_that_of_users_none_of_whom_succeeded(
    poolkeeper: CommandLine, tmp_path: Path, file: str, options: str
) -> None:
    """By users' columns it said to measure higher; with failures it "met" the bound, at which nothing succeeded."""
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 1.0)], failed_ms=20)
    without_users(tmp_path / "a.jtl", tmp_path / "b.jtl")
    verdict, found = capacity(poolkeeper, tmp_path, f"{file} --p90 500ms --by rate{options}")
    assert verdict.endswith(" requests/s requests did not succeed; measure between to find it.")
    assert found["missed_at"] == pytest.approx(400, rel=0.03)
    assert [level["load"] for level in found["levels"]] == pytest.approx([80], rel=0.03)


def test_failures_of_a_level_that_kept_the_bound_are_in_the_verdict(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 0.6)])
    verdict, _ = capacity(poolkeeper, tmp_path, "a.jtl --p90 500ms")
    assert "the capacity is at least 8 users" in verdict
    assert " % of the requests at 8 users failed: the bound is about those that succeeded." in verdict
    assert "failed" not in capacity(poolkeeper, tmp_path, "a.jtl --p90 500ms --failures include")[0]
    closed(tmp_path / "b.jtl", [(4, 0.0), (8, 0.0)])
    assert "failed" not in capacity(poolkeeper, tmp_path, "b.jtl --p90 500ms")[0]


def test_failures_of_a_level_that_broke_the_bound_are_no_matter(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 0.6)])
    assert "failed" not in capacity(poolkeeper, tmp_path, "a.jtl --p90 20ms")[0]


@pytest.mark.parametrize(("file", "options"), [("a.jtl", ""), ("a.jtl", " --by rate"), ("b.jtl", " --by rate")])
def test_a_level_without_a_failure_has_none_to_look_at(
    poolkeeper: CommandLine, tmp_path: Path, file: str, options: str
) -> None:
    """It was said that nothing had succeeded, where all had; without users it ended in a division by zero."""
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 0.5)])
    without_users(tmp_path / "a.jtl", tmp_path / "b.jtl")
    verdict, found = capacity(poolkeeper, tmp_path, f"{file} --p90 500ms --failures only{options}")
    (note,) = (note for note in found["notes"] if note.startswith("left out: "))
    assert re.fullmatch(
        r"left out: \S+ (users|requests/s).* from 0 s to \d+ s: nothing that was sent then failed", note
    )
    assert verdict.endswith("The bound is about the requests that failed.")


@pytest.mark.parametrize("options", ["", " --by rate"])
def test_a_file_without_a_failure_has_none_to_look_at(poolkeeper: CommandLine, tmp_path: Path, options: str) -> None:
    """It ended the command: "the results hold no request that failed"; so did, by rate, users who all failed."""
    for users, failing in ((4, 0.0), (8, 0.5), (12, 1.0)):
        later(closed(tmp_path / f"{users}.jtl", [(users, failing)]), 50 * users)
    command = f"4.jtl 8.jtl 12.jtl --p90 60ms --failures only{options}"
    verdict, found = capacity(poolkeeper, tmp_path, command)
    assert verdict.endswith("The bound is about the requests that failed.")
    assert len(found["levels"]) == 1
    assert any(
        note.startswith("left out: ") and note.endswith(" s in 4.jtl: nothing that was sent then failed")
        for note in found["notes"]
    )


def test_levels_that_had_successes_may_have_no_failure(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(4, 1.0), (8, 0.0)])
    done = poolkeeper(tmp_path, "capacity a.jtl --p90 500ms --failures only")
    assert done.code == 2
    assert "a.jtl: nothing that was sent then failed, at any level that had successes" in done.err


def test_users_whose_requests_fail_have_them_in_the_system(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 0.5), (16, 0.5)], failed_ms=20)
    found = answer(poolkeeper, tmp_path, "usl a.jtl --over requests")
    assert found["results"]["usl"]["measured"]["concurrency"] == pytest.approx([4, 8, 16], rel=0.03)
    assert not any("think" in note for note in found["results"]["levels"]["notes"])
    # Response times of levels are those of successes, as everywhere.
    assert [level["response_s"] for level in found["results"]["levels"]["levels"]] == pytest.approx(
        [0.05] * 3, rel=0.03
    )


def test_usl_names_the_failures_that_its_throughputs_lack(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Of a file each it had no word about them."""
    for users, failing in ((4, 0.0), (8, 0.0), (16, 0.5)):
        later(closed(tmp_path / f"{users}.jtl", [(users, failing)], seconds=15), 50 * users)
    warnings = answer(poolkeeper, tmp_path, "usl 4.jtl 8.jtl 16.jtl --users 4,8,16")["warnings"]
    (text,) = (text for text in warnings if " % of the requests failed with 16 users: " in text)
    assert text.endswith("the throughput is that of those that succeeded, so that failures limit it too")


def test_so_have_the_users_of_a_file_each(poolkeeper: CommandLine, tmp_path: Path) -> None:
    for users in (4, 8, 16):
        later(closed(tmp_path / f"{users}.jtl", [(users, 0.5)], failed_ms=20), 50 * users)
    found = answer(poolkeeper, tmp_path, "usl 4.jtl 8.jtl 16.jtl --users 4,8,16 --over requests")
    assert found["results"]["usl"]["measured"]["concurrency"] == pytest.approx([4, 8, 16], rel=0.03)


def test_levels_that_were_held_too_short_are_told_with_their_file(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 0.0), (12, 0.0)], seconds=5)
    done = poolkeeper(tmp_path, "capacity a.jtl --p90 500ms")
    assert done.code == 2
    assert "a.jtl: users: no number of them was held for 10 s or more" in done.err
    assert done.err.endswith("give a file for each of them with --users 10,20,40\n")


def test_a_rate_is_that_of_all_requests_whether_files_tell_users_or_not(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    """With users' columns it was that of the successes: "50 % of the requests at 133 requests/s failed"."""
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 0.5)], failed_ms=10)
    without_users(tmp_path / "a.jtl", tmp_path / "b.jtl")
    closed_verdict, by_users = capacity(poolkeeper, tmp_path, "a.jtl --p90 500ms --by rate")
    verdict, by_rate = capacity(poolkeeper, tmp_path, "b.jtl --p90 500ms --by rate")
    # Of 8 users half of the requests take 50 ms and half 10 ms.
    assert [level["load"] for level in by_users["levels"]] == pytest.approx([80, 267], rel=0.03)
    assert [level["throughput"] for level in by_users["levels"]] == pytest.approx([80, 133], rel=0.03)
    for key in ("load", "throughput"):
        assert [level[key] for level in by_rate["levels"]] == pytest.approx(
            [level[key] for level in by_users["levels"]], rel=0.02
        )
    for words, found in ((closed_verdict, by_users), (verdict, by_rate)):
        at = f"{found['levels'][-1]['load']:.0f} requests/s"
        assert f"the capacity is at least {at}" in words
        assert f"% of the requests at {at} failed" in words


def test_so_is_that_of_a_file_each(poolkeeper: CommandLine, tmp_path: Path) -> None:
    for users, failing in ((4, 0.0), (8, 0.5)):
        later(closed(tmp_path / f"{users}.jtl", [(users, failing)], failed_ms=10), 50 * users)
    _, found = capacity(poolkeeper, tmp_path, "4.jtl 8.jtl --users 4,8 --p90 500ms --by rate")
    assert [level["load"] for level in found["levels"]] == pytest.approx([80, 267], rel=0.03)
    assert [level["throughput"] for level in found["levels"]] == pytest.approx([80, 133], rel=0.03)


def test_failures_of_a_level_past_the_peak_do_not_belong_to_a_rate_below_it(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    """Its rate is that of fewer users, none of whose requests failed."""
    closed(tmp_path / "a.jtl", [(4, 0.0), (8, 0.0), (12, 0.5)], failed_ms=300)
    verdict, found = capacity(poolkeeper, tmp_path, "a.jtl --p90 500ms --by rate")
    assert "requests/s at 8 users; with more users it falls." in verdict
    assert "failed" not in verdict
    assert len(found["levels"]) == 2
