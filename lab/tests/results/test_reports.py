"""Reports that tools computed themselves, packed files, and files that need another command."""

from __future__ import annotations

import bz2
import json
import lzma
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

FILES = Path(__file__).parent / "files"
MS = 10**6
TIMES = {"avg": 12.5, "min": 1.0, "med": 10.0, "max": 90.0, "p(90)": 20.0, "p(95)": 30.0}
REPORTS: dict[str, Any] = {
    "k6": {
        "root_group": {},
        "metrics": {
            "http_req_duration": TIMES,
            "http_reqs": {"count": 200, "rate": 20.0},
            "http_req_failed": {"passes": 5, "fails": 195, "value": 0.025},
        },
    },
    "k6 of handleSummary": {
        "metrics": {
            "http_req_duration": {"type": "trend", "contains": "time", "values": TIMES},
            "http_reqs": {"type": "counter", "values": {"count": 200, "rate": 20.0}},
            "http_req_failed": {"type": "rate", "values": {"rate": 0.025, "passes": 5, "fails": 195}},
        }
    },
    "oha": {
        "summary": {
            "successRate": 0.9,
            "total": 10.0,
            "slowest": 0.09,
            "fastest": 0.001,
            "average": 0.0125,
            "requestsPerSec": 20.0,
        },
        "latencyPercentiles": {"p50": 0.01, "p90": 0.02, "p95": 0.03, "p99.9": None},
        "statusCodeDistribution": {"200": 195, "500": 5},
        "errorDistribution": {"connection refused": 7},
    },
    "autocannon": {
        "url": "http://localhost",
        "errors": 7,
        "timeouts": 3,
        "non2xx": 5,
        "2xx": 195,
        "requests": {"average": 20.0, "mean": 20.0, "total": 200},
        "throughput": {"average": 1000},
        "latency": {"average": 12.5, "mean": 12.5, "stddev": 2, "min": 1, "max": 90, "p50": 10, "p90": 20, "p97_5": 30},
    },
    "Artillery": {
        "aggregate": {
            "counters": {
                "http.requests": 207,
                "http.responses": 200,
                "http.codes.200": 195,
                "http.codes.503": 5,
                "errors.ETIMEDOUT": 7,
            },
            "summaries": {
                "http.response_time": {
                    "min": 1,
                    "max": 90,
                    "mean": 12.5,
                    "median": 10,
                    "p90": 20,
                    "p95": 30,
                    "p999": 80,
                }
            },
        },
        "intermediate": [],
    },
    "vegeta": {
        "latencies": {
            "total": 2_500 * MS,
            "mean": 12.5 * MS,
            "50th": 10 * MS,
            "90th": 20 * MS,
            "95th": 30 * MS,
            "max": 90 * MS,
            "min": 1 * MS,
        },
        "bytes_in": {"total": 1, "mean": 1},
        "requests": 207,
        "throughput": 19.5,
        "success": 0.94,
        "status_codes": {"0": 7, "200": 195, "500": 5},
        "errors": ["500"],
    },
}


def put(folder: Path, content: object, name: str = "report.json") -> Path:
    file = folder / name
    file.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", REPORTS)
def test_the_figures_of_a_report_are_those_of_the_tool(tmp_path: Path, name: str) -> None:
    found = results.read(put(tmp_path, REPORTS[name]))
    (summary,) = found.summaries
    assert (found.kind, found.format) == ("percentiles", f"{name.partition(' ')[0]} (JSON report)")
    assert (summary.count, summary.errors) == (200, 5)
    assert [time / MS for time in (summary.minimum_ns, summary.mean_ns, summary.maximum_ns)] == pytest.approx(
        [1, 12.5, 90]
    )
    shares = dict(summary.percentiles)
    assert (shares[0.5] / MS, shares[0.9] / MS) == pytest.approx((10, 20))
    assert sum(count for _, count in summary.unanswered) == (0 if name.startswith("k6") else 7)


def test_locust_reports_each_name(tmp_path: Path) -> None:
    entry = {
        "name": "/a",
        "method": "GET",
        "num_requests": 4,
        "num_failures": 1,
        "total_response_time": 100.0,
        "min_response_time": 10.0,
        "max_response_time": 40.0,
        "response_times": {"10": 2, "40": 1, "30": 1},
        "start_time": 100.0,
        "last_request_timestamp": 102.0,
    }
    (summary,) = results.read(put(tmp_path, [entry])).summaries
    assert (summary.label, summary.count, summary.errors, summary.throughput) == ("GET /a", 4, 1, 2.0)
    assert summary.mean_ns == 25 * MS
    assert summary.percentiles == ((0.5, 10 * MS), (0.9, 40 * MS), (0.95, 40 * MS), (0.99, 40 * MS))


@pytest.mark.parametrize(
    ("shown", "longest", "load", "mean_ms"),
    [
        (0.01, 0.09, (19.5, 0.24), 12.308),  # a hundredth of a second may be anything from 5 to 15 ms
        (12.5, 90.0, (19.5, 0.24), 12.5),
        (2.1, 11.0, (9.28, 19.49), 2100),  # the longest transaction began before the test's last seconds
        (1.5, 9.0, (1000.0, 1.5), 1.5),
        (0, 0.01, (15381.82, 11.22), 0.729),
    ],
)
def test_siege_in_seconds_and_in_milliseconds(
    tmp_path: Path, shown: float, longest: float, load: tuple[float, float], mean_ms: float
) -> None:
    report = {"transactions": 195, "availability": 97.5, "elapsed_time": 10.0, "response_time": shown}
    report |= {"transaction_rate": load[0], "failed_transactions": 5, "longest_transaction": longest}
    report |= {"shortest_transaction": 0.0, "concurrency": load[1]}
    (summary,) = results.read(put(tmp_path, report)).summaries
    assert (summary.count, summary.errors) == (200, 5)
    assert summary.mean_ns / MS == pytest.approx(mean_ms, rel=0.001)
    (summary,) = results.read(put(tmp_path, report | {"successful_transactions": 150})).summaries
    assert (summary.count, summary.errors) == (200, 50)


def changed(name: str, **changes: Any) -> dict[str, Any]:
    """A report with other values, whose names may be paths."""
    report: dict[str, Any] = json.loads(json.dumps(REPORTS[name]))
    for path, value in changes.items():
        *folders, last = path.split("__")
        place = report
        for folder in folders:
            place = place[folder]
        place[last.replace("_", ".") if folders[-1:] == ["counters"] else last] = value
    return report


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (changed("oha", errorDistribution={"refused": 7}), "207 requests, 12 of which failed"),
        (changed("oha", errorDistribution={"refused": 7}), "7 of the failed got no answer: refused 7."),
        (
            changed("oha", statusCodeDistribution={}, errorDistribution={"refused": 100}),
            "100 requests, all of which failed",
        ),
        (changed("oha", errorDistribution={"aborted due to deadline": 50}), "200 requests, 5 of which failed"),
        (changed("oha", errorDistribution={"aborted due to deadline": 50}), "50 more requests neither failed nor got"),
        (REPORTS["vegeta"], "207 requests, 12 of which failed"),
        (changed("vegeta", requests=300), "states 300 requests, but its answers and failures add up to 207"),
        (changed("Artillery", aggregate__counters__http_requests=300), "states 300 requests, but its answers"),
        (
            changed(
                "Artillery", aggregate__counters={"http.requests": 9, "http.codes.200": 9, "errors.Failed match": 4}
            ),
            "9 requests, 4 of which failed",
        ),
        (
            changed("Artillery", aggregate__counters={"http.requests": 9, "errors.EPIPE": 9}, aggregate__summaries={}),
            "9 requests, all of which failed",
        ),
        (changed("autocannon", mismatches=40), "207 requests, 52 of which failed"),
        (changed("autocannon", **{"3xx": 5}), "207 requests, 7 of which failed"),
    ],
)
def test_the_failures_of_a_report_are_whole(
    tmp_path: Path, poolkeeper: CommandLine, report: dict[str, Any], words: str
) -> None:
    put(tmp_path, report)
    assert words in " ".join(poolkeeper(tmp_path, "analyze report.json").out.split())


def test_the_rate_of_oha_is_that_of_its_answers(tmp_path: Path) -> None:
    """Its `requestsPerSec` counts requests without an answer as well, and those that the end cut off."""
    lost = {"connection refused": 90, "aborted due to deadline": 10}
    report = changed("oha", errorDistribution=lost, summary__requestsPerSec=30.0)
    (summary,) = results.read(put(tmp_path, report)).summaries
    assert (summary.count, summary.lost, summary.cut_off, summary.throughput) == (200, 90, 10, 20)


@pytest.mark.parametrize(("sample", "rate"), [(1000, 20), (250, 80), (5000, 4), (None, 20)])
def test_the_rate_of_autocannon_is_that_of_a_second(tmp_path: Path, sample: int | None, rate: float) -> None:
    """Its requests are those of a sample, which `-L` makes shorter or longer."""
    (summary,) = results.read(put(tmp_path, changed("autocannon", sampleInt=sample))).summaries
    assert summary.throughput == rate


def test_locust_divides_by_the_requests_that_have_a_time(tmp_path: Path) -> None:
    entry = {"name": "/a", "method": "WS", "num_requests": 100, "num_none_requests": 50, "num_failures": 0}
    entry |= {"total_response_time": 5000.0, "min_response_time": 100, "max_response_time": 100}
    entry |= {"response_times": {"100": 50}, "start_time": 1.5, "last_request_timestamp": 61.5}
    (summary,) = results.read(put(tmp_path, [entry])).summaries
    assert (summary.count, summary.mean_ns) == (100, 100 * MS)


def test_a_report_that_lacks_a_figure_is_named(tmp_path: Path) -> None:
    report = json.loads(
        json.dumps(REPORTS["oha"]).replace('"latencyPercentiles": {', '"latencyPercentiles": 3, "x": {')
    )
    with pytest.raises(FileError, match="is no oha report"):
        results.read(put(tmp_path, report))


def test_percentiles_of_ab(tmp_path: Path, poolkeeper: CommandLine) -> None:
    rows = "".join(f"{share},{share / 10:.3f}\n" for share in range(100))
    (tmp_path / "ab.csv").write_text(f"Percentage served,Time in ms\n{rows}", encoding="utf-8")
    (summary,) = results.read(tmp_path / "ab.csv").summaries
    assert dict(summary.percentiles)[0.99] == 9.9 * MS
    assert "one request in a hundred took 9.90 ms or more" in " ".join(
        poolkeeper(tmp_path, "analyze ab.csv").out.split()
    )


@pytest.mark.parametrize(
    ("content", "output"),
    [
        (b"\x7f\xff\x81\x03\x01\x01\x06Result\x01\xff\x82\x00\x01\x0b\x01\x06Attack\x01", "vegeta encode --to csv"),
        (b"This is ApacheBench, Version 2.3 <$Revision$>\nCopyright\n", "ab -e percentiles.csv"),
        (b"\nSummary:\n  Total:\t1.0024 secs\n  Slowest:\t0.1 secs\n", "hey -o csv"),
        (b"Requests      [total, rate, throughput]         100, 20.20, 20.19\n", "vegeta encode --to csv"),
        (b"Transactions:\t\t         100 hits\nAvailability:\t\t      100.00 %\n", "siege --json-output"),
        (b"<!DOCTYPE html>\n<html><body>report</body></html>", "is a web page"),
    ],
)
def test_what_is_not_read_is_named_with_the_command_that_helps(tmp_path: Path, content: bytes, output: str) -> None:
    (tmp_path / "results").write_bytes(content)
    with pytest.raises(FileError, match=output):
        results.read(tmp_path / "results")


def packed(name: str, content: bytes, path: Path) -> Path:
    file = path / f"results.{name}"
    if name == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("results.jtl", content)
    else:
        file.write_bytes(bz2.compress(content) if name == "bz2" else lzma.compress(content))
    return file


@pytest.mark.parametrize("name", ["zip", "bz2", "xz"])
def test_packed_files_hold_the_same(tmp_path: Path, name: str) -> None:
    content = (FILES / "jmeter.jtl").read_bytes()
    whole = results.read(FILES / "jmeter.jtl").survey()
    found = results.read(packed(name, content, tmp_path)).survey()
    assert found.digest.counts.tolist() == whole.digest.counts.tolist()
    assert found.errors == whole.errors


def test_a_zip_of_macos_has_one_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "mac.zip", "w") as archive:
        archive.writestr("run/", "")
        archive.write(FILES / "jmeter.jtl", "run/results.jtl")
        archive.writestr("__MACOSX/run/._results.jtl", b"\0\5\x16\7")
    expected = results.read(FILES / "jmeter.jtl").values()
    assert results.read(tmp_path / "mac.zip").values().tolist() == expected.tolist()


def test_an_archive_of_several_files_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.jtl", "1")
        archive.writestr("b.jtl", "2")
    with pytest.raises(FileError, match="holds 2 files; unpack it"):
        results.read(tmp_path / "two.zip")


def test_hey_of_before_it_wrote_the_status(tmp_path: Path) -> None:
    head = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read\n"
    (tmp_path / "hey.csv").write_text(head + "0.0123,0.001,0.0,0.0,0.01,0.0\n" * 30, encoding="utf-8")
    assert results.read(tmp_path / "hey.csv").digest().count == 30


def test_an_endpoint_of_artillery_that_never_answered_is_listed(tmp_path: Path) -> None:
    plugin = "plugins.metrics-by-endpoint."
    counters = {
        "http.requests": 9,
        "http.codes.200": 5,
        "errors.ECONNREFUSED": 4,
        f"{plugin}/a.codes.200": 5,
        f"{plugin}:1/b.errors.ECONNREFUSED": 4,
    }
    times = {"mean": 20, "median": 20, "min": 10, "max": 30}
    summaries = {"http.response_time": times, f"{plugin}response_time./a": times}
    report = changed("Artillery", aggregate__counters=counters, aggregate__summaries=summaries)
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    found = results.read(tmp_path / "report.json").summaries
    assert [(entry.label, entry.requests, entry.failed) for entry in found] == [
        ("", 9, 4),
        ("/a", 5, 0),
        (":1/b", 4, 4),
    ]


def test_errors_of_artillerys_scenarios_are_no_requests(tmp_path: Path) -> None:
    counters = {"http.requests": 12, "http.codes.200": 5, "http.codes.503": 6, "errors.Undefined function": 6}
    report = changed("Artillery", aggregate__counters=counters | {"errors.ETIMEDOUT": 1})
    found = results.read(put(tmp_path, report))
    (summary,) = found.summaries
    assert (summary.requests, summary.failed, summary.unanswered) == (12, 7, (("ETIMEDOUT", 1),))
    assert "no requests, and do not count: Undefined function 6" in " ".join(map(str, found.warnings))


def test_answers_of_artillery_that_broke_off_failed(tmp_path: Path) -> None:
    """A timeout after the status is an error beside an answer, and no error of a scenario."""
    counters = {"http.requests": 20, "http.codes.200": 12, "errors.ETIMEDOUT": 9, "errors.ECONNRESET": 2}
    found = results.read(put(tmp_path, changed("Artillery", aggregate__counters=counters)))
    assert (found.summaries[0].requests, found.summaries[0].lost, found.summaries[0].failed) == (20, 8, 11)
    (warning,) = found.warnings
    assert "11 errors of the network and 8 requests without an answer: 3 answers broke off" in warning.words
    counters |= {"http.codes.200": 10, "http.codes.503": 2}
    found = results.read(put(tmp_path, changed("Artillery", aggregate__counters=counters)))
    assert (found.summaries[0].lost, found.summaries[0].failed) == (8, 13)
    assert "3 to 5 failed, 5 are shown" in " ".join(map(str, found.warnings))


def test_answers_of_artillery_that_may_have_failed_twice_are_told(tmp_path: Path) -> None:
    counters = {"http.requests": 20, "http.codes.200": 14, "http.codes.503": 6, "errors.Failed capture or match": 9}
    found = results.read(put(tmp_path, changed("Artillery", aggregate__counters=counters)))
    assert "9 to 15 failed, 15 are shown" in " ".join(map(str, found.warnings))


def test_answers_that_fortios_report_has_no_response_times_of_are_told(tmp_path: Path) -> None:
    report = {"DurationHistogram": {"Count": 48, "Avg": 0.06}, "ActualQPS": 12, "RetCodes": {"200": 57, "503": 3}}
    file = tmp_path / "fortio.json"
    file.write_text(json.dumps(report), encoding="utf-8")
    found = results.read(file)
    assert (found.summaries[0].count, found.summaries[0].errors) == (60, 3)
    assert [warning.words for warning in found.warnings] == [
        "fortio.json: counts 60 answers by status, and the response times of 48"
    ]
    file.write_text(json.dumps(report | {"RetCodes": {"200": 45, "503": 3}}), encoding="utf-8")
    assert not results.read(file).warnings


@pytest.mark.parametrize("name", ["k6", "k6 of handleSummary", "machine-readable"])
def test_iterations_that_k6_dropped_are_told(tmp_path: Path, name: str) -> None:
    text = (FILES / "summaries" / "k6-summary.json").read_text(encoding="utf-8")
    report = json.loads(text if name == "machine-readable" else json.dumps(REPORTS[name]))
    dropped = {"count": 188, "rate": 4.2}
    file = tmp_path / "k6.json"
    file.write_text(json.dumps(report), encoding="utf-8")
    assert not results.read(file).warnings
    if name == "machine-readable":
        report["results"]["metrics"].append({"name": "dropped_iterations", "values": dropped})
    else:
        report["metrics"]["dropped_iterations"] = dropped if name == "k6" else {"values": dropped}
    file.write_text(json.dumps(report), encoding="utf-8")
    (warning,) = results.read(file).warnings
    assert "k6 left out 188 iterations, as no user was free to begin them" in warning.words


def test_the_rate_of_vegetas_report_is_that_of_all_requests(tmp_path: Path) -> None:
    report = changed("vegeta", duration=9 * 10**9, wait=10**9, throughput=19.5)
    (summary,) = results.read(put(tmp_path, report)).summaries
    assert summary.throughput == summary.requests / 10
