"""Reports of tools that hold no HTTP requests: the message names the tool and the reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from poolkeeper.results import read
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

COUNT = {"count": 58, "rate": 18.9}
TREND = {"min": 2.9, "max": 19.1, "count": 9, "mean": 6.6, "p50": 4.1, "p99": 8.1}
ARTILLERY = {
    "aggregate": {
        "counters": {"vusers.created": 9, "websocket.messages_sent": 9, "vusers.completed": 9},
        "rates": {"websocket.send_rate": 3},
        "firstMetricAt": 1795483555007,
        "lastMetricAt": 1795483557722,
        "summaries": {"vusers.session_length": TREND},
        "histograms": {"vusers.session_length": TREND},
    },
    "intermediate": [],
}
K6_SOCKETS = {"metrics": {"vus_max": {"value": 2}, "ws_sessions": COUNT, "iterations": COUNT, "data_sent": COUNT}}
K6_NOTHING = {"root_group": {}, "metrics": {"iterations": COUNT, "data_sent": COUNT}}


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (ARTILLERY, "report of Artillery without HTTP requests: of websockets"),
        (K6_SOCKETS, "summary of k6 without HTTP requests"),
        (K6_NOTHING, "summary of k6 without HTTP requests"),
    ],
)
def test_a_report_without_requests_is_named(tmp_path: Path, report: dict[str, Any], reason: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps(report), encoding="utf-8")

    with pytest.raises(FileError, match=reason):
        read(tmp_path / "a.json")
