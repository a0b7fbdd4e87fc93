"""Cost of a request while throughput changed: counters and requests are those of the same span."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from experiments import add_run
from synthetic import Phase

from poolkeeper.record import read_run
from poolkeeper.report.measuring.costs import Costs
from poolkeeper.report.measuring.counters import COUNTERS
from poolkeeper.report.measuring.measurement import Measurement, measure
from poolkeeper.report.measuring.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
BEGIN = 5_000_000_000_000 + 2 * SECOND
"""Of the load; the run begins two seconds before it."""


def doubling(
    folder: Path, samples: Sequence[tuple[float, int]], *, load: bool = True, warm_up: bool = False
) -> Measurement:
    """A run of four seconds with 100, 100, 200 and 200 requests in them.

    `samples` says how many requests had ended when the monitor looked, in seconds since the load began. A request costs
    the server 2 ms and 3 waits, the database 4 ms, and the load generator, if it is looked at, 1 ms.
    """
    run = add_run(folder, "fixed-2", phases=(Phase(2, 4),))
    header = (run / "load.csv").read_text(encoding="utf-8").splitlines()[0]
    rows = [header]
    for second, (requests, cpu_ms) in enumerate(((100, 100), (100, 100), (200, 400), (200, 400))):
        start = BEGIN + second * SECOND
        messages = {
            "start_ns": start,
            "end_ns": start + SECOND,
            "phase": 0,
            "users": 2,
            "requests": requests,
            "errors": 0,
        }
        messages["cpu_ns"] = cpu_ms * MILLISECOND
        rows.append(",".join(str(messages.get(name, "")) for name in header.split(",")))
    (run / "load.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    rows = ["at_ns,process,cpu_ns,rss_bytes,voluntary_switches"]
    costs = {"server": (2, 3), "database": (4, 0), **({"load": (1, 0)} if load else {})}
    for at_s, requests in samples:
        for name, (cpu_ms, waits) in costs.items():
            at = BEGIN + round(at_s * SECOND)
            rows.append(f"{at},{name},{10**11 + requests * cpu_ms * MILLISECOND},1,{1000 + requests * waits}")
    (run / "monitor.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    document = json.loads((run / "run.json").read_text(encoding="utf-8"))
    document.pop("warm_up", None)
    if warm_up:
        document["warm_up"] = {"seconds": 2.0, "steady": True, "throughput": [100.0, 100.0]}
    (run / "run.json").write_text(json.dumps(document), encoding="utf-8")
    (measured,) = measure([read_run(run)])
    return measured


def span(measured: Measurement) -> tuple[float, float, float]:
    """Its ends since the load began, and its requests."""
    found = Span.of(measured)
    return tuple(
        round(value, 6) for value in (found.start_s - measured.begin_s, found.end_s - measured.begin_s, found.requests)
    )  # type: ignore[return-value]


LATE = ((-0.8, -300), (0.2, 20), (1.2, 120), (2.2, 240), (3.2, 440), (4.2, 9000))
"""Inside the load 420 requests ended in three seconds; of the whole load's 150 a second it would be 450."""


def test_what_counters_gained_is_divided_by_the_requests_of_the_same_span(tmp_path: Path) -> None:
    measured = doubling(tmp_path / "demo", LATE)
    assert span(measured) == (0.2, 3.2, 420)
    costs = Costs.of(measured)
    assert costs.server_cpu_s == pytest.approx(0.002)
    assert costs.database_cpu_s == pytest.approx(0.004)
    assert costs.load_cpu_s == pytest.approx(0.001), "of its own process, not of the whole load"
    assert costs.voluntary == pytest.approx(3)
    assert COUNTERS["server-cpu"].of(measured) == pytest.approx(2000)


def test_a_load_generator_that_nobody_watched_tells_of_the_same_span_itself(tmp_path: Path) -> None:
    measured = doubling(tmp_path / "demo", LATE, load=False)
    assert Costs.of(measured).load_cpu_s == pytest.approx((0.08 + 0.1 + 0.4 + 0.08) / 420)


@pytest.mark.parametrize(("warm_up", "before"), [(True, 1), (False, 0)])
def test_a_sample_just_before_the_load_stands_for_its_begin(
    tmp_path: Path,
    warm_up: bool,  # noqa: FBT001
    before: int,
) -> None:
    samples = ((-0.01, -before), (0.99, 99), (1.99, 199), (2.99, 398), (3.99, 598))
    measured = doubling(tmp_path / "demo", samples, warm_up=warm_up)
    assert span(measured) == (-0.01, 3.99, 598 + before)
    assert Costs.of(measured).server_cpu_s == pytest.approx(0.002)


def test_a_sample_just_after_the_load_stands_for_its_end(tmp_path: Path) -> None:
    measured = doubling(tmp_path / "demo", ((0.05, 5), (1.05, 105), (2.05, 210), (3.05, 410), (4.05, 600)))
    assert span(measured) == (0.05, 4.05, 595)
    assert Costs.of(measured).server_cpu_s == pytest.approx(0.002)


def test_a_sample_without_the_load_generator_is_none_of_its_end(tmp_path: Path) -> None:
    measured = doubling(tmp_path / "demo", ((0.05, 5), (1.05, 105), (2.05, 210), (3.05, 410), (4.05, 600)))
    file = measured.run.folder / "monitor.csv"
    lines = file.read_text(encoding="utf-8").splitlines()
    assert ",load," in lines[-1]
    file.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    (measured,) = measure([read_run(measured.run.folder)])
    assert span(measured) == (0.05, 3.05, 405)
    assert Costs.of(measured).load_cpu_s == pytest.approx(0.001)


def test_a_single_sample_tells_nothing(tmp_path: Path) -> None:
    costs = Costs.of(doubling(tmp_path / "demo", ((0.2, 20),)))
    assert math.isnan(costs.voluntary)
    assert math.isnan(costs.database_cpu_s)
