"""Steps of the allocator where pools are in the way, where nothing saturates, and at the edges of the equations."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from topologies import MeanValueSystem, topology

from poolkeeper.errors import RunError
from poolkeeper.ntier.allocator.critical import find_critical_resource
from poolkeeper.ntier.allocator.evidence import Rules
from poolkeeper.ntier.allocator.jobs import jobs_in, min_concurrent_jobs
from poolkeeper.ntier.allocator.laboratory import Laboratory
from poolkeeper.ntier.allocator.minimum import connections_by_ratio, min_allocation, threads_by_ratio
from poolkeeper.ntier.allocator.plan import allocate
from poolkeeper.ntier.allocator.validation import combinations, sweep, validate
from poolkeeper.ntier.comparison_views import SweepView, ValidationView
from poolkeeper.ntier.system import PoolKey, TierSeries

if TYPE_CHECKING:
    from pathlib import Path

    from poolkeeper.ntier.system import Allocation, TierFigures, Trial

THREADS = PoolKey("application", "threads")


class PooledSystem(MeanValueSystem):
    """Approximation in which the application's threads hold back what is beyond them."""

    def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
        threads = allocation[THREADS] * self.topology.tier("application").servers
        reached = users
        trial = super().run(allocation, users, seconds)
        while reached > 1 and (trial.tier("application").threads_busy or 0) > threads:
            reached = max(1, int(reached * 0.97))
            trial = super().run(allocation, reached, seconds)
        if reached == users:
            return trial
        # The others wait for a thread, so all of them are busy.
        application = trial.tier("application")
        full = replace(application.series, threads_busy=(float(threads),) * len(application.series.threads_busy))
        tiers = tuple(replace(tier, series=full) if tier is application else tier for tier in trial.tiers)
        return replace(trial, users=users, tiers=tiers)


def test_all_pools_are_doubled_while_one_of_them_saturates_first(tmp_path: Path) -> None:
    file = topology(tmp_path, ("threads: 200", "threads: 1"), ("threads: 400", "threads: 50"))
    laboratory = Laboratory(PooledSystem(file), 30.0)
    found = find_critical_resource(laboratory, Rules(), file.trial.users)
    assert found.tier == "database"
    assert found.doublings >= 1
    assert found.allocation[THREADS] == 2**found.doublings
    assert found.allocation[PoolKey("web", "threads")] == 50 * 2**found.doublings
    assert "all pools are doubled from 50-1-200 to 100-2-400" in laboratory.decisions[0][1]
    assert "application.threads" in laboratory.decisions[0][1]


def test_a_pool_that_is_saturated_at_its_bound_is_named(tmp_path: Path) -> None:
    file = topology(tmp_path, ("threads: 200", "threads: 1, threads_bounds: 1..1"))
    with pytest.raises(RunError, match=r"application\.threads is saturated with \d+ users at the end of its bounds"):
        find_critical_resource(Laboratory(PooledSystem(file), 30.0), Rules(), file.trial.users)


def test_too_few_users_to_saturate_anything_are_told(tmp_path: Path) -> None:
    file = topology(tmp_path, ("users: 1..2000", "users: 1..20"))
    message = r"nothing is saturated with 20 users, the maximum of trial\.users; the most used are CPU of database"
    with pytest.raises(RunError, match=message):
        find_critical_resource(Laboratory(MeanValueSystem(file), 30.0), Rules(), file.trial.users)


def test_a_bottleneck_that_is_not_measured_is_told(tmp_path: Path) -> None:
    class Locked(MeanValueSystem):
        """Its processors are half idle, whatever the load."""

        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            trial = super().run(allocation, users, seconds)
            return replace(trial, tiers=tuple(self.idle(tier) for tier in trial.tiers))

        def idle(self, figures: TierFigures) -> TierFigures:
            course = tuple(value / 2 for value in figures.series.utilisation)
            return replace(figures, utilisation=figures.utilisation / 2, series=TierSeries(course))

    laboratory = Laboratory(Locked(topology(tmp_path)), 30.0)
    with pytest.raises(RunError, match=r"throughput stopped rising at \d+ users although nothing is saturated"):
        find_critical_resource(laboratory, Rules(), Locked(topology(tmp_path)).file.trial.users)


def test_fewer_jobs_are_taken_as_long_as_no_goodput_is_lost(tmp_path: Path) -> None:
    file = topology(tmp_path)
    plan = allocate(Laboratory(MeanValueSystem(file), 30.0), Rules(checks=3), file.trial.users)
    # Pools in this system hold nobody back, so the smallest that is tried is as good.
    assert plan.check.passed
    assert len(plan.check.trials) == 3
    assert plan.jobs == pytest.approx(plan.knee.jobs * 0.7**2)
    assert plan.recommended == plan.check.trials[-1].allocation
    assert plan.verdict.startswith("The CPU of database (1 server) is critical")


def test_pools_that_lose_goodput_are_enlarged(tmp_path: Path) -> None:
    class Starved(MeanValueSystem):
        """Loses half of its answers below 30 threads of the application."""

        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            trial = super().run(allocation, users, seconds)
            if allocation[THREADS] >= 30:
                return trial
            half = {bound: tuple(v / 2 for v in series) for bound, series in trial.goodput_series.items()}
            figures = replace(trial.tier("application"), series=TierSeries((0.5,) * 30, (999.0,) * 30), threads=999)
            tiers = (trial.tiers[0], figures, trial.tiers[2])
            return replace(trial, goodput_series=half, tiers=tiers)

    file = topology(tmp_path)
    plan = allocate(Laboratory(Starved(file), 30.0), Rules(checks=12), file.trial.users)
    first, last = plan.check.trials[0].allocation, plan.recommended
    assert plan.check.passed
    assert first[THREADS] < 30 <= last[THREADS] <= 30 * 1.25
    assert last[PoolKey("web", "threads")] == first[PoolKey("web", "threads")]
    gave_up = allocate(Laboratory(Starved(file), 30.0), Rules(checks=2), file.trial.users)
    assert not gave_up.check.passed
    assert "below that of the ample pools" in gave_up.verdict


def test_goodput_that_varies_too_much_is_told_from_goodput_that_is_lost(tmp_path: Path) -> None:
    class Drifting(MeanValueSystem):
        """Its ample pools make a fifth less in the first half of a trial: the machine was slower."""

        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            trial = super().run(allocation, users, seconds)
            if allocation != self.topology.initial:
                return trial
            slow = {
                bound: tuple(v * (0.8 if i < len(series) / 2 else 1.0) for i, v in enumerate(series))
                for bound, series in trial.goodput_series.items()
            }
            return replace(trial, goodput_series=slow)

    file = topology(tmp_path)
    laboratory = Laboratory(Drifting(file), 30.0)
    plan = allocate(laboratory, Rules(checks=2), file.trial.users)
    texts = [text for step, text in laboratory.decisions if step == "check" and "goodput" in text]
    assert not plan.check.passed
    assert all("is not shown to be within 3% of the best so far" in text for text in texts)
    assert all(text.endswith("the seconds of the trials vary too much") for text in texts)


def test_a_server_that_takes_a_process_for_each_connection_gets_as_many(tmp_path: Path) -> None:
    text = (
        ("  database: {server", "  middleware: {server: pgpool, cores: 1, connections: 9}\n  database: {server"),
        ("  database: {cpu", "  middleware: {cpu: 1us}\n  database: {cpu"),
    )
    file = topology(tmp_path, *text)
    system = MeanValueSystem(file)
    trial = system.run(file.topology.initial, 100, 30.0)
    held = replace(trial.tiers[1], connection_s=1.0)
    sizes = min_allocation(file.topology, "database", 3.0, (trial.tiers[0], held, *trial.tiers[2:]), 3.0)
    by_name = {str(size.key): size for size in sizes}
    opened = 2 * by_name["application.connections"].recommended
    assert by_name["middleware.connections"].recommended == opened > by_name["middleware.connections"].total
    assert "one for each connection of the tier in front" in by_name["middleware.connections"].why


def test_connections_whose_time_is_not_measured_cannot_be_sized(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    tiers = system.run(system.topology.initial, 10, 30.0).tiers
    with pytest.raises(RunError, match="web: how long a connection is held was not measured"):
        connections_by_ratio(3.0, tiers[0], tiers[2])


def test_response_times_that_are_not_measured_are_named(tmp_path: Path) -> None:
    system = MeanValueSystem(topology(tmp_path))
    tiers = system.run(system.topology.initial, 10, 30.0).tiers
    blind = replace(tiers[0], response_s=math.nan)
    with pytest.raises(RunError, match="web: its response time was not measured, which equation 5 needs"):
        threads_by_ratio(3.0, blind, tiers[2])
    with pytest.raises(RunError, match="web: its response time was not measured, which the number of its jobs needs"):
        jobs_in(blind)


def test_validation_tries_each_pool_and_half_of_the_minimum_of_the_front(tmp_path: Path) -> None:
    file = topology(tmp_path)
    laboratory = Laboratory(MeanValueSystem(file), 30.0)
    plan = allocate(laboratory, Rules(checks=1), file.trial.users)
    found = validate(laboratory, plan, file.trial.users)
    assert [each.factor for each in found.variations if each.pool == THREADS] == [0.5, 2.0, 5.0]
    front = [each for each in found.variations if each.pool == PoolKey("web", "threads")]
    assert front[0].allocation[PoolKey("web", "threads")] == plan.sizes[0].minimum // 2
    assert {each.trials[0].users for each in found.variations} == {found.users}
    assert found.of_best == pytest.approx(1.0)


def test_a_validation_asks_for_no_more_than_the_servers_admit(tmp_path: Path) -> None:
    file = topology(tmp_path, ("connections: 200", "connections: 200, connections_bounds: 1..210"))
    plan = allocate(Laboratory(MeanValueSystem(file), 30.0), Rules(checks=1), file.trial.users)
    connections = PoolKey("application", "connections")
    allocation = plan.recommended.replace({connections: 100})
    plan = replace(plan, check=replace(plan.check, chosen=replace(plan.check.chosen, allocation=allocation)))
    found = validate(Laboratory(MeanValueSystem(file), 30.0), plan, file.trial.users)
    tried = {each.factor: each.allocation[connections] for each in found.variations if each.pool == connections}
    assert tried == {0.5: 50, 2.0: 200, 2.1: 210}
    swept = sweep(Laboratory(MeanValueSystem(file), 30.0), plan, file.trial.users)
    assert max(each.allocation[connections] for each in swept.variations) == 210


def test_more_connections_have_as_many_processes_behind_them(tmp_path: Path) -> None:
    text = (
        ("  database: {server", "  middleware: {server: pgpool, cores: 1, connections: 9}\n  database: {server"),
        ("  database: {cpu", "  middleware: {cpu: 1us}\n  database: {cpu"),
    )
    file = topology(tmp_path, *text)
    plan = allocate(Laboratory(MeanValueSystem(file), 30.0), Rules(checks=1), file.trial.users)
    found = validate(Laboratory(MeanValueSystem(file), 30.0), plan, file.trial.users)
    opened, processes = PoolKey("application", "connections"), PoolKey("middleware", "connections")
    for each in found.variations:
        if each.pool == opened and each.factor > 1:
            assert each.allocation[processes] >= 2 * each.allocation[opened] > plan.recommended[processes]
        elif each.pool != processes:
            assert each.allocation[processes] == plan.recommended[processes]
    assert {each.factor for each in found.variations if each.pool == opened} == {0.5, 2.0, 5.0}


def test_a_validation_shows_the_goodput_within_every_bound(tmp_path: Path) -> None:
    file = topology(tmp_path)
    laboratory = Laboratory(MeanValueSystem(file), 30.0)
    plan = allocate(laboratory, Rules(checks=1), file.trial.users)
    found = validate(laboratory, plan, file.trial.users)
    view = ValidationView(plan, found)
    columns = view.table().columns
    assert [column for column in columns if column.startswith("within ")] == ["within 0.5 s", "within 1 s"]
    document = view.to_dict()
    for bound in file.topology.bounds_s:
        within = document["within"][f"{bound:g}"]
        assert within["goodput_per_s"] == pytest.approx(found.base.trials[0].goodput[bound])
        for each in document["variations"]:
            assert each["within"][f"{bound:g}"]["ratio"] == pytest.approx(1.0)
    ranked = SweepView(plan, found).to_dict()["combinations"]
    assert {"0.5", "1"} == set(ranked[0]["within"])


def test_combinations_of_all_pools_hold_the_recommendation_once(tmp_path: Path) -> None:
    initial = topology(tmp_path).topology.initial
    found = combinations(initial)
    assert len(found) == len(set(found)) == 4**3
    assert found.count(initial) == 1


def test_a_load_whose_seconds_vary_too_much_is_not_the_highest_throughput(tmp_path: Path) -> None:
    class Restless(MeanValueSystem):
        """Does more in the mean with 160 users and more, in seconds between nothing and three times as much."""

        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            trial = super().run(allocation, users, seconds)
            if users < 160:
                return trial
            series = tuple(
                value * (0.1 if second % 10 < 5 else 2.1) for second, value in enumerate(trial.throughput_series)
            )
            return replace(trial, throughput_series=series)

    file = topology(tmp_path)
    laboratory = Laboratory(Restless(file), 30.0)
    critical = find_critical_resource(laboratory, Rules(), file.trial.users)
    knee = min_concurrent_jobs(laboratory, critical, Rules(), file.trial.users)
    quiet = max(Restless(file).solve(users)[0] for users in knee.loads if users < 160)
    assert Restless(file).solve(knee.trial.users)[0] >= 0.95 * quiet


def test_a_check_raises_the_users_until_the_recommendation_is_saturated_too(tmp_path: Path) -> None:
    class Costly(MeanValueSystem):
        """Each connection that may be open makes the work of the database longer."""

        connections = 0

        def demands(self) -> dict[str, float]:
            found = super().demands()
            return {**found, "database": found["database"] * (1 + 0.005 * self.connections)}

        def run(self, allocation: Allocation, users: int, seconds: float) -> Trial:
            self.connections = allocation[PoolKey("application", "connections")]
            return super().run(allocation, users, seconds)

    file = topology(tmp_path)
    plan = allocate(Laboratory(Costly(file), 30.0), Rules(), file.trial.users)
    assert plan.check.passed
    assert plan.check.ample.users == plan.check.chosen.users > plan.knee.beyond.users
    assert plan.check.chosen.tier("database").utilisation >= Rules().saturation
    assert plan.check.chosen.throughput > 1.5 * plan.check.ample.throughput
