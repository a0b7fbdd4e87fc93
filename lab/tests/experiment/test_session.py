"""Whole experiments on processes that fail in every way that real ones do."""

from __future__ import annotations

import errno
import json
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from fake_testbed import SETUP, FakeTestbed
from jsonschema import Draft202012Validator

from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.planning.plan import plan
from poolkeeper.experiment.recording.monitor import Monitor
from poolkeeper.experiment.run import Patience
from poolkeeper.experiment.session import Outcome, Session
from poolkeeper.record import read_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkeeper.experiment.progress import RunProgress, Situation

pytestmark = pytest.mark.usefixtures("idle_machine")

CONTRACT = Path(__file__).parents[3] / "contract"
SHORT = Patience(start=300.0, silence=300.0, stop=300.0)
"""Far longer than anything here takes; tests of a wait that must run out have their own."""
EXPERIMENT = """
question: Does it work?
application: dbwrite
pools:
  fixed: {size: [2, 10]}
  adaptive: {controller: throughput, step: 5}
versus: fixed-10
load:
  phases: [{users: 3, for: 1s}, {users: 1, for: 1s}]
"""


@dataclass
class Spectator:
    """A view that notes what it is told, and does something as soon as a run has been measured for a second."""

    measuring: Callable[[Situation], None] = lambda _: None
    texts: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    closed: int = 0

    def refresh(self, situation: Situation) -> None:
        progress = situation.current
        if progress is not None:
            if progress.step not in self.steps[-1:]:
                self.steps.append(progress.step)
            if progress.seconds:
                self.measuring(situation)

    def ended(self, progress: RunProgress, situation: Situation) -> None:  # noqa: ARG002 - as View has it
        self.texts.append(f"{progress.run.id} {progress.status}")

    def say(self, text: str) -> None:
        self.texts.append(text)

    def close(self) -> None:
        self.closed += 1


@dataclass
class Experimenter:
    folder: Path

    def session(
        self, testbed: FakeTestbed, text: str = EXPERIMENT, view: Spectator | None = None, **more: Any
    ) -> Session:
        file = self.folder / "asked.yaml"
        file.write_text(text, encoding="utf-8")
        experiment = read_experiment(file)
        return Session(
            **{
                "experiment": experiment,
                "folder": self.folder,
                "runs": plan(experiment, self.folder / "runs"),
                "testbed": testbed,
                "view": view or Spectator(),
                "command": ["poolkeeper", "run", "asked.yaml"],
                "machine": {"os": "Linux", "cpus": 4},
                "versions": {"poolkeeper": "0"},
                "patience": SHORT,
                **more,
            }
        )

    def run(self, testbed: FakeTestbed, text: str = EXPERIMENT, **more: Any) -> Outcome:
        before = set(psutil.Process().children())  # such as a browser of other tests, whose own processes come and go
        outcome = self.session(testbed, text, **more).run()
        assert set(psutil.Process().children()) <= before, "a process was left behind"
        return outcome

    def document(self, run: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "runs" / run / "run.json").read_text(encoding="utf-8"))
        return found


@pytest.fixture
def experimenter(tmp_path: Path) -> Experimenter:
    return Experimenter(tmp_path)


SINGLE = EXPERIMENT.replace("size: [2, 10]", "size: [10]").replace(
    "  adaptive: {controller: throughput, step: 5}\n", ""
)


def test_every_variant_leaves_a_record_by_the_contract(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed())
    assert [execution.status for execution in outcome.ended] == ["complete"] * 3
    assert outcome.exit_code == 0
    schema = Draft202012Validator(json.loads((CONTRACT / "run.schema.json").read_text(encoding="utf-8")))
    for progress in outcome.ended:
        document = experimenter.document(progress.run.id)
        schema.validate(document)
        assert document["pools"] == {"workers": SETUP}
        record = read_run(progress.run.folder)
        assert record.ready_s is not None
        assert 0 < record.ready_s < SHORT.start
        assert (record.experiment, record.variant, record.status) == ("asked", progress.run.variant.name, "complete")
        assert record.configuration["versus"] == "fixed-10"
        assert record.configuration["pool"] == (
            {"controller": "throughput", "step": 5}
            if record.variant == "adaptive"
            else {"controller": "fixed", "size": int(record.variant.removeprefix("fixed-"))}
        )
        assert [phase["users"] for phase in record.configuration["load"]["phases"]] == [3, 1]


def test_the_server_is_frozen_until_the_load_begins_and_knows_the_database(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed(), SINGLE)
    jdbc_url, mode, downstream = json.loads(
        (outcome.ended[0].run.folder / "arguments.json").read_text(encoding="utf-8")
    )
    assert mode == "frozen"
    assert jdbc_url.startswith("jdbc:fake:")
    assert downstream == "None"


CALLS = SINGLE.replace("dbwrite", "call20")


def test_each_run_that_calls_has_a_downstream_server_of_its_own(experimenter: Experimenter) -> None:
    testbed = FakeTestbed()
    outcome = experimenter.run(testbed, CALLS + "repetitions: 2\n")
    assert outcome.exit_code == 0
    assert sum("downstream" in command for command in testbed.commands) == 2
    assert not any("database" in command for command in testbed.commands)
    for progress in outcome.ended:
        output = json.loads((progress.run.folder / "arguments.json").read_text(encoding="utf-8"))
        assert output[2] == "127.0.0.1:7"
        monitor = read_run(progress.run.folder).monitor
        assert monitor is not None
        assert "downstream" in monitor.labels["process"]


@pytest.mark.parametrize(
    ("behaviour", "output"),
    [
        ("does not start", "cannot listen on port 80"),
        ("has no port", "downstream: its ready message lacks a port"),
        ("dies once it serves", "downstream was killed by SIGKILL"),
    ],
)
def test_a_downstream_server_that_fails_fails_its_run(experimenter: Experimenter, behaviour: str, output: str) -> None:
    testbed = FakeTestbed(downstream_behaviour=behaviour, load_behaviour="goes on and on")
    outcome = experimenter.run(testbed, CALLS)
    assert outcome.exit_code == 1
    assert output in str(outcome.failed[0].error)


def test_one_database_serves_all_runs_or_each_has_its_own(experimenter: Experimenter, tmp_path: Path) -> None:
    shared, own = FakeTestbed(), FakeTestbed()
    experimenter.run(shared)
    Experimenter(tmp_path / "own").folder.mkdir()
    Experimenter(tmp_path / "own").run(own, EXPERIMENT + "database: per-run\n")
    assert sum("database" in command for command in shared.commands) == 1
    assert sum("database" in command for command in own.commands) == 3


def test_an_application_without_a_database_gets_none(experimenter: Experimenter) -> None:
    testbed = FakeTestbed()
    experimenter.run(testbed, SINGLE.replace("dbwrite", "prime1m"))
    assert not any("database" in command for command in testbed.commands)


def requests_of(experimenter: Experimenter, run: str) -> list[str]:
    """Requests to the admin port of a run's server."""
    return (experimenter.folder / "runs" / run / "told.txt").read_text(encoding="utf-8").splitlines()


def test_a_warm_up_for_a_time_is_not_judged(experimenter: Experimenter) -> None:
    testbed = FakeTestbed(warm_up="rising")
    outcome = experimenter.run(testbed, SINGLE + "warm_up: 100ms\n")
    assert outcome.exit_code == 0
    assert sum("load" in command for command in testbed.commands) == 1, "the same process warms up and measures"
    found = experimenter.document("fixed-10/1")
    assert (found["warm_up"]["seconds"], found["warm_up"]["steady"]) == (0.1, None)
    assert found["warnings"] == []
    assert len(outcome.ended[0].seconds) == 2, "the seconds of the warm-up are none of the load"
    assert requests_of(experimenter, "fixed-10/1") == ["/mode?mode=active"]


STEADY = "warm_up: {until: steady, within: 40s, size: 7}\nwindow: 1ms\n"


def test_a_warm_up_ends_when_throughput_is_steady_and_all_warm_up_at_one_size(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed(), SINGLE + STEADY)
    assert outcome.exit_code == 0
    found = experimenter.document("fixed-10/1")
    Draft202012Validator(json.loads((CONTRACT / "run.schema.json").read_text(encoding="utf-8"))).validate(found)
    assert found["warm_up"] == {"seconds": 20, "steady": True, "throughput": [50.0, 51.0] * 10}
    assert found["warnings"] == []
    # Back to the size that it had, which this server says is 11, before its controller is let go.
    assert requests_of(experimenter, "fixed-10/1") == ["/resize?size=7", "/resize?size=11", "/mode?mode=active"]
    run = read_run(experimenter.folder / "runs" / "fixed-10/1")
    assert run.warm_up is not None
    assert run.warm_up.steady


def test_a_server_that_is_slow_to_tell_its_size_before_a_warm_up_is_waited_for(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed(server_behaviour="stalls before the load"), SINGLE + STEADY)
    assert outcome.exit_code == 0
    assert requests_of(experimenter, "fixed-10/1")[:2] == ["/resize?size=7", "/resize?size=11"]


def test_a_server_that_never_becomes_steady_is_measured_and_marked(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed(warm_up="rising"), SINGLE + STEADY)
    assert outcome.exit_code == 0
    found = experimenter.document("fixed-10/1")
    assert (found["warm_up"]["seconds"], found["warm_up"]["steady"]) == (40, False)
    assert found["warnings"][0].startswith(
        "throughput was not shown to be steady after a warm-up of 40 s: over its last 20 s it changed by +97%"
    )


def test_a_load_that_dies_while_it_warms_up_fails_its_run(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed(warm_up="fails"), SINGLE + STEADY)
    assert outcome.exit_code == 1
    assert experimenter.document("fixed-10/1")["error"] == "load ended with exit code 1; last output: nobody answers"


def test_runs_of_one_application_can_share_the_process_of_their_servers(experimenter: Experimenter) -> None:
    testbed = FakeTestbed()
    text = EXPERIMENT.replace("application: dbwrite", "application: [dbwrite, prime1m]")
    outcome = experimenter.run(
        testbed,
        text + "server: per-application\n" + STEADY.replace("}", ", then: 20ms}") + "repetitions: 2\norder: grouped\n",
    )
    assert outcome.exit_code == 0
    assert sum("series" in command for command in testbed.commands) == 2
    assert not any("server" in command for command in testbed.commands)
    assert [progress.warm for progress in outcome.ended] == ([False] + [True] * 5) * 2
    lengths = [experimenter.document(progress.run.id)["warm_up"]["seconds"] for progress in outcome.ended]
    assert lengths == ([20] + [0.02] * 5) * 2


def test_later_runs_of_a_process_that_did_not_become_steady_are_marked_too(experimenter: Experimenter) -> None:
    text = EXPERIMENT + "server: per-application\n" + STEADY.replace("}", ", then: 20ms}")
    outcome = experimenter.run(FakeTestbed(warm_up="rising"), text)
    documents = [experimenter.document(progress.run.id) for progress in outcome.ended]
    assert [found["warm_up"]["steady"] for found in documents] == [False] * 3
    assert [found["warnings"][0][:54] for found in documents] == [
        "throughput was not shown to be steady after a warm-up "
    ] + ["throughput was not shown to be steady when the process"] * 2


def test_a_server_that_a_series_cannot_start_fails_its_run_and_the_next_has_a_new_process(
    experimenter: Experimenter,
) -> None:
    testbed = FakeTestbed(server_by_variant={"fixed-10": "does not start"})
    outcome = experimenter.run(testbed, EXPERIMENT + "server: per-application\n")
    assert [progress.status for progress in outcome.ended] == ["complete", "failed", "complete"]
    assert experimenter.document("fixed-10/1")["error"].startswith("server: size of the fixed pool must be within")
    assert sum("series" in command for command in testbed.commands) == 2


@pytest.mark.parametrize(
    ("behaviour", "output"),
    [
        ("dies in mid-run", "server was killed by SIGKILL; last output: java.lang.OutOfMemoryError: Java heap space"),
        ("does not start", "server ended with exit code 1; last output: cannot listen on port 80"),
        ("kills the database", "database was killed by SIGKILL"),
        ("kills the database's daemon", "has died"),
    ],
)
def test_what_dies_fails_its_run_and_the_next_goes_on(experimenter: Experimenter, behaviour: str, output: str) -> None:
    testbed = FakeTestbed(
        server_by_variant={"fixed-2": behaviour},
        load_by_variant={"fixed-2": "goes on and on"},
    )
    outcome = experimenter.run(testbed)
    assert [progress.status for progress in outcome.ended] == ["failed", "complete", "complete"]
    assert outcome.exit_code == 1
    document = experimenter.document("fixed-2/1")
    assert document["status"] == "failed"
    assert output in document["error"]
    assert "\n" not in document["error"]
    if behaviour.endswith("daemon"):
        assert document["error"].endswith(output), "what it said while all was well is no cause"
    assert sum("database" in command for command in testbed.commands) == (2 if "database" in behaviour else 1)


@pytest.mark.parametrize(
    ("behaviour", "output"),
    [
        ("fails", "load ended with exit code 1; last output: 127.0.0.1:1 refuses connections"),
        (
            "loses its record",
            "load ended with exit code 3; last output: record: writing load.csv failed: No space left on device",
        ),
        ("leaves no summary", "load.json: No such file or directory"),
        ("gets no answer", "not one request was answered (refused: "),
        ("writes a broken table", "load.csv:"),
    ],
)
def test_a_load_that_measured_nothing_fails_its_run(experimenter: Experimenter, behaviour: str, output: str) -> None:
    outcome = experimenter.run(FakeTestbed(load_behaviour=behaviour), SINGLE)
    assert outcome.exit_code == 1
    document = experimenter.document("fixed-10/1")
    assert document["status"] == "failed"
    assert output in document["error"]


def test_a_database_that_does_not_start_fails_the_runs_that_need_it(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed(database_behaviour="does not start"))
    assert [progress.status for progress in outcome.ended] == ["failed"] * 3
    assert "InnoDB: the data folder is in use" in str(outcome.ended[0].error)


@pytest.mark.parametrize(
    ("testbed", "text", "patience", "output"),
    [
        (
            FakeTestbed(server_behaviour="is never ready"),
            SINGLE.replace("dbwrite", "prime1m"),  # whose start no start of a database comes before
            Patience(0.3, 300, 300),
            "the start of the server has not happened",
        ),
        (
            FakeTestbed(load_behaviour="is silent"),
            SINGLE,
            Patience(300, 0.3, 300),
            "load: has reported nothing for 0.3 s",
        ),
    ],
    ids=["server", "load"],
)
def test_what_hangs_fails_its_run(
    experimenter: Experimenter, testbed: FakeTestbed, text: str, patience: Patience, output: str
) -> None:
    outcome = experimenter.run(testbed, text, patience=patience)
    assert outcome.exit_code == 1
    assert output in experimenter.document("fixed-10/1")["error"]


def test_a_server_that_will_not_end_is_killed_and_the_run_says_so(experimenter: Experimenter) -> None:
    testbed = FakeTestbed(server_behaviour="will not end")
    outcome = experimenter.run(testbed, SINGLE, patience=Patience(300, 300, 0.3))
    assert outcome.exit_code == 0
    assert "the server had to be killed" in experimenter.document("fixed-10/1")["warnings"][0]


def test_a_run_beside_which_others_worked_is_marked(
    experimenter: Experimenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Monitor, "others_cpus", lambda _: 0.3)
    experimenter.run(FakeTestbed(), SINGLE)
    output = "other processes used 0.3 of the machine's processors during the run"
    assert experimenter.document("fixed-10/1")["warnings"] == [output]


def test_nonsense_on_standard_output_goes_to_the_log(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed(server_behaviour="talks nonsense"), SINGLE)
    assert outcome.exit_code == 0
    assert b"{not json" in (outcome.ended[0].run.folder / "server.log").read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_interrupts_the_run_and_keeps_what_there_is(experimenter: Experimenter, number: int) -> None:
    def press(situation: Situation) -> None:
        if situation.current and situation.current.run.variant.name == "fixed-10":
            view.measuring = lambda _: None
            os.kill(os.getpid(), number)

    view = Spectator(press)
    testbed = FakeTestbed(load_by_variant={"fixed-10": "goes on and on"})
    outcome = experimenter.run(testbed, view=view)
    assert outcome.interrupted
    assert outcome.exit_code == 130
    assert [progress.status for progress in outcome.ended] == ["complete", "interrupted"]
    assert [run.variant.name for run in outcome.not_run] == ["adaptive"]
    assert experimenter.document("fixed-10/1")["status"] == "interrupted"
    assert any("keeping what was measured" in text for text in view.texts)
    assert view.closed == 1


def test_too_little_room_on_the_disk_stops_before_anything_is_lost(experimenter: Experimenter) -> None:
    outcome = experimenter.run(FakeTestbed(), free_bytes=lambda _: 3 << 20)
    assert outcome.ended == []
    assert len(outcome.not_run) == 3
    assert outcome.exit_code == 1
    assert outcome.problem == f"{experimenter.folder}: only 3 MB are free on this disk, 64 MB are needed"


def test_a_disk_that_fills_up_in_mid_run_stops_the_experiment(experimenter: Experimenter) -> None:
    measured: list[bool] = []

    def free(_: Path) -> int:
        return 0 if measured else 1 << 40

    view = Spectator(lambda _: measured.append(True))
    outcome = experimenter.run(FakeTestbed(load_behaviour="goes on and on"), view=view, free_bytes=free)
    assert [progress.status for progress in outcome.ended] == ["failed"]
    assert len(outcome.not_run) == 2
    assert "0 MB are free" in str(outcome.problem)
    assert experimenter.document("fixed-2/1")["status"] == "failed"


def test_a_write_that_finds_the_disk_full_stops_the_experiment(
    experimenter: Experimenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Monitor) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "monitor.csv")

    monkeypatch.setattr(Monitor, "sample", full)
    outcome = experimenter.run(FakeTestbed(load_behaviour="goes on and on"))
    assert len(outcome.ended) == 1
    assert outcome.problem == "monitor.csv: No space left on device"
    assert outcome.exit_code == 1


def test_the_view_sees_the_steps_in_order_and_every_second(experimenter: Experimenter) -> None:
    view = Spectator()
    outcome = experimenter.run(FakeTestbed(load_behaviour="well"), SINGLE + "warm_up: 10ms\n", view=view)
    progress = outcome.ended[0]
    assert [(second.phase, second.users, second.throughput) for second in progress.seconds] == [
        (0, 3, 300.0),
        (1, 1, 100.0),
    ]
    assert progress.errors == 2
    assert view.texts == ["fixed-10/1 complete"]
    available = [
        "begins",
        "starts the database",
        "starts the server",
        "warms up for 0.01 s",
        "starts the load",
        "measures",
    ]
    places = [[*available, "stops the server"].index(step) for step in view.steps]
    # It looks now and then, so a quick step may pass unseen.
    assert places == sorted(places)
    assert view.steps


CONSTANT = SINGLE.replace("phases: [{users: 3, for: 1s}, {users: 1, for: 1s}]", "users: 3\n  for: 2s")


@pytest.mark.parametrize(("warm_up", "steady"), [("steady", True), ("rising", False)])
def test_a_load_that_does_not_change_is_tested_to_its_end(
    experimenter: Experimenter,
    warm_up: str,
    steady: bool,  # noqa: FBT001
) -> None:
    outcome = experimenter.run(FakeTestbed(warm_up=warm_up, load_behaviour="goes on as it was"), CONSTANT + STEADY)
    assert outcome.exit_code == 0
    found = experimenter.document("fixed-10/1")
    Draft202012Validator(json.loads((CONTRACT / "run.schema.json").read_text(encoding="utf-8"))).validate(found)
    assert found["drift"]["steady"] is steady
    assert found["drift"]["seconds"] == (11 if steady else 21), "the load lasts one second"
    run = read_run(experimenter.folder / "runs" / "fixed-10/1")
    assert run.drift is not None
    assert run.drift.steady is steady
    assert [text[:70] for text in found["warnings"]] == (
        [] if steady else ["throughput was not shown to be steady while it was measured: over 21 s"]
    )


def test_a_controller_may_find_its_size_while_its_server_warms_up(experimenter: Experimenter) -> None:
    experimenter.run(FakeTestbed(), SINGLE + STEADY.replace("}", ", controller: decides}"))
    assert requests_of(experimenter, "fixed-10/1")[:2] == ["/resize?size=7", "/mode?mode=active"]
