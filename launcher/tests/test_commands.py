"""The commands of the launcher, and where it may be started from."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from conftest import PROJECT, House

if TYPE_CHECKING:
    from pathlib import Path


RESULTS = ["analyze", "compare", "fit", "tail", "usl", "capacity", "queue"]
TESTBED = ["run", "tunnel", "simulate", "serve", "load", "sweep", "plan", "online", "tiers"]
TESTBED += ["report", "replay", "console", "controllers", "disk"]
COMMANDS = ["demo", "test", *RESULTS, *TESTBED, "bench", "publish", "compatibility"]


@pytest.mark.parametrize("command", [[], ["help"], ["--help"], ["-h"]])
def test_help_needs_nothing_installed(house: House, command: list[str]) -> None:
    for stub in ("mvn", "python3"):
        (house.bin / stub).unlink()
    shutil.rmtree(house.env["POOLKEEPER_JVMS"])
    done = house.start(*command)
    assert done.returncode == 0
    for name in [*COMMANDS, "help"]:
        assert f"./poolkeeper {name}" in done.stdout
    assert not house.state("").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_on_a_command_needs_nothing_installed(house: House, command: str) -> None:
    asked = house.start("help", command)
    assert asked.returncode == 0
    assert f"./poolkeeper {command}" in asked.stdout
    assert house.start(command, "--help").stdout == asked.stdout
    assert house.calls() == []


def test_help_on_a_command_of_the_lab_is_the_labs_own_once_it_is_there(house: House) -> None:
    house.start("report", "runs")
    assert "started: run --help" in house.start("help", "run").stdout


def test_a_command_of_the_testbed_gets_its_classes_and_its_arguments(house: House) -> None:
    started = house.start("simulate", "my model.yaml", "--json")
    target = f"{house.root}/testbed/simulator/target"
    main = "io.poolkeeper.testbed.simulator.command.SimulateMain"
    assert f"-cp {target}/classes:{target}/lib/* {main} my model.yaml --json" in started.stdout
    assert "-Dpoolkeeper.version=1.2.3 -Dpoolkeeper.terminal=false" in started.stdout
    assert not house.state("venv").exists()


@pytest.mark.parametrize(
    ("command", "main"),
    [
        ("serve", "servers.ServerMain"),
        ("load", "load.LoadMain"),
        ("replay", "replay.ReplayMain"),
        ("console", "replay.ConsoleMain"),
        ("disk", "disk.probe.DiskMain"),
    ],
)
def test_a_command_of_the_testbed_is_in_its_module(house: House, command: str, main: str) -> None:
    started = house.start(command, "--option", "of its own")
    target = f"{house.root}/testbed/{main.split('.', maxsplit=1)[0]}/target"
    assert f"-cp {target}/classes:{target}/lib/* io.poolkeeper.testbed.{main} --option of its own" in started.stdout


def test_the_table_holds_all_commands_and_classes_that_start_those_of_the_testbed() -> None:
    script = (PROJECT / "poolkeeper").read_text(encoding="utf-8")
    table = [line.split("|") for line in re.findall(r'^  "([a-z]+\|[^"]*)"$', script, re.MULTILINE)]
    assert sorted(name for name, *_ in table) == sorted([*COMMANDS, "help"])
    starts = [start.split() for _, start, *_ in table if start.startswith("testbed")]
    assert len(starts) == 7
    for _, module, main in starts:
        path = f"testbed/{module}/src/main/java/io/poolkeeper/testbed/{module}/{main.replace('.', '/')}.java"
        assert "public static void main(" in (PROJECT / path).read_text(encoding="utf-8")


def test_help_on_help_is_the_list(house: House) -> None:
    asked = house.start("help", "--help")
    assert (asked.returncode, asked.stdout) == (0, house.start("help").stdout)


@pytest.mark.parametrize(
    ("wrong", "right"), [("demmo", "demo"), ("tst", "test"), ("reprot", "report"), ("bnch", "bench")]
)
def test_an_unknown_command_gets_the_nearest_one_as_a_hint(house: House, wrong: str, right: str) -> None:
    done = house.start(wrong)
    assert done.returncode == 2
    assert done.stdout == ""
    hint = f"did you mean '{right}'? ./poolkeeper help lists all"
    assert done.stderr == f"poolkeeper: unknown command '{wrong}'; {hint}\n"
    assert house.start("help", wrong).stderr == done.stderr


def test_an_empty_command_is_no_call_for_help(house: House) -> None:
    done = house.start("")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "poolkeeper: the command is empty; ./poolkeeper help lists all commands\n"


def test_version_is_that_of_the_lab(house: House) -> None:
    assert house.start("--version").stdout == "poolkeeper 1.2.3\n"


def test_works_from_another_folder_and_through_links(house: House, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "one").symlink_to(house.root / "poolkeeper")
    (elsewhere / "two").symlink_to("one")
    done = subprocess.run(
        ["./two", "run", "my file.yaml"], cwd=elsewhere, env=house.env, capture_output=True, text=True, check=True
    )
    assert f"started: run my file.yaml, home {house.root}, java {house.env['POOLKEEPER_JVMS']}/java-17" in done.stdout


def test_a_job_takes_the_place_of_the_launcher_so_that_signals_reach_it(house: House) -> None:
    house.start("demo")
    with subprocess.Popen(
        [str(house.root / "poolkeeper"), "demo"], env=house.env, stdout=subprocess.PIPE, text=True
    ) as process:
        out, _ = process.communicate(timeout=300)
    assert out.endswith(f"pid {process.pid}\n")


def test_the_benchmarks_are_those_of_the_folders(house: House) -> None:
    for folder, comment in (("testbed/benchmarks/executor", "Empty tasks"), ("lab/benchmarks/fit", "Fits a model")):
        (house.root / folder).mkdir(parents=True)
        script = house.root / folder / "run"
        script.write_text(f'#!/usr/bin/env bash\n# {comment}\necho "ran {comment} $* with $POOLKEEPER_PYTHON"\n')
        script.chmod(0o755)
    (house.root / "testbed/benchmarks/unfinished").mkdir()
    listed = house.start("bench").stdout
    assert [line.split() for line in listed.splitlines()[1:]] == [
        ["executor", "Empty", "tasks"],
        ["fit", "Fits", "a", "model"],
    ]
    assert house.start("bench", "fit", "-x").stdout == f"ran Fits a model -x with {house.state('venv/bin/python')}\n"
    wrong = house.start("bench", "fits")
    assert (wrong.returncode, wrong.stderr) == (2, "poolkeeper: unknown benchmark 'fits'; there are: executor, fit\n")


def test_the_scripts_pass_shellcheck() -> None:
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("shellcheck is not installed; on Debian: apt-get install shellcheck")
    done = subprocess.run(
        [shellcheck, "-x", "poolkeeper", ".ci/run"], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert done.returncode == 0
