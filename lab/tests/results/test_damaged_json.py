"""Lines of JSON that are damaged in the midst of a file: each stops the reading, whatever it was of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

FILES = Path(__file__).parent / "files"
TAGS = {"expected_response": "true", "group": "", "name": "http://a/?b=1&c=2", "status": "200"}


def point(metric: str, value: float = 12.5, tags: Any = TAGS, **more: Any) -> str:
    data = {"time": "2026-01-01T10:00:00.5+02:00", "value": value, "tags": tags, **more}
    # As Go writes it: without blanks, and with & as an escape.
    return json.dumps({"metric": metric, "type": "Point", "data": data}, separators=(",", ":")).replace("&", r"\u0026")


REQUEST = point("http_req_duration")
WHOLE = {
    "as k6 writes it": point("http_req_waiting"),
    "with metadata": point("http_req_waiting", metadata={"trace": "1"}),
    "without tags": point("vus", 5, None),
    "with a number among the tags": point("http_req_waiting", tags={"status": 200}),
    "with a quotation mark": point("http_req_waiting", tags={"name": 'a "b" \\'}),
    "a very small value": point("http_req_waiting", 1e-7),
    "with blanks": json.dumps(json.loads(point("http_req_waiting"))),
    "a metric": '{"type":"Metric","data":{"name":"vus","type":"gauge","thresholds":[]},"metric":"vus"}',
}
DAMAGED = {
    "a hole in the tags": point("http_req_waiting").replace('"group":"","name":', '{"expectags":'),
    "a hole within a word": point("http_req_waiting").replace('cted_response":"true"', "", 1),
    "two lines in one": point("http_req_waiting")[:90] + REQUEST[60:],
    "a value of two": point("http_req_waiting").replace("12.5", "12.512.5"),
    "no line of k6": '{"a": 1}',
    "a list": "[1, 2]",
}


def put(folder: Path, line: str) -> Path:
    file = folder / "k6.json"
    file.write_text("\n".join([*[REQUEST] * 30, line, *[REQUEST] * 30, ""]), encoding="utf-8")
    return file


@pytest.mark.parametrize("case", WHOLE)
def test_lines_of_any_layout_are_whole(tmp_path: Path, case: str) -> None:
    assert results.read(put(tmp_path, WHOLE[case])).digest().count == 60


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_line_stops_the_reading(tmp_path: Path, case: str) -> None:
    with pytest.raises(FileError, match=r"line 31: is not (JSON|a line of k6)"):
        results.read(put(tmp_path, DAMAGED[case])).digest()


def test_a_hole_anywhere_in_a_file_of_k6_is_told(tmp_path: Path) -> None:
    whole = (FILES / "k6.json").read_bytes()
    ends = [place for place, byte in enumerate(whole) if byte == ord("\n")]
    file = tmp_path / "k6.json"
    checked = 0
    for begin in range(ends[9] + 40, ends[60], 997):
        text = whole[:begin] + whole[begin + 1500 :]
        line = text[:begin].rpartition(b"\n")[2] + text[begin:].partition(b"\n")[0]
        try:
            json.loads(line)
        except ValueError:
            file.write_bytes(text)
            with pytest.raises(FileError, match="is not JSON"):
                results.read(file).digest()
            checked += 1
    assert checked > 5


def test_a_damaged_hit_of_vegeta_stops_the_reading(tmp_path: Path) -> None:
    hit = {"attack": "", "seq": 1, "code": 200, "timestamp": "2026-01-01T10:00:00.5Z", "latency": 1000, "error": ""}
    text = json.dumps({**hit, "bytes_in": 1, "bytes_out": 1, "method": "GET", "url": "http://a/"})
    file = tmp_path / "hits.json"
    file.write_text("\n".join([*[text] * 9, text.replace('"error": "", ', '"err'), *[text] * 9, ""]), encoding="utf-8")
    with pytest.raises(FileError, match="line 10: is not JSON"):
        results.read(file).digest()
