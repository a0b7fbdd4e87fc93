"""A load that rises or waves all the time: it is no staircase, and has no levels to judge."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, later, row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command_line import CommandLine

    Course = Callable[[int], float]

pytestmark = pytest.mark.usefixtures("without_fits")


def write(  # noqa: PLR0913 - courses by name
    file: Path, seconds: int, rate: Course, users: Course | None = None, median: Course = lambda _: 40.0, seed: int = 1
) -> Path:
    """A test whose rate, users and median response time in ms are functions of the second."""
    random = np.random.default_rng(seed)
    rows = []
    for second in range(seconds):
        for start in np.sort(random.uniform(second, second + 1, random.poisson(rate(second)))):
            took = round(median(second) * random.lognormal(0, 0.4))
            rows.append(row(START_MS + 1000 * start, took, users=round(users(second)) if users else 10))
    written = jtl(file, rows)
    if users is None:
        text = written.read_text(encoding="utf-8").replace("allThreads", "others")
        written.write_text(text, encoding="utf-8")
    return written


def about_the_load(found: dict[str, list[str]]) -> list[str]:
    return [warning for warning in found["warnings"] if re.search(r"the (load|level of)", warning)]


def test_a_ramp_of_the_rate_is_one(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", 300, lambda s: 20 + 130 * s / 300)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    (level,) = found["results"]["levels"]["levels"]
    assert level["ramp"] == [pytest.approx(20, abs=6), pytest.approx(150, abs=8)]
    (warning,) = about_the_load(found)
    assert re.match(r"the load rises all the time, from [12]\d\.\d to 1[45]\d requests/s in [\d.]+ (s|min)\. ", warning)
    assert warning.endswith("Figures of the whole test mix all of that; to learn about one load, hold it")


def test_a_ramp_between_levels_has_its_ends(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", 400, lambda s: 30 + 120 * min(1, max(0, (s - 100) / 200)))
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    before, ramp, after = found["results"]["levels"]["levels"]
    assert (before["ramp"], after["ramp"]) == (None, None)
    assert ramp["ramp"] == [pytest.approx(30, abs=6), pytest.approx(150, abs=8)]
    assert ramp["start_s"] == pytest.approx(100, abs=20)
    assert ramp["end_s"] == pytest.approx(300, abs=20)
    assert "then 1" in about_the_load(found)[0]
    assert ", a ramp from " in about_the_load(found)[0]


@pytest.mark.parametrize("every", [6, 15])
def test_users_who_come_one_by_one_are_a_ramp(poolkeeper: CommandLine, tmp_path: Path, every: int) -> None:
    write(tmp_path / "a.jtl", 300, lambda s: 5 * (1 + s // every), lambda s: 1 + s // every)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    (level,) = found["results"]["levels"]["levels"]
    assert level["ramp"] == [1, 300 // every]
    assert about_the_load(found)[0].startswith(f"the load rises all the time, from 1 to {300 // every} users in ")
    done = poolkeeper(tmp_path, "capacity a.jtl --p99 100ms")
    assert done.code != 0
    assert f"a ramp, from 1 to {300 // every} users)" in done.err


def test_a_staircase_of_users_keeps_its_levels(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", 360, lambda s: 10 * (1 + s // 30), lambda s: 1 + s // 30)
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 100ms")
    assert [level["users"] for level in found["results"]["levels"]["levels"]] == list(range(1, 13))


def test_response_times_that_grow_are_a_ramp(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", 240, lambda _: 60, median=lambda s: 20 + s / 2)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    (level,) = found["results"]["levels"]["levels"]
    assert level["ramp"] == [pytest.approx(20, abs=5), pytest.approx(140, abs=10)]
    assert "the level of the response times rises all the time, from a median of" in about_the_load(found)[0]


@pytest.mark.parametrize("by_users", [False, True])
def test_a_wave_is_one(poolkeeper: CommandLine, tmp_path: Path, *, by_users: bool) -> None:
    def load(second: int) -> float:
        return 20 + 10 * math.sin(2 * math.pi * second / 80)

    for name, seed in (("a", 1), ("b", 2)):
        write(tmp_path / f"{name}.jtl", 400, lambda s: 4 * load(s), load if by_users else None, seed=seed)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    wave = found["results"]["levels"]["wave"]
    assert wave["period_s"] == pytest.approx(80, rel=0.02)
    ends = (10, 30) if by_users else (40, 120)
    assert (wave["low"], wave["high"]) == (pytest.approx(ends[0], rel=0.1), pytest.approx(ends[1], rel=0.1))
    (warning,) = about_the_load(found)
    assert "the load rises and falls in waves of" in warning
    assert "changed" not in warning
    both = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert [text[: len("a.jtl: the load rises and falls in")] for text in about_the_load(both)] == [
        f"{name}.jtl: the load rises and falls in" for name in "ab"
    ]
    if by_users:
        assert "their number rises and falls in waves of" in poolkeeper(tmp_path, "capacity a.jtl --p99 100ms").err


@pytest.mark.parametrize("command", ["fit a.jtl --distribution lognormal --replicates 0", "tail a.jtl --replicates 0"])
def test_fits_and_tails_say_that_the_load_changed(poolkeeper: CommandLine, tmp_path: Path, command: str) -> None:
    write(tmp_path / "a.jtl", 200, lambda s: 50 if s < 60 else 100, lambda s: 10 if s < 60 else 30)
    found = answer(poolkeeper, tmp_path, command)
    (warning,) = about_the_load(found)
    assert warning.startswith("the load changed: 10 users first, 30 users from 6")
    assert re.search(r"This is about all of it together; --from 6\ds selects the longest one$", warning)
    assert not about_the_load(answer(poolkeeper, tmp_path, f"{command} --from 62s"))


def test_a_file_that_is_one_level_says_that_its_load_changed(poolkeeper: CommandLine, tmp_path: Path) -> None:
    for place, (name, low) in enumerate((("a", 50), ("b", 100), ("c", 150))):
        write(tmp_path / f"{name}.jtl", 60, lambda s, low=low: low if s < 30 or low != 100 else 2 * low)  # type: ignore[misc]
        later(tmp_path / f"{name}.jtl", 3600 * place)
    found = answer(poolkeeper, tmp_path, "usl a.jtl b.jtl c.jtl --users 5,10,20")
    (warning,) = about_the_load(found)
    assert warning.startswith("b.jtl: the load changed: ")
    assert "This is about all of it together; --to 29s selects the longest one" in warning or "--from" in warning


@pytest.mark.parametrize(("later", "cause"), [(80.0, "users"), (160.0, "times")])
def test_a_short_ramp_of_users_is_one_where_response_times_step_in_it(
    poolkeeper: CommandLine, tmp_path: Path, later: float, cause: str
) -> None:
    def median(second: int) -> float:
        return 40.0 if second < 30 else 80.0 if second < 400 else later

    write(tmp_path / "a.jtl", 700, lambda _: 20.0, lambda s: min(30, 1 + s // 2), median)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    steps = found["results"]["levels"]
    assert steps["cause"] == cause
    ramp, *levels = steps["levels"]
    assert ramp["ramp"] == [1, 29]
    assert (ramp["start_s"], ramp["end_s"]) == (0, pytest.approx(58, abs=2))
    assert [level["p50_ms"] for level in levels] == pytest.approx([80, 160] if cause == "times" else [80], rel=0.05)
    assert "a ramp from 1 to 29 users" in about_the_load(found)[0]


def test_an_overload_grows_until_its_last_request(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """The last seconds of sending, and the half minute of answers after them, were a level that held still."""
    random, rows = np.random.default_rng(2), []
    for second in range(120):
        for start in np.sort(random.uniform(second, second + 1, 100)):
            # Four of five requests a second are answered, and nearly all of them just before the end.
            took = 200 + 1000 * 0.25 * min(start, 112) * random.lognormal(0, 0.02)
            rows.append(row(START_MS + 1000 * start, round(took)))
    jtl(tmp_path / "a.jtl", rows)
    (level,) = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert level["ramp"] is not None
    assert (level["start_s"], level["end_s"]) == pytest.approx((0, 149), abs=2)


def test_a_system_that_changes_under_a_load_that_was_held(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """The advice was to hold the load, of which there were ten users all the time."""
    write(tmp_path / "a.jtl", 300, lambda _: 40, lambda _: 10, lambda second: 20 + second / 5)
    (warning,) = about_the_load(answer(poolkeeper, tmp_path, "analyze a.jtl"))
    assert warning.endswith("where the load was held, it is the system that changes, and a longer test shows how far")
    assert "no level was held" not in poolkeeper(tmp_path, "analyze a.jtl").out
