"""Rates where a test has gaps, slow responses, or a load of arrivals: of the load alone, and of what was sent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row, steady

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")

HOUR_MS = 3_600_000


def vegeta(file: Path, requests: Sequence[tuple[float, float]]) -> Path:
    """Requests as vegeta writes them, from when they were sent and how long they took, in seconds."""
    rows = [
        f"{START_MS * 10**6 + round(sent * 1e9)},200,{round(took * 1e9)},0,10,,,,{place},GET,http://host/,"
        for place, (sent, took) in enumerate(requests)
    ]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


def arrivals(
    stretches: Sequence[tuple[int, int]], low_s: float, high_s: float, seed: int = 1
) -> list[tuple[float, float]]:
    """Requests at even distances: seconds and requests a second of each stretch; response times are uniform."""
    random = np.random.default_rng(seed)
    sent, now = [], 0.0
    for seconds, rate in stretches:
        sent += [now + k / rate for k in range(seconds * rate)]
        now += seconds
    return list(zip(sent, random.uniform(low_s, high_s, len(sent)).tolist(), strict=True))


def test_a_clock_set_forward_does_not_thin_out_the_rate(poolkeeper: CommandLine, tmp_path: Path) -> None:
    lines = steady(tmp_path / "a.jtl", count=4000).read_text(encoding="utf-8").splitlines()
    later = []
    for line in lines[2001:]:
        stamp, rest = line.split(",", 1)
        later.append(f"{int(stamp) + HOUR_MS},{rest}")
    jtl(tmp_path / "a.jtl", [*lines[1:2001], *later])

    found = answer(poolkeeper, tmp_path, "analyze a.jtl")

    assert "/s" not in found["verdict"].partition(":")[0]
    assert "of which nothing ended" in found["verdict"]
    assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(100, rel=0.05)
    assert [warning for warning in found["warnings"] if "the clock was set forward" in warning]


@pytest.mark.parametrize("hours", [1, 90 * 24], ids=["a gap", "too far apart to look at each second"])
def test_two_tests_in_one_file_are_told_with_what_parts_them(
    poolkeeper: CommandLine, tmp_path: Path, hours: int
) -> None:
    rows = [row(START_MS + day * hours * HOUR_MS + k * 20, 10 + 10 * day) for day in range(2) for k in range(1000)]
    jtl(tmp_path / "a.jtl", rows)
    (warning,) = [text for text in answer(poolkeeper, tmp_path, "analyze a.jtl")["warnings"] if "two tests" in text]
    options = re.findall(r"--(?:to|from) \d+s", warning)
    halves = [answer(poolkeeper, tmp_path, f"analyze a.jtl {option}") for option in options]
    assert [half["results"]["summary"]["mean"]["value"] for half in halves] == [10, 20]
    assert [half["results"]["throughput"]["throughput_per_s"]["value"] for half in halves] == [
        pytest.approx(50, rel=0.05)
    ] * 2


@pytest.mark.parametrize(("late_s", "kept"), [(10, True), (60, False)])
def test_a_result_that_was_written_late_leaves_the_rate_if_it_is_little_of_the_time(
    poolkeeper: CommandLine, tmp_path: Path, late_s: int, *, kept: bool
) -> None:
    rows = [row(START_MS + k * 50, 10 + k % 7) for k in range(8000)]
    rows.insert(4000 + 20 * late_s, rows.pop(4000))
    jtl(tmp_path / "a.jtl", rows)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    (warning,) = [text for text in found["warnings"] if "times go back" in text]
    assert ("rates may be off by 2.5 %" in warning) == kept
    if kept:
        assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(20, rel=0.01)
    else:
        assert "throughput" not in found["results"]


def test_every_gap_of_several_is_left_out(poolkeeper: CommandLine, tmp_path: Path) -> None:
    rows = [row(START_MS + test * 200_000 + k * 20, 10) for test in range(3) for k in range(2000)]
    jtl(tmp_path / "a.jtl", rows)

    found = answer(poolkeeper, tmp_path, "analyze a.jtl")

    assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(50, rel=0.01)
    assert [warning for warning in found["warnings"] if "and in 1 shorter gap: " in warning]


def test_a_gap_does_not_thin_out_the_level_of_a_file(poolkeeper: CommandLine, tmp_path: Path) -> None:
    for users in (1, 2, 3):
        rows = [row(START_MS + test * 300_000 + k * 20, 10) for test in range(2) for k in range(1500 * users)]
        jtl(tmp_path / f"{users}.jtl", rows)

    found = answer(poolkeeper, tmp_path, "capacity 1.jtl 2.jtl 3.jtl --users 1,2,3 --p50 1s")

    rates = [level["throughput"] for level in found["results"]["capacity"]["levels"]]
    assert rates == pytest.approx([50, 50, 50], rel=0.02)


def test_a_file_without_a_rate_is_no_level_of_throughput(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Requests that come twice doubled the throughput of their level, beside a warning that rates are not given."""
    for users in (1, 2, 3):
        rows = [row(START_MS + 3_600_000 * users + k * 20 // users, 10 + k % 7) for k in range(1500 * users)]
        jtl(tmp_path / f"{users}.jtl", rows if users > 1 else [same for each in rows for same in (each, each)])

    refused = poolkeeper(tmp_path, "usl 1.jtl 2.jtl 3.jtl --users 1,2,3")
    by_rate = poolkeeper(tmp_path, "capacity 1.jtl 2.jtl 3.jtl --users 1,2,3 --p50 1s --by rate")
    found = answer(poolkeeper, tmp_path, "capacity 1.jtl 2.jtl 3.jtl --users 1,2,3 --p50 1s")

    for done in (refused, by_rate):
        assert done.code == 2
        assert "1.jtl: has no times to count requests by" in done.err
    assert [level["throughput"] for level in found["results"]["capacity"]["levels"]] == [None] * 3
    assert found["results"]["capacity"]["met_at"] == 3


def test_levels_of_slow_responses_have_the_rate_at_which_requests_were_sent(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    vegeta(tmp_path / "a.csv", arrivals([(60, 20), (60, 60)], 3, 9))

    found = answer(poolkeeper, tmp_path, "analyze a.csv")

    levels = found["results"]["levels"]["levels"]
    assert [level["requests_per_s"] for level in levels] == pytest.approx([20, 60], rel=0.01)
    assert [level["requests"] for level in levels] == pytest.approx([1200, 3600], rel=0.02)
    assert levels[0]["start_s"] == 0


def test_throughput_and_verdict_count_from_the_first_request(poolkeeper: CommandLine, tmp_path: Path) -> None:
    vegeta(tmp_path / "a.csv", arrivals([(60, 20)], 20, 30))

    found = answer(poolkeeper, tmp_path, "analyze a.csv")

    assert "(13.4/s)" in found["verdict"] or "(13.3/s)" in found["verdict"]  # 1,200 in 90 s
    assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(1200 / 90, rel=0.02)


@pytest.mark.parametrize("every", [50, 20], ids=["2 %", "5 %"])
@pytest.mark.parametrize("options", ["", "--from 20s --to 50s"])
def test_timeouts_that_come_after_the_load_do_not_thin_out_its_rate(
    poolkeeper: CommandLine, tmp_path: Path, every: int, options: str
) -> None:
    requests = arrivals([(60, 100)], 0.02, 0.1)
    slow = [(sent, 30.0 if place % every == 0 else took) for place, (sent, took) in enumerate(requests)]
    vegeta(tmp_path / "a.csv", slow)

    found = answer(poolkeeper, tmp_path, f"analyze a.csv {options}")

    stated = float(re.findall(r"\(([\d.]+)/s\)", found["verdict"])[0])
    throughput = found["results"]["throughput"]["throughput_per_s"]["value"]
    # Those that time out in the last 30 s come too late to count.
    assert 88 < stated <= 100.5
    assert 91 < throughput < 100.5


@pytest.mark.parametrize("options", ["--from 30s --to 40s", "--to 40s", "--warm-up 70s --cool-down 20s"])
@pytest.mark.parametrize("slowest", [1.0, 2.5])
def test_a_cut_of_a_steady_load_has_the_rate_at_which_it_was_sent(
    poolkeeper: CommandLine, tmp_path: Path, options: str, slowest: float
) -> None:
    vegeta(tmp_path / "a.csv", arrivals([(120, 50)], 0.2, slowest))

    found = answer(poolkeeper, tmp_path, f"analyze a.csv {options}")

    stated = float(re.findall(r"\(([\d.]+)/s\)", found["verdict"])[0])
    throughput = found["results"]["throughput"]["throughput_per_s"]["value"]
    assert stated == pytest.approx(50, rel=0.01)
    # The first answers of a test that is not cut at its beginning come late: that is a part of the test.
    assert throughput == pytest.approx(50, rel=0.02 if "from" in options or "warm" in options else 0.05)
    assert not any("after the load had ended" in warning for warning in found["warnings"])


def test_slow_responses_at_a_steady_rate_have_intervals(poolkeeper: CommandLine, tmp_path: Path) -> None:
    # In the order of their ends, the slow responses are the last ones, as if the response time had risen.
    vegeta(tmp_path / "a.csv", arrivals([(120, 20)], 5, 60))

    found = answer(poolkeeper, tmp_path, "analyze a.csv")["results"]["summary"]

    mean = found["mean"]
    assert mean["low"] < 32_500 < mean["high"]


def test_slow_responses_are_ordered_alike_where_the_times_reach_too_far_for_a_course(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    before = 60 * 24 * 3600
    requests = [(before + sent, took) for sent, took in arrivals([(120, 20)], 5, 60)]
    vegeta(tmp_path / "a.csv", [(0.0, 5.0), *requests])

    whole, part = (
        answer(poolkeeper, tmp_path, f"analyze a.csv{options}")["results"]["summary"] for options in ("", " --from 1h")
    )

    for end in ("low", "high"):
        assert whole["mean"][end] == pytest.approx(part["mean"][end], rel=0.01)


def test_capacity_by_rate_finds_the_levels_of_arrivals(poolkeeper: CommandLine, tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    requests = []
    for place, (rate, median) in enumerate(((50, 0.02), (100, 0.03), (200, 0.06))):
        times = median * random.lognormal(0, 0.3, 40 * rate)
        requests += [(40 * place + k / rate, float(took)) for k, took in enumerate(times)]
    vegeta(tmp_path / "a.csv", requests)

    found = answer(poolkeeper, tmp_path, "capacity a.csv --by rate --p99 80ms")["results"]["capacity"]

    assert [level["load"] for level in found["levels"]] == pytest.approx([50, 100, 200], rel=0.02)
    # p99 of a lognormal with sigma 0.3 is exp(2.326 * 0.3) = 2.01 times its median
    assert [level["percentile"]["value"] for level in found["levels"]] == pytest.approx([40.2, 60.3, 120.6], rel=0.06)
    assert (found["met_at"], found["missed_at"]) == (pytest.approx(100, rel=0.02), pytest.approx(200, rel=0.02))


def test_capacity_by_users_points_to_the_rate(poolkeeper: CommandLine, tmp_path: Path) -> None:
    vegeta(tmp_path / "a.csv", arrivals([(30, 20)], 0.1, 0.2))

    done = poolkeeper(tmp_path, "capacity a.csv --p99 80ms")

    assert done.code == 2
    assert "capacity --by rate" in done.err


def test_all_charts_over_time_begin_with_the_first_request(poolkeeper: CommandLine, tmp_path: Path) -> None:
    # In the first 20 s everything fails, and percentiles are those of successes.
    jtl(tmp_path / "a.jtl", [row(START_MS + 20 * k, 10, ok=k >= 1000) for k in range(3000)])

    found = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["over_time"]

    assert found["time_s"] == pytest.approx(list(range(60)))
    assert found["count"] == [0] * 20 + [50] * 40
    assert found["errors"] == [50] * 20 + [0] * 40


def test_slow_responses_too_many_to_look_at_one_by_one_are_told(
    poolkeeper: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vegeta(tmp_path / "a.csv", arrivals([(60, 20)], 3, 9))
    monkeypatch.setattr("poolkeeper.commands.load.WHOLE", 100)

    found = answer(poolkeeper, tmp_path, "analyze a.csv")

    assert [warning for warning in found["warnings"] if "all is counted by when they ended" in warning]


@pytest.mark.parametrize("count", [1, 2, 30])
def test_requests_that_took_no_time_at_one_moment_have_no_rate(
    poolkeeper: CommandLine, tmp_path: Path, count: int
) -> None:
    jtl(tmp_path / "a.jtl", [row(START_MS, 0)] * count)
    verdict = answer(poolkeeper, tmp_path, "analyze a.jtl")["verdict"]
    assert "/s" not in verdict
    assert verdict.endswith("None failed.")


def test_a_request_that_began_long_before_the_log_is_no_time_of_the_load(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    """The rate of a log that was rotated was one of the hours that a single request had taken."""
    random = np.random.default_rng(2)
    ends = np.sort(random.uniform(0, 60, 6000))
    times = np.rint(random.lognormal(3, 0.5, 6000)).astype(int)
    times[100] = 3_600_000
    rows = [
        f"{1_700_000_000_000 + int(1000 * end) - time},{time},a,200,true" for end, time in zip(ends, times, strict=True)
    ]
    (tmp_path / "a.jtl").write_text("\n".join(["timeStamp,elapsed,label,responseCode,success", *rows]) + "\n")

    found = answer(poolkeeper, tmp_path, "analyze a.jtl")

    assert re.search(r"in 60\.\d s \((99\.\d|100|101)/s", found["verdict"])
    assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(100, rel=0.03)
    early = [warning for warning in found["warnings"] if "before the load began" in warning]
    assert len(early) == 1


def test_a_cut_of_few_requests_a_second_lasts_from_cut_to_cut(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """It was from the first request to the last answer, and the rate so much higher."""
    sent = np.cumsum(np.random.default_rng(1).exponential(0.5, 200))
    rows = [row(START_MS + round(1000 * float(start - sent[0])), 20) for start in sent]
    jtl(tmp_path / "a.jtl", rows)
    kept = np.count_nonzero((sent - sent[0] >= 20) & (sent - sent[0] < 40))
    verdict = answer(poolkeeper, tmp_path, "analyze a.jtl --from 20s --to 40s")["verdict"]
    assert verdict.startswith(f"{kept} requests in 20.0 s ({kept / 20:.2f}/s)")
