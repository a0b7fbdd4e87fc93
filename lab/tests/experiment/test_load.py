"""The descriptions that the load generator's own tests read, written by the lab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from poolkeeper.experiment.definition.load import Load
from poolkeeper.experiment.planning.load import configuration_of, description, level, other_applications

GOLDEN = Path(__file__).parents[3] / "contract" / "load-descriptions"
LOADS: dict[str, tuple[str, dict[str, Any], int]] = {
    "closed": (
        "dbwrite",
        {
            "phases": [{"users": "10 to 100", "for": "15s"}, {"users": 1, "for": "2500ms"}],
            "think_time": "exponential 20ms",
            "timeout": "5s",
        },
        7,
    ),
    "open": (
        "prime",
        {
            "open": {"rate": 500, "arrivals": {"peak": 5, "burst": "1s", "quiet": "9s"}, "connections": 200},
            "for": "15s",
        },
        1,
    ),
    "phases": (
        "call20",
        {
            "phases": [
                {"users": 200, "for": "10s", "requests": "call20"},
                {"users": 200, "for": "5s", "requests": {"report": 0.5, "cpu": 0.5}},
            ]
        },
        1,
    ),
    "half-open": (
        "prime",
        {
            "half-open": {
                "chain": {"first": "login", "next": {"login": {"read": 1}, "read": {"read": 0.8, "end": 0.2}}}
            },
            "phases": [{"rate": "12.8/s to 20/s", "for": "10s"}, {"rate": 0, "for": "5s"}],
            "think_time": "50ms",
        },
        1,
    ),
}


@pytest.mark.parametrize("kind", LOADS)
def test_each_kind_is_written_as_the_load_generator_reads_it(kind: str) -> None:
    application, stated, seed = LOADS[kind]
    load = configuration_of(Load.model_validate(stated), application, {}, scale=1.0, seed=seed)
    assert load["users"] == ("closed" if kind == "phases" else kind)
    golden = json.loads((GOLDEN / f"{kind}.json").read_text(encoding="utf-8"))
    assert description(load) == golden


def test_every_golden_description_is_one_of_these() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(LOADS)


def test_a_level_in_words() -> None:
    assert [level({"users": 1}), level({"users": 10}), level({"rate_per_s": 12.5})] == ["1 user", "10 users", "12.5/s"]
    assert [level({"users": 1, "to": 0}), level({"rate_per_s": 0, "to": 12.5})] == ["1 to 0 users", "0/s to 12.5/s"]


def test_a_ramp_keeps_its_ends_when_it_is_scaled() -> None:
    load = Load.model_validate({"open": {}, "phases": [{"rate": "10 / s to 120/m", "for": "60s"}]})
    assert configuration_of(load, "prime", {}, scale=0.5, seed=1)["phases"] == [
        {"rate_per_s": 10.0, "to": 2.0, "seconds": 30.0}
    ]


def test_requests_of_a_chain_may_ask_for_different_things() -> None:
    load = Load.model_validate(
        {
            "half-open": {
                "rate": 5,
                "chain": {"first": "a", "next": {"a": {"b": 1}, "b": {"c": 0.5, "end": 0.5}, "c": {"end": 1}}},
                "http": {"a": "/io-10?page=1", "c": {"method": "POST", "path": "/dbwrite"}},
            },
            "for": "1s",
        }
    )
    configured = configuration_of(load, "prime", {}, scale=1.0, seed=1)
    assert description(configured)["http"] == {
        "a": {"method": "GET", "path": "/io-10?page=1"},
        "b": {"method": "GET", "path": "/prime"},
        "c": {"method": "POST", "path": "/dbwrite"},
    }
    assert other_applications(configured, "prime") == ("io-10", "dbwrite")
