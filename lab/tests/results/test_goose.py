"""Request logs of Goose: each request counts once, with the outcome that the test gave it last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper import results
from poolkeeper.errors import PoolkeeperError
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path


def row(elapsed: int, time: int, **more: Any) -> dict[str, Any]:
    return {
        "elapsed": elapsed,
        "raw": {"method": "Get", "url": "http://h/a"},
        "name": "home",
        "final_url": "http://h/a",
        "response_time": time,
        "status_code": 200,
        "success": True,
        "update": False,
        "user": 1,
        "error": "",
        "coordinated_omission_elapsed": 0,
    } | more


def put(folder: Path, *rows: dict[str, Any], end: str = "\n") -> Path:
    file = folder / "requests.json"
    file.write_text("\n".join(map(json.dumps, rows)) + end, encoding="utf-8")
    return file


def test_a_request_that_was_marked_later_counts_once(tmp_path: Path) -> None:
    marked = {"success": False, "error": "no title"}
    file = put(
        tmp_path,
        row(10, 5),
        row(20, 7),
        row(20, 7, user=2),
        row(20, 7, update=True, **marked),
        row(30, 9, status_code=0, success=False, error="refused"),
        row(40, 90, coordinated_omission_elapsed=85),
    )
    found = results.read(file)
    columns = ("start_ns", "response_ns", "ok", "label", "code", "message")
    assert found.frame.select(columns).collect().rows() == [
        (10_000_000, 5_000_000, True, "GET home", "200", ""),
        (20_000_000, 7_000_000, False, "GET home", "200", "no title"),
        (20_000_000, 7_000_000, True, "GET home", "200", ""),
        (30_000_000, 9_000_000, False, "GET home", "", "refused"),
    ]
    words = "requests.json: rows left out, of requests that Goose could not send in time: 1"
    assert words in map(str, found.warnings)


def test_a_request_of_an_earlier_version_has_its_method_beside(tmp_path: Path) -> None:
    older = {name: value for name, value in row(10, 5).items() if name != "raw"} | {"method": "Post"}
    assert results.read(put(tmp_path, older)).frame.select("label").collect()["label"].to_list() == ["POST home"]


def test_what_is_cut_is_told_or_refused(tmp_path: Path) -> None:
    found = results.read(put(tmp_path, row(10, 5), end="\n" + json.dumps(row(20, 6))[:50]))
    assert found.survey().digest.count == 1
    assert any("cut off" in str(warning) for warning in found.warnings)
    assert results.read(put(tmp_path, row(10, 5), row(20, 6), end="")).survey().digest.count == 2
    with pytest.raises(FileError, match=r"line 1: is no request of Goose: it took 10{16} ms"):
        results.read(put(tmp_path, row(10, 10**16)))
    with pytest.raises(FileError, match="line 2: is no request of Goose: it has no 'elapsed'"):
        results.read(put(tmp_path, row(10, 5), {"a": 1}))


@pytest.mark.parametrize("column", [None, "response_time"])
def test_the_csv_would_count_twice(tmp_path: Path, column: str | None) -> None:
    file = tmp_path / "requests.csv"
    names = "elapsed,raw,name,final_url,redirected,response_time,status_code,success,update,user,error"
    file.write_text(
        f"{names},coordinated_omission_elapsed,user_cadence\n1,r,n,u,false,5,200,true,false,1,,0,0\n", "utf-8"
    )
    with pytest.raises(PoolkeeperError, match="--request-format json"):
        results.read(file, column=column)
