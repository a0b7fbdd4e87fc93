"""The command tiers: what is wrong is told before a server starts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Self

import pytest
from command_line import CommandLine
from topologies import topology

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.system import Allocation


@pytest.fixture
def poolkeeper(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--users 0", "--users must be within 1..64000, but is 0"),
        ("--users 100000000", "--users must be within 1..64000, but is 100000000"),
        ("--users 9 --fault kill:databas@3s", "--fault kill:databas@3s: unknown server 'databas'; did you mean"),
        ("--users 9 --fault kill:application@3s", "--fault kill:application@3s: unknown server 'application'"),
        (
            "--users 9 --for 5s --fault kill:database@5s",
            "--fault kill:database@5s: must be before the end of the counted time, 5s",
        ),
        (
            "--users 9 --no-quotas --fault slow:web@3s",
            "fault slow:web@3s: there is no CPU quota to halve: --no-quotas was given",
        ),
        ("--allocation 9-2001-9", "application.threads must be 2000 or less for each of 2 board, but is 2001"),
        ("--allocation 9-9-496", "application.connections must be 495 or less for each of 2 board, but is 496"),
    ],
)
def test_what_servers_would_refuse_is_told_before_they_start(
    tmp_path: Path, poolkeeper: CommandLine, options: str, message: str
) -> None:
    topology(tmp_path)
    done = poolkeeper(tmp_path, f"tiers tiers.yaml {options} -o results")
    assert done.code == 2
    assert done.err.startswith(f"poolkeeper: {message}")
    assert done.err.count("\n") == 1
    assert not (tmp_path / "results").exists()


def test_a_topology_that_is_served_has_its_quotas(
    tmp_path: Path, poolkeeper: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    class Served:
        """Servers of which only the order of calls is kept."""

        tiers = SimpleNamespace(front=SimpleNamespace(port=1))

        def __init__(self, *_: object, **__: object) -> None:
            pass

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            calls.append("close")

        def start(self, sizes: Allocation) -> None:
            calls.append(f"start {sizes}")

        def limit(self) -> None:
            calls.append("limit")

        def wait(self) -> None:
            calls.append("wait")

    topology(tmp_path)
    monkeypatch.setattr("poolkeeper.ntier.real.RealSystem", Served)
    done = poolkeeper(tmp_path, "tiers tiers.yaml -o results")
    assert done.code == 0
    assert calls == ["start 400-200-200", "limit", "wait", "close"]


@pytest.mark.parametrize(
    ("output", "message"), [(".", "is not empty; name a new folder"), ("tiers.yaml", "is a file, not a folder")]
)
def test_a_place_that_is_taken_is_named_with_advice_that_helps(
    tmp_path: Path, poolkeeper: CommandLine, output: str, message: str
) -> None:
    topology(tmp_path)
    done = poolkeeper(tmp_path, f"tiers tiers.yaml -o {output}")
    assert done.code == 2
    assert done.err.startswith(f"poolkeeper: {output}: {message}")
