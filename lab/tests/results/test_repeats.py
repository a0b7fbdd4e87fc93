"""Results that come twice, and runs whose times all begin at 0."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from poolkeeper import results

if TYPE_CHECKING:
    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

FILES = Path(__file__).parent / "files"


def kinds(*files: Path) -> list[str]:
    return [warning.kind for warning in results.read(files).warnings]


@pytest.mark.parametrize("name", ["jmeter.jtl", "k6.csv", "logs/vegeta.csv", "logs/vegeta.json", "hey.csv"])
def test_a_file_put_twice_into_one_is_told_and_has_no_rate(name: str, tmp_path: Path, poolkeeper: CommandLine) -> None:
    file = tmp_path / "results"
    file.write_bytes(2 * (FILES / name).read_bytes())
    assert kinds(file).count("twice") == 1
    assert "/s" not in poolkeeper(tmp_path, "analyze results").out.partition("\n")[0]


@pytest.mark.parametrize("name", ["jmeter.jtl", "logs/vegeta.csv"])
def test_a_copy_is_told_also_where_it_is_packed(name: str, tmp_path: Path) -> None:
    (tmp_path / "copy.gz").write_bytes(gzip.compress((FILES / name).read_bytes()))
    assert "twice" in kinds(FILES / name, tmp_path / "copy.gz")


def test_response_times_alone_that_come_twice_are_told(tmp_path: Path) -> None:
    """Without times beside them, a few runs may come again by chance, as those of sorted milliseconds do."""

    def table(name: str, values: list[int]) -> Path:
        (tmp_path / name).write_text("\n".join(["latency_us", *map(str, values), ""]), encoding="utf-8")
        return tmp_path / name

    first = [10_000 + place * place * 7919 % 10_007 for place in range(600)]
    assert "twice" in kinds(table("both", 2 * first))
    assert "twice" in kinds(table("first", first), table("copy", first))
    assert "twice" not in kinds(table("most", first + first[:400]))
    assert "twice" not in kinds(table("sorted", [*range(100), 150]), table("others", [*range(20, 120), 170]))


@pytest.mark.parametrize("often", [2, 3])
@pytest.mark.parametrize("apart", [1, 4])
def test_rows_that_two_listeners_wrote_to_one_file_are_told(tmp_path: Path, often: int, apart: int) -> None:
    """Lines of threads that write at the same time may stand between a request and its copy."""
    head, *rows = samples(0, 400).splitlines()
    groups = [rows[place : place + apart] for place in range(0, 400, apart)]
    lines = [row for group in groups for row in often * group]
    (tmp_path / "a.jtl").write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    (warning,) = (warning for warning in results.read(tmp_path / "a.jtl").warnings if warning.kind == "twice")
    assert f"holds the same requests {'again' if often == 2 else '2 times again'}" in warning.words


@pytest.mark.parametrize("slowest", [1, 2, 5])
def test_rows_that_are_alike_by_chance_are_no_copies(tmp_path: Path, slowest: int) -> None:
    """Thousands of requests a second in steps of a millisecond."""
    rows = [f"{1_700_000_000_000 + place // 5},{1 + place * place * 7 % 31 % slowest},a" for place in range(5_000)]
    (tmp_path / "a.jtl").write_text("\n".join(["timeStamp,elapsed,label", *rows, ""]), encoding="utf-8")
    assert "twice" not in kinds(tmp_path / "a.jtl")


@pytest.mark.parametrize("rate", [2, 3, 6])
def test_even_requests_in_whole_seconds_are_no_copies(tmp_path: Path, rate: int) -> None:
    """Apache's %T has whole seconds as the stamps have: each request of a second is like the others."""
    lines = [
        f'10.0.0.1 - - [28/Nov/2026:07:{place // 60:02d}:{place % 60:02d} +0000] "GET / HTTP/1.1" 200 100 {took}\n'
        for place in range(300)
        for took in [0 if place % 7 else 1] * rate
    ]
    (tmp_path / "access.log").write_text("".join(lines), encoding="utf-8")
    found = results.read(tmp_path / "access.log", column=8, unit="s")
    assert "twice" not in [warning.kind for warning in found.survey().warnings]


@pytest.mark.parametrize("whole", [False, True])
def test_one_run_of_k6_in_two_files_is_told(tmp_path: Path, poolkeeper: CommandLine, *, whole: bool) -> None:
    """The CSV has milliseconds, or whole seconds, and the JSON nanoseconds."""
    for name in ("k6-users.csv", "k6-users.json"):
        text = (FILES / "logs" / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(re.sub(r",(\d{10})\d{3},", r",\1,", text) if whole else text, encoding="utf-8")
    words = "k6-users.csv and k6-users.json hold the same requests, with the same response times in the same order"
    assert words in poolkeeper(tmp_path, "analyze k6-users.csv k6-users.json").out
    assert f"{words}: they are compared with" in poolkeeper(tmp_path, "compare k6-users.csv k6-users.json").out
    later = (tmp_path / "k6-users.json").read_text(encoding="utf-8").replace('"time":"20', '"time":"21')
    (tmp_path / "k6-users.json").write_text(later, encoding="utf-8")
    assert words not in poolkeeper(tmp_path, "analyze k6-users.csv k6-users.json").out


def samples(first: int, last: int) -> str:
    rows = [f"{1_700_000_000_000 + 7 * place},{5 + place * place % 31},a" for place in range(first, last)]
    return "\n".join(["timeStamp,elapsed,label", *rows, ""])


def overlaps(folder: Path, *spans: tuple[int, int]) -> list[str]:
    files = [folder / f"{place}.jtl" for place in range(len(spans))]
    for file, span in zip(files, spans, strict=True):
        file.write_text(samples(*span), encoding="utf-8")
    return [warning.words for warning in results.read(files).warnings if warning.kind == "twice"]


@pytest.mark.parametrize("second", [(700, 1300), (300, 600)])
def test_files_that_overlap_are_told_wherever_they_do(tmp_path: Path, second: tuple[int, int]) -> None:
    (words,) = overlaps(tmp_path, (0, 1000), second)
    assert words.startswith("0.jtl and 1.jtl hold the same requests, with the same times: about ")
    shares = [float(share) for share in re.findall(r"([\d.]+) % of the", words)]
    assert shares == pytest.approx([30, 50 if second[1] > 1000 else 100], abs=2)


def test_a_few_rows_within_a_large_file_are_told(tmp_path: Path) -> None:
    assert len(overlaps(tmp_path, (0, 60_000), (30_000, 31_000))) == 1


def test_files_one_after_the_other_hold_nothing_twice(tmp_path: Path) -> None:
    assert not overlaps(tmp_path, (0, 1000), (1000, 2000), (2000, 2500))


def test_a_part_that_comes_again_within_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "joined.jtl"
    file.write_text(samples(0, 1000) + samples(700, 1300).partition("\n")[2], encoding="utf-8")
    (words,) = [warning.words for warning in results.read(file).warnings if warning.kind == "twice"]
    assert "joined.jtl: holds about 2" in words
    assert " % of its requests again, with the same times" in words


def test_a_request_like_one_a_dozen_before_it_is_no_copy(tmp_path: Path) -> None:
    rows = [f"{1_700_000_000_000 + place // 13},{100 + place % 13 % 12},a" for place in range(390)]
    (tmp_path / "results.jtl").write_text("\n".join(["timeStamp,elapsed,label", *rows, ""]), encoding="utf-8")
    assert "twice" not in kinds(tmp_path / "results.jtl")


@pytest.mark.parametrize("rows", [["5,3"] * 40, [f"{place},5" for place in range(40)]])
def test_requests_that_are_alike_are_no_copies(tmp_path: Path, rows: list[str]) -> None:
    lines = [f"{1_700_000_000_000 + int(start)},{elapsed},a" for start, elapsed in (row.split(",") for row in rows)]
    (tmp_path / "results.jtl").write_text("\n".join(["timeStamp,elapsed,label", *lines, ""]), encoding="utf-8")
    assert "twice" not in kinds(tmp_path / "results.jtl")


def hey(*offsets: float) -> str:
    header = (FILES / "hey.csv").read_text(encoding="utf-8").partition("\n")[0]
    return "\n".join([header, *(f"0.0{place % 9 + 1},0,0,0,0,0,200,{at}" for place, at in enumerate(offsets)), ""])


def test_runs_that_all_begin_at_0_have_no_common_rate(tmp_path: Path, poolkeeper: CommandLine) -> None:
    first, second = hey(*(place / 10 for place in range(30))), hey(*(place / 5 for place in range(15)))
    for name, text in (("a.csv", first), ("b.csv", second), ("both.csv", first + second)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert "run clocks" in kinds(tmp_path / "a.csv", tmp_path / "b.csv")
    assert "run clocks" not in kinds(tmp_path / "a.csv")
    assert kinds(tmp_path / "both.csv").count("clock") == 1
    assert "/s" not in poolkeeper(tmp_path, "analyze both.csv").out.partition("\n")[0]
