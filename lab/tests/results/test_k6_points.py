"""Metrics of k6 beside response times: dropped iterations and failed checks, in each of its files."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest

from poolkeeper import results
from poolkeeper.results.formats.k6_points import COLUMNS, K6Points, checks_words
from poolkeeper.results.formats.users import is_result
from poolkeeper.results.source import Source

FILES = Path(__file__).parent / "files"
DROPPED = "k6 left out 5 iterations, as no user was free to begin them: the load was less than the one asked for"
FAILED = "1 of 3 checks of k6 failed: checks look at contents, and a request whose check failed counts as it was"
POINTS = (("dropped_iterations", 2), ("dropped_iterations", 3), ("checks", 1), ("checks", 0), ("checks", 1))


def csv_line(metric: str, value: int) -> str:
    return f"{metric},1795266120,{value}.000000,,,,,,,,,default,,,,,,,"


def json_line(metric: str, value: int) -> str:
    data = {"time": "2026-11-21T13:02:00.443634825Z", "value": value, "tags": {"scenario": "default"}}
    return json.dumps({"metric": metric, "type": "Point", "data": data})


@pytest.mark.parametrize("name", ["k6.csv", "k6.json"])
def test_dropped_iterations_and_failed_checks_are_told(tmp_path: Path, name: str) -> None:
    first, *lines = (FILES / name).read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if '"checks"' not in line and not line.startswith("checks,")]
    written = csv_line if name.endswith("csv") else json_line
    file = tmp_path / name
    file.write_text("\n".join([first, *kept]) + "\n", encoding="utf-8")
    before = results.read(file)
    kinds = [warning.kind for warning in before.warnings]
    added = [written(metric, value) for metric, value in POINTS]
    file.write_text("\n".join([first, *kept[:40], *added, *kept[40:]]) + "\n", encoding="utf-8")
    after = results.read(file)
    dropped, failed, *others = after.warnings
    assert DROPPED in dropped.words
    assert FAILED in failed.words
    assert [warning.kind for warning in others] == kinds
    assert after.digest().count == before.digest().count


def test_levels_of_users_with_rests_between_are_a_load(tmp_path: Path) -> None:
    """Their number goes up and down, and was taken for that of users who are busy at a rate of arrivals."""
    first, *_ = (FILES / "k6.csv").read_text(encoding="utf-8").splitlines()
    users = [count for level in (5, 10, 20) for count in [level] * 15 + [0] * 15]
    lines = []
    for second, count in enumerate(users):
        vus, took = (csv_line(name, count).replace("1795266120", str(1795266120 + second)) for name in ("vus", "took"))
        lines += [vus, *[took.replace("took", "http_req_duration")] * (2 * count)]
    file = tmp_path / "k6.csv"
    file.write_text("\n".join([first, *lines]) + "\n", encoding="utf-8")
    assert "users" in results.read(file).columns
    assert is_result(np.array([0, 1, 0, 0, 2, 1, 3, 1, 0, 1] * 20)), "users who are busy at a rate"
    assert is_result(np.array(([0] * 15 + [1] * 2) * 9)), "users who are busy at a low rate"


def test_names_like_those_of_the_metrics_are_none(tmp_path: Path) -> None:
    text = (FILES / "k6.csv").read_text(encoding="utf-8").replace("GET /a, fast", "GET /checks,dropped_iterations,vus")
    file = tmp_path / "k6.csv"
    file.write_text(text, encoding="utf-8")
    assert results.read(file).warnings == results.read(FILES / "k6.csv").warnings


@pytest.mark.parametrize("values", [False, True])
def test_failed_checks_of_a_summary_are_told(tmp_path: Path, *, values: bool) -> None:
    metrics = {
        "http_req_duration": {"avg": 5.5, "min": 1.0, "med": 5.0, "max": 9.0, "p(90)": 8.0, "p(95)": 8.5},
        "http_reqs": {"count": 10, "rate": 2.0},
        "checks": {"passes": 9, "fails": 3},
    }
    file = tmp_path / "k6.json"
    file.write_text(
        json.dumps({"metrics": {name: {"values": held} if values else held for name, held in metrics.items()}}),
        encoding="utf-8",
    )
    (warning,) = results.read(file).warnings
    assert "3 of 12 checks of k6 failed" in warning.words


Point = tuple[str, str, dict[str, str]]
"""Metric, value as k6 writes it, and tags."""
TIME = "2026-11-21T13:02:00.443634825Z"
TAGS = (
    "status is 200",
    "a, b",
    'says "yes"',
    "{checks}",
    "back\\slash",
    "checks",
    "http://x/checks?vus=1,0.0",
    "",
    "ü",
)
LAYOUTS = ("own", "quoted", "reordered", "semicolons", "JSON", "JSON of old", "JSON with blanks")


def points(seed: int) -> list[Point]:
    """Checks among requests whose names and tags hold the names of metrics."""
    chance = random.Random(seed)
    metrics = ("checks", "checks", "http_req_duration", "http_reqs", "checks_of_mine", "mychecks")
    values = ("0", "1", "0.000000", "1.000000", "0.0", "0.5", "10", "0.01", "1.5")
    return [
        (chance.choice(metrics), chance.choice(values), {"check": chance.choice(TAGS), "url": chance.choice(TAGS)})
        for _ in range(chance.randrange(1, 200))
    ]


def csv_text(layout: str, rows: list[Point]) -> str:
    names = [*COLUMNS, "check", "url"]
    if layout == "reordered":
        names.reverse()
    out = io.StringIO()
    separator = ";" if layout == "semicolons" else ","
    writer = csv.DictWriter(out, names, delimiter=separator, lineterminator="\n")
    if layout == "quoted":
        writer = csv.DictWriter(out, names, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {"metric_name": metric, "timestamp": 1795266120, "metric_value": value, **tags} for metric, value, tags in rows
    )
    return out.getvalue()


def json_text(layout: str, rows: list[Point]) -> str:
    separators = (", ", ": ") if layout == "JSON with blanks" else (",", ":")
    lines = []
    for metric, value, tags in rows:
        rest = {"type": "Point", "data": {"time": TIME, "value": "VALUE", "tags": tags}}
        point = {**rest, "metric": metric} if layout == "JSON of old" else {"metric": metric, **rest}
        text = json.dumps(point, separators=separators, ensure_ascii=False)
        lines.append(text.replace('"VALUE"', value) + "\n")
    return "".join(lines)


def finding_words(file: Path, text: str, *, is_json: bool) -> list[str]:
    file.write_bytes(text.encode())
    return [finding.words for finding in K6Points(Source(file), is_json).findings]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_checks_are_counted_alike_in_every_layout(tmp_path: Path, layout: str, line_end: str) -> None:
    is_json = layout.startswith("JSON")
    for seed in range(30):
        rows = points(seed)
        text = (json_text if is_json else csv_text)(layout, rows).replace("\n", line_end)
        values = [float(value) for metric, value, _ in rows if metric == "checks"]
        words = checks_words(values.count(0), len(values))
        expected = [f"k6: {words}"] if words else []
        assert finding_words(tmp_path / "k6", text, is_json=is_json) == expected
        assert finding_words(tmp_path / "k6", text.removesuffix(line_end), is_json=is_json) == expected


@pytest.mark.parametrize("layout", ["own", "JSON", "JSON of old"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_checks_in_the_layouts_of_k6_need_no_parser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, line_end: str
) -> None:
    monkeypatch.setattr(K6Points, "_point", lambda _, line: pytest.fail(f"parsed: {line}"))
    tags = {"check": "status is 200", "url": "http://x/checks,vus"}
    values = [("checks", "0"), ("http_req_duration", "5.5"), ("checks", "1.000000"), ("checks", "0.000000")]
    is_json = layout.startswith("JSON")
    text = (json_text if is_json else csv_text)(layout, [(metric, value, tags) for metric, value in values])
    (words,) = finding_words(tmp_path / "k6", text.replace("\n", line_end), is_json=is_json)
    assert "2 of 3 checks of k6 failed" in words


@pytest.mark.parametrize("layout", ["JSON", "JSON of old"])
def test_json_of_a_check_that_is_cut_off_is_none(tmp_path: Path, layout: str) -> None:
    line = json_text(layout, [("checks", "0", {"check": "a", "url": "b"})])
    for length in range(1, len(line) - len("}\n") + 1):
        (words,) = finding_words(tmp_path / "k6", line + line[:length], is_json=True)
        assert "1 of 1 check of k6 failed" in words
        (words,) = finding_words(tmp_path / "k6", line + line[:length] + line, is_json=True)
        assert "1 of 1 check of k6 failed" in words
    (words,) = finding_words(tmp_path / "k6", line + line.rstrip() + line, is_json=True)
    assert "1 of 1 check of k6 failed" in words


def test_carriage_returns_within_a_line_do_no_harm(tmp_path: Path) -> None:
    rows = [("checks", "0", {"check": "CR", "url": ""}), ("vus", "3", {"check": "CR", "url": ""})]
    for layout in ("own", "semicolons", "reordered"):
        (words,) = finding_words(tmp_path / "k6", csv_text(layout, rows).replace("CR", "a\rb"), is_json=False)
        assert "1 of 1 check of k6 failed" in words
