"""Runs with the real testbed where it is built: processes that die, are killed or run out of memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil
import pytest
from real_testbed import ROOT, built

from poolkeeper.record import Run, read_run
from poolkeeper.report.measuring.costs import Costs
from poolkeeper.report.measuring.measurement import measure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAEMONS = ("mariadbd", "mysqld")
LONGEST_S = 1200.0
LONG = "10m"
"""Length of a phase that the test itself ends, however late the test comes to it."""


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
          phases: [{{users: 20, for: {LONG}}}, {{users: 1, for: 1s}}]
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


@contextmanager
def lab(*words: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A lab in a process of its own; it is killed if it is still there at the end."""
    environment = {
        "POOLKEEPER_HOME": str(ROOT),
        "POOLKEEPER_TEST": str(os.getpid()),
        "CI": "1",
        # Runs end before optimised code pays, and its compiler takes most of their processor time.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1",
    }
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "poolkeeper", "run", *words],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """Reads the lab's output until a line holds `words`."""
    assert process.stdout
    output = ""
    for line in process.stdout:
        output += line
        if words in line:
            return output
    pytest.fail(f"the lab ended without saying '{words}':\n{output}")


REAL_WORK = """
question: Does it run?
application: [call20, hot-rows, report, cpu]
connections: pool:16
heap: 128m
pools:
  fixed: {size: [2, 3, 5, 4]}
  adaptive: {controller: throughput, step: 4}
versus: fixed-4
window: 100ms
downstream: {call20: {latency: 1ms}}
load:
  think_time: 100ms
  phases:
    - {users: 8, requests: call20, for: 3s}
    - {users: 8, requests: {hot-rows: 0.4, cpu: 0.3, report: 0.3}, for: 3s}
warm_up: 1s
"""
"""Two phases of different work, for fixed sizes and an adaptive pool."""
KINDS = ({"call20"}, {"hot-rows", "cpu", "report"})
"""Requests of its phases."""
UNTIL_ENDED = REAL_WORK.replace("for: 3s", f"for: {LONG}").replace("warm_up: 1s", "warm_up: 100ms")
"""The same work, whose loads the test itself ends."""
ENOUGH = 60
"""Answers of a phase, up to 8 of the phase before included, that lack a kind with a probability below 1e-7."""


def real_work(folder: Path, text: str = REAL_WORK) -> Path:
    file = folder / "asked.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def child(process: subprocess.Popen[str], names: tuple[str, ...]) -> psutil.Process:
    """The only process that the lab has started with one of these names, or with one among its arguments."""
    children = psutil.Process(process.pid).children(recursive=True)
    (found,) = [child for child in children if {*names} & {child.name(), *child.cmdline()}]
    return found


@built
@pytest.mark.usefixtures("nothing_left")
def test_whatever_dies_in_mid_run_fails_that_run_and_the_next_starts_it_again(tmp_path: Path) -> None:
    """One experiment loses the server, the database and the downstream server; resumed, it completes two runs."""
    deaths = {
        "fixed-2": ("io.poolkeeper.testbed.servers.ServerMain",),
        "fixed-3": DAEMONS,
        "fixed-5": ("io.poolkeeper.testbed.applications.downstream.DownstreamMain",),
    }
    dying = [str(real_work(tmp_path, UNTIL_ENDED)), "-o", "out", "--only", f"variant={','.join(deaths)}"]
    with lab(*dying, folder=tmp_path) as process:
        output = ""
        for variant, names in deaths.items():
            output += read_until(process, f"{variant}: phase 1 of 2")
            child(process, names).kill()
        output += process.communicate(timeout=LONGEST_S)[0]
    assert process.returncode == 1, output
    assert "fixed-2: failed: server was killed by SIGKILL" in output
    assert output.count("has died") == 2, "when it happens, and at the end"
    assert "fixed-5: failed: downstream was killed by SIGKILL" in output
    resumed = [str(real_work(tmp_path)), "-o", "out", "--only", "variant=fixed-4,adaptive", "--resume"]
    with lab(*resumed, folder=tmp_path) as process:
        output, _ = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 0, output
    assert "The run fixed-3/1 failed: database" in output
    assert output.count("has died") == 1, "beside the results"
    assert "report: out/report.html" in output
    assert "The adaptive pool " in output
    # A machine that stood still for a whole phase is no fault; the report then says that it left the phase out.
    assert re.search("the best single fixed size, fixed-4: over (2 phases|1 phase .*Left out: 1 phase)", output), output
    runs = {name: read_run(tmp_path / "out" / name / "1") for name in (*deaths, "fixed-4", "adaptive")}
    assert [run.status for run in runs.values()] == [*["failed"] * 3, *["complete"] * 2]
    assert runs["fixed-2"].windows, "what the server had measured"
    assert runs["fixed-2"].load, "what the load generator had measured"
    assert runs["fixed-2"].summary
    complete(runs["adaptive"])


def complete(run: Run) -> None:
    """Whether a run has been measured with all that it started."""
    assert run.versions["mariadb"].startswith("10.11.")
    assert run.summary
    assert run.summary.requests > 20, "each user asked again"
    assert run.summary.errors == 0
    assert max(decision.size_after for decision in run.decisions) > 1
    assert all(decision.at_s > 0 for decision in run.decisions), "it is not asked during the warm-up"
    assert run.latency
    assert run.load
    tags = {interval.tag for interval in run.latency.intervals}
    for number, kinds in enumerate(KINDS):
        answers = run.load["requests"][run.load["phase"] == number].sum()
        # A machine that stood still for most of a phase is no fault.
        assert kinds <= tags or answers < ENOUGH, f"phase {number + 1} of {tags} had {answers} answers"
    assert tags <= set.union(*KINDS)
    assert run.monitor
    assert {"server", "load", "database", "downstream", "lab", "machine"} == set(run.monitor.labels["process"])
    assert run.configuration["downstream"] == {"call20": {"latency": 0.001}}


@built
@pytest.mark.usefixtures("nothing_left")
def test_a_lab_that_is_killed_leaves_neither_virtual_machine_nor_database(tmp_path: Path) -> None:
    with lab(str(real_work(tmp_path, UNTIL_ENDED)), "-o", "out", folder=tmp_path) as process:
        read_until(process, "fixed-2: phase 1 of 2")
        names = sorted(child.name() for child in psutil.Process(process.pid).children(recursive=True))
        assert names.count("java") == 4, "with the downstream server"
        assert {*DAEMONS} & {*names}
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
