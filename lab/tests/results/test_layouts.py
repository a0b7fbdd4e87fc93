"""Files of any layout that their grammar allows give the same answer: CSV and JSON a line."""

from __future__ import annotations

import csv
import io
import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

FILES = Path(__file__).parent / "files"
DOUBTS = {"count", "cut off", "truncated", "no response time", "no time", "appended"}


def content(file: Path) -> list[dict[str, Any]]:
    found = results.read(file)
    return found.frame.select([name for name in found.columns if name != "file"]).collect().to_dicts()


def doubts(file: Path) -> set[str]:
    return {finding.kind for finding in results.read(file).warnings} & DOUBTS


def relaid_csv(text: str, seed: int, *, named: bool = True) -> bytes:
    """The same cells with other separators, quotation marks and line ends, a mark before them, blank lines after them.

    Columns that are named may stand in any order.
    """
    chance = random.Random(seed)
    quoting: Literal[0, 1] = csv.QUOTE_ALL if chance.random() < 0.5 else csv.QUOTE_MINIMAL
    end, separator = chance.choice(["\n", "\r\n"]), chance.choice(",;\t")
    out = io.StringIO()
    rows = list(csv.reader(io.StringIO(text)))
    order = list(range(len(rows[0])))
    if named and chance.random() < 0.5:
        chance.shuffle(order)
    body = csv.writer(out, lineterminator=end, quoting=quoting, delimiter=separator)
    body.writerows([row[place] for place in order] for row in rows)
    written = out.getvalue() + end * chance.choice([0, 1, 3])
    if chance.random() < 0.3:
        written = written.rstrip("\r\n")
    mark = chance.choice([b"", b"\xef\xbb\xbf"])
    return mark + written.encode()


def relaid_json(text: str, seed: int) -> bytes:
    """The same objects with their keys in another order, other spaces, and other line ends."""
    chance = random.Random(seed)

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            names = list(value)
            chance.shuffle(names)
            return {name: shuffled(value[name]) for name in names}
        return value

    separators = chance.choice([(",", ":"), (", ", ": "), (" , ", " : ")])
    end = chance.choice(["\n", "\r\n"])
    lines = [
        json.dumps(shuffled(json.loads(line)), separators=separators, ensure_ascii=chance.random() < 0.5)
        for line in text.splitlines()
    ]
    return (end.join(lines) + end * chance.choice([0, 1, 2])).encode()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "name",
    ["jmeter.jtl", "jmeter-date.jtl", "jmeter-bare.jtl", "k6.csv", "logs/k6-users.csv", "hey.csv", "oha.csv"],
)
def test_csv_in_any_layout_gives_the_same_answer(tmp_path: Path, name: str, seed: int) -> None:
    text = (FILES / name).read_text(encoding="utf-8")
    file = tmp_path / Path(name).name
    file.write_bytes(relaid_csv(text, seed, named="bare" not in name))
    assert content(file) == content(FILES / name)
    assert not doubts(file)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["locust_stats.csv", "locust_stats_history.csv", "summaries/ab.csv"])
def test_summaries_in_any_layout_give_the_same_answer(tmp_path: Path, name: str, seed: int) -> None:
    file = tmp_path / "figures.csv"
    file.write_bytes(relaid_csv((FILES / name).read_text(encoding="utf-8"), seed))
    assert repr(results.read(file).summaries) == repr(results.read(FILES / name).summaries)


@pytest.mark.parametrize("seed", range(12))
def test_json_lines_of_k6_in_any_layout_give_the_same_answer(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "k6.json"
    file.write_bytes(relaid_json((FILES / "k6.json").read_text(encoding="utf-8"), seed))
    assert content(file) == content(FILES / "k6.json")
    assert not doubts(file)


@pytest.mark.parametrize("seed", range(12))
def test_json_lines_of_vegeta_in_any_layout_give_the_same_answer(tmp_path: Path, seed: int) -> None:
    hits = [
        {
            "attack": "a",
            "seq": place,
            "code": 200 if place % 5 else 0,
            "timestamp": f"2026-11-21T16:29:{place % 60:02d}.5{place:03d}+01:00",
            "latency": 1_000_000 * (1 + place % 7),
            "bytes_out": 0,
            "bytes_in": 12,
            "error": "" if place % 5 else 'dial: "refused"',
            "method": "GET",
            "url": "http://h/ä",
        }
        for place in range(50)
    ]
    plain, other = tmp_path / "plain.json", tmp_path / "other.json"
    text = "".join(json.dumps(hit, separators=(",", ":")) + "\n" for hit in hits)
    plain.write_text(text, encoding="utf-8")
    other.write_bytes(relaid_json(text, seed))
    assert len(content(plain)) == 50
    assert content(other) == content(plain)
    assert not doubts(other)


def swallowed(text: str) -> str:
    """A quotation mark that opens in one line and closes some lines later: a record that holds others."""
    lines = text.splitlines()
    cells = lines[5].split(",")
    cells[-1] = '"' + cells[-1]
    lines[5] = ",".join(cells)
    lines[9] += '"'
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["oha.csv", "hey.csv", "k6.csv"])
def test_a_record_that_swallows_others_is_told(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(swallowed((FILES / name).read_text(encoding="utf-8")), encoding="utf-8")
    with suppress(FileError):  # a record with too many cells is refused, with its line
        assert "count" in doubts(file)


@pytest.mark.parametrize("order", ["date", "elapsed", "columns"])
def test_a_record_that_swallows_others_is_told_whatever_comes_first(tmp_path: Path, order: str) -> None:
    if order == "columns":
        header, lines = "latency,note", [f"{40 + place}.5,none" for place in range(30)]
    elif order == "date":
        header = "timeStamp,elapsed,label,success,failureMessage"
        lines = [f"2024/03/04 10:00:{place:02d},{40 + place},home,true,none" for place in range(30)]
    else:
        header = "elapsed,timeStamp,label,success,failureMessage"
        lines = [f"{40 + place},{1_700_000_000_000 + place},home,true,none" for place in range(30)]
    lines[5] = lines[5].removesuffix("none") + '"open'
    lines[9] = lines[9].removesuffix("none") + 'closed"'
    file = tmp_path / "a.csv"
    file.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    found = results.read(file)
    assert found.frame.collect().height == 26
    assert "count" in doubts(file)


def test_months_beyond_twelve_are_days(tmp_path: Path) -> None:
    text = (FILES / "jmeter-date.jtl").read_text(encoding="utf-8")
    header, first, *_ = text.splitlines()
    at = header.split(",").index("timeStamp")
    cells = first.split(",")
    cells[at] = "2026/13/05 10:00:00"
    later = list(cells)
    later[at] = "2026/13/05 10:00:01"
    file = tmp_path / "swapped.jtl"
    file.write_text("\n".join([header, ",".join(cells), ",".join(later)]) + "\n", encoding="utf-8")
    found = results.read(file)
    assert found.frame.select("start_ns").collect()["start_ns"].cast(int).diff().to_list()[1] == 10**9
    assert any("months beyond 12" in str(warning) for warning in found.warnings)


@pytest.mark.parametrize(("factor", "unit"), [(1, "microseconds"), (100, "nanoseconds")])
def test_hours_are_an_unlikely_unit(tmp_path: Path, factor: int, unit: str) -> None:
    rows = [f"{1_700_000_000_000 + 100 * place},{40_000_000 * factor // 10 + place},home,true" for place in range(50)]
    file = tmp_path / "a.jtl"
    file.write_text("\n".join(["timeStamp,elapsed,label,success", *rows]) + "\n", encoding="utf-8")
    (warning,) = (str(warning) for warning in results.read(file).warnings if "hardly so" in str(warning))
    assert f"they may be in {unit}" in warning
