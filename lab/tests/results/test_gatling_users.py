"""Users of Gatling over time, out of the records of their begins and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from gatling_log import BEGAN, Log

from poolkeeper import results
from poolkeeper.results.formats.users import UserCourse

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

SECONDS = 30
USERS = (4, 8, 16)
LAYOUTS = {
    "3.4": ("RUN\tsim\tid\t{at}\t \t3.9.0", "USER\tscn\t{kind}\t{at}", "REQUEST\t\thome\t{at}\t{end}\tOK\t "),
    "3.0": (
        "RUN\tsim\tid\t{at}\t \t3.0.0",
        "USER\tscn\t1\t{kind}\t{begun}\t{at}",
        "REQUEST\t1\t\thome\t{at}\t{end}\tOK\t ",
    ),
    "2.1": (
        "sim\tid\tRUN\t{at}\t \t2.0",
        "scn\t1\tUSER\t{kind}\t{at}\t{at}",
        "scn\t1\tREQUEST\t\thome\t{at}\t{at}\t{end}\t{end}\tOK\t ",
    ),
}


def events() -> list[tuple[int, str, int]]:
    """Time in milliseconds, kind and response time of a staircase of users that stay for its level."""
    found = []
    for place, users in enumerate(USERS):
        begin, end = 1000 * SECONDS * place, 1000 * SECONDS * (place + 1)
        found += [(begin, "START", 0)] * users + [(end, "END", 0)] * users
        found += [(at, "REQUEST", 90) for at in range(begin, end - 100, 100) for _ in range(users)]
    return sorted(found, key=lambda event: event[0] + event[2])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_levels_of_users_are_found(tmp_path: Path, poolkeeper: CommandLine, layout: str) -> None:
    run, user, request = LAYOUTS[layout]
    lines = [run.format(at=BEGAN)]
    for at, kind, took in events():
        line = request if kind == "REQUEST" else user
        lines.append(line.format(kind=kind, at=BEGAN + at, end=BEGAN + at + took, begun=BEGAN))
    (tmp_path / "simulation.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = poolkeeper(tmp_path, "usl simulation.log").out
    assert "grows in proportion, 10.0/s with each user, up to 16" in shown


def test_levels_of_users_are_found_in_the_binary(tmp_path: Path) -> None:
    log = Log()
    for at, kind, took in events():
        if kind == "REQUEST":
            log.request((), "home", (at, at + took))
        else:
            log.user(at, begins=kind == "START")
    (tmp_path / "simulation.log").write_bytes(log.bytes)
    users = results.read(tmp_path / "simulation.log").series().users
    assert [float(users[SECONDS * place + 15]) for place in range(3)] == list(USERS)


def test_users_that_come_at_a_rate_are_a_result() -> None:
    begun = np.sort(np.random.default_rng(0).integers(0, 60_000, 1200))
    assert UserCourse.of(begun.tolist(), (begun + 1500).tolist()) is None
    assert UserCourse.of(begun.tolist(), np.sort(begun + np.linspace(500, 20_000, 1200).astype(int)).tolist()) is None
    assert UserCourse.of([], []) is None


def test_a_user_takes_the_place_of_the_one_that_ends() -> None:
    begun = list(range(0, 60_000, 500))
    course = UserCourse.of(begun, [time + 500 for time in begun])
    assert course is not None
    assert set(course.most.tolist()) == {1}
