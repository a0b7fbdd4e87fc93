"""A load that changes: it is seen, told before all figures, and kept apart level by level."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row, staircase

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")


def write(
    file: Path, stretches: Sequence[tuple[int, float, float]], *, users: Sequence[int] = (), seed: int = 1
) -> Path:
    """A test of stretches: seconds, requests a second, median in ms; without `users` the file does not tell them."""
    random = np.random.default_rng(seed)
    rows, now = [], 0.0
    for place, (seconds, rate, median) in enumerate(stretches):
        count = random.poisson(rate * seconds)
        starts = np.sort(random.uniform(now, now + seconds, count)) * 1000
        times = np.rint(median * random.lognormal(0, 0.4, count)).astype(int)
        rows += [
            row(START_MS + start, took, users=users[place] if users else 10)
            for start, took in zip(starts, times, strict=True)
        ]
        now += seconds
    written = jtl(file, rows)
    if not users:
        text = written.read_text(encoding="utf-8").replace("allThreads", "others")
        written.write_text(text, encoding="utf-8")
    return written


def test_steps_of_users_are_levels(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(60, 50, 40), (90, 100, 80), (60, 50, 40)], users=[10, 30, 10])
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    levels = found["results"]["levels"]["levels"]
    assert [level["users"] for level in levels] == [10, 30, 10]
    assert [level["requests_per_s"] for level in levels] == pytest.approx([50, 100, 50], rel=0.1)
    assert [level["p50_ms"] for level in levels] == pytest.approx([40, 80, 40], rel=0.05)
    assert [round(level["start_s"]) for level in levels] == pytest.approx([0, 60, 150], abs=1)
    warnings = [warning for warning in found["warnings"] if "the load changed" in warning]
    assert warnings[0].startswith(
        "the load changed: 10 users first, 30 users from 61 s on, then 10 users from 151 s on."
    )
    assert "--from 61s --to 149s selects the longest one" in warnings[0]


def test_a_ramp_is_a_level_of_its_own(poolkeeper: CommandLine, tmp_path: Path) -> None:
    ramp = [(2, 5.0 * users, 40.0) for users in range(1, 41)]
    write(tmp_path / "a.jtl", [*ramp, (60, 200, 40)], users=[*range(1, 41), 40])
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    rising, level = found["results"]["levels"]["levels"]
    assert rising["ramp"] == [1, pytest.approx(39, abs=1)]
    assert (level["ramp"], level["users"]) == (None, 40)
    (warning,) = (warning for warning in found["warnings"] if "changed" in warning)
    assert re.match(r"the load changed: a ramp from 1 to \d\d users first, 40 users from [78]\d s on\. ", warning)
    assert re.search(r"--from [78]\ds selects the longest", warning)


def test_steps_of_the_rate_are_levels(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(100, 40, 40), (60, 120, 40)])
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    levels = found["results"]["levels"]
    assert levels["cause"] == "rate"
    assert [level["requests_per_s"] for level in levels["levels"]] == pytest.approx([40, 120], rel=0.1)
    assert [round(level["end_s"]) for level in levels["levels"]] == pytest.approx([100, 160], abs=2)


def test_steps_of_the_response_times_are_levels(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(60, 50, 40), (60, 50, 90)], users=[10, 10])
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    assert found["results"]["levels"]["cause"] == "times"
    (warning,) = (warning for warning in found["warnings"] if "changed" in warning)
    assert warning.startswith(
        "the level of the response times changed: a median of 39.0 ms first, a median of 89.0 ms from 60 s"
    )


@pytest.mark.parametrize("in_buckets", [False, True])
def test_no_number_of_values_is_asked_for_where_the_load_changed(
    poolkeeper: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, in_buckets: bool
) -> None:
    write(tmp_path / "a.jtl", [(100, 40, 20), (100, 120, 200)], users=[5, 50])
    if in_buckets:
        monkeypatch.setattr("poolkeeper.commands.load.WHOLE", 100)
    done = poolkeeper(tmp_path, "analyze a.jtl")
    assert done.code == 0, done.err
    assert "that depend on each other (" not in done.out
    assert (
        "the load changed at 100 s, and several levels together have no interval: see the levels, or add --from 100s"
        in done.out
    )
    compared = poolkeeper(tmp_path, "compare a.jtl a.jtl")
    assert "that depend on each other (" not in compared.out


def test_failures_that_gather_at_a_level_ask_for_no_more_of_them(poolkeeper: CommandLine, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    starts = np.sort(random.uniform(0, 200_000, 20_000))
    rows = [
        row(START_MS + start, 40, ok=bool(random.random() > share), users=users)
        for start in starts
        for share, users in [(0.001, 5) if start < 100_000 else (0.2, 50)]
    ]
    jtl(tmp_path / "a.jtl", rows)
    done = poolkeeper(tmp_path, "analyze a.jtl")
    assert "too few for an interval of their share" not in done.out
    assert "and errors: the load changed at 10" in done.out
    assert "95 % between" not in done.out  # an Apdex with an interval of -2.5 to 1.7
    assert "interval: the load changed" in done.out


def test_many_changes_are_told_with_their_times(poolkeeper: CommandLine, tmp_path: Path) -> None:
    staircase(tmp_path / "a.jtl", (2, 4, 8, 16, 32))
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    (warning,) = (warning for warning in found["warnings"] if "the load changed" in warning)
    assert re.match(r"the load changed 4 times, at 2\d, 4\d, 6\d and 8\d s, between 2 users and 32 users\.", warning)


def test_a_steady_test_has_no_levels(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(120, 50, 40)], users=[10])
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    assert "levels" not in found["results"]
    assert not any("changed" in warning for warning in found["warnings"])


def test_options_count_from_the_first_request_of_the_file(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(60, 50, 40), (60, 50, 40), (90, 100, 80)], users=[5, 10, 30])
    found = answer(poolkeeper, tmp_path, "analyze a.jtl --from 60s")
    assert any(re.search("--from 12[01]s selects the longest", warning) for warning in found["warnings"])
    alone = answer(poolkeeper, tmp_path, "analyze a.jtl --from 121s")
    assert "levels" not in alone["results"]
    assert alone["results"]["summary"]["percentiles"]["p50"]["value"] == pytest.approx(80, rel=0.05)


def test_levels_are_compared_with_levels(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(60, 50, 40), (60, 100, 80)], users=[10, 30])
    write(tmp_path / "b.jtl", [(80, 50, 40), (60, 100, 120), (60, 100, 160)], users=[10, 30, 60], seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert found["verdict"].startswith("At 10 users no difference is seen. At 30 users the second run is slower: p50 +")
    assert [level["users"] for level in found["results"]["levels"]["levels"]] == [10, 30]
    assert found["results"]["levels"]["alone"] == ["60 users"]
    assert any("b.jtl: the load changed" in warning for warning in found["warnings"])


def test_different_loads_are_named(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(60, 50, 40)], users=[10])
    write(tmp_path / "b.jtl", [(60, 100, 80)], users=[30], seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert "the runs held 10 and 30 users: a difference may be one of their loads" in found["warnings"]


def test_runs_without_a_level_in_common_are_compared_whole(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(60, 50, 40), (60, 100, 80)], users=[10, 30])
    write(tmp_path / "b.jtl", [(60, 50, 40), (60, 100, 120)], users=[50, 60], seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert "levels" not in found["results"]
    assert found["warnings"][0] == (
        "the load changed in a.jtl and b.jtl, and the runs have no level in common: both are compared whole"
    )


def test_response_times_that_step_under_one_load_are_no_change_of_the_load(
    poolkeeper: CommandLine, tmp_path: Path
) -> None:
    write(tmp_path / "a.jtl", [(60, 50, 40), (60, 50, 90)], users=[10, 10])
    write(tmp_path / "b.jtl", [(120, 50, 40)], users=[10], seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert found["warnings"][0] == (
        "the level of the response times changed in a.jtl, under the same load: both are compared whole"
    )


def test_spikes_make_the_axis_logarithmic(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "calm.jtl", [(60, 50, 40)], users=[10])
    pauses = [(28, 50.0, 40.0), (2, 50.0, 1500.0)] * 3
    write(tmp_path / "pauses.jtl", pauses, users=[10] * 6)
    for name, log in (("calm", "false"), ("pauses", "true")):
        assert poolkeeper(tmp_path, f"analyze {name}.jtl --report page.html").code == 0
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        chart = page[page.index('"title":"Response time over time"') :]
        assert f'"y":{{"label":"response time","unit":"ms","log":{log}}}' in chart[:300]


def test_users_and_levels_are_on_the_page(poolkeeper: CommandLine, tmp_path: Path) -> None:
    staircase(tmp_path / "a.jtl", (2, 8, 32))
    done = poolkeeper(tmp_path, "analyze a.jtl --report page.html")
    assert done.code == 0, done.err
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '"title":"Users over time"' in page
    assert "3 levels of the test" in page


def test_a_request_that_outlasts_the_test_is_no_level(poolkeeper: CommandLine, tmp_path: Path) -> None:
    rows = [row(START_MS + 10 * place, 40 + place % 7) for place in range(6000)]
    rows[3000] = row(START_MS + 30_000, 3_600_000)
    jtl(tmp_path / "a.jtl", rows)
    done = poolkeeper(tmp_path, "analyze a.jtl --json")
    found = json.loads(done.out)
    assert found["verdict"].startswith("6,000 requests in 60.0 s (99.9/s): ")
    assert "levels" not in found["results"]
    assert found["results"]["throughput"]["throughput_per_s"]["value"] == pytest.approx(100, rel=0.01)
    (warning,) = found["warnings"]
    assert "the last response came 3,570 s after the load had ended" in warning


def test_a_pause_is_not_proposed_as_a_level(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(60, 100, 40), (150, 0, 40), (60, 200, 40)])
    found = json.loads(poolkeeper(tmp_path, "analyze a.jtl --json").out)
    (warning,) = (text for text in found["warnings"] if "the load changed" in text)
    assert ", and --to 60s selects" in warning or ", and --from 209s selects" in warning


@pytest.mark.parametrize("users", [(), [600]])
def test_slow_responses_of_a_steady_load_are_no_change_of_it(
    poolkeeper: CommandLine, tmp_path: Path, users: Sequence[int]
) -> None:
    # The fast ones end first and the slow ones last, so that rate and response times rise by when responses came.
    write(tmp_path / "a.jtl", [(120, 20, 20_000)], users=users)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    assert "levels" not in found["results"]
    assert not [warning for warning in found["warnings"] if "changed" in warning]


def test_slow_responses_change_when_they_were_sent(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", [(60, 50, 120), (90, 50, 8000)])
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    levels = found["results"]["levels"]["levels"]
    assert [round(level["start_s"]) for level in levels] == pytest.approx([0, 60], abs=1)
    assert [level["p50_ms"] for level in levels] == pytest.approx([120, 8000], rel=0.1)


def test_the_apdex_of_mixed_levels_has_no_interval(poolkeeper: CommandLine, tmp_path: Path) -> None:
    """Spikes in which response times are beyond the target made one of 0.001."""
    random, rows = np.random.default_rng(7), []
    for second in range(150):
        spike = second % 60 in range(20, 35)
        for start in np.sort(random.uniform(0, 1000, 120 if spike else 20)):
            took = random.lognormal(np.log(400 if spike else 30), 0.1)
            rows.append(row(START_MS + 1000 * second + start, round(took), users=50 if spike else 5))
    jtl(tmp_path / "a.jtl", rows)
    score = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["apdex"]["score"]
    assert (score["low"], score["high"]) == (None, None)
    assert "several levels together have no interval" in score["why"]
    score = answer(poolkeeper, tmp_path, "analyze a.jtl --apdex 10s")["results"]["apdex"]["score"]
    assert score["why"] == "all values count the same"
