"""Rows of JMeter's results that need a second look: counts of samples, dates, negative times, no success."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

HEADER = "timeStamp,elapsed,label,success"
START = 1_700_000_000_000
FORMS = {"jtl": HEADER + ",SampleCount,ErrorCount", "xml": '<?xml version="1.0"?><testResults version="1.2">'}


def counted(folder: Path, form: str, *counts: tuple[str, int, int]) -> Path:
    """A file whose samples have these successes, and counts of samples and errors."""
    file = folder / f"a.{form}"
    if form == "jtl":
        rows = [f"{START + place},200,a,{ok},{n},{failed}" for place, (ok, n, failed) in enumerate(counts)]
    else:
        rows = [
            f'<sample t="200" ts="{START + place}" s="{ok}" lb="a" sc="{n}" ec="{failed}"/>'
            for place, (ok, n, failed) in enumerate(counts)
        ]
        rows.append("</testResults>")
    file.write_text("\n".join([FORMS[form], *rows]) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("form", FORMS)
def test_errors_that_are_counted_are_failures(tmp_path: Path, form: str) -> None:
    file = counted(tmp_path, form, ("true", 1, 0), ("false", 1, 1), ("true", 1, 1))
    assert results.read(file).survey().errors == {"a": 2}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [(0, 0), (1, 2), (-1, 0), (1, -1), (10, 11)])
def test_counts_that_cannot_be_are_refused(tmp_path: Path, form: str, count: tuple[int, int]) -> None:
    file = counted(tmp_path, form, ("true", 1, 0), ("true", *count))
    with pytest.raises(FileError, match=rf"line 3: SampleCount is {count[0]} and ErrorCount {count[1]}, but a row"):
        results.read(file).survey()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", [0, 6000])
def test_rows_of_several_samples_are_counted(tmp_path: Path, form: str, first: int) -> None:
    """The first row that stands for several samples may come after the beginning that is looked at."""
    rows = [("true", 1, 0)] * first + [("true", 10, 0), ("false", 30, 3), ("false", 1, 1)] * 10
    found = results.read(counted(tmp_path, form, *rows))
    assert found.kind == "percentiles"
    (summary,) = found.summaries
    assert (summary.count, summary.errors) == (first + 410, 40)
    assert summary.mean_ns == pytest.approx(200e6 * (first + 30) / (first + 410))
    assert summary.throughput == pytest.approx((first + 410) / ((first + 29) / 1000))
    assert not summary.percentiles
    assert "percentiles cannot be had; let JMeter write each sample (mode=Standard)" in str(found.warnings[0])
    assert found.tails_refused is not None


def test_rows_of_several_samples_have_their_labels(tmp_path: Path, poolkeeper: CommandLine) -> None:
    rows = [f"{START + 1000 * k},{100 * (1 + k % 3)},{'ab'[k % 2]},true,{1 + k % 3}" for k in range(60)]
    (tmp_path / "a.jtl").write_text("\n".join([f"{HEADER},SampleCount", *rows, ""]), encoding="utf-8")
    total, first, second = results.read(tmp_path / "a.jtl").summaries
    assert (total.label, first.label, second.label) == ("", "a", "b")
    assert (total.count, first.count, second.count) == (120, 60, 60)
    assert (total.mean_ns, first.mean_ns, total.errors) == (100e6, 100e6, 0)
    done = poolkeeper(tmp_path, "analyze a.jtl")
    assert "counted 120 requests, none of which failed: 100 ms in the mean" in " ".join(done.out.split())
    assert "its rows stand" not in poolkeeper(tmp_path, "fit a.jtl").out


def dated(folder: Path, days: list[str]) -> Path:
    file = folder / "a.jtl"
    rows = [f"2024/{day} 10:{place // 60 % 60:02d}:{place % 60:02d},10,a,true" for place, day in enumerate(days)]
    file.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return file


def test_the_whole_file_tells_months_from_days(tmp_path: Path) -> None:
    found = results.read(dated(tmp_path, ["12/06"] * 3000 + ["13/06"] * 10))
    assert found.digest().count == 3010
    assert {"dates swapped"} <= {warning.kind for warning in found.warnings}
    assert "no time" not in {warning.kind for warning in found.warnings}


@pytest.mark.parametrize(
    ("days", "line", "words"),
    [
        (
            ["02/28"] * 3000 + ["28/02"],
            3002,
            "month, day, the order in which this file is read, but it is one as year, day",
        ),
        (
            ["28/02"] * 3000 + ["02/28"],
            3002,
            "day, month, the order in which this file is read, but it is one as year, mon",
        ),
        (
            ["02/28"] * 3000 + ["02/30"],
            3002,
            "as year, month, day, the order in which this file is read, nor as year, day, month",
        ),
        (["13/28"], 2, "nor as year, "),
    ],
)
def test_a_date_in_another_order_stops_the_reading(tmp_path: Path, days: list[str], line: int, words: str) -> None:
    with pytest.raises(FileError, match=f"line {line:,}: timeStamp is not a date ") as refused:
        results.read(dated(tmp_path, days)).survey()
    assert words in str(refused.value)


@pytest.mark.parametrize("content", [f"{HEADER}\n{START},20,a,true\n{START + 9},-1,a,true\n", "ms\n1.5\nnan\n2.5\n"])
def test_a_time_that_is_left_out_is_no_open_quotation_mark(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.csv").write_text(content, encoding="utf-8")
    assert {warning.kind for warning in results.read(tmp_path / "a.csv").warnings} == {"no response time"}


def test_samples_without_success_do_not_tell_which_failed(tmp_path: Path, poolkeeper: CommandLine) -> None:
    rows = "".join(f'<sample t="20" ts="{START + 100 * place}" lb="a" rc="200"/>' for place in range(300))
    (tmp_path / "a.xml").write_text(f"{FORMS['xml']}{rows}</testResults>", encoding="utf-8")
    assert "The files do not show which requests failed." in " ".join(poolkeeper(tmp_path, "analyze a.xml").out.split())
