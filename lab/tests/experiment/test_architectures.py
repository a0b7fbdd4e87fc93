"""Experiments that compare architectures: their variants, parts, JDKs and small forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fake_testbed import FakeTestbed
from rich.console import Console

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.definition.write import resolved
from poolkeeper.experiment.launch import Display, RunOptions, RunSelection, choose, launch
from poolkeeper.experiment.planning.plan import plan
from poolkeeper.experiment.processes import testbed as commands
from poolkeeper.experiment.processes.backends import Backends
from poolkeeper.experiment.processes.jdks import find_java
from poolkeeper.experiment.processes.testbed import JavaTestbed
from poolkeeper.report.show import show_results

if TYPE_CHECKING:
    from poolkeeper.experiment.planning.plan import PlannedRun

ROOT = Path(__file__).parents[3]
MATRIX = """
question: Which?
architecture: [nio, nio-actor, virtual]
handlers: [4, adaptive, mean-latency]
versus: nio
application: [io-10, db]
heap: [100m, 2g]
collector: parallel
java: {virtual: 99}
connections: pool:8
load: {users: [10, 300], for: 10s}
warm_up: {until: steady, least: 8s, within: 30s, controller: decides}
"""
SMALL = """
small:
  scale: 0.5
  repetitions: 2
  warm_up: 6s
  parts:
    - {architecture: [nio, nio-actor], handlers: [none, 4], application: io-10, heap: 100m, users: 10}
    - {application: db, architecture: nio, users: [10, 300], heap: 2g}
"""


def chosen(folder: Path, text: str = MATRIX, **options: object) -> RunSelection:
    file = folder / "asked.yaml"
    file.write_text(text, encoding="utf-8")
    return choose(file, RunOptions(**options), folder / "runs")  # type: ignore[arg-type]


def ids(runs: list[PlannedRun]) -> list[str]:
    return [f"{run.application} {run.machine.heap} {run.load['phases'][0]['users']} {run.variant.name}" for run in runs]


def test_each_architecture_is_a_variant_with_each_number_of_handlers_if_it_has_any(tmp_path: Path) -> None:
    runs = chosen(tmp_path).runs
    assert list(dict.fromkeys(run.variant.name for run in runs)) == [
        *("nio", "nio-actor-4", "nio-actor-adaptive", "nio-actor-mean-latency", "virtual"),
    ]
    assert len(runs) == 2 * 2 * 2 * 5
    by_name = {run.variant.name: run for run in runs}
    assert by_name["nio"].configuration["pool"] == {"controller": "plain"}
    assert by_name["nio-actor-4"].configuration["pool"] == {"controller": "fixed", "size": 4}
    adaptive = by_name["nio-actor-adaptive"].configuration
    assert adaptive["pool"]["controller"] == "response-curve"
    assert (adaptive["architecture"], adaptive["handlers"], adaptive["collector"]) == (
        "nio-actor",
        "adaptive",
        "parallel",
    )
    assert {run.configuration["heap"] for run in runs} == {"100m", "2g"}
    assert by_name["virtual"].configuration["java"] == "99"


def test_none_may_stand_beside_the_numbers_of_handlers_as_in_parts(tmp_path: Path) -> None:
    numbers = "handlers: [4, adaptive, mean-latency]"
    both = chosen(tmp_path, MATRIX.replace(numbers, "handlers: [none, 4, adaptive, mean-latency]"))
    assert ids(both.runs) == ids(chosen(tmp_path).runs)
    alone = MATRIX.replace("[nio, nio-actor, virtual]", "[nio, virtual]")
    none = chosen(tmp_path, alone.replace(numbers, "handlers: none"))
    assert {run.variant.name for run in none.runs} == {"nio", "virtual"}
    for text in (MATRIX.replace(numbers, "handlers: [none, 4]"), alone.replace(numbers, "")):
        (tmp_path / "asked.yaml").write_text(text, encoding="utf-8")
        first = read_experiment(tmp_path / "asked.yaml")
        again = tmp_path / "again.yaml"
        again.write_text(resolved(first), encoding="utf-8")
        assert ids(plan(read_experiment(again), tmp_path)) == ids(plan(first, tmp_path))


def test_a_server_is_told_its_architecture_heap_and_collector_and_logs_its_collections(tmp_path: Path) -> None:
    runs = {run.variant.name: run for run in chosen(tmp_path).runs}
    command = JavaTestbed(ROOT).server(runs["nio-actor-adaptive"], Backends("jdbc:x"), "frozen")
    assert command[command.index("--architecture") + 1] == "nio-actor"
    assert command[command.index("--pool") + 1] == "response-curve"
    machine = command[1 : command.index("-cp")]
    assert {"-XX:+UseParallelGC", "-Xms2g", "-Xmx2g", "-XX:+ExitOnOutOfMemoryError"} <= {*machine}
    assert any(f"file={runs['nio-actor-adaptive'].folder}/gc.log" in option for option in machine)


def test_a_server_of_the_usual_jdk_takes_its_classes_from_the_archive(tmp_path: Path) -> None:
    runs = {run.variant.name: run for run in chosen(tmp_path).runs}
    archive = tmp_path / "testbed/servers/target/servers.jsa"
    option = f"-XX:SharedArchiveFile={archive}"
    testbed = JavaTestbed(tmp_path)
    assert option not in testbed.server(runs["nio"], Backends(), "frozen")
    archive.parent.mkdir(parents=True)
    archive.touch()
    command = testbed.server(runs["nio"], Backends(), "frozen")
    assert option in command[: command.index("-cp")]
    assert command[command.index("-cp") + 1] == f"{archive.parent}/lib/*"


def test_the_small_form_is_what_runs_unless_all_is_wanted(tmp_path: Path) -> None:
    small = chosen(tmp_path, MATRIX + SMALL)
    assert ids(small.runs[: len(small.runs) // 2]) == [
        "io-10 100m 10 nio",
        "io-10 100m 10 nio-actor-4",
        "db 2g 10 nio",
        "db 2g 300 nio",
    ]
    assert {run.load_s for run in small.runs} == {5.0}
    assert {run.warm_up.longest_s for run in small.runs} == {3.0}
    full = chosen(tmp_path, MATRIX + SMALL, full=True)
    assert len(full.runs) == 40
    assert {run.load_s for run in full.runs} == {10.0}


def test_an_experiment_without_a_small_form_knows_no_full_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--full: .*asked\.yaml states no small form"):
        chosen(tmp_path, full=True)


@pytest.mark.parametrize("full", [False, True])
def test_an_experiment_written_back_is_the_same_experiment(tmp_path: Path, full: bool) -> None:  # noqa: FBT001
    first = chosen(tmp_path, MATRIX + SMALL, full=full)
    again = tmp_path / "again.yaml"
    again.write_text(resolved(first.experiment), encoding="utf-8")
    second = read_experiment(again)
    assert second == first.experiment
    assert ids(plan(second, tmp_path)) == ids(first.runs)
    file = tmp_path / "asked.yaml"
    whole = read_experiment(file)
    again.write_text(resolved(whole), encoding="utf-8")
    assert read_experiment(again) == whole


def test_a_part_of_the_matrix_is_chosen_by_its_axes(tmp_path: Path) -> None:
    only = ["architecture=nio,nio-actor,heap=100m", "handlers=none,4", "users=10,application=io-10"]
    assert ids(chosen(tmp_path, only=only).runs) == ["io-10 100m 10 nio", "io-10 100m 10 nio-actor-4"]


@pytest.mark.parametrize(
    ("change", "output"),
    [
        (
            ("nio-actor,", "nio-acter,"),
            ":3: architecture[2]: unknown architecture 'nio-acter'; did you mean 'nio-actor'?",
        ),
        (("[io-10, db]", "[io-11, db]"), ":6: application[1]: unknown application 'io-11'; did you mean 'io-10'?"),
        (("100m", "100"), ":7: heap[1] must be a whole number of m or g, such as 100m or 2g, but is 100"),
        (("2g]", "2000g]"), ":7: heap[2] must be at most 1024g, but is 2000g"),
        (("parallel", "paralel"), ":8: collector: unknown collector 'paralel'; did you mean 'parallel'?"),
        (("{virtual: 99}", "{virtual: 8}"), "must be a version, 17 or later, or the folder of a JDK, but is 8"),
        (("{virtual: 99}", "{virtul: 99}"), "unknown architecture 'virtul'; did you mean 'virtual'?"),
        (("[4, adaptive", "[0, adaptive"), ":4: handlers[1] must be at least 1, but is 0"),
        (("[4, adaptive", "[4, adaptve"), "unknown number of handlers 'adaptve'; did you mean 'adaptive'?"),
        (
            ("[nio, nio-actor, virtual]\nhandlers: [4", "[nio-actor, seda-queue]\nhandlers: [none, 4"),
            ":4: handlers hold none, which is for netty, nio, nio2, plain-netty, virtual, and none of these is",
        ),
        (("[4, adaptive, mean-latency]", "none"), ":4: handlers hold but none, and nio-actor must have some"),
        (
            ("[nio, nio-actor, virtual]\nhandlers: [4", "[nio, virtual]\nhandlers: [none, 4"),
            "of which nio, virtual has none",
        ),
        (("least: 8s, within: 30s", "least: 9s, within: 7s"), "has within 7s, which is shorter than its least of 9s"),
        (("[nio, nio-actor, virtual]", "[nio, virtual]"), "has a setting handlers, of which nio, virtual has none"),
        (("[4, adaptive", "[4, 4.5, adaptive"), "unknown number of handlers '4.5'"),
        (("{virtual: 99}", "{loom: 99}"), "java: unknown architecture 'loom'"),
        (("least: 8s", "least: 2s"), "has least 2s, which must be 6s at least"),
        (("versus: nio", "pools: {fixed: {size: 2}}"), "needs either pools or architecture"),
        (("architecture: [nio, nio-actor, virtual]", "pools: {fixed: {size: 2}}"), "belongs to architecture"),
    ],
)
def test_what_is_wrong_is_named_with_the_nearest_valid_word(
    tmp_path: Path, change: tuple[str, str], output: str
) -> None:
    with pytest.raises(InputError) as problem:
        chosen(tmp_path, MATRIX.replace(*change, 1))
    assert output in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("part", "output"),
    [
        ("{heep: 2g}", "parts[1]: unknown axis 'heep'; did you mean 'heap'?"),
        ("{heap: 3g}", "parts[1]: unknown heap '3g'; did you mean '2g'?"),
        ("{architecture: nio, handlers: 4}", "parts[1]: no run belongs to it"),
    ],
)
def test_a_part_that_holds_nothing_is_named(tmp_path: Path, part: str, output: str) -> None:
    with pytest.raises(InputError) as problem:
        chosen(tmp_path, f"{MATRIX}\nparts: [{part}]\n")
    assert output in str(problem.value)


def jdk(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n', encoding="utf-8")
    return java


def test_a_jdk_is_found_by_its_version_or_its_folder(tmp_path: Path) -> None:
    java = jdk(tmp_path / "jdk-21", "21.0.4")
    jdk(tmp_path / "a", "17.0.1")
    (tmp_path / "b").mkdir()
    places = (str(tmp_path / "nowhere"), str(tmp_path))
    assert find_java("21", places) == str(java)
    assert find_java(str(tmp_path / "jdk-21"), places) == str(java)
    assert find_java("2", places) is None
    assert find_java(str(tmp_path / "b"), places) is None


def test_runs_whose_jdk_is_missing_are_left_out_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "find_java", lambda _: None)
    runs = {run.variant.name: run for run in chosen(tmp_path).runs}
    lack = JavaTestbed(ROOT).without(runs["virtual"])
    assert lack is not None
    assert lack.startswith("virtual needs JDK 99, which is not among those below /usr/lib/jvm")
    assert JavaTestbed(ROOT).without(runs["nio"]) is None
    only = ["application=io-10,heap=100m,users=10,architecture=nio,virtual"]
    text = MATRIX.replace("warm_up: {until: steady, least: 8s, within: 30s, controller: decides}", "warm_up: 0s")
    asked = chosen(tmp_path, text.replace("10s", "1s"), only=only)
    console = Console(width=200, record=True)
    code = launch(asked, FakeTestbed(lacking={"virtual": lack}), ROOT, ["poolkeeper"], Display(console, show_results))
    assert code == 0
    output = console.export_text()
    assert "1 run left out: virtual needs JDK 99" in output
    assert output.count("instructions and cache misses") <= 1
    assert json.loads(next(asked.folder.rglob("run.json")).read_text(encoding="utf-8"))["variant"] == "nio"
    with pytest.raises(RunError, match="1 run left out: virtual needs JDK 99"):
        launch(
            chosen(tmp_path, text, only=[*only, "architecture=virtual"], output=tmp_path / "other"),
            FakeTestbed(lacking={"virtual": lack}),
            ROOT,
            ["poolkeeper"],
            Display(console, show_results),
        )
