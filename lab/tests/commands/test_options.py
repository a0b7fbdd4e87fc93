"""Promises of every command: an example that works, and the same options for all that read results."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
from command_line import CommandLine
from result_files import staircase, steady

from poolkeeper.cli import app, name_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("without_fits")

COMMANDS = {name_of(command): command.callback.__doc__ or "" for command in app.registered_commands if command.callback}
READ_RESULTS = ("analyze", "compare", "fit", "tail", "usl", "capacity")
PROJECT = ("run", "demo", "report", "tunnel", "sweep", "plan", "online", "tiers")
"""Words whose examples need the built project; their own tests run them."""
SHARED = ["--warm-up", "--cool-down", "--from", "--to", "--label", "--group", "--format", "--unit", "--column"]
SHARED += ["--cluster", "--report", "--json"]


def example(word: str) -> str:
    found = re.search(r"Example: (?:\./)?poolkeeper (.*)", COMMANDS[word])
    assert found, f"{word}: its help has no example"
    return found[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("words")
    for seed, name in enumerate(("results", "before", "after")):
        steady(made / f"{name}.jtl", count=5000, seed=seed)
    staircase(made / "staircase.jtl", seconds=12)
    (made / "levels.csv").write_text("users,throughput\n1,65\n18,996\n36,1652\n72,1853\n108,1829\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("word", COMMANDS)
def test_every_word_has_an_example_of_itself(word: str) -> None:
    assert shlex.split(example(word))[0] == word


@pytest.mark.parametrize("word", [word for word in COMMANDS if word not in PROJECT])
def test_the_example_works(
    word: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = CommandLine(monkeypatch, capsys)(folder, example(word))

    assert (done.code, done.err) == (0, "")
    assert done.out


@pytest.mark.parametrize("word", READ_RESULTS)
def test_words_that_read_results_share_their_options(
    word: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = CommandLine(monkeypatch, capsys)(folder, f"help {word}").out

    assert [entry for entry in re.findall(r"^  (--[a-z.0-9-]+)", output, re.MULTILINE) if entry in SHARED] == SHARED
