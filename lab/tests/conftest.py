"""Fixtures of all tests of the lab."""

import os

import pytest
from command_line import CommandLine
from hypothesis import HealthCheck, settings

pytest_plugins = ["console_fixtures", "simulator_fixtures"]

# Matrices are small here, and several processes test side by side: threads of linear algebra would only get into each
# other's way. Nothing above imports numpy, which reads it once.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# pytest-xdist gives its processes the width of the terminal, and answers would be as wide as that.
# A test of widths sets its own.
os.environ.pop("COLUMNS", None)

# A machine that does other work beside the tests is slow now and then; what a test says does not depend on it.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture
def poolkeeper(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def quick_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Virtual machines end before optimised code pays, whose compiler takes most of their processor time."""
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")


@pytest.fixture
def idle_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which a run sees no other processes: those that test side by side would be warned of."""
    monkeypatch.setattr("poolkeeper.experiment.recording.monitor.Monitor.others_cpus", lambda _: 0.0)


@pytest.fixture
def without_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyses without the distribution and the tail: they take most of the time, and are tested apart."""
    monkeypatch.setattr("poolkeeper.commands.analyze.add_fits", lambda *_: "")
