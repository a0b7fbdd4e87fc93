"""Runs with the real testbed where it is built: processes that die, are killed or run out of memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil
import pytest
from real_testbed import ROOT, built

from poolkeeper.record import read_run
from poolkeeper.report.measuring.costs import Costs
from poolkeeper.report.measuring.measurement import measure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAEMONS = ("mariadbd", "mysqld")
LONGEST_S = 1200.0


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
          think_time: 100ms
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
    _, alive = psutil.wait_procs([process for process in psutil.process_iter() if _ours(process)], timeout=300)
    assert alive == []


def _ours(process: psutil.Process) -> bool:
    try:
        return process.environ().get("POOLKEEPER_TEST") == str(os.getpid())
    except psutil.Error:
        return False


def lab(*words: str, folder: Path) -> subprocess.Popen[str]:
    environment = {
        "POOLKEEPER_HOME": str(ROOT),
        "POOLKEEPER_TEST": str(os.getpid()),
        "CI": "1",
        # Runs end before optimised code pays, and its compiler takes most of their processor time.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1",
    }
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "poolkeeper", "run", *words],
        cwd=folder,
        env={**os.environ, **environment},
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
        output, _ = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 1, output
    assert output.count("has died") == 2, "when it happens, and beside the results"
    assert "The run fixed/1 failed: database" in output
    assert "report: out/report.html" in output
    fixed, adaptive = (read_run(tmp_path / "out" / variant / "1") for variant in ("fixed", "adaptive"))
    assert fixed.status == "failed"
    assert adaptive.status == "complete"
    assert adaptive.versions["mariadb"].startswith("10.11.")
    assert adaptive.summary
    assert adaptive.summary.requests > 20, "each user asked again"
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
        output, _ = process.communicate(timeout=LONGEST_S)
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
          think_time: 100ms
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
        output, _ = process.communicate(timeout=LONGEST_S)
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
        output, _ = process.communicate(timeout=LONGEST_S)
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
        output, _ = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 130, output
    assert (
        "0 of 1 run complete, interrupted; to continue: ./poolkeeper run out --resume --only variant=adaptive" in output
    )
    run = read_run(tmp_path / "out" / "adaptive" / "1")
    assert run.status == "interrupted"
    assert run.summary, "the load generator has written its summary"
    assert run.windows


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
        output, _ = process.communicate(timeout=LONGEST_S)
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
