"""Commands of the real testbed, and words of the lab that are those of the testbed."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from real_testbed import ROOT, built, planned

from poolkeeper.errors import InputError, RunError
from poolkeeper.experiment.definition.catalogue import catalogue
from poolkeeper.experiment.definition.choices import (
    ADMISSIONS,
    APPLICATIONS,
    ARCHITECTURES,
    NETFLIX,
    OPEN_LIBERTY,
    PLAIN,
    WITHOUT_HANDLERS,
)
from poolkeeper.experiment.home import home
from poolkeeper.experiment.processes.backends import Backends
from poolkeeper.experiment.processes.server import _heap_named
from poolkeeper.experiment.processes.testbed import JavaTestbed

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.experiment.planning.plan import PlannedRun


def options(command: list[str]) -> dict[str, str]:
    """Options of a server's command; those that are repeated are joined."""
    words = command[command.index("io.poolkeeper.testbed.servers.ServerMain") + 1 :]
    found: dict[str, str] = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        found[name] = f"{found[name]} {value}" if name in found else value
    return found


def test_a_server_has_beside_its_application_what_a_chain_asks_for(tmp_path: Path) -> None:
    chain = {"first": "a", "next": {"a": {"b": 1}, "b": {"c": 1}, "c": {"end": 1}}}
    sessions = {"rate": 5, "chain": chain, "http": {"a": "/io-10?page=1", "b": "/dbread", "c": "/io-10"}}
    run = planned(tmp_path, application="prime", load={"half-open": sessions, "for": "10s"})[0]
    assert options(JavaTestbed(ROOT).server(run, Backends("jdbc:x"), "frozen"))["--beside"] == "io-10,dbread"
    assert run.needs_database


REAL = {
    "application": ["call20", "report", "hot-rows"],
    "connections": "pool:256",
    "load": {
        "phases": [
            {"users": 200, "requests": "report", "for": "10s"},
            {"users": 200, "requests": {"call20": 0.5, "hot-rows": 0.5}, "for": "10s"},
        ]
    },
}


def test_a_server_of_several_kinds_of_work_serves_each_and_knows_what_they_need(tmp_path: Path) -> None:
    run = planned(tmp_path, **REAL)[0]
    command = JavaTestbed(ROOT).server(run, Backends("jdbc:x", "127.0.0.1:9"), "frozen")
    stated = options(command)
    assert (stated["--application"], stated["--beside"]) == ("call20", "report,hot-rows")
    assert (stated["--jdbc-url"], stated["--connections"]) == ("jdbc:x", "pool:256")
    assert stated["--downstream"] == "127.0.0.1:9"
    assert run.needs_database
    assert run.needs_downstream
    assert not any("ExitOnOutOfMemoryError" in word for word in command), "reports may run out of memory"


def test_a_downstream_server_is_told_what_the_experiment_changes(tmp_path: Path) -> None:
    stated = {"call20": {"latency": "35ms", "capacity": 8}, "call": {}, "call400": {"degradation": 0.5}}
    run = planned(tmp_path, **REAL, downstream=stated)[0]
    command = JavaTestbed(ROOT).downstream(run)
    words = command[command.index("io.poolkeeper.testbed.applications.downstream.DownstreamMain") + 1 :]
    assert words == ["--profile", "call20:latency=35ms,capacity=8", "--profile", "call400:degradation=0.5"]


def test_a_variant_without_a_pool_may_name_the_architecture_of_its_server(tmp_path: Path) -> None:
    pools = {"virtual": {"controller": "plain", "architecture": "virtual"}, "fixed": {"size": 4}}
    virtual, fixed = planned(tmp_path, pools=pools, java={"virtual": 25})
    found = options(_server_without_java(virtual))
    assert found["--architecture"] == "virtual"
    assert virtual.machine.java == "25"
    assert fixed.machine.java is None


def _server_without_java(run: PlannedRun) -> list[str]:
    """The command with the arguments of the server alone, since its JDK may not be here."""
    arguments = JavaTestbed(ROOT).server_arguments(run, Backends(), "frozen")
    return ["io.poolkeeper.testbed.servers.ServerMain", *arguments]


def test_a_server_is_told_its_pool_window_and_database(tmp_path: Path) -> None:
    fixed, own, none, itself = planned(tmp_path, scale=0.25)
    testbed = JavaTestbed(ROOT)
    assert options(testbed.server(fixed, Backends("jdbc:x"), "frozen")) == {
        "--application": "dbwrite",
        "--seed": "1",
        "--pool": "fixed:4",
        "--bounds": "1..256",
        "--initial": "4",
        "--window": "0.25s",
        "--mode": "frozen",
        "--record": str(fixed.folder),
        "--jdbc-url": "jdbc:x",
        "--connections": "pool:7",
    }
    of_own = options(testbed.server(own, Backends("jdbc:x"), "frozen"))
    assert (of_own["--pool"], of_own["--bounds"], of_own["--initial"]) == ("p99-latency", "2..64", "3")
    assert of_own["--set"] == "step=5 threshold=0.025"
    assert options(testbed.server(none, Backends(), "frozen")) == {
        "--application": "dbwrite",
        "--seed": "1",
        "--pool": "plain",
    }
    sizing_itself = options(testbed.server(itself, Backends("jdbc:x"), "frozen"))
    assert (sizing_itself["--pool"], sizing_itself["--bounds"]) == ("open-liberty", "1..256")
    assert "--initial" not in sizing_itself
    assert "initial" not in itself.configuration


def test_a_server_is_told_the_limit_in_front_of_it(tmp_path: Path) -> None:
    pools = {
        "vegas": {"admission": "netflix-vegas"},
        "ours": {"admission": "adaptive", "objective": "goodput:500ms", "patience": "200ms", "bounds": "2..64"},
        "bounded": {"size": 16, "queue_capacity": 100},
    }
    vegas, ours, bounded = planned(tmp_path, pools=pools, goodput_within="500ms")
    testbed = JavaTestbed(ROOT)
    assert options(testbed.server(vegas, Backends(), "frozen")) == {
        "--application": "dbwrite",
        "--seed": "1",
        "--admission": "netflix-vegas",
        "--window": "1s",
        "--mode": "frozen",
        "--record": str(vegas.folder),
    }
    assert vegas.configuration["pool"] == {"controller": "netflix-vegas", "admission": "netflix-vegas"}
    assert vegas.configuration["goodput_within_s"] == 0.5
    of_ours = options(testbed.server(ours, Backends(), "frozen"))
    assert (of_ours["--admission"], of_ours["--bounds"]) == ("adaptive", "2..64")
    assert (of_ours["--objective"], of_ours["--patience"]) == ("goodput:500ms", "0.2s")
    assert "--pool" not in of_ours
    assert options(testbed.server(bounded, Backends(), "frozen"))["--queue-capacity"] == "100"


@pytest.mark.parametrize(("admission", "controller"), [("none", "fixed"), ("fixed:8", "fixed"), ("adaptive",) * 2])
def test_a_limit_that_nothing_changes_is_no_controller(tmp_path: Path, admission: str, controller: str) -> None:
    (run,) = planned(tmp_path, pools={"limit": {"admission": admission}})
    assert run.configuration["pool"]["controller"] == controller


def test_a_prime_of_ones_own(tmp_path: Path) -> None:
    run = planned(tmp_path, application="prime", n=11)[0]
    assert options(JavaTestbed(ROOT).server(run, Backends(), "active"))["--n"] == "11"


def test_the_load_has_as_many_threads_as_the_experiment_says(tmp_path: Path) -> None:
    load = {"users": 3, "for": "5s", "threads": 2}
    assert planned(tmp_path, load=load)[0].load_threads == 2
    command = JavaTestbed(ROOT).load(1, tmp_path, tmp_path, warm_up=False, threads=2)
    assert command[command.index("--threads") + 1] == "2"


def test_every_virtual_machine_has_its_collector_named(tmp_path: Path) -> None:
    testbed = JavaTestbed(ROOT)
    run = planned(tmp_path)[0]
    for command in (
        testbed.database(),
        testbed.server(run, Backends(), "active"),
        testbed.load(1, tmp_path, tmp_path, warm_up=True, threads=1),
    ):
        assert "-XX:+UseG1GC" in command


def test_what_is_not_built_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"testbed/servers/target/classes: is missing; build the testbed first"):
        JavaTestbed(tmp_path).check()


def test_the_root_is_where_the_contract_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POOLKEEPER_HOME", raising=False)
    assert home() == ROOT
    monkeypatch.setenv("POOLKEEPER_HOME", str(tmp_path))
    with pytest.raises(InputError, match="is not the project"):
        home()


LISTED = [
    ("--application", APPLICATIONS),
    ("--pool", (*catalogue(), *NETFLIX, OPEN_LIBERTY)),
    ("--architecture", ARCHITECTURES),
]


@built
def test_the_limits_of_the_lab_are_those_of_the_testbed(tmp_path: Path) -> None:
    (run,) = planned(tmp_path, application="prime1m", pools={"limit": {"admission": "none"}})
    run.folder.mkdir(parents=True)
    command = JavaTestbed(ROOT).server(run, Backends(), "active")
    command[command.index("--admission") + 1] = "nonsense"
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert set(done.stderr.strip().rpartition("known: ")[2].split(", ")) == {*ADMISSIONS}


@built
@pytest.mark.parametrize(("option", "available"), LISTED)
def test_the_words_of_the_lab_are_those_of_the_testbed(option: str, available: tuple[str, ...], tmp_path: Path) -> None:
    run = planned(tmp_path, application="prime1m", pools=None, architecture="blocking")[0]
    run.folder.mkdir(parents=True)
    command = JavaTestbed(ROOT).server(run, Backends(), "active")
    command[command.index(option) + 1] = "nonsense"
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert set(done.stderr.strip().rpartition("known: ")[2].split(", ")) - {PLAIN} == {*available}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_lab_knows_which_architectures_have_handlers(architecture: str) -> None:
    table = (ROOT / "docs" / "architectures.md").read_text(encoding="utf-8")
    (who,) = [line.split("|")[2] for line in table.splitlines() if line.startswith(f"| `{architecture}` |")]
    itself = who.rstrip().endswith((", and processes", ", and process", "reads, processes and writes"))
    assert (architecture in WITHOUT_HANDLERS) == (itself and not architecture.startswith("blocking"))


def test_a_heap_in_which_the_jvm_wants_another_setting_is_named() -> None:
    output = "GC triggered before VM initialization completed. Try increasing NewSize, current value 1331K."
    error = _heap_named(RunError(output), "2m")
    assert str(error) == f"heap: 2m is too small for the JVM: {output}"
