"""Figures of the kinds of failures: of how many requests a mean is, and when the first and the last one was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command_line import answer
from result_files import START_MS, jtl, row

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")


def write_refused(file: Path) -> Path:
    """A test of 300 requests, of which 100 are refused: 80 of these in no time, 20 in 2 ms."""
    rows = []
    for place in range(300):
        refused = place % 3 == 0
        text = row(START_MS + 100 * place, (2 if place % 15 == 0 else 0) if refused else 40, ok=not refused)
        rows.append(text.replace(",500,OK,", ",Refused,Connection refused,"))
    return jtl(file, rows)


def test_a_kind_of_failures_says_of_how_many_its_mean_is(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write_refused(tmp_path / "a.jtl")
    (kind,) = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["errors"]["errors"]
    assert (kind["count"], kind["timed"], kind["mean_ms"], kind["maximum_ms"]) == (100, 20, 2, 2)
    text = poolkeeper(tmp_path, "analyze a.jtl --report page.html").out
    assert "failed  of all  with a time  mean ms" in text
    assert "note: mean and maximum are those of failed requests with a time" in text
    assert "mean and maximum are those of failed requests with a time" in (tmp_path / "page.html").read_text()


def test_failures_that_all_have_a_time_need_no_such_column(poolkeeper: CommandLine, tmp_path: Path) -> None:
    jtl(tmp_path / "a.jtl", [row(START_MS + 100 * place, 40, ok=place % 3 > 0) for place in range(300)])
    assert "with a time" not in poolkeeper(tmp_path, "analyze a.jtl").out


def test_the_verdict_on_failures_says_of_how_many_the_median_is(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write_refused(tmp_path / "a.jtl")
    verdict = answer(poolkeeper, tmp_path, "analyze a.jtl --failures only")["verdict"]
    assert "half of the 20 failed ones with a response time took 2.00 ms or less" in verdict


def k6_points(requests: int, *, coarse: bool) -> str:
    """A test of 20 s that begins 0.7 s after a whole second; each tenth request fails, stamped when it ends."""
    head = "metric_name,timestamp,metric_value,name,status,error,expected_response"
    lines = [head]
    for place in range(requests):
        end_s = START_MS / 1000 + 0.7 + 20 * place / requests + 0.008
        bad = place % 10 == 0
        stamp = str(int(end_s)) if coarse else f"{end_s * 1000:.0f}"
        end = "500,bad,false" if bad else "200,,true"
        lines.append(f"http_req_duration,{stamp},8.0,get,{end}")
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("coarse", [False, True])
def test_failures_are_sent_within_the_test_also_by_whole_seconds(
    poolkeeper: CommandLine, tmp_path: Path, *, coarse: bool
) -> None:
    (tmp_path / "k6.csv").write_text(k6_points(1000, coarse=coarse))
    (kind,) = answer(poolkeeper, tmp_path, "analyze k6.csv")["results"]["errors"]["errors"]
    assert 0 <= kind["first_s"] <= 0.5
    assert kind["last_s"] == pytest.approx(20, abs=0.51)


def write_silent(file: Path, *, every: int) -> Path:
    """A test of 2,000 requests, of which one in so many is refused in no time."""
    rows = []
    for place in range(2000):
        refused = place % every == 0
        text = row(START_MS + 20 * place, 0 if refused else 30 + place % 7, ok=not refused)
        rows.append(text.replace(",500,OK,", ",Refused,Connection refused,"))
    return jtl(file, rows)


@pytest.mark.parametrize("every", [1, 3])
def test_failures_without_response_times_are_analysed(poolkeeper: CommandLine, tmp_path: Path, every: int) -> None:
    write_silent(tmp_path / "a.jtl", every=every)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl --failures only")
    failed, silence = -(-2000 // every), "nobody answered" if every == 1 else "no failed request has a response time"
    assert f": {silence}. {failed:,} failed, " in found["verdict"]
    assert found["left_out"]["response times"] == silence
    assert "summary" not in found["results"]
    (kind,) = found["results"]["errors"]["errors"]
    assert (kind["count"], kind["timed"]) == (failed, 0)
    assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(50 * (1 - 1 / every), rel=0.05)
    assert not any("were recorded in" in text for text in found["warnings"])


def test_shares_of_failures_without_response_times_are_compared(poolkeeper: CommandLine, tmp_path: Path) -> None:
    for name, every in (("a.jtl", 50), ("b.jtl", 3), ("c.jtl", 51)):
        write_silent(tmp_path / name, every=every)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl --failures only")
    assert found["left_out"]["response times"] == "no failed request has a response time in a.jtl and b.jtl"
    assert found["verdict"] == "The second run fails more often: 33 % against 2.0 %."
    assert found["results"]["failures"]["failed_percent"]["low"] > 25
    same = answer(poolkeeper, tmp_path, "compare a.jtl c.jtl --failures only")
    assert same["verdict"] == "No difference seen in failures: 2.0 % against 2.0 %."


@pytest.mark.parametrize("command", ["fit", "tail", "capacity --p99 1s --by rate", "usl --users 3"])
def test_failures_without_response_times_have_no_law_and_no_tail(
    poolkeeper: CommandLine, tmp_path: Path, command: str
) -> None:
    write_silent(tmp_path / "a.jtl", every=4)
    name, *options = command.split(maxsplit=1)
    found = poolkeeper(tmp_path, f"{name} a.jtl {' '.join(options)} --failures only")
    assert found.code == 2
    assert "a.jtl: no failed request has a response time: 500 of 2,000 requests failed" in found.err


def test_failures_over_time_are_those_of_all_requests(poolkeeper: CommandLine, tmp_path: Path) -> None:
    # All requests of the first and the last five seconds fail, and every fifth one between them.
    failed = [not 50 <= place < 250 or place % 5 == 0 for place in range(300)]
    jtl(tmp_path / "a.jtl", [row(START_MS + 100 * place, 40, ok=not bad) for place, bad in enumerate(failed)])
    seconds = [sum(failed[first : first + 10]) for first in range(0, 300, 10)]

    for options in ("", " --failures include", " --failures only"):
        found = answer(poolkeeper, tmp_path, f"analyze a.jtl{options}")["results"]["over_time"]
        assert found["errors"] == seconds
        assert {len(values) for values in found.values() if isinstance(values, list)} == {30}
        shown = {"": 10 - seconds[0], " --failures include": 10, " --failures only": seconds[0]}[options]
        assert found["count"][0] == shown
        assert (found["p50"][0] is None) == (shown == 0)
