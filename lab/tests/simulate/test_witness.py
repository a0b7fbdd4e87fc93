"""SimPy, a simulator of others, on the same systems: both agree within their joint standard errors.

With 4 standard errors of the difference a right simulator fails about once in a thousand figures (Student's t, 18
degrees of freedom); the seeds are fixed, so that it does not fail at all.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from simulator import simulate
from witness import NUMBER, PLAYED, Figure, played, short

if TYPE_CHECKING:
    from pathlib import Path

STANDARD_ERRORS = 4.0
PRECISION = 0.05
"""The half width must stay below this part of the value, or agreement would say nothing."""

MODELS = {
    "closed": """
        clients: {kind: closed, users: 10, think_time: exponential 100ms}
        tiers: {server: {cores: 2, scheduling: first-come, work: [{cpu: exponential 25ms}]}}
        """,
    "bounded": """
        clients: {kind: open, rate: 200/s}
        tiers: {server: {workers: {size: 4, queue: 12}, work: [{wait: exponential 25ms}]}}
        """,
    "chained": """
        clients: {kind: open, rate: 120/s}
        tiers:
          web: {workers: 8, cores: 2, scheduling: first-come, work: [{cpu: exponential 10ms}, {call: store}]}
          store: {work: [{wait: exponential 40ms}]}
        """,
    "half-open": """
        clients: {kind: half-open, rate: 12/s, stay: 0.5, think_time: exponential 500ms}
        tiers: {server: {cores: 1, scheduling: first-come, work: [{cpu: exponential 25ms}]}}
        """,
}


@pytest.mark.parametrize("name", MODELS)
def test_simpy_finds_the_same(name: str, tmp_path: Path) -> None:
    seen = PLAYED[name][1]
    run = f"run: {{for: {seen.until}s, warm_up: {seen.warm_up}s, replications: {NUMBER}}}"
    lines = [line.removeprefix("        ") for line in MODELS[name].splitlines()]
    (tmp_path / "model.yaml").write_text("\n".join(["question: Same?", *lines, run]), encoding="utf-8")
    ours = json.loads(simulate("model.yaml", "--json", "--no-record", cwd=tmp_path))["requests"][0]

    theirs, _ = played(name)
    agree("throughput", ours["throughput_per_s"], theirs["throughput"])
    agree("mean", ours["response_s"]["mean"], theirs["mean"])
    agree("p99", ours["response_s"]["p99"], theirs["p99"])
    if name == "bounded":
        agree("refused", ours["failed"], theirs["refused"])


@pytest.mark.parametrize("name", MODELS)
def test_the_figures_are_those_of_the_systems(name: str) -> None:
    assert short(name) == pytest.approx(played(name)[1], rel=1e-9), "POOLKEEPER_WITNESS=1 has SimPy play again"


def agree(figure: str, ours: dict[str, Any], theirs: Figure) -> None:
    error = math.hypot(ours["standard_error"], theirs.error)
    assert abs(ours["value"] - theirs.mean) <= STANDARD_ERRORS * error, f"{figure}: {ours['value']} against {theirs}"
    assert error <= PRECISION * theirs.mean, f"{figure}: {error} is no precision at all for {theirs.mean}"
