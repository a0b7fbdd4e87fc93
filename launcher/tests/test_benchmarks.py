"""Tests of what benchmarks in Python share, and of the figures of the benchmark `hosts`."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from conftest import PROJECT

BENCHMARKS = PROJECT / "testbed" / "benchmarks"
PATIENCE_S = 300


def load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


rounds = load(BENCHMARKS / "rounds.py")
phases = load(BENCHMARKS / "hosts" / "phases.py")


@pytest.mark.parametrize(("count", "least", "most"), [(6, 1, 6), (9, 2, 8), (12, 3, 10), (15, 4, 12), (20, 6, 15)])
def test_ranks_of_intervals_are_those_of_the_sign_test(count: int, least: int, most: int) -> None:
    assert rounds.median_interval(list(range(1, count + 1))) == (least, most)
    assert rounds.median_interval([1.0] * 5) is None


@pytest.mark.parametrize(
    ("target", "below", "verdict"),
    [
        (1, False, "reached"),
        (2, False, "undecided"),
        (7, False, "missed"),
        (7, True, "reached"),
        (6, True, "undecided"),
        (1, True, "missed"),
    ],
)
def test_only_the_whole_interval_reaches_a_target(target: int, *, below: bool, verdict: str) -> None:
    assert rounds.judged([1, 2, 3, 4, 5, 6], target, below=below) == verdict
    assert rounds.judged([1, 2], target, below=below) == "too few rounds to tell"


@pytest.mark.parametrize(
    ("benchmark", "arguments", "message"),
    [
        ("hosts", ["--hosts", "tomkat"], "argument --hosts: unknown host 'tomkat'; did you mean 'tomcat'?"),
        ("hosts", ["--rounds", "0"], "argument --rounds: must be a whole number, 1 or more, but is '0'"),
        ("hosts", ["--seconds", "1"], "argument --seconds: must be a whole number, 2 or more, but is '1'"),
        ("hosts", ["--trivial", "--users", "9"], "--users goes with work that changes"),
        ("hosts", ["--wat"], "unrecognized arguments: --wat"),
        ("sample-service", ["--rounds", "0"], "argument --rounds: must be a whole number, 1 or more, but is '0'"),
        ("sample-service", ["--user", "x"], "argument --users: must be a whole number, 1 or more, but is 'x'"),
        ("sample-service", ["--wat"], "unrecognized arguments: --wat"),
    ],
)
def test_wrong_options_get_one_line(benchmark: str, arguments: list[str], message: str) -> None:
    command = [sys.executable, str(BENCHMARKS / benchmark / "run"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"poolkeeper: {message}")
    assert len(done.stderr.splitlines()) == 1


def test_answers_count_when_they_come_and_errors_when_they_are_sent(tmp_path: Path) -> None:
    samples = tmp_path / "samples.jtl"
    rows = [(900, 150, "true"), (1000, 400, "true"), (2900, 200, "true"), (2950, 10, "false"), (3000, 900, "true")]
    samples.write_text(
        "timeStamp,elapsed,success\n" + "".join(f"{at},{elapsed},{success}\n" for at, elapsed, success in rows)
    )
    threads = [(1500, 10), (2500, 20), (3500, 40)]
    first, second = phases.figures(samples, 1000, 2, ("a", "b"), threads)
    assert first.rates == [4, 0, 0, 0]
    assert second.rates == [2, 2, 0, 0]
    assert (first.errors, second.errors) == (1, 0)
    assert (first.p99_ms, second.p99_ms) == (400, 900)
    assert (first.threads, second.threads) == (15, 40)


def test_the_time_to_a_level_is_that_of_the_first_two_seconds_that_keep_it() -> None:
    figures = phases.Figures([0, 0, 10, 10, 10, 10], 1.0, 0, 1.0)
    assert figures.seconds_to(10) == 1.0
    assert figures.seconds_to(11) is None


def test_a_phase_of_two_seconds_does_not_tell_when_a_level_was_reached() -> None:
    assert not phases.Figures([10] * 7, 1.0, 0, 1.0).tells_time
    assert phases.Figures([10] * 8, 1.0, 0, 1.0).tells_time


INTERRUPTED = """
import sys, time
sys.path.insert(0, sys.argv[1])
from rounds import interruptible

def main():
    try:
        print("ready", flush=True)
        time.sleep(1000)
    finally:
        print("cleaned", flush=True)

interruptible(main)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_benchmark_in_order(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, BENCHMARKS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(number)
        out, err = program.communicate(timeout=PATIENCE_S)
    assert (program.returncode, out, err) == (130, "cleaned\n", "poolkeeper: interrupted\n")


STARTER = """
import pathlib, sys, time
sys.path[:0] = sys.argv[1:3]
from servers import Process
process = Process("host", ["sleep", "1000"], pathlib.Path(sys.argv[3]), port=1)
print(process.process.pid, flush=True)
time.sleep(1000)
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("late", [False, True], ids=["", "before it is watched"])
def test_a_host_does_not_outlive_a_benchmark_that_was_killed(tmp_path: Path, *, late: bool) -> None:
    setpriv = tmp_path / "setpriv"
    setpriv.write_text(f'#!/bin/sh\nsleep {int(late)}\nexec {shutil.which("setpriv")} "$@"\n')
    setpriv.chmod(0o755)
    command = [sys.executable, "-c", STARTER, *map(str, [BENCHMARKS, BENCHMARKS / "hosts", tmp_path / "log"])]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as starter:
        assert starter.stdout is not None
        host = int(starter.stdout.readline())
        assert is_alive(host)
        starter.kill()
    end = time.monotonic() + PATIENCE_S
    while is_alive(host) and time.monotonic() < end:
        time.sleep(0.01)
    assert not is_alive(host)
