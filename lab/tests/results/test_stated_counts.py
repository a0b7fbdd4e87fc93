"""Counts that a tool states: what is none is refused with its line, and what cannot be is no answer."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from command_line import answer

from poolkeeper import results
from poolkeeper.results import FileError

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

LOCUST = "Type,Name,Request Count,Failure Count,Average Response Time,50%\n,Aggregated,{},{},13.5,12\n"
TAURUS = "label,avg_rt,fail,succ,throughput\n,0.0135,{1},{0},10\n"
HYPERFOIL = (
    "Phase,Metric,Start,End,Requests,Responses,Mean,StdDev,Min,p50.0,Max,ConnectionErrors,RequestTimeouts,"
    "InternalErrors,Invalid,BlockedTime\nmain,t,1000,3000,{0},{1},5000000,1000000,100000,4500000,12000000,{2},0\n"
)
AUTOCANNON: dict[str, Any] = {
    "latency": {"mean": 12.5, "p50": 10, "max": 90},
    "requests": {"mean": 20, "total": 200},
    "throughput": {"mean": 1},
    "errors": 7,
    "timeouts": 3,
    "non2xx": 5,
    "2xx": 195,
}


def put(folder: Path, text: str, name: str = "report") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("count", ["", "N/A", "nan", "inf", "-3", "1.5", "1e30"])
@pytest.mark.parametrize(
    ("form", "name"),
    [
        (LOCUST.replace("{}", "{0}", 1).replace("{}", "0"), "Request Count"),
        (TAURUS.replace("{1}", "0"), "succ"),
        (HYPERFOIL.replace("{1},", "9,").replace("{2}", "0,0,0,0"), "Requests"),
    ],
)
def test_what_is_no_count_is_named_with_its_line(tmp_path: Path, form: str, name: str, count: str) -> None:
    with pytest.raises(FileError, match=f"line 2: {name} is no count: '{count}'"):
        results.read(put(tmp_path, form.format(count)))


def test_whole_numbers_may_have_a_point(tmp_path: Path) -> None:
    assert results.read(put(tmp_path, LOCUST.format("518.0", "7"))).summaries[0].count == 518


@pytest.mark.parametrize("text", [LOCUST.format(5, 7)])
def test_more_failures_than_requests_cannot_be(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileError, match=r"of 5 answers 7 failed, .* which cannot be"):
        results.read(put(tmp_path, text))


@pytest.mark.parametrize("total", ["1e999", "NaN", "-200"])
def test_a_report_with_an_impossible_count_is_refused(tmp_path: Path, total: str) -> None:
    text = json.dumps(AUTOCANNON).replace("200", total)
    with pytest.raises(FileError, match=r"is no autocannon report|which cannot be"):
        results.read(put(tmp_path, text))


def test_json_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    text = json.dumps(AUTOCANNON)[:-1] + ', "more": ' + "[" * 100_000 + "]" * 100_000 + "}"
    with pytest.raises(FileError, match="nested too deeply"):
        results.read(put(tmp_path, text))


@pytest.mark.parametrize(
    ("requests", "responses", "errors", "expected"),
    [
        (100, 98, "1,1,0,0", (98, 0, 2, 0)),
        (100, 10, "40,50,0,3", (10, 3, 90, 0)),
        (100, 0, "100,0,0,0", (0, 0, 100, 0)),
        (100, 97, "0,0,2,5", (97, 5, 2, 1)),
        (100, 100, "0,0,4,5", (100, 9, 0, 0)),
    ],
)
def test_requests_of_hyperfoil_without_an_answer_are_no_answers(
    tmp_path: Path, requests: int, responses: int, errors: str, expected: tuple[int, ...]
) -> None:
    (found,) = results.read(put(tmp_path, HYPERFOIL.format(requests, responses, errors))).summaries
    assert (found.count, found.errors, found.lost, found.cut_off) == expected
    assert found.requests + found.cut_off == requests


@pytest.mark.parametrize(("invalid", "failed"), [(0, 7), (5, 7), (9, 9)])
def test_answers_with_a_status_of_failure_failed_in_hyperfoil_too(tmp_path: Path, invalid: int, failed: int) -> None:
    """With `autoRangeCheck: false` they are not invalid there."""
    header, row = HYPERFOIL.format(100, 98, f"1,1,0,{invalid}").splitlines()
    text = f"{header},2xx,3xx,4xx,5xx,OtherStatus,CacheHits\n{row},90,1,2,4,1,0\n"
    (found,) = results.read(put(tmp_path, text)).summaries
    assert (found.count, found.errors, found.lost) == (98, failed, 2)


def test_requests_that_hyperfoil_lost_are_told(poolkeeper: CommandLine, tmp_path: Path) -> None:
    put(tmp_path, HYPERFOIL.format(100, 10, "40,50,0,3"))
    verdict = answer(poolkeeper, tmp_path, "analyze report")["verdict"]
    assert verdict.startswith("Hyperfoil (CSV) counted 100 requests, 93 of which failed")
    assert "90 of the failed got no answer: errors of connections 40 and timeouts 50." in verdict


def test_options_that_figures_of_a_tool_cannot_answer_are_told(poolkeeper: CommandLine, tmp_path: Path) -> None:
    put(tmp_path, json.dumps(AUTOCANNON))
    found = answer(poolkeeper, tmp_path, "analyze report --percentile 50 --percentile 99.5 --bound 1s --failures only")
    assert {"p99.5", "goodput", "response times of failures"} <= set(found["left_out"])
    assert "p50" not in found["left_out"]
    assert not {"goodput", "p99.5"} & set(answer(poolkeeper, tmp_path, "analyze report")["left_out"])


def test_numbers_of_users_that_are_none_are_passed_over(tmp_path: Path) -> None:
    rows = "".join(f"http_req_duration,17000000{k:02},20,true\nvus,17000000{k:02},5,\n" for k in range(30))
    text = f"metric_name,timestamp,metric_value,expected_response\n{rows}"
    for cell in ("NaN", "inf", "1e300", "-1"):
        found = results.read(put(tmp_path, f"{text}vus,1700000030,{cell},\n"))
        assert found.series().users.max() == 5


@pytest.mark.parametrize("line", ["1.0.0,1.000,2.000,HISTFA", "1.000,1.0.0,2.000,HISTFA"])
def test_an_interval_with_a_broken_number_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(FileError, match="line 2: is not an interval"):
        results.read(put(tmp_path, f"#[Histogram log format version 1.3]\n{line}\n")).digest()


def test_intervals_at_times_that_no_test_has_are_named(tmp_path: Path) -> None:
    for line in ("9" * 25 + ",1.000,2.000,HISTFA", "1.000," + "9" * 25 + ",2.000,HISTFA"):
        with pytest.raises(FileError, match="line 2: begins at a time, or lasts so long"):
            results.read(put(tmp_path, f"#[Histogram log format version 1.3]\n{line}\n")).digest()


def test_figures_that_a_report_lacks_are_named_or_unknown(tmp_path: Path) -> None:
    siege = '{"transactions": 200, "availability": 100.0, "elapsed_time": 1.0, "failed_transactions": 0}'
    with pytest.raises(FileError, match="is no siege report: it has no 'longest_transaction'"):
        results.read(put(tmp_path, siege))
    lines = HYPERFOIL.format(100, 98, "1,1,0,0").splitlines()
    without = "\n".join(line.replace("Max,", "").replace("12000000,", "") for line in lines)
    (found,) = results.read(put(tmp_path, f"{without}\n")).summaries
    assert (found.count, math.isnan(found.maximum_ns)) == (98, True)


def test_percentiles_of_a_tool_are_percentages(poolkeeper: CommandLine, tmp_path: Path) -> None:
    put(tmp_path, json.dumps(AUTOCANNON))
    done = poolkeeper(tmp_path, "analyze report --percentile 200")
    assert done.code == 2
    assert "percentile: 200 is not from 1 to below 100" in done.err


@pytest.mark.parametrize("order", [("labels", "total"), ("total", "labels")])
def test_a_file_without_a_total_counts_beside_one_that_has_a_total(
    poolkeeper: CommandLine, tmp_path: Path, order: tuple[str, str]
) -> None:
    put(tmp_path, LOCUST.format(100, 10), "total")
    header, row = TAURUS.format(90, 5).splitlines()
    put(tmp_path, f"{header}\n/a{row}\n/b{row}\n", "labels")

    verdict = answer(poolkeeper, tmp_path, f"analyze {' '.join(order)}")["verdict"]

    assert "counted 290 requests, 20 of which failed: 13.5 ms in the mean" in verdict
    # The parts of a file beside its total would count twice.
    put(tmp_path, f"{header}\n/a{row}\n/b{row}\n{TAURUS.format(180, 10).splitlines()[1]}\n", "labels")
    assert answer(poolkeeper, tmp_path, f"analyze {' '.join(order)}")["verdict"] == verdict
