"""Four real tiers end to end: started, loaded, resized, restarted and killed under load."""

from __future__ import annotations

import csv
import errno
import os
import re
import signal
import socket
from typing import TYPE_CHECKING

import psutil
import pytest
import yaml
from tier_servers import needs, until

from poolkeeper.errors import RunError
from poolkeeper.experiment.home import home
from poolkeeper.ntier.real import RealSystem
from poolkeeper.ntier.system import Allocation, AlternatingSystem
from poolkeeper.ntier.tiers.faults import Fault
from poolkeeper.ntier.tiers.java import JavaPrograms
from poolkeeper.ntier.topology import read_topology

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from poolkeeper.ntier.system import Trial

LOAD = {
    "clients": {"kind": "closed", "users": 1},
    "for": "1s",
    "timeout": "300s",
    "http": {"story": "/ViewStory?story=3"},
}
TOPOLOGY = {
    "question": "Do four small tiers work together?",
    "load": "load.yaml",
    "think_time": "300ms",
    "bounds": ["500ms", "3s"],
    "size": "small",
    "tiers": {
        "web": {"server": "haproxy", "cores": 0.3, "connections": 20},
        "application": {"server": "board", "cores": 0.8, "threads": 10, "connections": 4, "heap": "96m"},
        "middleware": {"server": "pgbouncer", "cores": 0.3, "connections": 3},
        "database": {"server": "postgres", "cores": 0.3},
    },
}
USERS = 10
ATTEMPTS = 10
"""Trials of a few seconds: a machine that stood still through some of them is no fault of the servers."""


@pytest.mark.usefixtures("quick_java")
def test_four_tiers_from_their_start_to_the_death_of_one(tmp_path: Path) -> None:
    needs("haproxy", "board", "pgbouncer", "postgres")
    try:
        JavaPrograms(home()).check()
    except RunError as error:
        pytest.skip(str(error))
    (tmp_path / "load.yaml").write_text(yaml.safe_dump(LOAD), encoding="utf-8")
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(TOPOLOGY, sort_keys=False), encoding="utf-8")
    lines: list[str] = []
    file = read_topology(tmp_path / "small.yaml")
    with RealSystem(file, tmp_path / "results", say=lines.append, cold_s=0.0) as system:
        initial = file.topology.initial
        system.start(initial)
        checked = [line.partition(" ")[0] for line in lines if "127.0.0.1:" in line]
        assert checked == ["database", "middleware", "application", "web"], "back to front"
        loaded(system, initial)
        resized(system, initial)
        in_turns(system, initial)
        restarted(system, initial)
        killed(system, initial)
    assert list((tmp_path / "results" / "servers").glob("*.log"))


def test_a_port_in_use_is_told_before_a_server_starts(tmp_path: Path) -> None:
    needs("haproxy", "board", "pgbouncer", "postgres")
    try:
        JavaPrograms(home()).check()
    except RunError as error:
        pytest.skip(str(error))
    (tmp_path / "load.yaml").write_text(yaml.safe_dump(LOAD), encoding="utf-8")
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(TOPOLOGY, sort_keys=False), encoding="utf-8")
    file = read_topology(tmp_path / "small.yaml")
    lines: list[str] = []
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            RealSystem(file, tmp_path / "results", say=lines.append, port=port) as system,
            pytest.raises(RunError, match=f"web: port {port} is in use"),
        ):
            system.start(file.topology.initial)
    assert not any(line.startswith("starts") for line in lines)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.EROFS, "Read-only file system", "/results"), "/results: cannot be written: Read-only file"),
        (OSError(errno.ENOSPC, "No space left on device"), "results: cannot be written: No space left on device"),
        (ExceptionGroup("starts", [OSError(errno.ENOSPC, "No space left")]), "results: cannot be written: No space"),
    ],
)
def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    (tmp_path / "load.yaml").write_text(yaml.safe_dump(LOAD), encoding="utf-8")
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(TOPOLOGY, sort_keys=False), encoding="utf-8")
    file = read_topology(tmp_path / "small.yaml")
    monkeypatch.setattr("poolkeeper.ntier.real.Workplace", refuse)
    with RealSystem(file, tmp_path / "results") as system, pytest.raises(RunError, match=message):
        system.start(file.topology.initial)


def answered(trials: Callable[[], Sequence[Trial]]) -> Sequence[Trial]:
    """Trials that are repeated until requests were answered in each of them."""
    for _ in range(ATTEMPTS):
        found = trials()
        if all(trial.throughput > 0 and trial.tiers[0].throughput > 0 for trial in found):
            return found
    pytest.fail(f"no request was answered in one of {found}, and so in {ATTEMPTS} attempts")


def loaded(system: RealSystem, initial: Allocation) -> None:
    """All tiers serve the load, and the trace id runs through them."""
    (trial,) = answered(lambda: [system.run(initial, USERS, 2, settle_s=1.0)])
    assert (trial.errors, trial.users, trial.seconds) == (0, USERS, 2)
    assert trial.goodput[0.5] <= trial.goodput[3.0] <= trial.throughput
    assert len(trial.throughput_series) == 2
    web, application, middleware, database = trial.tiers
    assert all(0 < tier.utilisation < 1.5 for tier in trial.tiers)
    assert all(len(tier.series.utilisation) == 2 for tier in trial.tiers)
    assert (web.connections, application.threads, application.connections, middleware.connections) == (20, 10, 4, 3)
    # Requests under way at the beginning and at the end count in one tier and not in another.
    edges = USERS / (web.throughput * trial.seconds)
    assert application.visits == pytest.approx(1, abs=max(0.1, edges))
    # The page is made of a few statements; each of them passes through both tiers behind.
    assert middleware.visits == pytest.approx(database.visits, rel=max(0.1, edges))
    last = system._folder / f"trial-{system._trials:03}" / "trial.json"
    document = yaml.safe_load(last.read_text(encoding="utf-8"))
    assert document["traces"]["matched"] == 1.0, "the id of each request is in the database's log"
    assert document["traces"]["visits"] == pytest.approx(database.visits, rel=max(0.1, edges)), "so is each statement"
    assert document["traces"]["visits"] > 1
    if system.tiers.workplace.no_quotas is not None:
        assert any("without CPU quotas" in warning for warning in trial.warnings)


def resized(system: RealSystem, initial: Allocation) -> None:
    """Every tier takes other sizes while it runs."""
    before = {server.name: server.pid for server in system.tiers.all()}
    doubled = Allocation({key: 2 * size for key, size in initial.sizes.items()})
    trial = system.run(doubled, USERS, 1, settle_s=0.0)
    assert trial.allocation == doubled
    assert [tier.connections for tier in trial.tiers[:3]] == [40, 8, 6]
    assert trial.tiers[1].threads == 20
    assert {server.name: server.pid for server in system.tiers.all()} == before
    assert trial.errors == 0


def in_turns(system: RealSystem, initial: Allocation) -> None:
    """Sizes change under one load, and each turn has the figures of its own seconds."""
    assert isinstance(system, AlternatingSystem), "so that rounds take turns"
    sizes = [initial, Allocation({key: 2 * size for key, size in initial.sizes.items()}), initial]

    def take_turns() -> list[Trial]:
        loads = len(list(system._folder.glob("trial-*")))
        trials = system.run_in_turns(sizes, USERS, 2)
        assert len(list(system._folder.glob("trial-*"))) == loads + 1
        return trials

    trials = answered(take_turns)
    assert [trial.allocation for trial in trials] == sizes
    assert [trial.tier("middleware").connections for trial in trials] == [3, 6, 3]
    assert system.tiers.allocation == initial
    for trial in trials:
        assert (trial.users, trial.seconds, trial.errors) == (USERS, 2, 0)
        assert len(trial.throughput_series) == len(trial.tier("database").series.utilisation) == 2


def restarted(system: RealSystem, initial: Allocation) -> None:
    """A restart of the database under load loses requests, which are counted and named."""
    fault = Fault("restart", "database", 1.0)
    (trial,) = answered(lambda: [system.run(initial, USERS, 4, settle_s=0.0, faults=[fault])])
    assert any("database was restarted after 1 s" in warning for warning in trial.warnings)
    assert trial.tier("database").context_switches is None, "those of the processes that ended are lost"
    assert trial.tier("application").context_switches
    if trial.errors:
        lost = [warning for warning in trial.warnings if "requests failed" in warning]
        assert len(lost) == 1
        message, _, logged = lost[0].partition("; the front tier has logged ")
        # HAProxy sees each failed request, those of earlier trials are not named again.
        assert sum(map(int, re.findall(r": (\d+)", message))) == sum(map(int, re.findall(r": (\d+)", logged)))


def killed(system: RealSystem, initial: Allocation) -> None:
    """After the restart the load goes on; the death of a server ends it, and the message names it and what was lost."""
    victim = system.tiers.server("application")
    counted = system._folder / f"trial-{system._trials + 1:03}" / "load.csv"

    def answers() -> bool:
        whole = counted.read_text(encoding="utf-8").rpartition("\n")[0] if counted.exists() else ""
        return any(int(row["requests"]) > int(row["errors"]) for row in csv.DictReader(whole.splitlines()))

    class Killer(Fault):
        """A fault that nobody has planned."""

        async def happen(self, tiers: object) -> None:
            del tiers
            await until(answers)
            os.kill(victim.pid, signal.SIGKILL)

    servers = [server.pid for server in system.tiers.all()]
    with pytest.raises(RunError, match=r"application \(board\) was killed by SIGKILL.*\d+ of \d+ requests failed"):
        system.run(initial, USERS, 600, settle_s=0.0, faults=[Killer("kill", "application", 0.0)])
    with pytest.raises(RunError, match="its servers do not run"):
        _ = system.tiers
    assert not any(map(psutil.pid_exists, servers))
