"""Locust's statistics and their history."""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

FILES = Path(__file__).parent / "files"
MS = 10**6
HEADER = (
    *("Timestamp", "User Count", "Type", "Name", "Requests/s", "Failures/s", "50%", "99%"),
    *("Total Request Count", "Total Failure Count", "Total Median Response Time", "Total Average Response Time"),
    *("Total Min Response Time", "Total Max Response Time", "Total Average Content Size"),
)


def history(totals: list[tuple[int, int, float]], *, quoted: bool = False, names: tuple[str, ...] = ()) -> str:
    """The history of a test whose totals of requests, failures and mean response time were these, second by second."""
    file = io.StringIO()
    write = csv.writer(file, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
    write.writerow(HEADER)
    for second, (requests, failures, mean) in enumerate(totals):
        for type_, name in (*(("GET", name) for name in names), ("", "Aggregated")):
            share = requests // len(names) if type_ else requests
            failed = failures if name in ("Aggregated", *names[:1]) else 0
            row = (1795265218 + second, 3, type_, name, 9.9, 0, 40, 90)
            write.writerow((*row, share, failed, 40, mean, 10, 95, 100))
    return file.getvalue()


TOTALS = [(0, 0, 0.0), (100, 1, 50.0), (240, 1, 60.0), (518, 4, 55.0)]


@pytest.mark.parametrize("quoted", [False, True])
def test_the_totals_of_a_history_are_those_of_its_last_line(tmp_path: Path, *, quoted: bool) -> None:
    file = tmp_path / "history.csv"
    file.write_text(history(TOTALS, quoted=quoted, names=("/a", "/b")), encoding="utf-8")
    total, *seconds = results.read(file).summaries
    assert (total.count, total.errors, total.mean_ns, total.maximum_ns) == (518, 4, 55 * MS, 95 * MS)
    assert total.throughput == pytest.approx(518 / 3)
    assert [second.count for second in seconds] == [0, 100, 140, 278]
    assert [second.errors for second in seconds] == [0, 1, 0, 3]
    assert [second.throughput for second in seconds[1:]] == [100, 140, 278]
    assert seconds[2].mean_ns / MS == pytest.approx((240 * 60 - 100 * 50) / 140)
    assert {second.users for second in seconds} == {3}
    (warning,) = results.read(file).warnings
    assert warning.kind == "rounded"
    assert "percentiles of a line of the history are those of the last ten seconds" in warning.words


def test_the_rate_of_a_history_leaves_out_the_time_before_and_after_the_requests(
    tmp_path: Path, poolkeeper: CommandLine
) -> None:
    (tmp_path / "history.csv").write_text(history([(0, 0, 0.0)] * 30 + TOTALS + [TOTALS[-1]] * 40), encoding="utf-8")
    assert results.read(tmp_path / "history.csv").summaries[0].throughput == pytest.approx(518 / 3)
    shown = poolkeeper(tmp_path, "analyze history.csv").out
    assert re.findall(r"^(\d+) s ", shown, re.MULTILINE) == ["31", "32", "33"]


def test_requests_before_the_first_line_of_a_history_are_in_no_rate(tmp_path: Path) -> None:
    """Nothing tells in how long they came."""
    (tmp_path / "history.csv").write_text(history(TOTALS[1:]), encoding="utf-8")
    total = results.read(tmp_path / "history.csv").summaries[0]
    assert total.count == 518
    assert total.throughput == pytest.approx(418 / 2)


def test_users_stand_beside_the_seconds_of_a_history(tmp_path: Path, poolkeeper: CommandLine) -> None:
    (tmp_path / "history.csv").write_text(history(TOTALS), encoding="utf-8")
    shown = poolkeeper(tmp_path, "analyze history.csv").out
    assert re.search(r"^label +users +requests", shown, re.MULTILINE)
    assert re.findall(r"^\d s +(\d) ", shown, re.MULTILINE) == ["3", "3", "3"]


def test_failures_of_the_names_are_compared_with_their_total(tmp_path: Path) -> None:
    file = tmp_path / "a_stats.csv"
    head = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time"
    head += ",Min Response Time,Max Response Time,Requests/s,50%"
    rows = ["GET,/a,40,1,9,9,9,9,1,9", "GET,/b,60,2,9,9,9,9,1,9", ",Aggregated,100,30,9,9,9,9,1,9"]
    file.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    (words,) = [warning.words for warning in results.read(file).warnings if warning.kind == "count"]
    assert words.endswith("its total is 30 failures, but its names add up to 3")


@pytest.mark.parametrize("type_", ["Method", "Type"])
def test_statistics_of_early_versions_have_a_median_alone(tmp_path: Path, type_: str) -> None:
    times = ",".join(f'"{which} response time"' for which in ("Median", "Average", "Min", "Max"))
    header = f'"{type_}","Name","# requests","# failures",{times},"Average Content Size","Requests/s"'
    rows = ['"GET","/a",300,3,40,45,12,245,120,10.01', '"None","Total",300,3,40,45,12,245,120,10.01']
    file = tmp_path / "test_requests.csv"
    file.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    name, total = results.read(file).summaries
    assert (name.label, total.label, total.count, total.errors) == ("GET /a", "", 300, 3)
    assert (total.percentiles, total.mean_ns, total.maximum_ns) == (((0.5, 40 * MS),), 45 * MS, 245 * MS)


@pytest.mark.parametrize(
    ("counts", "found", "words"),
    [
        (((30, 40), (50, 5)), (125, 45), "counts failures beside the requests, as versions before 0.10 do: 45 of 125"),
        (((30, 4), (50, 5)), (80, 9), "if one of these wrote it, 9 of 89 requests failed"),
        (((30, 0), (50, 0)), (80, 0), ""),
    ],
)
def test_the_first_versions_count_failures_beside_the_requests(
    tmp_path: Path, counts: list[tuple[int, int]], found: tuple[int, int], words: str
) -> None:
    times = ",".join(f'"{which} response time"' for which in ("Median", "Average", "Min", "Max"))
    header = f'"Method","Name","# requests","# failures",{times},"Average Content Size","Requests/s"'
    total = ("None", "Total", *(sum(pair[side] for pair in counts) for side in (0, 1)))
    named = [("GET", f"/{place}", *pair) for place, pair in enumerate(counts)]
    rows = [
        f'"{type_}","{name}",{count},{failed},40,45,12,245,120,10.01' for type_, name, count, failed in [*named, total]
    ]
    file = tmp_path / "test_requests.csv"
    file.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    read = results.read(file)
    assert (read.summaries[-1].count, read.summaries[-1].errors) == found
    shown = [str(warning) for warning in read.warnings if warning.kind == "failures"]
    assert ([words in warning for warning in shown] if words else shown) == ([True] if words else [])
    assert not [warning for warning in read.warnings if warning.kind == "count"]


def test_the_command_counts_every_request_of_a_history_once(tmp_path: Path, poolkeeper: CommandLine) -> None:
    (tmp_path / "history.csv").write_text(history(TOTALS), encoding="utf-8")
    done = poolkeeper(tmp_path, "analyze history.csv")
    assert "counted 518 requests, 4 of which failed: 55.0 ms in the mean" in " ".join(done.out.split())


def test_statistics_that_were_reset_are_told(tmp_path: Path) -> None:
    file = tmp_path / "history.csv"
    file.write_text(history([(0, 0, 0.0), (300, 0, 50.0), (20, 0, 40.0), (120, 2, 45.0)]), encoding="utf-8")
    found = results.read(file)
    assert [summary.count for summary in found.summaries] == [120, 0, 300, 20, 100]
    assert "line 4: the totals begin anew, as with --reset-stats; 300 requests before" in str(found.warnings[0])


def test_a_total_that_its_names_do_not_add_up_to_is_told_with_both_numbers(tmp_path: Path) -> None:
    text = (FILES / "locust_stats.csv").read_text(encoding="utf-8")
    file = tmp_path / "stats.csv"
    file.write_text(text.replace("Aggregated,23,", "Aggregated,25,"), encoding="utf-8")
    warnings = results.read(file).warnings
    assert "its total is 25 requests, but its names add up to 23" in str(warnings[0])
    assert [warning.kind for warning in results.read(FILES / "locust_stats.csv").warnings] == ["rounded"]


def test_the_names_of_columns_before_version_1(tmp_path: Path) -> None:
    file = tmp_path / "old.csv"
    head = '"Type","Name","# requests","# failures","Median response time","Average response time","Min response time",'
    head += '"Max response time","Average Content Size","Requests/s","Requests Failed/s"\n'
    file.write_text(
        f'{head}"GET","/a",5,1,83,119.4,47.0,284.9,920.2,6.32,6.32\n"","Aggregated",5,1,83,119.4,47,285,9,6,6\n'
    )
    first, total = results.read(file).summaries
    assert (first.label, first.count, first.errors) == ("GET /a", 5, 1)
    assert (total.label, total.count, total.mean_ns) == ("", 5, 119.4 * MS)


STATISTICS = """Type,Name,Request Count,Failure Count,Average Response Time,Min Response Time,Max Response Time
GET,/a,100,3,12,1,40
POST,/b,50,0,12,1,40
,Aggregated,150,3,12,1,40
"""


@pytest.mark.parametrize(
    ("failures", "words"),
    [
        ('GET,/a,"Error, 500",2\nGET,/a,timeout,1\n', None),
        ("GET,/a,500,2\n", "GET /a: 3 here, 2 there"),
        ("GET,/a,500,3\nGET,/c,500,2\n", "GET /c: a name that is not here, 2 there"),
        ("", "GET /a: 3 here, 0 there"),
    ],
)
def test_failures_are_compared_with_the_file_of_failures(tmp_path: Path, failures: str, words: str | None) -> None:
    (tmp_path / "run_stats.csv").write_text(STATISTICS, encoding="utf-8")
    (tmp_path / "run_stats_history.csv").write_text(history([(0, 0, 0.0), (150, 3, 12.0)]), encoding="utf-8")
    (tmp_path / "run_failures.csv").write_text(f"Method,Name,Error,Occurrences\n{failures}", encoding="utf-8")
    found = [str(warning) for warning in results.read(tmp_path / "run_stats.csv").warnings[:-1]]
    assert len(found) == (words is not None)
    if words is not None:
        assert words in found[0]
        assert "run_failures.csv" in found[0]
    kinds = [warning.kind for warning in results.read(tmp_path / "run_stats_history.csv").warnings]
    assert kinds == (["rounded"] if words is None else ["failures", "rounded"])


@pytest.mark.parametrize("names", [(), ("/a",)])
@pytest.mark.parametrize(
    ("listed", "words"),
    [
        (10, "lacks 6 failures of its end that run_failures.csv has ("),
        (3, "these may be files of two tests"),
        (1000, "these may be files of two tests"),
    ],
)
def test_a_history_lacks_the_failures_of_the_last_second(
    tmp_path: Path, listed: int, words: str, names: tuple[str, ...]
) -> None:
    (tmp_path / "run_stats_history.csv").write_text(history(TOTALS, names=names), encoding="utf-8")
    (tmp_path / "run_failures.csv").write_text(
        f"Method,Name,Error,Occurrences\nGET,/a,500,{listed}\n", encoding="utf-8"
    )
    found = results.read(tmp_path / "run_stats_history.csv")
    (warning,) = (warning.words for warning in found.warnings if warning.kind == "failures")
    assert words in warning
    assert found.summaries[0].kinds == ((("", "GET /a: 500", 10),) if listed == 10 else ())


def test_a_request_may_have_the_name_of_the_total(tmp_path: Path) -> None:
    (tmp_path / "a_stats_history.csv").write_text(history(TOTALS, names=("Aggregated", "Total")), encoding="utf-8")
    text = (FILES / "locust_stats.csv").read_text(encoding="utf-8")
    (tmp_path / "a_stats.csv").write_text(text.replace("GET,/fail,", "GET,Total,"), encoding="utf-8")
    history_of, statistics = (results.read(tmp_path / f"a_stats{end}.csv") for end in ("_history", ""))
    assert [second.count for second in history_of.summaries] == [518, 0, 100, 140, 278]
    assert [summary.count for summary in statistics.summaries if not summary.label] == [
        summary.count for summary in results.read(FILES / "locust_stats.csv").summaries if not summary.label
    ]
    for found in (history_of, statistics):
        assert [warning.kind for warning in found.warnings] == ["rounded"]


def test_requests_that_differ_in_their_method_alone_are_told_apart_and_those_without_times_have_none(
    tmp_path: Path,
) -> None:
    file = tmp_path / "stats.csv"
    file.write_text(STATISTICS.replace("POST,/b,50,0,12,1,40", "POST,/a,40,0,12,1,40\nWS,open,10,0,0,0,0"))
    found = {entry.label: entry for entry in results.read(file).summaries}
    assert [(name, entry.count) for name, entry in found.items()] == [
        ("GET /a", 100),
        ("POST /a", 40),
        ("WS open", 10),
        ("", 150),
    ]
    assert math.isnan(found["WS open"].mean_ns)
    assert math.isnan(found["WS open"].maximum_ns)


def test_a_history_that_was_sorted_otherwise_is_that_of_the_same_test(tmp_path: Path) -> None:
    head, *rows = (FILES / "locust_stats_history.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "history.csv").write_text("\n".join([head, *reversed(rows)]) + "\n", encoding="utf-8")
    found, same = (results.read(file) for file in (FILES / "locust_stats_history.csv", tmp_path / "history.csv"))
    assert [entry.count for entry in same.summaries] == [entry.count for entry in found.summaries]


def test_decimal_commas_of_a_spreadsheet_are_named(tmp_path: Path) -> None:
    text = (FILES / "locust_stats.csv").read_text(encoding="utf-8")
    file = tmp_path / "stats.csv"
    file.write_text(text.replace(",", ";").replace(".", ","), encoding="utf-8")
    with pytest.raises(FileError, match=r"is not a number: .*; write decimal points: tr , \."):
        results.read(file)
