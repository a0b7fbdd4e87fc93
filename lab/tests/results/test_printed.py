"""Texts and reports that load generators themselves wrote, against the figures that stand in them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from command_line import CommandLine

    from poolkeeper.results import ToolSummary

pytestmark = pytest.mark.usefixtures("without_fits")

REPORTS = Path(__file__).parent / "files" / "summaries"
MS = 10**6


def summary_of(name: str) -> ToolSummary:
    """The summary of all."""
    return next(entry for entry in results.read(REPORTS / name).summaries if not entry.label)


@pytest.mark.parametrize(
    ("name", "requests", "failed", "lost", "mean_ms", "p50_ms", "p99_ms", "longest_ms", "rate"),
    [
        ("httperf.txt", 100, 5, 5, 18.9, 9.5, None, 125.2, 95 / 2.822),
        ("h2load.txt", 120, 5, 0, 16.57, None, None, 153.40, 174.85),
        ("loadtest.txt", 200, 8, 0, 16.9, 12, 152, 155, 227),
        ("drill.txt", 120, 2, 0, 11.069867, 6.239, 151.551, 151.551, 259.15),
        ("bombardier.json", 300, 12, 0, 13.824397, 10.959, 150.908, 151.811, 300 / 1.043780102),
        ("k6-summary.json", 80, 0, 0, 151.415750, 151.005218, None, 155.446829, 80 / 6.059281221),
        ("vegeta.json", 60, 3, 3, 34.130436, 7.901238, 510.078489, 511.140288, 60 / (1.967521375 + 0.500522303)),
        ("siege.json", 200, 8, 0, 1000 * 2.92 / 176.15, None, None, 150, 176.15 * 200 / 192),
    ],
)
def test_figures_are_those_of_the_tool(  # noqa: PLR0913 - a row of the table
    name: str,
    requests: int,
    failed: int,
    lost: int,
    mean_ms: float,
    p50_ms: float | None,
    p99_ms: float | None,
    longest_ms: float,
    rate: float,
) -> None:
    found = summary_of(name)
    assert (found.requests, found.failed, found.lost) == (requests, failed, lost)
    assert found.mean_ns / MS == pytest.approx(mean_ms, rel=1e-6)
    assert found.maximum_ns / MS == pytest.approx(longest_ms)
    assert found.throughput == pytest.approx(rate, rel=1e-6)
    for share, time in ((0.5, p50_ms), (0.99, p99_ms)):
        held = dict(found.percentiles).get(share)
        assert (held is None) == (time is None)
        if held is not None:
            assert held / MS == pytest.approx(time, rel=1e-6)


def test_h2load_is_read_by_the_names_of_its_figures(tmp_path: Path) -> None:
    text = (REPORTS / "h2load.txt").read_text(encoding="utf-8")
    names, times = (line for line in text.splitlines() if line.lstrip().startswith(("min ", "time for request")))
    later = {
        names: "                 min     max     median     p95      p99      mean      sd     +/- sd",
        times: "request     :    7us   461us       10us    15us   1.50ms      11us     3us     93.62%",
    }
    for before, after in later.items():
        text = text.replace(before, after)
    file = tmp_path / "h2load.txt"
    file.write_text(text, encoding="utf-8")
    (found,) = results.read(file).summaries
    assert (found.minimum_ns, found.maximum_ns, found.mean_ns, found.std_ns) == (7_000, 461_000, 11_000, 3_000)
    assert found.percentiles == ((0.5, 10_000), (0.95, 15_000), (0.99, 1_500_000))
    file.write_text(text.replace("1.50ms", ""), encoding="utf-8")
    with pytest.raises(FileError, match="with a time of requests for each of its names"):
        results.read(file)


def test_drill_has_the_figures_of_each_name() -> None:
    labels = {entry.label: entry for entry in results.read(REPORTS / "drill.txt").summaries}
    assert set(labels) == {"Mix", "Fifth", ""}
    assert (labels["Mix"].count, labels["Mix"].errors) == (60, 2)
    assert labels["Mix"].mean_ns == 16518933
    assert math.isnan(labels["Mix"].throughput)


def test_what_nobody_tells_is_not_0(tmp_path: Path, poolkeeper: CommandLine) -> None:
    for name, says in (
        (
            "vegeta.hdrplot",
            "counted 60 requests, one in a hundred 510 ms or more. The file does not show which requests failed.",
        ),
        ("ab.csv", "does not say how many requests there were or failed; it says that one request in a hundred took"),
    ):
        (tmp_path / name).write_bytes((REPORTS / name).read_bytes())
        found = json.loads(poolkeeper(tmp_path, f"analyze {name} --json").out)
        assert says in found["verdict"]
        (entry,) = found["results"]["stated"]["stated"]
        assert entry["errors"] is None
        assert entry["requests"] == (60 if name == "vegeta.hdrplot" else None)


def test_the_percentiles_of_a_plot_are_those_of_the_report() -> None:
    report, plot = dict(summary_of("vegeta.json").percentiles), dict(summary_of("vegeta.hdrplot").percentiles)
    for share in (0.5, 0.9, 0.99):
        assert plot[share] == pytest.approx(report[share], rel=0.06)
    assert summary_of("vegeta.hdrplot").maximum_ns == pytest.approx(summary_of("vegeta.json").maximum_ns, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wrk-corrected.txt", "8 connections and 1,636 answers make 14.8 ms in the mean, not 24.0 ms"),
        ("wrk-hang.txt", "8 connections and 134 answers make 186 ms each, but their mean is 6.69 ms"),
        ("autocannon.json", "its figures are those of 9,059 values, for 600 answers"),
        ("siege.json", "siege rounds to hundredths of a second: the mean is that of Little's law"),
        ("siege.json", "that of all answers lies between 15.9 ms and 16.6 ms"),
    ],
)
def test_figures_that_mislead_are_named(name: str, words: str) -> None:
    assert any(words in str(warning) for warning in results.read(REPORTS / name).warnings)


def warned(file: Path, report: object) -> str:
    """The warnings about a report, as a text."""
    file.write_text(json.dumps(report), encoding="utf-8")
    return "; ".join(str(warning) for warning in results.read(file).warnings)


def test_response_times_that_connections_have_no_time_for_are_told(tmp_path: Path) -> None:
    # So autocannon counts where a server ends connections.
    report = json.loads((REPORTS / "autocannon.json").read_text(encoding="utf-8"))
    report |= {"connections": 5, "duration": 6.01, "errors": 0, "requests": report["requests"] | {"total": 5454}}
    for mean, doubted in ((124.25, True), (5.4, False)):
        report["latency"] |= {"average": mean, "mean": mean, "totalCount": 5454}
        words = warned(tmp_path / "a.json", report)
        assert ("5 connections and 5,454 answers in 6.01 s make 5.51 ms in the mean at most" in words) == doubted


@pytest.mark.parametrize("errors", [0, 8])
def test_errors_of_loadtest_may_have_had_no_answer(tmp_path: Path, errors: int) -> None:
    text = (REPORTS / "loadtest.txt").read_text(encoding="utf-8")
    (tmp_path / "a.txt").write_text(re.sub(r"(Total errors: +)\d+", rf"\g<1>{errors}", text), encoding="utf-8")
    words = "; ".join(str(warning) for warning in results.read(tmp_path / "a.txt").warnings)
    assert ("and among the 8 errors some may have got no answer" in words) == (errors > 0)


@pytest.mark.parametrize("least", [0, 0.3])
def test_requests_of_k6_without_a_connection_are_no_response_times(tmp_path: Path, least: float) -> None:
    report = json.loads((REPORTS / "k6-summary.json").read_text(encoding="utf-8"))
    for metric in report["results"]["metrics"]:
        metric["values"] |= {"min": least} if metric["name"] == "http_req_duration" else {}
    assert ("its shortest response time is 0" in warned(tmp_path / "a.json", report)) == (least == 0)
    values = {metric["name"]: metric["values"] for metric in report["results"]["metrics"]}
    old = {"metrics": values, "root_group": {}, "options": {}, "state": {}}
    assert ("its shortest response time is 0" in warned(tmp_path / "b.json", old)) == (least == 0)


@pytest.mark.parametrize("name", ["httperf.txt", "h2load.txt", "loadtest.txt", "drill.txt"])
def test_a_text_that_was_cut_off_is_named(name: str, tmp_path: Path) -> None:
    lines = (REPORTS / name).read_text(encoding="utf-8").splitlines()
    place = (
        next(
            k
            for k, line in enumerate(lines)
            if "Mean latency" in line or "status codes" in line or "Reply rate" in line
        )
        if name != "drill.txt"
        else 12
    )
    file = tmp_path / name
    file.write_text("\n".join(lines[:place]) + "\n", encoding="utf-8")
    with pytest.raises(FileError, match=f"is a text of {name[:-4]} that was cut off, or of another version"):
        results.read(file)


@pytest.mark.parametrize("name", ["httperf.txt", "h2load.txt", "loadtest.txt", "drill.txt"])
def test_line_ends_of_windows(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes((REPORTS / name).read_bytes().replace(b"\n", b"\r\n"))
    assert results.read(tmp_path / name).summaries == results.read(REPORTS / name).summaries


def test_messages_before_a_report_of_siege(tmp_path: Path) -> None:
    file = tmp_path / "siege.txt"
    content = (REPORTS / "siege.json").read_text(encoding="utf-8")
    file.write_text("[\x1b[1;33merror\x1b[0m] socket: read error Connection reset by peer sock.c:635\n\n" + content)
    (found,) = results.read(file).summaries
    assert found == summary_of("siege.json")


def test_fortio(tmp_path: Path) -> None:
    times: dict[str, Any] = {"Count": 200, "Min": 0.001, "Max": 0.09, "Sum": 2.5, "Avg": 0.0125, "StdDev": 0.002}
    times["Percentiles"] = [{"Percentile": 50, "Value": 0.01}, {"Percentile": 99.9, "Value": 0.08}]
    report = {"RunType": "HTTP", "ActualQPS": 20.0, "ActualDuration": 10_000_000_000, "DurationHistogram": times}
    file = tmp_path / "fortio.json"
    for more, failed, lost in (
        ({"RetCodes": {"200": 190, "503": 7, "-1": 3}}, 10, 3),
        ({"RetCodes": {"200": 190, "503": 7, "-1": 3}, "ErrorsDurationHistogram": {"Count": 10}}, 10, 3),
        ({"RetCodes": {"200": 196, "503": 4}, "ErrorsDurationHistogram": {"Count": 0}}, 4, 0),
        ({"RetCodes": {"SERVING": 190, "ERROR": 10}, "ErrorsDurationHistogram": {"Count": 10}}, 10, 0),
    ):
        file.write_text(json.dumps(report | more, indent=2))
        (found,) = results.read(file).summaries
        assert (found.count, found.failed, found.lost) == (200 - lost, failed, lost)
        assert found.throughput == pytest.approx(20.0 - lost / 10)
        warned = [warning.words for warning in results.read(file).warnings]
        assert warned == (
            ["fortio.json: its response times are those of all 200 requests, also of 3 without an answer"]
            if lost
            else []
        )
        assert found.mean_ns == 12.5 * MS
        assert found.percentiles == ((0.5, 10 * MS), (0.999, 80 * MS))
    # Nighthawk writes shares in such a report, and counts as text.
    levels = [{"Percentile": 0.5, "Value": 0.01}, {"Percentile": 0.999, "Value": 0.08}]
    report |= {"DurationHistogram": times | {"Count": "200", "Percentiles": levels}, "RetCodes": {"200": "200"}}
    file.write_text(json.dumps(report))
    assert results.read(file).summaries[0].percentiles == ((0.5, 10 * MS), (0.999, 80 * MS))
    file.write_text(json.dumps([report, report]))
    with pytest.raises(FileError, match="is no fortio report: it is a list of them"):
        results.read(file)


def test_files_of_several_kinds_are_refused(tmp_path: Path, poolkeeper: CommandLine) -> None:
    for name, folder in (("h2load.log", "logs"), ("wrk-hang.txt", "summaries")):
        (tmp_path / name).write_bytes((REPORTS.parent / folder / name).read_bytes())
    for files in ("h2load.log wrk-hang.txt", "wrk-hang.txt h2load.log"):
        done = poolkeeper(tmp_path, f"analyze {files}")
        assert done.code == 2
        assert "h2load.log holds each request" in done.err
        assert "wrk-hang.txt holds what a tool computed" in done.err


def test_the_throughput_of_levels_that_only_fall_has_no_peak(tmp_path: Path, poolkeeper: CommandLine) -> None:
    (tmp_path / "levels.csv").write_text("users,throughput\n5,350\n6,342\n7,28\n")
    verdict = json.loads(poolkeeper(tmp_path, "usl levels.csv --json").out)["verdict"]
    assert verdict.startswith("The throughput falls from the lowest level on, 5 users: its peak was not measured.")


def test_levels_without_users_say_how_to_give_them(tmp_path: Path, poolkeeper: CommandLine) -> None:
    (tmp_path / "tsung.dump").write_bytes((REPORTS.parent / "logs" / "tsung.dump").read_bytes())
    done = poolkeeper(tmp_path, "usl tsung.dump")
    assert done.code != 0
    assert "give a file for each level, and the users of each: --users 10,20,40" in done.err


def test_nothing_was_answered(tmp_path: Path) -> None:
    report = json.loads((REPORTS / "autocannon.json").read_text(encoding="utf-8"))
    zeros = dict.fromkeys(report["latency"], 0)
    report |= {"latency": zeros, "errors": 50, "non2xx": 0, "requests": report["requests"] | {"total": 0}}
    file = tmp_path / "refused.json"
    file.write_text(json.dumps(report))
    (found,) = results.read(file).summaries
    assert (found.requests, found.failed) == (50, 50)
    assert found.percentiles == ()
    assert math.isnan(found.mean_ns)
    assert math.isnan(found.maximum_ns)


def test_times_until_a_refusal_are_no_response_times(tmp_path: Path) -> None:
    """bombardier has them among the others, and alone where nobody answered."""
    report = json.loads((REPORTS / "bombardier.json").read_text(encoding="utf-8"))
    file = tmp_path / "bombardier.json"
    report["result"] |= {"others": 20, "errors": [{"description": "refused", "count": 20}]}
    file.write_text(json.dumps(report), encoding="utf-8")
    assert [warning.words.partition(": ")[2] for warning in results.read(file).warnings] == [
        "its response times are those of all 320 requests, also of 20 without an answer"
    ]
    report["result"] |= {f"req{k}xx": 0 for k in range(1, 6)}
    file.write_text(json.dumps(report), encoding="utf-8")
    found = results.read(file)
    (stated,) = found.summaries
    assert (stated.requests, stated.failed, stated.percentiles) == (20, 20, ())
    assert math.isnan(stated.mean_ns)
    assert not found.warnings


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Bombarding http://localhost for 3s using 5 connection(s)\n", "bombardier --print result --format json"),
        ("\nSummary:\n  Count:\t500\n  Total:\t1.47 s\n", "ghz --format json"),
        ("# stats: dump at 1795461358\nstats: users 0 4\n", "give tsung.dump"),
        ('{\n "stats": [\n {"timestamp": 1461690087,  "samples": []},\n', "give tsung.dump"),
        ("0, 216859, 0, 4096, 0\n0, 15962, 1, 4096, 0\n", "looks like a log of fio"),
        ("500, 93980, 0, 0, 0\n1000, 117961, 0, 0, 0\n", "means of intervals, as fio writes with --log_avg_msec"),
        ("503, 0, 4096" + ", 0" * 1856 + "\n", "log of fio's histograms"),
        ("      Date & Time,  Trans,  Elap Time,  Data Trans\n", "siege --json-output"),
        ("Test run id: abc_def\nPhase started: unnamed\n", "artillery run --output report.json"),
        ("\n- name: Mix\n  duration: 11.0\n  status: 200\n", "give what drill prints with --stats"),
        ("\n<!doctype html>\n<html>", "is a web page"),
        ("unable to connect to localhost:1 Connection refused\n", "there are no results"),
        (
            '# HELP seconds x\n# TYPE seconds histogram\nseconds_bucket{le="0.1"} 24\n',
            "counters and histograms of Prometheus",
        ),
        ('{"options": {"a": 5}, "results": [{"name": "global"}]}', "--output-format fortio"),
        ('{"resourceMetrics": []}', "file of OpenTelemetry"),
        ('{"configuration": {"server": "x"}, "ALL STATS": {}}', "--hdr-file-prefix"),
    ],
)
def test_what_is_not_read_is_named_with_the_command_that_helps(tmp_path: Path, content: str, words: str) -> None:
    file = tmp_path / "text"
    file.write_text(content)
    with pytest.raises(FileError, match=words):
        results.read(file)
