"""Logs whose times are whole seconds: requests of one second have the order of their file."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer

from poolkeeper.commands.load import Load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command_line import CommandLine

    Requests = list[tuple[float, float]]
    Writer = Callable[[Path, Requests], None]

pytestmark = pytest.mark.usefixtures("without_fits")

TRAEFIK = '10.0.0.9 - - [14/Nov/2023:22:{:02d}:{:02d} +0000] "GET / HTTP/1.1" 200 9 "-" "c" {} "r" "http://b" {}ms'
W3C = "2023-11-14 22:{:02d}:{:02d} 200 {}"
FIELDS = "#Fields: date time sc-status time-taken"


def requests(*levels: tuple[int, float], seed: int = 1) -> Requests:
    """When requests were sent, in seconds, and their times in ms, in the order of their ends.

    Each level is a minute, with a rate and a median time.
    """
    random = np.random.default_rng(seed)
    found = []
    for place, (rate, median) in enumerate(levels):
        starts = random.uniform(60 * place, 60 * (place + 1), 60 * rate)
        found += list(zip(starts, np.rint(median * random.lognormal(0, 0.5, starts.size)), strict=True))
    return sorted(found, key=lambda request: request[0] + request[1] / 1000)


def w3c(file: Path, sent: Requests) -> None:
    """A log that is stamped when requests end."""
    ends = [(int(start + took / 1000), took) for start, took in sent]
    file.write_text("\n".join([FIELDS, *(W3C.format(*divmod(end, 60), int(took)) for end, took in ends)]) + "\n")


def traefik(file: Path, sent: Requests) -> None:
    """A log that is stamped when requests begin."""
    lines = [TRAEFIK.format(*divmod(int(start), 60), at, int(took)) for at, (start, took) in enumerate(sent)]
    file.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("write", [w3c, traefik])
def test_response_times_that_do_not_depend_on_each_other_are_not_taken_to(
    poolkeeper: CommandLine, tmp_path: Path, write: Writer
) -> None:
    write(tmp_path / "a.log", requests((100, 30)))
    found = answer(poolkeeper, tmp_path, "analyze a.log")["results"]["summary"]
    assert found["autocorrelation_time"] < 2
    assert found["percentiles"]["p95"]["low"] is not None
    level = answer(poolkeeper, tmp_path, "capacity a.log --by rate --p95 1s")["results"]["capacity"]["levels"][0]
    assert level["percentile"]["low"] is not None


@pytest.mark.parametrize("write", [w3c, traefik])
def test_a_level_does_not_hold_the_first_requests_of_the_next(
    poolkeeper: CommandLine, tmp_path: Path, write: Writer
) -> None:
    sent = requests((50, 30), (100, 150))
    write(tmp_path / "a.log", sent)
    levels = answer(poolkeeper, tmp_path, "analyze a.log")["results"]["levels"]["levels"]
    first, second = ([took for start, took in sent if start // 60 == minute] for minute in (0, 1))
    assert levels[0]["p95_ms"] == pytest.approx(np.percentile(first, 95), rel=0.05)
    assert levels[1]["p95_ms"] == pytest.approx(np.percentile(second, 95), rel=0.05)
    assert sum(level["requests"] for level in levels) == len(sent)


def test_a_request_is_sent_within_its_second_where_response_times_are_whole_seconds_too() -> None:
    start_ns = np.array([10, 10, 11, 11, 12]) * 1_000_000_000
    rows = {"start_ns": start_ns, "response_ns": np.array([3, 1, 2, 1, 1]) * 1_000_000_000}
    since_ns = vars(Load)["sent_ns"].func(SimpleNamespace(rows=rows)) - start_ns
    assert since_ns.tolist() == [0, 0, 333_333_333, 0, 0], "three end together, the last of them begins last of all"


@pytest.mark.parametrize("write", [w3c, traefik])
def test_a_cut_keeps_the_requests_of_its_seconds(poolkeeper: CommandLine, tmp_path: Path, write: Writer) -> None:
    """Stamps of ends gave it the slow requests of the next second, and those of starts a second less than it lasts."""
    sent = requests((50, 20), (50, 60))
    write(tmp_path / "a.log", sent)
    kept = [took for start, took in sent if 20 <= start < 60]

    found = answer(poolkeeper, tmp_path, "analyze a.log --from 20s --to 60s")

    assert found["results"]["summary"]["count"] == pytest.approx(len(kept), rel=0.005)
    assert found["results"]["summary"]["maximum"] == max(kept)
    assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(len(kept) / 40, rel=0.02)
    rate = re.search(r"\(([0-9.]+)/s\)", found["verdict"])
    assert rate is not None
    assert float(rate[1]) == pytest.approx(len(kept) / 40, rel=0.02)


@pytest.mark.parametrize("write", [w3c, traefik])
def test_a_cut_of_twenty_seconds_has_a_rate(poolkeeper: CommandLine, tmp_path: Path, write: Writer) -> None:
    write(tmp_path / "a.log", requests((50, 200)))
    found = answer(poolkeeper, tmp_path, "analyze a.log --warm-up 20s --to 40s")
    assert "throughput" in found["results"]
    assert found["results"]["summary"]["count"] == pytest.approx(1000, rel=0.1)
    assert "/s)" in found["verdict"]


def test_cuts_between_seconds_are_those_of_whole_seconds(poolkeeper: CommandLine, tmp_path: Path) -> None:
    traefik(tmp_path / "a.log", requests((50, 200)))
    counts = [
        answer(poolkeeper, tmp_path, f"analyze a.log --from {start} --to 40s")["results"]["summary"]["count"]
        for start in ("9s", "9.1s", "10s")
    ]
    assert counts[0] > counts[1] == counts[2]


@pytest.mark.parametrize("write", [w3c, traefik])
@pytest.mark.parametrize("phase", [0.0, 0.3, 0.7])
def test_the_rate_is_that_of_the_time_with_requests(
    poolkeeper: CommandLine, tmp_path: Path, write: Writer, phase: float
) -> None:
    """From the first whole second to the last it was 29 seconds or 30, by chance."""
    sent = [(start + phase, took) for start, took in requests((200, 20)) if start < 30]
    write(tmp_path / "a.log", sent)
    found = answer(poolkeeper, tmp_path, "analyze a.log")
    rate = re.search(r"\(([0-9.]+)/s\)", found["verdict"])
    assert rate is not None
    assert float(rate[1]) == pytest.approx(len(sent) / 30, rel=0.012)


@pytest.mark.parametrize("write", [w3c, traefik])
@pytest.mark.parametrize("phase", [0.05, 0.35, 0.7])
@pytest.mark.parametrize(("pause", "median"), [(0, 30), (30, 30), (90, 30), (0, 700)])
def test_the_rate_of_a_level_does_not_depend_on_when_in_a_second_it_began(  # noqa: PLR0913 - what it may depend on
    poolkeeper: CommandLine, tmp_path: Path, write: Writer, phase: float, pause: int, median: float
) -> None:
    """Requests of the first second were spread over all of it, and those of the last one over none."""
    random = np.random.default_rng(3)
    starts = np.concatenate([phase + np.arange(0, 15, 1 / 50), phase + 15 + pause + np.arange(0, 15, 1 / 200)])
    took = np.rint(median * random.lognormal(0, 0.4, starts.size))
    sent = sorted(zip(starts, took, strict=True), key=lambda request: request[0] + request[1] / 1000)
    write(tmp_path / "a.log", sent)
    levels = answer(poolkeeper, tmp_path, "analyze a.log")["results"]["levels"]["levels"]
    rates = [level["requests_per_s"] for level in levels if level["requests_per_s"] > 1]
    assert rates == pytest.approx([50, 200], rel=0.02)


@pytest.mark.parametrize("write", [w3c, traefik])
def test_levels_beyond_the_capacity_of_a_server_have_the_rates_that_were_sent(
    poolkeeper: CommandLine, tmp_path: Path, write: Writer
) -> None:
    """Answers come at 55/s then: 90/s were 73, and the 30/s after them, while the queue empties, 40."""
    sent, free = [], 0.0
    for start in np.concatenate([np.arange(0, 60, 1 / 30), np.arange(60, 80, 1 / 90), np.arange(80, 150, 1 / 30)]):
        free = max(free, start) + 1 / 55
        sent.append((float(start), round(1000 * (free - start))))
    write(tmp_path / "a.log", sent)

    levels = answer(poolkeeper, tmp_path, "analyze a.log")["results"]["levels"]["levels"]

    assert [level["start_s"] for level in levels[:3]] == pytest.approx([0, 60, 80], abs=1.2)
    assert [level["requests_per_s"] for level in levels[:3]] == pytest.approx([30, 90, 30], rel=0.03)
    found = answer(poolkeeper, tmp_path, "capacity a.log --by rate --p95 75ms")["results"]["capacity"]["levels"]
    assert [level["load"] for level in found] == pytest.approx([30, 90], rel=0.03)


def test_slow_answers_of_one_second_are_spread_over_it_for_the_levels_too(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    """By whole seconds alone the rate seemed to step within the overload: 64/s from 99 s on, which nobody sent."""
    random, free, sent = np.random.default_rng(21), [0.0, 0.0], []
    for start in np.concatenate([np.arange(0, 90, 1 / 30), np.arange(90, 110, 1 / 90), np.arange(110, 200, 1 / 30)]):
        server = int(free[1] < free[0])
        free[server] = max(free[server], start + 0.3) + random.lognormal(np.log(0.03), 0.4)
        sent.append((float(start) + 0.3, round(1000 * (free[server] - start - 0.3))))
    w3c(tmp_path / "a.log", sorted(sent, key=lambda request: request[0] + request[1] / 1000))

    levels = answer(poolkeeper, tmp_path, "analyze a.log")["results"]["levels"]["levels"]

    assert [level["start_s"] for level in levels[:3]] == pytest.approx([0, 90, 110], abs=1)
    assert [level["requests_per_s"] for level in levels[:3]] == pytest.approx([30, 90, 30], rel=0.03)
