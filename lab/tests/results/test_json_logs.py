"""Access logs with an object of JSON a line: when requests began, how long they took, and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper import results
from poolkeeper.errors import PoolkeeperError
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

TEN = datetime(2026, 1, 1, 10, tzinfo=UTC).timestamp()
NGINX = {"time_iso8601": "2026-01-01T12:00:02+02:00", "request": "GET /a?b=1 HTTP/1.1", "status": "200"}
CADDY = {"level": "info", "logger": "http.log.access.log0", "msg": "handled request"}
ASKED = {"request": {"method": "GET", "uri": "/a?b=1", "headers": {"User-Agent": ['c "d" \\']}}}
TRAEFIK = {"RequestMethod": "GET", "RequestPath": "/a?b", "ServiceName": "s@file", "Overhead": 9}
ENVOY = {"method": "GET", "path": "/a?b=1", "response_flags": "-", "authority": "h"}


def lines(*rows: dict[str, Any] | str) -> str:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)


def read(folder: Path, text: str) -> results.Results:
    file = folder / "log"
    file.write_text(text, encoding="utf-8", newline="")
    return results.read(file)


def rows(found: results.Results) -> list[tuple[float, float, bool, str, str]]:
    """Begin in seconds after ten o'clock, response time in ms, success, label and code."""
    frame = found.frame.select("start_ns", "response_ns", "ok", "label", "code").collect().rows()
    return [(round(start / 1e9 - TEN, 6), time / 1e6, ok, label, code) for start, time, ok, label, code in frame]


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(PoolkeeperError) as caught:
        read(folder, text).warnings  # noqa: B018 - reads the file
    return str(caught.value)


SERVERS = {
    "nginx": lines(
        NGINX | {"request_time": "0.250"},
        NGINX | {"request_time": "2.000", "status": "499", "request": ""},
    ),
    "nginx with numbers": lines(
        '{"msec":1767261602.000,"request_method":"GET","uri":"/a","status":200,"request_time":0.250}',
        '{"msec":1767261602.000,"request_method":"","uri":"","status":499,"request_time":2.000}',
    ),
    "nginx with a common date": lines(
        {"time_local": "01/Jan/2026:07:00:02 -0300", "request_time": "0.250", "status": "200", "request": "GET /a"},
        {"time_local": "01/Jan/2026:07:00:02 -0300", "request_time": "2.000", "status": "499", "request": "-"},
    ),
    "Caddy": lines(
        {"level": "info", "ts": TEN, "msg": "serving initial configuration"},
        CADDY | {"ts": TEN + 2.0} | ASKED | {"duration": 0.25, "status": 200, "size": 7},
        CADDY | {"ts": TEN + 2.0, "request": {}, "duration": 2.0, "status": 499, "size": 0},
    ),
    "Caddy with dates": lines(
        CADDY | {"ts": "2026-01-01T10:00:02Z"} | ASKED | {"duration": 0.25, "status": 200, "size": 7},
        CADDY | {"ts": "2026-01-01T10:00:02.000Z", "request": {}, "duration": 2.0, "status": 499, "size": 0},
    ),
    "Caddy with milliseconds": lines(
        CADDY | {"ts": (TEN + 2) * 1000} | ASKED | {"duration": 0.25, "status": 200, "size": 7},
        CADDY | {"ts": (TEN + 2) * 1000, "request": {}, "duration": 2.0, "status": 499, "size": 0},
    ),
    "Traefik": lines(
        TRAEFIK | {"StartUTC": "2026-01-01T10:00:01.75Z", "Duration": 250_000_000, "DownstreamStatus": 200},
        {"RequestMethod": "", "StartUTC": "2026-01-01T10:00:00Z", "Duration": 2_000_000_000, "DownstreamStatus": 499},
    ),
    "Envoy": lines(
        ENVOY | {"start_time": "2026-01-01T10:00:01.750Z", "duration": 250, "response_code": 200},
        {"start_time": "2026-01-01T10:00:00.000Z", "duration": 2000, "response_code": 499, "response_flags": "DC"}
        | {"method": "", "path": ""},
        {"start_time": "2026-01-01T10:00:00.000Z", "duration": 90_000, "response_code": 0, "response_flags": "-"}
        | {"method": None},
    ),
}


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("layout", ["as it is", "carriage returns", "with a mark", "blank lines"])
def test_requests_begin_when_they_were_sent(tmp_path: Path, server: str, layout: str) -> None:
    text = SERVERS[server]
    if layout == "carriage returns":
        text = text.replace("\n", "\r\n")
    elif layout == "with a mark":
        text = f"\ufeff{text}"
    elif layout == "blank lines":
        text = text.replace("\n", "\n\n")
    found = read(tmp_path, text)
    assert rows(found) == [(1.75, 250, True, "GET /a", "200"), (0, 2000, False, "", "499")]
    left_out = [str(warning) for warning in found.warnings if "no requests" in str(warning)]
    assert bool(left_out) == (server in {"Caddy", "Envoy"})


def test_several_files_and_packed_ones_make_one_log(tmp_path: Path) -> None:
    for name in ("log.1", "log"):
        (tmp_path / name).write_text(SERVERS["nginx"], encoding="utf-8")
    assert results.read([tmp_path / "log.1", tmp_path / "log"]).survey().digest.count == 4


CUT = {
    "cut": SERVERS["nginx"] + SERVERS["nginx"][:40] + "\n" + SERVERS["nginx"],
    "joined": SERVERS["nginx"] + SERVERS["nginx"].replace("\n", "") + "\n" + SERVERS["nginx"],
    "other lines": SERVERS["nginx"] + "10.0.0.1 - - [01/Jan/2026:10:00:00 +0000] x\n" + SERVERS["nginx"],
    "without escapes": SERVERS["nginx"] + SERVERS["nginx"].replace("/a", r"/\x22a"),
}


@pytest.mark.parametrize("case", CUT)
def test_a_line_that_is_not_json_stops_the_reading(tmp_path: Path, case: str) -> None:
    message = refusal(tmp_path, CUT[case])
    assert "line 3: is not JSON" in message
    assert "escape=json" in message


@pytest.mark.parametrize(
    "row",
    [
        NGINX | {"request_time": "-"},
        NGINX | {"request_time": "1.000", "time_iso8601": "yesterday"},
        NGINX | {"request_time": "1.000", "status": "2x0"},
        {"request_time": "1.000"},
    ],
)
def test_a_request_without_time_or_date_stops_the_reading(tmp_path: Path, row: dict[str, Any]) -> None:
    assert "line 3: is a request of nginx without a response time, date or status" in refusal(
        tmp_path, SERVERS["nginx"] + lines(row)
    )


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, (SERVERS["nginx"] * 2)[:-9])
    assert len(rows(found)) == 3
    assert any("cut off" in str(warning) for warning in found.warnings)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"time": "2026-01-01T10:00:00Z", "duration": 12.5, "status": 200}, "numbers are duration and status"),
        ({"request_time": 12.5, "remote_addr": "::1", "status": 200}, "jq -r '.request_time // empty'"),
        ({"request_time": 12, "status": 200}, "jq -r '.request_time // empty'"),
        ({"request_time": "1666604392000", "response_time": "14"}, "jq -r"),
        (CADDY | {"ts": TEN} | ASKED | {"duration": 12, "status": 200}, "numbers are ts, duration and status"),
        ({"log": "GET / 200 0.1\n", "stream": "stdout", "time": "2026-01-01T10:00:00Z"}, "jq -j .log FILE"),
    ],
)
def test_names_that_leave_the_meaning_open_are_refused(tmp_path: Path, row: dict[str, Any], words: str) -> None:
    assert words in refusal(tmp_path, lines(row, row))


def test_numbers_between_blanks_within_json_are_no_column(tmp_path: Path) -> None:
    assert "has an object of JSON a line" in refusal(tmp_path, '{ "at" : 1.5 , "took" : 12 }\n' * 3)


@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_of_objects_names_its_numbers(tmp_path: Path, indent: int | None) -> None:
    rows = [{"at": 1700000000000 + place, "took": 12 + place, "path": "/"} for place in range(50)]
    words = refusal(tmp_path, json.dumps(rows, indent=indent))
    assert "is a list of objects in JSON; write the response times alone: jq -r '.[].NAME // empty' FILE" in words
    assert words.endswith("(numbers are at and took)")


def test_a_format_that_is_asked_for_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("1\n2\n", encoding="utf-8")
    with pytest.raises(FileError, match="is not json-log"):
        results.read(tmp_path / "log", format="json-log")


def test_caddy_with_another_encoder_of_durations_from_some_line_on_is_refused(tmp_path: Path) -> None:
    row = CADDY | {"ts": TEN} | ASKED | {"status": 200}
    assert (
        len(rows(read(tmp_path, lines(row | {"duration": 0.25}, row | {"duration": 0}, row | {"duration": 1e-5})))) == 3
    )
    for whole in (45, 45_917_000):
        words = refusal(tmp_path, lines(row | {"duration": 0.25}, row | {"duration": whole}))
        assert "line 2: is a request of Caddy without a response time" in words


def test_a_connection_of_websocket_is_no_failed_request(tmp_path: Path) -> None:
    found = read(
        tmp_path, lines(NGINX | {"request_time": "0.250"}, NGINX | {"request_time": "3600.0", "status": "101"})
    )
    assert [code for *_, code in rows(found)] == ["200"]
    assert [str(warning) for warning in found.warnings] == ["log: lines left out, as they are no requests: 1"]
