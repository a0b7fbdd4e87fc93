"""Figures of tiers from counters of their servers, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from poolkeeper.ntier.system import Allocation, PoolKey, Tier, Topology
from poolkeeper.ntier.tiers.figures import Samples, tier_figures
from poolkeeper.ntier.tiers.servers.server import Counters

WEB = Tier("web", "httpd", 1, 0.5, threads=True)
APPLICATION = Tier("application", "board", 2, 0.25, threads=True, connections=True, heap="64m")
MIDDLEWARE = Tier("middleware", "pgpool", 1, 0.4, connections=True)
DATABASE = Tier("database", "postgres", 2, 0.2)
ALLOCATION = Allocation(
    {
        PoolKey("web", "threads"): 40,
        PoolKey("application", "threads"): 15,
        PoolKey("application", "connections"): 6,
        PoolKey("middleware", "connections"): 12,
    }
)
TOPOLOGY = Topology(
    "worked", "?", (WEB, APPLICATION, MIDDLEWARE, DATABASE), None, 1.0, (0.5,), ALLOCATION, Path("worked.yaml")
)


def application(at_s: float, part: float) -> Counters:
    """A server of the application that has done a part of its work: 100 requests in 10 s."""
    return Counters(
        at_s,
        cpu_s=2.0 * part,
        visits=100 * part,
        response_s=20 * part,
        threads_s=20 * part,
        threads_wait_s=5 * part,
        uses=100 * part,
        held_s=10 * part,
        wait_s=2 * part,
        gc_s=0.1 * part,
        statements=300 * part,
        statements_s=6 * part,
        failed=0,
    )


def counted(at_s: float, part: float) -> dict[str, list[Counters]]:
    web = Counters(at_s, 1.0 * part, visits=200 * part, response_s=50 * part, threads_s=50 * part, threads_wait_s=0.0)
    return {
        "web": [web],
        "application": [application(at_s, part), application(at_s, part)],
        "middleware": [Counters(at_s, 1.2 * part, visits=640 * part)],
        "database": [Counters(at_s, 0.5 * part, visits=320 * part, response_s=3.2 * part)] * 2,
    }


def test_figures_follow_from_what_the_counters_grew_by() -> None:
    samples = Samples([counted(100, 0.0), counted(105, 0.5), counted(110, 1.0)], {"application": 5000})
    web, app, middleware, database = tier_figures(TOPOLOGY, ALLOCATION, samples)
    assert (web.utilisation, web.throughput, web.visits, web.response_s) == pytest.approx((0.2, 20, 1, 0.25))
    assert (web.threads, web.threads_busy, web.threads_waiting) == pytest.approx((40, 5, 0))
    assert web.connections is None
    assert (app.utilisation, app.throughput, app.visits, app.response_s) == pytest.approx((0.8, 20, 1, 0.2))
    assert (app.threads, app.connections) == (30, 12), "of both servers"
    assert (app.threads_busy, app.threads_waiting) == pytest.approx((4, 1))
    assert (app.connections_busy, app.connections_waiting, app.connection_s) == pytest.approx((2, 0.4, 0.1))
    assert (app.connection_uses, app.cpu_s, app.gc_share) == pytest.approx((1, 0.02, 0.01))
    assert app.context_switches == pytest.approx(500)
    assert app.series.utilisation == pytest.approx((0.8, 0.8))
    assert app.series.connections_busy == pytest.approx((2, 2))
    # pgpool tells no times: statements and connections are those of the application.
    assert (middleware.visits, middleware.throughput, middleware.response_s) == pytest.approx((3, 60, 0.02))
    assert (middleware.connections, middleware.connections_busy) == pytest.approx((12, 2))
    assert middleware.cpu_s == pytest.approx(0.002)
    # Each statement that writes visits both databases.
    assert (database.visits, database.response_s, database.utilisation) == pytest.approx((3.2, 0.01, 0.25))


def test_a_server_that_was_started_anew_counts_from_nothing_again() -> None:
    before, after = counted(100, 1.0), counted(110, 1.0)
    after["database"] = [Counters(110, 0.3, visits=100, response_s=1.0), after["database"][1]]
    database = tier_figures(TOPOLOGY, ALLOCATION, Samples([before, after]))[3]
    assert database.throughput == pytest.approx(10)


def test_what_a_server_did_before_it_was_started_anew_counts_as_well() -> None:
    """Readings at 0, 4, 6 and 10 s; it ends soon after the second, and has done more than ever at the last."""
    readings = [counted(100 + at_s, 1.0) for at_s in (0, 4, 6, 10)]
    for reading, visits in zip(readings, (320.0, 420.0, 30.0, 500.0), strict=True):
        reading["database"] = [replace(reading["database"][0], visits=visits), reading["database"][1]]
    database = tier_figures(TOPOLOGY, ALLOCATION, Samples(readings))[3]
    assert database.throughput == pytest.approx((100 + 30 + 470) / 10)


def test_without_a_request_there_are_no_ratios() -> None:
    web, app, *_ = tier_figures(TOPOLOGY, ALLOCATION, Samples([counted(100, 1.0), counted(110, 1.0)]))
    assert math.isnan(web.response_s)
    assert math.isnan(app.visits)
    assert app.connection_s is None
    assert app.throughput == 0
