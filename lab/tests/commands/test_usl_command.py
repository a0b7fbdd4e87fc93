"""The command usl: its words agree with each other, and with what was measured."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer

from poolkeeper.scalability import Law

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

USERS = np.array([1, 2, 4, 8, 16, 32, 48, 64])


def write(file: Path, values: np.ndarray, column: str = "throughput") -> None:
    rows = (f"{n},{x!r}" for n, x in zip(USERS.tolist(), values.tolist(), strict=True))
    file.write_text("\n".join([f"users,{column}", *rows, ""]), encoding="utf-8")


@pytest.mark.parametrize("peak", [False, True])
def test_table_and_advice_are_those_of_the_law_of_the_headline(
    poolkeeper: CommandLine, tmp_path: Path, *, peak: bool
) -> None:
    noise = np.array([1, 1.05, 0.94, 1.07, 0.95, 1.05, 1.02, 0.93]) if not peak else 1
    write(tmp_path / "levels.csv", Law(100, 0.08, 0.002 if peak else 0).throughput(USERS) * noise)
    found = answer(poolkeeper, tmp_path, "usl levels.csv")
    results = found["results"]
    assert results["laws"]["chosen"] == ("USL" if peak else "Amdahl")
    text = poolkeeper(tmp_path, "usl levels.csv").out
    assert ("admit no more than" in text) == peak
    assert ("peak N*" in text) == peak
    assert ("No peak is claimed" in text) == (not peak)
    assert ("law" in results) == (not peak)
    advised = results["usl" if peak else "law"]["advice"]
    assert any(note.startswith("contention:") for note in advised)
    assert bool(results["usl"]["advice"]) == peak
    assert results["usl"]["estimates"]["beta"]["value"] > 0, "its figures are there to compare"
    poolkeeper(tmp_path, "usl levels.csv --report page.html")
    assert ("admit no more than" in (tmp_path / "page.html").read_text(encoding="utf-8")) == peak


@pytest.mark.parametrize(
    ("scale", "column", "warned"),
    [(1.0, "throughput", True), (None, "x", True), (1.0, "speedup", False), (3.0, "ratio", False)],
)
def test_ratios_have_no_unit(
    poolkeeper: CommandLine, tmp_path: Path, scale: float | None, column: str, *, warned: bool
) -> None:
    values = Law(1, 0.05, 0.002).throughput(USERS)
    write(tmp_path / "levels.csv", values / (values.max() if scale is None else 1 / scale), column)
    for options in ("", " --fit quadratic"):
        text = poolkeeper(tmp_path, f"usl levels.csv{options}").out
        assert "/s" not in text.replace("requests/s", "")
        assert "[]" not in text
        assert not re.search(r" [.,:;]", text), text
    assert (
        any("taken for ratios" in warning for warning in answer(poolkeeper, tmp_path, "usl levels.csv")["warnings"])
        == warned
    )
    assert answer(poolkeeper, tmp_path, "usl levels.csv")["results"]["usl"]["unit"] == ""


@pytest.mark.parametrize(("lambda_", "column"), [(80.0, "throughput"), (1.0, "requests/s"), (0.7, "x")])
def test_rates_have_their_unit(poolkeeper: CommandLine, tmp_path: Path, lambda_: float, column: str) -> None:
    write(tmp_path / "levels.csv", Law(lambda_, 0.05, 0.002).throughput(USERS), column)
    text = poolkeeper(tmp_path, "usl levels.csv").out
    assert re.search(r"\d/s\.", text)
    assert "[1/s]" in text


@pytest.mark.parametrize(("large", "mark"), [("1,300", ","), ("1.300", ".")])
def test_marks_between_thousands_are_no_decimal_marks(
    poolkeeper: CommandLine, tmp_path: Path, large: str, mark: str
) -> None:
    text = f"users;throughput\n1;200\n4;780\n8;{large}\n"
    (tmp_path / "levels.csv").write_text(text, encoding="utf-8")
    done = poolkeeper(tmp_path, "usl levels.csv")
    assert done.code != 0
    assert f"throughput: '{large}' may have a mark between thousands" in done.err
    fractions = f"users;throughput\n1;2{mark}125\n4;7{mark}825\n8;9{mark}125\n16;9{mark}500\n"
    (tmp_path / "levels.csv").write_text(fractions, encoding="utf-8")
    assert "and was taken for a fraction" in poolkeeper(tmp_path, "usl levels.csv").out


def test_one_of_several_throughputs_is_not_guessed(poolkeeper: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("users,rate,tps\n1,0.1,20\n4,0.1,78\n8,0.2,130\n", encoding="utf-8")
    done = poolkeeper(tmp_path, "usl levels.csv")
    assert done.code != 0
    assert "several columns of throughputs (rate, tps)" in done.err
    text = "threads,users,tps\n8,1,20\n8,4,78\n8,8,130\n8,16,170\n"
    (tmp_path / "levels.csv").write_text(text, encoding="utf-8")
    assert "users was taken for the load, and not threads" in poolkeeper(tmp_path, "usl levels.csv").out


@pytest.mark.parametrize(("row", "cells"), [("18,1,652", 3), ("36,1652,5", 3), ("18,996,,", 4)])
def test_a_row_with_more_cells_than_the_header_is_refused(
    poolkeeper: CommandLine, tmp_path: Path, row: str, cells: int
) -> None:
    (tmp_path / "levels.csv").write_text(f"users,throughput\n1,65\n{row}\n72,1853\n", encoding="utf-8")
    done = poolkeeper(tmp_path, "usl levels.csv")
    assert done.code != 0
    assert f"line 3: has {cells} cells, the header has 2" in done.err


@pytest.mark.parametrize("seed", range(24))
def test_a_straight_line_with_noise_has_no_extrapolated_throughput(
    poolkeeper: CommandLine, tmp_path: Path, seed: int
) -> None:
    noise = 1 + 0.01 * np.random.default_rng(seed).standard_normal(USERS.size)
    write(tmp_path / "levels.csv", 2000 * USERS * noise)
    found = answer(poolkeeper, tmp_path, "usl levels.csv")
    texts = [found["verdict"], *found["warnings"], *(found["results"].get("law", {}).get("advice", []))]
    rates = [float(rate.replace(",", "")) for text in texts for rate in re.findall(r"([\d,.]+)/s", text)]
    assert rates
    assert max(rates) < 1.1 * 2000 * USERS.max()
    assert "times the throughput of one" not in " ".join(texts)


def test_a_limit_is_named_once_a_level_lies_beyond_the_knee(poolkeeper: CommandLine, tmp_path: Path) -> None:
    for alpha, words in ((0.05, "rises towards 2,000/s"), (0.01, "grows less than in proportion, 100/s with each")):
        write(tmp_path / "levels.csv", Law(100, alpha, 0).throughput(USERS))
        assert words in answer(poolkeeper, tmp_path, "usl levels.csv")["verdict"]
    table = poolkeeper(tmp_path, "usl levels.csv").out
    assert re.search(r"limit lambda/alpha \[1/s\] +> 6,400", table)
    assert "10,000" not in table


def threads(folder: Path, clients: int, pid: int, each_s: float) -> list[str]:
    """Files of a run of pgbench, half of whose clients are those of a second thread; names of the files."""
    names = [f"c.{pid}", f"c.{pid}.1"] if clients > 1 else [f"c.{pid}"]
    for thread, name in enumerate(names):
        mine = range(thread, clients, len(names))
        ends = [
            (1_790_000_000 + k * each_s + client / 1e4, client, k) for k in range(int(9 / each_s)) for client in mine
        ]
        rows = (
            f"{client} {k} {int(each_s * 1e6) - 9} 0 {int(end)} {round(end % 1 * 1e6) % 10**6}"
            for end, client, k in sorted(ends)
        )
        (folder / name).write_text("\n".join([*rows, ""]))
    return names


@pytest.mark.parametrize("users", ["1,2,2,4,4,8,8", "1,2,4,8"])
def test_files_of_the_threads_of_one_run_are_one_level(poolkeeper: CommandLine, tmp_path: Path, users: str) -> None:
    """They were repetitions of the level, each with half of its throughput, and each was said to lack the other."""
    runs = [threads(tmp_path, clients, 4000 + clients, 0.02) for clients in (1, 2, 4, 8)]
    files = " ".join(name for run in runs for name in run)
    found = answer(poolkeeper, tmp_path, f"capacity {files} --users {users} --mean 1s")
    measured = found["results"]["capacity"]["levels"]
    assert [level["throughput"] for level in measured] == pytest.approx([50, 100, 200, 400], rel=0.01)
    assert not any("not given" in warning for warning in found["warnings"])


def test_users_of_threads_of_one_run_must_agree(poolkeeper: CommandLine, tmp_path: Path) -> None:
    files = " ".join(threads(tmp_path, 2, 4000, 0.02))
    words = poolkeeper(tmp_path, f"usl {files} --users 1,2").err
    assert "c.4000 and c.4000.1 are of one run of pgbench: give the clients of all its threads" in words
    words = poolkeeper(tmp_path, f"usl {files} --users 1,2,3").err
    assert "3 numbers for 2 files; give one for each run of pgbench" in words


def test_reports_without_requests_name_the_way_on(poolkeeper: CommandLine, tmp_path: Path) -> None:
    report = "Running 30s test @ http://a/\n  5 threads and 100 connections\n  900 requests in 30.00s, 1.0MB read\n"
    (tmp_path / "a.txt").write_text(f"{report}Requests/sec:     30.00\nTransfer/sec:     1.0MB\n", encoding="utf-8")
    for command in ("usl a.txt --users 100", "capacity a.txt --users 100 --p99 1s"):
        assert "write a table of them, with the columns users and throughput" in poolkeeper(tmp_path, command).err
