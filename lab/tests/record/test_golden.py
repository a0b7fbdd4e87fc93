"""The reader finds in the golden record what expected.json says, as the Java reader does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poolkeeper.record import Run, read_run
from poolkeeper.record.columns import LOAD, MONITOR, WINDOWS

CONTRACT = Path(__file__).parents[3] / "contract"
GOLDEN = CONTRACT / "golden" / "v1"
EXPECTED: dict[str, dict[str, Any]] = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))
NS = 1e9


@pytest.fixture(params=sorted(EXPECTED))
def golden(request: pytest.FixtureRequest) -> tuple[Run, dict[str, Any]]:
    return read_run(GOLDEN / request.param), EXPECTED[request.param]


def test_every_golden_run_is_expected() -> None:
    assert {folder.name for folder in GOLDEN.iterdir() if folder.is_dir()} == set(EXPECTED)


def test_run(golden: tuple[Run, dict[str, Any]]) -> None:
    run, expected = golden
    assert (run.id, run.experiment, run.variant, run.repetition, run.status) == tuple(
        expected[name] for name in ("id", "experiment", "variant", "repetition", "status")
    )
    assert sorted(note.split(":")[0] for note in run.notes if "cut off" in note) == expected["cut_off"]


def test_the_former_name_of_the_lab_is_read_as_its_name(golden: tuple[Run, dict[str, Any]]) -> None:
    run, _ = golden
    written = json.loads((run.folder / "run.json").read_text(encoding="utf-8"))["versions"]
    assert "tidepool" in written
    assert run.versions == {"poolkeeper": written.pop("tidepool")} | written


def test_windows(golden: tuple[Run, dict[str, Any]]) -> None:
    run, expected = golden
    windows, wanted = run.windows, expected["windows"]
    assert windows is not None
    assert len(windows) == wanted["rows"]
    assert sorted(set(windows.labels["pool"])) == wanted["pools"]
    for name in ("arrivals", "completions", "failures", "rejections", "within_bound"):
        assert windows[name].sum() == wanted[name], name
    for name in ("process_cpu", "gc"):
        assert windows[f"{name}_s"].sum() * NS == pytest.approx(wanted[f"{name}_ns"], rel=1e-12), name
    assert windows["queue_max"].max() == wanted["queue_max"]
    assert windows["busy"].sum() == pytest.approx(wanted["busy_sum"], rel=1e-9)
    assert windows["response_max_s"].max() * NS == pytest.approx(wanted["response_max_ns"], rel=1e-12)
    thread_ns = (windows["size"] * (windows["end_s"] - windows["start_s"])).sum() * NS
    assert thread_ns == pytest.approx(wanted["worker_ns"], rel=1e-12)
    since_start = np.array([wanted["first_start_ns"], wanted["last_end_ns"]]) - expected["start_monotonic_ns"]
    assert [windows["start_s"][0], windows["end_s"][-1]] == pytest.approx(since_start / NS, abs=1e-12)


def test_decisions(golden: tuple[Run, dict[str, Any]]) -> None:
    run, expected = golden
    wanted = expected["decisions"]
    assert len(run.decisions) == wanted["count"]
    actions = [decision.action for decision in run.decisions]
    assert {action: actions.count(action) for action in set(actions)} == wanted["by_action"]
    if wanted["last"]:
        last = run.decisions[-1]
        for name in ("pool", "controller", "mode", "action", "size_before", "size_after", "reason", "numbers"):
            assert getattr(last, name) == wanted["last"][name], name
        assert last.at_s == (wanted["last"]["at_ns"] - expected["start_monotonic_ns"]) / NS


def test_load(golden: tuple[Run, dict[str, Any]]) -> None:
    run, expected = golden
    load, wanted = run.load, expected["load"]
    assert load is not None
    assert len(load) == wanted["rows"]
    assert load["requests"].sum() == wanted["requests"]
    assert load["errors"].sum() == wanted["errors"]
    assert load["users"].sum() == wanted["users_sum"]
    assert load["cpu_s"].sum() * NS == pytest.approx(wanted["cpu_ns"], rel=1e-12)
    assert {str(int(phase)): int((load["phase"] == phase).sum()) for phase in set(load["phase"].tolist())} == wanted[
        "rows_by_phase"
    ]


def test_summary(golden: tuple[Run, dict[str, Any]]) -> None:
    run, expected = golden
    if expected["summary"] is None:
        assert run.summary is None
        assert "load.json is missing" in run.notes
    else:
        assert run.summary is not None
        assert (run.summary.requests, run.summary.errors, run.summary.bottleneck) == tuple(
            expected["summary"][name] for name in ("requests", "errors", "bottleneck")
        )
        assert run.summary.errors_by_kind == expected["summary"]["errors_by_kind"]


def test_percentiles_merge_to_what_hdrhistogram_for_java_computes(golden: tuple[Run, dict[str, Any]]) -> None:
    run, expected = golden
    assert run.latency is not None
    wanted = expected["latency"]
    assert len(run.latency.intervals) == wanted["intervals"]
    by_tag: dict[str, int] = {}
    for interval in run.latency.intervals:
        by_tag[interval.tag] = by_tag.get(interval.tag, 0) + interval.latencies.count
    assert by_tag == wanted["count_by_tag"]
    total = run.latency.total()
    assert total.count == wanted["count"]
    assert int(total.lowest[0]) == wanted["min_ns"]
    assert total.mean_s * NS == pytest.approx(wanted["mean_ns"], rel=1e-12)
    for name, percentile in (("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99), ("p999", 99.9), ("max", 100)):
        assert round(total.percentile_s(percentile) * NS) == wanted[f"{name}_ns"], name


def test_intervals_start_with_the_load(golden: tuple[Run, dict[str, Any]]) -> None:
    run, _ = golden
    assert run.latency is not None
    assert run.load is not None
    starts = sorted({interval.start_s for interval in run.latency.intervals})
    assert starts == pytest.approx(run.load["start_s"].tolist())


def test_what_the_answers_cost() -> None:
    run, expected = read_run(GOLDEN / "costs"), EXPECTED["costs"]
    assert run.drift is not None
    assert run.drift.model_dump() == expected["drift"]
    assert run.counters == expected["counters"]
    assert run.ready_s == expected["ready_s"]
    assert run.load is not None
    begin_s, end_s = float(run.load["start_s"][0]), float(run.load["end_s"][-1])
    assert run.gc is not None
    wanted = expected["gc"]
    assert (run.gc.collector, len(run.gc)) == (wanted["collector"], wanted["pauses"])
    pauses = run.gc.during(begin_s, end_s)
    assert (len(pauses), int(pauses.full.sum())) == (wanted["pauses_in_load"], wanted["full_in_load"])
    assert pauses.pause_s.sum() * 1000 == pytest.approx(wanted["pause_ms_in_load"])
    assert pauses.pause_s.max() * 1000 == wanted["longest_ms_in_load"]
    assert run.monitor is not None
    for process in ("server", "machine"):
        names = np.array(run.monitor.labels["process"])
        rows = run.monitor.where((names == process) & (run.monitor["at_s"] >= begin_s) & (run.monitor["at_s"] <= end_s))
        assert len(rows) == expected["monitor"]["samples_in_load"]
        for name, value in expected["monitor"][process].items():
            column = name.removesuffix("_last")
            found = rows[column][-1] if name != column else rows[column][-1] - rows[column][0]
            assert found == pytest.approx(value), name


@pytest.mark.parametrize(("file", "columns"), [("windows", WINDOWS), ("load", LOAD)])
def test_columns_are_those_of_the_contract(file: str, columns: tuple[Any, ...]) -> None:
    stated = json.loads((CONTRACT / f"{file}.columns.json").read_text(encoding="utf-8"))["columns"]
    assert [(column.name, column.type, column.optional) for column in columns] == [
        (column["name"], column["type"], column.get("optional", False)) for column in stated
    ]


def test_columns_of_the_monitor_are_those_of_the_contract() -> None:
    stated = json.loads((CONTRACT / "monitor.columns.json").read_text(encoding="utf-8"))["columns"]
    assert [(column.name, column.type) for column in MONITOR] == [(column["name"], column["type"]) for column in stated]
