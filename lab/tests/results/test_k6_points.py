"""Metrics of k6 beside response times: dropped iterations and failed checks, in each of its files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from poolkeeper import results

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
