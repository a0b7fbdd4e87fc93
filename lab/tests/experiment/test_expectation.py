"""Estimates of the time left: what is stated at first, then what was seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poolkeeper.experiment.definition.model import Experiment
from poolkeeper.experiment.planning.expectation import ENOUGH, STARTING_S, Pace, about
from poolkeeper.experiment.planning.plan import PlannedRun, plan
from poolkeeper.experiment.progress import RunProgress, Second, Situation


def runs(number: int, **more: object) -> list[PlannedRun]:
    stated: dict[str, object] = {
        "name": "asked",
        "question": "Which?",
        "application": "prime1m",
        "pools": {"fixed": {"size": list(range(1, number + 1))}},
        "load": {"users": 5, "for": "10s"},
        "warm_up": {"until": "steady", "within": "60s"},
    }
    return plan(Experiment.model_validate({**stated, **more}), Path("runs"))


def test_until_enough_runs_have_ended_the_range_is_what_they_state() -> None:
    pace = Pace()
    for _ in range(ENOUGH - 1):
        pace.learn(7.0, warm=False)
    assert pace.expected_s(runs(4), None) == (4 * (STARTING_S + 10 + 20), 4 * (STARTING_S + 10 + 60))


def test_runs_that_all_took_the_same_leave_no_doubt() -> None:
    pace = Pace()
    for _ in range(ENOUGH):
        pace.learn(23.5, warm=False)
    assert pace.expected_s(runs(4), None) == pytest.approx((134.0, 134.0))


runs_of_20 = runs(20)


def test_the_range_holds_what_comes_about_as_often_as_two_deviations_say() -> None:
    generator = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        pace = Pace()
        for besides_s in generator.normal(30.0, 5.0, 12):
            pace.learn(float(besides_s), warm=False)
        least, most = pace.expected_s(runs_of_20, None)
        held += least <= 200.0 + float(generator.normal(30.0, 5.0, 20).sum()) <= most
    assert 0.88 <= held / 400 <= 0.98


def test_processes_that_are_warm_are_counted_apart() -> None:
    members = runs(3, server="per-application", order="grouped")
    pace = Pace()
    for _ in range(ENOUGH):
        pace.learn(40.0, warm=False)
        pace.learn(2.0, warm=True)
    assert pace.expected_s(members, None) == pytest.approx((30 + 40 + 2 * 2, 30 + 40 + 2 * 2))
    assert pace.expected_s(members, members[0].series) == pytest.approx((30 + 3 * 2, 30 + 3 * 2))


@pytest.mark.parametrize(
    ("expected", "output"),
    [((90.0, 90.4), "about 1:30"), ((600.0, 620.0), "about 10:10"), ((70.0, 150.0), "1:10 to 2:30")],
)
def test_a_range_is_told_where_it_says_more_than_its_middle(expected: tuple[float, float], output: str) -> None:
    assert about(expected) == output


def test_what_is_left_is_what_waits_and_the_rest_of_the_run_under_way() -> None:
    members = runs(3)
    situation = Situation("asked", "Which?", 3, "runs", members[1:], current=RunProgress(members[0], 1))
    stated = 2 * (STARTING_S + 10 + 20), 2 * (STARTING_S + 10 + 60)
    assert situation.current
    for _ in range(4):
        situation.current.add(Second(0, 5, 1.0, 1.0, 1.0, 0))
    assert situation.left == f"{about((stated[0] + 6, stated[1] + 6))} left"
    for _ in range(ENOUGH):
        situation.pace.learn(12.0, warm=False)
    assert situation.left == "about 0:50 left"


def test_runs_that_failed_or_started_a_database_tell_nothing_of_those_to_come() -> None:
    members = runs(3)
    situation = Situation("asked", "Which?", 3, "runs", [])
    for status, started_database in (("failed", False), ("complete", True), ("complete", False)):
        progress = RunProgress(members[0], 1)
        progress.status = status  # type: ignore[assignment]
        situation.end(progress, started_database=started_database)
    assert len(situation.ended) == 3
    assert situation.pace.expected_s(members, None) == Pace().expected_s(members, None), "one is not enough"
