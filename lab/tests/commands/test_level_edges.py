"""Levels that follow each other without a pause: the requests of each are its own, to a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS

from poolkeeper.scalability import LoadLevels

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

    from poolkeeper.arrays import Booleans, Floats

pytestmark = pytest.mark.usefixtures("without_fits")

WITHIN_SECONDS = (0.0, 0.35, 0.65, 0.95)
"""Parts of a clock's second at which levels begin."""
LEVELS = ((80, 30.0), (160, 60.0), (320, 200.0))
"""Requests a second, and their median response time in ms."""


def write(file: Path, starts_ms: Floats, times_ms: Floats, failed: Booleans | None = None) -> None:
    """A JTL that does not tell users."""
    bad = np.zeros(starts_ms.size, np.bool_) if failed is None else failed
    lines = [
        f"{start:.0f},{took:.0f},home,{500 if fails else 200},{str(not fails).lower()}"
        for start, took, fails in (
            row[1:] for row in sorted(zip(starts_ms + times_ms, starts_ms, times_ms, bad, strict=True))
        )
    ]
    file.write_text("\n".join(["timeStamp,elapsed,label,responseCode,success", *lines]) + "\n", encoding="utf-8")


def p99(times: Floats) -> float:
    return float(np.sort(times)[int(np.ceil(0.99 * times.size)) - 1])


def staircase(  # noqa: PLR0913 - settings by name
    file: Path,
    begins_s: float,
    levels: tuple[tuple[int, float], ...] = LEVELS,
    *,
    spread: float = 0.3,
    whole: bool = False,
    seed: int = 1,
) -> list[float]:
    """Half a minute of each level; the p99 of each. Stamps may be `whole` seconds."""
    random = np.random.default_rng(seed)
    sent, took, found = [], [], []
    for place, (rate, median) in enumerate(levels):
        starts = np.sort(random.uniform(30 * place, 30 * (place + 1), 30 * rate)) + begins_s
        times = np.rint(median * random.lognormal(0, spread, starts.size))
        found.append(p99(times))
        sent.append(np.floor(START_MS + 1000 * starts))
        took.append(times)
    at = np.concatenate(sent)
    write(file, at // 1000 * 1000 if whole else at, np.concatenate(took))
    return found


@pytest.mark.parametrize("begins_s", WITHIN_SECONDS)
def test_levels_of_a_rate_have_their_own_percentiles(poolkeeper: CommandLine, tmp_path: Path, begins_s: float) -> None:
    expected = pytest.approx(staircase(tmp_path / "a.jtl", begins_s), rel=0.02)
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --by rate --p99 400ms")["results"]
    assert [level["percentile"]["value"] for level in found["capacity"]["levels"]] == expected
    assert [level["load"] for level in found["capacity"]["levels"]] == pytest.approx([80, 160, 320], rel=0.03)
    assert [level["p99_ms"] for level in found["levels"]["levels"]] == expected
    assert [level["requests"] for level in found["levels"]["levels"]] == pytest.approx([2400, 4800, 9600], abs=5)


@pytest.mark.parametrize("seconds", [1.5, 2.5])
def test_answers_that_take_seconds_do_not_move_the_end_of_a_level(
    poolkeeper: CommandLine, tmp_path: Path, seconds: float
) -> None:
    """The rate of the answers steps so long after that of the requests."""
    levels = ((40, 100.0), (80, 200.0), (160, 700.0 * seconds))
    expected = staircase(tmp_path / "a.jtl", 0.4, levels)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert [level["p99_ms"] for level in found] == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("seed", range(4))
def test_response_times_tell_where_similar_rates_leave_it_open(
    poolkeeper: CommandLine, tmp_path: Path, seed: int
) -> None:
    expected = staircase(tmp_path / "a.jtl", 0.4, ((39, 340.0), (29, 85.0), (45, 220.0)), spread=0.1, seed=seed)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert [level["p99_ms"] for level in found] == pytest.approx(expected, rel=0.05)


def test_answers_after_the_last_request_do_not_lower_the_rate_of_its_level(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    """Its last two or three seconds had hardly an answer: 106 requests a second were 102, or 93."""
    staircase(tmp_path / "a.jtl", 0.4, ((70, 367.0), (106, 372.0)), spread=0.8)
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --by rate --p99 9s")["results"]["capacity"]["levels"]
    assert [level["load"] for level in found] == pytest.approx([70, 106], rel=0.02)


def test_tests_that_begin_elsewhere_in_a_second_compare_as_equal(poolkeeper: CommandLine, tmp_path: Path) -> None:
    staircase(tmp_path / "a.jtl", 0.0)
    staircase(tmp_path / "b.jtl", 0.65, seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert found["verdict"].count("no difference is seen") == len(LEVELS)


@pytest.mark.parametrize("begins_s", WITHIN_SECONDS)
def test_stamps_of_whole_seconds_leave_the_second_out_in_which_levels_meet(
    poolkeeper: CommandLine, tmp_path: Path, begins_s: float
) -> None:
    expected = staircase(tmp_path / "a.jtl", begins_s, whole=True)
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --by rate --p99 400ms")["results"]
    assert [level["percentile"]["value"] for level in found["capacity"]["levels"]] == pytest.approx(expected, rel=0.05)
    assert sum(level["requests"] for level in found["levels"]["levels"]) == 16_800


@pytest.mark.parametrize("begins_s", WITHIN_SECONDS)
def test_so_do_requests_that_are_too_many_to_look_at_each(
    poolkeeper: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins_s: float
) -> None:
    monkeypatch.setattr("poolkeeper.commands.load.WHOLE", 1000)
    expected = staircase(tmp_path / "a.jtl", begins_s)
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --by rate --p99 400ms")["results"]["capacity"]["levels"]
    assert [level["percentile"]["value"] for level in found] == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("begins_s", WITHIN_SECONDS)
def test_response_times_that_step_within_a_second_are_of_the_level_after(
    poolkeeper: CommandLine, tmp_path: Path, begins_s: float
) -> None:
    expected = pytest.approx(staircase(tmp_path / "a.jtl", begins_s, ((100, 40.0), (100, 200.0))), rel=0.03)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]
    assert found["cause"] == "times"
    assert [level["p99_ms"] for level in found["levels"]] == expected


@pytest.mark.parametrize("begins_s", WITHIN_SECONDS)
def test_failures_that_begin_within_a_second_are_of_the_level_after(
    poolkeeper: CommandLine, tmp_path: Path, begins_s: float
) -> None:
    random = np.random.default_rng(1)
    starts = np.sort(random.uniform(0, 90, 9000))
    fails = (starts > 30 + begins_s) & (starts < 60 + begins_s)
    write(tmp_path / "a.jtl", START_MS + np.floor(1000 * starts), np.full(starts.size, 40.0), fails)
    levels = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert [level["failed"] for level in levels] == [0, fails.sum(), 0]


def test_a_level_of_users_ends_before_those_of_the_next_one_come() -> None:
    """A file may tell the users of a second late, as k6 does, which writes them once a second."""
    found = LoadLevels.of(np.repeat([10.0, 20.0], 30), np.repeat([100.0, 200.0], 30))
    assert [(level.start_s, level.end_s, level.until_s) for level in found.levels] == [(0, 30, 29), (30, 60, 60)]


@pytest.mark.parametrize("seed", range(3))
def test_requests_of_new_users_are_of_their_level(poolkeeper: CommandLine, tmp_path: Path, seed: int) -> None:
    """The first ones of 30 new users at 90 s succeed, as those of the 10 before; all later ones fail."""
    random = np.random.default_rng(seed)
    rows = []
    for user in range(40):
        at = random.uniform(0, 5) if user < 10 else 90 + random.uniform(0, 0.02)
        while at < 240:
            fails = at > 90.05
            took = 15.0 if fails else 4 * random.lognormal(0, 0.3)
            rows.append((at + took, at, took, fails))
            at += took + random.exponential(0.5)
    lines = [
        f"{START_MS + 1000 * at:.0f},{1000 * took:.0f},home,{500 if fails else 200},{str(not fails).lower()}"
        f",{10 if end < 90 else 40}"
        for end, at, took, fails in sorted(rows)
    ]
    header = "timeStamp,elapsed,label,responseCode,success,allThreads"
    (tmp_path / "a.jtl").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    first, second = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    expected = sum(at < 90 for _, at, *_ in rows)
    assert [first["requests"], second["requests"]] == pytest.approx([expected, len(rows) - expected], abs=1)
    assert (first["failed"], second["failed"]) == (0, sum(fails for *_, fails in rows))


@pytest.mark.parametrize("begins_s", [0.0, 0.4, 0.8])
def test_what_a_generator_owes_after_a_stall_is_of_the_level_before(
    poolkeeper: CommandLine, tmp_path: Path, begins_s: float
) -> None:
    """Even requests, 80 and then 120 a second; those that stalls hold up are sent at once after them."""
    sizes = (1600, 2400)
    due = begins_s + np.concatenate([np.arange(1600) / 80, 20.03 + np.arange(2400) / 120])
    for stall in (7.2, 18.9, 19.4, 31.0):
        held = (due >= begins_s + stall) & (due < begins_s + stall + 0.45)
        due[held] = begins_s + stall + 0.45 + 0.001 * np.arange(held.sum())
    due.sort()
    times = 12 * np.random.default_rng(2).lognormal(0, 0.4, due.size)
    write(tmp_path / "a.jtl", START_MS + np.floor(1000 * due), np.rint(times))
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert [level["requests"] for level in found] == pytest.approx(sizes, abs=2)


@pytest.mark.parametrize("begins_s", WITHIN_SECONDS)
def test_the_rate_of_a_level_does_not_depend_on_the_phase_of_the_clock(
    poolkeeper: CommandLine, tmp_path: Path, begins_s: float
) -> None:
    random = np.random.default_rng(3)
    sizes, lengths = (3900, 2240), (12.6, 28.0)
    drawn = [np.sort(random.uniform(0, length, size)) for size, length in zip(sizes, lengths, strict=True)]
    starts = begins_s + np.concatenate([drawn[0], lengths[0] + drawn[1]])
    write(tmp_path / "a.jtl", START_MS + np.floor(1000 * starts), np.full(starts.size, 12.0))
    rates = [size / length for size, length in zip(sizes, lengths, strict=True)]
    levels = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert [level["requests_per_s"] for level in levels] == pytest.approx(rates, rel=0.01)
    by_rate = answer(poolkeeper, tmp_path, "capacity a.jtl --by rate --p99 400ms")["results"]["capacity"]["levels"]
    assert [level["load"] for level in by_rate] == pytest.approx(sorted(rates), rel=0.01)


def test_medians_of_a_short_level_part_it_by_its_own_noise_only(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Against the longer level after it, the first half of a level of 22 s seems to have other response times."""
    random = np.random.default_rng(73)
    starts = np.sort(np.concatenate([random.uniform(0, 22, 660), random.uniform(22, 100, 11_700)]))
    times = 20 * random.lognormal(0, 1.0, starts.size)
    write(tmp_path / "a.jtl", START_MS + np.floor(1000 * starts), np.rint(times))
    levels = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"]
    assert [round(level["start_s"]) for level in levels] == [0, 22]


@pytest.mark.parametrize("seed", [2, 7])
def test_an_overload_begins_when_requests_are_sent_faster(poolkeeper: CommandLine, tmp_path: Path, seed: int) -> None:
    """Its answers come at the rate of the server first, and at that of the requests once these time out."""
    random, times, free = np.random.default_rng(seed), [], [0.0] * 8
    starts = np.concatenate(
        [second + np.sort(random.uniform(0, 1, random.poisson(200 if second < 60 else 300))) for second in range(120)]
    )
    for sent in starts:
        server = min(range(8), key=free.__getitem__)
        free[server] = max(free[server], sent) + random.exponential(8 / 245)
        times.append(min(free[server] - sent, 2.0))
    took = np.array(times)
    write(tmp_path / "a.jtl", START_MS + 1000 * starts, np.round(1000 * took), took >= 2)
    first = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["levels"]["levels"][0]
    assert first["end_s"] == pytest.approx(60, abs=1)
    assert first["requests_per_s"] == pytest.approx(200, rel=0.03)
