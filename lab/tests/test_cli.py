"""Wrong commands: one line that says how to go on, and exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from poolkeeper.errors import InputError
from poolkeeper.report import write_reports

if TYPE_CHECKING:
    from command_line import CommandLine

PROJECT = Path(__file__).resolve().parents[2]
LAUNCHED = os.environ | {"POOLKEEPER_HOME": str(PROJECT)}
ALONE = {name: value for name, value in os.environ.items() if name != "POOLKEEPER_HOME"}


def lab(*words: str, env: dict[str, str] = LAUNCHED) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "poolkeeper", *words], capture_output=True, text=True, timeout=300, check=False, env=env
    )


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["run"], "missing argument 'FILE'; see ./poolkeeper help run"),
        (["run", "x.yaml", "-o"], "option '-o' requires an argument; see ./poolkeeper help run"),
        (["report"], "missing argument 'DIR...'; see ./poolkeeper help report"),
        (["rn"], "unknown command 'rn'; did you mean 'run'?"),
        (["run", "x.yaml", "--scal", "1"], "no such option: --scal (Possible options: --scale)"),
        ([], "missing command; see ./poolkeeper help"),
        (["run", "nowhere.yaml"], "nowhere.yaml: cannot be read: No such file or directory"),
    ],
)
def test_a_wrong_command_is_one_line(
    poolkeeper: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], output: str
) -> None:
    monkeypatch.setattr("poolkeeper.cli.PROGRAM", "./poolkeeper")
    done = poolkeeper(tmp_path, " ".join(words))
    assert done.code == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith(f"poolkeeper: {output}")


def test_help_calls_the_program_by_the_name_that_people_call() -> None:
    done = lab("run", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ./poolkeeper run [OPTIONS]")
    assert "Example: ./poolkeeper run experiments/" in done.stdout


def test_a_page_cannot_go_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        write_reports([tmp_path], tmp_path / "absent" / "page.html")
    assert str(raised.value) == (
        f"--output {tmp_path}/absent/page.html: there is not a folder {tmp_path}/absent; make it first"
    )


def test_alone_the_program_has_its_own_name(tmp_path: Path) -> None:
    output = lab("sweep", "--help", env=ALONE).stdout
    assert output.startswith("Usage: poolkeeper sweep [OPTIONS]")
    assert "./poolkeeper" not in output
    assert lab("report", env=ALONE).stderr == "poolkeeper: missing argument 'DIR...'; see poolkeeper help report\n"
    assert lab("--version", env=ALONE).stdout.startswith("poolkeeper 0.")
    done = lab("demo", env=ALONE | {"POOLKEEPER_HOME": str(tmp_path)})
    assert done.returncode == 2
    assert done.stderr == (
        f"poolkeeper: POOLKEEPER_HOME {tmp_path} is not the project, whose servers, loads and simulator this needs: "
        "get its repository and use the ./poolkeeper in it, or set POOLKEEPER_HOME to it\n"
    )


def test_help_on_a_word_is_its_own(poolkeeper: CommandLine, tmp_path: Path) -> None:
    assert poolkeeper(tmp_path, "help report").out == poolkeeper(tmp_path, "report --help").out
    assert "sweep" in poolkeeper(tmp_path, "help").out
    unknown = "poolkeeper: unknown command 'reprot'; did you mean 'report'?"
    assert poolkeeper(tmp_path, "help reprot").err.startswith(unknown)


def test_a_reader_who_has_enough_is_not_told_of_it() -> None:
    command = f"{sys.executable} -m poolkeeper help run | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, env=LAUNCHED, check=False)
    assert done.stderr == ""
    assert done.returncode in {0, 141}


def test_help_imports_nothing_that_is_slow() -> None:
    script = (
        "import sys; from poolkeeper.cli import main\n"
        "try: main()\n"
        "except SystemExit: print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", script, "--help"], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "typer" in loaded
    assert not loaded & {"numpy", "scipy", "polars", "dask", "distributed", "pydantic", "jinja2", "rich", "yaml"}
