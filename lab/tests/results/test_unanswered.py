"""Requests without an answer, and files that do not show which requests failed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from poolkeeper import results

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

    from poolkeeper.results import Results

pytestmark = pytest.mark.usefixtures("without_fits")

HEADER = "metric_name,timestamp,metric_value,error,expected_response,name,status"


def k6_csv(file: Path, rows: list[str], header: str = HEADER) -> Results:
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return results.read(file)


def k6_json(file: Path, metric: str, tags: list[dict[str, str]]) -> Results:
    points = [
        {
            "metric": metric,
            "type": "Point",
            "data": {"time": f"2024-01-01T10:00:{place:02d}Z", "value": 20.5, "tags": tag},
        }
        for place, tag in enumerate(tags)
    ]
    file.write_text("".join(json.dumps(point) + "\n" for point in points), encoding="utf-8")
    return results.read(file)


@pytest.mark.parametrize(
    ("metric", "statuses", "failed"),
    [("grpc_req_duration", ["0", "0", "14"], 1), ("http_req_duration", ["200", "302", "404", "500", "0"], 3)],
)
def test_without_an_expected_response_the_status_tells(
    tmp_path: Path, metric: str, statuses: list[str], failed: int
) -> None:
    rows = [f"{metric},1700000{place:03d},20.5,,,x,{status}" for place, status in enumerate(statuses)]
    bare = [row.replace(",,,x", ",,x") for row in rows]
    found = [
        k6_csv(tmp_path / "a.csv", rows),
        k6_csv(tmp_path / "b.csv", bare, HEADER.replace("expected_response,", "")),
        k6_json(tmp_path / "a.json", metric, [{"name": "x", "status": status} for status in statuses]),
    ]
    assert [read.survey().errors for read in found] == [{"x": failed}] * 3


def test_an_expected_response_goes_before_the_status(tmp_path: Path) -> None:
    tags = [{"name": "x", "status": "404", "expected_response": "true"}, {"name": "x", "expected_response": "false"}]
    assert k6_json(tmp_path / "a.json", "http_req_duration", tags).survey().errors == {"x": 1}


def test_what_no_point_tells_is_not_told(tmp_path: Path, poolkeeper: CommandLine) -> None:
    assert k6_json(tmp_path / "a.json", "http_req_duration", [{"name": "x"}] * 50).survey().errors == {}
    assert "The files do not show which requests failed." in " ".join(
        poolkeeper(tmp_path, "analyze a.json").out.split()
    )


def test_times_of_0_without_an_answer_are_not_rounded(tmp_path: Path) -> None:
    rows = [f"http_req_duration,1700000{place:03d},0,refused,false,x,0" for place in range(60)]
    rows += [f"http_req_duration,1700000{place:03d},20.5,,true,x,200" for place in range(60, 100)]
    found = k6_csv(tmp_path / "a.csv", rows)
    assert found.survey().errors == {"x": 60}
    assert "coarse" not in {warning.kind for warning in found.warnings}
