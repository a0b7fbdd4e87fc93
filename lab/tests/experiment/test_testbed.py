"""The real testbed: its commands, and runs with it where it is built."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

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
from poolkeeper.experiment.definition.model import Experiment
from poolkeeper.experiment.home import home
from poolkeeper.experiment.planning.plan import PlannedRun, plan
from poolkeeper.experiment.processes.backends import Backends
from poolkeeper.experiment.processes.server import _heap_named
from poolkeeper.experiment.processes.testbed import JavaTestbed
from poolkeeper.record import read_run
from poolkeeper.report.measuring.costs import Costs
from poolkeeper.report.measuring.measurement import measure

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
DAEMONS = ("mariadbd", "mysqld")


def planned(folder: Path, **changes: object) -> list[PlannedRun]:
    stated: dict[str, object] = {
        "name": "asked",
        "question": "Which?",
        "application": "dbwrite",
        "connections": "pool:7",
        "pools": {
            "fixed": {"size": 4},
            "own": {"controller": "p99-latency", "step": 5, "threshold": 0.025, "bounds": "2..64", "initial": 3},
            "none": {"controller": "plain"},
            "itself": {"controller": "open-liberty"},
        },
        "load": {"users": 5, "for": "10s"},
    }
    return plan(Experiment.model_validate({**stated, **changes}), folder)


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


built = pytest.mark.skipif(
    not all((ROOT / "testbed" / module / "target" / "lib").is_dir() for module in ("servers", "load")),
    reason="the Java testbed is not built: mvn -q -DskipTests package",
)


def matrix(folder: Path, application: str) -> Path:
    file = folder / "asked.yaml"
    file.write_text(
        f"""
        question: Does it run?
        application: {application}
        pools:
          fixed: {{size: 2}}
          adaptive: {{controller: throughput, step: 4}}
        versus: fixed
        window: 100ms
        load:
          phases: [{{users: 20, for: 3s}}, {{users: 1, for: 1s}}]
        warm_up: 1s
        """,
        encoding="utf-8",
    )
    return file


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Nothing that this test has started is there afterwards; others may run a testbed on this machine as well."""
    yield
    _, alive = psutil.wait_procs([process for process in psutil.process_iter() if _ours(process)], timeout=20)
    assert alive == []


def _ours(process: psutil.Process) -> bool:
    try:
        return process.environ().get("POOLKEEPER_TEST") == str(os.getpid())
    except psutil.Error:
        return False


def lab(*words: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "poolkeeper", "run", *words],
        cwd=folder,
        env={**os.environ, "POOLKEEPER_HOME": str(ROOT), "POOLKEEPER_TEST": str(os.getpid()), "CI": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """Reads the lab's output until a line holds `words`."""
    assert process.stdout
    output = ""
    for line in process.stdout:
        output += line
        if words in line:
            return output
    pytest.fail(f"the lab ended without saying '{words}':\n{output}")


@built
@pytest.mark.usefixtures("nothing_left")
def test_a_database_that_dies_in_mid_run_fails_that_run_and_the_next_is_made(tmp_path: Path) -> None:
    with lab(str(matrix(tmp_path, "dbwrite")), "-o", "out", folder=tmp_path) as process:
        read_until(process, "fixed: phase 1 of 2")
        daemons = [child for child in psutil.Process(process.pid).children(recursive=True) if child.name() in DAEMONS]
        assert len(daemons) == 1
        daemons[0].kill()
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 1, output
    assert output.count("has died") == 2, "when it happens, and beside the results"
    assert "The run fixed/1 failed: database" in output
    assert "report: out/report.html" in output
    fixed, adaptive = (read_run(tmp_path / "out" / variant / "1") for variant in ("fixed", "adaptive"))
    assert fixed.status == "failed"
    assert adaptive.status == "complete"
    assert adaptive.versions["mariadb"].startswith("10.11.")
    assert adaptive.summary
    assert adaptive.summary.requests > 100
    assert adaptive.summary.errors == 0
    assert max(decision.size_after for decision in adaptive.decisions) > 1
    assert all(decision.at_s > 0 for decision in adaptive.decisions), "it is not asked during the warm-up"
    assert adaptive.monitor
    assert {"server", "load", "database", "lab", "machine"} == set(adaptive.monitor.labels["process"])


@built
@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_dies_in_mid_run_fails_that_run_keeps_its_record_and_the_next_is_made(tmp_path: Path) -> None:
    with lab(str(matrix(tmp_path, "prime1m")), "-o", "out", folder=tmp_path) as process:
        read_until(process, "fixed: phase 1 of 2")
        children = psutil.Process(process.pid).children(recursive=True)
        (server,) = [child for child in children if "io.poolkeeper.testbed.servers.ServerMain" in child.cmdline()]
        server.kill()
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 1, output
    assert "fixed: failed: server was killed by SIGKILL" in output
    fixed, adaptive = (read_run(tmp_path / "out" / variant / "1") for variant in ("fixed", "adaptive"))
    assert fixed.status == "failed"
    assert fixed.windows, "what the server had measured"
    assert fixed.load, "what the load generator had measured"
    assert fixed.summary
    assert adaptive.status == "complete"


@built
@pytest.mark.usefixtures("nothing_left")
def test_a_lab_that_is_killed_leaves_neither_virtual_machine_nor_database(tmp_path: Path) -> None:
    with lab(str(matrix(tmp_path, "dbread")), "-o", "out", folder=tmp_path) as process:
        read_until(process, "fixed: phase 1 of 2")
        names = sorted(child.name() for child in psutil.Process(process.pid).children(recursive=True))
        assert names.count("java") == 3
        assert {*DAEMONS} & {*names}
        process.kill()


def real_work(folder: Path) -> Path:
    """Two phases of different work, for a fixed size and an adaptive pool."""
    file = folder / "asked.yaml"
    file.write_text(
        """
        question: Does it run?
        application: [call20, hot-rows, report, cpu]
        connections: pool:16
        heap: 128m
        pools:
          fixed: {size: 4}
          adaptive: {controller: throughput, step: 4}
        versus: fixed
        window: 100ms
        downstream: {call20: {latency: 1ms}}
        load:
          phases:
            - {users: 8, requests: call20, for: 3s}
            - {users: 8, requests: {hot-rows: 0.4, cpu: 0.3, report: 0.3}, for: 3s}
        warm_up: 1s
        """,
        encoding="utf-8",
    )
    return file


@built
@pytest.mark.usefixtures("nothing_left")
def test_phases_of_real_work_run_on_processes_that_start_by_themselves(tmp_path: Path) -> None:
    with lab(str(real_work(tmp_path)), "-o", "out", folder=tmp_path) as process:
        output, _ = process.communicate(timeout=180)
    assert process.returncode == 0, output
    assert "The adaptive pool " in output
    # A machine that stood still for a whole phase is no fault; the report then says that it left the phase out.
    assert re.search("the best single fixed size, fixed: over (2 phases|1 phase .*Left out: 1 phase)", output), output
    run = read_run(tmp_path / "out" / "adaptive" / "1")
    assert run.latency
    assert {interval.tag for interval in run.latency.intervals} == {"call20", "hot-rows", "cpu", "report"}
    assert run.monitor
    assert {"server", "load", "database", "downstream", "lab", "machine"} == set(run.monitor.labels["process"])
    assert run.configuration["downstream"] == {"call20": {"latency": 0.001}}


@built
@pytest.mark.usefixtures("nothing_left")
def test_a_downstream_server_that_dies_in_mid_run_fails_that_run_and_the_next_has_its_own(tmp_path: Path) -> None:
    with lab(str(real_work(tmp_path)), "-o", "out", folder=tmp_path) as process:
        read_until(process, "fixed: phase 1 of 2")
        children = psutil.Process(process.pid).children(recursive=True)
        name = "io.poolkeeper.testbed.applications.downstream.DownstreamMain"
        (downstream,) = [child for child in children if name in child.cmdline()]
        downstream.kill()
        output, _ = process.communicate(timeout=180)
    assert process.returncode == 1, output
    assert "fixed: failed: downstream was killed by SIGKILL" in output
    assert read_run(tmp_path / "out" / "adaptive" / "1").status == "complete"


@built
@pytest.mark.usefixtures("nothing_left")
def test_a_lab_that_is_killed_leaves_no_downstream_server(tmp_path: Path) -> None:
    with lab(str(real_work(tmp_path)), "-o", "out", folder=tmp_path) as process:
        read_until(process, "fixed: phase 1 of 2")
        assert [child.name() for child in psutil.Process(process.pid).children(recursive=True)].count("java") == 4
        process.kill()


@built
@pytest.mark.usefixtures("nothing_left")
def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    words = [str(matrix(tmp_path, "prime1m")), "-o", "out", "--only", "variant=adaptive"]
    with lab(*words, folder=tmp_path) as process:
        read_until(process, "phase 1 of 2")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert "0 of 1 run complete, interrupted; to go on: ./poolkeeper run out --resume --only variant=adaptive" in output
    run = read_run(tmp_path / "out" / "adaptive" / "1")
    assert run.status == "interrupted"
    assert run.summary, "the load generator has written its summary"
    assert run.windows


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
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert set(done.stderr.strip().rpartition("known: ")[2].split(", ")) == {*ADMISSIONS}


@built
@pytest.mark.parametrize(("option", "available"), LISTED)
def test_the_words_of_the_lab_are_those_of_the_testbed(option: str, available: tuple[str, ...], tmp_path: Path) -> None:
    run = planned(tmp_path, application="prime1m", pools=None, architecture="blocking")[0]
    run.folder.mkdir(parents=True)
    command = JavaTestbed(ROOT).server(run, Backends(), "active")
    command[command.index(option) + 1] = "nonsense"
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert set(done.stderr.strip().rpartition("known: ")[2].split(", ")) - {PLAIN} == {*available}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_lab_knows_which_architectures_have_handlers(architecture: str) -> None:
    table = (ROOT / "docs" / "architectures.md").read_text(encoding="utf-8")
    (who,) = [line.split("|")[2] for line in table.splitlines() if line.startswith(f"| `{architecture}` |")]
    itself = who.rstrip().endswith((", and processes", ", and process", "reads, processes and writes"))
    assert (architecture in WITHOUT_HANDLERS) == (itself and not architecture.startswith("blocking"))


HEAPS = """
question: Does it run?
architecture: [nio, seda-queue]
handlers: 4
versus: nio
application: memory-1000
heap: [1m, 2m, 16m]
collector: serial
load: {users: 2, for: 2s}
"""


@built
@pytest.mark.usefixtures("nothing_left")
def test_a_heap_too_small_is_named_and_the_next_cell_is_measured_with_all_that_it_costs(tmp_path: Path) -> None:
    file = tmp_path / "asked.yaml"
    file.write_text(HEAPS, encoding="utf-8")
    with lab(str(file), "-o", "out", "--only", "architecture=nio", folder=tmp_path) as process:
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 1, output
    for heap in ("1m", "2m"):  # The JVM says something else of either.
        why = f"heap: {heap} is too small for the JVM: server ended with exit code "
        assert f"The run heap-{heap}/nio/1 failed: {why}" in output
    run = read_run(tmp_path / "out" / "heap-16m" / "nio" / "1")
    assert run.status == "complete"
    assert (run.configuration["architecture"], run.configuration["handlers"]) == ("nio", None)
    assert run.gc is not None
    assert run.gc.collector == "Serial"
    (measured,) = measure([run])
    costs = Costs.of(measured)
    assert measured.server_cpu() > 0.01
    assert costs.server_cpu_s > 0
    assert costs.load_cpu_s > 0
    assert costs.gc_pauses > 0
    assert costs.allocated_bytes > 100
    assert "allocation, bytes a request" in output
    assert "full GCs" in output


def test_a_heap_in_which_the_jvm_wants_another_setting_is_named() -> None:
    output = "GC triggered before VM initialization completed. Try increasing NewSize, current value 1331K."
    error = _heap_named(RunError(output), "2m")
    assert str(error) == f"heap: 2m is too small for the JVM: {output}"
