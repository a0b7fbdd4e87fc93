"""Access logs of servers: when requests began and how long they took, by what their writers say each time means."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

TEN = datetime(2026, 1, 1, 10, tzinfo=UTC).timestamp()
SYSLOG = "Jan  1 10:00:00 lb haproxy[12]: "
HAPROXY = f"{SYSLOG}10.0.0.7:50123 [01/Jan/2026:10:00:01.250] fe~ be/s1"
HAPROXY_REST = "- - ---- 1/1/0/0/0 0/0"
ENVOY = '[2026-01-01T10:00:01.250Z] "GET /a?b=1 HTTP/1.1"'
ALB = "app/my/50dc 192.0.2.39:2817 10.0.0.1:80"
ALB_REST = '34 366 "GET http://a:80/x?q=1 HTTP/1.1" "curl/7" - - arn:aws:x "Root=1-58" "-" "-" 0'
IIS = "#Software: Internet Information Services\r\n#Fields: date time cs-method cs-uri-stem sc-status time-taken\r\n"
CLOUDFRONT = "#Version: 1.0\n#Fields: date time sc-bytes cs-method cs-uri-stem sc-status time-taken\n"
NGINX = '10.0.0.1 - - [01/Jan/2026:10:00:0{} +0000] "GET /a?b=1 HTTP/1.1" {} 612 "-" "curl/7 (a b)" {}\n'
APACHE = '10.0.0.1 - - [01/Jan/2026:11:00:0{} +0100] "GET /a?b=1 HTTP/1.1" {} - {}\n'


def read(folder: Path, text: str, **options: Any) -> results.Results:
    file = folder / "log"
    file.write_text(text, encoding="utf-8", newline="")
    return results.read(file, **options)


def rows(read: results.Results) -> list[tuple[float, float, bool, str, str]]:
    """Begin in seconds after ten o'clock, response time in ms, success, label and code."""
    found = read.frame.select("start_ns", "response_ns", "ok", "label", "code").collect().rows()
    return [
        (round(start / 1e9 - TEN, 6), response / 1e6, ok, label, code) for start, response, ok, label, code in found
    ]


def warnings(read: results.Results) -> list[str]:
    return [str(warning) for warning in read.warnings]


def refusal(folder: Path, text: str, **options: Any) -> str:
    with pytest.raises(FileError) as caught:
        read(folder, text, **options).warnings  # noqa: B018 - reads the file
    return str(caught.value)


def test_haproxy_begins_a_request_with_its_first_byte(tmp_path: Path) -> None:
    text = (
        f"{SYSLOG}Proxy fe started.\n"
        f'{HAPROXY} 1/0/0/58/60 200 612 {HAPROXY_REST} {{-,"",""}} {{}} "GET /1/2/3/4/5?200 HTTP/1.1"\n'
        f'{HAPROXY.removeprefix(SYSLOG)} 0/0/0/-1/3000 504 198 - - sH-- 1/1/0/0/0 0/0 "POST /b HTTP/1.1"\n'
        f'{HAPROXY} 0/0/0/9/10 200 612 - - CDNI 1/1/0/0/+3 0/0 "GET /cut'
        "\n"
        f'{HAPROXY} -1/-1/-1/-1/7 400 0 - - PR-- 1/1/0/0/0 0/0 "<BADREQ>"\n'
    )
    found = read(tmp_path, text)
    assert rows(found) == [
        (1.25, 60, True, "GET /1/2/3/4/5", "200"),
        (1.25, 3000, False, "POST /b", "504"),
        (1.25, 10, False, "GET /cut", "200"),
        (1.25, 7, False, "", "400"),
    ]
    assert found.frame.select("message").collect()["message"].to_list()[1:3] == ["ended as sH", "ended as CD"]
    assert "log: lines left out, as they are no requests: 1" in warnings(found)
    assert "log: its times are dates without a time zone, taken as UTC" in warnings(found)


def test_traefik_escapes_quotation_marks(tmp_path: Path) -> None:
    line = (
        '10.0.0.1 - - [01/Jan/2026:10:00:01 +0000] "GET /a?b HTTP/1.1" 200 9 "-" "{}" 1 "r@file" "http://b:80" 60ms\n'
    )
    found = read(tmp_path, line.format("curl") + line.format(r"a \"b\" c"))
    assert rows(found) == [(1, 60, True, "GET /a", "200")] * 2


def test_haproxy_has_no_response_time_of_what_it_logs_before_its_end(tmp_path: Path) -> None:
    line = '{} 0/0/0/58/{} 200 612 {} "GET /a HTTP/1.1"\n'
    found = read(tmp_path, line.format(HAPROXY, 60, HAPROXY_REST) + line.format(HAPROXY, "+60", HAPROXY_REST))
    assert [row[1] for row in rows(found)] == [60]
    assert any("1 request without a response time" in words for words in warnings(found))


def test_a_line_of_haproxy_that_was_torn_before_its_timers_is_seen_within_the_next(tmp_path: Path) -> None:
    """Its request was lost without a word, as the line of the next one hid it."""
    whole = f'{HAPROXY} 0/0/0/9/10 200 612 {HAPROXY_REST} "GET /a HTTP/1.1"\n'
    found = read(tmp_path, f"{whole}{whole[:70]}{whole}{whole}")
    with pytest.raises(FileError, match="line 2: holds more than one request"):
        found.values()


def test_haproxy_whose_first_timer_is_the_most_is_told_to_count_idle_connections(tmp_path: Path) -> None:
    line = '{} {}/0/0/10/{} 200 612 {} "GET /a HTTP/1.1"\n'
    idle = read(tmp_path, line.format(HAPROXY, 900, 910, HAPROXY_REST) * 3)
    assert any("the first timer is most of the time" in words for words in warnings(idle))
    busy = read(tmp_path, line.format(HAPROXY, 1, 11, HAPROXY_REST) * 3)
    assert not any("first timer" in words for words in warnings(busy))


def test_a_request_of_haproxy_that_was_cut_stops_the_reading(tmp_path: Path) -> None:
    whole = f'{HAPROXY} 1/0/0/58/60 200 612 {HAPROXY_REST} "GET /a HTTP/1.1"\n'
    words = refusal(tmp_path, whole + f"{HAPROXY} 1/0/0/58/60 200\n" + whole)
    assert "log: line 2: is a request, but not in the default format of HAProxy" in words


def test_envoy_counts_from_the_start_of_a_request(tmp_path: Path) -> None:
    text = (
        "2026-01-01T10:00:00.1Z info starting\n"
        f'Jan 01 10:00:00 host bash[4184]: {ENVOY} 200 - 0 100 72 64 "-" "curl/7 (a)" "4c1a" "h" "10.0.0.1:80"\n'
        f'{ENVOY} 503 UH no_healthy_upstream - "-" 0 19 0 - "-" "curl/7" "4c1a" "h" "-" - - 10.0.0.1:80\n'
        '[2026-01-01T10:00:02.000Z] "- - -" 0 - - - "-" 1270 1178 28 - "-" "-" "-" "-" "10.0.0.1:443"\n'
    )
    found = read(tmp_path, text)
    assert rows(found) == [(1.25, 72, True, "GET /a", "200"), (1.25, 0, False, "GET /a", "503")]
    assert "log: lines left out, as they are no requests: 2" in warnings(found)


def test_a_load_balancer_of_aws_counts_from_the_receipt_on(tmp_path: Path) -> None:
    text = (
        f'h2 2026-01-01T10:00:01.300641Z {ALB} 0.001 0.047 0.002 200 200 {ALB_REST} 2026-01-01T10:00:01.250000Z "f"\n'
        f'http 2026-01-01T10:01:01.250000Z {ALB} -1 -1 -1 504 - {ALB_REST} 2026-01-01T10:00:01.250000Z "f"\n'
        f'wss 2026-01-01T10:01:01.250000Z {ALB} 0.001 59.0 0.000 101 101 {ALB_REST} 2026-01-01T10:00:01.250000Z "f"\n'
        f'http 2026-01-01T10:00:01.300000Z {ALB} 0.001 0.047 0.002 200 200 34 366 "GET http://a:80/x HTTP/1.1"\n'
    )
    found = read(tmp_path, text)
    assert rows(found) == [
        (1.25, 50, True, "GET http://a:80/x", "200"),
        (1.25, 60_000, False, "GET http://a:80/x", "504"),
        (1.25, 50, True, "GET http://a:80/x", "200"),
    ]
    assert "log: lines left out, as they are no requests: 1" in warnings(found)


ELB = "2026-01-01T10:00:01.250000Z my-lb 192.0.2.39:2817"


def test_a_classic_load_balancer_has_no_time_of_what_no_instance_answered(tmp_path: Path) -> None:
    text = (
        f'{ELB} 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://a:80/x?q=1 HTTP/1.1" "curl/7" - -\n'
        f'{ELB} 10.0.0.1:80 0.001 0.047 0.002 500 500 0 29 "GET http://a:80/x HTTP/1.1"\n'
        f'{ELB} - -1 -1 -1 504 0 0 29 "GET http://a:80/x HTTP/1.1" "curl/7" - -\n'
        f'{ELB} 10.0.0.1:80 0.001069 0.000028 0.000041 - - 82 305 "- - - " "-" - -\n'
    )
    found = read(tmp_path, text)
    assert rows(found) == [
        (1.25, 1.178, True, "GET http://a:80/x", "200"),
        (1.25, 50, False, "GET http://a:80/x", "500"),
        (1.25, 0, False, "GET http://a:80/x", ""),
    ]
    assert found.cut(answered=True).digest().count == 2
    assert "log: lines left out, as they are no requests: 1" in warnings(found)
    assert (
        refusal(tmp_path, text.replace("0.047", "x")).count("line 2: is a request, but not in the default format") == 1
    )


def test_traefik_counts_from_the_start_for_the_last_column(tmp_path: Path) -> None:
    begin = '10.0.0.1 - - [01/Jan/2026:11:00:0{} +0100] "GET /a?b=1 HTTP/1.1"'
    line = begin + ' {} 423 "-" "curl/7" {} "web@docker" "{}" {}ms\n'
    found = read(tmp_path, line.format(1, 200, 1, "http://172.17.0.3:80", 12) + line.format(0, 502, 2, "-", 3000))
    assert found.format == "Traefik (access log)"
    assert rows(found) == [(1, 12, True, "GET /a", "200"), (0, 3000, False, "GET /a", "502")]


def test_w3c_stamps_the_end_in_milliseconds_of_iis_and_seconds_of_cloudfront(tmp_path: Path) -> None:
    iis = read(
        tmp_path, f"{IIS}2026-01-01 10:00:02 GET /a 200 750\r\n#Date: x\r\n2026-01-01 10:00:02 GET /b 500 31\r\n"
    )
    assert rows(iis) == [(1.25, 750, True, "GET /a", "200"), (1.969, 31, False, "GET /b", "500")]
    assert warnings(iis) == []
    row = "2026-01-01\t10:00:02\t100\tGET\t/a\t200\t{}\n"
    cloudfront = read(tmp_path, CLOUDFRONT + row.format("0.750") + row.format("1.000"))
    assert [row[:2] for row in rows(cloudfront)] == [(1.25, 750), (1, 1000)]


def test_w3c_whose_fields_change_or_whose_lines_do_not_fit_is_refused(tmp_path: Path) -> None:
    text = f"{IIS}2026-01-01 10:00:02 GET /a 200 750\r\n"
    other = "#Fields: date time cs-method time-taken\r\n2026-01-01 10:00:02 GET 31\r\n"
    assert "line 4: names other fields than before: split the file there" in refusal(tmp_path, text + other)
    assert "line 4: is a request, but not in the default format" in refusal(
        tmp_path, f"{text}2026-01-01 10:00:02 GET\r\n"
    )


def test_access_logs_have_times_labels_and_failures_beside_the_column(tmp_path: Path) -> None:
    text = NGINX.format(1, 200, "0.250") + NGINX.format(4, 502, "3.000") + NGINX.format(4, 304, "0.000")
    found = read(tmp_path, text, column=10, unit="s")
    assert found.format == "access log"
    assert rows(found) == [
        (0.75, 250, True, "GET /a", "200"),
        (1, 3000, False, "GET /a", "502"),
        (4, 0, True, "GET /a", "304"),
    ]
    assert warnings(found) == []


def test_a_response_time_of_an_access_log_that_cannot_be_counted_is_left_out_and_told(tmp_path: Path) -> None:
    """It was said to lack a cell, without its line."""
    line = '1.2.3.4 - - [01/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 9 "-" "x" {}\n'
    found = read(tmp_path, line.format(0.25) * 3 + line.format("99999999999999999999.0"), column=10, unit="s")
    assert found.values().tolist() == [250_000_000] * 3
    assert any("beyond 292 years" in str(warning) for warning in found.warnings)


def test_access_logs_whose_times_go_back_by_the_response_times_have_those_of_beginnings(tmp_path: Path) -> None:
    text = APACHE.format(3, 200, 67_000) + APACHE.format(0, 200, 5_000_000) + APACHE.format(5, 500, 1000)
    found = read(tmp_path, text, column=8, unit="us")
    assert [row[:3] for row in rows(found)] == [(3, 67, True), (0, 5000, True), (5, 1, False)]


def test_a_line_of_an_access_log_without_a_date_is_named(tmp_path: Path) -> None:
    text = APACHE.format(3, 200, 67_000) * 2
    words = refusal(tmp_path, text + APACHE.format(3, 200, 1).replace("Jan", "Foo"), column=8, unit="us")
    assert "log: line 3: has no date as in [01/Jan/2026:10:00:00 +0000]" in words


@pytest.mark.parametrize("server", ["nginx", "Apache"])
def test_a_few_long_requests_tell_when_requests_are_stamped(tmp_path: Path, server: str) -> None:
    rows_ = [(20 * place, 30 + place * 37 % 200) for place in range(3000)]
    rows_ += [(10_000 + 4000 * place, 5000) for place in range(5)]
    rows_.sort(key=sum)
    lines = []
    for begin, took in rows_:
        stamp = datetime.fromtimestamp(TEN + (begin if server == "Apache" else begin + took) // 1000, UTC)
        lines.append(f'::1 - - [{stamp:%d/%b/%Y:%H:%M:%S} +0000] "GET / HTTP/1.1" 200 5 {took / 1000:.3f}\n')
    found = read(tmp_path, "".join(lines), column="column 8", unit="s")
    long = [begin for begin, took, *_ in rows(found) if took == 5000]
    assert long == [10 + 4 * place for place in range(5)]


def test_a_text_of_apache_may_hold_quotation_marks(tmp_path: Path) -> None:
    line = '::1 - - [01/Jan/2026:10:00:01 +0000] "GET /a?{0} HTTP/1.1" 200 5 "{0}" 60\n'
    texts = ("plain", r"a \"b c\" d", r"\"x\"", r"a\"b", r"back\\")
    found = read(tmp_path, "".join(map(line.format, texts)), column="9", unit="ms")
    assert [row[1:] for row in rows(found)] == [(60, True, "GET /a", "200")] * len(texts)
    message = refusal(tmp_path, line.format("a") + line.format('b" c'), column="9", unit="ms")
    assert "line 2: has " in message
    damaged = line.format("a").replace(" 200 ", ' 2"00 ')
    message = refusal(tmp_path, line.format("a") + damaged, column="9", unit="ms")
    assert "line 2: has no status" in message


def test_a_last_line_without_its_end_was_being_written(tmp_path: Path) -> None:
    line = NGINX.format(1, 200, "1.234")
    found = read(tmp_path, line + line[:-3], column="10", unit="s")
    assert [row[1] for row in rows(found)] == [1234]
    assert any("the last line is cut off" in words for words in warnings(found))
    found = read(tmp_path, f"{IIS}2026-01-01 10:00:01 GET / 200 1234\r\n2026-01-01 10:00:01 GET / 200 12")
    assert [row[1] for row in rows(found)] == [1234]


JOINED = {
    "HAProxy": f'{HAPROXY} 1/0/0/58/60 200 612 {HAPROXY_REST} "GET /a HTTP/1.1"',
    "Envoy": f'{ENVOY} 200 - 0 5 60 58 "-" "curl" "id" "h" "10.0.0.1:80"',
    "a load balancer": f"https 2026-01-01T10:00:01.3Z {ALB} 0.000 0.060 0.000 200 200 {ALB_REST}",
    "a classic load balancer": f'{ELB} 10.0.0.1:80 0.000 0.060 0.000 200 200 0 9 "GET http://a:80/x HTTP/1.1"',
    "Traefik": '::1 - - [01/Jan/2026:10:00:01 +0000] "GET /a HTTP/1.1" 200 9 "-" "c" 1 "r@file" "http://b:80" 60ms',
    "CloudFront": f"{CLOUDFRONT}2026-01-01\t10:00:01\t12\tGET\t/a\t200\t0.060",
}


@pytest.mark.parametrize("server", JOINED)
def test_two_requests_in_a_line_stop_the_reading(tmp_path: Path, server: str) -> None:
    head, _, line = JOINED[server].rpartition("\n")
    head += "\n" if head else ""
    assert len(rows(read(tmp_path, f"{head}{line}\n{line}\n"))) == 2
    assert "line" in refusal(tmp_path, f"{head}{line}\n{line}{line}\n{line}\n")


SWITCHED = {
    "haproxy": f'{HAPROXY} 0/0/1/2/3600000 101 9 {HAPROXY_REST} "GET /ws HTTP/1.1"\n',
    "envoy": f'{ENVOY} 101 - 0 9 3600000 - "-" "c" "i" "h" "10.0.0.1:80"\n',
    "traefik": (
        '10.0.0.1 - - [01/Jan/2026:10:00:01 +0000] "GET /ws HTTP/1.1" 101 9 "-" "c" 1 "r@f" "http://b" 3600000ms\n'
    ),
    "iis": IIS + "2026-01-01 10:00:02 GET /ws 101 3600000\r\n",
    "nginx": NGINX.format(2, 101, "3600.000"),
}


@pytest.mark.parametrize("server", SWITCHED)
def test_a_connection_of_websocket_is_no_failed_request(tmp_path: Path, server: str) -> None:
    """It lasts as long as it is open, with a status of 101."""
    line = SWITCHED[server]
    found = read(
        tmp_path,
        line + line.splitlines(keepends=True)[-1].replace(" 101 ", " 200 "),
        **({"column": 10, "unit": "s"} if server == "nginx" else {}),
    )
    assert [(ok, code) for _, _, ok, _, code in rows(found)] == [(True, "200")]
    left_out = [text for text in warnings(found) if "left out" in text]
    assert len(left_out) == 1
    assert left_out[0].endswith(": 1")


def test_a_number_with_decimals_is_sooner_a_response_time_than_a_length(tmp_path: Path) -> None:
    """ingress-nginx writes the length of a request before its time."""
    line = NGINX.format(1, 200, "432 0.250 [svc] [] 10.1.2.3:80 612 0.250 200 0af3")
    assert "--column 11 --unit s" in refusal(tmp_path, line * 3)
