"""Levels that are left out are listed with the reason, and a short one that broke the bound counts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")


def closed(file: Path, stretches: Sequence[tuple[int, int, float]], *, seed: int = 1) -> Path:
    """A closed test of stretches: users, seconds, mean response time in ms, one after another."""
    random = np.random.default_rng(seed)
    rows, begin = [], 0.0
    for users, seconds, mean_ms in stretches:
        for user in range(users):
            now = begin + user / users * mean_ms
            while now < begin + seconds * 1000:
                took = mean_ms * random.lognormal(-0.02, 0.2)
                rows.append((now + took, row(START_MS + now, round(took), users=users)))
                now += took
        begin += seconds * 1000
    return jtl(file, [text for _, text in sorted(rows)])


def capacity(poolkeeper: CommandLine, folder: Path, options: str = "--p99 500ms") -> dict[str, Any]:
    done = poolkeeper(folder, f"capacity a.jtl {options} --json")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_a_short_level_that_broke_the_bound_counts(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(10, 60, 50), (20, 60, 100), (40, 60, 200), (80, 6, 900)])
    found = capacity(poolkeeper, tmp_path)
    assert (found["results"]["capacity"]["met_at"], found["results"]["capacity"]["missed_at"]) == (40, 80)
    assert "met at the measured level 40 and missed at 80" in found["verdict"]
    (note,) = (note for note in found["results"]["capacity"]["notes"] if "although short" in note)
    assert note.startswith("counted although short: 80 users from 18")
    assert "held for" in note
    assert "it broke the bound" in note


def test_a_short_level_that_kept_the_bound_is_listed(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(10, 60, 50), (20, 60, 100), (40, 6, 200)])
    found = capacity(poolkeeper, tmp_path)
    assert found["results"]["capacity"]["missed_at"] is None
    notes = found["results"]["capacity"]["notes"]
    assert any(note.startswith("left out: 40 users from 12") and "did not surely break" in note for note in notes)


def test_a_cold_start_below_a_level_that_kept_the_bound_does_not_count(poolkeeper: CommandLine, tmp_path: Path) -> None:
    closed(tmp_path / "a.jtl", [(5, 8, 900), (10, 60, 50), (20, 60, 100), (40, 60, 800)])
    found = capacity(poolkeeper, tmp_path)
    assert found["results"]["capacity"]["met_at"] == 20
    assert any("a longer level of 20 users kept" in note for note in found["results"]["capacity"]["notes"])


def test_a_ramp_is_left_out_by_name(poolkeeper: CommandLine, tmp_path: Path) -> None:
    ramp = [(users, 2, 50.0) for users in range(1, 20)]
    closed(tmp_path / "a.jtl", [*ramp, (20, 60, 50), (40, 60, 900)])
    found = capacity(poolkeeper, tmp_path)
    (entry,) = found["results"]["levels"]["left_out"]
    assert entry["why"].startswith("a ramp, from 1 to 1")
    assert entry["start_s"] == 0
    assert entry["end_s"] == pytest.approx(38, abs=2)


def test_pieces_of_a_ramp_are_no_short_levels(poolkeeper: CommandLine, tmp_path: Path) -> None:
    ramp = [(users, 3, 50.0) for users in range(80, 120)]
    closed(tmp_path / "a.jtl", [*ramp, (120, 60, 50)])
    found = capacity(poolkeeper, tmp_path, "--p99 60ms")
    (entry,) = found["results"]["levels"]["left_out"]
    assert entry["why"].startswith("a ramp, from 80 to 11")
    assert len(found["results"]["capacity"]["levels"]) == 1
    text = poolkeeper(tmp_path, "capacity a.jtl --p99 60ms").out
    assert text.count("left out: ") == 1


def test_usl_names_no_peak_that_its_choice_denies(poolkeeper: CommandLine, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    users = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    rates = 100 * users / (1 + 0.05 * (users - 1)) * (1 + 0.02 * random.standard_normal(users.size))
    lines = "\n".join(f"{n},{rate:.1f}" for n, rate in zip(users, rates, strict=True))
    (tmp_path / "levels.csv").write_text(f"users,throughput\n{lines}\n", encoding="utf-8")
    done = poolkeeper(tmp_path, "usl levels.csv --json")
    found = json.loads(done.out)
    assert found["results"]["laws"]["chosen"] == "Amdahl"
    assert "highest with" not in found["verdict"]
    assert found["verdict"].startswith("The throughput rises towards ")


@pytest.mark.parametrize(("over", "load"), [("users", "users"), ("requests", "requests in the system")])
def test_text_axis_and_option_name_the_same_load(poolkeeper: CommandLine, tmp_path: Path, over: str, load: str) -> None:
    stretches = [(n, 30, 10 * (1 + 0.05 * (n - 1) + 0.004 * n * (n - 1))) for n in (1, 2, 4, 8, 16, 32)]
    closed(tmp_path / "a.jtl", stretches)
    done = poolkeeper(tmp_path, f"usl a.jtl --over {over} --report page.html")
    assert done.code == 0, done.err
    assert f"throughput over {load}" in done.out
    assert f"peak N* [{load}]" in done.out
    assert "concurrency]" not in done.out
    assert "at once" not in done.out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f'"x":{{"label":"{load}"' in page
    assert '"label":"concurrency"' not in page


def test_a_throughput_that_falls_is_told_where_no_peak_is_claimed(poolkeeper: CommandLine, tmp_path: Path) -> None:
    table = "users,throughput\n10,28.5\n50,147\n100,288\n200,576\n300,396\n"
    (tmp_path / "levels.csv").write_text(table, encoding="utf-8")
    verdict = json.loads(poolkeeper(tmp_path, "usl levels.csv --json").out)["verdict"]
    assert "But the throughput measured falls from 576/s with 200 users to 396/s with 300." in verdict
    assert "reach far enough" not in verdict


def test_a_chart_below_a_table_does_not_repeat_its_notes(poolkeeper: CommandLine, tmp_path: Path) -> None:
    file = closed(tmp_path / "a.jtl", [(10, 30, 50), (20, 30, 100)])
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[50::50] = [line.replace(",true,", ",false,") for line in lines[50::50]]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert poolkeeper(tmp_path, "capacity a.jtl --p99 500ms --report page.html").code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("2.0 % of the requests failed; they are not in the throughput") == 1


def test_figures_of_four_digits_are_written_out(poolkeeper: CommandLine, tmp_path: Path) -> None:
    jtl(tmp_path / "a.jtl", [row(START_MS + 1000 * place, 20) for place in range(1501)])
    assert "nothing is left of 1,500 s in which" in poolkeeper(tmp_path, "analyze a.jtl --warm-up 1h").err


def test_equal_times_have_no_steps(poolkeeper: CommandLine, tmp_path: Path) -> None:
    jtl(tmp_path / "a.jtl", [row(START_MS + 100 * place, 20) for place in range(300)])
    assert "steps of" not in poolkeeper(tmp_path, "analyze a.jtl").out


def test_a_level_that_slows_down_says_when(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """It said after how many values, and "look at each part by itself", without a time to do so by."""
    rows, random = [], np.random.default_rng(3)
    for second in range(80):
        for start in np.sort(random.uniform(0, 1000, 20)):
            took = random.lognormal(np.log(30 if second < 40 else 90), 0.2)
            rows.append(row(START_MS + 1000 * second + start, round(took), users=5))
    jtl(tmp_path / "a.jtl", rows)
    notes = answer(poolkeeper, tmp_path, "capacity a.jtl --p99 100ms")["results"]["capacity"]["notes"]
    (note,) = (note for note in notes if "their level changes once" in note)
    assert re.search(r"once, at (39|40|41) s \(median .*, with --to \1s and --from \1s$", note)
