"""Equations 5 and 6 against the published tables: what follows from their inputs, and the two figures that do not."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from poolkeeper.ntier.allocator.jobs import jobs_in
from poolkeeper.ntier.allocator.minimum import connections_by_ratio, min_allocation, threads_by_ratio
from poolkeeper.ntier.system import Allocation, PoolKey, Tier, TierFigures, Topology

ROWS = list(csv.DictReader((Path(__file__).parent / "published.csv").read_text(encoding="utf-8").splitlines()))
ROUNDING_S = 0.0005
"""Half of the last digit of a published time."""
CRITICAL = {"1/2/1/2": "app", "1/4/1/4": "cluster"}
PUBLISHED_JOBS = {"1/2/1/2": 58.8, "1/4/1/4": 42.0}


def published(topology: str, tier: str) -> dict[str, str]:
    return next(row for row in ROWS if (row["topology"], row["tier"]) == (topology, tier))


def figures(topology: str, tier: str, *, more_s: float = 0.0) -> TierFigures:
    """Figures of a tier; `more_s` is added to what the equations have in their numerators."""
    row = published(topology, tier)
    visits = float(row["visit_ratio"])
    return TierFigures(
        tier=tier,
        utilisation=1.0,
        throughput=float(row["throughput_rps"] or "nan"),
        visits=visits,
        response_s=float(row["response_time_s"] or "nan") + more_s,
        connection_s=float(row["connection_busy_time_s"] or "nan") + more_s,
        connection_uses=visits,
    )


def interval(topology: str, tier: str, kind: str) -> tuple[int, int]:
    """Smallest and largest whole size that follow from the printed inputs within their rounding."""
    equation = threads_by_ratio if kind == "total_threads" else connections_by_ratio
    critical = figures(topology, CRITICAL[topology])
    low, high = (
        equation(PUBLISHED_JOBS[topology], figures(topology, tier, more_s=more), critical)
        for more in (-ROUNDING_S, ROUNDING_S)
    )
    return math.floor(low), math.ceil(high)


@pytest.mark.parametrize(("topology", "tier", "jobs"), [("1/2/1/2", "app", 58.8), ("1/4/1/4", "cluster", 42.13)])
def test_the_jobs_of_the_critical_tier_are_response_time_times_throughput(
    topology: str, tier: str, jobs: float
) -> None:
    found = jobs_in(figures(topology, tier))
    assert found == pytest.approx(jobs, rel=1e-3)
    assert round(found) == int(published(topology, tier)["min_jobs"])


@pytest.mark.parametrize(
    ("topology", "tier", "kind", "size"),
    [
        ("1/2/1/2", "web", "total_threads", 105.0),
        ("1/4/1/4", "web", "total_threads", 117.8),
        ("1/4/1/4", "app", "total_threads", 52.3),
        ("1/2/1/2", "web", "total_connections", 71.4),
        ("1/2/1/2", "app", "total_connections", 27.3),
        ("1/4/1/4", "web", "total_connections", 60.2),
    ],
)
def test_published_sizes_follow_from_the_printed_inputs(topology: str, tier: str, kind: str, size: float) -> None:
    equation = threads_by_ratio if kind == "total_threads" else connections_by_ratio
    critical = figures(topology, CRITICAL[topology])
    assert equation(PUBLISHED_JOBS[topology], figures(topology, tier), critical) == pytest.approx(size, abs=0.05)
    low, high = interval(topology, tier, kind)
    assert low <= int(published(topology, tier)[kind]) <= high


@pytest.mark.parametrize(("tier", "printed", "inputs_give"), [("app", 32, 24), ("cluster", 17, 25)])
def test_two_published_sizes_do_not_follow_from_the_printed_inputs(tier: str, printed: int, inputs_give: int) -> None:
    critical = figures("1/4/1/4", "cluster")
    found = connections_by_ratio(42.0, figures("1/4/1/4", tier), critical)
    assert round(found) == inputs_give
    low, high = interval("1/4/1/4", tier, "total_connections")
    assert int(published("1/4/1/4", tier)["total_connections"]) == printed
    assert not low <= printed <= high


def test_the_whole_allocation_of_1_2_1_2_with_its_division_among_the_servers() -> None:
    tiers = (
        Tier("web", "httpd", 1, 1.0, threads=True, connections=True),
        Tier("app", "board", 2, 1.0, threads=True, connections=True),
        Tier("cluster", "pgbouncer", 1, 1.0, connections=True),
        Tier("db", "postgres", 2, 1.0),
    )
    initial = Allocation({key: 1 for tier in tiers for key in tier.pools})
    topology = Topology("1-2-1-2", "", tiers, None, 0.0, (1.0,), initial, Path("none"))
    measured = [figures("1/2/1/2", tier.name) for tier in tiers]
    sizes = {str(size.key): size for size in min_allocation(topology, "app", 58.8, measured, 4.0)}
    assert sizes["app.threads"].minimum == int(published("1/2/1/2", "app")["threads_per_server"])
    assert sizes["cluster.connections"].minimum == 59
    assert sizes["web.threads"].minimum in {105, 106}
    assert sizes["web.threads"].recommended == 4 * sizes["web.threads"].minimum
    assert sizes["app.connections"].minimum in {13, 14}
    others: list[Any] = [size for name, size in sizes.items() if name != "web.threads"]
    assert all(size.recommended == size.minimum for size in others)


def test_what_is_behind_the_critical_tier_gets_its_jobs() -> None:
    for tier in ("cluster", "db"):
        assert int(published("1/2/1/2", tier)["total_threads"]) == 2 * math.ceil(58.8 / 2)
    assert PoolKey.parse("db.threads") == PoolKey("db", "threads")
