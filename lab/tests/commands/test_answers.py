"""Answers of the command line: their JSON, their page, and that many hands find what one finds."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine, answer, same
from result_files import START_MS, jtl, row, staircase, steady


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("answers")
    steady(made / "first.jtl", count=3000)
    steady(made / "second.jtl", count=3000, seed=2, start_ms=START_MS + 31_000)
    steady(made / "slower.jtl", mean_ms=60, seed=3)
    staircase(made / "stairs.jtl", seconds=12)
    (made / "levels.csv").write_text("users,throughput\n1,65\n18,996\n36,1652\n72,1853\n108,1829\n", encoding="utf-8")
    return made


@pytest.mark.parametrize(
    "command",
    [
        "analyze first.jtl --bound 50ms",
        "compare first.jtl slower.jtl",
        "fit first.jtl --distribution lognormal --replicates 100",
        "tail first.jtl --replicates 20",
        "usl levels.csv",
        "capacity stairs.jtl --p99 60ms",
        "queue mmc --rate 128 --service 25ms --servers 4 --what-if add-server --what-if double-load",
        "queue mva --users 50 --think 1s --centre web=5ms --centre net=3msxinf --centre db=20msx2",
    ],
)
def test_every_word_says_json_and_writes_a_page(poolkeeper: CommandLine, folder: Path, command: str) -> None:
    found = answer(poolkeeper, folder, f"{command} --report page.html")
    assert found["command"] == command.split(maxsplit=1)[0]
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert found["verdict"].split()[0] in page
    assert "<script src" not in page
    assert f"{command.split(maxsplit=1)[0]} " in poolkeeper(folder, f"help {command.split(maxsplit=1)[0]}").out


def test_figures_are_those_of_the_file(poolkeeper: CommandLine, folder: Path) -> None:
    found = answer(poolkeeper, folder, "analyze first.jtl --bound 50ms --apdex 20ms")
    rows = [line.split(",") for line in (folder / "first.jtl").read_text(encoding="utf-8").splitlines()[1:]]
    times = [int(row[1]) for row in rows]
    ok = [row[7] == "true" for row in rows]
    good = sorted(time for time, fine in zip(times, ok, strict=True) if fine)
    results = found["results"]
    assert results["summary"]["count"] == len(good) == 3000 - ok.count(False)
    assert results["summary"]["mean"]["value"] == pytest.approx(sum(good) / len(good))
    assert results["summary"]["percentiles"]["p99"]["value"] == good[math.ceil(0.99 * len(good)) - 1]
    assert results["apdex"]["satisfied"] == sum(time <= 20 and fine for time, fine in zip(times, ok, strict=True))
    assert f"{ok.count(False)} failed" in found["verdict"]
    labels = {result["label"]: result for result in results["labels"]["labels"]}
    assert labels["home"]["requests"] + labels["search"]["requests"] == 3000
    within = sum(time <= 50 for time in good)
    rates = results["throughput"]
    assert rates["goodput_per_s"]["value"] / rates["throughput_per_s"]["value"] == pytest.approx(
        within / 3000, abs=0.02
    )


def test_many_requests_give_the_figures_of_few(
    poolkeeper: CommandLine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "analyze first.jtl second.jtl --apdex 20ms --bound 50ms"
    one_by_one = answer(poolkeeper, folder, command)["results"]
    monkeypatch.setattr("poolkeeper.commands.load.WHOLE", 100)
    in_buckets = answer(poolkeeper, folder, command)["results"]
    for name in ("satisfied", "tolerating", "frustrated"):
        assert in_buckets["apdex"][name] == one_by_one["apdex"][name]
    assert in_buckets["throughput"] == one_by_one["throughput"]
    assert in_buckets["labels"] == one_by_one["labels"]
    percentiles = [entry["summary"]["percentiles"] for entry in (one_by_one, in_buckets)]
    for share in ("p50", "p90", "p95", "p99", "p99.9"):
        assert percentiles[1][share]["value"] == pytest.approx(percentiles[0][share]["value"], rel=0.001)
    assert in_buckets["summary"]["mean"]["value"] == pytest.approx(one_by_one["summary"]["mean"]["value"])


def test_a_cluster_finds_what_one_machine_finds(poolkeeper: CommandLine, folder: Path) -> None:
    command = "analyze first.jtl second.jtl --warm-up 5s --cool-down 4s --label home"
    here = answer(poolkeeper, folder, command)
    there = answer(poolkeeper, folder, f"{command} --cluster local")
    assert here["verdict"] == there["verdict"]
    assert same(here["results"], there["results"])


def test_one_bar_of_text_stands_for_each_bin(poolkeeper: CommandLine, folder: Path) -> None:
    lines = poolkeeper(folder, "analyze first.jtl").out.splitlines()
    bars = [line for line in lines if " – " in line and " ms  " in line]
    assert len(bars) == 12
    assert max(line.count("█") for line in bars) == 40


def test_values_that_no_chart_tells_apart_have_none(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Such as times of a clock: the analysis ended with a message about bins that nobody had asked for."""
    lines = [f"{10**18 + place}" for place in range(200)]
    (tmp_path / "a.csv").write_text("\n".join(["latency_ns", *lines]) + "\n", encoding="utf-8")
    assert answer(poolkeeper, tmp_path, "analyze a.csv")["results"]["summary"]["count"] == 200
    assert poolkeeper(tmp_path, "analyze a.csv --report a.html").code == 0


def test_a_total_is_not_added_to_its_labels(poolkeeper: CommandLine) -> None:
    found = answer(poolkeeper, Path(__file__).parents[1] / "results" / "files", "analyze locust_stats.csv")
    assert found["verdict"].startswith("Locust (CSV) counted 23 requests, 5 of which failed")
    assert "tail" in found["left_out"]


def test_a_percentile_of_few_says_so(poolkeeper: CommandLine, folder: Path) -> None:
    steady(folder / "few.jtl", count=135)
    assert "ms or more (too few for an interval)" in answer(poolkeeper, folder, "analyze few.jtl")["verdict"]


@pytest.mark.parametrize(
    "command",
    [
        "compare first.jtl slower.jtl",
        "fit first.jtl --distribution lognormal --replicates 0",
        "tail first.jtl --replicates 0",
        "capacity stairs.jtl --p99 60ms",
    ],
)
def test_a_verdict_is_said_once(poolkeeper: CommandLine, folder: Path, command: str) -> None:
    output = poolkeeper(folder, command).out
    assert output.count(output.split(". ")[0]) == 1


def test_one_request_is_singular_and_has_no_rate(poolkeeper: CommandLine, folder: Path) -> None:
    jtl(folder / "one.jtl", [row(START_MS, 12, ok=False)])
    output = poolkeeper(folder, "analyze one.jtl").out
    assert output.startswith("1 request: it took 12.0 ms. 1 failed, 100 %.")
    assert "\n1 value\n" in output
    assert "slower, and 1 error " in output
    assert "throughput [1/s]" not in output
    assert "no throughput: all responses came within 1 s, too short to say how many come a second" in output


def test_a_label_of_two_lines_stays_in_one_row(poolkeeper: CommandLine, folder: Path) -> None:
    labels = ['"home\nsweet"', "x"]
    jtl(folder / "lines.jtl", [row(START_MS + 10 * k, 20 + k % 7, labels[k % 2]) for k in range(60)])
    assert "\nhome sweet        30 " in poolkeeper(folder, "analyze lines.jtl").out


def test_a_run_record_says_how_many_failed_unless_only_some_requests_are_asked_for(poolkeeper: CommandLine) -> None:
    golden = Path(__file__).resolve().parents[3] / "contract/golden/v1"
    output = poolkeeper(golden, "analyze fixed-4").out
    assert "Beside these 22 failed, 1.1 % of all." in output  # 2,026 requests, of which 22 failed
    assert "The files do not show which requests failed." in poolkeeper(golden, "analyze fixed-4 --warm-up 5s").out


def test_a_heavy_tail_cautions_against_the_mean_and_names_the_word_that_tests_it(
    poolkeeper: CommandLine, folder: Path
) -> None:
    random = np.random.default_rng(1)
    for name, values in {
        "pareto": 20 * (1 + random.pareto(1.5, 5000)),
        "exponential": random.exponential(50, 5000),
    }.items():
        (folder / f"{name}.txt").write_text("\n".join(f"{value:.6f}" for value in values), encoding="utf-8")
    heavy, light = (poolkeeper(folder, f"analyze {name}.txt").out for name in ("pareto", "exponential"))
    caution = "if so, the standard deviation may grow with the length of the test; percentiles do not"
    assert "was not tested. 'poolkeeper tail' tests that" in heavy
    assert (caution in heavy, "may grow with" in light) == (True, False)


@pytest.mark.parametrize(("name", "failed"), [("wrk.txt", "none"), ("wrk-errors.txt", "all")])
def test_none_and_all_are_words(poolkeeper: CommandLine, folder: Path, name: str, failed: str) -> None:
    file = Path(__file__).resolve().parents[1] / "results" / "files" / name
    assert f" requests, {failed} of which failed: " in answer(poolkeeper, folder, f"analyze {file}")["verdict"]


def test_the_second_in_which_a_test_began_is_left_out_of_its_rates(tmp_path: Path, poolkeeper: CommandLine) -> None:
    # 100 a second from 0.7 s after a full second on: three tenths of the first second, seven of the last.
    rows = [f"{1_700_000_000_700 + 10 * place},5,a,true" for place in range(600)]
    (tmp_path / "a.jtl").write_text("\n".join(["timeStamp,elapsed,label,success", *rows, ""]), encoding="utf-8")
    found = json.loads(poolkeeper(tmp_path, "analyze a.jtl --bound 100ms --json").out)["results"]["throughput"]
    assert found["throughput_per_s"]["value"] == found["goodput_per_s"]["value"] == 100
    assert sum(found["completions"]) == 600
    (tmp_path / "b.jtl").write_text((tmp_path / "a.jtl").read_text(encoding="utf-8").replace(",5,a", ",7,a"))
    levels = poolkeeper(tmp_path, "capacity a.jtl b.jtl --users 1,2 --p50 20ms --json")
    assert {level["throughput"] for level in json.loads(levels.out)["results"]["capacity"]["levels"]} == {100}
