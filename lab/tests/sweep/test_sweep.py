"""Sweeps: what is planned, what is kept, and that a cluster finds what one machine finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from simulator import command as simulator
from spreading import die_once, refuse

from poolkeeper.errors import InputError
from poolkeeper.spread import on_cluster, on_threads
from poolkeeper.sweep.plan import axis, plan
from poolkeeper.sweep.play import Player
from poolkeeper.sweep.session import play_all
from poolkeeper.sweep.table import quantity

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """
question: How many workers?
clients: {kind: open, rate: 100/s}
tiers:
  web: {workers: 8, cores: 2, scheduling: first-come, work: [{cpu: exponential 10ms}]}
run: {for: 60s, warm_up: 5s, replications: 3, seed: 4}
"""
FAKE = """
import json, os, sys, yaml
model = yaml.safe_load(open(sys.argv[1]))
workers = model["tiers"]["web"]["workers"]
with open(os.environ["PLAYED"], "a") as log: print(workers, file=log)
if workers == 13: sys.exit("poolkeeper: thirteen is not allowed")
figure = lambda value: {"value": value, "half_width": value / 10}
times = {name: figure(place / workers) for place, name in enumerate(("mean", "p50", "p99"), 1)}
print(json.dumps({"confidence": 0.95, "warnings": ["short"], "requests": [
    {"request": "request", "throughput_per_s": figure(10.0 * workers), "failed": figure(0.0), "response_s": times}]}))
"""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolkeeper.spread._CONNECT", "300s")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "web.yaml"
    file.write_text(MODEL, encoding="utf-8")
    return file


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A simulator that answers at once and writes down what it was asked."""
    script = tmp_path / "fake.py"
    script.write_text(FAKE, encoding="utf-8")
    monkeypatch.setenv("PLAYED", str(tmp_path / "played"))
    return Player((sys.executable, str(script)))


def nothing(_done: int, _total: int) -> None:
    """Nobody looks."""


def test_every_combination_is_planned_the_last_setting_first(model: Path) -> None:
    planned = plan([model], [axis("tiers.web.workers=4,8"), axis("clients.rate=90/s,99/s")])
    assert [list(simulation.settings.values()) for simulation in planned] == [
        [4, "90/s"],
        [4, "99/s"],
        [8, "90/s"],
        [8, "99/s"],
    ]
    assert "workers: 4" in planned[0].text
    assert len({simulation.key for simulation in planned}) == 4


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("tiers.web.workers", "must be SETTING=VALUE,VALUE, such as tiers.web.workers=4,8,16"),
        ("tiers.web.workers=", "must be SETTING=VALUE,VALUE"),
        ("tiers.web.workers=[1", "--set tiers.web.workers=[1: '[1' is no value"),
        ("run.seed=2026-13-45", "--set run.seed=2026-13-45: '2026-13-45' is no value"),
        ("tiers.web.workers=1,1", "holds 1 twice"),
        ("tiers.wbe.workers=1", "web.yaml: tiers: unknown setting 'wbe'; did you mean 'web'? known: web"),
        ("tiers.web.work.3.cpu=1ms", "web.yaml: tiers.web.work: unknown part '3'; known: 0"),
        ("question.size=1", "web.yaml: question is 'How many workers?', which has no settings"),
    ],
)
def test_a_wrong_setting_is_named(model: Path, text: str, output: str) -> None:
    with pytest.raises(InputError) as raised:
        plan([model], [axis(text)])
    assert output in str(raised.value)


@pytest.mark.parametrize(
    ("content", "output"),
    [(b"a: [", ":1: is not YAML"), (b"", ": is not a model"), (b"\xff\xfe\x00", ": is not UTF-8 text")],
)
def test_a_wrong_model_is_named(tmp_path: Path, content: bytes, output: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_bytes(content)
    with pytest.raises(InputError) as raised:
        plan([file], [])
    assert str(raised.value).startswith(f"{file}{output}")


def test_a_load_description_is_found_from_wherever_a_model_is_played(tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    file.write_text("clients: loads/open.yaml\n", encoding="utf-8")
    assert plan([file], [])[0].text == f"clients: {tmp_path / 'loads' / 'open.yaml'}\n"


def test_what_failed_is_told_and_what_was_played_is_kept(model: Path, fake: Player, tmp_path: Path) -> None:
    planned = plan([model], [axis("tiers.web.workers=4,13,8")])
    with on_threads(2) as spread:
        first = play_all(planned, fake, tmp_path / "out", spread, nothing)
        again = play_all(planned, fake, tmp_path / "out", spread, nothing)
    assert first.failed == ("web, tiers.web.workers=13: thirteen is not allowed",)
    assert first.kept == 0
    assert again.kept == 2
    assert again.sweep == first.sweep
    played = (tmp_path / "played").read_text(encoding="utf-8").split()
    assert sorted(played) == ["13", "13", "4", "8"], "only what is missing is played again"
    assert first.sweep.verdict() == (
        "Of 2 simulations, the mean response time is lowest with tiers.web.workers=8: 125 ± 12 ms. "
        "Most requests are answered with tiers.web.workers=8: 80.00 ± 8.0 per second."
    )
    throughput, mean, _ = first.sweep.charts()
    assert throughput.series[0].x == (4.0, 8.0)
    assert mean.series[0].y == (250.0, 125.0)
    assert first.sweep.warnings() == ["web, tiers.web.workers=4: short"]


def test_half_a_result_counts_as_none(model: Path, fake: Player, tmp_path: Path) -> None:
    planned = plan([model], [])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / f"{planned[0].key}.json").write_text('{"result": {"req', encoding="utf-8")
    with on_threads(1) as spread:
        assert play_all(planned, fake, tmp_path / "out", spread, nothing).kept == 0


@pytest.mark.parametrize(
    ("value", "found"),
    [(8, (8.0, "")), ("120/s", (120.0, "/s")), ("exponential 25ms", (25.0, "ms")), ("2s", (2000.0, "ms"))],
)
def test_settings_are_read_as_quantities(value: object, found: tuple[float, str]) -> None:
    assert quantity(value) == found


def test_a_cluster_finds_what_one_machine_finds(model: Path, tmp_path: Path) -> None:
    player = Player((*simulator("--no-record", "--json", "--jobs", "1"),))
    planned = plan([model], [axis("tiers.web.workers=2,4")])
    with on_threads(2) as spread:
        here = play_all(planned, player, tmp_path / "here", spread, nothing)
    with on_cluster("local", 2) as spread:
        there = play_all(planned, player, tmp_path / "there", spread, nothing)
    assert here.failed == there.failed == ()
    assert here.sweep == there.sweep


def test_a_worker_that_dies_costs_time_only(tmp_path: Path) -> None:
    with on_cluster("local", 2) as spread:
        found = dict(spread.each(die_once, [(tmp_path, number) for number in range(6)]))
        assert found == {number: number * number for number in range(6)}
        assert (tmp_path / "died").exists()
        with pytest.raises(InputError, match="two is wrong"):
            list(spread.each(refuse, [1, 2, 3]))


def test_a_cluster_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolkeeper.spread._CONNECT", "1s")
    monkeypatch.setattr("poolkeeper.spread._ANSWER", "1s")
    with pytest.raises(InputError, match="no scheduler answers there"), on_cluster("tcp://127.0.0.1:9"):
        pass
    with pytest.raises(InputError, match="--cluster somewhere: is not an address"), on_cluster("somewhere"):
        pass


def test_the_command_says_json_and_writes_a_page(model: Path, fake: Player, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "contract").mkdir(parents=True)
    (home / "contract" / "run.schema.json").touch()
    (home / "poolkeeper").write_text(f'#!/bin/bash\nexec {" ".join(fake.command)} "${{@: -1}}"\n', encoding="utf-8")
    (home / "poolkeeper").chmod(0o755)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "poolkeeper", "sweep", str(model), "--set", "tiers.web.workers=2,4", "--json"),
            *("-o", str(tmp_path / "out"), "--report", str(tmp_path / "page.html"), "--jobs", "2"),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"POOLKEEPER_HOME": str(home)},
    )
    assert done.returncode == 0, done.stderr
    messages: dict[str, Any] = json.loads(done.stdout)
    assert messages["command"] == "sweep"
    assert len(messages["results"]["sweep"]["runs"]) == 2
    assert "tiers.web.workers" in (tmp_path / "page.html").read_text(encoding="utf-8")
