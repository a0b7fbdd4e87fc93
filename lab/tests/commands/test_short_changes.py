"""Pauses, spikes and outages of some seconds: told with their seconds, and the reason why a figure has no interval."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, row

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

    from poolkeeper.arrays import Floats

pytestmark = pytest.mark.usefixtures("without_fits")

SECONDS = 120
OUTAGE = (60, 66)


def starts(*stretches: tuple[int, float]) -> Floats:
    """When requests were sent, in ms, for so many seconds at a rate each."""
    random, now, found = np.random.default_rng(5), 0.0, []
    for seconds, rate in stretches:
        found.append(np.sort(random.uniform(now, now + seconds, random.poisson(seconds * rate))))
        now += seconds
    return 1000 * np.concatenate(found)


def write(  # noqa: PLR0913 - settings by name
    file: Path, at: Floats, *, ok: object = True, failed_ms: float = 2, times_ms: object = 40, users: bool = False
) -> None:
    """A file of requests whose response times are lognormal, but for those that failed."""
    right, middles = np.broadcast_to(np.asarray(ok), at.shape), np.broadcast_to(np.asarray(times_ms), at.shape)
    times = np.where(right, middles * np.random.default_rng(6).lognormal(0, 0.4, at.size), failed_ms)
    rows = zip(at, times, right, strict=True)
    text = jtl(file, [row(START_MS + start, round(took), ok=bool(fine)) for start, took, fine in rows])
    if not users:
        file.write_text(text.read_text(encoding="utf-8").replace("allThreads", "others"), encoding="utf-8")


def outage(at: Floats) -> np.ndarray:
    """Whether a request was sent in the outage."""
    return (at >= 1000 * OUTAGE[0]) & (at < 1000 * OUTAGE[1])


def test_an_outage_is_told_with_its_seconds(poolkeeper: CommandLine, tmp_path: Path) -> None:
    at = starts((SECONDS, 60))
    write(tmp_path / "a.jtl", at, ok=~outage(at), users=True)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    (warning,) = found["warnings"]
    assert warning.startswith(
        "the share of failures changed: 0 % failed first, 100 % failed from 60 s on, then 0 % failed from 66 s on."
    )
    levels = found["results"]["levels"]
    assert levels["cause"] == "failures"
    assert [level["failed"] for level in levels["levels"]] == [0, outage(at).sum(), 0]
    assert "needed" not in found["results"]["throughput"]["error_share"]["why"]
    assert "needed" not in found["results"]["apdex"]["score"]["why"]


def test_failures_that_begin_in_the_middle_are_told(poolkeeper: CommandLine, tmp_path: Path) -> None:
    at = starts((SECONDS, 60))
    late = (at > 60_000) & (np.random.default_rng(7).random(at.size) < 0.2)
    write(tmp_path / "a.jtl", at, ok=~late)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    (warning,) = found["warnings"]
    match = re.match(r"the share of failures changed: 0 % failed first, ([\d.]+) % failed from 6[012] s on\. ", warning)
    assert match is not None, warning
    assert float(match[1]) == pytest.approx(100 * late.sum() / (at > 60_000).sum(), rel=0.05)
    assert "the share of failures changed at 6" in found["results"]["throughput"]["error_share"]["why"]


def test_failures_that_come_in_many_bursts_are_no_change(poolkeeper: CommandLine, tmp_path: Path) -> None:
    at = starts((SECONDS, 60))
    in_burst = np.isin((at / 1000).astype(int) % 12, [3, 4, 5])
    write(tmp_path / "a.jtl", at, ok=~in_burst)
    assert "levels" not in answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]


@pytest.mark.parametrize("users", [False, True])
def test_a_pause_is_the_reason_and_not_the_number_of_values(
    poolkeeper: CommandLine, tmp_path: Path, *, users: bool
) -> None:
    write(tmp_path / "a.jtl", starts((60, 60), (8, 0), (60, 60)), users=users)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    levels = found["results"]["levels"]
    assert levels["cause"] == ("users" if users else "rate")
    assert [round(level["start_s"]) for level in levels["levels"]] == [0, 60, 68]
    why = found["results"]["throughput"]["throughput_per_s"]["why"]
    assert "changed at 60 and 68 s" in why
    assert "needed" not in why


def test_a_spike_of_the_rate_is_told(poolkeeper: CommandLine, tmp_path: Path) -> None:
    at = starts((60, 40), (5, 200), (60, 40))
    write(tmp_path / "a.jtl", at, times_ms=np.where((at > 60_000) & (at < 65_000), 90, 40))
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    (warning,) = found["warnings"]
    assert "requests/s from 60 s on, then" in warning
    assert "requests/s from 65 s on. " in warning
    assert found["results"]["summary"]["percentiles"]["p50"]["low"] is None


def test_levels_of_other_response_times_have_no_interval_together(poolkeeper: CommandLine, tmp_path: Path) -> None:
    at = starts((100, 40), (20, 120), (80, 40))
    write(tmp_path / "a.jtl", at, times_ms=np.where((at > 100_000) & (at < 120_000), 80, 40))
    summary = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["summary"]
    for figure in (summary["mean"], *summary["percentiles"].values()):
        assert figure["low"] is None
    assert summary["mean"]["why"].startswith("the load changed at 100 and 120 s")


def test_each_slow_response_counts_by_its_own_success(poolkeeper: CommandLine, tmp_path: Path) -> None:
    at = starts((SECONDS, 60))
    ok = ~outage(at)
    write(tmp_path / "a.jtl", at, ok=ok, failed_ms=10_000)
    apdex = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["apdex"]
    # Failures end long after what was sent with them: in the order of sending and of ends, others stand beside others.
    assert (apdex["satisfied"], apdex["frustrated"]) == (ok.sum(), (~ok).sum())


def test_slow_responses_that_gather_are_not_said_to_be_too_few(poolkeeper: CommandLine, tmp_path: Path) -> None:
    at = starts((200, 60))
    slow = (at > 100_000) & (np.random.default_rng(8).random(at.size) < 0.05)
    write(tmp_path / "a.jtl", at, times_ms=np.where(slow, 600, 40))
    p95 = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["summary"]["percentiles"]["p95"]
    assert p95["low"] is None
    assert "needed" not in p95["why"]
