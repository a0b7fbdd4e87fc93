"""Files as real tools wrote them say what the tools themselves printed."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from poolkeeper import results
from poolkeeper.errors import DataError

if TYPE_CHECKING:
    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

FILES = Path(__file__).parent / "files"
GOLDEN = Path(__file__).parents[3] / "contract" / "golden" / "v1"
MS = 1_000_000


def test_jmeter_csv_agrees_with_the_summary_that_jmeter_printed() -> None:
    requests = results.read(FILES / "jmeter.jtl").cut(label=['GET /a, "fast"', "two\nlines"])
    digest = requests.digest().scaled(1 / MS)
    # summary = 90 in 00:00:04 = 23.5/s Avg: 72 Min: 9 Max: 297 Err: 45 (50.00%)
    assert (digest.count, int(digest.mean), digest.minimum, digest.maximum) == (90, 72, 9, 297)
    assert requests.survey().errors == {'GET /a, "fast"': 0, "two\nlines": 45}
    assert sum(requests.series().errors) == 45


def test_jmeter_xml_agrees_with_the_summary_that_jmeter_printed() -> None:
    found = results.read(FILES / "jmeter.xml")
    digest = found.cut(label=['GET /a, "fast"', "two\nlines"]).digest().scaled(1 / MS)
    # summary = 90 in 00:00:04 = 23.0/s Avg: 55 Min: 4 Max: 161 Err: 45 (50.00%)
    assert (digest.count, int(digest.mean), digest.minimum, digest.maximum) == (90, 55, 4, 161)
    first = found.frame.head(1).collect().row(0, named=True)
    assert (first["response_ns"], first["first_byte_ns"], first["connect_ns"]) == (145 * MS, 141 * MS, 134 * MS)
    assert (first["start_ns"], first["group"], first["users"], first["ok"]) == (
        1795265354915 * MS,
        "Shop Users",
        3,
        True,
    )


def test_requests_within_a_transaction_are_part_of_it() -> None:
    assert {name: digest.count for name, digest in results.read(FILES / "jmeter-parent.xml").digests().items()} == {
        "Checkout": 45
    }


@pytest.mark.parametrize("name", ["jmeter.jtl", "jmeter.xml"])
def test_transactions_beside_their_requests_are_told(name: str) -> None:
    assert [warning.kind for warning in results.read(FILES / name).warnings] == ["transactions"]


def test_a_jmeter_file_without_header_has_the_default_order() -> None:
    found = results.read(FILES / "jmeter-bare.jtl")
    assert {name: digest.count for name, digest in found.digests().items()} == {
        "Checkout": 45,
        'GET /a, "fast"': 45,
        "two\nlines": 45,
    }
    assert found.frame.collect()["first_byte_ns"][0] == 207 * MS


def test_dates_without_a_zone_are_read_and_told() -> None:
    found = results.read(FILES / "jmeter-date.jtl")
    assert found.frame.collect()["start_ns"][0] == 1_795_265_393_309 * MS
    assert "time zone" in {warning.kind for warning in found.warnings}


@pytest.mark.parametrize("name", ["jmeter.jtl", "k6.csv", "k6.json", "logs/vegeta.csv", "hey.csv", "oha.csv"])
def test_empty_lines_between_rows_change_nothing(name: str, tmp_path: Path) -> None:
    content = (FILES / name).read_bytes()
    # A row of JMeter may hold the end of a line.
    rows = content.replace(b"two\nlines", b"two lines") if name == "jmeter.jtl" else content
    (tmp_path / "rows").write_bytes(rows)
    (tmp_path / "apart").write_bytes(rows.replace(b"\n", b"\n\n"))
    first, second = (results.read(tmp_path / name).frame.collect() for name in ("rows", "apart"))
    assert first.equals(second)


@pytest.mark.parametrize("name", ["k6.csv", "k6.json"])
def test_k6_agrees_with_the_summary_that_k6_printed(name: str) -> None:
    found = results.read(FILES / name)
    digest = found.digest().scaled(1 / MS)
    # avg=45.81ms min=5.47ms med=48.91ms max=59.78ms; http_req_failed 15.38% 2 out of 13
    messages = (digest.mean, digest.minimum, digest.quantile(0.5), digest.maximum)
    assert digest.count == 13
    assert messages == pytest.approx((45.81, 5.47, 48.91, 59.78), abs=0.01)  # k6 cuts off the third decimal
    assert sum(found.survey().errors.values()) == 2
    assert found.frame.collect()["group"].unique().sort().to_list() == ["", "shop"]


def test_k6_stamps_the_end_of_a_request() -> None:
    frame = results.read(FILES / "k6.json").frame.collect()
    point = next(
        load
        for load in map(json.loads, (FILES / "k6.json").read_text(encoding="utf-8").splitlines())
        if load["type"] == "Point" and load["metric"] == "http_req_duration"
    )
    end = np.datetime64(point["data"]["time"].rstrip("Z"), "ns").astype(int)
    assert frame["start_ns"][0] + frame["response_ns"][0] == end


def test_gatling_agrees_with_what_gatling_printed() -> None:
    found = results.read(FILES / "gatling-3.9.log")
    # > Checkout / GET /a, fast (OK=45 KO=0) > Checkout / fail (OK=0 KO=45)
    assert {name: digest.count for name, digest in found.digests().items()} == {"GET /a, fast": 45, "fail": 45}
    assert found.survey().errors == {"GET /a, fast": 0, "fail": 45}
    assert found.frame.collect()["response_ns"][0] == (1795265424013 - 1795265423198) * MS
    assert found.cut(group="Checkout").digest().count == 90


def test_wrk_says_percentiles_and_nothing_about_the_tail() -> None:
    found = results.read(FILES / "wrk.txt")
    (stated,) = found.summaries
    assert (found.kind, stated.count, stated.errors, stated.throughput) == ("percentiles", 211, 0, 68.77)
    assert stated.percentiles == ((0.5, 52.17 * MS), (0.75, 63.94 * MS), (0.9, 76 * MS), (0.99, 103.97 * MS))
    assert (stated.mean_ns, stated.std_ns, stated.maximum_ns) == (57.66 * MS, 14.51 * MS, 103.99 * MS)
    assert "percentiles only" in str(found.tails_refused)
    with pytest.raises(DataError, match="percentiles only"):
        found.digest()


def test_the_uncorrected_distribution_of_wrk2_is_not_taken_for_the_other(tmp_path: Path) -> None:
    """With `--u_latency` wrk2 prints a second distribution, without the time that requests were late."""
    text = (FILES / "wrk2.txt").read_text(encoding="utf-8")
    first = text[text.index("  Latency Distribution") : text.index("  1196 requests")]
    other = first.replace(
        "Recorded Latency", "Uncorrected Latency (measured without taking delayed starts into account)"
    )
    other = re.sub(r"(\d+)\.(\d+)(?=ms|  +\d\.\d{6})", r"0.\2", other).replace("=       45.754", "=        0.754")
    assert other != first
    file = tmp_path / "wrk2.txt"
    file.write_text(text.replace("  1196 requests", f"\n{other}  1196 requests"), encoding="utf-8")
    found, alone = results.read(file), results.read(FILES / "wrk2.txt")
    assert repr(found.summaries) == repr(alone.summaries)
    assert [warning.kind for warning in found.warnings] == ["uncorrected", "calibration"]
    assert dict(alone.summaries[0].percentiles)[0.99] == 163.58 * MS  # as it is printed


@pytest.mark.parametrize("calibrated", [True, False])
def test_connections_of_wrk2_that_wait_for_their_turn_are_no_sign_of_a_timeout(
    tmp_path: Path, *, calibrated: bool
) -> None:
    line = "  Thread calibration: mean lat.: 1.019ms, rate sampling interval: 10ms\n" if calibrated else ""
    text = (
        f"Running 30s test @ http://127.0.0.1/\n  5 threads and 100 connections\n{line}"
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
        "    Latency     0.98ms  468.49us   8.97ms   70.07%\n"
        f"    Req/Sec   {'420.73' if calibrated else '  -nan'}     49.56     0.89k    84.45%\n"
        "  59956 requests in 30.00s, 18.64MB read\nRequests/sec:   1998.42\nTransfer/sec:    636.13KB\n"
    )
    file = tmp_path / "wrk2.txt"
    file.write_text(text, encoding="utf-8")
    found = results.read(file)
    assert found.format == "wrk2 (text)"
    assert [warning.kind for warning in found.warnings] == ["no percentiles", *["calibration"] * calibrated]


def test_wrk2_keeps_no_response_times_of_its_calibration() -> None:
    found = results.read(FILES / "wrk2.txt")
    (stated,) = found.summaries
    assert found.format == "wrk2 (text)"
    assert (stated.count, stated.errors, stated.throughput) == (1196, 0, 99.67)
    assert (stated.mean_ns, stated.std_ns, stated.maximum_ns) == (45_754_000, 30_922_000, 199_936_000)
    assert dict(stated.percentiles)[0.5] == 36_255_000
    assert [warning.kind for warning in found.warnings] == ["calibration"]
    assert "205 of 1,196 requests" in found.warnings[0].words
    assert results.read(FILES / "wrk2-errors.txt").summaries[0].errors == 121


def test_wrk_without_latency_says_that_percentiles_are_missing() -> None:
    found = results.read(FILES / "wrk-errors.txt")
    assert found.summaries[0].errors == 39
    assert [warning.kind for warning in found.warnings] == ["no percentiles"]


@pytest.mark.parametrize(("name", "resolution"), [("hey.csv", 100_000), ("oha.csv", 1)])
def test_small_tools_write_seconds_since_the_start(name: str, resolution: int) -> None:
    found = results.read(FILES / name)
    assert (found.clock, found.resolution_ns, found.digest().count) == ("run", resolution, 60)
    place = 0 if name == "hey.csv" else 4
    seconds = [float(line.split(",")[place]) for line in (FILES / name).read_text(encoding="utf-8").splitlines()[1:]]
    assert found.values() / 1e9 == pytest.approx(np.array(seconds))
    assert found.survey().errors == {"": 0}


def test_locust_gives_percentiles_and_refuses_tails() -> None:
    found = results.read(FILES / "locust_stats.csv")
    assert [summary.label for summary in found.summaries] == ["GET /fail", "GET GET /a, fast", ""]
    total = found.summaries[2]
    assert (total.count, total.errors, total.percentiles[0]) == (23, 5, (0.5, 71 * MS))
    assert total.percentiles[-1] == (1.0, 290 * MS)
    assert "two significant digits" in str(found.tails_refused)
    assert [warning.kind for warning in found.warnings] == ["rounded"]


def test_the_history_of_locust_has_users_over_time() -> None:
    found = results.read(FILES / "locust_stats_history.csv")
    assert [(summary.users, summary.count) for summary in found.summaries[1:]] == [(0, 0), (3, 23)]
    assert found.summaries[2].at_ns == 1795265219 * 10**9


def test_a_run_record_and_its_log_hold_the_same() -> None:
    record = results.read(GOLDEN / "fixed-4")
    log = results.read(GOLDEN / "fixed-4" / "latency.hlog")
    assert (record.kind, log.format, record.format) == ("histogram", "HdrHistogram log", "Poolkeeper run record")
    assert record.digest().count == log.digest().count > 0
    assert not record.digest().exact
    assert record.summaries[0].count > 0
    assert record.series().count.sum() == record.digest().count
    with pytest.raises(DataError, match="counts of response times"):
        record.values()
    assert record.frame.collect()["count"].sum() == record.digest().count


def test_errors_of_sockets_are_no_answers_of_wrk(tmp_path: Path) -> None:
    text = (FILES / "wrk-errors.txt").read_text(encoding="utf-8")
    sockets = "  Socket errors: connect 250, read 0, write 0, timeout 5\n"
    text = text.replace("39 requests in", "100 requests in").replace("  Non-2xx", f"{sockets}  Non-2xx")
    (tmp_path / "wrk.txt").write_text(text, encoding="utf-8")
    (summary,) = results.read(tmp_path / "wrk.txt").summaries
    assert (summary.count, summary.errors, summary.unanswered, summary.late) == (100, 39, (("connect", 250),), 5)


def test_an_answer_after_the_timeout_of_wrk_has_no_response_time(tmp_path: Path, poolkeeper: CommandLine) -> None:
    text = (FILES / "summaries" / "wrk-late.txt").read_text(encoding="utf-8")
    (tmp_path / "wrk.txt").write_text(text, encoding="utf-8")
    (summary,) = results.read(tmp_path / "wrk.txt").summaries
    assert (summary.count, summary.late, summary.unanswered, summary.percentiles) == (8, 8, (), ())
    assert math.isnan(summary.mean_ns)
    assert math.isnan(summary.maximum_ns)
    out = " ".join(poolkeeper(tmp_path, "analyze wrk.txt").out.split())
    assert "8 of the answers came after its timeout: its response times leave them out" in out
    assert "in the mean" not in out
    # A timeout of wrk2 is a connection that waited, and may never have had an answer.
    calibrated = text.replace(
        "  Thread Stats", "  Thread calibration: mean lat.: 1.2ms, rate sampling interval: 10ms\n  Thread Stats"
    )
    (tmp_path / "wrk2.txt").write_text(calibrated, encoding="utf-8")
    (summary,) = results.read(tmp_path / "wrk2.txt").summaries
    assert (summary.late, summary.unanswered) == (0, (("timeout", 8),))


@pytest.mark.parametrize(("digits", "error"), [(2, 0.0045), (3, 0.001)])
def test_the_accuracy_is_that_of_the_log(tmp_path: Path, digits: int, error: float) -> None:
    histogram = HdrHistogram(1, 3_600_000_000_000, digits)
    for value in range(1_000_000, 100_000_000, 1_000_000):
        histogram.record_value(value)
    text = f"#[Histogram log format version 1.3]\n0.1,1.0,0.1,{histogram.encode().decode()}\n"
    (tmp_path / "a.hlog").write_text(text, encoding="utf-8")
    digest = results.read(tmp_path / "a.hlog").digest()
    assert digest.relative_error == pytest.approx(error, rel=0.12)
    assert digest.scaled(1e-6).relative_error == digest.relative_error
    assert abs(digest.quantile(0.5) / 50e6 - 1) <= digest.relative_error


def test_the_lowest_bucket_of_a_log_with_a_unit_is_not_its_accuracy(tmp_path: Path) -> None:
    histogram = HdrHistogram(10_000, 3_600_000_000_000, 2)  # buckets of 8,192 ns at least
    for value in (500, *(400_000 + 100 * place for place in range(1000)), 50_000_000):
        histogram.record_value(value)
    text = f"#[Histogram log format version 1.3]\n0.1,1.0,0.1,{histogram.encode().decode()}\n"
    (tmp_path / "a.hlog").write_text(text, encoding="utf-8")
    digest = results.read(tmp_path / "a.hlog").digest()
    assert digest.relative_error == pytest.approx(1, abs=0.01)
    assert 4096 <= digest.error_of(450_000) <= 4096 + 0.001 * 450_000
    assert abs(digest.quantile(0.5) - 450_000) <= digest.error_of(digest.quantile(0.5)) < 0.02 * 450_000
    assert digest.error_of(50e6) <= 0.005 * 50e6
    assert digest.scaled(1e-6).error_of(0.45) == pytest.approx(1e-6 * digest.error_of(450_000))
