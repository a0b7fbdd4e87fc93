"""Faults that a trial brings about on purpose: a server killed, restarted or slowed down at a time."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from poolkeeper.errors import InputError
from poolkeeper.ntier.tiers.servers.server import LEAST_CORES
from poolkeeper.units import format_duration, parse_duration

if TYPE_CHECKING:
    from poolkeeper.ntier.system import Tier
    from poolkeeper.ntier.tiers.running import RunningTiers

FaultKind = Literal["kill", "restart", "slow"]
_SLOWED = 0.5
"""Part of its quota that a server keeps which is slowed down."""
_FORM = re.compile(r"(?P<kind>[a-z]+):(?P<server>[^@]+)@(?P<at>.+)")
_PAST: dict[FaultKind, str] = {"kill": "killed", "restart": "restarted", "slow": "given half of its CPU quota"}


@dataclass(frozen=True, slots=True)
class Fault:
    """An event so many seconds after a trial begins to count.

    A server is killed, or stopped in order and started anew, or has half of its quota from then on.
    """

    kind: FaultKind
    server: str
    at_s: float

    @classmethod
    def parse(cls, text: str) -> Fault:
        """The fault of a text such as 'kill:application-1@5s'. Raises InputError."""
        found = _FORM.fullmatch(text)
        kind = next((kind for kind in _PAST if found is not None and found["kind"] == kind), None)
        if found is None or kind is None:
            raise InputError(
                f"fault must be like kill:application-1@5s, restart:database@5s or slow:database@5s, but is '{text}'"
            )
        try:
            at_s = parse_duration(found["at"])
        except ValueError as error:
            raise InputError(f"fault {text}: {error}") from None
        return cls(kind, found["server"], at_s)

    def check(self, tier: Tier, no_quotas: str | None) -> None:
        """Raise InputError if it cannot happen to a server of a tier, where a quota is needed and none can be halved.

        `no_quotas`: why there are no quotas; None if there are.
        """
        if self.kind != "slow":
            return
        name = f"fault slow:{self.server}@{format_duration(self.at_s)}"
        if no_quotas is not None:
            raise InputError(f"{name}: there is no CPU quota to halve: {no_quotas}")
        if _SLOWED * tier.cores < LEAST_CORES:
            raise InputError(
                f"{name}: a quota of {tier.cores:g} cores cannot be halved, because the least is {LEAST_CORES:g}"
            )

    async def happen(self, tiers: RunningTiers) -> None:
        """Wait for its time and bring it about. Raises RunError if the server does not come back."""
        await asyncio.sleep(self.at_s)
        server = tiers.server(self.server)
        if self.kind == "kill":
            await server.kill()
        elif self.kind == "slow":
            server.limit(_SLOWED)
        else:
            await server.restart()

    def __str__(self) -> str:
        """Its description in the past: 'database was restarted after 5 s'."""
        share = "; its CPU is shown as part of the whole" if self.kind == "slow" else ""
        return f"{self.server} was {_PAST[self.kind]} after {self.at_s:g} s{share}"
