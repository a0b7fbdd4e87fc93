"""Tests of HdrHistogram logs as other writers leave them: spans, appended logs, other units, zeros."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pytest
from command_line import answer
from hdrh.histogram import HdrHistogram

from poolkeeper import results
from poolkeeper.results import spreading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from command_line import CommandLine

HEAD = (
    "#[Histogram log format version 1.3]\n#[StartTime: {start}.123 (seconds since epoch), x]\n"
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
)
START = 1_760_000_000


def lines(intervals: Sequence[tuple[float, float]], values: Sequence[int], shown: float = 1e6) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in values:
        histogram.record_value(value)
    payload = histogram.encode().decode()
    return "".join(f"{at:.3f},{long:.3f},{max(values) / shown:.3f},{payload}\n" for at, long in intervals)


def put(folder: Path, text: str) -> Path:
    file = folder / "times.hlog"
    file.write_text(text, encoding="utf-8")
    return file


VALUES = [20_000_000, 21_000_000, 35_000_000]


@pytest.mark.parametrize(("length", "count"), [(1.0, 5), (10.0, 30), (0.5, 8), (60.0, 1)])
def test_the_last_interval_counts_whole(tmp_path: Path, length: float, count: int) -> None:
    text = HEAD.format(start=START) + lines([(length * place, length) for place in range(count)], VALUES)
    assert results.read(put(tmp_path, text)).survey().duration_s == pytest.approx(length * count)


def test_a_log_after_another_one_has_times_of_its_own(tmp_path: Path) -> None:
    body = lines([(0, 1), (1, 1)], VALUES)
    text = HEAD.format(start=START) + body + HEAD.format(start=START + 100) + body
    assert results.read(put(tmp_path, text)).survey().duration_s == pytest.approx(102)


@pytest.mark.parametrize(("middle", "milli"), [(12, True), (9_000, True), (20_000, False)])
def test_logs_of_small_values_may_be_in_milliseconds_too(tmp_path: Path, middle: int, *, milli: bool) -> None:
    values = [middle // 2, middle, 2 * middle]
    file = put(tmp_path, HEAD.format(start=START) + lines([(0, 1), (1, 1)], values))
    (words,) = (warning.words for warning in results.read(file).survey().warnings if warning.kind == "unit")
    assert "if they are microseconds (YCSB, memtier_benchmark), use --unit us" in words
    assert ("if they are milliseconds, --unit ms" in words) == milli


@pytest.mark.parametrize(("unit", "doubted"), [(None, True), ("ns", False)])
def test_percentiles_of_minutes_may_be_in_another_unit(tmp_path: Path, unit: str | None, *, doubted: bool) -> None:
    """Texts of nanoseconds had a median of three hours, without a word."""
    file = tmp_path / "times.hgrm"
    file.write_text("Value Percentile TotalCount\n11400000.0 0.5 6\n17100000.0 1.0 12\n")
    kinds = [warning.kind for warning in results.read(file, unit=unit).warnings]
    assert ("unit" in kinds) == doubted


@pytest.mark.parametrize(("shown", "words"), [(1.0, "as they are"), (1e3, "in thousandths")])
def test_logs_in_microseconds_are_doubted(tmp_path: Path, shown: float, words: str) -> None:
    file = put(tmp_path, HEAD.format(start=START) + lines([(0, 1), (1, 1)], VALUES, shown))
    assert f"states the largest ones {words}: if they are microseconds" in str(results.read(file).survey().warnings)
    assert "microseconds" not in str(results.read(file, unit="us").survey().warnings)


def test_answers_that_are_too_fast_are_doubted(tmp_path: Path) -> None:
    file = put(tmp_path, HEAD.format(start=START) + lines([(0, 1), (1, 1)], [300, 400, 900]))
    assert "half are at most 400: if they are microseconds" in str(results.read(file).survey().warnings)
    file = put(tmp_path, HEAD.format(start=START) + lines([(0, 1), (1, 1)], VALUES))
    assert not results.read(file).survey().warnings


def test_no_share_of_errors_where_no_file_tells_which_failed(tmp_path: Path, poolkeeper: CommandLine) -> None:
    text = HEAD.format(start=START) + lines([(float(place), 1.0) for place in range(10)], VALUES * 20)
    found = answer(poolkeeper, tmp_path, f"analyze {put(tmp_path, text).name}")["results"]
    assert found["throughput"]["error_share"] is None
    assert found["throughput"]["errors"] is None
    assert found["throughput"]["throughput_per_s"]["value"] == pytest.approx(60)


def test_many_zeros_among_others_have_no_distribution(tmp_path: Path, poolkeeper: CommandLine) -> None:
    text = HEAD.format(start=START) + lines(
        [(float(place), 1.0) for place in range(10)], [0] * 50 + [int(1e6 * 1.01**step) for step in range(50)]
    )
    done = poolkeeper(tmp_path, f"analyze {put(tmp_path, text).name}")
    assert done.code == 0
    assert "no fits: response times: 500 of 1000 values are 0" in done.out


def test_an_end_in_place_of_a_length_is_no_length(tmp_path: Path) -> None:
    # HdrHistogram's library for C, and so memtier_benchmark, writes when the interval ended.
    text = HEAD.format(start=START) + lines([(START + 0.123, START + 60.123)], VALUES)
    assert results.read(put(tmp_path, text)).survey().duration_s == pytest.approx(60)


def logged(folder: Path, name: str, count: int, *, often: int = 1, start: int = START) -> Path:
    """A log of intervals of a second, each with other values."""
    intervals = [
        often * lines([(place, 1.0)], [1_000_000 * (1 + (1 + place) * value % 97) for value in range(1, 40)])
        for place in range(count)
    ]
    (folder / name).write_text(HEAD.format(start=start) + "".join(intervals), encoding="utf-8")
    return folder / name


def kinds(*files: Path) -> list[str]:
    return [warning.kind for warning in results.read(files).warnings]


def test_intervals_that_come_again_are_told(tmp_path: Path, poolkeeper: CommandLine) -> None:
    whole, part = logged(tmp_path, "a.hlog", 40), logged(tmp_path, "b.hlog", 30)
    other = logged(tmp_path, "c.hlog", 40, start=START + 40)
    double = logged(tmp_path, "d.hlog", 40, often=2)
    assert (kinds(whole), kinds(whole, other)) == ([], [])
    assert (kinds(whole, part), kinds(double)) == (["twice"], ["twice"])
    assert "40 of 80 intervals come again" in str(results.read(double).warnings[0])
    done = poolkeeper(tmp_path, "compare a.hlog a.hlog")
    assert "a.hlog and a.hlog hold the same requests" in done.out


def test_a_log_may_have_no_header_and_empty_lines(tmp_path: Path) -> None:
    whole = results.read(logged(tmp_path, "a.hlog", 5)).digest().to_dict()
    text = (tmp_path / "a.hlog").read_text(encoding="utf-8")
    for changed in ("\n\n".join([*text.splitlines(), ""]), "".join(text.splitlines(keepends=True)[3:])):
        assert results.read(put(tmp_path, changed)).digest().to_dict() == whole


@pytest.mark.parametrize(("length", "count"), [(10.0, 12), (60.0, 5), (120.0, 10)])
def test_long_intervals_count_all_over_their_time(
    tmp_path: Path, poolkeeper: CommandLine, length: float, count: int
) -> None:
    """In the second of its middle alone an interval would be a burst between gaps, which part tests."""
    values = [1_000_000 * place for place in range(1, 1 + round(20 * length))]
    file = put(tmp_path, HEAD.format(start=START) + lines([(length * place, length) for place in range(count)], values))
    found = answer(poolkeeper, tmp_path, f"analyze {file.name} --bound {round(10 * length)}ms")
    assert (found["warnings"], "levels" in found["results"]) == ([], False)
    throughput = found["results"]["throughput"]
    assert throughput["throughput_per_s"]["value"] == pytest.approx(20, rel=0.01)
    assert throughput["goodput_per_s"]["value"] == pytest.approx(10, rel=0.01)
    assert sum(throughput["completions"]) == len(values) * count
    # As if each value had come at a time of its own.
    assert all(4 <= each <= 40 for each in throughput["completions"][1:-1])
    assert median(found["results"]["over_time"]["p50"]) == pytest.approx(10 * length, rel=0.05)


def test_the_rate_of_each_long_interval_is_its_own(tmp_path: Path, poolkeeper: CommandLine) -> None:
    parts = [lines([(30.0 * place, 30.0)], VALUES * (200 if place < 5 else 600)) for place in range(10)]
    file = put(tmp_path, HEAD.format(start=START) + "".join(parts))
    levels = answer(poolkeeper, tmp_path, f"analyze {file.name}")["results"]["levels"]["levels"]
    assert [round(level["requests_per_s"]) for level in levels] == [20, 60]


def test_an_interval_is_spread_alike_in_pieces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = put(tmp_path, HEAD.format(start=START) + lines([(0.0, 40.0), (40.0, 40.0)], VALUES * 50))
    whole = results.read(file).series().count
    monkeypatch.setattr(spreading, "_PIECE", 16)
    assert results.read(file).series().count.tolist() == whole.tolist()
    assert whole.sum() == 300
