"""Contestants against the best fixed size of each cell."""

from __future__ import annotations

import json
import math
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from experiments import VARYING, add_run, two_axes
from rich.console import Console

from poolkeeper.present.terminal import draw
from poolkeeper.report.experiment import load_experiments
from poolkeeper.report.judging.standing import standing_table, standings

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.record import Run


def runs(folder: Path) -> tuple[Run, ...]:
    return load_experiments([folder])[0].runs


def throughput(folder: Path) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for file in folder.rglob("load.json"):
        document: dict[str, Any] = json.loads((file.parent / "run.json").read_text(encoding="utf-8"))
        cell = "/".join(document["configuration"]["cell"].values())
        found[cell, document["variant"]] = json.loads(file.read_text(encoding="utf-8"))["throughput"]
    return found


def test_the_geometric_mean_is_over_cells_and_against_the_best_fixed_size_of_each(tmp_path: Path) -> None:
    folder = two_axes(tmp_path / "axes")
    seen = throughput(folder)
    cells = sorted({cell for cell, _ in seen})
    ratios = {
        name: [seen[cell, name] / max(seen[cell, "fixed-2"], seen[cell, "fixed-10"]) for cell in cells]
        for name in ("fixed-2", "fixed-10", "adaptive")
    }
    found = {standing.name: standing for standing in standings(runs(folder))}
    assert set(found) == set(ratios)
    for name, values in ratios.items():
        assert found[name].ratio == pytest.approx(math.prod(values) ** (1 / len(values)), rel=1e-6)
        assert found[name].worst == pytest.approx(min(values), rel=1e-6)
        assert found[name].cells == 4
    assert found["fixed-2"].threads == 2
    assert found["adaptive"].adaptive
    assert not found["fixed-2"].adaptive


def test_the_time_to_get_near_is_that_of_the_load(tmp_path: Path) -> None:
    add_run(tmp_path, "fixed-2", phases=VARYING)
    add_run(tmp_path, "fixed-100", phases=VARYING)
    add_run(tmp_path, "adaptive", phases=VARYING)
    found = {standing.name: standing for standing in standings(runs(tmp_path))}
    assert found["fixed-100"].arrives_s == 1
    assert 1 < found["adaptive"].arrives_s < 15, "it climbs from one worker within the first phase"
    assert math.isinf(found["fixed-2"].arrives_s), "two workers never get there"


def test_without_a_fixed_size_or_a_contestant_nothing_stands(tmp_path: Path) -> None:
    add_run(tmp_path / "one", "adaptive")
    assert standings(runs(tmp_path / "one")) == []
    add_run(tmp_path / "two", "fixed-2")
    assert standings(runs(tmp_path / "two")) == []


def test_the_table_names_the_best_first_and_is_there_for_several_cells_only(tmp_path: Path) -> None:
    add_run(tmp_path / "one", "fixed-2")
    add_run(tmp_path / "one", "adaptive")
    assert standing_table(runs(tmp_path / "one")) is None
    table = standing_table(runs(two_axes(tmp_path / "axes")))
    assert table is not None
    terminal = StringIO()
    draw(table, Console(width=120, file=terminal))
    drawn = terminal.getvalue().splitlines()
    assert drawn[0].split() == [
        *("to", "the", "best", "fixed", "size"),
        *("cells", "throughput", "worst", "threads", "95%", "after", "worst", "in"),
    ]
    assert drawn[-1].startswith("fixed-2")
