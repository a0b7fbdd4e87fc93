"""The share of requests that took longer than a time, as the page draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from experiments import demo

from poolkeeper.report.experiment import by_variant, load_experiments
from poolkeeper.report.measuring.exceedance import POINTS, exceeded
from poolkeeper.report.summary import counted

if TYPE_CHECKING:
    from pathlib import Path


def test_it_falls_from_all_to_one_request_and_crosses_a_hundredth_at_p99(tmp_path: Path) -> None:
    runs = by_variant(load_experiments([demo(tmp_path / "demo", repetitions=2)])[0].runs)
    measured = {name: counted(members) for name, members in runs.items()}
    chart = exceeded(measured)
    assert [series.name for series in chart.series] == list(runs)
    for line in chart.series:
        assert 10 < len(line.x) <= POINTS
        assert list(line.x) == sorted(line.x)
        assert list(line.y) == sorted(line.y, reverse=True)
        assert 0 < line.y[-1] < line.y[0] <= 1
        total = sum(
            measurement.run.latency.total().count for measurement in measured[line.name] if measurement.run.latency
        )
        assert line.y[-1] == pytest.approx(1 / total, rel=1e-3), "the last request but one"
        first = next(at for at, share in zip(line.x, line.y, strict=True) if share <= 0.01)
        p99s = [
            measurement.run.latency.total().percentile_s(99) * 1e3
            for measurement in measured[line.name]
            if measurement.run.latency
        ]
        assert min(p99s) * 0.98 <= first <= max(p99s) * 1.1
