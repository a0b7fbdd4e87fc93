"""Many models in one process of the simulator: answers, refusals, and a process that dies."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import psutil
import pytest

from poolkeeper.errors import RunError
from poolkeeper.sweep.plan import PlannedSimulation
from poolkeeper.sweep.play import SeriesPlayer

if TYPE_CHECKING:
    from collections.abc import Iterator

FAKE = """
import json, os, sys
for line in sys.stdin:
    *options, file = json.loads(line)
    text = open(file).read()
    if text == "deadly":
        print('{"code": 0, "out', end="", flush=True)
        sys.exit("poolkeeper: the memory does not suffice")
    out = json.dumps({"pid": os.getpid(), "options": options, "text": text})
    refused = {"code": 2, "out": "", "err": f"a warning\\npoolkeeper: {file}:12: is refused\\n"}
    print(json.dumps(refused if text == "wrong" else {"code": 0, "out": out, "err": ""}), flush=True)
"""


@pytest.fixture
def player() -> Iterator[SeriesPlayer]:
    with SeriesPlayer((sys.executable, "-S", "-c", FAKE)) as started:
        yield started


def model(text: str) -> PlannedSimulation:
    return PlannedSimulation("web", {"users": 5}, text)


def test_one_process_plays_all_models_and_ends_with_the_player(player: SeriesPlayer) -> None:
    with player:
        found = [player(model(text)) for text in ("first", "second")]
        pid = found[0]["pid"]
        assert found == [
            {"pid": pid, "options": ["--no-record", "--json", "--jobs", "1"], "text": text}
            for text in ("first", "second")
        ]
    assert not psutil.pid_exists(pid)


def test_a_model_that_is_refused_is_named_and_the_next_is_played(player: SeriesPlayer) -> None:
    pid = player(model("first"))["pid"]
    with pytest.raises(RunError, match=r"^web, users=5: web\.yaml: is refused$"):
        player(model("wrong"))
    assert player(model("second"))["pid"] == pid


def test_a_process_that_dies_is_told_with_its_last_line_and_the_next_model_has_another(player: SeriesPlayer) -> None:
    pid = player(model("first"))["pid"]
    with pytest.raises(RunError, match=r"^web, users=5: the memory does not suffice$"):
        player(model("deadly"))
    assert player(model("second"))["pid"] != pid


def test_an_answer_that_nobody_waited_for_is_not_that_of_the_next_model(
    player: SeriesPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    pid = player(model("first"))["pid"]
    assert player._process is not None
    assert player._process.stdout is not None
    with monkeypatch.context() as patched:
        patched.setattr(
            player._process, "stdout", SimpleNamespace(readline=interrupt, close=player._process.stdout.close)
        )
        with pytest.raises(KeyboardInterrupt):
            player(model("second"))
    found = player(model("third"))
    assert found["text"] == "third"
    assert found["pid"] != pid


def test_a_process_that_is_killed_is_told(player: SeriesPlayer) -> None:
    psutil.Process(player(model("first"))["pid"]).kill()
    with pytest.raises(RunError, match=r"^web, users=5: exit code -9$"):
        player(model("second"))
