from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.model import Experiment
from poolkeeper.experiment.planning.expectation import expected_s
from poolkeeper.experiment.planning.load import level
from poolkeeper.experiment.planning.parts import select
from poolkeeper.experiment.planning.plan import PlannedRun, listing, plan

if TYPE_CHECKING:
    from collections.abc import Mapping

PHASES = {"phases": [{"users": 100, "for": "5m"}, {"users": 1, "for": "2m"}]}


def experiment(**changes: object) -> Experiment:
    stated: dict[str, object] = {
        "name": "asked",
        "question": "Which?",
        "application": "prime1m",
        "pools": {"fixed": {"size": [2, 10]}, "own": {"controller": "throughput"}},
        "load": {"users": 5, "for": "10s"},
    }
    return Experiment.model_validate({**stated, **changes})


def planned(**changes: object) -> list[PlannedRun]:
    return plan(experiment(**changes), Path("runs"))


def test_lists_are_axes_and_every_combination_is_a_cell() -> None:
    runs = planned(application=["prime1m", "dbread"], load={"users": [1, 10], "for": "1s"})
    assert [run.id for run in runs[:4]] == [
        "application-prime1m_users-1/fixed-2/1",
        "application-prime1m_users-1/fixed-10/1",
        "application-prime1m_users-1/own/1",
        "application-prime1m_users-10/fixed-2/1",
    ]
    assert len(runs) == 2 * 2 * 3
    assert runs[-1].cell == {"application": "dbread", "users": 10}
    assert runs[-1].title == "dbread · 10 users · own"
    assert runs[-1].configuration["cell"] == {"application": "dbread", "users": 10}
    assert runs[-1].load["phases"] == [{"users": 10, "seconds": 1.0}]
    assert runs[-1].load["requests"] == [{"name": "dbread", "method": "GET", "path": "/dbread", "weight": 1}]


def test_a_window_that_is_not_given_is_what_the_controller_recommends() -> None:
    pools = {
        "fixed": {"size": 2},
        "ours": {"controller": "response-curve"},
        "adapter": {"controller": "scale-adapter"},
        "events": {"controller": "heuristic"},
        "given": {"controller": "response-curve", "window": "2s"},
        "limit": {"admission": "adaptive"},
    }
    assert {run.variant.name: run.window for run in planned(pools=pools)} == {
        "fixed": 1.0,
        "ours": 0.5,
        "adapter": 0.2,
        "events": 1.0,
        "given": 2.0,
        "limit": 0.5,
    }
    assert {run.window for run in planned(pools=pools, window="250ms")} == {0.25, 2.0}


def test_a_window_that_is_not_given_is_no_longer_than_the_shortest_phase() -> None:
    load = {"phases": [{"users": 1, "for": "30s"}, {"users": 2, "for": "5s"}]}
    pools = {"watermark": {"controller": "jdk-watermark"}}
    assert {run.window for run in planned(pools=pools, load=load)} == {5.0}


def test_rates_of_an_open_load_are_an_axis() -> None:
    runs = planned(load={"open": {"rate": [0.5, "1500/s"], "arrivals": "constant"}, "for": "10s"}, scale=0.5)
    assert [run.id for run in runs[2:4]] == ["rate-0.5/own/1", "rate-1500/fixed-2/1"]
    assert runs[-1].title == "1500/s · own"
    assert runs[-1].phases == [{"rate_per_s": 1500.0, "seconds": 5.0}]
    assert {name: runs[-1].load[name] for name in ("users", "arrivals", "connections")} == {
        "users": "open",
        "arrivals": "constant",
        "connections": 1000,
    }
    assert runs[-1].most_connections == 1000
    assert runs[-1].load_s == 5.0


def test_phases_may_choose_among_the_applications_which_are_no_axis_then() -> None:
    phases = [
        {"users": 9, "requests": "dbread", "for": "4s"},
        {"users": 9, "requests": {"prime1m": 0.7, "dbread": 0.3}, "for": "6s"},
    ]
    runs = planned(application=["prime1m", "dbread"], load={"phases": phases}, scale=0.5)
    assert [run.cell for run in runs] == [{}] * 3
    assert runs[0].phases == [
        {"users": 9, "seconds": 2.0, "requests": {"dbread": 1.0}},
        {"users": 9, "seconds": 3.0, "requests": {"prime1m": 0.7, "dbread": 0.3}},
    ]
    assert [request["name"] for request in runs[0].load["requests"]] == ["dbread", "prime1m"]
    assert runs[0].applications == ("prime1m", "dbread")
    assert runs[0].configuration["application"] == "dbread, prime1m"
    assert [level(phase) for phase in runs[0].phases] == ["9 users, dbread", "9 users, 70 % prime1m + 30 % dbread"]


@pytest.mark.parametrize(
    ("application", "output"),
    [
        (["prime1m", "dbread", "dbwrite"], "has the application dbwrite, which no phase of its load sends"),
        ("prime1m", "has a load that sends dbread, which is not among its applications"),
    ],
)
def test_what_phases_send_and_the_applications_must_be_the_same(application: object, output: str) -> None:
    phases = [{"users": 9, "requests": name, "for": "4s"} for name in ("dbread", "prime1m")]
    with pytest.raises(ValueError, match=output):
        planned(application=application, load={"phases": phases})


RANDOM = {"phases": 50, "for": "7s..60s", "users": 20, "requests": ["prime1m", "dbread", "dbwrite"]}


def drawn(draw: int, **changes: object) -> list[Mapping[str, Any]]:
    stated = {**RANDOM, "draw": draw, **changes}
    run = planned(application=["prime1m", "dbread", "dbwrite"], load={"random": stated})[0]
    return list(run.phases)


@pytest.mark.parametrize("at_once", [1, 2])
def test_random_phases_depend_on_their_draw_alone(at_once: int) -> None:
    phases = drawn(3, at_once=at_once)
    assert phases == drawn(3, at_once=at_once)
    assert phases != drawn(4, at_once=at_once)
    assert len(phases) == 50
    assert all(7 <= phase["seconds"] <= 60 and phase["users"] == 20 for phase in phases)
    assert all(list(phase["requests"].values()) == [1 / at_once] * at_once for phase in phases)
    assert all(set(phase["requests"]) != set(other["requests"]) for phase, other in pairwise(phases))
    assert {name for phase in phases for name in phase["requests"]} == {"prime1m", "dbread", "dbwrite"}


def test_several_draws_are_an_axis() -> None:
    runs = planned(application=["prime1m", "dbread", "dbwrite"], load={"random": {**RANDOM, "draw": [1, 2]}})
    assert [run.id for run in runs[2:4]] == ["draw-1/own/1", "draw-2/fixed-2/1"]
    assert runs[-1].title == "draw 2 · own"
    assert runs[0].phases == runs[1].phases != runs[-1].phases


def test_one_value_is_no_axis() -> None:
    assert [run.cell for run in planned(application=["prime1m"], controller="mean-latency")] == [{}] * 3


def test_a_controller_of_the_experiment_is_that_of_pools_without_one() -> None:
    runs = planned(controller=["throughput", "mean-latency"], pools={"step": {"step": [5, 20]}, "fixed": {"size": 3}})
    assert [(run.cell["controller"], run.variant.name, run.variant.pool.controller) for run in runs] == [
        ("throughput", "step-5", "throughput"),
        ("throughput", "step-20", "throughput"),
        ("throughput", "fixed", "fixed"),
        ("mean-latency", "step-5", "mean-latency"),
        ("mean-latency", "step-20", "mean-latency"),
        ("mean-latency", "fixed", "fixed"),
    ]


def test_scale_multiplies_phases_windows_and_warm_up_but_not_what_belongs_to_users() -> None:
    stated = {**PHASES, "think_time": "exponential 20ms", "timeout": "5s"}
    run = planned(load=stated, scale=0.1, window="10s", warm_up="30s", seed=7)[0]
    assert [phase["seconds"] for phase in run.phases] == [30.0, 12.0]
    assert (run.window, run.warm_up.longest_s) == (1.0, 3.0)
    assert run.load["think_time_ms"] == {"exponential": 20.0}
    assert run.load["timeout_ms"] == 5000
    assert run.load["seed"] == 7
    assert run.configuration["scale"] == 0.1


@pytest.mark.parametrize(
    ("changes", "output"),
    [
        ({"window": "1ms", "scale": 0.5}, "scale 0.5 makes the window of fixed-2 0.5 ms long; it needs at least 1 ms"),
    ],
)
def test_a_scale_that_leaves_nothing_to_measure_is_refused(changes: dict[str, object], output: str) -> None:
    with pytest.raises(InputError) as error:
        planned(**changes)
    assert str(error.value) == output


def test_interleaved_runs_repeat_in_reverse_and_grouped_ones_at_once() -> None:
    interleaved = [(run.variant.name, run.repetition) for run in planned(repetitions=2)]
    assert interleaved == [("fixed-2", 1), ("fixed-10", 1), ("own", 1), ("own", 2), ("fixed-10", 2), ("fixed-2", 2)]
    grouped = [(run.variant.name, run.repetition) for run in planned(repetitions=2, order="grouped")]
    assert grouped == [("fixed-2", 1), ("fixed-2", 2), ("fixed-10", 1), ("fixed-10", 2), ("own", 1), ("own", 2)]


def test_repetitions_draw_different_random_numbers() -> None:
    assert [run.load["seed"] for run in planned(repetitions=3, pools={"fixed": {"size": 1}})] == [1, 2, 3]


@given(
    st.lists(st.sampled_from(["prime1m", "prime10m", "dbwrite", "dbread"]), min_size=1, unique=True),
    st.lists(st.integers(1, 500), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(1, 256), min_size=1, max_size=4, unique=True),
    st.integers(1, 4),
    st.sampled_from(["interleaved", "grouped"]),
)
def test_every_variant_is_in_every_cell_as_often_as_it_is_repeated(
    applications: list[str], users: list[int], sizes: list[int], repetitions: int, order: str
) -> None:
    runs = planned(
        application=applications,
        load={"users": users, "for": "1s"},
        pools={"fixed": {"size": sizes}},
        repetitions=repetitions,
        order=order,
    )
    assert len(runs) == len(applications) * len(users) * len(sizes) * repetitions
    assert len({run.id for run in runs}) == len({run.folder for run in runs}) == len(runs)
    places = {(run.application, run.load["phases"][0]["users"], run.variant.name, run.repetition) for run in runs}
    assert len(places) == len(runs)


@pytest.mark.parametrize(
    ("only", "left"),
    [
        (["variant=own"], ["own"]),
        (["variant=fixed-2,own"], ["fixed-2", "own"]),
        (["application=prime1m", "variant=fixed-10"], ["fixed-10"]),
        ([], ["fixed-2", "fixed-10", "own"]),
    ],
)
def test_only(only: list[str], left: list[str]) -> None:
    assert [run.variant.name for run in select(planned(), only)] == left


@pytest.mark.parametrize(
    ("only", "output"),
    [
        ("variant", "--only variant: must be AXIS=VALUE, such as variant=fixed-10"),
        ("variant=", "--only variant=: must be AXIS=VALUE"),
        ("varian=own", "--only varian=own: unknown axis 'varian'; did you mean 'variant'? known: variant, application"),
        ("variant=fixed-3", "--only variant=fixed-3: unknown variant 'fixed-3'; did you mean 'fixed-2'?"),
    ],
)
def test_only_what_there_is(only: str, output: str) -> None:
    with pytest.raises(InputError) as error:
        select(planned(), [only])
    assert str(error.value).startswith(output)


def test_conditions_that_leave_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="no run is left"):
        select(planned(), ["variant=own", "variant=fixed-2"])


def test_the_listing_says_what_would_run_and_how_long() -> None:
    runs = planned(application="dbwrite", repetitions=2, warm_up="2s")
    assert listing(runs, database_per_run=False) == [
        "fixed-2   2 × 0:12, window 1s",
        "fixed-10  2 × 0:12, window 1s",
        "own       2 × 0:12, window 1s",
        "6 runs, about 1:36 in all",
    ]
    assert expected_s(runs, database_per_run=True)[1] == expected_s(runs)[1] + 5 * 6


def test_the_listing_says_from_when_to_when_where_that_is_open() -> None:
    runs = planned(repetitions=2, warm_up="steady")
    assert listing(runs, database_per_run=False) == [
        "fixed-2   2 × 0:30 to 1:10, window 1s",
        "fixed-10  2 × 0:30 to 1:10, window 1s",
        "own       2 × 0:30 to 1:10, window 1s",
        "6 runs, 3:18 to 7:18 in all",
    ]
    shared = planned(warm_up={"until": "steady", "within": "30s", "then": "2s"}, server="per-application", scale=0.5)
    assert listing(shared, database_per_run=False) == [
        "fixed-2   1 × 0:07 to 0:35, window 0.5s",
        "fixed-10  1 × 0:07 to 0:35, window 0.5s",
        "own       1 × 0:07 to 0:35, window 0.5s",
        "3 runs, 0:45 to 0:55 in all",
    ]


def test_what_cannot_be_meant_is_refused_before_it_is_laid_out() -> None:
    with pytest.raises(
        InputError, match=r"^scale 1e\+06 makes phase 1 of fixed-2 1e\+07 s long; a phase may have 720 h"
    ):
        planned(scale=1e6)
    with pytest.raises(InputError, match=r"^12 combinations of variants and axes, 1000 times each, are more than the"):
        planned(load={"users": [1, 2, 3, 4], "for": "10s"}, repetitions=1000)


def test_no_phase_is_scaled_below_a_second() -> None:
    load = {"phases": [{"users": 10, "for": "1s"}, {"users": 50, "for": "20s"}]}
    (run,) = planned(load=load, scale=0.2, application="prime1m", pools={"fixed": {"size": 2}})
    assert [phase["seconds"] for phase in run.phases] == [1.0, 4.0]
    (run,) = planned(load=load, scale=2, application="prime1m", pools={"fixed": {"size": 2}})
    assert [phase["seconds"] for phase in run.phases] == [2.0, 40.0]


def test_one_is_not_many() -> None:
    (run,) = planned(application="prime1m", load={"users": [1, 10], "for": "10s"}, pools={"fixed": {"size": 2}})[:1]
    assert run.title == "1 user · fixed"
    assert listing([run], database_per_run=False)[-1].startswith("1 run, about ")
