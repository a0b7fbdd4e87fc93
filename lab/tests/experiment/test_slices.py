"""Experiments in slices: what they accept, what they run, and how a run of them goes."""

from __future__ import annotations

import itertools
import json
import os
import signal
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fake_testbed import FakeTestbed
from hypothesis import given
from hypothesis import strategies as st

from poolkeeper.errors import InputError
from poolkeeper.experiment.definition.load import Load
from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.definition.write import resolved
from poolkeeper.experiment.planning.plan import PlannedRun, plan
from poolkeeper.experiment.planning.slices import shuffled
from poolkeeper.experiment.processes.backends import Backends
from poolkeeper.experiment.processes.testbed import JavaTestbed
from poolkeeper.experiment.run import Patience
from poolkeeper.experiment.session import Outcome, Session
from poolkeeper.record.columns import SLICES

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.experiment.progress import RunProgress, Situation

CONTRACT = Path(__file__).parents[3] / "contract"
LOAD = "load: {users: 3, for: 10s}"
POOLS = "pools:\n  fixed: {size: [2, 10]}\n  own: {controller: response-curve, tolerance: 0.05, initial: 4}"
TEXT = f"""question: Which?
application: prime1m
{POOLS}
versus: fixed-10
order: slices
slice: 2s
window: 500ms
{LOAD}
"""


def planned(folder: Path, text: str = TEXT) -> list[PlannedRun]:
    file = folder / "asked.yaml"
    file.write_text(text, encoding="utf-8")
    return plan(read_experiment(file), folder / "runs")


@pytest.mark.parametrize(
    ("old", "new", "line", "output"),
    [
        (
            LOAD,
            "load:\n  phases: [{users: 3, for: 10s}, {users: 9, for: 10s}]",
            11,
            "load.phases must be alike with order: slices, which is for steady work, but go through 3, 9",
        ),
        (
            LOAD,
            "load:\n  phases: [{users: 3 to 9, for: 10s}]",
            11,
            "load.phases must be alike with order: slices, which is for steady work",
        ),
        (
            "slice: 2s",
            "slice: 1s",
            8,
            "slice must be a whole number of seconds, 2s or more, since the load is recorded",
        ),
        ("slice: 2s", "slice: 2500ms", 8, "slice must be a whole number of seconds, 2s or more"),
        ("order: slices", "order: grouped", 1, "has a setting slice, which belongs to order: slices"),
        (
            "versus: fixed-10\n",
            "",
            6,
            "order: slices needs versus: the variant whose slices the others are set against",
        ),
        (POOLS, "pools:\n  fixed-10: {size: 10}", 6, "order: slices needs two variants or more, which take turns"),
        (
            "response-curve, tolerance: 0.05, initial: 4",
            "plain",
            3,
            "own cannot take turns with order: slices: it has no",
        ),
        ("response-curve, tolerance: 0.05, initial: 4", "open-liberty", 3, "own cannot take turns with order: slices"),
        ("response-curve, tolerance: 0.05", "fbos", 3, "it has the policy fbos, which decides at the events of tasks"),
        ("initial: 4", "balancer: round-robin, back_ends: 2", 3, "it has several servers (balancer: round-robin)"),
        (
            "{controller: response-curve, tolerance: 0.05, initial: 4}",
            "{admission: adaptive}",
            3,
            "own cannot take turns with order: slices: it has no pool but a limit (admission: adaptive)",
        ),
        ("size: [2, 10]", "size: [2, 10], queue_capacity: 5", 3, "it has a queue of its own (queue_capacity: 5)"),
        (
            LOAD,
            "load:\n  random: {phases: 3, for: 4s..6s, users: 3, requests: [prime1m, call20]}",
            11,
            "load.random must be left out with order: slices, which is for steady work",
        ),
        ("initial: 4", "window: 1s", 3, "of which a slice of 2s must hold 3 at least"),
        ("initial: 4", "window: 250ms", 3, "own has window 0.25s, and fixed-2 0.5s: with order: slices"),
        ("initial: 4", "bounds: 1..20", 3, "own has bounds 1..20, and fixed-2 1..256: with order: slices"),
        (
            POOLS,
            "architecture: [nio-actor, nio-disruptor]\nhandlers: [4, 10]",
            3,
            "nio-disruptor-4 has architecture nio-disruptor, and nio-actor-4 nio-actor: with order: slices",
        ),
    ],
)
def test_what_cannot_take_turns_is_named(tmp_path: Path, old: str, new: str, line: int, output: str) -> None:
    text = TEXT.replace(old, new)
    if "architecture" in new:
        text = text.replace("versus: fixed-10", "versus: nio-actor-4")
    if "call20" in new:
        text = text.replace("application: prime1m", "application: [prime1m, call20]")
    assert text != TEXT
    with pytest.raises(InputError) as error:
        planned(tmp_path, text)
    assert f":{line}: " in str(error.value)
    assert output in str(error.value)


def test_a_load_too_short_for_every_variant_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"load\.for 4s holds 2 slices of 2s, and 3 variants take turns"):
        planned(tmp_path, TEXT.replace("for: 10s", "for: 4s"))


def test_a_plan_refuses_phases_that_differ_as_the_file_does(tmp_path: Path) -> None:
    planned(tmp_path)
    stated = read_experiment(tmp_path / "asked.yaml")
    phases = {"phases": [{"users": 3, "for": "10s"}, {"users": 9, "for": "10s"}]}
    changed = stated.model_copy(update={"load": Load.model_validate(phases)})
    with pytest.raises(InputError, match="load of slices has phases that differ, and order: slices is for steady"):
        plan(changed, tmp_path)


def test_one_run_holds_all_variants_of_a_cell(tmp_path: Path) -> None:
    first, second = planned(tmp_path, TEXT.replace("users: 3", "users: [3, 9]") + "scale: 2\nrepetitions: 1\n")
    assert (first.id, second.id) == ("users-3/slices/1", "users-9/slices/1")
    assert first.title == "3 users · slices"
    assert len(first.turns) == 10, "a slice is not scaled"
    assert first.configuration["pool"] == {"controller": "alternating"}
    assert first.configuration["slices"]["variants"]["own"] == {
        "pool": {"controller": "response-curve", "tolerance": 0.05},
        "initial": 4,
    }
    assert "initial" not in first.configuration


def test_handlers_of_one_architecture_take_turns(tmp_path: Path) -> None:
    text = TEXT.replace(POOLS, "architecture: nio-actor\nhandlers: [4, adaptive]")
    (run,) = planned(tmp_path, text.replace("versus: fixed-10", "versus: nio-actor-4"))
    command = JavaTestbed(Path()).server_arguments(run, Backends(), "frozen")
    assert command[command.index("--architecture") + 1] == "nio-actor"
    assert [turn.name for turn in run.variant.turns] == ["nio-actor-4", "nio-actor-adaptive"]


def test_the_server_is_told_every_variant(tmp_path: Path) -> None:
    (run,) = planned(tmp_path)
    command = JavaTestbed(Path()).server_arguments(run, Backends(), "frozen")
    messages = [value for option, value in itertools.pairwise(command) if option == "--variant"]
    assert messages == ["fixed-2:fixed:2", "fixed-10:fixed:10", "own:response-curve,tolerance=0.05,initial=4"]
    assert not {"--pool", "--set", "--initial"} & set(command)


def test_the_experiment_is_written_back_as_it_was(tmp_path: Path) -> None:
    planned(tmp_path)
    stated = read_experiment(tmp_path / "asked.yaml")
    (tmp_path / "again.yaml").write_text(resolved(stated), encoding="utf-8")
    assert read_experiment(tmp_path / "again.yaml") == stated


@given(st.integers(2, 9), st.integers(0, 60), st.integers(0, 1000))
def test_every_block_holds_every_variant_once(variants: int, count: int, seed: int) -> None:
    names = [f"v{number}" for number in range(variants)]
    order = shuffled(names, count, seed)
    assert len(order) == count
    assert order == shuffled(names, count, seed)
    for start in range(0, count - variants + 1, variants):
        assert sorted(order[start : start + variants]) == names


def test_neighbours_are_balanced_over_seeds() -> None:
    pairs = Counter(pair for seed in range(300) for pair in [tuple(shuffled(["a", "b", "c"], 3, seed)[:2])])
    assert len(pairs) == 6
    assert min(pairs.values()) > 25


@dataclass
class Spectator:
    """A view that does something as soon as a run has been measured for a second."""

    measuring: Callable[[Situation], None] = lambda _: None

    def refresh(self, situation: Situation) -> None:
        if situation.current is not None and situation.current.seconds:
            self.measuring(situation)

    def ended(self, progress: RunProgress, situation: Situation) -> None:
        pass

    def say(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


def run(folder: Path, testbed: FakeTestbed, text: str = TEXT, view: Spectator | None = None) -> Outcome:
    runs = planned(folder, text)
    return Session(
        experiment=read_experiment(folder / "asked.yaml"),
        folder=folder,
        runs=runs,
        testbed=testbed,
        view=view or Spectator(),
        command=["poolkeeper", "run", "asked.yaml"],
        machine={"os": "Linux", "cpus": 4},
        versions={"poolkeeper": "0"},
        patience=Patience(start=300.0, silence=300.0, stop=300.0),
    ).run()


def lines(folder: Path) -> list[list[str]]:
    return [line.split(",") for line in (folder / "slices.csv").read_text(encoding="utf-8").splitlines()]


def test_variants_are_switched_in_their_order_and_recorded(tmp_path: Path) -> None:
    outcome = run(tmp_path, FakeTestbed(load_behaviour="began 1000"), TEXT)
    (progress,) = outcome.ended
    assert (progress.status, progress.error) == ("complete", None)
    folder = progress.run.folder
    header, *rows = lines(folder)
    assert header == [column.name for column in SLICES]
    assert [row[1] for row in rows] == list(progress.run.turns)
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    assert all(row[3] == after[2] for row, after in itertools.pairwise(rows))
    messages = (folder / "told.txt").read_text(encoding="utf-8").splitlines()
    assert messages == ["/mode?mode=active", *(f"/variant?name={name}" for name in progress.run.turns)]


def test_a_run_that_is_stopped_keeps_the_slices_that_were_finished(tmp_path: Path) -> None:
    def press(situation: Situation) -> None:
        if situation.current and situation.current.turn.startswith("slice 3 of 5"):
            view.measuring = lambda _: None
            os.kill(os.getpid(), signal.SIGINT)

    view = Spectator(press)
    text = TEXT.replace("slice: 2s", "slice: 1000s").replace("for: 10s", "for: 5000s")
    outcome = run(tmp_path, FakeTestbed(load_behaviour="began 2500 and goes on"), text, view=view)
    (progress,) = outcome.ended
    assert outcome.interrupted
    assert (progress.status, progress.slices) == ("interrupted", 2)
    assert [row[1] for row in lines(progress.run.folder)[1:]] == list(progress.run.turns)[:2]


def test_variants_that_decide_take_turns_in_the_warm_up_if_they_are_to_learn(tmp_path: Path) -> None:
    text = TEXT + "warm_up: {for: 10ms, controller: decides}\n"
    (progress,) = run(tmp_path, FakeTestbed(load_behaviour="began 1000"), text).ended
    assert progress.status == "complete"
    messages = (progress.run.folder / "told.txt").read_text(encoding="utf-8").splitlines()
    begins = [line.removeprefix("/variant?name=") for line in messages if line.startswith("/variant")]
    learned = begins[: len(begins) - len(progress.run.turns)]
    assert set(learned) <= {"own"}
    assert begins[len(learned) :] == list(progress.run.turns)


def test_a_server_that_dies_in_its_slices_fails_the_run(tmp_path: Path) -> None:
    testbed = FakeTestbed(server_behaviour="dies in mid-run", load_behaviour="began 0 and goes on")
    (progress,) = run(tmp_path, testbed, TEXT).ended
    assert progress.status == "failed"


def test_the_columns_are_those_of_the_contract() -> None:
    stated = json.loads((CONTRACT / "slices.columns.json").read_text(encoding="utf-8"))["columns"]
    assert [(column["name"], column["type"]) for column in stated] == [(pair.name, pair.type) for pair in SLICES]
