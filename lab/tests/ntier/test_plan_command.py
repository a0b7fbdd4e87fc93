"""The command plan: its answer, its journal, its page, and what is wrong in a command."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_line import SCHEMA, CommandLine
from simulator import command
from topologies import TEXT, topology

import poolkeeper as poolkeeper_package

THREE_TIERS = Path(__file__).resolve().parents[3] / "experiments" / "ntier" / "models" / "three-tiers.yaml"

SOURCES = Path(poolkeeper_package.__file__).parents[1]


@pytest.fixture
def poolkeeper(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A plan of the simulator, and the folder of its results."""
    command()  # skips without a simulator
    folder = tmp_path_factory.mktemp("plan")
    done = subprocess.run(
        [sys.executable, "-m", "poolkeeper", "plan", str(THREE_TIERS), "--seconds", "30s", "-o", "out", "--json"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder, json.loads(done.stdout)


def test_the_answer_is_what_the_contract_says(planned: tuple[Path, dict[str, Any]]) -> None:
    _, answer = planned
    jsonschema.validate(answer, SCHEMA)
    pools = answer["results"]["pools"]
    assert pools["critical"] == "database"
    assert set(pools["pools"]) == {"web.threads", "application.threads", "application.connections"}
    assert pools["allocation"] == "-".join(str(each["recommended"]) for each in pools["pools"].values())
    trials = answer["results"]["loads"]["trials"]
    assert len(trials) == pools["runs"]
    assert "throughput_series" not in trials[0]


def test_the_page_holds_curves_tables_and_decisions(planned: tuple[Path, dict[str, Any]]) -> None:
    folder, answer = planned
    page = (folder / "out" / "plan.html").read_text(encoding="utf-8")
    for part in ("Throughput and goodput", "CPU of the tiers", "Busy units of the pools", "Decisions", "is saturated"):
        assert part in page
    assert answer["verdict"].split(":")[0] in page


def test_resuming_a_whole_plan_plays_nothing_again(
    planned: tuple[Path, dict[str, Any]], poolkeeper: CommandLine
) -> None:
    folder, answer = planned
    journal = folder / "out" / "journal.jsonl"
    before = [json.loads(line)["kind"] for line in journal.read_text(encoding="utf-8").splitlines()]
    done = poolkeeper(folder, f"plan {THREE_TIERS} --seconds 30s --resume -o out")
    assert done.code == 0
    assert answer["verdict"] in done.out
    after = [json.loads(line)["kind"] for line in journal.read_text(encoding="utf-8").splitlines()]
    assert before[0] == after[0] == "plan"
    assert after.count("trial") == before.count("trial")
    assert "CPU of database" in done.err


def test_a_journal_of_other_settings_is_not_gone_on_with(
    planned: tuple[Path, dict[str, Any]], poolkeeper: CommandLine
) -> None:
    folder, _ = planned
    done = poolkeeper(folder, f"plan {THREE_TIERS} --seconds 31s --resume -o out")
    assert done.code == 2
    assert "cannot continue: seconds was 30.0, is 31.0" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("plan nothing.yaml", "nothing.yaml: cannot be read: No such file or directory"),
        ("plan tiers.yaml --model --real", "--model and --real exclude each other"),
        ("plan tiers.yaml --validate --rounds 2", "--rounds is for --real: the simulator would give the same trials"),
        ("plan tiers.yaml --real --rounds 2", "--rounds needs --validate or --sweep"),
        ("plan tiers.yaml --seconds 3s", "--seconds must be 30s or more, but is 3s"),
        ("plan tiers.yaml --seconds 60", "--seconds: must be a number with its unit"),
        ("plan tiers.yaml --resume", "nothing to resume: there is no runs/plan-tiers-*"),
        ("plan tiers.yaml -o .", ".: is not empty; --resume continues with what it holds"),
        ("plan plain.yaml", "plain.yaml: the setting 'model' is missing"),
        (
            "plan cycle.yaml",
            "closes a cycle: web -> application -> database -> web",
        ),
        ("plan tiers.yaml --validat", "no such option: --validat"),
        ("plan", "missing argument"),
    ],
)
def test_what_is_wrong_in_a_command_is_one_line(
    tmp_path: Path, poolkeeper: CommandLine, words: str, message: str
) -> None:
    topology(tmp_path)
    (tmp_path / "plain.yaml").write_text(TEXT[: TEXT.index("model:")], encoding="utf-8")
    cycle = (("threads: 400", "application"), ("heap: 128m", "database"), ("server: postgres", "web"))
    text = functools.reduce(lambda text, call: text.replace(call[0], f"{call[0]}, calls: {call[1]}"), cycle, TEXT)
    (tmp_path / "cycle.yaml").write_text(text, encoding="utf-8")
    done = poolkeeper(tmp_path, words)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_a_step_that_cannot_decide_ends_with_one_line_and_keeps_its_trials(
    tmp_path: Path, poolkeeper: CommandLine
) -> None:
    command()
    topology(tmp_path, ("users: 1..2000", "users: 5..10"))
    done = poolkeeper(tmp_path, "plan tiers.yaml -o out")
    assert done.code == 1
    assert "nothing is saturated with 10 users, the maximum of trial.users" in done.err.splitlines()[-1]
    assert (tmp_path / "out" / "journal.jsonl").read_text(encoding="utf-8").count('"kind": "trial"') == 2
