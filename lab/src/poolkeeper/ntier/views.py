"""Views of a plan: tables and charts for terminal, JSON and page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkeeper.ntier.allocator.laboratory import trial_to_json
from poolkeeper.ntier.allocator.resources import goodput, throughput
from poolkeeper.present import Axis, Chart, Kind, Mark, Series, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.ntier.allocator.evidence import Level
    from poolkeeper.ntier.allocator.laboratory import JournaledTrial
    from poolkeeper.ntier.allocator.plan import Plan
    from poolkeeper.ntier.system import TierFigures, Trial

CONFIDENCE = 0.95
"""Of the intervals that are shown."""
_USERS = Axis("users")


@dataclass(frozen=True)
class PoolsView:
    """Recommended pools with their reasons."""

    plan: Plan

    def table(self) -> Table:
        """A row a pool: sizes of one server, and the equation."""
        topology, rules = self.plan.topology, self.plan.rules
        rows = tuple(
            (
                str(size.key),
                topology.tier(size.key.tier).servers,
                topology.initial[size.key],
                size.minimum,
                self.plan.recommended[size.key],
                size.why,
            )
            for size in self.plan.sizes
        )
        tests = (
            f"hardware and pools are saturated from {rules.saturation:.0%} on, the knee is the first load that does "
            f"not lose more than {rules.knee:.0%} of the highest throughput, each with {rules.confidence:.0%} "
            "confidence"
        )
        jobs = f"{self.plan.knee.jobs:.3g} jobs at the knee"
        if self.plan.jobs != self.plan.knee.jobs:
            jobs += f"; {self.plan.jobs:.3g} lose no goodput beyond it, as their number does not vary there"
        notes = (tests, jobs)
        return Table("", ("pool", "servers", "before", "minimum", "recommended", "why"), rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """Sizes per server, jobs and the critical resource."""
        plan = self.plan
        return {
            "hardware": plan.topology.hardware,
            "critical": plan.critical.tier,
            "utilisation": plan.critical.use.level.value,
            "saturated_users": plan.critical.at,
            "doublings": plan.critical.doublings,
            "knee_users": plan.knee.trial.users,
            "knee_throughput_per_s": plan.knee.trial.throughput,
            "jobs_at_knee": plan.knee.jobs,
            "jobs": plan.jobs,
            "allocation": str(plan.recommended),
            "pools": {
                str(size.key): {
                    "total": size.total,
                    "minimum": size.minimum,
                    "recommended": plan.recommended[size.key],
                    "why": size.why,
                }
                for size in plan.sizes
            },
            "passed": plan.check.passed,
            "runs": plan.runs,
        }

    def plot(self) -> Chart:
        """Sizes of each pool before, at least, and recommended."""
        sizes = self.plan.sizes
        x = tuple(map(float, range(len(sizes))))
        initial, recommended = self.plan.topology.initial, self.plan.recommended
        lines = {
            "before": [initial[size.key] for size in sizes],
            "minimum": [size.minimum for size in sizes],
            "recommended": [recommended[size.key] for size in sizes],
        }
        return Chart(
            "Sizes of one server",
            Axis("pool", names=tuple(str(size.key) for size in sizes)),
            Axis("size", log=True),
            tuple(Series(name, x, tuple(map(float, values)), Kind.POINTS) for name, values in lines.items()),
        )


@dataclass(frozen=True)
class LoadsView:
    """Measured curves over the load, with the pools of the second step."""

    plan: Plan
    trials: tuple[JournaledTrial, ...]

    def table(self) -> Table:
        """A row a trial, in the order in which they took place."""
        bounds = self.plan.topology.bounds_s
        columns = (
            "step",
            "users",
            "pools",
            "answered/s",
            "±",
            *(f"within {bound:g} s" for bound in bounds),
            "mean ms",
            *(f"CPU {tier.name}" for tier in self.plan.topology.tiers),
        )
        rows = tuple(self._row(each) for each in self.trials)
        return Table("", columns, rows, (f"± is half the width of the {CONFIDENCE:.0%} interval",))

    def _row(self, journaled: JournaledTrial) -> tuple[str | int | float, ...]:
        trial = journaled.trial
        return (
            journaled.step,
            trial.users,
            str(trial.allocation),
            trial.throughput,
            throughput(trial).margin(CONFIDENCE),
            *(trial.goodput[bound] for bound in self.plan.topology.bounds_s),
            trial.response_s * 1e3,
            *(f"{tier.utilisation:.1%}" for tier in trial.tiers),
        )

    def to_dict(self) -> dict[str, Any]:
        """All trials without their series."""
        return {"trials": [{"step": each.step, **_without_series(trial_to_json(each.trial))} for each in self.trials]}

    def plot(self) -> Chart:
        """Throughput and goodput over users, with the knee."""
        trials = self._curve()
        users = [trial.users for trial in trials]
        lines = [line("throughput", users, [throughput(trial) for trial in trials])]
        lines += [
            line(f"within {bound:g} s", users, [goodput(trial, bound) for trial in trials])
            for bound in self.plan.topology.bounds_s
        ]
        return Chart("Throughput and goodput", _USERS, Axis("answers", "1/s"), tuple(lines), self._marks())

    def more(self) -> tuple[Chart, ...]:
        """Utilisation of the tiers, use of the pools and jobs in the critical tier over users."""
        trials = self._curve()
        x = tuple(float(trial.users) for trial in trials)
        names = [tier.name for tier in self.plan.topology.tiers]

        def lines(name: str, value: Callable[[TierFigures], float | None]) -> list[Series]:
            found = [[value(trial.tier(tier)) for trial in trials] for tier in names]
            return [
                Series(f"{tier}{name}", x, tuple(math.nan if each is None else each for each in values))
                for tier, values in zip(names, found, strict=True)
                if any(each is not None for each in values)
            ]

        held = [
            *lines(" threads", lambda figures: figures.threads_busy),
            *lines(" connections", lambda figures: figures.connections_busy),
        ]
        return (
            Chart(
                "CPU of the tiers",
                _USERS,
                Axis("utilisation", "%"),
                tuple(lines("", lambda figures: 100 * figures.utilisation)),
                self._marks(),
            ),
            Chart("Busy units of the pools", _USERS, Axis("busy, all servers"), tuple(held), self._marks()),
            Chart(
                "Response times",
                _USERS,
                Axis("mean", "ms", log=True),
                tuple(lines("", lambda figures: 1e3 * figures.response_s)),
                self._marks(),
            ),
        )

    def _curve(self) -> list[Trial]:
        """Trials of the ample pools, by users."""
        found = {
            each.trial.users: each.trial
            for each in self.trials
            if each.trial.allocation == self.plan.critical.allocation
        }
        found |= {trial.users: trial for trial in (self.plan.knee.trial, self.plan.knee.beyond)}
        return [found[users] for users in sorted(found)]

    def _marks(self) -> tuple[Mark, ...]:
        return (Mark(float(self.plan.knee.trial.users), "knee"),)


def _without_series(document: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in document.items() if not name.endswith("_series")}
    kept["tiers"] = [{name: value for name, value in tier.items() if name != "series"} for tier in document["tiers"]]
    return kept


def line(name: str, x: Sequence[float], levels: Sequence[Level]) -> Series:
    """A line of means with the band of their intervals."""
    half = [level.margin(CONFIDENCE) for level in levels]
    return Series(
        name,
        tuple(map(float, x)),
        tuple(level.value for level in levels),
        low=tuple(max(0.0, level.value - width) for level, width in zip(levels, half, strict=True)),
        high=tuple(level.value + width for level, width in zip(levels, half, strict=True)),
    )
