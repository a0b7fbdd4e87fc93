"""The kinds of failures of each format whose rows tell them, by code, by message, or by both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from command_line import answer
from gatling_log import Log

if TYPE_CHECKING:
    from collections.abc import Callable

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

START_MS = 1_790_000_000_000
COUNT = 60
WHY = "request timed out, sadly"


def is_bad(place: int) -> bool:
    return place % 10 == 9


def lines(line_of: Callable[[int], str], *before: str) -> bytes:
    return "\n".join([*before, *map(line_of, range(COUNT)), ""]).encode()


def gatling() -> bytes:
    def line_of(k: int) -> str:
        end = f"KO\t{WHY}" if is_bad(k) else "OK\t"
        return f"REQUEST\t\tget\t{START_MS + 100 * k}\t{START_MS + 100 * k + 20 + k % 7}\t{end}"

    return lines(line_of, f"RUN\ta.B\tb\t{START_MS}\t \t3.9.5")


def gatling_binary() -> bytes:
    log = Log().user(1)
    for k in range(COUNT):
        log.request((), "get", (100 * k, 100 * k + 20 + k % 7), WHY if is_bad(k) else "")
    return log.bytes


def jtl() -> bytes:
    def line_of(k: int) -> str:
        good = not is_bad(k)
        why = "" if good else WHY.replace(",", "")
        return f"{START_MS + 100 * k},{20 + k % 7},get,200,OK,{str(good).lower()},{why}"

    return lines(line_of, "timeStamp,elapsed,label,responseCode,responseMessage,success,failureMessage")


def jtl_xml() -> bytes:
    def line_of(k: int) -> str:
        good = not is_bad(k)
        why = "" if good else f"<failureMessage>{WHY}</failureMessage>"
        checked = f"<assertionResult><name>a</name><failure>{str(not good).lower()}</failure>{why}</assertionResult>"
        start = f'ts="{START_MS + 100 * k}" t="{20 + k % 7}" s="{str(good).lower()}"'
        return f'<httpSample {start} lb="get" rc="200" rm="OK">{checked}</httpSample>'

    return lines(line_of, '<?xml version="1.0"?>', '<testResults version="1.2">') + b"</testResults>\n"


def k6_csv() -> bytes:
    def line_of(k: int) -> str:
        end = "0,1050,false" if is_bad(k) else "200,,true"
        return f"http_req_duration,{(START_MS + 100 * k) // 1000},{20 + k % 7}.5,get,{end}"

    return lines(line_of, "metric_name,timestamp,metric_value,name,status,error_code,expected_response")


def k6_json() -> bytes:
    def line_of(k: int) -> str:
        tags = {"name": "get", "status": "200", "expected_response": "true"}
        if is_bad(k):
            tags = {"name": "get", "status": "0", "error_code": "1050", "expected_response": "false"}
        time = f"2026-09-21T10:00:{k:02}.5Z"
        data = {"time": time, "value": 20.5 + k % 7, "tags": tags}
        return json.dumps({"metric": "http_req_duration", "type": "Point", "data": data})

    return lines(line_of)


def only_flags() -> bytes:
    def line_of(k: int) -> str:
        return f"{START_MS + 100 * k},{20 + k % 7},{str(not is_bad(k)).lower()}"

    return lines(line_of, "timeStamp,elapsed,success")


def analyzed(poolkeeper: CommandLine, folder: Path, name: str, content: bytes) -> dict[str, Any]:
    (folder / name).write_bytes(content)
    found: dict[str, Any] = answer(poolkeeper, folder, f"analyze {name}")
    return found


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("simulation.log", gatling, ("", WHY)),
        ("simulation.log", gatling_binary, ("", WHY)),
        ("a.jtl", jtl, ("200", WHY.replace(",", ""))),
        ("a.xml", jtl_xml, ("200", WHY)),
        ("k6.csv", k6_csv, ("0", "error code 1050")),
        ("k6.json", k6_json, ("0", "error code 1050")),
    ],
)
def test_kinds_of_failures_are_shown_with_all_that_the_rows_tell(
    poolkeeper: CommandLine, tmp_path: Path, name: str, content: Callable[[], bytes], kind: tuple[str, str]
) -> None:
    (found,) = analyzed(poolkeeper, tmp_path, name, content())["results"]["errors"]["errors"]
    assert (found["code"], found["message"], found["count"]) == (*kind, COUNT // 10)


def test_an_assertion_is_kept_where_a_block_ends_within_its_sample(
    poolkeeper: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolkeeper.results.source._BLOCK", 100)
    (kind,) = analyzed(poolkeeper, tmp_path, "a.xml", jtl_xml())["results"]["errors"]["errors"]
    assert (kind["message"], kind["count"]) == (WHY, COUNT // 10)


def test_files_without_kinds_of_failures_say_so(poolkeeper: CommandLine, tmp_path: Path) -> None:
    found = analyzed(poolkeeper, tmp_path, "a.jtl", only_flags())
    assert "errors" not in found["results"]
    assert found["left_out"]["errors"] == "no code nor message tells the kinds of failures"


def test_kinds_of_failures_that_locust_lists_in_another_file_are_shown(poolkeeper: CommandLine, tmp_path: Path) -> None:
    head = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time"
    rows = [f"{head},Max Response Time,Average Content Size,Requests/s,Failures/s,50%"]
    rows += [f"{names},60,6,5,5.5,2,9,10,3.0,0.3,5" for names in ("GET,/a", ",Aggregated")]
    (tmp_path / "t_stats.csv").write_text("\n".join([*rows, ""]))
    kinds = [f'GET,/a,"{WHY}",4,1,2', "GET,/a,HTTPError('503'),2,1,2"]
    (tmp_path / "t_failures.csv").write_text(
        "\n".join(["Method,Name,Error,Occurrences,First Seen,Last Seen", *kinds, ""])
    )
    found = answer(poolkeeper, tmp_path, "analyze t_stats.csv")["results"]["errors"]["errors"]
    assert [(kind["message"], kind["count"]) for kind in found] == [
        (f"GET /a: {WHY}", 4),
        ("GET /a: HTTPError('503')", 2),
    ]
    assert poolkeeper(tmp_path, "analyze t_stats.csv --report page.html").code == 0


def test_statuses_and_errors_of_artillery_are_shown(poolkeeper: CommandLine, tmp_path: Path) -> None:
    counters = {"http.requests": 60, "http.codes.200": 50, "http.codes.503": 6, "errors.ETIMEDOUT": 4}
    times = {"min": 2, "max": 9, "count": 56, "mean": 5, "p50": 5, "median": 5, "p95": 8, "p99": 9}
    whole = {"counters": counters, "rates": {}, "summaries": {"http.response_time": times}, "histograms": {}}
    whole |= {"firstMetricAt": START_MS, "lastMetricAt": START_MS + 60_000}
    (tmp_path / "a.json").write_text(json.dumps({"aggregate": whole, "intermediate": []}))
    found = answer(poolkeeper, tmp_path, "analyze a.json")["results"]["errors"]["errors"]
    assert [(kind["code"], kind["message"], kind["count"]) for kind in found] == [("503", "", 6), ("", "ETIMEDOUT", 4)]


def test_statuses_of_a_report_of_vegeta_are_shown(poolkeeper: CommandLine, tmp_path: Path) -> None:
    times = {"total": 6e8, "mean": 1e7, "50th": 1e7, "90th": 1e7, "95th": 1e7, "99th": 2e7, "max": 3e7, "min": 1e6}
    report = {"latencies": times, "bytes_in": {"total": 1, "mean": 1}, "bytes_out": {"total": 0, "mean": 0}}
    report |= {"duration": 6 * 10**9, "wait": 10**7, "requests": 60, "rate": 10, "throughput": 9, "success": 0.9}
    report |= {"status_codes": {"0": 2, "200": 54, "503": 4}, "errors": [WHY]}
    (tmp_path / "v.json").write_text(json.dumps(report))
    found = answer(poolkeeper, tmp_path, "analyze v.json")["results"]["errors"]["errors"]
    assert [(kind["code"], kind["message"], kind["count"]) for kind in found] == [("503", "", 4), ("", "no status", 2)]


SUMMARIES = Path(__file__).parents[1] / "results" / "files" / "summaries"
HYPERFOIL = b"""Phase,Metric,Start,End,Requests,Responses,Mean,StdDev,Min,p50.0,Max,ConnectionErrors,RequestTimeouts,\
InternalErrors,Invalid,BlockedTime,http.4xx,http.5xx,http.OtherStatus
main,t,1000,3000,60,57,5000000,1000000,100000,4500000,12000000,3,0,0,6,0,1,4,1
"""
OHA = b"""{"summary": {"total": 10, "average": 0.01}, "latencyPercentiles": {"p50": 0.01},
"statusCodeDistribution": {"200": 50, "500": 5}, "errorDistribution": {"refused": 7}}"""
AUTOCANNON = {"latency": {"mean": 12.5, "p50": 10, "max": 90}, "throughput": {"mean": 1}, "connections": 5}


def autocannon(**changes: Any) -> bytes:
    report = AUTOCANNON | {"requests": {"mean": 240, "total": 480, "sent": 485}, "errors": 7, "timeouts": 3}
    report |= {"non2xx": 40, "mismatches": 2, "statusCodeStats": {"200": {"count": 440}, "500": {"count": 40}}}
    return json.dumps(report | changes).encode()


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        (autocannon(), [("500", "", 40), ("", "errors", 4), ("", "timeouts", 3), ("", "mismatches", 2)]),
        ((SUMMARIES / "bombardier.json").read_bytes(), [("5xx", "", 12)]),
        ((SUMMARIES / "h2load.txt").read_bytes(), [("5xx", "", 5)]),
        (
            b"label,avg_rt,fail,succ,throughput,rc_200,rc_503,rc_Refused,rc_0\n,0.01,6,54,9,54,4,2,\n",
            [("503", "", 4), ("", "Refused", 2)],
        ),
        (
            HYPERFOIL,
            [("5xx", "", 4), ("", "errors of connections", 3), ("4xx", "", 1), ("", "another status", 1)],
        ),
        (
            OHA,
            [("", "refused", 7), ("500", "", 5)],
        ),
    ],
)
def test_kinds_of_failures_that_a_summary_states_are_shown(
    poolkeeper: CommandLine, tmp_path: Path, content: bytes, kinds: list[tuple[str, str, int]]
) -> None:
    found = analyzed(poolkeeper, tmp_path, "report", content)["results"]["errors"]["errors"]
    assert [(kind["code"], kind["message"], kind["count"]) for kind in found] == kinds


@pytest.mark.parametrize(
    ("sent", "errors", "more"),
    [
        (500, 0, 15),
        (485, 0, None),  # under way at the end
        (500, 15, None),
        (720, 0, None),  # with a rate the first second counts twice
    ],
)
def test_requests_that_autocannon_does_not_account_for_are_told(
    poolkeeper: CommandLine, tmp_path: Path, sent: int, errors: int, more: int | None
) -> None:
    requests = {"mean": 240, "total": 480, "sent": sent}
    found = analyzed(poolkeeper, tmp_path, "a.json", autocannon(requests=requests, errors=errors, timeouts=0))
    warnings = [text for text in found["warnings"] if "more got no answer" in text]
    assert len(warnings) == (more is not None)
    assert more is None or f"at least {more} more got no answer" in warnings[0]


def test_requests_that_autocannon_counts_twice_at_a_rate_are_not_said_to_lack_an_answer(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    # Of 2,000 a second a slow server answers 240, and all of them: there are more response times than answers.
    latency = json.loads(autocannon())["latency"] | {"totalCount": 9000}
    requests = {"mean": 240, "total": 480, "sent": 2480}
    report = autocannon(requests=requests, latency=latency, errors=0, timeouts=0)
    warnings = " ".join(analyzed(poolkeeper, tmp_path, "a.json", report)["warnings"])
    assert "more got no answer" not in warnings
    assert (
        "of 2,480 requests it sent, 480 are answers and 0 errors; with a rate it counts those of its first" in warnings
    )


def test_failures_of_reports_that_do_not_tell_their_kinds_are_counted(poolkeeper: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(autocannon(errors=0, timeouts=0, mismatches=0))
    metrics = {"http_req_duration": {"avg": 1, "med": 1, "max": 2}, "http_reqs": {"count": 200, "rate": 20}}
    (tmp_path / "k6.json").write_text(json.dumps({"metrics": metrics | {"http_req_failed": {"passes": 9}}}))
    text = poolkeeper(tmp_path, "analyze a.json k6.json").out
    assert "note: the results do not tell the kinds of 9 more failures" in text
