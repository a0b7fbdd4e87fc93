"""The command queue: pools, sizes for a bound, servers without a queue, networks of one class and of several."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from command_line import answer

from poolkeeper.commands.queue.command_line import queue
from poolkeeper.commands.queue.models import MODELS

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

HELD = "queue pool --rate 120 --compute 10ms --io 40ms --cores 2"
CLASSES = "queue {} --centre web=5ms --centre db=buy:20ms,read:3msx2"

COMMANDS = {
    f"{HELD} --threads 8": "120 requests a second are answered in 67.2 ms in the mean. Most of the waiting is for a th",
    f"{HELD} --within 20ms": "13 threads keep p99 of the wait for a thread within 20.0 ms; fewer do not. With them: 1",
    f"{HELD} --queue 20 --within 50ms --loss 1 --threads 8": "10 threads keep p99 of the wait for a thread within 50",
    "queue pool --rate 120 --service 50ms --threads 8": "120 requests a second are answered in 58.9 ms in the mean",
    "queue pool --rate 120 --service 50ms --queue 8 --loss 1": "8 threads refuse no more than 1.00 %; fewer do not. W",
    "queue erlang-b --erlang 4.46 --servers 10": "0.999 % of the requests are refused: 4.42 of 10 servers are busy.",
    "queue erlang-b --rate 120 --service 50ms --loss 1": "13 servers refuse no more than 1.00 %; fewer do not. ",
    "queue open --rate 40 --centre web=5ms --centre db=20ms --what-if add-server": "40.0 requests a second are answere",
    CLASSES.format("open --class buy=20/s --class read=100/s"): "120 requests a second are answered in ",
    CLASSES.format("mva --class buy=20:1s --class read=50"): "200 requests a second are answered in ",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_text_json_and_page_say_the_same(poolkeeper: CommandLine, tmp_path: Path, command: str) -> None:
    found = answer(poolkeeper, tmp_path, command)
    assert found["verdict"].startswith(COMMANDS[command])
    output = poolkeeper(tmp_path, f"{command} --report page.html").out
    assert output.startswith(found["verdict"])
    assert "nan" not in output
    assert found["verdict"].split(".")[0] in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_smallest_size_is_the_first_that_keeps_the_bound(poolkeeper: CommandLine, tmp_path: Path) -> None:
    found = answer(poolkeeper, tmp_path, "queue pool --rate 120 --service 50ms --within 300ms")["results"]
    smallest = found["size"]["threads"]
    for size in found["size"]["sizes"]:
        assert size["kept"] == (size["threads"] >= smallest)
        assert size["percentile"] is None or size["kept"] == (size["percentile"] <= 0.3)
    given = answer(poolkeeper, tmp_path, f"queue mmc --rate 120 --service 50ms --servers {smallest}")["results"]
    assert found["model"] == given["model"]


def test_a_size_that_was_given_is_judged(poolkeeper: CommandLine, tmp_path: Path) -> None:
    command = "queue pool --rate 120 --service 50ms --within 300ms --threads"
    assert (
        "fewer do not. With 7 threads the bound is missed: 120"
        in answer(poolkeeper, tmp_path, f"{command} 7")["verdict"]
    )
    assert (
        "fewer do not. With 20 threads the bound is kept: 120"
        in answer(poolkeeper, tmp_path, f"{command} 20")["verdict"]
    )


def test_classes_add_up_to_the_network(poolkeeper: CommandLine, tmp_path: Path) -> None:
    classes = answer(poolkeeper, tmp_path, "queue open --class a=30/s --class b=600/m --centre db=20ms")["results"]
    single = answer(poolkeeper, tmp_path, "queue open --rate 40 --centre db=20ms")["results"]
    assert classes["model"]["response_time"] == pytest.approx(single["model"]["response_time"])
    assert [entry["throughput"] for entry in classes["model"]["classes"]] == pytest.approx([30, 10])


REFUSED = {
    "queue pool --rate 120 --service 50ms": "pool: --threads is missing, or a bound to find it for (--within or --loss",
    "queue pool --rate 120 --threads 8": "pool: --service, or --compute and --io is missing",
    "queue pool --rate 120 --threads 8 --compute 10ms": "pool: --service, or --compute and --io is missing",
    "queue pool --rate 9 --threads 8 --service 1s --io 1s": "pool: takes either --service, or --compute and --io, not",
    "queue pool --rate 9 --threads 8 --service 1s --cores 2": "--cores: does not apply to a pool with --service",
    "queue pool --rate 120 --service 50ms --within 200ms": "--within 200 ms: p99 is 230 ms or more with any number of",
    "queue pool --rate 120 --service 50ms --loss 1": "--loss: says nothing without --queue, since a queue without a bo",
    "queue pool --rate 9 --service 50ms --queue 3 --loss 0": "--loss 0: must be a share in percent, above 0 and below",
    "queue pool --rate 9 --service 1ms --threads 2 --percentile 9": "--percentile: says nothing without --within",
    "queue pool --rate 9 --service 1ms --within 1s --percentile 0.99": "percentile: 0.99 is not from 1 to below 100, i",
    "queue pool --rate 300 --compute 10ms --io 9ms --cores 2 --within 1s": "rate: 300.0 is not below the 200.0 that ca",
    "queue pool --rate 9 --compute 10ms --io 9ms --threads 300": "threads: 300 make too large a chain to solve",
    "queue half-open --rate 1 --stay 0.999 --service 1ms": "rate: 1,000 is not below the 1,000 that can be served",
    "queue erlang-b --rate 9 --service 1s --loss 1%": "invalid value for '--loss': Input should be a valid number, una",
    "queue erlang-b --erlang 5": "erlang-b: --servers is missing, or a bound to find it for (--loss)",
    "queue erlang-b --erlang -5 --servers 2": "erlang: -5 is not above 0",
    "queue erlang-b --erlang 5 --rate 3 --servers 2": "erlang-b: takes either --erlang, or --rate and --service, not b",
    "queue erlang-b --erlang 5 --servers 2 --within 1s": "--within: does not apply to erlang-b, which takes --erlang",
    "queue erlang-b --erlang 5 --servers 2 --what-if add-server": "--what-if: does not apply to erlang-b with these",
    "queue open --rate 9": "open: --centre is missing",
    "queue open --centre db=9ms": "open: --rate, or --class is missing",
    "queue open --rate 9 --centre db=200ms": "rate at db: 9.000 is not below the 5.000 that can be served",
    "queue open --rate 9 --centre db=a:2ms": "--centre db: has demands of classes, but there is no --class",
    "queue open --class a=9 --class a=1 --centre db=2ms": "classes: the name a is used more than once",
    "queue open --class a=9:1s --centre db=2ms": "--class a=9:1s: must be requests a second, such as 128 or 128/s",
    "queue open --class a --centre db=2ms": "--class a: must be NAME=RATE, such as buy=40/s",
    "queue open --class buy=9 --centre db=bay:2ms": "db: unknown class 'bay'; did you mean 'buy'?",
    "queue mva --class a=9/s --centre db=2ms": "--class a=9/s: must be NAME=USERS or NAME=USERS:THINK, such as buy=20:",
    "queue mva --class a=9 --think 1s --centre db=2ms": "--think: each class has its own: --class NAME=USERS:THINK",
    "queue mva --class a=9 --users 3 --centre db=2ms": "mva: takes either --users, or --class, not both",
    "queue mva --class a=9 --centre db=a:2ms,a:3ms": "--centre db=a:2ms,a:3ms: must be NAME=TIME",
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_has_no_answer_is_refused_in_one_line(poolkeeper: CommandLine, tmp_path: Path, command: str) -> None:
    done = poolkeeper(tmp_path, command)
    assert (done.code, done.out) == (2, ""), done.err
    (line,) = done.err.splitlines()
    assert line.startswith(f"poolkeeper: {REFUSED[command]}")


def test_help_teaches_with_commands_that_work(poolkeeper: CommandLine, tmp_path: Path) -> None:
    lines = (queue.__doc__ or "").splitlines()
    commands = [line.partition("./poolkeeper ")[2] for line in lines if "Example: " in line]
    assert len(commands) == 4
    for command in commands:
        assert poolkeeper(tmp_path, command).code == 0, command
    help_text = poolkeeper(tmp_path, "help queue").out
    for model in MODELS:
        assert re.search(rf"\b{model}\b", help_text), model


def test_times_that_nanoseconds_are_too_coarse_for_are_refused(poolkeeper: CommandLine, tmp_path: Path) -> None:
    done = poolkeeper(tmp_path, "queue mm1 --rate 1000 --service 0.0125us")
    assert done.code != 0
    assert "too coarse for 0.0125us; the nearest is 0.012us" in done.err
    assert poolkeeper(tmp_path, "queue mm1 --rate 100 --service 3.33333333333ms").code == 0


@pytest.mark.parametrize(
    ("option", "value"),
    [("--loss", "1%"), ("--servers", "four"), ("--percentile", "p99"), ("--users", "1e3"), ("--stay", "0,5")],
)
def test_a_value_that_is_no_number_is_named(poolkeeper: CommandLine, tmp_path: Path, option: str, value: str) -> None:
    done = poolkeeper(tmp_path, f"queue mmc {option} {value}")
    assert done.code == 2
    assert f"invalid value for '{option}'" in done.err
    assert f", but is '{value}'; see" in done.err
