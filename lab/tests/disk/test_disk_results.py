"""Figures of disk experiments."""

from __future__ import annotations

from pathlib import Path

import pytest

from poolkeeper.disk.definition import read_disk_experiment, variants
from poolkeeper.disk.page import curve
from poolkeeper.disk.results import VariantRuns, optimal_fixed, published_ratios, ratio

PROJECT = Path(__file__).parents[3]


def test_optimal_is_the_smallest_size_within_three_percent() -> None:
    def fixed(size: int, seconds: float) -> VariantRuns:
        return VariantRuns(f"fixed-{size}", size, {1: {"seconds": seconds}})

    found = optimal_fixed([fixed(8, 10.0), fixed(2, 20.0), fixed(4, 10.2)])
    assert found is not None
    assert found.variant == "fixed-4"
    assert optimal_fixed([VariantRuns("ours", None, {1: {"seconds": 1.0}})]) is None


def test_curve_of_the_disk_holds_fixed_sizes_and_the_mean_sizes_of_the_others() -> None:
    runs = {
        size: VariantRuns(f"fixed-{size}", size, {1: {"seconds": 8.0 / size}, 2: {"seconds": 10.0 / size}})
        for size in (4, 1, 2)
    }
    ours = VariantRuns("ours", None, {1: {"seconds": 2.5, "mean_size": 3.5}})
    (chart,) = curve([*runs.values(), ours])
    line, point = chart.series
    assert (line.x, line.y) == ((1, 2, 4), (9, 4.5, 2.25))
    assert line.high[0] - line.low[0] == pytest.approx(2 * 2**0.5)
    assert (point.name, point.x, point.y) == ("ours", (3.5,), (2.5,))
    assert curve([runs[4], ours]) == ()


def test_ratio_is_paired_by_repetition() -> None:
    base = VariantRuns("a", 1, {1: {"seconds": 10.0}, 2: {"seconds": 20.0}, 3: {"seconds": 40.0}})
    half = VariantRuns("b", 1, {number: {"seconds": run["seconds"] / 2} for number, run in base.runs.items()})
    found = ratio(half, base)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    assert ratio(VariantRuns("c", 1, {9: {"seconds": 1.0}}), base) is None


def test_published_figures_are_ratios_to_their_own_optimum() -> None:
    found = published_ratios(PROJECT / "experiments" / "disk" / "published.csv")
    assert found["rw_2mb", "adapter"] == pytest.approx(324.7 / 330.8)
    assert found["rw_2mb", "optimal-fixed"] == 1


@pytest.mark.parametrize(
    "file", ["disk/single-phase/matrix", "disk/multi-phase/matrix", "node/matrix", "rocksdb/bulkload"]
)
def test_published_figures_are_of_variants_and_workloads_that_there_are(file: str) -> None:
    experiment = read_disk_experiment(PROJECT / "experiments" / f"{file}.yaml")
    names = {variant.name for variant in variants(experiment)} | {"optimal-fixed"}
    assert experiment.published is not None
    found = published_ratios(Path(experiment.published))
    assert {variant for _, variant in found} <= names
    assert {workload for workload, _ in found} & set(experiment.disk)
