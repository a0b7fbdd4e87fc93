"""Measurements of one run: blocks, pool size, CPU, phases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments import add_run
from synthetic import Phase

from poolkeeper.record import read_run
from poolkeeper.report.measuring.costs import Costs
from poolkeeper.report.measuring.measurement import Blocks, LoadPhase, Measurement, measure
from poolkeeper.report.measuring.series import cell_data
from poolkeeper.report.tables import phase_table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def adaptive(tmp_path: Path) -> Path:
    return add_run(tmp_path / "demo", "adaptive")


def measured(folder: Path) -> Measurement:
    return measure([read_run(folder)])[0]


def test_blocks_add_up_to_what_the_load_generator_found(adaptive: Path) -> None:
    measurement = measured(adaptive)
    blocks, everything = measurement.blocks, measurement.blocks.everything()
    summary = json.loads((adaptive / "load.json").read_text(encoding="utf-8"))
    assert blocks.throughput(everything) == pytest.approx(summary["throughput"])
    assert blocks.mean_s(everything) == pytest.approx(summary["response"]["mean_ns"] / 1e9, rel=1e-3)
    assert blocks.percentile_s(99.0, everything) == pytest.approx(summary["response"]["p99_ns"] / 1e9, rel=2e-3)
    assert measurement.run.latency is not None
    assert blocks.counts.sum() == measurement.run.latency.total().count == summary["requests"]


def test_blocks_are_five_seconds_and_do_not_cross_phases(adaptive: Path) -> None:
    blocks = measured(adaptive).blocks
    assert blocks.seconds.tolist() == [5.0] * 15
    assert blocks.phase.tolist() == [phase for phase in range(5) for _ in range(3)]
    assert blocks.place.tolist() == [0, 1, 2] * 5


@pytest.mark.parametrize(("seconds", "blocks"), [(1, 1), (2, 2), (4, 3), (14, 3), (25, 5), (80, 10)])
def test_a_phase_has_as_many_blocks_as_fit(tmp_path: Path, seconds: int, blocks: int) -> None:
    folder = add_run(tmp_path / "demo", "fixed-2", phases=(Phase(2, seconds),))
    found = measured(folder).blocks
    assert found.seconds.size == blocks
    assert found.seconds.sum() == seconds


def test_mean_pool_size_is_thread_seconds_over_time(adaptive: Path) -> None:
    measurement = measured(adaptive)
    begins, sizes = measurement.sizes()
    expected = float((np.diff([*begins, measurement.seconds]) * sizes).sum()) / measurement.seconds
    assert measurement.blocks.mean_pool_size(measurement.blocks.everything()) == pytest.approx(expected)
    assert measurement.thread_seconds(0.0, 1.0) == pytest.approx(1.0)  # the first window has one thread
    assert measurement.thread_seconds(0.5, 1.5) == pytest.approx(0.5 * sizes[0] + 0.5 * sizes[1])
    assert measurement.thread_seconds(measurement.seconds, measurement.seconds + 2) == pytest.approx(2 * sizes[-1])


def test_windows_before_the_load_do_not_count(adaptive: Path) -> None:
    before = measured(adaptive)
    lines = (adaptive / "windows.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    cells = lines[1].split(",")
    start, end = int(cells[1]), int(cells[2])
    early = ",".join([cells[0], str(start - 10**9), str(end - 10**9), "250", *cells[4:]])
    (adaptive / "windows.csv").write_text("".join([lines[0], early, *lines[1:]]), encoding="utf-8")
    after = measured(adaptive)
    everything = before.blocks.everything()
    assert after.blocks.mean_pool_size(everything) == before.blocks.mean_pool_size(everything)
    assert after.server_cpu() == before.server_cpu()


def test_cpu_comes_from_the_monitor_where_there_is_one(adaptive: Path) -> None:
    measurement = measured(adaptive)
    assert measurement.run.windows is not None
    assert measurement.server_cpu() == pytest.approx(measurement.run.windows["process_cpu_s"].sum() / 75)
    assert np.isnan(measurement.watched_cpu("database"))
    begin_ns = 5_000_000_000_000 + round(measurement.begin_s * 1e9)
    rows = ["at_ns,process,cpu_ns,rss_bytes,threads,voluntary_switches,involuntary_switches"]
    used = {"server": 100.0, "database": 50.0}
    for second in range(-3, 80):
        # Half a second off, as a monitor is; what was used before and after the load does not count.
        for process, rate in (("server", 1.5), ("database", 0.25)):
            rows.append(f"{begin_ns + second * 10**9 + 5 * 10**8},{process},{round(used[process] * 1e9)},1,1,1,1")
            used[process] += rate if 0 <= second < 74 else 9.0
    (adaptive / "monitor.csv").write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    watched = measured(adaptive)
    assert watched.server_cpu() == pytest.approx(1.5)
    assert watched.watched_cpu("database") == pytest.approx(0.25)
    assert np.isnan(watched.watched_cpu("proxy"))


def test_a_short_load_takes_the_samples_around_it(tmp_path: Path) -> None:
    """A second of load lies between two samples, one of them 10 ms before its end: the dash meant not measured."""
    folder = add_run(tmp_path / "demo", "fixed-2", phases=(Phase(2, 1),))
    begin_ns = 5_000_000_000_000 + round(measured(folder).begin_s * 1e9)
    rows = ["at_ns,process,cpu_ns,rss_bytes,threads,voluntary_switches,involuntary_switches"]
    rows += [
        f"{begin_ns + at},server,{used},1,1,{used // 10**6},1" for at, used in ((-(10**7), 0), (990_000_000, 10**9))
    ]
    (folder / "monitor.csv").write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    measurement = measured(folder)
    assert measurement.server_cpu() == pytest.approx(1.0)
    assert len(measurement.load) == 1
    assert Costs.of(measurement).voluntary == pytest.approx(1000 / (0.99 * measurement.requests)), (
        "nothing was sent before the load"
    )


def test_phases_begin_where_the_plan_says_if_the_rows_agree(tmp_path: Path) -> None:
    phases = (Phase(3, 4.5), Phase(1, 4.5), Phase(3, 4.5))
    measurement = measured(add_run(tmp_path / "demo", "fixed-2", phases=phases))
    assert measurement.phases() == [LoadPhase(0.0, 4.5, 3), LoadPhase(4.5, 9.0, 1), LoadPhase(9.0, 14.0, 3)]


def test_a_phase_ends_with_its_users_and_what_is_answered_later_stands_apart(tmp_path: Path) -> None:
    folder = add_run(tmp_path / "demo", "fixed-2", phases=(Phase(3, 3), Phase(9, 6)))
    before = measured(folder)
    file = folder / "load.csv"
    header, *rows = file.read_text(encoding="utf-8").splitlines()
    last = dict(zip(header.split(","), rows[-1].split(","), strict=True))
    for _ in range(4):
        start, end = int(last["end_ns"]), int(last["end_ns"]) + 10**9
        last |= {"start_ns": str(start), "end_ns": str(end), "users": "0", "requests": "1", "errors": "0"}
        rows.append(",".join(last.values()))
    file.write_text("".join(f"{row}\n" for row in [header, *rows]), encoding="utf-8")
    measurement = measured(folder)
    assert measurement.worked_off_s == pytest.approx(4)
    assert (before.worked_off_s, before.phases()) == (0.0, measurement.phases())
    assert measurement.phases()[-1] == LoadPhase(3.0, 9.0, 9)
    for figure in (Blocks.throughput, Blocks.mean_s, Blocks.mean_pool_size):
        assert figure(measurement.blocks, measurement.blocks.during(1)) == figure(
            before.blocks, before.blocks.during(1)
        )
    assert measurement.blocks.throughput(measurement.blocks.all_of(measurement.after)) == pytest.approx(1.0)
    table = phase_table({"fixed-2": [measurement.run]}, set())
    assert table is not None
    assert table.phases == ("3 users", "9 users", "afterwards")
    assert table.figures[0][2][0][-1] == "1.00"


def test_a_ramp_is_called_by_both_of_its_ends_and_counts_from_its_beginning(tmp_path: Path) -> None:
    phases = (Phase(3, 9), Phase(6, 9), Phase(3, 9))
    load = {
        "phases": [
            {"users": 3, "seconds": 9.0},
            {"users": 3, "to": 6, "seconds": 9.0},
            {"users": 3, "to": 1, "seconds": 9.0},
        ]
    }
    measurement = measured(add_run(tmp_path / "demo", "fixed-2", phases=phases, load=load))
    assert [phase.label for phase in measurement.phases()] == ["3 users", "3 to 6 users", "3 to 1 users"]
    blocks = measurement.blocks
    assert blocks.during(1).tolist() == blocks.all_of(1).tolist()
    assert blocks.during(2).sum() == blocks.all_of(2).sum() - 1
    table = phase_table({"fixed-2": [measurement.run]}, set())
    assert table is not None
    assert [row[2] for row in table.csv.rows] == [3, "3 to 6", "3 to 1"]
    document = cell_data({"fixed-2": [measurement.run]})["phases"]
    assert [phase["levels"] for phase in document] == [[3], [3.0, 6.0], [3.0, 1.0]]


def test_phases_begin_where_the_rows_say_if_the_plan_disagrees(tmp_path: Path) -> None:
    phases = (Phase(3, 4.0), Phase(1, 4.0))
    load = {"phases": [{"users": 3, "seconds": 7.0}, {"users": 1, "seconds": 1.0}]}
    measurement = measured(add_run(tmp_path / "demo", "fixed-2", phases=phases, load=load))
    assert measurement.phases() == [LoadPhase(0.0, 4.0, 3), LoadPhase(4.0, 8.0, 1)]


def test_a_run_whose_load_never_began_has_nothing_measured(adaptive: Path) -> None:
    header = (adaptive / "load.csv").read_text(encoding="utf-8").split("\n")[0]
    (adaptive / "load.csv").write_text(header + "\n", encoding="utf-8")
    assert measure([read_run(adaptive)]) == []


@pytest.mark.parametrize("older", [True, False])
def test_what_a_tested_load_leaves_out_is_left_out_of_everything(tmp_path: Path, older: bool) -> None:  # noqa: FBT001
    folder = add_run(tmp_path / "demo", "fixed-4", phases=(Phase(20, 6),))
    whole = measured(folder)
    document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    document["drift"] = {"change": 0.0, "low": -0.01, "high": 0.01, "seconds": 8, "steady": True}
    if not older:
        document["drift"]["left_out_s"] = 0
    (folder / "run.json").write_text(json.dumps(document), encoding="utf-8")
    measurement = measured(folder)
    assert measurement.steady
    assert measurement.seconds == pytest.approx(whole.seconds - older)
    first = whole.load["requests"][0] if older else 0
    assert measurement.requests == whole.requests - first
    assert measurement.blocks.counts.sum() + measurement.errors == measurement.requests


def resized(at_s: float, before: int, after: int) -> dict[str, object]:
    """A line of decisions.jsonl, its time counted from the beginning of the load."""
    decision = {"pool": "workers", "controller": "fbos", "at_ns": 5_002_500_000_000 + round(at_s * 1e9)}
    sizes = {"size_before": before, "size_after": after, "size_asked": after}
    return {**decision, "mode": "active", "action": "resized", **sizes, "reason": "more came", "numbers": {}}


def test_what_a_policy_changed_within_a_window_counts_where_the_record_has_all_of_it(tmp_path: Path) -> None:
    folder = add_run(tmp_path / "demo", "fixed-2", phases=(Phase(2, 10),))
    lines = (folder / "windows.csv").read_text(encoding="utf-8").splitlines()
    pool, place = lines[1].split(",")[0], lines[0].split(",").index("size")
    rows = [line.split(",") for line in lines[1:]]
    for row in rows[4:]:
        row[place] = "6"
    lines[1:] = [",".join(row) for row in rows]
    (folder / "windows.csv").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    changes = [resized(4.2, 2, 10), resized(4.7, 10, 6)]

    def write(decisions: list[dict[str, object]]) -> Measurement:
        text = "".join(json.dumps({**decision, "pool": pool}) + "\n" for decision in decisions)
        (folder / "decisions.jsonl").write_text(text, encoding="utf-8")
        return measured(folder)

    assert write([]).thread_seconds(4.0, 5.0) == pytest.approx(6)
    whole = write(changes)
    assert whole.thread_seconds(4.0, 5.0) == pytest.approx(0.2 * 2 + 0.5 * 10 + 0.3 * 6)
    assert whole.thread_seconds(0.0, 4.0) == pytest.approx(8)
    assert whole.thread_seconds(5.0, 9.0) == pytest.approx(24)
    assert whole.sizes()[0].tolist() == pytest.approx([0.0, 4.2, 4.7])
    # Of a record that was cut off the windows tell more.
    assert write(changes[:1]).thread_seconds(4.0, 5.0) == pytest.approx(6)


def test_goodput_counts_what_came_within_the_bound(tmp_path: Path) -> None:
    measurement = measured(add_run(tmp_path / "demo", "fixed-10", goodput_within_s=0.05))
    blocks, everything = measurement.blocks, measurement.blocks.everything()
    within = blocks.lowest_ns + blocks.width_ns <= 0.05e9
    expected = blocks.counts[:, within].sum() / blocks.seconds.sum()
    assert 0 < expected < blocks.throughput(everything)
    assert blocks.goodput(everything) == pytest.approx(expected)


def test_without_a_bound_there_is_no_goodput(adaptive: Path) -> None:
    blocks = measured(adaptive).blocks
    assert np.isnan(blocks.goodput(blocks.everything()))
