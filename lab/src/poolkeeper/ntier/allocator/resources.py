"""Saturated resources of a trial: the hardware of a tier, or a pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkeeper.errors import RunError
from poolkeeper.ntier.allocator.evidence import Level, Rules
from poolkeeper.ntier.system import PoolKey, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """Use of a resource in a trial, 0 to 1: of the CPU quota of a tier where `kind` is None, else of a pool."""

    tier: str
    pool: PoolKey | None
    level: Level

    @property
    def name(self) -> str:
        """The resource in words."""
        return f"CPU of {self.tier}" if self.pool is None else str(self.pool)

    def message(self, confidence: float) -> str:
        """Resource and use with its interval."""
        return f"{self.name} {self.level.value:.1%} ± {self.level.margin(confidence):.1%}"


def require_answers(name: str, trial: Trial) -> None:
    """Raise RunError, naming the topology, if no request was answered: such a trial tells nothing of any resource."""
    if not trial.throughput:
        raise RunError(
            f"{name}: no request was answered with {trial.allocation} and {trial.users} users"
            f"{''.join(f'; {warning}' for warning in trial.warnings)}"
        )


def hardware_use(trial: Trial) -> list[ResourceUse]:
    """Use of the CPU quota of each tier, the most used first. Raises TooFewError for too short a series."""
    found = [
        ResourceUse(each.tier, None, Level.of(each.series.utilisation, f"utilisation of {each.tier}"))
        for each in trial.tiers
    ]
    return sorted(found, key=lambda use: -use.level.value)


def pool_use(trial: Trial) -> list[ResourceUse]:
    """Use of each pool that can be measured, the most used first. Raises TooFewError for too short a series."""
    return sorted(_pools(trial), key=lambda use: -use.level.value)


def _pools(trial: Trial) -> Iterator[ResourceUse]:
    for each in trial.tiers:
        for kind, size, series in (
            ("threads", each.threads, each.series.threads_busy),
            ("connections", each.connections, each.series.connections_busy),
        ):
            if size and series:
                key = PoolKey(each.tier, "threads" if kind == "threads" else "connections")
                yield ResourceUse(each.tier, key, Level.of([busy / size for busy in series], f"use of {key}"))


def throughput(trial: Trial) -> Level:
    """Throughput of a trial. Raises TooFewError for too short a series."""
    return Level.of(trial.throughput_series, "throughput")


def goodput(trial: Trial, bound_s: float) -> Level:
    """Goodput of a trial within a bound. Raises TooFewError for too short a series, KeyError for another bound."""
    return Level.of(trial.goodput_series[bound_s], f"goodput within {bound_s:g} s")


def saturated(uses: list[ResourceUse], rules: Rules) -> list[ResourceUse]:
    """Those that are saturated, in the same order."""
    return [use for use in uses if rules.saturated(use.level)]
