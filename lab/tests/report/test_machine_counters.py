"""Counts of the machine: tables of them, and claims about them."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, get_args

import numpy as np
import pytest
from experiments import demo
from rich.console import Console

from poolkeeper.record.gc import GcLog
from poolkeeper.report.experiment import by_variant, load_experiments
from poolkeeper.report.judging.claim_comparison import ClaimedCell
from poolkeeper.report.judging.claims import judge
from poolkeeper.report.judging.compare import of_repetitions
from poolkeeper.report.measuring import counters
from poolkeeper.report.measuring.costs import Costs
from poolkeeper.report.measuring.counters import COUNTERS, costs_table, counter_table, differing
from poolkeeper.report.summary import CLAIMED, counted
from poolkeeper.study.claims import Claim, Figure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from poolkeeper.record import Run
    from poolkeeper.report.measuring.measurement import Measurement


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Run]]:
    folder = demo(tmp_path_factory.mktemp("runs") / "demo", repetitions=3, names=("fixed-2", "fixed-10"))
    return by_variant(load_experiments([folder])[0].runs)


@pytest.fixture
def measured(runs: dict[str, list[Run]]) -> dict[str, list[Measurement]]:
    return {name: counted(members) for name, members in runs.items()}


def test_claims_may_be_about_every_figure_and_counter_that_is_compared() -> None:
    assert set(get_args(Figure)) == {*CLAIMED, *COUNTERS}


def test_only_what_was_measured_has_a_column(measured: dict[str, list[Measurement]]) -> None:
    table = counter_table(measured)
    assert table is not None
    assert [label for label, _ in table.headings] == ["server CPU", "load generator CPU"]
    for (name, _), row in zip(table.rows, table.csv.rows, strict=True):
        per_request = [
            measurement.server_cpu() * measurement.seconds / measurement.requests * 1e6
            for measurement in measured[name]
        ]
        assert row[0] == name
        assert row[1] == pytest.approx(sum(per_request) / len(per_request), rel=1e-4)


def test_what_a_request_costs_is_told_before_ratios_of_next_to_nothing(
    measured: dict[str, list[Measurement]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {"server-cpu": 30.0, "idle": 0.006, "faults": 0.028, "waits": 1.2, "gc-time": 2.5, "load-cpu": 90.0}
    theirs = {"server-cpu": 18.0, "idle": 0.038, "faults": 0.007, "waits": 0.0, "gc-time": 0.1, "load-cpu": 9.0}

    def means(runs: Sequence[Measurement]) -> list[float]:
        return [(ours if runs is measured["fixed-2"] else theirs).get(name, math.nan) for name in COUNTERS]

    monkeypatch.setattr(counters, "_means_of", means)
    assert differing(measured["fixed-2"], measured["fixed-10"]) == (
        "server CPU 30.0 against 18.0 µs a request, waits of the server's threads 1.20 against 0 a request and "
        "time in GC 2.50 against 0.100 %"
    )


def test_a_difference_is_told_with_what_differs_most(measured: dict[str, list[Measurement]]) -> None:
    output = differing(measured["fixed-2"], measured["fixed-10"])
    assert "server CPU " in output
    assert " against " in output
    assert differing(measured["fixed-2"], measured["fixed-2"]) == ""


def test_the_collector_is_counted_while_the_load_ran(measured: dict[str, list[Measurement]]) -> None:
    (measurement, *_) = measured["fixed-10"]
    at = np.array(
        [
            measurement.begin_s - 1,
            measurement.begin_s + 1,
            measurement.begin_s + 3,
            measurement.begin_s + measurement.seconds + 1,
        ]
    )
    log = GcLog(
        "G1",
        at_s=at,
        pause_s=np.array([9.0, 0.25, 0.5, 9.0]),
        full=np.array([True, False, True, False]),
        before_bytes=np.array([9e6, 5e6, 7e6, 9e6]),
        after_bytes=np.array([1e6, 2e6, 3e6, 1e6]),
    )
    object.__setattr__(measurement.run, "gc", log)
    try:
        costs = Costs.of(measurement)
    finally:
        object.__setattr__(measurement.run, "gc", None)
    assert costs.gc_pauses == pytest.approx(2 / measurement.seconds)
    assert costs.gc_full == pytest.approx(1 / measurement.seconds)
    assert costs.gc_share == pytest.approx(0.75 / measurement.seconds)
    assert costs.gc_longest_s == 0.5
    between = measurement.load["requests"][1:3].sum()
    assert costs.allocated_bytes == pytest.approx(5e6 / between), "from the second second to the third"


def test_a_claim_about_a_counter_rests_on_the_repetitions(runs: dict[str, list[Run]]) -> None:
    claim = Claim.model_validate(
        {"claim": "More cost more", "figure": "server-cpu", "of": "fixed-2", "to": "fixed-10", "above": 1}
    )
    (found,) = judge([claim], [ClaimedCell("cell-1", "", {}, runs)])
    ratios = [
        COUNTERS["server-cpu"].of(measurement) / COUNTERS["server-cpu"].of(other)
        for measurement, other in zip(counted(runs["fixed-2"]), counted(runs["fixed-10"]), strict=True)
    ]
    assert found.ratio == pytest.approx(math.prod(ratios) ** (1 / 3))
    assert "the server CPU of fixed-2 was " in found.reason
    assert found.pairs[0].ratio.basis == "repetitions"


def test_one_repetition_says_nothing_of_the_spread() -> None:
    comparison = of_repetitions([(2.0, 1.0)])
    assert comparison.change == pytest.approx(1.0)
    assert math.isnan(comparison.low)
    two = of_repetitions([(2.0, 1.0), (2.2, 1.0)])
    assert two.low < 1.0 < two.high, "two repetitions leave much open"


def test_the_terminal_shows_costs_where_architectures_are_compared(runs: dict[str, list[Run]], tmp_path: Path) -> None:
    assert costs_table([run for members in runs.values() for run in members]) is None
    compared = demo(tmp_path / "demo", names=("fixed-2",))
    for file in compared.glob("**/run.json"):
        text = file.read_text(encoding="utf-8").replace('"application"', '"architecture": "nio", "application"', 1)
        file.write_text(text, encoding="utf-8")
    table = costs_table(load_experiments([compared])[0].runs)
    assert table is not None
    output = io.StringIO()
    Console(file=output, width=100).print(table)
    assert "server CPU" in output.getvalue()
    assert "GC" not in output.getvalue()
