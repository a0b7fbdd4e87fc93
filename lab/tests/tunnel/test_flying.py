"""The command: what it starts, where results go, and what it says when something is wrong."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from command_line import CommandLine
from tunnels import scores, write

from poolkeeper.errors import InputError, RunError
from poolkeeper.tunnel.launch import choose_folder, fly

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def score(_plant: str, load: str, _noise: str, _seed: int, _controller: str) -> dict[str, float | str]:
    return scores(load)


class Script:
    """A testbed whose tunnel is a line of Python."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.arguments: list[str] = []

    def tunnel(self, arguments: Sequence[str]) -> list[str]:
        self.arguments = list(arguments)
        return [sys.executable, "-c", self.line]


def test_results_go_where_they_are_wanted(tmp_path: Path) -> None:
    assert choose_folder(tmp_path / "mine", tmp_path, resume=False) == tmp_path / "mine"
    with pytest.raises(InputError, match="mine: no such folder, so there is nothing to resume"):
        choose_folder(tmp_path / "mine", tmp_path, resume=True)
    (tmp_path / "mine").mkdir()
    assert choose_folder(tmp_path / "mine", tmp_path, resume=True) == tmp_path / "mine"
    assert choose_folder(None, tmp_path, resume=False).name.startswith("tunnel-2")
    with pytest.raises(InputError, match="--resume: there is no"):
        choose_folder(None, tmp_path, resume=True)
    for name in ("tunnel-20260102-000000", "tunnel-20260101-000000"):
        write(tmp_path / name, score)
    assert choose_folder(None, tmp_path, resume=True).name == "tunnel-20260102-000000"


def test_the_ranking_and_the_page_follow_the_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path, score)
    testbed = Script("pass")
    assert fly(testbed, folder, ["--quick"], ["./poolkeeper", "tunnel", "--quick"]) == 0
    assert testbed.arguments == ["--quick", "--output", str(folder), "--command", "./poolkeeper tunnel --quick"]
    out = capfd.readouterr().out
    assert "response-curve" in out
    assert f"page: {folder / 'tunnel.html'}" in out
    assert (folder / "tunnel.html").exists()


def test_wrong_input_is_said_by_the_tunnel_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    line = "import sys; sys.stderr.write('poolkeeper: unknown plant\\n'); sys.exit(2)"
    assert fly(Script(line), tmp_path, [], []) == 2
    captured = capfd.readouterr()
    assert captured.err == "poolkeeper: unknown plant\n"
    assert captured.out == ""


def test_an_interrupted_tunnel_is_explained(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path, score)
    assert fly(Script("import sys; sys.exit(130)"), folder, [], []) == 130
    captured = capfd.readouterr()
    assert f"--resume -o {folder} continues" in captured.err
    assert "response-curve" in captured.out


def test_a_tunnel_that_left_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="ended with exit code 1 and left no results"):
        fly(Script("import sys; sys.exit(1)"), tmp_path, [], [])


def test_a_killed_tunnel_has_the_code_of_its_signal(tmp_path: Path) -> None:
    folder = write(tmp_path, score)
    line = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert fly(Script(line), folder, [], []) == 128 + signal.SIGKILL


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plants", "databse"], "poolkeeper: unknown plant 'databse'; did you mean 'database'?"),
        (["--controllers", "thruput"], "poolkeeper: unknown controller 'thruput'; did you mean 'throughput'?"),
        (["--noise", "9%"], "poolkeeper: unknown noise '9%'; did you mean '8%'?"),
        (["--loads", "nigth"], "poolkeeper: unknown load 'nigth'; did you mean 'night'?"),
        (["--seeds", "0"], "poolkeeper: --seeds must be within 1..1000, but is 0"),
        (["--drawn", "0"], "poolkeeper: --drawn must be within 1..1000, but is 0"),
        (["--drawn", "2", "--seed", "-1"], "poolkeeper: --seed must be within 0..1000000000, but is -1"),
        (["--seed", "7"], "poolkeeper: --seed is the first seed of drawn plants; give --drawn COUNT as well"),
    ],
)
def test_wrong_arguments_are_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    # Messages of the testbed, too, whose process writes to the file descriptor.
    done = CommandLine(monkeypatch, capfd)(tmp_path, " ".join(["tunnel", "-o", "out", *arguments]))
    assert done.code == 2
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick_java")
def test_a_real_tunnel_from_the_command_to_the_page(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "poolkeeper", "tunnel", "-o", str(tmp_path / "out"), "--quick", "--plants", "cpu"]
    command += ["--loads", "closed-10,night", "--controllers", "throughput,best-fixed", "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert [row[1] for row in rows] == ["best-fixed", "throughput"]
    assert (tmp_path / "out" / "tunnel.html").stat().st_size > 50_000
