"""Wrong commands: one line that says how to go on, and exit code 2."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tidepool.errors import InputError
from tidepool.report import write_reports

if TYPE_CHECKING:
    from pathlib import Path


def lab(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tidepool", *words], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run"], "missing argument 'FILE'; ./tidepool help run tells more"),
        (["run", "x.yaml", "-o"], "option '-o' requires an argument; ./tidepool help run tells more"),
        (["report"], "missing argument 'DIR...'; ./tidepool help report tells more"),
        (["rn"], "no such command 'rn'"),
        ([], "missing command; ./tidepool help tells more"),
        (["run", "nowhere.yaml"], "nowhere.yaml: cannot be read: No such file or directory"),
    ],
)
def test_a_wrong_command_is_one_line(words: list[str], said: str) -> None:
    done = lab(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"tidepool: {said}")


def test_help_calls_the_program_by_the_name_that_people_call() -> None:
    done = lab("run", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ./tidepool run [OPTIONS]")
    assert "Example: ./tidepool run experiments/" in done.stdout


def test_a_page_cannot_go_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        write_reports([tmp_path], tmp_path / "absent" / "page.html")
    assert str(raised.value) == (
        f"--output {tmp_path}/absent/page.html: there is no folder {tmp_path}/absent; make it first"
    )
