"""Levels of one load whose response times change: what is a warm-up, what is told, and from when times count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")
RATE = 40


def held(
    file: Path, lasts_s: int, median_ms: Callable[[int], float], *, fails: range = range(0), seed: int = 5
) -> Path:
    """A test of eight users who send 40 requests a second, or fewer where response times are long."""
    random, rows = np.random.default_rng(seed), []
    for second in range(lasts_s):
        median = median_ms(second)
        for start in np.sort(random.uniform(0, 1000, random.poisson(RATE if median < 500 else RATE / 3))):
            took = 2 if second in fails else round(median * random.lognormal(0, 0.4))
            rows.append(row(START_MS + 1000 * second + start, took, users=8, ok=second not in fails))
    return jtl(file, rows)


def without_users(file: Path) -> Path:
    """The same file without its columns of users."""
    cells = (line.split(",") for line in file.read_text(encoding="utf-8").splitlines())
    file.write_text("\n".join(",".join([*each[:5], *each[6:11]]) for each in cells) + "\n", encoding="utf-8")
    return file


def test_a_slow_time_in_the_first_half_of_a_level_is_told(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """All before its end was a warm-up of 95 s, and the level kept the bound."""
    held(tmp_path / "a.jtl", 200, lambda second: 800 if 80 <= second < 95 else 40)
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 150ms")["results"]
    (level,) = found["levels"]["levels"]
    assert level["warm_up_s"] < 40
    (level,) = found["capacity"]["levels"]
    assert level["bound"] == "too few to tell"
    assert "their level changes 2 times, at 80 and 95 s (medians of 39.5, 875 and 40.0)" in level["percentile"]["why"]
    assert level["percentile"]["why"].endswith("with --to 80s, --from 80s --to 95s and --from 95s")


def test_failures_in_the_first_half_of_a_level_are_told(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """They were left out as a warm-up, and the verdict said nothing of them."""
    held(tmp_path / "a.jtl", 200, lambda _: 40, fails=range(50, 75))
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 150ms")
    assert "at least 8 users (95 % sure)" in found["verdict"]
    assert "But 13 % of the requests at 8 users failed" in found["verdict"]
    (level,) = found["results"]["levels"]["levels"]
    assert level["throughput"]["value"] == pytest.approx(RATE * 175 / 200, rel=0.03)


def test_a_warm_up_of_response_times_is_left_out(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """It was the p95 of all, or there were "too few" values."""
    held(tmp_path / "a.jtl", 200, lambda second: 40 * (1 + 4 * float(np.exp(-second / 8))))
    (level,) = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 90ms")["results"]["capacity"]["levels"]
    assert level["bound"] == "met"
    assert level["percentile"]["value"] == pytest.approx(40 * np.exp(0.4 * 1.645), rel=0.05)


def test_times_of_advice_count_from_the_first_request_of_the_file(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """After a warm-up of 30 s, options named times that were 30 s too early."""
    held(tmp_path / "a.jtl", 160, lambda second: 90 if second >= 100 else 40)
    more = "times count from the first request that is looked at: those of --from and --to are 30 s more"
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 90ms --warm-up 30s")["results"]
    (level,) = found["capacity"]["levels"]
    assert level["percentile"]["why"].endswith("with --to 100s and --from 100s")
    assert more in found["levels"]["notes"]
    lines = poolkeeper(tmp_path, "analyze a.jtl --warm-up 30s").out
    assert "from 100 s on" in lines
    assert more in lines


def test_a_cold_start_is_not_what_a_rate_is_judged_by(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Of all that was sent at a rate, the stretch with the longest response times counted: the first seconds."""
    without_users(held(tmp_path / "a.jtl", 200, lambda second: 400 if second < 15 else 40))
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 150ms --by rate")
    (level,) = found["results"]["capacity"]["levels"]
    assert (level["bound"], level["load"]) == ("met", pytest.approx(RATE, rel=0.03))
    (warning,) = (warning for warning in found["warnings"] if "left out" in warning)
    assert "from 0 to 15 s: its responses took longer than those after it at no lower rate (a median of 4" in warning


def test_a_queue_of_a_cold_start_that_empties_slowly_is_its_beginning(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """The ramp of the response times lay between the cold start and the rest, and the cold start stood for all."""
    without_users(
        held(tmp_path / "a.jtl", 240, lambda second: 450 if second < 30 else max(40.0, 450 - 20.5 * (second - 30)))
    )
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 150ms --by rate")
    (level,) = found["results"]["capacity"]["levels"]
    assert found["results"]["levels"]["levels"][1]["ramp"] is not None
    assert (level["bound"], level["load"]) == ("met", pytest.approx(RATE, rel=0.03))


def test_one_rate_is_one_load_however_its_response_times_change(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """By chance a stretch had a few more requests a second, and was a load of its own."""
    without_users(held(tmp_path / "a.jtl", 220, lambda second: 130 if 100 <= second < 120 else 40, seed=9))
    capacity = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 150ms --by rate")["results"]["capacity"]
    assert len(capacity["levels"]) == 1
    assert any("held 3 times" in note for note in capacity["notes"])


def test_a_small_step_of_the_rate_is_another_load(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """A rate that rises by a tenth with longer response times is no change of these alone."""
    random, rows = np.random.default_rng(2), []
    for second in range(160):
        rate, median = (80, 20) if second < 80 else (88, 45)
        for start in np.sort(random.uniform(0, 1000, rate)):
            took = median * random.lognormal(0, 0.3)
            rows.append(row(START_MS + 1000 * second + start, round(took), users=8))
    without_users(jtl(tmp_path / "a.jtl", rows))
    capacity = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 50ms --by rate")["results"]["capacity"]
    assert [level["load"] for level in capacity["levels"]] == pytest.approx([80, 88], rel=0.01)


def test_users_who_send_more_once_the_server_is_warm(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Of a closed test the cold start has another rate, at which the bound was missed, and with more it was met."""
    without_users(held(tmp_path / "a.jtl", 200, lambda second: 700 if second < 20 else 40))
    found = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 150ms --by rate")
    (level,) = found["results"]["capacity"]["levels"]
    assert (level["bound"], level["load"]) == ("met", pytest.approx(RATE, rel=0.03))


def test_a_slow_time_is_no_beginning(poolkeeper: CommandLine, tmp_path: Path) -> None:
    without_users(held(tmp_path / "a.jtl", 200, lambda second: 700 if 60 <= second < 80 else 40))
    loads = answer(poolkeeper, tmp_path, "capacity a.jtl --p95 150ms --by rate")["results"]["capacity"]["levels"]
    assert [level["load"] for level in loads] == pytest.approx([RATE / 3, RATE], rel=0.1)
    assert loads[0]["bound"] == "missed"


def test_times_of_a_label_count_from_the_first_request_of_all(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """The advice for a label that begins later named times that were so much too early."""
    random, rows = np.random.default_rng(6), [row(START_MS, 30, "login", users=8)]
    for second in range(60, 200):
        for start in np.sort(random.uniform(0, 1000, RATE)):
            took = (40 if second < 140 else 90) * random.lognormal(0, 0.3)
            rows.append(row(START_MS + 1000 * second + start, round(took), "search", users=8))
    jtl(tmp_path / "a.jtl", rows)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl --label search")
    (warning,) = (warning for warning in found["warnings"] if "changed" in warning)
    assert "from 140 s on" in warning
    assert "--to 140s selects" in warning
    assert answer(poolkeeper, tmp_path, "analyze a.jtl --label search --to 140s")["results"].get("levels") is None


def test_few_requests_that_came_faster_by_chance_are_no_other_load(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Of one rate the slow beginning had a sixth more requests a second, and missed the bound as a load above it."""
    random, rows = np.random.default_rng(62), []
    for second in range(240):
        for start in np.sort(random.uniform(0, 1000, random.poisson(6))):
            took = (200 if second < 20 else 40) * random.lognormal(0, 0.3)
            rows.append(row(START_MS + 1000 * second + start, round(took)))
    without_users(jtl(tmp_path / "a.jtl", rows))
    begun = [line for line in rows if int(line.split(",")[0]) < START_MS + 20_000]
    assert len(begun) / 20 > 1.1 * len(rows) / 240, "which the seed makes"
    (level,) = answer(poolkeeper, tmp_path, "capacity a.jtl --p90 120ms --by rate")["results"]["capacity"]["levels"]
    assert (level["bound"], level["load"]) == ("met", pytest.approx(len(rows) / 240, rel=0.03))
