"""JMeter's dates and parts of requests, pgbench's log, and tables of figures that are no response times."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from poolkeeper import results
from poolkeeper.errors import InputError

if TYPE_CHECKING:
    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

FILES = Path(__file__).parent / "files"
HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success"


def put(folder: Path, *rows: str) -> Path:
    file = folder / "results.jtl"
    file.write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    return file


def test_dates_with_the_day_first_and_parts_of_requests() -> None:
    found = results.read(FILES / "logs" / "jmeter-parts.jtl")
    assert [warning.kind for warning in found.warnings] == ["parts", "time zone"]
    assert "'redirect-0' beside 'redirect'" in found.warnings[0].words
    assert (
        found.survey().first_start_ns
        == int(datetime(2026, 11, 23, 21, 5, 17, tzinfo=UTC).timestamp() * 1000 + 893) * 10**6
    )


def test_dates_with_a_zone_are_not_guessed_at(tmp_path: Path) -> None:
    found = results.read(FILES / "logs" / "jmeter-zone.jtl")
    assert "time zone" not in [warning.kind for warning in found.warnings]
    ends = "20,a,200,OK,Users 1-1,true"
    file = put(tmp_path, f"2026-11-23T21:05:27.048+02:00,{ends}", f"2026-11-23T19:05:28.048Z,{ends}")
    survey = results.read(file).survey()
    assert survey.first_start_ns == int(datetime(2026, 11, 23, 19, 5, 27, 48000, tzinfo=UTC).timestamp() * 1000) * 10**6
    assert (survey.last_start_ns or 0) - survey.first_start_ns == 10**9
    file = put(tmp_path, f"2026-11-23T21:05:27.048Z,{ends}", f"2026-11-23T21:05:28.048,{ends}")
    with pytest.raises(InputError, match=r"line 3: timeStamp has no time zone, unlike those before"):
        results.read(file).survey()
    file = put(tmp_path, f"11/23/26 21:05:39,{ends}")
    with pytest.raises(
        InputError, match=r"line 2: timeStamp is a date in an order that is not read.*timestamp_format=ms"
    ):
        results.read(file)
    file = put(tmp_path, f"23.11.2026 21:05:39,{ends}", f"11.23.2026 21:05:39,{ends}")
    with pytest.raises(InputError, match=r"line 3: timeStamp is not a date as day.month.year.* but it is one as month"):
        results.read(file).survey()


@pytest.mark.parametrize(("start", "thread"), [("1700000000050", "Users 1-1"), ("1700000000000", "Users 1-2")])
def test_labels_that_end_with_a_number_may_be_requests(tmp_path: Path, start: str, thread: str) -> None:
    rows = ("1700000000000,50,step,200,OK,Users 1-1,true", f"{start},50,step-0,200,OK,{thread},true")
    assert results.read(put(tmp_path, *rows)).warnings == ()


def test_a_transaction_that_comes_late_is_told(tmp_path: Path) -> None:
    rows = [f"{1700000000000 + 50 * place},50,step,200,OK,Users 1-1,true" for place in range(2000)]
    last = "1700000000000,100000,all,,Number of samples in transaction : 2000,Users 1-1,true"
    assert "transactions" in [warning.kind for warning in results.read(put(tmp_path, *rows, last)).warnings]


@pytest.mark.parametrize("lacking", [("label", "responseMessage"), ("responseMessage",), ("label",)])
def test_transactions_without_label_or_message_are_told_by_their_threads(
    tmp_path: Path, lacking: tuple[str, ...]
) -> None:
    rows = list(csv.reader((FILES / "jmeter.jtl").read_text(encoding="utf-8").splitlines(keepends=True)))
    kept = [place for place, name in enumerate(rows[0]) if name not in lacking]
    with (tmp_path / "results.jtl").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([row[place] for place in kept] for row in rows)
    found = results.read(tmp_path / "results.jtl")
    assert [warning.kind for warning in found.warnings] == ["transactions"]
    if "label" in lacking:
        requests = [row for row in rows if "Number of samples" not in row[4]]
        with (tmp_path / "requests.jtl").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([row[place] for place in kept] for row in requests)
        assert results.read(tmp_path / "requests.jtl").warnings == ()


@pytest.mark.parametrize(("end", "kinds"), [("><httpSample t='20' ts='1'/></sample>", []), ("/>", ["transactions"])])
def test_transactions_with_their_requests_within_do_not_count_twice(tmp_path: Path, end: str, kinds: list[str]) -> None:
    file = tmp_path / "results.xml"
    transaction = f"<sample t='20' ts='1700000000000' lb='all' rm='Number of samples in transaction : 1'{end}"
    other = "<httpSample t='20' ts='1700000000000' lb='other' rm='OK'/>"
    file.write_text(f"<testResults version='1.2'>{transaction}{other}</testResults>", encoding="utf-8")
    found = results.read(file)
    assert found.survey().digest.count == 2
    assert [warning.kind for warning in found.warnings] == kinds


def test_the_log_of_pgbench_has_its_figures() -> None:
    found = results.read(FILES / "logs" / "pgbench.log")
    survey = found.survey()
    assert (survey.digest.count, sum(survey.errors.values())) == (133, 8)
    assert found.cut(ok=True).values().mean() / 1e6 == pytest.approx(17.053, abs=5e-4)
    assert {name: digest.count for name, digest in found.cut(ok=True).digests().items()} == {
        "script 0": 92,
        "script 1": 33,
    }


def test_figures_of_a_tool_are_no_response_times(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is what redis-benchmark reports"):
        results.read(FILES / "summaries" / "redis-benchmark.csv")
    file = tmp_path / "table.csv"
    file.write_text("test,avg_latency_ms,p50_latency_ms\na,5,4\nb,7,6\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a table of figures .*\(avg_latency_ms, p50_latency_ms\)"):
        results.read(file)
    assert results.read(file, column="avg_latency_ms").values().tolist() == [5e6, 7e6]
    assert results.read(file, column="1").values().tolist() == [5e6, 7e6]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pgbench (15.18)\nstarting vacuum...end.\n", "pgbench --log"),
        ("1795468005 1700 1612704 2180466492 209 6025 0 0 0 0 0 0 0 0 0\n", "sums of pgbench"),
        ("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n", "sysbench"),
        ('{\n\t"start":\t{\n\t\t"connected":\t[]', "iperf3"),
        (
            '127.0.0.1 - - [23/Nov/2026:21:06:11 +0000] "GET /a HTTP/1.1" 200 9 "-" "hey" 0.012\n',
            "--column 10 --unit s",
        ),
        ('{\n  "name": "All Requests",\n  "numberOfRequests": {\n', "Gatling"),
    ],
)
def test_files_of_other_tools_are_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "file.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        results.read(file)


def test_a_sample_of_pgbench_has_no_rate(tmp_path: Path, poolkeeper: CommandLine) -> None:
    lines = (FILES / "logs" / "pgbench.log").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "sample.log").write_text("".join(lines[::7]), encoding="utf-8")
    (finding,) = results.read(tmp_path / "sample.log").warnings
    assert finding.kind == "sampled"
    assert "about 15 % of the transactions" in finding.words
    assert "/s" not in poolkeeper(tmp_path, "analyze sample.log").out.partition("\n")[0]
    (tmp_path / "two.log").write_text("".join(lines + lines), encoding="utf-8")
    for file in (FILES / "logs" / "pgbench.log", tmp_path / "two.log"):
        assert "sampled" not in [warning.kind for warning in results.read(file).warnings]
