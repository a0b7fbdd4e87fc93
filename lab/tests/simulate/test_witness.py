"""SimPy, a simulator of others, on the same systems: both agree within their joint standard errors.

With 4 standard errors of the difference a right simulator fails about once in a thousand figures (Student's t, 18
degrees of freedom); the seeds are fixed, so that it does not fail at all.
"""

from __future__ import annotations

import json
import math
import statistics
from typing import TYPE_CHECKING, Any

import pytest
from simulator import simulate
from witness import Seen, bounded, chained, closed, half_open, replicate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NUMBER = 10
STANDARD_ERRORS = 4.0
PRECISION = 0.05
"""The half width must stay below this part of the value, or agreement would say nothing."""

MODELS: dict[str, tuple[str, Callable[..., None], Seen]] = {
    "closed": (
        """
        clients: {kind: closed, users: 10, think_time: exponential 100ms}
        tiers: {server: {cores: 2, scheduling: first-come, work: [{cpu: exponential 25ms}]}}
        """,
        closed(10, 2, 0.1, 0.025),
        Seen(10, 210),
    ),
    "bounded": (
        """
        clients: {kind: open, rate: 200/s}
        tiers: {server: {workers: {size: 4, queue: 12}, work: [{wait: exponential 25ms}]}}
        """,
        bounded(200, 4, 16, 0.025),
        Seen(10, 110),
    ),
    "chained": (
        """
        clients: {kind: open, rate: 120/s}
        tiers:
          web: {workers: 8, cores: 2, scheduling: first-come, work: [{cpu: exponential 10ms}, {call: store}]}
          store: {work: [{wait: exponential 40ms}]}
        """,
        chained(120, 8, 2, 0.01, 0.04),
        Seen(10, 160),
    ),
    "half-open": (
        """
        clients: {kind: half-open, rate: 12/s, stay: 0.5, think_time: exponential 500ms}
        tiers: {server: {cores: 1, scheduling: first-come, work: [{cpu: exponential 25ms}]}}
        """,
        half_open(12, 0.5, 1, 0.5, 0.025),
        Seen(10, 410),
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_simpy_finds_the_same(name: str, tmp_path: Path) -> None:
    text, model, seen = MODELS[name]
    run = f"run: {{for: {seen.until}s, warm_up: {seen.warm_up}s, replications: {NUMBER}}}"
    lines = [line.removeprefix("        ") for line in text.splitlines()]
    (tmp_path / "model.yaml").write_text("\n".join(["question: Same?", *lines, run]), encoding="utf-8")
    ours = json.loads(simulate("model.yaml", "--json", "--no-record", cwd=tmp_path))["requests"][0]

    theirs = replicate(model, number=NUMBER, seen=seen)
    agree("throughput", ours["throughput_per_s"], [traits.throughput for traits in theirs])
    agree("mean", ours["response_s"]["mean"], [traits.mean for traits in theirs])
    agree("p99", ours["response_s"]["p99"], [traits.percentile(99) for traits in theirs])
    if name == "bounded":
        agree("refused", ours["failed"], [traits.refused / traits.offered for traits in theirs])


def agree(figure: str, ours: dict[str, Any], theirs: list[float]) -> None:
    error = math.hypot(ours["standard_error"], statistics.stdev(theirs) / math.sqrt(len(theirs)))
    mean = statistics.fmean(theirs)
    assert abs(ours["value"] - mean) <= STANDARD_ERRORS * error, f"{figure}: {ours['value']} against {mean}"
    assert error <= PRECISION * mean, f"{figure}: {error} is no precision at all for {mean}"
