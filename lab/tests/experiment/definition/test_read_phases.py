"""Faults of phases that send requests of their own, and of a downstream server, each told in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from experiment_files import GOOD, PHASES, refusal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("good", "bad", "line", "output"),
    [
        (
            PHASES,
            "  phases: [{users: 1, for: 1s, requests: dbwirte}]",
            7,
            "load.phases[1].requests must ask for an application, as /prime does: unknown application 'dbwirte'; did ",
        ),
        (
            PHASES,
            "  phases: [{users: 1, for: 1s, requests: {prime1m: 0.5, dbwrite: 0.4}}]",
            7,
            "load.phases[1].requests must have probabilities that sum to 1, but they sum to 0.9",
        ),
        (PHASES, "  phases: [{users: 1, for: 1s, requests: {}}]", 7, "load.phases[1].requests"),
        (
            PHASES,
            "  phases: [{users: 1, for: 1s, requests: prime1m}, {users: 1, for: 1s}]",
            6,
            "load has phases with requests, so phase 2 needs requests as well",
        ),
        (
            PHASES,
            "  half-open: {stay: 0.5}\n  phases: [{rate: 1, for: 1s, requests: prime1m}]",
            6,
            "load is half-open, so its phases cannot have requests: a session may outlast a phase",
        ),
        (
            PHASES,
            "  random: {phases: 3, for: 7s..6s, users: 1, requests: [prime1m, dbwrite]}",
            7,
            "load.random.for must have shortest <= longest, but is 7s..6s",
        ),
        (
            PHASES,
            "  random: {phases: 3, for: 7s, users: 1, requests: [prime1m, dbwrite]}",
            7,
            "load.random.for must be SHORTEST..LONGEST, such as 7s..60s, but is '7s'",
        ),
        (
            PHASES,
            "  random: {phases: 3, for: 7s..9s, users: 1, requests: [prime1m, dbwrite], at_once: 2}",
            7,
            "load.random has at_once 2, which must be below the number of its requests, 2",
        ),
        (
            PHASES,
            "  random: {phases: 3, for: 7s..9s, rate: 1, requests: [prime1m, dbwrite]}",
            6,
            "load is closed, so random needs users",
        ),
        (
            PHASES,
            "  phases: [{users: 1, for: 1s}]\n  random: {phases: 3, for: 7s..9s, users: 1, requests: [prime1m, db]}",
            6,
            "load needs either users and for, or phases",
        ),
        (
            "versus",
            "downstream: {call20: {latency: 20}}\nversus",
            9,
            "downstream.call20.latency must be a number with its unit",
        ),
        ("versus", "downstream: {call2: {}}\nversus", 9, "downstream: unknown path 'call2'; did you mean 'call20'?"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, good: str, bad: str, line: int, output: str) -> None:
    assert refusal(tmp_path, GOOD.replace(good, bad, 1)).startswith(f":{line}: {output}")
