"""The CPU quotas of a run's processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkeeper.experiment.definition.model import Quotas
    from poolkeeper.experiment.processes.quota import Group, Groups, Throttling


class CpuQuotas:
    """Control groups for the processes of one run, limited from the end of its warm-up on.

    Before that they start and warm up without a limit, as a virtual machine under a small quota compiles for minutes.
    Does nothing where there are no quotas, or where nobody may set any.
    """

    def __init__(self, quotas: Quotas | None, groups: Groups | None) -> None:
        """`groups` is None if control groups are not permitted."""
        self._quotas = quotas if groups is not None else None
        self._groups = groups
        self._made: dict[str, tuple[Group, float]] = {}
        self._before: dict[str, Throttling] = {}

    def server(self, name: str) -> Callable[[Sequence[str]], list[str]]:
        """Command of a server that is to run in a group of this name. May raise QuotaRefused."""
        return self._joining(name, self._quotas.server if self._quotas else None)

    def balancer(self, name: str) -> Callable[[Sequence[str]], list[str]]:
        """The same for the balancer."""
        return self._joining(name, self._quotas.balancer if self._quotas else None)

    def begin(self) -> None:
        """Limit all processes, and count from now on. Raises QuotaRefused."""
        for name, (group, cpus) in self._made.items():
            assert self._quotas is not None  # noqa: S101 - there would be no group
            group.limit(cpus, self._quotas.period)
            self._before[name] = group.throttling()

    def used(self) -> dict[str, dict[str, Any]]:
        """For each process its quota, and what the kernel counted since it began; the `quotas` of run.json."""
        uses: dict[str, dict[str, Any]] = {}
        for name, before in self._before.items():
            group, cpus = self._made[name]
            assert self._quotas is not None  # noqa: S101 - there would be no group
            counted = group.throttling().since(before)
            uses[name] = {
                "cpus": cpus,
                "period_s": self._quotas.period,
                "periods": counted.periods,
                "throttled": counted.throttled,
                "throttled_s": counted.throttled_s,
            }
        return uses

    @property
    def settle_s(self) -> float:
        """Time of the warm-up under quotas."""
        return self._quotas.settle if self._quotas is not None else 0.0

    def close(self) -> None:
        """Remove the groups; all processes in them have ended."""
        for group, _ in self._made.values():
            group.remove()

    def _joining(self, name: str, cpus: float | None) -> Callable[[Sequence[str]], list[str]]:
        if self._groups is None or cpus is None:
            return list
        group = self._groups.make(name)
        self._made[name] = group, cpus
        return group.command
