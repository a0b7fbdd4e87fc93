"""Faults that a trial brings about on purpose: a server killed or restarted at a time."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from poolkeeper.errors import InputError
from poolkeeper.units import parse_duration

if TYPE_CHECKING:
    from poolkeeper.ntier.tiers.running import RunningTiers

_FORM = re.compile(r"(?P<kind>[a-z]+):(?P<server>[^@]+)@(?P<at>.+)")
_PAST = {"kill": "killed", "restart": "restarted"}


@dataclass(frozen=True, slots=True)
class Fault:
    """A server that is killed, or stopped in order and started anew, so many seconds after a trial begins to count."""

    kind: Literal["kill", "restart"]
    server: str
    at_s: float

    @classmethod
    def parse(cls, text: str) -> Fault:
        """The fault of a text such as 'kill:application-1@5s'. Raises InputError."""
        found = _FORM.fullmatch(text)
        if found is None or found["kind"] not in _PAST:
            raise InputError(f"fault must be like kill:application-1@5s or restart:database@5s, but is '{text}'")
        try:
            at_s = parse_duration(found["at"])
        except ValueError as error:
            raise InputError(f"fault {text}: {error}") from None
        return cls("kill" if found["kind"] == "kill" else "restart", found["server"], at_s)

    async def happen(self, tiers: RunningTiers) -> None:
        """Wait for its time and bring it about. Raises RunError if the server does not come back."""
        await asyncio.sleep(self.at_s)
        server = tiers.server(self.server)
        if self.kind == "kill":
            await server.kill()
        else:
            await server.restart()

    def __str__(self) -> str:
        """Its description in the past: 'database was restarted after 5 s'."""
        return f"{self.server} was {_PAST[self.kind]} after {self.at_s:g} s"
