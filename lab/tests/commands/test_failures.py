"""Successes and failures, which no figure mixes unless it is asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from command_line import answer
from result_files import START_MS, jtl, later, row

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("without_fits")


def write(file: Path, *, failing: float, slower: float = 1.0, seed: int = 1) -> Path:
    """A test of which a share fails at once, in a millisecond; the others take 40 ms or so."""
    random = np.random.default_rng(seed)
    rows = []
    for place in range(3000):
        bad = random.random() < failing
        took = 1 if bad else round(40 * slower * random.lognormal(0, 0.2))
        rows.append(row(START_MS + 10 * place, took, "home" if place % 3 else "search", ok=not bad))
    return jtl(file, rows)


def test_percentiles_are_those_of_successes(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", failing=0.6)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    summary = found["results"]["summary"]
    assert summary["percentiles"]["p50"]["value"] == pytest.approx(40, abs=2)
    failed = 3000 - summary["count"]
    assert failed == pytest.approx(1800, abs=100)
    assert found["verdict"].startswith("3,000 requests in")
    assert "half of those that succeeded took" in found["verdict"]
    assert f"{failed:,} failed" in found["verdict"]
    assert sum(label["requests"] for label in found["results"]["labels"]["labels"]) == 3000


@pytest.mark.parametrize(("failures", "median"), [("include", 1), ("only", 1), ("exclude", 40)])
def test_failures_are_looked_at_as_asked(poolkeeper: CommandLine, tmp_path: Path, failures: str, median: float) -> None:
    write(tmp_path / "a.jtl", failing=0.6)
    found = answer(poolkeeper, tmp_path, f"analyze a.jtl --failures {failures}")
    assert found["results"]["summary"]["percentiles"]["p50"]["value"] == pytest.approx(median, abs=2)


def test_fits_and_tails_are_about_successes(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", failing=0.6)
    fitted = answer(poolkeeper, tmp_path, "fit a.jtl --replicates 0 --distribution lognormal")
    assert "fits" in fitted["results"]
    (candidate,) = fitted["results"]["fits"]["candidates"]
    assert candidate["parameters"]["shape"]["value"] == pytest.approx(0.2, abs=0.02)


def test_speed_and_failures_are_judged_apart(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", failing=0.0)
    write(tmp_path / "b.jtl", failing=0.6, slower=1.2, seed=2)
    verdict = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")["verdict"]
    assert verdict.startswith("The second run is slower: ")
    assert "p50 +2" in verdict
    assert "It fails more often: " in verdict
    assert "% of requests against 0 %" in verdict


def test_kinds_of_failures_have_a_table(poolkeeper: CommandLine, tmp_path: Path) -> None:
    rows = [row(START_MS + 10 * place, 40 + place % 7) for place in range(1000)]
    rows += [row(START_MS + 500 * place, 3, ok=False).replace(",500,OK,", ",503,busy,") for place in range(10, 14)]
    rows += [row(START_MS + 900, 2, ok=False)]
    jtl(tmp_path / "a.jtl", rows)
    first, second = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["errors"]["errors"]
    assert (first["code"], first["message"], first["count"], first["mean_ms"]) == ("503", "busy", 4, 3)
    assert (first["first_s"], first["last_s"]) == (5.0, 6.5)
    assert first["share"] == pytest.approx(4 / 1005)
    assert (second["code"], second["count"]) == ("500", 1)
    done = poolkeeper(tmp_path, "analyze a.jtl")
    assert "503 busy 4 0.40 %" in " ".join(done.out.split())


def test_levels_begin_with_the_first_request_whether_it_failed_or_not(
    poolkeeper: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row(START_MS + 100 * place, 5, ok=False) for place in range(30)]
    rows += [row(START_MS + 3000 + 10 * place, 40 + place % 9) for place in range(2000)]
    jtl(tmp_path / "a.jtl", rows)
    one_by_one = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["summary"]["percentiles"]["p90"]["value"]
    monkeypatch.setattr("poolkeeper.commands.load.WHOLE", 100)
    in_buckets = answer(poolkeeper, tmp_path, "analyze a.jtl")["results"]["summary"]["percentiles"]["p90"]["value"]
    assert in_buckets == pytest.approx(one_by_one, rel=0.01)


def test_a_test_in_which_all_failed_is_still_described(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", failing=1.0)
    found = answer(poolkeeper, tmp_path, "analyze a.jtl")
    assert "3,000 failed, 100 %" in found["verdict"]
    assert any("all requests failed: response times are those of failures" in text for text in found["warnings"])


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("analyze a.jtl --failures only", "--failures only: the results hold no request that failed"),
        ("analyze times.txt --failures only", "--failures only: the results do not show which requests failed"),
        ("analyze a.jtl --failures non", "--failures: unknown value 'non'; did you mean 'only'?"),
    ],
)
def test_what_cannot_be_looked_at_is_told(poolkeeper: CommandLine, tmp_path: Path, command: str, output: str) -> None:
    write(tmp_path / "a.jtl", failing=0.0)
    (tmp_path / "times.txt").write_text("\n".join(["1.5", "2.5"] * 100), encoding="utf-8")
    done = poolkeeper(tmp_path, command)
    assert done.code == 2
    assert output in done.err


def unanswered(file: Path) -> Path:
    """A test of 900 answers of 40 ms or so, 60 quick errors of the server, and 40 connections refused in no time."""
    rows = [row(START_MS + 10 * place, 40 + place % 7) for place in range(900)]
    rows += [row(START_MS + 100 * place, 0, ok=False).replace(",500,OK,", ",503,busy,") for place in range(60)]
    refused = ",Non HTTP response code: ConnectException,Connection refused,"
    rows += [row(START_MS + 200 * place, 0, ok=False).replace(",500,OK,", refused) for place in range(40)]
    return jtl(file, rows)


@pytest.mark.parametrize(("failures", "count"), [("include", 960), ("only", 60), ("exclude", 900)])
def test_a_connection_that_failed_in_no_time_has_no_response_time(
    poolkeeper: CommandLine, tmp_path: Path, failures: str, count: int
) -> None:
    unanswered(tmp_path / "a.jtl")
    found = answer(poolkeeper, tmp_path, f"analyze a.jtl --failures {failures}")
    assert found["results"]["summary"]["count"] == count
    assert "100 failed, 10 %" in found["verdict"]
    warnings = [text for text in found["warnings"] if "took no time and have no status" in text]
    assert len(warnings) == (failures != "exclude")
    assert all(text.startswith("40 failed requests") for text in warnings)
    kinds = {entry["message"]: entry["mean_ms"] for entry in found["results"]["errors"]["errors"]}
    assert kinds == {"busy": 0, "Connection refused": None}


def test_failures_have_their_own_chart(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", failing=0.3)
    assert poolkeeper(tmp_path, "analyze a.jtl --report page.html").code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '"title":"Response time of failed requests over time"' in page
    assert '"title":"Median response time by label"' in page


def test_bars_of_failures_have_names(poolkeeper: CommandLine, tmp_path: Path) -> None:
    rows = [row(START_MS + 10 * place, 40) for place in range(500)]
    code = "Non HTTP response code: org.apache.http.conn.HttpHostConnectException"
    rows += [row(START_MS + 100 * place, 3, ok=False).replace(",500,", f",{code},") for place in range(20)]
    rows += [row(START_MS + 100 * place, 5000, ok=False) for place in range(10)]
    jtl(tmp_path / "a.jtl", rows)
    assert poolkeeper(tmp_path, "analyze a.jtl --report page.html").code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '"names":["HttpHostConnect","500"]' in page
    failed = page[page.index('"title":"Response time of failed requests over time"') :]
    assert failed[: failed.index('"kind"')].count('"log":true') == 1


@pytest.mark.parametrize("turned", [False, True])
def test_a_run_that_failed_has_no_speed_to_compare(poolkeeper: CommandLine, tmp_path: Path, *, turned: bool) -> None:
    write(tmp_path / "a.jtl", failing=0.0)
    write(tmp_path / "b.jtl", failing=1.0, seed=2)
    files = "b.jtl a.jtl" if turned else "a.jtl b.jtl"
    found = answer(poolkeeper, tmp_path, f"compare {files}")
    run, other = ("first", "second") if turned else ("second", "first")
    assert found["verdict"] == (
        f"All 3,000 requests of the {run} run failed, so that it has no speed; of the {other} run 0 % failed."
    )
    assert list(found["results"]) == ["failures"]
    assert poolkeeper(tmp_path, f"compare {files} --report page.html").code == 0
    found = answer(poolkeeper, tmp_path, f"compare {files} --failures include")
    assert ("slower" if turned else "faster") in found["verdict"]


def test_runs_that_both_failed_compare_their_failures(poolkeeper: CommandLine, tmp_path: Path) -> None:
    write(tmp_path / "a.jtl", failing=1.0)
    write(tmp_path / "b.jtl", failing=1.0, seed=2)
    found = answer(poolkeeper, tmp_path, "compare a.jtl b.jtl")
    assert "comparison" in found["results"]
    assert found["verdict"].startswith("Nothing succeeded, and this is about response times of failures. It is ")
    assert sum("all requests failed" in warning for warning in found["warnings"]) == 2


def refused(file: Path) -> None:
    """A test of a server that was not there."""
    code = "Non HTTP response code: java.net.ConnectException,Connection refused"
    jtl(file, [row(START_MS + 100 * k, 0, ok=False).replace("500,OK", code) for k in range(300)])


@pytest.mark.parametrize("failures", ["exclude", "include"])
def test_a_run_that_was_refused_has_no_speed_to_compare(poolkeeper: CommandLine, tmp_path: Path, failures: str) -> None:
    write(tmp_path / "a.jtl", failing=0.1)
    write(tmp_path / "failed.jtl", failing=1.0)
    for name in ("b.jtl", "c.jtl"):
        refused(tmp_path / name)
    found = answer(poolkeeper, tmp_path, f"compare a.jtl b.jtl --failures {failures}")
    assert found["verdict"].startswith("All 300 requests of the second run failed, so that it has no speed; of the ")
    assert list(found["results"]) == ["failures"]
    assert found["left_out"] == {"response times": "nobody answered in b.jtl"}
    for other, count in (("c.jtl", "300"), ("failed.jtl", "3,000")):
        verdict = answer(poolkeeper, tmp_path, f"compare b.jtl {other} --failures {failures}")["verdict"]
        assert verdict == (
            f"All 300 requests of the first run and all {count} of the second failed: neither has a speed."
        )


@pytest.mark.parametrize("command", ["fit", "tail"])
def test_what_nobody_answered_has_no_law_and_no_tail(poolkeeper: CommandLine, tmp_path: Path, command: str) -> None:
    refused(tmp_path / "a.jtl")
    found = poolkeeper(tmp_path, f"{command} a.jtl --replicates 0")
    assert found.code != 0
    assert "a.jtl: nobody answered: all 300 requests failed" in found.err


@pytest.mark.parametrize("name", ["failed.jtl", "refused.jtl"])
def test_a_level_at_which_nothing_succeeded_keeps_no_bound(poolkeeper: CommandLine, tmp_path: Path, name: str) -> None:
    later(write(tmp_path / "a.jtl", failing=0.0), 3600)
    write(tmp_path / "failed.jtl", failing=1.0)
    refused(tmp_path / "refused.jtl")
    found = answer(poolkeeper, tmp_path, f"capacity a.jtl {name} --users 10,20 --p99 200ms")
    assert "the capacity is at least 10 users" in found["verdict"]
    assert f"{name}: left out: no request succeeded" in found["warnings"]
    for options in ("", "--users 10", "--by rate"):
        alone = poolkeeper(tmp_path, f"capacity {name} --p99 200ms {options}")
        assert alone.code != 0
        assert f"{name}: no request succeeded" in alone.err


@pytest.mark.parametrize("failures", ["exclude", "include"])
def test_requests_that_nobody_answered_have_no_response_times(
    poolkeeper: CommandLine, tmp_path: Path, failures: str
) -> None:
    refused = "Non HTTP response code: java.net.ConnectException,Connection refused"
    rows = [row(START_MS + 100 * k, 0, "ab"[k % 2], ok=False).replace("500,OK", refused) for k in range(300)]
    jtl(tmp_path / "a.jtl", rows)
    found = answer(poolkeeper, tmp_path, f"analyze a.jtl --failures {failures}")
    assert found["verdict"].endswith("nobody answered. 300 failed, 100 %.")
    assert found["left_out"]["response times"] == "nobody answered"
    assert not {"summary", "histogram", "over_time", "fits"} & set(found["results"])
    assert {entry["mean_ms"] for entry in found["results"]["labels"]["labels"]} == {None}
    assert [(entry["count"], entry["mean_ms"]) for entry in found["results"]["errors"]["errors"]] == [(300, None)]
    assert sum("without a response time" in warning for warning in found["warnings"]) == 1
    assert poolkeeper(tmp_path, f"analyze a.jtl --failures {failures}").code == 0
