"""Faults of the load of an experiment: users, rates, ramps and sessions, each told in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from experiment_files import GOOD, PHASES, USERS, refusal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("good", "bad", "line", "output"),
    [
        ("users: 3", "users: 3\n  threads: 65", 8, "load.threads must be at most 64, but is 65"),
        ("users: 3", "users: 3\n  threads: 0", 8, "load.threads must be at least 1, but is 0"),
        ("users: 3", "users: 0", 7, "load.users must be at least 1, but is 0"),
        ("users: 3", "user: 3", 7, "unknown setting 'user'; did you mean 'users'? known: users, open, half-open, for"),
        ("users: 3", "users: [1, 1]", 7, "load.users holds 1 twice"),
        ("5m", "-5m", 8, "load.for must not be negative, but is -5m"),
        ("5m", "300", 8, "load.for must be a number with its unit, such as 500ms, 10s, 5m or 1h, but is 300"),
        ("5m", "0s", 8, "load.for must be longer than 0"),
        ("  for: 5m\n", "", 6, "load needs either users and for, or phases"),
        (PHASES, "  phases: []", 6, "load needs either users and for, or phases"),
        (PHASES, "  phases: [{users: 0, for: 1s}]", 6, "load has no phase with a user"),
        (
            PHASES,
            "  phases: [{users: 1, fro: 1s}]",
            7,
            "unknown setting 'fro'; did you mean 'for'? known: users, rate, for",
        ),
        (PHASES, "  phases: [{users: 0 to 0, for: 1s}]", 6, "load has no phase with a user"),
        (
            PHASES,
            "  phases: [{users: 1 to -3, for: 1s}]",
            7,
            "load.phases[1].users must be a whole number within 0..64000, ",
        ),
        (PHASES, "  phases: [{users: 1 to 65000, for: 1s}]", 7, "load.phases[1].users must be a whole number within"),
        (PHASES, "  phases: [{users: 1 to 5, for: 0s}]", 7, "load.phases[1].for must be longer than 0"),
        (
            PHASES,
            "  open:\n  phases: [{rate: 1 to 5/s, for: 1s}]",
            8,
            "load.phases[1].rate must be a rate such as 500/s, ",
        ),
        (
            PHASES,
            "  open:\n  phases: [{rate: -1/s to 5/s, for: 1s}]",
            8,
            "load.phases[1].rate must be within 0..1,000,000 a second, but is -1",
        ),
        (USERS, "  users: 1 to 5\n", 7, "load.users is a ramp, which stands in phases: they say how long"),
        (USERS, "  open: {rate: 1/s to 5/s}\n", 7, "load.open.rate is a ramp, which stands in phases"),
        (PHASES, "  phases:\n    - {users: 1, for: 1s}\n    - {users: -1, for: 1s}", 9, "load.phases[2].users must be"),
        (USERS, "  open: {rate: 0}\n", 7, "load.open.rate must be above 0"),
        (USERS, "  open: {rate: -5/s}\n", 7, "load.open.rate must be within 0..1,000,000 a second, but is -5/s"),
        (USERS, "  open: {rate: .nan}\n", 7, "load.open.rate must be within 0..1,000,000 a second, but is nan"),
        (USERS, "  open: {rate: fast}\n", 7, "load.open.rate must be a number of arrivals a second, or a text such as"),
        (USERS, "  open: {rate: [5, 5]}\n", 7, "load.open.rate holds 5.0 twice"),
        (
            USERS,
            "  open: {rtae: 5}\n",
            7,
            "unknown setting 'rtae'; did you mean 'rate'? known: rate, arrivals, connections",
        ),
        (USERS, "  opne: {rate: 5}\n", 7, "unknown setting 'opne'; did you mean 'open'?"),
        (
            USERS,
            "  open: {rate: 5, arrivals: poison}\n",
            7,
            "load.open.arrivals: unknown arrivals 'poison'; did you mean 'poisson'? known: poisson, constant, {pe",
        ),
        (
            USERS,
            "  open: {rate: 5, arrivals: bursty}\n",
            7,
            "load.open.arrivals that are bursty need their figures: {peak: 5, burst: 1s, quiet: 9s}",
        ),
        (
            USERS,
            "  open: {rate: 5, arrivals: {peak: 11, burst: 1s, quiet: 9s}}\n",
            7,
            "load.open.arrivals must have a peak above 1 and at most (burst + quiet) / burst = 10, but it is 11",
        ),
        (USERS, "  open: {rate: 5, connections: 0}\n", 7, "load.open.connections must be at least 1, but is 0"),
        (USERS, "  open: {rate: 5}\n  users: 3\n", 6, "load has users and open, of which it can be but one"),
        (
            USERS,
            "  open: {rate: 5}\n  think_time: 5ms\n",
            6,
            "load has a think_time, which belongs to users who send more",
        ),
        (USERS, "  open:\n", 6, "load needs either a rate and for, or phases"),
        (PHASES, "  open: {}\n  phases: [{users: 5, for: 1s}]", 6, "load is open, so phase 1 needs a rate"),
        (PHASES, "  phases: [{rate: 5, for: 1s}]", 6, "load is closed, so phase 1 needs users"),
        (PHASES, "  phases: [{rate: 5, users: 5, for: 1s}]", 7, "load.phases[1] needs either users or a rate"),
        (PHASES, "  open: {}\n  phases: [{rate: 0, for: 1s}]", 6, "load has no phase with arrivals"),
        (USERS, "  half-open: {rate: 5}\n", 7, "load.half-open needs either stay or a chain"),
        (USERS, "  half-open: {rate: 5, stay: 1}\n", 7, "load.half-open.stay must be below 1, but is 1"),
        (
            USERS,
            "  half-open: {rate: 5, stay: 0.5}\n  think_time: -5ms\n",
            8,
            "load.think_time must not be negative, but is -5ms",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {a: 0.5, end: 0.4}}}}\n",
            7,
            "load.half-open.chain.next must have probabilities that sum to 1 after a, but they sum to 0.9",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {b: 1}}}}\n",
            7,
            "load.half-open.chain.next must say what follows b, which may follow a",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: c, next: {c: {a: 0.1, end: 0.9}, a: {b: 1, end: 0}, b: {a: 1}}}}\n",
            7,
            "load.half-open.chain never comes to end once it is at a, so that users would only pile up",
        ),
        (
            USERS,
            "  half-open: {rate: 5, stay: 0.5, http: {a: /prime}}\n",
            7,
            "load.half-open has a setting http, which belongs to a chain",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: abc, next: {abc: {end: 1}}}, http: {abd: /prime}}\n",
            7,
            "load.half-open has in http an unknown request 'abd'; did you mean 'abc'?",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {end: 1}}}, http: {a: /prim}}\n",
            7,
            "load.half-open.http.a.path must ask for an application, as /prime does: unknown application 'prim'; did",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {end: 1}}}, http: {a: prime}}\n",
            7,
            "load.half-open.http.a.path must be a path of visible ASCII that begins with / and has no #, but is prime",
        ),
        (
            USERS,
            "  half-open: {rate: 5, chain: {first: a, next: {a: {end: 1}}}, http: {a: {path: /prime, methd: GET}}}\n",
            7,
            "unknown setting 'methd'; did you mean 'method'? known: method, path",
        ),
        ("5m", "1000000000s", 8, "load.for must be at most 720h, but is 1000000000s"),
        ("users: 3", "users: 1000000000", 7, "load.users must be at most 64000, but is 1000000000"),
        (PHASES, "  phases: [{users: 99999, for: 1s}]", 7, "load.phases[1].users must be a whole number within 0..6"),
    ],
)
def test_a_fault_of_the_load_is_told_with_its_line(tmp_path: Path, good: str, bad: str, line: int, output: str) -> None:
    assert refusal(tmp_path, GOOD.replace(good, bad, 1)).startswith(f":{line}: {output}")
